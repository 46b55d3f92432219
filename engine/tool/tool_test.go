package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/record"
	"holdpoint/engine/tool"
	"holdpoint/store/storetest"
)

const schema = `{"type":"object","properties":{"provider":{"type":"string","minLength":1},"days":{"type":"integer"},"when":{"type":"string","format":"date-time"},"extra":{"type":"object"}},"required":["provider"],"additionalProperties":false}`

func read(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) { return nil, nil }

func plan(record.Tx, tool.Env, json.RawMessage) (tool.Plan, error) { return tool.Plan{}, nil }

func outside(context.Context, tool.Env, json.RawMessage, string) (json.RawMessage, error) {
	return nil, nil
}

func TestOutside_IsPlannedWithItsArgumentsAndNoRecord(t *testing.T) {
	s, err := tool.NewSet(tool.Tool{Name: "send", Server: "mail", Parameters: json.RawMessage(`{"type":"object"}`), Outside: outside})
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.Get("send")
	if err != nil || !x.Mutates() {
		t.Fatal("an outside tool needs no approval", err)
	}
	p, err := x.Plan(nil, tool.Env{}, json.RawMessage(`{"to":"a"}`))
	if err != nil || string(p.Args) != `{"to":"a"}` || len(p.Targets)+len(p.Changes) > 0 || !strings.Contains(p.Title, "send on mail") {
		t.Errorf("planned %+v, %v", p, err)
	}
	if again, err := tool.NewSet(x); err != nil || again.Len() != 1 {
		t.Errorf("a tool of one set does not fit into another: %v", err)
	}
	if d := s.Describe()[0]; !d.Mutates || !d.Outside || d.Server != "mail" {
		t.Errorf("described as %+v", d)
	}
}

func TestOnly_KeepsOrderAndNames(t *testing.T) {
	s := newSet(t)
	part := s.Only(func(x tool.Tool) bool { return !x.Mutates() })
	if part.Len() != 1 || part.Offer()[0].Name != "look" {
		t.Errorf("kept %v", part.Offer())
	}
	if _, err := part.Get("book"); !errors.Is(err, tool.ErrUnknown) {
		t.Errorf("a tool that was left out is found: %v", err)
	}
	if _, err := part.Check("book", json.RawMessage(`{"provider":"a"}`)); !errors.Is(err, tool.ErrUnknown) {
		t.Errorf("a tool that was left out is checked: %v", err)
	}
}

func TestNewSet_RefusesWhatCannotBeChecked(t *testing.T) {
	good := tool.Tool{Name: "look", Parameters: json.RawMessage(schema), Read: read}
	with := func(change func(*tool.Tool)) tool.Tool { x := good; change(&x); return x }
	for name, tools := range map[string][]tool.Tool{
		"two of one name":          {good, good},
		"one without a name":       {with(func(x *tool.Tool) { x.Name = "" })},
		"one that does nothing":    {with(func(x *tool.Tool) { x.Read = nil })},
		"one that reads and plans": {with(func(x *tool.Tool) { x.Plan = plan })},
		"no schema":                {with(func(x *tool.Tool) { x.Parameters = nil })},
		"a schema that is no JSON": {with(func(x *tool.Tool) { x.Parameters = json.RawMessage(`{`) })},
		"a schema that is no schema": {with(func(x *tool.Tool) {
			x.Parameters = json.RawMessage(`{"type":"object","additionalProperties":false,"required":"provider"}`)
		})},
		"a schema of a list":               {with(func(x *tool.Tool) { x.Parameters = json.RawMessage(`{"type":"array"}`) })},
		"a schema that is only true":       {with(func(x *tool.Tool) { x.Parameters = json.RawMessage(`true`) })},
		"a schema that takes any property": {with(func(x *tool.Tool) { x.Parameters = json.RawMessage(`{"type":"object"}`) })},
		"a schema that reads a file": {with(func(x *tool.Tool) {
			x.Parameters = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"testdata/text.json"}}}`)
		})},
		"one that plans and reaches out": {with(func(x *tool.Tool) { x.Read, x.Plan, x.Outside = nil, plan, outside })},
		"a schema that reaches elsewhere": {with(func(x *tool.Tool) {
			x.Parameters = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"https://example.com/x.json"}}}`)
		})},
	} {
		if _, err := tool.NewSet(tools...); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := tool.NewSet(); err != nil {
		t.Errorf("no tools: %v", err)
	}
}

