package companion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/manifest"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/session"
	"holdpoint/engine/text"
	"holdpoint/engine/turn"
)

// required are the texts that this package asks for by name; manifests name the others.
var required = []string{"dynamic_questions_system_prompt", "relevance_system_prompt",
	"first_words", "consent_card", "consent_again", "consent_no_age", "consent_no_name", "consent_too_young", "age_stays", "language_now", "consent_thanks", "consent_declined", "consent_how", "consent_withdrawn", "memory_deleted", "memory_told", "memory_unread", "memory_none", "progress", "passed", "left_open", "after_help", "noted", "choose", "also_if_you_like", "ask_more", "choose_elsewhere",
	"advice_fallback", "advice_quoted", "quoted_passage", "quoted_summary", "advice_refused", "support_fallback", "sources_heading", "nothing_to_say", "feedback_invitation",
	"words_yes", "words_no", "words_skip", "words_unsure", "words_refuse", "words_agree", "words_withdraw", "words_delete", "words_delete_now", "words_delete_it", "words_about", "memory_delete_ask", "memory_stays", "memory_waiting", "consent_ended", "consent_back", "words_asking", "words_remembered", "words_privacy", "privacy_answer", "lines_answer", "lines_unplaced", "lines_elsewhere", "words_others", "others_answer", "other_language", "refusal_marks"}

// schemas are those of answers, by the names that manifests use. That of ContextAnswers is
// made of the questions that are open, see answersSchema.
var schemas = map[string]json.RawMessage{
	"ContextAnswers":   nil,
	"NextAction":       nil, // made of the manifest's actions
	"GiveAdviceAnswer": nil,
	"SupportAnswer":    nil,
	"OneQuestion":      json.RawMessage(`{"title":"OneQuestion","type":"object","properties":{"question":{"type":"string","maxLength":300}},"required":["question"],"additionalProperties":false}`),
	"TwoQuestions":     json.RawMessage(`{"title":"TwoQuestions","type":"object","properties":{"questions":{"type":"array","maxItems":2,"items":{"type":"string","maxLength":200}}},"required":["questions"],"additionalProperties":false}`),
	"Queries":          json.RawMessage(`{"title":"Queries","type":"object","properties":{"queries":{"type":"array","minItems":2,"maxItems":4,"items":{"type":"string","maxLength":120}}},"required":["queries"],"additionalProperties":false}`),
	"Relevance":        json.RawMessage(`{"title":"Relevance","type":"object","properties":{"scores":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string","maxLength":8},"score":{"type":"integer","minimum":0,"maximum":10}},"required":["id","score"],"additionalProperties":false}}},"required":["scores"],"additionalProperties":false}`),
	"Summary":          json.RawMessage(`{"title":"Summary","type":"object","properties":{"summary":{"type":"string","maxLength":700}},"required":["summary"],"additionalProperties":false}`),
}

// schemaOf is a schema with the actions that the manifest declares.
func schemaOf(c manifest.Compiled) json.RawMessage {
	action := map[string]any{"type": "string", "enum": c.Actions}
	object := func(properties map[string]any, required ...string) json.RawMessage {
		return model.JSON(map[string]any{"title": c.Schema, "type": "object", "properties": properties, "required": required, "additionalProperties": false})
	}
	switch c.Schema {
	case "NextAction":
		return object(map[string]any{"reasoning": map[string]any{"type": "string", "maxLength": 200}, "action": action}, "reasoning", "action")
	case "GiveAdviceAnswer":
		return object(map[string]any{"advice": map[string]any{"type": "string", "minLength": 1, "maxLength": 2400},
			"sources": map[string]any{"type": "array", "maxItems": 4, "items": map[string]any{"type": "string", "maxLength": 8}}, "action": action}, "advice", "sources", "action")
	case "SupportAnswer":
		return object(map[string]any{"reply": map[string]any{"type": "string", "minLength": 1, "maxLength": 1600}, "action": action}, "reply", "action")
	}
	return schemas[c.Schema]
}

// say is a text in force for the turn's audience and language, with its places filled.
func (c *companion) say(t *graph.Task, name string, values ...string) (string, error) {
	return c.sayIn(t, language(t), name, values...)
}

// sayIn is say in another language.
func (c *companion) sayIn(t *graph.Task, language, name string, values ...string) (string, error) {
	k := text.Key{Agent: Name, Audience: t.Run.Vars[audienceVar], Language: language, Name: name}
	words, err := c.words.Get(k.Audience, k.Language, k.Name)
	if d, ok := t.Dependencies.(*turn.Dependencies); ok && d.Texts != nil && err == nil {
		words, err = d.Texts.Get(k)
	}
	if err != nil {
		return "", err
	}
	return text.Fill(words, values...), nil
}

// compile is what a node asks with now.
func (c *companion) compile(t *graph.Task, node graph.StageID, answered bool) (manifest.Compiled, error) {
	return c.manifests.Compile(string(node), stateOf(t), answered, func(name string) (string, error) { return c.say(t, name) })
}

