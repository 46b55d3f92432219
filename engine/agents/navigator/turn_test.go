package navigator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/encoder"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

func TestNavigator_N10_ThreadIDIsTurn(t *testing.T) {
	h := newHouse(t)
	out := h.status(h.ask("pat-alder", "Hello"), run.Completed)
	if out.Run.ID != graph.RunID("turn:"+out.Run.Turn) {
		t.Errorf("run id %q of turn %q", out.Run.ID, out.Run.Turn)
	}
	if row, err := h.db.Run(graph.RunID("turn:" + out.Run.Turn)); err != nil || row.Status != run.Completed {
		t.Errorf("stored as %+v, %v", row, err)
	}
}

func TestNavigator_N12_ParallelBranchesAppendTheirStages(t *testing.T) {
	h := newHouse(t)
	out := h.status(h.ask("pat-alder", "Hello"), run.Completed)
	var got []string
	for _, s := range navigator.ChannelCompleted.Get(out.State) {
		got = append(got, string(s))
	}
	want := "preflight assembly_gate context_assembly empathy context_format navigator navigator/think finalize"
	if strings.Join(got, " ") != want {
		t.Errorf("completed_stages is %v, want %s", got, want)
	}
}

// TestNavigator_N13_SnapshotsAreSmallJSON looks at what is stored of a turn: no
// model, no store, no prompt of another turn.
func TestNavigator_N13_SnapshotsAreSmallJSON(t *testing.T) {
	h := newHouse(t)
	out := h.status(h.ask("pat-alder", "Hello"), run.Completed)
	values, err := out.State.Values()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 64<<10 {
		t.Errorf("the state has %d bytes", len(raw))
	}
	for name := range values {
		if slices.Contains([]string{"live", "models", "store", "deps"}, name) {
			t.Errorf("the state has a channel %q", name)
		}
	}
}

func TestNavigator_N14_FiveBundles(t *testing.T) {
	h := newHouse(t)
	out := h.status(h.ask("pat-alder", tooLong("I can't sleep.")), run.Completed)
	bundle := navigator.ChannelBundle.Get(out.State)
	for name, holds := range map[string]string{
		"client_signal":     "wants help with sleep",
		"provider_genome":   "prov-okafor",
		"patient_context":   "Insomnia",
		"therapeutic_fit":   "keywords",
		"session_narrative": "They talk about sleep",
	} {
		if !strings.Contains(string(bundle[name]), holds) {
			t.Errorf("bundle %s lacks %q: %.200s", name, holds, bundle[name])
		}
		if !strings.Contains(navigator.ChannelContext.Get(out.State), "<"+name+" ") {
			t.Errorf("the prompt has no section %s", name)
		}
	}
	if len(bundle) != 5 {
		t.Errorf("%d bundles", len(bundle))
	}
}

func TestNavigator_N36_RequiredToolFailureEndsTheTurnWithAReply(t *testing.T) {
	h := newHouse(t)
	out := h.status(h.ask("nobody", "Please book me a visit"), run.Failed)
	for _, s := range h.stages(out) {
		if strings.HasPrefix(string(s), "navigator") {
			t.Errorf("stage %s ran", s)
		}
	}
	if len(h.model.asked) > 0 {
		t.Error("the main model was asked")
	}
	failed := h.of(out, journal.AssemblyFailed)
	if len(failed) != 1 || !strings.Contains(failed[0].Error, "patient_context") {
		t.Errorf("assembly_failed: %+v", failed)
	}
	taken := false
	for _, e := range h.of(out, journal.Transition) {
		if e.From == navigator.ContextFormat {
			taken = true
			if e.To != navigator.Finalize || e.Condition != navigator.AssemblyFailed {
				t.Errorf("left context_format by %+v", e)
			}
		}
	}
	if !taken {
		t.Error("no transition out of context_format")
	}
	if !strings.Contains(out.Run.Output, "Patient profile") || !strings.Contains(out.Run.Output, "Nothing was changed") {
		t.Errorf("the reply does not say what is missing: %s", out.Run.Output)
	}
	messages := h.of(out, journal.Message)
	if len(messages) != 1 || messages[0].Text != out.Run.Output {
		t.Errorf("messages: %+v", messages)
	}
	// A failed tool has no row: with the patient there, it runs.
	h.put(`{"resourceType":"Patient","id":"nobody","name":[{"family":"Body","given":["No"]}]}`)
	next := h.status(h.ask("nobody", "And now?"), run.Completed)
	if !slices.Contains(h.tools(next, journal.ToolCompleted), "patient_context") || len(h.model.asked) != 1 {
		t.Error("the tool that failed was not run again")
	}
}

