package companion

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/pipeline"
	"holdpoint/engine/safety"
	"holdpoint/engine/session"
	"holdpoint/engine/turn"
)

// Answer is what the person said to a question.
type Answer struct {
	// Value is their words, or the id of a choice.
	Value string `json:"value"`
	// Quote is where in the message it stands; Reasoning why it is an answer.
	Quote      string  `json:"quote,omitempty"`
	Reasoning  string  `json:"reasoning,omitempty"`
	Confidence float64 `json:"confidence"`
	Turn       string  `json:"turn"`
	// From is where it came from; "" is the message.
	From string `json:"from,omitempty"`
	// Asked is the question as it was when it was answered, in Language: its text may be changed
	// later, and this was no answer to that one.
	Asked    string `json:"asked,omitempty"`
	Language string `json:"language,omitempty"`
	// Danger says that it speaks of danger: it is in no summary.
	Danger bool `json:"danger,omitempty"`
}

// Where answers come from; texts card.from_… say it.
const (
	fromMessage  = "message"
	fromStart    = "start"
	fromList     = "list"
	fromSettings = "settings"
	fromPerson   = "person"
)

// Conversation is what a session knows between turns.
type Conversation struct {
	// Answers are by the questions' ids, Asked counts how often each was asked.
	Answers map[string]Answer `json:"answers"`
	Asked   map[string]int    `json:"asked,omitempty"`
	Skipped map[string]bool   `json:"skipped,omitempty"`
	// Open is the question that the last reply asked.
	Open string `json:"open,omitempty"`
	// Extra are questions that a model added, in the language ExtraIn; they are never waited for.
	Extra   []string `json:"extra,omitempty"`
	ExtraIn string   `json:"extra_in,omitempty"`
	// Complete says that every question was answered, skipped or asked twice; Support that
	// advice was given.
	Complete bool `json:"complete"`
	Support  bool `json:"support"`
	// Card says that the last reply asked for consent; Spent is the turn whose message answered
	// that and nothing else. Clarified counts the questions of ask_for_context.
	Card bool `json:"card,omitempty"`
	// Reminded says that the question for consent was asked once more because something else was
	// answered.
	Reminded bool `json:"reminded,omitempty"`
	// Yes is a yes that waits for an age.
	Yes bool `json:"yes,omitempty"`
	// Doubted says that the person took their age back and said no other: none of an earlier
	// session counts either.
	Doubted bool `json:"doubted,omitempty"`
	// Left is the country that the person said they do not live in: none of an earlier session or of the settings is theirs.
	Left string `json:"left,omitempty"`
	// Deleting is the question of the last reply whether all that is remembered is to be deleted; Told says that the
	// last reply told what is remembered.
	Deleting string `json:"deleting,omitempty"`
	Told     bool   `json:"told,omitempty"`
	// Helped says that the help in danger was shown, and nothing was heard since.
	Helped    bool   `json:"helped,omitempty"`
	Spent     string `json:"spent,omitempty"`
	Clarified int    `json:"clarified,omitempty"`
	// Summary is that of the session so far.
	Summary string `json:"summary,omitempty"`
	// Sources are what the last advice rests on, Advised the turn that gave it, Feedback what
	// the person said of it.
	Sources  []source   `json:"sources,omitempty"`
	Advised  string     `json:"advised,omitempty"`
	Feedback []feedback `json:"feedback,omitempty"`
	// Turns counts those of the session; Turn is the last one.
	Turns int    `json:"turns"`
	Turn  string `json:"turn"`
	// Language is that of the last turn; Elsewhere the one that was written in and is not spoken here.
	Language  string `json:"language,omitempty"`
	Elsewhere string `json:"elsewhere,omitempty"`
}

// region is that which the person gave; "" for none.
func (c Conversation) region() string {
	if v := c.Answers[regionID].Value; v != elsewhere {
		return v
	}
	return ""
}

// ownRegion is region where the person gave it in the conversation, and not for the whole program.
func (c Conversation) ownRegion() string {
	if c.Answers[regionID].From == fromSettings {
		return ""
	}
	return c.region()
}

// age is the bracket that the person gave; "" for none.
func (c Conversation) age() string { return c.Answers[ageID].Value }

// ageOr is age, else the one that was given in a session before.
func (c Conversation) ageOr(before string) string {
	if c.Doubted {
		before = ""
	}
	return cmp.Or(c.age(), before)
}

