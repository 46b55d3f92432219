package navigator_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/pipeline"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// "It looked up the same thing six times." The second time it gets what it has, the third
// time it has to answer: what was found stands before the question then, and nothing of the
// calls that a small model would go on with or say back.
func TestNavigator_AReadCallRunsOnceATurn(t *testing.T) {
	h := newHouse(t)
	h.model.think = func(r model.Request) model.Message {
		if len(r.Tools) == 0 {
			return model.Message{Role: "assistant", Text: "Here is what I found."}
		}
		return model.Message{Role: "assistant", Calls: []model.Call{call("search_notes", `{"query":"sleep"}`)}}
	}
	out := h.status(h.ask("pat-alder", nothing), run.Completed)
	if ran := h.tools(out, journal.ToolCompleted); strings.Count(strings.Join(ran, " "), "search_notes") != 1 {
		t.Errorf("ran %v", ran)
	}
	if got := h.of(out, journal.ToolRefused); len(got) != 2 || got[0].Status != string(journal.ToolRepeated) {
		t.Errorf("refused: %+v", got)
	}
	again := results(h.model.asked[len(h.model.asked)-2])
	if len(again) != 2 || !strings.Contains(again[1].Text, "made this call before") || !strings.Contains(again[1].Text, again[0].Text) {
		t.Fatalf("the second answer is not the first with a word about it: %v", again)
	}
	last := h.model.last()
	n := len(last.Messages)
	if about, end := last.Messages[n-2], last.Messages[n-1]; end.Role != "user" || end.Text != nothing || strings.Count(about.Text, "search_notes: "+again[0].Text) != 1 || strings.Contains(fmt.Sprint(last.Messages), "made this call before") {
		t.Errorf("at last it is asked with\n%+v\n%+v", about, end)
	}
	if len(last.Tools) != 0 || len(last.Described) == 0 || out.Run.Output != "Here is what I found." {
		t.Errorf("%d tools offered, %d described, reply %q", len(last.Tools), len(last.Described), out.Run.Output)
	}
}

// A change makes what was read before old.
func TestNavigator_WhatWasReadBeforeAChangeIsReadAgain(t *testing.T) {
	h := newHouse(t)
	list := []model.Call{call("patient_summary", `{}`), call("add_care_note", `{"text":"Sleeps badly."}`), call("patient_summary", `{}`)}
	h.model.think = func(r model.Request) model.Message {
		n := len(results(r))
		if n == len(list) {
			return model.Message{Role: "assistant", Text: "Done."}
		}
		return model.Message{Role: "assistant", Calls: list[n : n+1]}
	}
	out := h.ask("pat-alder", nothing)
	h.decide(h.only(), true, "")
	out = h.status(h.resume(out), run.Completed)
	if ran := strings.Count(strings.Join(h.tools(out, journal.ToolCompleted), " "), "patient_summary"); ran != 2 {
		t.Errorf("the record was read %d times", ran)
	}
}

// "It was asked what I should know, and it wanted to write the same note six times; I said yes six times, and there are six."
func TestNavigator_AChangeIsMadeOnceATurn(t *testing.T) {
	h := newHouse(t)
	note := func(text string) model.Call {
		return call("add_care_note", `{"text":"`+text+`"}`)
	}
	list := []model.Call{note("Sleeps badly."), note("Sleeps badly."), note("Sleeps badly.")}
	h.model.think = func(r model.Request) model.Message {
		if len(r.Tools) == 0 {
			return model.Message{Role: "assistant", Text: "The note is there."}
		}
		n := len(results(r))
		return model.Message{Role: "assistant", Calls: []model.Call{list[min(n, 2)]}}
	}
	out := h.ask("pat-alder", nothing)
	h.decide(h.only(), true, "")
	out = h.status(h.resume(out), run.Completed)
	if done := h.tools(out, journal.MutationCommitted); len(done) != 1 {
		t.Errorf("done: %v", done)
	}
	if asked := h.of(out, journal.ApprovalRequested); len(asked) != 1 {
		t.Errorf("it was asked for %d times", len(asked))
	}
	if got := h.of(out, journal.ToolRefused); len(got) != 2 || got[0].Status != string(journal.ToolRepeated) || out.Run.Output != "The note is there." {
		t.Errorf("refused: %+v, reply %q", got, out.Run.Output)
	}
}

