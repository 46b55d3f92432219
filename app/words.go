package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/safety"
)

// EventWords puts an event of the graph's own doing into words: a label and a text,
// both empty for events that say nothing on their own. Text is not made safe for
// any format.
func EventWords(e journal.Event) (label, text string) {
	stage := string(e.Stage)
	told, _ := journal.Decode(e) // what cannot be read stays unsaid
	switch d := told.(type) {
	case journal.TurnLimitedData:
		return "Stopped", limitWords(e, d)
	case journal.StagePausedData:
		return "Question", questionWords(d)
	case journal.QuestionAnsweredData:
		return "Answer", answerWords(e, d)
	case journal.GraphMutatedData:
		return "Graph changed", join(mutationWords(e, &d.Mutation), e.Reason)
	case journal.MutationRefusedData:
		return "Graph change refused", join(mutationWords(e, d.Mutation), e.Error)
	case journal.RuleFiredData:
		return "Rule", join(ruleWords(e, d), join(e.Reason, e.Error))
	case journal.GuardActedData:
		what := map[journal.GuardStatus]string{journal.GuardPass: "let the answer pass", journal.GuardTransform: "changed the answer",
			journal.GuardRetry: "asked for another answer", journal.GuardBlock: "blocked the answer"}[journal.GuardStatus(e.Status)]
		if what == "" {
			what = e.Status
		}
		return "Guard", join(fmt.Sprintf("%s at %s %s", d.Guard, stage, what), e.Reason)
	case journal.SkillLoadedData:
		text = "was loaded with " + map[int]string{2: "its definition", 3: "its definition and artifacts"}[d.Tier]
		if len(d.Missing) > 0 {
			text += "; nobody has the tools that it names: " + strings.Join(d.Missing, ", ")
		}
		return "Skill", d.Title + " " + text
	case journal.BoardSearchedData:
		return "Searched", join(fmt.Sprintf("%s for “%s”: %d passages, %d new", d.Source, d.Query, d.Found, d.New), e.Reason)
	case journal.HypothesisChangedData:
		return "Hypothesis", join(fmt.Sprintf("%s is %s with confidence %.2f by %s (%s): %s", d.ID, d.Status, d.Confidence, changedBy[d.By], d.Who, d.Statement), e.Reason)
	case journal.ConflictChangedData:
		return "Conflict", join(fmt.Sprintf("%s is %s by %s (%s): %s", d.ID, d.Status, changedBy[d.By], d.Who, d.Description), string(d.Resolution))
	case journal.StageRetriedData:
		wait := time.Duration(d.WaitMS) * time.Millisecond
		return "Retried", join(fmt.Sprintf("%s runs again in %s after attempt %d failed", stage, wait, e.Attempt), e.Error)
	case journal.SafetyCheckedData:
		return "Safety", safetyWords(e, d)
	case journal.StageCompletedData:
		if e.Status == string(journal.Cached) {
			return "Reused", stage + ": the same inputs as before, so its earlier result was taken"
		}
	}
	switch e.Kind {
	case journal.StageSkipped:
		return "Skipped", join(stage, e.Reason)
	case journal.HookFailed:
		return "Hook failed", join(strings.TrimSpace(e.Tool+" "+e.Status+" at "+stage)+"; the turn went on", e.Error)
	case journal.Warned:
		return "Warning", join(stage, e.Reason)
	}
	return "", ""
}

var changedBy = map[journal.ChangedBy]string{journal.ChangedByModel: "the model", journal.ChangedByPerson: "a person", journal.ChangedByRule: "the rule"}

// ruleWords say what a rule did.
func ruleWords(e journal.Event, d journal.RuleFiredData) string {
	at := e.Tool
	if at == "" {
		at = string(e.Stage)
	}
	what := map[journal.RuleVerdict]string{journal.RuleAllows: "allows", journal.RuleWarns: "warns of", journal.RuleAsks: "asks about", journal.RuleHolds: "holds", journal.RuleRefuses: "refuses",
		journal.RuleSets: "sets something at", journal.RuleSkips: "passes over", journal.RuleEnds: "ends the graph at"}[journal.RuleVerdict(e.Status)]
	switch {
	case e.Error != "" && e.Status == string(journal.RuleRefuses):
		return d.Rule + " could not be evaluated at " + at + ", which is refused"
	case e.Error != "":
		return d.Rule + " could not be evaluated at " + at + ", which waits for a person"
	}
	text := d.Rule + " " + what + " " + at
	if d.Checkpoint != "" {
		text += " (" + d.Checkpoint + ")"
	}
	if d.Reviewer != "" {
		text += " for " + d.Reviewer
	}
	return text
}

// safetyWords say who checked a message, what was found by whom, and why.
func safetyWords(e journal.Event, d journal.SafetyCheckedData) string {
	checked := []string{}
	for _, t := range d.Tiers {
		covered := d.Coverage == "" || d.Coverage == string(safety.CoverageMeaning) && t.Tier == safety.TierMeaning
		if covered || slices.Contains(d.FoundBy, t.Tier) {
			checked = append(checked, t.Tier)
		}
	}
	if len(d.Tiers) == 0 { // as older versions told it
		return join("checked by "+strings.ReplaceAll(e.Status, "+", " and "), e.Reason)
	}
	if d.Model != nil {
		who := "model"
		if d.Model.Practice {
			who = "script (practice mode, no model)"
		}
		checked = append(checked, who)
	}
	if d.Addition {
		return additionWords(e, d)
	}
	text := "checked by " + strings.Join(checked, ", ")
	if len(checked) == 0 {
		text = "not checked"
	}
	found := map[string]string{"intervention": "intervention", "check_in": "check-in"}[d.Level]
	if found == "" {
		text += "; nothing found"
	} else {
		text += fmt.Sprintf("; %s (%s), found by %s", found, strings.ReplaceAll(d.Category, "_", " "), strings.Join(d.FoundBy, ", "))
	}
	for _, t := range d.Tiers {
		if len(t.Reasons) > 0 {
			text += fmt.Sprintf("; %s: “%s”", t.Tier, strings.Join(t.Reasons, "”, “"))
		}
	}
	if d.Model != nil {
		text += "; the classifier said " + d.Model.Risk
	}
	return join(text, e.Reason)
}

