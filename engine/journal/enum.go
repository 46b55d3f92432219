package journal

// CancelStatus is the status of TurnCancelled; none when a person stopped the turn.
type CancelStatus string

// Abandoned says that a person gave a turn up that was not under way.
const Abandoned CancelStatus = "abandoned"

// CompletionStatus is the status of StageCompleted; none of an ordinary result.
type CompletionStatus string

const (
	Cached CompletionStatus = "cached" // the same inputs as before: the earlier result was taken
	Again  CompletionStatus = "again"  // the visit goes on: this is the result of one round
)

// WarningStatus is the status of Warned; none for all other warnings.
type WarningStatus string

const (
	OverTime      WarningStatus = "over_time"      // a stage took longer than it should
	NotSummarized WarningStatus = "not_summarized" // a long output stays as it is
	Declined      WarningStatus = "declined"       // a person or a model would not answer: flagged in the trace, said by nobody
)

// GuardStatus is the status of GuardActed: what the guard decided.
type GuardStatus string

const (
	GuardPass      GuardStatus = "pass"
	GuardTransform GuardStatus = "transform" // the output was changed
	GuardRetry     GuardStatus = "retry"     // another output is asked for
	GuardBlock     GuardStatus = "block"     // nobody gets the output
)

// ToolFailureStatus is the status of ToolFailed; none of an ordinary failure.
type ToolFailureStatus string

// OutcomeUnknown says that the call had begun and nobody knows what became of it.
const OutcomeUnknown ToolFailureStatus = "unknown"

// ToolRefusalStatus is the status of ToolRefused; none when the tool itself said no.
type ToolRefusalStatus string

const (
	// ToolRejected says that the reviewer said no.
	ToolRejected ToolRefusalStatus = "rejected"
	// ToolRepeated says that the same call was made before in the turn: its result was
	// given again.
	ToolRepeated ToolRefusalStatus = "repeated"
)

// RuleVerdict is the status of RuleFired, the mildest first.
type RuleVerdict string

const (
	RuleAllows  RuleVerdict = "allow"
	RuleWarns   RuleVerdict = "warn"
	RuleAsks    RuleVerdict = "ask"
	RuleHolds   RuleVerdict = "hold"
	RuleRefuses RuleVerdict = "refuse"
	// Those of the rules of a graph's own.
	RuleSets  RuleVerdict = "set"
	RuleSkips RuleVerdict = "skip"
	RuleEnds  RuleVerdict = "end"
)

// VerdictStatus is the status of ApprovalDecided.
type VerdictStatus string

const (
	VerdictApproved VerdictStatus = "approved"
	VerdictRejected VerdictStatus = "rejected"
	VerdictModified VerdictStatus = "modified" // other arguments; it still waits for a verdict
)

// ApprovalRefusalStatus is the status of ApprovalRefused; none when what would run is
// not what was approved.
type ApprovalRefusalStatus string

const (
	// ApprovalVoid says that what was asked for is gone.
	ApprovalVoid ApprovalRefusalStatus = "void"
	// ApprovalExpired says that nobody decided, or that what was approved was not carried
	// out, while the approval held.
	ApprovalExpired ApprovalRefusalStatus = "expired"
)

// SafetyBy says who checked a message.
type SafetyBy string

const (
	ByRules         SafetyBy = "rules" // what needs no model: rules, words and, with an encoder, meaning; FoundBy says which saw a sign
	ByRulesAndModel SafetyBy = "rules+model"
	// ByRulesAndScript is practice mode: a script answered in the place of the model.
	ByRulesAndScript SafetyBy = "rules+script"
)

// PauseKind is what a turn waits for.
type PauseKind string

const (
	PauseApproval PauseKind = "approval"
	PauseQuestion PauseKind = "question"
)

// MutationOp is what a Mutation does.
type MutationOp string

const (
	AddStage   MutationOp = "add_stage"
	AddEdge    MutationOp = "add_edge"
	RemoveEdge MutationOp = "remove_edge"
)

// Gate is what lets an earlier result of a tool stand.
type Gate string

const (
	GateCompleteness Gate = "completeness" // it is complete enough and nothing it builds on has changed
	GateContentHash  Gate = "content_hash" // nothing was said since that bears on it
)

// ChangedBy says who changed something on a board.
type ChangedBy string

const (
	ChangedByModel  ChangedBy = "model"
	ChangedByPerson ChangedBy = "person"
	ChangedByRule   ChangedBy = "rule" // it follows from judgements by a formula
)

// MessageRole is who speaks.
type MessageRole string

// Assistant is the agent; what people say is in TurnStarted and QuestionAnswered.
const Assistant MessageRole = "assistant"

// statuses are the values that Event.Status takes, by kind; a kind that is not here has
// names of the graph's own or none.
var statuses = map[Kind]any{
	TurnCancelled:   CancelStatus(""),
	StageCompleted:  CompletionStatus(""),
	Warned:          WarningStatus(""),
	GuardActed:      GuardStatus(""),
	ToolFailed:      ToolFailureStatus(""),
	ToolRefused:     ToolRefusalStatus(""),
	SafetyChecked:   SafetyBy(""),
	RuleFired:       RuleVerdict(""),
	ApprovalDecided: VerdictStatus(""),
	ApprovalRefused: ApprovalRefusalStatus(""),
}
