package companion

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/safety"
	"holdpoint/engine/session"
	"holdpoint/engine/text"
	"holdpoint/engine/turn"
)

// rather is the value of a question's var for those who would rather not say.
const rather = "rather_not_say"

// look is a row of look.yaml.
type look struct {
	Scale float64 `yaml:"scale"`
}

func readLooks(files fs.FS) (map[string]look, error) {
	body, err := fs.ReadFile(files, "look.yaml")
	if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(strings.NewReader(string(body)))
	d.KnownFields(true)
	var table map[string]look
	if err := d.Decode(&table); err != nil {
		return nil, fmt.Errorf("companion: look.yaml: %w", err)
	}
	for _, audience := range audiences {
		if s := table[audience].Scale; s < 1 || s > 1.5 {
			return nil, fmt.Errorf("companion: look.yaml: the scale of %s is %v, not 1 to 1.5", audience, s)
		}
	}
	return table, nil
}

// cardText is how the names of texts of cards begin; the words of a card are named without it.
const cardText = "card."

// cardWords are the texts that screens ask for by name.
var cardWords = []string{"start_title", "start_hint", "start_open", "language", "audience", "audience_teen", "audience_parent", "rather_not", "choose_one",
	"questions_title", "progress", "skip", "answer", "answers_title", "answers_hint", "not_told", "skipped", "change", "take_away", "save", "cancel", "your_words",
	"from_message", "from_start", "from_list", "from_settings", "from_person", "show_message",
	"consent_title", "consent_question", "scope_onboarding", "scope_pending_consent", "scope_full", "now", "allows_advise", "allows_research", "allows_dynamic_questions",
	"allows_recall", "allows_remember", "allowed", "not_allowed", "what_each_allows", "consent_yes", "consent_no", "consent_withdraw", "consent_stopped", "kept", "delete", "delete_ask", "deleted",
	"person", "person_new", "person_unnamed", "person_name", "summary_title", "sources_title", "read_passage", "read_summary", "summary_rests_on", "open_document", "close",
	"feedback_title", "feedback_yes", "feedback_partly", "feedback_no", "feedback_note", "feedback_send", "feedback_thanks", "writing"}

// names are those of texts, by the words of cards.
func names(words []string) (out []string) {
	for _, w := range words {
		out = append(out, cardText+w)
	}
	return out
}

// wordsOf are the texts of cards, by name.
func wordsOf(audience, language string, say agent.Say) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range cardWords {
		words, err := say(audience, language, cardText+name)
		if err != nil {
			return nil, err
		}
		out[name] = words
	}
	return out, nil
}

// addressee is who writes, as far as the start card and the session tell.
func addressee(s agent.CardState) agent.Addressee {
	to := agent.Addressee{Language: s.Vars[languageVar], Young: s.Vars[audienceVar] == youngAudience, OfChild: s.Vars[audienceVar] == parentAudience}
	region, _ := earlier(s.Vars, session.Consent{Scope: s.Scope, Region: s.Region, Age: s.Age})
	vars := s.Vars
	if s.Row != nil { // it has what was chosen with the messages before, as the person changed it since
		vars = maps.Clone(vars)
		delete(vars, regionID)
	}
	if region = regionIn(talkIn(s.Row, s.Session), vars, region); region != "" {
		to.Region = safety.RegionOf(region).Code
	}
	return to
}

// startCard is what is asked before a session begins, in the language that was chosen so far.
func (c *companion) startCard(vars map[string]string, say agent.Say, known func(whom string) bool) (agent.StartCard, error) {
	audience, language := vars[audienceVar], vars[languageVar]
	chosen := slices.Contains(audiences, audience)
	if !chosen {
		audience = audiences[0]
	}
	if !slices.Contains(languages, language) {
		language = languages[0]
	}
	words, err := wordsOf(audience, language, say)
	if err != nil {
		return agent.StartCard{}, err
	}
	out := agent.StartCard{Language: language, Scale: c.looks[audience].Scale, Words: words}
	tongue := agent.CardField{Var: languageVar, Say: words["language"]}
	for i, l := range languages {
		tongue.Choices = append(tongue.Choices, agent.CardChoice{Value: l, Say: languageNames[i]})
	}
	who := agent.CardField{Var: audienceVar, Say: words["audience"]}
	for _, a := range audiences {
		who.Choices = append(who.Choices, agent.CardChoice{Value: a, Say: words["audience_"+a]})
	}
	out.Fields = append(out.Fields, tongue, who)
	if !chosen {
		return out, nil // how the rest is asked depends on who is asked
	}
	for _, q := range c.questions[language] {
		if !q.Onboarding {
			continue
		}
		asks, err := say(audience, language, "question."+q.ID)
		if err != nil {
			return out, err
		}
		out.Fields = append(out.Fields, agent.CardField{Var: q.ID, Say: asks, Choices: append(choices(q), agent.CardChoice{Value: rather, Say: words["rather_not"]})})
	}
	// Of whom nothing may be kept, nobody is known again.
	if own, _ := c.ownYes(map[string]string{audienceVar: audience}, vars[regionID], vars[ageID]); own == tooYoung {
		return out, nil
	}
	name := agent.CardField{Var: personVar, Say: words["person"], Choices: []agent.CardChoice{{Value: somebodyNew, Say: words["person_new"]}}, Own: words["person_name"], Longest: longestName}
	before := map[string]string{audienceVar: audience, personVar: unnamed}
	if known(whom("", before, false)) || known(whom("", before, true)) {
		name.Choices = append(name.Choices, agent.CardChoice{Value: unnamed, Say: words["person_unnamed"]})
	}
	out.Fields = append(out.Fields, name)
	return out, nil
}

