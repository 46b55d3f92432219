package safety

import (
	"slices"
	"strings"

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
	from := 0
	_, head := c.gate()
	ordinary := map[string]bool{} // a form has the same sentence many times
	for _, s := range encoder.Sentences(text) {
		at := strings.Index(text[from:], s)
		if at < 0 {
			at = 0
		}
		from += at
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
		b.Rules.shift(from)
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
