package web

import (
	"context"
	"net/http"

	"holdpoint/engine/agent"
)

// texts are the reads and calls for texts, prompts of nodes, cards, and consent.
func (s *API) texts() {
	a := s.app
	s.read("/api/texts", func(r *http.Request) (any, error) { return a.Texts(r.URL.Query().Get("agent")) })
	s.read("/api/agents/{id}/prompt", func(r *http.Request) (any, error) {
		vars, node := map[string]string{}, ""
		for name, values := range r.URL.Query() {
			if name == "node" {
				node = values[0]
				continue
			}
			vars[name] = values[0]
		}
		return a.Prompt(r.PathValue("id"), node, vars)
	})
	s.read("/api/agents/{id}/prompts", func(r *http.Request) (any, error) { return a.Prompts(r.PathValue("id")) })
	s.read("/api/agents/{id}/start", func(r *http.Request) (any, error) {
		vars := map[string]string{}
		for name, values := range r.URL.Query() {
			vars[name] = values[0]
		}
		return a.StartCard(r.PathValue("id"), vars)
	})
	s.read("/api/sessions/{id}/cards", func(r *http.Request) (any, error) { return a.Cards(r.PathValue("id")) })
	s.read("/api/sessions/{id}/consent", func(r *http.Request) (any, error) { return a.Consent(r.PathValue("id")) })
	s.calls["set_text"] = on(func(_ context.Context, in struct{ Key, Text, Version string }) (any, error) {
		return a.SetText(in.Key, in.Text, in.Version)
	})
	s.calls["reset_text"] = on(func(_ context.Context, in struct{ Key, Version string }) (any, error) {
		return a.ResetText(in.Key, in.Version)
	})
	s.calls["sync_texts"] = on(func(_ context.Context, in struct{ Agent, Folder string }) (any, error) {
		return a.SyncTexts(in.Agent, in.Folder)
	})
	s.calls["change_card"] = on(func(_ context.Context, in struct {
		Session string
		agent.CardChange
	}) (any, error) {
		return a.ChangeCard(in.Session, in.CardChange)
	})
	s.calls["set_consent"] = on(func(_ context.Context, in struct {
		ID, Scope string
		Delete    bool
	}) (any, error) {
		return a.SetConsent(in.ID, in.Scope, in.Delete)
	})
}
