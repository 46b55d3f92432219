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
// token that it reads or writes: "the second question takes as long as the first".
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
	}
	for _, line := range strings.Split(strings.TrimSpace(out.out), "\n") {
		turns = append(turns, struct {
			Turn, Calls, Sent, Evaluated, Written int
			LightCalls                            int   `json:"light_calls"`
			FirstTokenMS                          int64 `json:"first_token_ms"`
			WallMS                                int64 `json:"wall_ms"`
			BareWallMS                            int64 `json:"bare_wall_ms"`
			Status                                string
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
	var replies []int
	for i, f := range turns {
		mine := asked[:f.Calls]
		asked = asked[f.Calls:]
		d, evaluated := cost(mine)
		inTurn, replies = append(inTurn, d), append(replies, 0)
		for _, a := range mine {
			last := a.Messages[len(a.Messages)-1].Content
			t.Logf("  %v %d messages: sent %d, read %d, wrote %d: …%q", a.Format, len(a.Messages), a.Sent, a.Evaluated, a.Written, last[:min(len(last), 60)])
			if a.Format && strings.Contains(a.Messages[0].Content, `"action"`) {
				replies[i]++
			}
		}
		share := float64(evaluated) / float64(f.Sent)
		t.Logf("turn %d: %+v; charged for %d tokens read (%.2f of what was sent), %v", f.Turn, f, evaluated, share, d)
		if f.Status != "completed" || f.LightCalls > 2 || f.FirstTokenMS > f.WallMS || f.BareWallMS == 0 {
			t.Errorf("turn %d: %+v", f.Turn, f)
		}
		if i > 0 && share > 0.35 {
			t.Errorf("turn %d reads %.2f of what it sends", f.Turn, share)
		}
	}
	for _, a := range asked {
		t.Logf("  bare: %v %d messages: sent %d, read %d, wrote %d", a.Format, len(a.Messages), a.Sent, a.Evaluated, a.Written)
	}
	for i, n := range replies {
		bare, _ := cost(asked[:n])
		asked = asked[n:]
		ratio, most := float64(inTurn[i])/float64(bare), 1.5
		if i == 0 {
			most = 1.8
		}
		t.Logf("turn %d costs %v, bare chats %v: %.2f", i+1, inTurn[i], bare, ratio)
		if ratio > most {
			t.Errorf("turn %d costs %.2f of bare chats", i+1, ratio)
		}
	}
}