// "I had the note taken back in between, and then it would not write it again." What another change undid may be made again.
func TestNavigator_AChangeMayBeMadeAgainAfterAnotherOne(t *testing.T) {
	h := newHouse(t)
	list := []string{"Sleeps badly.", "Sleeps well.", "Sleeps badly."}
	h.model.think = func(r model.Request) model.Message {
		if n := len(results(r)); n < len(list) {
			return model.Message{Role: "assistant", Calls: []model.Call{call("add_care_note", `{"text":"`+list[n]+`"}`)}}
		}
		return model.Message{Role: "assistant", Text: "Done."}
	}
	out := h.ask("pat-alder", nothing)
	for range list {
		h.decide(h.only(), true, "")
		out = h.resume(out)
	}
	h.status(out, run.Completed)
	if done := h.tools(out, journal.MutationCommitted); len(done) != 3 {
		t.Errorf("done: %v", done)
	}
}

// "One message of its wanted the same note twice, and I had two cards to read."
func TestNavigator_AChangeIsAskedForOnceAMessage(t *testing.T) {
	h := newHouse(t)
	h.model.think = func(r model.Request) model.Message {
		if len(results(r)) > 0 {
			return model.Message{Role: "assistant", Text: "Done."}
		}
		one, two := call("add_care_note", `{"text":"Sleeps badly."}`), call("add_care_note", `{ "text": "Sleeps badly." }`)
		two.ID += "b"
		return model.Message{Role: "assistant", Calls: []model.Call{one, two}}
	}
	out := h.ask("pat-alder", nothing)
	h.decide(h.only(), true, "")
	out = h.status(h.resume(out), run.Completed)
	if done, no := h.tools(out, journal.MutationCommitted), h.tools(out, journal.ToolRefused); len(done) != 1 || len(no) != 1 {
		t.Errorf("done %v, refused %v", done, no)
	}
}

// "It kept proposing the visit that could not be booked."
func TestNavigator_ACallThatIsRefusedTwiceIsNotOfferedAgain(t *testing.T) {
	h := newHouse(t)
	h.model.think = func(r model.Request) model.Message {
		for _, o := range r.Tools {
			if o.Name == "book_appointment" {
				return model.Message{Role: "assistant", Calls: []model.Call{h.book("nobody", fmt.Sprintf("2026-03-0%dT09:00:00Z", 3+len(results(r))))}}
			}
		}
		return model.Message{Role: "assistant", Text: "It could not be booked."}
	}
	out := h.status(h.ask("pat-alder", nothing), run.Completed)
	if got := h.tools(out, journal.ToolRefused); len(got) != 2 || out.Run.Output != "It could not be booked." {
		t.Errorf("refused %v, reply %q", got, out.Run.Output)
	}
	if last := h.model.last(); len(last.Tools) != len(last.Described)-1 {
		t.Errorf("%d of %d tools are offered", len(last.Tools), len(last.Described))
	}
}

// "It called a tool that is not there six times." A name that is not offered cannot be taken from
// the offer, so the use of tools ends.
func TestNavigator_AToolThatIsNotThereIsNotCalledAgainAndAgain(t *testing.T) {
	for name, names := range map[string][]string{"one name": {"no_such_tool"}, "others": {"find_it", "look_it_up", "searcher", "seek"}} {
		h := newTwin(t)
		h.model.think = func(r model.Request) model.Message {
			if len(r.Tools) == 0 {
				return model.Message{Role: "assistant", Text: "I do not know."}
			}
			return model.Message{Role: "assistant", Calls: []model.Call{call(names[len(results(r))%len(names)], `{"q":"x"}`)}}
		}
		out := h.status(h.ask("pat-alder", nothing), run.Completed)
		if got := h.tools(out, journal.ToolRefused); len(got) != min(len(names)+1, 3) || out.Run.Output != "I do not know." {
			t.Errorf("%s: refused %v, reply %q", name, got, out.Run.Output)
		}
	}
}

// "It wrote my note, and then it said that nothing was changed."
func TestNavigator_WhereNoWordsComeAfterAChangeItIsNotSaidThatNothingWasChanged(t *testing.T) {
	h := newHouse(t)
	h.model.think = func(r model.Request) model.Message {
		if len(results(r)) == 0 {
			return model.Message{Role: "assistant", Calls: []model.Call{call("add_care_note", `{"text":"Sleeps badly."}`)}}
		}
		return model.Message{Role: "assistant", Text: `{"status":"written"}`}
	}
	out := h.ask("pat-alder", nothing)
	h.decide(h.only(), true, "")
	out = h.status(h.resume(out), run.Completed)
	if said := out.Run.Output; !strings.Contains(said, "no answer that can be used") || !strings.Contains(said, "Insomnia") || strings.Contains(said, "Nothing was changed") || !strings.Contains(said, "is done") {
		t.Errorf("the reply is %q", said)
	}
}

