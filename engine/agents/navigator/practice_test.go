package navigator

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/model"
)

// practise lets the script answer; heard is what was streamed.
func practise(t *testing.T, r model.Request) (answer model.Response, heard string, err error) {
	t.Helper()
	p := &model.Practice{Scripts: []model.Script{script()}}
	answer, err = p.Chat(context.Background(), r, func(s string) { heard += s })
	return answer, heard, err
}

func object(properties string, required ...string) json.RawMessage {
	list, _ := json.Marshal(required)
	return json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":` + string(list) + `,"additionalProperties":false}`)
}

var clinic = []model.Tool{
	{Name: "find_providers", Parameters: object(`"query":{"type":"string","maxLength":300}`, "query")},
	{Name: "provider_availability", Parameters: object(`"provider":{"type":"string"},"days":{"type":"integer"}`, "provider")},
	{Name: "patient_summary", Parameters: object(`"patient":{"type":"string"}`)},
	{Name: "book_appointment", Parameters: object(`"provider":{"type":"string"},"start":{"type":"string","format":"date-time"},"reason":{"type":"string"}`, "provider", "start")},
	{Name: "cancel_appointment", Parameters: object(`"appointment":{"type":"string"},"reason":{"type":"string"}`, "appointment")},
	{Name: "add_care_note", Parameters: object(`"text":{"type":"string","maxLength":4000}`, "text")},
}

// play lets the practice model run a turn against canned results and returns the
// calls as "tool arguments" and the reply.
func play(t *testing.T, said string, results map[string][]string) (calls []string, reply string) {
	t.Helper()
	r := model.Request{Tools: clinic, Messages: []model.Message{
		{Role: "system", Text: "<patient_context title=\"Patient profile\">\nAda Sample, female, id p1\nConditions:\n- Insomnia, since 2025-11-02\n</patient_context>"},
		{Role: "user", Text: "book a visit"}, {Role: "assistant", Text: "an earlier turn"},
		{Role: "user", Text: said},
	}}
	for range 8 {
		answer, heard, err := practise(t, r)
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Message.Calls) == 0 {
			if heard != answer.Message.Text {
				t.Fatalf("heard %q of %q", heard, answer.Message.Text)
			}
			return calls, answer.Message.Text
		}
		call := answer.Message.Calls[0]
		calls = append(calls, call.Tool+" "+string(call.Arguments))
		left := results[call.Tool]
		if len(left) == 0 {
			t.Fatalf("unexpected call %s %s", call.Tool, call.Arguments)
		}
		results[call.Tool] = left[1:]
		r.Messages = append(r.Messages, answer.Message, model.Message{Role: "tool", Call: call.ID, Tool: call.Tool, Text: left[0]})
	}
	t.Fatal("the turn doesn't end")
	return nil, ""
}

const (
	twoProviders = `{"providers":[{"id":"dr-1","name":"Provider One"},{"id":"dr-2","name":"Provider Two"}]}`
	twoSlots     = `{"slots":[{"start":"2026-03-02T09:00:00Z","end":"2026-03-02T09:30:00Z"},{"start":"2026-03-02T10:00:00Z"}]}`
)

