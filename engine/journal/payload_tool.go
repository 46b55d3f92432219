package journal

import "encoding/json"

// PhaseStartedData is what a phase of the pipeline is about to run or to skip.
type PhaseStartedData struct {
	Tools []string `json:"tools"`
}

func (PhaseStartedData) Kind() Kind { return PhaseStarted }

// PhaseCompletedData says what became of a phase's tools.
type PhaseCompletedData struct {
	Failed  []string `json:"failed"`
	Ran     []string `json:"ran"`
	Skipped []string `json:"skipped"`
}

func (PhaseCompletedData) Kind() Kind { return PhaseCompleted }

// ToolStartedData is what a tool was called with.
type ToolStartedData struct {
	Args json.RawMessage `json:"args"`
}

func (ToolStartedData) Kind() Kind { return ToolStarted }

// ToolCompletedData is what a tool gave.
type ToolCompletedData struct {
	// Completeness is how much of what it should have the result has, from 0 to 1;
	// absent for tools that a model called.
	Completeness *float64 `json:"completeness,omitempty"`
	// MS is how long it ran, in milliseconds.
	MS     int64           `json:"ms"`
	Result json.RawMessage `json:"result"`
}

func (ToolCompletedData) Kind() Kind { return ToolCompleted }

// ToolFailedData says what kind of failure it was; only of tools of the pipeline.
type ToolFailedData struct {
	// Class is the pipeline's name for the kind of failure.
	Class string `json:"class"`
	// Retry says that the tool runs again.
	Retry bool `json:"retry"`
}

func (ToolFailedData) Kind() Kind { return ToolFailed }

// ToolSkippedData says what kept a tool from running: its earlier result stands.
type ToolSkippedData struct {
	// Completeness is that of the earlier result, from 0 to 1.
	Completeness float64 `json:"completeness"`
	Gate         Gate    `json:"gate"`
}

func (ToolSkippedData) Kind() Kind { return ToolSkipped }

// ToolRefusedData is empty: the event's Tool and Call name what was refused, Approval the request, Status by whom, Reason why.
type ToolRefusedData struct{}

func (ToolRefusedData) Kind() Kind { return ToolRefused }

// AssemblyFailedData is what a context lacks that no answer can do without.
type AssemblyFailedData struct {
	Missing []Section `json:"missing"`
}

func (AssemblyFailedData) Kind() Kind { return AssemblyFailed }

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

func (SkillLoadedData) Kind() Kind { return SkillLoaded }
