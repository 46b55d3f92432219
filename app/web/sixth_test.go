package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agents/agenttest"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// TestAgents_OneMoreIsShownLikeTheOthers is what the screens see of an agent that only
// its own package and the registry know: manifest with roles, journal, card, records.
func TestAgents_OneMoreIsShownLikeTheOthers(t *testing.T) {
	w := open(t, agenttest.New)
	res := w.do(http.MethodPost, "/api/upload/records?name=wells.csv", "w-1,Erika 1,North\n", []string{"Content-Type", "text/csv", "X-Holdpoint", "1"})
	if res.status != http.StatusOK {
		t.Fatalf("%d %s", res.status, res.body)
	}
	if page := get[app.RecordPage](w, "/api/records/Well?search=erika"); len(page.Records) != 1 || page.Records[0].Title != "Erika 1" || page.Records[0].Subtitle != "North" {
		t.Errorf("%+v", page)
	}
	list := get[[]app.AgentInfo](w, "/api/agents")
	if i := slices.IndexFunc(list, func(a app.AgentInfo) bool { return a.ID == agenttest.Name }); i != len(list)-1 || !slices.Equal(list[i].Subjects, []string{agenttest.Well}) {
		t.Errorf("%+v", list)
	}
	events, stop := w.app.Listen("")
	defer stop()
	refused(w, http.StatusBadRequest, "send", map[string]any{"agent": agenttest.Name, "text": "hello", "subject": "Well/w-9"})
	s := done[app.Started](w, "send", map[string]any{"agent": agenttest.Name, "text": "Inspect the well: no leak", "subject": "Well/w-1"})
	w.wait(events, journal.TurnPaused)

	m := get[app.AgentManifest](w, "/api/turns/"+s.Turn+"/manifest")
	var roles []string
	for _, stage := range m.Stages {
		roles = append(roles, stage.Role)
	}
	if m.Agent != agenttest.Name || !slices.Equal(roles, []string{graph.RolePreflight, graph.RoleIntervention, graph.RoleHold}) || len(m.Tools) != 2 {
		t.Errorf("%+v", m)
	}
	type page struct {
		Events []journal.Event
		Last   uint64
	}
	stages := map[journal.StageID]bool{}
	for _, e := range get[page](w, "/api/sessions/"+s.Session+"/journal").Events {
		if e.Stage != "" && !strings.Contains(string(e.Stage), "/") {
			stages[e.Stage] = true
		}
	}
	for id := range stages {
		if !slices.ContainsFunc(m.Stages, func(x graph.ManifestStage) bool { return x.ID == id }) {
			t.Errorf("the journal tells of a stage %s that the graph does not have", id)
		}
	}
	if len(stages) != 2 {
		t.Errorf("stages of the journal: %v", stages)
	}
	type inbox struct{ Approvals []app.ApprovalView }
	waiting := get[inbox](w, "/api/approvals?status=pending").Approvals
	if len(waiting) != 1 || waiting[0].SubjectName != "Erika 1" || waiting[0].PatientName != "" {
		t.Fatalf("%+v", waiting)
	}
	card := get[app.ApprovalView](w, "/api/approvals/"+waiting[0].ID)
	done[app.ApprovalView](w, "approve", map[string]any{"id": card.ID, "digest": card.Digest, "nonce": card.Nonce, "reviewer": "Test Reviewer"})
	w.end(events, journal.TurnCompleted)
	if turns := get[[]app.TurnView](w, "/api/sessions/"+s.Session+"/turns"); turns[0].Status != run.Completed || turns[0].Subject != "Well/w-1" || !strings.Contains(turns[0].Output, "filed") {
		t.Errorf("%+v", turns)
	}
	if page := get[app.RecordPage](w, "/api/records/"+agenttest.Inspection); len(page.Records) != 1 || page.Records[0].Title != "no leak" {
		t.Errorf("%+v", page)
	}
	if v := get[app.SessionView](w, "/api/sessions/"+s.Session); v.Subject != "Well/w-1" || v.SubjectName != "Erika 1" || v.Patient != "" {
		t.Errorf("%+v", v)
	}
	done[struct{}](w, "set_subject", map[string]any{"id": s.Session, "subject": "Patient/pat-alder"})
	if v := get[app.SessionView](w, "/api/sessions/"+s.Session); v.Subject != "Patient/pat-alder" || v.Patient != "pat-alder" || v.PatientName == "" {
		t.Errorf("%+v", v)
	}
	refused(w, http.StatusBadRequest, "set_subject", map[string]any{"id": s.Session, "subject": "Patient/nobody"})
}