func TestPractice_plays_a_navigator(t *testing.T) {
	for name, c := range map[string]struct {
		said    string
		results map[string][]string
		calls   []string
		reply   string
	}{
		"finding someone": {"Can I see a therapist about sleep?",
			map[string][]string{"find_providers": {twoProviders}},
			[]string{`find_providers {"query":"sleep"}`}, "Provider One; Provider Two"},
		"a visit with somebody": {"Book her a visit about her sleep with Dr Tahmina Rahman",
			map[string][]string{"find_providers": {twoProviders}, "provider_availability": {twoSlots}, "book_appointment": {`{"status":"done"}`}},
			[]string{`find_providers {"query":"her sleep with Dr Tahmina Rahman"}`, `provider_availability {"provider":"dr-1"}`, `book_appointment {"provider":"dr-1","reason":"her sleep","start":"2026-03-02T09:00:00Z"}`}, "booked"},
		"finding no one": {"Find a specialist for hiccups",
			map[string][]string{"find_providers": {`{"providers":[]}`}},
			[]string{`find_providers {"query":"hiccups"}`}, "no provider"},
		"asking for slots": {"When is someone available for insomnia?",
			map[string][]string{"find_providers": {twoProviders}, "provider_availability": {twoSlots}},
			[]string{`find_providers {"query":"insomnia"}`, `provider_availability {"provider":"dr-1"}`}, "Monday 2 March 2026 at 09:00 UTC"},
		"booking": {"Please book an appointment about insomnia.",
			map[string][]string{"find_providers": {twoProviders}, "provider_availability": {twoSlots}, "book_appointment": {`{"status":"done","result":{"appointment":"a1","start":"2026-03-02T09:00:00Z"},"modified_by_reviewer":true}`}},
			[]string{`find_providers {"query":"insomnia"}`, `provider_availability {"provider":"dr-1"}`, `book_appointment {"provider":"dr-1","reason":"insomnia","start":"2026-03-02T09:00:00Z"}`}, "booked for Monday 2 March 2026 at 09:00 UTC. The reviewer changed"},
		"booking with the second provider when the first is full": {"book a visit for pain",
			map[string][]string{"find_providers": {twoProviders}, "provider_availability": {`{"slots":[]}`, twoSlots}, "book_appointment": {`{"status":"done"}`}},
			[]string{`find_providers {"query":"pain"}`, `provider_availability {"provider":"dr-1"}`, `provider_availability {"provider":"dr-2"}`, `book_appointment {"provider":"dr-2","reason":"pain","start":"2026-03-02T09:00:00Z"}`}, "booked"},
		"booking when all are full": {"book a visit for pain",
			map[string][]string{"find_providers": {twoProviders}, "provider_availability": {`{"slots":[]}`, `{"slots":[]}`}},
			[]string{`find_providers {"query":"pain"}`, `provider_availability {"provider":"dr-1"}`, `provider_availability {"provider":"dr-2"}`}, "no open slot"},
		"a rejected booking": {"book a visit for pain",
			map[string][]string{"find_providers": {twoProviders}, "provider_availability": {twoSlots}, "book_appointment": {`{"status":"rejected","reason":"wrong clinic"}`}},
			[]string{`find_providers {"query":"pain"}`, `provider_availability {"provider":"dr-1"}`, `book_appointment {"provider":"dr-1","reason":"pain","start":"2026-03-02T09:00:00Z"}`}, "did not approve this: wrong clinic."},
		"a refused booking": {"book a visit for pain",
			map[string][]string{"find_providers": {twoProviders}, "provider_availability": {twoSlots}, "book_appointment": {`{"status":"refused","reason":"the slot is taken"}`}},
			[]string{`find_providers {"query":"pain"}`, `provider_availability {"provider":"dr-1"}`, `book_appointment {"provider":"dr-1","reason":"pain","start":"2026-03-02T09:00:00Z"}`}, "the slot is taken"},
		"cancelling": {"Cancel my next appointment",
			map[string][]string{"patient_summary": {`{"summary":{"upcoming_appointments":[{"id":"a7"}]}}`}, "cancel_appointment": {`{"status":"done"}`}},
			[]string{`patient_summary {}`, `cancel_appointment {"appointment":"a7"}`}, "cancelled"},
		"cancelling nothing": {"Cancel my next appointment",
			map[string][]string{"patient_summary": {`{"upcoming_appointments":[]}`}},
			[]string{`patient_summary {}`}, "nothing to cancel"},
		"what is not there": {"What are his allergies?",
			map[string][]string{"patient_summary": {`{"patient":{"name":"Ada Sample","birth_date":"1984-03-12","age":42},"conditions":[{"text":"Insomnia","date":"2025-11-02"}],"allergies":[],"recent_encounters":[{"text":"Follow-up visit","date":"2026-09-14T10:00:00Z"}],"upcoming_appointments":[{"start":"2026-03-02T14:00:00Z"}],"zone":"America/New_York"}`}},
			[]string{`patient_summary {}`}, "From the record:\n\n**Ada Sample**, born 1984-03-12 (age 42)\n- Allergies: none in the record\n- Medications: none in the record\n- Conditions: Insomnia\n- Next visit: Monday 2 March 2026 at 09:00 New York time (UTC-05:00)\n\n(Practice"},
		"when somebody came": {"When did she come for her last visit?",
			map[string][]string{"patient_summary": {`{"patient":{"name":"Ada Sample"},"recent_encounters":[{"text":"Follow-up visit","date":"2026-09-14T10:00:00Z"}]}`}},
			[]string{`patient_summary {}`}, "- Last visit: 2026-09-14, Follow-up visit\n"},
		"how old somebody is": {"How old is she?",
			map[string][]string{"patient_summary": {`{"patient":{"name":"Ada Sample","birth_date":"1984-03-12","age":42}}`}},
			[]string{`patient_summary {}`}, "born 1984-03-12 (age 42)"},
		"thanks": {"No thanks, that's all", nil, nil, "You are welcome."},
		"which there are": {"Which doctors do you have here?",
			map[string][]string{"find_providers": {`{"providers":[],"specialties":["Sleep medicine"],"more_specialties":3}`}},
			[]string{`find_providers {"query":"Which doctors do you have here?"}`}, "Specialties here are: Sleep medicine, and 3 more."},
		"a visit that is with somebody for nothing": {"Book with Dr Okafor",
			map[string][]string{"find_providers": {twoProviders}, "provider_availability": {twoSlots}, "book_appointment": {`{"status":"done"}`}},
			[]string{`find_providers {"query":"Dr Okafor"}`, `provider_availability {"provider":"dr-1"}`, `book_appointment {"provider":"dr-1","start":"2026-03-02T09:00:00Z"}`}, "booked"},
		"a title with its dot": {"Book with Dr. Okafor on Sunday at 10:00",
			map[string][]string{"find_providers": {`{"providers":[]}`}},
			[]string{`find_providers {"query":"Dr Okafor"}`}, "no provider"},
		"a note": {"Add a care note: sleeps better since Monday",
			map[string][]string{"add_care_note": {`{"status":"done"}`}},
			[]string{`add_care_note {"text":"sleeps better since Monday"}`}, "written"},
		"small talk": {"Good morning!", nil, nil, "record of Ada Sample before me, which lists Insomnia"},
		"a result that is no JSON": {"find a therapist",
			map[string][]string{"find_providers": {`<html>`}},
			[]string{`find_providers {"query":"find a therapist"}`}, "no provider"},
	} {
		t.Run(name, func(t *testing.T) {
			calls, reply := play(t, c.said, c.results)
			if strings.Join(calls, "\n") != strings.Join(c.calls, "\n") {
				t.Fatalf("calls\n%s\nwant\n%s", strings.Join(calls, "\n"), strings.Join(c.calls, "\n"))
			}
			if !strings.Contains(reply, c.reply) || !strings.Contains(reply, "Practice mode") {
				t.Fatalf("reply %q", reply)
			}
		})
	}
}

