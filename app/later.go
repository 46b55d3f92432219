package app

import (
	"context"
	"time"

	"holdpoint/engine/encoder"
	"holdpoint/engine/model"
)

// later are models that a turn begins without: it is kept, seen and can be stopped at once,
// and a message with a sign of danger is answered with help, whatever the model server does.
// Who asks one of the models waits for the choice, and gets its error.
type later struct {
	chosen chan struct{} // closed when the fields below are there
	set    model.Set
	embeds encoder.Encoder
	info   model.Info
	err    error
	// builtIn is the encoder that needs no server.
	builtIn encoder.Encoder
}

// How long the start of a turn waits for a server that is at hand: help is promised within a
// second, and of any other message within a few what is done with it. Our own server is
// mostly there by then.
const (
	soon     = 200 * time.Millisecond
	patience = 3 * time.Second
)

// chooseLater chooses models in the background.
func (m *Models) chooseLater(scripts []model.Script) *later {
	l := &later{chosen: make(chan struct{}), builtIn: m.a.builtIn()}
	go func() {
		defer close(l.chosen)
		l.set, l.embeds, l.info, l.err = m.choose(m.a.ctx, playing{}, scripts)
	}()
	return l
}

// within are the models when they are chosen, or the choice failed, by then; else stand-ins,
// and the encoder inside.
func (l *later) within(ctx context.Context, wait time.Duration) (model.Set, encoder.Encoder, model.Info, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-l.chosen:
		return l.set, l.embeds, l.info, l.err
	case <-timer.C:
	case <-ctx.Done():
	}
	return l.without()
}

// without is a turn's start that waits for no model.
func (l *later) without() (model.Set, encoder.Encoder, model.Info, error) {
	return l.standIns(), l.builtIn, model.Info{}, nil
}

func (l *later) standIns() model.Set {
	return model.Set{Main: standIn{l, model.Main}, Light: standIn{l, model.Light}}
}

// standIn is a model that is still being chosen.
type standIn struct {
	*later
	role model.Role
}

func (s standIn) model(ctx context.Context) (model.Model, error) {
	select {
	case <-s.chosen:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.role == model.Light {
		return s.set.Light, s.err
	}
	return s.set.Main, s.err
}

func (s standIn) Info(ctx context.Context) (model.Info, error) {
	m, err := s.model(ctx)
	if err != nil {
		return model.Info{}, err
	}
	return m.Info(ctx)
}

func (s standIn) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Response, error) {
	m, err := s.model(ctx)
	if err != nil {
		return model.Response{}, err
	}
	return m.Chat(ctx, r, onText)
}
