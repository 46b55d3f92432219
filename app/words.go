package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/safety"
)

// EventWords puts an event of the graph's own doing into words of a language: a label and
// a text, both empty for events that say nothing on their own. Text is not made safe for
// any format.
func EventWords(g tongue.Tongue, e journal.Event) (label, text string) {
	label, text = eventWords(g, e)
	return g.Say(label), text
}

// WayReason is why a way was taken, in a language: what a rule, a model or a person said as it
// is, and what failed as a failure is told.
func WayReason(g tongue.Tongue, resolver, reason string) string {
	if resolver == graph.ByError {
		return Failure(g, reason)
	}
	return g.Told(reason)
}

// eventWords has the words of each kind. Of one without words a trace shows the name, and an export without
// --trace says nothing; what run and resume leave out is in untold (app/command/printer.go).
func eventWords(g tongue.Tongue, e journal.Event) (label, text string) {
	stage, say := string(e.Stage), g.Say
	reason, failure := g.Told(e.Reason), Failure(g, e.Error)
	told, _ := journal.Decode(e) // what cannot be read stays unsaid
	switch d := told.(type) {
	case journal.TurnLimitedData:
		return tongue.Word("Stopped"), limitWords(g, e, d)
	case journal.StagePausedData:
		return tongue.Word("Question"), questionWords(g, d)
	case journal.QuestionAnsweredData:
		return tongue.Word("Answer"), answerWords(g, e, d)
	case journal.GraphMutatedData:
		return tongue.Word("Graph changed"), join(g, mutationWords(g, e, &d.Mutation), reason)
	case journal.MutationRefusedData:
		return tongue.Word("Graph change refused"), join(g, mutationWords(g, e, d.Mutation), failure)
	case journal.RuleFiredData:
		return tongue.Word("Rule"), join(g, ruleWords(g, e, d), join(g, reason, failure))
	case journal.GuardActedData:
		text := map[journal.GuardStatus]string{journal.GuardPass: tongue.Word("%s at %s let the answer pass"), journal.GuardTransform: tongue.Word("%s at %s changed the answer"),
			journal.GuardRetry: tongue.Word("%s at %s asked for another answer"), journal.GuardBlock: tongue.Word("%s at %s blocked the answer")}[journal.GuardStatus(e.Status)]
		if text == "" {
			text = "%s, %s: " + strings.ReplaceAll(e.Status, "%", "%%")
		}
		return tongue.Word("Guard"), join(g, say(text, d.Guard, stage), reason)
	case journal.SkillLoadedData:
		text := map[int]string{2: tongue.Word("%s was loaded with its definition"), 3: tongue.Word("%s was loaded with its definition and artifacts")}[d.Tier]
		if text == "" {
			text = tongue.Word("%s was loaded")
		}
		text = say(text, d.Title)
		if len(d.Missing) > 0 {
			text += say("; nobody has the tools that it names: %s", strings.Join(d.Missing, ", "))
		}
		return tongue.Word("Skill"), text
	case journal.BoardSearchedData:
		return tongue.Word("Searched"), join(g, say("%s for “%s”: %d passages, %d new", g.Told(d.Source), d.Query, d.Found, d.New), reason)
	case journal.HypothesisChangedData:
		return tongue.Word("Hypothesis"), join(g, say("%s is %s with confidence %.2f by %s (%s): %s", d.ID, say(string(d.Status)), d.Confidence, say(changedBy[d.By]), d.Who, d.Statement), reason)
	case journal.ConflictChangedData:
		return tongue.Word("Conflict"), join(g, say("%s is %s by %s (%s): %s", d.ID, say(string(d.Status)), say(changedBy[d.By]), d.Who, g.Told(string(d.Description))), g.Told(string(d.Resolution)))
	case journal.StageRetriedData:
		wait := time.Duration(d.WaitMS) * time.Millisecond
		return tongue.Word("Retried"), join(g, say("%s runs again in %s after attempt %d failed", stage, wait, e.Attempt), failure)
	case journal.SafetyCheckedData:
		return tongue.Word("Safety"), safetyWords(g, e, d)
	case journal.StageCompletedData:
		if e.Status == string(journal.Cached) {
			return tongue.Word("Reused"), say("%s: the same inputs as before, so its earlier result was taken", stage)
		}
	}
	switch e.Kind {
	case journal.StageSkipped:
		return tongue.Word("Skipped"), join(g, stage, reason)
	case journal.HookFailed:
		where := tongue.Word("%s failed at %s; the turn went on")
		switch {
		case strings.HasPrefix(e.Status, "pre_"):
			where = tongue.Word("%s failed before %s; the turn went on")
		case strings.HasPrefix(e.Status, "post_"):
			where = tongue.Word("%s failed after %s; the turn went on")
		}
		return tongue.Word("Rule or hook"), join(g, say(where, e.Tool, stage), failure)
	case journal.Warned:
		if reason == e.Reason {
			reason, _ = g.Problem(reason)
		}
		return tongue.Word("Warning"), join(g, stage, reason)
	}
	return "", ""
}

