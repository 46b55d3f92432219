package library

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"holdpoint/engine/encoder"
)

// Options of New.
type Options struct {
	Store Store
	// Encoder is what compares meanings; nil, or a nil encoder, for none.
	Encoder func(ctx context.Context) (encoder.Encoder, error)
	// PDF reads PDFs; nil in a build that cannot.
	PDF PDF
	Now func() time.Time
	// Changed hears of each change of what is in the library; may be nil.
	Changed func()
}

// Library is the documents that a person imported, and their search. It is safe for
// concurrent use.
type Library struct {
	o Options

	work sync.Mutex // who changes rows and indexes; held for one step at a time

	mu  sync.RWMutex
	mem *memory // nil until it is needed

	// spellers are those of searches: what they know of words serves the next one.
	spellers sync.Pool // map[string]*speller
}

// memory is what a search needs at hand: some 15 bytes and the signs of a vector for each passage.
type memory struct {
	docs []held // by their first passage; those that went stay, with gone set
	byID map[string]int
	// Both by the number of a passage: its document, counted from 1, and its length + 1;
	// 0 for one that is gone or not indexed.
	owner   []int32
	lengths []uint16

	passages int    // that are there
	counted  int    // of them, in the index of words
	words    uint64 // sum of the lengths of those
	text     progressOf
	meaning  progressOf
	codes    []uint64 // signs by number
	// usual is how the vectors are spread; learnt by the first search after a change.
	usual   atomic.Pointer[background]
	spoken  map[string]int // documents by language
	sources map[string]string
	// broken says which index could not be read; it is made anew by Index.
	broken string
}

// held is a document as the search knows it.
type held struct {
	id, source, path, kind, date, language string
	first                                  uint64
	passages                               int
	gone                                   bool
}

