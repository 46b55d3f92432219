package journal

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

const digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

func TestDecodeTakesWhatItCan(t *testing.T) {
	ref := `{"blob":"` + digest + `","size":9000}`
	for name, c := range map[string]struct {
		kind Kind
		data string
		want Payload
		err  bool
	}{
		"nothing":                     {ToolStarted, ``, ToolStartedData{}, false},
		"null":                        {ToolStarted, `null`, ToolStartedData{}, false},
		"an unknown member":           {GuardActed, `{"guard":"g","since":2031}`, GuardActedData{Guard: "g"}, false},
		"a list that moved":           {PhaseStarted, `{"tools":` + ref + `}`, PhaseStartedData{}, false},
		"a map that moved":            {TurnStarted, `{"agent":"a","vars":` + ref + `}`, TurnStartedData{Agent: "a"}, false},
		"an object that moved":        {GraphMutated, `{"fingerprint":"f","mutation":` + ref + `}`, GraphMutatedData{Fingerprint: "f"}, false},
		"a text that moved":           {QuestionAnswered, `{"pause":"p","prompt":` + ref + `}`, QuestionAnsweredData{Pause: "p"}, false},
		"any JSON that moved":         {ToolStarted, `{"args":` + ref + `}`, ToolStartedData{Args: json.RawMessage(ref)}, false},
		"a channel that moved":        {StageCompleted, `{"ms":3,"patch":{"a":1,"b":` + ref + `}}`, StageCompletedData{MS: 3, Patch: map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage(ref)}}, false},
		"all of it moved":             {StageCompleted, ref, StageCompletedData{}, false},
		"the text is elsewhere":       {Message, `{"role":"assistant","text":` + ref + `}`, MessageData{Role: Assistant, LongText: LongText{&Blob{digest, 9000}}}, false},
		"what only looks like a blob": {TurnStarted, `{"vars":{"blob":"sha256:x","size":"9"}}`, TurnStartedData{Vars: map[string]string{"blob": "sha256:x", "size": "9"}}, false},
		"how many were kept, as in the first journals": {TurnResumed, `{"kept":3,"rerun":["a"],"unknown":1}`, TurnResumedData{Rerun: []StageID{"a"}, Unknown: 1}, true},
		"a list":      {ToolStarted, `[1]`, ToolStartedData{}, true},
		"half a line": {ToolStarted, `{"args":`, ToolStartedData{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Decode(Event{Kind: c.kind, Data: json.RawMessage(c.data)})
			if (err != nil) != c.err || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if p, err := Decode(Event{Kind: "from_the_future", Data: json.RawMessage(`{}`)}); p != nil || !errors.Is(err, ErrUnknownKind) {
		t.Errorf("an unknown kind: %v, %v", p, err)
	}
}

func TestReadIsForOneKind(t *testing.T) {
	e := Event{}.With(GuardActedData{Guard: "g"})
	if d, err := Read[GuardActedData](e); err != nil || d.Guard != "g" || e.Kind != GuardActed {
		t.Errorf("%+v, %v of %+v", d, err, e)
	}
	if d, err := Read[ToolStartedData](e); err == nil || d.Args != nil {
		t.Errorf("another kind: %+v, %v", d, err)
	}
}

func FuzzDecode(f *testing.F) {
	for kind, p := range payloads {
		f.Add(string(kind), []byte(`{"blob":"`+digest+`","size":1}`))
		f.Add(string(kind), []byte(raw(p)))
	}
	f.Add("message", []byte(`{"text":{"blob":"sha256:","size":-1},"degraded":{"blob":"sha256:","size":1e9}}`))
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		p, err := Decode(Event{Kind: Kind(kind), Data: data})
		if err != nil || p == nil {
			return
		}
		if p.Kind() != Kind(kind) {
			t.Fatalf("a %s for a %s", p.Kind(), kind)
		}
		// What was read can be told again, and then reads the same.
		e := Event{}.With(p)
		e.Render()
		again, err := Decode(e)
		if err != nil {
			t.Fatalf("%s: %v", e.Data, err)
		}
		second := Event{}.With(again)
		if second.Render(); string(second.Data) != string(e.Data) && !strings.Contains(string(e.Data), blobPrefix) {
			t.Fatalf("%s\n%s", e.Data, second.Data)
		}
	})
}
