package navigator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

// stuck is a model whose server accepts some requests and never answers them, as long as its
// client waits: two minutes for a chat, half a minute for what it knows of the model.
type stuck struct {
	*puppet
	hangs func(what string) bool

	mu      sync.Mutex
	silence []*model.Silence // what each chat was told of
	began   time.Time
	asked   map[string]time.Duration // when each kind of request came first
}

func (s *stuck) came(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.asked[what]; !ok {
		s.asked[what] = time.Since(s.began)
	}
}

func (s *stuck) wait(ctx context.Context, most time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(most):
		return fmt.Errorf("%w: nothing came for %v", model.ErrStalled, most)
	}
}

func (s *stuck) Info(ctx context.Context) (model.Info, error) {
	if s.hangs("info") {
		return model.Info{}, s.wait(ctx, 30*time.Second)
	}
	return s.puppet.Info(ctx)
}

func (s *stuck) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Response, error) {
	s.mu.Lock()
	s.silence = append(s.silence, r.Silence)
	s.mu.Unlock()
	what, title := "reply", struct{ Title string }{}
	if r.Ahead {
		what = "ahead"
	} else if r.Format != nil {
		if err := json.Unmarshal(r.Format, &title); err != nil {
			return model.Response{}, err
		}
		switch what = "extraction"; {
		case strings.Contains(title.Title, "safety"):
			what = "check"
		case title.Title == "numbers":
			what = "busy"
		}
	}
	s.came(what)
	switch {
	case s.hangs(what + " after a word"):
		if onText != nil {
			onText(`{"risk":`)
		}
		return model.Response{}, s.wait(ctx, 2*time.Minute)
	case s.hangs(what):
		return model.Response{}, s.wait(ctx, 2*time.Minute)
	case what == "busy" || what == "ahead":
		return model.Response{}, nil
	}
	return s.puppet.Chat(ctx, r, onText)
}

func (s *stuck) ReadsAhead() bool { return true }
func (s *stuck) Apart() bool      { return false }

// never is an encoder whose server does not answer.
type never struct{}

// quick is one that answers at once.
type quick struct{ never }

func (quick) Vector(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1, 0, 0, 0}
	}
	return out, nil
}

func (never) Name() string   { return "never" }
func (never) Dimension() int { return 4 }
func (never) Vector(ctx context.Context, _ []string) ([][]float32, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// "It checked my message for seven minutes, and then it failed." Whatever hangs, the check of a
// message is over after half a minute, asked once more where the model answers other questions meanwhile, and what the context tools wait for models is two minutes
// for all of them together.
func TestNavigator_WhateverHangsTheWaitsOfATurnDoNotAddUp(t *testing.T) {
	const check, extraction, reply, slack = 30 * time.Second, 2 * time.Minute, 2 * time.Minute, 6 * time.Second
	all := func(string) bool { return true }
	only := func(list ...string) func(string) bool {
		return func(what string) bool {
			for _, x := range list {
				if what == x {
					return true
				}
			}
			return false
		}
	}
	for name, c := range map[string]struct {
		hangs           func(string) bool
		encoder         bool
		extracted, ends time.Duration // at most
		status          run.Status
	}{
		"everything":                          {hangs: func(s string) bool { return s != "info" }, encoder: true, extracted: check, ends: check + extraction + reply, status: run.Failed},
		"also what it knows of the model":     {hangs: all, encoder: true, extracted: check, ends: check + extraction + reply, status: run.Failed},
		"the check":                           {hangs: only("check"), extracted: check, ends: 2 * check, status: run.Completed},
		"the check, after a word":             {hangs: only("check after a word"), extracted: check, ends: 2 * check, status: run.Completed},
		"what is read ahead":                  {hangs: only("ahead"), extracted: check, ends: check, status: run.Completed},
		"what keeps the place of the others":  {hangs: only("busy", "ahead"), extracted: check, ends: check, status: run.Completed},
		"the context tools":                   {hangs: only("extraction"), ends: extraction, status: run.Completed},
		"the context tools and their encoder": {hangs: only("extraction"), encoder: true, ends: extraction, status: run.Completed},
		"the encoder":                         {hangs: only(), encoder: true, ends: 30 * time.Second, status: run.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newTwin(t)
				s := &stuck{puppet: h.model, hangs: c.hangs, began: time.Now(), asked: map[string]time.Duration{}}
				h.live.Models = model.Set{Main: s, Light: s}
				if c.encoder {
					h.live.Encoder = never{}
				}
				out := h.ask("pat-alder", nothing)
				took := time.Since(s.began)
				if out.Run.Status != c.status || out.Run.Status == run.Failed && !errors.Is(out.Err, model.ErrStalled) {
					t.Errorf("the turn is %s (%v)", out.Run.Status, out.Err)
				}
				if at, ok := s.asked["extraction"]; ok && at > c.extracted+slack {
					t.Errorf("the check was over after %v", at)
				}
				if at, ok := s.asked["ahead"]; ok && at >= check {
					t.Errorf("something was read ahead after %v, when the check was over", at)
				}
				if took > c.ends+slack {
					t.Errorf("the turn ended after %v: %v", took, s.asked)
				}
				for _, e := range h.of(out, journal.SafetyChecked) {
					d, err := journal.Read[journal.SafetyCheckedData](e)
					if err != nil || (c.hangs("check") || c.hangs("check after a word")) != d.Degraded {
						t.Errorf("the check says %+v (%v)", d, err)
					}
				}
			})
		})
	}
}

// What one call of a turn learns of a server that says nothing, all later ones know.
func TestNavigator_AllCallsOfATurnShareWhatTheyKnowOfSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTwin(t)
		s := &stuck{puppet: h.model, hangs: func(string) bool { return false }, began: time.Now(), asked: map[string]time.Duration{}}
		h.live.Models, h.live.Silence = model.Set{Main: s, Light: s}, new(model.Silence)
		h.status(h.ask("pat-alder", nothing), run.Completed)
		for _, known := range s.silence {
			if known != h.live.Silence {
				t.Errorf("of %d calls one knows nothing of the others", len(s.silence))
			}
		}
		if len(s.silence) < 4 {
			t.Errorf("only %d calls: %v", len(s.silence), s.asked)
		}
	})
}

// "The model did not answer, and then my providers were ranked by keywords, although the encoder is in the program."
func TestNavigator_TheEncoderInsideRanksHoweverLongTheModelWasWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTwin(t)
		s := &stuck{puppet: h.model, hangs: func(what string) bool { return what == "extraction" }, began: time.Now(), asked: map[string]time.Duration{}}
		h.live.Models, h.live.Encoder = model.Set{Main: s, Light: s}, quick{}
		out := h.status(h.ask("pat-alder", nothing), run.Completed)
		var fit struct{ Method string }
		if err := json.Unmarshal(navigator.ChannelBundle.Get(out.State)["therapeutic_fit"], &fit); err != nil || fit.Method != "embeddings" {
			t.Errorf("ranked by %q (%v)", fit.Method, err)
		}
	})
}
