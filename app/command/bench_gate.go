package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"holdpoint/app"
	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
	"holdpoint/engine/skill"
	"holdpoint/engine/tool"
)

// Costs of what stands between a model and a tool, in microseconds.
type gateCosts struct {
	// Bare is a tool's body, Gate the same call through the gate with the program's rules,
	// journalled. Rules is one occasion judged by a hundred rules, Skills the reading of ten
	// skills from their files.
	Bare   float64 `json:"bare_call_us"`
	Gate   float64 `json:"gate_call_us"`
	Rules  float64 `json:"rules_100_us"`
	Skills float64 `json:"skills_10_us"`
}

// gateRounds is how often each is done; the best of gateTries counts, since others use
// the machine, too.
const gateRounds, gateTries = 200, 5

// best is the time of one of n, in microseconds, in the best of some tries.
func best(n int, do func(i int) error) (us float64, err error) {
	for try := range gateTries {
		began := time.Now()
		for i := range n {
			if err := do(try*n + i); err != nil {
				return 0, err
			}
		}
		if t := float64(time.Since(began).Nanoseconds()) / float64(n) / 1000; try == 0 || t < us {
			us = t
		}
	}
	return us, nil
}

// costsOfTheGate measures on a store of its own, in a stage of a run: what the product
// runs.
func costsOfTheGate(ctx context.Context) (c gateCosts, err error) {
	dir, err := os.MkdirTemp("", "holdpoint-bench-*")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	db, err := openStore(filepath.Join(dir, "gate.db"))
	if err != nil {
		return c, err
	}
	defer db.Close()
	look := tool.Tool{Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object","additionalProperties":false}`),
		Read: func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"status":"ok"}`), nil
		}}
	set, err := tool.NewSet(look)
	if err != nil {
		return c, err
	}
	seeds, err := rule.Compile(rule.With(nil)...)
	if err != nil {
		return c, err
	}
	stage := graph.Stage{ID: "calls", Run: func(ctx context.Context, t *graph.Task) (r graph.Result, err error) {
		if c.Bare, err = best(gateRounds, func(int) error {
			_, err := look.Read(ctx, tool.Env{Now: t.Now()}, json.RawMessage(`{}`))
			return err
		}); err != nil {
			return r, err
		}
		c.Gate, err = best(gateRounds, func(i int) error {
			_, _, err := (&call.Round{Task: t, Tools: set, Rules: seeds, Calls: []model.Call{{ID: "gate." + strconv.Itoa(i), Tool: "look", Arguments: json.RawMessage(`{}`)}}}).Run(ctx)
			return err
		})
		return r, err
	}}
	g, err := graph.New(graph.Spec{Agent: "bench", Stages: []graph.Stage{stage}, Edges: []graph.Edge{{From: graph.Start, To: "calls", Type: graph.Entry}, {From: "calls", To: graph.End, Type: graph.Exit}}})
	if err != nil {
		return c, err
	}
	out, err := executor(db).Start(ctx, g, run.StartRequest{ID: "turn:gate", Session: "gate", Turn: "gate", Input: "gate"})
	if err == nil {
		err = out.Err
	}
	if err != nil {
		return c, err
	}
	hundred := make([]rule.Rule, 100)
	for i := range hundred {
		hundred[i] = rule.Rule{Name: fmt.Sprintf("r%d", i), Event: rule.BeforeToolCall, Verdict: rule.Warn, When: fmt.Sprintf(`args.amount > %d && tool.name == "look"`, 1000+i)}
	}
	rules, err := rule.Compile(rule.Group{Source: rule.User, Rules: hundred})
	if err != nil {
		return c, err
	}
	o := rule.Occasion{Event: rule.BeforeToolCall, Agent: "any", Tool: &rule.Tool{Name: "look", Capabilities: []string{"read"}}, Args: json.RawMessage(`{"amount":12}`)}
	if c.Rules, err = best(gateRounds, func(int) error { rules.Judge(o); return nil }); err != nil {
		return c, err
	}
	registry, err := app.NewAgents("", nil)
	if err != nil {
		return c, err
	}
	shelf, err := registry.Skills()
	if err != nil {
		return c, err
	}
	c.Skills, err = best(5, func(int) error {
		for i := range 10 {
			if _, err := skill.New(shelf[i%len(shelf)].Files()); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}
