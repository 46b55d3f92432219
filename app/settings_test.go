package app_test

import (
	"encoding/json"
	"fmt"
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
