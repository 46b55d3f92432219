package graph

import (
	"encoding/json"
	"time"
)

// Condition is a named test that edges go by: of one boolean channel (When, Unless), of the
// context (WhenKey, WhenContext), or of what the run has done as well (WhenCounts).
type Condition struct {
	Name    string
	channel *definition
	want    bool
	// test and text are those of a condition on the context.
	test func(context map[string]json.RawMessage, now func() Counts) bool
	key  string // "" when the test looks at several
	text string
	// Safety makes the edges that use the condition come before all else and
	// exclude it: no choice of a stage or a model overrides them.
	Safety bool
	// Title words it for a person; "" leaves it to the name.
	Title string
}

// When holds while the channel is true.
func When(name string, c Channel[bool]) Condition {
	return Condition{Name: name, channel: c.definition, want: true}
}

// Unless holds while the channel is false.
func Unless(name string, c Channel[bool]) Condition {
	return Condition{Name: name, channel: c.definition}
}

// WhenKey holds while test says so of a key of the context; nil stands for a key
// without a value. text words the test for manifests and the fingerprint.
func WhenKey(name string, c KeyedChannel, key, text string, test func(json.RawMessage) bool) Condition {
	return Condition{Name: name, channel: c.definition, key: key, text: text, test: func(context map[string]json.RawMessage, _ func() Counts) bool { return test(context[key]) }}
}

// WhenContext is WhenKey for a test of several keys. The test must not change the
// context.
func WhenContext(name string, c KeyedChannel, text string, test func(context map[string]json.RawMessage) bool) Condition {
	return Condition{Name: name, channel: c.definition, text: text, test: func(context map[string]json.RawMessage, _ func() Counts) bool { return test(context) }}
}

// Counts are what a run has done so far.
type Counts struct {
	// Iterations are the run's super-steps, StageIterations those of the stage in hand.
	Iterations, StageIterations int
	// Tokens and Time are what it used of both.
	Tokens int
	Time   time.Duration
}

// WhenCounts is WhenContext for a test that also goes by what the run has done, the
// stage that it leads on from included.
func WhenCounts(name string, c KeyedChannel, text string, test func(context map[string]json.RawMessage, now Counts) bool) Condition {
	return Condition{Name: name, channel: c.definition, text: text, test: func(context map[string]json.RawMessage, now func() Counts) bool { return test(context, now()) }}
}

// Called words the condition for a person.
func (c Condition) Called(title string) Condition { c.Title = title; return c }

// AsSafety marks the condition as one of a safety edge.
func (c Condition) AsSafety() Condition { c.Safety = true; return c }

// Holds says whether the test holds, by the state and by what the run has done.
func (c Condition) Holds(s Snapshot, now func() Counts) bool {
	if c.test != nil {
		m, _ := s.value(c.channel).(map[string]json.RawMessage)
		return c.test(m, now)
	}
	return s.value(c.channel).(bool) == c.want
}
