package run

import (
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/visible"
)

// ExecutionReport sums a run up, from what its journal says.
type ExecutionReport struct {
	Status Status `json:"status"`
	Steps  int    `json:"steps"`
	// Caller names who the run began for; "" for nobody in particular.
	Caller string `json:"caller,omitempty"`
	// Ran, Skipped, Cached and Failed count by stage; Retries are further attempts.
	Ran     map[graph.StageID]int `json:"ran,omitempty"`
	Skipped map[graph.StageID]int `json:"skipped,omitempty"`
	Cached  map[graph.StageID]int `json:"cached,omitempty"`
	Failed  map[graph.StageID]int `json:"failed,omitempty"`
	Retries map[graph.StageID]int `json:"retries,omitempty"`
	// Path are the transitions in order, with who decided.
	Path []Passed `json:"path,omitempty"`

	ModelCalls   int `json:"model_calls"`
	ToolCalls    int `json:"tool_calls"`
	PromptTokens int `json:"prompt_tokens"`
	OutputTokens int `json:"output_tokens"`
	// Committed is what approved calls did, in order: the records that they wrote, or the tool's
	// name where the change is elsewhere. Unknown counts those of which nobody knows what became.
	Committed []string `json:"committed,omitempty"`
	Unknown   int      `json:"unknown,omitempty"`
	// Used is what the limits count; Time is the time under way.
	Used     graph.Used   `json:"used"`
	Limits   graph.Limits `json:"limits"`
	MaxSteps int          `json:"max_steps"`
	// Limit names the limit that the run came to.
	Limit     string           `json:"limit,omitempty"`
	Mutations []graph.Mutation `json:"mutations,omitempty"`
	Refused   int              `json:"mutations_refused,omitempty"`
	// HookFailures and Warnings are what was odd and did not end the run.
	// Safety is the gravest finding of danger of the turn; nil where nothing was found.
	Safety       *journal.SafetyCheckedData `json:"safety,omitempty"`
	HookFailures int                        `json:"hook_failures,omitempty"`
	Warnings     []string                   `json:"warnings,omitempty"`
	// Error is why the run failed; ErrorStage where. Errors are those of stages that
	// were passed by.
	Error      string                   `json:"error,omitempty"`
	ErrorStage graph.StageID            `json:"error_stage,omitempty"`
	Errors     map[graph.StageID]string `json:"errors,omitempty"`
	StartedAt  time.Time                `json:"started_at"`
	EndedAt    time.Time                `json:"ended_at"`
}

// Passed is one transition.
type Passed struct {
	From     graph.StageID `json:"from"`
	To       graph.StageID `json:"to"`
	Resolver string        `json:"resolver"`
	Reason   string        `json:"reason,omitempty"`
}

// Report puts the report of a run together from its outcome and the events of its
// turn, in order. Events of other turns are left out.
func Report(out Outcome, events []journal.Event) ExecutionReport {
	run := out.Run
	r := ExecutionReport{Status: run.Status, Steps: run.Step, Caller: run.Caller, Used: run.Used, Limits: run.Limits, MaxSteps: run.MaxSteps, Limit: run.Limit,
		Mutations: run.Mutations, Error: run.Error, ErrorStage: run.ErrorStage, Errors: run.Errors, StartedAt: run.StartedAt, EndedAt: run.UpdatedAt}
	if r.Error == "" && out.Err != nil {
		r.Error = visible.WithoutPaths(out.Err.Error())
	}
	count := func(in *map[graph.StageID]int, id graph.StageID) {
		if *in == nil {
			*in = map[graph.StageID]int{}
		}
		(*in)[id]++
	}
	for _, e := range events {
		if e.Turn != run.Turn {
			continue
		}
		switch e.Kind {
		case journal.SafetyChecked:
			d, err := journal.Read[journal.SafetyCheckedData](e)
			if found := err == nil && (d.Hijack || d.Concern); found && (r.Safety == nil || d.Hijack && !r.Safety.Hijack) {
				r.Safety = &d
			}
		case journal.StageCompleted:
			switch journal.CompletionStatus(e.Status) {
			case journal.Cached:
				count(&r.Cached, e.Stage)
			case journal.Again: // its visit goes on
			default:
				count(&r.Ran, e.Stage)
			}
		case journal.StageSkipped:
			count(&r.Skipped, e.Stage)
		case journal.StageFailed:
			count(&r.Failed, e.Stage)
		case journal.StageRetried:
			count(&r.Retries, e.Stage)
		case journal.Transition:
			r.Path = append(r.Path, Passed{e.From, e.To, e.Resolver, e.Reason})
		case journal.ModelCalled:
			// An event whose data cannot be read still is a call.
			d, _ := journal.Read[journal.ModelCalledData](e)
			r.PromptTokens += d.PromptTokens
			r.OutputTokens += d.OutputTokens
			r.ModelCalls++
		case journal.ToolCompleted, journal.ToolFailed, journal.ToolRefused, journal.MutationCommitted: // how each call ends, one that was approved, too
			r.ToolCalls++
			switch {
			case e.Kind == journal.MutationCommitted:
				// An event whose data cannot be read still says that something was done.
				if d, _ := journal.Read[journal.MutationCommittedData](e); len(d.Refs) > 0 {
					r.Committed = append(r.Committed, d.Refs...)
				} else {
					r.Committed = append(r.Committed, e.Tool)
				}
			case e.Status == string(journal.OutcomeUnknown):
				r.Unknown++
			}
		case journal.MutationRefused:
			r.Refused++
		case journal.HookFailed:
			r.HookFailures++
		case journal.Warned:
			r.Warnings = append(r.Warnings, e.Reason)
		}
	}
	return r
}