// "The model choked on one question, and I got no answer to mine."
func TestNavigator_N36_WhereNoModelReadsTheSignalTheMessageStandsIn(t *testing.T) {
	for name, err := range map[string]error{"refused": model.ErrRequest, "broken": model.ErrBroken, "gone": model.ErrUnreachable, "too slow": context.DeadlineExceeded} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.model.errs["client_signal"] = fmt.Errorf("%w: a test", err)
			out := h.status(h.ask("pat-alder", "My wife died in January."), run.Completed)
			if len(h.of(out, journal.AssemblyFailed)) != 0 || len(h.model.asked) != 1 {
				t.Error("the turn was not answered")
			}
			var s navigator.Signal
			if err := json.Unmarshal(navigator.ChannelBundle.Get(out.State)["client_signal"], &s); err != nil || s.SignalSummary != "My wife died in January." || s.Urgency != "" {
				t.Errorf("%+v %v", s, err)
			}
			degraded := navigator.ChannelAssembly.Get(out.State).Degraded
			if len(degraded) != 1 || degraded[0].Tool != "client_signal" || !strings.Contains(degraded[0].Reason, "own last words") {
				t.Errorf("degraded: %+v", degraded)
			}
			if !strings.Contains(said(h.model.last()), `<degraded section="client_signal">`) {
				t.Error("the model is not told")
			}
			wantReply(t, h, out, "client_signal")
			// It is no reading: the next turn asks again, whatever is said.
			delete(h.model.errs, "client_signal")
			next := h.status(h.ask("pat-alder", "ok, thanks"), run.Completed)
			if !slices.Contains(h.ran(next), "client_signal") || len(navigator.ChannelAssembly.Get(next.State).Degraded) != 0 {
				t.Errorf("ran %v, degraded %v", h.ran(next), navigator.ChannelAssembly.Get(next.State).Degraded)
			}
		})
	}
}

// said is all text of a request.
func said(r model.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

// wantReply insists that the reply's message names a part as degraded.
func wantReply(t *testing.T, h *house, out run.Outcome, tool string) {
	t.Helper()
	for _, e := range h.of(out, journal.Message) {
		if d, err := journal.Read[journal.MessageData](e); err == nil && slices.ContainsFunc(d.Degraded, func(s journal.Section) bool { return s.Tool == tool }) {
			return
		}
	}
	t.Errorf("no message names %s as degraded", tool)
}

// "It said that it could not read my patient's record, and called the turn done. Trying
// again did nothing."
func TestNavigator_N36_ATurnWithoutItsRecordsIsFailedAndCanBeTriedAgain(t *testing.T) {
	h := newHouse(t)
	out := h.status(h.ask("nobody", "Please book me a visit"), run.Failed)
	if out.Run.ErrorStage != navigator.ContextAssembly || !strings.Contains(out.Run.Error, "Patient profile") {
		t.Errorf("failed at %s: %s", out.Run.ErrorStage, out.Run.Error)
	}
	h.status(h.resume(out), run.Failed)
	if len(h.model.asked) > 0 {
		t.Error("the main model was asked")
	}
	h.put(`{"resourceType":"Patient","id":"nobody","name":[{"family":"Body","given":["No"]}]}`)
	h.open()
	out = h.status(h.resume(out), run.Completed)
	if !strings.HasPrefix(out.Run.Output, "Noted.") || !strings.Contains(navigator.ChannelContext.Get(out.State), "No Body") {
		t.Errorf("%s\n%s", out.Run.Output, navigator.ChannelContext.Get(out.State))
	}
	h.sound()
}

func TestNavigator_N37_OptionalToolFailureIsDegraded(t *testing.T) {
	h := newHouse(t)
	h.model.errs["session_narrative"] = fmt.Errorf("%w: a test", model.ErrBroken)
	out := h.status(h.ask("pat-alder", tooLong("I can't sleep.")), run.Completed)
	if failed := h.tools(out, journal.ToolFailed); !slices.Equal(failed, []string{"session_narrative"}) {
		t.Errorf("failed: %v", failed)
	}
	if _, ok := navigator.ChannelBundle.Get(out.State)["session_narrative"]; ok {
		t.Error("the failed section is in the bundle")
	}
	degraded := navigator.ChannelAssembly.Get(out.State).Degraded
	if len(degraded) != 1 || degraded[0].Tool != "session_narrative" || degraded[0].Reason == "" {
		t.Errorf("degraded: %+v", degraded)
	}
	if c := navigator.ChannelContext.Get(out.State); !strings.Contains(c, `<degraded section="session_narrative">`) || strings.Contains(c, "<session_narrative") {
		t.Error("the prompt does not flag the missing section")
	}
	messages := h.of(out, journal.Message)
	if len(messages) != 1 || !strings.Contains(string(messages[0].Data), "session_narrative") {
		t.Errorf("the message does not say that a section is missing: %s", messages[0].Data)
	}
}

// TestNavigator_N40_OneStream looks for everything in one numbered journal, and
// for events of a stage before its end.
func TestNavigator_N40_OneStream(t *testing.T) {
	h := newHouse(t)
	slot := h.slots("prov-okafor")[0]
	h.model.think = calls(h.book("prov-okafor", slot))
	out := h.status(h.ask("pat-alder", "Book it"), run.Paused)
	h.decide(h.only(), true, "")
	h.status(h.resume(out), run.Completed)
	all := h.of(out)
	kinds := map[journal.Kind]int{}
	started, within := false, false
	for i, e := range all {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		kinds[e.Kind]++
		started = started || e.Kind == journal.StageStarted && e.Stage == navigator.ContextAssembly
		if e.Kind == journal.StageCompleted && e.Stage == navigator.ContextAssembly {
			started = false
		}
		within = within || started && e.Kind == journal.ToolCompleted
		if e.Kind == journal.StageCompleted && e.Attempt > 0 && e.Stage != navigator.Navigate && !strings.Contains(string(e.Data), "patch") {
			t.Errorf("no state update with %s", e.Stage)
		}
	}
	for _, k := range []journal.Kind{journal.TurnStarted, journal.StageStarted, journal.StageCompleted, journal.Transition, journal.CheckpointSaved, journal.PhaseStarted,
		journal.ToolStarted, journal.ToolCompleted, journal.ApprovalRequested, journal.StagePaused, journal.TurnPaused, journal.TurnResumed, journal.MutationCommitted, journal.Message, journal.TurnCompleted} {
		if kinds[k] == 0 {
			t.Errorf("the stream has no %s", k)
		}
	}
	if !within {
		t.Error("no tool event came while its stage ran")
	}
	// What subscribers saw is what the journal has, in its order.
	var seen []journal.Event
	for _, e := range h.events {
		if e.Seq > 0 {
			seen = append(seen, e)
		}
	}
	if len(seen) != len(all) {
		t.Errorf("subscribers saw %d events, the journal has %d", len(seen), len(all))
	}
}

// TestNavigator_N41_BranchesRunAtOnce holds context_assembly until empathy is through,
// and empathy is through while it is held: only stages that overlap get there.
func TestNavigator_N41_BranchesRunAtOnce(t *testing.T) {
	h := newHouse(t)
	meet := newBarrier(t, "empathy stage", "client_signal")
	h.model.before = meet.arrive
	h.db.Subscribe(func(e *journal.Event) {
		if e.Kind == journal.StageCompleted && e.Stage == navigator.EmpathyStage {
			go meet.arrive("empathy stage")
		}
	})
	h.status(h.ask("pat-alder", "Hello"), run.Completed)
	meet.met()
	// What has no parallel edge is one after the other.
	out := h.status(h.ask("pat-alder", "Hello again"), run.Completed)
	running := map[graph.StageID]bool{}
	for _, e := range h.of(out, journal.StageStarted, journal.StageCompleted) {
		if e.Stage == navigator.Navigate {
			continue // contains the stages inside it
		}
		if running[e.Stage] = e.Kind == journal.StageStarted; !running[e.Stage] {
			delete(running, e.Stage)
		}
		if len(running) > 1 && !(running[navigator.ContextAssembly] && running[navigator.EmpathyStage]) {
			t.Errorf("at once: %v", running)
		}
	}
}

type vectors struct {
	err   error
	calls int
}

func (v *vectors) Name() string   { return "little-embed" }
func (v *vectors) Dimension() int { return 2 }

// Vector puts everything about grief on one axis and all else on the other.
func (v *vectors) Vector(_ context.Context, texts []string) ([][]float32, error) {
	v.calls++
	if v.err != nil {
		return nil, v.err
	}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		if s = strings.ToLower(s); strings.Contains(s, "grief") || strings.Contains(s, "mourn") {
			out[i] = []float32{1, 0}
		} else {
			out[i] = []float32{0, 1}
		}
	}
	return out, nil
}

