package web_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/engine/text"
)

// "I changed a sentence on the screen, and took my consent back there."
func TestCompanion_C24_C29_TextsPromptsAndConsentAreReachedFromTheScreens(t *testing.T) {
	w := open(t)
	const key = "companion/teen/fr/question.region"
	if e := done[text.Entry](w, "set_text", map[string]any{"key": key, "text": "Où vis-tu ?"}); e.Source != text.Override || e.Original == e.Text {
		t.Errorf("%+v", e)
	}
	refused(w, http.StatusBadRequest, "set_text", map[string]any{"key": key, "text": " "})
	refused(w, http.StatusNotFound, "set_text", map[string]any{"key": "companion/teen/fr/nothing", "text": "x"})
	list := get[[]text.Entry](w, "/api/texts?agent=companion")
	if len(list) < 100 {
		t.Errorf("%d texts", len(list))
	}
	// What another tab changed since it was read is not saved over unseen.
	read := list[slices.IndexFunc(list, func(e text.Entry) bool { return e.String() == key })]
	theirs := done[text.Entry](w, "set_text", map[string]any{"key": key, "text": "Tu habites où ?", "version": read.Version})
	for _, call := range []string{"set_text", "reset_text"} {
		body := map[string]any{"key": key, "version": read.Version}
		if call == "set_text" {
			body["text"] = "C'est où, chez toi ?"
		}
		refused(w, http.StatusConflict, call, body)
	}
	if e := done[text.Entry](w, "set_text", map[string]any{"key": key, "text": "C'est où, chez toi ?", "version": theirs.Version}); e.Text != "C'est où, chez toi ?" {
		t.Errorf("%+v", e)
	}
	if p := get[app.NodePrompt](w, "/api/agents/companion/prompt?node=give_advice&audience=teen&language=fr"); len(p.Tools) != 1 || p.Text == "" {
		t.Errorf("%+v", p)
	}
	events, stop := w.app.Listen("")
	defer stop()
	s := done[app.Started](w, "send", map[string]any{"agent": "companion", "text": "Bonjour", "vars": map[string]string{"audience": "teen", "language": "fr", "region": "FR", "age": "at_15"}})
	w.wait(events, journal.TurnCompleted)
	if c := get[app.Consent](w, "/api/sessions/"+s.Session+"/consent"); c.Scope != "pending_consent" {
		t.Errorf("%+v", c)
	}
	if c := done[app.Consent](w, "set_consent", map[string]any{"id": s.Session, "scope": "full"}); c.Scope != "full" {
		t.Errorf("%+v", c)
	}
	refused(w, http.StatusBadRequest, "set_consent", map[string]any{"id": s.Session, "scope": "everything"})
	if c := done[app.Consent](w, "set_consent", map[string]any{"id": s.Session, "scope": "pending_consent", "delete": true}); c.Scope != "pending_consent" || c.Kept != 0 {
		t.Errorf("%+v", c)
	}
	if e := done[text.Entry](w, "reset_text", map[string]any{"key": key}); e.Source != text.FromFile {
		t.Errorf("%+v", e)
	}
}

