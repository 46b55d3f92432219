package pipeline

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
)

// The claim of row 42 is about a domain; this measures it on a made-up one and
// says what is made up: a person tells between 1 and 3 of 12 facts in 3 of 4
// turns and acknowledges in the others; the signal tool is as complete as the
// facts it has; the records tools read one record each, which somebody changes in
// 8 % of the turns and which starts out with between 20 and 90 % of its fields.
// No acknowledgement counts for gate 1: it is looked at alone.
func TestNavigator_N42_TheSkipRateOfTheCompletenessGate(t *testing.T) {
	const sessions, turns, facts = 200, 12, 12
	rng := rand.New(rand.NewPCG(42, 1))
	var turnsWithSkip, turnsAll, skips, chances int
	for s := range sessions {
		told := 0
		filled := map[record.Ref]float64{}
		var k *kit
		reader := func(typ string) fn {
			ref := record.Ref{Type: typ, ID: "1"}
			filled[ref] = 0.2 + 0.7*rng.Float64()
			return func(context.Context, Input) (Output, error) {
				return Output{Value: map[string]any{"has": k.version[ref]}, Completeness: filled[ref],
					Reads: []ledger.Target{{Ref: ref, Version: k.version[ref]}}}, nil
			}
		}
		k = newKit(t, navigatorConfigs(t), map[string]fn{
			"client_signal": func(context.Context, Input) (Output, error) {
				return Output{Value: map[string]any{"signal_summary": told}, Completeness: float64(told) / facts}, nil
			},
			"session_narrative": func(_ context.Context, in Input) (Output, error) {
				return Output{Value: len(in.Conversation), Completeness: math.Min(1, float64(told)/facts)}, nil
			},
			"provider_genome": reader("Practitioner"),
			"patient_context": reader("Patient"),
			"therapeutic_fit": func(_ context.Context, in Input) (Output, error) {
				return Output{Value: in.Args["signal_summary"], Completeness: math.Min(1, float64(told)/facts+0.2)}, nil
			},
		})
		var said []string
		for turn := 1; turn <= turns; turn++ {
			before := told
			if rng.Float64() < 0.75 {
				told = min(facts, told+1+rng.IntN(3))
			}
			if told == before {
				said = append(said, "ok, thanks")
			} else {
				said = append(said, fmt.Sprintf("it is about %d things", told))
			}
			for ref := range filled {
				if turn > 1 && rng.Float64() < 0.08 {
					k.version[ref] = fmt.Sprint(turn)
					filled[ref] = math.Min(1, filled[ref]+0.2)
				}
			}
			req := k.request(said...)
			req.Session = fmt.Sprint("s", s)
			res := k.turn(req)
			if len(res.Outputs) != 5 || len(res.Ran)+len(res.Skipped) != 5 {
				t.Fatalf("%+v", res)
			}
			if turn <= 3 {
				continue
			}
			n := 0
			for _, skip := range res.Skipped {
				if skip.Gate == journal.GateCompleteness {
					n++
				}
			}
			turnsAll, chances, skips = turnsAll+1, chances+5, skips+n
			if n > 0 {
				turnsWithSkip++
			}
		}
	}
	perTurn, perTool := float64(turnsWithSkip)/float64(turnsAll), float64(skips)/float64(chances)
	t.Logf("after the first three turns gate 1 alone kept at least one tool in %.0f %% of %d turns, and %.0f %% of %d tools", perTurn*100, turnsAll, perTool*100, chances)
	if perTool < 0.5 || perTurn < perTool || perTool > 0.98 {
		t.Errorf("skip rate out of the expected range: %.2f of turns, %.2f of tools", perTurn, perTool)
	}
}
