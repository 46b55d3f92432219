package journal

import (
	"encoding/json"
	"time"
)

// Payload is what an event tells in its Data: one of the …Data types, or a value that
// marshals like the kind's and is worked out late. A …Data says units and meaning of each member; it is
// empty where the event's own members say all. What may be long is a list, an object or a LongString.
type Payload interface {
	// Kind is the one kind of event that has such a payload.
	Kind() Kind
}

// payloads is the table of all kinds: the type of each one's Data, empty where all is said
// in the event's members. The TypeScript types are generated from it.
var payloads = map[Kind]Payload{
	TurnStarted:   TurnStartedData{},
	TurnResumed:   TurnResumedData{},
	TurnPaused:    TurnPausedData{},
	TurnCompleted: TurnCompletedData{},
	TurnFailed:    TurnFailedData{},
	TurnCancelled: TurnCancelledData{},
	TurnLimited:   TurnLimitedData{},

	StageStarted:   StageStartedData{},
	StageCompleted: StageCompletedData{},
	StageSkipped:   StageSkippedData{},
	StageFailed:    StageFailedData{},
	StagePaused:    StagePausedData{},
	StageRetried:   StageRetriedData{},
	StageOutput:    StageOutputData{},
	Observed:       ObservedData{},
	GuardActed:     GuardActedData{},
	Warned:         WarnedData{},
	HookFailed:     HookFailedData{},

	Transition:      TransitionData{},
	CheckpointSaved: CheckpointSavedData{},
	GraphMutated:    GraphMutatedData{},
	MutationRefused: MutationRefusedData{},

	PhaseStarted:   PhaseStartedData{},
	PhaseCompleted: PhaseCompletedData{},
	ToolStarted:    ToolStartedData{},
	ToolCompleted:  ToolCompletedData{},
	ToolFailed:     ToolFailedData{},
	ToolSkipped:    ToolSkippedData{},
	ToolRefused:    ToolRefusedData{},
	AssemblyFailed: AssemblyFailedData{},
	MemoryUpdated:  MemoryUpdatedData{},
	ModelCalled:    ModelCalledData{},
	SafetyChecked:  SafetyCheckedData{},
	MessageStarted: MessageStartedData{},
	Message:        MessageData{},

	SkillLoaded: SkillLoadedData{},
	Span:        SpanData{},
	RuleFired:   RuleFiredData{},

	ApprovalRequested: ApprovalRequestedData{},
	ApprovalDecided:   ApprovalDecidedData{},
	ApprovalRefused:   ApprovalRefusedData{},
	ApprovalReminded:  ApprovalRemindedData{},
	ApprovalEscalated: ApprovalEscalatedData{},
	ApprovalDelegated: ApprovalDelegatedData{},
	MutationCommitted: MutationCommittedData{},
	QuestionAnswered:  QuestionAnsweredData{},

	BoardSearched:     BoardSearchedData{},
	EvidenceAdded:     EvidenceAddedData{},
	EvidenceJudged:    EvidenceJudgedData{},
	HypothesisChanged: HypothesisChangedData{},
	ConflictChanged:   ConflictChangedData{},

	Token:        TokenData{},
	ModelReading: ModelReadingData{},
}

// TurnStartedData says what a turn runs on.
type TurnStartedData struct {
	Agent string `json:"agent"`
	// Fingerprint is that of the graph's topology.
	Fingerprint string `json:"fingerprint"`
	// Model is the name of the main model.
	Model string `json:"model"`
	// Practice says that a script answers in the place of a model.
	Practice bool `json:"practice"`
	// Caller names who the turn acts for: the subject of a verified token.
	Caller string `json:"caller,omitempty"`
	// Vars are the turn's inputs; absent when they are long: the run's row has them.
	Vars map[string]string `json:"vars,omitzero"`
	// Replays is the checkpoint of another turn that this one begins at.
	Replays *Replayed `json:"replays,omitempty"`
	LongText
}

// Replayed is a checkpoint of a turn.
type Replayed struct {
	Turn string `json:"turn"`
	// Step counts the finished super-steps.
	Step int `json:"step"`
}

