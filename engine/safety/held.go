package safety

import "slices"

// The rules were written with the people read whom they are measured on. So training
// judges each person by rules without the words that nobody else meets.

// place names one word that one element of one pattern may take.
type place struct{ rule, pattern, element, word int }

// places are the words of patterns that a person's messages meet. An element
// that a phrase fills has no word of its own.
func (rs *ruleset) places(texts []string) map[place]bool {
	out := map[place]bool{}
	for _, text := range texts {
		r := rs.read(rs.scan(text))
		for i := range rs.rules {
			for k := range rs.rules[i].patterns {
				p := &rs.rules[i].patterns[k]
				if !r.possible(p) {
					continue
				}
				for at := range r.tokens {
					m, ok := r.match(p, at)
					if !ok || r.exempt(&rs.rules[i], m) {
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
func (rs *ruleset) without(gone map[place]bool) *ruleset {
	if len(gone) == 0 {
		return rs
	}
	out := *rs
	out.rules = slices.Clone(out.rules)
	for at := range gone {
		rule := &out.rules[at.rule]
		rule.patterns = slices.Clone(rule.patterns)
		p := &rule.patterns[at.pattern]
		p.elements = slices.Clone(p.elements)
		words := slices.Clone(p.elements[at.element].words)
		words[at.word>>6] &^= 1 << (at.word & 63)
		p.elements[at.element].words = words
	}
	return &out
}

// heldOut are the rule sets, the English one first, that each person is judged by.
func heldOut(people [][]string) [][2]*ruleset {
	out := make([][2]*ruleset, len(people))
	for n, rs := range []*ruleset{english(), french()} {
		met := make([]map[place]bool, len(people))
		meeting := map[place]int{}
		for i, texts := range people {
			met[i] = rs.places(texts)
			for at := range met[i] {
				meeting[at]++
			}
		}
		for i := range people {
			for at := range met[i] {
				if meeting[at] > 1 {
					delete(met[i], at)
				}
			}
			out[i][n] = rs.without(met[i])
		}
	}
	return out
}
