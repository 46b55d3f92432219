package app

import (
	"context"
	"time"

	"holdpoint/engine/encoder"
	"holdpoint/engine/model"
)

// later are models that a turn begins without: a message with a sign of danger is
// answered with help at once, whatever the model server does. Who asks one of the models
// waits for the choice, and gets its error.
type later struct {
	chosen chan struct{} // closed when the fields below are there
	set    model.Set
	embeds encoder.Encoder
	info   model.Info
	err    error
	// builtIn is the encoder that needs no server.
	builtIn encoder.Encoder
}

// soon is how long the start of such a turn waits for a server that is at hand. Help is
// promised within a second.
const soon = 200 * time.Millisecond

// chooseLater chooses models in the background.
func (m *Models) chooseLater(scripts []model.Script) *later {
	l := &later{chosen: make(chan struct{}), builtIn: m.a.builtIn()}
	go func() {
		defer close(l.chosen)
		l.set, l.embeds, l.info, l.err = m.choose(m.a.ctx, playing{}, scripts)
	}()
	return l
}

// now are the models when they are chosen soon; else stand-ins, and the encoder inside.
func (l *later) now(ctx context.Context) (model.Set, encoder.Encoder, model.Info) {
	timer := time.NewTimer(soon)
	defer timer.Stop()
	select {
	case <-l.chosen:
		if l.err == nil {
			return l.set, l.embeds, l.info
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	return l.standIns(), l.builtIn, model.Info{}
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