func choices(q Question) (out []agent.CardChoice) {
	for _, x := range q.Choices {
		out = append(out, agent.CardChoice{Value: x.ID, Say: x.Say})
	}
	return out
}

// chosen takes the answers that were given when the session began.
func (c *companion) chosen(talk *Conversation, vars map[string]string, turn, language string) {
	for _, q := range c.questions[language] {
		value := vars[q.ID]
		if !q.Onboarding || value == "" || value == talk.Answers[q.ID].Value {
			continue // what is given again with each message is said back once
		}
		talk.Answers, talk.Skipped = copied(talk.Answers), copied(talk.Skipped)
		if value == rather {
			talk.Skipped[q.ID] = true
			continue
		}
		if q.ID == ageID && c.older(*talk, vars, talk.Answers[regionID].Value, value) {
			continue
		}
		talk.Answers[q.ID] = Answer{Value: value, Reasoning: "chosen when the session began", Confidence: 1, Turn: turn, From: fromStart}
	}
}

// settled takes the region that was chosen for the program, which need not be asked for.
func (c *companion) settled(t *graph.Task, talk *Conversation) {
	d, ok := t.Dependencies.(*turn.Dependencies)
	if _, said := talk.Answers[regionID]; !ok || said || talk.Skipped[regionID] {
		return
	}
	before, _ := c.saidBy(t, *talk)
	for _, q := range c.questions[language(t)] {
		if q.ID == regionID && before == "" && d.Region != talk.Left && slices.ContainsFunc(q.Choices, func(x Choice) bool { return x.ID == d.Region }) {
			talk.Answers = copied(talk.Answers)
			talk.Answers[regionID] = Answer{Value: d.Region, Reasoning: "chosen for the program", Confidence: 1, Turn: t.Run.Turn, From: fromSettings}
		}
	}
}

// asks are the questions of a conversation: those of the file, and those that a model added and were answered or may be in
// the language.
func (c *companion) asks(talk Conversation, language string) []Question {
	out := slices.Clone(c.questions[language])
	open, _ := talk.further(language)
	for i := range talk.Extra {
		if _, answered := talk.Answers[extraID(i)]; answered || slices.Contains(open, extraID(i)) {
			out = append(out, Question{ID: extraID(i)})
		}
	}
	return out
}

// cards are those of a session as it stands.
func (c *companion) cards(s agent.CardState, say agent.Say) (agent.CardView, error) {
	talk := talkIn(s.Row, s.Session)
	audience, language := s.Vars[audienceVar], s.Vars[languageVar]
	if language == "" {
		language = languages[0]
	}
	words, err := wordsOf(audience, language, say)
	if err != nil {
		return agent.CardView{}, err
	}
	out := agent.CardView{Language: language, Scale: c.looks[audience].Scale, Words: words, Asked: []agent.CardQuestion{}, Sources: c.sourcesIn(audience, language, talk.Sources)}
	for i, s := range out.Sources {
		if s.Text != "" && s.Document == "" {
			out.Sources[i].About = text.Fill(words["summary_rests_on"], "source", s.Source)
		}
	}
	for _, q := range c.asks(talk, language) {
		own := agent.CardQuestion{ID: q.ID, Choices: choices(q), Region: q.ID == regionID}
		if isExtra(q.ID) {
			for i, words := range talk.Extra {
				if extraID(i) == q.ID {
					own.Say = words
				}
			}
		} else if own.Say, err = say(audience, language, "question."+q.ID); err != nil {
			return out, err
		}
		own.Skipped = talk.Skipped[q.ID]
		if a, ok := talk.Answers[q.ID]; ok {
			own.Say = a.asks(language, own.Say)
			own.Value, own.Answer, own.Quote, own.Turn, own.From = a.Value, a.Value, a.Quote, a.Turn, words["from_"+a.from()]
			if x, ok := q.said(a.Value); ok && q.Choices != nil {
				own.Answer = x.Say
			}
		}
		out.Asked = append(out.Asked, own)
	}
	out.Progress.Total = len(c.questions[language])
	open := talk.open(c.questions[language])
	out.Progress.Done = out.Progress.Total - len(open)
	if talk.Open != "" && !talk.Complete {
		out.Open = talk.Open
		// The question that waits is not done, however often it was asked.
		if !slices.ContainsFunc(open, func(q Question) bool { return q.ID == talk.Open }) {
			out.Progress.Done--
		}
		skip, err := say(audience, language, "words_skip")
		if err != nil {
			return out, err
		}
		out.Skip, _, _ = strings.Cut(skip, ",")
		out.Progress.Say = text.Fill(words["progress"], "n", strconv.Itoa(out.Progress.Done+1), "total", strconv.Itoa(out.Progress.Total))
	}
	if out.Consent, err = c.consentCard(s, talk, words, say); err != nil {
		return out, err
	}
	if talk.Advised != "" {
		out.Feedback = &agent.CardFeedbackAsked{Turn: talk.Advised}
		for _, v := range feedbackValues {
			out.Feedback.Choices = append(out.Feedback.Choices, agent.CardChoice{Value: v, Say: words["feedback_"+v]})
		}
		if f, ok := talk.feedback(talk.Advised); ok {
			out.Feedback.Value, out.Feedback.Note = f.Value, f.Note
		}
	}
	return out, nil
}

