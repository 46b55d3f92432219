package navigator_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
)

// complete is how complete a context tool called its result in a turn, as it recorded it.
func (h *house) complete(out run.Outcome, tool string) float64 {
	h.t.Helper()
	for _, e := range h.of(out, journal.ToolCompleted) {
		if e.Tool != tool {
			continue
		}
		d, err := journal.Read[journal.ToolCompletedData](e)
		if err != nil || d.Completeness == nil {
			h.t.Fatalf("%s says %+v (%v)", tool, d, err)
		}
		return *d.Completeness
	}
	h.t.Fatalf("%s did not run: %v", tool, h.tools(out, journal.ToolFailed))
	return 0
}

func wantComplete(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: %.3f is known, want %.3f", what, got, want)
	}
}

// "I had said good morning, and it took that for all it had to know of what I need."
func TestNavigator_N32_TheSignalIsAsCompleteAsWhatWasSaidOfTheNeed(t *testing.T) {
	for _, c := range []struct {
		name string
		s    navigator.Signal
		want float64
	}{
		{"nothing was said", navigator.Signal{Urgency: "routine"}, 0},
		{"blanks are no words", navigator.Signal{SignalSummary: " \n", Urgency: "routine"}, 0},
		{"a greeting is urgent to nobody", navigator.Signal{SignalSummary: "says hello", Urgency: "routine"}, 0.2},
		{"that it is urgent is known without more", navigator.Signal{SignalSummary: "wants help", Urgency: "urgent"}, 0.4},
		{"what matters about a visit, and no need", navigator.Signal{SignalSummary: "mornings", Preferences: []string{"mornings"}, Urgency: "routine"}, 0.4},
		{"a concern that can wait", navigator.Signal{SignalSummary: "sleep", Concerns: []string{"sleep"}, Urgency: "routine"}, 0.6},
		{"a goal that can wait", navigator.Signal{SignalSummary: "rest", Goals: []string{"rest"}, Urgency: "routine"}, 0.6},
		{"a concern whose urgency nobody told", navigator.Signal{SignalSummary: "sleep", Concerns: []string{"sleep"}, Goals: []string{"rest"}}, 0.6},
		{"concern, goal and urgency", navigator.Signal{SignalSummary: "sleep", Concerns: []string{"sleep"}, Goals: []string{"rest"}, Urgency: "soon"}, 0.8},
		{"everything", navigator.Signal{SignalSummary: "sleep", Concerns: []string{"sleep", "work"}, Goals: []string{"rest"}, Preferences: []string{"mornings"}, Urgency: "soon"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			for _, list := range []*[]string{&c.s.Concerns, &c.s.Goals, &c.s.Preferences} {
				if *list == nil {
					*list = []string{}
				}
			}
			h.model.answers["client_signal"] = string(model.JSON(c.s))
			out := h.status(h.ask("pat-alder", "I have something to say."), run.Completed)
			wantComplete(t, "the signal", h.complete(out, "client_signal"), c.want)
		})
	}
}

// "It wrote brackets and figures of what I need, and called that all it had to know." The person's own words stand in, and it says so.
func TestNavigator_N32_SignsAreNoSignal(t *testing.T) {
	h := newHouse(t)
	h.model.answers["client_signal"] = `{"signal_summary":"][1] { }; // 2.0","concerns":["1.0","2.0"],"goals":["What are your goals?"],"preferences":["[]"],"urgency":"urgent"}`
	out := h.status(h.ask("pat-alder", "I sleep badly since June."), run.Completed)
	degraded := navigator.ChannelAssembly.Get(out.State).Degraded
	if !slices.ContainsFunc(degraded, func(s navigator.Section) bool {
		return s.Tool == "client_signal" && strings.Contains(s.Reason, "the person's own last words stand here")
	}) {
		t.Error(degraded)
	}
}

