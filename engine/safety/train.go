package safety

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// lesson is one text to learn from.
type lesson struct {
	person  int // texts of one person stay on one side of a fold
	origin  string
	crisis  bool
	weight  float64
	text    string
	phrases []uint32
}

// TrainReport is what training measured, on people and texts that the model that judged
// them had not seen (cross-validation, folds by person).
type TrainReport struct {
	Folds  int       `json:"folds"`
	Texts  int       `json:"texts"`
	Shares []CVShare `json:"shares"`
}

// CVShare is one kind of people in the cross-validation.
type CVShare struct {
	Origin        string  `json:"origin"`
	Crisis        bool    `json:"crisis"`
	People        int     `json:"people"`
	Words         float64 `json:"words_checkin"`      // the linear tier alone, from its CheckIn on
	WordsAlone    float64 `json:"words_intervention"` // from its Intervention on
	Rules         float64 `json:"rules"`              // the rules alone; they know the development files
	Interventions float64 `json:"interventions"`      // together
	Either        float64 `json:"either"`
}

const folds = 5

// Train learns the linear tier from a folder that holds crisis/*.jsonl ({id, text, label}),
// and as background counsel-questions/questions.jsonl and reddit-stress/posts.jsonl. The
// thresholds come from cross-validation: ordinary questions and posts bound the alarms. The
// same folder gives the same weights.
func Train(dir string) (*Linear, TrainReport, error) {
	list, err := readSamples(dir)
	if err != nil {
		return nil, TrainReport{}, err
	}
	scores := make([]float32, len(list))
	for f := range folds {
		var seen []lesson
		for _, s := range list {
			if s.person%folds != f {
				seen = append(seen, s)
			}
		}
		l := fit(seen)
		for i, s := range list {
			if s.person%folds == f {
				scores[i], _ = l.score(s.text)
			}
		}
	}
	l := fit(list)
	l.choose(list, scores)
	return l, l.crossReport(list, scores), nil
}