// plainBlanks is a text with plain blanks, which older sessions have.
func plainBlanks(s string) string { return strings.ReplaceAll(s, "\u00a0", " ") }

// sourcesIn are sources in a language: a passage that comes along is there in each.
func (c *companion) sourcesIn(audience, language string, sources []source) []source {
	out := append([]source{}, sources...)
	all, err := c.collections()
	if err != nil {
		return out
	}
	for i, s := range out {
		for _, l := range languages {
			at := slices.IndexFunc(all[audience+"/"+l], func(p passage) bool { return plainBlanks(p.Text) == plainBlanks(s.Text) })
			if s.Document != "" || at < 0 {
				continue
			}
			id := all[audience+"/"+l][at].ID
			if at = slices.IndexFunc(all[audience+"/"+language], func(p passage) bool { return p.ID == id }); at >= 0 {
				p := all[audience+"/"+language][at]
				out[i].Title, out[i].Text, out[i].Source = p.Title, p.Text, p.Source
			}
		}
	}
	return out
}

// lines are what a session knows, as people read it: the answers, the summary, what came of the
// advice.
func (c *companion) lines(s agent.CardState, say agent.Say) (out []agent.MemoryLine, language string, err error) {
	view, err := c.cards(s, say)
	if err != nil {
		return nil, "", err
	}
	talk := talkIn(s.Row, s.Session)
	for _, q := range view.Asked {
		switch {
		case q.Answer != "":
			out = append(out, agent.MemoryLine{Title: q.Say, Text: q.Answer, From: q.From})
		case talk.Skipped[q.ID]:
			out = append(out, agent.MemoryLine{Title: q.Say, Text: view.Words["skipped"]})
		default:
			out = append(out, agent.MemoryLine{Title: q.Say, Text: view.Words["not_told"]})
		}
	}
	if talk.Summary != "" {
		out = append(out, agent.MemoryLine{Title: view.Words["summary_title"], Text: talk.Summary})
	}
	for _, s := range view.Sources {
		out = append(out, agent.MemoryLine{Title: view.Words["sources_title"], Text: s.Title, From: s.Source})
	}
	for _, f := range talk.Feedback {
		out = append(out, agent.MemoryLine{Title: view.Words["feedback_title"], Text: strings.TrimSpace(view.Words["feedback_"+f.Value] + ". " + f.Note)})
	}
	return out, view.Language, nil
}

// from says where an answer came from, also of rows that do not say.
func (a Answer) from() string {
	switch {
	case a.From != "":
		return a.From
	case a.Confidence == 1:
		return fromList
	}
	return fromMessage
}

// forget takes away a yes that waits for an age, and with all the session's own summary.
func (c *companion) forget(s agent.CardState, all bool) json.RawMessage {
	talk := talkIn(s.Row, s.Session)
	if !talk.Yes && (!all || talk.Summary == "") {
		return nil
	}
	if talk.Yes = false; all {
		talk.Summary = ""
	}
	return c.rowOf(s.Session, s.Turn, cmp.Or(s.Vars[languageVar], languages[0]), talk, s.At)
}