// further are the questions that a model added and nobody answered yet, by their ids; in another language than theirs there
// are none to ask.
func (c Conversation) further(language string) (ids, questions []string) {
	for i, q := range c.Extra {
		if _, answered := c.Answers[extraID(i)]; !answered && c.ExtraIn == language {
			ids, questions = append(ids, extraID(i)), append(questions, q)
		}
	}
	return ids, questions
}

// source is a passage that advice may rest on.
type source = agent.CardSource

// feedback is what a person said of the advice of a turn.
type feedback struct {
	Turn  string    `json:"turn"`
	Value string    `json:"value"` // yes, partly, no
	Note  string    `json:"note,omitempty"`
	At    time.Time `json:"at"`
}

// Channels of the companion's state, beside those of package turn.
var (
	ChannelMessage   = graph.Value[string]("message")
	ChannelHistory   = graph.Value[[]turn.Exchange]("history")
	ChannelTalk      = graph.Value[Conversation]("conversation")
	ChannelScope     = graph.Value[string]("consent")
	ChannelEarlier   = graph.Value[[]memory.Used]("previous_conversations")
	ChannelReady     = graph.Value[bool]("context_complete_or_support")
	ChannelComplete  = graph.Value[bool]("context_complete")
	ChannelSupport   = graph.Value[bool]("support")
	ChannelFirst     = graph.Value[bool]("first_advice")
	ChannelHasCalls  = graph.Value[bool]("has_calls")
	ChannelSummarize = graph.Value[bool]("should_summarize")
	ChannelMessages  = graph.Append[model.Message]("companion_messages")
	ChannelSaid      = graph.Value[string]("said")
	// ChannelIntroduction is what stands before the first reply of a conversation, whatever that is.
	ChannelIntroduction = graph.Value[string]("introduction")
	ChannelSources      = graph.Value[[]source]("sources")
	ChannelReply        = graph.Value[string]("reply")
)

// stateExample is what conditions of manifests may read.
var stateExample = map[string]any{"language": "", "audience": "", "consent": "", "first_advice": false, "support": false, "earlier": false, "concern": false, "practice": false}

// stateOf is the state as manifests see it.
func stateOf(t *graph.Task) map[string]any {
	return map[string]any{"language": language(t), "audience": t.Run.Vars[audienceVar], "consent": ChannelScope.Get(t.State), "first_advice": ChannelFirst.Get(t.State),
		"support": ChannelSupport.Get(t.State), "earlier": len(ChannelEarlier.Get(t.State)) > 0, "concern": turn.ChannelSafety.Get(t.State).Concern, "practice": t.Run.Practice}
}

func language(t *graph.Task) string {
	if l := t.Run.Vars[languageVar]; l != "" {
		return l
	}
	return languages[0]
}

// talkRow is the row of a session in which the conversation stands.
const talkRow = "collected_context"

// talkOf reads what the session knows. What cannot be read is asked anew.
func talkOf(t *graph.Task) (c Conversation) {
	var raw json.RawMessage
	if err := skipRows.View(t, func(tx pipeline.SkipTx) (err error) {
		raw, err = tx.Skip(t.Run.Session, talkRow)
		return err
	}); err != nil {
		return Conversation{}
	}
	return talkIn(raw, t.Run.Session)
}

// talkIn is the conversation in a session's row; the zero value where it cannot be read.
func talkIn(raw json.RawMessage, session string) (c Conversation) {
	var row pipeline.Row
	if raw == nil || json.Unmarshal(raw, &row) != nil || row.Session != session || json.Unmarshal(row.Output, &c) != nil {
		return Conversation{}
	}
	return c
}

// rowOf is a session's row with a conversation.
func (c *companion) rowOf(session, turn, language string, talk Conversation, at time.Time) json.RawMessage {
	output := model.JSON(talk)
	sum := sha256.Sum256(output)
	return model.JSON(pipeline.Row{Session: session, Tool: talkRow, Output: output, OutputHash: hex.EncodeToString(sum[:]), SliceHash: talk.Turn, ArgsHash: talk.Turn,
		Completeness: c.share(talk, language), DepHashes: map[string]string{}, Reads: []ledger.Target{}, Turn: turn, At: at})
}

