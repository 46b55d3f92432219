// Package board is the structured state of a long study: hypotheses with their confidence,
// conflicts between sources, the evidence for and against, and what people decided. It
// belongs to no agent: one that declares Channels has a board.
//
// # What is kept where
//
// Hypotheses, conflicts, judgements and the ids of evidence are channels of the run, so a
// checkpoint has all of them. Hypotheses and conflicts are merged by id. What a piece of
// evidence says is a row of the store (Evidence), and so is each decision of a person
// (Decision): models write channels and never decisions. State.Decided lays the decisions over
// the channels, whatever a model wrote meanwhile; what does not fit a decision any more is
// shown beside it (Hypothesis.Dissent) and changes nothing.
//
// # Confidence
//
// See Weigh: a formula over judgements, and never a number that a model named.
package board
