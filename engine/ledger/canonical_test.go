package ledger_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
)

func TestSafety_17_AmbiguousArgumentsAreRefused(t *testing.T) {
	for name, args := range map[string]string{
		"nothing":                          ``,
		"blanks":                           " \n",
		"null":                             `null`,
		"a list":                           `[1]`,
		"a text":                           `"x"`,
		"a number":                         `1`,
		"half an object":                   `{"a":1`,
		"a key twice":                      `{"a":1,"a":2}`,
		"a key twice with the same value":  `{"a":1,"a":1}`,
		"a key twice, once escaped":        `{"a":1,"\u0061":2}`,
		"a key twice in a nested object":   `{"x":[{"y":{"a":1,"a":2}}]}`,
		"a key twice behind a nested one":  `{"a":{"a":1},"b":[],"a":2}`,
		"text behind":                      `{"a":1} {"a":2}`,
		"a brace behind":                   `{"a":1}}`,
		"a comma behind":                   `{"a":1},`,
		"a form feed behind":               "{}\f",
		"a comment":                        `{"a":1/*x*/}`,
		"a trailing comma":                 `{"a":1,}`,
		"single quotes":                    `{'a':1}`,
		"a key without quotes":             `{a:1}`,
		"not a number":                     `{"a":NaN}`,
		"infinity":                         `{"a":1e400}`,
		"a leading zero":                   `{"a":01}`,
		"an integer that floats round":     `{"a":9007199254740993}`,
		"the first integer that is unsafe": `{"a":9007199254740992}`,
		"a huge integer":                   `{"a":[-123456789012345678901234567890]}`,
		"a large number with an exponent":  `{"a":1e18}`,
		"half a surrogate pair":            `{"a":"\ud800"}`,
		"the other half":                   `{"\udc00":1}`,
		"bytes that are no text":           "{\"a\":\"\xff\"}",
		"a key that is no text":            "{\"\xff\":1,\"\xfe\":2}",
		"a control character":              "{\"a\":\"\x01\"}",
		"a byte order mark":                "\ufeff{}",
	} {
		if out, err := ledger.Canonical(json.RawMessage(args)); err == nil {
			t.Errorf("%s: %q became %q", name, args, out)
		} else {
			wantErr(t, err, ledger.ErrArguments)
		}
	}
}

func TestCanonical_OneFormForOneMeaning(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"an empty object":                {" {} \n", `{}`},
		"keys are sorted, blanks go":     {`{ "b" : 1 , "a" : [ 1 , {"d":1,"c":2} ] }`, `{"a":[1,{"c":2,"d":1}],"b":1}`},
		"keys in two cases are two keys": {`{"Patient":"1","patient":"2"}`, `{"Patient":"1","patient":"2"}`},
		"a key may come again elsewhere": {`{"a":{"a":1},"b":{"a":1}}`, `{"a":{"a":1},"b":{"a":1}}`},
		"escapes of plain letters go":    {`{"\u0061":"\u00e9\u002f"}`, `{"a":"é/"}`},
		"escapes that are needed stay":   {`{"a":"\u0001\u000a\"\\"}`, `{"a":"\u0001\n\"\\"}`},
		"no HTML escapes":                {`{"a":"\u003c&>"}`, `{"a":"<&>"}`},
		"numbers have one form":          {`{"a":1.0,"b":1e2,"c":-0,"d":0.10,"e":9007199254740991}`, `{"a":1,"b":100,"c":0,"d":0.1,"e":9007199254740991}`},
		"a pair of surrogates":           {`{"a":"\ud83d\ude00"}`, `{"a":"😀"}`},
		"keys are sorted as UTF-16":      {`{"\ufb33":1,"😀":2}`, `{"😀":2,"` + "\ufb33" + `":1}`},
		"invisible characters stay":      {`{"a":"x\u202ey\u200b"}`, "{\"a\":\"x\u202ey\u200b\"}"},
	} {
		out, err := ledger.Canonical(json.RawMessage(c.in))
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %s (%v), want %s", name, out, err, c.want)
		}
	}
	deep := strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000)
	if out, err := ledger.Canonical(json.RawMessage(deep)); err != nil || string(out) != deep {
		t.Errorf("deep nesting: %v", err)
	}
	if _, err := ledger.Canonical(json.RawMessage(strings.Repeat(`{"a":`, 2_000_000))); err == nil {
		t.Error("endless nesting was taken")
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"A":[true,null,"x"]}`, `{"a":1,"a":2}`, `{"n":1e2,"s":"\u00e9"}`, "{\"a\":\"\xff\"}", `{"a":9007199254740993}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := ledger.Canonical(in)
		if err != nil {
			return
		}
		again, err := ledger.Canonical(out)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q became %q and then %q (%v)", in, out, again, err)
		}
		var a, b any
		if err := json.Unmarshal(in, &a); err != nil {
			t.Fatalf("%q was taken and is no JSON: %v", in, err)
		}
		must(t, json.Unmarshal(out, &b))
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%q and %q mean different things", in, out)
		}
	})
}

