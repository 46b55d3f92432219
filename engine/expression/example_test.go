package expression_test

import (
	"encoding/json"
	"fmt"

	"holdpoint/engine/expression"
)

// An expression answers yes or no for the values of a context.
func ExampleExpression() {
	rule, err := expression.Compile(`score >= 0.8 && all(items, .sure > 0.5)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, context := range []string{`{"score": 0.9, "items": [{"sure": 0.7}]}`, `{"score": 0.9, "items": [{"sure": 0.2}]}`, `{"items": []}`} {
		var values map[string]json.RawMessage
		if err := json.Unmarshal([]byte(context), &values); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rule.Eval(values))
	}
	// Output:
	// true <nil>
	// false <nil>
	// false definition: the rule cannot be decided: score has no value
}
