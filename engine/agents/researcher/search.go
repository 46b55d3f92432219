package researcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"holdpoint/engine/board"
	"holdpoint/engine/encoder"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/library"
	"holdpoint/engine/turn"
)

const (
	// perSearch is how many new passages a search brings at most, perConflict one for a conflict.
	perSearch, perConflict = 6, 2
	// ofDocument is how many of them are of one document.
	ofDocument = 2
	// documentsAtOnce is how many documents a search looks at; each further one for the same text
	// looks at as many more.
	documentsAtOnce = 10
	// Near is the cosine from which two passages say nearly the same.
	Near = 0.9
	// source is what the library is called among sources.
	source = "library"
)

// search looks for passages about the question and, once there are any, the hypothesis that
// lacks evidence most.
func search(ctx context.Context, t *graph.Task) (graph.Result, error) {
	read, s, _, err := now(t)
	if err != nil {
		return graph.Result{}, err
	}
	text, about := s.Query, ""
	if h := lacking(s); h != nil && !s.Fresh() {
		text, about = s.Query+" "+h.Statement, h.ID
	}
	found, err := look(ctx, t, s, text, about, perSearch)
	if err != nil {
		return graph.Result{}, err
	}
	patch, err := read.Writes(s)
	if err != nil {
		return graph.Result{}, err
	}
	last := s.Searches[len(s.Searches)-1]
	return graph.Result{Patch: append(patch, board.ChannelMessages.Add(fmt.Sprintf("Found %d new passages.", last.New))), Events: found.events, Do: found.keep(t),
		Reason: cmp.Or(last.Note, fmt.Sprintf("%d new passages", last.New))}, nil
}

// lacking is the unsettled hypothesis that was searched for least, and of those the one that
// the fewest sources speak about; nil without any.
func lacking(s *board.State) *board.Hypothesis {
	list := s.Unsettled()
	if len(list) == 0 {
		return nil
	}
	searched := func(h *board.Hypothesis) (n int) {
		for _, x := range s.Searches {
			if x.For == h.ID {
				n++
			}
		}
		return n
	}
	h := slices.MinFunc(list, func(a, b board.Hypothesis) int {
		x, y := s.Weigh(&a), s.Weigh(&b)
		return cmp.Or(cmp.Compare(searched(&a), searched(&b)), cmp.Compare(x.For+x.Against, y.For+y.Against))
	})
	return &h
}

// looked is what a search brought.
type looked struct {
	fresh  []board.Evidence
	events []journal.Event
}

// keep writes what was found with the result that tells of it.
func (l looked) keep(t *graph.Task) graph.Change {
	if len(l.fresh) == 0 {
		return nil
	}
	return boardRows.Change(func(tx board.Tx, _ graph.Tell) error {
		for _, e := range l.fresh {
			if err := tx.PutEvidence(string(t.Run.ID), e); err != nil {
				return err
			}
		}
		return nil
	})
}

// look searches the library and puts what is new on the board, at most that many passages. A
// library that cannot be searched is noted; the study goes on.
func look(ctx context.Context, t *graph.Task, s *board.State, text, about string, most int) (looked, error) {
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return looked{}, err
	}
	done := board.Search{Text: text, Source: source, For: about}
	again := 0
	for _, x := range s.Searches {
		if x.Text == text && x.For == about {
			again++
		}
	}
	var out looked
	answer, err := find(ctx, d, library.Query{Text: text, Limit: min(documentsAtOnce*(again+1), 100)})
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case err != nil:
		done.Note = "the library could not be searched"
	case answer.Passages == 0:
		done.Note = "the library is empty: import documents first"
	}
	for _, hit := range answer.Hits {
		taken := 0
		for _, f := range hit.Found {
			done.Found++
			e := board.Of(hit.Document, f.Passage)
			switch {
			case s.Piece(e.ID) != nil:
			case taken == ofDocument || len(out.fresh) == most:
				done.Passed++
			default:
				e.Query, e.At = text, t.Now()
				out.fresh, taken = append(out.fresh, e), taken+1
			}
		}
	}
	if err := place(ctx, t, d, s, &out, &done); err != nil {
		return looked{}, err
	}
	s.Searches = append(s.Searches, done)
	out.events = append([]journal.Event{{Reason: done.Note}}, out.events...)
	out.events[0] = out.events[0].With(journal.BoardSearchedData{Query: journal.LongString(text), Source: source, For: about, Found: done.Found, New: done.New, Duplicates: done.Duplicates})
	return out, nil
}

