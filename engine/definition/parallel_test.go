package definition_test

import (
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/definition"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

func TestReasoner_Nodes_TwoRoutersInParallelThatChooseOneNodeRunItOnce(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - name: p
    kind: parallel
    default_next: last
    nodes:
      - {name: r, kind: router, choices: [{to: a, when: "input == 'Hello'"}, {to: end, about: else}]}
      - {name: q, kind: router, choices: [{to: a, when: "input == 'Hello'"}, {to: end, about: else}]}
      - {name: a, kind: transform, template: A}
  - {name: last, kind: transform, template: "{{json .p_output}}"}
`)
	out := d.status(d.run(a, "Hello"), run.Completed)
	ran := stages(d.of(out, journal.StageCompleted))
	slices.Sort(ran)
	sameList(t, "what ran", ran, []string{"last", "p", "p/a", "p/p_join", "p/q", "p/r"})
	same(t, "what was gathered", out.Run.Output, `{"a":"A","q":"a","r":"a"}`)
}

func TestReasoner_Nodes_ABranchOfParallelMustBegin(t *testing.T) {
	_, err := definition.Parse([]byte(`
name: x
nodes:
  - name: p
    kind: parallel
    nodes:
      - {name: r, kind: router, choices: [{to: q, about: first}, {to: end, about: else}]}
      - {name: q, kind: router, choices: [{to: r, about: first}, {to: end, about: else}]}
`))
	if err == nil || !strings.Contains(err.Error(), "none begins") {
		t.Errorf("branches that wait for each other are not refused: %v", err)
	}
}