func newSet(t *testing.T) *tool.Set {
	t.Helper()
	s, err := tool.NewSet(
		tool.Tool{Name: "look", Description: "looks", Parameters: json.RawMessage(schema), Read: read},
		tool.Tool{Name: "book", Parameters: json.RawMessage(schema), Plan: plan, RiskHigh: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSet_ListsItsToolsInOrder(t *testing.T) {
	s := newSet(t)
	if d := s.Describe(); len(d) != 2 || d[0].Name != "look" || d[0].Mutates || d[1].Name != "book" || !d[1].Mutates || !d[1].RiskHigh {
		t.Errorf("described as %+v", d)
	}
	if o := s.Offer(); len(o) != 2 || o[0].Name != "look" || o[0].Description != "looks" || string(o[1].Parameters) != schema {
		t.Errorf("offered as %+v", o)
	}
	if tl, err := s.Get("book"); err != nil || !tl.Mutates() {
		t.Errorf("book is %+v (%v)", tl, err)
	}
	for _, name := range []string{"", "Book", "book ", "other"} {
		if _, err := s.Get(name); !errors.Is(err, tool.ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := s.Check(name, json.RawMessage(`{"provider":"p"}`)); !errors.Is(err, tool.ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestSafety_17_AmbiguousOrUnfitArgumentsNeverReachAPrompt(t *testing.T) {
	s := newSet(t)
	for name, args := range map[string]string{
		"nothing":                       ``,
		"null":                          `null`,
		"a list":                        `["p"]`,
		"a property that is missing":    `{}`,
		"a property of the wrong type":  `{"provider":1}`,
		"a property that is too short":  `{"provider":""}`,
		"a fraction for an integer":     `{"provider":"p","days":1.5}`,
		"a time that is none":           `{"provider":"p","when":"tomorrow"}`,
		"an unknown property":           `{"provider":"p","force":true}`,
		"a property in another case":    `{"provider":"p","Provider":"q"}`,
		"another case alone":            `{"Provider":"q"}`,
		"another case in a free object": `{"provider":"p","extra":{"id":1,"ID":2}}`,
		"another case deep in a list":   `{"provider":"p","extra":{"l":[{"k":1,"\u212a":2}]}}`,
		"a key twice":                   `{"provider":"p","provider":"q"}`,
		"a key twice in a free object":  `{"provider":"p","extra":{"id":1,"id":2}}`,
		"text behind":                   `{"provider":"p"}x`,
		"an integer that floats round":  `{"provider":"p","days":9007199254740993}`,
		"more than 64 KB":               `{"provider":"` + strings.Repeat("p", 64<<10) + `"}`,
		"more than 64 KB of blanks":     `{"provider":"p"}` + strings.Repeat(" ", 64<<10),
	} {
		if out, err := s.Check("book", json.RawMessage(args)); !errors.Is(err, tool.ErrArguments) {
			t.Errorf("%s: %.60s (%v)", name, out, err)
		}
	}
}

// "The turn failed, it said, at schema:///tool.json#."
func TestCheck_SaysWhatDoesNotFitOnOneLine(t *testing.T) {
	_, err := newSet(t).Check("book", json.RawMessage(`{"provider":1,"force":true}`))
	if said := fmt.Sprint(err); strings.ContainsAny(said, "\n") || strings.Contains(said, "schema") || !strings.Contains(said, "got number, want string at /provider") || !strings.Contains(said, "'force'") {
		t.Errorf("%s", said)
	}
}

func TestCheck_ReturnsTheCanonicalForm(t *testing.T) {
	s := newSet(t)
	for in, want := range map[string]string{
		`{ "provider" : "p" }`:                                     `{"provider":"p"}`,
		`{"when":"2026-03-01T09:00:00Z","provider":"\u0070"}`:      `{"provider":"p","when":"2026-03-01T09:00:00Z"}`,
		`{"provider":"p","days":14.0,"extra":{"b":1,"a":{"b":1}}}`: `{"days":14,"extra":{"a":{"b":1},"b":1},"provider":"p"}`,
	} {
		out, err := s.Check("look", json.RawMessage(in))
		if err != nil || string(out) != want {
			t.Errorf("%s became %s (%v), want %s", in, out, err, want)
		}
	}
}

func TestRefusal_IsItsReason(t *testing.T) {
	var no *tool.Refusal
	if err := error(&tool.Refusal{Reason: "the slot is taken"}); !errors.As(err, &no) || err.Error() != "the slot is taken" {
		t.Errorf("%v", err)
	}
}

// "I approved an address with an & in it, and was told that it is ambiguous." A plan's arguments
// have the canonical form however a tool wrote them.
func TestSafety_17_APlansArgumentsAreCanonicalHoweverTheToolWroteThem(t *testing.T) {
	plan := func(record.Tx, tool.Env, json.RawMessage) (tool.Plan, error) {
		return tool.Plan{Args: json.RawMessage(`{"b":"Main \u0026 5th","a" : 1}`)}, nil
	}
	set, err := tool.NewSet(tool.Tool{Name: "file", Parameters: json.RawMessage(`{"type":"object","additionalProperties":false}`), Plan: plan},
		tool.Tool{Name: "draw", Parameters: json.RawMessage(`{"type":"object","additionalProperties":false}`), Keep: plan,
			Read: func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) { return nil, nil }})
	if err != nil {
		t.Fatal(err)
	}
	for name, work := range map[string]func(tool.Tool) tool.Tool{"file": tool.Tool.Held, "draw": tool.Tool.Signed} {
		tl, err := set.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := work(tl).Plan(nil, tool.Env{}, nil); err != nil || string(p.Args) != `{"a":1,"b":"Main & 5th"}` {
			t.Errorf("%s: %s %v", name, p.Args, err)
		}
	}
}

// "It said that jsonschema validation failed with schema:///tool.json." What does not fit is
// said with its place, in words of the arguments.
func TestCheck_SaysWhatDoesNotFitAndWhere(t *testing.T) {
	s := newSet(t)
	for args, want := range map[string]string{
		`{"provider":1}`:                `got number, want string at /provider`,
		`{}`:                            `missing property 'provider'`,
		`{"provider":"p","force":true}`: `additional properties 'force' not allowed`,
	} {
		_, err := s.Check("book", json.RawMessage(args))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "schema") {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// "A record stood in my store that no approval had shown." A plan only looks: one that writes fails, also in the
// transaction in which the approved change is made, and whatever it does with the error.
func TestPlan_NeverWrites(t *testing.T) {
	db := storetest.Open(t)
	evil := record.Record{Ref: record.Ref{Type: "Fridge", ID: "evil"}, Resource: json.RawMessage(`{"resourceType":"Fridge","id":"evil"}`)}
	for name, write := range map[string]func(record.Tx){
		"puts":    func(tx record.Tx) { _ = tx.PutRecord(evil) },
		"deletes": func(tx record.Tx) { _ = tx.DeleteRecord(evil.Ref) },
	} {
		s, err := tool.NewSet(tool.Tool{Name: "log_temperature", Parameters: json.RawMessage(schema), Plan: func(tx record.Tx, _ tool.Env, args json.RawMessage) (tool.Plan, error) {
			write(tx)
			return tool.Plan{Args: args, Title: "Log it"}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		x, err := s.Get("log_temperature")
		if err != nil {
			t.Fatal(err)
		}
		err = db.UpdateRecords(func(tx record.Tx) error {
			_, err := x.Plan(tx, tool.Env{}, json.RawMessage(`{"provider":"a"}`))
			if err == nil || !strings.Contains(err.Error(), "log_temperature") || !strings.Contains(err.Error(), "Fridge/evil") {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := tx.Record(evil.Ref); !errors.Is(err, record.ErrNotFound) {
				t.Errorf("%s: the record is there (%v)", name, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// "It said “schema of t: EOF”." A mistake in a tool says what to do.
func TestNewSet_SaysWhatIsWrongWithATool(t *testing.T) {
	good := tool.Tool{Name: "look", Parameters: json.RawMessage(schema), Read: read}
	for _, c := range []struct {
		tool tool.Tool
		want string
	}{
		{tool.Tool{Name: "look up", Parameters: good.Parameters, Read: read}, "one word"}, {tool.Tool{Parameters: good.Parameters, Read: read}, "one word"}, {good, "two tools called"},
		{tool.Tool{Name: "t", Parameters: good.Parameters}, "give it Read, Plan or Outside"}, {tool.Tool{Name: "t", Parameters: good.Parameters, Read: read, Plan: plan}, "has Read and Plan"},
		{tool.Tool{Name: "t", Read: read}, "has no Parameters"},
	} {
		if _, err := tool.NewSet(good, c.tool); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.tool.Name, err, c.want)
		}
	}
}
