package turn

import (
	"context"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
)

// ReadAhead lets the main model read the beginning of a prompt that will come: its server
// keeps what it has read. It is worth the while only beside another call, which keeps
// another slot of the server busy. A failure costs nothing but the time.
type ReadAhead struct {
	Tools []model.Tool
	// Fit builds the beginning, as Chat's does the whole prompt.
	Fit func(room int) ([]model.Message, int)
}

// AheadPurpose is what the journal calls such a call.
const AheadPurpose = "read_ahead"

// Take reads until it is done or ctx ends.
func (r ReadAhead) Take(ctx context.Context, t *graph.Task) {
	d, err := DependenciesOf(t)
	if err != nil {
		return
	}
	if r, ok := d.Models.Main.(model.AheadReader); !ok || !r.ReadsAhead() {
		return
	}
	// An error is in the journal; the prompt itself will meet it again.
	_, _ = Chat{Model: d.Models.Main, Role: model.Main, Purpose: AheadPurpose, Request: model.Request{Tools: r.Tools, Ahead: true}, Fit: r.Fit}.Send(ctx, t)
}