// "It knew her name and nothing else, and behaved as if it knew her."
func TestNavigator_N32_TheProfileIsAsCompleteAsTheRecords(t *testing.T) {
	about := func(typ, id, more string) string {
		return fmt.Sprintf(`{"resourceType":%q,"id":%q,%s}`, typ, id, more)
	}
	var (
		subject    = `"subject":{"reference":"Patient/p"}`
		nobody     = `{"resourceType":"Patient","id":"p"}`
		named      = `{"resourceType":"Patient","id":"p","name":[{"family":"Body"}]}`
		born       = `{"resourceType":"Patient","id":"p","name":[{"family":"Body"}],"birthDate":"1980-05-01"}`
		allergy    = about("AllergyIntolerance", "a", `"patient":{"reference":"Patient/p"},"code":{"text":"Penicillin"}`)
		medicine   = about("MedicationRequest", "m", `"status":"active","intent":"order",`+subject+`,"medicationCodeableConcept":{"text":"Sertraline"}`)
		condition  = about("Condition", "c", subject+`,"code":{"text":"Insomnia"}`)
		over       = about("Condition", "c", `"clinicalStatus":{"coding":[{"code":"resolved"}]},`+subject+`,"code":{"text":"Insomnia"}`)
		visit      = about("Encounter", "e", `"status":"finished",`+subject+`,"period":{"start":"2026-01-05T09:00:00Z"}`)
		document   = about("DocumentReference", "d", `"status":"current",`+subject)
		everything = []string{born, allergy, medicine, condition, visit}
	)
	for _, c := range []struct {
		name    string
		records []string
		want    float64
	}{
		{"nothing but that there is somebody", []string{nobody}, 0},
		{"a name", []string{named}, 1. / 6},
		{"a name and a birthday", []string{born}, 2. / 6},
		{"what does not matter for care adds nothing", []string{born, document}, 2. / 6},
		{"and an allergy", []string{born, allergy}, 3. / 6},
		{"and medicines", []string{born, allergy, medicine}, 4. / 6},
		{"and conditions", []string{born, allergy, medicine, condition}, 5. / 6},
		{"that one is over is known, too", []string{born, allergy, medicine, over}, 5. / 6},
		{"and visits", everything, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			for _, r := range c.records {
				h.put(r)
			}
			out := h.status(h.ask("p", "Hello"), run.Completed)
			wantComplete(t, "the profile", h.complete(out, "patient_context"), c.want)
		})
	}
	t.Run("less what did not fit", func(t *testing.T) {
		h := newHouse(t)
		for _, r := range everything {
			h.put(r)
		}
		for i := range 400 {
			h.put(about("Condition", fmt.Sprint("c", i), subject+fmt.Sprintf(`,"code":{"text":"Condition %d"}`, i)))
		}
		s := h.summary("p")
		there, omitted := len(s.Allergies)+len(s.Medications)+len(s.Conditions), 0
		for _, n := range s.Omitted {
			omitted += n
		}
		if omitted == 0 || there+omitted < 403 {
			t.Fatalf("of 403 lines %d are there and %d are not", there, omitted)
		}
		out := h.status(h.ask("p", "Hello"), run.Completed)
		wantComplete(t, "the profile", h.complete(out, "patient_context"), float64(there+1)/float64(there+omitted+1))
	})
	t.Run("nobody is selected", func(t *testing.T) {
		h := newHouse(t)
		out := h.status(h.ask("", "Hello"), run.Completed)
		wantComplete(t, "the profile", h.complete(out, "patient_context"), 0)
	})
}

// "Half of our people had no field in the records, and it was sure that it knew who does what."
func TestNavigator_N32_TheGenomeIsAsCompleteAsWhatProvidersSayTheyDo(t *testing.T) {
	h := newHouse(t)
	out := h.status(h.ask("pat-alder", "Hello"), run.Completed)
	wantComplete(t, "of the clinic's providers", h.complete(out, "provider_genome"), 1)
	all := len(h.all("Practitioner"))
	for i := range all {
		h.put(fmt.Sprintf(`{"resourceType":"Practitioner","id":"silent-%d","active":true,"name":[{"family":"Silent"}]}`, i))
		if i > 0 && i < all-1 {
			continue
		}
		out = h.status(h.ask("pat-alder", "ok, thanks"), run.Completed)
		wantComplete(t, fmt.Sprintf("with %d who say nothing", i+1), h.complete(out, "provider_genome"), float64(all)/float64(all+i+1))
	}
}

// "Of our long talk it had read the last minutes, and it called that the whole story."
func TestNavigator_N32_TheNarrativeIsAsCompleteAsWhatOfTheConversationWasRead(t *testing.T) {
	long := strings.Repeat("It began in spring, and it goes on. ", 50) // more than is read of one message
	for _, c := range []struct {
		name      string
		exchanges int
		said      string
		narrative string
		want      float64
	}{
		{"every word stands in the prompt", 0, "Hello", "", 1},
		{"a long message is retold", 0, tooLong("Hello."), "It began in spring.", 1},
		{"and nothing was", 0, tooLong("Hello."), " ", 0},
		{"the newest four of seven messages", 3, "Hello", "It began in spring.", 4. / 7},
		{"the newest four of thirteen", 6, "Hello", "It began in spring.", 4. / 13},
		{"and nothing of them", 6, "Hello", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			for range c.exchanges {
				h.history["s"] = append(h.history["s"], turn.Exchange{User: long, Reply: long})
			}
			h.model.answers["session_narrative"] = string(model.JSON(navigator.Narrative{Narrative: c.narrative, OpenQuestions: []string{}}))
			out := h.status(h.ask("pat-alder", c.said), run.Completed)
			wantComplete(t, "the narrative", h.complete(out, "session_narrative"), c.want)
		})
	}
}

// "Nobody here works with what I asked for, and it was content with whom it had."
func TestNavigator_N32_TheRankingIsAsCompleteAsTheBestOfItFits(t *testing.T) {
	for _, c := range []struct {
		need string
		want float64
	}{
		{"Falconry", 1},
		{"Falconry, glassblowing", 0.75}, // one of two words: half as much fits half again as well
		{"Falconry, glassblowing, basketry, taxidermy, numismatics", 0.3},
		{"Glassblowing", 0},
		{"Hello", 0},
	} {
		t.Run(c.need, func(t *testing.T) {
			h := newHouse(t)
			h.provider("prov-hawk", "Hawk", "Falconry", "")
			h.put(`{"resourceType":"Patient","id":"p","name":[{"family":"Body"}]}`)
			h.model.answers["client_signal"] = string(model.JSON(navigator.Signal{SignalSummary: c.need, Concerns: []string{}, Goals: []string{}, Preferences: []string{}, Urgency: "routine"}))
			out := h.status(h.ask("p", c.need), run.Completed)
			wantComplete(t, "the ranking", h.complete(out, "therapeutic_fit"), c.want)
			if f := fitOf(t, out); (len(f.Ranked) > 0) != (c.want > 0) {
				t.Errorf("ranked are %+v", f.Ranked)
			}
		})
	}
}
