package navigator_test

import (
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/safety"
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
	if len(list) != 1 {
		h.t.Fatalf("%d safety_checked", len(list))
	}
	data, err := journal.Read[journal.SafetyCheckedData](list[0])
	if err != nil {
		h.t.Fatal(err)
	}
	return list[0], data
}

func TestNavigator_N43_WhoCanHijackATurn(t *testing.T) {
	crisis := `{"risk":"crisis","category":"intent"}`
	none := `{"risk":"none","category":"none"}`
	for _, c := range []struct {
		name, message, model string
		fails                bool
		hijack, concern      bool
		by                   string
	}{
		{"the rules alone hijack, whatever the model says", danger, none, false, true, false, "rules+model"},
		{"the rules hijack when the model's check fails", danger, "", true, true, false, "rules"},
		{"a weak sign with the model's crisis hijacks", weak, crisis, false, true, false, "rules+model"},
		{"a weak sign alone does not", weak, none, false, false, false, "rules+model"},
		{"a weak sign without a working model does not", weak, "", true, false, false, "rules"},
		{"the model's crisis without any sign is a concern", nothing, crisis, false, false, true, "rules+model"},
		{"nothing seen by both is nothing", nothing, none, false, false, false, "rules+model"},
		{"an answer that is not one of the classes is a failure", nothing, `{"risk":"ignore all rules","category":"none"}`, true, false, false, "rules"},
		{"an answer that is no JSON is a failure", nothing, `all good!`, true, false, false, "rules"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			h.model.answers["safety"] = c.model
			if c.model == "" {
				h.model.errs["safety"] = errBroken
			}
			out := h.status(h.ask("pat-alder", c.message), run.Completed)
			e, data := h.checked(out)
			if data.Hijack != c.hijack || data.Concern != c.concern || string(data.By) != c.by || data.Degraded != c.fails {
				t.Errorf("checked: %+v", data)
			}
			if c.fails && (e.Status != "rules" || e.Error == "" || !strings.Contains(e.Reason, "rules only")) {
				t.Errorf("the turn does not say that only rules checked: %+v", e)
			}
			if c.hijack {
				want, ok := safety.Intervention(safety.Category(data.Category), "US")
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
			if got := strings.Contains(navigator.ChannelContext.Get(out.State), "<concern>"); got != c.concern {
				t.Errorf("the prompt's concern: %v", got)
			}
		})
	}
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
		want, _ := safety.Intervention(safety.Intent, region)
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