// "It asked me in French, by clicking, and I saw what it had made of my answers."
func TestCompanion_C4_C29_C30_CardsAskShowAndChangeInTheWordsOfTheTexts(t *testing.T) {
	w := open(t)
	if c := get[*agent.StartCard](w, "/api/agents/navigator/start"); c != nil {
		t.Errorf("an agent that asks nothing asks %+v", c)
	}
	start := get[agent.StartCard](w, "/api/agents/companion/start?language=fr")
	if len(start.Fields) != 2 || start.Fields[1].Say != "Qui écrit\u00a0?" || start.Words["start_title"] != "Avant de commencer" {
		t.Errorf("before it is known who writes: %+v", start)
	}
	start = get[agent.StartCard](w, "/api/agents/companion/start?language=fr&audience=teen")
	if len(start.Fields) != 5 || !strings.HasPrefix(start.Fields[2].Say, "Dans quel pays es-tu") || len(start.Fields[3].Choices) != 6 {
		t.Fatalf("%+v", start)
	}
	done[text.Entry](w, "set_text", map[string]any{"key": "companion/teen/fr/card.start_title", "text": "Bienvenue"})
	if c := get[agent.StartCard](w, "/api/agents/companion/start?language=fr&audience=teen"); c.Words["start_title"] != "Bienvenue" {
		t.Errorf("an override is not on the card: %q", c.Words["start_title"])
	}
	events, stop := w.app.Listen("")
	defer stop()
	refused(w, http.StatusBadRequest, "send", map[string]any{"agent": "companion", "text": "x", "vars": map[string]string{"audience": "teen", "age": "twelve"}})
	s := done[app.Started](w, "send", map[string]any{"agent": "companion", "text": "Je me dispute avec mes parents tout le temps",
		"vars": map[string]string{"audience": "teen", "language": "fr", "region": "FR", "age": "rather_not_say"}})
	w.wait(events, journal.TurnCompleted)
	path := "/api/sessions/" + s.Session + "/cards"
	c := get[agent.CardView](w, path)
	asked := map[string]agent.CardQuestion{}
	for _, q := range c.Asked {
		asked[q.ID] = q
	}
	if c.Language != "fr" || c.Scale <= 1 || len(c.Asked) != 6 || c.Open != "since" || c.Skip != "passer" || c.Progress != (agent.CardProgress{Done: 3, Total: 6, Say: "4 sur 6, tu peux passer"}) {
		t.Errorf("%s %v %d %q %q %+v", c.Language, c.Scale, len(c.Asked), c.Open, c.Skip, c.Progress)
	}
	if q := asked["region"]; q.Answer != "France" || q.From != "tu l'as choisi au début" {
		t.Errorf("the region is %+v", q)
	}
	if q := asked["age"]; q.Value != "" {
		t.Errorf("who would rather not say has the age %+v", q)
	}
	if q := asked["situation"]; !strings.Contains(q.Quote, "dispute") || q.Turn != s.Turn || q.From != "d'après ton message" {
		t.Errorf("the situation is %+v", q)
	}
	// Without an age nobody is asked for a yes, and none counts.
	if c.Consent.Asked || !strings.Contains(c.Consent.Closed, "ton âge") {
		t.Errorf("%+v", c.Consent)
	}
	refused(w, http.StatusBadRequest, "set_consent", map[string]any{"id": s.Session, "scope": "full"})
	done[agent.CardView](w, "change_card", map[string]any{"session": s.Session, "kind": "answer", "id": "age", "value": "under_13"})
	refused(w, http.StatusBadRequest, "set_consent", map[string]any{"id": s.Session, "scope": "full"})
	c = done[agent.CardView](w, "change_card", map[string]any{"session": s.Session, "kind": "answer", "id": "age", "value": "at_15"})
	if c.Consent.Closed != "" || len(c.Consent.Scopes) != 3 || c.Consent.Scopes[0].Allows[4].Yes || !c.Consent.Scopes[2].Allows[4].Yes {
		t.Errorf("%+v", c.Consent)
	}
	// A person changes what was made of their words; what is none of the choices is refused.
	change := func(kind, id, value string) map[string]any {
		return map[string]any{"session": s.Session, "kind": kind, "id": id, "value": value}
	}
	refused(w, http.StatusBadRequest, "change_card", change("answer", "since", "for ever"))
	refused(w, http.StatusBadRequest, "change_card", change("answer", "shoe_size", "40"))
	refused(w, http.StatusBadRequest, "change_card", change("feedback", "", "yes"))
	c = done[agent.CardView](w, "change_card", change("answer", "situation", "Une dispute à propos du téléphone"))
	if q := c.Asked[2]; q.Answer != "Une dispute à propos du téléphone" || q.From != "tu l'as écrit ici" {
		t.Errorf("%+v", q)
	}
	c = done[agent.CardView](w, "change_card", change("answer", "region", ""))
	if q := c.Asked[0]; q.Value != "" {
		t.Errorf("it was taken away and is %+v", q)
	}
	done[agent.CardView](w, "change_card", change("answer", "region", "FR"))
	// The yes is given on the card; a “no” is then said to the question.
	done[app.Consent](w, "set_consent", map[string]any{"id": s.Session, "scope": "full"})
	// An age that makes it too little takes it back at once, and the card says so.
	if c = done[agent.CardView](w, "change_card", change("answer", "age", "under_13")); c.Consent.Scope != "pending_consent" || c.Consent.Say != "Sans accord" || !strings.Contains(c.Consent.Closed, "l'accord d'un parent") {
		t.Errorf("of a child, the card says %+v", c.Consent)
	}
	if c = done[agent.CardView](w, "change_card", change("answer", "age", "at_15")); c.Consent.Scope != "pending_consent" || c.Consent.Closed != "" {
		t.Errorf("an age gives a yes back: %+v", c.Consent)
	}
	done[app.Consent](w, "set_consent", map[string]any{"id": s.Session, "scope": "full"})
	say := func(message string, vars map[string]string) {
		t.Helper()
		done[app.Started](w, "send", map[string]any{"session": s.Session, "agent": "companion", "text": message, "vars": vars})
		w.wait(events, journal.TurnCompleted)
	}
	say("passer", nil)
	say("non", nil)
	if c := get[agent.CardView](w, path); c.Consent.Scope != "full" || c.Consent.Asked {
		t.Errorf("a “no” to a question was taken for one to consent: %+v", c.Consent)
	}
	say("Qu'on se parle mieux", nil)
	c = get[agent.CardView](w, path)
	if len(c.Sources) == 0 || c.Sources[0].Text == "" || c.Feedback == nil || c.Open != "" {
		t.Fatalf("after the advice: %+v %+v", c.Sources, c.Feedback)
	}
	c = done[agent.CardView](w, "change_card", map[string]any{"session": s.Session, "kind": "feedback", "value": "partly", "note": "Le premier pas convient."})
	if c.Feedback.Value != "partly" || c.Feedback.Note != "Le premier pas convient." {
		t.Errorf("%+v", c.Feedback)
	}
	// The next turn is told of it; all cards follow the language.
	say("et maintenant", map[string]string{"language": "en"})
	if c = get[agent.CardView](w, path); c.Language != "en" || c.Words["consent_title"] != "What I may remember" || c.Asked[1].Say != "How old are you, roughly?" {
		t.Errorf("%s %q %q", c.Language, c.Words["consent_title"], c.Asked[1].Say)
	}
	told := false
	journalled, _, err := w.app.Journal(s.Session, 0, 5000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range journalled {
		if e.Kind != journal.ModelCalled {
			continue
		}
		var d struct {
			Purpose string
			Texts   []string
			Prompt  json.RawMessage
		}
		var long struct{ Blob string }
		if err := json.Unmarshal(e.Data, &d); err != nil {
			t.Fatal(err)
		}
		prompt := string(d.Prompt)
		if json.Unmarshal(d.Prompt, &long) == nil && long.Blob != "" { // too long for an event
			body, err := w.app.Blob(long.Blob)
			if err != nil {
				t.Fatal(err)
			}
			prompt = string(body)
		}
		told = told || strings.Contains(prompt, "helped: partly. Le premier pas convient.")
		if d.Purpose == "give_advice" && !slices.Contains(d.Texts, "give_advice_system_prompt") {
			t.Errorf("the journal does not say which texts a prompt was made of: %v", d.Texts)
		}
	}
	if !told {
		t.Error("what the person said of the advice reached no prompt")
	}
	if n := get[app.Prompts](w, "/api/agents/companion/prompts"); len(n.Nodes) != 7 || len(n.Vars) < 5 {
		t.Errorf("%+v", n)
	}
}

// "I saw it write, and what it wrote at the end began with the same words."
func TestCompanion_C6_TheAdviceIsSeenWhileItIsWritten(t *testing.T) {
	w := open(t)
	events, stop := w.app.Listen("")
	defer stop()
	done[app.Started](w, "send", map[string]any{"agent": "companion", "text": "I am 15 years old, in France. For some weeks exam nerves. I tried tea. I wish exam nerves would go.",
		"vars": map[string]string{"audience": "teen", "consent": "full"}})
	streamed, whole := "", ""
	for e := range events {
		switch {
		case e.Kind == journal.Token && e.Offset == len(streamed):
			if streamed += e.Text; whole != "" {
				t.Error("the pieces come after the whole")
			}
		case e.Kind == journal.Message:
			whole = e.Text
		}
		if e.Kind == journal.TurnCompleted {
			break
		}
	}
	if streamed == "" || strings.ContainsAny(streamed, `{}"`) || !strings.HasPrefix(whole, strings.TrimSpace(streamed)) {
		t.Errorf("the pieces say %q; the message %q", streamed, whole)
	}
}

// "My system is French and so were the screens; the countries and the first questions stood in English."
func TestCompanion_C27_WhatTheProgramSaysFollowsTheSystemOfTheScreen(t *testing.T) {
	w := open(t)
	region := func() string {
		return get[agent.StartCard](w, "/api/agents/companion/start?audience=teen").Fields[2].Say
	}
	// The language that the start card has chosen when it opens.
	language := func() string {
		for _, x := range get[[]app.AgentInfo](w, "/api/agents") {
			for _, v := range x.Vars {
				if v.Language {
					return v.Default
				}
			}
		}
		return ""
	}
	if got := region(); !strings.HasPrefix(got, "Which country") || language() != "en" {
		t.Fatalf("%q %q", got, language())
	}
	if c := done[map[string]bool](w, "follow_language", map[string]any{"language": "fr"}); !c["changed"] || !strings.HasPrefix(region(), "Dans quel pays") || language() != "fr" {
		t.Errorf("%v %q %q", c, region(), language())
	}
	done[map[string]bool](w, "follow_language", map[string]any{"language": "tlh"}) // nothing that is spoken here
	done[struct{}](w, "set_setting", map[string]any{"key": "language", "value": "en"})
	if c := done[map[string]bool](w, "follow_language", map[string]any{"language": "fr"}); c["changed"] || !strings.HasPrefix(region(), "Which country") {
		t.Errorf("a choice does not come first: %v %q", c, region())
	}
}

// "I searched for my own word, and read what my daughter had told it." "What it remembered of me was braces and quotation marks."
func TestCompanion_C28_C29_WhatWasToldIsFoundByItsPersonAndReadInWords(t *testing.T) {
	w := open(t)
	events, stop := w.app.Listen("")
	defer stop()
	say := func(text string, vars map[string]string) string {
		t.Helper()
		s := done[app.Started](w, "send", map[string]any{"agent": "companion", "text": text, "vars": vars})
		w.wait(events, journal.TurnCompleted)
		return s.Session
	}
	teen := func(name string) map[string]string {
		return map[string]string{"audience": "teen", "language": "fr", "region": "FR", "age": "at_15", "person": name}
	}
	lea := say("Le zeppelin me fait peur depuis lundi", teen("Léa"))
	again := say("Bonjour, encore moi", teen("léa"))
	zoe, nobody, other := say("Je dors mal", teen("Zoé")), say("Je dors mal", teen("somebody_new")), say("Mon fils dort mal", map[string]string{"audience": "parent", "person": "Léa"})
	done[app.Started](w, "send", map[string]any{"agent": "navigator", "text": "a zeppelin in the chart"})
	w.wait(events, journal.TurnCompleted)
	for from, want := range map[string]bool{"": false, lea: true, again: true, zoe: false, nobody: false, other: false, "no-such-session": false} {
		page := get[app.HitPage](w, "/api/search?q=zeppelin&from="+from)
		found := slices.ContainsFunc(page.Hits, func(h app.Hit) bool { return h.Session == lea })
		if found != want || !page.Apart || len(page.Hits) == 0 {
			t.Errorf("searched from %q: found %v, apart %v, %d hits", from, found, page.Apart, len(page.Hits))
		}
	}
	m := get[app.Memory](w, "/api/memory/"+lea)
	if len(m.Tools) != 1 || len(m.Tools[0].Lines) < 6 {
		t.Fatalf("%+v", m.Tools)
	}
	said := ""
	for _, line := range m.Tools[0].Lines {
		said += line.Title + " | " + line.Text + " | " + line.From + "\n"
	}
	for _, part := range []string{"Dans quel pays", "| France |", "zeppelin", "d'après ton message", "pas dit"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is missing in\n%s", part, said)
		}
	}
	if strings.ContainsAny(said, "{}") {
		t.Errorf("it is shown as it is kept:\n%s", said)
	}
	// The card of the beginning asks for a name, and offers none of those who were here.
	card := get[agent.StartCard](w, "/api/agents/companion/start?language=fr&audience=teen")
	field := card.Fields[4]
	if field.Var != "person" || field.Own == "" || len(field.Choices) != 1 || field.Choices[0].Value != "somebody_new" {
		t.Errorf("%+v", field)
	}
	say("Bonjour", map[string]string{"audience": "teen", "language": "fr"})
	if field = get[agent.StartCard](w, "/api/agents/companion/start?language=fr&audience=teen").Fields[4]; len(field.Choices) != 2 || field.Choices[1].Value != "unnamed" {
		t.Errorf("who had no name cannot go on: %+v", field)
	}
}

