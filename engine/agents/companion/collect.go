package companion

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/session"
	"holdpoint/engine/turn"
)

// begin is should_collect_context: it reads what the session knows and what was agreed to,
// does what the person says about that, and chooses between agent1 and collect_context.
func (c *companion) begin(ctx context.Context, t *graph.Task) (graph.Result, error) {
	talk := talkOf(t)
	// Before the first turn that was more than help, no row says so.
	if history := ChannelHistory.Get(t.State); talk.Turn == "" && len(history) > 0 && history[len(history)-1].Reply != "" {
		talk.Helped = true
	}
	talk = talk.turnOf(t)
	c.chosen(&talk, t.Run.Vars, t.Run.Turn, language(t))
	c.settled(t, &talk)
	moved, onlyMoved, was := c.relocate(t, &talk)
	aged, stays := c.restate(t, &talk)
	scope, err := scopeOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	message := ChannelMessage.Get(t.State)
	var r graph.Result
	if *c.consent.scopes[scope].Card && len(talk.Asked) == 0 {
		words, err := c.say(t, "first_words")
		if err != nil {
			return r, err
		}
		r.Patch = append(r.Patch, ChannelIntroduction.Set(words))
	}
	said, lists := "", map[string]string{}
	for _, name := range []string{"words_yes", "words_no", "words_agree", "words_withdraw", "words_delete", "words_delete_now", "words_delete_it", "words_about", "words_asking", "words_refuse", "words_remembered", "words_privacy", "words_others", "words_skip", "words_unsure"} {
		if lists[name], err = c.phrasesIn(t, name); err != nil {
			return r, err
		}
	}
	region, age := c.saidBy(t, talk)
	own, from := c.ownYes(t.Run.Vars, region, age)
	young := func() error {
		talk.Yes = false
		said, err = c.say(t, "consent_too_young", "age", strconv.Itoa(from))
		return err
	}
	// A yes that was given elsewhere, e.g. on a screen, leaves nothing to ask: a “no” is then said
	// to something else.
	card := talk.Card && scope != session.FullConsent
	talk.Card = false
	remove, _ := orders(message, lists["words_delete"], lists["words_asking"], lists["words_about"])
	plainly, plain := orders(message, lists["words_delete_now"], lists["words_asking"], "")
	plain = plainly && plain && !strings.Contains(message, "?") // as it was offered: it is asked no second time
	it, _ := orders(message, lists["words_delete_it"], lists["words_asking"], "")
	remove = remove || talk.Told && it
	goodbye := noAnswer
	if history := ChannelHistory.Get(t.State); talk.Deleting != "" && len(history) > 0 && strings.Contains(history[len(history)-1].Reply, talk.Deleting) {
		if goodbye = answered(message, lists["words_yes"], lists["words_no"]); goodbye == noAnswer && remove || it {
			goodbye = saidYes
		}
	}
	talk.Told, talk.Deleting = false, ""
	withdrawn, _ := orders(righted(message, lists["words_withdraw"]), lists["words_withdraw"], lists["words_asking"], lists["words_about"])
	took, how := withdraws(message, lists["words_about"])
	withdrawn = withdrawn && !how || took
	var heard answer
	if card {
		if heard = answered(message, lists["words_yes"]+lists["words_agree"], lists["words_no"]); withdrawn {
			heard = saidNo
		}
	} else if scope != session.FullConsent && agrees(message, lists["words_yes"], lists["words_agree"], lists["words_asking"], lists["words_no"]) {
		heard = saidYes // it says to what, and needs no question before it
	}
	private, first, rest := asks(message, lists["words_privacy"])
	private = private && (strings.Contains(message, "?") || !oneOf(message, lists["words_refuse"])) // “c'est privé”
	wanted, told := asksLines(message)
	wanted = wanted && !turn.ChannelSafety.Get(t.State).Concern // they stand above the reply already
	waited := aged && talk.Yes
	given := t.Run.Vars[consentVar] == session.FullConsent || heard == saidYes || waited
	// What waits to be remembered never is, and what is kept can be deleted.
	stop := func() {
		if scope == session.FullConsent && err == nil {
			r.Do = graph.In(func(tx memory.Tx, _ graph.Tell) error {
				_, err := memory.Withdraw(tx, who(t))
				return err
			})
			var list []memory.Episode
			if list, err = kept(t); len(list) > 0 {
				words := ""
				words, err = c.say(t, "consent_withdrawn", "count", strconv.Itoa(len(list)))
				said = joined(said, words)
			}
		}
		scope = session.PendingConsent
		agree(t, &r, scope)
	}
	switch {
	case goodbye == saidYes || plain:
		return c.withdraw(t, r, talk, scope, true)
	case goodbye == saidNo:
		if said, err = c.say(t, "memory_stays"); err != nil {
			return r, err
		}
		r.Reason = "nothing is to be deleted"
		return c.aside(t, r, talk, scope, said), nil
	case (remove || goodbye == unclear) && t.Run.Vars[consentVar] != "withdrawn":
		return c.askDelete(t, r, talk, scope)
	case t.Run.Vars[consentVar] == "withdrawn" || heard != saidNo && withdrawn:
		return c.withdraw(t, r, talk, scope, false)
	case !card && asksAlone(message, lists["words_remembered"], lists["words_asking"]):
		return c.remembered(t, r, talk, scope)
	case !aged && !given && asksOf(message, lists["words_others"]):
		talk.Card = card // that is still to be answered
		return c.ofOthers(t, r, talk, scope)
	case given && own == enough:
		scope, talk.Yes = session.FullConsent, false
		agree(t, &r, scope)
		if heard == saidYes || waited {
			said, err = c.say(t, "consent_thanks")
		}
	case own == tooYoung && (given || aged && !stays || scope == session.FullConsent):
		err = young()
		stop()
	case own == ageUnsaid && talk.Doubted && (aged || scope == session.FullConsent):
		said, err = c.say(t, "consent_no_age")
		stop()
	case given && own == nameless:
		agree(t, &r, scope)
		said, err = c.say(t, "consent_no_name")
	case given:
		talk.Yes = true // until an age was said
		agree(t, &r, scope)
		if heard == saidYes {
			said, err = c.say(t, "consent_no_age")
		}
	case heard == saidNo:
		talk.Yes = false
		said, err = c.say(t, "consent_declined")
	case heard == unclear || card && (private || wanted) || card && talk.Open != "" && !talk.Reminded && own == enough:
		// It is asked once more, so that a yes right after counts; what else was said is heard.
		talk.Card, talk.Reminded = true, talk.Reminded || !private && !wanted && heard != unclear
		said, err = c.say(t, "consent_again")
		private = private || heard == unclear && strings.Contains(message, "?")
	default:
		// Who passes a question has not answered the one for consent beside it.
		talk.Card = card && own == enough && (oneOf(message, lists["words_skip"]) || oneOf(message, lists["words_unsure"]))
		agree(t, &r, scope) // the session's row says what it runs under
	}
	switch {
	case err != nil:
		return r, err
	case stays:
		words, err := c.say(t, "age_stays")
		if err != nil {
			return r, err
		}
		said = joined(words, said)
	case aged && said == "":
		if said, err = c.notedOf(t, talk, ageID); err != nil {
			return r, err
		}
	}
	code, alone := askedLanguage(message)
	if alone && code == language(t) && talk.Language != code {
		words, err := c.say(t, "language_now")
		if err != nil {
			return r, err
		}
		said = joined(words, said)
	}
	if aged && onlyAge(message) || onlyMoved || alone {
		talk.Spent = t.Run.Turn // it answers nothing
	}
	if other := elsewhereIn(message); other != "" && other != talk.Elsewhere {
		words, err := c.speaks(t, other)
		if err != nil {
			return r, err
		}
		said = joined(words, said)
		talk.Elsewhere, talk.Spent = other, t.Run.Turn // it is asked once more, to be answered in a language that is spoken here
	}
	if private {
		answer, err := c.say(t, "privacy_answer")
		if err != nil {
			return r, err
		}
		said = joined(answer, said)
		if first || rest == "" {
			talk.Spent = t.Run.Turn // it asks, and answers nothing
		}
	}
	if how && !withdrawn {
		answer, err := c.say(t, "consent_how")
		if err != nil {
			return r, err
		}
		said, talk.Spent = joined(answer, said), t.Run.Turn // it asks, and answers nothing
	}
	if wanted {
		answer, err := c.helpLines(t, talk, told)
		if err != nil {
			return r, err
		}
		if said = joined(answer, said); told == "" {
			talk.Spent = t.Run.Turn // it asks, and answers nothing
		}
	}
	if !card && heard == saidYes || card && withdrawn || card && (oneOf(message, lists["words_yes"]+lists["words_agree"]) || heard == saidNo && only(message, lists["words_no"]) || heard == unclear && strings.Contains(message, "?")) {
		talk.Spent = t.Run.Turn // it answers nothing else
	}
	var earlier []memory.Used
	if *c.consent.scopes[scope].Recall {
		if earlier, err = recall(ctx, t, message); err != nil {
			return r, err
		}
	}
	support := talk.Support || len(earlier) > 0
	if now, _ := c.saidBy(t, talk); was != "" && now == "" && talk.Left == was && (support || talk.Complete) {
		words, err := c.say(t, "question."+regionID) // nobody asks for it later
		if err != nil {
			return r, err
		}
		said = joined(said, words)
	}
	if moved && (was != "" || support || talk.Complete) {
		words, err := c.notedOf(t, talk, regionID)
		if err != nil {
			return r, err
		}
		said = joined(words, said)
	}
	if alone := map[bool]string{wanted && told == "": "whom to call was asked for", how && !withdrawn && len(wordsIn(message)) <= 2*mostOrder: "how to take consent back was asked for"}[true]; alone != "" && (support || talk.Complete) {
		r.Reason = alone
		return c.aside(t, r, talk, scope, said), nil
	}
	c.keep(t, &r, talk)
	r.Patch = append(r.Patch, ChannelScope.Set(scope), ChannelEarlier.Set(earlier), ChannelSupport.Set(support), ChannelFirst.Set(!support),
		ChannelReady.Set(support || talk.Complete), ChannelSaid.Set(said))
	return r, nil
}