// TurnResumedData says where a turn goes on.
type TurnResumedData struct {
	// Kept are the stages whose results are on disk.
	Kept []StageID `json:"kept"`
	// Rerun are the stages that run (again).
	Rerun []StageID `json:"rerun"`
	// Unknown is the number of calls that had begun and of which nobody knows what
	// became of them.
	Unknown int `json:"unknown"`
	// Limit names the limit of which More was given, in its unit, and By who gave it; empty
	// where nothing was.
	Limit string  `json:"limit,omitempty"`
	More  float64 `json:"more,omitempty"`
	By    string  `json:"by,omitempty"`
	// Caller names who the turn acts for from here on.
	Caller string `json:"caller,omitempty"`
}

// TurnPausedData is all that the turn waits for.
type TurnPausedData struct {
	Pauses []Pause `json:"pauses"`
}

// TurnCompletedData is what a finished turn came to.
type TurnCompletedData struct {
	// Steps is the number of super-steps.
	Steps int `json:"steps"`
	LongText
}

// TurnLimitedData is a limit that a turn came to.
type TurnLimitedData struct {
	// Limit is the number that was reached: seconds for the time, tokens, steps …
	Limit int `json:"limit"`
	// Name is the limit's, the same as the event's Status.
	Name string `json:"name"`
	// Steps is the number of super-steps so far.
	Steps int  `json:"steps"`
	Used  Used `json:"used"`
}

// Used is what a turn used up so far. Absent members are 0.
type Used struct {
	Tokens int `json:"tokens,omitempty"`
	// Cost is in the unit that the stages report it in.
	Cost float64 `json:"cost,omitempty"`
	// Time under way, in nanoseconds; waits for people do not count.
	Time time.Duration `json:"time_ns,omitempty"`
	// Mutations is the number of changes of the graph.
	Mutations int `json:"mutations,omitempty"`
}

// StageCompletedData is a stage's result.
type StageCompletedData struct {
	// MS is how long the stage ran, in milliseconds.
	MS int64 `json:"ms"`
	// Patch is what it wrote, by channel.
	Patch map[string]json.RawMessage `json:"patch"`
}

// StagePausedData is what one stage waits for.
type StagePausedData struct {
	Pauses []Pause `json:"pauses"`
}

// Pause is a hold point.
type Pause struct {
	// Data is a question's; an approval has a row of its own.
	Data  json.RawMessage `json:"data,omitempty"`
	ID    string          `json:"id"`
	Kind  PauseKind       `json:"kind"`
	Stage StageID         `json:"stage"`
}

// StageFailedData says why a stage failed; absent where all that is known is that it did.
type StageFailedData struct {
	// Failure is refused, rejected, unknown or limited.
	Failure string `json:"failure"`
}

// StageRetriedData says when a stage runs again.
type StageRetriedData struct {
	// WaitMS is how long it waits before, in milliseconds.
	WaitMS int64 `json:"wait_ms"`
}

// StageOutputData is what a verbose stage gave, whole.
type StageOutputData struct {
	// Item counts the outputs of a fan-out from 1, and Of is how many there are; absent
	// for the output of a stage that is none.
	Item   int             `json:"item,omitempty"`
	Of     int             `json:"of,omitempty"`
	Output json.RawMessage `json:"output"`
}

// ObservedData is what an observable stage took.
type ObservedData struct {
	Stage   StageID `json:"stage"`
	Attempt int     `json:"attempt"`
	// Took is in nanoseconds.
	Took    time.Duration `json:"took_ns"`
	Usage   Usage         `json:"usage"`
	Cached  bool          `json:"cached,omitempty"`
	Skipped bool          `json:"skipped,omitempty"`
	Failed  bool          `json:"failed,omitempty"`
	// OverTime says that it took longer than it should.
	OverTime bool `json:"over_time,omitempty"`
	// OutputBytes is the size of the output as JSON.
	OutputBytes int `json:"output_bytes"`
}

// Usage is what one stage used up. Absent members are 0.
type Usage struct {
	Tokens int     `json:"tokens,omitempty"`
	Cost   float64 `json:"cost,omitempty"`
	// Rounds are the rounds of tool calls.
	Rounds int `json:"iterations,omitempty"`
}

