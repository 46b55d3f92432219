package web_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agents"
	"holdpoint/engine/definition"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
)

const asker = `name: asker
nodes:
  - name: ask
    kind: human
    question: "Which colour?"
    answers: [red, blue]
    output: colour
    default_next: tell
  - name: tell
    kind: transform
    template: "You like {{.colour}}."
limits: {max_iterations: 2}
`

// get decodes a read.
func get[T any](w *site, path string) T {
	w.t.Helper()
	var v T
	res := w.do(http.MethodGet, path, "", nil)
	if err := json.Unmarshal([]byte(res.body), &v); err != nil || res.status != http.StatusOK {
		w.t.Fatalf("GET %s: %d %v %s", path, res.status, err, res.body)
	}
	return v
}

// done decodes the answer of a call.
func done[T any](w *site, name string, in any) T {
	w.t.Helper()
	var v T
	res := w.call(name, in)
	if err := json.Unmarshal([]byte(res.body), &v); err != nil || res.status != http.StatusOK {
		w.t.Fatalf("%s: %d %v %s", name, res.status, err, res.body)
	}
	return v
}

// refused is the fault of a call.
func refused(w *site, status int, name string, in any) app.Fault {
	w.t.Helper()
	var v struct{ Error app.Fault }
	res := w.call(name, in)
	if err := json.Unmarshal([]byte(res.body), &v); err != nil || res.status != status || v.Error.Code == "" {
		w.t.Errorf("%s %v: %d %v %s, want %d", name, in, res.status, err, res.body, status)
	}
	return v.Error
}

type ids []struct{ ID string }

func (l ids) names() (out []string) {
	for _, x := range l {
		out = append(out, x.ID)
	}
	return out
}

func TestAgents_AreListedDescribedCheckedAddedAndRemoved(t *testing.T) {
	w := open(t)
	list := get[[]app.AgentInfo](w, "/api/agents")
	if len(list) != len(agents.BuiltIn()) || list[0].ID != "navigator" || list[1].ID != "reasoner" || list[2].ID != "filing" || len(list[1].Patterns) < 8 || list[1].Patterns[0].ID != "react" {
		t.Errorf("%+v", list)
	}
	for _, p := range list[1].Patterns {
		if p.Title == "" || p.Description == "" || p.Example == "" {
			t.Errorf("pattern %+v", p)
		}
		m := get[app.AgentManifest](w, "/api/agents/reasoner?pattern="+p.ID)
		if m.Pattern != p.ID || m.Agent != "reasoner" || m.Kind != "builtin" || len(m.Stages) < 3 || m.Stages[0].ID != "preflight" || len(m.Patterns) < 8 {
			t.Errorf("manifest of %s: %s %s, %d stages", p.ID, m.Agent, m.Pattern, len(m.Stages))
		}
	}
	if res := w.do(http.MethodGet, "/api/agents/reasoner?pattern=nothing", "", nil); res.status != http.StatusBadRequest {
		t.Errorf("an unknown pattern: %d %s", res.status, res.body)
	}
	if res := w.do(http.MethodGet, "/api/agents/nobody", "", nil); res.status != http.StatusNotFound {
		t.Errorf("an unknown agent: %d %s", res.status, res.body)
	}
	if v := get[definition.Vocabulary](w, "/api/agents/words"); !slices.ContainsFunc(v.Tools, func(d tool.Description) bool { return d.Name == "calculator" && len(d.Parameters) > 0 }) || len(v.Skills) == 0 || len(v.Patterns) < 8 {
		t.Errorf("words %+v", v)
	}
	if s := get[map[string]any](w, "/api/agents/schema"); s["type"] != "object" || s["properties"] == nil {
		t.Errorf("schema %v", s)
	}
	help := get[ids](w, "/api/help").names()
	for _, id := range []string{"graphs", "nodes", "flags", "patterns", "limits"} {
		if !slices.Contains(help, id) {
			t.Errorf("the help lacks %s: %v", id, help)
		}
	}

	type checked struct {
		OK     bool
		Errors []app.Problem
	}
	if c := done[checked](w, "check_agent", map[string]string{"yaml": asker}); !c.OK || len(c.Errors) != 0 {
		t.Errorf("%+v", c)
	}
	bad := strings.Replace(asker, "kind: human", "kind: humam", 1)
	if c := done[checked](w, "check_agent", map[string]string{"yaml": bad}); c.OK || len(c.Errors) == 0 || c.Errors[0].Line != 4 || c.Errors[0].Column != 11 {
		t.Errorf("%+v", c)
	}
	if f := refused(w, http.StatusBadRequest, "add_agent", map[string]string{"yaml": bad}); f.Code != "definition" || len(f.Problems) == 0 || f.Problems[0].Line != 4 {
		t.Errorf("%+v", f)
	}
	if x := done[struct{ ID string }](w, "add_agent", map[string]string{"yaml": asker}); x.ID != "asker" {
		t.Errorf("%+v", x)
	}
	if list := get[[]app.AgentInfo](w, "/api/agents"); len(list) != len(agents.BuiltIn())+1 || list[len(list)-1].ID != "asker" || list[len(list)-1].Kind != "file" {
		t.Errorf("%+v", list)
	}
	if m := get[app.AgentManifest](w, "/api/agents/asker"); m.Kind != "file" || len(m.Stages) != 4 {
		t.Errorf("%+v", m)
	}
	refused(w, http.StatusBadRequest, "remove_agent", map[string]string{"id": "reasoner"})
	refused(w, http.StatusNotFound, "remove_agent", map[string]string{"id": "../asker"})
	done[struct{}](w, "remove_agent", map[string]string{"id": "asker"})
	refused(w, http.StatusNotFound, "remove_agent", map[string]string{"id": "asker"})
	refused(w, http.StatusBadRequest, "send", map[string]string{"agent": "asker", "text": "hello"})
}

