package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// shelf is where blobs go in these tests.
type shelf map[string]string

func (s shelf) PutBlob(body []byte) (string, error) {
	sum := sha256.Sum256(body)
	name := "sha256:" + hex.EncodeToString(sum[:])
	s[name] = string(body)
	return name, nil
}

type fullShelf struct{}

var errFull = errors.New("full")

func (fullShelf) PutBlob([]byte) (string, error) { return "", errFull }

func TestFitKeepsEveryEventUnder4KBAndLosesNothing(t *testing.T) {
	long := strings.Repeat("x", 5000)
	hostile := strings.Repeat("\x00\"\u2028<", 3000)
	many := make([]string, 2000)
	for i := range many {
		many[i] = "tool"
	}
	patch := map[string]json.RawMessage{}
	for i := range 300 {
		patch[strings.Repeat("c", i+1)] = json.RawMessage(`"` + strings.Repeat("v", 50) + `"`)
	}
	for name, p := range map[string]Payload{
		"arguments":             ToolStartedData{Args: raw(long)},
		"escapes":               ToolStartedData{Args: raw(hostile)},
		"a list":                PhaseStartedData{Tools: many},
		"a map":                 TurnStartedData{Agent: "a", Vars: map[string]string{"v": long}},
		"one channel":           StageCompletedData{MS: 1, Patch: map[string]json.RawMessage{"a": raw(long), "b": raw(1)}},
		"hundreds of channels":  StageCompletedData{MS: 1, Patch: patch},
		"a change of the graph": GraphMutatedData{Mutation: Mutation{Op: AddStage, Stage: raw(long)}},
		"a text":                MessageData{Role: Assistant},
	} {
		t.Run(name, func(t *testing.T) {
			blobs := shelf{}
			events := []Event{Event{At: time.Now(), Session: "s", Turn: "t", Stage: "stage", Text: hostile, Reason: hostile, Error: hostile, Tool: hostile}.With(p), {Kind: StageStarted}}
			if err := Fit(blobs, events); err != nil {
				t.Fatal(err)
			}
			stored, err := json.Marshal(events[0])
			if err != nil || len(stored) > 4<<10 {
				t.Fatalf("%d bytes, %v", len(stored), err)
			}
			if _, err := Decode(events[0]); err != nil {
				t.Errorf("it cannot be read any more: %v\n%s", err, events[0].Data)
			}
			whole := string(events[0].Data)
			for round := 0; round < 3; round++ {
				for name, body := range blobs {
					whole = strings.ReplaceAll(whole, name, body)
				}
			}
			if !strings.Contains(whole, hostile) {
				t.Error("the text is in no blob")
			}
		})
	}
}

func TestFitLeavesWhatFits(t *testing.T) {
	blobs := shelf{}
	d := ToolStartedData{Args: json.RawMessage(`{"q":"` + strings.Repeat("x", MemberRoom+100) + `"}`)}
	events := []Event{Event{Text: "short"}.With(d)}
	if err := Fit(blobs, events); err != nil || len(blobs) > 0 {
		t.Fatalf("%v, %d blobs", err, len(blobs))
	}
	if got, err := Read[ToolStartedData](events[0]); err != nil || !reflect.DeepEqual(got, d) || events[0].Text != "short" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFitSaysWhenABlobCannotBeKept(t *testing.T) {
	long := raw(strings.Repeat("x", 5000))
	for name, e := range map[string]Event{
		"data":   Event{}.With(ToolStartedData{Args: long}),
		"patch":  Event{}.With(StageCompletedData{Patch: map[string]json.RawMessage{"a": long}}),
		"text":   {Kind: Message, Text: strings.Repeat("x", 5000)},
		"a list": {Kind: Message, Data: raw([]json.RawMessage{long})},
	} {
		if err := Fit(fullShelf{}, []Event{e}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCutSplitsNoCharacter(t *testing.T) {
	for n := range 12 {
		if s := Cut("ääääää", n); s != strings.ToValidUTF8(s, "?") || len(strings.TrimSuffix(s, "…")) > n {
			t.Errorf("%d: %q", n, s)
		}
	}
	if s := Cut("äää", 6); s != "äää" {
		t.Errorf("%q", s)
	}
}
