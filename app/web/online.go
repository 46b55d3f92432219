package web

import (
	"context"
	"net/http"
)

// online are the read and the calls for online sources of literature.
func (s *API) online() {
	a := s.app
	s.read("/api/library/online", func(*http.Request) (any, error) { return a.Online() })
	s.calls["plan_online"] = on(func(_ context.Context, in struct {
		Text    string
		Sources []string
		Limit   int
	}) (any, error) {
		list, err := a.PlanOnline(in.Text, in.Sources, in.Limit)
		return map[string]any{"requests": list}, err
	})
	type decision struct {
		IDs      []string
		Reviewer string
	}
	s.calls["send_online"] = on(func(_ context.Context, in decision) (any, error) {
		j, err := a.StartOnline(in.IDs, in.Reviewer)
		return jobOf{j}, err
	})
	s.calls["refuse_online"] = on(func(_ context.Context, in decision) (any, error) { return nil, a.RefuseOnline(in.IDs, in.Reviewer) })
	s.calls["forget_online"] = on(func(_ context.Context, in struct{ IDs []string }) (any, error) {
		n, err := a.ForgetOnline(in.IDs)
		return map[string]int{"forgotten": n}, err
	})
}
