// Package memory is what an agent remembers, of a session and of the conversations before.
//
// Working memory is of one session: a scratchpad, the things that the conversation speaks
// of, and the records that it touched last. Stages write it as Notes, in the transaction of
// their result.
//
// Episodes are of sessions that are over or rest: one text for each pair of whom or what it
// was about (About) and the session. A Recaller finds those that are close to what a person
// says, by meaning with an encoder and by words without, and Block writes them for a prompt.
// A person can correct and forget each. What was forgotten is in no later prompt, search or
// summary, and gone from the store's file once that is compacted.
//
// The Lake makes episodes without anybody waiting for it: Accept returns once a row of its
// queue is on disk, workers do the rest. What was accepted survives a kill, the newest of a
// pair wins, and an episode and the row that asked for it change in one transaction: it is
// made at least once and there once.
//
//	turn ends → Accept ─→ queue on disk ─→ 3 workers make ─→ 3 workers keep ─→ episodes
//	                        ↑ newest of (about, session) only      one transaction a batch
package memory