// "It went in circles, and then it did not tell me that my booking was refused."
func TestNavigator_WhoGoesInCirclesStillHearsWhatBecameOfAChange(t *testing.T) {
	h := newHouse(t)
	list := []model.Call{h.book("nobody", "2026-03-03T09:00:00Z"), call("search_notes", `{"query":"sleep"}`), call("search_notes", `{"query":""}`)}
	h.model.think = func(r model.Request) model.Message {
		if len(r.Tools) == 0 {
			return model.Message{Role: "assistant", Text: "It was refused."}
		}
		n := min(len(results(r)), 1)
		if len(results(r)) == 2 {
			n = 2
		}
		return model.Message{Role: "assistant", Calls: list[n : n+1]}
	}
	h.status(h.ask("pat-alder", nothing), run.Completed)
	last := h.model.last()
	about := last.Messages[len(last.Messages)-2].Text
	if !strings.Contains(about, `book_appointment: {`) || !strings.Contains(about, "refused") || strings.Count(about, "search_notes: ") != 1 {
		t.Errorf("it is told %s", about)
	}
}

// "It said that he took a glass of water from the window, like any other answer."
func TestNavigator_AVerySmallModelsReplyIsMarked(t *testing.T) {
	for weights, weak := range map[int64]bool{134_515_008: true, 3_000_000_000: false, 0: false} {
		t.Run(fmt.Sprint(weights), func(t *testing.T) {
			h := newHouse(t)
			h.model.parameters = weights
			out := h.status(h.ask("pat-alder", nothing), run.Completed)
			for _, e := range h.of(out, journal.Message) {
				if d, err := journal.Read[journal.MessageData](e); err != nil || d.ModelUsed == nil || d.Weak != weak {
					t.Errorf("%+v (%v)", d.ModelUsed, err)
				}
			}
		})
	}
}

