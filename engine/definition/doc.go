// Package definition is the YAML language for graphs: graphs that people write as
// data become graphs that the engine runs.
//
//	text ── Parse ──▶ Definition ── Compile ──▶ graph.Spec ── graph.New ──▶ *graph.Graph
//
// Parse reads and checks a file and names every mistake with its line and column
// (Problems). Compile turns each node into stages by its kind; the kinds are listed
// in kind.go and described in docs/nodes.md. Schema is the JSON Schema of files, Doc
// the help pages for authors. Patterns are the graphs that come with the language: a
// file runs one inside its own with use, or an agent runs one as it is. State is what
// the context of a run begins with.
package definition
