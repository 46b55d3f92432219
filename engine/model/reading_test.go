package model

import (
	"strings"
	"testing"
)

const slot = `time=2026-03-01T09:00:00.000Z level=DEBUG source=cache.go:151 msg="loading cache slot" id=0 cache=12 prompt=%P used=10 remaining=%R` + "\n"

func line(prompt, fresh string) string {
	return strings.NewReplacer("%P", prompt, "%R", fresh).Replace(slot)
}

// "The detail says that all 400 tokens were read, and the second turn was there at once."
func TestReadings_SayWhatOfAPromptWasReadAnew(t *testing.T) {
	var r readings
	var kept strings.Builder
	mark := r.mark()
	r.readLog(strings.NewReader(line("400", "7")+line("30", "30")), &kept)
	if got := r.since(mark, 400); got == nil || *got != 7 {
		t.Errorf("400 tokens: %v were read anew, want 7", got)
	}
	if got := r.since(r.mark(), 400); got != nil {
		t.Errorf("nothing was read since, and it says %d", *got)
	}
	// Two prompts of one length at the same time: nobody knows which was which.
	mark = r.mark()
	r.readLog(strings.NewReader(line("5", "5")+line("5", "1")), &kept)
	if got := r.since(mark, 5); got != nil {
		t.Errorf("it says %d of two", *got)
	}
	for range 100 {
		r.readLog(strings.NewReader(line("9", "9")), &kept)
	}
	r.readLog(strings.NewReader(line("8", "3")), &kept)
	if got := r.since(mark, 8); got == nil || *got != 3 {
		t.Errorf("after many others it says %v", got)
	}
	if kept.Len() != 0 {
		t.Errorf("the log keeps %q", kept.String())
	}
}

// "The log on my laptop had what my patient wrote."
func TestReadings_KeepWarningsAndNoPrompts(t *testing.T) {
	var r readings
	var kept strings.Builder
	long := strings.Repeat("insomnia ", 2000)
	r.readLog(strings.NewReader(`time=2026-03-01T09:00:00.000Z level=DEBUG msg="chat request" prompt="`+long+`"
time=2026-03-01T09:00:00.000Z level=INFO msg="server config" env="map[HTTP_PROXY:http://user:secret@proxy]"
time=2026-03-01T09:00:00.000Z level=WARN msg="out of memory"
panic: no
time=2026-03-01T09:00:00.000Z level=DEBUG msg=last prompt=insomnia`), &kept)
	if got := kept.String(); strings.Contains(got, "insomnia") || strings.Contains(got, "secret") || !strings.Contains(got, "out of memory\"\npanic: no\n") {
		t.Errorf("kept %.300q", got)
	}
	// A line without an end, and a warning that never ends, are cut and not waited for.
	kept.Reset()
	r.readLog(strings.NewReader("fatal: "+strings.Repeat("x", 20*logLine)), &kept)
	if n := kept.Len(); n < 100 || n > logLine+1 {
		t.Errorf("%d bytes of an endless line were kept", n)
	}
}