// "It answered with curly brackets."
func TestNavigator_ToolSyntaxNeverReachesThePerson(t *testing.T) {
	for said, want := range map[string]string{
		`{"action":"none","arguments":{}}`:                              "no answer that can be used",
		"```json\n{\"name\":\"x\",\"parameters\":{}}\n```":              "no answer that can be used",
		`<tool_call>{"name":"no_such_tool","arguments":{}}</tool_call>`: "no answer that can be used",
		"[TOOL_CALLS] [{\"name\":\"x\"}]":                               "no answer that can be used",
		`[{"id":1}]`:                                                    "no answer that can be used",
		``:                                                              "no answer that can be used",
		"I will look.\n<tool_call>\n{\"name\":\"x\"}":                   "no answer that can be used",
		"You made this call before and have its result; here it is again. Answer the person now.":          "no answer that can be used",
		"\"You made this call before and have its result; here it":                                         "no answer that can be used",
		"- Answer in plain English, briefly.\n\nYou take sertraline.":                                      "You take sertraline.",
		"I will look. [look_up_record(patient=\"1\")]":                                                     "no answer that can be used",
		"I will call find_it(need=\"sleep\") now.":                                                         "no answer that can be used",
		"Action: find_it\nAction Input: {\"query\":\"sleep\"}":                                             "no answer that can be used",
		"I will now call the tool `find_providers` with {\"need\": \"sleep\", \"limit\": 3}. Please wait.": "no answer that can be used",
		"Je vais appeler l’outil `find_providers` avec {\"need\": \"sommeil\"}.":                           "no answer that can be used",
		"tool: patient_records\narguments:\n  patient: pat-alder":                                          "no answer that can be used",
		"**Tool:** patient_records":                                                                        "no answer that can be used",
		"name: lookup\nparameters: {}":                                                                     "no answer that can be used",
		"functools[":                                                                                       "no answer that can be used",
		"to=functions.find {\"need\":\"sleep\"}":                                                           "no answer that can be used",
		"```python":                                                                                        "no answer that can be used",
		"```python\nprint(find_it(\"sleep\"))\n```":                                                        "no answer that can be used",
		"Output:\n{\"patient\": \"pat-alder\"}":                                                            "no answer that can be used",
		"{'name': 'find_it', 'arguments': {}}":                                                             "no answer that can be used",
		"find_it":                                                                                          "no answer that can be used",
		"lookup(need=\"sleep\")":                                                                           "no answer that can be used",
		"Thought: I need the record.":                                                                      "no answer that can be used",
		"<think>The record says":                                                                           "no answer that can be used",
		"<think>Who is it?</think>\n":                                                                      "no answer that can be used",
		"<patient_context>\nRowan\n</patient_context>":                                                     "no answer that can be used",
		"Sure! Let me look that up.\n{\"name\": \"find_it\", \"parameters\": {\"query\": \"x\"}}":          "no answer that can be used",
		"Bien sûr ! Un instant.\n[TOOL_CALLS] [{":                                                          "no answer that can be used",
		"You take sertraline. Let me look further.\n{\"name\": \"find_it\", \"parameters\": {}}":           "You take sertraline.",
		"<think>The record says so.</think>\n\nYou take sertraline.":                                       "You take sertraline.",
		"Thought: the record says so.\nFinal Answer: You take sertraline.":                                 "You take sertraline.",
		"You take sertraline.\n\n```python\nget_record(\"pat-alder\")\n```":                                "You take sertraline.",
		"You take sertraline. <tool_response>ok</tool_response>":                                           "You take sertraline.",
		"<answer>You take sertraline.</answer>":                                                            "You take sertraline.",
		"The tool search_notes finds notes; in a sheet, round_up(x) rounds.":                               "The tool search_notes finds notes; in a sheet, round_up(x) rounds.",
		"In JSON that is {\"name\": \"Ada\"}, and <b> is bold.":                                            "In JSON that is {\"name\": \"Ada\"}, and <b> is bold.",
		"Let me know if you want a visit. I will book nothing before you say so.":                          "Let me know if you want a visit. I will book nothing before you say so.",
		"This adds:\n```python\ndef add_all(xs):\n    return sum(xs)\nadd_all([1])\n```\nIt is short.":     "This adds:\n```python\ndef add_all(xs):\n    return sum(xs)\nadd_all([1])\n```\nIt is short.",
		"Name: Rowan Alder\nAction: call the ward.\nTool: a diary":                                         "Name: Rowan Alder\nAction: call the ward.\nTool: a diary",
		"The file care_plan says rest. Action is needed.":                                                  "The file care_plan says rest. Action is needed.",
		"The plan is in care_plan":                                                                         "The plan is in care_plan",
		"You":                                                                                              "You",
		"Her temperature was < 38, [note 2] says so, {maybe} not.":                                         "Her temperature was < 38, [note 2] says so, {maybe} not.",
		"The note says {\"a\":1}.":                                                                         `The note says {"a":1}.`,
	} {
		h := newTwin(t)
		h.model.think = func(model.Request) model.Message { return model.Message{Role: "assistant", Text: said} }
		out := h.status(h.ask("pat-alder", nothing), run.Completed)
		if !strings.Contains(out.Run.Output, want) {
			t.Errorf("%q became %q", said, out.Run.Output)
		}
		// What came word by word is no other text.
		for _, e := range h.events {
			if e.Kind == journal.Token && e.Turn == out.Run.Turn && !strings.Contains(out.Run.Output, strings.TrimSpace(e.Text)) {
				t.Errorf("%q: shown on the way: %q", said, e.Text)
			}
		}
		if want == "no answer that can be used" && (!strings.Contains(out.Run.Output, "Insomnia") || !strings.Contains(out.Run.Output, "Nothing was changed")) {
			t.Errorf("the record's facts are missing: %q", out.Run.Output)
		}
	}
}

// "It asked me five times to write into the record: this turn waits for a person and is not answered yet." What a small
// model was told of earlier turns is neither a reply nor a note.
func TestNavigator_WhatItWasToldOfEarlierTurnsIsNeitherReplyNorNote(t *testing.T) {
	h := newHouse(t)
	for _, said := range []string{
		"This turn waits for a person and is not answered yet.",
		"This turn waits for a person and is not answered yet, it proposed, and nobody has decided yet: Add a care note to the record of Rowan Alder. Nothing was changed.",
		"this turn waits for a person and is not j, Add a care note to the record of Rowan Alder",
		"This turn waits for a person and is not on",
	} {
		h.history = map[string][]turn.Exchange{"s": {{User: "Hello", Ended: "This turn waits for a person and is not answered yet. It proposed, and nobody has decided yet: Add a care note to the record of Rowan Alder. Nothing was changed."}}}
		h.model.think = func(r model.Request) model.Message {
			for _, o := range r.Tools {
				if o.Name == "add_care_note" {
					return model.Message{Role: "assistant", Calls: []model.Call{call("add_care_note", fmt.Sprintf(`{"text":%q}`, said))}}
				}
			}
			return model.Message{Role: "assistant", Text: said}
		}
		out := h.status(h.ask("pat-alder", nothing), run.Completed)
		if len(h.tools(out, journal.ToolRefused)) != 2 || strings.Contains(strings.ToLower(out.Run.Output), "this turn") {
			t.Errorf("%q: refused %v, reply %q", said, h.tools(out, journal.ToolRefused), out.Run.Output)
		}
		for _, e := range h.events {
			if e.Kind == journal.Token && e.Turn == out.Run.Turn && strings.Contains(strings.ToLower(e.Text), "this turn") {
				t.Errorf("%q is shown on the way", e.Text)
			}
		}
	}
	// What only begins alike is the model's own.
	h.model.think = func(model.Request) model.Message {
		return model.Message{Role: "assistant", Text: "This turn waits for you: shall I write the note?"}
	}
	if out := h.status(h.ask("pat-alder", nothing), run.Completed); !strings.HasPrefix(out.Run.Output, "This turn waits for you") {
		t.Errorf("the model's own words became %q", out.Run.Output)
	}
}

