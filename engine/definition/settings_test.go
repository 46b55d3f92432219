package definition_test

import (
	"strings"
	"testing"

	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
)

// "It waited for me, the program was updated, and it went on in a loop that ran otherwise." What a file sets of
// its nodes is part of what a waiting run is held to; how it is worded is not.
func TestReasoner_AFilesSettingsArePartOfItsTopology(t *testing.T) {
	const text = `name: sample
title: Sample
nodes:
  - {name: look, kind: tool, tool: find_providers, arguments: {query: "{{ input }}"}, output: found, default_next: again}
  - name: again
    kind: loop
    times: 3
    until: {key: found, exists: true}
    default_next: choose
    nodes:
      - {name: note, kind: transform, template: "{{ found }}", output: noted}
  - {name: choose, kind: router, choices: [{to: ask, when: {key: found, exists: true}}, {to: say}]}
  - {name: ask, kind: human, question: "Which one?", answers: ["a", "b"], output: said, default_next: say}
  - {name: say, kind: prompt, title: Say, instructions: "Answer.", tools: [find_providers]}
rules:
  - {name: careful, event: before_node, nodes: [say], when: {key: found, exists: true}, verdict: hold, reason: "Look first."}
`
	fingerprint := func(text string) string {
		t.Helper()
		def, err := definition.Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		spec, err := definition.Compile(def)
		if err != nil {
			t.Fatal(err)
		}
		g, err := graph.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		return g.Fingerprint()
	}
	as := fingerprint(text)
	for _, c := range []struct {
		from, to string
		other    bool
	}{
		{"tool: find_providers", "tool: check_availability", true}, {"times: 3", "times: 4", true}, {"until: {key: found, exists: true}", "until: {key: found, exists: false}", true},
		{`template: "{{ found }}"`, `template: "{{ input }}"`, true}, {"{to: ask, when: {key: found, exists: true}}", "{to: ask, when: {key: found, exists: false}}", true},
		{`answers: ["a", "b"]`, `answers: ["a", "c"]`, true}, {"tools: [find_providers]", "tools: ['*']", true}, {"verdict: hold", "verdict: skip", true}, {"[say], when: {key: found, exists: true}", "[say], when: {key: found, exists: false}", true},
		{"title: Sample", "title: Other", false}, {"title: Say", "title: Speak", false}, {`"Answer."`, `"Answer briefly."`, false}, {`"Which one?"`, `"Which of them?"`, false}, {`"Look first."`, `"Look before."`, false},
	} {
		if !strings.Contains(text, c.from) {
			t.Fatalf("the file has no %q", c.from)
		}
		if got := fingerprint(strings.Replace(text, c.from, c.to, 1)) != as; got != c.other {
			t.Errorf("%s instead of %s: another topology %v, want %v", c.to, c.from, got, c.other)
		}
	}
}
