package journal

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"testing/quick"
	"time"
)

// "An export of my old turns and of my new ones must read the same." A row is what package
// json makes of the event, whatever is in it.
func TestAppendJSON_IsWhatPackageJSONWrites(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 789, time.FixedZone("", 3600))
	texts := []string{"", "plain", `a "quoted" \ text`, "<b>&</b>", "two\nlines\t\x00\x7f", "é — ʼ", "\u2028", "broken \xff", "日本"}
	data := []string{"", "null", `{"a":1}`, "{ \"a\" : \"b c\",\n\t\"d\": [1, 2] }", `"<&>"`, `{"u":"é"}`}
	same := func(e Event) {
		t.Helper()
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		wrong := enc.Encode(e)
		got, err := e.AppendJSON([]byte("x"))
		if (err == nil) != (wrong == nil) {
			t.Errorf("%+v: %v, package json says %v", e, err, wrong)
		} else if err == nil && string(got) != "x"+string(bytes.TrimSuffix(want.Bytes(), []byte("\n"))) {
			t.Errorf("it is\n%s\nwant\n%s", got[1:], want.Bytes())
		}
	}
	for i, text := range texts {
		for _, d := range data {
			e := Event{Seq: uint64(i), At: at.Add(time.Duration(i) * time.Second), Kind: Kind(text), Data: json.RawMessage(d)}
			v := reflect.ValueOf(&e).Elem()
			for f := range v.NumField() {
				switch field := v.Field(f); {
				case !field.CanSet():
				case field.Kind() == reflect.String:
					field.SetString(text)
				case field.Kind() == reflect.Int:
					field.SetInt(int64(i - 1))
				}
			}
			same(e)
		}
	}
	for _, d := range []string{"{", "1 2", " ", "{}x", `{"a":}`} {
		same(Event{At: at, Data: json.RawMessage(d)})
	}
	same(Event{At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)})
	same(Event{})
	if err := quick.Check(func(session, text, reason string, attempt int, nanos int64) bool {
		same(Event{At: time.Unix(0, nanos), Session: session, Text: text, Reason: reason, Attempt: attempt})
		return !t.Failed()
	}, nil); err != nil {
		t.Error(err)
	}
}
