package web

import (
	"context"
	"encoding/json"
	"net/http"

	"holdpoint/app"
	"holdpoint/engine/rule"
)

// holds are the reads and calls for what waits for people: how long and for whom, who signs
// how, what turns may use, and requests that cross to another machine as files.
func (s *API) holds() {
	a := s.app
	s.read("/api/checkpoints", func(*http.Request) (any, error) {
		list, err := a.CheckpointTypes()
		return map[string]any{"checkpoints": list}, err
	})
	s.calls["set_checkpoint"] = on(func(_ context.Context, in struct {
		Type string
		Term *rule.Term
		By   app.Proof
	}) (any, error) {
		return a.SetCheckpoint(in.Type, in.Term, in.By)
	})
	s.calls["delegate"] = on(func(ctx context.Context, in struct {
		app.Decision
		To string `json:"to"`
	}) (any, error) {
		return a.DelegateOnScreen(ctx, in.Decision, in.To)
	})
	s.read("/api/facts", func(*http.Request) (any, error) {
		list, err := a.Facts()
		return map[string]any{"facts": list}, err
	})
	s.read("/api/budgets", func(*http.Request) (any, error) {
		list, err := a.Budgets()
		return map[string]any{"budgets": list}, err
	})
	s.calls["set_budget"] = on(func(_ context.Context, in struct {
		Agent, Type string
		Budget      *app.Budget
	}) (any, error) {
		return a.SetBudget(in.Agent, in.Type, in.Budget)
	})
	s.read("/api/people", func(*http.Request) (any, error) {
		list, err := a.People()
		return map[string]any{"people": list}, err
	})
	s.calls["set_roles"] = on(func(_ context.Context, in struct {
		Name, Roles string
		By          app.Proof
	}) (any, error) {
		return nil, a.SetRoles(in.Name, in.Roles, in.By)
	})
	s.calls["set_passphrase"] = on(func(_ context.Context, in struct {
		Name, Old, Passphrase string
		By                    app.Proof
	}) (any, error) {
		return a.SetPassphrase(in.Name, in.Old, in.Passphrase, in.By)
	})
	s.calls["trust_key"] = on(func(_ context.Context, in struct {
		Name, Key string
		By        app.Proof
	}) (any, error) {
		return nil, a.TrustKey(in.Name, in.Key, in.By)
	})
	// The first one makes the store's key: it is no read.
	s.calls["export_request"] = on(func(_ context.Context, in idOf) (any, error) { return a.ExportRequest(in.ID) })
	s.calls["view_request"] = on(func(_ context.Context, in struct{ File json.RawMessage }) (any, error) {
		return a.ViewRequest(in.File)
	})
	s.calls["import_verdict"] = on(func(ctx context.Context, in struct{ File json.RawMessage }) (any, error) {
		v, err := a.ImportVerdictOnScreen(ctx, in.File)
		return approvalOf{v}, err
	})
	s.calls["sign_request"] = on(func(_ context.Context, in struct {
		File    json.RawMessage
		Approve bool
		app.Decision
	}) (any, error) {
		r, err := app.ReadRequest(in.File)
		if err != nil {
			return nil, err
		}
		return a.SignRequest(r, in.Decision, in.Approve)
	})
}
