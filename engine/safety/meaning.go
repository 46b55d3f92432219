package safety

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"holdpoint/engine/encoder"
)

// meaning.json is what `holdpoint bench safety --train DIR` wrote beside words.bin: a head
// for each kind of text, on the sentence encoder's vectors. Nobody's words are in it.
//
//go:embed meaning.json
var meaningFile []byte

// Head is a multinomial logistic regression on a vector: kinds of danger beside kinds of
// texts without any. It is read-only and safe for concurrent use.
type Head struct {
	// Encoder is the name of the encoder that made the vectors: others have no meaning here.
	Encoder string `json:"encoder"`
	Kinds   []Kind `json:"kinds"`
	// CheckIn and Intervention are the log-odds of danger from which a message is a sign,
	// and from which its meaning alone is enough.
	CheckIn      float32 `json:"check_in"`
	Intervention float32 `json:"intervention"`
	// Stack weighs the tiers together.
	Stack Stack `json:"stack"`
	// Short reads short messages in this one's place. Near has what was written nearest to them.
	Short *Short `json:"short,omitempty"`
	Near  *Near  `json:"-"` // a file of its own
}

// Short is a head that has learnt ordinary short talk, too.
type Short struct {
	Kinds []Kind `json:"kinds"`
	// From CheckIn on a short message is a sign, in French from FrenchCheckIn on.
	CheckIn       float32 `json:"check_in"`
	FrenchCheckIn float32 `json:"french_check_in"`
}

// Kind is one kind of text.
type Kind struct {
	Name     string   `json:"name"`
	Danger   bool     `json:"danger,omitempty"`
	Category Category `json:"category,omitempty"`
	Speaker  Speaker  `json:"speaker,omitempty"`
	Bias     float32  `json:"bias"`
	// Weights are whole numbers; a value counts Weights[i] × Scale.
	Scale   float32 `json:"scale"`
	Weights []byte  `json:"weights"` // int8 each
}

// ReadHead reads what Head.Bytes wrote.
func ReadHead(b []byte) (*Head, error) {
	h := &Head{}
	if err := json.Unmarshal(b, h); err != nil {
		return nil, fmt.Errorf("safety: the weights of the meaning tier: %w", err)
	}
	kinds := h.Kinds
	if h.Short != nil {
		kinds = append(slices.Clone(kinds), h.Short.Kinds...)
	}
	for _, k := range kinds {
		if len(k.Weights) != len(h.Kinds[0].Weights) || k.Danger && !k.Category.valid() {
			return nil, fmt.Errorf("safety: the weights of the meaning tier: %q has %d weights of %d, or no category", k.Name, len(k.Weights), len(h.Kinds[0].Weights))
		}
	}
	return h, nil
}

// Bytes is the file form, some 20 kB.
func (h *Head) Bytes() ([]byte, error) { return json.Marshal(h) }

// score is the log-odds of danger, and the kind of danger that is nearest.
func (h *Head) score(v []float32) (odds float64, nearest *Kind) { return scoreOf(h.Kinds, v) }

func scoreOf(kinds []Kind, v []float32) (odds float64, nearest *Kind) {
	danger, rest, best := math.Inf(-1), math.Inf(-1), math.Inf(-1)
	for i := range kinds {
		k := &kinds[i]
		z := 0.0
		for n, w := range k.Weights {
			z += float64(int8(w)) * float64(v[n])
		}
		z = z*float64(k.Scale) + float64(k.Bias)
		if !k.Danger {
			rest = logAdd(rest, z)
			continue
		}
		danger = logAdd(danger, z)
		if z > best {
			best, nearest = z, k
		}
	}
	return danger - rest, nearest
}

func logAdd(a, b float64) float64 {
	hi, lo := max(a, b), min(a, b)
	if math.IsInf(lo, -1) {
		return hi
	}
	return hi + math.Log1p(math.Exp(lo-hi))
}

// wholeShare is what the message as a whole weighs; its strongest sentence has the rest. A
// message of many sentences has a strong one sooner, and a quiet one says what it is about.
const wholeShare = 0.75

// read is the score of a message from its vector and those of its sentences, the kind of
// danger that is nearest, and which sentence is the strongest.
func (h *Head) read(whole []float32, sentences [][]float32) (odds float64, nearest *Kind, strongest int) {
	return strongestOf(h.score, whole, sentences)
}

// nearShare is what the nearest statements weigh beside the head that reads short messages and
// the linear tier, and shortShare what all are worth beyond or below their threshold: a few
// words are enough to ask, seldom to interrupt. They were chosen on what was written for them.
const nearShare, shortShare = 2, 0.32

