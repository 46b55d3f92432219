package safety

import (
	"maps"
	"slices"
	"testing"
)

// place names one word that one element of one pattern may take.
type place struct{ rule, pattern, element, word int }

// places are the words of patterns that a person's messages meet. An element
// that a phrase fills has no word of its own.
func places(texts []string) map[place]bool {
	out := map[place]bool{}
	for _, text := range texts {
		r := english.read(english.scan(text))
		for i := range english.rules {
			for k := range english.rules[i].patterns {
				p := &english.rules[i].patterns[k]
				if !r.possible(p) {
					continue
				}
				for at := range r.tokens {
					m, ok := r.match(p, at)
					if !ok || r.exempt(&english.rules[i], m) {
						continue
					}
					for e := range p.elements {
						if p.elements[e].kind != oneWord {
							continue
						}
						for _, t := range r.tokens[m.from:m.to] {
							if p.elements[e].words.has(t.id) {
								out[place{i, k, e, t.id}] = true
							}
						}
					}
				}
			}
		}
	}
	return out
}

// without is the rule set with some words taken out of its patterns.
func without(gone map[place]bool) *ruleset {
	rs := *english
	rs.rules = slices.Clone(rs.rules)
	for at := range gone {
		rule := &rs.rules[at.rule]
		rule.patterns = slices.Clone(rule.patterns)
		p := &rule.patterns[at.pattern]
		p.elements = slices.Clone(p.elements)
		words := slices.Clone(p.elements[at.element].words)
		words[at.word>>6] &^= 1 << (at.word & 63)
		p.elements[at.element].words = words
	}
	return &rs
}

// Rules fit the messages they were measured on. So each person is judged again
// by rules without the words that nobody else in the samples meets.
func TestMeasuredWithoutWhatOnlyOnePersonMeets(t *testing.T) {
	people := readSample(t, "crisis/cssrs-dev.jsonl")
	questions := readSample(t, "counsel-questions/questions.jsonl")
	if len(people) == 0 || len(questions) == 0 {
		return
	}
	all := slices.Clone(people)
	for _, q := range questions {
		q.Text = messages{q.Title + "\n" + q.Text[0]}
		q.Label = "ordinary"
		if acute[q.ID] {
			q.Label = "acute"
		}
		all = append(all, q)
	}
	met := make([]map[place]bool, len(all))
	meeting := map[place]int{}
	for i, p := range all {
		met[i] = places(p.Text)
		for at := range met[i] {
			meeting[at]++
		}
	}
	alarms, of := map[string]int{}, map[string]int{}
	for i, p := range all {
		of[p.Label]++
		maps.DeleteFunc(met[i], func(at place, _ bool) bool { return meeting[at] > 1 })
		rs := without(met[i])
		if slices.ContainsFunc(p.Text, func(text string) bool { return rs.check(text).Hijack }) {
			alarms[p.Label]++
		}
	}
	rate := func(label string) float64 { return share(alarms[label], of[label]) }
	t.Logf("without what only one person meets: recall %.3f of %d, people who comfort %.3f of %d, ordinary questions %d of %d, acute ones %d of %d",
		rate(LabelCrisis), of[LabelCrisis], rate(LabelNone), of[LabelNone], alarms["ordinary"], of["ordinary"], alarms["acute"], of["acute"])
	// 0.85 is what is asked of all tiers together; the rules alone reach it.
	if rate(LabelCrisis) < 0.85 || rate(LabelNone) > maxHelpers || rate("ordinary") > maxOrdinary {
		t.Error("the rules lean on single people's words")
	}
}
