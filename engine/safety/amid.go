package safety

import (
	"slices"
	"strings"
	"time"

	"holdpoint/engine/encoder"
)

// What a sentence amid a long text needs so that nothing around it makes less of it: few words, none of them to its
// reader, as those have who comfort, and words that the linear tier does not take for an ordinary story's. The least
// score was chosen on posts about stress and on people who comfort, of whom none more is interrupted.
const (
	amidWords  = 20
	amidLinear = -0.5
	amidPlain  = 12 // the weight of a cue for the writer's own life where no meaning is read
)

// amid takes over the danger of a sentence of a long message that speaks of it plainly when it is read by itself:
// whatever is pasted around it, the level does not fall.
func (c Checker) amid(a Assessment, text string) Assessment {
	_, head := c.gate()
	ordinary := map[string]bool{} // a form has the same sentence many times
	for _, p := range sentencesOf(text) {
		s := p.text()
		if ordinary[s] || wordsOf(s, amidWords) > amidWords {
			continue
		}
		ordinary[s] = true
		if v := Check(s); !v.Hijack || v.vague || voiceOf(s).reader > 0 {
			continue
		}
		b := c.assess(s)
		if head == nil && b.Speaker == Self && !slices.ContainsFunc(b.Rules.Findings, func(f Finding) bool { return f.Weight >= amidPlain }) {
			continue
		}
		if w, _ := b.reading(TierWords); b.Level != Intervene || w.Score < amidLinear {
			continue
		}
		b.Rules.shift(p.from)
		b.Language, b.Coverage, b.Unread = a.Language, a.Coverage, a.Unread
		return b
	}
	return a
}

// What makes a message a note about somebody: several sentences, none to its reader and at most one word in so many about
// its writer. A sentence of it is read by itself where it has so many words.
const (
	noteSentences, noteOwn     = 3, 25
	noteLeast, noteSentenceMax = 6, 40
)

// noted takes over the danger that one sentence of a note about somebody tells of: what else was seen on that day makes
// nothing less of it. Whoever waits, waits for no more than calmTime.
func (c Checker) noted(a Assessment, text string) Assessment {
	sentences := sentencesOf(text)
	if v := voiceOf(text); len(sentences) < noteSentences || v.reader > 0 || v.writer*noteOwn > v.words {
		return a
	}
	begun := time.Now()
	for _, p := range sentences {
		s := p.text()
		if !c.Unhurried && time.Since(begun) > calmTime {
			a.Unread = true
			return a
		}
		if n := wordsOf(s, noteSentenceMax); n < noteLeast || n > noteSentenceMax {
			continue
		}
		b := c.withoutAsides(c.assess(s), s)
		if b.Level != Intervene {
			continue // what one sentence would be asked about the whole is not
		}
		b.Rules.shift(p.from)
		b.Language, b.Coverage, b.Unread = a.Language, a.Coverage, a.Unread || b.Unread
		return b
	}
	return a
}

// passage is a sentence of a text with those beside it.
type passage struct {
	whole    string
	from, to int // bytes
}

func (p passage) text() string { return p.whole[p.from:p.to] }

// sentencesOf are the sentences of a text where they stand in it.
func sentencesOf(text string) (out []passage) {
	from := 0
	for _, s := range encoder.Sentences(text) {
		from += max(strings.Index(text[from:], s), 0)
		out = append(out, passage{text, from, from + len(s)})
		from += len(s)
	}
	return out
}

// passagesOf are the sentences of a text, each alone and with its neighbours, as far as these are no longer than a report.
// What a text says again is named once.
func passagesOf(text string) (out []passage) {
	at, seen := sentencesOf(text), map[string]bool{}
	for i := range at {
		for near := range 2 {
			p := passage{text, at[max(i-near, 0)].from, at[min(i+near, len(at)-1)].to}
			if !seen[p.text()] && wordsOf(p.text(), mostReport) <= mostReport {
				seen[p.text()] = true
				out = append(out, p)
			}
		}
	}
	return out
}

// bodily takes over the emergency of the body, the poisoning, or whom somebody misses, that some sentences of a long
// message tell of: what is around them says nothing of it.
func (c Checker) bodily(a Assessment, text string) Assessment {
	switch a.Category {
	case Medical, Unresponsive, Poisoned, Overdose, Missing:
		if a.Level == Intervene {
			return a
		}
	}
	left, over := overIn(text)
	for _, p := range passagesOf(text) {
		if over && !strings.Contains(left, p.text()) {
			continue // it tells of long ago
		}
		v := Check(p.text())
		if !v.Hijack || v.vague {
			continue
		}
		switch v.heaviest().inBody(p.text()).unresponsive(p.text()) {
		case Medical, Unresponsive, Poisoned, Overdose, Missing:
		default:
			continue
		}
		b := c.assess(p.text())
		if b.Level != Intervene {
			continue
		}
		if b.Speaker != Self && reports(text) {
			b.Speaker = Clinician
		}
		b.Rules.shift(p.from)
		b.Language, b.Coverage, b.Unread = a.Language, a.Coverage, a.Unread
		return b
	}
	return a
}

// shift moves the cues to where a part begins in its text.
func (v *Verdict) shift(by int) {
	for i := range v.Findings {
		if f := &v.Findings[i]; f.End > 0 {
			f.Start, f.End = f.Start+by, f.End+by
		}
	}
}