// mostNear bounds what they say for danger: one statement that lies very near is enough to ask, and not to interrupt.
const mostNear = 1

// even is the score of a short message on the scale of the others.
func (h *Head) even(short float64, french bool) float64 {
	least := h.Short.CheckIn
	if french {
		least = h.Short.FrenchCheckIn
	}
	return float64(h.CheckIn) + shortShare*(short-float64(least))
}

// readsShort says that a message has few words and that there is what reads those.
func (h *Head) readsShort(text string) bool { return h.Short != nil && h.Near != nil && short(text) }

// readShort is read for a short message with the linear tier's score, before it is made even.
func (h *Head) readShort(words float64, whole []float32, sentences [][]float32) (odds float64, nearest *Kind, strongest int) {
	odds, nearest, strongest = strongestOf(func(v []float32) (float64, *Kind) {
		odds, nearest := scoreOf(h.Short.Kinds, v)
		return odds + nearShare*min(mostNear, h.Near.score(v)), nearest
	}, whole, sentences)
	return odds + max(-3, min(2, words)), nearest, strongest
}

// strongestOf puts the score of a message together with that of its strongest sentence.
func strongestOf(score func([]float32) (float64, *Kind), whole []float32, sentences [][]float32) (odds float64, nearest *Kind, strongest int) {
	all, nearest := score(whole)
	most := all
	for i, s := range sentences {
		if z, _ := score(s); i == 0 || z > most {
			most, strongest = z, i
		}
	}
	return wholeShare*all + (1-wholeShare)*max(most, all), nearest, strongest
}

// readAtOnce bounds what is encoded of a message at a time, in bytes: of a longer one the
// beginning and the end are read first and then what is between. readTime is when help
// stops waiting; what was read until then counts. Where nothing else saw a sign there is no help
// that waits: a machine that is busy with something else has calmTime.
const (
	readAtOnce = 24 << 10
	readTime   = 600 * time.Millisecond
	calmTime   = 3 * time.Second
	// unhurriedTime is for measuring: long enough for a cold encoder and 2 MB.
	unhurriedTime = 10 * time.Minute
)

// readable is a message in the parts and in the order in which the tier reads them.
func readable(text string) []string {
	valid := func(s string) string { return strings.ToValidUTF8(s, " ") }
	if len(text) <= readAtOnce {
		return []string{valid(text)}
	}
	from, to := readAtOnce/2, len(text)-readAtOnce/2
	parts := []string{valid(text[:from]) + "\n" + valid(text[to:])}
	// Where a part ends in the middle of a sentence, the next one has the whole of it.
	const twice = 1 << 10
	for at := from - twice; at < to; at += readAtOnce - twice {
		parts = append(parts, valid(text[at:min(at+readAtOnce, to+twice)]))
	}
	return parts
}

// meaning is the tier of a head and the encoder that it learnt with.
type meaning struct {
	*Head
	encoder encoder.Encoder
}

var ownHead = sync.OnceValue(func() *Head {
	h := mustParse(ReadHead, meaningFile)
	h.Near = mustParse(ReadNear, nearFile)
	return h
})

// With is Offline and the tier that reads meanings with this encoder. Without an encoder,
// or with one that the tier's weights were not made for, it is Offline.
func With(e encoder.Encoder) Checker {
	if e == nil || ownHead().Encoder == "" || e.Name() != ownHead().Encoder {
		return Offline
	}
	return Checker{Tiers: append(append([]Tier{}, Offline.Tiers...), meaning{ownHead(), e})}
}

// Warm gets the meaning tier ready, which takes longer than a message may wait: it loads the
// encoder and reads with it what messages are compared with.
func (c Checker) Warm(ctx context.Context) error {
	for _, t := range c.Tiers {
		if m, ok := t.(meaning); ok {
			if _, err := plainVectors(ctx, m.encoder); err != nil {
				return fmt.Errorf("safety: %w", err)
			}
			if _, err := m.encoder.Vector(ctx, []string{"Good morning."}); err != nil {
				return fmt.Errorf("safety: %w", err)
			}
		}
	}
	return nil
}

func (meaning) Name() string { return TierMeaning }

// Read gives the strongest reading of the parts of a message; one without a level when the
// encoder fails or takes too long.
func (m meaning) Read(text string) Reading { return m.readWithin(text, readTime) }