func find(ctx context.Context, d *turn.Dependencies, q library.Query) (library.Answer, error) {
	if d.Search == nil {
		return library.Answer{}, errors.New("researcher: there is no library here")
	}
	return d.Search(ctx, q)
}

// place puts new evidence on the board, and says which of it repeats what is there.
func place(ctx context.Context, t *graph.Task, d *turn.Dependencies, s *board.State, l *looked, done *board.Search) error {
	if len(l.fresh) == 0 {
		return nil
	}
	var known []string // the ids of what new evidence may repeat
	for _, p := range s.Evidence {
		if p.DuplicateOf == "" {
			known = append(known, p.ID)
		}
	}
	bodies, err := evidence(t, s, known...)
	if err != nil {
		return err
	}
	var texts []string
	known = slices.DeleteFunc(known, func(id string) bool {
		e, ok := bodies[id]
		if ok {
			texts = append(texts, e.Text)
		}
		return !ok
	})
	for _, e := range l.fresh {
		texts = append(texts, e.Text)
	}
	near, err := nearness(ctx, d, texts)
	if err != nil {
		return err
	}
	before := len(known)
	original := map[int]string{}
	for i := range before {
		original[i] = known[i]
	}
	for i, e := range l.fresh {
		p := board.Piece{ID: e.ID, Document: e.Document}
		for k := range before + i {
			if id := original[k]; id != "" && near(k, before+i) >= Near {
				p.DuplicateOf, p.Differs = id, !slices.Equal(sequence(texts[k]), sequence(e.Text))
				break
			}
		}
		if p.DuplicateOf == "" {
			original[before+i] = e.ID
		} else {
			done.Duplicates++
		}
		done.New++
		s.Evidence = append(s.Evidence, p)
		l.events = append(l.events, journal.Event{}.With(journal.EvidenceAddedData{ID: e.ID, Passage: e.Passage, Document: e.Document, Title: journal.LongString(e.Title), Page: e.Page, DuplicateOf: p.DuplicateOf}))
	}
	return nil
}

// nearness compares texts by meaning, or by the words in them where nothing compares meanings.
func nearness(ctx context.Context, d *turn.Dependencies, texts []string) (func(i, k int) float64, error) {
	if d.Encoder != nil {
		vectors, err := turn.Meanings(ctx, d.Encoder, d.Vectors, turn.Whole, texts, nil)
		if err == nil {
			return func(i, k int) float64 {
				if len(vectors[i]) == 0 || len(vectors[k]) == 0 {
					return 0
				}
				return encoder.Cosine(vectors[i][0], vectors[k][0])
			}, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	counts := make([]map[string]float64, len(texts))
	for i, text := range texts {
		counts[i] = words(text)
	}
	return func(i, k int) float64 {
		var both, a, b float64
		for w, n := range counts[i] {
			both += n * counts[k][w]
			a += n * n
		}
		for _, n := range counts[k] {
			b += n * n
		}
		if a == 0 || b == 0 {
			return 0
		}
		return both / math.Sqrt(a*b)
	}, nil
}

// words counts those of a text.
func words(text string) map[string]float64 {
	out := map[string]float64{}
	for _, w := range sequence(text) {
		out[w]++
	}
	return out
}

// sequence is a text's words, in small letters.
func sequence(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
