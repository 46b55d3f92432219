package companion

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/turn"
)

// hear takes answers out of the message: of the question that was asked without a model where
// it is a choice, of all of them by a model, which has to quote the words.
func (c *companion) hear(ctx context.Context, t *graph.Task, r *graph.Result, talk *Conversation, questions []Question) error {
	message := c.parted(ChannelMessage.Get(t.State))
	list, err := c.phrasesIn(t, "words_refuse")
	if err != nil {
		return err
	}
	at := slices.IndexFunc(questions, func(q Question) bool { return q.ID == talk.Open })
	if refuses(message, list) {
		if at >= 0 {
			talk.Skipped[talk.Open] = true
		}
		decline(r, "the person does not want to answer: nothing was taken from this message")
		return nil
	}
	if list, err = c.phrasesIn(t, "words_privacy"); err != nil {
		return err
	}
	if private, _, rest := asks(message, list); private {
		message = rest // a question is no answer
	}
	if talk.Helped {
		talk.Helped = false
		if message = besideHelp(message); message == "" {
			return nil
		}
	}
	if wanted, rest := asksLines(message); wanted {
		message = rest
	}
	// chosen is an answer that no model had to read.
	chosen := func(choice Choice, words, why, from string) Answer {
		return Answer{Value: choice.ID, Quote: model.OneLine(words, 300), Reasoning: why, Confidence: 1, Turn: t.Run.Turn, From: from}
	}
	passed := false
	if at >= 0 {
		skip, err := c.phrasesIn(t, "words_skip")
		if err != nil {
			return err
		}
		unsure, err := c.phrasesIn(t, "words_unsure")
		if err != nil {
			return err
		}
		if skip += unsure; oneOf(message, skip) {
			talk.Skipped[talk.Open] = true
			return nil
		}
		passed = opens(message, skip)
		if choice, ok := questions[at].said(message); ok {
			talk.Answers[talk.Open] = chosen(choice, message, "chosen from the list", fromList)
			return nil
		}
	}
	// In a sentence they are heard without a model, too: “J'ai 16 ans et j'habite en France.”
	_, known := talk.Answers[ageID]
	young, doubtful := t.Run.Vars[audienceVar] == youngAudience, false
	for _, q := range questions {
		if q.ID == ageID && known && young {
			continue // see restate
		}
		if _, known := talk.Answers[q.ID]; q.ID == regionID && known {
			continue // see relocate
		}
		choice, part, ok := q.told(message, young, talk.Open, t.Now())
		if ok {
			talk.Answers[q.ID] = chosen(choice, part, "said in so many words", fromMessage)
		}
		doubtful = doubtful || q.ID == ageID && part != "" && !ok // it is asked, whatever a model reads
	}
	var left []Question
	for _, q := range questions {
		if _, ok := talk.Answers[q.ID]; !ok && !talk.Skipped[q.ID] {
			left = append(left, q)
		}
	}
	user, err := c.listed(t, *talk, left, message)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	err = c.put(ctx, t, CollectContext, true, answersSchema(left, talk.Extra), user, &raw)
	found := map[string]Answer{}
	if err == nil {
		found, err = explicit(raw, message, t.Run.Turn)
	}
	if err != nil {
		if fatal(ctx, err) {
			return err
		}
		warn(r, "the message was not read: %v", err)
	}
	// A bare yes tells nothing: none of the open questions can be answered with one.
	yes, err := c.phrasesIn(t, "words_yes")
	if err != nil {
		return err
	}
	bare := oneOf(message, yes)
	for id, a := range found {
		if bare {
			break
		}
		i := slices.IndexFunc(left, func(q Question) bool { return q.ID == id })
		if !worded(a.Quote) || i >= 0 && left[i].Choices == nil && !lettered(a.Quote) {
			continue // “3” names a choice, and these have none
		}
		if i < 0 && slices.ContainsFunc(questions, func(q Question) bool { return q.ID == id }) {
			continue // what was said in so many words, or passed, no model reads in another way
		}
		if i >= 0 && left[i].Onboarding && (id == ageID && doubtful || !left[i].bears(message, a, young)) {
			continue // it is asked, not guessed
		}
		if (i < 0 || !left[i].Onboarding) && c.onlyWho(a.Quote, i < 0 || left[i].Choices == nil) {
			continue
		}
		if i >= 0 && left[i].Choices != nil {
			choice, ok := left[i].said(a.Value)
			if !ok {
				continue
			}
			if id == ageID {
				choice = left[i].least(message, choice, young)
			}
			a.Value = choice.ID
		}
		talk.Answers[id] = a
	}
	if _, ok := talk.Answers[talk.Open]; passed && !ok && !(questions[at].Choices != nil && questions[at].inOwnWords(message, false)) {
		talk.Skipped[talk.Open] = true // the rest of the message was about something else
		return nil
	}
	// Who is asked and tells, has answered, whatever a small model makes of it.
	a := talk.Answers[ageID]
	put := a.Turn == t.Run.Turn && a.Reasoning == saidAnew && len(strings.Fields(message)) <= mostOrder // it put an age right
	if _, ok := talk.Answers[talk.Open]; at >= 0 && !ok && !put && len(found) == 0 && !bare && !c.onlyWho(message, true) && questions[at].inOwnWords(message, talk.Asked[talk.Open] > 1) && !strings.Contains(message, "?") {
		talk.Answers[talk.Open] = Answer{Value: model.OneLine(message, 300), Quote: model.OneLine(message, 300), Reasoning: "said in reply to this question", Confidence: certain, Turn: t.Run.Turn}
	}
	return nil
}

// lettered says that a text has a letter.
func lettered(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// worded says that a text has a letter or a digit: without one it tells nothing.
func worded(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// listed are the questions for a model, and the message.
func (c *companion) listed(t *graph.Task, talk Conversation, questions []Question, message string) (string, error) {
	var b strings.Builder
	b.WriteString("<questions>\n")
	for _, q := range questions {
		words, err := c.say(t, "question."+q.ID)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s: %s", q.ID, words)
		for _, x := range q.Choices {
			fmt.Fprintf(&b, " [%s = %s]", x.ID, x.Say)
		}
		b.WriteString("\n")
	}
	for i, q := range talk.Extra {
		fmt.Fprintf(&b, "%s: %s\n", extraID(i), turn.TagSafe(q))
	}
	fmt.Fprintf(&b, "</questions>\n<asked>%s</asked>\n<message>\n%s\n</message>", talk.Open, turn.TagSafe(model.Shorten(message, longest)))
	return b.String(), nil
}