// New returns the library; nothing is read yet.
func New(o Options) *Library {
	if o.Encoder == nil {
		o.Encoder = func(context.Context) (encoder.Encoder, error) { return nil, nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	return &Library{o: o}
}

// ready reads what a search needs, once.
func (l *Library) ready() error {
	l.mu.RLock()
	there := l.mem != nil
	l.mu.RUnlock()
	if there {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mem != nil {
		return nil
	}
	m := &memory{byID: map[string]int{}, spoken: map[string]int{}, sources: map[string]string{}, owner: []int32{0}, lengths: []uint16{0}}
	err := l.o.Store.ViewLibrary(func(tx Tx) error {
		if err := tx.Documents(func(d Document) (bool, error) {
			m.add(&d)
			return true, nil
		}); err != nil {
			return err
		}
		last, err := tx.LastPassage()
		m.grow(last) // those behind the last document are gone
		return err
	})
	if err != nil {
		return err
	}
	// Each index in a view of its own: one that cannot be read spoils only itself.
	if err := l.o.Store.ViewLibrary(func(tx Tx) error { return m.readWords(tx.Words()) }); err != nil {
		m.dropWords()
		m.broken = "words"
	}
	if err := l.o.Store.ViewLibrary(func(tx Tx) error { return m.readMeaning(tx.Meaning()) }); err != nil {
		m.dropMeaning()
		m.broken = "meanings"
	}
	l.mem = m
	return nil
}

// share keeps one copy of a text that many documents have.
func (m *memory) share(s string) string {
	if known, ok := m.sources[s]; ok {
		return known
	}
	m.sources[s] = s
	return s
}

func (m *memory) add(d *Document) {
	m.byID[d.ID] = len(m.docs)
	m.docs = append(m.docs, held{id: d.ID, source: m.share(d.Source), path: d.Path, kind: m.share(d.Kind), date: m.share(d.Date), language: m.share(d.Language), first: d.First, passages: d.Passages})
	m.spoken[d.Language]++
	m.passages += d.Passages
	for n := d.First; n < d.First+uint64(d.Passages); n++ {
		m.grow(n)
		m.owner[n] = int32(len(m.docs))
	}
}

func (m *memory) grow(n uint64) {
	if more := int(n) + 1 - len(m.owner); more > 0 {
		m.owner = append(m.owner, make([]int32, more)...)
		m.lengths = append(m.lengths, make([]uint16, more)...)
	}
}

func (m *memory) last() uint64 { return uint64(len(m.owner) - 1) }

// of is the document of a passage; nil for one that is gone.
func (m *memory) of(n uint64) *held {
	if n >= uint64(len(m.owner)) || m.owner[n] == 0 {
		return nil
	}
	return &m.docs[m.owner[n]-1]
}

func (m *memory) setLength(n uint64, length uint16) {
	if m.of(n) == nil || m.lengths[n] == length {
		return
	}
	if m.lengths[n] == 0 {
		m.counted++
	} else {
		m.words -= uint64(m.lengths[n] - 1)
	}
	m.lengths[n] = length
	m.words += uint64(length - 1)
}

func (m *memory) readWords(rows Rows) error {
	p, err := readProgress(rows)
	if err != nil || p.Version != wordsVersion {
		return err // another version's: made anew
	}
	if p.Through > m.last() {
		return fmt.Errorf("%w: it knows passages that are not there", ErrBroken)
	}
	m.text = p
	if err := rows.Scan([]byte{'l'}, func(k, v []byte) (bool, error) {
		if len(k) != 5 || len(v) != 2*lengthsPerRow {
			return false, fmt.Errorf("%w: lengths", ErrBroken)
		}
		first := uint64(binary.BigEndian.Uint32(k[1:])) * lengthsPerRow
		for i := range uint64(lengthsPerRow) {
			if length := binary.LittleEndian.Uint16(v[2*i:]); length > 0 && first+i <= p.Through {
				m.setLength(first+i, length)
			}
		}
		return true, nil
	}); err != nil {
		return err
	}
	for n := uint64(1); n <= p.Through; n++ {
		if m.owner[n] != 0 && m.lengths[n] == 0 {
			return fmt.Errorf("%w: a passage is missing", ErrBroken)
		}
	}
	return nil
}

func (m *memory) dropWords() {
	m.text, m.counted, m.words = progressOf{}, 0, 0
	clear(m.lengths)
}

func (m *memory) readMeaning(rows Rows) error {
	p, err := readProgress(rows)
	if err != nil || p.Version != meaningVersion {
		return err
	}
	if p.Through > m.last() || p.Dimension <= 0 {
		return fmt.Errorf("%w: it knows passages that are not there", ErrBroken)
	}
	m.meaning = p
	words := codeWords(p.Dimension)
	m.codes = make([]uint64, words*len(m.owner))
	blocks := uint64(0)
	if err := rows.Scan([]byte{'c'}, func(k, v []byte) (bool, error) {
		if len(k) != 5 || len(v) != 8*words*codesPerRow {
			return false, fmt.Errorf("%w: signs", ErrBroken)
		}
		blocks++
		at := int(binary.BigEndian.Uint32(k[1:])) * codesPerRow * words
		for i := 0; i < words*codesPerRow && at+i < len(m.codes); i++ {
			m.codes[at+i] = binary.LittleEndian.Uint64(v[8*i:])
		}
		return true, nil
	}); err != nil {
		return err
	}
	if m.passages > 0 && p.Through > 0 && blocks == 0 {
		return fmt.Errorf("%w: no signs", ErrBroken)
	}
	return nil
}

func (m *memory) dropMeaning() {
	m.meaning, m.codes = progressOf{}, nil
	m.usual.Store(nil)
}

func (m *memory) setCodes(passages []Passage, codes []uint64, words int) {
	if need := words * len(m.owner); len(m.codes) < need {
		m.codes = append(m.codes, make([]uint64, need-len(m.codes))...)
	}
	for i := range passages {
		copy(m.codes[int(passages[i].N)*words:], codes[i*words:(i+1)*words])
	}
}

// spellers gives each passage the speller of its document's language.
func (m *memory) spellers() func(*Passage) (*speller, bool) {
	by := map[string]*speller{}
	return func(p *Passage) (*speller, bool) {
		language, headed := "", true
		if d := m.of(p.N); d != nil {
			// An abstract's headings are the labels that every abstract has.
			language, headed = d.language, d.kind != KindAbstract
		}
		if by[language] == nil {
			by[language] = newSpeller(language)
		}
		return by[language], headed
	}
}

// Documents visits all, in the order in which they came.
func (l *Library) Documents(fn func(Document) (bool, error)) error {
	return l.o.Store.ViewLibrary(func(tx Tx) error { return tx.Documents(fn) })
}

// Passages reads a document's from the i-th on, counted from 0, at most limit.
func (l *Library) Passages(id string, from, limit int) (d Document, list []Passage, err error) {
	list = []Passage{}
	err = l.o.Store.ViewLibrary(func(tx Tx) error {
		if d, err = tx.Document(id); err != nil {
			return err
		}
		from, to := min(max(from, 0), d.Passages), d.Passages
		if limit > 0 {
			to = min(to, from+limit)
		}
		return tx.Passages(d.First+uint64(from), d.First+uint64(to), func(p Passage) (bool, error) {
			list = append(list, p)
			return true, nil
		})
	})
	return d, list, err
}

// Original is what a document was read from.
func (l *Library) Original(id string) (d Document, body []byte, err error) {
	err = l.o.Store.ViewLibrary(func(tx Tx) error {
		if d, err = tx.Document(id); err != nil {
			return err
		}
		body, err = tx.Original(id)
		return err
	})
	return d, body, err
}

// Remove deletes a document: passages, words, vectors and original.
func (l *Library) Remove(id string) error {
	if err := l.ready(); err != nil {
		return err
	}
	l.work.Lock()
	defer l.work.Unlock()
	var gone []string
	if err := l.o.Store.UpdateLibrary(func(tx Tx) error {
		gone = []string{id}
		return l.remove(tx, id, Departure{At: l.o.Now()})
	}); err != nil {
		return err
	}
	l.forget(gone)
	l.o.Changed()
	return nil
}

// remove deletes a document in a transaction; what is in memory follows with forget.
func (l *Library) remove(tx Tx, id string, why Departure) error {
	d, err := tx.Document(id)
	if errors.Is(err, ErrNotFound) {
		return err
	}
	var passages []Passage
	if err == nil {
		err = tx.Passages(d.First, d.First+uint64(d.Passages), func(p Passage) (bool, error) {
			passages = append(passages, p)
			return true, nil
		})
	}
	if err != nil {
		// What cannot be read goes all the same. What indexes keep of passages that are gone no search shows.
		return tx.DeleteDocument(id, why)
	}
	if len(passages) > 0 {
		passages[0].also = d.also()
	}
	known := func(through uint64) []Passage {
		return slices.DeleteFunc(slices.Clone(passages), func(p Passage) bool { return p.N > through })
	}
	l.mu.RLock()
	m := l.mem
	l.mu.RUnlock()
	// An index that cannot be read is made anew, without them.
	if list := known(m.text.Through); len(list) > 0 {
		if err := removeWords(tx.Words(), list, m.spellers()); err != nil {
			return err
		}
	}
	if list := known(m.meaning.Through); len(list) > 0 {
		if err := removeMeaning(tx.Meaning(), list, m.meaning.Dimension); err != nil {
			return err
		}
	}
	return tx.DeleteDocument(id, why)
}

// forget drops documents from memory.
func (l *Library) forget(ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.mem
	m.usual.Store(nil)
	for _, id := range ids {
		at, ok := m.byID[id]
		if !ok {
			continue
		}
		d := &m.docs[at]
		for n := d.first; n < d.first+uint64(d.passages); n++ {
			if length := m.lengths[n]; length > 0 {
				m.counted--
				m.words -= uint64(length - 1)
			}
			m.owner[n], m.lengths[n] = 0, 0
		}
		m.passages -= d.passages
		m.spoken[d.language]--
		d.gone = true
		delete(m.byID, id)
	}
}

// Summary is what is in the library and how far its indexes are.
type Summary struct {
	Documents int `json:"documents"`
	Passages  int `json:"passages"`
	// Words and Meanings count the passages that are found by each.
	Words    int `json:"words"`
	Meanings int `json:"meanings"`
	// Encoder names what compared meanings; "" while nothing does.
	Encoder string         `json:"encoder,omitempty"`
	Broken  string         `json:"broken,omitempty"`
	Sources []SourceCount  `json:"sources"`
	Kinds   map[string]int `json:"kinds"`
}

// SourceCount says how many documents came from a source.
type SourceCount struct {
	Source    string `json:"source"`
	Documents int    `json:"documents"`
}

// Summary counts.
func (l *Library) Summary() (Summary, error) {
	if err := l.ready(); err != nil {
		return Summary{}, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	m := l.mem
	s := Summary{Passages: m.passages, Words: m.counted, Encoder: m.meaning.Encoder, Broken: m.broken, Kinds: map[string]int{}, Sources: []SourceCount{}}
	sources := map[string]int{}
	for i := range m.docs {
		if d := &m.docs[i]; !d.gone {
			s.Documents++
			s.Kinds[d.kind]++
			sources[d.source]++
			if end := d.first + uint64(d.passages); end <= m.meaning.Through+1 {
				s.Meanings += d.passages
			}
		}
	}
	for name, n := range sources {
		s.Sources = append(s.Sources, SourceCount{name, n})
	}
	slices.SortFunc(s.Sources, func(a, b SourceCount) int {
		if a.Source < b.Source {
			return -1
		}
		return 1
	})
	return s, nil
}

// Empty says whether there is nothing to search. It is asked before each turn, so it reads
// no more than it must.
func (l *Library) Empty() bool {
	l.mu.RLock()
	m := l.mem
	if m != nil {
		defer l.mu.RUnlock()
		return m.passages == 0
	}
	l.mu.RUnlock()
	empty := true
	err := l.o.Store.ViewLibrary(func(tx Tx) error {
		return tx.Documents(func(Document) (bool, error) {
			empty = false
			return false, nil
		})
	})
	return err != nil || empty
}

// Behind says whether an index has passages to take in, or is to be made anew.
func (l *Library) Behind(ctx context.Context) (bool, error) {
	if err := l.ready(); err != nil {
		return false, err
	}
	e, err := l.o.Encoder(ctx)
	if err != nil {
		return false, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	m := l.mem
	return m.passages > 0 && (m.text.Through < m.last() || e != nil && (m.meaning.Through < m.last() || m.meaning.Encoder != e.Name())), nil
}

// steps of Index, in passages.
const (
	wordsStep   = 4096
	meaningStep = 2048
)

// Reindex throws both indexes away and makes them anew.
func (l *Library) Reindex(ctx context.Context, report func(done, total int, what string)) error {
	if err := l.ready(); err != nil {
		return err
	}
	l.work.Lock()
	err := errors.Join(l.reset(Tx.Words, (*memory).dropWords), l.reset(Tx.Meaning, (*memory).dropMeaning))
	l.work.Unlock()
	if err != nil {
		return err
	}
	return l.Index(ctx, report)
}

// reset deletes an index. The caller holds work.
func (l *Library) reset(of func(Tx) Rows, drop func(*memory)) error {
	l.mu.Lock()
	drop(l.mem)
	l.mu.Unlock()
	for more := true; more; {
		// The state goes first: what is left after a crash is not taken for an index.
		if err := l.o.Store.UpdateLibrary(func(tx Tx) (err error) {
			if err := of(tx).Delete(stateKey); err != nil {
				return err
			}
			more, err = of(tx).Clear()
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// Index takes in what the indexes do not have yet, step by step: first words, then
// meanings. Each step is kept, so that it goes on where it was stopped; searches go on meanwhile.
func (l *Library) Index(ctx context.Context, report func(done, total int, what string)) error {
	if err := l.ready(); err != nil {
		return err
	}
	if report == nil {
		report = func(int, int, string) {}
	}
	l.mu.RLock()
	fresh, broken := l.mem.text.Version == wordsVersion, l.mem.broken
	l.mu.RUnlock()
	if !fresh {
		// There is none, it is of another version, or it could not be read.
		l.work.Lock()
		err := l.reset(Tx.Words, (*memory).dropWords)
		l.work.Unlock()
		if err != nil {
			return err
		}
	}
	// Both indexes are one way: what is by words only when meanings come is half of it.
	e, failed := l.o.Encoder(ctx)
	for {
		l.mu.RLock()
		from, last := l.mem.text.Through, l.mem.last()
		done, total := from, last
		if e != nil {
			total += last
			if l.mem.meaning.of(e) {
				done += l.mem.meaning.Through
			}
		}
		l.mu.RUnlock()
		report(int(done), int(total), "words")
		if from >= last {
			break
		}
		if err := l.indexWords(ctx, from, min(from+wordsStep, last)); err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	if e != nil {
		if err := l.indexMeanings(ctx, e, report); err != nil {
			return err
		}
	}
	if broken != "" {
		l.mu.Lock()
		l.mem.broken = ""
		l.mu.Unlock()
	}
	return nil
}

func (l *Library) read(from, to uint64) (list []Passage, err error) {
	err = l.o.Store.ViewLibrary(func(tx Tx) error {
		return tx.Passages(from+1, to+1, func(p Passage) (bool, error) {
			list = append(list, p)
			return true, nil
		})
	})
	return list, err
}

// name gives the first passage of each document the words that find it beside its text.
func (l *Library) name(passages []Passage) error {
	return l.o.Store.ViewLibrary(func(tx Tx) error {
		last := ""
		for i := range passages {
			p := &passages[i]
			if p.Document == last {
				continue
			}
			last = p.Document
			d, err := tx.Document(p.Document)
			if errors.Is(err, ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if d.First == p.N {
				p.also = d.also()
			}
		}
		return nil
	})
}

func (l *Library) indexWords(ctx context.Context, from, to uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.work.Lock()
	defer l.work.Unlock()
	passages, err := l.read(from, to)
	if err != nil {
		return err
	}
	if err := l.name(passages); err != nil {
		return err
	}
	l.mu.RLock()
	m := l.mem
	l.mu.RUnlock()
	if m.text.Through != from {
		return nil // somebody else did it meanwhile
	}
	now := progressOf{Version: wordsVersion, Through: to}
	var lengths []uint16
	// m is not locked: it changes only under work, which is held.
	spell := m.spellers()
	if err := l.o.Store.UpdateLibrary(func(tx Tx) (err error) {
		if lengths, err = addWords(tx.Words(), passages, spell); err != nil {
			return err
		}
		return now.write(tx.Words())
	}); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range passages {
		m.setLength(passages[i].N, lengths[i])
	}
	m.text = now
	return nil
}

func (l *Library) indexMeanings(ctx context.Context, e encoder.Encoder, report func(done, total int, what string)) error {
	l.mu.RLock()
	same := l.mem.meaning.of(e)
	l.mu.RUnlock()
	if !same {
		l.work.Lock()
		err := l.reset(Tx.Meaning, (*memory).dropMeaning)
		l.work.Unlock()
		if err != nil {
			return err
		}
	}
	for {
		l.mu.RLock()
		from, last := l.mem.meaning.Through, l.mem.last()
		done := l.mem.text.Through + from
		l.mu.RUnlock()
		report(int(done), int(2*last), "meanings")
		if from >= last {
			return nil
		}
		if err := l.indexMeaning(ctx, e, from, min(from+meaningStep, last)); err != nil {
			return err
		}
	}
}

func (l *Library) indexMeaning(ctx context.Context, e encoder.Encoder, from, to uint64) error {
	passages, err := l.read(from, to)
	if err != nil {
		return err
	}
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Text
	}
	// This takes long, so others may change the library meanwhile.
	vectors, err := e.Vector(ctx, texts)
	if err != nil {
		return err
	}
	if len(vectors) != len(texts) {
		return fmt.Errorf("library: %d vectors for %d texts", len(vectors), len(texts))
	}
	l.work.Lock()
	defer l.work.Unlock()
	l.mu.RLock()
	m := l.mem
	l.mu.RUnlock()
	if m.meaning.Through != from {
		return nil
	}
	kept := 0
	for i := range passages {
		if m.of(passages[i].N) != nil {
			passages[kept], vectors[kept] = passages[i], vectors[i]
			if len(vectors[kept]) != e.Dimension() {
				return fmt.Errorf("library: a vector of %d values, not %d", len(vectors[kept]), e.Dimension())
			}
			kept++
		}
	}
	passages, vectors = passages[:kept], vectors[:kept]
	now := progressOf{Version: meaningVersion, Through: to, Encoder: e.Name(), Dimension: e.Dimension()}
	var codes []uint64
	if err := l.o.Store.UpdateLibrary(func(tx Tx) (err error) {
		if codes, err = addMeaning(tx.Meaning(), passages, vectors, now.Dimension); err != nil {
			return err
		}
		return now.write(tx.Meaning())
	}); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m.setCodes(passages, codes, codeWords(now.Dimension))
	m.meaning = now
	return nil
}
