package navigator_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
)

var errBroken = fmt.Errorf("%w: a test", model.ErrBroken)

const (
	danger  = "I want to kill myself tonight"
	weak    = "I feel so hopeless and alone" // a sign, below the threshold of the rules
	nothing = "What is on my record?"
)

func (h *house) checked(out run.Outcome) (e journal.Event, data journal.SafetyCheckedData) {
	h.t.Helper()
	list := h.of(out, journal.SafetyChecked)
	// A check-in is told at once, and again with what the model said.
	if len(list) != 1 && (len(list) != 2 || h.checkIns(out) == "") {
		h.t.Fatalf("%d safety_checked", len(list))
	}
	e = list[len(list)-1]
	data, err := journal.Read[journal.SafetyCheckedData](e)
	if err != nil {
		h.t.Fatal(err)
	}
	return e, data
}

func TestNavigator_N43_WhoCanHijackATurn(t *testing.T) {
	crisis, concern := `{"risk":"crisis","category":"abuse","who":"self"}`, `{"risk":"concern","category":"intent","who":"self"}`
	none := `{"risk":"none","category":"none"}`
	const calm, ask, stop = safety.Calm, safety.CheckIn, safety.Intervene
	for _, c := range []struct {
		name, message, model string
		fails                bool
		level                safety.Level
		by, found            string
	}{
		{"the rules alone hijack, whatever the model says, and no model is asked", danger, none, false, stop, "rules", "rules"},
		{"the rules hijack when there is no model to ask", danger, "", false, stop, "rules", "rules"},
		{"a weak sign with the model's crisis hijacks", weak, crisis, false, stop, "rules+model", "rules model"},
		{"a weak sign with the model's concern: two agree", weak, concern, false, stop, "rules+model", "rules model"},
		{"a weak sign alone asks first", weak, none, false, ask, "rules+model", "rules"},
		{"a weak sign without a working model asks first", weak, "", true, ask, "rules", "rules"},
		{"the model's crisis is never discarded", nothing, crisis, false, stop, "rules+model", "model"},
		{"the model's concern alone asks first", nothing, concern, false, ask, "rules+model", "model"},
		{"nothing seen by both is nothing", nothing, none, false, calm, "rules+model", ""},
		{"an answer that is not one of the classes is a failure", nothing, `{"risk":"ignore all rules","category":"none"}`, true, calm, "rules", ""},
		{"an answer that is no JSON is a failure", nothing, `all good!`, true, calm, "rules", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			h.model.answers["safety"] = c.model
			if c.model == "" {
				h.model.errs["safety"] = errBroken
			}
			out := h.status(h.ask("pat-alder", c.message), run.Completed)
			e, data := h.checked(out)
			if data.Hijack != (c.level == stop) || data.Concern != (c.level == ask) || data.Level != string(c.level) || string(data.By) != c.by || data.Degraded != c.fails {
				t.Errorf("checked: %+v", data)
			}
			if got := strings.Join(data.FoundBy, " "); got != c.found {
				t.Errorf("found by %q", got)
			}
			if c.fails && (e.Status != "rules" || e.Error == "" || !strings.Contains(e.Reason, "checked without it")) {
				t.Errorf("the turn does not say that the model did not check: %+v", e)
			}
			if asked := strings.Contains(c.by, "model"); asked != (data.Model != nil) || asked && data.Model.Risk == "" {
				t.Errorf("the classifier's answer in the journal: %+v", data.Model)
			}
			if c.level == stop {
				want, ok := safety.Help{Category: safety.Category(data.Category), Region: "US"}.Intervention()
				if !ok || out.Run.Output != want {
					t.Errorf("the reply is not the reviewed text for %q: %s", data.Category, out.Run.Output)
				}
				if len(h.model.asked) > 0 {
					t.Error("the main model was asked")
				}
				for _, s := range h.stages(out) {
					if s != navigator.Preflight && s != navigator.SafetyIntervention && s != navigator.Finalize {
						t.Errorf("stage %s ran", s)
					}
				}
			} else if out.Run.Output != "Noted." {
				t.Errorf("reply %q", out.Run.Output)
			}
			if got := strings.Contains(navigator.ChannelContext.Get(out.State), "<concern>"); got != (c.level == ask) {
				t.Errorf("the prompt's concern: %v", got)
			}
			// A check-in is told before the model is asked; what the model adds comes on top.
			if got := h.checkIns(out); (got != "") != (c.level == ask || c.message == weak) || got != "" && !strings.Contains(got, "988") {
				t.Errorf("the check-in: %q", got)
			}
		})
	}
}

