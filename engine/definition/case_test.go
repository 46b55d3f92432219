package definition_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/tool/calculator"
	"holdpoint/store/storetest"
)

var update = flag.Bool("update", false, "write the journals of testdata/runs anew")

// story is one file of testdata/runs: a graph, what models and people say, and the
// journal that comes of it.
type story struct {
	// About is what a person would say if it broke.
	About string
	Graph yaml.Node
	Input string
	// Vars are what the run is started with.
	Vars map[string]string
	// Models says what the models answer, by the step that asks: the node's name, or the
	// title of the form that is asked for. The last answer repeats. One that begins with !
	// is a failure, one that begins with ~ breaks off, one that begins with @ is a call: "@tool {…}".
	Models map[string][]string
	// Person answers what is asked, in order: approve, reject, or JSON.
	Person  []string
	Status  run.Status
	Reply   string
	Tokens  int
	Context map[string]string
	Journal []string
	// Sorted says that stages finish as they come: the lines are compared in the order of the alphabet.
	Sorted bool
}

func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/runs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no stories")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) { tell(t, file) })
	}
}

func tell(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s story
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&s); err != nil {
		t.Fatal(err)
	}
	graph, err := yaml.Marshal(&s.Graph)
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	d.main.say, d.main.fail = s.answers()
	d.light.say, d.light.fail = d.main.say, d.main.fail
	set, err := tool.NewSet(calculator.New(), echo(), failing("broken", errors.New("the line is dead")), failing("strict", &tool.Refusal{Reason: "not today"}), post())
	if err != nil {
		t.Fatal(err)
	}
	d.live.Tools = set
	a := d.def(string(graph))
	out := d.runWith(a, s.Input, s.Vars)
	for _, said := range s.Person {
		if out.Run.Status != run.Paused {
			t.Fatalf("nothing is asked that %q could answer; the run is %s (%v)", said, out.Run.Status, out.Err)
		}
		answers := map[string]json.RawMessage{}
		for _, p := range out.Pauses {
			answers[p.ID] = d.verdict(p.Kind, p.ID, said)
		}
		d.cold() // another process may go on
		out = d.resume(a, out, run.Resumption{Answers: answers})
	}
	got := d.tale(out)
	if s.Sorted {
		slices.Sort(got)
	}
	if *update {
		head, _, _ := bytes.Cut(text, []byte("\njournal:"))
		var b bytes.Buffer
		b.Write(bytes.TrimRight(head, "\n"))
		b.WriteString("\njournal:\n")
		for _, line := range got {
			quoted, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "  - %s\n", bytes.ReplaceAll(quoted, []byte(`\u003e`), []byte(">")))
		}
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.status(out, s.Status)
	same(t, "the reply", out.Run.Output, s.Reply)
	if s.Tokens > 0 {
		same(t, "the tokens", out.Run.Used.Tokens, s.Tokens)
	}
	for key, want := range s.Context {
		same(t, key, value(out, key), want)
	}
	if !*update {
		sameList(t, "the journal", got, s.Journal)
	}
}

var stepName = regexp.MustCompile(`(?m)^Your step is (\w+) `)

// answers are the models of a story.
func (s *story) answers() (func(string, model.Request) model.Message, func(string, model.Request) error) {
	asked := map[string]int{}
	key := func(title string, r model.Request) string {
		if m := stepName.FindStringSubmatch(r.Messages[0].Text); m != nil {
			return m[1]
		}
		if title == "" {
			return "text"
		}
		return title
	}
	current := func(title string, r model.Request) string {
		k := key(title, r)
		list := s.Models[k]
		if len(list) == 0 {
			return k + " said"
		}
		return list[min(asked[k], len(list)-1)]
	}
	say := func(title string, r model.Request) model.Message {
		answer := current(title, r)
		asked[key(title, r)]++
		if name, is := strings.CutPrefix(answer, "@"); is {
			name, args, _ := strings.Cut(name, " ")
			return model.Message{Calls: []model.Call{{Tool: name, Arguments: json.RawMessage(args)}}}
		}
		return text(answer)
	}
	fail := func(title string, r model.Request) error {
		if said, is := strings.CutPrefix(current(title, r), "~"); is {
			asked[key(title, r)]++
			return &brokenOff{said}
		}
		why, is := strings.CutPrefix(current(title, r), "!")
		if !is {
			return nil
		}
		asked[key(title, r)]++
		return fmt.Errorf("%w: %s", model.ErrBroken, why)
	}
	return say, fail
}

// echo answers with its argument value, as a record would that somebody else wrote.
func echo() tool.Tool {
	return tool.Tool{Name: "echo", Description: "Says its value.", Parameters: json.RawMessage(`{"type":"object","properties":{"value":{}},"additionalProperties":false}`),
		Read: func(_ context.Context, _ tool.Env, args json.RawMessage) (json.RawMessage, error) {
			var a struct{ Value json.RawMessage }
			err := json.Unmarshal(args, &a)
			return a.Value, err
		}}
}

func failing(name string, err error) tool.Tool {
	return tool.Tool{Name: name, Description: "Fails.", Parameters: json.RawMessage(`{"type":"object","properties":{"value":{}},"additionalProperties":false}`),
		Read: func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) { return nil, err }}
}

// post acts beyond our records, once somebody approved it.
func post() tool.Tool {
	return tool.Tool{Name: "post", Description: "Posts.", Server: "office", Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"additionalProperties":false}`),
		Outside: func(_ context.Context, _ tool.Env, args json.RawMessage, _ string) (json.RawMessage, error) {
			if strings.Contains(string(args), "refuse") {
				return nil, &tool.Refusal{Reason: "the office is closed"}
			}
			return json.RawMessage(`{"posted":true}`), nil
		}}
}

// verdict is what a person answers; approvals are decided in the ledger, too.
func (d *desk) verdict(kind, id, said string) json.RawMessage {
	d.t.Helper()
	if kind != "approval" {
		if said == "approve" || said == "reject" {
			return json.RawMessage(fmt.Sprintf(`{"approved":%v}`, said == "approve"))
		}
		return json.RawMessage(said)
	}
	v := ledger.Verdict{ID: id, Approve: said == "approve", Reviewer: "Test Reviewer"}
	if !v.Approve {
		v.Comment = "no, thank you"
	}
	if _, err := storetest.Decide(d.db, v, d.clock); err != nil {
		d.t.Fatal(err)
	}
	return json.RawMessage(`{"decided":true}`)
}

// tale is a turn's journal in short: what a person who follows it would tell.
func (d *desk) tale(out run.Outcome) (lines []string) {
	for _, e := range d.of(out) {
		switch e.Kind {
		case journal.ModelCalled, journal.CheckpointSaved, journal.StageStarted, journal.Message, journal.MessageStarted, journal.ApprovalRequested, journal.ApprovalDecided, journal.ToolStarted:
			continue
		}
		parts := []string{string(e.Kind), string(e.Stage), e.Tool, e.Status}
		if e.Kind == journal.Transition {
			parts = []string{fmt.Sprintf("%s > %s by %s", e.From, e.To, e.Resolver), ""}
		}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		line := strings.Join(parts, " ")
		for _, why := range []string{e.Reason, e.Error} {
			if why != "" {
				line += ": " + why
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// described are tools as they are listed.
func described(t *testing.T, tools ...tool.Tool) []tool.Description {
	t.Helper()
	set, err := tool.NewSet(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return set.Describe()
}
