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

func TestCheck_FindsAnExpressionThatDoesNotCompile(t *testing.T) {
	before := lazyregexp.Check()
	lazyregexp.New(`(`)
	defer func() {
		if recover() == nil {
			t.Errorf("it was not found, after %d that compile", before)
		}
	}()
	lazyregexp.Check()
}