// changesWhileATurnWaits opens the file of asker and changes it: "I corrected a word in my
// graph, and what I had asked before was lost", or "what my colleague wrote was gone".
func changesWhileATurnWaits(t *testing.T, w *site) {
	t.Helper()
	file := get[app.AgentFile](w, "/api/agents/asker/file")
	if file.YAML != asker || file.Unfinished != 1 {
		t.Errorf("opened as %+v", file)
	}
	changed := strings.Replace(asker, "You like", "You now like", 1)
	with := func(yaml, digest string) map[string]string {
		return map[string]string{"id": "asker", "digest": digest, "yaml": yaml}
	}
	if f := refused(w, http.StatusBadRequest, "change_agent", with(strings.Replace(changed, "kind: human", "kind: humam", 1), file.Digest)); len(f.Problems) != 1 || f.Problems[0].Line != 4 {
		t.Errorf("%+v", f)
	}
	if f := refused(w, http.StatusBadRequest, "change_agent", with(strings.Replace(changed, "name: asker", "name: other", 1), file.Digest)); len(f.Problems) != 1 || f.Problems[0].Path != "name" {
		t.Errorf("a change of the name: %+v", f)
	}
	done[struct{}](w, "change_agent", with(changed, file.Digest))
	if f := refused(w, http.StatusConflict, "change_agent", with(asker, file.Digest)); f.Code != "changed" {
		t.Errorf("a change of what was changed since: %+v", f)
	}
	if now := get[app.AgentFile](w, "/api/agents/asker/file"); now.YAML != changed {
		t.Errorf("kept is %q", now.YAML)
	}
	for id, status := range map[string]int{"reasoner": http.StatusBadRequest, "nobody": http.StatusNotFound, "..%2fasker": http.StatusNotFound} {
		if res := w.do(http.MethodGet, "/api/agents/"+id+"/file", "", nil); res.status != status {
			t.Errorf("the file of %s: %d %s", id, res.status, res.body)
		}
	}
}

