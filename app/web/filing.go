package web

import (
	"context"
	"net/http"

	"holdpoint/app"
)

// forms are the reads for forms, maps and people, and the calls that change who may sign.
func (s *API) forms() {
	a := s.app
	s.read("/api/records/{type}/{id}/form", func(r *http.Request) (any, error) { return a.Form(r.PathValue("type"), r.PathValue("id")) })
	s.read("/api/records/{type}/{id}/map", func(r *http.Request) (any, error) { return a.RecordMap(r.PathValue("type"), r.PathValue("id")) })
	s.read("/api/approvals/{id}/map", func(r *http.Request) (any, error) { return a.ApprovalMap(r.PathValue("id")) })
	s.read("/api/turns/{turn}/map", func(r *http.Request) (any, error) { return a.TurnMap(r.PathValue("turn")) })
	s.read("/api/people", func(*http.Request) (any, error) {
		list, err := a.People()
		return map[string][]app.Person{"people": list}, err
	})
	s.calls["set_roles"] = on(func(_ context.Context, in struct{ Name, Roles string }) (any, error) {
		return nil, a.SetRoles(in.Name, in.Roles)
	})
	s.calls["set_passphrase"] = on(func(_ context.Context, in struct{ Name, Old, Passphrase string }) (any, error) {
		return a.SetPassphrase(in.Name, in.Old, in.Passphrase)
	})
	s.calls["trust_key"] = on(func(_ context.Context, in struct{ Name, Key string }) (any, error) {
		return nil, a.TrustKey(in.Name, in.Key)
	})
}