func TestPractice_fills_formats_by_their_schema(t *testing.T) {
	for _, c := range []struct{ said, schema, want string }{
		{"I slept well", `{"title":"safety","type":"object","properties":{"risk":{"enum":["crisis","concern","none"]},"category":{"enum":["intent","none"]}},"required":["risk","category"]}`, `{"category":"none","risk":"none"}`},
		{"I want to kill myself", `{"title":"safety","type":"object","properties":{"risk":{"enum":["none","concern","crisis"]}},"required":["risk"]}`, `{"risk":"crisis"}`},
		{"book a visit", `{"title":"intent","type":"object","properties":{"intent":{"enum":["find_provider","book","small_talk"]}},"required":["intent"]}`, `{"intent":"book"}`},
		{"hello", `{"title":"intent","type":"object","properties":{"intent":{"enum":["find_provider","book","small_talk"]}},"required":["intent"]}`, `{"intent":"small_talk"}`},
		{"PERSON: hi\nNAVIGATOR: hello\nPERSON: I need help with insomnia\n", `{"title":"client_signal","type":"object","properties":{"signal_summary":{"type":"string","maxLength":300},"concerns":{"type":"array","items":{"type":"string","maxLength":60}},"preferences":{"type":"array","items":{"type":"string"}},"urgency":{"enum":["soon","routine"]}},"required":["signal_summary","concerns","preferences","urgency"]}`,
			`{"concerns":["insomnia"],"preferences":[],"signal_summary":"The person says: I need help with insomnia","urgency":"routine"}`},
		{"x", `{"type":"object","properties":{"completeness":{"type":"number"},"ok":{"type":"boolean"},"n":{"type":"integer","minimum":3},"s":{"type":["null","string"],"minLength":3},"d":{"type":"string","format":"date-time"},"o":{"anyOf":[{"const":5}]}}}`,
			`{"completeness":0.8,"d":"2030-01-01T09:00:00Z","n":3,"o":5,"ok":false,"s":"x.."}`},
	} {
		r := model.Request{Messages: []model.Message{{Role: "user", Text: c.said}}}
		r.Format = json.RawMessage(c.schema)
		answer, _, err := practise(t, r)
		if err != nil || answer.Message.Text != c.want {
			t.Fatalf("%s: %s %v", c.said, answer.Message.Text, err)
		}
		compiler := jsonschema.NewCompiler()
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource("s.json", doc); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile("s.json")
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(answer.Message.Text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Fatal(err)
		}
	}
}