func TestTurns_AnswerAQuestionAndGoOnWithMore(t *testing.T) {
	w := open(t)
	done[struct{ ID string }](w, "add_agent", map[string]string{"yaml": asker})
	events, stop := w.app.Listen("")
	defer stop()
	s := done[app.Started](w, "send", map[string]any{"agent": "asker", "text": "hello"})
	w.wait(events, journal.TurnPaused)

	type inbox struct{ Questions []app.Question }
	q := get[inbox](w, "/api/approvals").Questions
	if len(q) != 1 || q[0].Turn != s.Turn || q[0].Session != s.Session || q[0].Prompt != "Which colour?" || q[0].SessionTitle != "hello" || len(q[0].Choices) != 2 {
		t.Fatalf("%+v", q)
	}
	turns := get[[]app.TurnView](w, "/api/sessions/"+s.Session+"/turns")
	if len(turns) != 1 || turns[0].Agent != "asker" || len(turns[0].Questions) != 1 || turns[0].Questions[0].ID != q[0].Pause || turns[0].Questions[0].Kind != "question" {
		t.Errorf("%+v", turns)
	}
	refused(w, http.StatusNotFound, "answer", map[string]any{"turn": s.Turn, "pause": "other", "answer": "red"})
	refused(w, http.StatusBadRequest, "answer", map[string]any{"turn": s.Turn, "pause": q[0].Pause, "answer": "green"})
	refused(w, http.StatusBadRequest, "answer", map[string]any{"turn": s.Turn, "pause": q[0].Pause, "answer": ""})
	refused(w, http.StatusNotFound, "answer", map[string]any{"turn": "nothing", "pause": q[0].Pause, "answer": "red"})
	refused(w, http.StatusBadRequest, "more", map[string]any{"turn": s.Turn, "n": 5})
	f := refused(w, http.StatusConflict, "remove_agent", map[string]string{"id": "asker"})
	if f.Code != "in_use" {
		t.Errorf("%+v", f)
	}
	changesWhileATurnWaits(t, w)
	done[struct{}](w, "answer", map[string]any{"turn": s.Turn, "pause": q[0].Pause, "answer": "red"})
	w.wait(events, journal.TurnLimited)
	if turns = get[[]app.TurnView](w, "/api/sessions/"+s.Session+"/turns"); turns[0].Limit != "steps" || turns[0].MaxSteps != 2 || turns[0].More != "2" || turns[0].Limits.Visits != 25 {
		t.Errorf("%+v", turns[0])
	}
	if list := get[inbox](w, "/api/approvals").Questions; len(list) != 0 {
		t.Errorf("%+v", list)
	}
	refused(w, http.StatusBadRequest, "more", map[string]any{"turn": s.Turn, "limit": "tokens", "n": 5})
	refused(w, http.StatusBadRequest, "more", map[string]any{"turn": s.Turn, "limit": "steps", "n": 0})
	done[struct{}](w, "more", map[string]any{"turn": s.Turn, "limit": "steps", "n": 5})
	w.end(events, journal.TurnCompleted)
	turns = get[[]app.TurnView](w, "/api/sessions/"+s.Session+"/turns")
	if turns[0].Output != "You like red." || turns[0].Status != run.Completed || turns[0].Limit != "" {
		t.Errorf("%+v", turns[0])
	}
	done[struct{}](w, "remove_agent", map[string]string{"id": "asker"})
	m := get[app.AgentManifest](w, "/api/turns/"+s.Turn+"/manifest")
	if m.Agent != "asker" || len(m.Stages) != 4 {
		t.Errorf("the graph of a turn whose agent was removed: %+v", m)
	}
	if res := w.do(http.MethodGet, "/api/turns/nothing/manifest", "", nil); res.status != http.StatusNotFound {
		t.Errorf("the graph of no turn: %d", res.status)
	}
}

// end waits for one kind of event, whatever comes before it.
func (w *site) end(events <-chan journal.Event, kind journal.Kind) {
	w.t.Helper()
	for e := range events {
		if e.Kind == kind {
			return
		}
	}
	w.t.Fatalf("the events ended before %s", kind)
}
