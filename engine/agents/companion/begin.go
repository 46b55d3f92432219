package companion

import (
	"context"
	"strconv"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/memory"
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
			r.Do = memoryRows.Change(func(tx memory.Tx, _ graph.Tell) error {
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