func TestNavigator_FitRanksByWhatIsThereAndSaysHow(t *testing.T) {
	for _, c := range []struct {
		name     string
		embedder encoder.Encoder
		message  string
		method   string
		first    string
		degraded bool
	}{
		{"embeddings when there is an embedding model", &vectors{}, "I mourn and cannot stop", "embeddings", "prov-ferreira", false},
		{"keywords when there is none", nil, "Somebody for insomnia and sleep", "keywords", "prov-okafor", false},
		{"keywords when it fails, and says so", &vectors{err: errors.New("no answer")}, "Somebody for insomnia and sleep", "keywords", "prov-okafor", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			h.model.answers["client_signal"] = `{"signal_summary":"","concerns":[],"goals":[],"preferences":[],"urgency":"routine"}`
			if c.embedder != nil {
				h.live.Encoder = c.embedder
			}
			out := h.status(h.ask("pat-dogwood", c.message), run.Completed)
			var fit navigator.Fit
			if err := json.Unmarshal(navigator.ChannelBundle.Get(out.State)["therapeutic_fit"], &fit); err != nil {
				t.Fatal(err)
			}
			if fit.Method != c.method || len(fit.Ranked) == 0 || fit.Ranked[0].ID != c.first {
				t.Errorf("%s ranks %+v", fit.Method, fit.Ranked)
			}
			if (c.method == "embeddings") != (fit.Model == "little-embed") {
				t.Errorf("model %q", fit.Model)
			}
			degraded := slices.ContainsFunc(navigator.ChannelAssembly.Get(out.State).Degraded, func(s navigator.Section) bool { return s.Tool == "therapeutic_fit" })
			if degraded != c.degraded || c.degraded != (fit.Note != "") {
				t.Errorf("degraded %v, note %q", degraded, fit.Note)
			}
		})
	}
}
