//go:build ollama

package command_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model/modeltest"
)

// These tests drive the full flavour, named by HOLDPOINT_BIN, as a person at a
// terminal would, with the Ollama that it carries.

// laptop is a data folder with the sample clinic and the program to use on it.
type laptop struct {
	t      *testing.T
	data   string
	prefix []string
}

func newLaptop(t *testing.T, prefix ...string) *laptop {
	t.Helper()
	if os.Getenv("HOLDPOINT_BIN") == "" {
		t.Fatal("HOLDPOINT_BIN must name the full flavour; build/test sets it")
	}
	l := &laptop{t, t.TempDir(), prefix}
	l.must(0, "records", "import", "sample")
	return l
}

// run returns the exit code and standard output; standard error goes to the log.
func (l *laptop) run(args ...string) (int, string) {
	l.t.Helper()
	line := append(append(l.prefix[:len(l.prefix):len(l.prefix)], os.Getenv("HOLDPOINT_BIN"), "--data", l.data), args...)
	cmd := exec.Command(line[0], line[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	// No Ollama of this machine may answer in place of our own.
	cmd.Env = append(os.Environ(), "OLLAMA_HOST=")
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.t.Fatal(err)
	}
	if errs.Len() > 0 {
		l.t.Logf("%s: %s", strings.Join(args, " "), strings.TrimSpace(errs.String()))
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

func (l *laptop) must(code int, args ...string) string {
	l.t.Helper()
	got, out := l.run(args...)
	if got != code {
		l.t.Fatalf("holdpoint %s: exit %d, want %d\n%s", strings.Join(args, " "), got, code, out)
	}
	return out
}

func events(t *testing.T, out string) []journal.Event {
	t.Helper()
	var list []journal.Event
	s := bufio.NewScanner(strings.NewReader(out))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var e journal.Event
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			t.Fatalf("not NDJSON: %v: %s", err, s.Text())
		}
		list = append(list, e)
	}
	return list
}

// TestReal_TinyModelWhateverItSays asks a model of random weights until it has
// proposed a change: every turn ends in a way that has a name, nothing mutates
// without a verdict, and an approved change is made once.
func TestReal_TinyModelWhateverItSays(t *testing.T) {
	l := newLaptop(t)
	l.must(0, "models", "import", modeltest.Tiny(t), "--name", "tiny")
	approved := false
	ended := map[journal.Kind]int{}
	for i := 0; i < 12 && !approved; i++ {
		code, out := l.run("run", "--json", "--session", fmt.Sprint("tiny", i), "--var", "patient=pat-alder", fmt.Sprintf("Question %d: please book a visit or add a note.", i))
		list := events(t, out)
		if len(list) == 0 {
			t.Fatalf("turn %d: exit %d without a journal", i, code)
		}
		last := list[len(list)-1]
		ended[last.Kind]++
		switch want := map[journal.Kind]int{journal.TurnCompleted: 0, journal.TurnPaused: 3, journal.TurnFailed: 1, journal.TurnLimited: 1}; {
		case last.Seq != uint64(len(list)), want[last.Kind] != code:
			t.Fatalf("turn %d: exit %d after %s, %d events, last seq %d", i, code, last.Kind, len(list), last.Seq)
		}
		for _, e := range list {
			if e.Kind == journal.MutationCommitted {
				t.Fatalf("turn %d: a change without a verdict", i)
			}
		}
		if last.Kind != journal.TurnPaused {
			continue
		}
		approved = true
		for round := 0; code == 3 && round < 10; round++ {
			for _, id := range pendingOf(t, l) {
				l.must(0, "approvals", "approve", id, "--reviewer", "Test Reviewer")
			}
			code, out = l.run("resume", "--json", last.Turn)
			list = append(list, events(t, out)...)
		}
		calls := map[string]int{}
		for _, e := range list {
			if e.Kind == journal.MutationCommitted {
				calls[e.Call]++
			}
		}
		if len(calls) == 0 {
			t.Error("the approved change was not made")
		}
		for call, n := range calls {
			if n != 1 {
				t.Errorf("call %s was made %d times", call, n)
			}
		}
	}
	t.Logf("endings: %v, a change was approved: %v", ended, approved)
	l.must(0, "check")
}

// TestReal_ModelsAreTimedAtTheLevelThatIsSaid has the program time a model and say with
// which instructions of the processor it computes, and what this machine reads fastest.
func TestReal_ModelsAreTimedAtTheLevelThatIsSaid(t *testing.T) {
	l := newLaptop(t)
	l.must(0, "models", "import", modeltest.Tiny(t), "--name", "tiny")
	var v app.ModelSpeed
	if err := json.Unmarshal([]byte(l.must(0, "bench", "model", "--model", "tiny", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	if v.Server != "own" || v.Level == "" || v.Read <= 0 || v.Wrote <= 0 || v.PromptTokens < 100 {
		t.Fatalf("%+v", v)
	}
	if v.Level == "base" {
		t.Skip("this processor, or this build, has only the base level: nothing is said about quantisations")
	}
	out := l.must(0, "doctor", "--json")
	said := regexp.MustCompile(`prompts in (\w+) \(at level (\w+): ([^)]+)\); to pull: ([^"]+)"`).FindStringSubmatch(out)
	if said == nil || said[2] != v.Level {
		t.Fatal(out)
	}
	// Nothing that was measured beside it is quicker, and what is to be pulled is in it.
	for other := range strings.SplitSeq(said[3], ", ") {
		times, of, _ := strings.Cut(other, " × ")
		if n, err := strconv.ParseFloat(times, 64); err != nil || n < 1 || of == "" || of == said[1] {
			t.Errorf("%q is measured beside %s: %s", other, said[1], said[0])
		}
	}
	for name := range strings.SplitSeq(said[4], ", ") {
		if !strings.HasSuffix(strings.ToLower(name), "-"+strings.ToLower(said[1])) {
			t.Errorf("%s is not in %s", name, said[1])
		}
	}
}

// TestReal_AnAutonomousRunEndsWithinItsLimits lets a model of random weights choose
// its own path: whatever it says, the run ends in a way that has a name, within
// every limit that it began with, and a limit that was reached can be raised.
func TestReal_AnAutonomousRunEndsWithinItsLimits(t *testing.T) {
	l := newLaptop(t)
	l.must(0, "models", "import", modeltest.Tiny(t), "--name", "tiny")
	graphFile := filepath.Join(l.data, "own.yaml")
	body := "name: own\nmutable: true\nmay_add: [think, prompt]\nlimits: {max_iterations: 8, max_node_iterations: 6, max_mutations: 2, max_tokens: 20000, max_time: 60s}\nnodes:\n" +
		"  - name: work\n    kind: autonomous\n    max_steps: 3\n    pool:\n" +
		"      - {name: plan, kind: plan, max_tokens: 200}\n      - {name: think, kind: think, max_tokens: 200}\n" +
		"      - {name: act, kind: act, max_tokens: 200}\n      - {name: answer, kind: answer, max_tokens: 200}\n"
	if err := os.WriteFile(graphFile, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	l.must(0, "agents", "add", graphFile)
	ended := map[string]int{}
	for i, args := range [][]string{{"--agent", "own"}, {"--agent", "own"}} {
		args = append([]string{"run", "--json", "--session", fmt.Sprint("auto", i), "--var", "patient=pat-alder"}, args...)
		code, out := l.run(append(args, fmt.Sprintf("Question %d: what should happen next?", i))...)
		list := events(t, out)
		if len(list) == 0 {
			t.Fatalf("run %d: exit %d without a journal", i, code)
		}
		last := list[len(list)-1]
		ended[string(last.Kind)+" "+last.Status+last.Error]++
		if want, ok := map[journal.Kind]int{journal.TurnCompleted: 0, journal.TurnPaused: 3, journal.TurnFailed: 1, journal.TurnLimited: 1}[last.Kind]; !ok || want != code {
			t.Fatalf("run %d: exit %d after %s", i, code, last.Kind)
		}
		if last.Kind == journal.TurnFailed && strings.HasSuffix(string(last.Stage), "_choose") {
			t.Errorf("run %d: a choice that makes no sense costs a step, it ends nothing: %s", i, last.Error)
		}
		withinLimits(t, l, fmt.Sprint("auto", i), list)
		if last.Kind != journal.TurnLimited {
			continue
		}
		if code, _ := l.run("resume", "--json", last.Turn); code != 1 {
			t.Errorf("run %d went on without more: exit %d", i, code)
		}
		code, out = l.run("resume", "--json", last.Turn, "--more", "1")
		more := events(t, out)
		if len(more) == 0 || more[0].Kind != journal.TurnResumed || code == 2 {
			t.Errorf("run %d does not go on with one more: exit %d, %d events", i, code, len(more))
		}
	}
	t.Logf("endings: %v", ended)
	l.must(0, "check")
}

// withinLimits counts what a run did against the limits that its row has.
func withinLimits(t *testing.T, l *laptop, session string, list []journal.Event) {
	t.Helper()
	var tr app.Transcript
	if err := json.Unmarshal([]byte(l.must(0, "export", session, "--format", "json")), &tr); err != nil || len(tr.Turns) != 1 {
		t.Fatalf("%d turns, %v", len(tr.Turns), err)
	}
	turn := tr.Turns[0]
	perStage, steps, changes := map[graph.StageID]int{}, 0, 0
	for _, e := range list {
		switch e.Kind {
		case journal.CheckpointSaved:
			steps++
		case journal.StageCompleted:
			perStage[e.Stage]++
		case journal.GraphMutated:
			changes++
		case journal.MutationCommitted:
			t.Error("a change without a verdict")
		}
	}
	if turn.Steps > turn.MaxSteps || steps > turn.MaxSteps {
		t.Errorf("%d steps, %d checkpoints of %d", turn.Steps, steps, turn.MaxSteps)
	}
	for stage, n := range perStage {
		if turn.Limits.Visits > 0 && n > turn.Limits.Visits {
			t.Errorf("%s ran %d times of %d", stage, n, turn.Limits.Visits)
		}
	}
	if most := turn.Limits.Mutations; most > 0 && (changes > most || turn.Used.Mutations > most) {
		t.Errorf("%d changes of %d", changes, most)
	}
	// A limit of tokens stops the next call, it does not cut the last one.
	if most := turn.Limits.Tokens; most > 0 && turn.Used.Tokens > most+8192 {
		t.Errorf("%d tokens of %d", turn.Used.Tokens, most)
	}
}

func pendingOf(t *testing.T, l *laptop) []string {
	var ids []string
	for _, line := range strings.Split(strings.TrimSpace(l.must(0, "approvals", "list", "--json")), "\n") {
		var a struct{ ID string }
		if line == "" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, a.ID)
	}
	return ids
}

// TestReal_TheExamplesComeToAnEnd runs each example graph with a small model. What it
// says is its own; each turn ends with an answer, at a limit that it names, or with a
// failure that says where, and changes nothing that nobody approved.
//
// A small model takes a quarter of an hour for all of them: HOLDPOINT_EXAMPLES=1 runs them.
func TestReal_TheExamplesComeToAnEnd(t *testing.T) {
	if os.Getenv("HOLDPOINT_EXAMPLES") == "" {
		t.Skip("takes a quarter of an hour; HOLDPOINT_EXAMPLES=1 runs it")
	}
	l := newLaptop(t)
	l.must(0, "models", "import", modeltest.SmolLM2(t), "--name", "smollm2")
	for line := range strings.Lines(l.must(0, "agents", "examples", "--json")) {
		var x struct{ Name, Message string }
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		t.Run(x.Name, func(t *testing.T) {
			l.t = t
			code, out := l.run("run", "--json", "--session", x.Name, "--subject", "Patient/pat-alder", "--agent", "example:"+x.Name, x.Message)
			approved := 0
			for n := 0; code == 3 && n < 12; n++ {
				list := events(t, out)
				last := list[len(list)-1]
				for _, id := range pendingOf(t, l) {
					l.must(0, "approvals", "approve", id, "--reviewer", "Test")
					approved++
				}
				args := []string{"resume", last.Turn, "--json"}
				d, err := journal.Read[journal.TurnPausedData](last)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range d.Pauses {
					var q struct{ Choices []string }
					if p.Kind == "approval" {
						continue
					}
					if err := json.Unmarshal(p.Data, &q); err != nil {
						t.Fatal(err)
					}
					answer := "3"
					if len(q.Choices) > 0 {
						answer = q.Choices[0]
					}
					args = append(args, "--answer", fmt.Sprintf("%s=%q", p.ID, answer))
				}
				code, out = l.run(args...)
			}
			list := events(t, out)
			last, changed := list[len(list)-1], 0
			for line := range strings.Lines(l.must(0, "sessions", "show", x.Name, "--json")) {
				changed += strings.Count(line, `"kind":"mutation_committed"`)
			}
			switch {
			case code == 0 && last.Kind == journal.TurnCompleted:
			case code == 1 && last.Kind == journal.TurnLimited && strings.Contains(string(last.Data), `"name"`):
			case code == 1 && last.Kind == journal.TurnFailed && last.Error != "" && last.Stage != "":
			default:
				t.Errorf("exit %d, %s at %s: %s", code, last.Kind, last.Stage, last.Error)
			}
			if changed > approved {
				t.Errorf("%d changes, %d approvals", changed, approved)
			}
		})
	}
}

// TestReal_SmallModelsOffline lets SmolLM2 speak and MiniLM rank, with the network
// cut off: only the loopback interface is there.
func TestReal_SmallModelsOffline(t *testing.T) {
	smol, mini := modeltest.SmolLM2(t), modeltest.MiniLM(t)
	inner := `ip link set lo up && exec "$@"`
	prefix := []string{"unshare", "--net", "--map-root-user", "sh", "-c", inner, "sh"}
	if out, err := exec.Command(prefix[0], append(prefix[1:], "true")...).CombinedOutput(); err != nil {
		t.Logf("network namespaces are not to be had here (%v %s); the network stays on", err, out)
		prefix = nil
	}
	l := newLaptop(t, prefix...)
	l.must(0, "models", "import", smol, "--name", "smollm2")
	l.must(0, "models", "import", mini, "--name", "minilm")
	l.must(0, "models", "role", "embed", "minilm") // else the sentence encoder inside ranks
	code, out := l.run("run", "--json", "--session", "s1", "--var", "patient=pat-alder", "I'd like to see someone about my sleep next week")
	list := events(t, out)
	last := list[len(list)-1]
	if code == 1 {
		t.Fatalf("the turn failed: %s", last.Error)
	}
	var digest, method string
	for _, e := range list {
		if d, err := journal.Read[journal.ModelCalledData](e); err == nil && d.Purpose == "reply" {
			digest = d.Digest
		}
		// A machine that does something else may take longer than the check waits for: then the journal says that
		// the model said nothing in time, and by what the message was checked.
		switch late := strings.Contains(e.Error, "was not over after") || strings.Contains(e.Error, "answer stalled before it was known"); {
		case e.Kind != journal.SafetyChecked || e.Status == "rules+model" && !late:
		case e.Status == "rules" && late:
			t.Logf("safety was checked by rules: %s", e.Error)
		default:
			t.Errorf("safety was checked by %q: %s", e.Status, e.Error)
		}
	}
	if digest == "" {
		t.Error("no model was asked for the reply, or the journal does not say which")
	}
	memory := l.must(0, "memory", "show", "s1", "--json")
	if strings.Contains(memory, `"method":"embeddings"`) {
		method = "embeddings"
	}
	if method != "embeddings" {
		t.Errorf("providers were not ranked by the embedding model: %s", memory)
	}
	if !strings.Contains(memory, `"model":"minilm`) {
		t.Errorf("another encoder ranked them than the one that was chosen: %s", memory)
	}
	exported := filepath.Join(t.TempDir(), "s1.md")
	l.must(0, "export", "s1", "--format", "md", "-o", exported)
	body, err := os.ReadFile(exported)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("SmolLM2 ended with %s: %s\n%d bytes of transcript", last.Kind, last.Text, len(body))
	l.must(0, "check")
}

// TestReal_CompanionEndsEachTurnWithAQuestionAdviceOrALimit talks in French with SmolLM2,
// in two sessions: however little such a model understands, nobody is left without an
// answer that says how to go on, no syntax stands in one, and a session is kept once.
func TestReal_CompanionEndsEachTurnWithAQuestionAdviceOrALimit(t *testing.T) {
	l := newLaptop(t)
	l.must(0, "models", "import", modeltest.SmolLM2(t), "--name", "smollm2")
	l.must(0, "models", "import", modeltest.MiniLM(t), "--name", "minilm")
	l.must(0, "models", "role", "embed", "minilm")
	lea := []string{"--agent", "companion", "--var", "audience=teen", "--var", "language=fr", "--var", "person=Léa", "--var", "region=FR", "--var", "age=at_15", "--var", "consent=full"}
	for _, x := range []struct {
		session, message string
		with             []string
	}{
		{"s1", told, lea},
		{"s1", "Comment mieux dormir avant un examen ?", nil},
		{"s2", "Bonjour, c'est Léa. Les examens sont la semaine prochaine.", lea},
	} {
		code, out := l.run(append(append([]string{"run", "--json", "--session", x.session}, x.with...), x.message)...)
		list := events(t, out)
		if len(list) == 0 {
			t.Fatalf("%q: exit %d without a journal", x.message, code)
		}
		last, said, by := list[len(list)-1], "", journal.StageID("")
		for _, e := range list {
			if e.Kind == journal.Message && e.Text != "" {
				said, by = e.Text, e.Stage
			}
		}
		switch {
		case code == 1 && last.Kind == journal.TurnLimited && strings.Contains(string(last.Data), `"name"`):
		case code != 0 || last.Kind != journal.TurnCompleted:
			t.Errorf("%q: exit %d, %s: %s", x.message, code, last.Kind, last.Error)
		case by == "collect_context" || by == "ask_for_context":
			if !strings.Contains(said, "?") {
				t.Errorf("%q: %s asks nothing: %q", x.message, by, said)
			}
		case strings.TrimSpace(said) == "" || strings.ContainsAny(said, "{}"):
			t.Errorf("%q: %s says %q", x.message, by, said)
		}
		t.Logf("%s after %q, by %s: %s", last.Kind, x.message, by, said)
	}
	kept := map[string]int{}
	for line := range strings.Lines(l.must(0, "memory", "search", "--json")) {
		var m struct{ Session string }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		kept[m.Session]++
	}
	for session, n := range kept {
		if session != "" && n != 1 {
			t.Errorf("%d summaries of %s", n, session)
		}
	}
	l.must(0, "check")
}

// "The first page said that the model server inside is version 0.0.0", which a library of models
// takes for an Ollama that is too old for what it is asked for.
func TestReal_TheServerInsideSaysWhichVersionItIs(t *testing.T) {
	l := newLaptop(t)
	if out := l.must(0, "doctor", "--json"); !strings.Contains(out, "our own, version ") || strings.Contains(out, "version 0.0.0") {
		t.Fatal(out)
	}
}
