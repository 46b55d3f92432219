package pipeline

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestNavigator_N15_ConfigDefaults(t *testing.T) {
	for name, c := range map[string]Config{"in code": NewConfig("a"), "in a file": loadOne(t, "tools: [{name: a}]")} {
		if c.MaxRetries != 1 || c.RetryBackoff != 500*time.Millisecond || c.Timeout != 30*time.Second || c.Optional {
			t.Errorf("%s: %+v", name, c)
		}
	}
	c := loadOne(t, "tools: [{name: a, max_retries: 0, retry_backoff: 0.25, timeout: 1500ms, optional: true, defaults: {limit: 5}}]")
	if c.MaxRetries != 0 || c.RetryBackoff != 250*time.Millisecond || c.Timeout != 1500*time.Millisecond || !c.Optional || c.Defaults["limit"] != 5 {
		t.Errorf("%+v", c)
	}
}

func loadOne(t *testing.T, doc string) Config {
	t.Helper()
	configs, err := LoadConfigs([]byte(doc))
	if err != nil || len(configs) != 1 {
		t.Fatal(configs, err)
	}
	return configs[0]
}

func TestNavigator_N16_DefaultsAreCopiedForEachCall(t *testing.T) {
	c := NewConfig("a")
	c.Defaults = map[string]any{"filter": map[string]any{"city": "Lyon"}, "list": []string{"x"}}
	c.MaxRetries = 0
	k := newKit(t, []Config{c}, map[string]fn{"a": func(_ context.Context, in Input) (Output, error) {
		city := in.Args["filter"].(map[string]any)["city"]
		in.Args["filter"].(map[string]any)["city"] = "changed by the tool"
		in.Args["list"].([]any)[0] = "changed by the tool"
		return Output{Value: map[string]any{"city": city}}, nil
	}})
	c.Defaults["filter"].(map[string]any)["city"] = "changed after registration"
	for range 2 {
		req := k.request("hi")
		req.Skips = nil
		if res := k.turn(req); string(res.Outputs["a"]) != `{"city":"Lyon"}` {
			t.Fatalf("%s", res.Outputs["a"])
		}
	}
}

