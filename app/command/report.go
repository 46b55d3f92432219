package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/visible"
)

func (p *program) report() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "report TURN", Short: "Sum up a turn: what ran, which way and why, what it used", Args: exact(1, "one turn id"),
		Long: `Sum a turn up from its journal: how often each stage ran, was skipped, came from the cache, failed and was tried again,
the way it took with who decided on each step, the calls of models and tools, what of its limits it used, changes of the
graph, warnings, and hooks or rules that failed. "run --json" and "resume --json" have the same in the member report of their last line.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				r, err := a.TurnReport(args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return p.line(r)
				}
				for _, line := range reportLines(p.language(), r) {
					p.say("%s", line)
				}
				return nil
			})
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as one line of JSON")
	return c
}

// reported is an event that ends what run and resume print, with the turn's report.
type reported struct {
	journal.Event
	Report *run.ExecutionReport `json:"report,omitempty"`
}

// ends says that a turn stops with the event, for good or for now.
func ends(k journal.Kind) bool {
	switch k {
	case journal.TurnCompleted, journal.TurnFailed, journal.TurnPaused, journal.TurnLimited, journal.TurnCancelled:
		return true
	}
	return false
}

// stagesOf lists counts by stage, those without a mark ran once.
func stagesOf(m map[graph.StageID]int) string {
	out := make([]string, 0, len(m))
	for _, id := range slices.Sorted(maps.Keys(m)) {
		text := visible.Short(string(id), lineRoom)
		if m[id] > 1 {
			text += fmt.Sprintf(" ×%d", m[id])
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// reportLines is a report for people.
func reportLines(g tongue.Tongue, r run.ExecutionReport) []string {
	out := []string{g.Say("%s after %s: %s", g.Say(string(r.Status)), counted(g, r.Steps, tongue.Word("1 step"), tongue.Word("%d steps")), summary(g, r))}
	add := func(name, text string) {
		if text != "" {
			out = append(out, fmt.Sprintf("  %-10s %s", name, text))
		}
	}
	add(g.Say("caller"), visible.Short(r.Caller, lineRoom))
	add(g.Say("ran"), stagesOf(r.Ran))
	add(g.Say("cached"), stagesOf(r.Cached))
	add(g.Say("skipped"), stagesOf(r.Skipped))
	add(g.Say("failed"), stagesOf(r.Failed))
	add(g.Say("retried"), stagesOf(r.Retries))
	for i, w := range r.Path {
		name := ""
		if i == 0 {
			name = g.Say("way")
		}
		out = append(out, fmt.Sprintf("  %-10s %s", name, g.Say("%s → %s by %s%s", w.From, w.To, g.Named(w.Resolver), because(g, "", app.WayReason(g, w.Resolver, w.Reason)))))
	}
	calls := func(n int) string { return counted(g, n, tongue.Word("1 call"), tongue.Word("%d calls")) }
	if r.ModelCalls > 0 {
		add(g.Say("models"), g.Say("%s, %d tokens read, %d written", calls(r.ModelCalls), r.PromptTokens, r.OutputTokens))
	}
	if r.ToolCalls > 0 {
		add(g.Say("tools"), calls(r.ToolCalls))
	}
	add(g.Say("did"), strings.Join(plainly(r.Committed), ", "))
	if r.Unknown > 0 {
		add(g.Say("unknown"), g.Say("%s whose outcome nobody knows: holdpoint approvals list --status unknown", calls(r.Unknown)))
	}
	limits := []string{g.Say("%d of %d steps", r.Steps, r.MaxSteps)}
	if r.Limits.Tokens > 0 {
		limits = append(limits, g.Say("%d of %d tokens", r.Used.Tokens, r.Limits.Tokens))
	}
	if r.Limits.Time > 0 {
		limits = append(limits, g.Say("%s of %s", r.Used.Time.Round(time.Millisecond), r.Limits.Time))
	}
	if r.Limits.Mutations > 0 {
		limits = append(limits, g.Say("%d of %d changes of the graph", r.Used.Mutations, r.Limits.Mutations))
	}
	add(g.Say("used"), strings.Join(limits, ", "))
	if r.Limit != "" {
		add(g.Say("limit"), g.Say("it came to %s", g.Say(r.Limit)))
	}
	for _, m := range r.Mutations {
		add(g.Say("changed"), fmt.Sprintf("%s %s %s", m.Op, m.ID, visible.Short(g.Told(m.Reason), lineRoom)))
	}
	if r.Refused > 0 {
		add(g.Say("refused"), counted(g, r.Refused, tongue.Word("1 change of the graph"), tongue.Word("%d changes of the graph")))
	}
	if s := r.Safety; s != nil {
		level := g.Named(s.Level)
		by := make([]string, len(s.FoundBy))
		for i, name := range s.FoundBy {
			by[i] = g.Named(name)
		}
		add(g.Say("safety"), g.Say("%s (%s), found by %s", level, g.Named(s.Category), strings.Join(by, ", ")))
	}
	for _, w := range r.Warnings {
		add(g.Say("warned"), visible.Short(g.Told(w), lineRoom))
	}
	if r.HookFailures > 0 {
		add(g.Say("hooks"), counted(g, r.HookFailures, tongue.Word("1 failure that did not end the turn"), tongue.Word("%d failures that did not end the turn")))
	}
	for _, id := range slices.Sorted(maps.Keys(r.Errors)) {
		if id != r.ErrorStage {
			add(g.Say("passed by"), string(id)+": "+visible.Short(app.Failure(g, r.Errors[id]), lineRoom))
		}
	}
	if r.Error != "" {
		add(g.Say("error"), strings.TrimPrefix(string(r.ErrorStage)+": ", ": ")+visible.Short(app.Failure(g, r.Error), lineRoom))
	}
	return out
}

// changesSoFar says what a turn that is not over has changed.
func changesSoFar(g tongue.Tongue, r run.ExecutionReport) string {
	var parts []string
	if len(r.Committed) > 0 {
		parts = append(parts, g.Say("Already done: %s.", strings.Join(plainly(r.Committed), ", ")))
	}
	if r.Unknown > 0 {
		parts = append(parts, g.Say("Of what was begun nobody knows the outcome: holdpoint approvals list --status unknown"))
	}
	if len(parts) == 0 {
		return g.Say("Nothing was changed yet.")
	}
	return strings.Join(parts, " ")
}

// plainly are names as they can stand in a line.
func plainly(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = visible.Short(name, lineRoom)
	}
	return out
}

// finish prints what was held back as the last line, with the report.
func (pr *printer) finish(r *run.ExecutionReport) error {
	if pr.last == nil {
		return pr.err
	}
	last := reported{*pr.last, r}
	pr.last = nil
	return errors.Join(pr.err, pr.p.line(last))
}