// put asks a model what a node's manifest says, and reads the answer's JSON into what is
// pointed to.
func (c *companion) put(ctx context.Context, t *graph.Task, node graph.StageID, light bool, schema json.RawMessage, user string, into any) error {
	compiled, err := c.compile(t, node, true)
	if err != nil {
		return err
	}
	if schema == nil {
		schema = schemaOf(compiled)
	}
	return ask(ctx, t, turn.Prompt{Purpose: string(node), Light: light, System: compiled.Prompt(), User: user, Schema: schema, Texts: compiled.Texts()}, into)
}

// putAloud is put with the main model, whose words in a member of the answer are watched
// while it writes them.
func (c *companion) putAloud(ctx context.Context, t *graph.Task, node graph.StageID, member, user string, into any) error {
	compiled, err := c.compile(t, node, true)
	if err != nil {
		return err
	}
	// It is the message that finish stores.
	speech := &turn.Speech{Task: t, ID: t.Run.Turn + "/reply", Before: joined(ChannelIntroduction.Get(t.State), ChannelSaid.Get(t.State))}
	return ask(ctx, t, turn.Prompt{Purpose: string(node), System: compiled.Prompt(), User: user, Schema: schemaOf(compiled), Texts: compiled.Texts(), Speech: speech, Member: member}, into)
}

// putTo is put with a prompt that is one text.
func (c *companion) putTo(ctx context.Context, t *graph.Task, purpose string, light bool, name string, schema json.RawMessage, user string, into any) error {
	system, err := c.say(t, name)
	if err != nil {
		return err
	}
	return ask(ctx, t, turn.Prompt{Purpose: purpose, Light: light, System: system, User: user, Schema: schema, Texts: []string{name}}, into)
}

// ask puts a prompt and reads the answer's JSON.
func ask(ctx context.Context, t *graph.Task, p turn.Prompt, into any) error {
	purpose := p.Purpose
	answer, _, err := p.Ask(ctx, t)
	if err != nil {
		return err
	}
	if !json.Valid([]byte(answer)) {
		return fmt.Errorf("%w: %s broke off", model.ErrBroken, purpose)
	}
	return json.Unmarshal([]byte(answer), into)
}

// fatal says that nobody can answer, or that the turn was stopped: it fails and can be
// resumed. Other failures of a model are made good with a fixed text.
func fatal(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, turn.ErrNoModel) || errors.Is(err, model.ErrUnreachable) || errors.Is(err, model.ErrStalled) || errors.Is(err, text.ErrMissing)
}

// warn tells the trace of what was made good.
func warn(r *graph.Result, format string, args ...any) {
	r.Events = append(r.Events, journal.Event{Kind: journal.Warned, Reason: model.OneLine(fmt.Sprintf(format, args...), 300)})
}

// decline is warn for a person or a model that would not answer, which no screen holds up to them.
func decline(r *graph.Result, format string, args ...any) {
	warn(r, format, args...)
	r.Events[len(r.Events)-1].Status = string(journal.Declined)
}

// refused says that a model would not answer: with its words, or with none. It is flagged in
// the trace with the reason; a model's own filters are not what safety rests on.
func (c *companion) refused(t *graph.Task, r *graph.Result, said string) (bool, error) {
	marks, err := c.say(t, "refusal_marks")
	if err != nil {
		return false, err
	}
	plain := plainWords(said)
	for mark := range markList(marks) {
		if at := strings.Index(plain, mark); at >= 0 && at < 80 {
			decline(r, "the model refused to answer (“%s”)", mark)
			return true, nil
		}
	}
	if plain == "" {
		decline(r, "the answer was blocked or empty")
		return true, nil
	}
	return false, nil
}

// markList are the phrases of a list with commas; one that ends in "but …" keeps its comma.
func markList(list string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		parts := strings.Split(list, ",")
		for i := 0; i < len(parts); i++ {
			mark := plainWords(parts[i])
			if i+1 < len(parts) && (mark == "i'm sorry" || mark == "i am sorry" || mark == "je suis désolé" || mark == "désolé") {
				i++
				mark += ", " + plainWords(parts[i])
			}
			if mark != "" && !yield(mark) {
				return
			}
		}
	}
}

const (
	mostTalk = 6    // exchanges that a prompt has
	longTurn = 700  // characters of each
	longest  = 6000 // of the message
)

// latest are the messages of the exchanges that a prompt has.
func latest(history []turn.Exchange) []model.Message {
	return turn.Trim(exchanged(history...), turn.Limit{Exchanges: mostTalk})
}

// exchanged are the two messages of each exchange; a reply that never came is an empty one.
func exchanged(exchanges ...turn.Exchange) []model.Message {
	talk := make([]model.Message, 0, 2*len(exchanges))
	for _, e := range exchanges {
		talk = append(talk, model.Message{Role: "user", Text: e.User}, model.Message{Role: "assistant", Text: e.Reply})
	}
	return talk
}

