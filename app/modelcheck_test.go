package app_test

import (
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/model/modeltest"
)

// "Nobody told me that this model is too small." The stub takes the first choice of every
// schema and says the same to everything.
func TestModels_ACheckSaysWhatAModelIsGoodFor(t *testing.T) {
	s := modeltest.NewSlots(t, 1, 0, 0)
	a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	// "The header says that there is no model, and Models shows one."
	state, err := a.State(t.Context())
	if err != nil || state.Model.Main != nil || state.Model.Server.Status != "stopped" {
		t.Errorf("before anything asked for it: %+v, %v", state.Model, err)
	}
	defer func() {
		if state, err := a.State(t.Context()); err != nil || state.Model.Main == nil || state.Model.Main.Digest != "aa" {
			t.Errorf("after the models were listed: %+v, %v", state.Model.Main, err)
		}
	}()
	doctor := func() string {
		for _, c := range a.Doctor(t.Context()) {
			if c.ID == "model_check" {
				if c.Open != strings.Contains(c.Detail, "not checked yet") || strings.Contains(c.Detail, "holdpoint ") {
					t.Errorf("%+v", c)
				}
				return c.Detail
			}
		}
		return ""
	}
	if got := doctor(); !strings.Contains(got, "not checked yet") {
		t.Errorf("before: %q", got)
	}
	c, err := a.Models.Check(t.Context(), "", func(int, int) {})
	if err != nil || c.Digest != "aa" || !slices.Equal(c.Passed, []string{"calm"}) || !slices.Equal(c.Failed, []string{"schema", "tool call", "instruction", "language"}) {
		t.Fatalf("%+v, %v", c, err)
	}
	asked := len(s.Asked())
	if got := doctor(); !strings.Contains(got, "1 of 5") || !strings.Contains(got, "look things up") {
		t.Errorf("after: %q", got)
	}
	v, err := a.Models.View(t.Context())
	if err != nil || len(v.Models) != 1 || v.Models[0].Check == nil || v.Models[0].Check.Says != c.Says {
		t.Errorf("the models screen: %+v, %v", v.Models, err)
	}
	if len(s.Asked()) != asked {
		t.Error("what is known of a digest was asked again")
	}
}

// "I chose practice mode, and the welcome went on telling me in red that models need attention."
func TestDoctor_PracticeModeNeedsNoModel(t *testing.T) {
	for _, practice := range []bool{false, true} {
		a, err := app.Open(app.Options{Dir: t.TempDir(), Practice: practice, Ollama: "http://127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range a.Doctor(t.Context()) {
			if (c.ID == "models" || c.ID == "ollama") && c.OK != practice {
				t.Errorf("practice %v: %+v", practice, c)
			}
		}
		closeApp(t, a)
	}
}
