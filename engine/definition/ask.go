package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"holdpoint/engine/expression"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
)

// preset is what a kind that asks a model brings along; a node's own instructions
// come after it.
type preset struct {
	says   string
	schema json.RawMessage
	tools  []string
}

var presets = map[string]preset{
	KindPlan: {says: "Break the task into the fewest steps that do it. Each step is one short sentence that says what to find out or to do.",
		schema: json.RawMessage(`{"title":"plan","type":"object","properties":{"steps":{"type":"array","minItems":1,"maxItems":8,"items":{"type":"string","minLength":1,"maxLength":300}}},"required":["steps"],"additionalProperties":false}`)},
	KindAct:        {says: "Do the next step of the plan with the tools you have, then say in a few sentences what came of it.", tools: []string{"*"}},
	KindThink:      {says: "Think about what is known by now and what is still missing. Say it in a few sentences; do not answer the person yet."},
	KindObserve:    {says: "Say in at most three sentences what the newest results show. Add nothing that they do not show."},
	KindReflect:    {says: "Judge the work so far: what is good, what is missing or wrong, and whether another round is worth it (again).", schema: json.RawMessage(`{"title":"reflection","type":"object","properties":{"assessment":{"type":"string","minLength":1,"maxLength":600},"again":{"type":"boolean"}},"required":["assessment","again"],"additionalProperties":false}`)},
	KindAnswer:     {says: "Answer the person, from what is known by now and nothing else. Say what is not known."},
	KindCritique:   {says: "Look for what is wrong, missing or unsupported in the inputs. Accept them only if a careful reader would.", schema: json.RawMessage(`{"title":"critique","type":"object","properties":{"verdict":{"type":"string","enum":["accept","revise"]},"problems":{"type":"array","maxItems":6,"items":{"type":"string","maxLength":300}}},"required":["verdict","problems"],"additionalProperties":false}`)},
	KindJustify:    {says: "Give the reasons for the conclusion: for each claim what supports it, and how sure that makes one."},
	KindSynthesize: {says: "Bring the inputs together into one text. Where they disagree, say so and say which is better supported."},
	KindPrompt:     {},
}

// promptStage compiles the kinds that ask the main model.
func (l level) promptStage(n *Node) (graph.Stage, error) {
	var err error
	pre, ok := presets[n.Kind]
	if !ok {
		return graph.Stage{}, fmt.Errorf("kind %q is not known; use one of %s", n.Kind, strings.Join(KindNames(), ", "))
	}
	var lines []string
	if l.c.def.Instructions != "" {
		lines = append(lines, l.c.def.Instructions)
	}
	// The node's place in the whole; also what the practice model goes by.
	lines = append(lines, fmt.Sprintf("Your step is %s (%s).", n.Name, n.Kind))
	for _, text := range []string{pre.says, n.Instructions} {
		if text != "" {
			lines = append(lines, text)
		}
	}
	p := &prompt.Node{Name: graph.StageID(n.Name), Title: n.Title, Description: n.Description, Instructions: strings.Join(lines, "\n"),
		Blocks: n.Blocks, Inputs: inputKeys(n), Inherit: ids(n.Inherit), Output: n.Output, Strategies: n.Strategies, Perspective: n.Perspective,
		PerspectiveText: n.PerspectiveText, Tools: n.Tools, Skills: n.Skills, Schema: pre.schema, MaxTokens: n.MaxTokens, Temperature: n.Temperature,
		Says: l.says, Held: l.c.rewords(n), Observes: n.Kind == KindObserve, Plans: n.Kind == KindPlan, Reflects: n.Kind == KindReflect}
	l.around(n, p)
	l.c.skilled = l.c.skilled || len(n.Skills) > 0
	if n.has("stateful") {
		p.Inherit = append(p.Inherit, graph.StageID(n.Name))
	}
	if l.given && !slices.Contains(p.Inputs, "input") {
		p.Inputs = append([]string{"input"}, p.Inputs...)
	}
	if p.Tools == nil {
		p.Tools = pre.tools
	}
	if n.Schema != nil {
		p.Schema, p.OutputSchema = json.RawMessage(n.Schema), json.RawMessage(n.Schema)
	}
	grows := n.Kind == KindThink && l.c.def.Mutable && n.Schema == nil && len(p.Tools) == 0
	if n.saysText() && !grows {
		p.After = textAlone
	}
	if grows {
		p.Schema = l.c.thoughtSchema()
		p.Instructions += "\n" + mutationHelp
	}
	if len(n.Routes) > 0 && n.Schema == nil {
		p.Instructions += fmt.Sprintf("\nYou may say which step comes next: then answer with {\"text\": \"…\", \"route\": \"NAME\"}, where NAME is one of %s. Without a route the graph goes on as it is drawn.", strings.Join(n.Routes, ", "))
	}
	if p.Fill, err = l.filled(append([]string{p.Instructions}, p.Blocks...)...); err != nil {
		return graph.Stage{}, err
	}
	for i := range n.Guards {
		g, err := n.Guards[i].compile()
		if err != nil {
			return graph.Stage{}, err
		}
		p.Guards = append(p.Guards, g)
	}
	for _, name := range n.Flags {
		f, err := graph.ParseFlag(name)
		if err != nil {
			return graph.Stage{}, err
		}
		p.Flags |= f
	}
	if err := p.Check(); err != nil {
		return graph.Stage{}, err
	}
	if !grows {
		p.Decides = l.deciding(n)
	}
	s := p.Stage()
	if grows {
		s.Run = l.growing(s.Run, n)
	}
	return s, nil
}

