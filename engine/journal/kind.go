package journal

// Kind names what an event tells. The names are part of the stable command line: they
// are added to, never changed.
type Kind string

// Kinds of a turn's own events. A turn begins with TurnStarted; what it ends or stops
// with is one of the others.
const (
	TurnStarted   Kind = "turn_started"   // Text is the person's message
	TurnResumed   Kind = "turn_resumed"   // the turn goes on after a pause, a stop or a crash
	TurnPaused    Kind = "turn_paused"    // the turn waits for a person
	TurnCompleted Kind = "turn_completed" // Text is the reply
	TurnFailed    Kind = "turn_failed"    // Error; Stage is the one that failed
	TurnCancelled Kind = "turn_cancelled" // Status is a CancelStatus; Reason
	TurnLimited   Kind = "turn_limited"   // Status names the limit that the turn came to
)

// Kinds of what happens to a stage of the graph; Stage names it.
const (
	StageStarted   Kind = "stage_started"   // Attempt
	StageCompleted Kind = "stage_completed" // Attempt; Status is a CompletionStatus
	StageSkipped   Kind = "stage_skipped"   // Reason
	StageFailed    Kind = "stage_failed"    // Attempt, Error
	StagePaused    Kind = "stage_paused"    // the stage waits for a person
	StageRetried   Kind = "stage_retried"   // Attempt is the one that failed, Error why
	StageOutput    Kind = "stage_output"    // what a verbose stage gave; Error if it failed
	Observed       Kind = "observed"        // what an observable stage took
	GuardActed     Kind = "guard"           // a guard looked at an output; Status is a GuardStatus, Reason why
	Warned         Kind = "warning"         // Status is a WarningStatus; Reason is what was odd; the run goes on
	HookFailed     Kind = "hook_failed"     // Tool is the hook, Status the point it ran at, Error
)

// Kinds of what happens to the run and its graph.
const (
	Transition      Kind = "transition"       // From, To, Condition; Resolver is what decided, Reason why
	CheckpointSaved Kind = "checkpoint"       // a super-step is on disk
	GraphMutated    Kind = "graph_mutated"    // Stage asked for a change of the graph and got it; Reason
	MutationRefused Kind = "mutation_refused" // Stage asked for one and did not; Error is why, Tool the hook that said no
)

// Kinds of the context pipeline and of tools; Tool names the tool, Call the call of a
// model and Phase the pipeline's phase, from 1.
const (
	PhaseStarted   Kind = "phase_started"
	PhaseCompleted Kind = "phase_completed"
	ToolStarted    Kind = "tool_started"    // Attempt; Reason is why it runs
	ToolCompleted  Kind = "tool_completed"  // Attempt; Reason is what the result lacks
	ToolFailed     Kind = "tool_failed"     // Attempt, Error; Status is a ToolFailureStatus
	ToolSkipped    Kind = "tool_skipped"    // Reason
	ToolRefused    Kind = "tool_refused"    // Reason; Status is a ToolRefusalStatus
	AssemblyFailed Kind = "assembly_failed" // the context could not be put together; Error
	MemoryUpdated  Kind = "memory_updated"  // Reason
	ModelCalled    Kind = "model_called"    // Error if it gave no answer
	SafetyChecked  Kind = "safety_checked"  // Status is a SafetyBy; Reason, Error
	MessageStarted Kind = "message_started" // a reply begins to stream; Message is its id
	Message        Kind = "message"         // Message is its id, Text what was said
)

// SkillLoaded tells of a skill that a stage loaded.
const SkillLoaded Kind = "skill_loaded"

// Span is a step inside a stage that a trace names, by its OpenTelemetry name.
const Span Kind = "span"

// RuleFired tells of a rule that fired: Tool and Call where it is about one, Status is a
// RuleVerdict, Reason what the rule says, Error why it could not be evaluated.
const RuleFired Kind = "rule_fired"

// Kinds of what people decide; Approval and Call name what about.
const (
	ApprovalRequested Kind = "approval_requested" // Tool
	ApprovalDecided   Kind = "approval_decided"   // Status is a VerdictStatus, Reason the comment
	ApprovalRefused   Kind = "approval_refused"   // what would run was not what was approved; Status is an ApprovalRefusalStatus; Error, Reason
	// What happens to an approval that waits.
	ApprovalReminded  Kind = "approval_reminded"  // nobody decided yet
	ApprovalEscalated Kind = "approval_escalated" // somebody else may decide now, too
	ApprovalDelegated Kind = "approval_delegated" // a person let another decide; Reason is their comment
	MutationCommitted Kind = "mutation_committed" // Tool did what was approved
	QuestionAnswered  Kind = "question_answered"  // Stage asked; Message is the pause's id
)

// Kinds of what happens on the board of a study; see package board.
const (
	BoardSearched     Kind = "board_searched"     // a search brought what it brought
	EvidenceAdded     Kind = "evidence_added"     // a passage is on the board
	EvidenceJudged    Kind = "evidence_judged"    // Reason is why it counts for less than was said
	HypothesisChanged Kind = "hypothesis_changed" // Status is the hypothesis', Reason why
	ConflictChanged   Kind = "conflict_changed"   // Status is the conflict's, Reason why
)

// Token is live only: a delta of a message that streams. It has no Seq and is never
// stored; the whole message is stored as one Message event. Message is its id, Offset
// where in the message Text belongs.
const Token Kind = "token"

// ModelReading is live only, as a Token is: a model was asked and begins to read its
// prompt. ModelCalled tells what came of it.
const ModelReading Kind = "model_reading"
