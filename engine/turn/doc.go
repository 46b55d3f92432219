// Package turn is what the turns of all agents share.
//
// A turn begins with a Message: what the person said, about which subject, and the
// Exchanges before it (history). The stages of its graph find models, tools and
// settings in the Dependencies, ask a model (Prompt for data, Light for short classifications
// by the small model, Chat for a whole conversation), and let it call tools in
// rounds (Loop asks, then answers the calls, each in a stage of the agent's own; what changes
// something is held until a person approved it). A Speech is a reply that the person watches being written. LanguageOf says in which language the person is written to:
// what is asked ForPerson tells models of it, and Tongue says the program's own sentences in
// it. Every graph begins with the same two stages for
// messages that speak of danger (PreflightStage, InterventionStage; Guard puts them before it), and a Question is a
// hold point that waits for a person's words.
//
// What a model wrote is for people only in part: Plain, PlainWriter and a Spoken leave out a tool's
// syntax, echoes of the instructions and turns that were made up.
//
// Around a reply: Release asks the rules about it and may hold it, Waiting is one that was held, Reword one that was
// changed afterwards, MayHold says that nothing is shown before they looked. NoWords stands for a reply that cannot be
// used, Unanswered for one that no model gave, Added is what of the record (SummaryOf, by Kind) stands below one, Undone
// says what came to nothing.
//
// Around a model: Meaning compares texts by their vectors, made in a Reading (whole, or by sentence); ReadAhead lets a server
// read the next prompt's beginning, where KeepsApart says that light questions have another place; LateCheck asks for danger
// again where the first question came to nothing; Alone counts who sees danger everywhere.
//
// An agent is built with a Kit; package agent says what it is.
package turn
