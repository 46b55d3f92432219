package definition

import (
	"context"
	"encoding/json"
	"fmt"

	"holdpoint/engine/graph"
	"holdpoint/engine/turn"
)

// humanStage waits for a person's answer. There is no default and no timeout that
// answers in their place: with nobody to ask the run stays paused.
func humanStage(n *Node) (graph.Stage, error) {
	w, err := newWordings(n.Question)
	if err != nil {
		return graph.Stage{}, err
	}
	return graph.Stage{Role: graph.RoleHold, Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
		// The count keeps the answer of an earlier visit from answering this one.
		id := fmt.Sprintf("ask.%s.%s.%d", t.Run.ID, t.Stage, t.Finished+1)
		raw, ok := t.Answer(id)
		if ok {
			if out, ok := n.answerOf(raw); ok {
				return graph.Result{Output: textOf(out), Reason: "a person answered"}, nil
			}
			// An answer that is none of the choices is no answer: ask again, by another id.
			id += ".again"
			if raw, ok = t.Answer(id); ok {
				out, ok := n.answerOf(raw)
				if !ok {
					return graph.Result{}, fmt.Errorf("definition: the answer is none of the choices %v", n.Answers)
				}
				return graph.Result{Output: textOf(out), Reason: "a person answered"}, nil
			}
		}
		text, err := w.fill(t.Context())
		if err != nil {
			return graph.Result{}, err
		}
		return graph.Result{Pauses: []graph.Pause{turn.Question{Prompt: text, Stage: t.Stage, Choices: n.Answers}.Pause(id)}}, nil
	}}, nil
}

// answerOf reads {"answer": "…"}; ok is false for what is no answer to the question.
func (n *Node) answerOf(raw json.RawMessage) (string, bool) {
	var a struct {
		Answer   *string `json:"answer"`
		Approved *bool   `json:"approved"`
		Comment  string  `json:"comment"`
	}
	if json.Unmarshal(raw, &a) != nil {
		return "", false
	}
	text := ""
	switch {
	case a.Answer != nil:
		text = *a.Answer
	case a.Approved != nil && *a.Approved:
		text = "approve"
	case a.Approved != nil:
		text = "reject"
	}
	if len(n.Answers) == 0 {
		return text, text != ""
	}
	for _, choice := range n.Answers {
		if same(choice, text) {
			return choice, true
		}
	}
	return "", false
}