// asked puts the questions as they are beside the answers that have none yet.
func (c *companion) asked(talk *Conversation, language string, say func(name string) (string, error)) {
	for id, a := range talk.Answers {
		if a.Asked != "" {
			continue
		}
		if words, err := say("question." + id); err == nil { // a further question is its own text
			a.Asked, a.Language = words, language
			talk.Answers = copied(talk.Answers)
			talk.Answers[id] = a
		}
	}
}

// asks is the question that an answer was given to, in a language; now is its text in force.
func (a Answer) asks(language, now string) string {
	if a.Language == language {
		return cmp.Or(a.Asked, now)
	}
	return now
}

// keep lets a result carry the conversation into the session's row, in its transaction.
func (c *companion) keep(t *graph.Task, r *graph.Result, talk Conversation) {
	c.asked(&talk, language(t), func(name string) (string, error) { return c.say(t, name) })
	talk.Language = language(t)
	r.Patch = append(r.Patch, ChannelTalk.Set(talk))
	row := c.rowOf(t.Run.Session, t.Run.Turn, language(t), talk, t.Now())
	before := r.Do
	r.Do = func(tx graph.Tx, tell graph.Tell) error {
		if before != nil {
			if err := before(tx, tell); err != nil {
				return err
			}
		}
		rows, err := skipRows.In(tx)
		if err != nil {
			return err
		}
		if err := rows.PutSkip(t.Run.Session, talkRow, row); err != nil {
			return err
		}
		return keepSaid(tx, t, talk)
	}
}

// keepSaid keeps the region and age bracket that a person gave for their sessions to come: in
// danger nobody is asked for a region first, and their yes depends on both.
func keepSaid(tx graph.Tx, t *graph.Task, talk Conversation) error {
	rows, err := consentRows.In(tx)
	if err != nil {
		return err
	}
	moved := talk.Answers[regionID].Value == elsewhere
	if talk.ownRegion() == "" && talk.age() == "" && talk.Left == "" && !moved && !talk.Doubted || isNew(t.Run.Vars) {
		return nil
	}
	before, ok, err := rows.ConsentOf(who(t))
	c := before
	if c.Region == talk.Left || moved {
		c.Region = ""
	}
	c.Region, c.Age = cmp.Or(talk.ownRegion(), c.Region), talk.ageOr(c.Age)
	if region, age := earlier(t.Run.Vars, c); region == "" && age == "" && talk.Left == "" && !moved && !talk.Doubted {
		return err // nobody is known again by it
	}
	if err != nil || !ok || c == before {
		return err
	}
	return rows.PutConsent(c)
}

// saidBy are the region and age bracket that the person gave, in this session or one before.
func (c *companion) saidBy(t *graph.Task, talk Conversation) (region, age string) {
	region, age = talk.Answers[regionID].Value, talk.age()
	_ = consentRows.View(t, func(tx session.ConsentTx) error { // what cannot be read was not said
		c, _, err := tx.ConsentOf(who(t))
		before, years := earlier(t.Run.Vars, c)
		if talk.Skipped[regionID] || before == talk.Left {
			before = ""
		}
		region, age = cmp.Or(region, before), talk.ageOr(years)
		return err
	})
	return region, age
}

// earlier are the region and age bracket of a consent that count for a session with these vars.
// Of people without a name only the one who agreed to be remembered is known again: who else
// writes on the device may be anybody.
func earlier(vars map[string]string, c session.Consent) (region, age string) {
	if name := vars[personVar]; (name == "" || name == unnamed) && c.Scope != session.FullConsent {
		return "", ""
	}
	return c.Region, c.Age
}

// regionIn is the region that the person gave in this session, else before, the one of a session
// before; "" for none, and for one who would rather not say.
func regionIn(talk Conversation, vars map[string]string, before string) string {
	said, skipped := talk.Answers[regionID].Value, talk.Skipped[regionID]
	// What was chosen with this message is not in the session's row yet.
	if now := vars[regionID]; now == rather {
		said, skipped = "", true
	} else if now != "" {
		said = now
	}
	switch {
	case said == "" && skipped:
		return ""
	case said == "" && talk.Left != "" && (before == "" || before == talk.Left):
		said = elsewhere
	case said == "":
		said = before
	}
	if said == elsewhere {
		return safety.International
	}
	return said
}

