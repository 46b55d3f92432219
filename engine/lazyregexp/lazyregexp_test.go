package lazyregexp_test

import (
	"sync"
	"testing"

	"holdpoint/engine/lazyregexp"
)

func TestRegexp_IsCompiledOnceHoweverManyAsk(t *testing.T) {
	r := lazyregexp.New(`^(\d+) years?$`)
	var asked sync.WaitGroup
	for range 8 {
		asked.Go(func() {
			if m := r.FindStringSubmatch("12 years"); len(m) != 2 || m[1] != "12" || r.MatchString("years") {
				t.Errorf("found %q", m)
			}
		})
	}
	asked.Wait()
}

// "I wrote how old I am, and the program was gone: an expression in it does not compile."
func TestNew_InATestFindsAnExpressionThatDoesNotCompile(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it was not found")
		}
	}()
	lazyregexp.New(`(`)
}