// A call that a model wrote as text is a call.
func TestNavigator_ACallWrittenAsTextIsMade(t *testing.T) {
	h := newHouse(t)
	h.model.think = func(r model.Request) model.Message {
		if len(results(r)) == 0 {
			return model.Message{Role: "assistant", Text: `{"name": "search_notes", "parameters": {"query": "sleep"}}`}
		}
		return model.Message{Role: "assistant", Text: "There is a note."}
	}
	out := h.status(h.ask("pat-alder", nothing), run.Completed)
	if ran := strings.Join(h.tools(out, journal.ToolCompleted), " "); !strings.Contains(ran, "search_notes") || out.Run.Output != "There is a note." {
		t.Errorf("ran %s, reply %q", ran, out.Run.Output)
	}
}

// "One question went wrong, and it forgot that I am in danger." What a model answered
// before it broke off counts.
func TestNavigator_OneFailedPartLosesNoOther(t *testing.T) {
	h := newHouse(t)
	h.model.errs["intent"] = errBroken
	h.model.answers["safety"] = `{"risk":"concern","category":"intent","who":"self"}`
	out := h.status(h.ask("pat-alder", nothing), run.Completed)
	if _, data := h.checked(out); !data.Concern || data.Degraded {
		t.Errorf("safety: %+v", data)
	}
	light := 0
	for _, e := range h.of(out, journal.ModelCalled) {
		if d, err := journal.Read[journal.ModelCalledData](e); err != nil || d.Role == string(model.Light) {
			light++
		}
	}
	if light > 2 {
		t.Errorf("%d light calls", light)
	}
}

// "Nobody had asked for a note. I said no to it and why, and it came again in other words." A very
// small model changes nothing unasked, and nothing more once a person said no; others go on as they did.
func TestNavigator_AVerySmallModelChangesNothingUnaskedOrAfterANo(t *testing.T) {
	for _, c := range []struct {
		weights       int64
		message       string
		asked, denied bool // is it asked for, and again after a no
	}{
		{134_515_008, "Is he allergic to anything, and may I give him co-trimoxazole?", false, false},
		{134_515_008, "Est-il allergique à quelque chose, et puis-je lui donner du cotrimoxazole ?", false, false},
		{134_515_008, "Add a care note: sleeps badly", true, false},
		{3_000_000_000, "Is he allergic to anything, and may I give him co-trimoxazole?", true, true},
		{0, "Add a care note: sleeps badly", true, true},
	} {
		h := newTwin(t)
		h.model.parameters = c.weights
		h.model.think = func(r model.Request) model.Message {
			for _, o := range r.Tools {
				if o.Name == "add_care_note" {
					return model.Message{Role: "assistant", Calls: []model.Call{call("add_care_note", fmt.Sprintf(`{"text":"The patient is allergic to something, %d."}`, len(results(r))))}}
				}
			}
			return model.Message{Role: "assistant", Text: "That is what I know of penicillin and sleep."}
		}
		out := h.ask("pat-alder", c.message)
		if got := out.Run.Status == run.Paused; got != c.asked {
			t.Errorf("%d, %q: asked for an approval: %v", c.weights, c.message, got)
			continue
		}
		if !c.asked {
			if last := h.model.last(); len(last.Tools) == 0 || len(last.Described) != len(last.Tools)+3 {
				t.Errorf("%d tools offered, %d described", len(last.Tools), len(last.Described))
			}
			continue
		}
		if a := h.only(); a.Weak != (c.weights == 134_515_008) {
			t.Errorf("%d: the request says weak: %v", c.weights, a.Weak)
		}
		h.decide(h.only(), false, "That is not true.")
		out = h.resume(out)
		if again := out.Run.Status == run.Paused; again != c.denied {
			t.Errorf("%d, %q: asked again after a no: %v", c.weights, c.message, again)
		}
		if !c.denied && !strings.Contains(out.Run.Output, "penicillin") {
			t.Errorf("it answers %q", out.Run.Output)
		}
	}
}

