package safety

import "slices"

// mostAround is how many more words a clause has that says no more than when something was: “before I was born”.
const mostAround = 2

// overIn says that a message tells of danger of long ago that is over, and gives what is left of it without the clauses
// that tell of that time.
func overIn(text string) (left string, ok bool) {
	if wordsOf(text, mostAside) > mostAside {
		return "", false
	}
	t := tellsOf(text)
	said := func(phrase int) bool { return t.has[phrase] > 0 }
	for _, o := range t.rules.over {
		if !slices.ContainsFunc(o.without, said) && !slices.ContainsFunc(o.beside, func(phrase int) bool { return !said(phrase) }) {
			return leaveOut(text, t.clausesWith(t.rules.phraseIDs["long_ago"])), true
		}
	}
	return "", false
}

// clausesWith are the clauses in which a phrase stands, and of one that says no more than it the clause before; the one
// behind it, where it begins the sentence.
func (t telling) clausesWith(phrase int) (out []part) {
	clauseOf := func(i int) (from, to int) {
		from, to = i, i
		for from > 0 && t.tokens[from-1].clause == t.tokens[i].clause {
			from--
		}
		for to < len(t.tokens) && t.tokens[to].clause == t.tokens[i].clause {
			to++
		}
		return from, to
	}
	for i := range t.tokens {
		for _, s := range t.phrases[i] {
			if s.phrase != phrase {
				continue
			}
			from, to := clauseOf(i)
			switch brief, begins := to-from <= s.to-s.from+mostAround, from == 0 || t.tokens[from-1].sentence != t.tokens[from].sentence; {
			case brief && begins && to < len(t.tokens) && t.tokens[to].sentence == t.tokens[from].sentence:
				_, to = clauseOf(to)
			case brief && from > 0:
				from, _ = clauseOf(from - 1)
			}
			out = append(out, part{t.tokens[from].start, t.tokens[to-1].end})
		}
	}
	return out
}

// withoutOver is an assessment, no graver than that of what a message tells beside danger of long ago that is over.
func (c Checker) withoutOver(a *Assessment, text string) {
	left, ok := overIn(text)
	if !ok {
		return
	}
	most := c.left(left).Level
	for i := range a.Tiers {
		a.Tiers[i].Level = a.Tiers[i].Level.milder(most)
	}
	a.Level = a.Level.milder(most)
}
