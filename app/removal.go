package app

import (
	"strings"

	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/session"
	"holdpoint/store"
)

// namedMost is how many of those that stand in the way of a removal are named.
const namedMost = 5

// RemoveRecord removes a record that was imported by mistake. What a session is about, what
// another record refers to and what an approval was about stays: it is what they show.
// A new import brings it back.
func (a *App) RemoveRecord(typ, id string) error {
	ref := record.Ref{Type: typ, ID: id}
	inTheWay := func(what string, names []string) error {
		more := ""
		if len(names) > namedMost {
			names, more = names[:namedMost], phrase("; and %d more", len(names)-namedMost)
		}
		return &Fault{Code: "in_use", Message: phrase("%s is not removed: %s: %s%s.", ref.String(), what, strings.Join(names, ", "), more),
			Hint: "Remove those first; what an approval was about stays.", Safe: "Nothing was changed.", HTTP: 409}
	}
	var about []string
	_, err := a.Store.Sessions(store.SessionQuery{Limit: 1, Also: func(s session.Session) bool {
		if s.About() == ref {
			about = append(about, s.ID)
		}
		return false
	}, Search: nothingIsCalled})
	if err != nil {
		return err
	}
	if len(about) > 0 {
		return inTheWay("it is what these sessions are about", about)
	}
	err = a.Store.Update(func(tx store.Tx) error {
		if _, err := tx.Record(ref); err != nil {
			return err
		}
		types, err := tx.RecordTypes()
		if err != nil {
			return err
		}
		var referring []string
		for t := range types {
			if err := tx.RecordsAbout(ref, t, func(r record.Record) (bool, error) {
				if r.Ref != ref {
					referring = append(referring, r.Ref.String())
				}
				return len(referring) <= 100, nil
			}); err != nil {
				return err
			}
		}
		if len(referring) > 0 {
			return inTheWay("it is what these records refer to", referring)
		}
		var asked []string
		if err := tx.Approvals("", func(ap ledger.Approval) (bool, error) {
			for _, target := range ap.Targets {
				if target.Type == typ && target.ID == id {
					asked = append(asked, ap.ID)
					break
				}
			}
			return len(asked) == 0, nil
		}); err != nil {
			return err
		}
		if len(asked) > 0 {
			return inTheWay("it is what this approval was about", asked)
		}
		return tx.DeleteRecord(ref)
	})
	if err != nil {
		return err
	}
	a.hub.notify(Notice{Kind: NoticeRecords})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.untidy = true // its text is still in the free pages of the file
	a.tidy()
	return nil
}