// readSamples reads the folder. Background texts that speak of dying by their own hand or of
// hurting are left out: nobody labelled them.
func readSamples(dir string) ([]lesson, error) {
	var list []lesson
	person := 0
	add := func(origin string, texts []string, crisis bool, weight float64) {
		for _, t := range texts {
			s := lesson{person: person, origin: origin, crisis: crisis, weight: weight / float64(len(texts)), text: t}
			for _, p := range phrasesOf(t) {
				s.phrases = append(s.phrases, p.bucket)
			}
			list = append(list, s)
		}
		person++
	}
	files, err := filepath.Glob(filepath.Join(dir, "crisis", "*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("safety: %s holds no crisis/*.jsonl to learn from", dir))
	}
	slices.Sort(files)
	for _, name := range files {
		err := readFile(name, func(r io.Reader) error {
			return ReadPeople(r, func(p Person) {
				if p.Label == LabelCrisis || p.Label == LabelNone {
					weight := 1.0
					if p.Label == LabelNone {
						weight = nearMiss
					}
					add(strings.TrimSuffix(filepath.Base(name), ".jsonl"), p.Texts, p.Label == LabelCrisis, weight)
				}
			})
		})
		if err != nil {
			return nil, err
		}
	}
	for _, b := range [][2]string{{"counsel-questions/questions.jsonl", "counsel-questions"}, {"reddit-stress/posts.jsonl", "reddit-stress"}} {
		err := readFile(filepath.Join(dir, b[0]), func(r io.Reader) error {
			d := json.NewDecoder(r)
			for {
				var x struct {
					Title string
					Text  messages
				}
				if err := d.Decode(&x); err == io.EOF {
					return nil
				} else if err != nil {
					return fmt.Errorf("safety: read %s: %w", b[0], err)
				}
				text := strings.TrimSpace(x.Title + "\n" + strings.Join(x.Text, "\n"))
				if Check(text).Score < rulesCheckIn {
					texts := []string{text}
					// Pieces of it: people write to an agent in a sentence or two, too.
					for _, n := range []int{10, 30} {
						if w := strings.Fields(strings.Join(x.Text, " ")); len(w) > 2*n {
							texts = append(texts, strings.Join(w[:n], " "), strings.Join(w[len(w)/2:len(w)/2+n], " "))
						}
					}
					add(b[1], texts, false, float64(len(texts)))
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func readFile(name string, read func(io.Reader) error) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("safety: %w", err)
	}
	return errors.Join(read(f), f.Close())
}

// What training does: passes over the texts, the step and the pull towards zero.
const (
	epochs = 40
	step   = 0.5
	pull   = 3e-4
	// nearMiss is how much more a labelled text without a crisis weighs than one of the
	// background: who comforts, reports a thing of the past or jokes uses the same words.
	nearMiss = 10.0
	// rare phrases are noise: those of one text are not learnt.
	leastTexts = 2
)

// fit learns by stochastic gradients with AdaGrad's steps, in an order that is always the
// same. Both labels weigh alike.
func fit(list []lesson) *Linear {
	texts := make([]uint16, buckets)
	var mass [2]float64
	for _, s := range list {
		for _, b := range s.phrases {
			if texts[b] < math.MaxUint16 {
				texts[b]++
			}
		}
		mass[side(s.crisis)] += s.weight
	}
	var (
		w     = make([]float64, buckets)
		steps = make([]float64, buckets)
		bias  float64
		order = make([]int, len(list))
		r     = rand.New(rand.NewPCG(1, 2))
	)
	for i := range order {
		order[i] = i
	}
	total := mass[0] + mass[1]
	biasSteps := 0.0
	for range epochs {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			s := &list[i]
			if len(s.phrases) == 0 {
				continue
			}
			unit := unitOf(len(s.phrases))
			sum := bias
			for _, b := range s.phrases {
				sum += w[b] * unit
			}
			want := 0.0
			if s.crisis {
				want = 1
			}
			g := (1/(1+math.Exp(-sum)) - want) * s.weight * total / (2 * mass[side(s.crisis)])
			for _, b := range s.phrases {
				if texts[b] < leastTexts {
					continue
				}
				gb := g*unit + pull*w[b]
				steps[b] += gb * gb
				w[b] -= step * gb / (math.Sqrt(steps[b]) + 1e-3)
			}
			biasSteps += g * g
			bias -= step * g / (math.Sqrt(biasSteps) + 1e-3)
		}
	}
	most := 0.0
	for _, x := range w {
		most = max(most, math.Abs(x))
	}
	l := &Linear{Bias: float32(bias), Scale: float32(most / 127), weights: make([]int8, buckets)}
	for b, x := range w {
		l.weights[b] = int8(math.Round(x / most * 127))
	}
	return l
}

func side(crisis bool) int {
	if crisis {
		return 1
	}
	return 0
}

// What the thresholds may cost, as shares of background texts.
const (
	ordinaryCheckIn      = 0.012 // of ordinary questions and posts, by the linear tier alone
	ordinaryIntervention = 0.002
	nearIntervention     = 0.01 // of people who comfort, joke or are over it
	gateKeeps            = 0.92 // of the forum's people whom the rules find, the gate keeps these
)

// choose sets the thresholds from scores of a cross-validation.
func (l *Linear) choose(list []lesson, scores []float32) {
	var ordinary, found []float32
	best := map[int]float32{}
	for i, s := range list {
		switch {
		case !s.crisis && (s.origin == "counsel-questions" || s.origin == "reddit-stress"):
			ordinary = append(ordinary, scores[i])
		case s.crisis && strings.HasPrefix(s.origin, "cssrs") && Check(s.text).Hijack:
			if b, ok := best[s.person]; !ok || scores[i] > b {
				best[s.person] = scores[i]
			}
		}
	}
	for _, b := range best {
		found = append(found, b)
	}
	l.CheckIn, l.Intervention = quantile(ordinary, 1-ordinaryCheckIn), quantile(ordinary, 1-ordinaryIntervention)
	// Who comforts on a forum uses the words of those who suffer: alone, the words of a
	// message are enough only beyond nearly all of them.
	var near []float32
	for i := 0; i < len(list); {
		most, person, counts := float32(math.Inf(-1)), list[i].person, !list[i].crisis && list[i].origin != "counsel-questions" && list[i].origin != "reddit-stress"
		for ; i < len(list) && list[i].person == person; i++ {
			most = max(most, scores[i])
		}
		if counts {
			near = append(near, most)
		}
	}
	l.Intervention = max(l.Intervention, quantile(near, 1-nearIntervention))
	l.Low = quantile(found, 1-gateKeeps)
}

func quantile(list []float32, q float64) float32 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(int(q*float64(len(list))), len(list)-1)]
}

// crossReport says what the thresholds find among people that the model had not seen.
func (l *Linear) crossReport(list []lesson, scores []float32) TrainReport {
	type key struct {
		origin string
		crisis bool
	}
	rep := TrainReport{Folds: folds, Texts: len(list)}
	sums := map[key]*CVShare{}
	var order []key
	for i := 0; i < len(list); {
		k := key{list[i].origin, list[i].crisis}
		c := sums[k]
		if c == nil {
			c = &CVShare{Origin: k.origin, Crisis: k.crisis}
			sums[k] = c
			order = append(order, k)
		}
		var hit [5]bool
		for person := list[i].person; i < len(list) && list[i].person == person; i++ {
			v := Check(list[i].text)
			level := together(list[i].text, []Reading{v.reading(), l.reading(scores[i])}, l)
			for n, h := range []bool{scores[i] >= l.CheckIn, scores[i] >= l.Intervention, v.Hijack, level == Intervene, level.atLeast(CheckIn)} {
				hit[n] = hit[n] || h
			}
		}
		c.People++
		for n, f := range []*float64{&c.Words, &c.WordsAlone, &c.Rules, &c.Interventions, &c.Either} {
			if hit[n] {
				*f++
			}
		}
	}
	for _, k := range order {
		c := sums[k]
		for _, f := range []*float64{&c.Words, &c.WordsAlone, &c.Rules, &c.Interventions, &c.Either} {
			*f /= float64(c.People)
		}
		rep.Shares = append(rep.Shares, *c)
	}
	slices.SortStableFunc(rep.Shares, func(a, b CVShare) int { return cmp.Compare(a.Origin, b.Origin) })
	return rep
}
