package navigator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/encoder"
	"holdpoint/engine/journal"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// public puts the records of the public sample into a house.
func (h *house) public() {
	h.t.Helper()
	dir := os.Getenv("HOLDPOINT_FHIR_BULK")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data", "fhir-bulk-10-patients")
	}
	if _, err := os.Stat(dir); err != nil {
		h.t.Skip("the public sample is not here")
	}
	rep, err := record.ImportPath(h.t.Context(), h.db, dir, record.ImportOptions{Now: h.clock})
	if err != nil || rep.Total.Failed > 0 {
		h.t.Fatal(err, rep.Errors)
	}
}

func (h *house) summary(patient string) (s record.Summary) {
	h.t.Helper()
	err := h.db.ViewRecords(func(tx record.Tx) error {
		var err error
		s, err = record.PatientSummary(tx, patient, h.clock())
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// "It did not know of half of my patients' medicines, and did not say so."
func TestNavigator_N14_NoPatientsAllergiesOrMedicinesAreLost(t *testing.T) {
	h := newHouse(t)
	h.public()
	patients := h.all("Patient")
	if len(patients) < 13 {
		t.Fatalf("%d patients", len(patients))
	}
	medicines := 0
	for _, p := range patients {
		out := h.status(h.askIn(p.ID, p.ID, "What should I know?"), run.Completed)
		prompt := said(h.model.last())
		s := h.summary(p.ID)
		for _, item := range slices.Concat(s.Allergies, s.Medications) {
			medicines++
			if !strings.Contains(prompt, "- "+strings.Join(strings.Fields(item.Text), " ")) {
				t.Errorf("%s: the prompt does not have %q", p.ID, item.Text)
			}
		}
		if n := len(navigator.ChannelContext.Get(out.State)); n > 12000 {
			t.Errorf("%s: a context of %d characters", p.ID, n)
		}
		if strings.Contains(prompt, `{"`) {
			t.Errorf("%s: the prompt has JSON in it", p.ID)
		}
	}
	if medicines < 30 {
		t.Errorf("only %d allergies and medicines were looked for", medicines)
	}
}

// "On the small model it dropped the penicillin allergy and kept my old visits": whatever
// the room, what is needed more is whole before what is needed less has any, no line is
// broken, and what is gone is named to the model and to the person.
func TestNavigator_N37_WhatDoesNotFitIsCutByWholeItemsAndNamed(t *testing.T) {
	for _, context := range []int{700, 1024, 2048, 3000, 4096, 8192} {
		t.Run(fmt.Sprint(context), func(t *testing.T) {
			h := newHouse(t)
			h.model.context = context
			for i := range 25 {
				h.put(fmt.Sprintf(`{"resourceType":"AllergyIntolerance","id":"al-%d","patient":{"reference":"Patient/pat-alder"},"code":{"text":"Allergy %d"},"criticality":"high"}`, i, i))
				h.put(fmt.Sprintf(`{"resourceType":"MedicationRequest","id":"me-%d","status":"active","subject":{"reference":"Patient/pat-alder"},"medicationCodeableConcept":{"text":"Medicine %d with a long name"}}`, i, i))
				h.put(fmt.Sprintf(`{"resourceType":"Encounter","id":"en-%d","status":"finished","subject":{"reference":"Patient/pat-alder"},"type":[{"text":"Visit %d"}],"period":{"start":"2026-01-%02dT10:00:00Z"}}`, i, i, i+1))
			}
			out := h.status(h.ask("pat-alder", "What may I take?"), run.Completed)
			r := h.model.last()
			prompt := said(r)
			s := h.summary("pat-alder")
			whole := map[string]string{}
			count := func(group string, items []record.Item) (there int) {
				for _, i := range items {
					if strings.Contains(prompt, "- "+i.Text) || strings.Contains(prompt, " "+i.Text+"\n") {
						there++
					}
				}
				whole[group] = fmt.Sprintf("%d of %d", there, len(items))
				return there
			}
			allergies, medicines, encounters := count("allergies", s.Allergies), count("medicines", s.Medications), count("encounters", s.Encounters)
			if medicines > 0 && allergies < len(s.Allergies) || encounters > 0 && medicines < len(s.Medications) {
				t.Errorf("what is needed less took the place of what is needed more: %v", whole)
			}
			for line := range strings.Lines(prompt) {
				if strings.HasSuffix(strings.TrimSpace(line), "…") || strings.HasPrefix(line, "- Allergy") && !strings.HasSuffix(line, ", criticality high\n") {
					t.Errorf("a line is broken: %q", line)
				}
			}
			cut := allergies+medicines+encounters < len(s.Allergies)+len(s.Medications)+len(s.Encounters)
			if cut != strings.Contains(prompt, `<degraded section="patient_context">no room for `) {
				t.Errorf("cut: %v (%v); the prompt says\n%s", cut, whole, prompt)
			}
			named := slices.ContainsFunc(navigator.ChannelAssembly.Get(out.State).Degraded, func(s navigator.Section) bool { return s.Tool == "patient_context" })
			if cut != named {
				t.Errorf("cut %v, but the turn's degraded sections are %v", cut, navigator.ChannelAssembly.Get(out.State).Degraded)
			}
			if cut {
				wantReply(t, h, out, "patient_context")
			}
			if context >= 8192 && cut || context <= 1024 && !cut {
				t.Errorf("at %d tokens: %v", context, whole)
			}
			if context >= 1024 && len(prompt) > context*turn.CharsPerToken {
				t.Errorf("a prompt of %d characters for %d tokens", len(prompt), context)
			}
		})
	}
}

// "It knew of the infusion, and not of the limit at the end of its name." What the record calls something stands there whole.
func TestNavigator_N37_WhatHasALongNameStandsWhole(t *testing.T) {
	h := newHouse(t)
	long := "Insulin glargine 100 units per millilitre, " + strings.Repeat("with the evening meal unless glucose is below five, ", 9) + "never more than 20 units"
	h.put(fmt.Sprintf(`{"resourceType":"MedicationRequest","id":"me-long","status":"active","subject":{"reference":"Patient/pat-alder"},"medicationCodeableConcept":{"text":%q}}`, long))
	h.status(h.ask("pat-alder", "What may I take?"), run.Completed)
	if prompt := said(h.model.last()); !strings.Contains(prompt, "- "+long) {
		t.Errorf("a name of %d characters is cut:\n%s", len(long), prompt)
	}
}

// "It read half a JSON object and made up the rest."
func TestNavigator_AToolsLongResultIsCutByWholeItems(t *testing.T) {
	h := newHouse(t)
	h.model.context = 2048
	for i := range 60 {
		h.put(fmt.Sprintf(`{"resourceType":"Condition","id":"co-%d","subject":{"reference":"Patient/pat-alder"},"code":{"text":"A condition with a rather long name, number %d"}}`, i, i))
	}
	h.model.think = calls(call("patient_summary", `{}`))
	h.status(h.ask("pat-alder", "What do I have?"), run.Completed)
	got := results(h.model.last())[0].Text
	var answer struct {
		Allergies, Medications, Conditions []record.Item
		NotShown                           map[string]int `json:"not_shown"`
	}
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if len(answer.Allergies) != 1 || len(answer.Medications) != 1 || len(answer.Conditions)+answer.NotShown["conditions"] != 40 || answer.NotShown["conditions"] == 0 || len(got) > 2048 {
		t.Errorf("%d characters: %s", len(got), got)
	}
}

// "The patient's medicine was renamed, and it went on with the old name"; "the visit is
// over, and it still says that it comes".
func TestNavigator_N31_EverythingThatWasReadCounts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(h *house)
		ran    []string
		has    string
		gone   string
	}{
		"a medicine that an order refers to": {func(h *house) {
			h.put(`{"resourceType":"Medication","id":"med-x","code":{"text":"Zopiclone 7.5 mg"}}`)
		}, []string{"patient_context"}, "Zopiclone 7.5 mg", "Zopiclone 3.75 mg"},
		"a medicine that was not there": {func(h *house) {
			h.put(`{"resourceType":"Medication","id":"med-y","code":{"text":"Melatonin"}}`)
		}, []string{"patient_context"}, "Melatonin", ""},
		"a visit that is over": {func(h *house) { h.pass(26 * time.Hour) }, []string{"patient_context"}, "Upcoming visits: none", "id next"},
		"a birthday":           {func(h *house) { h.pass(11 * 24 * time.Hour) }, []string{"patient_context"}, "42 years", "41 years"},
		"a provider's place": {func(h *house) {
			h.put(`{"resourceType":"Location","id":"larch-street","status":"active","name":"Larch","address":{"city":"Newtown"}}`)
		}, []string{"provider_genome", "therapeutic_fit"}, "Newtown", "Elmford"},
		"the patient's language": {func(h *house) {
			h.put(`{"resourceType":"Patient","id":"pat-alder","birthDate":"1984-03-12","name":[{"family":"Alder","given":["Rowan"]}],"communication":[{"language":{"text":"Igbo"},"preferred":true}]}`)
		}, []string{"patient_context", "therapeutic_fit"}, "speaks Igbo", ""},
		"nothing": {func(*house) {}, []string{}, "Zopiclone 3.75 mg", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.put(`{"resourceType":"Medication","id":"med-x","code":{"text":"Zopiclone 3.75 mg"}}`)
			h.put(`{"resourceType":"MedicationRequest","id":"order-x","status":"active","subject":{"reference":"Patient/pat-alder"},"medicationReference":{"reference":"Medication/med-x"}}`)
			h.put(`{"resourceType":"MedicationRequest","id":"order-y","status":"active","subject":{"reference":"Patient/pat-alder"},"medicationReference":{"reference":"Medication/med-y"}}`)
			h.put(`{"resourceType":"Appointment","id":"next","status":"booked","start":"2026-03-03T09:00:00Z","end":"2026-03-03T09:50:00Z","participant":[{"actor":{"reference":"Patient/pat-alder"},"status":"accepted"}]}`)
			out := h.status(h.ask("pat-alder", "I want someone for insomnia."), run.Completed)
			if first := navigator.ChannelContext.Get(out.State); c.gone != "" && !strings.Contains(first, c.gone) {
				t.Fatalf("%q is not in\n%s", c.gone, first)
			}
			c.change(h)
			out = h.status(h.ask("pat-alder", "ok, thanks"), run.Completed)
			wantTools(t, "ran", h.ran(out), c.ran)
			now := navigator.ChannelContext.Get(out.State)
			if !strings.Contains(now, c.has) || c.gone != "" && strings.Contains(now, c.gone) {
				t.Errorf("the prompt has\n%s", now)
			}
		})
	}
}

