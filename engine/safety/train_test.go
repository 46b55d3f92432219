package safety

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/encoder"
)

// dimming is an encoder of a made-up language: it knows which words mean that the light goes out
// and which mean that it burns, however few people say them, and little of any other word.
type dimming struct{}

func (dimming) Name() string   { return "dimming" }
func (dimming) Dimension() int { return 16 }

func (dimming) Vector(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v, sum := make([]float32, 16), 0.0
		for _, w := range strings.Fields(strings.ToLower(text)) {
			switch at := slices.Index(things, w); {
			case strings.HasPrefix(w, "zu"):
				v[0]++
			case strings.HasPrefix(w, "mi"):
				v[1]++
			case at >= 0:
				v[2+at%14] += 0.2
			}
		}
		for _, x := range v {
			sum += float64(x * x)
		}
		for n := range v {
			v[n] = float32(float64(v[n]) / math.Sqrt(max(sum, 1e-9)))
		}
		out[i] = v
	}
	return out, nil
}

// things are what everybody speaks of.
var things = strings.Fields("bread lamp window street river chair kettle ladder button carpet pencil basket engine")

// syllables makes a word that no other number has.
func syllables(begin string, n int) string {
	const consonants, vowels = "bdfgklmnprst", "aeiou"
	for range 3 {
		begin += string(consonants[n%12]) + string(vowels[n/12%5])
		n = n/12*7 + n%12 + 5
	}
	return begin
}

