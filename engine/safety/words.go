package safety

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
)

// words.bin is what `holdpoint bench safety --train DIR` wrote: a weight for each bucket
// of hashed phrases. No phrase of anybody's message is in it.
//
//go:embed words.bin
var wordsBin []byte

// buckets is how many weights there are; a phrase's weight is that of its hash.
const buckets = 1 << 18

// longest is how many words a phrase has at most.
const longest = 3

// Linear is a logistic regression over the phrases of one to three words of a message:
// each counts once, and the message's vector has length 1, so that a long message weighs
// no more than a short one. It is read-only and safe for concurrent use.
type Linear struct {
	// Bias and Scale: a bucket's weight is its byte times Scale, in log-odds.
	Bias, Scale float32
	// CheckIn and Intervention are the log-odds from which a message is a sign, and from
	// which it alone is enough. Low is the score below which a long message of which only
	// the rules complain is no more than a sign.
	CheckIn, Intervention, Low float32
	weights                    []int8
}

var wordsMagic = []byte("hpwords1")

// ReadLinear reads what Linear.Bytes wrote.
func ReadLinear(b []byte) (*Linear, error) {
	if !bytes.HasPrefix(b, wordsMagic) || len(b) != len(wordsMagic)+5*4+buckets {
		return nil, fmt.Errorf("safety: %d bytes are not the weights of the linear tier", len(b))
	}
	b = b[len(wordsMagic):]
	l := &Linear{weights: make([]int8, buckets)}
	for i, f := range []*float32{&l.Bias, &l.Scale, &l.CheckIn, &l.Intervention, &l.Low} {
		*f = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	for i, w := range b[20:] {
		l.weights[i] = int8(w)
	}
	return l, nil
}

// Bytes is the file form, some 260 kB.
func (l *Linear) Bytes() []byte {
	b := slices.Clone(wordsMagic)
	for _, f := range []float32{l.Bias, l.Scale, l.CheckIn, l.Intervention, l.Low} {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	for _, w := range l.weights {
		b = append(b, byte(w))
	}
	return b
}

// phrase is one phrase of a message.
type phrase struct {
	bucket uint32
	text   string
}

// phrasesOf are the phrases of a message, each once. Words are as the rules see them: lower
// case, without accents, look-alikes and disguises put right.
func phrasesOf(text string) []phrase {
	tokens := uncorrected.scan(text)
	seen := map[uint32]bool{}
	var out []phrase
	for i := range tokens {
		for n := 1; n <= longest && i+n <= len(tokens); n++ {
			if tokens[i].sentence != tokens[i+n-1].sentence {
				break
			}
			h := fnv.New32a()
			var words []string
			for _, t := range tokens[i : i+n] {
				words = append(words, t.word)
			}
			s := strings.Join(words, " ")
			h.Write([]byte(s)) // never fails
			if b := h.Sum32() % buckets; !seen[b] {
				seen[b] = true
				out = append(out, phrase{b, s})
			}
		}
	}
	return out
}

// fewPhrases is the number of phrases below which a message's vector is shorter than 1: a
// greeting must not weigh what its only word does.
const fewPhrases = 60

// leastPhrases is the number of phrases, some eight words, below which the tier is silent:
// it has learnt from longer texts.
const leastPhrases = 21

func unitOf(phrases int) float64 { return 1 / math.Sqrt(float64(max(phrases, fewPhrases))) }

// words is the tier of the weights in the program.
type words struct{ *Linear }

var ownLinear = mustParse(ReadLinear, wordsBin)

// LinearTier is the tier of the weights in the program.
var LinearTier Tier = words{ownLinear}

func (words) Name() string { return TierWords }

// minPhrase is the share of a score, in log-odds, from which a phrase is a reason.
const minPhrase = 0.15

func (w words) Read(text string) Reading {
	list := phrasesOf(text)
	score, reasons := w.score(list)
	r := w.reading(score)
	if len(list) < leastPhrases {
		r.Level = Calm
	}
	if r.Level != Calm {
		r.Reasons = reasons
	}
	return r
}

func (l *Linear) reading(score float32) Reading {
	r := Reading{Tier: TierWords, Level: Calm, Score: round(score), CheckIn: round(l.CheckIn), Intervention: round(l.Intervention)}
	switch {
	case score >= l.Intervention:
		r.Level = Intervene
	case score >= l.CheckIn:
		r.Level = CheckIn
	}
	return r
}

func round(f float32) float64 { return math.Round(float64(f)*100) / 100 }

// tells says that a phrase has a word that means something by itself.
func tells(phrase string) bool {
	return slices.ContainsFunc(strings.Fields(phrase), func(w string) bool { return len(w) > 2 && !smallWords[w] })
}

// smallWords are those of three letters and more that carry no meaning alone.
var smallWords = wordSet(slices.Concat(englishWords, strings.Fields(`or as by than then there here which who whom any some all only very too also more most other out up down over into our their
les des une est suis mon mes ses ton tes son sur avec pour sans sous vers chez entre mais donc car que qui quoi dont aussi tres trop tout tous toute toutes autre autres comme depuis encore alors ainsi cela cette ces cet leur leurs notre votre nos vos moi toi lui eux elle elles nous vous ils pas plus quand bien fait etre avoir dans jai cest`)))

// score is the log-odds of a message, and the phrases that weighed most.
func (l *Linear) score(list []phrase) (float32, []string) {
	if len(list) == 0 {
		return min(l.Bias, 0), nil
	}
	unit := float32(unitOf(len(list)))
	sum := l.Bias
	for _, p := range list {
		sum += float32(l.weights[p.bucket]) * l.Scale * unit
	}
	list = slices.Clone(list) // of who asks
	slices.SortStableFunc(list, func(a, b phrase) int { return cmp.Compare(l.weights[b.bucket], l.weights[a.bucket]) })
	var reasons []string
	for _, p := range list {
		if float32(l.weights[p.bucket])*l.Scale*unit < minPhrase || len(reasons) == mostReasons {
			break
		}
		// A phrase says what the words in it say; “and”, “not to” tell nobody anything.
		if tells(p.text) && !slices.ContainsFunc(reasons, func(r string) bool { return strings.Contains(r, p.text) || strings.Contains(p.text, r) }) {
			reasons = append(reasons, clip(p.text, 60))
		}
	}
	return sum, reasons
}
