package definition_test

import (
	"strings"
	"testing"
	"time"

	"holdpoint/engine/memory"
	"holdpoint/engine/model"
)

const notes = `
name: notes
nodes:
  - name: jot
    kind: prompt
    output: scratchpad
    instructions: Note what is open.
  - name: reply
    kind: answer
edges:
  - {from: jot, to: reply}
`

// "In the next turn it had forgotten its own notes."
func TestFiling_F24_WhatAGraphNotesOnTheScratchpadIsToldInLaterTurnsOfTheSession(t *testing.T) {
	d := newDesk(t)
	d.main.say = func(_ string, r model.Request) model.Message {
		if strings.Contains(all(r), "Your step is jot") {
			return text("The plat is missing.")
		}
		return text("Noted.")
	}
	a := d.def(notes)
	if out := d.run(a, "first"); out.Run.Output != "Noted." {
		t.Fatalf("%+v", out)
	}
	before := len(d.main.requests())
	d.run(a, "second")
	blocks := 0
	for _, r := range d.main.requests()[before:] {
		for i, m := range r.Messages {
			if strings.HasPrefix(m.Text, "=== Memory Context ===\n[Working Memory -- Scratchpad]\nThe plat is missing.") {
				blocks++
				if i != 1 || m.Role != "system" {
					t.Errorf("it is message %d, of role %s", i, m.Role)
				}
			}
		}
	}
	if blocks != 2 {
		t.Errorf("%d of 2 prompts were told of it", blocks)
	}
}

// A node that sees nothing of the conversation is told of no other.
func TestFiling_F26_AnIsolatedNodeIsToldNothing(t *testing.T) {
	d := newDesk(t)
	e := memory.Episode{ID: memory.EpisodeID(memory.Person, "old"), About: memory.Person, Session: "old", Text: "Spoke of the plat.", At: time.Unix(0, 0)}
	if err := d.db.UpdateMemory(func(tx memory.Tx) error { return tx.PutEpisode(e) }); err != nil {
		t.Fatal(err)
	}
	d.live.Memory = &memory.Recaller{Store: d.db}
	d.main.say = always("Noted.")
	d.run(d.def("name: alone\nnodes:\n  - {name: alone, kind: prompt, instructions: Look., flags: [isolated_context]}\n  - {name: reply, kind: answer}\nedges:\n  - {from: alone, to: reply}\n"), "the plat")
	list := d.main.requests()
	if len(list) != 2 || strings.Contains(all(list[0]), "Episodic Memory") || !strings.Contains(all(list[1]), "[Episodic Memory -- Relevant Past Conversations]\n- (similarity: 1.00) Spoke of the plat.") {
		t.Errorf("the prompts are\n%s\n\n%s", all(list[0]), all(list[len(list)-1]))
	}
}
