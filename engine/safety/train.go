package safety

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/pool"

	"holdpoint/engine/encoder"
)

// lesson is one text to learn from.
type lesson struct {
	person  int // texts of one person stay on one side of a fold
	fold    int
	origin  string
	crisis  bool
	weight  float64 // 0: nobody labelled it, and it is only judged
	text    string
	part    bool // a piece of another text: learnt from, not judged
	phrases []phrase
	kind    string // of the file, else its origin
	speaker Speaker

	whole     []float32
	sentences [][]float32
	rules     int // points by rules without this person's own words
	known     int // points by the rules as they are
	long      bool
	french    bool
	voice     voice
	ownLife   bool
}

func (s lesson) background() bool {
	return s.origin == questionsOrigin || s.origin == postsOrigin
}

// forum says that it is what a person wrote on a forum, over some time.
func (s lesson) forum() bool { return strings.HasPrefix(s.origin, "cssrs") }

const (
	questionsOrigin = "counsel-questions"
	postsOrigin     = "reddit-stress"
)

// Trained is what training made.
type Trained struct {
	Linear *Linear
	// Head is nil when no encoder was at hand.
	Head   *Head
	Report TrainReport
}

// TrainReport is what training measured, on people and texts that the tiers that judged
// them had not seen (cross-validation, folds by person). The rules, which were written with
// these files read, judge each person without the words that nobody else meets.
type TrainReport struct {
	Folds  int       `json:"folds"`
	Texts  int       `json:"texts"`
	Tiers  []string  `json:"tiers"`
	Shares []CVShare `json:"shares"`
}

// CVShare is one kind of people in the cross-validation: shares of them, 0 to 1.
type CVShare struct {
	Origin string `json:"origin"`
	Crisis bool   `json:"crisis"`
	People int    `json:"people"`
	// Each tier alone, from its first threshold on and from its second.
	Words        float64 `json:"words_checkin"`
	WordsAlone   float64 `json:"words_intervention"`
	Meaning      float64 `json:"meaning_checkin"`
	MeaningAlone float64 `json:"meaning_intervention"`
	Rules        float64 `json:"rules"`       // with words left out as told above
	KnownRules   float64 `json:"rules_known"` // as they are: they know these files
	// Rules and words together, then with the meaning tier.
	WithoutInterventions float64 `json:"without_meaning_interventions"`
	WithoutEither        float64 `json:"without_meaning_either"`
	Interventions        float64 `json:"interventions"`
	Either               float64 `json:"either"`
}

const folds = 5

// topics is how many there are in a file for short messages, more or less.
const topics = 40

// marks are what each tier gave a text.
type marks struct {
	words, meaning float64
	short          float64 // of a short message, before it is made even
}

// Train learns the linear tier and, with an encoder, the meaning tier from a folder that
// holds crisis/*.jsonl ({id, text, label, category, speaker}), and as background
// counsel-questions/questions.jsonl and reddit-stress/posts.jsonl; and from written*.jsonl of the
// folder writings, of the same form as those of crisis, "" for none. Thresholds come from
// cross-validation: each fold is judged by tiers that learnt from the other folds, put
// together by a stack and thresholds that were chosen on the others' scores. The same folder
// and encoder give the same weights. It takes some minutes; report hears of each step.
func Train(ctx context.Context, dir, writings string, e encoder.Encoder, report func(string)) (Trained, error) {
	list, err := readSamples(dir, writings)
	if err != nil {
		return Trained{}, err
	}
	report(fmt.Sprintf("%d texts", len(list)))
	list.judge()
	if e != nil {
		if err := list.encode(ctx, e); err != nil {
			return Trained{}, err
		}
		report("encoded")
	}
	held := make([]marks, len(list))
	work := pool.New().WithErrors().WithContext(ctx).WithMaxGoroutines(runtime.GOMAXPROCS(0))
	for f := range folds {
		work.Go(func(ctx context.Context) error {
			seen := list.of(func(s lesson) bool { return s.fold != f })
			l, h := learn(seen)
			for i, s := range list {
				if s.fold == f && !s.part {
					held[i] = mark(l, h, s)
				}
			}
			report(fmt.Sprintf("fold %d of %d", f+1, folds))
			return ctx.Err()
		})
	}
	out := Trained{}
	work.Go(func(ctx context.Context) error {
		if out.Linear, out.Head = learn(list); out.Head != nil {
			out.Head.Encoder = e.Name()
		}
		return ctx.Err()
	})
	if err := work.Wait(); err != nil {
		return Trained{}, err
	}
	out.Report = out.decide(list, held)
	return out, nil
}

