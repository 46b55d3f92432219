package web_test

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/engine/record"
)

// ranch imports made-up wells, and lines of their lease that somebody confirmed.
func ranch(t *testing.T, w *site) {
	t.Helper()
	if _, err := w.app.ImportNow(t.Context(), "../../engine/agents/filing/testdata/permits.csv", func(int64, int64, string) {}); err != nil {
		t.Fatal(err)
	}
	err := w.app.Store.UpdateRecords(func(tx record.Tx) error {
		r, err := tx.Record(record.Ref{Type: "Lease", ID: "08-test-ranch-made-up-oil-inc"})
		if err != nil {
			return err
		}
		var l map[string]any
		if err := json.Unmarshal(r.Resource, &l); err != nil {
			return err
		}
		l["boundary"] = map[string]any{"datum": "NAD27", "confirmed": true, "source": "a plat", "geometry": map[string]any{"type": "Polygon",
			"coordinates": [][][2]float64{{{-102.1082, 31.8430}, {-102.0982, 31.8430}, {-102.0982, 31.8570}, {-102.1082, 31.8570}, {-102.1082, 31.8430}}}}}
		raw, err := json.Marshal(l)
		if err != nil {
			return err
		}
		if r, err = record.New(raw, r.UpdatedAt); err != nil {
			return err
		}
		return tx.PutRecord(r)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// prepared runs a filing to its hold point.
func (w *site) prepared() (app.Started, app.ApprovalView) {
	w.t.Helper()
	events, stop := w.app.Listen("")
	defer stop()
	s := done[app.Started](w, "send", map[string]any{"agent": "filing", "text": "Prepare the Rule 37 exception for this well", "subject": "Well/42-329-97102", "vars": map[string]string{"type": "rule_37"}})
	w.wait(events, journal.TurnPaused)
	type inbox struct{ Approvals []app.ApprovalView }
	waiting := get[inbox](w, "/api/approvals?status=pending").Approvals
	if len(waiting) != 1 {
		w.t.Fatalf("%+v", waiting)
	}
	return s, get[app.ApprovalView](w, "/api/approvals/"+waiting[0].ID)
}

// "The numbers on the map are those of the tool."
func TestFiling_F38_TheMapHasTheNumbersOfTheTool(t *testing.T) {
	w := open(t)
	ranch(t, w)
	s, card := w.prepared()
	var told struct {
		Ft         float64 `json:"nearest_lease_line_ft_us"`
		Message    string
		Neighbours []struct {
			API string
			Ft  float64 `json:"distance_ft_us"`
		}
	}
	type page struct{ Events []journal.Event }
	for _, e := range get[page](w, "/api/sessions/"+s.Session+"/journal").Events {
		if e.Kind != journal.ToolCompleted || e.Tool != "spacing_assessment" {
			continue
		}
		d, err := journal.Read[journal.ToolCompletedData](e)
		if err != nil || json.Unmarshal(d.Result, &told) != nil {
			t.Fatalf("%s %v", e.Data, err)
		}
	}
	for _, path := range []string{"/api/turns/" + s.Turn + "/map", "/api/approvals/" + card.ID + "/map", "/api/records/Well/42-329-97102/map"} {
		m := get[agent.Map](w, path)
		if m.Title != "TEST RANCH 2" || m.Datum != "NAD27" || !strings.Contains(m.Verdict, "An exception is required") || m.Rule != "16 TAC 3.37(a)(1), statewide" {
			t.Errorf("%s: %+v", path, m)
		}
		if len(m.Areas) != 1 || !m.Areas[0].Confirmed || len(m.Areas[0].Rings[0]) != 5 || len(m.Features) != 3 || !m.Features[0].Subject {
			t.Fatalf("%s: %+v", path, m)
		}
		line := m.Distances[slices.IndexFunc(m.Distances, func(d agent.Distance) bool { return d.Ref == "" })]
		if line.Ft != told.Ft || line.State != "short" || line.LimitFt != 467 {
			t.Errorf("%s: %+v, and the tool said %v ft", path, line, told.Ft)
		}
		well := m.Distances[slices.IndexFunc(m.Distances, func(d agent.Distance) bool { return d.Ref == "Well/42-329-97101" })]
		if well.Ft != told.Neighbours[0].Ft || well.State != "kept" {
			t.Errorf("%s: %+v, and the tool said %+v", path, well, told.Neighbours)
		}
		// What is drawn is as long as what is written beside it.
		for _, d := range m.Distances {
			if long := math.Hypot(d.To[0]-d.From[0], d.To[1]-d.From[1]); math.Abs(long-d.Ft) > 0.3 {
				t.Errorf("%s: %s is drawn %.1f ft long and is %.1f ft", path, d.What, long, d.Ft)
			}
		}
		if !slices.ContainsFunc(m.AsFiled, func(f agent.Filed) bool { return f.Ft == 900 && f.Source != "" }) {
			t.Errorf("%s: %+v", path, m.AsFiled)
		}
	}
	lease := get[agent.Map](w, "/api/records/Lease/08-test-ranch-made-up-oil-inc/map")
	if len(lease.Features) != 2 || len(lease.Areas) != 1 || len(lease.Distances) != 0 {
		t.Errorf("%+v", lease)
	}
	for _, path := range []string{"/api/records/Operator/made-up-oil-inc/map", "/api/records/Well/nothing/map", "/api/turns/nothing/map", "/api/approvals/nothing/map"} {
		if res := w.do(http.MethodGet, path, "", nil); res.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, res.status, res.body)
		}
	}
}

// "The card shows the form, and what I changed in it; the record shows who signed it."
func TestFiling_F46_TheCardHasTheWholeFormAndWhatAReviewerChanged(t *testing.T) {
	w := open(t)
	ranch(t, w)
	_, card := w.prepared()
	if card.Form == nil || card.Form.Name != "W-1" || len(card.Form.Boxes) < 25 || len(card.Form.Missing) == 0 || card.FormBefore != nil {
		t.Fatalf("%+v", card.Form)
	}
	box := func(f *agent.Form, id string) agent.Box {
		return f.Boxes[slices.IndexFunc(f.Boxes, func(b agent.Box) bool { return b.ID == id })]
	}
	if b := box(card.Form, "40"); b.Status != "missing" || b.Label != "remarks" {
		t.Errorf("%+v", b)
	}
	done[app.ApprovalView](w, "modify", map[string]any{"id": card.ID, "digest": card.Digest, "nonce": card.Nonce, "reviewer": "Test Reviewer",
		"args": map[string]any{"well": "Well/42-329-97102", "values": []any{map[string]any{"box": "40", "value": "surface pad shared", "source": "letter of 2 May"}}}})
	card = get[app.ApprovalView](w, "/api/approvals/"+card.ID)
	if card.Form == nil || card.FormBefore == nil {
		t.Fatalf("%+v", card)
	}
	if now, was := box(card.Form, "40"), box(card.FormBefore, "40"); now.Value != "surface pad shared" || now.Source != "given: letter of 2 May" || was.Status != "missing" {
		t.Errorf("%+v, before %+v", now, was)
	}
	events, stop := w.app.Listen("")
	defer stop()
	done[app.ApprovalView](w, "approve", map[string]any{"id": card.ID, "digest": card.Digest, "nonce": card.Nonce, "reviewer": "Test Reviewer"})
	w.end(events, journal.TurnCompleted)
	id := card.Changes[0].Ref.ID
	kept := get[app.SignedForm](w, "/api/records/Filing/"+id+"/form")
	if kept.Reviewer != "Test Reviewer" || !kept.Modified || box(&kept.Form, "40").Value != "surface pad shared" {
		t.Errorf("%+v", kept)
	}
	if res := w.do(http.MethodGet, "/api/records/Well/42-329-97102/form", "", nil); res.status != http.StatusNotFound {
		t.Errorf("%d %s", res.status, res.body)
	}
}

// "I set my passphrase on the screen, and nobody else can sign as me."
func TestFiling_F10_PeopleSignWithAPassphraseThatWasSetOnTheScreen(t *testing.T) {
	w := open(t)
	ranch(t, w)
	type people struct{ People []app.Person }
	if list := get[people](w, "/api/people").People; list == nil || len(list) != 0 {
		t.Errorf("%+v", list)
	}
	refused(w, http.StatusBadRequest, "set_roles", map[string]any{"name": " ", "roles": "engineer"})
	refused(w, http.StatusBadRequest, "set_passphrase", map[string]any{"name": "Test Reviewer", "passphrase": "short"})
	done[struct{}](w, "set_roles", map[string]any{"name": "Test Reviewer", "roles": "engineer, land"})
	done[app.Person](w, "set_passphrase", map[string]any{"name": "Test Reviewer", "passphrase": "blue pump over gravel"})
	list := get[people](w, "/api/people").People
	if len(list) != 1 || !list[0].Signs || !slices.Equal(list[0].Roles, []string{"engineer", "land"}) || !strings.HasPrefix(list[0].Key, "ed25519:") {
		t.Fatalf("%+v", list)
	}
	// Another one needs the one until now. Somebody else's key counts for nobody who signs here.
	refused(w, http.StatusForbidden, "set_passphrase", map[string]any{"name": "test  reviewer", "passphrase": "another long one"})
	refused(w, http.StatusForbidden, "set_passphrase", map[string]any{"name": "Test Reviewer", "old": "a wrong guess", "passphrase": ""})
	refused(w, http.StatusBadRequest, "trust_key", map[string]any{"name": "Test Reviewer", "key": list[0].Key, "by": map[string]any{"name": "Test Reviewer", "passphrase": "blue pump over gravel"}})
	refused(w, http.StatusBadRequest, "trust_key", map[string]any{"name": "A Colleague", "key": "not a key"})
	refused(w, http.StatusForbidden, "trust_key", map[string]any{"name": "A Colleague", "key": list[0].Key})
	done[struct{}](w, "trust_key", map[string]any{"name": "A Colleague", "key": list[0].Key, "by": map[string]any{"name": "Test Reviewer", "passphrase": "blue pump over gravel"}})

	_, card := w.prepared()
	verdict := map[string]any{"id": card.ID, "digest": card.Digest, "nonce": card.Nonce, "reviewer": "Test Reviewer"}
	refused(w, http.StatusForbidden, "approve", verdict)
	verdict["nonce"], verdict["passphrase"] = get[app.ApprovalView](w, "/api/approvals/"+card.ID).Nonce, "blue pump over gravel"
	done[app.ApprovalView](w, "approve", verdict)
	done[app.Person](w, "set_passphrase", map[string]any{"name": "Test Reviewer", "old": "blue pump over gravel", "passphrase": ""})
	if list := get[people](w, "/api/people").People; len(list) != 2 || list[1].Signs {
		t.Errorf("%+v", list)
	}
}