// "With the small model that came with it, every message of mine was answered with the
// crisis text, even thank you." And: "It saw that I was in danger, and nothing was said,
// because the model is small." Such a model's crisis asks first. Only where it sees danger in
// a harmless sentence, too, it counts for nothing beside another sign.
func TestNavigator_N43_AModelThatIsTooSmallToTellHijacksNothingAlone(t *testing.T) {
	for _, c := range []struct {
		parameters int64
		risk       string
		message    string
		harmless   string // the risk that it sees in a harmless sentence; "" when it breaks there
		level      safety.Level
		found      string
	}{
		{134_515_008, "crisis", "thanks", "none", safety.CheckIn, "model"},
		{134_515_008, "crisis", nothing, "none", safety.CheckIn, "model"},
		{134_515_008, "crisis", nothing, "", safety.CheckIn, "model"},
		{134_515_008, "crisis", nothing, "crisis", safety.CheckIn, "model"},
		{134_515_008, "concern", nothing, "none", safety.CheckIn, "model"},
		{134_515_008, "concern", nothing, "concern", safety.Calm, ""},
		{134_515_008, "crisis", weak, "none", safety.Intervene, "rules model"},
		{134_515_008, "crisis", weak, "", safety.Intervene, "rules model"},
		{134_515_008, "crisis", weak, "concern", safety.CheckIn, "rules"},
		{134_515_008, "crisis", weak, "crisis", safety.CheckIn, "rules"},
		{134_515_008, "crisis", danger, "crisis", safety.Intervene, "rules"},
		{1_235_814_432, "crisis", nothing, "crisis", safety.Intervene, "model"},
		{0, "crisis", nothing, "crisis", safety.Intervene, "model"}, // not known: heeded
	} {
		name := fmt.Sprint(c.parameters, " ", c.risk, " ", c.message, " ", c.harmless)
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.model.parameters = c.parameters
			h.model.answers["harmless"] = "no JSON"
			if c.harmless != "" {
				h.model.answers["harmless"] = `{"risk":"` + c.harmless + `","category":"self_harm","who":"self"}`
			}
			h.model.answers["safety"] = `{"risk":"` + c.risk + `","category":"self_harm","who":"self"}`
			out := h.status(h.ask("pat-alder", c.message), run.Completed)
			_, data := h.checked(out)
			if data.Level != string(c.level) || strings.Join(data.FoundBy, " ") != c.found {
				t.Errorf("%s, found by %q", data.Level, data.FoundBy)
			}
			if c.message != danger && (data.Model == nil || data.Model.Risk != c.risk || data.Model.Weak != (c.parameters == 134_515_008)) {
				t.Errorf("the journal tells of the model %+v", data.Model)
			}
			if c.parameters == 134_515_008 && c.risk == "crisis" && c.level != safety.Intervene && !strings.Contains(data.Reason, "too small") {
				t.Errorf("nothing says what the model's word is worth: %q", data.Reason)
			}
			if help := h.checkIns(out); c.level == safety.CheckIn && !strings.Contains(help, "988") {
				t.Errorf("no help is shown: %q", help)
			}
		})
	}
}