// learn makes the linear tier and the heads. What was written for short messages is for the
// reading of those.
func learn(list lessons) (*Linear, *Head) {
	list = list.of(func(s lesson) bool { return !s.forMeasure() })
	most := list.of(func(s lesson) bool { return !s.forShort() })
	l, h := fit(most), fitHead(most)
	if h != nil && len(most) < len(list) {
		h.Short, h.Near = &Short{Kinds: fitHead(list).Kinds}, fitNear(list)
	}
	return l, h
}

// decide chooses the thresholds and says what they find.
func (t *Trained) decide(list lessons, held []marks) TrainReport {
	t.Linear.choose(list, held)
	levels := make([][2]Level, len(list)) // without the meaning tier, with it
	if t.Head != nil {
		t.Head.choose(list, held)
		t.Head.evenOut(list, held)
		t.Head.Stack = chooseStack(list, held, t.Linear, t.Head, func(lesson) bool { return true })
	}
	for f := range folds {
		var stack Stack
		if t.Head != nil {
			stack = chooseStack(list, held, t.Linear, t.Head, func(s lesson) bool { return s.fold != f })
		}
		for i, s := range list {
			if s.fold == f && !s.part {
				levels[i] = levelsOf(s, held[i], t.Linear, t.Head, stack)
			}
		}
	}
	return crossReport(list, held, levels, *t)
}

type lessons []lesson

func (l lessons) of(want func(lesson) bool) (out lessons) {
	for _, s := range l {
		if want(s) {
			out = append(out, s)
		}
	}
	return out
}

// judge asks the rules about each text.
func (l lessons) judge() {
	var people [][]string
	for _, s := range l {
		if s.person == len(people) {
			people = append(people, nil)
		}
		if !s.part {
			people[s.person] = append(people[s.person], s.text)
		}
	}
	by := heldOut(people)
	for i := range l {
		s := &l[i]
		s.long, s.french = longer(s.text), LanguageOf(s.text) == French
		if !s.part {
			s.known, s.voice = Check(s.text).Score, voiceOf(s.text)
			en, fr := languages(s.text)
			v := checkBy(by[s.person][0], by[s.person][1], s.text, en, fr)
			s.rules, s.ownLife = v.stopping().Score, v.ownLife()
		}
	}
}

// encode makes the vectors.
func (l lessons) encode(ctx context.Context, e encoder.Encoder) error {
	for i := range l {
		s := &l[i]
		text := readable(s.text)[0] // people write less than it holds
		texts := []string{text}
		if !s.part {
			texts = append(texts, encoder.Sentences(text)...)
		}
		v, err := e.Vector(ctx, texts)
		if err != nil {
			return fmt.Errorf("safety: encode what is learnt: %w", err)
		}
		s.whole, s.sentences = v[0], v[1:]
	}
	return nil
}

func mark(l *Linear, h *Head, s lesson) (m marks) {
	w, _ := l.score(s.phrases)
	m.words = float64(w)
	if h != nil {
		m.meaning, _, _ = h.read(s.whole, s.sentences)
		if h.readsShort(s.text) {
			m.short, _, _ = h.readShort(m.words, s.whole, s.sentences)
		}
	}
	return m
}

