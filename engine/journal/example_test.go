package journal_test

import (
	"encoding/json"
	"fmt"

	"holdpoint/engine/journal"
)

// A reader of a journal switches on the payloads and passes over what it does not know.
func ExampleDecode() {
	lines := []string{
		`{"seq":1,"kind":"turn_started","text":"Please book a visit","data":{"agent":"navigator","practice":true}}`,
		`{"seq":2,"kind":"tool_started","tool":"find_slot","data":{"args":{"day":"Monday"}}}`,
		`{"seq":3,"kind":"from_a_newer_version","data":{"what":"ever"}}`,
		`{"seq":4,"kind":"turn_paused","data":{"pauses":[{"id":"p1","kind":"approval","stage":"act"}]}}`,
	}
	for _, line := range lines {
		var e journal.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			fmt.Println(err)
			return
		}
		p, err := journal.Decode(e)
		if err != nil {
			fmt.Println(e.Seq, err)
			continue
		}
		switch d := p.(type) {
		case journal.TurnStartedData:
			fmt.Println(e.Seq, d.Agent, "is asked:", e.Text)
		case journal.ToolStartedData:
			fmt.Println(e.Seq, e.Tool, string(d.Args))
		case journal.TurnPausedData:
			for _, pause := range d.Pauses {
				fmt.Println(e.Seq, pause.Stage, "waits for an", pause.Kind)
			}
		}
	}
	// Output:
	// 1 navigator is asked: Please book a visit
	// 2 find_slot {"day":"Monday"}
	// 3 journal: unknown kind of event: "from_a_newer_version"
	// 4 act waits for an approval
}

// The payload says which kind of event it is.
func ExampleEvent_With() {
	e := journal.Event{Session: "s1", Tool: "find_slot"}.With(journal.ToolStartedData{Args: json.RawMessage(`{"day":"Monday"}`)})
	e.Render()
	fmt.Println(e.Kind, string(e.Data))
	// Output: tool_started {"args":{"day":"Monday"}}
}