// fitOf is the ranking of a turn.
func fitOf(t *testing.T, out run.Outcome) (f navigator.Fit) {
	t.Helper()
	if err := json.Unmarshal(navigator.ChannelBundle.Get(out.State)["therapeutic_fit"], &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func (h *house) provider(id, family, specialty, more string) {
	h.t.Helper()
	h.put(fmt.Sprintf(`{"resourceType":"Practitioner","id":%q,"active":true,"name":[{"family":%q}]%s}`, id, family, more))
	h.put(fmt.Sprintf(`{"resourceType":"PractitionerRole","id":%q,"practitioner":{"reference":"Practitioner/%s"},"specialty":[{"text":%q}]}`, id+"-role", id, specialty))
}

// many puts providers of feet into the records, in one go.
func (h *house) many(n int) {
	h.t.Helper()
	h.update(func(tx store.Tx) error {
		for i := range n {
			for _, resource := range []string{
				fmt.Sprintf(`{"resourceType":"Practitioner","id":"m%d","active":true,"name":[{"family":"M%d"}]}`, i, i),
				fmt.Sprintf(`{"resourceType":"PractitionerRole","id":"m%d-role","practitioner":{"reference":"Practitioner/m%d"},"specialty":[{"text":"Podiatry"}]}`, i, i),
			} {
				r, err := record.New(json.RawMessage(resource), h.clock())
				if err == nil {
					err = tx.PutRecord(r)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// opposite puts every description away from everything that is said.
type opposite struct{ vectors }

func (opposite) Vector(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		if out[i] = []float32{0, 1}; strings.Contains(s, "roof") {
			out[i] = []float32{1, 0.1}
		}
	}
	return out, nil
}

// "We have three hundred people; it only ever proposes those whose names begin with A to M."
func TestNavigator_AllProvidersAreRankedNotTheFirstByName(t *testing.T) {
	h := newHouse(t)
	h.many(300)
	h.provider("zz-last", "Zzyzx", "Stuttering", "")
	h.model.answers["client_signal"] = `{"signal_summary":"","concerns":[],"goals":[],"preferences":[],"urgency":"routine"}`
	h.model.think = calls(call("find_providers", `{"query":"stuttering"}`))
	out := h.status(h.ask("pat-alder", "Who treats stuttering?"), run.Completed)
	f := fitOf(t, out)
	if len(f.Ranked) != 1 || f.Ranked[0].ID != "zz-last" || f.Considered != 313 {
		t.Errorf("%+v", f)
	}
	if got := results(h.model.last())[0].Text; !strings.Contains(got, "zz-last") {
		t.Errorf("find_providers: %s", got)
	}
	// The list that the prompt has is cut, and says so.
	if c := navigator.ChannelContext.Get(out.State); !strings.Contains(c, "313 in the records") || !strings.Contains(c, `<degraded section="provider_genome">no room for `) {
		t.Error("the prompt does not say that it lists only some")
	}
	// One that is beyond the list changes: the ranking is made anew.
	h.provider("zz-other", "Zzz", "Stuttering in children", "")
	out = h.status(h.ask("pat-alder", "thanks"), run.Completed)
	if f := fitOf(t, out); len(f.Ranked) != 2 {
		t.Errorf("%+v", f)
	}
}

// "It proposed a dentist for my grief": below the floor nobody fits, and it says so.
func TestNavigator_NobodyIsMadeToFit(t *testing.T) {
	for name, e := range map[string]encoder.Encoder{"by keywords": nil, "by meaning": &opposite{}} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.model.answers["client_signal"] = `{"signal_summary":"","concerns":[],"goals":[],"preferences":[],"urgency":"routine"}`
			h.live.Encoder = e
			for _, message := range []string{"Hello", "Hello, my roof leaks"} {
				out := h.status(h.askIn(message, "pat-alder", message), run.Completed)
				if f := fitOf(t, out); len(f.Ranked) != 0 || f.Considered != 12 {
					t.Errorf("%+v", f)
				}
				if c := navigator.ChannelContext.Get(out.State); !strings.Contains(c, "Nobody in the records fits") {
					t.Error("the prompt does not say so")
				}
			}
		})
	}
}

// "I asked for somebody who speaks Arabic"; "she lives in Newtown".
func TestNavigator_LanguagePlaceAndCoordinatorsTakePart(t *testing.T) {
	h := newHouse(t)
	h.model.answers["client_signal"] = `{"signal_summary":"","concerns":[],"goals":[],"preferences":[],"urgency":"routine"}`
	h.provider("sleep-here", "Aa", "Sleep medicine", `,"communication":[{"text":"English"}],"address":[{"city":"Elmford"}]`)
	h.provider("sleep-there", "Bb", "Sleep medicine", `,"communication":[{"text":"Arabic"}],"address":[{"city":"Newtown"}]`)
	h.provider("arranges", "Cc", "Care coordinator", "")
	for _, c := range []struct{ patient, text, first, because string }{
		{"pat-birch", "Sleep medicine please, in arabic", "sleep-there", "speaks Arabic"},
		{"pat-birch", "Sleep medicine in Newtown?", "sleep-there", "in Newtown"},
		{"pat-own", "Sleep medicine please", "sleep-there", "speaks Arabic"},
		{"pat-town", "Sleep medicine please", "sleep-there", "in Newtown"},
		{"pat-birch", "Is there anybody who speaks Swedish?", "prov-lindqvist", "speaks Swedish"},
	} {
		h.put(`{"resourceType":"Patient","id":"pat-own","name":[{"family":"Own"}],"communication":[{"language":{"text":"English"}},{"language":{"text":"Arabic"},"preferred":true}]}`)
		h.put(`{"resourceType":"Patient","id":"pat-town","name":[{"family":"Town"}],"address":[{"city":"Newtown"}]}`)
		f := fitOf(t, h.status(h.askIn(c.text+c.patient, c.patient, c.text), run.Completed))
		if len(f.Ranked) == 0 || f.Ranked[0].ID != c.first || c.because != "" && !slices.Contains(f.Ranked[0].Because, c.because) {
			t.Errorf("%s for %s: %+v", c.text, c.patient, f.Ranked)
		}
		if len(f.Coordinators) != 1 || f.Coordinators[0].ID != "arranges" {
			t.Errorf("coordinators: %+v", f.Coordinators)
		}
	}
	f := fitOf(t, h.status(h.askIn("c", "pat-birch", "We need a coordinator for all these visits"), run.Completed))
	if len(f.Ranked) == 0 || f.Ranked[0].ID != "arranges" {
		t.Errorf("%+v", f.Ranked)
	}
	if !strings.Contains(said(h.model.last()), "Coordinators, who arrange care:\n- Cc (id arranges)") {
		t.Error("the prompt has no coordinator")
	}
}

// "Each answer said ‘degraded: provider genome’, and I could do nothing about it." The list of providers that the model
// has, and what the records simply do not have, is told once in a session; what was cut of a patient's record each time.
func TestNavigator_WhatIsTheSameAtEveryTurnIsToldOnce(t *testing.T) {
	h := newHouse(t)
	for i := range 300 {
		h.put(fmt.Sprintf(`{"resourceType":"Practitioner","id":"p%03d","name":[{"text":"Provider number %d of many"}],"qualification":[{"code":{"text":"General practice and family medicine"}}]}`, i, i))
	}
	degraded := func(out run.Outcome) (list []journal.Section) {
		for _, e := range h.of(out, journal.Message) {
			if d, err := journal.Read[journal.MessageData](e); err == nil && d.Role == journal.Assistant {
				list = d.Degraded
			}
		}
		return list
	}
	for i, patient := range []string{"pat-alder", "pat-alder", ""} {
		list := degraded(h.status(h.ask(patient, "Who is here?"), run.Completed))
		at := slices.IndexFunc(list, func(s journal.Section) bool { return s.Tool == "provider_genome" })
		if at < 0 || list[at].Absent || list[at].Again != (i > 0) || !strings.Contains(list[at].Reason, "all of them are searched") {
			t.Errorf("turn %d: %+v", i+1, list)
		}
		if at := slices.IndexFunc(list, func(s journal.Section) bool { return s.Tool == "patient_context" }); patient == "" && (at < 0 || !list[at].Absent) {
			t.Errorf("nobody is chosen: %+v", list)
		}
	}
}