// closed says why a yes of the person is not enough, in words for them; "" where it is.
func (c *companion) closed(s agent.CardState, say agent.Say) (string, error) {
	talk, language := talkIn(s.Row, s.Session), s.Vars[languageVar]
	region, age := earlier(s.Vars, session.Consent{Scope: s.Scope, Region: s.Region, Age: s.Age})
	region, age = cmp.Or(talk.Answers[regionID].Value, region), talk.ageOr(age)
	own, from := c.ownYes(s.Vars, region, age)
	name := map[standing]string{tooYoung: "consent_too_young", ageUnsaid: "consent_no_age", nameless: "consent_no_name"}[own]
	if name == "" {
		return "", nil
	}
	words, err := say(s.Vars[audienceVar], cmp.Or(language, languages[0]), name)
	return text.Fill(words, "age", strconv.Itoa(from)), err
}

func (c *companion) consentCard(s agent.CardState, talk Conversation, words map[string]string, say agent.Say) (agent.CardConsent, error) {
	closed, err := c.closed(s, say)
	if err != nil {
		return agent.CardConsent{}, err
	}
	out := agent.CardConsent{Scope: s.Scope, Say: words["scope_"+s.Scope], Closed: closed, Asked: closed == "" && (s.Scope == session.Onboarding || talk.Card && s.Scope != session.FullConsent), Kept: s.Kept,
		Keeps: text.Fill(words["kept"], "count", strconv.Itoa(s.Kept)), Delete: text.Fill(words["delete_ask"], "count", strconv.Itoa(s.Kept))}
	for _, scope := range session.Scopes() {
		a := c.consent.scopes[scope]
		own := agent.CardScope{Scope: scope, Say: words["scope_"+scope]}
		for _, one := range []struct {
			name string
			yes  bool
		}{{"advise", *a.Advise}, {"research", *a.Research}, {"dynamic_questions", *a.DynamicQuestions}, {"recall", *a.Recall}, {"remember", *a.Remember}} {
			own.Allows = append(own.Allows, agent.CardAllowed{Say: words["allows_"+one.name], Yes: one.yes})
		}
		out.Scopes = append(out.Scopes, own)
	}
	return out, nil
}

// What a person says of advice.
var feedbackValues = []string{"yes", "partly", "no"}

// feedback is the last word on the advice of a turn.
func (c Conversation) feedback(turn string) (feedback, bool) {
	for _, f := range slices.Backward(c.Feedback) {
		if f.Turn == turn {
			return f, true
		}
	}
	return feedback{}, false
}

// mostFeedback bounds what is kept of feedback in a session.
const mostFeedback = 20

// changed is the row after a person changed an answer, or said what came of the advice.
func (c *companion) changed(s agent.CardState, change agent.CardChange, say agent.Say) (json.RawMessage, error) {
	talk := talkIn(s.Row, s.Session)
	language := s.Vars[languageVar]
	if language == "" {
		language = languages[0]
	}
	switch change.Kind {
	case agent.CardAnswer:
		questions := c.asks(talk, language)
		i := slices.IndexFunc(questions, func(q Question) bool { return q.ID == change.ID })
		if i < 0 {
			return nil, fmt.Errorf("there is no question %q", change.ID)
		}
		value := model.OneLine(change.Value, 300)
		if value != "" && questions[i].Choices != nil {
			x, ok := questions[i].said(value)
			if !ok {
				return nil, errors.New("the answer is none of the choices")
			}
			value = x.ID
		}
		talk.Answers, talk.Skipped = copied(talk.Answers), copied(talk.Skipped)
		delete(talk.Skipped, change.ID)
		delete(talk.Answers, change.ID)
		if value == "" {
			talk.Skipped[change.ID] = true // taken away: it is not asked for again
		} else {
			if change.ID == ageID {
				talk.Doubted = false
			}
			talk.Answers[change.ID] = Answer{Value: value, Reasoning: "changed by the person", Confidence: 1, Turn: s.Turn, From: fromPerson, Danger: change.Danger}
		}
		if talk.Open == change.ID {
			talk.Open = "" // what is said next answers something else
		}
	case agent.CardFeedback:
		if talk.Advised == "" {
			return nil, bad("no advice was given yet")
		}
		if !slices.Contains(feedbackValues, change.Value) {
			others, last := oneOrOther(feedbackValues)
			return nil, bad("what came of it is %s or %s, and cannot be %q", others, last, change.Value)
		}
		talk.Feedback = append(slices.DeleteFunc(slices.Clone(talk.Feedback), func(f feedback) bool { return f.Turn == talk.Advised }),
			feedback{Turn: talk.Advised, Value: change.Value, Note: model.OneLine(change.Note, 500), At: s.At})
		talk.Feedback = talk.Feedback[max(0, len(talk.Feedback)-mostFeedback):]
	default:
		return nil, fmt.Errorf("a card has no %q to change", change.Kind)
	}
	c.asked(&talk, language, func(name string) (string, error) { return say(s.Vars[audienceVar], language, name) })
	return c.rowOf(s.Session, s.Turn, language, talk, s.At), nil
}
