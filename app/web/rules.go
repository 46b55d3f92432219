package web

import (
	"context"
	"net/http"

	"holdpoint/app"
)

// rules are the reads and calls for rules and skills.
func (s *API) rules() {
	a := s.app
	s.read("/api/skills", func(*http.Request) (any, error) { return a.Skills() })
	s.read("/api/skills/{name}", func(r *http.Request) (any, error) { return a.Skill(r.PathValue("name")) })
	s.calls["add_skill"] = on(func(_ context.Context, in struct{ Zip []byte }) (any, error) {
		v, err := a.AddSkillZip(in.Zip)
		return map[string]string{"name": v.Name}, err
	})
	s.calls["remove_skill"] = on(func(_ context.Context, in struct{ Name string }) (any, error) { return nil, a.RemoveSkill(in.Name) })
	s.read("/api/rules", func(*http.Request) (any, error) { return a.Rules() })
	s.calls["add_rules"] = on(func(_ context.Context, in struct {
		Text string
		By   app.Proof
	}) (any, error) {
		names, err := a.AddRules(in.Text, in.By)
		return map[string]any{"names": names}, err
	})
	s.calls["switch_rule"] = on(func(_ context.Context, in struct {
		Name string
		Off  bool
		By   app.Proof
	}) (any, error) {
		return nil, a.SwitchRule(in.Name, in.Off, in.By)
	})
	s.calls["remove_rule"] = on(func(_ context.Context, in struct {
		Name string
		By   app.Proof
	}) (any, error) {
		return nil, a.RemoveRule(in.Name, in.By)
	})
}
