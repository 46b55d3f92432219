package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// "I was away; she took it over, and the list said whose it was."
func TestFiling_F10_WhoDecidesAndByWhenIsSetAndSeenOnTheCommandLine(t *testing.T) {
	x := atTheRanch(t)
	x.want(0, "people", "roles", "Ann Bell", "engineer")
	if out := x.want(0, "checkpoints", "set", "pre_filing", "--due", "36h", "--expires", "10d", "--role", "engineer", "--escalate", "2d", "--to", "Bo Chief").err; !strings.Contains(out, "engineer") {
		t.Errorf("%s", out)
	}
	x.want(2, "checkpoints", "set", "pre_filing", "--due", "soon")
	x.want(2, "checkpoints", "set", "pre_filing", "--due", "20d", "--expires", "10d")
	x.typed(0, "a long secret\n", "people", "passphrase", "Ann Bell")
	var line object
	for _, v := range lines(t, x.want(0, "checkpoints", "list", "--json").out) {
		if v.text("type") == "pre_filing" {
			line = v
		}
	}
	if line["due_hours"] != 36.0 || line["expires_hours"] != 240.0 || line["set"] != true || line["escalate_hours"] != 48.0 {
		t.Errorf("%v", line)
	}
	a := x.held("rule_37", "Well/42-329-97101")
	needs(t, []object{a}, "due_at", "remind_at", "overdue", "escalated", "escalate_at", "escalate_to", "reviewer_strategy", "may_decide", "for")
	if a.text("reviewer_strategy") != "role_based" || a.text("may_decide") != "a person with the role engineer" {
		t.Errorf("%v", a)
	}
	x.want(1, "approvals", "delegate", a.text("id"), "Cy Dee", "--reviewer", "Cy Dee")
	said := x.typed(0, "a long secret\n", "approvals", "delegate", a.text("id"), "Cy Dee", "--reviewer", "Ann Bell", "--comment", "away", "--passphrase-stdin")
	if out := said; !strings.Contains(out, "Cy Dee (by Ann Bell)") || !strings.Contains(out, "no passphrase") {
		t.Errorf("%s", out)
	}
	shown := x.want(0, "approvals", "show", a.text("id"))
	for _, want := range []string{"may decide", "Cy Dee (by Ann Bell)", "due ", "escalates", "Bo Chief", "passed on", "lease name: TEST RANCH", "source: "} {
		if !strings.Contains(shown.out+shown.err, want) {
			t.Errorf("the approval lacks %q", want)
		}
	}
	if list := x.want(0, "approvals", "list"); !strings.Contains(list.out+list.err, "due ") || !strings.Contains(list.out+list.err, "Cy Dee") {
		t.Errorf("%s", list.out+list.err)
	}
	x.want(1, "approvals", "approve", a.text("id"), "--reviewer", "Somebody")
	// "It took whoever sat there for the engineer."
	if said := x.want(2, "approvals", "approve", a.text("id")); !strings.Contains(said.err, "--reviewer NAME") {
		t.Errorf("nobody was asked who decides: %s", said.err)
	}
	if said := x.want(1, "approvals", "approve", a.text("id"), "--reviewer", "Cy Dee"); !strings.Contains(said.err, "has no passphrase") {
		t.Errorf("%s", said.err)
	}
	x.typed(0, "a long secret\nanother long secret\n", "people", "passphrase", "Cy Dee", "--by", "Ann Bell", "--passphrase-stdin")
	x.typed(0, "another long secret\n", "approvals", "approve", a.text("id"), "--reviewer", "Cy Dee", "--passphrase-stdin")
	x.want(0, "resume", a.text("turn"))
	x.typed(0, "a long secret\n", "checkpoints", "usual", "pre_filing", "--by", "Ann Bell", "--passphrase-stdin")
}

// "I opened the operator's page and asked for the well's form; it told me what it was about instead."
func TestFiling_ASubjectOfAnotherTypeIsNamed(t *testing.T) {
	x := atTheRanch(t)
	for kind, want := range map[string]string{"rule_37": "no well was named", "rule_32": "no lease was named"} {
		said := x.want(3, "run", "--practice", "--agent", "filing", "--var", "type="+kind, "--subject", "Operator/made-up-oil-inc", "Prepare the "+strings.ReplaceAll(kind, "_", " ")+" exception")
		out := said.out + said.err
		if !strings.Contains(out, "No filing was put together") || !strings.Contains(out, "--answer") {
			t.Errorf("%s asks nothing: %s", kind, out)
		}
		if !strings.Contains(out, want) || !strings.Contains(out, "the session is about Operator/made-up-oil-inc") {
			t.Errorf("%s: %s", kind, out)
		}
	}
}

