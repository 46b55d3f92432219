package call

import (
	"bytes"
	"encoding/json"
	"slices"

	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

// Past is what earlier rounds of a turn asked for and got.
type Past struct {
	results map[string]json.RawMessage // of read calls that worked, by tool and arguments
	done    map[string]json.RawMessage // of the change that was made last, by the same
	asked   map[string]int             // how often, by the same
	refused map[string]int             // how often a tool's calls were, by name
	unknown map[string]int             // how often a tool was called that is not there, by name
	asking  int                        // messages with calls so far
	strange []int                      // those of them with calls of tools that are not there
	changed bool                       // something was
	denied  bool                       // a person said no to a change
	calls   map[string]made            // by id
	checked map[string]checked         // by id, for calls of messages to come as well
	read    int                        // messages so far
}

// checked is what tools said of the arguments of a call.
type checked struct {
	tools     *tool.Set
	tool      string
	asked     json.RawMessage
	canonical json.RawMessage // nil where err says why not
	err       error
}

// made is a call of a model; key is that of a call with proper arguments, "" for others.
type made struct {
	tool, key string
	mutates   bool
}

const (
	// enough is how often the same call may be asked for before tool use ends.
	enough = 3
	// refusals is after how many a tool is not offered again.
	refusals = 2
	// strangers is after how many messages with calls of tools that are not there, whatever their
	// names, tool use ends.
	strangers = 3
)

// PastOf reads the messages of a turn. Tools judges which arguments are the same.
func PastOf(tools *tool.Set, messages []model.Message) *Past {
	p := new(Past)
	p.Read(tools, messages)
	return p
}

// Len is how many messages were read.
func (p *Past) Len() int { return p.read }

// Rounds is how many of them asked for calls.
func (p *Past) Rounds() int { return p.asking }

// Read goes on with what came since: messages begins with those that were read before.
func (p *Past) Read(tools *tool.Set, messages []model.Message) {
	if p.calls == nil && len(messages) > 0 {
		p.results, p.done, p.calls = map[string]json.RawMessage{}, map[string]json.RawMessage{}, map[string]made{}
		p.asked, p.refused, p.unknown = map[string]int{}, map[string]int{}, map[string]int{}
	}
	for _, m := range messages[p.read:] {
		p.message(tools, m)
	}
	p.read = len(messages)
}

func (p *Past) message(tools *tool.Set, m model.Message) {
	if len(m.Calls) > 0 {
		p.asking++
	}
	for _, c := range m.Calls {
		key, mutates := p.keyOf(tools, c)
		if _, done := p.done[key]; key != "" && (done || !mutates) {
			p.asked[key]++
		}
		p.calls[c.ID] = made{tool: c.Tool, key: key, mutates: mutates}
	}
	c, ok := p.calls[m.Call]
	if m.Role != "tool" || !ok {
		return
	}
	switch statusOf(m) {
	case "refused", "rejected":
		p.refused[c.tool]++
		p.denied = p.denied || statusOf(m) == "rejected"
		if _, err := tools.Get(c.tool); err != nil {
			p.unknown[c.tool]++
			if !slices.Contains(p.strange, p.asking) {
				p.strange = append(p.strange, p.asking)
			}
		}
		return
	case "failed", string(journal.ToolRepeated):
		return
	}
	if _, err := tools.Get(c.tool); err != nil || c.mutates {
		// The records may say something else now.
		clear(p.results)
		clear(p.asked)
		clear(p.done)
		p.changed = true
		if c.key != "" && json.Valid([]byte(m.Text)) {
			p.done[c.key], p.asked[c.key] = json.RawMessage(m.Text), 1
		}
		return
	}
	if c.key != "" && json.Valid([]byte(m.Text)) {
		p.results[c.key] = json.RawMessage(m.Text)
	}
}

// check is tools.Check, which reads the arguments of one call once: while it is made, and when the
// message that made it is read later. p may be nil.
func (p *Past) check(tools *tool.Set, c model.Call) (json.RawMessage, error) {
	if p == nil {
		return tools.Check(c.Tool, c.Arguments)
	}
	if k, ok := p.checked[c.ID]; ok && k.tools == tools && k.tool == c.Tool && (bytes.Equal(k.asked, c.Arguments) || k.err == nil && bytes.Equal(k.canonical, c.Arguments)) {
		return k.canonical, k.err
	}
	args, err := tools.Check(c.Tool, c.Arguments)
	if p.checked == nil {
		p.checked = map[string]checked{}
	}
	p.checked[c.ID] = checked{tools: tools, tool: c.Tool, asked: c.Arguments, canonical: args, err: err}
	return args, err
}

// keyOf names a call with its arguments in canonical form, "" for arguments that do not fit,
// and says whether it changes something.
func (p *Past) keyOf(tools *tool.Set, c model.Call) (key string, mutates bool) {
	t, err := tools.Get(c.Tool)
	if err != nil {
		return "", false
	}
	args, err := p.check(tools, c)
	if err != nil {
		return "", t.Mutates()
	}
	return c.Tool + " " + string(args), t.Mutates()
}

// Over says that a model goes in circles: it asked for the same again and again, although
// it was told that it has the answer, or for what it was told is not there, which cannot be
// taken from what is offered.
func (p *Past) Over() bool {
	for _, n := range p.asked {
		if n >= enough {
			return true
		}
	}
	for _, n := range p.unknown {
		if n >= refusals {
			return true
		}
	}
	return len(p.strange) >= strangers
}

// Changed says that a call changed something.
func (p *Past) Changed() bool { return p.changed }

// Rejected says that a person said no to a change.
func (p *Past) Rejected() bool { return p.denied }

// Result is what a call came to, as JSON.
type Result struct{ Tool, Text string }

// Found are the results of a turn's calls without the calls themselves: for a model that
// cannot stop calling, so that it has the answers and nothing to go on with. What a read
// call was refused is nothing that a person has to know; what became of a change always is.
func (p *Past) Found(messages []model.Message) (out []Result) {
	for _, m := range messages {
		c, ok := p.calls[m.Call]
		if m.Role != "tool" || !ok {
			continue
		}
		switch statusOf(m) {
		case string(journal.ToolRepeated):
			continue
		case "refused", "rejected", "failed":
			if !c.mutates {
				continue
			}
		}
		out = append(out, Result{c.tool, m.Text})
	}
	return out
}

// statusOf is the status that a tool's message tells of its call; "" for a plain result.
func statusOf(m model.Message) string {
	var said struct{ Status string }
	// What is no object has no status.
	_ = json.Unmarshal([]byte(m.Text), &said)
	return said.Status
}

// Open are the tools that are offered again.
func (p *Past) Open(tools []model.Tool) []model.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t model.Tool) bool { return p.refused[t.Name] >= refusals })
}

// RepeatNote is what a model is told that makes a call again.
const RepeatNote = "You made this call before and have its result; here it is again. Answer the person now."

// again answers a call from what it got before: a read call since the records changed, and the
// change that was made last, of which nobody wants a second one in the same turn.
func (p *Past) again(tools *tool.Set, c model.Call) (json.RawMessage, bool) {
	if p == nil {
		return nil, false
	}
	key, mutates := p.keyOf(tools, c)
	results := p.results
	if mutates {
		results = p.done
	}
	result, ok := results[key]
	if !ok {
		return nil, false
	}
	return model.JSON(map[string]any{"status": journal.ToolRepeated, "note": RepeatNote, "result": result}), true
}
