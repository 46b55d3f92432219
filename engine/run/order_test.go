package run

import (
	"slices"
	"testing"

	"holdpoint/engine/graph"
)

// Some flags do not meet in any result, so their order is fixed here and the
// rest of it by what stages see and leave behind.
func TestReasoner_R48_R53_R54_R62_FlagsStandInTheirOrder(t *testing.T) {
	var first, then []string
	for _, f := range before {
		first = append(first, f.flag.Names()...)
	}
	for _, f := range after {
		then = append(then, f.flag.Names()...)
	}
	if want := []string{"skip_on_error", "cacheable", "no_history", "isolated_context", "lightweight", "requires_human"}; !slices.Equal(first, want) {
		t.Errorf("before the stage: %v, want %v", first, want)
	}
	if want := []string{"isolated_context", "readonly", "verbose", "observable", "summarize_output", "validate_output", "cacheable"}; !slices.Equal(then, want) {
		t.Errorf("after the stage: %v, want %v", then, want)
	}
}

func TestReasoner_R14_R20_ResolversStandInTheirOrder(t *testing.T) {
	want := []string{"safety", "again", "error", "route", "goto", "terminal", "conditional", "match", "static", "end"}
	if got := graph.Resolvers(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
