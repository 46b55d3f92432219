package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a person does with the library at a command line, and what scripts read of it.
func TestCommand_LibraryImportsSearchesShowsAndRemoves(t *testing.T) {
	x := newTerminal(t)
	dir := filepath.Join(x.data, "papers")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"salt.txt": "Less salt lowers blood pressure in older adults.", "tea.md": "# Tea\n\nTea does nothing for blood pressure.", "empty.txt": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := lines(t, x.want(1, "library", "import", dir, "--json").out)
	needs(t, first[:1], "file", "error")
	needs(t, first[1:], "source", "read", "created", "unchanged", "failed", "passages", "by_words_only")
	if first[0]["file"] != "empty.txt" || first[1]["created"] != 2.0 || first[1]["failed"] != 1.0 {
		t.Errorf("imported %v", first)
	}
	if again := lines(t, x.want(1, "library", "import", dir, "--json").out); again[1]["unchanged"] != 2.0 || again[1]["created"] != 0.0 {
		t.Errorf("the same again: %v", again)
	}
	listed := lines(t, x.want(0, "library", "list", "--json").out)
	needs(t, listed, "id", "name", "source", "path", "title", "kind", "passages")
	if few := lines(t, x.want(0, "library", "list", "--limit", "1", "--json").out); len(few) != 1 {
		t.Errorf("--limit 1 listed %d", len(few))
	}
	found := lines(t, x.want(0, "library", "search", "pressures", "--type", "text", "--json").out)
	if len(listed) != 2 || len(found) != 2 || found[0]["name"] != "salt.txt" || found[1]["by"] != "words" {
		t.Fatalf("listed %v, found %v", listed, found)
	}
	if got := x.want(0, "library", "search", "tea"); !strings.Contains(got.err, "[Tea] does nothing") || !strings.Contains(got.err, "words only") {
		t.Errorf("a person reads %s", got.err)
	}
	// "It found nothing of 2020 and did not say that there is no 13th month."
	for flag, bad := range map[string]string{"--from": "2020-13-45", "--to": "next year", "--type": "papers", "--by": "luck"} {
		if got := x.want(2, "library", "search", "salt", flag, bad); !strings.Contains(got.err, bad) {
			t.Errorf("%s %s: %s", flag, bad, got.err)
		}
	}
	id := found[0]["id"].(string)
	if got := x.want(0, "library", "show", id); !strings.Contains(got.out, "Less salt lowers") {
		t.Errorf("shown: %s", got.out)
	}
	x.want(0, "library", "reindex")
	x.want(0, "library", "rm", id)
	if left := lines(t, x.want(0, "library", "search", "salt", "--json").out); len(left) != 1 {
		t.Errorf("removed and found: %v", left)
	}
	if got := x.want(1, "library", "show", id); !strings.Contains(got.err, "There is no document") {
		t.Errorf("a document that is gone: %s", got.err)
	}
	x.want(1, "library", "import", filepath.Join(x.data, "nowhere"))
	if got := x.want(0, "check"); !strings.Contains(got.err, "No problem found.") {
		t.Errorf("check: %s", got.err)
	}
}

// Nothing leaves with library fetch: it shows what would, and that the network is off.
func TestResearcher_H7_FetchShowsRequestsAndSendsNothing(t *testing.T) {
	x := newTerminal(t)
	if got := x.want(1, "library", "fetch", "metformin"); !strings.Contains(got.err, "The network is not allowed") || !strings.Contains(got.err, "settings set network true") {
		t.Errorf("off: %s", got.err)
	}
	x.want(0, "settings", "set", "network", "true")
	if got := x.want(0, "library", "fetch", "sleep & metformin", "--sources", "pubmed"); !strings.Contains(got.err, "GET https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi?db=pubmed") || !strings.Contains(got.err, "term=sleep+%26+metformin") || !strings.Contains(got.err, "Nothing was sent.") {
		t.Errorf("shown: %s", got.err)
	}
	list := lines(t, x.want(0, "library", "requests", "--json").out)
	needs(t, list, "id", "source", "url", "text", "asks", "status", "asked_at")
	if len(list) != 1 || list[0]["status"] != "waiting" {
		t.Fatalf("%v", list)
	}
	id := list[0]["id"].(string)
	x.want(0, "library", "refuse", id, "--reviewer", "Ada")
	if got := x.want(1, "library", "send", id); !strings.Contains(got.err, "is refused") {
		t.Errorf("sent although refused: %s", got.err)
	}
	// "I refused it, and what I had looked for stays there for ever."
	x.want(2, "library", "forget")
	x.want(0, "library", "forget", id)
	if got := x.want(0, "library", "requests"); strings.Contains(got.out, id) {
		t.Errorf("it is still there: %s", got.out)
	}
	x.want(0, "library", "forget", "--all")
	x.want(1, "library", "send", "nothing")
	x.want(2, "library", "fetch", "x", "--sources", "elsewhere")
}

// "Which of the two models should I trust with my papers?"
func TestResearcher_H8_AModelsJudgingIsMeasuredOnATable(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "settings", "set", "practice", "true")
	file := filepath.Join(x.data, "table.csv")
	if err := os.WriteFile(file, []byte("id,evidence,claim,label\n1,\"Less salt lowers blood pressure in older adults.\",Less salt lowers blood pressure,Supports\n"+
		"2,\"Less salt did not lower blood pressure in older adults.\",Less salt lowers blood pressure,Refutes\n3,Bridges rust in the rain.,Less salt lowers blood pressure,Neutral\n4,Bridges rust in the rain.,Salt lowers blood pressure,Supports\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := lines(t, x.want(0, "bench", "judge", file, "--limit", "0", "--json").out)
	needs(t, got, "model", "practice", "cases", "right", "accuracy", "accuracy_said", "accuracy_most_frequent", "recall")
	if got[0]["model"] != "practice" || got[0]["cases"] != 4.0 || got[0]["right"] != 3.0 || got[0]["accuracy"] != 0.75 || got[0]["accuracy_most_frequent"] != 0.5 {
		t.Errorf("%v", got)
	}
	if got := x.want(0, "bench", "judge", file); !strings.Contains(got.err, "a script, not a model") {
		t.Errorf("a person reads %s", got.err)
	}
	x.want(1, "bench", "judge", filepath.Join(x.data, "nowhere.csv"))
}
