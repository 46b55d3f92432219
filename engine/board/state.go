package board

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"holdpoint/engine/graph"
)

// Channels of a board. Hypotheses, conflicts, judgements and evidence are merged by id.
var (
	ChannelQuery      = graph.Value[string]("query")
	ChannelHypotheses = graph.Keyed("hypotheses")
	ChannelConflicts  = graph.Keyed("conflicts")
	ChannelEvidence   = graph.Keyed("evidence_ids")
	ChannelJudgements = graph.Keyed("judgements")
	ChannelSearches   = graph.Append[Search]("searches")
	ChannelMessages   = graph.Append[string]("messages")
	ChannelNext       = graph.Value[string]("next_step")
	ChannelCount      = graph.Value[int]("iteration_count")
	ChannelMax        = graph.Value[int]("max_iterations")
	// ChannelForced says why a study ended before all was settled; "" where it was.
	ChannelForced    = graph.Value[string]("forced")
	ChannelFailures  = graph.Value[int]("failures")
	ChannelSynthesis = graph.Value[*Synthesis]("synthesis")
	// ChannelContinued is set where a study goes on with the board of an earlier one.
	ChannelContinued = graph.Value[*Continued]("continued")
)

// Channels are all of them, for a graph that has a board.
func Channels() []graph.AnyChannel {
	return []graph.AnyChannel{ChannelQuery, ChannelHypotheses, ChannelConflicts, ChannelEvidence, ChannelJudgements, ChannelSearches, ChannelMessages, ChannelNext,
		ChannelCount, ChannelMax, ChannelForced, ChannelFailures, ChannelSynthesis, ChannelContinued}
}

// Has says whether a graph has a board.
func Has(g *graph.Graph) bool { return g.Declares(ChannelHypotheses.Put("h", nil)) == nil }

// Search is one look into a source.
type Search struct {
	Text   string `json:"text"`
	Source string `json:"source"`
	// For is the hypothesis or the conflict that it was to help; "" for the question itself.
	For string `json:"for,omitempty"`
	// Found counts passages, New those that were not on the board, Duplicates those of them
	// that say nearly the same as another.
	Found      int `json:"found"`
	New        int `json:"new"`
	Duplicates int `json:"duplicates"`
	// Passed counts passages that were neither on the board nor put there: a search takes the
	// first ones, and few of one document. Boards of older versions do not have it.
	Passed int    `json:"passed,omitempty"`
	Note   string `json:"note,omitempty"`
}

// ContinuesVar is the var of a study that goes on with the board of an earlier one of its
// session: the earlier one's turn, or ContinuesNone for a board of its own.
const (
	ContinuesVar  = "continues"
	ContinuesNone = "none"
)

// Continued says what a study goes on with.
type Continued struct {
	// Study is the run whose board it took over: evidence, judgements, and what people decided.
	Study string `json:"study"`
	// Searches is how many searches were made before.
	Searches int `json:"searches"`
	// Proposed says that hypotheses were proposed for the new question.
	Proposed bool `json:"proposed"`
}

// Unasked says that the new question of a study that goes on was not searched for yet.
func (s *State) Unasked() bool {
	return s.Continued != nil && !s.Continued.Proposed && !slices.ContainsFunc(s.Searches[min(s.Continued.Searches, len(s.Searches)):], func(x Search) bool { return x.For == "" })
}

// Fresh says that a study goes on, and nothing was proposed for its new question yet.
func (s *State) Fresh() bool { return s.Continued != nil && !s.Continued.Proposed }

// State is a board.
type State struct {
	Query      string       `json:"query"`
	Hypotheses []Hypothesis `json:"hypotheses"`
	Conflicts  []Conflict   `json:"conflicts"`
	Evidence   []Piece      `json:"-"`
	Judgements []Judgement  `json:"judgements"`
	Searches   []Search     `json:"searches"`
	NextStep   string       `json:"next_step"`
	Iterations int          `json:"iteration_count"`
	Max        int          `json:"max_iterations"`
	Forced     string       `json:"forced,omitempty"`
	Failures   int          `json:"-"`
	Synthesis  *Synthesis   `json:"-"`
	Continued  *Continued   `json:"continued,omitempty"`

	judged map[string]int
}

