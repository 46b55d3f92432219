// Package text is what a person or a model reads of an agent: sentences and prompts by
// audience and language.
//
// They stand in YAML files, AUDIENCE/LANGUAGE.yaml, that come with the agent; a row in the
// store wins over its file. A row is a person's own words (manual), or was brought in by a
// synchronisation: such a row yields to its file once that has changed. Missing names are
// found when the files are read (Files.Check), which every start and every test does, and
// not in a conversation.
//
//	Catalog.Get ─→ answers, the newest 4,096 ─→ rows of the store, in memory ─→ files, parsed once
//
// Every write empties the first two.
package text
