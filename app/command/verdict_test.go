package command_test

import (
	"encoding/base64"
	"strings"
	"testing"
)

// "I refuted it, a colleague worded it anew, and nothing says any more that I had."
func TestBoard_AnEditKeepsTheVerdictBeforeItOnRecord(t *testing.T) {
	x := withPapers(t)
	turn := lines(t, x.want(0, studying...).out)[0]["turn"].(string)
	words := shownBoard(x, turn).Hypotheses[0].Statement
	x.want(0, "board", "refute", turn, "h1", "--reason", "the wrong people", "--reviewer", "Ann")
	if shown := x.want(0, "board", "show", turn).err; strings.Contains(shown, "What counts") {
		t.Errorf("one verdict alone: %s", shown)
	}
	x.want(0, "board", "edit", turn, "h1", "Exercise helps athletes sleep", "--reason", "narrower", "--reviewer", "Bob")
	wants := func(what, got string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(got, part) {
				t.Errorf("%s says nothing of %q:\n%s", what, part, got)
			}
		}
	}
	wants("the command line", x.want(0, "board", "show", turn).err, "refuted by Ann: the wrong people", "the words were: "+words, "edit by Bob: narrower", "What counts is the evidence")
	for _, format := range []string{"md", "html"} {
		report := strings.NewReplacer("<strong>", "", "</strong>", "", "**", "").Replace(x.want(0, "board", "report", turn, "--format", format).out)
		wants(format, report, "Earlier: Refuted by Ann on ", "the wrong people The words were: “"+words, "Reworded by Bob on ", "What counts is the evidence")
	}
	wants("the report in French", x.want(0, "board", "report", turn, "--language", "fr").out, "Réfuté par Ann", "Reformulé par Bob", "Ce qui compte, ce sont les preuves")
	v := shownBoard(x, turn)
	if len(v.Decisions) != 2 || v.Decisions[0].Statement != words || v.Decisions[1].Statement != "Exercise helps athletes sleep" {
		t.Errorf("the history is %+v", v.Decisions)
	}
	x.want(0, "board", "confirm", turn, "h1", "--reason", "I read all of it", "--reviewer", "Cy")
	wants("after one more", x.want(0, "board", "show", turn).err, "refuted by Ann: the wrong people", "reworded by Bob: narrower", "What counts is the verdict of Cy.")
}

// "I was to approve a note, and the terminal showed me ZG9ydCBt…"
func TestCommand_ANoteIsReadBeforeItIsApproved(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "records", "import", "sample")
	x.want(3, "run", "--practice", "--session", "s1", "--subject", "Patient/pat-alder", "Add a note: sleeps better, café at noon only")
	id := strings.Fields(x.want(0, "approvals", "list").err)[0]
	shown := x.want(0, "approvals", "show", id)
	if all := shown.out + shown.err; !strings.Contains(all, "Data: sleeps better, café at noon only") || strings.Contains(all, base64.StdEncoding.EncodeToString([]byte("sleeps better"))[:12]) {
		t.Errorf("it shows\n%s", all)
	}
}
