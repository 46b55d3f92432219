package call

import (
	"encoding/json"
	"slices"

	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

// Past is what earlier rounds of a turn asked for and got.
type Past struct {
	results map[string]json.RawMessage // of read calls that worked, by tool and arguments
	asked   map[string]int             // how often, by the same
	refused map[string]int             // how often a tool's calls were, by name
}

const (
	// enough is how often the same read call may be asked for before tool use ends.
	enough = 3
	// refusals is after how many a tool is not offered again.
	refusals = 2
)

// PastOf reads the messages of a turn. Tools judges which arguments are the same.
func PastOf(tools *tool.Set, messages []model.Message) Past {
	p := Past{map[string]json.RawMessage{}, map[string]int{}, map[string]int{}}
	calls := map[string]model.Call{}
	for _, m := range messages {
		for _, c := range m.Calls {
			calls[c.ID] = c
			if key, ok := readKey(tools, c); ok {
				p.asked[key]++
			}
		}
		c, ok := calls[m.Call]
		if m.Role != "tool" || !ok {
			continue
		}
		var said struct{ Status string }
		// What is no object has no status.
		_ = json.Unmarshal([]byte(m.Text), &said)
		switch said.Status {
		case "refused", "rejected":
			p.refused[c.Tool]++
			continue
		case "failed", string(journal.ToolRepeated):
			continue
		}
		if t, err := tools.Get(c.Tool); err != nil || t.Mutates() {
			// The records may say something else now.
			clear(p.results)
			clear(p.asked)
			continue
		}
		if key, ok := readKey(tools, c); ok && json.Valid([]byte(m.Text)) {
			p.results[key] = json.RawMessage(m.Text)
		}
	}
	return p
}

// readKey names a read call with its arguments in canonical form.
func readKey(tools *tool.Set, c model.Call) (string, bool) {
	t, err := tools.Get(c.Tool)
	if err != nil || t.Mutates() {
		return "", false
	}
	args, err := tools.Check(c.Tool, c.Arguments)
	if err != nil {
		return "", false
	}
	return c.Tool + " " + string(args), true
}

// Over says that a model goes in circles: it asked for the same again and again, although
// it was told that it has the answer.
func (p Past) Over() bool {
	for _, n := range p.asked {
		if n >= enough {
			return true
		}
	}
	return false
}

// Open are the tools that are offered again.
func (p Past) Open(tools []model.Tool) []model.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t model.Tool) bool { return p.refused[t.Name] >= refusals })
}

// RepeatNote is what a model is told that makes a call again.
const RepeatNote = "You made this call before and have its result; here it is again. Answer the person now."

// again answers a read call from what it got before.
func (p Past) again(tools *tool.Set, c model.Call) (json.RawMessage, bool) {
	key, ok := readKey(tools, c)
	if !ok {
		return nil, false
	}
	result, ok := p.results[key]
	if !ok {
		return nil, false
	}
	return model.JSON(map[string]any{"status": journal.ToolRepeated, "note": RepeatNote, "result": result}), true
}
