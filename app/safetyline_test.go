package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/app"
)

// "I chose the United Kingdom, and the line at the foot still told me to find out my emergency number."
func TestSafetyLine_HasTheNumberOfTheChosenRegion(t *testing.T) {
	a := clinic(t, 0)
	carriedOut(t, a, "s1")
	line := func() string {
		t.Helper()
		s, err := a.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.SafetyLine
	}
	if line() != app.SafetyLine {
		t.Errorf("without a region it is %q", line())
	}
	for region, number := range map[string]string{"GB": "999", "FR": "112", "AU": "000"} {
		if err := a.Set("region", json.RawMessage(`"`+region+`"`)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(line(), "call "+number+".") {
			t.Errorf("in %s it is %q", region, line())
		}
		for _, format := range []string{"md", "html", "json"} {
			e, err := a.Export(app.ExportQuery{Session: "s1", Format: format})
			if err != nil || !strings.Contains(exported(t, e), "call "+number+".") {
				t.Errorf("%s in %s has another line (%v)", format, region, err)
			}
		}
		e, err := a.Export(app.ExportQuery{Session: "s1", Language: "fr"})
		if err != nil || !strings.Contains(exported(t, e), "appelez le "+number+".") {
			t.Errorf("in French in %s it is another line (%v)", region, err)
		}
	}
}
