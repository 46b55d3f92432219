package navigator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

// overlapping is a model on a server of two places. What it answers to the light questions
// comes a piece at a time, and the last piece only once something is read ahead, or after a
// while without. What is read ahead takes until the answers have come, or a while.
type overlapping struct {
	*puppet
	apart  bool
	pieces []string // of the light answers; the second has the safety

	mu      sync.Mutex
	order   []string
	asked   bool
	ahead   model.Request
	reading chan struct{} // closed when something is read ahead
	said    chan struct{} // closed when the light questions are answered
}

// awhile is longer than anything that has to come takes.
const awhile = 5 * time.Second

func (o *overlapping) note(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.order = append(o.order, what)
}

// first says that nobody has asked about the message's safety yet.
func (o *overlapping) first() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	again := o.asked
	o.asked = true
	return !again
}

func wait(ctx context.Context, c <-chan struct{}) {
	select {
	case <-c:
	case <-time.After(awhile):
	case <-ctx.Done():
	}
}

func (o *overlapping) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Response, error) {
	var schema struct{ Title string }
	if r.Format != nil {
		if err := json.Unmarshal(r.Format, &schema); err != nil {
			return model.Response{}, err
		}
	}
	switch {
	case r.Ahead:
		o.note("reads ahead")
		o.mu.Lock()
		o.ahead = r
		o.mu.Unlock()
		close(o.reading)
		wait(ctx, o.said)
		o.note("has read")
		return model.Response{}, nil
	case schema.Title == "numbers": // keeps the other place
		o.note("keeps a place")
		onText("{")
		wait(ctx, o.reading)
		return model.Response{}, nil
	case strings.Contains(schema.Title, "safety") && o.first():
		for i, piece := range o.pieces {
			switch i {
			case 1:
				wait(ctx, o.reading) // nothing may come before the safety is known
				o.note("safety")
			case len(o.pieces) - 1:
				wait(ctx, o.reading)
				o.note("answered")
			}
			onText(piece)
		}
		close(o.said)
		return model.Response{Message: model.Message{Role: "assistant", Text: strings.Join(o.pieces, "")}}, nil
	case r.Format == nil:
		o.note("reply")
	}
	return o.puppet.Chat(ctx, r, onText)
}

func (o *overlapping) ReadsAhead() bool { return true }
func (o *overlapping) Apart() bool      { return o.apart }

// "Every message took twice as long as it had to: first it read mine, then all the rest." While the
// light questions are answered, the main model reads what the reply's prompt begins with: as soon as
// it is known that the message is safe, and not before.
func TestNavigator_TheReplysPrefixIsReadWhileTheLightQuestionsAreAnswered(t *testing.T) {
	const rest = `,"intent":"question","tone":"warm","acknowledgement":"That sounds tiring."}`
	calm := []string{`{"risk":"none",`, `"category":"none","who":"self"`, `,"intent":"question"`, `,"tone":"warm","acknowledgement":"That sounds tiring."}`}
	for name, c := range map[string]struct {
		apart  bool
		pieces []string
		order  string
	}{
		"a calm message": {true, calm, "safety, reads ahead, answered, has read, reply"},
		// The first time, what is read ahead would take the place of the light questions.
		"before the two kinds are kept apart": {false, calm, "safety, answered, keeps a place, reads ahead, has read, reply"},
		"where the model sees danger":         {true, []string{`{"risk":"crisis",`, `"category":"self_harm","who":"self"`, rest}, "safety, answered"},
		"where it is never said to be safe":   {true, []string{`{"intent":"question",`, `"tone":"warm",`, `"acknowledgement":"That sounds tiring."}`}, "safety, answered, reads ahead, has read, reply"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newTwin(t)
				o := &overlapping{puppet: h.model, apart: c.apart, pieces: c.pieces, reading: make(chan struct{}), said: make(chan struct{})}
				h.live.Models = model.Set{Main: o, Light: o}
				h.status(h.ask("pat-alder", nothing), run.Completed)
				if got := strings.Join(o.order, ", "); got != c.order {
					t.Fatalf("it went %s; want %s", got, c.order)
				}
				if !slices.Contains(o.order, "reads ahead") {
					return
				}
				// What was read is what the reply's prompt begins with.
				reply := h.model.last().Messages
				ahead := o.ahead.Messages
				if len(ahead) == 0 || len(reply) <= len(ahead) || len(o.ahead.Tools) == 0 || fmt.Sprint(o.ahead.Tools) != fmt.Sprint(h.model.last().Tools) {
					t.Fatalf("%d messages and %d tools were read ahead, of %d and %d", len(ahead), len(o.ahead.Tools), len(reply), len(h.model.last().Tools))
				}
				for i, m := range ahead[:len(ahead)-1] {
					if m.Role != reply[i].Role || m.Text != reply[i].Text {
						t.Errorf("message %d was read ahead as %.200q and is %.200q", i, m.Text, reply[i].Text)
					}
				}
				if n := len(ahead) - 1; !strings.HasPrefix(reply[n].Text, ahead[n].Text) {
					t.Errorf("read ahead was %.200q, which is not how %.200q begins", ahead[n].Text, reply[n].Text)
				}
			})
		})
	}
}
