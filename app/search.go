package app

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"holdpoint/engine/record"
	"holdpoint/engine/session"
	"holdpoint/store"
)

// Hit is a message or a reply that has all words that were searched for.
type Hit struct {
	Session string `json:"session"`
	// Title and SubjectName are the session's.
	Title       string `json:"title"`
	SubjectName string `json:"subject_name,omitempty"`
	Turn        string `json:"turn"`
	// Reply says that the agent said it; else the person did.
	Reply bool      `json:"reply"`
	At    time.Time `json:"at"`
	// Excerpt is the text around the first word.
	Excerpt string `json:"excerpt"`
}

// HitPage is a part of what a search finds, newest session first.
type HitPage struct {
	Hits []Hit `json:"hits"`
	// Next is where to search on; "" when everything was looked at. A page may have no
	// hits and a Next: it looks at so many sessions and no more.
	Next string `json:"next"`
	// Apart says that sessions were passed over which are somebody else's with an agent of
	// theirs.
	Apart bool `json:"apart,omitempty"`
	// Until is the last change of the oldest session that was looked at.
	Until time.Time `json:"until"`
}

const (
	hitsAPage     = 20
	sessionsAPage = 400
	hitsASession  = 3
	// excerptBefore and excerptAfter are bytes around the first word.
	excerptBefore, excerptAfter = 60, 140
)

// Search finds messages and replies that have all words of a query, in any case. before is
// the Next of the page before. What somebody told an agent of theirs is found from a session of
// the same person only, which from names; "" is none.
func (a *App) Search(query, before, from string) (HitPage, error) {
	page := HitPage{Hits: []Hit{}}
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return page, Bad("Nothing was searched for.", "Give a word.")
	}
	own := ""
	if from != "" {
		runs, err := a.Store.Shown().RunsOf(from)
		if err != nil && !errors.Is(err, session.ErrNotFound) {
			return page, err
		}
		own = a.whomIn(from, runs)
	}
	list, err := a.Store.Sessions(store.SessionQuery{Before: before, Limit: sessionsAPage})
	if err != nil {
		return page, err
	}
	for i, s := range list {
		runs, err := a.Store.Shown().RunsOf(s.ID)
		if err != nil {
			return page, err
		}
		found := 0
		name := ""
		if whom := a.whomIn(s.ID, runs); whom != "" && whom != own {
			runs, page.Apart = nil, true
		}
		for j := len(runs) - 1; j >= 0 && found < hitsASession; j-- {
			r := runs[j]
			for _, said := range []Hit{{Reply: true, Excerpt: r.Output, At: r.UpdatedAt}, {Excerpt: r.Input, At: r.StartedAt}} {
				excerpt, ok := excerptOf(said.Excerpt, words)
				if !ok {
					continue
				}
				if found++; found == 1 {
					name = a.nameOf(s.About())
				}
				said.Session, said.Title, said.SubjectName, said.Turn, said.Excerpt = s.ID, a.titled(s, a.Tongue()), name, r.Turn, excerpt
				page.Hits = append(page.Hits, said)
			}
		}
		page.Until = s.UpdatedAt
		if len(page.Hits) >= hitsAPage && i < len(list)-1 || i == sessionsAPage-1 {
			page.Next = store.CursorOf(s)
			return page, nil
		}
	}
	return page, nil
}

// excerptOf is the part of a text around the first of the words; ok is false when one of
// them is not in the text.
func excerptOf(text string, words []string) (excerpt string, ok bool) {
	low := strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(low, w) {
			return "", false
		}
	}
	if len(low) != len(text) {
		text = low // letters whose small form is longer: places would not fit
	}
	at := strings.Index(low, words[0])
	from, to := max(0, at-excerptBefore), min(len(text), at+len(words[0])+excerptAfter)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	excerpt = strings.Join(strings.FieldsFunc(text[from:to], unicode.IsSpace), " ")
	if from > 0 {
		excerpt = "…" + excerpt
	}
	if to < len(text) {
		excerpt += "…"
	}
	return excerpt, true
}

// subjectsCalled are the subjects of sessions, of any type, that have all words of a text in
// their title or id, or in the day when a patient was born; in any order and without accents.
func (a *App) subjectsCalled(text string) (map[record.Ref]bool, error) {
	subjects := map[record.Ref]bool{}
	_, err := a.Store.Sessions(store.SessionQuery{Limit: 1, Search: nothingIsCalled, Also: func(s session.Session) bool {
		if ref := s.About(); ref.ID != "" {
			subjects[ref] = true
		}
		return false
	}})
	if err != nil {
		return nil, err
	}
	words := strings.Fields(record.FoldName(text))
	err = a.Store.ViewRecords(func(tx record.Tx) error {
		for ref := range subjects {
			r, err := tx.Record(ref)
			if errors.Is(err, record.ErrNotFound) || a.Store.Shown().Passes(err) {
				delete(subjects, ref)
				continue
			}
			if err != nil {
				return err
			}
			in := a.describe(r).Title + " " + r.ID
			if r.Type == patientType {
				p, err := record.PatientOf(r, a.now())
				if err != nil {
					return err
				}
				in = p.Name + " " + p.ID + " " + p.BirthDate
			}
			if !haveAll(in, words) {
				delete(subjects, ref)
			}
		}
		return nil
	})
	return subjects, err
}

// haveAll says that a text has all words, which are folded.
func haveAll(text string, words []string) bool {
	in := record.FoldName(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(in, w) })
}
