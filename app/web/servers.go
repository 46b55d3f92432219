package web

import (
	"context"
	"net/http"

	"holdpoint/app"
)

// servers are the reads and calls for servers of tools.
func (s *API) servers() {
	a := s.app
	s.read("/api/servers", func(*http.Request) (any, error) { return a.Servers(), nil })
	s.calls["add_server"] = on(func(ctx context.Context, in app.AddServer) (any, error) {
		v, err := a.AddServer(ctx, in)
		return map[string]string{"id": v.ID}, err
	})
	s.calls["trust_server"] = on(func(_ context.Context, in struct{ ID, Digest string }) (any, error) {
		_, err := a.TrustServer(in.ID, in.Digest)
		return nil, err
	})
	s.calls["remove_server"] = on(func(_ context.Context, in idOf) (any, error) { return nil, a.RemoveServer(in.ID) })
	s.calls["refresh_server"] = on(func(ctx context.Context, in idOf) (any, error) {
		_, err := a.RefreshServer(ctx, in.ID)
		return nil, err
	})
	s.calls["classify_tool"] = on(func(_ context.Context, in struct{ Server, Tool, Class, Digest string }) (any, error) {
		_, err := a.ClassifyTool(in.Server, in.Tool, in.Class, in.Digest)
		return nil, err
	})
}