// phrasesIn is a list of phrases in all languages: who writes French may say “ok, yes”, and the
// other way round. What was promised is always among them, and a list that cannot be read is as it was.
func (c *companion) phrasesIn(t *graph.Task, name string) (list string, err error) {
	for _, l := range languages {
		words, err := c.sayIn(t, l, name)
		if err != nil {
			return "", err
		}
		if fits(name, words) != nil {
			if words, err = c.words.Get(t.Run.Vars[audienceVar], l, name); err != nil {
				return "", err
			}
		}
		list += words + ","
	}
	for _, words := range promised[name] {
		list += words + ","
	}
	return list, nil
}

// recall finds the summaries of the person's earlier sessions: those close to the message, or
// else the newest one. What cannot be found is as if it were not remembered.
func recall(ctx context.Context, t *graph.Task, message string) ([]memory.Used, error) {
	about, d := who(t), (*turn.Dependencies)(nil)
	if own, ok := t.Dependencies.(*turn.Dependencies); ok {
		d = own
	}
	var newest *memory.Episode
	err := graph.View(t, func(tx memory.Tx) error {
		return tx.Episodes(about, func(e memory.Episode) (bool, error) {
			if e.Session != t.Run.Session && !e.Forgotten() && (newest == nil || e.At.After(newest.At)) {
				newest = &e
			}
			return true, nil
		})
	})
	if err != nil || newest == nil || d == nil {
		return nil, err
	}
	var out []memory.Used
	if d.Memory != nil {
		out = d.Memory.Once(ctx, memory.Query{About: about, Without: t.Run.Session, Text: message})
	}
	if len(out) == 0 {
		out = []memory.Used{{ID: newest.ID}}
	}
	return out, ctx.Err()
}