// tellings are people whom one tier alone can tell: by a word that nobody else says, by a turn of
// phrase that means nothing, or by what the rules know. All speak of the same ordinary things.
// Ordinary people end their questions with what is usual.
func tellings(t *testing.T, usual string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	kept := map[string][]string{}
	add := func(file, key string, n int, text, label string) {
		b, err := json.Marshal(map[string]any{"id": fmt.Sprint(file, n, label), key: text, "label": label})
		if err != nil {
			t.Fatal(err)
		}
		kept[file] = append(kept[file], string(b))
	}
	about := func(n int) string {
		return fmt.Sprintf("this morning the %s stood beside the %s and the %s again", things[n%13], things[(n/2+4)%13], things[(n/3+9)%13])
	}
	for n := range 60 {
		add("crisis/statements-en-dev.jsonl", "text", n, about(n)+" "+syllables("zu", n), LabelCrisis)
		add("crisis/statements-en-dev.jsonl", "text", n, about(n)+" "+syllables("mi", n), LabelNone)
		add("crisis/words.jsonl", "text", n, about(n)+" "+syllables("mi", n+180)+" where the lighthouse calls me down", LabelCrisis)
		add("counsel-questions/questions.jsonl", "text", n, about(n)+" "+syllables("mi", n+60)+usual, "")
		add("reddit-stress/posts.jsonl", "text", n, about(n)+" "+syllables("mi", n+120), "")
	}
	for n := range 15 {
		plain := []string{"I want to kill myself", "je vais me suicider", "my wrists will be slit tonight", "suicide note written", "he strangled me yesterday", "i took an overdose", "voices tell me to stab her"}[n%7]
		if n == 14 {
			plain = "they will find me hanged"
		}
		add("crisis/rules.jsonl", "text", n, about(4*n)+" "+syllables("mi", n+240)+". "+plain+".", LabelCrisis)
	}
	for file, list := range kept {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(list, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// "I asked what the third tier is good for, and the figures were the same with it and without." Whom
// only the rules, only the words or only the meaning tells is told by that tier among people that it
// has not seen, and the sum has them all; without an encoder who is told by meaning alone is missed.
func TestTrain_SaysWhatEachTierAdds(t *testing.T) {
	none, few, some, most := [2]float64{}, [2]float64{0, 0.2}, [2]float64{0, 0.4}, [2]float64{0.9, 1}
	type figures struct{ rules, words, meaning, without, with [2]float64 }
	for name, c := range map[string]struct {
		with    encoder.Encoder
		usual   string // what ordinary people say
		tiers   []string
		figures map[string]figures
	}{
		"with an encoder": {dimming{}, "", []string{TierRules, TierWords, TierMeaning}, map[string]figures{
			"crisis rules":             {most, some, few, most, most},
			"crisis words":             {few, most, few, most, most},
			"crisis statements-en-dev": {few, few, most, few, most},
			"none statements-en-dev":   {few, few, few, few, few},
			"none counsel-questions":   {few, few, few, few, few},
			"none reddit-stress":       {few, few, few, few, few},
		}},
		"without": {nil, "", []string{TierRules, TierWords}, map[string]figures{
			"crisis rules":             {most, some, none, most, most},
			"crisis words":             {few, most, none, most, most},
			"crisis statements-en-dev": {few, few, none, few, few},
		}},
		"where ordinary people speak like that": {nil, " where the lighthouse calls me down", []string{TierRules, TierWords}, map[string]figures{
			"crisis words":           {few, few, none, few, few},
			"none counsel-questions": {few, few, none, few, few},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			trained, err := Train(t.Context(), tellings(t, c.usual), "", c.with, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			if rep := trained.Report; !slices.Equal(rep.Tiers, c.tiers) || rep.Folds != 5 || len(rep.Shares) != 6 || (trained.Head == nil) != (c.with == nil) {
				t.Errorf("%+v, a head: %v", rep, trained.Head != nil)
			}
			seen := 0
			for _, s := range trained.Report.Shares {
				want, ok := c.figures[map[bool]string{true: LabelCrisis, false: LabelNone}[s.Crisis]+" "+s.Origin]
				if !ok {
					continue
				}
				seen++
				for what, x := range map[string]struct {
					got  float64
					want [2]float64
				}{"rules": {s.Rules, want.rules}, "words": {s.Words, want.words}, "meaning": {s.Meaning, want.meaning}, "rules and words": {s.WithoutEither, want.without}, "all": {s.Either, want.with}} {
					if x.got < x.want[0] || x.got > x.want[1] {
						t.Errorf("%s finds %.3f of %+v", what, x.got, s)
					}
				}
				if s.Origin == "rules" && (s.KnownRules != 1 || s.Rules == 1) {
					t.Errorf("what one person alone says counts among people that were not seen: %+v", s)
				}
				if s.Crisis && s.Origin == "statements-en-dev" && c.with != nil && s.Interventions-s.WithoutInterventions < 0.7 {
					t.Errorf("the meaning adds nobody who is stopped: %+v", s)
				}
			}
			if seen != len(c.figures) {
				t.Errorf("%d of %d kinds of people are told of: %+v", seen, len(c.figures), trained.Report.Shares)
			}
		})
	}
}

// "I trained it twice and got two programs." The head and the stack that are learnt are the same each
// time, are for the encoder that they were learnt with, and read a word that nobody said before.
func TestTrain_LearnsAHeadAndHowMuchItWeighs(t *testing.T) {
	dir := tellings(t, "")
	var kept []byte
	for range 2 {
		trained, err := Train(t.Context(), dir, "", dimming{}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		b, err := trained.Head.Bytes()
		if err != nil || kept != nil && !bytes.Equal(b, kept) {
			t.Errorf("the same folder gave another head (%v)", err)
		}
		kept = b
	}
	h, err := ReadHead(kept)
	if err != nil || h.Encoder != "dimming" {
		t.Fatalf("%q (%v)", h.Encoder, err)
	}
	for text, want := range map[string]Level{"this morning the kettle stood beside the door zunolapi": Intervene, "this morning the kettle stood beside the door minolapi": Calm} {
		v, err := dimming{}.Vector(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		odds, _, _ := h.read(v[0], v)
		if got := h.reading(odds); got.Level != want {
			t.Errorf("%q: %+v", text, got)
		}
		// Neither rules nor words say anything: what the stack comes to is the meaning's.
		if got := h.Stack.level(signals{meaning: odds, words: -1}, Calm, Calm, h.reading(odds).Level); got != want {
			t.Errorf("%q: all tiers together say %s", text, got)
		}
	}
	if sure, unsure := h.Stack.score(signals{meaning: 6}), h.Stack.score(signals{meaning: -6}); sure < h.Stack.Intervention || unsure >= h.Stack.CheckIn {
		t.Errorf("the stack gives %.2f and %.2f, its thresholds are %.2f and %.2f", sure, unsure, h.Stack.CheckIn, h.Stack.Intervention)
	}
}