// GuardActedData names the guard that looked at an output.
type GuardActedData struct {
	Guard string `json:"guard"`
}

// SkillLoadedData names a skill that was loaded.
type SkillLoadedData struct {
	Skill string `json:"skill"`
	Title string `json:"title"`
	// Digest pins its files, as "sha256:…".
	Digest string `json:"digest"`
	// Tier is 2 for its definition, 3 for its artifacts, too.
	Tier int `json:"tier"`
	// Tools are those that it offers from now on, Missing those that it names and nobody has.
	Tools   []string `json:"tools,omitempty"`
	Missing []string `json:"missing,omitempty"`
}

// SpanData is a step of a trace, with OpenTelemetry's names: prompt.assemble, tools.assemble.
type SpanData struct {
	Name string `json:"name"`
	// Attributes is an object of numbers, words and truths.
	Attributes json.RawMessage `json:"attributes"`
}

// RuleFiredData names a rule that fired.
type RuleFiredData struct {
	Rule string `json:"rule"`
	// Source is platform, user, skill:NAME, or graph.
	Source string `json:"source,omitempty"`
	// On is what the rule was asked at, such as before_tool_call.
	On string `json:"on"`
	// Checkpoint is the type of a hold, Reviewer who may decide on it.
	Checkpoint string `json:"checkpoint,omitempty"`
	Reviewer   string `json:"reviewer,omitempty"`
	// Question is what the person is asked.
	Question string `json:"question,omitempty"`
}

// CheckpointSavedData says how far a turn is.
type CheckpointSavedData struct {
	// Step is the number of super-steps so far.
	Step int `json:"step"`
}

// GraphMutatedData is a change of the graph that was made.
type GraphMutatedData struct {
	// Fingerprint is that of the graph with the change.
	Fingerprint string   `json:"fingerprint"`
	Mutation    Mutation `json:"mutation"`
}

// MutationRefusedData is a change of the graph that was not made: one of its two members.
type MutationRefusedData struct {
	// Asked is what a model wrote when it makes no mutation.
	Asked    LongString `json:"asked,omitempty"`
	Mutation *Mutation  `json:"mutation,omitempty"`
}

// Mutation is a change of the graph.
type Mutation struct {
	Op MutationOp `json:"op"`
	// ID is that of the stage that was added.
	ID StageID `json:"id,omitempty"`
	// Stage is the definition of the stage to add.
	Stage json.RawMessage `json:"stage,omitempty"`
	// Edge is what is added or removed.
	Edge *Edge `json:"edge,omitempty"`
	// Parent is the stage whose nested graph changes; absent for the outermost. The other
	// ids are those of that level.
	Parent StageID `json:"within,omitempty"`
	Reason string  `json:"reason,omitempty"`
	// By is the stage that asked.
	By StageID `json:"by,omitempty"`
}

// Edge leads from one stage to another.
type Edge struct {
	From StageID `json:"from"`
	To   StageID `json:"to"`
	// Type is one of the graph's types of edges.
	Type      string `json:"type"`
	Condition string `json:"condition,omitempty"`
	// Match is the output that a match edge leads on from.
	Match    string `json:"match,omitempty"`
	Priority int    `json:"priority,omitempty"`
}

// PhaseStartedData is what a phase of the pipeline is about to run or to skip.
type PhaseStartedData struct {
	Tools []string `json:"tools"`
}

// PhaseCompletedData says what became of a phase's tools.
type PhaseCompletedData struct {
	Failed  []string `json:"failed"`
	Ran     []string `json:"ran"`
	Skipped []string `json:"skipped"`
}

// ToolStartedData is what a tool was called with.
type ToolStartedData struct {
	Args json.RawMessage `json:"args"`
}

// ToolCompletedData is what a tool gave.
type ToolCompletedData struct {
	// Completeness is how much of what it should have the result has, from 0 to 1;
	// absent for tools that a model called.
	Completeness *float64 `json:"completeness,omitempty"`
	// MS is how long it ran, in milliseconds.
	MS     int64           `json:"ms"`
	Result json.RawMessage `json:"result"`
}