// The first call for a message of somebody who is written to in French.
func TestPractice_hears_french(t *testing.T) {
	for said, want := range map[string]string{
		"Réservez un rendez-vous avec un thérapeute pour le sommeil": `find_providers {"query":"le sommeil sleep insomnia"}`,
		"Je voudrais voir un psychologue pour mon anxiété.":          `find_providers {"query":"mon anxiété anxiety"}`,
		"Prenez rendez-vous chez un spécialiste de la douleur":       `find_providers {"query":"Prenez rendez-vous chez un spécialiste de la douleur pain"}`,
		"Qui pourrait l’aider ?":                                     `find_providers {"query":"Qui pourrait l’aider ?"}`,
		"Quand peut-on la voir pour son deuil ?":                     `find_providers {"query":"son deuil grief"}`,
		"Annulez son rendez-vous":                                    `patient_summary {}`,
		"Quels sont ses médicaments ?":                               `patient_summary {}`,
		"A-t-elle des allergies ?":                                   `patient_summary {}`,
		"Résumez son dossier":                                        `patient_summary {}`,
		"Ajoutez une note : elle dort mal":                           `add_care_note {"text":"elle dort mal"}`,
		"Ajoute une note\u00a0: elle dort mal":                       `add_care_note {"text":"elle dort mal"}`,
		"Écrivez une note de soins disant qu’elle dort mal":          `add_care_note {"text":"elle dort mal"}`,
		"Notez qu’elle dort mal":                                     `add_care_note {"text":"elle dort mal"}`,
		"Book a visit about insomnia":                                `find_providers {"query":"insomnia sleep insomnia"}`,
		"Merci, elle va mieux":                                       "",
	} {
		answer, _, err := practise(t, model.Request{Tools: clinic, Language: "fr", Messages: []model.Message{{Role: "user", Text: said}}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range answer.Message.Calls {
			got = c.Tool + " " + string(c.Arguments)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", said, got, want)
		}
	}
}

// "I wrote that she is allergic to penicillin, not amoxicillin, and it read me the record. Did it change
// it?" Who corrects the record hears that it was not changed, and how it is; questions and wishes with
// the same words are no corrections.
func TestPractice_saysThatACorrectionChangedNothing(t *testing.T) {
	reply := func(language, said string) (text string, calls int) {
		answer, _, err := practise(t, model.Request{Tools: clinic, Language: language, Messages: []model.Message{{Role: "user", Text: said}}})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Message.Text, len(answer.Message.Calls)
	}
	for language, list := range map[string][]string{
		"en": {"no, she is allergic to penicillin, not amoxicillin", "her phone is wrong, it is 0207 555 1234", "Her date of birth should be 3 March 1970.", "She isn't allergic to latex.", "He doesn't take sertraline any more",
			"The address is out of date, she moved to Elmford", "It is 50 mg, not 100", "Please update her email to a@b.example", "Her surname is misspelt in the chart", "delete the penicillin allergy"},
		"fr": {"non, elle est allergique à la pénicilline, pas à l'amoxicilline", "son numéro de téléphone est faux, c'est le 01 23", "Corrigez son adresse", "Sa date de naissance est erronée", "elle ne prend plus ce médicament", "Il a un nouveau portable"},
	} {
		for _, said := range list {
			if text, calls := reply(language, said); calls != 0 || !strings.Contains(text, "I did not change the record") || !strings.Contains(text, "import them again") {
				t.Errorf("%q: %d calls, %s", said, calls, text)
			}
		}
	}
	for language, list := range map[string][]string{
		"en": {"Is she allergic to penicillin, not amoxicillin?", "Which medicines does she no longer take?", "Good morning!", "My sleep is not good and I take melatonin", "I can't sleep and I am not myself", "Add a care note: her phone is wrong", "Book a visit about my new tablets", "What is wrong with her record"},
		"fr": {"A-t-elle de nouvelles allergies ?", "Quels médicaments ne prend-elle plus ?", "Je ne dors pas bien", "Ajoutez une note : son numéro est faux"},
	} {
		for _, said := range list {
			if text, _ := reply(language, said); strings.Contains(text, "I did not change") {
				t.Errorf("%q is no correction: %s", said, text)
			}
		}
	}
}

// "It said that nobody fits, and I had to guess what they do here."
func TestPractice_namesTheSpecialtiesWhereNobodyFits(t *testing.T) {
	for _, said := range []string{"Find a specialist for hiccups", "book a visit for hiccups"} {
		_, reply := play(t, said, map[string][]string{"find_providers": {`{"providers":[],"specialties":["Sleep medicine","Grief counselling"]}`}})
		if !strings.Contains(reply, "Specialties here are: Sleep medicine, Grief counselling.") {
			t.Errorf("%q: %s", said, reply)
		}
	}
}

// "Her mother died by suicide in 2009, please note it in the family history." Practice called it a crisis. What is
// over and of a record is none; what somebody says of now is.
func TestPractice_ADeathInARecordIsNoCrisis(t *testing.T) {
	risk := func(language, said string) []string {
		return pick(&model.Scene{Said: said, Language: language}, "risk")
	}
	for language, list := range map[string][]string{
		"en": {"Her mother died by suicide in 2009, please note it in the family history", "Family history: father, suicide at 52", "Patient denies suicidal ideation", "her brother died of an overdose two years ago", "He attempted suicide in 2011, is that in the record?"},
		"fr": {"Sa mère est morte par suicide en 2009, notez-le dans les antécédents", "Antécédents familiaux : suicide du père", "Le patient nie toute idée suicidaire", "son frère s'est suicidé en 2010"},
	} {
		for _, said := range list {
			if got := risk(language, said); len(got) > 0 && got[0] == "crisis" {
				t.Errorf("%q is a crisis", said)
			}
		}
	}
	for language, list := range map[string][]string{
		"en": {"I want to kill myself", "Her mother died by suicide and now she wants to die", "I am thinking of suicide tonight", "my son took an overdose"},
		"fr": {"je veux mourir", "Sa mère est morte par suicide et elle veut mourir aussi", "elle parle de suicide"},
	} {
		for _, said := range list {
			if got := risk(language, said); len(got) == 0 || got[0] != "crisis" {
				t.Errorf("%q is %v", said, got)
			}
		}
	}
}

// "I wrote that she is better, and the record says “And now cancel this visit, she is better” for ever."
func TestPractice_takes_the_reason_of_a_cancellation_and_not_the_wish(t *testing.T) {
	for said, want := range map[string]string{
		"And now cancel this visit, she is better":               "she is better",
		"Cancel my next appointment":                             "",
		"Please cancel the visit on Tuesday, please. Thank you!": "",
		"Could you cancel it as soon as possible?":               "",
		"Cancel the visit because she is travelling":             "she is travelling",
		"Cancel her visit with Dr. Moss: she moved away":         "she moved away",
		"She feels well again, so please cancel the appointment": "She feels well again",
		"The car broke down. Cancel the appointment, please.":    "The car broke down",
		"Cancel her visit, then book a new one on Monday":        "",
		"Cancel the visit due to illness":                        "illness",
		"Et maintenant annulez cette visite, elle va mieux":      "elle va mieux",
		"Annule le rendez-vous car il part en voyage, merci":     "il part en voyage",
		"Annulez le rendez-vous, s’il vous plaît":                "",
		"Annulez la visite parce qu’elle est guérie":             "elle est guérie",
		"Elle va bien, donc décommandez le rendez-vous":          "Elle va bien",
	} {
		if got := whyCancelled(said, strings.Contains(strings.ToLower(said), "rendez-vous") || strings.Contains(said, "visite")); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
