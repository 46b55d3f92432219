package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// EventWords puts an event of the graph's own doing into words: a label and a text,
// both empty for events that say nothing on their own. Text is not made safe for
// any format.
func EventWords(e journal.Event) (label, text string) {
	stage := string(e.Stage)
	switch e.Kind {
	case journal.TurnLimited:
		return "Stopped", limitWords(e)
	case journal.StagePaused:
		return "Question", questionWords(e)
	case QuestionAnswered:
		return "Answer", answerWords(e)
	case journal.GraphMutated:
		return "Graph changed", join(mutationWords(e), e.Reason)
	case journal.MutationRefused:
		return "Graph change refused", join(mutationWords(e), e.Error)
	case journal.GuardActed:
		var d struct{ Guard string }
		read(e, &d)
		what := map[string]string{"pass": "let the answer pass", "transform": "changed the answer", "retry": "asked for another answer", "block": "blocked the answer"}[e.Status]
		if what == "" {
			what = e.Status
		}
		return "Guard", join(fmt.Sprintf("%s at %s %s", d.Guard, stage, what), e.Reason)
	case journal.StageRetried:
		var d struct {
			Wait int64 `json:"wait_ms"`
		}
		read(e, &d)
		return "Retried", join(fmt.Sprintf("%s runs again in %s after attempt %d failed", stage, time.Duration(d.Wait)*time.Millisecond, e.Attempt), e.Error)
	case journal.StageSkipped:
		return "Skipped", join(stage, e.Reason)
	case journal.StageCompleted:
		if e.Status == "cached" {
			return "Reused", stage + ": the same inputs as before, so its earlier result was taken"
		}
	case journal.HookFailed:
		return "Hook failed", join(strings.TrimSpace(e.Tool+" "+e.Status+" at "+stage)+"; the turn went on", e.Error)
	case journal.Warned:
		return "Warning", join(stage, e.Reason)
	}
	return "", ""
}

// read takes what it can from an event's data; what cannot be read stays unsaid.
func read(e journal.Event, into any) {
	if len(e.Data) > 0 && json.Unmarshal(e.Data, into) != nil {
		return
	}
}

func join(what, why string) string {
	if why = strings.TrimSpace(why); why == "" {
		return what
	}
	return what + ": " + why
}

func limitWords(e journal.Event) string {
	var d struct {
		Limit float64    `json:"limit"`
		Name  string     `json:"name"`
		Steps int        `json:"steps"`
		Used  graph.Used `json:"used"`
	}
	read(e, &d)
	name := d.Name
	if name == "" {
		name = e.Status
	}
	text := "at " + limitName(name)
	if d.Limit > 0 {
		if name == graph.LimitTime {
			d.Limit *= float64(time.Second) // the event has it in seconds
		}
		text += " of " + amount(name, d.Limit)
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

func questionWords(e journal.Event) string {
	var d struct{ Pauses []graph.Pause }
	read(e, &d)
	var out []string
	for _, p := range d.Pauses {
		q, ok := QuestionOf(p)
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

func answerWords(e journal.Event) string {
	var d struct {
		Prompt string
		Answer struct {
			Answer   any    `json:"answer"`
			Approved *bool  `json:"approved"`
			Comment  string `json:"comment"`
			Blob     string `json:"blob"`
		} `json:"answer"`
	}
	read(e, &d)
	text := ""
	switch a := d.Answer; {
	case a.Blob != "":
		text = "a long text, " + a.Blob
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
		to = "to “" + d.Prompt + "”"
	}
	return join(join(to, text), d.Answer.Comment)
}

func mutationWords(e journal.Event) string {
	var d struct{ Mutation graph.Mutation }
	read(e, &d)
	m := d.Mutation
	what := strings.ReplaceAll(m.Op, "_", " ")
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

// usedWords says what a turn used up.
func usedWords(t TurnView) string {
	parts := []string{fmt.Sprintf("%d of %d steps", t.Steps, t.MaxSteps)}
	if t.Used.Tokens > 0 || t.Limits.Tokens > 0 {
		text := fmt.Sprintf("%d tokens", t.Used.Tokens)
		if t.Limits.Tokens > 0 {
			text = fmt.Sprintf("%d of %d tokens", t.Used.Tokens, t.Limits.Tokens)
		}
		parts = append(parts, text)
	}
	if t.Used.Cost > 0 || t.Limits.Cost > 0 {
		parts = append(parts, fmt.Sprintf("cost %g", t.Used.Cost))
	}
	if t.Used.Mutations > 0 {
		parts = append(parts, fmt.Sprintf("%d changes of the graph", t.Used.Mutations))
	}
	if t.Used.Time > 0 {
		parts = append(parts, t.Used.Time.Round(time.Millisecond).String()+" under way")
	}
	return strings.Join(parts, ", ")
}

// agentWords names a turn's agent with what it was chosen by.
func agentWords(t TurnView) string {
	if p := t.Vars[agent.PatternVar]; p != "" {
		return t.Agent + ", pattern " + p
	}
	return t.Agent
}
