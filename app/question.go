package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
	"holdpoint/engine/visible"
)

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 16 << 10

// Question is what a turn waits for a person to say.
type Question struct {
	Session      string          `json:"session"`
	SessionTitle string          `json:"session_title"`
	Turn         string          `json:"turn"`
	Pause        string          `json:"pause"`
	Stage        graph.StageID   `json:"stage"`
	Prompt       string          `json:"prompt"`
	Choices      []string        `json:"choices,omitempty"`
	Schema       json.RawMessage `json:"schema,omitempty"`
	Expects      string          `json:"expects,omitempty"`
	// AskedAt is when the turn began to wait.
	AskedAt time.Time `json:"asked_at"`
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// Questions lists what paused turns ask, oldest first.
func (a *App) Questions() ([]Question, error) {
	runs, err := a.Store.Shown().RunsWith(run.Paused)
	if err != nil {
		return nil, err
	}
	out := []Question{}
	for _, row := range runs {
		open, err := a.openQuestions(row)
		if err != nil {
			return nil, err
		}
		if len(open) == 0 {
			continue // it waits for a verdict
		}
		title := a.sessionTitle(row.Session)
		for _, p := range open {
			q, _ := turn.QuestionOf(p)
			out = append(out, Question{Session: row.Session, SessionTitle: title, Turn: row.Turn, Pause: p.ID, Stage: p.Stage,
				Prompt: q.Prompt, Choices: q.Choices, Schema: q.Schema, Expects: q.Expects, AskedAt: row.UpdatedAt})
		}
	}
	slices.SortStableFunc(out, func(x, y Question) int { return x.AskedAt.Compare(y.AskedAt) })
	return out, nil
}

// openQuestions are the unanswered questions of a run.
func (a *App) openQuestions(row run.Run) ([]graph.Pause, error) {
	if row.Status != run.Paused {
		return nil, nil
	}
	pauses, err := a.Store.Shown().Pauses(row.ID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(pauses, func(p graph.Pause) bool { return p.Kind != turn.QuestionPause || p.Answer != nil }), nil
}

// answerOf brings an answer into the form that stages read: {"answer": …} for a
// text or what a typed question asks for, {"approved": …} for yes or no; an object that has
// one of them stays as it is.
func answerOf(q turn.Question, answer json.RawMessage) (json.RawMessage, error) {
	answer = bytes.TrimSpace(answer)
	if len(answer) > maxAnswer {
		return nil, Bad(fmt.Sprintf("The answer has %d bytes; at most %d fit.", len(answer), maxAnswer), "Shorten it.")
	}
	var v any
	if err := json.Unmarshal(answer, &v); err != nil {
		return nil, Bad("The answer is not JSON: "+err.Error(), `Write a text as "…", yes or no as true or false, or an object.`)
	}
	if ledger.Unambiguous(answer) != nil {
		return nil, Bad("The answer names a part twice, or has a number that cannot be kept exactly.", "Name each part once, and write a very large number as text.")
	}
	typed := len(q.Schema) > 0
	yesNo := slices.Contains(q.Choices, "approve") && slices.Contains(q.Choices, "reject")
	switch v := v.(type) {
	case string:
		if yesNo && (v == "approve" || v == "reject") {
			return mustJSON(map[string]bool{"approved": v == "approve"}), nil
		}
		if strings.TrimSpace(v) == "" {
			return nil, fmt.Errorf("app: %w", run.ErrEmptyAnswer)
		}
		answer = mustJSON(map[string]string{"answer": v})
	case bool:
		answer = mustJSON(map[string]bool{"approved": v})
		if typed {
			answer = mustJSON(map[string]bool{"answer": v})
		}
	case map[string]any:
		if len(v) == 0 {
			return nil, fmt.Errorf("app: %w", run.ErrEmptyAnswer)
		}
		_, answers := v["answer"]
		if _, decides := v["approved"]; typed && !answers && !decides {
			answer = mustJSON(map[string]json.RawMessage{"answer": answer})
		}
	case float64, []any:
		if typed {
			answer = mustJSON(map[string]json.RawMessage{"answer": answer})
			break
		}
		return nil, Bad("An answer is a text, true, false or an object.", `For example "the second one", or {"approved":true}.`)
	default:
		return nil, Bad("An answer is a text, true, false or an object.", `For example "the second one", or {"approved":true}.`)
	}
	var said struct {
		Answer   any   `json:"answer"`
		Approved *bool `json:"approved"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return nil, Bad("The answer cannot be read: "+err.Error(), `Write it as {"answer":"…"} or {"approved":true}.`)
	}
	if yesNo && said.Approved == nil {
		return nil, Bad("This question is answered with yes or no.", `Answer approve or reject, or {"approved":true} or {"approved":false,"comment":"why"}.`)
	}
	if text, isText := said.Answer.(string); isText && !yesNo && !slices.Contains(q.Choices, text) {
		// Choices are told apart by their letters, not by capitals or blanks around them.
		if k := slices.IndexFunc(q.Choices, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), strings.TrimSpace(text)) }); k >= 0 {
			whole := map[string]json.RawMessage{}
			if err := json.Unmarshal(answer, &whole); err != nil {
				return nil, err // it was read as an object before; this cannot be reached
			}
			whole["answer"] = mustJSON(q.Choices[k])
			said.Answer, answer = q.Choices[k], mustJSON(whole)
		}
	}
	if text, isText := said.Answer.(string); !yesNo && len(q.Choices) > 0 && (!isText && !typed || isText && !slices.Contains(q.Choices, text)) {
		return nil, Bad("The answer is none of the choices.", "Choices are "+strings.Join(q.Choices, ", ")+".")
	}
	return answer, nil
}

// QuestionOf reads a pause's question; ok is false for any other kind of pause.
func QuestionOf(p graph.Pause) (q Question, ok bool) {
	a, ok := turn.QuestionOf(p)
	if !ok {
		return q, false
	}
	return Question{Pause: p.ID, Stage: p.Stage, Prompt: visible.Text(a.Prompt), Choices: a.Choices, Schema: a.Schema, Expects: a.Expects}, true
}

// KeepAnswer stores an answer with its word in the journal, in one transaction. The
// turn still has to be resumed. What is refused is read for danger all the same.
func (a *App) KeepAnswer(id, pause string, answer json.RawMessage) error {
	_, err := a.keepAnswer(id, pause, answer)
	return err
}

func (a *App) keepAnswer(id, pause string, answer json.RawMessage) (*agent.Help, error) {
	help, err := a.putAnswer(id, pause, answer)
	if err != nil {
		return nil, a.WithHelp(TurnRequest{Text: answered(answer)}, err)
	}
	return help, nil
}

func (a *App) putAnswer(id, pause string, answer json.RawMessage) (*agent.Help, error) {
	cp, err := a.Store.Load(RunID(id))
	if err != nil {
		return nil, err
	}
	row := cp.Run
	i := slices.IndexFunc(cp.Pauses, func(p graph.Pause) bool { return p.ID == pause && p.Kind == turn.QuestionPause })
	if i < 0 {
		return nil, fmt.Errorf("%w: %q", run.ErrUnknownPause, pause)
	}
	p := cp.Pauses[i]
	q, _ := turn.QuestionOf(p)
	if answer, err = answerOf(q, answer); err != nil {
		return nil, err
	}
	if p.Answer != nil {
		if bytes.Equal(p.Answer, answer) {
			return nil, nil // the same again changes nothing
		}
		return nil, fmt.Errorf("%w: %q", run.ErrAnswered, pause)
	}
	if a.exec.Live(row.ID) {
		return nil, fmt.Errorf("%w: answer once it waits again", run.ErrLive)
	}
	if row.Status != run.Paused {
		return nil, Bad("The turn does not wait for an answer now.", "Look at the turn again.")
	}
	p.Answer = answer
	events := []journal.Event{{At: a.now(), Session: row.Session, Turn: row.Turn, Kind: journal.QuestionAnswered, Stage: p.Stage, Message: p.ID}}
	help, said := a.heed(row.Session, row.Turn, writtenAnswer, answered(answer))
	events = append(events, said...)
	c := &run.Commit{Run: row.ID, LeaseEpoch: row.LeaseEpoch, Pauses: []graph.Pause{p}, Events: events}
	c.Do = func(tx graph.Tx, _ graph.Tell) error {
		said := answer
		if len(said) > 1000 {
			name, err := tx.PutBlob(said)
			if err != nil {
				return err
			}
			said = mustJSON(journal.Blob{Name: name, Size: len(answer)})
		}
		c.Events[0] = c.Events[0].With(journal.QuestionAnsweredData{Pause: p.ID, Prompt: journal.LongString(cut(q.Prompt, 1000)), Choices: q.Choices, Answer: said})
		return journal.Fit(tx, c.Events)
	}
	return help, a.Store.Apply(c)
}

// answered are the words of an answer, in any of its forms.
func answered(answer json.RawMessage) string {
	var said struct{ Answer, Comment any }
	if json.Unmarshal(answer, &said) != nil {
		var text string
		if json.Unmarshal(answer, &text) != nil {
			text = string(answer)
		}
		return text
	}
	var words []string
	for _, part := range []any{said.Answer, said.Comment} {
		if part != nil {
			words = append(words, fmt.Sprint(part))
		}
	}
	return strings.Join(words, "\n")
}

// Answer stores a person's answer and goes on with the turn in the background. Where the answer
// speaks of danger there is help for whoever wrote it.
func (a *App) Answer(ctx context.Context, turn, pause string, answer json.RawMessage) (*agent.Help, error) {
	turn = strings.TrimPrefix(turn, "turn:")
	help, err := a.keepAnswer(turn, pause, answer)
	if err != nil {
		return nil, err
	}
	if err := a.Resume(ctx, turn); err != nil && !errors.Is(err, run.ErrLive) {
		return nil, a.WithHelp(TurnRequest{Text: answered(answer)}, err)
	}
	return help, nil
}
