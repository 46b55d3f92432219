package safety

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// What the meaning tier's training does: passes, step, the pull towards zero, and what the
// shared statements weigh beside a forum, where a person's label is given to each of their
// messages, also to those about nothing, and beside what was written to learn from.
const (
	headEpochs   = 18
	everyPart    = 4 // of the pieces of background texts, one in so many is learnt from
	headStep     = 0.4
	headPull     = 1e-4
	statements   = 5.0
	headOrdinary = 0.015 // of ordinary questions and posts, by the meaning tier alone
	headComfort  = 0.1   // of people who comfort on a forum: the same
	headNear     = 0.02  // of people who comfort, joke or are over it: interventions by it alone
)

// written begins the names of the files that were written to learn from.
const written = "written"

// dangers are the categories of the kinds of danger that the files name.
var dangers = map[string]Category{
	"suicide_intent": Intent, "attempt_means": Means, "self_harm_now": SelfHarm, "eating_disorder": SelfHarm, "partner_parent_violence": Abuse, "child_abuse": ChildAbuse,
	"harm_others": HarmOthers, "psychosis_command": Voices, "clinician_report": Intent, "relative_report": Intent,
}

// writtenShort begins the names of those of them that only the reading of short messages learns.
const writtenShort = written + "-short"

// writtenMeasure begins the names of those from which nobody learns: the threshold of short
// messages is set by them.
const writtenMeasure = writtenShort + "-measure"

func (s lesson) forMeasure() bool { return strings.HasPrefix(s.origin, writtenMeasure) }

func (s lesson) written() bool { return strings.HasPrefix(s.origin, written) }

func (s lesson) forShort() bool { return strings.HasPrefix(s.origin, writtenShort) }

// kindOf is the kind that a text teaches.
func (s lesson) kindOf() Kind {
	k := Kind{Name: cmp.Or(s.kind, s.origin), Danger: s.crisis, Speaker: Self}
	if !s.crisis {
		return k
	}
	k.Category = cmp.Or(dangers[s.kind], Intent)
	if s.kind == "" {
		k.Name = "distress"
	}
	switch s.kind {
	case "clinician_report":
		k.Speaker = Clinician
	case "relative_report":
		k.Speaker = Other
	}
	return k
}

// fitHead learns by stochastic gradients with AdaGrad's steps, in an order that is always
// the same; nil without vectors.
func fitHead(list lessons) *Head {
	parts := 0
	list = list.of(func(s lesson) bool {
		if s.part {
			parts++
		}
		return s.weight > 0 && s.whole != nil && (!s.part || parts%everyPart == 0)
	})
	if len(list) == 0 {
		return nil
	}
	h := &Head{}
	weights, kinds := make([]float64, len(list)), make([]int, len(list))
	var mass [2]float64
	for i, s := range list {
		k := s.kindOf()
		at := slices.IndexFunc(h.Kinds, func(o Kind) bool { return o.Name == k.Name && o.Danger == k.Danger })
		if at < 0 {
			at = len(h.Kinds)
			h.Kinds = append(h.Kinds, k)
		}
		kinds[i], weights[i] = at, s.weight
		if !s.background() && !s.forum() && !s.written() {
			weights[i] *= statements
		}
		mass[side(s.crisis)] += weights[i]
	}
	dimension := len(list[0].whole)
	width := dimension + 1 // the last value is the bias
	w, steps := make([]float64, len(h.Kinds)*width), make([]float64, len(h.Kinds)*width)
	r := rand.New(rand.NewPCG(3, 4))
	order := r.Perm(len(list))
	z := make([]float64, len(h.Kinds))
	for epoch := range headEpochs {
		// Smaller steps at the end: what is learnt settles.
		rate := headStep / (1 + float64(epoch)/4)
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			v := list[i].whole
			most := math.Inf(-1)
			for k := range z {
				row := w[k*width : (k+1)*width]
				sum := row[dimension]
				for n, x := range v {
					sum += row[n] * float64(x)
				}
				z[k] = sum
				most = max(most, sum)
			}
			total := 0.0
			for k := range z {
				z[k] = math.Exp(z[k] - most)
				total += z[k]
			}
			by := weights[i] * float64(len(list)) / (2 * mass[side(list[i].crisis)])
			for k := range z {
				g := z[k] / total
				if k == kinds[i] {
					g--
				}
				if g *= by; math.Abs(g) < 1e-5 {
					continue
				}
				row, s := w[k*width:(k+1)*width], steps[k*width:(k+1)*width]
				for n, x := range v {
					d := g*float64(x) + headPull*row[n]
					s[n] += d * d
					row[n] -= rate * d / (math.Sqrt(s[n]) + 1e-4)
				}
				s[dimension] += g * g
				row[dimension] -= rate * g / (math.Sqrt(s[dimension]) + 1e-4)
			}
		}
	}
	for k := range h.Kinds {
		row := w[k*width : (k+1)*width]
		most := 1e-9
		for _, x := range row[:dimension] {
			most = max(most, math.Abs(x))
		}
		kind := &h.Kinds[k]
		kind.Scale, kind.Bias, kind.Weights = float32(most/127), float32(row[dimension]), make([]byte, dimension)
		for n, x := range row[:dimension] {
			kind.Weights[n] = byte(int8(math.Round(x / most * 127)))
		}
	}
	return h
}

