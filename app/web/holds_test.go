package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
)

// answers calls and reads what comes back.
func (w *site) answers(name string, in, out any) {
	w.t.Helper()
	res := w.call(name, in)
	if res.status != http.StatusOK || json.Unmarshal([]byte(res.body), out) != nil {
		w.t.Fatalf("%s: %d %s", name, res.status, res.body)
	}
}

func (w *site) gets(address string, out any) {
	w.t.Helper()
	res := w.do(http.MethodGet, address, "", nil)
	if res.status != http.StatusOK || json.Unmarshal([]byte(res.body), out) != nil {
		w.t.Fatalf("%s: %d %s", address, res.status, res.body)
	}
}

type object = map[string]any

// What screens need to show and set who decides by when, over HTTP.
func TestFiling_F10_ScreensSetWhoDecidesByWhenAndPassItOn(t *testing.T) {
	w := wells(t)
	var line app.CheckpointView
	w.answers("set_roles", object{"name": "Ann Bell", "roles": "engineer"}, &struct{}{})
	w.answers("set_checkpoint", object{"type": "pre_filing", "term": object{"due_hours": 5, "reviewer": object{"role": "engineer"}}}, &line)
	if !line.Set || line.DueHours != 5 || line.ExpiresHours != 168 || line.Reviewer.Role != "engineer" {
		t.Errorf("%+v", line)
	}
	if res := w.call("set_checkpoint", object{"type": "pre_filing", "term": object{"due_hours": 500}}); res.status != http.StatusBadRequest {
		t.Errorf("%d %s", res.status, res.body)
	}
	var all struct{ Checkpoints []app.CheckpointView }
	w.gets("/api/checkpoints", &all)
	if len(all.Checkpoints) != 4 || all.Checkpoints[3].Type != "*" || !all.Checkpoints[2].Set {
		t.Errorf("%+v", all)
	}
	var people struct{ People []app.Person }
	w.gets("/api/people", &people)
	if len(people.People) != 1 || people.People[0].Roles[0] != "engineer" {
		t.Errorf("%+v", people)
	}

	e := w.started(preparing + `,"wait":true}`)
	id := e.Approvals[0].ID
	var list struct{ Approvals []object }
	w.gets("/api/approvals?status=pending", &list)
	waits := object{"overdue": false, "escalated": false, "reviewer_strategy": "role_based", "may_decide": "a person with the role engineer"}
	for name, want := range waits {
		if got := list.Approvals[0][name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if due, err := time.Parse(time.RFC3339, list.Approvals[0]["due_at"].(string)); err != nil || due.Before(time.Now()) || list.Approvals[0]["form"] != nil {
		t.Errorf("%v", list.Approvals[0])
	}
	card := w.card(id)
	if card.Form == nil || card.Form.Name != "W-1" || len(card.Form.Boxes) < 25 || len(card.Arguments) == 0 || card.Arguments[0].Label != "Well" {
		t.Errorf("the card has %+v", card)
	}
	var none struct{}
	ann := object{"name": "Ann Bell", "passphrase": "a long secret"}
	w.answers("set_passphrase", ann, &none)
	w.answers("set_passphrase", object{"name": "Bo Fay", "passphrase": "a long secret", "by": ann}, &none)
	decision := object{"id": id, "digest": card.Digest, "nonce": card.Nonce, "reviewer": "Ann Bell", "passphrase": "a long secret", "to": "Bo Fay"}
	var passed app.Delegated
	w.answers("delegate", decision, &passed)
	if passed.Approval.Digest == card.Digest || passed.Approval.Nonce == "" || passed.Warning != "" {
		t.Errorf("%+v", passed)
	}
	if res := w.call("delegate", decision); res.status != http.StatusForbidden {
		t.Errorf("the same card again: %d %s", res.status, res.body)
	}
	if res := w.call("approve", object{"id": id, "digest": passed.Approval.Digest, "nonce": passed.Approval.Nonce, "reviewer": "Cy Dee"}); res.status != http.StatusForbidden || !strings.Contains(res.body, "Bo Fay") {
		t.Errorf("somebody else: %d %s", res.status, res.body)
	}
	card = w.card(id)
	w.answers("approve", object{"id": id, "digest": card.Digest, "nonce": card.Nonce, "reviewer": "Bo Fay", "passphrase": "a long secret"}, &struct{}{})
	w.streamed(e.ID)
	w.gets("/api/runs/"+e.ID, &e)
	if e.Status != app.ExecutionCompleted {
		t.Errorf("%+v", e)
	}
}

// A request crosses to another machine as a file and comes back signed; only the named one signs.
func TestFiling_F10_ScreensSendARequestToAColleague(t *testing.T) {
	w, there := wells(t), open(t)
	var none struct{}
	w.answers("set_checkpoint", object{"type": "pre_filing", "term": object{"reviewer": object{"name": "Ann Bell"}}}, &none)
	e := w.started(preparing + `,"wait":true}`)
	var request, signed json.RawMessage
	w.answers("export_request", object{"id": e.Approvals[0].ID}, &request)
	var ann, bo app.Person
	there.answers("set_passphrase", object{"name": "Ann Bell", "passphrase": "a long secret"}, &ann)
	there.answers("set_passphrase", object{"name": "Bo Fay", "passphrase": "another secret", "by": object{"name": "Ann Bell", "passphrase": "a long secret"}}, &bo)
	if res := there.call("sign_request", object{"file": request, "approve": true, "reviewer": "Bo Fay", "passphrase": "another secret"}); res.status != http.StatusForbidden || !strings.Contains(res.body, "Ann Bell") {
		t.Errorf("somebody else signed: %d %s", res.status, res.body)
	}
	there.answers("sign_request", object{"file": request, "approve": true, "reviewer": "Ann Bell", "passphrase": "a long secret"}, &signed)
	if res := w.call("import_verdict", object{"file": signed}); res.status != http.StatusForbidden {
		t.Errorf("an unknown key: %d %s", res.status, res.body)
	}
	w.answers("trust_key", object{"name": "Ann Bell", "key": ann.Key}, &none)
	w.answers("import_verdict", object{"file": signed}, &none)
	w.streamed(e.ID)
	w.gets("/api/runs/"+e.ID, &e)
	if e.Status != app.ExecutionCompleted {
		t.Errorf("%+v", e)
	}
}

func TestFiling_F70_ScreensSetBudgetsAndGiveMore(t *testing.T) {
	w := wells(t)
	var line app.BudgetView
	w.answers("set_budget", object{"agent": "filing", "type": "rule_37", "budget": object{"iterations": 1}}, &line)
	if !line.Set || line.Budget.Iterations != 1 || line.Budget.Tokens != 150_000 || line.Usual.Iterations != 20 {
		t.Errorf("%+v", line)
	}
	e := w.started(preparing + `,"wait":true}`)
	if e.Status != app.ExecutionFailed || e.Run != "limited" || e.Limit != "iterations" {
		t.Fatalf("%+v", e)
	}
	var turns []app.TurnView
	w.gets("/api/sessions/"+e.Conversation+"/turns", &turns)
	found := false
	for _, l := range turns[0].Budget {
		found = found || l.Limit == "iterations" && l.Used == 1 && l.Max == 1 && l.Reached
	}
	if !found {
		t.Errorf("%+v", turns[0].Budget)
	}
	if res := w.call("resume", object{"turn": e.ID}); res.status != http.StatusConflict {
		t.Errorf("without more: %d %s", res.status, res.body)
	}
	w.answers("more", object{"turn": e.ID, "limit": "iterations", "n": 9, "by": "Ann Bell"}, &struct{}{})
	w.streamed(e.ID)
	w.gets("/api/runs/"+e.ID, &e)
	if e.Status != app.ExecutionAwaiting || e.Rounds != 4 {
		t.Errorf("%+v", e)
	}
	w.answers("set_budget", object{"agent": "filing", "type": "rule_37", "budget": nil}, &line)
	if line.Set {
		t.Errorf("%+v", line)
	}
}
