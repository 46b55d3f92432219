package safety

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The sample data lies outside the repository and may be absent. Nothing of it
// is copied here: the questions below are named by a number.
const dataFolder = "../../../shared/data"

// What the rules must reach, here and on other people's messages.
const (
	minRecall   = 0.90 // of people labelled crisis
	maxHelpers  = 0.40 // of people who comfort others
	maxOrdinary = 0.01 // of ordinary counselling questions
)

// acute are the counselling questions that a reader would answer with an
// intervention too: the writer wants to die, hurts themself now, hoards pills,
// or has urges to hurt somebody. They are not ordinary questions.
var acute = map[string]bool{
	"561dd0d0e88a65597bb56a7c": true,
	"561589f17a94c0692d0a6e6c": true,
	"56b354ffc2bfe0f729d6e753": true,
	"56bd60ba4e568f192e1bfb88": true,
	"56201863e3be3a3128a827fb": true,
	"5744803ec792dd6c7063e3fc": true,
	"574f03fcc792dd6c7063e574": true,
	"56970df147d364616625368b": true,
}

type sample struct {
	ID, Title, Label, Severity string
	Text                       messages
}

func readSample(t *testing.T, path string) []sample {
	t.Helper()
	f, err := os.Open(filepath.Join(dataFolder, path))
	if os.IsNotExist(err) {
		t.Logf("%s is not on this machine: nothing measured", path)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []sample
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		var s sample
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMeasuredOnPeopleInCrisisAndPeopleWhoComfort(t *testing.T) {
	if len(readSample(t, "crisis/cssrs-dev.jsonl")) == 0 {
		t.Skip("nothing is measured without the sample data")
	}
	f, err := os.Open(filepath.Join(dataFolder, "crisis/cssrs-dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := Offline.Bench(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("recall %.3f of %d, precision %.3f, false alarms %.3f of %d, ignored %d", r.Recall, r.Crisis, r.Precision, r.FalseAlarmRate, r.None, r.Ignored)
	if r.Recall < minRecall || r.FalseAlarmRate > maxHelpers || r.People != 250 {
		t.Errorf("recall %.3f, want %.2f; alarms on people who comfort %.3f, at most %.2f", r.Recall, minRecall, r.FalseAlarmRate, maxHelpers)
	}
}

func TestMeasuredOnCounsellingQuestions(t *testing.T) {
	questions := readSample(t, "counsel-questions/questions.jsonl")
	if len(questions) == 0 {
		t.Skip("nothing is measured without the sample data")
	}
	ordinary, alarms, acuteAlarms := 0, 0, 0
	for _, q := range questions {
		hijack := false
		for _, text := range q.Text {
			hijack = Check(q.Title+"\n"+text).Hijack || hijack
		}
		switch {
		case acute[q.ID]:
			if hijack {
				acuteAlarms++
			}
		default:
			ordinary++
			if hijack {
				alarms++
			}
		}
	}
	t.Logf("ordinary questions: %d alarms of %d; acute ones: %d of %d", alarms, ordinary, acuteAlarms, len(acute))
	if float64(alarms) > maxOrdinary*float64(ordinary) {
		t.Errorf("%d false alarms on %d ordinary questions", alarms, ordinary)
	}
}
