package text

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Row is a text of the store.
type Row struct {
	Key
	Text string `json:"text"`
	// Manual says that a person wrote it: no synchronisation touches it.
	Manual bool `json:"manual"`
	// Of is the file's text that it took the place of, as a hash.
	Of string    `json:"of"`
	At time.Time `json:"at"`
}

// Tx reads and writes rows inside one transaction.
type Tx interface {
	Text(Key) (Row, bool, error)
	// Texts lists all rows.
	Texts(fn func(Row) (bool, error)) error
	PutText(Row) error
	// DeleteText removes a row; none is no error.
	DeleteText(Key) error
}

// Store runs transactions. Update is on disk, whole, when it returns nil.
type Store interface {
	ViewTexts(fn func(Tx) error) error
	UpdateTexts(fn func(Tx) error) error
}

// Catalog is the texts of agents as they are in force. Safe for concurrent use.
type Catalog struct {
	store Store
	now   func() time.Time
	files map[string]*Files

	answers *lru.Cache[Key, string]

	mu sync.Mutex
	// rows are those of the store; nil until they are needed, and after a write.
	rows map[Key]Row
}

const mostAnswers = 4096

// Open is the catalog of agents, by their names, over the rows of a store.
func Open(store Store, now func() time.Time, files map[string]*Files) (*Catalog, error) {
	answers, err := lru.New[Key, string](mostAnswers)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	return &Catalog{store: store, now: now, files: files, answers: answers}, nil
}

func (c *Catalog) original(k Key) (string, error) {
	f := c.files[k.Agent]
	if f == nil {
		return "", fmt.Errorf("%w: %s", ErrMissing, k)
	}
	return f.Get(k.Audience, k.Language, k.Name)
}

