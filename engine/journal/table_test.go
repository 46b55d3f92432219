package journal

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// constants reads the constants of a type from the package's source, so that one nobody
// thought of is found too.
func constants(t *testing.T, typ string) (out []string) {
	t.Helper()
	for _, name := range []string{"kind.go", "enum.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == typ {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, text)
			}
			return true
		})
	}
	return out
}

func TestEveryKindIsInTheTable(t *testing.T) {
	kinds := constants(t, "Kind")
	if len(kinds) < 40 {
		t.Fatalf("only %d kinds were found", len(kinds))
	}
	seen := map[Kind]bool{}
	for _, k := range kinds {
		kind := Kind(k)
		if seen[kind] {
			t.Errorf("%s stands for two kinds", kind)
		}
		seen[kind] = true
		p, ok := payloads[kind]
		if !ok {
			t.Errorf("%s is not in the table of payloads", kind)
		} else if p == nil {
			t.Errorf("%s has no type in the table of payloads; one that says all in the event's members has an empty struct", kind)
		} else if p.Kind() != kind {
			t.Errorf("the payload of %s says that it belongs to %s", kind, p.Kind())
		}
	}
	for kind := range payloads {
		if !seen[kind] {
			t.Errorf("%q is in the table and no kind", kind)
		}
	}
	for kind, status := range statuses {
		if !seen[kind] {
			t.Errorf("%q has statuses and is no kind", kind)
		}
		if name := reflect.TypeOf(status).Name(); len(constants(t, name)) == 0 {
			t.Errorf("%s of %s has no values", name, kind)
		}
	}
}

// "Scripts read our journal line by line." A kind that says all in the event's members is written as it always was, without data.
func TestAnEmptyPayloadAddsNothingToTheJournal(t *testing.T) {
	e := Event{Session: "s", Stage: "think", Error: "no"}.With(TurnFailedData{})
	e.Render()
	got, err := json.Marshal(e)
	want, werr := json.Marshal(Event{Kind: TurnFailed, Session: "s", Stage: "think", Error: "no"})
	if err != nil || werr != nil || string(got) != string(want) {
		t.Errorf("%s, want %s (%v, %v)", got, want, err, werr)
	}
}

// TestEveryPayloadSurvivesTheWayThroughTheStore fills every member of every payload.
func TestEveryPayloadSurvivesTheWayThroughTheStore(t *testing.T) {
	for kind, zero := range payloads {
		if p, err := Decode(Event{Kind: kind, Data: json.RawMessage(`{"left":"over"}`)}); err != nil || !reflect.DeepEqual(p, zero) {
			t.Errorf("%s takes a member that it does not know: %v, %v", kind, p, err)
		}
		full := reflect.New(reflect.TypeOf(zero)).Elem()
		fill(full)
		want := full.Interface().(Payload)
		e := Event{Session: "s"}.With(want)
		e.Render()
		if empty := full.NumField() == 0; empty != (e.Data == nil) {
			t.Errorf("%s has the data %q", kind, e.Data)
		}
		stored, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back Event
		if err := json.Unmarshal(stored, &back); err != nil {
			t.Fatal(err)
		}
		if got, err := Decode(back); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n%s\n%+v", kind, err, back.Data, got)
		}
		if name := strings.TrimSuffix(reflect.TypeOf(zero).Name(), "Data"); name == reflect.TypeOf(zero).Name() {
			t.Errorf("%s is not named …Data", name)
		}
	}
}

// fill puts something into every field.
func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"some":["json"]}`))
		return
	case v.Type().PkgPath() == "time" && v.Kind() == reflect.Struct:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		elem := reflect.New(v.Type().Elem()).Elem()
		fill(elem)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), elem)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	default:
		panic("a payload has a " + v.Type().String())
	}
}
