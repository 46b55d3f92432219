package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
)

// wells is a site with made-up wells.
func wells(t *testing.T) *site {
	t.Helper()
	w := open(t)
	if _, err := w.app.ImportNow(t.Context(), "../../engine/agents/filing/testdata", func(int64, int64, string) {}); err != nil {
		t.Fatal(err)
	}
	return w
}

const preparing = `{"agent":"filing","vars":{"type":"rule_37"},"subject":"Well/42-329-97101","text":"Prepare the Rule 37 exception for this well"`

// started posts a run and reads what is answered.
func (w *site) started(body string) (e app.Execution) {
	w.t.Helper()
	res := w.do(http.MethodPost, "/api/runs", body, nil)
	if err := json.Unmarshal([]byte(res.body), &e); err != nil || res.status != http.StatusOK || e.ID == "" {
		w.t.Fatalf("%d %s", res.status, res.body)
	}
	return e
}

// told is one event of a stream.
type told struct {
	name, id string
	app.StageEnd
	done app.DoneData
}

// streamed reads a run's stream to its end.
func (w *site) streamed(id string, headers ...string) (out []told) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.origin+"/api/runs/"+id+"/stream", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set(keyHeader, w.key)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := w.client.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		w.t.Fatalf("%v %v", res, err)
	}
	defer res.Body.Close()
	var now told
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		line := lines.Text()
		switch name, value, _ := strings.Cut(line, ": "); name {
		case "event":
			now = told{name: value}
		case "id":
			now.id = value
		case "data":
			into := any(&now.StageEnd)
			if now.name == "done" {
				into = &struct{ Data *app.DoneData }{&now.done}
			}
			if err := json.Unmarshal([]byte(value), into); err != nil {
				w.t.Fatalf("%s: %v", line, err)
			}
			out = append(out, now)
		}
	}
	if err := lines.Err(); err != nil || len(out) == 0 {
		w.t.Fatalf("the stream of %s gave %d events: %v", id, len(out), err)
	}
	return out
}

// card is an approval as its card shows it.
func (w *site) card(id string) (v app.ApprovalView) {
	w.t.Helper()
	res := w.do(http.MethodGet, "/api/approvals/"+id, "", nil)
	if err := json.Unmarshal([]byte(res.body), &v); err != nil || v.Nonce == "" {
		w.t.Fatalf("%d %s", res.status, res.body)
	}
	return v
}

// A program posts a message and gets the turn as it is at its end: a filing that waits for
// its signature, and, once it was signed, the answer.
func TestFiling_F73_APostRunsTheTurnAndAnswersWithItsState(t *testing.T) {
	w := wells(t)
	e := w.started(preparing + `,"wait":true}`)
	if e.Agent != "filing" || e.Type != "rule_37" || e.Status != app.ExecutionAwaiting || e.Tokens == 0 || e.Rounds != 4 || e.Output != "" {
		t.Errorf("%+v", e)
	}
	if len(e.Approvals) != 1 || e.Approvals[0].Checkpoint != "pre_filing" || e.Approvals[0].MayDecide != "anybody" {
		t.Fatalf("it waits for %+v", e.Approvals)
	}
	card := w.card(e.Approvals[0].ID)
	if res := w.call("approve", map[string]any{"id": card.ID, "digest": card.Digest, "nonce": card.Nonce, "reviewer": "Test Reviewer"}); res.status != http.StatusOK {
		t.Fatalf("%d %s", res.status, res.body)
	}
	w.streamed(e.ID) // to its end
	var after app.Execution
	res := w.do(http.MethodGet, "/api/runs/"+e.ID, "", nil)
	if err := json.Unmarshal([]byte(res.body), &after); err != nil || after.Status != app.ExecutionCompleted || !strings.Contains(after.Output, "W-1") || after.Tokens <= e.Tokens || len(after.Approvals) != 0 {
		t.Errorf("%v %s", err, res.body)
	}
}

