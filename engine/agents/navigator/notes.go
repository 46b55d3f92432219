package navigator

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"holdpoint/engine/call"
	"holdpoint/engine/encoder"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

const (
	shownNotes = 5
	// comparedNotes bounds the notes whose meaning is compared; the newest are taken.
	comparedNotes = 400
	// alike is the cosine from which a sentence speaks of what was asked: sentences about
	// other things stay below 0.3 in the sample's notes.
	alike = 0.32
	// fusion is the constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009):
	// the larger, the less the first ranks weigh.
	fusion = 20
)

// searchNotes finds notes by words and, with an encoder, by what they mean: a question in
// another language or in other words finds them, too.
func searchNotes(ctx context.Context, env tool.Env, raw json.RawMessage) (json.RawMessage, error) {
	t, err := call.TaskOf(ctx)
	if err != nil {
		return nil, err
	}
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return nil, err
	}
	var query string
	var byWords []record.Hit
	var notes []record.Note
	if _, err := readPatient(ctx, env, raw, func(tx record.Tx, a args) (any, error) {
		query = a.Query
		var err error
		if byWords, err = record.SearchNotes(tx, a.Patient, a.Query, comparedNotes); err != nil || d.Encoder == nil {
			return nil, err
		}
		notes, err = record.Notes(tx, a.Patient, comparedNotes)
		return nil, err
	}); err != nil {
		return nil, err
	}
	answer := map[string]any{"method": "words"}
	hits := byWords
	if len(notes) > 0 {
		byMeaning, err := notesLike(ctx, d, query, notes)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			answer["method"], answer["model"] = "words and meaning", d.Encoder.Name()
			hits = fuse(byWords, byMeaning)
		} else {
			answer["note"] = "the encoder of meanings did not answer; the notes were searched by words"
		}
	}
	answer["notes"] = hits[:min(len(hits), shownNotes)]
	return model.JSON(answer), nil
}

// notesLike are the notes with a sentence that means what the query does, closest first.
func notesLike(ctx context.Context, d *turn.Dependencies, query string, notes []record.Note) ([]record.Hit, error) {
	asked, err := turn.Meanings(ctx, d.Encoder, nil, turn.Whole, []string{query}, nil)
	if err != nil {
		return nil, err
	}
	meanings, err := turn.Meanings(ctx, d.Encoder, d.Vectors, turn.Sentences, textsOf(notes), nil)
	if err != nil {
		return nil, err
	}
	hits := []record.Hit{}
	for i, n := range notes {
		at, score := encoder.Best(asked[0][0], meanings[i])
		if at < 0 || score < alike {
			continue
		}
		sentence := encoder.Sentences(n.Text)[at]
		start := strings.Index(n.Text, sentence)
		hits = append(hits, record.HitAt(n, start, start+len(sentence), score))
	}
	slices.SortStableFunc(hits, func(a, b record.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits, nil
}

func textsOf(notes []record.Note) []string {
	out := make([]string, len(notes))
	for i, n := range notes {
		out[i] = n.Text
	}
	return out
}

// fuse merges two rankings of notes by reciprocal rank. Where both have a note, the
// excerpt with the words stays.
func fuse(rankings ...[]record.Hit) []record.Hit {
	out := []record.Hit{}
	at := map[string]int{}
	for _, hits := range rankings {
		for rank, h := range hits {
			i, there := at[h.ID]
			if !there {
				i = len(out)
				h.Score, at[h.ID] = 0, i
				out = append(out, h)
			}
			out[i].Score += 1 / float64(fusion+rank+1)
		}
	}
	slices.SortStableFunc(out, func(a, b record.Hit) int { return cmp.Compare(b.Score, a.Score) })
	for i := range out {
		out[i].Score = math.Round(out[i].Score*10000) / 10000
	}
	return out
}

// texts are those whose vectors are kept: what providers say of themselves, and notes.
func texts(tx record.Tx, each func(turn.Reading, string) error) error {
	providers, err := record.Providers(tx)
	if err != nil {
		return err
	}
	for _, p := range providers {
		for _, how := range []turn.Reading{turn.Whole, turn.Sentences} {
			if err := each(how, describe(brief(p))); err != nil {
				return err
			}
		}
	}
	return tx.Records("DocumentReference", "", func(r record.Record) (bool, error) {
		n, err := record.NoteOf(r)
		if err != nil {
			return false, err
		}
		return true, each(turn.Sentences, n.Text)
	})
}
