package navigator_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/encoder"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

// sentences is the sentence encoder with its real weights; build/test has them.
func sentences(t *testing.T) *encoder.Universal {
	t.Helper()
	e := encoder.New(encoder.Options{File: os.Getenv("HOLDPOINT_ENCODER")})
	if _, err := e.Header(); errors.Is(err, encoder.ErrMissing) {
		t.Skip("no weights of the sentence encoder: build/edge makes them")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// "My patients don't speak English, and it proposes anyone to them."
func TestNavigator_SleepInTenLanguagesFindsTheSleepSpecialist(t *testing.T) {
	e := sentences(t)
	for _, message := range []string{
		"I have not been able to sleep at night for weeks.", "Ich kann seit Wochen nachts nicht schlafen.", "Je n'arrive plus à dormir la nuit.",
		"No puedo dormir por las noches.", "Non riesco a dormire la notte.", "Não consigo dormir à noite.", "Ik kan 's nachts niet slapen.",
		"Я не могу спать по ночам.", "Geceleri uyuyamıyorum.", "夜、眠れません。", "我晚上睡不着觉。", "밤에 잠을 못 자요.", "ฉันนอนไม่หลับ", "لا أستطيع النوم ليلا", "Nie mogę spać w nocy.",
	} {
		t.Run(message, func(t *testing.T) {
			h := newHouse(t)
			h.live.Encoder = e
			h.model.answers["client_signal"] = `{"signal_summary":"","concerns":[],"goals":[],"preferences":[],"urgency":"routine"}`
			out := h.status(h.ask("pat-dogwood", message), run.Completed)
			var fit navigator.Fit
			if err := json.Unmarshal(navigator.ChannelBundle.Get(out.State)["therapeutic_fit"], &fit); err != nil {
				t.Fatal(err)
			}
			if fit.Method != "embeddings" || fit.Model != e.Name() || fit.Ranked[0].ID != "prov-okafor" {
				t.Errorf("%s ranks %+v", fit.Method, fit.Ranked)
			}
		})
	}
}

// "I have a toothache, and it proposed somebody for chronic pain"; "I said Bonjour and was sent to
// a bereavement therapist"; "since then it finds nobody for my grief".
func TestNavigator_WhatNobodyTreatsFitsNobody(t *testing.T) {
	e := sentences(t)
	h := newHouse(t)
	h.live.Encoder = e
	fit := func(message string) navigator.Fit {
		t.Helper()
		h.model.answers["client_signal"] = string(model.JSON(navigator.Signal{SignalSummary: "The person says: " + message, Concerns: []string{}, Goals: []string{}, Preferences: []string{}, Urgency: "routine"}))
		return fitOf(t, h.status(h.askIn(message, "pat-alder", message), run.Completed))
	}
	for _, message := range []string{"Hello", "Bonjour", "Hello doctor", "Good evening, how are you?", "I have a toothache", "j'ai mal aux dents", "Bonjour docteur, j'ai une rage de dents",
		"I have pink eye", "j'ai une verrue au pied", "I've got the flu", "je suis enceinte de trois mois", "j'ai la diarrhée depuis hier", "My parrot lost its feathers",
		"Could you send me the invoice again?", "je voudrais changer d'adresse"} {
		if f := fit(message); len(f.Ranked) != 0 {
			t.Errorf("%q: %+v", message, f.Ranked)
		}
	}
	for message, want := range map[string]string{"Hello, I'm awake half the night": "prov-okafor", "mon mari ne dort plus depuis trois semaines": "prov-okafor",
		"j'ai fait une attaque de panique dans le métro": "prov-lindqvist", "Ma femme est décédée en mars": "prov-ferreira", "Constant pain in my lower back for eight years": "prov-osullivan",
		"On aimerait une thérapie de couple": "prov-brandt", "I throw up so I don't gain weight": "prov-whitlock", "Good morning. My patient wants to stop using heroin": "prov-delgado",
		"My grandmother gets lost on her own street": "prov-rahman", "ma sœur fait une psychose": "prov-novak"} {
		if f := fit(message); !slices.ContainsFunc(f.Ranked, func(r navigator.Ranked) bool { return r.ID == want }) {
			t.Errorf("%q: %+v", message, f.Ranked)
		}
	}
	// What is not theirs beside a need that is takes nobody away, in one message or a conversation.
	fit("I want someone for insomnia")
	h.model.answers["client_signal"] = `{"signal_summary":"","concerns":[],"goals":[],"preferences":[],"urgency":"routine"}`
	for session, message := range map[string]string{"own": "I have diabetes and take pills for blood pressure. Since my wife died I see nobody.", "I want someone for insomnia": "My tooth hurts"} {
		if f := fitOf(t, h.status(h.askIn(session, "pat-alder", message), run.Completed)); len(f.Ranked) == 0 || f.Ranked[0].ID != map[bool]string{true: "prov-ferreira", false: "prov-okafor"}[session == "own"] {
			t.Errorf("%q: %+v", message, f.Ranked)
		}
	}
	// Where somebody works in the field, they fit; who works in all of medicine does, too.
	h.provider("teeth", "Aa", "Dental surgery", "")
	h.provider("all", "Bb", "Family medicine, for the whole family, from colds to diabetes", "")
	for message, want := range map[string]string{"My tooth hurts": "teeth", "ma couronne est tombée, il me faut un dentiste": "teeth", "I have a cough and feel feverish": "all"} {
		if f := fit(message); len(f.Ranked) == 0 || f.Ranked[0].ID != want {
			t.Errorf("%q: %+v", message, f.Ranked)
		}
	}
}

// axes know of one thing only: a dead wife, in two languages.
type axes struct{ err error }

func (axes) Name() string   { return "axes" }
func (axes) Dimension() int { return 2 }
func (a axes) Vector(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = []float32{0, 1}
		if s = strings.ToLower(s); strings.Contains(s, "wife") || strings.Contains(s, "veuf") {
			out[i] = []float32{1, 0}
		}
	}
	return out, a.err
}

// "The note is there, but I used another word for it", "it invents a hit", "it fails
// because the model for vectors is gone".
func TestNavigator_NotesAreFoundByWordsAndByMeaning(t *testing.T) {
	for name, c := range map[string]struct {
		encoder encoder.Encoder
		query   string
		method  string
		excerpt string // part of the only note's; "" for no note
		note    bool
	}{
		"without an encoder": {nil, "veuf", "words", "", false},
		"by meaning":         {axes{}, "veuf", "words and meaning", "His wife died in January.", false},
		"by words":           {axes{}, "January", "words and meaning", "January", false},
		"encoder is broken":  {axes{err: errors.New("gone")}, "January", "words", "January", true},
		"for real":           {nil, "Verlust der Ehefrau", "words and meaning", "wife", false},
		"for real, nothing":  {nil, "Steuererklärung", "words and meaning", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "for real") {
				c.encoder = sentences(t)
			}
			h := newHouse(t)
			h.live.Encoder = c.encoder
			h.model.think = calls(call("search_notes", string(model.JSON(map[string]string{"query": c.query}))))
			h.status(h.ask("pat-dogwood", "Look into my notes"), run.Completed)
			var a struct {
				Method, Model, Note string
				Notes               []record.Hit
			}
			if err := json.Unmarshal([]byte(results(h.model.last())[0].Text), &a); err != nil {
				t.Fatal(err)
			}
			if a.Method != c.method || (a.Model != "") != (c.method != "words") || (a.Note != "") != c.note {
				t.Errorf("%+v", a)
			}
			if found := len(a.Notes) == 1 && strings.Contains(a.Notes[0].Excerpt, c.excerpt); found != (c.excerpt != "") || len(a.Notes) > 1 {
				t.Errorf("found %+v", a.Notes)
			}
		})
	}
}
