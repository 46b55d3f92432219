package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/run"
)

// budgetKey begins the settings that say what turns of an agent may use.
const budgetKey = "budget."

// Budget is what a turn may use; zero is what is usual with its agent.
type Budget struct {
	Tokens int     `json:"tokens,omitempty"`
	Cost   float64 `json:"cost_usd,omitempty"`
	// Iterations are rounds of tool calls, of agents that count them.
	Iterations int `json:"iterations,omitempty"`
	// Seconds are the time under way, waits for people not counted.
	Seconds int `json:"seconds,omitempty"`
}

func budgetOf(l graph.Limits) Budget {
	return Budget{Tokens: l.Tokens, Cost: l.Cost, Iterations: l.Rounds, Seconds: int(l.Time.Seconds())}
}

// over puts what a person set over what is usual.
func (b Budget) over(l graph.Limits) graph.Limits {
	l.Tokens, l.Cost, l.Time = cmp.Or(b.Tokens, l.Tokens), cmp.Or(b.Cost, l.Cost), cmp.Or(time.Duration(b.Seconds)*time.Second, l.Time)
	if l.Rounds > 0 {
		l.Rounds = cmp.Or(b.Iterations, l.Rounds)
	}
	return l
}

// BudgetView is what turns of a type of an agent may use.
type BudgetView struct {
	Agent string `json:"agent"`
	// AgentTitle is the agent's name for people.
	AgentTitle string `json:"agent_title"`
	// Type is the agent's pattern; "" for an agent without any.
	Type  string `json:"type"`
	Title string `json:"title"`
	// Set says that a person set something of it; Usual is what it would be else. Zero is no
	// limit.
	Set bool `json:"set"`
	// Own is what a person set for this type, without what is filled in; nil for nothing.
	Own    *Budget `json:"own,omitempty"`
	Budget Budget  `json:"budget"`
	Usual  Budget  `json:"usual"`
}

// Budgets lists what turns may use, by agent and type.
func (a *App) Budgets() ([]BudgetView, error) {
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	infos, err := a.Agents()
	if err != nil {
		return nil, err
	}
	out := []BudgetView{}
	for _, info := range infos {
		if info.Error != "" {
			continue
		}
		patterns := info.Patterns
		if len(patterns) == 0 {
			patterns = []agent.Pattern{{Title: info.Title}}
		}
		for _, p := range patterns {
			usual, err := a.usualLimits(info.ID, p.ID)
			if err != nil {
				return nil, err
			}
			var own *Budget
			if b, set := settings.Budgets[budgetName(info.ID, p.ID)]; set {
				own = &b
			}
			out = append(out, BudgetView{Agent: info.ID, AgentTitle: info.Title, Type: p.ID, Title: p.Title, Set: own != nil, Own: own, Usual: budgetOf(usual), Budget: budgetOf(settings.budget(info.ID, p.ID).over(usual))})
		}
	}
	return out, nil
}

func budgetName(agent, pattern string) string {
	return strings.TrimSuffix(agent+"."+pattern, ".")
}

// budget is what a person set for a type of an agent, and for what is left out there what
// they set for the agent.
func (s Settings) budget(agent, pattern string) Budget {
	b, all := s.Budgets[budgetName(agent, pattern)], s.Budgets[agent]
	return Budget{cmp.Or(b.Tokens, all.Tokens), cmp.Or(b.Cost, all.Cost), cmp.Or(b.Iterations, all.Iterations), cmp.Or(b.Seconds, all.Seconds)}
}

// usualLimits are those of an agent's graph.
func (a *App) usualLimits(id, pattern string) (graph.Limits, error) {
	x, err := a.agents.find(id)
	if err != nil {
		return graph.Limits{}, err
	}
	vars := map[string]string{}
	if pattern != "" {
		vars[agent.PatternVar] = pattern
	}
	g, err := a.agents.graphOf(x, vars)
	if err != nil {
		return graph.Limits{}, err
	}
	return g.Spec().Limits, nil
}

// mostBudget bounds each part of a budget.
const mostBudget = 1_000_000_000

