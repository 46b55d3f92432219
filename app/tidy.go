package app

import (
	"errors"
	"time"

	"holdpoint/store"
)

// The store is compacted by itself when at least this many bytes of
// its file, and a third of it, are free: less is soon used again.
const tidyFrom = 4 << 20

// What is read while the store is to be compacted is mostly read in less time than this.
const tidyAgain = 100 * time.Millisecond

// wrote hears of each commit, whatever wrote: what it deleted, or took the place of, is in the free pages of the
// file still. It holds the store's lock.
func (a *App) wrote() {
	if a.untidy.CompareAndSwap(false, true) {
		select {
		case a.freed <- struct{}{}:
		default:
		}
	}
}

// tidying tidies up after what is written while no turn runs, until the app closes.
func (a *App) tidying() {
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-a.freed:
			a.mu.Lock()
			a.tidy()
			a.mu.Unlock()
		}
	}
}

// tidy compacts the store in the background where that is worth it, while no turn
// runs; otherwise the next turn's end tries again, or the app's. Until then the bytes of
// what was deleted are still in the file. a.mu is held.
func (a *App) tidy() {
	if len(a.turns) > 0 || a.ctx.Err() != nil || !a.untidy.CompareAndSwap(true, false) {
		return
	}
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
		a.untidy.Store(true)
		a.tidy()
	})
}

// Closing waits so long for what a stopped turn still reads.
const tidyWait = 2 * time.Second

// tidyLast compacts what could not be while the app was in use. Nothing else goes on but
// turns that are to be resumed later: with one of them the next start's first turn tries.
func (a *App) tidyLast() {
	a.mu.Lock()
	now := a.untidy.Load() && len(a.turns) == 0
	a.mu.Unlock()
	for last := time.Now().Add(tidyWait); now && a.tidied() && time.Now().Before(last); {
		time.Sleep(tidyAgain)
	}
}

// tidied compacts if that is worth it, and says whether somebody reads: it is to be tried again.
func (a *App) tidied() (busy bool) {
	if a.stuck.Load() {
		return false
	}
	err := a.compactIfWorth()
	if err != nil && !errors.Is(err, store.ErrClosed) && !errors.Is(err, store.ErrBusy) {
		a.stuck.Store(true) // each try reads the whole file
		// The error may name rows, which a log must not.
		a.log.Warn("the store was not compacted", "code", AsFault(err).Code)
	}
	return errors.Is(err, store.ErrBusy)
}

func (a *App) compactIfWorth() error {
	before, free, err := a.Store.Space()
	if err != nil || free < tidyFrom || free < before/3 {
		return err
	}
	m, err := a.Store.Compact()
	if err != nil {
		return err
	}
	after, _, err := a.Store.Space()
	a.log.Info("store compacted", "before", before, "after", after, "mended", m.Indexes+m.Pieces, "damaged", len(m.Left))
	return err
}
