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

// "The French card said why in English." Why a request cannot be carried out any more is an error's text in a warning;
// what others wait for stays as people wrote it.
func TestCaution_WhyARequestCannotBeCarriedOutIsSaid(t *testing.T) {
	const taken = "Dr. Okafor is already booked at Monday 30 November 2026 at 10:00 UTC; open instead: Monday 30 November 2026 at 15:00 UTC, Tuesday 1 December 2026 at 11:00 UTC"
	got := tongue.French.Caution("It cannot be carried out any more: " + taken + ".")
	if strings.Contains(got, "booked") || strings.Contains(got, "open") || !strings.Contains(got, "mardi 1er décembre 2026 à 11:00 UTC") {
		t.Error(got)
	}
	if got := tongue.French.Caution("Another request that waits wants the same time: “Open it”."); !strings.Contains(got, "Open it") || strings.Contains(got, "Another") {
		t.Error(got)
	}
}
