package researcher

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/turn"
)

var resolutionSchema = json.RawMessage(`{"title":"resolution","type":"object","properties":{
"outcome":{"type":"string","enum":["source_a","source_b","both"]},
"resolution":{"type":"string","minLength":3,"maxLength":600}},
"required":["outcome","resolution"],"additionalProperties":false}`)

// resolve takes one open conflict after the other: it looks for what decides between the two
// sources, and asks the model which of them stands. Each is a result of its own.
func resolve(ctx context.Context, t *graph.Task) (graph.Result, error) {
	read, s, _, err := now(t)
	if err != nil {
		return graph.Result{}, err
	}
	open := s.OpenConflicts()
	if len(open) == 0 {
		return graph.Result{Reason: "no conflict is open any more"}, nil // a person was quicker
	}
	c := open[s.Failures%len(open)]
	h := s.Hypothesis(c.Hypothesis)
	if h == nil {
		return graph.Result{}, fmt.Errorf("%w: the conflict %s is about no hypothesis", board.ErrMalformed, c.ID)
	}
	found, err := look(ctx, t, s, s.Query+" "+h.Statement, c.ID, perConflict)
	if err != nil {
		return graph.Result{}, err
	}
	bodies, err := evidence(t, s, c.SourceA, c.SourceB)
	if err != nil {
		return graph.Result{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<question>%s</question>\n<hypothesis>%s</hypothesis>\nSource A:\n", turn.TagSafe(s.Query), turn.TagSafe(h.Statement))
	passage(&b, bodies[c.SourceA], longestPassage/2)
	b.WriteString("Source B:\n")
	passage(&b, bodies[c.SourceB], longestPassage/2)
	if len(found.fresh) > 0 {
		b.WriteString("What else was found:\n")
		for _, e := range found.fresh {
			passage(&b, e, 800)
		}
	}
	fmt.Fprintf(&b, "<conflict>%s</conflict>\nOne source supports the hypothesis and the other contradicts it. outcome is source_a or source_b when that one has the better evidence about the hypothesis, both when they speak of different people, doses or conditions. resolution says why in one sentence.", turn.TagSafe(c.Description))
	var answer struct {
		Outcome    board.Outcome `json:"outcome"`
		Resolution string        `json:"resolution"`
	}
	useless, err := ask(ctx, t, "resolution", b.String(), resolutionSchema, answerTokens, &answer)
	if err != nil {
		return graph.Result{}, err
	}
	before := s.Decided(nil)
	if useless == nil && s.Close(c.ID, answer.Outcome, model.Shorten(turn.Plain(answer.Resolution), board.MaxStatement)) != nil {
		useless = ErrUseless
	}
	if useless != nil {
		return failed(s, useless), nil
	}
	events := append(found.events, before.Told(s, journal.ChangedByModel, t.Run.Model, "resolved by the model")...)
	closed := s.Decided(nil)
	events = append(events, s.Told(closed, journal.ChangedByRule, "confidence", "worked out from the judgements that count after the conflict")...)
	patch, err := read.Writes(closed)
	if err != nil {
		return graph.Result{}, err
	}
	r := graph.Result{Patch: append(patch, board.ChannelFailures.Set(0)), Events: events, Do: found.keep(t)}
	if len(closed.OpenConflicts()) > 0 {
		r.Reenter = "conflicts_left"
	} else {
		r.Patch = append(r.Patch, board.ChannelMessages.Add("No conflict is open."))
	}
	return r, nil
}
