package app

import (
	"errors"

	"holdpoint/store"
)

// After a deletion the store is compacted by itself when at least this many bytes of
// its file, and half of it, are free: less is soon used again.
const tidyFrom = 16 << 20

// tidy compacts the store in the background after large deletions, while no turn
// runs; otherwise the next turn's end tries again. Until then the bytes of what was
// deleted are still in the file. a.mu is held.
func (a *App) tidy() {
	if !a.untidy || len(a.turns) > 0 || a.ctx.Err() != nil {
		return
	}
	a.untidy = false
	a.behind.Go(func() {
		err := a.compactIfWorth()
		switch {
		case err == nil, errors.Is(err, store.ErrClosed):
		case errors.Is(err, store.ErrBusy): // somebody reads
			a.mu.Lock()
			a.untidy = true
			a.mu.Unlock()
		default:
			// The error may name rows, which a log must not.
			a.log.Warn("the store was not compacted", "code", AsFault(err).Code)
		}
	})
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