// additionWords say what a model added to a check that was told before.
func additionWords(e journal.Event, d journal.SafetyCheckedData) string {
	if d.Model == nil {
		return join("the model could not be asked; what was found before stays", e.Reason)
	}
	who := "the model's classifier"
	if d.Model.Practice {
		who = "the practice script"
	}
	text := fmt.Sprintf("then %s said %s", who, d.Model.Risk)
	if d.Hijack {
		return join(fmt.Sprintf("%s: now an intervention (%s), found by %s", text, strings.ReplaceAll(d.Category, "_", " "), strings.Join(d.FoundBy, ", ")), e.Reason)
	}
	return text + "; the check-in stays"
}

func join(what, why string) string {
	if why = strings.TrimSpace(why); why == "" {
		return what
	}
	return what + ": " + why
}

func limitWords(e journal.Event, d journal.TurnLimitedData) string {
	name := d.Name
	if name == "" {
		name = e.Status
	}
	text := "at " + limitName(name)
	if limit := float64(d.Limit); limit > 0 {
		if name == graph.LimitTime {
			limit *= float64(time.Second)
		}
		text += " of " + amount(name, limit)
	}
	switch name {
	case graph.LimitTokens:
		text += ", used " + amount(name, float64(d.Used.Tokens))
	case graph.LimitCost:
		text += ", used " + amount(name, d.Used.Cost)
	case graph.LimitTime:
		text += ", used " + amount(name, float64(d.Used.Time))
	}
	return text
}

// amount is a number of a limit with its unit.
func amount(limit string, n float64) string {
	if limit == graph.LimitTime {
		return time.Duration(n).Round(time.Millisecond).String()
	}
	return fmt.Sprintf("%.10g", n)
}

func questionWords(d journal.StagePausedData) string {
	var out []string
	for _, p := range d.Pauses {
		q, ok := QuestionOf(graph.Pause{ID: p.ID, Kind: string(p.Kind), Stage: p.Stage, Data: p.Data})
		if !ok {
			continue
		}
		text := q.Prompt
		if len(q.Choices) > 0 {
			text += "\nchoices: " + strings.Join(q.Choices, ", ")
		}
		out = append(out, text+"\nasked by "+string(p.Stage)+", answer under "+p.ID)
	}
	return strings.Join(out, "\n")
}

func answerWords(e journal.Event, d journal.QuestionAnsweredData) string {
	var a struct {
		Answer   any    `json:"answer"`
		Approved *bool  `json:"approved"`
		Comment  string `json:"comment"`
	}
	text := ""
	blob, long := journal.AsBlob(d.Answer)
	if !long && json.Unmarshal(d.Answer, &a) != nil {
		a.Answer = nil // an answer that is no object
	}
	switch {
	case long:
		text = "a long text, " + blob.Name
	case a.Approved != nil:
		text = map[bool]string{true: "yes", false: "no"}[*a.Approved]
	default:
		if s, ok := a.Answer.(string); ok {
			text = s
		} else {
			text = string(mustJSON(a.Answer))
		}
	}
	to := "to " + string(e.Stage)
	if d.Prompt != "" {
		to = "to “" + string(d.Prompt) + "”"
	}
	return join(join(to, text), a.Comment)
}

// mutationWords says what change it was; nil is one that a model did not put right.
func mutationWords(e journal.Event, m *journal.Mutation) string {
	if m == nil {
		m = &journal.Mutation{}
	}
	what := strings.ReplaceAll(string(m.Op), "_", " ")
	if what == "" {
		what = "a change"
	}
	if m.Edge != nil {
		what += fmt.Sprintf(" %s → %s", m.Edge.From, m.Edge.To)
	}
	if m.ID != "" {
		what += " " + string(m.ID)
	}
	return what + " (asked by " + string(e.Stage) + ")"
}

// used says what a turn used up.
func (g tongue) used(t TurnView) string {
	parts := []string{g.say("%d of %d steps", t.Steps, t.MaxSteps)}
	if t.Used.Tokens > 0 || t.Limits.Tokens > 0 {
		text := g.say("%d tokens", t.Used.Tokens)
		if t.Limits.Tokens > 0 {
			text = g.say("%d of %d tokens", t.Used.Tokens, t.Limits.Tokens)
		}
		parts = append(parts, text)
	}
	if t.Used.Cost > 0 || t.Limits.Cost > 0 {
		parts = append(parts, g.say("cost %g", t.Used.Cost))
	}
	if t.Used.Mutations > 0 {
		parts = append(parts, g.say("%d changes of the graph", t.Used.Mutations))
	}
	if t.Used.Time > 0 {
		parts = append(parts, g.say("%s under way", t.Used.Time.Round(time.Millisecond).String()))
	}
	return strings.Join(parts, ", ")
}

// agent names a turn's agent with what it was chosen by.
func (g tongue) agent(t TurnView) string {
	if p := t.Vars[agent.PatternVar]; p != "" {
		return g.say("%s, pattern %s", t.Agent, p)
	}
	return t.Agent
}
