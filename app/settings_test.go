package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"holdpoint/app"
)

// "I chose two things quickly, and one of them was not kept."
func TestSettings_ChoicesMadeAtOnceAreAllKept(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := a.SetRoles(fmt.Sprint("Person ", i), "engineer", app.Proof{}); err != nil {
				t.Error(err)
			}
			if err := a.Set("theme", json.RawMessage(`"dark"`)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, err := a.Settings()
	if err != nil || len(s.People) != 20 || s.Theme != "dark" {
		t.Errorf("%d people are kept, theme %s: %v", len(s.People), s.Theme, err)
	}
}

// "The list did not show the feature, it refused ‘on’, and took a collection that there is none of."
func TestCompanion_C32_FeaturesAndCollectionsAreShownAndChecked(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	s, err := a.Settings()
	if err != nil {
		t.Fatal(err)
	}
	on, from := a.Offered(s)
	if is, ok := on["enable_dynamic_question_generation"]; !ok || is || len(from) != 2 {
		t.Errorf("%v %v", on, from)
	}
	for value, want := range map[string]bool{"on": true, "off": false, "true": true, "false": false} {
		if err := a.Set("feature.enable_dynamic_question_generation", json.RawMessage(strconv.Quote(value))); err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		if s, err = a.Settings(); err != nil || s.Features["enable_dynamic_question_generation"] != want {
			t.Errorf("%s: %v, %v", value, s.Features, err)
		}
	}
	var f *app.Fault
	if err := a.Set("collection.teen", json.RawMessage(`"nix"`)); !errors.As(err, &f) || !strings.Contains(f.Hint, "import documents first") {
		t.Errorf("of an empty library: %v", err)
	}
	folder := filepath.Join(t.TempDir(), "school")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte("Sleep helps before exams."), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ImportDocuments(t.Context(), folder, func(int64, int64, string, string) {}); err != nil {
		t.Fatal(err)
	}
	page, err := a.Documents("", "", "", "", 0)
	if err != nil || len(page.Summary.Sources) != 1 {
		t.Fatalf("%+v, %v", page.Summary, err)
	}
	source := page.Summary.Sources[0].Source
	if err := a.Set("collection.teen", json.RawMessage(`"nix"`)); !errors.As(err, &f) || !strings.Contains(f.Hint, source) {
		t.Errorf("the refusal does not name %s: %v", source, err)
	}
	for _, is := range []string{source, ""} {
		if err := a.Set("collection.teen", json.RawMessage(strconv.Quote(is))); err != nil {
			t.Errorf("%q: %v", is, err)
		}
	}
}