// regionOf is the region that the person gave in this session, else in one before; "" for none.
func regionOf(t *graph.Task) string {
	before := ""
	_ = consentRows.View(t, func(tx session.ConsentTx) error { // what cannot be read was not said
		c, _, err := tx.ConsentOf(who(t))
		before, _ = earlier(t.Run.Vars, c)
		return err
	})
	return regionIn(talkOf(t), t.Run.Vars, before)
}

// scopeOf is the consent that the turn begins with: what the person last said, in any
// session of theirs.
func scopeOf(t *graph.Task) (string, error) {
	scope := session.Onboarding
	err := consentRows.View(t, func(tx session.ConsentTx) error {
		c, ok, err := tx.ConsentOf(who(t))
		if ok {
			scope = c.Scope
		}
		return err
	})
	return scope, err
}

// agree lets a result carry a consent.
func agree(t *graph.Task, r *graph.Result, scope string) {
	r.Patch = append(r.Patch, ChannelScope.Set(scope))
	if was, err := scopeOf(t); err != nil || was != scope {
		r.Events = append(r.Events, journal.Event{Reason: map[string]string{session.FullConsent: "a yes to being remembered", session.PendingConsent: "asked for a yes to being remembered, or without one"}[scope]}.
			With(journal.MemoryUpdatedData{Scope: session.ConsentScope, Keys: []string{scope}}))
	}
	c := session.Consent{Whom: who(t), Scope: scope, Session: t.Run.Session, At: t.Now()}
	before := r.Do
	r.Do = func(tx graph.Tx, tell graph.Tell) error {
		if before != nil {
			if err := before(tx, tell); err != nil {
				return err
			}
		}
		rows, err := consentRows.In(tx)
		if err != nil {
			return err
		}
		before, _, err := rows.ConsentOf(c.Whom)
		if err != nil {
			return err
		}
		c.Region, c.Age = earlier(t.Run.Vars, before)
		if own, _ := person(c.Whom); own.Name != "" {
			c.Name = cmp.Or(before.Name, nameOf(t.Run.Vars[personVar]))
		}
		return rows.PutConsent(c)
	}
}

// inRegion is a check that names the help lines of the region that the person gave, in this message at the latest, and
// addresses a young one as such.
func (c *companion) inRegion(check graph.Func) graph.Func {
	return func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		d, ok := t.Dependencies.(*turn.Dependencies)
		if !ok {
			return check(ctx, t)
		}
		own, task := *d, *t
		before := regionOf(t)
		now, _, _, _ := c.placeIn(t.Run.Input, language(t), before)
		own.Region = cmp.Or(now.ID, before, d.Region)
		if left, _ := c.notThere(t.Run.Input); left != "" && left == own.Region {
			own.Region = safety.International
		}
		own.Informal, own.OfChild = t.Run.Vars[audienceVar] == youngAudience, t.Run.Vars[audienceVar] == parentAudience
		task.Dependencies = &own
		return check(ctx, &task)
	}
}

// keepChosen is a check that keeps what was chosen when the session began, and in danger the country that the message
// names, and that no question waits: where it answers, no other stage does.
func (c *companion) keepChosen(check graph.Func) graph.Func {
	return func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		r, err := check(ctx, t)
		if err != nil {
			return r, err
		}
		talk := talkOf(t)
		before := len(talk.Answers) + len(talk.Skipped)
		c.chosen(&talk, t.Run.Vars, t.Run.Turn, language(t))
		changed := len(talk.Answers)+len(talk.Skipped) > before
		found, err := t.State.With(r.Patch)
		if err != nil {
			return r, err
		}
		if turn.ChannelHijacked.Get(found) {
			if choice, part, _, ok := c.placeIn(t.Run.Input, language(t), regionOf(t)); ok {
				talk.liveIn(choice, part, t.Run.Turn, true)
				changed = true
			} else if left, _ := c.notThere(t.Run.Input); left != "" {
				talk.leave(left)
				changed = true
			}
			// What is said after the help, such as “thanks, I called them”, answers no question from before it.
			changed = changed || talk.Turn != ""
			talk.Open, talk.Helped = "", true
		}
		if changed {
			c.keep(t, &r, talk)
		}
		return r, nil
	}
}

// turnOf brings the count of turns up to date, once for each.
func (c Conversation) turnOf(t *graph.Task) Conversation {
	if c.Turn != t.Run.Turn {
		c.Turn, c.Turns = t.Run.Turn, c.Turns+1
	}
	return c
}
