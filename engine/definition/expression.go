package definition

import (
	"github.com/expr-lang/expr/types"

	"holdpoint/engine/expression"
)

// Expression is a rule, or a value of a template, over values of the context.
type Expression = expression.Expression

// known are the keys whose types are the same in every run of a graph with these vars;
// others may hold anything.
func known(vars map[string]Value) map[string]any {
	return map[string]any{"input": "", "vars": varTypes(vars),
		runKey:   types.Map{"iterations": types.Int, "node_iterations": types.Int, "tokens": types.Int, "seconds": types.Float64, "rounds": types.Int},
		errorKey: types.Map{"node": types.String, "stage": types.String, "kind": types.String, "message": types.String}}
}

// compileExpression reads an expression of a graph with these vars; rule says that the
// answer is yes or no, and not any value.
func compileExpression(text string, vars map[string]Value, rule bool) (*Expression, error) {
	return expression.CompileFor(text, known(vars), rule)
}