var changedBy = map[journal.ChangedBy]string{journal.ChangedByModel: tongue.Word("the model"), journal.ChangedByPerson: tongue.Word("a person"), journal.ChangedByRule: tongue.Word("the rule")}

// ruleWords say what a rule did.
func ruleWords(g tongue.Tongue, e journal.Event, d journal.RuleFiredData) string {
	at := e.Tool
	if at == "" {
		at = string(e.Stage)
	}
	text := map[journal.RuleVerdict]string{journal.RuleAllows: tongue.Word("%s allows %s"), journal.RuleWarns: tongue.Word("%s warns of %s"), journal.RuleAsks: tongue.Word("%s asks about %s"),
		journal.RuleHolds: tongue.Word("%s holds %s"), journal.RuleRefuses: tongue.Word("%s refuses %s"), journal.RuleSets: tongue.Word("%s sets something at %s"),
		journal.RuleSkips: tongue.Word("%s passes over %s"), journal.RuleEnds: tongue.Word("%s ends the graph at %s")}[journal.RuleVerdict(e.Status)]
	switch {
	case e.Error != "" && e.Status == string(journal.RuleRefuses):
		return g.Say("%s could not be evaluated at %s, which is refused", d.Rule, at)
	case e.Error != "":
		return g.Say("%s could not be evaluated at %s, which waits for a person", d.Rule, at)
	case text == "":
		text = "%s: %s"
	}
	text = g.Say(text, d.Rule, at)
	if d.Checkpoint != "" {
		text += " (" + d.Checkpoint + ")"
	}
	if d.Reviewer != "" {
		text += g.Say(" for %s", d.Reviewer)
	}
	return text
}

// levelWords are those of a check's outcome.
var levelWords = map[string]string{"intervention": tongue.Word("intervention"), "check_in": tongue.Word("check-in")}

// changeWords are those of changes of a graph.
var changeWords = map[journal.MutationOp]string{journal.AddStage: tongue.Word("add stage"), journal.AddEdge: tongue.Word("add edge"), journal.RemoveEdge: tongue.Word("remove edge")}

// tiers are the names of tiers as people read them.
func tiers(g tongue.Tongue, names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = g.Say(n)
	}
	return strings.Join(out, ", ")
}

// writtenWords say where a person wrote what was checked.
var writtenWords = map[string]string{writtenAnswer: tongue.Word("an answer"), writtenFeedback: tongue.Word("feedback on the advice"), writtenCorrection: tongue.Word("a correction of what is remembered")}

// safetyWords say who checked a message, what was found by whom, and why.
func safetyWords(g tongue.Tongue, e journal.Event, d journal.SafetyCheckedData) string {
	checked := []string{}
	for _, t := range d.Tiers {
		covered := d.Coverage == "" || d.Coverage == string(safety.CoverageMeaning) && t.Tier == safety.TierMeaning
		if covered || slices.Contains(d.FoundBy, t.Tier) {
			checked = append(checked, t.Tier)
		}
	}
	reason := g.Told(e.Reason)
	if len(d.Tiers) == 0 { // as older versions told it
		return join(g, g.Say("checked by %s", tiers(g, strings.Split(e.Status, "+"))), reason)
	}
	if d.Model != nil {
		who := tongue.Word("model")
		if d.Model.Practice {
			who = tongue.Word("script (practice mode, no model)")
		}
		checked = append(checked, who)
	}
	if d.Addition {
		return additionWords(g, e, d)
	}
	text := g.Say("checked by %s", tiers(g, checked))
	if where := writtenWords[d.Written]; where != "" {
		text = g.Say("%s: %s", g.Say(where), text)
	}
	if len(checked) == 0 {
		text = g.Say("not checked")
	}
	if found := levelWords[d.Level]; found == "" {
		text += g.Say("; nothing found")
	} else {
		text += g.Say("; %s (%s), found by %s", g.Say(found), g.Say(safety.Category(d.Category).Word()), tiers(g, d.FoundBy))
	}
	for _, t := range d.Tiers {
		if len(t.Reasons) > 0 {
			text += g.Say("; %s: %s", g.Say(t.Tier), strings.Join(reasonsOf(g, t), ", "))
		}
	}
	if d.Model != nil {
		text += g.Say("; the classifier said %s", g.Say(d.Model.Risk))
	}
	return join(g, text, reason)
}

