package app

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"strings"
	"time"

	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

// Grant is more of the limit that a turn came to.
type Grant struct {
	Turn string `json:"turn"`
	// Limit is the run's when empty; another one is refused.
	Limit string `json:"limit"`
	// N is how much more: seconds for time, the stages' unit for cost, else a number.
	N float64 `json:"n"`
	// By is the person who gives it.
	By string `json:"by,omitempty"`
}

// maxGrant is the most that is given at once.
const maxGrant = 1_000_000_000

// more turns a grant into what the executor takes.
func more(row run.Run, g Grant) (steps int, limits graph.Limits, err error) {
	if row.Status != run.Limited {
		return 0, limits, Bad("The turn did not come to a limit; it is "+string(row.Status)+".", "Look at the turn again.")
	}
	reached := row.Limit
	if reached == "" {
		reached = graph.LimitSteps
	}
	if g.Limit != "" && g.Limit != reached {
		return 0, limits, Bad(fmt.Sprintf("The turn came to the limit of %s, not of %s.", reached, g.Limit), "Grant more "+reached+".")
	}
	if !(g.N > 0 && g.N <= maxGrant) || reached != graph.LimitCost && reached != graph.LimitTime && g.N != math.Trunc(g.N) {
		return 0, limits, Bad("More is a number above 0"+map[bool]string{true: "", false: " without a fraction"}[reached == graph.LimitCost || reached == graph.LimitTime]+".",
			"For example "+suggestion(row)+".")
	}
	n := int(g.N)
	switch reached {
	case graph.LimitSteps:
		steps = n
	case graph.LimitVisits:
		limits.Visits = n
	case graph.LimitMutations:
		limits.Mutations = n
	case graph.LimitTokens:
		limits.Tokens = n
	case graph.LimitCost:
		limits.Cost = g.N
	case graph.LimitTime:
		limits.Time = time.Duration(g.N * float64(time.Second))
	case graph.LimitCycle:
		limits.Cycle = n
	default:
		limits.Own = map[string]int{reached: n}
	}
	return steps, limits, nil
}

// suggestion is how much more a person may want to give: as much as there was.
func suggestion(row run.Run) string {
	n := 10.0
	switch row.Limit {
	case "", graph.LimitSteps:
		n = float64(row.MaxSteps)
	case graph.LimitVisits:
		n = float64(row.Limits.Visits)
	case graph.LimitTokens:
		n = float64(row.Limits.Tokens)
	case graph.LimitCost:
		n = row.Limits.Cost
	case graph.LimitTime:
		n = math.Ceil(row.Limits.Time.Seconds())
	case graph.LimitCycle:
		n = float64(row.Limits.Cycle)
	case graph.LimitRounds:
		n = float64(max(row.Limits.Rounds, 10))
	default:
		n = float64(cmp.Or(row.LimitMax, 10))
	}
	return strings.TrimSuffix(fmt.Sprintf("%g", n), ".0")
}

// Limit is the one that a run came to.
type Limit struct {
	// Words name it in English, with the article.
	Words string
	// Stage is the one whose limit it is, "" for one of the whole run.
	Stage string
	// Field is where a graph's file sets it, "" for an agent that is not from a file.
	Field string
	// Max is its number with its unit, "" where nobody knows it any more.
	Max string
	// More is how much more a person may want to give.
	More string
}

// LimitOf is the limit that a run came to.
func LimitOf(row run.Run) Limit {
	l := Limit{Words: limitName(row.Limit), Stage: string(row.LimitStage), More: suggestion(row)}
	if row.LimitMax > 0 {
		l.Max = amount(row.Limit, float64(row.LimitMax))
	}
	switch row.Limit {
	case graph.LimitCost:
		l.Max = amount(row.Limit, row.Limits.Cost)
	case graph.LimitTime:
		l.Max = amount(row.Limit, float64(row.Limits.Time))
	case definition.LimitAutonomous:
		if l.Stage != "" { // older runs did not keep it
			l.Stage = path.Dir(l.Stage) // the node, around the stage that chooses
		}
	}
	if row.Vars[session.DefinitionVar] != "" {
		l.Field = definition.LimitField(row.Limit)
	}
	return l
}

// limitName is a limit as people read it.
func limitName(limit string) string {
	switch limit {
	case "", graph.LimitSteps:
		return "the step limit"
	case graph.LimitVisits:
		return "the limit of rounds in one stage"
	case graph.LimitMutations:
		return "the limit of changes to the graph"
	case graph.LimitTokens:
		return "the token limit"
	case graph.LimitCost:
		return "the cost limit"
	case graph.LimitTime:
		return "the time limit"
	case graph.LimitCycle:
		return "the limit of repeated rounds"
	case graph.LimitRounds:
		return "the limit of rounds of tool calls"
	case definition.LimitAutonomous:
		return "the autonomous step limit"
	}
	return "the limit " + limit
}

// More gives a limited turn more of what it ran out of and goes on with it in the
// background.
func (a *App) More(ctx context.Context, g Grant) error { return a.resume(ctx, g.Turn, &g) }

// MoreTurn is More for a terminal: it drives the turn to its end or next pause.
func (a *App) MoreTurn(ctx context.Context, g Grant) (run.Outcome, error) {
	return a.resumeTurn(ctx, g.Turn, &g)
}
