package navigator_test

import (
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

var fiveTools = []string{"client_signal", "patient_context", "provider_genome", "session_narrative", "therapeutic_fit"}

// ran and skipped say what the gates let through in a turn, as it recorded it.
func (h *house) ran(out run.Outcome) []string {
	h.t.Helper()
	journal := sorted(h.tools(out, journal.ToolCompleted))
	if state := sorted(navigator.ChannelAssembly.Get(out.State).Ran); !slices.Equal(journal, state) {
		h.t.Errorf("the journal says that %v ran, the state %v", journal, state)
	}
	return journal
}

func (h *house) skipped(out run.Outcome) []string {
	h.t.Helper()
	for _, e := range h.of(out, journal.ToolSkipped) {
		if e.Reason == "" || !strings.Contains(string(e.Data), `"gate":`) {
			h.t.Errorf("%s was skipped without a reason or gate: %+v", e.Tool, e)
		}
	}
	journal := sorted(h.tools(out, journal.ToolSkipped))
	var state []string
	for _, s := range navigator.ChannelAssembly.Get(out.State).Skipped {
		state = append(state, s.Tool)
		if s.Reason == "" {
			h.t.Errorf("%s was skipped without a reason", s.Tool)
		}
	}
	if !slices.Equal(journal, sorted(state)) {
		h.t.Errorf("the journal says that %v were skipped, the state %v", journal, state)
	}
	return journal
}

func wantTools(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestNavigator_N31_SkipsCompleteTool(t *testing.T) {
	h := newHouse(t)
	first := h.status(h.ask("pat-alder", "I want someone for insomnia and sleep medicine."), run.Completed)
	wantTools(t, "first turn ran", h.ran(first), fiveTools)
	wantTools(t, "first turn skipped", h.skipped(first), []string{})
	h.status(h.ask("pat-alder", "My insomnia is worst on workdays."), run.Completed)
	third := h.status(h.ask("pat-alder", "What could help with insomnia?"), run.Completed)
	// The narrative is complete enough from the second exchange on; all else from the first.
	wantTools(t, "third turn skipped", h.skipped(third), fiveTools)
	wantTools(t, "third turn ran", h.ran(third), []string{})
	a, b := navigator.ChannelBundle.Get(first.State), navigator.ChannelBundle.Get(third.State)
	for _, name := range []string{"client_signal", "provider_genome", "patient_context"} {
		if string(a[name]) != string(b[name]) {
			t.Errorf("the reused output of %s is another one", name)
		}
	}
	if len(b) != 5 {
		t.Errorf("a skipped tool's section is not in the bundle: %d sections", len(b))
	}
}

func TestNavigator_N35_SkipStateSurvivesARestart(t *testing.T) {
	h := newHouse(t)
	h.status(h.ask("pat-alder", "I want someone for insomnia and sleep medicine."), run.Completed)
	h.status(h.ask("pat-alder", "My insomnia is worst on workdays."), run.Completed)
	h.open()
	third := h.status(h.ask("pat-alder", "What could help with insomnia?"), run.Completed)
	wantTools(t, "after a restart skipped", h.skipped(third), fiveTools)
	// Another session has no part in it.
	other := h.status(h.askIn("other", "pat-alder", "What could help with insomnia?"), run.Completed)
	wantTools(t, "another session ran", h.ran(other), fiveTools)
}

func TestNavigator_N31_ChangedRecordOverridesBothGates(t *testing.T) {
	h := newHouse(t)
	h.status(h.ask("pat-alder", "I want someone for insomnia and sleep medicine."), run.Completed)
	h.status(h.ask("pat-alder", "It began in November."), run.Completed)
	// A mere acknowledgement: the content hash is the same, the profile complete.
	h.put(`{"resourceType":"Condition","id":"new-1","subject":{"reference":"Patient/pat-alder"},"code":{"text":"Night terrors"}}`)
	out := h.status(h.ask("pat-alder", "ok, thanks"), run.Completed)
	wantTools(t, "after a change of the patient ran", h.ran(out), []string{"patient_context"})
	if c := navigator.ChannelContext.Get(out.State); !strings.Contains(c, "Night terrors") {
		t.Error("the prompt has the old profile")
	}
	for _, e := range h.of(out, journal.ToolStarted) {
		if !strings.Contains(e.Reason, "changed") {
			t.Errorf("%s ran because %q", e.Tool, e.Reason)
		}
	}
	// A provider changes: the genome runs, and the fit that is built on it.
	h.put(`{"resourceType":"Practitioner","id":"prov-new","active":true,"name":[{"family":"New","given":["Ida"]}]}`)
	h.put(`{"resourceType":"PractitionerRole","id":"prov-new-role","practitioner":{"reference":"Practitioner/prov-new"},"specialty":[{"text":"Insomnia"}]}`)
	out = h.status(h.ask("pat-alder", "thank you"), run.Completed)
	wantTools(t, "after a change of the providers ran", h.ran(out), []string{"provider_genome", "therapeutic_fit"})
	// A record of another patient changes nothing here.
	h.put(`{"resourceType":"Condition","id":"new-2","subject":{"reference":"Patient/pat-birch"},"code":{"text":"Cough"}}`)
	out = h.status(h.ask("pat-alder", "thanks"), run.Completed)
	wantTools(t, "after a change of another patient ran", h.ran(out), []string{})
}

func TestNavigator_N31_AnotherPatientIsAnotherContext(t *testing.T) {
	h := newHouse(t)
	h.status(h.ask("pat-alder", "I want someone for insomnia."), run.Completed)
	out := h.status(h.ask("pat-birch", "And now?"), run.Completed)
	if ran := h.ran(out); !slices.Contains(ran, "patient_context") {
		t.Errorf("ran %v: the profile of the patient before was reused", ran)
	}
	if c := navigator.ChannelContext.Get(out.State); strings.Contains(c, "Rowan") {
		t.Error("the prompt has the other patient's profile")
	}
}

func TestNavigator_N32_TheThresholdIsASetting(t *testing.T) {
	// The signal has three of five parts: 0.6.
	half := `{"signal_summary":"sleep","concerns":["sleep"],"goals":[],"preferences":[],"urgency":"soon"}`
	for _, c := range []struct {
		name      string
		threshold float64
		skips     bool
	}{
		{"default of 0.4 when nothing is set", 0, true},
		{"0.4 keeps 0.6", 0.4, true},
		{"exactly reached keeps", 0.6, true},
		{"0.61 runs again", 0.61, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			h.model.answers["client_signal"] = half
			h.live.Threshold = c.threshold
			h.status(h.ask("pat-alder", "I cannot sleep."), run.Completed)
			out := h.status(h.ask("pat-alder", "It is getting worse."), run.Completed)
			if got := slices.Contains(h.skipped(out), "client_signal"); got != c.skips {
				t.Errorf("skipped: %v, want %v", got, c.skips)
			}
		})
	}
}

func TestNavigator_N33_AcknowledgementDoesNotRun(t *testing.T) {
	h := newHouse(t)
	// Too little is known for the first gate: only the second can skip.
	h.model.answers["client_signal"] = `{"signal_summary":"","concerns":[],"goals":[],"preferences":[],"urgency":"routine"}`
	h.status(h.ask("pat-alder", "Good morning."), run.Completed)
	out := h.status(h.ask("pat-alder", "ok, thanks"), run.Completed)
	if !slices.Contains(h.skipped(out), "client_signal") {
		t.Errorf("an acknowledgement made client_signal run; skipped %v", h.skipped(out))
	}
	for _, e := range h.of(out, journal.ToolSkipped) {
		if e.Tool == "client_signal" && !strings.Contains(string(e.Data), "content_hash") {
			t.Errorf("skipped by %s", e.Data)
		}
	}
	out = h.status(h.ask("pat-alder", "I would rather come in the morning."), run.Completed)
	if !slices.Contains(h.ran(out), "client_signal") {
		t.Error("new words did not make client_signal run")
	}
}

func TestNavigator_N33_FailedToolRunsAgain(t *testing.T) {
	h := newHouse(t)
	h.model.errs["session_narrative"] = errBroken
	h.status(h.ask("pat-alder", "Good morning."), run.Completed)
	delete(h.model.errs, "session_narrative")
	out := h.status(h.ask("pat-alder", "ok, thanks"), run.Completed)
	if !slices.Contains(h.ran(out), "session_narrative") {
		t.Errorf("ran %v: a tool that failed has to run again", h.ran(out))
	}
}

func TestNavigator_N34_TheTurnRecordsWhatRanAndWhatDidNot(t *testing.T) {
	h := newHouse(t)
	for i, text := range []string{"I want someone for insomnia.", "ok, thanks", "My daughter will drive me.", "thanks"} {
		out := h.status(h.ask("pat-alder", text), run.Completed)
		if got := sorted(append(h.ran(out), h.skipped(out)...)); !slices.Equal(got, fiveTools) {
			t.Errorf("turn %d accounts for %v", i+1, got)
		}
		if updated := h.of(out, journal.MemoryUpdated); (len(updated) > 0) != (len(h.ran(out)) > 0) {
			t.Errorf("turn %d: %d memory_updated with %v run", i+1, len(updated), h.ran(out))
		}
	}
}

// TestNavigator_N42_SkipRateIsMeasured plays a plain conversation of twelve turns
// and counts how often the first gate alone would have kept a tool.
func TestNavigator_N42_SkipRateIsMeasured(t *testing.T) {
	h := newHouse(t)
	script := []string{"I can't sleep.", "It began in November.", "Mornings suit me.", "Who could help?", "What does CBT for insomnia mean?", "Is it far away?",
		"Can it be by video?", "How long does it take?", "What should I bring?", "Will you write it down?", "And after that?", "What if it does not help?"}
	skips, chances := 0, 0
	for i, text := range script {
		out := h.status(h.ask("pat-alder", text), run.Completed)
		if i < 3 {
			continue
		}
		chances += len(fiveTools)
		for _, e := range h.of(out, journal.ToolSkipped) {
			if strings.Contains(string(e.Data), `"gate":"completeness"`) {
				skips++
			}
		}
	}
	rate := float64(skips) / float64(chances)
	t.Logf("after three turns the completeness gate kept %d of %d outputs: %.0f %%", skips, chances, rate*100)
	if rate < 0.6 {
		t.Errorf("skip rate %.2f is below the 0.6 that the design counts on", rate)
	}
}
