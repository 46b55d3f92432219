package safety

import "slices"

type elementKind uint8

const (
	oneWord elementKind = iota
	gap
	notNext
	atStart
	atEnd
)

type element struct {
	kind     elementKind
	optional bool
	end      bool // the end of the clause will do as well
	min, max int  // gap: fewest and most words it may skip
	words    bitset
	phrases  []int
}

// pattern is a compiled sequence of elements.
type pattern struct {
	source   string
	elements []element
	number   int // among the patterns of the rules, from 0
}

// rarest are the words of which a text must have one for the pattern to match: those of the element with the fewest;
// none where a phrase will do as well.
func (p *pattern) rarest() (words []int) {
	for i := range p.elements {
		e := &p.elements[i]
		if e.kind != oneWord || e.optional || e.end || len(e.phrases) > 0 {
			continue
		}
		if own := e.words.members(); words == nil || len(own) < len(words) {
			words = own
		}
	}
	return words
}

// span is a phrase found in the text: tokens [from, to).
type span struct{ phrase, from, to int }

// reading is one text prepared for matching.
type reading struct {
	rules   *ruleset
	tokens  []token
	present bitset // words that occur
	likely  bitset // numbers of the rules' patterns of which a word occurs
	phrases [][]span
	has     []int // how often each phrase occurs
	idioms  []span
}

// passageWords is how far apart cues may stand and still add up. Longer texts
// are judged passage by passage: in ten pages everybody uses every sad word once.
const passageWords = 220

// passages cuts tokens into overlapping passages, so that two cues close to each
// other share one wherever they stand. A passage ends at the first sentence end
// after passageWords, or after twice that; the next starts at the first sentence
// after its middle.
func passages(tokens []token) [][]token {
	var out [][]token
	for from := 0; from < len(tokens); {
		to := sentenceFrom(tokens, from+passageWords, from+2*passageWords)
		out = append(out, tokens[from:to])
		if to == len(tokens) {
			break
		}
		from = sentenceFrom(tokens, from+passageWords/2, to)
	}
	return out
}

// sentenceFrom is the first index from at on where a sentence starts, at most
// limit and the end.
func sentenceFrom(tokens []token, at, limit int) int {
	limit = min(limit, len(tokens))
	for at < limit && tokens[at].sentence == tokens[at-1].sentence {
		at++
	}
	return min(at, limit)
}

func (rs *ruleset) read(tokens []token) *reading {
	r := &reading{rules: rs, tokens: tokens, has: make([]int, len(rs.phrases))}
	r.present = make(bitset, len(rs.words)/64+1)
	r.phrases = make([][]span, len(r.tokens))
	r.likely = slices.Clone(rs.wordless)
	for i := len(r.tokens) - 1; i >= 0; i-- { // a phrase may have others behind its start
		t := &r.tokens[i]
		if t.id != 0 && !r.present.has(t.id) {
			for _, n := range rs.byWord[t.id] {
				r.likely.add(n)
			}
		}
		r.present.add(t.id)
		if t.id == 0 {
			continue
		}
		for _, ref := range rs.byFirst[t.id] {
			if m, ok := r.match(ref.p, i); ok {
				r.phrases[i] = append(r.phrases[i], span{ref.phrase, i, m.to})
				r.has[ref.phrase]++
				if ref.phrase == rs.idiom {
					r.idioms = append(r.idioms, span{ref.phrase, i, m.to})
				}
			}
		}
	}
	return r
}

// possible is a cheap test that spares most patterns the search.
func (r *reading) possible(p *pattern) bool {
	if !r.likely.has(p.number) {
		return false
	}
	for i := range p.elements {
		e := &p.elements[i]
		if e.kind != oneWord || e.optional || e.end || e.words.meets(r.present) {
			continue
		}
		some := false
		for _, id := range e.phrases {
			some = some || r.has[id] > 0
		}
		if !some {
			return false
		}
	}
	return true
}

// tense says when the words around a cue place it.
type tense uint8

const (
	present tense = iota
	past          // was, had, did: last night or long ago
	remote        // used to, once: over
)

// found is where a pattern matched: tokens [from, to), and what its gaps held.
type found struct {
	from, to int
	negated  bool
	when     tense
}

func (r *reading) match(p *pattern, at int) (found, bool) {
	f := found{from: at}
	ok := r.step(p, 0, at, at, &f)
	return f, ok
}

