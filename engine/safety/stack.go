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
}

const features = 9

// signals are what the stack weighs of one message.
type signals struct {
	rules          int
	words, meaning float64
	long, french   bool
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
	sum := s.Bias
	for i, v := range x.vector() {
		sum += v * s.Weights[i]
	}
	return sum
}

// level is that of all tiers together. What speaks plainly counts by itself: the rules in a
// short message, or what they are sure of, and a tier beyond its second threshold in a
// short message. A sign of the rules and one of another tier agree on an intervention in a
// short message; words and meaning have learnt from the same people and err together, so
// that their agreement asks first. In a long message, where each tier meets more by
// chance, the stack decides.
func (s Stack) level(x signals, rules, words, meaning Level) Level {
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
		if rules != Calm && score >= s.Quiet || words != Calm && score >= s.Quiet {
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
func fitStack(list []signals, crisis []bool, weight []float64) Stack {
	var s Stack
	var g2 [features + 1]float64
	total := [2]float64{}
	for i := range list {
		total[side(crisis[i])] += weight[i]
	}
	for range 400 {
		var g [features + 1]float64
		for i, x := range list {
			want := 0.0
			if crisis[i] {
				want = 1
			}
			d := (1/(1+math.Exp(-s.score(x))) - want) * weight[i] / (total[0] + total[1])
			for n, v := range x.vector() {
				g[n] += d * v
			}
			g[features] += d
		}
		for n := range g {
			if n < features {
				g[n] += 1e-3 * s.Weights[n]
			}
			g2[n] += g[n] * g[n]
			by := 0.5 * g[n] / (math.Sqrt(g2[n]) + 1e-6)
			if n < features {
				s.Weights[n] -= by
			} else {
				s.Bias -= by
			}
		}
	}
	return s
}