// kept are the summaries of whom the turn is with, the newest first.
func kept(t *graph.Task) (list []memory.Episode, err error) {
	err = graph.View(t, func(tx memory.Tx) error {
		return tx.Episodes(who(t), func(e memory.Episode) (bool, error) {
			if !e.Forgotten() {
				list = append(list, e)
			}
			return true, nil
		})
	})
	slices.SortStableFunc(list, func(a, b memory.Episode) int { return b.At.Compare(a.At) })
	return list, err
}

// mostTold is how many summaries an answer tells.
const mostTold = 5

// held are the summaries of whom the turn is with, and those that wait to be made, the newest first. A summary that is
// made anew is told as it will be; waiting is how many wait.
func held(t *graph.Task) (list []memory.Episode, waiting int, err error) {
	if list, err = kept(t); err != nil {
		return nil, 0, err
	}
	err = graph.View(t, func(tx memory.Tx) error {
		return tx.Due(func(w memory.Waiting) (bool, error) {
			if w.About == who(t) {
				waiting++
				list = slices.DeleteFunc(list, func(e memory.Episode) bool { return e.ID == w.ID() })
				list = append(list, memory.Episode{ID: w.ID(), About: w.About, Session: w.Session, Text: w.Text, At: w.At})
			}
			return true, nil
		})
	})
	slices.SortStableFunc(list, func(a, b memory.Episode) int { return b.At.Compare(a.At) })
	return list, waiting, err
}