// choose sets the tier's own thresholds from scores of a cross-validation.
func (h *Head) choose(list lessons, scores []marks) {
	var ordinary []float32
	near, comfort := map[int]float32{}, map[int]float32{}
	for i, s := range list {
		switch score := float32(scores[i].meaning); {
		case s.part || s.weight == 0 || s.forShort():
		case s.background():
			ordinary = append(ordinary, score)
		case !s.crisis:
			in := near
			if s.forum() {
				in = comfort
			}
			if b, ok := in[s.person]; !ok || score > b {
				in[s.person] = score
			}
		}
	}
	h.CheckIn = quantile(ordinary, 1-headOrdinary)
	h.Intervention = max(h.CheckIn, quantile(ordinary, 1-ordinaryIntervention), quantile(slices.Collect(maps.Values(near)), 1-headNear), quantile(slices.Collect(maps.Values(comfort)), 1-headComfort))
}

// shortOrdinary and shortFrench are the shares of ordinary short talk that the meaning tier may ask about: with them it asks
// about mostEnglishRest and mostFrenchRest of what was written for short messages, where the file it stands in is not learnt.
const shortOrdinary, shortFrench = 0.047, 0.091

// fineQuantile is a quantile that may lie between two of few values.
func fineQuantile(list []float32, q float64) float32 {
	low := quantile(list, q)
	if len(list) == 0 {
		return low
	}
	at := q * float64(len(list))
	high := list[min(int(at)+1, len(list)-1)]
	return low + float32(at-math.Floor(at))*(high-low)
}

// evenOut chooses the threshold of short messages and puts their scores on the scale of the
// others, so that the same thresholds hold for both.
func (h *Head) evenOut(list lessons, scores []marks) {
	if h.Short == nil {
		return
	}
	var ordinary, french []float32
	for i, s := range list {
		switch {
		case !s.forMeasure() || s.crisis || !short(s.text):
		case s.french:
			french = append(french, float32(scores[i].short))
		default:
			ordinary = append(ordinary, float32(scores[i].short))
		}
	}
	h.Short.CheckIn, h.Short.FrenchCheckIn = fineQuantile(ordinary, 1-shortOrdinary), fineQuantile(french, 1-shortFrench)
	for i, s := range list {
		if h.readsShort(s.text) {
			scores[i].meaning = h.even(scores[i].short, s.french)
		}
	}
}

// What the stack's thresholds may cost, as shares of people: what is asked on unseen
// people, less a margin.
const (
	mostEnglishRest     = 0.145
	mostFrenchRest      = 0.19
	mostQuestions       = 0.021
	mostPosts           = 0.059
	mostRestStopped     = 0.05
	mostQuestionStopped = 0.007
	mostComforters      = 0.36
	gateCosts           = 0.01  // of the forum's people with an intervention
	quietCosts          = 0.007 // of the forum's people with either level
	forumStopped        = 0.87  // of the forum's people in crisis, the least with an intervention
)

// figures are shares of people with either level and with an intervention.
type figures map[string][2]float64

