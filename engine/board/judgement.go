package board

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Verdict is what a piece of evidence says about a hypothesis.
type Verdict string

// Verdicts of judgements.
const (
	Supports    Verdict = "supports"
	Contradicts Verdict = "contradicts"
	Neutral     Verdict = "neutral"
)

// Judgement is a verdict with the sentence that it rests on.
type Judgement struct {
	Evidence   string `json:"evidence"`
	Hypothesis string `json:"hypothesis"`
	// Revision is that of the statement that was judged.
	Revision int     `json:"revision,omitempty"`
	Verdict  Verdict `json:"verdict"`
	Quote    string  `json:"quote,omitempty"`
	// Note says why a judgement counts for nothing, or for less than was said.
	Note string `json:"note,omitempty"`
}

func (j *Judgement) key() string { return j.Evidence + "/" + j.Hypothesis }

// Check says what is wrong with a judgement; the error wraps ErrMalformed.
func (j *Judgement) Check() error {
	if err := checkID("piece of evidence", j.Evidence); err != nil {
		return err
	}
	if err := checkID("hypothesis", j.Hypothesis); err != nil {
		return err
	}
	switch j.Verdict {
	case Supports, Contradicts, Neutral:
		return nil
	}
	return fmt.Errorf("%w: the verdict on %s is %q", ErrMalformed, j.key(), j.Verdict)
}

// Founded is the judgement as far as it rests on the passage: the quote must stand in it,
// but for blanks, case and the kind of quotation marks and dashes. A verdict without one is
// neutral, and says why.
func (j Judgement) Founded(passage string) Judgement {
	quote := strings.TrimSpace(j.Quote)
	if j.Verdict == Neutral {
		if quote != "" && !quoted(passage, quote) {
			j.Quote = ""
		}
		return j
	}
	switch {
	case quote == "":
		j.Verdict, j.Note = Neutral, fmt.Sprintf("judged as %s without a sentence of the passage; it counts for nothing", j.Verdict)
	case !quoted(passage, quote):
		j.Verdict, j.Quote, j.Note = Neutral, "", fmt.Sprintf("judged as %s by words that are not in the passage; it counts for nothing", j.Verdict)
	}
	return j
}

// leastQuote is how many letters and digits a quote has at least: a single word is in every passage.
const leastQuote = 12

func quoted(passage, quote string) bool {
	q := plain(quote)
	letters := 0
	for _, r := range q {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	return letters >= leastQuote && strings.Contains(plain(passage), q)
}

// plain is a text for comparing: small letters, single blanks, one kind of dash and mark.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Pd, r):
			return '-'
		case unicode.In(r, unicode.Pi, unicode.Pf), r == '"', r == '\'':
			return '\''
		}
		return unicode.ToLower(r)
	}, s)
	return strings.Trim(strings.Join(strings.Fields(s), " "), "'. ")
}

// Weight is what speaks for and against a hypothesis.
type Weight struct {
	// For and Against count sources: a document counts once, in parts where it says both.
	For, Against              float64
	Supporting, Contradicting []string
}

// Thresholds of Weight.Status.
const (
	// LeastSources is how many sources must speak before anything is confirmed or refuted.
	LeastSources = 2
	// ConfirmedFrom and RefutedTo are the confidences for it.
	ConfirmedFrom, RefutedTo = 0.75, 0.25
)

// Confidence is (for + 1) / (for + against + 2), Laplace's rule of succession: 0.5 while
// nothing speaks, 0.75 after two sources for and none against.
func (w Weight) Confidence() float64 { return (w.For + 1) / (w.For + w.Against + 2) }

// Status follows from the sources: see LeastSources.
func (w Weight) Status() Status {
	c := w.Confidence()
	switch {
	case w.For+w.Against == 0:
		return Proposed
	case w.For+w.Against >= LeastSources && c >= ConfirmedFrom:
		return Confirmed
	case w.For+w.Against >= LeastSources && c <= RefutedTo:
		return Refuted
	}
	return Validating
}

// Weigh counts the judgements of a hypothesis. Near-duplicates count with the evidence that
// they repeat as long as they say no other thing about the hypothesis, what a resolved conflict set aside counts for nothing, and the passages of one
// document count together as one source: of three that support and one that contradicts, it
// is three quarters of a source for and one quarter against.
func (s *State) Weigh(h *Hypothesis) Weight {
	type said struct{ for_, against float64 }
	by, order := map[string]*said{}, []string{}
	var w Weight
	for i := range s.Evidence {
		e := &s.Evidence[i]
		j := s.judgement(e.ID, h)
		if j == nil || j.Verdict == Neutral || s.repeated(i, h, j.Verdict) || s.setAside(e.ID, h.ID) {
			continue
		}
		d := by[e.Document]
		if d == nil {
			d = &said{}
			by[e.Document], order = d, append(order, e.Document)
		}
		if j.Verdict == Supports {
			d.for_++
			w.Supporting = append(w.Supporting, e.ID)
		} else {
			d.against++
			w.Contradicting = append(w.Contradicting, e.ID)
		}
	}
	for _, doc := range order {
		d := by[doc]
		w.For += d.for_ / (d.for_ + d.against)
		w.Against += d.against / (d.for_ + d.against)
	}
	return w
}

// repeated says that a near-duplicate says of a hypothesis what the evidence that it repeats, or
// another near-duplicate of that before it, says already.
func (s *State) repeated(i int, h *Hypothesis, v Verdict) bool {
	e := &s.Evidence[i]
	if e.DuplicateOf == "" {
		return false
	}
	if !e.Differs {
		return true
	}
	says := func(id string) bool {
		j := s.judgement(id, h)
		return j != nil && j.Verdict == v
	}
	return says(e.DuplicateOf) || slices.ContainsFunc(s.Evidence[:i], func(p Piece) bool { return p.DuplicateOf == e.DuplicateOf && says(p.ID) })
}

// judgement is that of a piece of evidence about a hypothesis as it is now worded.
func (s *State) judgement(evidence string, h *Hypothesis) *Judgement {
	i, ok := s.judged[evidence+"/"+h.ID]
	if !ok || s.Judgements[i].Revision != h.Revision {
		return nil
	}
	return &s.Judgements[i]
}

// setAside says that a piece of evidence counts for nothing in a hypothesis. What a person
// set aside is so for every hypothesis: a model can word the same one anew.
func (s *State) setAside(evidence, hypothesis string) bool {
	return slices.ContainsFunc(s.Conflicts, func(c Conflict) bool {
		return c.Status == Resolved && c.aside() == evidence && (c.Hypothesis == hypothesis || c.Decision != nil)
	})
}
