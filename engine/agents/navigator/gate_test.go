package navigator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
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
			out := h.status(h.ask("pat-alder", "As I said, I cannot sleep."), run.Completed)
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

// "I said yes to its offer, and nothing happened": an agreement changes nothing that is known, and
// the agent still does what was agreed to.
func TestNavigator_N33_WhatIsAgreedToIsDone(t *testing.T) {
	h := newHouse(t)
	h.model.think = func(model.Request) model.Message {
		return model.Message{Role: "assistant", Text: "Shall I look into your notes?"}
	}
	h.status(h.ask("pat-dogwood", "I lost my wife."), run.Completed)
	for _, yes := range []string{"oui merci", "Perfect, that works for me", "ok"} {
		h.model.think = calls(call("search_notes", `{"query":"wife"}`))
		out := h.status(h.ask("pat-dogwood", yes), run.Completed)
		if len(results(h.model.last())) != 1 || !slices.Contains(h.skipped(out), "client_signal") {
			t.Errorf("%q: found %v, skipped %v", yes, results(h.model.last()), h.skipped(out))
		}
		h.model.think = func(model.Request) model.Message {
			return model.Message{Role: "assistant", Text: "Shall I look into your notes?"}
		}
		h.status(h.ask("pat-dogwood", "I lost my wife."), run.Completed)
	}
}

// tooLong is a message that does not fit the history's part of a prompt.
func tooLong(words string) string {
	return words + strings.Repeat(" It began in spring, and it goes on.", 60)
}