// filled puts the values of a run into texts that tell a model what to do; nil where they
// have no templates.
func (l level) filled(texts ...string) (func(*graph.Task, string) (string, error), error) {
	made := map[string]*wordings{}
	for _, text := range texts {
		if !strings.Contains(text, "{{") {
			continue
		}
		w, err := newInstructions(text, l.c.def.Vars)
		if err != nil {
			return nil, err
		}
		made[text] = w
	}
	if len(made) == 0 {
		return nil, nil
	}
	return func(t *graph.Task, text string) (string, error) {
		w := made[text]
		if w == nil {
			return text, nil
		}
		return w.fill(sight(t, w.keys, 0))
	}, nil
}

// told is filled for one text, with what stands there where it is not a template.
func (l level) told(text string) (func(*graph.Task) (string, error), error) {
	fill, err := l.filled(text)
	if err != nil || fill == nil {
		return func(*graph.Task) (string, error) { return text, nil }, err
	}
	return func(t *graph.Task) (string, error) { return fill(t, text) }, nil
}

// around puts an author's work before the prompt and after the answer.
func (l level) around(n *Node, p *prompt.Node) {
	vars := l.c.def.Vars
	if len(n.Before) > 0 {
		reads, set := keysIn(n.Before, vars), newFilling(n.Before, vars)
		p.Before = func(_ context.Context, t *graph.Task) (graph.Patch, error) {
			return puts(set, sight(t, reads, 0))
		}
	}
	if n.After != "" {
		reads, after := keysIn(n.After, vars), newFilling(n.After, vars)
		p.After = func(_ context.Context, t *graph.Task, output json.RawMessage) (json.RawMessage, error) {
			sees := maps.Clone(sight(t, reads, 0))
			if sees == nil {
				sees = map[string]json.RawMessage{}
			}
			sees["output"] = output
			v, err := after(sees)
			return model.JSON(v), err
		}
	}
}

// puts writes to the context what an author sets.
func puts(set filling, sees map[string]json.RawMessage) (graph.Patch, error) {
	v, err := set(sees)
	if err != nil {
		return nil, err
	}
	var out graph.Patch
	values, _ := v.(map[string]any)
	for _, key := range sortedKeys(values) {
		out = append(out, prompt.Context.Put(key, model.JSON(values[key])))
	}
	return out, nil
}

// warning tells the journal of something odd that the run survives.
func warning(format string, args ...any) journal.Event {
	return journal.Event{Kind: journal.Warned, Reason: clip(fmt.Sprintf(format, args...), 500)}
}

// cause is why an expression has no value, without what the error is called.
func cause(err error) string {
	_, why, found := strings.Cut(err.Error(), expression.ErrUndecided.Error()+": ")
	if !found {
		why = err.Error()
	}
	why, _, _ = strings.Cut(why, "\n")
	return unprefixed(why)
}

// unprefixed is what went wrong inside of something that went wrong: where it came from is
// said once.
func unprefixed(why string) string { return strings.TrimPrefix(why, "definition: ") }

// undecided warns of a rule that could not be decided; nothing without an error.
func undecided(rule string, err error) []journal.Event {
	if err == nil {
		return nil
	}
	return []journal.Event{warning("%s: %s", clip(rule, 200), unprefixed(err.Error()))}
}
