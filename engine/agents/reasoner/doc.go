// Package reasoner is the general reasoning agent: it works on a question by one of
// the patterns that come with the graph language (engine/definition).
package reasoner