// step matches the elements from e on at token pos. Patterns are short and
// gaps at most 12 words, so plain backtracking is bounded.
func (r *reading) step(p *pattern, e, start, pos int, f *found) bool {
	if e == len(p.elements) {
		f.to = pos
		return pos > start
	}
	el := &p.elements[e]
	inside := pos < len(r.tokens) && (pos == start || r.tokens[pos].sentence == r.tokens[start].sentence)
	switch el.kind {
	case atStart:
		return (pos == 0 || (pos < len(r.tokens) && r.tokens[pos-1].clause != r.tokens[pos].clause)) && r.step(p, e+1, start, pos, f)
	case atEnd:
		return r.ends(inside, pos) && r.step(p, e+1, start, pos, f)
	case notNext:
		if inside && el.words.has(r.tokens[pos].id) && r.tokens[pos].id != 0 {
			return false
		}
		if inside {
			for _, s := range r.phrases[pos] {
				for _, id := range el.phrases {
					if s.phrase == id {
						return false
					}
				}
			}
		}
		return r.step(p, e+1, start, pos, f)
	case gap:
		negated, when := f.negated, f.when
		for n := 0; n <= el.max; n++ {
			if n >= el.min && r.step(p, e+1, start, pos+n, f) {
				return true
			}
			next := pos + n
			if next >= len(r.tokens) || r.tokens[next].sentence != r.tokens[start].sentence {
				break
			}
			id := r.tokens[next].id
			if id == 0 {
				continue
			}
			if r.rules.barriers.has(id) {
				break
			}
			if r.rules.negators.has(id) && !r.harmless(next) {
				f.negated = true
			}
			f.when = max(f.when, r.tenseAt(next))
		}
		f.negated, f.when = negated, when
		return false
	}
	if inside {
		id := r.tokens[pos].id
		if id != 0 && el.words.has(id) && r.step(p, e+1, start, pos+1, f) {
			return true
		}
		for _, s := range r.phrases[pos] {
			for _, want := range el.phrases {
				if s.phrase == want && r.step(p, e+1, start, s.to, f) {
					return true
				}
			}
		}
	}
	return (el.optional || el.end && r.ends(inside, pos)) && r.step(p, e+1, start, pos, f)
}

// ends says that a clause ends before pos, which is inside the sentence or behind it.
func (r *reading) ends(inside bool, pos int) bool {
	return !inside || (pos > 0 && r.tokens[pos-1].clause != r.tokens[pos].clause)
}

// harmless reports whether the negator at i does not deny what follows it
// ("don't know", "can't stop").
func (r *reading) harmless(i int) bool {
	return i+1 < len(r.tokens) && r.rules.notNegating.has(r.tokens[i+1].id)
}

// figurative reports that the words of a cue end in an idiom, which is no danger though it has
// its words ("jumping off the bridge, bungee").
func (r *reading) figurative(m found) bool {
	for _, s := range r.idioms {
		if s.from < m.to && m.to <= s.to {
			return true
		}
	}
	return false
}

// lookBehind is how many words before a cue are searched for a negation.
const lookBehind = 4

// deniedBefore reports a negation in the clause before token from.
func (r *reading) deniedBefore(from int) bool {
	if r.begins(from) {
		return false
	}
	for i := from - 1; i >= 0 && i >= from-lookBehind; i-- {
		t := r.tokens[i]
		if t.clause != r.tokens[from].clause {
			return false
		}
		if t.id == 0 {
			continue
		}
		if t.word == "no" && i < from-2 {
			continue
		}
		if r.rules.negators.has(t.id) && !r.harmless(i) {
			return true
		}
		if r.begins(i) {
			return false
		}
	}
	return false
}

// begins says that a new statement begins with a word, as with “je” in “j'ai plus d'amis je veux mourir”:
// what is denied before it denies nothing behind it. In “je ne pense pas que je veux mourir” it goes on.
func (r *reading) begins(i int) bool {
	return r.rules.beginners.has(r.tokens[i].id) && (i == 0 || !r.rules.onward.has(r.tokens[i-1].id))
}

// tense is what one word says about the time of the cue behind it.
func (rs *ruleset) tense(id int) tense {
	switch {
	case rs.remoteMarks.has(id):
		return remote
	case rs.pastMarks.has(id):
		return past
	}
	return present
}

// tenseAt is what the word at i says about time; “at once” is now.
func (r *reading) tenseAt(i int) tense {
	if r.tokens[i].word == "once" && i > 0 && r.tokens[i-1].word == "at" {
		return present
	}
	return r.rules.tense(r.tokens[i].id)
}

// tenseBefore looks for a mark of the past in the clause just before token from.
func (r *reading) tenseBefore(from int) tense {
	when := present
	for i := from - 1; i >= 0 && i >= from-3 && r.tokens[i].clause == r.tokens[from].clause; i-- {
		when = max(when, r.tenseAt(i))
	}
	return when
}