// setBudget takes a budget of AGENT or AGENT.TYPE as JSON; "" or null goes back to what is
// usual.
func (a *App) setBudget(s *Settings, of, text string) error {
	id, pattern, _ := strings.Cut(of, ".")
	usual, err := a.usualLimits(id, pattern)
	if err != nil {
		return err
	}
	budgets := maps.Clone(s.Budgets)
	if budgets == nil {
		budgets = map[string]Budget{}
	}
	delete(budgets, of)
	var b *Budget
	if err := strictly(text, &b); err != nil {
		return Bad("The budget cannot be read: "+err.Error()+".", `Write it as {"tokens": 150000, "cost_usd": 10, "iterations": 20, "seconds": 7200}; what is left out is as usual.`)
	}
	if b != nil {
		for _, n := range []float64{float64(b.Tokens), b.Cost, float64(b.Iterations), float64(b.Seconds)} {
			if !(n >= 0 && n <= mostBudget) {
				return Bad(fmt.Sprintf("A part of a budget is a number from 0 (as usual) to %d.", mostBudget), "holdpoint budgets list shows what is set.")
			}
		}
		if b.Iterations > 0 && usual.Rounds == 0 {
			return Bad(fmt.Sprintf("%s counts no rounds of calls.", of), "Leave iterations out; tokens, cost_usd and seconds bound its turns.")
		}
		if *b != (Budget{}) {
			budgets[of] = *b
		}
	}
	s.Budgets = budgets
	return nil
}

// SetBudget says what turns of an agent, or of a type of it, may use from then on; nil goes
// back to what is usual.
func (a *App) SetBudget(id, pattern string, b *Budget) (BudgetView, error) {
	raw, err := json.Marshal(b)
	if err == nil {
		err = a.Set(budgetKey+budgetName(id, pattern), raw)
	}
	if err != nil {
		return BudgetView{}, err
	}
	all, err := a.Budgets()
	if err != nil {
		return BudgetView{}, err
	}
	at := slices.IndexFunc(all, func(v BudgetView) bool { return v.Agent == id && (v.Type == pattern || pattern == "") })
	if at < 0 {
		return BudgetView{}, Bad(fmt.Sprintf("There is no agent %q.", id), "See holdpoint agents list.")
	}
	return all[at], nil
}

// BudgetLine is how much of a limit a turn has used.
type BudgetLine struct {
	// Limit is tokens, cost, iterations or time; Unit is what it is counted in.
	Limit string  `json:"limit"`
	Used  float64 `json:"used"`
	Max   float64 `json:"max"`
	Unit  string  `json:"unit"`
	// Reached says that the turn stopped at it; More is as much of it as there was.
	Reached bool   `json:"reached"`
	More    string `json:"more"`
}

// BudgetLines are the limits of a run that a budget sets, as far as it has them.
func BudgetLines(r run.Run) []BudgetLine {
	rounds := 0
	if r.Limits.Rounds > 0 {
		rounds = r.Limits.Rounds + r.Limits.Own[graph.LimitRounds]
	}
	all := []BudgetLine{
		{Limit: graph.LimitTokens, Used: float64(r.Used.Tokens), Max: float64(r.Limits.Tokens), Unit: "tokens"},
		{Limit: graph.LimitCost, Used: r.Used.Cost, Max: r.Limits.Cost, Unit: "USD"},
		{Limit: graph.LimitRounds, Used: float64(r.Used.Rounds), Max: float64(rounds), Unit: "rounds"},
		{Limit: graph.LimitTime, Used: math.Round(r.Used.Time.Seconds()*10) / 10, Max: r.Limits.Time.Seconds(), Unit: "seconds"},
	}
	all = slices.DeleteFunc(all, func(l BudgetLine) bool { return l.Max <= 0 })
	for i := range all {
		l := &all[i]
		l.Reached = r.Status == run.Limited && r.Limit == l.Limit
		at := r
		at.Limit = l.Limit
		l.More = suggestion(at)
	}
	return all
}
