package model

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// readings are what our own server's log says about prompts: how many tokens each had
// and how many of them the model read anew. Ollama's API only counts them all. It is safe
// for concurrent use.
type readings struct {
	mu   sync.Mutex
	n    uint64 // how many there were
	last [16]reading
	more chan struct{} // closed at the next one
}

type reading struct{ prompt, fresh int }

// mark is how many there were so far.
func (r *readings) mark() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

func (r *readings) add(one reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last[r.n%uint64(len(r.last))] = one
	r.n++
	if r.more != nil {
		close(r.more)
		r.more = nil
	}
}

// readingWait is how long a line of the log may take from the server to here.
const readingWait = 200 * time.Millisecond

// since says how many tokens of a prompt of this size were read anew since the mark; nil
// unless exactly one such prompt was read. It waits a moment for the log.
func (r *readings) since(mark uint64, prompt int) *int {
	timer := time.NewTimer(readingWait)
	defer timer.Stop()
	for {
		r.mu.Lock()
		var found []reading
		for i := max(mark, r.n-min(r.n, uint64(len(r.last)))); i < r.n; i++ {
			if one := r.last[i%uint64(len(r.last))]; one.prompt == prompt {
				found = append(found, one)
			}
		}
		if r.more == nil {
			r.more = make(chan struct{})
		}
		more := r.more
		r.mu.Unlock()
		switch len(found) {
		case 1:
			return &found[0].fresh
		case 0:
		default:
			return nil
		}
		select {
		case <-more:
		case <-timer.C:
			return nil
		}
	}
}

var (
	slotLine  = regexp.MustCompile(`^time=\S+ level=DEBUG .*msg="loading cache slot" .*\bprompt=(\d+) used=\d+ remaining=(\d+)`)
	quietLine = regexp.MustCompile(`^time=\S+ level=(DEBUG|INFO)`)
)

// logLine is how much of a line of the log is looked at and kept, in bytes.
const logLine = 4 << 10

// readLog copies the server's log as far as it is a warning or worse, and hears what it
// says of prompts. What it says otherwise may hold prompts and the environment: it goes
// no further.
func (r *readings) readLog(from io.Reader, to io.Writer) {
	lines := bufio.NewReaderSize(from, logLine)
	whole := true // the line before ended
	quiet := false
	for {
		line, err := lines.ReadSlice('\n')
		if whole {
			if quiet = quietLine.Match(line); quiet {
				if m := slotLine.FindSubmatch(bytes.TrimSuffix(line, []byte("\n"))); m != nil {
					prompt, _ := strconv.Atoi(string(m[1]))
					fresh, _ := strconv.Atoi(string(m[2]))
					r.add(reading{prompt, fresh})
				}
			}
		}
		if !quiet && whole {
			// A full disk must not block the server.
			_, _ = to.Write(line)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			whole = false
			continue
		}
		if !whole && !quiet {
			_, _ = to.Write([]byte("\n"))
		}
		whole = true
		if err != nil {
			return
		}
	}
}