// ToolFailedData says what kind of failure it was; only of tools of the pipeline.
type ToolFailedData struct {
	// Class is the pipeline's name for the kind of failure.
	Class string `json:"class"`
	// Retry says that the tool runs again.
	Retry bool `json:"retry"`
}

// ToolSkippedData says what kept a tool from running: its earlier result stands.
type ToolSkippedData struct {
	// Completeness is that of the earlier result, from 0 to 1.
	Completeness float64 `json:"completeness"`
	Gate         Gate    `json:"gate"`
}

// AssemblyFailedData is what a context lacks that no answer can do without.
type AssemblyFailedData struct {
	Missing []Section `json:"missing"`
}

// Section is a part of the context that is missing.
type Section struct {
	// Tool is the one that should have given it.
	Tool   string `json:"tool"`
	Reason string `json:"reason"`
	// Absent says that the records simply have none of it: nothing was cut and nothing failed.
	Absent bool `json:"absent,omitempty"`
	// Again says that an earlier reply of the session told it, and that it holds whatever is asked.
	Again bool `json:"again,omitempty"`
}

// MemoryUpdatedData says what memory holds now, or what it forgot.
type MemoryUpdatedData struct {
	// Forgotten says that what Keys name is gone; of consent, that all that was remembered of the person is.
	Forgotten bool `json:"forgotten,omitempty"`
	// Keys are, of "working", the parts that were written or forgotten: tools whose results are kept, "scratchpad",
	// "entities", "recent_entities", or the row that an agent's cards show. Of "consent" it is the one that holds from now
	// on: "onboarding", "pending_consent" or "full".
	Keys []string `json:"keys"`
	// Scope is "working", the working memory of the session, or "consent", what the person agreed to.
	Scope string `json:"scope"`
}

// ModelCalledData is one request to a model, with its answer.
type ModelCalledData struct {
	// Role is what the model is chosen for, main or light.
	Role string `json:"role"`
	// Purpose is what it was for, as the stage names it.
	Purpose string `json:"purpose"`
	Model   string `json:"model,omitempty"`
	// Digest is that of the model's manifest.
	Digest string `json:"digest,omitempty"`
	// Kept is how many messages of the prompt before in the same visit come before Prompt.
	Kept   int             `json:"kept,omitempty"`
	Prompt []PromptMessage `json:"prompt"`
	// Texts are the names of the agent's texts that the prompt was compiled of.
	Texts []string `json:"texts,omitempty"`
	// Memories are the earlier conversations that the prompt was told of.
	Memories []UsedMemory `json:"memories,omitempty"`
	// Tools are those that were offered, by name.
	Tools []string `json:"tools,omitempty"`
	// PromptTokens is how many tokens were sent. Of a request that broke off both numbers are
	// worked out from the characters: the model did not come to say them.
	PromptTokens int `json:"prompt_tokens"`
	// Evaluated is how many of them the model read anew: the others it knew from the request
	// before. Absent where the server does not tell.
	Evaluated    *int `json:"evaluated,omitempty"`
	OutputTokens int  `json:"output_tokens"`
	// MS is how long the request took, in milliseconds, PromptMS and OutputMS what of it went
	// into reading the prompt and into writing the answer.
	MS       int64 `json:"ms"`
	PromptMS int64 `json:"prompt_ms"`
	OutputMS int64 `json:"output_ms"`
}

// ModelReadingData is a request to a model that has begun. Before the model's server has said what the model can
// do, it has no Tokens.
type ModelReadingData struct {
	Role    string `json:"role"`
	Purpose string `json:"purpose"`
	Model   string `json:"model,omitempty"`
	// Tokens is about how many the prompt has, by its length.
	Tokens int `json:"tokens"`
	// PerSecond is how many of them the model read in a second when it was last asked on
	// this machine; absent when not known.
	PerSecond float64 `json:"per_second,omitempty"`
	// Begun says that the first words of the answer came.
	Begun bool `json:"begun,omitempty"`
}

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role  string       `json:"role"`
	Text  string       `json:"text"`
	Calls []PromptCall `json:"calls,omitempty"`
	// Call and Tool name the call that a tool's message answers.
	Call string `json:"call,omitempty"`
	Tool string `json:"tool,omitempty"`
}

