package turn

import (
	"context"
	"encoding/json"
	"sync"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
)

// ReadAhead lets the main model read the beginning of a prompt that will come: its server
// keeps what it has read. It is worth the while only beside another request, which keeps
// another slot of the server busy. A failure costs nothing but the time.
type ReadAhead struct {
	Tools []model.Tool
	// Fit builds the beginning, as Chat's does the whole prompt.
	Fit func(room int) ([]model.Message, int)
}

// AheadPurpose is the purpose of a request that reads ahead, in the journal; see ReadAhead.
const AheadPurpose = "read_ahead"

// KeepsApart says that the main model's server keeps light questions and replies in
// different places already: reading ahead beside a light question takes none of them.
func KeepsApart(t *graph.Task) bool {
	d, err := DependenciesOf(t)
	if err != nil {
		return false
	}
	m, ok := d.Models.Main.(model.AheadReader)
	return ok && (m.Apart() || d.Models.Main != d.Models.Light)
}

// Take has the main model read the prompt into its cache until that is done or ctx ends; light is
// the opening of the light questions. A server puts a prompt into the free slot that holds most of
// its beginning. The first time, a light request keeps the light questions' slot busy meanwhile, so
// that the main prompt does not take it.
func (r ReadAhead) Take(ctx context.Context, t *graph.Task, light *Light) {
	d, err := DependenciesOf(t)
	if err != nil {
		return
	}
	m, ok := d.Models.Main.(model.AheadReader)
	if !ok || !m.ReadsAhead() {
		return
	}
	info, err := d.Models.Main.Info(ctx)
	if err != nil || d.Silence.Of(info.Name) {
		return
	}
	if !m.Apart() && d.Models.Main == d.Models.Light {
		began, over := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(over)
			var once sync.Once
			// What it writes is of no use.
			_, _ = d.Models.Light.Chat(ctx, model.Request{Messages: []model.Message{{Role: "system", Text: light.opening}, {Role: "user", Text: "Count."}},
				Format: longAnswer, MaxTokens: busyTokens, Silence: d.Silence}, func(string) { once.Do(func() { close(began) }) })
		}()
		// Its place must be free again before the next light question.
		defer func() { <-over }()
		select {
		case <-began:
		case <-over:
		case <-ctx.Done():
			return
		}
	}
	// An error is in the journal; the prompt itself will meet it again.
	_, _ = Chat{Model: d.Models.Main, Role: model.Main, Purpose: AheadPurpose, Info: &info, Request: model.Request{Tools: r.Tools, Ahead: true}, Fit: r.Fit}.Send(ctx, t)
}

// busyTokens is how long the other request lasts: long enough for this one to be sent.
const busyTokens = 32

var longAnswer = json.RawMessage(`{"title":"numbers","type":"object","properties":{"numbers":{"type":"string","minLength":600,"maxLength":600}},"required":["numbers"]}`)