// "In the box under the advice I wrote that I want to kill myself. It said thank you." "I changed my answer to what my father
// does to me every night, and it noted it."
func TestCompanion_C14_DangerInFeedbackAndInAChangedAnswerIsHelpedAtOnce(t *testing.T) {
	w := open(t)
	events, stop := w.app.Listen("")
	defer stop()
	s := done[app.Started](w, "send", map[string]any{"agent": "companion", "text": "J'ai 15 ans et je vis en France. Depuis quelques semaines les examens me rendent nerveux. J'ai essayé de réviser la nuit. J'aimerais mieux dormir.",
		"vars": map[string]string{"audience": "teen", "language": "fr", "region": "FR", "age": "at_15"}})
	w.wait(events, journal.TurnCompleted)
	change := func(kind, id, value, note string) agent.CardView {
		t.Helper()
		return done[agent.CardView](w, "change_card", map[string]any{"session": s.Session, "kind": kind, "id": id, "value": value, "note": note})
	}
	told := func(written, line string) {
		t.Helper()
		list, _, err := w.app.Journal(s.Session, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(e journal.Event) bool {
			d, err := journal.Read[journal.SafetyCheckedData](e)
			return e.Kind == journal.SafetyChecked && err == nil && d.Written == written && d.Hijack && d.Region == "FR" && d.Informal
		})
		if i < 0 || i+1 == len(list) || list[i+1].Kind != journal.Message || list[i+1].Message != list[i].Message || list[i].Turn != s.Turn || !strings.Contains(list[i+1].Text, line) {
			t.Errorf("the journal does not tell of the help for the %s", written)
		}
	}
	if c := change("feedback", "", "partly", "Le premier pas convient."); c.Help != nil {
		t.Errorf("help without danger: %+v", c.Help)
	}
	if c := change("feedback", "", "partly", "bof. en vrai j'ai envie de me tuer"); c.Help == nil || c.Help.Level != "intervention" || !strings.Contains(c.Help.Text, "3114") || !strings.Contains(c.Help.Text, "Tu as bien fait") {
		t.Errorf("no help: %+v", c.Help)
	}
	told("feedback", "3114")
	c := change("answer", "tried", "rien, mon père me frappe avec sa ceinture tous les soirs et j'ai envie de mourir", "")
	if c.Help == nil || c.Help.Level != "intervention" || !strings.Contains(c.Help.Text, "119") {
		t.Errorf("no help: %+v", c.Help)
	}
	told("answer", "119")
	// A lighter sign asks, as it does above a reply.
	if c := change("feedback", "", "no", "à quoi bon, tout le monde serait mieux sans moi"); c.Help == nil || c.Help.Text == "" {
		t.Errorf("no help: %+v", c.Help)
	}
}