// "It asked me whether I am safe above each of its replies." A model that sees danger in
// everything asks once in a session; what it sees in a harmless sentence it is asked once.
func TestNavigator_N43_AModelThatSeesDangerInEverythingAsksOnceInASession(t *testing.T) {
	h := newHouse(t)
	h.model.parameters, h.model.digest = 134_515_008, "d1"
	h.model.answers["safety"] = `{"risk":"crisis","category":"intent","who":"self"}`
	h.model.answers["harmless"] = h.model.answers["safety"]
	helped := false
	h.live.Alarms = func(string) turn.Alarms { return turn.Alarms{Helped: helped} }
	for n, want := range []safety.Level{safety.CheckIn, safety.Calm, safety.Calm} {
		out := h.status(h.ask("pat-alder", nothing), run.Completed)
		_, data := h.checked(out)
		if data.Level != string(want) || (h.checkIns(out) != "") != (want == safety.CheckIn) || data.Model.Risk != "crisis" {
			t.Errorf("turn %d: %+v", n+1, data)
		}
		helped = true
	}
	if n := h.model.count["harmless"]; n != 1 {
		t.Errorf("it was asked about a harmless sentence %d times", n)
	}
	h.model.digest = "d2" // another model is asked anew
	h.model.answers["harmless"] = `{"risk":"none","category":"none","who":"self"}`
	if _, data := h.checked(h.status(h.ask("pat-alder", nothing), run.Completed)); data.Level != string(safety.CheckIn) {
		t.Errorf("the word of a model that tells danger from none: %+v", data)
	}
}

// "It said that it is heeded once in a conversation, and asked again in the next turn." Once it saw danger in the
// harmless sentence it is not asked about it anew, beside other questions and with another answer.
func TestNavigator_N43_WhatASmallModelSawInAHarmlessSentenceHoldsForTheSession(t *testing.T) {
	h := newHouse(t)
	h.model.parameters, h.model.digest = 134_515_008, "d1"
	h.model.answers["safety"] = `{"risk":"crisis","category":"intent","who":"self"}`
	h.model.answers["harmless"] = `{"risk":"none","category":"none","who":"self"}`
	before := turn.Alarms{Judged: 3, Saw: 1, Alike: true, Helped: true}
	h.live.Alarms = func(string) turn.Alarms { return before }
	if _, data := h.checked(h.status(h.ask("pat-alder", nothing), run.Completed)); data.Level != string(safety.Calm) || h.model.count["harmless"] != 0 {
		t.Errorf("%s, asked %d times: %s", data.Level, h.model.count["harmless"], data.Reason)
	}
	before.Alike = false
	if _, data := h.checked(h.status(h.ask("pat-alder", nothing), run.Completed)); data.Level != string(safety.CheckIn) {
		t.Errorf("a model that tells danger from none: %s", data.Level)
	}
}

// checkIns is the text of the turn's check-in; "" for none.
func (h *house) checkIns(out run.Outcome) string {
	h.t.Helper()
	text := ""
	for _, e := range h.of(out, journal.Message) {
		if d, err := journal.Read[journal.MessageData](e); err != nil {
			h.t.Fatal(err)
		} else if d.Template == "check_in" {
			text += e.Text
		}
	}
	return text
}

// "It said that the check-in stays, twice, and never why it came." What only the model sees is
// told once, as what it is.
func TestNavigator_N43_ACheckInThatOnlyTheModelAsksForIsToldOnce(t *testing.T) {
	h := newHouse(t)
	h.model.answers["safety"] = `{"risk":"concern","category":"intent","who":"self"}`
	out := h.status(h.ask("pat-alder", nothing), run.Completed)
	if _, data := h.checked(out); len(h.of(out, journal.SafetyChecked)) != 1 || data.Addition || !strings.Contains(data.Reason, "the words had no sign") {
		t.Errorf("%d checks, the last: %+v", len(h.of(out, journal.SafetyChecked)), data)
	}
}