// "To ‘What is recorded about Walter?’ it said that its response will be in JSON format." What is about
// the answer itself gives way to the record, and nobody reads it on the way.
func TestNavigator_TalkAboutItsOwnAnswerGivesWayToTheRecord(t *testing.T) {
	for _, weights := range []int64{134_515_008, 0} {
		for _, said := range []string{
			"The person's last message needs it; reply to the request. The response will be in JSON format, so you can use it as a template for your next message.",
			"Find providers that fit a need. Returns providers with id, name, specialties and score.",
			"You help a clinician or a person in care to find the right provider, understand the record, and arrange visits. Use tools to look things up and to propose changes.",
			"%%% blorp ]]",
		} {
			h := newTwin(t)
			h.model.parameters = weights
			h.model.think = func(model.Request) model.Message { return model.Message{Role: "assistant", Text: said} }
			out := h.status(h.ask("pat-alder", "What is recorded about Rowan?"), run.Completed)
			if !strings.Contains(out.Run.Output, "no answer that can be used") || !strings.Contains(out.Run.Output, "Insomnia") || strings.Contains(out.Run.Output, said[:10]) {
				t.Errorf("%d, %q became %q", weights, said, out.Run.Output)
			}
			for _, e := range h.events {
				if e.Kind == journal.Token && e.Turn == out.Run.Turn && e.Text != "" {
					t.Errorf("shown on the way: %q", e.Text)
				}
			}
		}
	}
}