// nearWords say which examples of danger a message lies near to, as the meaning tier names them.
var nearWords = map[string]string{
	"cssrs dev": tongue.Word("people in crisis on a forum"), "distress": tongue.Word("distress"), "suicide intent": tongue.Word("wanting to die"),
	"attempt means": tongue.Word("means at hand"), "self harm now": tongue.Word("self-harm"), "eating disorder": tongue.Word("an eating disorder"),
	"partner parent violence": tongue.Word("violence at home"), "child abuse": tongue.Word("abuse of a child"), "harm others": tongue.Word("harm to others"),
	"psychosis command": tongue.Word("voices that command"), "clinician report": tongue.Word("a professional's report of danger"), "relative report": tongue.Word("a relative's report of danger"),
}

// alike is a statement that the message says in other words, as the meaning tier names it.
var alike = lazyregexp.New(`(?s)^says “(.*)”, more or less$`)

// reasonsOf are what weighed most in a reading: words of the message, and what it lies near to.
func reasonsOf(g tongue.Tongue, t journal.SafetyTier) []string {
	out := make([]string, len(t.Reasons))
	for i, r := range t.Reasons {
		near, statement := nearWords[strings.TrimPrefix(r, "near ")], alike.FindStringSubmatch(r)
		switch {
		case t.Tier == safety.TierMeaning && strings.HasPrefix(r, "near ") && near != "":
			out[i] = g.Say("near in meaning: %s", g.Say(near))
		case t.Tier == safety.TierMeaning && statement != nil:
			out[i] = g.Say("says “%s”, more or less", statement[1])
		default:
			out[i] = g.Say("“%s”", r)
		}
	}
	return out
}

// additionWords say what a model added to a check that was told before.
func additionWords(g tongue.Tongue, e journal.Event, d journal.SafetyCheckedData) string {
	reason := g.Told(e.Reason)
	if d.Model == nil {
		return join(g, g.Say("the model could not be asked; what was found before stays"), reason)
	}
	text := tongue.Word("then the model's classifier said %s")
	if d.Model.Practice {
		text = tongue.Word("then the practice script said %s")
	}
	text = g.Say(text, g.Say(d.Model.Risk))
	if d.Hijack {
		return join(g, g.Say("%s: now an intervention (%s), found by %s", text, g.Say(safety.Category(d.Category).Word()), tiers(g, d.FoundBy)), reason)
	}
	return g.Say("%s; the check-in stays", text)
}

func join(g tongue.Tongue, what, why string) string {
	if why = strings.TrimSpace(why); why == "" {
		return what
	}
	return what + g.Say(": ") + why
}

func limitWords(g tongue.Tongue, e journal.Event, d journal.TurnLimitedData) string {
	name := d.Name
	if name == "" {
		name = e.Status
	}
	text := g.Say("at %s", g.Say(limitName(name)))
	if limit := float64(d.Limit); limit > 0 {
		if name == graph.LimitTime {
			limit *= float64(time.Second)
		}
		text = g.Say("at %s of %s", g.Say(limitName(name)), amount(name, limit))
	}
	switch name {
	case graph.LimitTokens:
		text += g.Say(", used %s", measured(name, float64(d.Used.Tokens)))
	case graph.LimitCost:
		text += g.Say(", used %s", measured(name, d.Used.Cost))
	case graph.LimitTime:
		text += g.Say(", used %s", measured(name, float64(d.Used.Time)))
	}
	return text
}

