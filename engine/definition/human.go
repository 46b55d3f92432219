package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/turn"
)

// humanStage waits for a person's answer. There is no default and no timeout that
// answers in their place: with nobody to ask the run stays paused.
func humanStage(n *Node, vars map[string]Value) (graph.Stage, error) {
	w, err := newWordings(n.Question, vars)
	if err != nil {
		return graph.Stage{}, err
	}
	return graph.Stage{Role: graph.RoleHold, Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
		// The count keeps the answer of an earlier visit from answering this one.
		id := fmt.Sprintf("ask.%s.%s.%d", t.Run.ID, t.Stage, t.Finished+1)
		why := ""
		for {
			raw, ok := t.Answer(id)
			if !ok {
				break
			}
			out, err := n.answerOf(raw)
			if err == nil {
				return graph.Result{Output: out, Reason: "a person answered"}, nil
			}
			// What does not fit is no answer: it is asked again, by another id.
			why = fmt.Sprintf("\n\n(%s.)", strings.TrimPrefix(err.Error(), errValue.Error()+": "))
			id += ".again"
		}
		text, err := w.fill(sight(t, w.keys, 0))
		if err != nil {
			return graph.Result{}, err
		}
		q := turn.Question{Prompt: text + why, Stage: t.Stage, Choices: n.Answers}
		if n.Answer != nil {
			q.Schema, q.Choices, q.Expects = n.Answer.schema(), n.Answer.choices(), n.Answer.wanted()
		}
		return graph.Result{Pauses: []graph.Pause{q.Pause(id)}}, nil
	}}, nil
}

// choices are the answers to choose from, where there are few and they are words.
func (v *Value) choices() (out []string) {
	if v.Type == "boolean" {
		return []string{"yes", "no"}
	}
	for _, each := range v.Enum {
		out = append(out, words(plainValue(each)))
	}
	return out
}

// answerOf reads {"answer": …}; an error says why that is no answer to the question.
func (n *Node) answerOf(raw json.RawMessage) (json.RawMessage, error) {
	var a struct {
		Answer   json.RawMessage `json:"answer"`
		Approved *bool           `json:"approved"`
	}
	if json.Unmarshal(raw, &a) != nil {
		return nil, fmt.Errorf("%w: the answer cannot be read", errValue)
	}
	text, isText := "", true
	var said any
	switch {
	case len(a.Answer) > 0:
		said, _ = decode(a.Answer)
		text, isText = said.(string)
	case a.Approved != nil && *a.Approved:
		text = "approve"
	case a.Approved != nil:
		text = "reject"
	default:
		said, _ = decode(raw)
		isText = false
	}
	if v := n.Answer; v != nil {
		var out any
		var err error
		if isText {
			out, err = v.read(text)
		} else {
			out, err = v.of(said)
		}
		if err != nil {
			return nil, err
		}
		return model.JSON(out), nil
	}
	if len(n.Answers) == 0 && isText && text != "" {
		return textOf(text), nil
	}
	for _, choice := range n.Answers {
		if isText && same(choice, text) {
			return textOf(choice), nil
		}
	}
	if len(n.Answers) > 0 {
		return nil, fmt.Errorf("%w: the answer is none of %s", errValue, strings.Join(n.Answers, ", "))
	}
	if !isText {
		return nil, (&Value{Type: "string"}).misfit(said)
	}
	return nil, fmt.Errorf("%w: the answer is empty", errValue)
}
