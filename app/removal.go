package app

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/session"
	"holdpoint/store"
)

// namedMost is how many of those that stand in the way of a removal are named.
const namedMost = 5

// RemoveRecords removes records that were imported by mistake, all or none. What a session is
// about, what a record that stays refers to and what an approval was about is not removed: it is
// what they show. Records that refer to each other go together. A new import brings them back.
func (a *App) RemoveRecords(refs ...record.Ref) error {
	inTheWay := func(ref record.Ref, what string, names []string) *Fault {
		more := ""
		if len(names) > namedMost {
			names, more = names[:namedMost], phrase("; and %d more", len(names)-namedMost)
		}
		return &Fault{Code: "in_use", Message: phrase("%s is not removed: %s: %s%s.", ref.String(), what, strings.Join(names, ", "), more),
			Hint: "Remove those first; what an approval was about stays.", Safe: "Nothing was changed.", HTTP: 409}
	}
	about := map[record.Ref][]string{}
	var damaged []string
	_, err := a.Store.Sessions(store.SessionQuery{Limit: 1, Also: func(s session.Session) bool {
		about[s.About()] = append(about[s.About()], s.ID)
		if s.Damaged {
			damaged = append(damaged, s.ID)
		}
		return false
	}, Search: nothingIsCalled})
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if len(about[ref]) > 0 {
			return inTheWay(ref, "it is what these sessions are about", about[ref])
		}
		if len(damaged) > 0 {
			return inTheWay(ref, "these sessions are damaged and may be about it", damaged)
		}
	}
	err = a.Store.Update(func(tx store.Tx) error {
		types, err := tx.RecordTypes()
		if err != nil {
			return err
		}
		for _, ref := range refs {
			if _, err := tx.Record(ref); err != nil && !errors.Is(err, store.ErrDamaged) {
				return err
			}
			var referring []string
			for _, t := range slices.Sorted(maps.Keys(types)) {
				if err := tx.RecordsReferring(ref, t, func(r record.Record) (bool, error) {
					if !slices.Contains(refs, r.Ref) {
						referring = append(referring, r.Ref.String())
					}
					return len(referring) <= 100, nil
				}); err != nil {
					return err
				}
			}
			if len(referring) > 0 {
				f := inTheWay(ref, "it is what these records refer to", referring)
				f.Hint = "Remove those first; records that refer to each other go together, with holdpoint records rm."
				return f
			}
		}
		var asked []string
		var of record.Ref
		if err := tx.Approvals("", func(ap ledger.Approval) (bool, error) {
			for _, target := range ap.Targets {
				if ref := (record.Ref{Type: target.Type, ID: target.ID}); slices.Contains(refs, ref) {
					of, asked = ref, []string{ap.ID}
					break
				}
			}
			return len(asked) == 0, nil
		}); err != nil {
			return err
		}
		if len(asked) > 0 {
			return inTheWay(of, "it is what this approval was about", asked)
		}
		for _, ref := range refs {
			if err := tx.DeleteRecord(ref); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	a.hub.notify(Notice{Kind: NoticeRecords})
	return nil
}
