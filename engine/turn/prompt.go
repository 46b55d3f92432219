package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
)

// Prompt is one request to a model whose answer is data for the graph itself.
type Prompt struct {
	Purpose string
	// Light asks the light model; so does a task that is to use it.
	Light bool
	// ForPerson says that a person reads the answer; see Chat.
	ForPerson bool
	System    string
	// User is what is asked; where it is too long for the model, its middle is left out.
	User string
	// Schema is that of the answer; nil for text.
	Schema json.RawMessage
	// MaxTokens bounds the answer; 0 means 1,024.
	MaxTokens   int
	Temperature float64
	// Texts are the names of those that System was compiled of, for the journal.
	Texts []string
	// Speech shows the member of the answer that is called Member while it is written; nil
	// shows nothing. The message itself is the stage's to tell.
	Speech *Speech
	Member string

	onText func(string)
	// control is Chat.Control.
	control bool
	// writing bounds the answer's time once it began; 0 is no such bound.
	writing time.Duration
}

const promptTokens = 1024

// Ask sends the prompt, journals the requests to the model, and returns the answer as
// the model wrote it with what it used.
func (p Prompt) Ask(ctx context.Context, t *graph.Task) (string, graph.Usage, error) {
	d, err := DependenciesOf(t)
	if err != nil {
		return "", graph.Usage{}, err
	}
	m, role := d.Models.Main, model.Main
	if p.Light || t.Light {
		m, role = d.Models.Light, model.Light
	}
	tokens := p.MaxTokens
	if tokens == 0 {
		tokens = promptTokens
	}
	onText := p.onText
	if p.Speech != nil && p.Schema != nil {
		if write := p.Speech.onText(); write != nil {
			onText = MemberWriter(p.Member, write)
		}
	}
	defer p.Speech.close()
	res, err := Chat{Model: m, Role: role, Purpose: p.Purpose, Control: p.control, OnText: onText, ForPerson: p.ForPerson, Texts: p.Texts,
		Request: model.Request{Format: p.Schema, MaxTokens: tokens, Temperature: p.Temperature, Writing: p.writing},
		Fit: func(room int) ([]model.Message, int) {
			return []model.Message{{Role: "system", Text: p.System}, {Role: "user", Text: ends(p.User, max(room-len(p.System)-tokens*CharsPerToken, LeastRoom))}}, 0
		}}.Send(ctx, t)
	switch {
	case errors.Is(err, ErrNoModel):
		return "", graph.Usage{}, err // whatever was asked, nobody answers
	case err != nil:
		return "", Used(res.Usage), fmt.Errorf("turn: the model gave no answer to %s: %w", p.Purpose, err)
	}
	return res.Message.Text, Used(res.Usage), nil
}

// ends keeps the beginning and the end of a text that is too long for a prompt:
// what is asked stands at the end.
func ends(text string, room int) string {
	if len(text) <= room {
		return text
	}
	r := []rune(text)
	if len(r) <= room {
		return text
	}
	return string(r[:room*2/3]) + "\n[…]\n" + string(r[len(r)-room/3:])
}

// TagSafe keeps text from closing the tag that it stands in.
func TagSafe(s string) string { return strings.ReplaceAll(s, "</", "<\u200a/") }
