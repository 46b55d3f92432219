package web_test

import (
	"net/http"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agents/agenttest"
	"holdpoint/engine/journal"
)

// "A session about my well was not found by the well's name, and the search said that nothing is called so."
func TestSearch_FindsSessionsAndRecordsByTheTitleOfARecordOfAnyType(t *testing.T) {
	w := open(t, agenttest.New)
	wells := "w-1,Forêt Ranch 1,North\nw-2,Forêt Ranch 2,North\nw-3,Erika 1,South\n"
	if res := w.do(http.MethodPost, "/api/upload/records?name=wells.csv", wells, []string{"Content-Type", "text/csv", "X-Holdpoint", "1"}); res.status != http.StatusOK {
		t.Fatalf("%d %s", res.status, res.body)
	}
	events, stop := w.app.Listen("")
	defer stop()
	s := done[app.Started](w, "send", map[string]any{"agent": agenttest.Name, "text": "Inspect it: no leak", "subject": "Well/w-1"})
	w.wait(events, journal.TurnPaused)

	type sessions struct{ Sessions []app.SessionView }
	for search, want := range map[string]int{"foret+ranch": 1, "RANCH+1": 1, "w-1": 1, "inspect": 1, "ranch+2": 0, "erika": 0} {
		for _, status := range []string{"", "&status=waiting"} {
			found := get[sessions](w, "/api/sessions?search="+search+status).Sessions
			if len(found) > want || status == "" && (len(found) != want || want > 0 && found[0].ID != s.Session) {
				t.Errorf("%s%s: %+v", search, status, found)
			}
		}
	}
	for search, want := range map[string]int{"foret+ranch": 2, "RANCH+1": 1, "W-3": 1, "nothing": 0} {
		if page := get[app.NamedPage](w, "/api/titles?search="+search); len(page.Records) != want || page.More || want > 0 && page.Records[0].Resource != nil && string(page.Records[0].Resource) != "null" {
			t.Errorf("%s: %+v", search, page)
		}
	}
	if page := get[app.NamedPage](w, "/api/titles?search=ranch&limit=1"); len(page.Records) != 1 || !page.More {
		t.Errorf("%+v", page)
	}
	if res := w.do(http.MethodGet, "/api/titles?search=", "", nil); res.status != http.StatusBadRequest {
		t.Errorf("%d %s", res.status, res.body)
	}
}
