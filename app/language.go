package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"holdpoint/app/tongue"
	"holdpoint/engine/run"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// languageFor is the one that was asked for, else that of the settings, else the system's.
func (a *App) languageFor(asked string) (tongue.Tongue, error) {
	if asked != "" && !slices.Contains(tongue.All, asked) {
		return "", Bad(fmt.Sprintf("Holdpoint does not speak %q.", asked), "Languages are en and fr.")
	}
	s, err := a.Settings()
	return cmp.Or(tongue.Tongue(asked), tongue.Tongue(s.Language), a.ofSystem()), err
}

// ofSystem is the language of the screens that are open, else of this process.
func (a *App) ofSystem() tongue.Tongue {
	if t := a.screens.Load(); t != nil {
		return *t
	}
	return tongue.OfSystem()
}

// FollowLanguage takes the language that the system of a screen asks for, which a browser
// knows better than the process behind it. A language that was chosen comes before it.
// It says whether anything is in another language now.
func (a *App) FollowLanguage(name string) (bool, error) {
	if !slices.Contains(tongue.All, name) {
		return false, nil
	}
	before := a.Tongue()
	a.screens.Store(new(tongue.Tongue(name)))
	return a.Tongue() != before, nil
}

// Tongue is the language that a person chose, else the system's.
func (a *App) Tongue() tongue.Tongue {
	t, err := a.languageFor("")
	if err != nil {
		return a.ofSystem() // what is wrong with the store is said by whoever reads it
	}
	return t
}

// spokenBefore finds the language of a turn's session once: each request to a model asks for it.
func (a *App) spokenBefore() func(session string) safety.Language {
	var once sync.Once
	var found safety.Language
	return func(session string) safety.Language {
		once.Do(func() { found = a.spokenIn(session) })
		return found
	}
}

// spokenIn is the language that the person of a session wrote in before, newest first;
// "" where that does not tell, or cannot be read.
func (a *App) spokenIn(id string) safety.Language {
	for _, r := range slices.Backward(a.lastRuns(id)) {
		if l := turn.LanguageIn(r.Input); l != "" {
			return l
		}
	}
	return ""
}

// looksBack is how many runs of a session are looked at for what was said before.
const looksBack = 12

// lastRuns are a session's last runs, the newest at the end; none where they cannot be read.
func (a *App) lastRuns(id string) []run.Run {
	s, err := a.Store.Session(id)
	if err != nil {
		return nil
	}
	runs, err := a.Store.RunsAfter(id, max(0, s.Turns-looksBack), 0)
	if err != nil {
		return nil
	}
	return runs
}

// TongueIn is Tongue for a data folder that is not opened; the system's where it cannot be
// looked at. It changes nothing there.
func TongueIn(dir string) tongue.Tongue {
	return cmp.Or(tongue.Tongue(settingsIn(dir).Language), tongue.OfSystem())
}

// settingsIn are the choices in a data folder that is not opened; those of nobody where it cannot
// be looked at. It changes nothing there.
func settingsIn(dir string) Settings {
	if dir == "" {
		return defaults()
	}
	db, err := store.OpenReadOnly(StorePath(dir))
	if errors.Is(err, store.ErrLocked) {
		return settingsBeside(dir)
	}
	if err != nil {
		return defaults()
	}
	s, err := settingsOf(db)
	if closed := db.Close(); err != nil || closed != nil {
		return defaults()
	}
	return s
}