func TestDigest_CoversEachFieldThatWasShownAndRuns(t *testing.T) {
	base, err := ledger.Digest(sample())
	must(t, err)
	if !strings.HasPrefix(base, "sha256:") || len(base) != 7+64 {
		t.Errorf("digest %q", base)
	}
	seen := map[string]string{base: "the base"}
	for name, change := range map[string]func(*ledger.Approval){
		"session":                func(a *ledger.Approval) { a.Session = "s2" },
		"turn":                   func(a *ledger.Approval) { a.Turn = "t2" },
		"call":                   func(a *ledger.Approval) { a.Call = "c2" },
		"tool":                   func(a *ledger.Approval) { a.Tool = "cancel" },
		"arguments":              func(a *ledger.Approval) { a.Args = json.RawMessage(`{"start":"10:00"}`) },
		"one argument more":      func(a *ledger.Approval) { a.Args = json.RawMessage(`{"start":"09:00","x":1}`) },
		"target type":            func(a *ledger.Approval) { a.Targets[0].Type = "Person" },
		"target id":              func(a *ledger.Approval) { a.Targets[0].ID = "p2" },
		"target version":         func(a *ledger.Approval) { a.Targets[0].Version = "v2" },
		"no target":              func(a *ledger.Approval) { a.Targets = nil },
		"one target more":        func(a *ledger.Approval) { a.Targets = append(a.Targets, a.Targets[0]) },
		"changed record":         func(a *ledger.Approval) { a.Changes[0].Ref.ID = "a2" },
		"what it was before":     func(a *ledger.Approval) { a.Changes[0].Before = json.RawMessage(`{}`) },
		"what it will be":        func(a *ledger.Approval) { a.Changes[0].After = json.RawMessage(`{"status":"cancelled"}`) },
		"no change":              func(a *ledger.Approval) { a.Changes = nil },
		"policy":                 func(a *ledger.Approval) { a.PolicyVersion = "gate/2" },
		"text moved to the next": func(a *ledger.Approval) { a.Session, a.Turn = "s1t", "1" },
	} {
		a := sample()
		change(&a)
		d, err := ledger.Digest(a)
		must(t, err)
		if old, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, old)
		}
		seen[d] = name
	}
	for name, change := range map[string]func(*ledger.Approval){
		"the status":           func(a *ledger.Approval) { a.Status = ledger.Used },
		"the verdict":          func(a *ledger.Approval) { a.Reviewer, a.DecidedAt = "x", &t0 },
		"blanks and key order": func(a *ledger.Approval) { a.Changes[0].After = json.RawMessage(` { "status" : "booked" } `) },
	} {
		a := sample()
		change(&a)
		if d, err := ledger.Digest(a); err != nil || d != base {
			t.Errorf("%s changes the digest (%v)", name, err)
		}
	}
	broken := sample()
	broken.Args = json.RawMessage(`{`)
	if _, err := ledger.Digest(broken); err == nil {
		t.Error("broken arguments have a digest")
	}
}

func TestDigest_SurvivesTheStore(t *testing.T) {
	d := newDesk(t)
	a := sample()
	a.Args = json.RawMessage(`{"n":0.1,"note":"<b>&é 😀"}`)
	a.Targets = append(a.Targets, ledger.Target{Ref: record.Ref{Type: "Slot", ID: "s"}})
	stored, err := d.request(a)
	must(t, err)
	again, err := ledger.Digest(d.approval("ap1"))
	must(t, err)
	if again != stored.Digest || !bytes.Equal(d.approval("ap1").Args, a.Args) {
		t.Errorf("digest %s became %s, arguments %s", stored.Digest, again, d.approval("ap1").Args)
	}
}