func (m meaning) readWithin(text string, limit time.Duration) (most Reading) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	// The encoder's first load does not heed the context.
	parts, long := readable(text), longer(text)
	read := make(chan Reading, len(parts))
	go func() {
		defer close(read)
		for _, part := range parts {
			read <- m.readNow(ctx, part, long)
		}
	}()
	for {
		select {
		case r, more := <-read:
			if !more {
				most.unread = ctx.Err() != nil
				return most
			}
			most = stronger(most, r)
		case <-ctx.Done():
			most.unread = true
			return most
		}
	}
}

// stronger is the reading of two parts of a message.
func stronger(a, b Reading) Reading {
	switch "" {
	case a.Tier:
		return b
	case b.Tier:
		return a
	}
	score := max(a.Score, b.Score)
	if b.plain.rank() > a.plain.rank() || b.plain == a.plain && b.Score > a.Score {
		a = b
	}
	a.Score = score
	return a
}

func (m meaning) readNow(ctx context.Context, text string, long bool) Reading {
	sentences := encoder.Sentences(text)
	if len(sentences) == 0 {
		return m.reading(float64(m.CheckIn) - 10)
	}
	vectors, err := m.encoder.Vector(ctx, append([]string{text}, sentences...))
	if err != nil || len(vectors) != 1+len(sentences) {
		return Reading{}
	}
	statements, err := plainVectors(ctx, m.encoder)
	if err != nil {
		return Reading{}
	}
	odds, nearest, strongest := m.read(vectors[0], vectors[1:])
	if m.readsShort(text) {
		sum, kind, at := m.readBriefly(text, vectors[0], vectors[1:])
		// Of other languages neither has learnt anything: there an intervention stands.
		if !beyond(text) || sum > odds || odds < float64(m.Intervention) {
			odds, nearest, strongest = sum, kind, at
		}
	}
	r := m.reading(odds)
	at, v := -1, Verdict{}
	if r.Level == Calm {
		at, v = m.amid(text, sentences, vectors[1:])
	}
	if at >= 0 {
		r.plain, r.Level, r.Category, r.speaker = CheckIn, CheckIn, cmp.Or(v.heaviest(), Intent), v.Speaker
		r.Reasons = []string{clip(sentences[at], 60)}
		return r
	}
	if which, at, asks := said(statements, sentences, vectors[1:], long); asks != Calm {
		r.plain, r.Category, r.speaker = asks, which.category, which.speaker
		r.Level = r.Level.graver(asks)
		r.Reasons = []string{"says “" + which.text + "”, more or less", clip(sentences[at], 60)}
		return r
	}
	if nearest != nil {
		r.Category = nearest.Category
		r.speaker = nearest.Speaker
		if r.Level != Calm {
			r.Reasons = []string{"near " + strings.ReplaceAll(nearest.Name, "_", " "), clip(sentences[strongest], 60)}
		}
	}
	return r
}

// readBriefly is the score of a short message on the scale of the others.
func (m meaning) readBriefly(text string, whole []float32, sentences [][]float32) (odds float64, nearest *Kind, strongest int) {
	words, _ := ownLinear.score(phrasesOf(text))
	odds, nearest, strongest = m.readShort(float64(words), whole, sentences)
	return m.even(odds, LanguageOf(text) == French), nearest, strongest
}

// amidAlone is how far beyond the threshold of a short message the meaning of a sentence amid others has to
// be where the rules have nothing against it. It was chosen on posts about stress, of which none more is asked about.
const amidAlone = 2.6

// amid is the first sentence of a longer message that the rules and its meaning both take for danger, or
// its meaning plainly does, when it is read by itself, with what the rules say of it: around it there may
// be a whole note about something else. It is -1 for none.
func (m meaning) amid(text string, sentences []string, vectors [][]float32) (int, Verdict) {
	if m.Short == nil || m.Near == nil || len(sentences) < 2 || m.readsShort(text) {
		return -1, Verdict{}
	}
	for i, s := range sentences {
		if !short(s) {
			continue
		}
		odds, _, _ := m.readBriefly(s, vectors[i], nil)
		if odds < float64(m.CheckIn) {
			continue
		}
		if v := Check(s); v.Hijack && !v.vague || odds >= float64(m.CheckIn)+amidAlone {
			return i, v
		}
	}
	return -1, Verdict{}
}

func (h *Head) reading(odds float64) Reading {
	r := Reading{Tier: TierMeaning, Level: Calm, Score: round(float32(odds)), CheckIn: round(h.CheckIn), Intervention: round(h.Intervention)}
	switch {
	case odds >= float64(h.Intervention):
		r.Level = Intervene
	case odds >= float64(h.CheckIn):
		r.Level = CheckIn
	}
	return r
}
