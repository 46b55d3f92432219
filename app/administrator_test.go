package app_test

import (
	"strings"
	"testing"

	"holdpoint/app"
)

// "Dana made herself regulatory manager with her own passphrase, signed, and then switched the rule off."
func TestFiling_F10_OnlyAnAdministratorChangesWhoDecidesAndRules(t *testing.T) {
	r := newRanch(t)
	r.role("Bo Chief", "supervisor")
	r.signs("Bo Chief")
	bo, dana := r.by, app.Proof{Name: "Dana Prep", Passphrase: secret}
	if _, err := r.app.SetPassphrase("Dana Prep", "", secret, bo); err != nil {
		t.Fatal(err)
	}
	const text = "rules:\n  - name: no_saturday\n    event: before_tool_call\n    verdict: warn\n    reason: weekend\n"
	// Without an administrator each of those who sign stands for a change; nobody else does.
	if _, err := r.app.AddRules(text, app.Proof{}); err == nil {
		t.Error("nobody stands for a new rule")
	}
	if _, err := r.app.AddRules(text, dana); err != nil {
		t.Fatal(err)
	}
	if err := r.app.SetRoles("Bo Chief", "supervisor, administrator", bo); err != nil {
		t.Fatal(err)
	}
	for what, do := range map[string]func(app.Proof) error{
		"gives herself a role": func(by app.Proof) error { return r.app.SetRoles("Dana Prep", "engineer", by) },
		"adds a rule":          func(by app.Proof) error { _, err := r.app.AddRules(text, by); return err },
		"switches a rule off":  func(by app.Proof) error { return r.app.SwitchRule("no_saturday", true, by) },
		"gives a passphrase":   func(by app.Proof) error { _, err := r.app.SetPassphrase("Eve", "", secret, by); return err },
	} {
		if err := do(dana); err == nil || !strings.Contains(err.Error(), "Dana Prep is not an administrator") {
			t.Errorf("who is none %s: %v", what, err)
		}
		if err := do(bo); err != nil {
			t.Errorf("the administrator %s: %v", what, err)
		}
	}
	if err := r.app.RemoveRule("no_saturday", dana); err == nil {
		t.Error("who is none removes a rule")
	}
	// Her own passphrase is hers to change.
	if _, err := r.app.SetPassphrase("Dana Prep", secret, "another long enough one", app.Proof{}); err != nil {
		t.Error(err)
	}
	if err := r.app.RemoveRule("no_saturday", bo); err != nil {
		t.Error(err)
	}
}