func measured(list lessons, held []marks, l *Linear, h *Head, s Stack, inside func(lesson) bool) figures {
	sums, people := map[string][2]float64{}, map[string]float64{}
	for i := 0; i < len(list); {
		level, person, first := Calm, list[i].person, i
		name := list[i].origin
		if list[i].crisis {
			name += " " + LabelCrisis
		}
		for ; i < len(list) && list[i].person == person; i++ {
			if list[i].part || !inside(list[i]) {
				continue
			}
			if of := levelsOf(list[i], held[i], l, h, s)[1]; of.atLeast(level) {
				level = of
			}
		}
		if !inside(list[first]) {
			continue
		}
		x := sums[name]
		if level != Calm {
			x[0]++
		}
		if level == Intervene {
			x[1]++
		}
		sums[name] = x
		people[name]++
	}
	out := figures{}
	for name, x := range sums {
		out[name] = [2]float64{x[0] / people[name], x[1] / people[name]}
	}
	return out
}

// chooseStack learns how to put the tiers together from the people that are inside, and
// chooses the thresholds on them.
func chooseStack(list lessons, held []marks, l *Linear, h *Head, inside func(lesson) bool) Stack {
	var seen []signals
	var crisis []bool
	var weight []float64
	for i, s := range list {
		if s.part || s.weight == 0 || s.forShort() || !inside(s) {
			continue
		}
		w := s.weight
		if !s.background() {
			if !s.crisis {
				w *= 2 / nearMiss
			}
			if !s.forum() {
				w *= 6
			}
		} else {
			w = 1
		}
		seen, crisis, weight = append(seen, s.signals(held[i], h)), append(crisis, s.crisis), append(weight, w)
	}
	s := fitStack(seen, crisis, weight)
	seen, crisis, weight = nil, nil, nil
	for i, l := range list {
		if !l.part && l.forum() && inside(l) {
			seen, crisis, weight = append(seen, l.signals(held[i], h)), append(crisis, l.crisis), append(weight, l.weight)
		}
	}
	s.Comfort = fitComfort(seen, crisis, weight)
	at := func() figures { return measured(list, held, l, h, s, inside) }
	const far = 1000
	s.CheckIn, s.LongCheckIn, s.FrenchCheckIn, s.Intervention, s.Gate, s.Quiet, s.Comfort.Suffers = far, far, far, far, -far, -far, -far
	// Each threshold is the first, from the most cautious on, that keeps what is asked.
	lower := func(threshold *float64, from, to float64, fits func(figures) bool) {
		best := *threshold
		for x := from; x >= to; x -= 0.1 {
			*threshold = x
			if !fits(at()) {
				break
			}
			best = x
		}
		*threshold = best
	}
	raise := func(threshold *float64, from, to float64, fits func(figures) bool) {
		best := *threshold
		for x := from; x <= to; x += 0.2 {
			*threshold = x
			if !fits(at()) {
				break
			}
			best = x
		}
		*threshold = best
	}
	const people = "cssrs-dev " + LabelCrisis
	// What the tiers cost by themselves no threshold of the stack takes back.
	within := func(f, base figures, name string, level int, most float64) bool {
		return f[name][level] <= max(most, base[name][level])
	}
	before := at()
	raise(&s.Quiet, -6, 2, func(f figures) bool { return f[people][0] >= before[people][0]-quietCosts })
	raise(&s.Gate, -6, 4, func(f figures) bool { return f[people][1] >= before[people][1]-gateCosts })
	raise(&s.Comfort.Suffers, -6, 4, func(f figures) bool { return f[people][1] >= forumStopped })
	base := at()
	lower(&s.Intervention, 6, -1, func(f figures) bool {
		return within(f, base, "statements-en-dev", 1, mostRestStopped) && within(f, base, "statements-fr-dev", 1, mostRestStopped) &&
			within(f, base, questionsOrigin, 1, mostQuestionStopped) && within(f, base, "cssrs-dev", 1, mostComforters)
	})
	asks := func(f figures) bool {
		return within(f, base, "statements-en-dev", 0, mostEnglishRest) && within(f, base, "statements-fr-dev", 0, mostFrenchRest) &&
			within(f, base, questionsOrigin, 0, mostQuestions) && within(f, base, postsOrigin, 0, mostPosts)
	}
	lower(&s.CheckIn, min(s.Intervention, 4), -4, asks)
	lower(&s.FrenchCheckIn, min(s.Intervention, 4), -4, asks)
	lower(&s.LongCheckIn, min(s.Intervention, 4), -4, asks)
	return s
}
