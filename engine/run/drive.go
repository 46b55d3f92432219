package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/visible"
)

// smallText is how many bytes surely fit an event, however they are written.
const smallText = 200

// errTime ends a drive that used up the run's time.
var errTime = errors.New("run: time limit reached")

// drive runs super-steps until the run stops, for whatever reason. What said that the
// frontier starts is part of the next commit.
func (d *driver) drive(parent context.Context, out *Outcome) {
	d.ctx = parent
	defer func() {
		if d.stop != nil {
			d.stop(nil)
		}
		if d.hand != nil {
			close(d.hand)
		}
	}()
	if err := d.w.failure(); err != nil {
		d.stopped(out, err)
		return
	}
	if limit := d.row.Limits.Time; limit > 0 {
		d.listen()
		timer := time.AfterFunc(max(limit-d.row.Used.Time, 0), func() { d.stop(errTime) })
		defer timer.Stop()
	}
	var end *ending
	for end == nil {
		end = d.step(parent)
	}
	d.finish(end, out)
}

// overdue ends a run whose stages did not end when they were told to.
func (d *driver) overdue(parent context.Context) *ending {
	switch err := d.w.failure(); {
	case err != nil:
		return &ending{err: err, keepDisk: true}
	case parent.Err() == nil && context.Cause(d.ctx) == errTime:
		return d.timedOut()
	}
	return d.cancelled()
}

func (d *driver) timedOut() *ending {
	return d.limited(graph.LimitTime, int(d.row.Limits.Time/time.Second), "")
}

// finish writes how the run stopped.
func (d *driver) finish(end *ending, out *Outcome) {
	if end.keepDisk {
		d.stopped(out, end.err)
		return
	}
	d.spend()
	d.row.Status, d.row.Limit, d.row.LimitMax = end.status, end.limit, end.max
	if d.row.LimitStage = ""; end.status == Limited {
		d.row.LimitStage = end.stage
	}
	if end.err != nil {
		d.row.Error = journal.Cut(visible.WithoutPaths(end.err.Error()), journal.TextRoom)
		d.row.ErrorStage = end.stage
	}
	d.changed = false
	if d.next().Do == nil && end.status == Completed && len(d.row.Output) < smallText {
		d.noteSteps(noteEnded, `{"steps":`)
	} else {
		d.sayEnd(d.open, end)
	}
	c := d.close()
	d.complete(d.row)
	c.Row = d.row // the driver's own from here on is the commit's
	if err := d.w.hand(entry{commit: c, last: true}, durable); err != nil {
		d.stopped(out, fmt.Errorf("run: could not save the end of the run: %w", err))
		return
	}
	d.admit()
	out.Run, out.State, out.Pauses, out.Err = *c.Row, d.state, d.openPauses(), end.err
}

// sayEnd makes the commit tell how the run stopped.
func (d *driver) sayEnd(c *Commit, end *ending) {
	var e journal.Event
	if end.status == Completed {
		e = journal.Event{Text: d.row.Output, At: d.at}.With(journal.TurnCompletedData{Steps: d.row.Step})
	} else {
		e = *end.event
	}
	d.stamp(&e)
	if c.Do != nil {
		endAfter(c, e)
	} else {
		c.notes.whole(e)
	}
}

// endAfter puts the word that the run stopped behind what the commit's Do appends.
func endAfter(c *Commit, last journal.Event) {
	do := c.Do
	last.Render()
	c.Do = func(tx graph.Tx, tell graph.Tell) error {
		err := do(tx, tell)
		tell(last)
		return err
	}
}

// spend adds the time since the last call to what the run used up.
func (d *driver) spend() {
	if d.at.After(d.spent) {
		d.row.Used.Time += d.at.Sub(d.spent)
		d.spent = d.at
	}
}

// ending is how a run stops: its last event, in one transaction with its last commit.
type ending struct {
	status   Status
	limit    string
	max      int           // of the limit
	stage    graph.StageID // that failed, or that the limit is one of
	err      error
	event    *journal.Event // nil for a run that completed
	keepDisk bool           // the store failed: write nothing more
}

func (d *driver) failure(stage graph.StageID, err error) *ending {
	var back *graph.Back
	if errors.As(err, &back) {
		if n, ok := d.g.Index[back.To]; ok {
			stage = back.Failed
			d.goBack(n)
		}
	}
	return &ending{status: Failed, stage: stage, err: err, event: &journal.Event{Kind: journal.TurnFailed, Stage: stage, Error: journal.Cut(err.Error(), journal.TextRoom)}}
}

// goBack makes a stage the only one that is due.
func (d *driver) goBack(n int) {
	d.frontier = append(d.frontier[:0], n)
	d.joinInputs, d.predecessors = nil, nil
	clear(d.done)
	for i := range d.counts {
		d.counts[i].attempts = 0
	}
	d.clear, d.changed = true, true
}

// limited ends a run at a limit; what is on the frontier runs once more is granted. stage is
// "" for a limit of the whole run.
func (d *driver) limited(name string, limit int, stage graph.StageID) *ending {
	for i := range d.counts {
		d.counts[i].attempts = 0
	}
	e := journal.Event{Status: name, Stage: stage}.With(journal.TurnLimitedData{Limit: limit, Name: name, Steps: d.row.Step,
		Used: journal.Used{Tokens: d.row.Used.Tokens, Cost: d.row.Used.Cost, Time: d.row.Used.Time, Mutations: d.row.Used.Mutations}})
	return &ending{status: Limited, limit: name, max: limit, stage: stage, event: &e}
}

// cancelled ends a run that was stopped. What was finished before is recorded, and
// what was asked is taken back.
func (d *driver) cancelled() *ending {
	d.push(false)
	c := d.next()
	c.Clear = true
	if d.x.closing != nil {
		c.Do = d.x.closing(*d.row, "the turn was stopped", d.x.now())
	}
	for pid := range d.pauses {
		c.Unask = append(c.Unask, pid)
	}
	d.pauses = nil
	clear(d.done)
	return &ending{status: Cancelled, event: &journal.Event{Kind: journal.TurnCancelled}}
}

var completed = ending{status: Completed}

// completed ends a run that came to its end.
func (d *driver) completed() *ending {
	for i := range d.counts {
		d.counts[i].attempts = 0
	}
	return &completed
}
