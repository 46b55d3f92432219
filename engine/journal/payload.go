package journal

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

// LongString is text that may have moved into a blob; Decode then leaves it empty.
type LongString string

// LongText is in the payload of events whose Text may be long.
type LongText struct {
	// FullText is where the whole text is when the event has only the beginning of it.
	FullText *Blob `json:"text,omitempty"`
}

// Blob stands in the place of a body that is too large for an event.
type Blob struct {
	// Name is "sha256:" and the digest of the body in hex.
	Name string `json:"blob"`
	// Size of the body, in bytes.
	Size int `json:"size"`
}