// Without wait the answer comes at once; the turn goes on, and reading starts nothing.
func TestFiling_F73_StartingIsAPostAndReadingStartsNothing(t *testing.T) {
	w := wells(t)
	e := w.started(preparing + `}`)
	if e.Status != app.ExecutionRunning && e.Status != app.ExecutionAwaiting {
		t.Errorf("%+v", e)
	}
	w.streamed(e.ID)
	count := func() int {
		list, err := w.app.Turns(e.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := count()
	for _, path := range []string{"/api/runs?text=again&agent=filing", "/api/runs/" + e.ID, "/api/runs/" + e.ID + "/stream"} {
		w.do(http.MethodGet, path, "", nil)
	}
	if now := count(); now != before || before != 1 {
		t.Errorf("%d turns, and %d after reading", before, now)
	}
	if res := w.do(http.MethodGet, "/api/runs", "", nil); res.status != http.StatusNotFound && res.status != http.StatusMethodNotAllowed {
		t.Errorf("reading /api/runs gives %d", res.status)
	}
}

// What cannot be started says why; nobody without the key starts or reads anything.
func TestFiling_F73_WhatIsWrongIsSaidAndTheKeyIsNeeded(t *testing.T) {
	w := wells(t)
	for body, want := range map[string]string{
		`{"agent":"filing","text":""}`:                            "empty",
		`{"agent":"filing","text":"x","metadata":{}}`:             "metadata",
		`{"agent":"nobody","text":"x"}`:                           "nobody",
		`{"agent":"filing","text":"x","vars":{"type":"rule_99"}}`: "rule_99",
		`{"agent":"filing","text":"x","subject":"Well/none"}`:     "Well",
		`not json`: "cannot be read",
	} {
		if res := w.do(http.MethodPost, "/api/runs", body, nil); res.status < 400 || res.status >= 500 || !strings.Contains(res.body, want) {
			t.Errorf("%s: %d %s", body, res.status, res.body)
		}
	}
	e := w.started(preparing + `,"wait":true}`)
	for _, path := range []string{"/api/runs/" + e.ID, "/api/runs/" + e.ID + "/stream"} {
		if res := w.do(http.MethodGet, path, "", []string{keyHeader, "guess"}); res.status != http.StatusUnauthorized {
			t.Errorf("%s without the key: %d", path, res.status)
		}
	}
	if res := w.do(http.MethodPost, "/api/runs", preparing+`}`, []string{keyHeader, "guess"}); res.status != http.StatusUnauthorized {
		t.Errorf("a POST without the key: %d", res.status)
	}
	if res := w.do(http.MethodGet, "/api/runs/none/stream", "", nil); res.status != http.StatusNotFound {
		t.Errorf("a turn that is not there: %d", res.status)
	}
}

// The stream tells of each stage as the journal has it, with the tokens so far, and of the
// end; what was told before is not told again, and after the verdict it goes on.
func TestFiling_F74_TheStreamIsTheJournal(t *testing.T) {
	w := wells(t)
	e := w.started(preparing + `}`)
	first := w.streamed(e.ID)
	nodes := func(list []told) (out []string) {
		for _, x := range list {
			if x.name == "node_end" {
				out = append(out, x.Node)
			}
		}
		return out
	}
	journalled := func() (out []string, tokens int) {
		events, _, err := w.app.Journal(e.Conversation, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range events {
			switch x.Kind {
			case journal.StageCompleted:
				out = append(out, string(x.Stage))
			case journal.ModelCalled:
				d, err := journal.Read[journal.ModelCalledData](x)
				if err != nil {
					t.Fatal(err)
				}
				tokens += d.PromptTokens + d.OutputTokens
			}
		}
		return out, tokens
	}
	want, tokens := journalled()
	if !slices.Equal(nodes(first), want) || len(want) < 10 {
		t.Errorf("told %v of %v", nodes(first), want)
	}
	last := first[len(first)-1]
	if last.name != "done" || last.done.ID != e.ID || last.done.Status != app.ExecutionAwaiting || last.done.Tokens != tokens || tokens == 0 {
		t.Errorf("the end is %+v; %d tokens", last, tokens)
	}
	had := 0
	for i, x := range first[:len(first)-1] {
		status := app.ExecutionRunning
		if i == len(first)-2 {
			status = app.ExecutionAwaiting // what comes next is the hold point
		}
		if x.Event != "node_end" || x.id == "" || x.Data.Tokens < had || x.Data.Status != status {
			t.Errorf("%+v", x)
		}
		had = x.Data.Tokens
	}
	if had != tokens {
		t.Errorf("the last stage has %d tokens of %d", had, tokens)
	}

	// Read again it is the same; behind an event only what came later.
	if again := w.streamed(e.ID); !slices.Equal(nodes(again), nodes(first)) {
		t.Errorf("again %v", nodes(again))
	}
	if rest := w.streamed(e.ID, "Last-Event-ID", first[3].id); !slices.Equal(nodes(rest), nodes(first)[4:]) {
		t.Errorf("behind the fourth %v", nodes(rest))
	}

	// "I passed the wrong variable, and got everything a second time."
	for _, address := range []string{"/api/runs/" + e.ID + "/stream?after=bogus", "/api/sessions/" + e.Conversation + "/stream?after=-1"} {
		if res := w.do(http.MethodGet, address, "", nil); res.status != http.StatusBadRequest || !strings.Contains(res.body, "number of an event") {
			t.Errorf("%s: %d %s", address, res.status, res.body)
		}
	}

	var paused app.Execution
	if res := w.do(http.MethodGet, "/api/runs/"+e.ID, "", nil); json.Unmarshal([]byte(res.body), &paused) != nil || len(paused.Approvals) != 1 {
		t.Fatal(res.body)
	}
	card := w.card(paused.Approvals[0].ID)
	if res := w.call("reject", map[string]any{"id": card.ID, "digest": card.Digest, "nonce": card.Nonce, "reviewer": "Test Reviewer", "comment": "the plat is old"}); res.status != http.StatusOK {
		t.Fatalf("%d %s", res.status, res.body)
	}
	rest := w.streamed(e.ID, "Last-Event-ID", last.id)
	if got := nodes(rest); !slices.Equal(got, []string{"approval_node", "output_format"}) {
		t.Errorf("after the verdict %v", got)
	}
	end := rest[len(rest)-1]
	if end.name != "done" || end.done.Status != app.ExecutionCompleted {
		t.Errorf("%+v", end)
	}
	said := ""
	for _, x := range rest {
		if x.Data.Message != nil {
			said += x.Data.Message.Role + ": " + x.Data.Message.Content
		}
	}
	if !strings.HasPrefix(said, "assistant: ") || !strings.Contains(said, "the plat is old") {
		t.Errorf("said %q", said)
	}
}

// "My program showed a teenager ‘Question 3 of 6’. The transcript had a check-in with the line to call above it."
func TestCompanion_TheRunOfAProgramHasTheCheckInBeforeTheReply(t *testing.T) {
	w := open(t)
	const from = `{"agent":"companion","vars":{"audience":"teen","language":"en","region":"CA"},"practice":true,"wait":true,"text":`
	e := w.started(from + `"I feel so hopeless and alone"}`)
	if e.Safety == nil || e.Safety.Level != "check_in" || e.Safety.Category == "" {
		t.Fatalf("%+v", e.Safety)
	}
	help, reply := strings.Index(e.Output, "988"), strings.Index(e.Output, "Question ")
	if help < 0 || reply < help {
		t.Errorf("%q", e.Output)
	}
	if again := e.Output; w.execution(e.ID).Output != again {
		t.Errorf("read later it is %q", w.execution(e.ID).Output)
	}
	if e = w.started(from + `"I want to kill myself tonight with the pills I kept"}`); e.Safety == nil || e.Safety.Level != "intervention" || strings.Count(e.Output, "988") == 0 {
		t.Errorf("%+v %q", e.Safety, e.Output)
	}
	if e = w.started(from + `"There are quarrels at home."}`); e.Safety == nil || e.Safety.Level != "none" || strings.Contains(e.Output, "988") {
		t.Errorf("%+v %q", e.Safety, e.Output)
	}
}

// execution reads a run.
func (w *site) execution(id string) (e app.Execution) {
	w.t.Helper()
	if res := w.do(http.MethodGet, "/api/runs/"+id, "", nil); json.Unmarshal([]byte(res.body), &e) != nil || res.status != http.StatusOK {
		w.t.Fatalf("%d %s", res.status, res.body)
	}
	return e
}
