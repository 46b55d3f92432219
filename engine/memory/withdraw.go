package memory

import "time"

// Withdraw takes everything about somebody out of the queue: what was accepted and is not
// made yet is never made. It returns what is still remembered.
func Withdraw(tx Tx, about string) (kept []Episode, err error) {
	var waiting []string
	if err := tx.Due(func(w Waiting) (bool, error) {
		if w.About == about {
			waiting = append(waiting, w.ID())
		}
		return true, nil
	}); err != nil {
		return nil, err
	}
	for _, id := range waiting {
		if err := tx.Dequeue(id); err != nil {
			return nil, err
		}
	}
	err = tx.Episodes(about, func(e Episode) (bool, error) {
		if !e.Forgotten() {
			kept = append(kept, e)
		}
		return true, nil
	})
	return kept, err
}

// ForgetAll takes the words of these episodes away for good, as Forget does of one.
func ForgetAll(tx Tx, episodes []Episode, now time.Time) error {
	for _, e := range episodes {
		if err := tx.PutEpisode(Episode{ID: e.ID, About: e.About, Session: e.Session, By: ByPerson, At: now, Turns: e.Turns, From: e.Turns}); err != nil {
			return err
		}
	}
	return nil
}
