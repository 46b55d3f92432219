package safety

import (
	"errors"
	"slices"
	"strings"
)

// aside is a way to say something harmless with the words of danger (“denies suicidal thoughts”, “I died twice on the last
// level”): where it stands, the message is read once more without these words, and is no more than what is left of it.
type aside struct {
	ID     string   `yaml:"id"`
	Reason string   `yaml:"reason"`
	Says   []string `yaml:"says"`   // phrases; each is left out wherever it stands
	Beside []string `yaml:"beside"` // of what is left, it has one of these
	// Without are phrases that what is left has none of.
	Without []string `yaml:"without"`

	says, beside, without []int
}

func (a *aside) compile(rs *ruleset) (err error) {
	if a.ID == "" || a.Reason == "" || len(a.Says) == 0 {
		return errors.New("it needs id, reason and says")
	}
	if a.says, err = rs.phraseNumbers(a.Says); err == nil {
		if a.beside, err = rs.phraseNumbers(a.Beside); err == nil {
			a.without, err = rs.phraseNumbers(a.Without)
		}
	}
	return err
}

// part is a part of a text, in bytes.
type part struct{ from, to int }

// asides are the parts of a message that say something harmless with the words of danger.
func asides(text string) (out []part) {
	t := tellsOf(text)
	for _, a := range t.rules.asides {
		var spans []span
		for i := range t.tokens {
			for _, s := range t.phrases[i] {
				if slices.Contains(a.says, s.phrase) {
					spans = append(spans, s)
				}
			}
		}
		if len(spans) == 0 || !a.holds(t, spans) {
			continue
		}
		for _, s := range spans {
			out = append(out, part{t.tokens[s.from].start, t.tokens[s.to-1].end})
		}
	}
	return out
}

// holds says that what is left of a message without these words has what it must have, and nothing that it must not.
func (a *aside) holds(t telling, spans []span) bool {
	if len(a.beside)+len(a.without) == 0 {
		return true
	}
	var left []token
	for i, word := range t.tokens {
		if !slices.ContainsFunc(spans, func(s span) bool { return s.from <= i && i < s.to }) {
			left = append(left, word)
		}
	}
	rest := t.rules.read(left)
	said := func(phrase int) bool { return rest.has[phrase] > 0 }
	return !slices.ContainsFunc(a.without, said) && (len(a.beside) == 0 || slices.ContainsFunc(a.beside, said))
}

// leaveOut is a text without these parts.
func leaveOut(text string, parts []part) string {
	slices.SortFunc(parts, func(a, b part) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, p := range parts {
		if p.from > at {
			b.WriteString(text[at:p.from])
		}
		b.WriteByte(' ')
		at = max(at, p.to)
	}
	b.WriteString(text[min(at, len(text)):])
	return strings.TrimSpace(b.String())
}

// asideDoubt is how far beyond its threshold the meaning of what is left has to be where nothing else sees a sign.
const asideDoubt = 0.65

// left is the assessment of what is left of a message; a word or two mean nothing by themselves.
func (c Checker) left(text string) Assessment {
	if wordsOf(text, leastShort) < leastShort && Check(text).Score == 0 {
		return Assessment{Level: Calm}
	}
	return c.assess(text)
}

// barely says that nothing but its meaning, and that not much, makes a sign of what is left of a message: words that were
// cut in two lie near anything.
func (a Assessment) barely() bool {
	near, ok := a.reading(TierMeaning)
	return ok && a.Level == CheckIn && len(a.Found()) == 1 && a.Rules.Score == 0 && near.plain == "" && near.Score < near.CheckIn+asideDoubt
}

// beside is what a message asks for beside these parts, which are figures of speech.
func (c Checker) beside(text string, figures []part) Level {
	b := c.left(leaveOut(text, figures))
	if b.barely() {
		return Calm
	}
	return b.Level
}

// mostAside is how many words a message has that is read once more without what is harmless in it.
const mostAside = 60

// withoutAsides is the assessment of a message, no graver than that of what is left of it without what is harmless in it.
func (c Checker) withoutAsides(a Assessment, text string) Assessment {
	if a.Level == Calm || wordsOf(text, mostAside) > mostAside {
		return a
	}
	parts := asides(text)
	if len(parts) == 0 {
		return a
	}
	left := leaveOut(text, parts)
	b := c.left(left)
	// What the whole plainly means stays a sign.
	if near, ok := a.reading(TierMeaning); ok && near.Level == Intervene {
		b.Level = b.Level.graver(CheckIn)
	}
	if b.barely() {
		b.Level = Calm
	}
	switch {
	case b.Level.atLeast(a.Level):
		return a
	case b.Level == Calm:
		b = b.calm(a)
		b.Coverage = c.coverage(text)
		return b
	}
	for i := range a.Tiers {
		a.Tiers[i].Level = a.Tiers[i].Level.milder(b.Level)
	}
	a.Level = b.Level
	return a
}
