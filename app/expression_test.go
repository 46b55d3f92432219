package app_test

import (
	"testing"

	"holdpoint/engine/lazyregexp"
)

// "I wrote how old I am, and the program was gone: an expression in it does not compile."
func TestExpressions_ThatWaitToBeAskedCompile(t *testing.T) {
	if n := lazyregexp.Check(); n < 100 {
		t.Errorf("only %d expressions were looked at: the agents' are not among them", n)
	}
}
