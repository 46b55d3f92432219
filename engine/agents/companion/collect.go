package companion

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/session"
	"holdpoint/engine/turn"
)

// collect takes what the message answers, and asks the next question.
func (c *companion) collect(ctx context.Context, t *graph.Task) (graph.Result, error) {
	talk, scope := ChannelTalk.Get(t.State), c.consent.scopes[ChannelScope.Get(t.State)]
	talk.Answers, talk.Asked, talk.Skipped = copied(talk.Answers), copied(talk.Asked), copied(talk.Skipped)
	questions := c.questions[language(t)]
	var r graph.Result
	asked, helped := talk.Open, talk.Helped
	if talk.Spent != t.Run.Turn {
		if err := c.hear(ctx, t, &r, &talk, questions); err != nil {
			return r, err
		}
	} else if talk.Asked[talk.Open] > 0 {
		talk.Asked[talk.Open]--
	}
	said, now, err := c.settle(t, &r, &talk)
	if err != nil {
		return r, err
	}
	if now != "" {
		scope = c.consent.scopes[now]
	}
	noted, err := c.noted(t, talk, questions, asked)
	if err == nil && helped && !talk.Helped && besideHelp(ChannelMessage.Get(t.State)) == "" {
		noted, err = c.say(t, "after_help")
	}
	if err != nil {
		return r, err
	}
	open, left := talk.open(questions), ""
	if _, known := talk.Answers[asked]; asked != "" && !known && !talk.Skipped[asked] && talk.Asked[asked] > 1 {
		if left, err = c.say(t, "left_open"); err != nil { // it is not asked a third time
			return r, err
		}
	}
	said = joined(joined(noted, left), joined(ChannelSaid.Get(t.State), said))
	r.Patch = append(r.Patch, ChannelSaid.Set(said))
	if talk.Complete = len(open) == 0; talk.Complete {
		talk.Open = ""
		c.keep(t, &r, talk)
		r.Patch = append(r.Patch, ChannelComplete.Set(true))
		return r, nil
	}
	if talk.ExtraIn != language(t) && !slices.ContainsFunc(slices.Collect(maps.Keys(talk.Answers)), isExtra) {
		talk.Extra = nil // they are asked anew, in the language of the turn
	}
	if d, ok := t.Dependencies.(*turn.Dependencies); ok && d.Features[dynamicQuestions] && *scope.DynamicQuestions && talk.Extra == nil {
		if err := c.more(ctx, t, &r, &talk); err != nil {
			return r, err
		}
	}
	next := open[0]
	if i := slices.IndexFunc(open, func(q Question) bool { return q.Onboarding }); scope.Questions == "onboarding" && i >= 0 {
		next = open[i]
	}
	// A young person is asked for their yes once it is known whether it is enough.
	if *scope.Card && (t.Run.Vars[audienceVar] != youngAudience || !slices.ContainsFunc(open, func(q Question) bool { return q.Onboarding })) {
		words, asked, err := c.consentAsked(t, talk)
		if err != nil {
			return r, err
		}
		said, talk.Card = joined(said, words), asked
		agree(t, &r, session.PendingConsent)
	}
	reply, err := c.question(t, talk, next, len(questions)-len(open)+1, len(questions), joined(ChannelIntroduction.Get(t.State), said))
	if err != nil {
		return r, err
	}
	talk.Open = next.ID
	talk.Asked[next.ID]++
	c.keep(t, &r, talk)
	r.Patch = append(r.Patch, ChannelComplete.Set(false), ChannelReply.Set(reply))
	r.Events = append(r.Events, fixed(t, "question", reply))
	return r, nil
}

// noted says what a number, or a word for another question, was taken for: “16” may be an age or
// the sixteenth country, and who is asked for their country again has answered something else.
func (c *companion) noted(t *graph.Task, talk Conversation, questions []Question, asked string) (string, error) {
	for _, name := range []string{"words_unsure", "words_refuse"} {
		list, err := c.phrasesIn(t, name)
		if err != nil {
			return "", err
		}
		if asked != "" && talk.Skipped[asked] && refuses(ChannelMessage.Get(t.State), list) {
			return c.say(t, "passed") // who does not know, or does not want to say, is asked no second time
		}
	}
	_, known := talk.Answers[asked]
	known = known || talk.Skipped[asked]
	for _, q := range questions {
		a := talk.Answers[q.ID]
		named := q.ID == regionID && a.Value == elsewhere && typed(a.Quote) != typed(q.Choices[len(q.Choices)-1].Say) // “Maroc” is not on the list
		aside := asked != "" && q.ID != asked && !known
		if a.Turn != t.Run.Turn || a.From != fromList && !aside && !named || q.ID == regionID && a.Reasoning == saidAnew {
			continue
		}
		at := slices.IndexFunc(q.Choices, func(x Choice) bool { return x.ID == a.Value })
		_, err := strconv.Atoi(plainWords(a.Quote))
		if at < 0 || q.ID == asked && err != nil && !named {
			continue
		}
		words, err := c.say(t, "noted", "answer", q.Choices[at].Say)
		if strings.Contains(ChannelSaid.Get(t.State), words) {
			words = "" // an age that was put right is said back already
		}
		return words, err
	}
	return "", nil
}