// remembered answers what is remembered of somebody, word for word; where they did not agree to
// it, only how much is kept.
func (c *companion) remembered(t *graph.Task, r graph.Result, talk Conversation, scope string) (graph.Result, error) {
	list, waiting, err := held(t)
	if err != nil {
		return graph.Result{}, err
	}
	name, summaries := "memory_told", ""
	switch {
	case len(list) == 0:
		name = "memory_none"
	case !*c.consent.scopes[scope].Recall:
		name = "memory_unread"
	}
	for _, e := range list[:min(len(list), mostTold)] {
		summaries += "\n- " + memory.OneLine(e.Text, memory.MaxText)
	}
	said, err := c.say(t, name, "count", strconv.Itoa(len(list)), "summaries", summaries)
	if err == nil && waiting > 0 {
		words := ""
		words, err = c.say(t, "memory_waiting", "count", strconv.Itoa(waiting))
		said = joined(words, said)
	}
	if err != nil {
		return graph.Result{}, err
	}
	talk.Told = len(list) > 0
	r.Reason = "what is remembered was asked for"
	return c.aside(t, r, talk, scope, said), nil
}

// askDelete asks whether all that is remembered is to be deleted, which nothing brings back.
func (c *companion) askDelete(t *graph.Task, r graph.Result, talk Conversation, scope string) (graph.Result, error) {
	list, _, err := held(t)
	if err != nil {
		return graph.Result{}, err
	}
	if talk.Deleting, err = c.say(t, "memory_delete_ask", "count", strconv.Itoa(len(list))); err != nil {
		return graph.Result{}, err
	}
	r.Reason = "it is asked whether to delete what is remembered"
	return c.aside(t, r, talk, scope, talk.Deleting), nil
}

// aside answers a question about the program itself in the place of the conversation's next step.
func (c *companion) aside(t *graph.Task, r graph.Result, talk Conversation, scope, said string) graph.Result {
	r.Goto = UserFeedback
	agree(t, &r, scope)
	c.keep(t, &r, talk)
	r.Patch = append(r.Patch, ChannelSaid.Set(said))
	return r
}

// ofOthers answers what somebody else wrote: nothing of that is passed on, and why.
func (c *companion) ofOthers(t *graph.Task, r graph.Result, talk Conversation, scope string) (graph.Result, error) {
	said, err := c.say(t, "others_answer")
	if err != nil {
		return graph.Result{}, err
	}
	r.Reason = "what somebody else wrote was asked for"
	return c.aside(t, r, talk, scope, said), nil
}

// withdraw stops memory at once: what waits to be remembered never is, and what is kept can
// be deleted.
func (c *companion) withdraw(t *graph.Task, r graph.Result, talk Conversation, scope string, remove bool) (graph.Result, error) {
	about := who(t)
	list, err := kept(t)
	name := "consent_withdrawn"
	if remove {
		list, _, err = held(t)
		name, talk.Summary = "memory_deleted", ""
	}
	if err != nil {
		return graph.Result{}, err
	}
	talk.Yes = false // an age that is said later gives nothing back
	said, err := c.say(t, name, "count", strconv.Itoa(len(list)))
	if err == nil && remove && scope == session.FullConsent {
		words := ""
		words, err = c.say(t, "consent_ended")
		said = joined(said, words)
	}
	// Whose own yes is not enough is not told how to give it.
	region, age := c.saidBy(t, talk)
	if own, _ := c.ownYes(t.Run.Vars, region, age); err == nil && (own == enough || own == ageUnsaid) && (!remove || scope == session.FullConsent) {
		words := ""
		words, err = c.say(t, "consent_back")
		said += " " + words
	}
	if err != nil {
		return graph.Result{}, err
	}
	r.Goto, r.Reason = UserFeedback, "consent was taken back"
	r.Do = graph.In(func(tx memory.Tx, _ graph.Tell) error {
		kept, err := memory.Withdraw(tx, about)
		if err == nil && remove {
			err = memory.ForgetAll(tx, kept, t.Now())
		}
		return err
	})
	agree(t, &r, session.PendingConsent)
	c.keep(t, &r, talk)
	r.Patch = append(r.Patch, ChannelSaid.Set(said))
	return r, nil
}

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

// hear takes answers out of the message: of the question that was asked without a model where
// it is a choice, of all of them by a model, which has to quote the words.
func (c *companion) hear(ctx context.Context, t *graph.Task, r *graph.Result, talk *Conversation, questions []Question) error {
	message := ChannelMessage.Get(t.State)
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
