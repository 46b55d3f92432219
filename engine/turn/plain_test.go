package turn_test

import (
	"strings"
	"testing"
	"time"

	"holdpoint/engine/turn"
)

// "The longer its answer was, the slower it wrote."
func TestPlainWriter_ALongParagraphCostsNoMoreAWord(t *testing.T) {
	text, shown := strings.Repeat("You take sertraline and rest well. ", 350), 0
	write := turn.PlainWriter(func(s string) { shown += len(s) })
	began := time.Now()
	for piece := range strings.SplitAfterSeq(text, " ") {
		write(piece)
	}
	if took := time.Since(began); took > 10*time.Second || shown < len(text)-120 {
		t.Errorf("%d of %d bytes after %v", shown, len(text), took)
	}
}
