package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Person is what a conversation is about that is about no record: whoever is at the keyboard.
const Person = "person"

// ErrNotFound says that there is no episode of an id, or none any more.
var ErrNotFound = errors.New("memory: nothing is remembered under this id")

// Episode is what is remembered of a conversation.
type Episode struct {
	ID string `json:"id"`
	// About is the record that it was about, as TYPE/ID, or Person. Who asks about one is
	// told of no other.
	About   string `json:"about"`
	Session string `json:"session"`
	Agent   string `json:"agent,omitempty"`
	// Text is one line; "" for an episode that was forgotten.
	Text string `json:"text"`
	// By is who wrote it: ByCode, ByPerson, or a model's name.
	By string `json:"by"`
	// Weak says that a model too small for its word to count alone wrote it.
	Weak bool      `json:"weak,omitempty"`
	At   time.Time `json:"at"`
	// Turns is how many turns of the session, from its first, the text covers.
	Turns int `json:"turns"`
	// From is how many of them are not to be read again: a person corrected what was known
	// of them into Said, or forgot it.
	From int    `json:"from,omitempty"`
	Said string `json:"said,omitempty"`
}

// Who wrote an episode, unless a model did.
const (
	ByCode   = "code"
	ByPerson = "person"
)

// Forgotten says that a person forgot it; the row stays, without words, so that nothing
// makes it anew of the same turns.
func (e Episode) Forgotten() bool { return e.Text == "" }

// MaxText bounds an episode's text, in bytes, about.
const MaxText = 1000

// EpisodeID is the id of the episode about something in a session.
func EpisodeID(about, session string) string {
	sum := sha256.Sum256([]byte(about + "\x00" + session))
	return IDPrefix + hex.EncodeToString(sum[:10])
}

// IDPrefix begins every id of an episode.
const IDPrefix = "mem-"

// Vectors are those of an episode's sentences.
type Vectors struct {
	Episode string `json:"episode"`
	Encoder string `json:"encoder"` // by its name
	// Of is the text that they were made of, as a hash: another text makes them anew.
	Of     string      `json:"of"`
	Values [][]float32 `json:"values"`
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Tx reads and writes memory inside one transaction.
type Tx interface {
	// Working is a session's working memory; the zero value for none.
	Working(session string) (Working, error)
	// PutWorking writes it; an empty one is removed.
	PutWorking(session string, w Working) error

	Episode(id string) (Episode, error) // wraps ErrNotFound
	// PutEpisode writes it; vectors of another text go.
	PutEpisode(Episode) error
	// Episodes lists those about something, or all for "", in no order that means anything.
	Episodes(about string, fn func(Episode) (bool, error)) error
	// EpisodesOf lists those of a session.
	EpisodesOf(session string, fn func(Episode) (bool, error)) error
	Vectors(episode string) (Vectors, bool, error)
	PutVectors(Vectors) error

	// Enqueue puts a row into the lake's queue in place of the one of the same pair, and
	// numbers it.
	Enqueue(Waiting) error
	Queued(id string) (Waiting, bool, error)
	// PutQueued changes a row that is there.
	PutQueued(Waiting) error
	// Dequeue removes a row; none is no error.
	Dequeue(id string) error
	// Due lists the queue, what is due first.
	Due(fn func(Waiting) (bool, error)) error
	// QueueLength is the number of rows in the queue.
	QueueLength() (int, error)
}

// Store runs transactions. Update is on disk when it returns nil.
type Store interface {
	ViewMemory(fn func(Tx) error) error
	UpdateMemory(fn func(Tx) error) error
}

// Correct puts a person's words in the place of an episode's text. Later turns of the
// session are added to them.
func Correct(s Store, id, text string, now time.Time) (Episode, error) {
	var e Episode
	err := s.UpdateMemory(func(tx Tx) error {
		var err error
		if e, err = tx.Episode(id); err != nil {
			return err
		}
		if e.Forgotten() {
			return fmt.Errorf("%w: it was forgotten", ErrNotFound)
		}
		e.Text = OneLine(text, MaxText)
		e.Said, e.From, e.By, e.Weak, e.At = e.Text, e.Turns, ByPerson, false, now
		// What waits was asked for before; it is made of the turns since then only.
		return tx.PutEpisode(e)
	})
	return e, err
}

// Forget takes an episode's words away for good. What of the same turns is still being made
// comes to nothing; later turns of the session are remembered anew. turns is how many the
// session has had.
func Forget(s Store, id string, turns int, now time.Time) error {
	return s.UpdateMemory(func(tx Tx) error {
		e, err := tx.Episode(id)
		if err != nil {
			return err
		}
		if e.Forgotten() {
			return fmt.Errorf("%w: it was forgotten already", ErrNotFound)
		}
		turns = max(turns, e.Turns)
		if err := tx.PutEpisode(Episode{ID: e.ID, About: e.About, Session: e.Session, By: ByPerson, At: now, Turns: turns, From: turns}); err != nil {
			return err
		}
		return tx.Dequeue(id)
	})
}

// OneLine is a text as a line of a prompt: without control characters, in at most about
// this many bytes. It can begin no line of its own and close no tag.
func OneLine(text string, most int) string {
	return shorten(strings.Join(strings.Fields(visible(text)), " "), most)
}

// visible is a text without control characters; white space becomes blanks.
func visible(text string) string {
	return tagSafe(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, text))
}

func tagSafe(text string) string { return strings.ReplaceAll(text, "</", "<\u200a/") }

// shorten cuts a text between characters; its tags stay open.
func shorten(text string, most int) string {
	text = tagSafe(strings.ToValidUTF8(text, string(utf8.RuneError)))
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	if next, _ := utf8.DecodeRuneInString(text[cut:]); !unicode.IsSpace(next) {
		// Half a word says something else or nothing; one that is as long as the room is cut.
		if word := strings.LastIndexFunc(text[:cut], unicode.IsSpace); word > cut/2 {
			cut = word
		}
	}
	return strings.TrimRightFunc(text[:cut], unicode.IsSpace) + "…"
}