// amount is a number of a limit with its unit.
func amount(limit string, n float64) string {
	return fmt.Sprint(measured(limit, n))
}

// measured is amount as Say takes it: a duration is one.
func measured(limit string, n float64) any {
	if limit == graph.LimitTime {
		return time.Duration(n).Round(time.Millisecond)
	}
	return fmt.Sprintf("%.10g", n)
}

func questionWords(g tongue.Tongue, d journal.StagePausedData) string {
	var out []string
	for _, p := range d.Pauses {
		q, ok := QuestionOf(graph.Pause{ID: p.ID, Kind: string(p.Kind), Stage: p.Stage, Data: p.Data})
		if !ok {
			continue
		}
		text := q.Prompt
		if len(q.Choices) > 0 {
			text += "\n" + g.Say("choices: %s", strings.Join(q.Choices, ", "))
		}
		out = append(out, text+"\n"+g.Say("asked by %s, answer under %s", p.Stage, p.ID))
	}
	return strings.Join(out, "\n")
}

func answerWords(g tongue.Tongue, e journal.Event, d journal.QuestionAnsweredData) string {
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
		text = g.Say("a long text, %s", blob.Name)
	case a.Approved != nil:
		text = g.Say(map[bool]string{true: tongue.Word("yes"), false: tongue.Word("no")}[*a.Approved])
	default:
		if s, ok := a.Answer.(string); ok {
			text = s
		} else {
			text = answerLines(g, a.Answer)
		}
	}
	to := g.Say("to %s", e.Stage)
	if d.Prompt != "" {
		to = g.Say("to “%s”", d.Prompt)
	}
	return join(g, join(g, to, text), a.Comment)
}

// answerLines are the members of an answer as people read them; what is no object stays as it is.
func answerLines(g tongue.Tongue, answer any) string {
	object, ok := answer.(map[string]any)
	if !ok {
		return string(mustJSON(answer))
	}
	values := valuesOf(object)
	var out []string
	for _, l := range slices.Sorted(maps.Keys(values)) {
		out = append(out, g.Say("%s: %s", label(g, l), values[l]))
	}
	return strings.Join(out, "; ")
}

// mutationWords says what change it was; nil is one that a model did not put right.
func mutationWords(g tongue.Tongue, e journal.Event, m *journal.Mutation) string {
	if m == nil {
		m = &journal.Mutation{}
	}
	what := g.Say(changeWords[m.Op])
	if what == "" {
		what = g.Say("a change")
	}
	if m.Edge != nil {
		what += fmt.Sprintf(" %s → %s", m.Edge.From, m.Edge.To)
	}
	if m.ID != "" {
		what += " " + string(m.ID)
	}
	return g.Say("%s (asked by %s)", what, e.Stage)
}

// usedBy says what a turn used up.
func usedBy(g tongue.Tongue, t TurnView) string {
	parts := []string{g.Say("%d of %d steps", t.Steps, t.MaxSteps)}
	if t.Used.Tokens > 0 || t.Limits.Tokens > 0 {
		text := g.Say("%d tokens", t.Used.Tokens)
		if t.Limits.Tokens > 0 {
			text = g.Say("%d of %d tokens", t.Used.Tokens, t.Limits.Tokens)
		}
		parts = append(parts, text)
	}
	if t.Used.Cost > 0 || t.Limits.Cost > 0 {
		parts = append(parts, g.Say("cost %g", t.Used.Cost))
	}
	if t.Used.Mutations > 0 {
		parts = append(parts, g.Say("%d changes of the graph", t.Used.Mutations))
	}
	if t.Used.Time > 0 {
		parts = append(parts, g.Say("%s under way", t.Used.Time.Round(time.Millisecond)))
	}
	return strings.Join(parts, ", ")
}

// agentOf names a turn's agent with what it was chosen by.
func agentOf(g tongue.Tongue, t TurnView) string {
	name := t.Agent
	if p := t.Vars[agent.PatternVar]; p != "" {
		name = g.Say("%s, pattern %s", t.Agent, p)
	}
	if t.Caller != "" {
		name = g.Say("%s for %s", name, t.Caller)
	}
	return name
}