func TestNavigator_N33_FailedToolRunsAgain(t *testing.T) {
	h := newHouse(t)
	h.model.errs["session_narrative"] = errBroken
	h.status(h.ask("pat-alder", tooLong("Good morning.")), run.Completed)
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

// "I began with Hello, then told it that my wife had died: it still thought that I had
// come to say Hello."
func TestNavigator_N31_WhatIsSaidNewIsReadAndAnAcknowledgementIsNot(t *testing.T) {
	h := newHouse(t)
	h.live.Models = practised()
	h.status(h.ask("pat-dogwood", "Hello"), run.Completed)
	out := h.status(h.ask("pat-dogwood", "My wife died"), run.Completed)
	bundles := navigator.ChannelBundle.Get(out.State)
	if bundle := string(bundles["client_signal"]); !strings.Contains(bundle, "My wife died") {
		t.Errorf("client_signal is still %s", bundle)
	}
	// The conversation stands in the prompt word for word; retold, it is once it is long.
	if bundle := string(bundles["session_narrative"]); !strings.Contains(bundle, `"whole":true`) {
		t.Errorf("session_narrative is still %s", bundle)
	}
	long := h.status(h.askIn("long", "pat-dogwood", tooLong("Hello.")), run.Completed)
	if bundle := string(navigator.ChannelBundle.Get(long.State)["session_narrative"]); !strings.Contains(bundle, "It began in spring") {
		t.Errorf("of a long conversation session_narrative is %s", bundle)
	}
	// The practice reply ends with a question; what agrees to it says nothing new of the person.
	for _, ack := range []string{"ok thanks", "Thank you!", "merci bien", "Perfect, that works for me", "Parfait, merci beaucoup docteur", "ça marche", "oui merci"} {
		out = h.status(h.ask("pat-dogwood", ack), run.Completed)
		wantTools(t, ack, h.skipped(out), fiveTools)
		if bundle := string(navigator.ChannelBundle.Get(out.State)["client_signal"]); !strings.Contains(bundle, "My wife died") {
			t.Errorf("after %q the signal is %s", ack, bundle)
		}
	}
	for _, more := range []string{"thanks, and my sister drinks", "ok but I lie awake", "oui merci, plutôt une femme"} {
		out = h.status(h.ask("pat-dogwood", more), run.Completed)
		if bundle := string(navigator.ChannelBundle.Get(out.State)["client_signal"]); !strings.Contains(bundle, more) {
			t.Errorf("after %q the signal is %s", more, bundle)
		}
	}
}

// practised is the practice model without its pace: what it reads out of a conversation is
// the person's last words, so that a test sees what a tool has read.
func practised() model.Set {
	p := &model.Practice{Scripts: []model.Script{mustAgent().Script}}
	return model.Set{Main: p, Light: p}
}

func mustAgent() agent.Agent {
	a, err := navigator.New(turn.Kit{})
	if err != nil {
		panic(err)
	}
	return a
}

// conversations are whole ones, as people have them: what a line says is new, or (=) was
// said before, or (~) only acknowledges. A line with a resource changes the records before
// the next message.
var conversations = []string{`
I can't sleep.
It began in November, when my shifts changed.
~ok, thanks
Who could help me with that?
~Good to know, thank you.
Is Dr. Okafor far away?
I have no car.
~ok
=As I said, I have no car.
What should I bring to a first visit?
~thanks
~bye`, `
Good morning!
My mother forgets everything, she left the stove on twice.
~I see.
She lives alone and I am two hours away.
~ok
Could somebody visit her at home?
{"resourceType":"Condition","id":"talk-1","subject":{"reference":"Patient/pat-alder"},"code":{"text":"Migraine"}}
~Great, thanks
And who helps me? I am worn out.
~Thank you so much
What does respite care cost?
~got it
=And who helps me?`, `
Hello
I had a panic attack on the train yesterday.
It is the third one this month.
~ok
Do I need pills for it?
~understood
No.
I would rather talk to a woman, in the evening.
~perfect
{"resourceType":"Practitioner","id":"talk-2","active":true,"name":[{"family":"Moreau","given":["Lise"]}],"communication":[{"text":"French"}]}
Is there anybody who speaks French?
~merci
Then I will think about it.
~👍`, `
My back hurts since the accident, I take ibuprofen every day.
~ok
Is that too much?
Is there anything on it in my notes?
~Thanks!
My doctor said it was the discs.
=My back hurts every day.
~makes sense
Would a pain group be something for me?
~ok thank you
When does it meet?
~cheers`, `
Bonjour
Je n'arrive plus à dormir.
~d'accord
Mon mari est parti en mars.
~merci
Est-ce que quelqu'un parle français ici ?
~merci beaucoup
Je préfère le matin.
~ok
Combien ça coûte ?
~d'accord, merci`, `
The patient asks about his lithium level.
~ok
When was it last measured?
He also drinks more since his divorce.
~noted
Which of our people work with alcohol?
~thanks
=Which people work with alcohol?
Can it be the group in town?
~alright
Put down that he agrees.
~thank you`}

// TestNavigator_N42_SkipRateIsMeasured plays whole conversations and counts what the gates
// kept after the first three turns. It fails where something said is not read, and where
// too much is read again.
func TestNavigator_N42_SkipRateIsMeasured(t *testing.T) {
	h := newHouse(t)
	h.live.Models = practised()
	skips, gateOne, chances, turns, withSkip := 0, 0, 0, 0, 0
	for n, conversation := range conversations {
		session, said := fmt.Sprint("s", n), 0
		changed := false
		for line := range strings.Lines(strings.TrimSpace(conversation)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "{") {
				h.put(line)
				changed = true
				continue
			}
			text := strings.TrimLeft(line, "~=")
			out := h.status(h.askIn(session, "pat-alder", text), run.Completed)
			said++
			ran := navigator.ChannelAssembly.Get(out.State).Ran
			signal := string(navigator.ChannelBundle.Get(out.State)["client_signal"])
			switch {
			case strings.HasPrefix(line, "~") && !changed && len(ran) > 0, strings.HasPrefix(line, "=") && slices.Contains(ran, "session_narrative"):
				t.Errorf("%q made %v run", line, ran)
			case text == line && !(slices.Contains(ran, "client_signal") && slices.Contains(ran, "session_narrative") && strings.Contains(signal, strings.Fields(text)[0])):
				t.Errorf("%q was not read: ran %v, the signal is %s", line, ran, signal)
			case changed && !slices.Contains(ran, "patient_context") && !slices.Contains(ran, "provider_genome"):
				t.Errorf("a changed record was not read at %q: ran %v", line, ran)
			}
			changed = false
			if said <= 3 {
				continue
			}
			turns, chances, skips = turns+1, chances+len(fiveTools), skips+len(fiveTools)-len(ran)
			one := 0
			for _, e := range h.of(out, journal.ToolSkipped) {
				if strings.Contains(string(e.Data), `"gate":"completeness"`) {
					one++
				}
			}
			gateOne += one
			if one > 0 {
				withSkip++
			}
		}
	}
	rate, alone := float64(skips)/float64(chances), float64(gateOne)/float64(chances)
	t.Logf("after the first three turns of %d conversations the gates kept %.0f %% of %d outputs, the completeness gate alone %.0f %%; it kept at least one in %.0f %% of %d turns",
		len(conversations), 100*rate, chances, 100*alone, 100*float64(withSkip)/float64(turns), turns)
	if rate < 0.6 || rate > 0.8 || alone < 0.5 {
		t.Errorf("the gates kept %.2f of the outputs, the completeness gate %.2f: of these conversations 0.6 to 0.8 need no new run", rate, alone)
	}
}
