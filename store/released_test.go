package store

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// "I updated, and every command said that my store was damaged." Files of a released format have just these
// buckets: a new table, index or step takes the next number (CONTRIBUTING, A table).
func TestReleased_ASchemaThatIsOutNeverGetsAnotherBucket(t *testing.T) {
	const released = 10
	var have []string
	for _, b := range buckets {
		if b.since <= released {
			have = append(have, fmt.Sprintf("%d %s", b.since, b.name))
		}
		if b.interleave.is(released) {
			have = append(have, fmt.Sprintf("%d %s at %s %d", b.interleave.since, b.name, b.interleave.in, b.interleave.mark))
		}
	}
	slices.Sort(have)
	text, err := os.ReadFile("testdata/released.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, b := range have {
		if !slices.Contains(want, b) {
			t.Errorf("%q is new, and files of that schema lack it: give it the next number, %d", b, schema()+1)
		}
	}
	for _, b := range want {
		if !slices.Contains(have, b) {
			t.Errorf("%q is gone, and files of that schema have it: retire it in the next schema", b)
		}
	}
	for to := 2; to <= schema(); to++ {
		some := len(steps[to]) > 0 || slices.ContainsFunc(buckets, func(b bucketInfo) bool { return b.since == to }) ||
			slices.ContainsFunc(order, func(name string) bool { return slices.Contains(tables[name].grew(), to) })
		if !some {
			t.Errorf("nothing belongs to schema %d: numbers follow on each other", to)
		}
	}
	var stepped []int
	for to := range steps {
		if to <= released {
			stepped = append(stepped, len(steps[to])*100+to)
		}
	}
	slices.Sort(stepped)
	if want := []int{100 + 2, 100 + 8, 100 + 9}; !slices.Equal(stepped, want) {
		t.Errorf("steps of released schemas are %v, were %v (number of steps × 100 + schema): files that have that schema never run another; take the next number", stepped, want)
	}
}
