package graph_test

import (
	"encoding/json"
	"slices"
	"testing"

	"holdpoint/engine/graph"
)

func TestRestore_ItemsComeBehindTheListThatIsThere(t *testing.T) {
	g, err := graph.New(everyPart())
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Restore([]graph.ChannelValue{{Channel: "log", Value: json.RawMessage(`["a","b"]`), Append: []json.RawMessage{json.RawMessage(`"c"`)}},
		{Channel: "log2", Append: []json.RawMessage{json.RawMessage(`"d"`)}}}, false)
	if err != nil || !slices.Equal(log.Get(s), []string{"a", "b", "c"}) || !slices.Equal(log2.Get(s), []string{"d"}) {
		t.Errorf("%v %v (%v)", log.Get(s), log2.Get(s), err)
	}
}
