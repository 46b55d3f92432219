package web

import "net/http"

// forms are the reads for forms and for maps of what was measured.
func (s *API) forms() {
	a := s.app
	s.read("/api/records/{type}/{id}/form", func(r *http.Request) (any, error) { return a.Form(r.PathValue("type"), r.PathValue("id")) })
	s.read("/api/records/{type}/{id}/map", func(r *http.Request) (any, error) { return a.RecordMap(r.PathValue("type"), r.PathValue("id")) })
	s.read("/api/approvals/{id}/map", func(r *http.Request) (any, error) { return a.ApprovalMap(r.PathValue("id")) })
	s.read("/api/turns/{turn}/map", func(r *http.Request) (any, error) { return a.TurnMap(r.PathValue("turn")) })
}
