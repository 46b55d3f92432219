package run_test

import (
	"testing"

	"holdpoint/engine/graph"
)

func BenchmarkNew(b *testing.B) {
	s := sampleSpec()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := graph.New(s); err != nil {
			b.Fatal(err)
		}
	}
}