// "I asked for his allergies, and it spoke of a condition called IgE; penicillin was in the record." And: "It said that
// penicillin is fine." What is asked for stands below a very small model's reply, as the record has it, whatever it says.
func TestNavigator_WhatAVerySmallModelIsAskedOfTheRecordStandsBelow(t *testing.T) {
	for _, c := range []struct {
		weights      int64
		message, say string
		below        string // what is added, "" for nothing
	}{
		{134_515_008, "Is he allergic to anything, and may I give him co-trimoxazole?", "The patient has a condition called IgE.", "From the record:\n- Allergies: Penicillin"},
		{134_515_008, "Is he allergic to anything, and may I give him co-trimoxazole?", "Penicillin is fine for him.", "From the record:\n- Allergies: Penicillin"},
		{134_515_008, "Which medicines does he take?", "He takes some medicines every day.", "- Medications: Sertraline"},
		{134_515_008, "Who is she and how old is she?", "She is a provider of care for the elderly.", "From the record:\n- **Rowan Alder**, born 1984-03-12 (age "},
		{134_515_008, "Qui est-elle ?", "Elle est une personne agréable.", "- **Rowan Alder**"},
		{134_515_008, "What is Rowan taking?", "He takes sertraline three times a day.", "- Medications: Sertraline 50 mg once daily"},
		{134_515_008, "Any diagnosis and any allergies?", "He has insomnia.", "From the record:\n- Allergies: Penicillin"},
		{134_515_008, "Can I take amoxicillin?", "Yes, you can take it safely.", "- Allergies: Penicillin"},
		{134_515_008, "Puis-je lui donner de l'amoxicilline ?", "Oui, sans danger.", "- Allergies: Penicillin"},
		{134_515_008, "When is his next appointment?", "It is on December 3 at nine.", "- Next visit: none in the record"},
		{134_515_008, "When was he last seen?", "Some time ago.", "- Last visit: 2026-09-14, Follow-up visit"},
		{134_515_008, "When did he last come?", "He has no medicines that are needed to treat his condition.", "- Medications: Sertraline"},
		{134_515_008, "When did he last come?", "It was in spring.", "- Last visit: 2026-09-14, Follow-up visit"},
		{134_515_008, "Quand l'a-t-on vu pour la dernière fois ?", "Au printemps.", "- Last visit: 2026-09-14, Follow-up visit"},
		{134_515_008, "Quand était sa dernière consultation ?", "Il y a quelque temps.", "- Last visit: 2026-09-14, Follow-up visit"},
		{134_515_008, "Since when has he been taking sertraline?", "Since spring.", "Sertraline 50 mg once daily, since 20"},
		{134_515_008, "Can you give me the address of the clinic?", "It is in Elmford.", ""},
		{134_515_008, "Hello there", "Good morning to you.", ""},
		{134_515_008, "the dentist wants to give me penicillin tomorrow", "That is good news.", "- Allergies: Penicillin"},
		{134_515_008, "My GP put me on augmentin", "That is good news.", "- Allergies: Penicillin"},
		{134_515_008, "am i still on zoloft", "That is a good question.", "- Medications: Sertraline"},
		{134_515_008, "Welche Medikamente nehme ich?", "Sie nehmen einige.", "- Medications: Sertraline"},
		{134_515_008, "Habe ich Allergien?", "Das weiß ich nicht.", "- Allergies: Penicillin"},
		{134_515_008, "Wann ist mein nächster Termin?", "Am Montag.", "- Next visit: none"},
		{134_515_008, "¿Qué medicamentos tomo?", "Algunos cada mañana.", "- Medications: Sertraline"},
		{134_515_008, "¿Tengo alguna alergia?", "Algunas.", "- Allergies: Penicillin"},
		{134_515_008, "Quali farmaci prendo?", "Alcuni ogni mattina.", "- Medications: Sertraline"},
		{134_515_008, "Quando è il mio prossimo appuntamento?", "Lunedì alle nove.", "- Next visit: none"},
		{134_515_008, "The doctor gave me an appointment on Friday, thanks", "Very good, rest well.", "- Next visit"},
		{3_000_000_000, "Is he allergic to anything?", "The patient has a condition called IgE.", "From the record:\n- Allergies: Penicillin"},
		{0, "Can I take Augmentin?", "Yes, Augmentin is fine for you.", "From the record:\n- Allergies: Penicillin"},
		{8_000_000_000, "Is amoxicillin ok for her?", "Yes.", "- Allergies: Penicillin"},
		{8_000_000_000, "the dentist wants to give me amoxicillin tomorrow", "Good luck there.", "- Allergies: Penicillin"},
		{8_000_000_000, "May he have penicillin?", "Yes, penicillin is fine for him.", "- Allergies: Penicillin"},
		{8_000_000_000, "Any allergies?", "He has no known allergies, and none to penicillin.", "- Allergies: Penicillin"},
		{8_000_000_000, "Le dentiste veut me donner de l'amoxicilline", "Très bien, prenez-la.", "- Allergies: Penicillin"},
		{8_000_000_000, "Darf ich Augmentin nehmen?", "Ja, gern.", "- Allergies: Penicillin"},
		{8_000_000_000, "May he have penicillin?", "No, he is allergic to penicillin.", ""},
		{8_000_000_000, "Is he allergic to anything?", "Penicillin.", ""},
		{8_000_000_000, "Quelles allergies a-t-il ?", "Il est allergique à la pénicilline.", ""},
		{8_000_000_000, "Can I take Augmentin?", "Augmentin has a penicillin in it, so no.", ""},
		{8_000_000_000, "Which medicines does he take?", "He takes some medicines every day.", ""},
		{8_000_000_000, "The doctor gave me an appointment on Friday, thanks", "Very good, rest well.", ""},
		{8_000_000_000, "am i still on zoloft?", "Yes, you take sertraline.", ""},
		{8_000_000_000, "What about augmentin for her cough?", "That works well.", "- Allergies: Penicillin"},
		{8_000_000_000, "My doctor put me on penicillin, and I go back to work", "All the best.", "- Allergies: Penicillin"},
		{8_000_000_000, "Hello there", "Good morning to you.", ""},
	} {
		h := newTwin(t)
		h.put(`{"resourceType":"AllergyIntolerance","id":"a1","patient":{"reference":"Patient/pat-alder"},"code":{"text":"Penicillin"},"clinicalStatus":{"coding":[{"code":"active"}]}}`)
		h.model.parameters = c.weights
		h.model.think = func(model.Request) model.Message { return model.Message{Role: "assistant", Text: c.say} }
		out := h.status(h.ask("pat-alder", c.message), run.Completed)
		rest, ok := strings.CutPrefix(out.Run.Output, c.say)
		if !ok || c.below == "" && rest != "" || !strings.Contains(rest, c.below) {
			t.Errorf("%d, %q: %q", c.weights, c.message, out.Run.Output)
		}
	}
}

// "It gave me a number to call that does not exist, and another dose than the record's." What a very small model makes up gives way
// to the record.
func TestNavigator_WhatAVerySmallModelMakesUpReachesNobody(t *testing.T) {
	for _, say := range []string{"He takes sertraline 150 mg three times a day.", "You can reach him by calling 980.", "Elle prend ses médicaments tous les matins et tous les soirs avec un verre d'eau."} {
		h := newTwin(t)
		h.model.parameters = 134_515_008
		h.model.think = func(model.Request) model.Message { return model.Message{Role: "assistant", Text: say} }
		out := h.status(h.ask("pat-alder", "What is Rowan taking?"), run.Completed).Run.Output
		if strings.Contains(out, say) || !strings.Contains(out, "from the record alone") || !strings.Contains(out, "- Medications: Sertraline 50 mg once daily") {
			t.Errorf("%q: %s", say, out)
		}
	}
}

