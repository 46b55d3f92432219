package tongue_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"holdpoint/app/tongue"
)

// TestProblem_EachPartOfAnErrorIsSaid: "The message began in French and ended in English." The
// screens say the same list the same way (frontend/src/text/failure.test.ts).
func TestProblem_EachPartOfAnErrorIsSaid(t *testing.T) {
	body, err := os.ReadFile("testdata/problems.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]*string
	if err := json.Unmarshal(body, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		english, want := *c[0], *c[0]
		if c[1] != nil {
			want = *c[1]
		}
		if got, known := tongue.French.Problem(english); got != want || known != (c[1] != nil) {
			t.Errorf("%q is %q (known: %t), want %q", english, got, known, want)
		}
		if got, known := tongue.Tongue("en").Problem(english); got != english || !known {
			t.Errorf("in English %q is %q", english, got)
		}
	}
}

func TestProblem_AHostileTextTakesNoTime(t *testing.T) {
	began := time.Now()
	for _, hostile := range []string{strings.Repeat("is: ", 1000), strings.Repeat("is not ; ", 400), strings.Repeat("(", 3000) + strings.Repeat(")", 900), strings.Repeat("a has no b: ", 20)} {
		tongue.French.Problem(hostile)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}