// notedOf says back an answer that was put right.
func (c *companion) notedOf(t *graph.Task, talk Conversation, id string) (string, error) {
	for _, x := range c.questions[language(t)] {
		for _, choice := range x.Choices {
			if x.ID == id && choice.ID == talk.Answers[id].Value {
				return c.say(t, "noted", "answer", choice.Say)
			}
		}
	}
	return "", nil
}

// settle takes a yes that waited for an age, once that is known: what is then to be said, and
// the scope if it changed.
func (c *companion) settle(t *graph.Task, r *graph.Result, talk *Conversation) (said, scope string, err error) {
	region, age := c.saidBy(t, *talk)
	switch own, from := c.ownYes(t.Run.Vars, region, age); {
	case !talk.Yes || own == ageUnsaid:
		return "", "", nil
	case own == tooYoung:
		talk.Yes, scope = false, session.PendingConsent
		said, err = c.say(t, "consent_too_young", "age", strconv.Itoa(from))
	default:
		talk.Yes, scope = false, session.FullConsent
		said, err = c.say(t, "consent_thanks")
	}
	agree(t, r, scope)
	return said, scope, err
}

// consentAsked is the question for consent, or why there is none to ask for.
func (c *companion) consentAsked(t *graph.Task, talk Conversation) (words string, asked bool, err error) {
	region, age := c.saidBy(t, talk)
	switch own, from := c.ownYes(t.Run.Vars, region, age); own {
	case tooYoung:
		words, err = c.say(t, "consent_too_young", "age", strconv.Itoa(from))
	case ageUnsaid:
		words, err = c.say(t, "consent_no_age")
	case nameless:
		words, err = c.say(t, "consent_no_name")
	default:
		asked = true
		words, err = c.say(t, "consent_card")
	}
	return words, asked, err
}

func copied[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return maps.Clone(m)
}

// fixed is a message that no model wrote, or not as a whole.
func fixed(t *graph.Task, template, words string) journal.Event {
	return journal.Event{Message: t.Run.Turn + "/reply", Text: words}.With(journal.MessageData{Role: journal.Assistant, Template: template})
}

// dynamicQuestions is the feature that lets a model add questions; mostExtra how many.
const dynamicQuestions, mostExtra = "enable_dynamic_question_generation", 2

// more lets a model add questions. They stand beside the next one and are never waited for.
func (c *companion) more(ctx context.Context, t *graph.Task, r *graph.Result, talk *Conversation) error {
	user, err := c.listed(t, *talk, c.questions[language(t)], ChannelMessage.Get(t.State))
	if err != nil {
		return err
	}
	var answer struct{ Questions []string }
	err = c.putTo(ctx, t, "dynamic_questions", true, "dynamic_questions_system_prompt", schemas["TwoQuestions"], user, &answer)
	if err != nil {
		if fatal(ctx, err) {
			return err
		}
		warn(r, "no further questions: %v", err)
	}
	talk.Extra, talk.ExtraIn = []string{}, language(t)
	for _, q := range answer.Questions {
		if q = model.OneLine(q, 200); q != "" && len(talk.Extra) < mostExtra {
			talk.Extra = append(talk.Extra, q)
		}
	}
	return nil
}

// question is the reply that asks, after what is to be said first.
func (c *companion) question(t *graph.Task, talk Conversation, q Question, n, of int, said string) (string, error) {
	var parts []string
	if said != "" {
		parts = append(parts, said)
	}
	var failed error
	add := func(name string, values ...string) {
		words, err := c.say(t, name, values...)
		if err != nil {
			failed = err
		}
		parts = append(parts, words)
	}
	add("progress", "n", strconv.Itoa(n), "total", strconv.Itoa(of))
	add("question." + q.ID)
	if len(q.Choices) > 0 {
		var list []string
		for i, x := range q.Choices {
			list = append(list, fmt.Sprintf("%d. %s", i+1, x.Say))
		}
		parts[len(parts)-1] += "\n\n" + strings.Join(list, "\n")
		add("choose")
	}
	if at := slices.IndexFunc(q.Choices, func(x Choice) bool { return x.ID == elsewhere }); at >= 0 && talk.Asked[q.ID] > 0 {
		add("choose_elsewhere", "elsewhere", q.Choices[at].Say) // it was asked for, and not understood
	}
	if _, further := talk.further(language(t)); len(further) > 0 {
		add("also_if_you_like", "questions", strings.Join(further, " "))
	}
	return strings.Join(parts, "\n\n"), failed
}
