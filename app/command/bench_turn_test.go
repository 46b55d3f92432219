package command_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/model/modeltest"
)

// TestBenchTurn_WhatATurnCosts has a server that keeps two prompts and charges for each
// token that it reads or writes: "the second question takes as long as the first". What is
// printed is what the server counted ("it says that it read twice as much as it did"), and the
// bare chats are the turns' own ("it compared my turn with a shorter prompt").
func TestBenchTurn_WhatATurnCosts(t *testing.T) {
	const read, write = 500 * time.Microsecond, 2 * time.Millisecond // 2,000 and 500 tokens a second
	s := modeltest.NewSlots(t, 2, read, write)
	out := newTerminal(t).want(0, "--ollama", s.URL, "--model", "stub", "bench", "turn", "--json")
	var turns []struct {
		Turn, Calls, Sent, Evaluated, Written int
		LightCalls                            int   `json:"light_calls"`
		FirstTokenMS                          int64 `json:"first_token_ms"`
		WallMS                                int64 `json:"wall_ms"`
		BareWallMS                            int64 `json:"bare_wall_ms"`
		Status                                string
		Estimated                             bool
	}
	for _, line := range strings.Split(strings.TrimSpace(out.out), "\n") {
		turns = append(turns, struct {
			Turn, Calls, Sent, Evaluated, Written int
			LightCalls                            int   `json:"light_calls"`
			FirstTokenMS                          int64 `json:"first_token_ms"`
			WallMS                                int64 `json:"wall_ms"`
			BareWallMS                            int64 `json:"bare_wall_ms"`
			Status                                string
			Estimated                             bool
		}{})
		if err := json.Unmarshal([]byte(line), &turns[len(turns)-1]); err != nil {
			t.Fatal(err, line)
		}
	}
	if len(turns) != 4 {
		t.Fatalf("%d turns\n%s\n%s", len(turns), out.out, out.err)
	}
	// Without what loads the model and what keeps a slot busy for a moment.
	asked := slices.DeleteFunc(s.Asked(), func(a modeltest.Asked) bool { return a.Sent < 10 || a.Messages[len(a.Messages)-1].Content == "Count." })
	cost := func(list []modeltest.Asked) (d time.Duration, evaluated int) {
		for _, a := range list {
			d += time.Duration(a.Evaluated)*read + time.Duration(a.Written)*write
			evaluated += a.Evaluated
		}
		return d, evaluated
	}
	var inTurn []time.Duration
	replies := make([][]modeltest.Asked, len(turns))
	for i, f := range turns {
		mine := asked[:f.Calls]
		asked = asked[f.Calls:]
		d, evaluated := cost(mine)
		inTurn = append(inTurn, d)
		sent, written := 0, 0
		for _, a := range mine {
			last := a.Messages[len(a.Messages)-1].Content
			t.Logf("  %v %d messages: sent %d, read %d, wrote %d: …%q", a.Format, len(a.Messages), a.Sent, a.Evaluated, a.Written, last[:min(len(last), 60)])
			if a.Format && strings.Contains(a.Messages[0].Content, `"action"`) {
				replies[i] = append(replies[i], a)
			}
			if a.Format {
				sent += a.Sent
			}
			written += a.Written
		}
		share := float64(evaluated) / float64(f.Sent)
		t.Logf("turn %d: %+v; charged for %d tokens read (%.2f of what was sent), %v", f.Turn, f, evaluated, share, d)
		if f.Status != "completed" || f.LightCalls > 2 || f.FirstTokenMS > f.WallMS || f.BareWallMS == 0 {
			t.Errorf("turn %d: %+v", f.Turn, f)
		}
		// Such a server does not tell what it read anew: that is worked out, and said to be.
		if apart := float64(f.Evaluated-evaluated) / float64(evaluated); f.Sent != sent || f.Written != written || !f.Estimated || apart > 0.1 || apart < -0.1 {
			t.Errorf("turn %d is said to send %d tokens, read %d and write %d (estimated: %v); the server counted %d, %d and %d", f.Turn, f.Sent, f.Evaluated, f.Written, f.Estimated, sent, evaluated, written)
		}
		if i > 0 && share > 0.35 {
			t.Errorf("turn %d reads %.2f of what it sends", f.Turn, share)
		}
	}
	for _, a := range asked {
		t.Logf("  bare: %v %d messages: sent %d, read %d, wrote %d", a.Format, len(a.Messages), a.Sent, a.Evaluated, a.Written)
	}
	for i, mine := range replies {
		if len(mine) == 0 || len(asked) < len(mine) {
			t.Fatalf("turn %d has %d replies, and %d bare chats are left", i+1, len(mine), len(asked))
		}
		again := asked[:len(mine)]
		asked = asked[len(mine):]
		for k, a := range mine {
			if !slices.Equal(a.Messages, again[k].Messages) || a.Format != again[k].Format {
				t.Errorf("bare chat %d of turn %d is %+v, and the turn's was %+v", k+1, i+1, again[k].Messages, a.Messages)
			}
		}
		bare, _ := cost(again)
		ratio, most := float64(inTurn[i])/float64(bare), 1.5
		if i == 0 {
			most = 1.8
		}
		t.Logf("turn %d costs %v, bare chats %v: %.2f", i+1, inTurn[i], bare, ratio)
		if ratio > most {
			t.Errorf("turn %d costs %.2f of bare chats", i+1, ratio)
		}
	}
	if len(asked) > 0 {
		t.Errorf("%d chats more than the turns had replies: %+v", len(asked), asked)
	}
}