// "I only said thanks, and it read his record to me." Where nothing usable came, the record stands there for who asked
// something, what was asked about first.
func TestNavigator_WhereNothingUsableCameTheRecordAnswersWhatWasAsked(t *testing.T) {
	h := newTwin(t)
	h.model.think = func(model.Request) model.Message { return model.Message{Role: "assistant", Text: "P5Y2M"} }
	for message, first := range map[string]string{
		"ok thanks": "", "Hello": "", "merci": "", "Danke!": "", "Hola, gracias": "", "grazie mille": "", "thank you so much": "", "Bonjour": "",
		"Thanks, that will be all for today": "", "Who is she?": "- Allergies:", "Which medicines do I take?": "- Medications:", "Any allergies?": "- Allergies:", "When is my next visit?": "- Next visit:", "Who could help me with insomnia?": "- Providers that may fit:", "Welche Medikamente nehme ich?": "- Medications:", "Tell me something about my week": "- Allergies:",
	} {
		out := h.status(h.askIn("s "+message, "pat-alder", message), run.Completed).Run.Output
		line := ""
		for l := range strings.Lines(out) {
			if strings.HasPrefix(l, "- ") {
				line = l
				break
			}
		}
		if (first == "") != (line == "") || !strings.HasPrefix(line, first) || !strings.Contains(out, "no answer that can be used") && !strings.Contains(out, "utilisable") && !strings.Contains(out, "You are welcome. Nothing was changed") || first == "" && strings.Contains(out, "Rowan") {
			t.Errorf("%q: %q", message, out)
		}
	}
}

// "To everything I asked it said that the person seems to need help to find a provider; that person is me." And: "I
// asked who could help with my sleep. Dr Okafor stood in the list that it had read, and it named nobody." A very small
// model's word about “the person”, or that it said to another message before, gives way to the record, and whom it
// leaves out is named below.
func TestNavigator_AVerySmallModelThatNamesNobodyAndRepeatsItselfGivesWay(t *testing.T) {
	h := newTwin(t)
	h.model.parameters = 134_515_008
	say := ""
	h.model.think = func(model.Request) model.Message { return model.Message{Role: "assistant", Text: say} }
	ask := func(message, says string) string {
		say = says
		return h.status(h.ask("pat-alder", message), run.Completed).Run.Output
	}
	const same = "You're not sure what you need help with, but I'll try to find the right one for you."
	for _, c := range []struct {
		message, say string
		kept, none   bool
		below        string
	}{
		{"I sleep badly", "The person seems to need help to find a provider. The person is asking for a referral from a professional.", false, true, ""},
		{"Who could help me with insomnia?", same, true, false, "Providers that may fit: Dr. Adaeze Okafor (Sleep medicine, Insomnia (CBT-I))"},
		{"Who could help me with insomnia?", same, true, false, "Okafor"},
		{"And what about the nights?", same, false, true, ""},
		{"Is there a therapist for insomnia?", "Dr. Okafor works with insomnia.", true, false, ""},
		{"What does the person in the letter want?", "The person in the letter wants a visit. The person needs help with sleep.", true, false, ""},
	} {
		out := ask(c.message, c.say)
		if strings.HasPrefix(out, c.say) != c.kept || strings.Contains(out, "no answer that can be used") != c.none || !strings.Contains(out, c.below) {
			t.Errorf("%q: %q", c.message, out)
		}
		if c.below == "" && c.kept && strings.Contains(out, "may fit") {
			t.Errorf("%q names them twice: %q", c.message, out)
		}
	}
}

// "What it remembered of my patient's need was nonsense, and nothing said that a very small model had written it." What is
// kept of a session says so where such a model wrote it, also when it is taken again.
func TestNavigator_WhatAVerySmallModelReadsOutOfTheConversationIsKeptAsItsOwn(t *testing.T) {
	for weights, weak := range map[int64]bool{134_515_008: true, 3_000_000_000: false} {
		h := newTwin(t)
		h.model.parameters = weights
		h.model.think = func(model.Request) model.Message {
			return model.Message{Role: "assistant", Text: "That is what I know of sleep."}
		}
		for range 2 {
			h.status(h.ask("pat-alder", "He sleeps badly and would like help."), run.Completed)
		}
		for tool, made := range map[string]bool{"client_signal": true, "patient_context": false} {
			var row pipeline.Row
			if err := h.db.Read(func(tx store.Tx) error {
				raw, err := tx.Skip("s", tool)
				if err == nil {
					err = json.Unmarshal(raw, &row)
				}
				return err
			}); err != nil || row.Weak != (weak && made) {
				t.Errorf("%d, %s: weak %v, %v", weights, tool, row.Weak, err)
			}
		}
	}
}