// UsedMemory names an earlier conversation that a prompt was told of. Its words are with the
// memory, where they can be forgotten.
type UsedMemory struct {
	ID string `json:"id"`
	// Similarity is how close it was to what was asked, from 0 to 1.
	Similarity float64 `json:"similarity"`
}

// PromptCall is a call of a tool as a model wrote it.
type PromptCall struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// SafetyCheckedData is the finding about a person's message, or about what they wrote elsewhere;
// help for the latter has the event's message id.
type SafetyCheckedData struct {
	By SafetyBy `json:"by"`
	// Written says where it was written: "answer" to a question, "feedback" on advice, "correction"
	// of what is remembered; absent for the message.
	Written string `json:"written,omitempty"`
	// Category is the danger that was found; "none" or "" without one.
	Category string `json:"category"`
	// Concern says that the turn goes on with a check-in: help and a question above the reply.
	Concern bool `json:"concern"`
	// Degraded says that less was checked than should have been.
	Degraded bool `json:"degraded"`
	// Hijack says that the reviewed text answers in the place of a model.
	Hijack bool   `json:"hijack"`
	Reason string `json:"reason"`
	// Region is where the text's numbers are to be called.
	Region string `json:"region"`
	// Informal says that the text addresses a young person.
	Informal bool `json:"informal,omitempty"`
	// Child says that the message tells of a child.
	Child bool `json:"child,omitempty"`
	// Rules are those that found a sign.
	Rules []SafetyRule `json:"rules,omitzero"`
	// RulesVersion is that of the reviewed rules.
	RulesVersion string `json:"rules_version"`
	// Score is the highest sum of points, and Threshold what it takes to hijack.
	Score     int `json:"score"`
	Threshold int `json:"threshold"`
	// Level is none, check_in or intervention; FoundBy are those that saw a sign: rules,
	// words, meaning, model or script.
	Level   string   `json:"level"`
	FoundBy []string `json:"found_by,omitzero"`
	// Speaker says who tells: self, other or clinician. Language is that of the reviewed
	// texts that answer, not the message's.
	Speaker  string `json:"speaker,omitempty"`
	Language string `json:"language,omitempty"`
	// Coverage says which checks without a model read the message's language: all of them
	// when absent, only "meaning", or "none". It is told where they found nothing.
	Coverage string `json:"coverage,omitempty"`
	// Addition says that an earlier check told of the message already: this one adds the
	// model's answer, or that there was none.
	Addition bool `json:"addition,omitempty"`
	// Tiers are the readings of what needs no model.
	Tiers []SafetyTier `json:"tiers,omitzero"`
	// Model is the classifier's answer; absent when none was asked or it failed.
	Model *SafetyJudgement `json:"model,omitempty"`
}

// SafetyTier is what one tier says of a message.
type SafetyTier struct {
	Tier  string `json:"tier"`
	Level string `json:"level"`
	// Score is the tier's own; from CheckIn on it is a sign, from Intervention on enough.
	Score        float64 `json:"score"`
	CheckIn      float64 `json:"check_in"`
	Intervention float64 `json:"intervention"`
	Category     string  `json:"category,omitempty"`
	// Reasons are what weighed most.
	Reasons []string `json:"reasons,omitempty"`
}

// SafetyJudgement is the answer of the model's classifier.
type SafetyJudgement struct {
	Risk     string `json:"risk"` // none, concern or crisis
	Category string `json:"category"`
	Who      string `json:"who,omitempty"`
	// Practice says that a script answered in the place of a model.
	Practice bool `json:"practice,omitempty"`
	// Weak says that the model is too small for its word to count alone.
	Weak bool `json:"weak,omitempty"`
}

// SafetyRule is a rule that found a sign of danger.
type SafetyRule struct {
	Category string `json:"category"`
	Rule     string `json:"rule"`
}

// MessageData says who wrote a message and how.
type MessageData struct {
	Role MessageRole `json:"role"`
	// Template names a reviewed or fixed text that no model wrote; Category and Region
	// say which of the interventions it is.
	Template string `json:"template,omitempty"`
	Category string `json:"category,omitempty"`
	Region   string `json:"region,omitempty"`
	// Degraded are the parts of the context that the model did not have.
	Degraded []Section `json:"degraded,omitempty"`
	*Generation
	*ModelUsed
	LongText
}

