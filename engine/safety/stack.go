package safety

import "math"

// Stack is a logistic regression over the scores of the three tiers, learnt from scores
// that each tier gave to people it had not seen. It is the zero value without a meaning tier.
type Stack struct {
	Weights [features]float64 `json:"weights"`
	Bias    float64           `json:"bias"`
	// From CheckIn on a message is a sign, from Intervention on it asks for one. Gate is the
	// score below which a long message of which only the rules complain is no more than a
	// sign, and Quiet the one below which it is none.
	CheckIn float64 `json:"check_in"`
	// The same in a long message, and in a short one in French.
	LongCheckIn   float64 `json:"long_check_in"`
	FrenchCheckIn float64 `json:"french_check_in"`
	Intervention  float64 `json:"intervention"`
	Gate          float64 `json:"gate"`
	Quiet         float64 `json:"quiet"`
	Comfort       Comfort `json:"comfort"`
}

// Comfort is a logistic regression that tells who suffers from who comforts, learnt from a
// forum, where both use the same words: from the tiers' scores and whom a message speaks of.
type Comfort struct {
	Weights [comfortFeatures]float64 `json:"weights"`
	Bias    float64                  `json:"bias"`
	// Below Suffers an intervention for the writer's own life becomes a check-in, in a message
	// that is long or speaks to its reader.
	Suffers float64 `json:"suffers"`
}

const features, comfortFeatures = 9, 11

// signals are what the stack weighs of one message.
type signals struct {
	rules          int
	words, meaning float64
	long, french   bool
	brief          bool // the meaning tier read it as a short message, and its words with it
	voice          voice
	ownLife        bool
}

// doubted says that who comforts may have written it: that was learnt from English.
func (s signals) doubted() bool {
	return (s.long || s.voice.addressed()) && s.ownLife && !s.french
}

func (s signals) comfort() (x [comfortFeatures]float64) {
	all := s.vector()
	n := copy(x[:], all[:8])
	x[n], x[n+1] = s.voice.share(s.voice.writer), s.voice.share(s.voice.reader)
	if s.voice.addressed() {
		x[n+2] = 1
	}
	return x
}

func (s signals) vector() (x [features]float64) {
	r := float64(min(s.rules, 30)) / 10
	x[0] = r
	if r >= 1 {
		x[1] = 1
	}
	x[2], x[3] = s.words, bounded(s.meaning)
	if s.long {
		x[4], x[5], x[6], x[7] = 1, r, s.words, bounded(s.meaning)
	}
	if s.french {
		x[8] = 1
	}
	return x
}

// bounded keeps one certain tier from outweighing all others.
func bounded(x float64) float64 { return max(-8, min(8, x)) }

func (s Stack) score(x signals) float64 {
	v := x.vector()
	return weighed(s.Bias, s.Weights[:], v[:])
}

func (c Comfort) score(x signals) float64 {
	v := x.comfort()
	return weighed(c.Bias, c.Weights[:], v[:])
}

func weighed(sum float64, weights, x []float64) float64 {
	for i, v := range x {
		sum += v * weights[i]
	}
	return sum
}

// level is that of all tiers together, where who comforts is asked about and not stopped;
// what the rules are sure of stands, and what a message means by itself: a farewell speaks
// to its reader, too.
func (s Stack) level(x signals, rules, words, meaning Level) Level {
	out := s.agreed(x, rules, words, meaning)
	if out == Intervene && x.doubted() && x.rules < rulesSure && meaning != Intervene && s.Comfort.score(x) < s.Comfort.Suffers {
		return CheckIn
	}
	return out
}

// agreed is what the tiers come to. What speaks plainly counts by itself: the rules in a
// short message, or what they are sure of, and a tier beyond its second threshold in a
// short message. A sign of the rules and one of another tier agree on an intervention in a
// short message; words and meaning have learnt from the same people and err together, so
// that their agreement asks first. In a long message, where each tier meets more by
// chance, the stack decides; but what the rules say plainly stays a sign there.
func (s Stack) agreed(x signals, rules, words, meaning Level) Level {
	if x.brief && rules == Calm {
		if words == Intervene && meaning == CheckIn {
			return Intervene // both see it, and one is beyond its second threshold
		}
		return meaning
	}
	score := s.score(x)
	out := Calm
	sign := s.CheckIn
	switch {
	case x.long:
		sign = s.LongCheckIn
	case x.french:
		sign = s.FrenchCheckIn
	}
	switch {
	case score >= s.Intervention:
		return Intervene
	case score >= sign:
		out = CheckIn
	}
	if rules == Intervene && (!x.long || x.rules >= rulesSure || score >= s.Gate) {
		return Intervene
	}
	if x.long {
		if words == Intervene {
			out = CheckIn // who comforts uses the words of those who suffer
		}
		if x.rules >= rulesPlain || (rules != Calm || words != Calm) && score >= s.Quiet {
			out = CheckIn
		}
		return out
	}
	switch {
	case words == Intervene && meaning != Calm || meaning == Intervene || rules != Calm && (words != Calm || meaning != Calm):
		return Intervene
	case rules != Calm || words == Intervene || words != Calm && meaning != Calm:
		return CheckIn
	}
	return out
}

// fitStack learns from messages and whether their writers are in crisis.
func fitStack(list []signals, crisis []bool, weight []float64) (s Stack) {
	x := make([][]float64, len(list))
	for i := range list {
		v := list[i].vector()
		x[i] = v[:]
	}
	s.Bias = logistic(s.Weights[:], x, crisis, weight)
	return s
}

// fitComfort learns the same from a forum's people. Both sides weigh alike.
func fitComfort(list []signals, crisis []bool, weight []float64) (c Comfort) {
	var mass [2]float64
	for i := range list {
		mass[side(crisis[i])] += weight[i]
	}
	x, even := make([][]float64, len(list)), make([]float64, len(list))
	for i := range list {
		v := list[i].comfort()
		x[i], even[i] = v[:], weight[i]/mass[side(crisis[i])]
	}
	c.Bias = logistic(c.Weights[:], x, crisis, even)
	return c
}

// logistic learns by gradients with AdaGrad's steps, in an order that is always the same. It
// fills the weights and gives the bias.
func logistic(weights []float64, list [][]float64, crisis []bool, weight []float64) (bias float64) {
	total := 0.0
	for _, w := range weight {
		total += w
	}
	n := len(weights)
	g, g2 := make([]float64, n+1), make([]float64, n+1)
	for range 400 {
		clear(g)
		for i, x := range list {
			want := 0.0
			if crisis[i] {
				want = 1
			}
			d := (1/(1+math.Exp(-weighed(bias, weights, x))) - want) * weight[i] / total
			for k, v := range x {
				g[k] += d * v
			}
			g[n] += d
		}
		for k := range g {
			if k < n {
				g[k] += 1e-3 * weights[k]
			}
			g2[k] += g[k] * g[k]
			by := 0.5 * g[k] / (math.Sqrt(g2[k]) + 1e-6)
			if k < n {
				weights[k] -= by
			} else {
				bias -= by
			}
		}
	}
	return bias
}