// What waits is read, not decoded: every box has its label and source, a change says from what to what.
func TestFiling_F60_WhatWaitsIsShownInWords(t *testing.T) {
	x := atTheRanch(t)
	a := x.held("rule_37", "Well/42-329-97101")
	x.want(0, "approvals", "modify", a.text("id"), "--reviewer", "Ada", "--args", x.write("args.json", `{"well":"Well/42-329-97101","values":[{"box":"40","value":"by hand","source":"Ada"}]}`))
	shown := x.want(0, "approvals", "show", a.text("id"))
	text := shown.out + shown.err
	for _, want := range []string{"Form W-1", "remarks: by hand", "CHANGED by the reviewer; it was: (missing)", "source: given: Ada", "Missing", "Attachments to add", "Assumptions"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	for _, inner := range []string{"resourceType", `"boxes"`, `"status"`, "complete\":"} {
		if strings.Contains(text, inner) {
			t.Errorf("it shows %s", inner)
		}
	}
	v := lines(t, x.want(0, "approvals", "show", a.text("id"), "--json").out)[0]
	needs(t, []object{v}, "form", "form_before", "arguments")
}

func TestFiling_F71_MoreIsGivenOnTheCommandLine(t *testing.T) {
	x := atTheRanch(t)
	x.want(0, "budgets", "set", "filing", "rule_37", "--iterations", "1", "--time", "30m")
	x.want(2, "budgets", "set", "filing", "rule_99", "--iterations", "1")
	found := false
	for _, v := range lines(t, x.want(0, "budgets", "list", "--json").out) {
		if v.text("agent") == "filing" && v.text("type") == "rule_37" {
			b := v["budget"].(map[string]any)
			found = v["set"] == true && b["iterations"] == 1.0 && b["seconds"] == 1800.0 && b["tokens"] == 150000.0
		}
	}
	if !found {
		t.Error("the budget is not listed")
	}
	events := lines(t, x.want(1, "run", "--practice", "--agent", "filing", "--var", "type=rule_37", "--subject", "Well/42-329-97101", "--json", "Prepare the Rule 37 exception").out)
	turn := events[0].text("turn")
	x.want(1, "resume", turn) // nobody gave more
	events = lines(t, x.want(3, "resume", turn, "--more", "9", "--by", "Ann Bell", "--json").out)
	for _, e := range events {
		if e.text("kind") == "turn_resumed" {
			if d := e["data"].(map[string]any); d["by"] != "Ann Bell" || d["more"] != 9.0 || d["limit"] != "iterations" {
				t.Errorf("%v", d)
			}
		}
	}
}

// "The list said that no approval waits, and my filing stood there for ever."
func TestFiling_F47_TheListNamesTurnsWhoseRequestIsNoLongerAsked(t *testing.T) {
	x := atTheRanch(t)
	a := x.held("rule_37", "Well/42-329-97101")
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte("---\nname: rrc_rule37\ndescription: Shorter.\nallowed-tools: rule37_filing_assembly\n---\nMeasure.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.want(0, "skills", "add", folder)
	got := x.want(0, "approvals", "list")
	if said := got.out + got.err; !strings.Contains(said, "no longer asked: what it was about changed") || !strings.Contains(said, "holdpoint resume "+a.text("turn")) {
		t.Errorf("%s", said)
	}
	if got := x.want(1, "approvals", "approve", a.text("id"), "--reviewer", "Ada"); !strings.Contains(got.err, "no longer asked") || !strings.Contains(got.err, "Resume the turn") || strings.Contains(got.err, "verdict stands") {
		t.Errorf("%s", got.err)
	}
	if got := x.want(0, "approvals", "list", "--json"); strings.TrimSpace(got.out) != "" {
		t.Errorf("a line that is no approval: %s", got.out)
	}
}

// "I exported the form in French: five of its forty labels were, and a lease called block had become bloc."
func TestFiling_AFormIsFrenchButForWhatStandsInItsBoxes(t *testing.T) {
	x := atTheRanch(t)
	a := x.held("rule_37", "Well/42-329-97101")
	x.want(0, "approvals", "modify", a.text("id"), "--reviewer", "Ada", "--args", x.write("args.json", `{"well":"Well/42-329-97101","values":[{"box":"40","value":"block","source":"Ada"}]}`))
	x.want(0, "settings", "set", "language", "fr")
	if got := x.want(1, "approvals", "modify", a.text("id"), "--reviewer", "Ada", "--args", x.write("args.json", `{"well":"Well/42-329-97101","lease_line_ft":"330","foo":1}`)); !strings.Contains(got.err, "les arguments ne conviennent pas : /lease_line_ft vaut un texte, il faut un nombre ; il n’y a pas de membre 'foo'") && !strings.Contains(got.err, "les arguments ne conviennent pas : il n’y a pas de membre 'foo' ; /lease_line_ft vaut un texte, il faut un nombre") {
		t.Errorf("%s", got.err)
	}
	shown := x.want(0, "approvals", "show", a.text("id"))
	x.want(0, "approvals", "approve", a.text("id"), "--reviewer", "Ada")
	x.want(0, "resume", a.text("turn"))
	filing := lines(t, x.want(0, "records", "list", "Filing", "--json").out)[0].text("id")
	card := shown.out + shown.err
	card = card[strings.Index(card, "Demande de permis"):] // above it stands what the model said
	for _, text := range []string{card, x.want(0, "export", "Filing/"+filing, "--format", "md").out, x.want(0, "export", "Filing/"+filing, "--format", "html").out} {
		for _, want := range []string{"Demande de permis de forer", "nom de la concession", "remarques", "block", "sans objet", "3 : adresse de l’opérateur", "droits", "à confirmer par une personne", "donné : Ada"} {
			if !strings.Contains(strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(text), want) {
				t.Errorf("it lacks %q: %s", want, text)
			}
		}
		for _, english := range []string{"lease name", "operator address", "well number", "not applicable", "not known", "Not decided", "to be confirmed"} {
			if strings.Contains(text, english) {
				t.Errorf("it says %q", english)
			}
		}
	}
}

// "I named her as the reviewer, and a week later nobody could sign: she had no passphrase."
func TestFiling_F10_WhoCannotDecideYetIsToldWhenItIsSet(t *testing.T) {
	x := atTheRanch(t)
	said := x.want(0, "checkpoints", "set", "pre_filing", "--reviewer", "Ann Bell", "--to-role", "chief", "--escalate", "2d").err
	if !strings.Contains(said, "Ann Bell cannot decide yet") || !strings.Contains(said, "Nobody with the role chief") {
		t.Errorf("%s", said)
	}
	if said := x.want(0, "checkpoints", "set", "pre_fling", "--due", "1d").err; !strings.Contains(said, "No rule holds with the type pre_fling yet") {
		t.Errorf("%s", said)
	}
	x.typed(0, "a long secret\n", "people", "passphrase", "Ann Bell")
	if said := x.typed(0, "a long secret\n", "checkpoints", "set", "pre_filing", "--reviewer", "Ann Bell", "--by", "Ann Bell", "--passphrase-stdin"); strings.Contains(said, "cannot decide") || strings.Contains(said, "No rule") {
		t.Errorf("%s", said)
	}
}

// "I confirmed it with my name and my passphrase, and the filing says that root did." And any
// passphrase would have done.
func TestFiling_AFactIsConfirmedByWhoSaysSo(t *testing.T) {
	x := atTheRanch(t)
	x.typed(0, "a long secret\n", "people", "passphrase", "Ann Bell")
	confirm := []string{"settings", "set", "fact.filing.rule37_protest_days", "21", "--by", "Ann Bell", "--passphrase-stdin"}
	if said := x.typed(1, "another secret\n", confirm...); !strings.Contains(said, "The passphrase is not that of Ann Bell") {
		t.Errorf("%s", said)
	}
	if said := x.want(0, "settings", "facts"); strings.Contains(said.out+said.err, `confirmed as`) {
		t.Error("it counts as confirmed")
	}
	x.typed(0, "a long secret\n", confirm...)
	if said := x.want(0, "settings", "facts"); !strings.Contains(said.out+said.err, `confirmed as "21" by Ann Bell`) {
		t.Errorf("%s", said.out+said.err)
	}
}
