package app

import (
	"errors"
	"time"

	"holdpoint/store"
)

// After a deletion the store is compacted by itself when at least this many bytes of
// its file, and half of it, are free: less is soon used again.
const tidyFrom = 16 << 20

// What is read while the store is to be compacted is mostly read in less time than this.
const tidyAgain = 100 * time.Millisecond

// deleted says that something was deleted, and tidies up after it.
func (a *App) deleted() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.untidy = true
	a.tidy()
}

// tidy compacts the store in the background after large deletions, while no turn
// runs; otherwise the next turn's end tries again, or the app's. Until then the bytes of
// what was deleted are still in the file. a.mu is held.
func (a *App) tidy() {
	if !a.untidy || len(a.turns) > 0 || a.ctx.Err() != nil {
		return
	}
	a.untidy = false
	a.behind.Go(func() {
		if !a.tidied() {
			return
		}
		select {
		case <-time.After(tidyAgain):
		case <-a.ctx.Done():
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.untidy = true
		a.tidy()
	})
}

// Closing waits so long for what a stopped turn still reads.
const tidyWait = 2 * time.Second

// tidyLast compacts what could not be while the app was in use. Nothing else goes on but
// turns that are to be resumed later: with one of them the next start's first turn tries.
func (a *App) tidyLast() {
	a.mu.Lock()
	now := a.untidy && len(a.turns) == 0
	a.mu.Unlock()
	for last := time.Now().Add(tidyWait); now && a.tidied() && time.Now().Before(last); {
		time.Sleep(tidyAgain)
	}
}

// tidied compacts if that is worth it, and says whether somebody reads: it is to be tried again.
func (a *App) tidied() (busy bool) {
	err := a.compactIfWorth()
	if err != nil && !errors.Is(err, store.ErrClosed) && !errors.Is(err, store.ErrBusy) {
		// The error may name rows, which a log must not.
		a.log.Warn("the store was not compacted", "code", AsFault(err).Code)
	}
	return errors.Is(err, store.ErrBusy)
}

func (a *App) compactIfWorth() error {
	before, free, err := a.Store.Space()
	if err != nil || free < tidyFrom || free < before/2 {
		return err
	}
	if err := a.Store.Compact(); err != nil {
		return err
	}
	after, _, err := a.Store.Space()
	a.log.Info("store compacted", "before", before, "after", after)
	return err
}