// spoken are messages as a prompt has them, a line each.
func spoken(talk []model.Message) string {
	lines := make([]string, len(talk))
	for i, m := range talk {
		who := "ASSISTANT: "
		if m.Role == "user" {
			who = "PERSON: "
		}
		lines[i] = who + model.OneLine(m.Text, longTurn)
	}
	return strings.Join(lines, "\n")
}

// frame is what a prompt is told of the conversation, each part in a tag of its own.
func (c *companion) frame(t *graph.Task, talk Conversation, also ...string) (string, error) {
	var b strings.Builder
	tag := func(name, body string) {
		fmt.Fprintf(&b, "<%s>\n%s\n</%s>\n", name, turn.TagSafe(strings.TrimSpace(body)), name)
	}
	known, err := c.known(t, talk)
	if err != nil {
		return "", err
	}
	tag("collected_context", known)
	if earlier := earlierOf(t); earlier != "" {
		tag("previous_conversations", earlier)
	}
	if talk.Summary != "" {
		tag("summary_of_this_conversation", talk.Summary)
	}
	if f, ok := talk.feedback(talk.Advised); ok {
		tag("feedback_on_the_advice", strings.TrimSpace("helped: "+f.Value+". "+f.Note))
	}
	if history := latest(ChannelHistory.Get(t.State)); len(history) > 0 {
		tag("conversation", spoken(history))
	}
	for i := 0; i+1 < len(also); i += 2 {
		tag(also[i], also[i+1])
	}
	tag("message", model.Shorten(ChannelMessage.Get(t.State), longest))
	return b.String(), nil
}

// known are the questions with what was answered.
func (c *companion) known(t *graph.Task, talk Conversation) (string, error) {
	var lines []string
	for _, q := range c.questions[language(t)] {
		a, ok := talk.Answers[q.ID]
		if !ok {
			continue
		}
		words, err := c.say(t, "question."+q.ID)
		if err != nil {
			return "", err
		}
		value := a.Value
		for _, x := range q.Choices {
			if x.ID == value {
				value = x.Say
			}
		}
		lines = append(lines, a.asks(language(t), words)+" — "+model.OneLine(value, 300))
	}
	for i, q := range talk.Extra {
		if a, ok := talk.Answers[extraID(i)]; ok {
			lines = append(lines, q+" — "+model.OneLine(a.Value, 300))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// earlierOf are the summaries of earlier sessions as they are now: what was forgotten since
// they were found is not among them.
func earlierOf(t *graph.Task) string {
	var lines []string
	_ = memoryRows.View(t, func(tx memory.Tx) error { // what cannot be read is as if it were not remembered
		for _, u := range ChannelEarlier.Get(t.State) {
			if e, err := tx.Episode(u.ID); err == nil && !e.Forgotten() && e.About == who(t) {
				lines = append(lines, "- "+e.At.Format("2006-01-02")+": "+e.Text)
			}
		}
		return nil
	})
	return strings.Join(lines, "\n")
}

// show compiles a node's prompt for a state that vars give in words.
func (c *companion) show(node string, vars map[string]string, words func(text.Key) (string, error)) (manifest.Compiled, error) {
	state := map[string]any{}
	for name, example := range stateExample {
		given, ok := vars[name]
		switch example.(type) {
		case bool:
			if ok && given != "true" && given != "false" {
				return manifest.Compiled{}, fmt.Errorf("companion: %s is true or false, not %q", name, given)
			}
			state[name] = given == "true"
		default:
			state[name] = given
		}
	}
	for name := range vars {
		if _, ok := stateExample[name]; !ok && name != "answered" {
			return manifest.Compiled{}, fmt.Errorf("companion: prompts know no %q; they go by language, audience, consent, first_advice, support, earlier, concern, practice and answered", name)
		}
	}
	if state["language"] == "" {
		state["language"] = languages[0]
	}
	if state["consent"] == "" {
		state["consent"] = session.Onboarding
	}
	if !slices.Contains(session.Scopes(), state["consent"].(string)) {
		return manifest.Compiled{}, fmt.Errorf("companion: consent is %s, not %q", strings.Join(session.Scopes(), ", "), state["consent"])
	}
	if _, ok := vars["first_advice"]; !ok {
		state["first_advice"] = state["support"] != true
	}
	if err := c.accept(map[string]string{audienceVar: state["audience"].(string), languageVar: state["language"].(string)}); err != nil {
		return manifest.Compiled{}, fmt.Errorf("companion: %w", err)
	}
	return c.manifests.Compile(node, state, vars["answered"] == "true", func(name string) (string, error) {
		return words(text.Key{Agent: Name, Audience: state["audience"].(string), Language: state["language"].(string), Name: name})
	})
}
