package web

import (
	"context"
	"net/http"
)

// rules are the reads and calls for rules.
func (s *API) rules() {
	a := s.app
	s.read("/api/rules", func(*http.Request) (any, error) { return a.Rules() })
	s.calls["add_rules"] = on(func(_ context.Context, in struct{ Text string }) (any, error) {
		names, err := a.AddRules(in.Text)
		return map[string]any{"names": names}, err
	})
	s.calls["switch_rule"] = on(func(_ context.Context, in struct {
		Name string
		Off  bool
	}) (any, error) {
		return nil, a.SwitchRule(in.Name, in.Off)
	})
	s.calls["remove_rule"] = on(func(_ context.Context, in struct{ Name string }) (any, error) { return nil, a.RemoveRule(in.Name) })
}