// Generation is how a model wrote a message.
type Generation struct {
	// Partial says that the text breaks off.
	Partial      bool `json:"partial"`
	PromptTokens int  `json:"prompt_tokens"`
	OutputTokens int  `json:"output_tokens"`
	// ContextUsed is the sum of both, of Context.
	ContextUsed int `json:"context_used"`
	// TokensPerSecond is how fast the answer was written; absent when not known.
	TokensPerSecond float64 `json:"tokens_per_second,omitempty"`
}

// ModelUsed is the model that wrote a message.
type ModelUsed struct {
	Model string `json:"model"`
	// Digest is that of the model's manifest.
	Digest string `json:"digest"`
	// Context is how many tokens a request may hold.
	Context int `json:"context"`
	// Practice says that it is a script and no model.
	Practice bool `json:"practice"`
	// Weak says that the model is too small for its word to count alone.
	Weak bool `json:"weak,omitempty"`
}

// ApprovalRequestedData is what a person is asked to approve, in short.
type ApprovalRequestedData struct {
	// Digest is that of what would run.
	Digest    string    `json:"digest"`
	ExpiresAt time.Time `json:"expires_at"`
	Title     string    `json:"title"`
	// DueAt is by when a decision is wanted, For who alone may decide, in words; empty for
	// anybody.
	DueAt time.Time `json:"due_at,omitzero"`
	For   string    `json:"for,omitempty"`
}

// ApprovalDecidedData is a person's verdict.
type ApprovalDecidedData struct {
	// Digest is that of what the verdict is about; empty when the arguments were changed.
	Digest string `json:"digest"`
	// Meaning is what the reviewer signs for.
	Meaning  string `json:"meaning"`
	Reviewer string `json:"reviewer"`
	// Identity is by what the name is known: typed, account, passphrase or signature; "" in older
	// journals. Only the last two show that it is the person.
	Identity string `json:"identity,omitempty"`
	// Was is the digest of what was asked before the arguments were changed, and Title
	// says what would happen since.
	Was   string `json:"was,omitempty"`
	Title string `json:"title,omitempty"`
	// Changed are the arguments that the reviewer changed, long ones shortened.
	Changed []ChangedLine `json:"changed,omitempty"`
}

