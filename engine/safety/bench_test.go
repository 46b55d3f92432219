package safety

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestBenchScoresPeople(t *testing.T) {
	input := `{"id":"a","text":"I want to kill myself tonight","label":"crisis"}
{"id":"b","text":["Nice weather today","I have had enough of Mondays"],"label":"crisis","severity":"ideation"}

{"id":"c","text":["Hello","I want to die"],"label":"none"}
{"id":4,"text":"How do I sleep better?","label":"none"}
{"id":"e","text":"I want to die","label":"unclear"}`
	r, err := Offline.Bench(strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	if r.Recall != .5 || r.Precision != .5 || r.FalseAlarmRate != .5 || r.People != 5 || r.Crisis != 2 || r.None != 2 || r.Ignored != 1 {
		t.Errorf("got %+v", r)
	}
	if len(r.Misses) != 1 || r.Misses[0].ID != "b" || len(r.FalseAlarms) != 1 || r.FalseAlarms[0].ID != "c" || r.FalseAlarms[0].Excerpt != "I want to die" || r.FalseAlarms[0].Score < 10 {
		t.Errorf("got misses %+v, false alarms %+v", r.Misses, r.FalseAlarms)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`"recall":0.5`, `"precision":0.5`, `"false_alarm_rate":0.5`, `"people":5`} {
		if !strings.Contains(string(b), name) {
			t.Errorf("%s is not in %s", name, b)
		}
	}
}

func TestBenchTakesLongLinesAndClipsExcerpts(t *testing.T) {
	text, err := json.Marshal([]string{strings.Repeat("für alle ", 150_000), "ok"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Offline.Bench(strings.NewReader(`{"id":"long","text":` + string(text) + `,"label":"crisis"}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Misses) != 1 || len(r.Misses[0].Excerpt) > 200 || strings.ContainsRune(r.Misses[0].Excerpt, '\uFFFD') {
		t.Errorf("got %+v", r.Misses)
	}
}

func TestBenchOfNobodyIsZero(t *testing.T) {
	r, err := Offline.Bench(strings.NewReader("\n"))
	if err != nil || r.People != 0 || r.Recall != 0 || r.Precision != 0 || r.FalseAlarmRate != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestBenchNamesTheBadLine(t *testing.T) {
	good := `{"id":"a","text":"hello","label":"none"}` + "\n"
	for name, line := range map[string]string{
		"no JSON":          `hello`,
		"cut off":          `{"id":"a","text":"hel`,
		"text is a number": `{"id":"a","text":7,"label":"none"}`,
		"a mixed list":     `{"id":"a","text":["a",7],"label":"none"}`,
		"no text":          `{"id":"a","label":"none"}`,
		"no label":         `{"id":"a","text":"hello"}`,
		"id is a list":     `{"id":[],"text":"hello","label":"none"}`,
		"a list":           `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Offline.Bench(strings.NewReader(good + line + "\n" + good))
			if !errors.Is(err, ErrBenchInput) || !strings.Contains(err.Error(), "line 2") || !strings.Contains(err.Error(), "label") {
				t.Errorf("got %v", err)
			}
		})
	}
}

type brokenReader struct{}

var errBroken = errors.New("broken")

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

func TestBenchReportsAReadError(t *testing.T) {
	if _, err := Offline.Bench(brokenReader{}); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

// cold is an encoder whose first load takes longer than help waits.
type cold struct {
	stub
	loaded *atomic.Bool
}

func (c cold) Vector(ctx context.Context, texts []string) ([][]float32, error) {
	time.Sleep(readTime + 100*time.Millisecond)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.loaded.Store(true)
	return c.stub.Vector(ctx, texts)
}

// “The first message of my file was read without its meaning, and the last line says that meaning took part.” Nobody
// waits for help where something is measured: all is read.
func TestBench_TheFirstMessageIsReadForItsMeaning(t *testing.T) {
	e := cold{loaded: &atomic.Bool{}}
	c := With(e)
	if rep, err := c.Bench(strings.NewReader(`{"id":1,"text":"I feel so hopeless and alone","label":"crisis"}` + "\n")); err != nil || !e.loaded.Load() {
		t.Errorf("%v, %+v: the encoder was not waited for", err, rep)
	}
	c.Unhurried = true
	if a := c.Assess("I feel so hopeless and alone"); a.Unread {
		t.Error("a message is unread though nobody is in a hurry")
	}
}
