package app

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Draft is what a person wrote in a session and has not sent. It is kept with the records,
// not by the browser: it may be about a patient.
type Draft struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

const (
	draftsKey = "drafts"
	// NewDraft names the draft of a session that does not exist yet.
	NewDraft = "new"
	// mostDrafts are kept; the oldest goes.
	mostDrafts = 50
)

// Draft reads what was not sent in a session, or in a new one for NewDraft.
func (a *App) Draft(session string) (Draft, error) {
	a.draftsMu.Lock()
	defer a.draftsMu.Unlock()
	drafts, err := a.drafts()
	return drafts[session], err
}

// SaveDraft keeps it; an empty text drops it.
func (a *App) SaveDraft(session, text string) error {
	if len(text) > maxMessage {
		return Bad(fmt.Sprintf("The draft has %d bytes; at most %d are kept.", len(text), maxMessage), "Shorten it, or import the text as a record.")
	}
	if session != NewDraft && text != "" {
		if _, err := a.Store.Session(session); err != nil {
			return err
		}
	}
	a.draftsMu.Lock()
	defer a.draftsMu.Unlock()
	drafts, err := a.drafts()
	if err != nil || drafts[session].Text == text {
		return err
	}
	if drafts[session] = (Draft{text, a.now()}); text == "" {
		delete(drafts, session)
	}
	for len(drafts) > mostDrafts {
		delete(drafts, slices.MinFunc(slices.Collect(maps.Keys(drafts)), func(x, y string) int { return drafts[x].At.Compare(drafts[y].At) }))
	}
	return a.Store.PutSetting(draftsKey, drafts)
}

func (a *App) drafts() (map[string]Draft, error) {
	drafts := map[string]Draft{}
	_, err := a.Store.Setting(draftsKey, &drafts)
	return drafts, err
}