func TestNavigator_N17_FileMistakesNameTheLine(t *testing.T) {
	for name, c := range map[string]struct{ doc, want string }{
		"empty":              {"", "empty"},
		"syntax":             {"tools:\n  - name: [", "line"},
		"not a mapping":      {"- a", "line 1: the document is not a mapping"},
		"no tools":           {"{}", "tools is missing"},
		"other top key":      {"tools: []\nmore: 1", `line 2: unknown field "more"`},
		"tools not a list":   {"tools: 3", "line 1: tools is not a list"},
		"unknown field":      {"tools:\n  - name: a\n    timout: 3", `line 3: unknown field "timout"`},
		"field twice":        {"tools:\n  - name: a\n    name: b", `line 3: "name" stands twice`},
		"no name":            {"tools:\n  - optional: true", "line 2: a tool has no name"},
		"bad duration":       {"tools:\n  - name: a\n    timeout: soon", `line 3: timeout is "soon"`},
		"no time":            {"tools:\n  - name: a\n    timeout: 0", "line 2: tool \"a\": timeout is 0s"},
		"endless":            {"tools:\n  - name: a\n    timeout: .inf", "line 3: timeout"},
		"negative retries":   {"tools:\n  - name: a\n    max_retries: -1", "max_retries is -1"},
		"fractional retries": {"tools:\n  - name: a\n    max_retries: 1.5", "line 3: max_retries does not fit"},
		"defaults no json":   {"tools:\n  - name: a\n    defaults: {1: {2: 3}}", "line 3: defaults"},
		"second document":    {"tools: []\n---\ntools: []", "line 2: a second document"},
		"dependency twice":   {"tools:\n  - name: a\n    dependencies: [b, b]", `lists "b" twice`},
		"injects nothing":    {"tools:\n  - name: a\n    inject_inputs: [b]", "no dependencies"},
	} {
		t.Run(name, func(t *testing.T) {
			configs, err := LoadConfigs([]byte(c.doc))
			if err == nil {
				// Some mistakes only show when the values are used.
				_, err = NewRegistry(configs, map[string]Tool[struct{}]{})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "pipeline: ") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func registry(configs ...Config) error {
	tools := map[string]Tool[struct{}]{}
	for _, c := range configs {
		tools[c.Name] = Tool[struct{}]{Run: func(context.Context, struct{}, Input) (Output, error) { return Output{}, nil }}
	}
	_, err := NewRegistry(configs, tools)
	return err
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestNavigator_N18_TheNavigatorsToolsLoadFromAFile(t *testing.T) {
	configs := navigatorConfigs(t)
	fit := configs[4]
	if len(configs) != 5 || fit.MaxRetries != 2 || !fit.Optional || !reflect.DeepEqual(fit.InjectInputs, []string{"signal_summary", "genome_summary"}) {
		t.Errorf("%+v", configs)
	}
	if err := registry(configs...); err != nil {
		t.Error(err)
	}
}

func TestNavigator_N19_PhasesKeepTheOrderOfTheList(t *testing.T) {
	k := newKit(t, navigatorConfigs(t), nil)
	for name, c := range map[string]struct{ list, want string }{
		"as declared":          {"client_signal provider_genome patient_context session_narrative therapeutic_fit", "client_signal provider_genome patient_context session_narrative | therapeutic_fit"},
		"another order":        {"therapeutic_fit session_narrative provider_genome client_signal", "session_narrative provider_genome client_signal | therapeutic_fit"},
		"one tool":             {"patient_context", "patient_context"},
		"no tools":             {"", ""},
		"without dependencies": {"therapeutic_fit patient_context", "therapeutic_fit patient_context"},
	} {
		t.Run(name, func(t *testing.T) {
			phases, _, err := k.reg.Plan(strings.Fields(c.list))
			var got []string
			for _, p := range phases {
				got = append(got, strings.Join(p, " "))
			}
			if err != nil || strings.Join(got, " | ") != c.want {
				t.Errorf("%v %v", phases, err)
			}
		})
	}
	_, _, err := k.reg.Plan([]string{"client_signal", "client_signal"})
	wantError(t, err, "twice")
	_, _, err = k.reg.Plan([]string{"nobody"})
	wantError(t, err, `"nobody", which is not declared`)
}

func TestNavigator_N21_N23_AnExcludedDependencyIsFilteredAndWarned(t *testing.T) {
	k := newKit(t, navigatorConfigs(t), nil)
	phases, warnings, err := k.reg.Plan([]string{"client_signal", "therapeutic_fit"})
	if err != nil || len(phases) != 2 || len(warnings) != 1 ||
		!strings.Contains(warnings[0], `"therapeutic_fit" depends on "provider_genome"`) {
		t.Errorf("%v %v %v", phases, warnings, err)
	}
	req := k.request("hi")
	req.Tools = []string{"client_signal", "therapeutic_fit"}
	if res := k.turn(req); res.Err != nil || len(res.Ran) != 2 {
		t.Errorf("%+v", res)
	}
	if _, warnings, _ := k.reg.Plan(k.reg.Names()); len(warnings) != 0 {
		t.Error(warnings)
	}
}

func TestNavigator_N22_AnUnknownDependencyIsRefused(t *testing.T) {
	wantError(t, registry(config("a", "ghost")), `"a" depends on "ghost"`)
	configs, err := LoadConfigs([]byte("tools:\n  - name: b\n  - name: a\n    dependencies: [ghost]"))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, registry(configs...), "line 3")
}

func TestNavigator_N22_TheRegistryRefusesOtherMistakes(t *testing.T) {
	wantError(t, registry(config("a"), config("a")), "declared twice")
	_, err := NewRegistry([]Config{config("a")}, map[string]Tool[struct{}]{})
	wantError(t, err, `"a" has no function`)
	_, err = NewRegistry(nil, map[string]Tool[struct{}]{"a": {}})
	wantError(t, err, `"a" has no declaration`)
	bad := config("a")
	bad.Defaults = map[string]any{"f": func() {}}
	wantError(t, registry(bad), "not JSON")
	wantError(t, registry(Config{Name: "a"}), "timeout")
}

func TestNavigator_N24_ACycleIsRefusedAndNamed(t *testing.T) {
	wantError(t, registry(config("a", "a")), "a → a")
	wantError(t, registry(config("x"), config("a", "c", "x"), config("b", "a"), config("c", "b")), "a → c → b → a")
}

func TestNavigator_N38_AToolThatMutatesIsRefused(t *testing.T) {
	c := config("book")
	c.Mutates = true
	wantError(t, registry(c), "read-only")
	_, err := LoadConfigs([]byte("tools:\n  - name: book\n    mutates: true"))
	wantError(t, err, "line 2: tool \"book\" mutates")
}
