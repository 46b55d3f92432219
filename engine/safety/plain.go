package safety

import (
	"context"
	"sync"

	"holdpoint/engine/encoder"
)

// statement is a sentence that says danger in plain words, whatever the language.
type statement struct {
	text     string
	category Category
	speaker  Speaker
}

// plainStatements are held against sentences in languages that rules and words do not
// read: the encoder puts the same statement in another language close to them. They have
// nothing to do with what people wrote; the bounds were chosen on sentences written for
// it, and on the background files, of which a sentence in a hundred came as close.
var plainStatements = []statement{
	{"I want to die.", Intent, Self},
	{"I want to kill myself.", Intent, Self},
	{"I want to kill myself tonight.", Intent, Self},
	{"I am thinking about suicide.", Intent, Self},
	{"I don't want to live anymore.", Intent, Self},
	{"I cannot go on living.", Intent, Self},
	{"Nobody would miss me if I were gone.", Intent, Self},
	{"Everyone would be better off without me.", Intent, Self},
	{"He wants to die.", Intent, Other},
	{"She says she wants to kill herself.", Intent, Other},
}

// From plainCheckIn on a sentence says such a thing, more or less; in a long message, which
// has more sentences to be taken for it, from plainLong. From plainIntervention on it says it.
const (
	plainCheckIn      = 0.60
	plainLong         = 0.64
	plainIntervention = 0.75
)

// kept has the statements' vectors, made by the encoder that was asked last.
var kept struct {
	sync.Mutex
	by      encoder.Encoder
	vectors [][]float32
}

func plainVectors(ctx context.Context, e encoder.Encoder) ([][]float32, error) {
	kept.Lock()
	defer kept.Unlock()
	if kept.by == e {
		return kept.vectors, nil
	}
	texts := make([]string, len(plainStatements))
	for i, s := range plainStatements {
		texts[i] = s.text
	}
	vectors, err := e.Vector(ctx, texts)
	if err != nil || len(vectors) != len(texts) {
		return nil, err
	}
	kept.by, kept.vectors = e, vectors
	return vectors, nil
}

// foreign says that a sentence is written neither in English nor in French, which the
// other tiers read: fewer than half of its words are frequent ones of theirs.
func foreign(sentence string) bool {
	en, fr := languages(sentence)
	return foreignBy(sentence, en, fr)
}

// foreignBy is foreign of a sentence that has so many frequent words of English and of French.
func foreignBy(sentence string, en, fr int) bool {
	known := 2 * max(en, fr)
	return known == 0 || wordsOf(sentence, known) > known
}

// Foreign says that a message is written neither in English nor in French, as far as frequent words tell.
func Foreign(text string) bool { return foreign(text) }

// said is the plain statement that a sentence of a text comes closest to, the sentence's
// number, and what that asks for.
func said(statements [][]float32, sentences []string, vectors [][]float32, long bool) (which *statement, at int, asks Level) {
	least, best := plainCheckIn, -1.0
	if long {
		least = plainLong
	}
	for i, v := range vectors {
		n, cosine := encoder.Best(v, statements)
		if cosine >= least && cosine > best && foreign(sentences[i]) {
			best, which, at = cosine, &plainStatements[n], i
		}
	}
	switch {
	case which == nil:
		return nil, 0, Calm
	case best >= plainIntervention && !long:
		return which, at, Intervene
	}
	return which, at, CheckIn
}
