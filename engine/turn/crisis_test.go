package turn_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/encoder"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
	"holdpoint/store/storetest"
)

var reply = graph.Value[string]("reply")

// guarded is a graph of one stage that says "through", behind the crisis stages.
func guarded(t *testing.T) *graph.Graph {
	t.Helper()
	s, err := turn.Guard(graph.Spec{Agent: "plain", Channels: []graph.AnyChannel{reply}, Reply: reply,
		Stages: []graph.Stage{{ID: "say", Run: func(context.Context, *graph.Task) (graph.Result, error) {
			return graph.Result{Patch: graph.Patch{reply.Set("through")}}, nil
		}}},
		Edges: []graph.Edge{{From: graph.Start, To: "say", Type: graph.Entry}, {From: "say", To: graph.End, Type: graph.Exit}}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// blood is a tier that hears danger in one word.
type blood struct{}

func (blood) Name() string { return safety.TierMeaning }

func (blood) Read(text string) safety.Reading {
	if text == "bleeding" {
		return safety.Reading{Level: safety.Intervene, Score: 9, CheckIn: 1, Intervention: 2, Category: safety.SelfHarm}
	}
	return safety.Reading{Level: safety.Calm}
}

// "My son wrote one word in a French conversation, and was helped in English."
func TestGuard_HelpSpeaksTheLanguageOfTheConversationWhereTheMessageSaysNone(t *testing.T) {
	db := storetest.Open(t)
	defer db.Close()
	x := run.NewExecutor(run.Options{Store: db, Now: time.Now, NewID: func() string { return "id" }})
	for id, c := range map[string]struct {
		text    string
		screens safety.Language
		vars    map[string]string
		says    string
	}{
		"1": {"bleeding", "", nil, "What you can do now"}, "2": {"bleeding", safety.French, nil, "Ce que vous pouvez faire"},
		"3": {"bleeding", safety.English, map[string]string{"language": "fr"}, "Ce que vous pouvez faire"},
		"4": {"kill myself tonight", safety.French, map[string]string{"language": "fr"}, "What you can do now"},
		"5": {"je veux me tuer", safety.English, nil, "Ce que vous pouvez faire"},
		// Neither English nor French is answered in the language of the conversation.
		"6":  {"Ich will sterben, ich bringe mich heute um", safety.English, map[string]string{"language": "fr"}, "Ce que vous pouvez faire"},
		"7":  {"ich will sterben", safety.English, map[string]string{"language": "fr"}, "Ce que vous pouvez faire"},
		"8":  {"no quiero vivir, me quiero morir", safety.French, nil, "Ce que vous pouvez faire"},
		"9":  {"Ik wil niet meer leven", safety.French, map[string]string{"language": "en"}, "What you can do now"},
		"10": {"I want to kill myself tonight", safety.French, map[string]string{"language": "fr"}, "What you can do now"},
	} {
		out, err := x.Start(t.Context(), guarded(t), run.StartRequest{ID: graph.RunID("turn:" + id), Session: "s" + id, Turn: id, Input: c.text, Vars: c.vars, Dependencies: &turn.Dependencies{Region: "FR", Language: c.screens, Safety: safety.Checker{Tiers: []safety.Tier{blood{}}}}})
		if err != nil || !strings.Contains(out.Run.Output, c.says) {
			t.Errorf("%q on %q screens, with %v: %q (%v)", c.text, c.screens, c.vars, out.Run.Output, err)
		}
	}
}

// TestGuard_WhoSpeaksOfDangerGetsTheReviewedText runs the same graph with and without
// danger in the message; no model is at hand in either.
func TestGuard_WhoSpeaksOfDangerGetsTheReviewedText(t *testing.T) {
	db := storetest.Open(t)
	defer db.Close()
	x := run.NewExecutor(run.Options{Store: db, Now: time.Now, NewID: func() string { return "id" }})
	for id, c := range map[string]struct{ text, says string }{"1": {"Good morning", "through"}, "2": {"I want to kill myself", "988"}} {
		out, err := x.Start(t.Context(), guarded(t), run.StartRequest{ID: graph.RunID("turn:" + id), Session: "s" + id, Turn: id, Input: c.text, Dependencies: &turn.Dependencies{Region: "US"}})
		if err != nil || out.Run.Status != run.Completed || !strings.Contains(out.Run.Output, c.says) {
			t.Errorf("%q is answered with %q (%s %v)", c.text, out.Run.Output, out.Run.Status, err)
		}
		events, err := db.Journal("s"+id, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		checked := slices.IndexFunc(events, func(e journal.Event) bool { return e.Kind == journal.SafetyChecked })
		if checked < 0 || events[checked].Status != "rules" {
			t.Fatalf("%q: nothing tells of the check", c.text)
		}
		var data map[string]any
		if err := json.Unmarshal(events[checked].Data, &data); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"by", "category", "concern", "degraded", "hijack", "level", "reason", "region", "rules", "rules_version", "score", "speaker", "language", "threshold", "tiers"} {
			if _, ok := data[want]; !ok || data["region"] != "US" {
				t.Errorf("the check tells no %s: %v", want, data)
			}
		}
	}
}

func TestGuard_RefusesGraphsThatItCannotStandBefore(t *testing.T) {
	nothing := func(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }
	two := graph.Spec{Stages: []graph.Stage{{ID: "a", Run: nothing}, {ID: "b", Run: nothing}},
		Edges: []graph.Edge{{From: graph.Start, To: "a", Type: graph.Entry}, {From: graph.Start, To: "b", Type: graph.Entry}}}
	own := graph.Spec{Stages: []graph.Stage{{ID: turn.Preflight, Run: nothing}}, Edges: []graph.Edge{{From: graph.Start, To: turn.Preflight, Type: graph.Entry}}}
	for name, s := range map[string]graph.Spec{"two entries": two, "a stage of its name": own} {
		if _, err := turn.Guard(s); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

func TestIntervene_AnUnknownRegionStillGetsAText(t *testing.T) {
	text, message := turn.Intervene(turn.Safety{Category: "nothing", Region: "XX"}, "m1")
	if text == "" || message.Text != text || message.Message != "m1" || message.Kind != journal.Message {
		t.Errorf("%q %+v", text, message)
	}
}

// classifier answers what it is told to, or hangs.
type classifier struct {
	answer string
	hangs  bool
	asked  *int
}

func (classifier) Info(context.Context) (model.Info, error) {
	return model.Info{Name: "classifier", Context: 4096}, nil
}

func (c classifier) Chat(ctx context.Context, r model.Request, _ func(string)) (model.Response, error) {
	*c.asked++
	if c.hangs {
		<-ctx.Done()
		return model.Response{}, ctx.Err()
	}
	if r.Writing <= 0 {
		return model.Response{}, errors.New("an answer that drips would hold the check, and help with it")
	}
	return model.Response{Message: model.Message{Role: "assistant", Text: c.answer}}, nil
}

// TestGuard_AsksTheModelAsEveryAgentDoes: what no rule knows is heard by the classifier
// before any graph, plain danger does not wait for it, and who hangs blocks nobody.
func TestGuard_AsksTheModelAsEveryAgentDoes(t *testing.T) {
	defer turn.JudgeWithin(50 * time.Millisecond)()
	for name, c := range map[string]struct {
		text, answer string
		hangs        bool
		says         string
		by, level    string
		asked        int
	}{
		"the model's crisis":                         {text: "What is on my record?", answer: `{"risk":"crisis","category":"abuse","who":"self"}`, says: "1-800-799-7233", by: "rules+model", level: "intervention", asked: 1},
		"nothing":                                    {text: "What is on my record?", answer: `{"risk":"none","category":"none","who":"self"}`, says: "through", by: "rules+model", level: "none", asked: 1},
		"its concern asks first":                     {text: "What is on my record?", answer: `{"risk":"concern","category":"intent","who":"self"}`, says: "through", by: "rules+model", level: "check_in", asked: 1},
		"plain danger does not wait":                 {text: "I want to kill myself", hangs: true, says: "988", by: "rules", level: "intervention"},
		"a weak sign is shown while the model hangs": {text: "I feel so hopeless and alone", hangs: true, says: "through", by: "rules", level: "check_in", asked: 1},
		"a hanging model blocks nobody":              {text: "What is on my record?", hangs: true, says: "through", by: "rules", level: "none", asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t)
			defer db.Close()
			asked := 0
			m := classifier{c.answer, c.hangs, &asked}
			x := run.NewExecutor(run.Options{Store: db, Now: time.Now, NewID: func() string { return "id" }})
			out, err := x.Start(t.Context(), guarded(t), run.StartRequest{ID: "turn:1", Session: "s", Turn: "1", Input: c.text,
				Dependencies: &turn.Dependencies{Region: "US", Models: model.Set{Main: m, Light: m}}})
			if err != nil || out.Run.Status != run.Completed || !strings.Contains(out.Run.Output, c.says) || asked != c.asked {
				t.Fatalf("%q (%s %v), the model was asked %d times", out.Run.Output, out.Run.Status, err, asked)
			}
			checks, shown := checksOf(t, db, "s")
			last := checks[len(checks)-1]
			if string(last.By) != c.by || last.Level != c.level || last.Degraded != (c.hangs && c.asked > 0) || shown != (c.level == "check_in") {
				t.Errorf("%+v, a check-in is shown: %v", last, shown)
			}
		})
	}
}

// late is a small model on a busy machine: it answers in the last moment.
type late struct{ classifier }

func (late) Info(ctx context.Context) (model.Info, error) {
	return model.Info{Name: "late", Context: 4096, Parameters: 135_000_000}, ctx.Err()
}

func (l late) Chat(ctx context.Context, r model.Request, told func(string)) (model.Response, error) {
	<-ctx.Done()
	return l.classifier.Chat(context.WithoutCancel(ctx), r, told)
}

// "I pressed “Skip this question”, and a tiny model that took half a minute stopped everything
// with a text about somebody who hurts themselves."
func TestGuard_ASmallModelThatAnswersLateStaysSmall(t *testing.T) {
	defer turn.JudgeWithin(50 * time.Millisecond)()
	db := storetest.Open(t)
	defer db.Close()
	asked := 0
	m := late{classifier{`{"risk":"crisis","category":"self_harm","who":"other"}`, false, &asked}}
	x := run.NewExecutor(run.Options{Store: db, Now: time.Now, NewID: func() string { return "id" }})
	out, err := x.Start(t.Context(), guarded(t), run.StartRequest{ID: "turn:1", Session: "s", Turn: "1", Input: "What is on my record?",
		Dependencies: &turn.Dependencies{Region: "US", Models: model.Set{Main: m, Light: m}}})
	if err != nil || !strings.Contains(out.Run.Output, "through") {
		t.Fatalf("%q (%v)", out.Run.Output, err)
	}
	checks, _ := checksOf(t, db, "s")
	if last := checks[len(checks)-1]; last.Level == "intervention" {
		t.Errorf("%+v", last)
	}
}

func checksOf(t *testing.T, db interface {
	Journal(session string, after uint64, limit int) ([]journal.Event, error)
}, session string) (checks []journal.SafetyCheckedData, checkIn bool) {
	t.Helper()
	events, err := db.Journal(session, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == journal.SafetyChecked {
			d, err := journal.Read[journal.SafetyCheckedData](e)
			if err != nil {
				t.Fatal(err)
			}
			checks = append(checks, d)
		}
		if e.Kind == journal.Message {
			d, err := journal.Read[journal.MessageData](e)
			checkIn = checkIn || err == nil && d.Template == turn.CheckInText
		}
	}
	return checks, checkIn
}

// TestGuard_ACheckThatWasToldIsToldAgainOnlyWithSomethingNew: one event without a model,
// and with one a second that says it is an addition.
func TestGuard_ACheckThatWasToldIsToldAgainOnlyWithSomethingNew(t *testing.T) {
	asked := 0
	m := classifier{`{"risk":"none","category":"none","who":"self"}`, false, &asked}
	for name, models := range map[string]model.Set{"no model": {}, "a model": {Main: m, Light: m}} {
		db := storetest.Open(t)
		x := run.NewExecutor(run.Options{Store: db, Now: time.Now, NewID: func() string { return "id" }})
		if _, err := x.Start(t.Context(), guarded(t), run.StartRequest{ID: "turn:1", Session: "s", Turn: "1", Input: "I feel so hopeless and alone",
			Dependencies: &turn.Dependencies{Region: "US", Models: models}}); err != nil {
			t.Fatal(err)
		}
		checks, _ := checksOf(t, db, "s")
		want := 1
		if models.Main != nil {
			want = 2
		}
		if len(checks) != want || checks[0].Addition || want == 2 && (!checks[1].Addition || checks[1].Model == nil || checks[1].Level != "check_in") {
			t.Errorf("%s: %+v", name, checks)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// "It had cried wolf twice, and when I wrote that I took the tablets it said nothing." What a very small model is no more
// believed of it still asks about where a tier had a faint sign.
func TestFinding_AFaintSignIsEnoughForAModelThatSeesDangerInEverything(t *testing.T) {
	for name, c := range map[string]struct {
		said  turn.Judgement
		score float64 // of a tier that checks in at 0.9
		level safety.Level
	}{
		"often, no sign":     {turn.Judgement{Risk: "crisis", Weak: true, Often: true}, 0.5, safety.Calm},
		"often, a faint one": {turn.Judgement{Risk: "crisis", Weak: true, Often: true}, 0.7, safety.CheckIn},
		"often, a concern":   {turn.Judgement{Risk: "concern", Weak: true, Often: true}, 0.7, safety.Calm},
		"alike, no sign":     {turn.Judgement{Risk: "crisis", Weak: true, Alike: true, Helped: true}, -1, safety.Calm},
		"alike, a faint one": {turn.Judgement{Risk: "crisis", Weak: true, Alike: true, Helped: true}, 0.7, safety.CheckIn},
	} {
		f := (&turn.Dependencies{}).Check("Which medicines does she take?")
		f.Tiers = append(f.Tiers, safety.Reading{Tier: safety.TierMeaning, Level: safety.Calm, Score: c.score, CheckIn: 0.9, Intervention: 1.9})
		if f.Heed(c.said, nil); f.Level != c.level {
			t.Errorf("%s: %s, %s", name, f.Level, f.Safety.Reason)
		}
	}
}

// "I said ‘Thanks.’, and it asked whether I am safe." The word of a model that sees danger in everything counts for
// nothing in mere courtesies; of one that tells danger from none it counts.
func TestFinding_ASmallModelSeesNoDangerInThanksOrAGreeting(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		said  turn.Judgement
		level safety.Level
	}{
		"a greeting":                    {"Hello", turn.Judgement{Risk: "crisis", Weak: true, Alike: true}, safety.Calm},
		"thanks, near a sign":           {"Thanks.", turn.Judgement{Risk: "crisis", Weak: true, Often: true}, safety.Calm},
		"thanks in French":              {"Merci docteur", turn.Judgement{Risk: "crisis", Weak: true, Alike: true}, safety.Calm},
		"something said":                {"Everything lies beside me on the table now.", turn.Judgement{Risk: "crisis", Weak: true, Alike: true}, safety.CheckIn},
		"a small model that can tell":   {"Hello", turn.Judgement{Risk: "crisis", Weak: true}, safety.CheckIn},
		"a model that is large enough":  {"Hello", turn.Judgement{Risk: "crisis"}, safety.Intervene},
		"a large one that sees it once": {"Thanks.", turn.Judgement{Risk: "crisis", Alike: true}, safety.CheckIn},
	} {
		f := (&turn.Dependencies{}).Check(c.text)
		f.Tiers = append(f.Tiers, safety.Reading{Tier: safety.TierMeaning, Level: safety.Calm, Score: 1.1, CheckIn: 0.9, Intervention: 1.9})
		if f.Heed(c.said, nil); f.Level != c.level {
			t.Errorf("%s: %s, %s", name, f.Level, f.Safety.Reason)
		}
	}
}

// "I'm fifteen, and it named lines for adults only." Whoever says to be a child is told of the lines for children, whatever
// the agent.
func TestFinding_WhoSaysToBeAChildIsToldOfLinesForChildren(t *testing.T) {
	for text, line := range map[string]string{"I'm 15 and I want to die": "Childline", "I'm 45 and I want to die": "", "hey im 14 and i cut too deep, it won't stop": "Childline"} {
		f := (&turn.Dependencies{Region: "GB"}).Check(text)
		help, ok := safety.Help{Category: f.Category, Speaker: f.Speaker, Language: f.Language, Region: "GB", Informal: f.Safety.Informal}.Intervention()
		if !ok || strings.Contains(help, "Childline") != (line != "") {
			t.Errorf("%q: %v %q", text, ok, help)
		}
	}
}

// "It says that my message was checked, but what checked it?" A message that rules and words
// do not read says who read it; the word of a script, or of a model too small to tell, is
// not taken for a check.
func TestFinding_SaysWhoReadAForeignMessage(t *testing.T) {
	const spanish = "Quiero pedir una cita con la doctora para el lunes"
	failed := errors.New("no answer")
	for name, c := range map[string]struct {
		text string
		said *turn.Judgement
		err  error
		want string // a part of the reason; "" for none
	}{
		"a model":         {spanish, &turn.Judgement{Risk: "none"}, nil, "the model alone read that"},
		"a small model":   {spanish, &turn.Judgement{Risk: "none", Weak: true}, nil, "too small to tell"},
		"a script":        {spanish, &turn.Judgement{Risk: "none", Practice: true}, nil, "was not checked for danger"},
		"a broken model":  {spanish, &turn.Judgement{}, failed, "was not checked for danger"},
		"no model":        {spanish, nil, nil, "was not checked for danger"},
		"English":         {"Which medicines does she take?", &turn.Judgement{Risk: "none"}, nil, ""},
		"French":          {"Quels médicaments prend-elle depuis lundi ?", nil, nil, ""},
		"a model's alarm": {spanish, &turn.Judgement{Risk: "crisis"}, nil, "the model saw a crisis"},
	} {
		f := (&turn.Dependencies{}).Check(c.text)
		if c.said != nil {
			f.Heed(*c.said, c.err)
		}
		d, err := journal.Read[journal.SafetyCheckedData](f.Event())
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" && (d.Reason != "" || d.Degraded) || !strings.Contains(d.Reason, c.want) {
			t.Errorf("%s: it says %q (degraded %v), want %q", name, d.Reason, d.Degraded, c.want)
		}
		if c.want != "" && c.said != nil && c.said.Risk != "crisis" && !d.Degraded {
			t.Errorf("%s: less was checked than should have been, and nobody is told", name)
		}
	}
}

// "The encoder was still loading, and all it said was that there is no model to ask." What was not read in time is said,
// also where no model answers.
func TestFinding_SaysThatTheMeaningWasNotReadInTimeAlsoWithoutAModel(t *testing.T) {
	for _, err := range []error{turn.ErrNoModel, context.DeadlineExceeded, errors.New("no answer")} {
		f := (&turn.Dependencies{}).Check("Which medicines does she take?")
		f.Unread = true
		f.Heed(turn.Judgement{}, err)
		d, failed := journal.Read[journal.SafetyCheckedData](f.Event())
		if failed != nil || !d.Degraded || !strings.Contains(d.Reason, "read for its meaning") || !strings.Contains(d.Reason, "no model judged") {
			t.Errorf("%v (%v): it says %q", err, failed, d.Reason)
		}
	}
}

// "I wrote that my patient had a gun, then that he had hung up, and asked what to do: it made small talk. I said that she
// is not safe and was asked the same again, or got the text for somebody who wants to die."
func TestCheckMessage_WhatFollowsHelpAboutAnotherPersonIsHelpedAsThat(t *testing.T) {
	checked := safety.Offline
	if file := os.Getenv("HOLDPOINT_ENCODER"); file != "" {
		e := encoder.New(encoder.Options{File: file})
		defer e.Close()
		checked = safety.With(e)
	}
	type followed struct {
		first, text string
		helped      bool // by an intervention; else by a check-in
		asked       bool
		level       safety.Level
		speaker     safety.Speaker
	}
	cases := []followed{
		{"my patient wants to kill himself tonight", "My son wants to kill himself tonight", true, false, safety.Intervene, safety.Other},
		{"mon patient veut se tuer ce soir", "Ma fille veut se tuer ce soir", true, false, safety.Intervene, safety.Other},
		{"my patient has a gun in his lap", "he's hung up", true, false, safety.CheckIn, safety.Clinician},
		{"my patient has a gun in his lap", "his wife is upstairs with the kids", true, true, safety.CheckIn, safety.Clinician},
		{"my patient has a gun in his lap", "what should I do now?", true, false, safety.CheckIn, safety.Clinician},
		{"my patient has a gun in his lap", "he's got it to his head", true, false, safety.CheckIn, safety.Clinician},
		{"my patient has a gun in his lap", "no, not safe", true, false, safety.Intervene, safety.Clinician},
		{"my friend took all her pills", "not safe", false, true, safety.Intervene, safety.Other},
		{"my friend took all her pills", "No she isn't", false, true, safety.Intervene, safety.Other},
		{"my friend took all her pills", "no he's not", false, true, safety.Intervene, safety.Other},
		{"my friend took all her pills", "no", false, true, safety.CheckIn, safety.Other},
		{"mon patient veut se tuer ce soir", "non, elle ne l'est pas", false, true, safety.Intervene, safety.Clinician},
		{"mon patient veut se tuer ce soir", "non, pas du tout", false, true, safety.Intervene, safety.Clinician},
		{"mon patient veut se tuer ce soir", "il a raccroché, je fais quoi ?", true, false, safety.CheckIn, safety.Clinician},
		{"mon patient veut se tuer ce soir", "merci, les pompiers sont là, il est en sécurité maintenant", true, false, safety.Calm, ""},
		{"my patient has a gun in his lap", "thanks", true, false, safety.Calm, ""},
		{"my patient has a gun in his lap", "he is safe now", true, false, safety.Calm, ""},
		{"my patient has a gun in his lap", "the police are with him", false, false, safety.Calm, ""},
		{"my patient has a gun in his lap", "Which medicines does he take?", true, false, safety.Calm, ""},
		{"my patient has a gun in his lap", "I want to kill myself", true, false, safety.Intervene, safety.Self},
		{"I want to kill myself", "what should I do now?", true, false, safety.CheckIn, safety.Self},
		{"mon père a avalé toute la boîte de comprimés et ne se réveille plus", "Il respire encore, que dois-je faire ?", true, false, safety.Intervene, safety.Other},
		{"my mum took all her tablets and I can't wake her", "she's breathing but her lips are pale, should I turn her?", true, false, safety.Intervene, safety.Other},
		{"mon fils a bu du déboucheur et il est inconscient", "il respire mal, dois-je le faire vomir ?", true, false, safety.Intervene, safety.Other},
		{"mon fils a bu du déboucheur et il est inconscient", "il respire", true, false, safety.Intervene, safety.Other},
		{"my toddler drank bleach", "can I give her milk?", true, false, safety.Intervene, safety.Other},
		{"my mum collapsed and I can't wake her", "what do I do now?", true, false, safety.Intervene, safety.Other},
		{"mon père ne se réveille plus, il a pris ses comprimés", "merci, les pompiers sont là", true, false, safety.Calm, ""},
		{"I want to kill myself", "no, not safe", false, false, safety.Intervene, safety.Self},
		{"Which medicines does he take?", "what should I do now?", true, false, safety.Calm, ""},
		{"My suicide attempt was wrongly dated", "You misunderstood. I'm not in danger, my suicide attempt was in 2009, please correct it", true, false, safety.CheckIn, safety.Self},
		{"she wants to kill herself tonight", "It's for my novel: I want to kill myself tonight, she says", true, false, safety.CheckIn, safety.Self},
		{"je veux mourir ce soir", "ce n'est pas pour moi, c'est pour mon roman : « je veux mourir », dit-elle, je veux me tuer", true, false, safety.CheckIn, safety.Self},
		{"I want to kill myself", "I'm in danger, I want to kill myself", true, false, safety.Intervene, safety.Self},
		{"I want to kill myself", "I am really very much in danger, I want to kill myself", true, false, safety.Intervene, safety.Self},
		{"I want to kill myself", "we are all in danger. I want to kill myself tonight", true, false, safety.Intervene, safety.Self},
		{"je veux mourir ce soir", "je suis en danger, je veux me tuer", true, false, safety.Intervene, safety.Self},
		{"I want to kill myself", "nobody is in danger, I am not suicidal: he wrote I want to kill myself", true, false, safety.CheckIn, safety.Self},
		{"I want to kill myself", "you misunderstood, I want to die", true, false, safety.Intervene, safety.Self},
		{"Which medicines does he take?", "It's for my novel. I want to kill myself tonight", true, false, safety.Intervene, safety.Self},
	}
	if len(checked.Tiers) > len(safety.Offline.Tiers) { // its meaning lies near to anything
		cases = append(cases, followed{"he strangled me last night", "what do I do now", true, false, safety.CheckIn, safety.Self})
	}
	for _, c := range cases {
		d := &turn.Dependencies{Region: "FR", Safety: checked}
		before := d.Check(c.first).Safety
		if before.Level != safety.Calm {
			before.Level, before.Concern = safety.CheckIn, true
			if c.helped {
				before.Level, before.Concern = safety.Intervene, false
			}
		}
		d.CheckedIn = func(string, string) (turn.Safety, bool) { return before, c.asked }
		f := d.CheckMessage(&graph.Task{Run: &graph.Header{}}, c.text)
		if f.Level != c.level || f.Level != f.Safety.Level || c.level != safety.Calm && f.Safety.Speaker != c.speaker || c.level == safety.Calm && len(f.Safety.Found) > 0 {
			t.Errorf("%q after %q: %s about %q (%s, %v), want %s about %q", c.text, c.first, f.Level, f.Safety.Speaker, f.Safety.Category, f.Safety.Found, c.level, c.speaker)
		}
		if own := strings.HasPrefix(c.text, "I want"); c.level != safety.Calm && (c.speaker != safety.Self || strings.HasPrefix(c.text, "what")) && !own && f.Safety.Category != before.Category {
			t.Errorf("%q after %q: %s, and help before was for %s", c.text, c.first, f.Safety.Category, before.Category)
		}
	}
}

// "I told it that I had the pills beside me, it showed me numbers; I wrote “it's done”, and it asked how it could help."
func TestCheckMessage_WhoSaysThatItIsDoneIsHelpedAgain(t *testing.T) {
	for _, c := range []struct {
		first, text string
		helped      bool // by an intervention; else by a check-in
		level       safety.Level
		category    safety.Category // "" for that of before
	}{
		{"I have the pills next to me", "done", true, safety.Intervene, ""},
		{"I have the pills next to me", "it's done", true, safety.Intervene, ""},
		{"I have the pills next to me", "Too late, it's done.", true, safety.Intervene, ""},
		{"I have the pills next to me", "they're gone now, i feel sleepy", true, safety.Intervene, safety.Overdose},
		{"I have the pills next to me", "ok I took them", true, safety.Intervene, safety.Overdose},
		{"I have the pills next to me", "I already swallowed half", true, safety.Intervene, safety.Overdose},
		{"I have the pills next to me", "no one can help me. bye", true, safety.Intervene, ""},
		{"I have the pills next to me", "goodbye", true, safety.Intervene, ""},
		{"I have the pills next to me", "everything is going dark", true, safety.Intervene, ""},
		{"I have the gun in my lap, I want to die", "it's over now", true, safety.Intervene, ""},
		{"I want to kill my boss tomorrow, I bought the knife", "I'm outside his office", true, safety.Intervene, ""},
		{"he strangled me last night", "he's at the door now", true, safety.Intervene, ""},
		{"he strangled me last night", "he has broken in", true, safety.Intervene, ""},
		{"Je vais me tuer ce soir", "j'ai avalé", true, safety.Intervene, safety.Overdose},
		{"Je vais me tuer ce soir", "c'est fait, je les ai pris", true, safety.Intervene, safety.Overdose},
		{"Je vais me tuer ce soir", "trop tard", true, safety.Intervene, ""},
		{"Je vais me tuer ce soir", "ça y est", true, safety.Intervene, ""},
		{"Je vais me tuer ce soir", "j’ai sommeil", true, safety.Intervene, ""},
		{"Je vais me tuer ce soir", "la boîte est vide", true, safety.Intervene, safety.Overdose},
		{"The belt's already on the door", "too late", false, safety.Intervene, ""},
		{"The belt's already on the door", "done", false, safety.CheckIn, ""},
		// Who got help, gave it away or goes on with something else is not stopped again; who goes on about it has help above.
		{"I have the pills next to me", "done, I called my sister", true, safety.CheckIn, ""},
		{"I have the pills next to me", "I took them back to the pharmacy", true, safety.CheckIn, ""},
		{"I have the pills next to me", "I flushed them, they're gone", true, safety.CheckIn, ""},
		{"I have the pills next to me", "thanks, bye", true, safety.Calm, ""},
		{"I have the pills next to me", "I haven't done it", true, safety.Calm, ""},
		{"I have the pills next to me", "Which medicines am I allergic to?", true, safety.Calm, ""},
		{"Je vais me tuer ce soir", "j'ai pris rendez-vous", true, safety.Calm, ""},
		{"Je vais me tuer ce soir", "merci, au revoir", true, safety.Calm, ""},
		{"Je vais me tuer ce soir", "j'ai appelé le 3114, c'est fait", true, safety.Calm, ""},
		{"Which medicines does he take?", "done", true, safety.Calm, ""},
		{"Which medicines does he take?", "I feel sleepy", true, safety.Calm, ""},
	} {
		d := &turn.Dependencies{Region: "FR", Safety: safety.Offline}
		before := d.Check(c.first).Safety
		if before.Level != safety.Calm || !c.helped {
			before.Level, before.Concern = safety.CheckIn, true
			before.Category = cmp.Or(before.Category, string(safety.Means))
			if before.Speaker = safety.Self; c.helped {
				before.Level, before.Concern = safety.Intervene, false
			}
		}
		d.CheckedIn = func(string, string) (turn.Safety, bool) { return before, false }
		f := d.CheckMessage(&graph.Task{Run: &graph.Header{}}, c.text)
		want := string(c.category)
		if c.category == "" && c.level != safety.Calm {
			want = before.Category
		}
		if f.Level != c.level || f.Safety.Level != c.level || f.Safety.Category != want {
			t.Errorf("%q after %q (%s): %s for %q, want %s for %q", c.text, c.first, before.Category, f.Level, f.Safety.Category, c.level, want)
		}
	}
}

// "It offered to book, I said no, and got hotlines", and "It asked what would help most, I said no to being safe, and it asked again."
func TestAsksYesOrNo(t *testing.T) {
	for reply, want := range map[string]bool{
		"Shall I book it?": true, "Is that the one you mean? ": true, "Done. Would Monday suit you?\n(Practice mode.)": true, "Est-ce que ça t'aide\u00a0?": true, "Je le réserve\u00a0?": true, "Voulez-vous que j'écrive une note\u00a0?": true,
		"What would help most?": false, "Depuis combien de temps\u00a0?": false, "Qu’est-ce qui aiderait le plus\u00a0?": false, "Que puis-je faire\u00a0?": false, "I have written it down.": false, "": false, "?": true,
	} {
		if got := turn.AsksYesOrNo(reply); got != want {
			t.Errorf("%q: %v", reply, got)
		}
	}
}
