// Package reasoner turns graphs that people write as data into graphs that the
// engine runs, and is the general reasoning agent made of such graphs.
//
// A graph file is YAML. Parse reads and checks it, Compile makes a graph.Spec of
// it, Patterns are the ones that come with the program. What each kind of node
// does is said in docs/nodes.md.
package reasoner
