package navigator

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// "I told it much, and that I can't sleep last of all: it went by how I had begun."
func TestNeed_OfALongOneTheEndIsRead(t *testing.T) {
	for _, c := range []struct{ need, end string }{
		{strings.Repeat("The garden is in bloom. ", 1000) + "I can't sleep.", "I can't sleep."},
		{strings.Repeat("庭は花盛りです。", 3000) + "眠れません。", "眠れません。"},
	} {
		got := newest(c.need)
		if len(got) > needed || len(got) < needed-4 || !strings.HasSuffix(got, c.end) || !utf8.ValidString(got) {
			t.Errorf("%d bytes of %d are read, to %q", len(got), len(c.need), got[len(got)-30:])
		}
	}
	if got := newest("I can't sleep."); got != "I can't sleep." {
		t.Errorf("%q", got)
	}
}
