package run

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"holdpoint/engine/graph"
)

// Counts are numbers by stage, none of them 0. Its JSON form is an object by stage.
// A list and no map: a row with the counts of a thousand stages is written at every
// checkpoint and looked into hardly ever.
type Counts []Count

// Count is the number of one stage.
type Count struct {
	Stage graph.StageID
	N     int
}

// Of is the number of a stage, 0 for one that is not there.
func (c Counts) Of(id graph.StageID) int {
	if i := slices.IndexFunc(c, func(o Count) bool { return o.Stage == id }); i >= 0 {
		return c[i].N
	}
	return 0
}

// MarshalJSON writes the stages in the order of the list.
func (c Counts) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 2+24*len(c))
	for i, o := range c {
		sep := byte(',')
		if i == 0 {
			sep = '{'
		}
		out = graph.AppendText(append(out, sep), string(o.Stage))
		out = strconv.AppendInt(append(out, ':'), int64(o.N), 10)
	}
	if len(c) == 0 {
		out = append(out, '{')
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads an object; the stages are in alphabetical order then.
func (c *Counts) UnmarshalJSON(raw []byte) error {
	var m map[graph.StageID]int
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	*c = make(Counts, 0, len(m))
	for _, id := range slices.Sorted(maps.Keys(m)) {
		*c = append(*c, Count{id, m[id]})
	}
	return nil
}