// Get is the text in force. The error wraps ErrMissing, or is the store's.
func (c *Catalog) Get(k Key) (string, error) {
	if text, ok := c.answers.Get(k); ok {
		return text, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	original, err := c.original(k)
	if err != nil {
		return "", err
	}
	rows, err := c.stored()
	if err != nil {
		return "", err
	}
	r, ok := rows[k]
	if !ok {
		// A list may leave out a row that cannot be read. Nobody gets the file's text in the place of an override.
		if err := c.store.ViewTexts(func(tx Tx) (err error) {
			r, ok, err = tx.Text(k)
			return err
		}); err != nil {
			return "", err
		}
	}
	text := original
	if ok && r.holds(original) {
		text = r.Text
	}
	c.answers.Add(k, text)
	return text, nil
}

// holds says that a row wins over its file's text.
func (r Row) holds(original string) bool { return r.Manual || r.Of == hashOf(original) }

// stored are the rows; mu is held.
func (c *Catalog) stored() (map[Key]Row, error) {
	if c.rows != nil {
		return c.rows, nil
	}
	rows := map[Key]Row{}
	err := c.store.ViewTexts(func(tx Tx) error {
		return tx.Texts(func(r Row) (bool, error) {
			rows[r.Key] = r
			return true, nil
		})
	})
	if err == nil {
		c.rows = rows
	}
	return rows, err
}

// write changes rows, and empties what is kept of them, whatever came of it.
func (c *Catalog) write(do func(tx Tx) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() {
		c.rows = nil
		c.answers.Purge()
	}()
	return c.store.UpdateTexts(do)
}

// Where a text in force comes from.
const (
	FromFile = "file"
	Synced   = "synced"
	Override = "override"
)

// Entry is a text with where it comes from.
type Entry struct {
	Key
	Text   string `json:"text"`
	Source string `json:"source"` // file, synced, override
	// Original is the file's text.
	Original string `json:"original"`
	// Stale says that the file has changed since the override was written over it.
	Stale bool `json:"stale,omitempty"`
	// Version is another one once anything of it has changed: what is saved over it names it.
	Version string `json:"version"`
}

// entry is a text over its row; there is none for the zero row.
func entry(k Key, original string, r Row, there bool) Entry {
	e := Entry{Key: k, Text: original, Source: FromFile, Original: original}
	if there && r.holds(original) {
		e.Text, e.Source, e.Stale = r.Text, Synced, r.Of != hashOf(original)
		if r.Manual {
			e.Source = Override
		}
	}
	e.Version = hashOf(strings.Join([]string{e.Source, hashOf(e.Original), e.Text}, "\n"))
	return e
}

// List are the texts of an agent, or of all for "", sorted.
func (c *Catalog) List(agent string) ([]Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows, err := c.stored()
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, id := range slices.Sorted(maps.Keys(c.files)) {
		if agent != "" && agent != id {
			continue
		}
		for _, k := range c.files[id].Keys() {
			r, ok := rows[k]
			out = append(out, entry(k, c.files[id].texts[k], r, ok))
		}
	}
	return out, nil
}

// Set puts a person's words in the place of a text. The error wraps ErrMissing or
// ErrRefused: the words have to leave the same places to be filled; or ErrChanged where the text
// is another version now than the one that read names, "" for any.
func (c *Catalog) Set(k Key, words, read string) error {
	original, err := c.original(k)
	if err != nil {
		return err
	}
	if words, err = c.fits(k, original, words); err != nil {
		return err
	}
	return c.write(func(tx Tx) error {
		if err := unchanged(tx, k, original, read); err != nil {
			return err
		}
		return tx.PutText(Row{Key: k, Text: words, Manual: true, Of: hashOf(original), At: c.now()})
	})
}

// fits is a text as it is kept.
func (c *Catalog) fits(k Key, original, words string) (string, error) {
	words = strings.TrimSpace(words)
	if err := wellFormed(words); err != nil {
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	}
	switch have, want := Places(words), Places(original); {
	case slices.Equal(have, want):
	case len(have) == 0:
		return "", fmt.Errorf("%w: %w", ErrRefused, bad("it has no places to fill; there have to be %s", inBraces(want)))
	case len(want) == 0:
		return "", fmt.Errorf("%w: %w", ErrRefused, bad("it has places to fill, %s; there have to be none", inBraces(have)))
	default:
		return "", fmt.Errorf("%w: %w", ErrRefused, bad("its places to fill are %s; they have to be %s", inBraces(have), inBraces(want)))
	}
	if own := c.files[k.Agent].Fits; own != nil {
		if err := own(k.Name, words); err != nil {
			return "", fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	return words, nil
}

// Reset goes back to the file's text. The error wraps ErrMissing, or ErrChanged as for Set.
func (c *Catalog) Reset(k Key, read string) error {
	original, err := c.original(k)
	if err != nil {
		return err
	}
	return c.write(func(tx Tx) error {
		if err := unchanged(tx, k, original, read); err != nil {
			return err
		}
		return tx.DeleteText(k)
	})
}

// unchanged says that a text is still what was read.
func unchanged(tx Tx, k Key, original, read string) error {
	if read == "" {
		return nil
	}
	r, there, err := tx.Text(k)
	if err == nil && entry(k, original, r, there).Version != read {
		err = fmt.Errorf("%w: %s", ErrChanged, k)
	}
	return err
}

// Report is what a synchronisation did.
type Report struct {
	Written   int `json:"written"`
	Unchanged int `json:"unchanged"`
	// Kept are overrides, which are a person's to change.
	Kept int `json:"kept"`
	// Removed are rows of texts that no file has any more.
	Removed int `json:"removed"`
}

// Sync brings texts into the store, in one transaction: those of from, which may be some of
// an agent's, or those that come with the agents for nil. Overrides stay. The error wraps
// ErrMissing for a text that the agent does not have, and ErrRefused as for Set; nothing is
// written then.
func (c *Catalog) Sync(from *Files) (Report, error) {
	var r Report
	sources := slices.Collect(maps.Values(c.files))
	if from != nil {
		sources = []*Files{from}
	}
	err := c.write(func(tx Tx) error {
		r = Report{}
		for _, f := range sources {
			for _, k := range f.Keys() {
				original, err := c.original(k)
				if err != nil {
					return err
				}
				words, err := c.fits(k, original, f.texts[k])
				if err != nil {
					return fmt.Errorf("%w (%s)", err, k)
				}
				row, there, err := tx.Text(k)
				if err != nil {
					return err
				}
				next := Row{Key: k, Text: words, Of: hashOf(original), At: c.now()}
				switch {
				case there && row.Manual:
					r.Kept++
				case there && row.Text == next.Text && row.Of == next.Of:
					r.Unchanged++
				default:
					r.Written++
					if err := tx.PutText(next); err != nil {
						return err
					}
				}
			}
		}
		gone, err := c.gone(tx)
		for _, k := range gone {
			r.Removed++
			if err := tx.DeleteText(k); err != nil {
				return err
			}
		}
		return err
	})
	return r, err
}

// gone are rows that were synchronised and have no file any more.
func (c *Catalog) gone(tx Tx) (out []Key, err error) {
	err = tx.Texts(func(r Row) (bool, error) {
		if _, err := c.original(r.Key); err != nil && !r.Manual {
			out = append(out, r.Key)
		}
		return true, nil
	})
	return out, err
}

// inBraces are places to fill as they stand in a text.
func inBraces(places []string) string {
	var out []string
	for _, p := range places {
		out = append(out, "{"+p+"}")
	}
	return strings.Join(out, ", ")
}

// bad is an error in words for a person, which screens show in their language.
func bad(format string, args ...any) error { return fmt.Errorf(format, args...) }
