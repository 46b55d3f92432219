package web_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"holdpoint/app"
)

// A table that the browser uploads becomes records, and each shows what refers to it.
func TestRecords_ShowWhatRefersToThem(t *testing.T) {
	w := open(t)
	body, err := os.ReadFile("../../engine/agents/filing/testdata/permits.csv")
	if err != nil {
		t.Fatal(err)
	}
	res := w.do(http.MethodPost, "/api/upload/records?name=permits.csv", string(body), []string{"Content-Type", "text/csv", "X-Holdpoint", "1"})
	if res.status != http.StatusOK {
		t.Fatalf("%d %s", res.status, res.body)
	}
	page := get[app.RecordPage](w, "/api/records/Lease?search=test+ranch")
	if len(page.Records) != 1 || !strings.Contains(page.Records[0].Subtitle, "MADE UP OIL, INC.") {
		t.Fatalf("%+v", page)
	}
	linked := get[[]app.LinkedList](w, "/api/records/Lease/"+page.Records[0].ID+"/linked")
	if len(linked) != 1 || linked[0].Type != "Well" || linked[0].Count != 2 || linked[0].Records[0].Title != "TEST RANCH 1" || string(linked[0].Records[0].Resource) != "null" {
		t.Errorf("%+v", linked)
	}
	if res := w.do(http.MethodGet, "/api/records/Lease/nothing/linked", "", nil); res.status != http.StatusNotFound {
		t.Errorf("%d %s", res.status, res.body)
	}
}