// Read reads the board of a run. What is malformed is refused with an error that wraps ErrMalformed.
func Read(s graph.Snapshot) (*State, error) {
	b := &State{Query: ChannelQuery.Get(s), Searches: slices.Clone(ChannelSearches.Get(s)), NextStep: ChannelNext.Get(s), Iterations: ChannelCount.Get(s),
		Max: ChannelMax.Get(s), Forced: ChannelForced.Get(s), Failures: ChannelFailures.Get(s), Synthesis: ChannelSynthesis.Get(s), Continued: ChannelContinued.Get(s), judged: map[string]int{}}
	var err error
	if b.Hypotheses, err = each(ChannelHypotheses.Get(s), func(id string, h *Hypothesis) error {
		if h.ID != id {
			return fmt.Errorf("%w: hypothesis %q stands under %q", ErrMalformed, h.ID, id)
		}
		return h.Check()
	}); err != nil {
		return nil, err
	}
	if b.Conflicts, err = each(ChannelConflicts.Get(s), func(id string, c *Conflict) error {
		if c.ID != id {
			return fmt.Errorf("%w: conflict %q stands under %q", ErrMalformed, c.ID, id)
		}
		return c.Check()
	}); err != nil {
		return nil, err
	}
	if b.Evidence, err = each(ChannelEvidence.Get(s), func(id string, p *Piece) error {
		p.ID = id
		return checkID("piece of evidence", id)
	}); err != nil {
		return nil, err
	}
	if b.Judgements, err = each(ChannelJudgements.Get(s), func(_ string, j *Judgement) error { return j.Check() }); err != nil {
		return nil, err
	}
	for i := range b.Judgements {
		b.judged[b.Judgements[i].key()] = i
	}
	return b, nil
}