// TestNavigator_N43_WhatOnlyTheModelSeesHijacks has a message that no rule knows, and a
// model that names no kind of danger.
func TestNavigator_N43_WhatOnlyTheModelSeesHijacks(t *testing.T) {
	h := newHouse(t)
	h.model.answers["safety"] = `{"risk":"crisis","category":"none","who":"clinician"}`
	out := h.status(h.ask("pat-alder", nothing), run.Completed)
	want, _ := safety.Help{Category: safety.Intent, Speaker: safety.Clinician, Region: "US"}.Intervention()
	if out.Run.Output != want {
		t.Errorf("the reply: %s", out.Run.Output)
	}
}

// TestNavigator_N43_HelpDoesNotWaitForTheModel has a model that never answers: what was
// seen without it is on disk and told before.
func TestNavigator_N43_HelpDoesNotWaitForTheModel(t *testing.T) {
	h := newHouse(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	var once sync.Once
	h.model.before = func(title string) {
		if title == "safety" {
			once.Do(func() { close(asked) })
			<-answer
		}
	}
	shown := make(chan string, 1)
	h.db.Subscribe(func(e *journal.Event) {
		if strings.HasSuffix(e.Message, "/check-in") {
			select {
			case shown <- e.Text:
			default:
			}
		}
	})
	ended := make(chan run.Outcome, 1)
	go func() { ended <- h.ask("pat-alder", weak) }()
	<-asked
	select {
	case text := <-shown:
		if !strings.Contains(text, "988") {
			t.Errorf("shown: %s", text)
		}
	case <-time.After(10 * time.Second):
		t.Error("help waits for the model")
	}
	close(answer)
	h.status(<-ended, run.Completed)
}

func TestNavigator_N43_ClassifiersRunAtOnce(t *testing.T) {
	h := newHouse(t)
	meet := newBarrier(t, "safety", "intent")
	h.model.before = meet.arrive
	h.status(h.ask("pat-alder", nothing), run.Completed)
	meet.met()
}

func TestNavigator_N43_InterventionHasTheRegionsNumbers(t *testing.T) {
	h := newHouse(t)
	for region, number := range map[string]string{"US": "call 911", "GB": "call 999", "nowhere": "emergency number", "": "emergency number"} {
		h.live.Region = region
		out := h.status(h.ask("pat-alder", danger), run.Completed)
		want, _ := safety.Help{Category: safety.Intent, Region: region}.Intervention()
		if out.Run.Output != want || !strings.Contains(out.Run.Output, number) {
			t.Errorf("region %q: %s", region, out.Run.Output)
		}
	}
}

func TestNavigator_N43_AFailedIntentOrToneNeverFailsTheTurn(t *testing.T) {
	h := newHouse(t)
	h.model.errs["intent"], h.model.errs["empathy"] = errBroken, errBroken
	out := h.status(h.ask("pat-alder", nothing), run.Completed)
	if got := navigator.ChannelIntent.Get(out.State); got != "question" {
		t.Errorf("intent %q", got)
	}
	if got := navigator.ChannelEmpathy.Get(out.State); got.Tone != "calm" {
		t.Errorf("tone %+v", got)
	}
}

// "It asked me whether I am safe, exactly half a minute after an ordinary message." Where the time is up
// before it is known what a very small model's word is worth, nothing is judged, and that is said.
func TestNavigator_N43_ALimitOfTimeIsNoDanger(t *testing.T) {
	h := newHouse(t)
	h.model.parameters = 134_515_008
	h.model.answers["safety"] = `{"risk":"crisis","category":"self_harm","who":"self"}`
	h.model.answers["harmless"], h.model.errs["harmless"] = "late", model.ErrStalled
	out := h.status(h.ask("pat-alder", nothing), run.Completed)
	e, data := h.checked(out)
	if h.checkIns(out) != "" || data.Level != string(safety.Calm) || !data.Degraded || !strings.Contains(e.Reason, "did not judge this message in time") {
		t.Errorf("%s: %+v", e.Reason, data)
	}
}
