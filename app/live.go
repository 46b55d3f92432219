package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"holdpoint/engine/run"
)

// liveTurn is a turn that is being driven now.
type liveTurn struct {
	turn    string
	session string
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{}
}

// settleTime is how long a turn may take from its last event to its end; a
// message that comes in between waits for it.
const settleTime = 200 * time.Millisecond

// begin registers a turn as live; a session has one at a time.
func (a *App) begin(turn, session string) (*liveTurn, error) {
	l, busy, err := a.register(turn, session)
	if busy == nil {
		return l, err
	}
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-busy.done:
		l, _, err = a.register(turn, session)
	case <-timer.C:
	}
	return l, err
}

// register also returns the turn that is in the way.
func (a *App) register(turn, session string) (l, busy *liveTurn, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx.Err() != nil {
		return nil, nil, &Fault{Code: "closing", Message: "Holdpoint is closing.", HTTP: 503}
	}
	for id, l := range a.turns {
		if l.session == session || id == turn {
			return nil, l, fmt.Errorf("%w: this session is still answering", run.ErrLive)
		}
	}
	l = &liveTurn{turn: turn, session: session, done: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	a.turns[turn] = l
	return l, nil, nil
}

func (a *App) finished(turn string) {
	a.remember(turn)
	a.mu.Lock()
	defer a.mu.Unlock()
	if l := a.turns[turn]; l != nil {
		l.cancel()
		close(l.done)
		delete(a.turns, turn)
	}
	a.tidy()
}

// background drives a registered turn until it stops. When the app closes, the
// store closes first: that is not a person's stop, the run keeps its last
// checkpoint and is resumed later.
func (a *App) background(l *liveTurn, drive func(context.Context)) {
	go func() {
		drive(l.ctx)
		a.finished(l.turn)
	}()
}

// Stop ends a running turn; it is over within a second.
func (a *App) Stop(turn string) error {
	a.mu.Lock()
	l := a.turns[strings.TrimPrefix(turn, "turn:")]
	a.mu.Unlock()
	if l == nil {
		return Bad("This turn is not running.", "There is nothing to stop.")
	}
	l.cancel()
	<-l.done
	return nil
}

// Live says whether a turn is being driven now.
func (a *App) Live(turn string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.turns[turn] != nil
}