// ChangedLine is an argument as people read it, before and after a reviewer changed it.
type ChangedLine struct {
	Label  string `json:"label"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// ApprovalRemindedData is by when a decision is wanted.
type ApprovalRemindedData struct {
	DueAt time.Time `json:"due_at"`
}

// ApprovalEscalatedData is who may decide besides, in words.
type ApprovalEscalatedData struct {
	To string `json:"to"`
}

// ApprovalDelegatedData is who lets whom decide.
type ApprovalDelegatedData struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Was is the digest until then, Digest the one since: who may decide is part of it.
	Was    string `json:"was"`
	Digest string `json:"digest"`
}

// MutationCommittedData is what an approved call did.
type MutationCommittedData struct {
	// Refs are the records that it wrote, as Type/id.
	Refs   []string        `json:"refs"`
	Result json.RawMessage `json:"result"`
}

// QuestionAnsweredData is a person's answer.
type QuestionAnsweredData struct {
	// Answer is {"answer": text}, {"approved": bool} or an object as the question's schema
	// has it; each may have a comment.
	Answer  json.RawMessage `json:"answer"`
	Choices []string        `json:"choices"`
	// Pause is the id of the pause that asked.
	Pause  string     `json:"pause"`
	Prompt LongString `json:"prompt"`
}

// BoardSearchedData is a search for evidence.
type BoardSearchedData struct {
	Query  LongString `json:"query"`
	Source string     `json:"source"`
	// For is the hypothesis or the conflict that it was for; absent for the question itself.
	For string `json:"for,omitempty"`
	// Found counts passages, New those that were not on the board, Duplicates those of them
	// that say nearly the same as another.
	Found      int `json:"found"`
	New        int `json:"new"`
	Duplicates int `json:"duplicates"`
}

// EvidenceAddedData names a passage that is on the board; its text is in the store.
type EvidenceAddedData struct {
	ID       string     `json:"id"`
	Passage  uint64     `json:"passage"`
	Document string     `json:"document"`
	Title    LongString `json:"title"`
	Page     int        `json:"page,omitempty"`
	// DuplicateOf is the evidence that says nearly the same.
	DuplicateOf string `json:"duplicate_of,omitempty"`
}

// EvidenceJudgedData is what a piece of evidence says about a hypothesis.
type EvidenceJudgedData struct {
	Evidence   string `json:"evidence"`
	Hypothesis string `json:"hypothesis"`
	// Verdict is supports, contradicts or neutral.
	Verdict string     `json:"verdict"`
	Quote   LongString `json:"quote,omitempty"`
	By      ChangedBy  `json:"by"`
	Who     string     `json:"who"`
}

// HypothesisChangedData is a hypothesis as it is now.
type HypothesisChangedData struct {
	ID        string     `json:"id"`
	Statement LongString `json:"statement"`
	// Status is proposed, validating, confirmed or refuted.
	Status string `json:"status"`
	// Confidence is from 0 to 1.
	Confidence    float64  `json:"confidence"`
	Supporting    []string `json:"supporting_evidence_ids"`
	Contradicting []string `json:"contradicting_evidence_ids"`
	// Dissent says that the evidence says otherwise than the person who decided.
	Dissent bool              `json:"dissent,omitempty"`
	Before  *HypothesisBefore `json:"before,omitempty"`
	By      ChangedBy         `json:"by"`
	// Who is the model's or the person's name, or the rule's.
	Who string `json:"who"`
}

// HypothesisBefore is what a hypothesis was.
type HypothesisBefore struct {
	Status     string  `json:"status"`
	Confidence float64 `json:"confidence"`
}

// ConflictChangedData is a conflict as it is now.
type ConflictChangedData struct {
	ID          string     `json:"id"`
	Description LongString `json:"description"`
	SourceA     string     `json:"source_a_id"`
	SourceB     string     `json:"source_b_id"`
	Hypothesis  string     `json:"hypothesis"`
	// Status is open or resolved.
	Status     string     `json:"status"`
	Resolution LongString `json:"resolution,omitempty"`
	// Outcome is source_a, source_b or both: which source stands.
	Outcome string    `json:"outcome,omitempty"`
	By      ChangedBy `json:"by"`
	Who     string    `json:"who"`
}

// LongString is text that may have moved into a blob; Decode then leaves it empty.
type LongString string

// LongText is in the payload of events whose Text may be long.
type LongText struct {
	// FullText is where the whole text is when the event has only the beginning of it.
	FullText *Blob `json:"text,omitempty"`
}

// TurnFailedData is empty: the event's Stage failed, with its Error.
type TurnFailedData struct{}

// TurnCancelledData is empty: the event's Status says how the turn ended before its end, Reason why.
type TurnCancelledData struct{}

// StageStartedData is empty: the event's Stage began its Attempt, counted from 1.
type StageStartedData struct{}

// StageSkippedData is empty: the event's Reason says why its Stage does not run.
type StageSkippedData struct{}

// WarnedData is empty: the event's Reason is what was odd, Status of which kind, Error what failed.
type WarnedData struct{}

// HookFailedData is empty: the event's Tool is the hook, Status the point it ran at, Error what it failed with.
type HookFailedData struct{}

// TransitionData is empty: the event's From and To are the stages, Condition led from one to the other, Resolver decided, Reason is why.
type TransitionData struct{}

// ToolRefusedData is empty: the event's Tool and Call name what was refused, Approval the request, Status by whom, Reason why.
type ToolRefusedData struct{}

// MessageStartedData is empty: the event's Message is the id of the message that begins to stream.
type MessageStartedData struct{}

// ApprovalRefusedData is empty: the event's Approval is the request, Tool and Call what would have run; Status, Error and Reason say why it did not.
type ApprovalRefusedData struct{}

// TokenData says who writes: the event's Text goes into its Message behind Offset bytes (UTF-8).
type TokenData struct {
	// Weak says that the model is too small for its word to count alone.
	Weak bool `json:"weak,omitempty"`
}

// Blob stands in the place of a body that is too large for an event.
type Blob struct {
	// Name is "sha256:" and the digest of the body in hex.
	Name string `json:"blob"`
	// Size of the body, in bytes.
	Size int `json:"size"`
}

func (TurnStartedData) Kind() Kind       { return TurnStarted }
func (TurnResumedData) Kind() Kind       { return TurnResumed }
func (TurnPausedData) Kind() Kind        { return TurnPaused }
func (TurnCompletedData) Kind() Kind     { return TurnCompleted }
func (TurnLimitedData) Kind() Kind       { return TurnLimited }
func (StageCompletedData) Kind() Kind    { return StageCompleted }
func (StagePausedData) Kind() Kind       { return StagePaused }
func (StageFailedData) Kind() Kind       { return StageFailed }
func (StageRetriedData) Kind() Kind      { return StageRetried }
func (StageOutputData) Kind() Kind       { return StageOutput }
func (ObservedData) Kind() Kind          { return Observed }
func (GuardActedData) Kind() Kind        { return GuardActed }
func (SkillLoadedData) Kind() Kind       { return SkillLoaded }
func (SpanData) Kind() Kind              { return Span }
func (RuleFiredData) Kind() Kind         { return RuleFired }
func (CheckpointSavedData) Kind() Kind   { return CheckpointSaved }
func (GraphMutatedData) Kind() Kind      { return GraphMutated }
func (MutationRefusedData) Kind() Kind   { return MutationRefused }
func (PhaseStartedData) Kind() Kind      { return PhaseStarted }
func (PhaseCompletedData) Kind() Kind    { return PhaseCompleted }
func (ToolStartedData) Kind() Kind       { return ToolStarted }
func (ToolCompletedData) Kind() Kind     { return ToolCompleted }
func (ToolFailedData) Kind() Kind        { return ToolFailed }
func (ToolSkippedData) Kind() Kind       { return ToolSkipped }
func (AssemblyFailedData) Kind() Kind    { return AssemblyFailed }
func (MemoryUpdatedData) Kind() Kind     { return MemoryUpdated }
func (ModelCalledData) Kind() Kind       { return ModelCalled }
func (ModelReadingData) Kind() Kind      { return ModelReading }
func (SafetyCheckedData) Kind() Kind     { return SafetyChecked }
func (BoardSearchedData) Kind() Kind     { return BoardSearched }
func (EvidenceAddedData) Kind() Kind     { return EvidenceAdded }
func (EvidenceJudgedData) Kind() Kind    { return EvidenceJudged }
func (HypothesisChangedData) Kind() Kind { return HypothesisChanged }
func (ConflictChangedData) Kind() Kind   { return ConflictChanged }
func (MessageData) Kind() Kind           { return Message }
func (ApprovalRequestedData) Kind() Kind { return ApprovalRequested }
func (ApprovalDecidedData) Kind() Kind   { return ApprovalDecided }
func (ApprovalRemindedData) Kind() Kind  { return ApprovalReminded }
func (ApprovalEscalatedData) Kind() Kind { return ApprovalEscalated }
func (ApprovalDelegatedData) Kind() Kind { return ApprovalDelegated }
func (MutationCommittedData) Kind() Kind { return MutationCommitted }
func (QuestionAnsweredData) Kind() Kind  { return QuestionAnswered }
func (TurnFailedData) Kind() Kind        { return TurnFailed }
func (TurnCancelledData) Kind() Kind     { return TurnCancelled }
func (StageStartedData) Kind() Kind      { return StageStarted }
func (StageSkippedData) Kind() Kind      { return StageSkipped }
func (WarnedData) Kind() Kind            { return Warned }
func (HookFailedData) Kind() Kind        { return HookFailed }
func (TransitionData) Kind() Kind        { return Transition }
func (ToolRefusedData) Kind() Kind       { return ToolRefused }
func (MessageStartedData) Kind() Kind    { return MessageStarted }
func (ApprovalRefusedData) Kind() Kind   { return ApprovalRefused }
func (TokenData) Kind() Kind             { return Token }
