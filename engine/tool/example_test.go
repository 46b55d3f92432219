package tool_test

import (
	"context"
	"encoding/json"
	"fmt"

	"holdpoint/engine/record"
	"holdpoint/engine/tool"
)

// A tool that only reads has a Read. One that changes records has a Plan: it works out
// what would be written, a person approves exactly that, and the engine writes it.
func ExampleNewSet() {
	arguments := json.RawMessage(`{"type":"object","properties":{"well":{"type":"string"}},"required":["well"],"additionalProperties":false}`)
	set, err := tool.NewSet(
		tool.Tool{Name: "show_well", Description: "Shows a well.", Parameters: arguments,
			Read: func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(`{"depth_ft":5000}`), nil
			}},
		tool.Tool{Name: "plug_well", Description: "Marks a well as plugged.", Parameters: arguments,
			Plan: func(_ record.Tx, _ tool.Env, args json.RawMessage) (tool.Plan, error) {
				return tool.Plan{Args: args, Title: "Mark the well as plugged"}, nil
			}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range set.Describe() {
		fmt.Println(d.Name, d.Mutates)
	}
	_, err = set.Get("drill")
	fmt.Println(err)
	// Output:
	// show_well false
	// plug_well true
	// tool: no such tool: "drill"
}
