package definition_test

import (
	"errors"
	"fmt"

	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
)

// A graph file becomes a graph that the engine runs.
func Example() {
	file := []byte(`
name: second_look
title: Second look
nodes:
  - {name: draft, kind: prompt, instructions: Answer briefly., default_next: check}
  - {name: check, kind: critique, inputs: [draft_output], output: review}
  - {name: reply, kind: answer, inputs: [draft_output, review]}
edges:
  - {from: check, to: draft, when: "review.verdict == 'revise' && size(review.problems) > 1", priority: 1}
  - {from: check, to: reply}
`)
	def, err := definition.Parse(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	spec, err := definition.Compile(def)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := graph.New(spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(g.Mermaid())
	// Output:
	// flowchart TD
	//   draft["draft"]
	//   check["check"]
	//   reply["reply"]
	//   start_([start]) --> draft
	//   draft --> check
	//   check -. "review.verdict == #quot;revise#quot; && size(review.problems) > 1" .-> draft
	//   check --> reply
}

// Every mistake of a file comes with its place and what to do.
func ExampleParse_mistakes() {
	_, err := definition.Parse([]byte(`name: x
nodes:
  - {name: draft, kind: promt, instructions: Answer briefly.}
  - {name: reply, kind: answer, inputs: [drafts]}
`))
	var found definition.Problems
	if errors.As(err, &found) {
		for _, p := range found {
			fmt.Println(p)
		}
	}
	_, err = definition.Parse([]byte(`name: x
nodes: [{name: draft, kind: think}, {name: reply, kind: answer}]
edges: [{from: draft, to: reply, when: "draft_output.score >= 0.8 && sise(drafts) > 0"}]
`))
	if errors.As(err, &found) {
		for _, p := range found {
			fmt.Println(p)
		}
	}
	// Output:
	// line 3, column 25: nodes[0].kind: "promt" is not known; use one of prompt, tool, transform, router, guard, loop, human, parallel, subgraph, observe, critique, justify, synthesize, validate, retry, fan_out, autonomous, plan, act, think, reflect, answer; did you mean prompt?
	// line 3, column 70: edges[0].when: there is no function sise; did you mean size?; there are abs, all, any, count, float, int, len, lower, max, min, none, one, round, size, sum, trim, upper
}