// each reads a keyed channel in the order of its ids, numbers in them by their value.
func each[T any](rows map[string]json.RawMessage, check func(id string, v *T) error) ([]T, error) {
	out := make([]T, 0, len(rows))
	for _, id := range slices.SortedFunc(maps.Keys(rows), natural) {
		var v T
		if err := json.Unmarshal(rows[id], &v); err != nil {
			return nil, fmt.Errorf("%w: %s: %v", ErrMalformed, id, err)
		}
		if err := check(id, &v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// natural orders e9 before e10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			// Longer numbers are higher; ids have no leading zeros.
			if c := cmp.Or(cmp.Compare(x, y), strings.Compare(a[:x], b[:y])); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) (n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func (s *State) clone() *State {
	next := *s
	next.Hypotheses, next.Conflicts, next.Evidence, next.Judgements = slices.Clone(s.Hypotheses), slices.Clone(s.Conflicts), slices.Clone(s.Evidence), slices.Clone(s.Judgements)
	next.Searches, next.judged = slices.Clone(s.Searches), maps.Clone(s.judged)
	return &next
}

// Steps are those that were chosen; the one that ends a study at its limit is none of them.
func (s *State) Steps() int { return min(s.Iterations, s.Max) }

// Hypothesis is the one with an id; nil for none.
func (s *State) Hypothesis(id string) *Hypothesis {
	if i := slices.IndexFunc(s.Hypotheses, func(h Hypothesis) bool { return h.ID == id }); i >= 0 {
		return &s.Hypotheses[i]
	}
	return nil
}

// Conflict is the one with an id; nil for none.
func (s *State) Conflict(id string) *Conflict {
	if i := slices.IndexFunc(s.Conflicts, func(c Conflict) bool { return c.ID == id }); i >= 0 {
		return &s.Conflicts[i]
	}
	return nil
}

// Piece is the one with an id; nil for evidence that the board does not know.
func (s *State) Piece(id string) *Piece {
	if i := slices.IndexFunc(s.Evidence, func(e Piece) bool { return e.ID == id }); i >= 0 {
		return &s.Evidence[i]
	}
	return nil
}

// OpenConflicts are those that wait for a resolution.
func (s *State) OpenConflicts() []Conflict {
	return slices.DeleteFunc(slices.Clone(s.Conflicts), func(c Conflict) bool { return c.Status != Open })
}

// Unsettled are the hypotheses that are neither confirmed nor refuted.
func (s *State) Unsettled() []Hypothesis {
	return slices.DeleteFunc(slices.Clone(s.Hypotheses), func(h Hypothesis) bool { return h.Settled() })
}

// Unjudged is the evidence that some hypothesis has no judgement of; all of it while there is
// no hypothesis. Near-duplicates in the same words are judged with what they repeat, and what a person decided
// about needs no further judgement.
func (s *State) Unjudged() []Piece {
	return slices.DeleteFunc(slices.Clone(s.Evidence), func(e Piece) bool {
		return e.DuplicateOf != "" && !e.Differs || len(s.Hypotheses) > 0 && len(s.Missing(e.ID)) == 0
	})
}

// Missing are the hypotheses that the evidence still has to be judged against, as they are worded.
func (s *State) Missing(evidence string) []Hypothesis {
	return slices.DeleteFunc(slices.Clone(s.Hypotheses), func(h Hypothesis) bool { return h.Decision.verdict() != "" || s.judgement(evidence, &h) != nil })
}

// Judge keeps a judgement; one of the same evidence about the same hypothesis goes.
func (s *State) Judge(j Judgement) {
	if i, ok := s.judged[j.key()]; ok {
		s.Judgements[i] = j
		return
	}
	s.judged[j.key()] = len(s.Judgements)
	s.Judgements = append(s.Judgements, j)
}

// Propose adds a hypothesis of a model, with the next free id; one that says the same as
// another is not added.
func (s *State) Propose(statement string) (id string, ok bool) {
	statement = strings.Join(strings.Fields(statement), " ")
	last := 0
	for i := range s.Hypotheses {
		if plain(s.Hypotheses[i].Statement) == plain(statement) {
			return s.Hypotheses[i].ID, false
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(s.Hypotheses[i].ID, "h")); err == nil {
			last = max(last, n)
		}
	}
	h := Hypothesis{ID: "h" + strconv.Itoa(last+1), Statement: statement, Status: Proposed, Confidence: 0.5}
	if h.Check() != nil {
		return "", false
	}
	s.Hypotheses = append(s.Hypotheses, h)
	return h.ID, true
}

// Close resolves a conflict for a model or a rule. What is resolved stays as it is.
func (s *State) Close(id string, o Outcome, resolution string) error {
	c := s.Conflict(id)
	if c == nil {
		return fmt.Errorf("%w: there is no conflict %q on the board", ErrNotFound, id)
	}
	if c.Status == Resolved {
		return nil
	}
	next := *c
	next.Status, next.Outcome, next.Resolution = Resolved, o, strings.TrimSpace(resolution)
	if err := next.Check(); err != nil {
		return err
	}
	*c = next
	return nil
}

// FindConflicts adds the conflicts that the judgements show: a source on the side that fewer
// speak for, with the first of the other side. A pair that was a conflict before stays as it is,
// and a source is at odds about a hypothesis once.
func (s *State) FindConflicts(titles func(evidence string) string) {
	for i := range s.Hypotheses {
		h := &s.Hypotheses[i]
		if h.Decision.verdict() != "" {
			continue // a person decided
		}
		w := s.Weigh(h)
		few, many := w.Contradicting, w.Supporting
		if w.For < w.Against {
			few, many = many, few
		}
		met := map[string]bool{}
		for _, e := range few {
			doc := s.Piece(e).Document
			other := slices.IndexFunc(many, func(id string) bool { return s.Piece(id).Document != doc })
			if met[doc] || other < 0 || s.atOdds(e, h.ID) {
				continue
			}
			met[doc] = true
			c := Between(e, many[other], h.ID, phrase("“%s” and “%s” say different things about: %s", short(titles(e), 200), short(titles(many[other]), 200), short(h.Statement, 400)))
			if s.Conflict(c.ID) == nil {
				s.Conflicts = append(s.Conflicts, c)
			}
		}
	}
	// The order in which they are read again: they stay where they are while they are looked at.
	slices.SortFunc(s.Conflicts, func(a, b Conflict) int { return natural(a.ID, b.ID) })
}

// phrase fills a format of a sentence that screens show, in French as well.
func phrase(format string, values ...any) string { return fmt.Sprintf(format, values...) }

func (s *State) atOdds(evidence, hypothesis string) bool {
	return slices.ContainsFunc(s.Conflicts, func(c Conflict) bool {
		return c.Hypothesis == hypothesis && (c.SourceA == evidence || c.SourceB == evidence)
	})
}

func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Writes are what makes the one board out of another, checked: nothing malformed is written.
// What is not in the other stays, as a channel merges by id.
func (s *State) Writes(next *State) (graph.Patch, error) {
	var p graph.Patch
	put := func(c graph.KeyedChannel, id string, v any) error {
		raw, err := json.Marshal(v)
		p = append(p, c.Put(id, raw))
		return err
	}
	for i := range next.Hypotheses {
		h := &next.Hypotheses[i]
		if was := s.Hypothesis(h.ID); was != nil && was.equal(h) {
			continue
		}
		if err := h.Check(); err != nil {
			return nil, err
		}
		if err := put(ChannelHypotheses, h.ID, h); err != nil {
			return nil, err
		}
	}
	for i := range next.Conflicts {
		c := &next.Conflicts[i]
		if was := s.Conflict(c.ID); was != nil && was.same(c) {
			continue
		}
		if err := c.Check(); err != nil {
			return nil, err
		}
		if err := put(ChannelConflicts, c.ID, c); err != nil {
			return nil, err
		}
	}
	for i := range next.Evidence {
		e := &next.Evidence[i]
		if s.Piece(e.ID) == nil {
			if err := put(ChannelEvidence, e.ID, e); err != nil {
				return nil, err
			}
		}
	}
	for i := range next.Judgements {
		j := &next.Judgements[i]
		if at, ok := s.judged[j.key()]; ok && s.Judgements[at] == *j {
			continue
		}
		if err := j.Check(); err != nil {
			return nil, err
		}
		if err := put(ChannelJudgements, j.key(), j); err != nil {
			return nil, err
		}
	}
	if n := len(s.Searches); len(next.Searches) > n {
		p = append(p, ChannelSearches.Add(next.Searches[n:]...))
	}
	return p, nil
}

func (c *Conflict) same(o *Conflict) bool {
	return c.Status == o.Status && c.Resolution == o.Resolution && c.Outcome == o.Outcome && c.Description == o.Description && c.Decision.number() == o.Decision.number()
}
