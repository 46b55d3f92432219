package tongue_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"holdpoint/engine/agents"
	"holdpoint/engine/graph"
	"holdpoint/engine/turn"
)

// humps are the words of a type's name: HomeMedicine.
var humps = regexp.MustCompile(`([a-z])([A-Z])`)

// said gives what a schema says of arguments.
func said(schema any, give func(string)) {
	switch of := schema.(type) {
	case map[string]any:
		for name, one := range of {
			if text, ok := one.(string); ok && (name == "title" || name == "description") {
				give(text)
			}
			said(one, give)
		}
	case []any:
		for _, one := range of {
			said(one, give)
		}
	}
}

// "I wrote an agent, every test passed, and its stages stood there in English."
func TestNames_TheTitlesOfEveryAgentAreThereInFrench(t *testing.T) {
	french := map[string]string{}
	read := func(body []byte, err error) {
		t.Helper()
		if err == nil {
			err = json.Unmarshal(body, &french)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read(os.ReadFile("names.json"))
	files, err := fs.Glob(agents.French, "*/names.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		read(fs.ReadFile(agents.French, name))
	}
	titles := 0
	for _, build := range agents.BuiltIn() {
		a, err := build(turn.Kit{})
		if err != nil {
			t.Fatal(err)
		}
		has := func(english string) {
			t.Helper()
			if titles++; english != "" && french[english] == "" {
				t.Errorf("engine/agents/%s/names.json has no French for %q", a.ID, english)
			}
		}
		has(a.Title)
		has(a.Description)
		has(a.Example)
		for _, p := range a.Patterns {
			has(p.Title)
			has(p.Description)
			has(p.Example)
		}
		for _, own := range a.Tools {
			has(own.Title)
			has(own.Description)
			var takes any
			if err := json.Unmarshal(own.Parameters, &takes); err != nil && len(own.Parameters) > 0 {
				t.Fatal(own.Name, err)
			}
			said(takes, has)
		}
		for _, r := range a.Records {
			if has(r.Plural); r.Plural == "" {
				t.Errorf("lists of %s of the agent %s have no heading", r.Type, a.ID)
			}
			has(strings.ToLower(humps.ReplaceAllString(r.Type, "$1 $2")))
			for _, called := range r.Names {
				has(called)
			}
		}
		for _, v := range a.Vars {
			has(v.Title)
		}
		g, err := a.Graph(nil)
		if err != nil {
			t.Fatal(err)
		}
		var each func([]graph.ManifestStage)
		each = func(stages []graph.ManifestStage) {
			for _, s := range stages {
				has(s.Title)
				has(s.Description)
				each(s.Stages)
			}
		}
		m := g.Manifest()
		each(m.Stages)
		for _, c := range m.Conditions {
			has(c.Title)
		}
	}
	if titles == 0 {
		t.Error("nobody has a title")
	}
}