// levelsOf are the levels of a text without the meaning tier and with it.
func levelsOf(s lesson, m marks, l *Linear, h *Head, stack Stack) (out [2]Level) {
	rules := rulesReading(float64(s.rules), float64(english().threshold))
	words := l.reading(float32(m.words))
	if len(s.phrases) < leastPhrases {
		words.Level = Calm
	}
	out[0] = together(s.long, []Reading{rules, words}, l)
	if out[1] = out[0]; h != nil {
		out[1] = stack.level(s.signals(m, h), rules.Level, words.Level, h.reading(m.meaning).Level)
	}
	return out
}

func (s lesson) signals(m marks, h *Head) signals {
	return signals{rules: s.rules, words: m.words, meaning: m.meaning, brief: h.readsShort(s.text), long: s.long, french: s.french, voice: s.voice, ownLife: s.ownLife}
}

// readSamples reads the folders. Background texts that speak of dying by their own hand or of
// hurting teach nothing: nobody labelled them. Such posts are only judged.
func readSamples(dir, writings string) (lessons, error) {
	var list lessons
	person := 0
	add := func(like lesson, texts []string, weight float64) {
		for n, t := range texts {
			s := like
			s.person, s.text, s.weight, s.phrases = person, t, weight/float64(len(texts)), phrasesOf(t)
			if !s.forShort() {
				s.fold = person % folds
			}
			s.part = s.background() && n > 0
			list = append(list, s)
		}
		person++
	}
	files, err := filepath.Glob(filepath.Join(dir, "crisis", "*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("safety: %s holds no crisis/*.jsonl to learn from", dir))
	}
	slices.Sort(files)
	if writings != "" {
		more, err := filepath.Glob(filepath.Join(writings, written+"*.jsonl"))
		if err != nil || len(more) == 0 {
			return nil, errors.Join(err, fmt.Errorf("safety: %s holds no %s*.jsonl to learn from", writings, written))
		}
		files = append(files, more...)
	}
	for _, name := range files {
		var people []Person
		err := readFile(name, func(r io.Reader) error {
			return ReadPeople(r, func(p Person) {
				if p.Label == LabelCrisis || p.Label == LabelNone {
					people = append(people, p)
				}
			})
		})
		if err != nil {
			return nil, err
		}
		for i, p := range people {
			weight := 1.0
			if p.Label == LabelNone {
				weight = nearMiss
			}
			// Those for short messages stand by topic, in both languages: a topic is judged by
			// tiers that did not learn it.
			s := lesson{origin: strings.TrimSuffix(filepath.Base(name), ".jsonl"), crisis: p.Label == LabelCrisis, kind: p.Category, speaker: p.Speaker, fold: topics * i / len(people) % folds}
			add(s, p.Texts, weight)
		}
	}
	for _, b := range [][2]string{{"counsel-questions/questions.jsonl", questionsOrigin}, {"reddit-stress/posts.jsonl", postsOrigin}} {
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
				s := lesson{origin: b[1]}
				switch {
				case Check(text).Score >= rulesCheckIn && b[1] == postsOrigin:
					add(s, []string{text}, 0)
				case Check(text).Score < rulesCheckIn:
					texts := []string{text}
					// Pieces of it: people write to an agent in a sentence or two, too.
					for _, n := range []int{10, 30} {
						if w := strings.Fields(strings.Join(x.Text, " ")); len(w) > 2*n {
							texts = append(texts, strings.Join(w[:n], " "), strings.Join(w[len(w)/2:len(w)/2+n], " "))
						}
					}
					add(s, texts, float64(len(texts)))
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
func fit(list lessons) *Linear {
	texts := make([]uint16, buckets)
	var mass [2]float64
	for _, s := range list {
		for _, p := range s.phrases {
			if texts[p.bucket] < math.MaxUint16 {
				texts[p.bucket]++
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
			if len(s.phrases) == 0 || s.weight == 0 {
				continue
			}
			unit := unitOf(len(s.phrases))
			sum := bias
			for _, p := range s.phrases {
				sum += w[p.bucket] * unit
			}
			want := 0.0
			if s.crisis {
				want = 1
			}
			g := (1/(1+math.Exp(-sum)) - want) * s.weight * total / (2 * mass[side(s.crisis)])
			for _, p := range s.phrases {
				b := p.bucket
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
	nearCheckIn          = 0.04 // of statements without danger that sound like it, by the linear tier alone
	nearIntervention     = 0.01 // of people who comfort, joke or are over it
	gateKeeps            = 0.92 // of the forum's people whom the rules find, the gate keeps these
)

// choose sets the thresholds from scores of a cross-validation.
func (l *Linear) choose(list lessons, scores []marks) {
	var ordinary, rest []float32
	best, near := map[int]float32{}, map[int]float32{}
	keep := func(in map[int]float32, person int, score float32) {
		if b, ok := in[person]; !ok || score > b {
			in[person] = score
		}
	}
	for i, s := range list {
		score := float32(scores[i].words)
		switch {
		case s.part || s.forShort():
		case s.background() && s.weight > 0:
			ordinary = append(ordinary, score)
		case !s.crisis && !s.background():
			// Who comforts on a forum uses the words of those who suffer: alone, the words of
			// a message are enough only beyond nearly all of them.
			keep(near, s.person, score)
			if !s.forum() {
				rest = append(rest, score)
			}
		case s.crisis && s.forum() && s.known >= english().threshold:
			keep(best, s.person, score)
		}
	}
	l.CheckIn = quantile(ordinary, 1-ordinaryCheckIn)
	if len(rest) > 0 {
		l.CheckIn = max(l.CheckIn, quantile(rest, 1-nearCheckIn))
	}
	l.Intervention = max(l.CheckIn, quantile(ordinary, 1-ordinaryIntervention), quantile(slices.Collect(maps.Values(near)), 1-nearIntervention))
	l.Low = quantile(slices.Collect(maps.Values(best)), 1-gateKeeps)
}

func quantile(list []float32, q float64) float32 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(int(q*float64(len(list))), len(list)-1)]
}

// crossReport says what the thresholds find among people that the tiers had not seen.
func crossReport(list lessons, held []marks, levels [][2]Level, t Trained) TrainReport {
	type key struct {
		origin string
		crisis bool
	}
	rep := TrainReport{Folds: folds, Texts: len(list), Tiers: []string{TierRules, TierWords}}
	if t.Head != nil {
		rep.Tiers = append(rep.Tiers, TierMeaning)
	}
	sums := map[key]*CVShare{}
	var order []key
	figures := func(c *CVShare) []*float64 {
		return []*float64{&c.Words, &c.WordsAlone, &c.Meaning, &c.MeaningAlone, &c.Rules, &c.KnownRules, &c.WithoutInterventions, &c.WithoutEither, &c.Interventions, &c.Either}
	}
	for i := 0; i < len(list); {
		k := key{list[i].origin, list[i].crisis}
		c := sums[k]
		if c == nil {
			c = &CVShare{Origin: k.origin, Crisis: k.crisis}
			sums[k] = c
			order = append(order, k)
		}
		hit := make([]bool, len(figures(c)))
		for person := list[i].person; i < len(list) && list[i].person == person; i++ {
			if list[i].part {
				continue
			}
			s, m := list[i], held[i]
			words, meaning := t.Linear.reading(float32(m.words)).Level, Calm
			if t.Head != nil {
				meaning = t.Head.reading(m.meaning).Level
			}
			for n, h := range []bool{words != Calm, words == Intervene, meaning != Calm, meaning == Intervene, s.rules >= english().threshold, s.known >= english().threshold,
				levels[i][0] == Intervene, levels[i][0] != Calm, levels[i][1] == Intervene, levels[i][1] != Calm} {
				hit[n] = hit[n] || h
			}
		}
		c.People++
		for n, f := range figures(c) {
			if hit[n] {
				*f++
			}
		}
	}
	for _, k := range order {
		c := sums[k]
		for _, f := range figures(c) {
			*f /= float64(c.People)
		}
		rep.Shares = append(rep.Shares, *c)
	}
	slices.SortStableFunc(rep.Shares, func(a, b CVShare) int { return cmp.Compare(a.Origin, b.Origin) })
	return rep
}
