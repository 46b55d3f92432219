// Package engine is how a turn runs. It holds no code, only this plan of the house; the
// rooms are its folders. Nothing here knows the store's file, the window or HTTP: the
// engine declares small interfaces and package store implements them.
//
// # Import direction
//
// Each line may import the lines below it, and none above. A test holds the packages to
// it.
//
//	agents       the registry; one folder an agent: spec, stages, tools, practice script
//	definition   the YAML language: a file that a person wrote becomes a graph
//	agent        what an agent is: a value
//	prompt       the stage that asks a model, for graphs of files and any other
//	turn         what agents share: message and history, tool loop, safety, hold points
//	pipeline     the context tools of one stage, in phases
//	mcp          tools of servers outside
//	board        the state of a study: hypotheses, conflicts, evidence, and what people decided
//	library      the documents that a person imported: passages, words, meanings, search;
//	             requests to online sources, each approved by a person (library/online)
//	call         a model's tool calls: read tools run, side effects wait for an approval
//	memory       what an agent remembers: working memory, episodes, and the lake that makes them
//	skill        knowledge that an agent loads when it needs it, and code that runs in a jail
//	manifest     what a node of an agent asks a model with: texts, tools and schema by the state
//	tool         what an agent can do besides talking; tool/calculator is one of them
//	session      a conversation, and the record that it is about
//	ledger       the approval of a call and how far the call came: the only authority
//	run          executes graphs: super-steps, pauses, resume, checkpoints
//	graph        describes them: spec, channels, validation, topology, Mermaid; runs nothing
//	journal      the events of a turn: what screens, exports and replays read
//	safety       the rules and small models that read a message before any language model does
//	rule         conditions with a verdict: what may happen, must wait for a person, or must not
//	record       the data that calls change, with versions: patients, visits, notes
//
// These know nothing of turns and import nothing of ours:
//
//	survey       places with their datum, tracts of land, distances in feet
//	model        language models: a server of our own or another, and one that plays scripts
//	encoder      vectors that say how close the meanings of two sentences are
//	identity     who asked for a run, and what they may do
//	schema       JSON Schemas, compiled in one place
//	expression   conditions over values, as graphs and rules have them
//	lazyregexp   regular expressions that are compiled when they are first asked
//	charset      text files of any encoding as UTF-8
//	language     which language a text is in, by its letters and frequent words
//	text         what people and models read of an agent, by audience and language
//	visible      text as it may be shown: what hides, moves or passes for another is written out
//
// # Words
//
//   - stage: what the engine runs; a compiled stage is one with its edges worked out
//   - node: what an author writes in a YAML graph; it becomes one stage or several. Stored and
//     documented names keep it for a stage, too: node_iterations, pre_node, node_end
//   - turn: a person's message and all that is done about it; each turn has one run
//   - run: a graph's execution, with its checkpoint
//   - visit: a stage from when it is entered until it is left, re-entries included
//   - request: what a model is sent at once, with its answer; journals name it model_called
//   - call: a model's wish to use a tool, and what came of it
//   - question: what a stage asks a person; what it asks a model is a prompt. A light
//     question, always by that name, is what the small model answers about a text
//   - memory: what an agent remembers, of a session (working) and of conversations before
//     (episodes); that of the computer only in "in memory", for what is not on disk
//   - server: a program that answers: "model server" or "server of tools"
//   - within: how long a node should take, in files; a graph inside a stage is inside, what a
//     stage sees of the context is its scope
//
// # The path of a turn
//
//  1. A face (window, browser, command) gives the app a message. The app finds the
//     agent in the registry and makes a run.StartRequest: ids, the message with its history as
//     the agent's channel writes, the vars (the subject is one of them: session.SubjectOf), and the turn's dependencies (models, tools).
//  2. run.Executor writes the admission: the run's row and turn_started. Until that is on
//     disk nobody is told of the turn.
//  3. All stages that are ready run at once, each on a snapshot of the channels. What a
//     stage returns, its patch, applies at the barrier in the order of the spec; the
//     resolvers choose the next stages. State, events and rows of one result are one
//     transaction.
//  4. A stage that asks a model (prompt, or one of the agent's own) hands the model's tool
//     calls to package call. Read tools run at once. A tool with side effects only plans:
//     the plan becomes an approval in the ledger, and the stage returns a pause.
//  5. The run ends as paused; the process may end, too. A person decides, on exactly the
//     arguments and changes that were shown: the digest names them.
//  6. Resume loads the checkpoint and enters the stage again, with an answer that only
//     wakes it: the stage reads the approval itself. The plan is made again, compared by
//     its digest, and carried out in the transaction that uses up the approval.
//  7. The last stage's reply is the run's output; turn_completed ends it. Screens and
//     exports read the journal from there on.
//
// A run that was killed between two steps starts again at its last checkpoint: results
// that are on disk are kept, stages without one are entered again, and a call outside that
// had started is never repeated by the machine.
package engine
