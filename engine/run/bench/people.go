package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// author is a graph of five nodes as a person writes it, each working on what the one
// before it put out.
func author(kind string) string {
	var b strings.Builder
	b.WriteString("name: five\nnodes:\n")
	before := "input"
	for i := range 5 {
		fmt.Fprintf(&b, "  - {name: n%d, kind: %s, output: k%d, ", i, kind, i)
		if kind == definition.KindTransform {
			fmt.Fprintf(&b, `template: "{{ %s }} and so on"`, before)
		} else {
			fmt.Fprintf(&b, "instructions: Say ok., inputs: [%s]", before)
		}
		next := "end"
		if i < 4 {
			next = fmt.Sprintf("n%d", i+1)
		}
		fmt.Fprintf(&b, ", default_next: %s}\n", next)
		before = fmt.Sprintf("k%d", i)
	}
	return b.String()
}

// calm is a model that answers at once, and sees no danger.
type calm struct{ stub }

func (c *calm) Chat(_ context.Context, r model.Request, _ func(string)) (model.Response, error) {
	text := "ok"
	if r.Format != nil {
		text = `{"risk":"none","category":"none","who":"self"}`
	}
	return model.Response{Message: model.Message{Role: "assistant", Text: text}}, nil
}

// people runs a file's graph as the program does: compiled by package definition, in memory,
// heard by a subscriber. checked puts the check of the message before it that every turn has.
func people(build Build, kind string, checked bool) func(b *testing.B) {
	return func(b *testing.B) {
		def, err := definition.Parse([]byte(author(kind)))
		if err != nil {
			b.Fatal(err)
		}
		var g *graph.Graph
		if checked {
			g, err = definition.Graph(def)
		} else {
			var spec graph.Spec
			if spec, err = definition.Compile(def); err == nil {
				g, err = graph.New(spec)
			}
		}
		if err != nil {
			b.Fatal(err)
		}
		tools, err := tool.NewSet()
		if err != nil {
			b.Fatal(err)
		}
		m := &calm{}
		live := &turn.Dependencies{Models: model.Set{Main: m, Light: m}, Tools: tools}
		ids := names(perStore)
		n, x := 0, build(heard())
		b.ReportAllocs()
		for b.Loop() {
			if n++; n%perStore == 0 {
				x = build(heard())
			}
			out, err := x.Start(context.Background(), g, run.StartRequest{ID: graph.RunID(ids[n%perStore]), Session: "bench", Turn: "t", Input: "hi", Dependencies: live, State: definition.State("hi", nil)})
			if err != nil || out.Run.Status != run.Completed || out.Run.Output == "" {
				b.Fatal(out.Run.Status, out.Err, err)
			}
		}
	}
}
