package companion

import (
	"context"
	"slices"
	"strconv"

	"holdpoint/engine/graph"
	"holdpoint/engine/memory"
	"holdpoint/engine/session"
	"holdpoint/engine/turn"
)

// recall finds the summaries of the person's earlier sessions: those close to the message, or
// else the newest one. What cannot be found is as if it were not remembered.
func recall(ctx context.Context, t *graph.Task, message string) ([]memory.Used, error) {
	about, d := who(t), (*turn.Dependencies)(nil)
	if own, ok := t.Dependencies.(*turn.Dependencies); ok {
		d = own
	}
	var newest *memory.Episode
	err := memoryRows.View(t, func(tx memory.Tx) error {
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
	err = memoryRows.View(t, func(tx memory.Tx) error {
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
	err = memoryRows.View(t, func(tx memory.Tx) error {
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
	r.Do = memoryRows.Change(func(tx memory.Tx, _ graph.Tell) error {
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
