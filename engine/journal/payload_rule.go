package journal

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

func (RuleFiredData) Kind() Kind { return RuleFired }

// GuardActedData names the guard that looked at an output.
type GuardActedData struct {
	Guard string `json:"guard"`
}

func (GuardActedData) Kind() Kind { return GuardActed }

// HookFailedData is empty: the event's Tool is the hook, Status the point it ran at, Error what it failed with.
type HookFailedData struct{}

func (HookFailedData) Kind() Kind { return HookFailed }

// WarnedData is empty: the event's Reason is what was odd, Status of which kind, Error what failed.
type WarnedData struct{}

func (WarnedData) Kind() Kind { return Warned }
