package encoder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/pool"
)

// Options are the settings of Universal; zero values are the defaults.
type Options struct {
	// File is a weights file, used when the program has no weights inside. It may
	// appear while the encoder is in use.
	File string
	// Idle is how long unused weights stay in memory (15 minutes).
	Idle time.Duration
	// After calls a function later, and returns what takes that back (time.AfterFunc).
	After func(time.Duration, func()) (stop func() bool)
	// Threads bounds the goroutines that work at a time (GOMAXPROCS, 8 at most).
	Threads int
	// without is for tests: as if nothing were inside.
	without bool
}

// Universal is the sentence encoder of this package. It is safe for concurrent use: all
// users share the weights.
type Universal struct {
	o       Options
	threads chan struct{}
	spare   sync.Pool // *scratch

	mu     sync.RWMutex // held for reading while weights are in use
	loaded *open
	used   atomic.Int64 // counts uses, so that the timer sees whether there was one
	stop   func() bool  // of the timer; under mu
	header *Header      // of the file or of what is inside, once read; under mu
}

// open is the weights in memory.
type open struct {
	weights *weights
	memo    *memo
	memory  [][]byte // outside Go's heap
}

// New returns the sentence encoder; nothing is read yet.
func New(o Options) *Universal {
	if o.Idle <= 0 {
		o.Idle = 15 * time.Minute
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	e := &Universal{o: o, threads: make(chan struct{}, min(o.Threads, atOnce))}
	e.spare.New = func() any { return newScratch() }
	return e
}

// Inside says whether the program has weights inside.
func Inside() bool { return inside != "" }

func (e *Universal) inside() bool { return Inside() && !e.o.without }

// file is the weights file's bytes: those inside, else those of the file. The second
// value takes them back.
func (e *Universal) file() (data []byte, release func(), err error) {
	if e.inside() {
		return stringBytes(inside), func() {}, nil
	}
	if e.o.File == "" {
		return nil, nil, fmt.Errorf("%w: this build has none inside", ErrMissing)
	}
	info, err := os.Stat(e.o.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w: this build has none inside, and there is no %s", ErrMissing, e.o.File)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("encoder: %w", err)
	}
	if !info.Mode().IsRegular() { // what is no file may block who opens it
		return nil, nil, fmt.Errorf("%w: %s is not a file", ErrBroken, e.o.File)
	}
	f, err := os.Open(e.o.File)
	if err != nil {
		return nil, nil, fmt.Errorf("encoder: %w", err)
	}
	defer f.Close()
	return mapped(f)
}

// Header says which weights there are, without loading them. The error wraps ErrMissing
// when there are none.
func (e *Universal) Header() (Header, error) {
	e.mu.RLock()
	known := e.header
	e.mu.RUnlock()
	if known != nil {
		return *known, nil
	}
	data, release, err := e.file()
	if err != nil {
		return Header{}, err
	}
	defer release()
	h, parts, err := parseHeader(data)
	if err == nil && !e.inside() {
		err = verify(h, parts)
	}
	if err != nil {
		return Header{}, err
	}
	e.mu.Lock()
	e.header = &h
	e.mu.Unlock()
	return h, nil
}

// Name tells vectors of different weights apart; "" without weights.
func (e *Universal) Name() string {
	h, err := e.Header()
	if err != nil {
		return ""
	}
	return h.Name + "@" + h.Digest[:min(len(h.Digest), 12)]
}

// Dimension is the number of values of a vector.
func (e *Universal) Dimension() int { return wide }

// load reads the weights unless they are there. It returns with e.mu held for reading.
func (e *Universal) load() (*open, error) {
	for {
		e.mu.RLock()
		if e.loaded != nil {
			return e.loaded, nil
		}
		e.mu.RUnlock()
		if err := e.read(); err != nil {
			return nil, err
		}
	}
}

func (e *Universal) read() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loaded != nil {
		return nil
	}
	data, release, err := e.file()
	if err != nil {
		return err
	}
	defer release()
	h, parts, err := parseHeader(data)
	if err != nil {
		return err
	}
	if !e.inside() { // what is inside was checked when it was built
		if err := verify(h, parts); err != nil {
			return err
		}
	}
	o := &open{}
	reserve := func(n int) []byte {
		m := reserve(n)
		o.memory = append(o.memory, m)
		return m
	}
	if o.weights, err = load(h, parts, reserve, forget); err != nil {
		o.drop()
		return err
	}
	o.memo = newMemo(asTokens(reserve(known*tokenSize), known))
	e.loaded, e.header = o, &h
	e.wait()
	return nil
}

// wait drops the weights when there was no use from now until Idle is over. e.mu is held.
func (e *Universal) wait() {
	seen := e.used.Load()
	e.stop = e.o.After(e.o.Idle, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		switch {
		case e.loaded == nil:
		case e.used.Load() == seen:
			e.drop()
		default:
			e.wait()
		}
	})
}

func (e *Universal) drop() {
	if e.loaded != nil {
		e.loaded.drop()
		e.loaded = nil
	}
}

func (o *open) drop() {
	for _, m := range o.memory {
		discard(m)
	}
	o.memory = nil
}

// Close drops the weights. The encoder may be used again.
func (e *Universal) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stop != nil {
		e.stop()
	}
	e.drop()
	return nil
}

// Forget makes the encoder look for its weights again: the file is another one.
func (e *Universal) Forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drop()
	e.header = nil
}

// Loaded says whether the weights are in memory.
func (e *Universal) Loaded() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.loaded != nil
}

// Vector makes a vector of length 1 of each text, whatever its length. One text is work
// for one goroutine; several are shared out. The error wraps ErrMissing or ErrBroken, or
// is the context's.
func (e *Universal) Vector(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return [][]float32{}, nil
	}
	e.used.Add(1)
	o, err := e.load()
	if err != nil {
		return nil, err
	}
	defer e.mu.RUnlock()
	out := make([][]float32, len(texts))
	values := make([]float32, len(texts)*wide)
	for i := range out {
		out[i] = values[i*wide : (i+1)*wide : (i+1)*wide]
	}
	workers := min(cap(e.threads), (len(texts)+3)/4)
	share := shares(texts, workers)
	work := func() error {
		select {
		case e.threads <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-e.threads }()
		s := e.spare.Get().(*scratch)
		defer e.spare.Put(s)
		for {
			from, to := share()
			if from == to {
				return nil
			}
			if err := o.weights.encode(out[from:to], texts[from:to], o.memo, s, ctx.Err); err != nil {
				return err
			}
		}
	}
	if workers == 1 {
		err = work()
	} else {
		p := pool.New().WithErrors().WithFirstError()
		for range workers {
			p.Go(work)
		}
		err = p.Wait()
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// shares hands texts out, a few at a time: from and to are equal when there are none left.
// By their bytes, large shares come first, which are less work in all, and small ones last,
// so that all workers end at the same time.
func shares(texts []string, workers int) func() (from, to int) {
	var mu sync.Mutex
	next, left := 0, 0
	for _, text := range texts {
		left += len(text)
	}
	return func() (from, to int) {
		mu.Lock()
		defer mu.Unlock()
		from, want := next, max(left/(2*workers), leastShare)
		for size := 0; next < len(texts) && next-from < most && (next == from || size < want); next++ {
			size += len(texts[next])
			left -= len(texts[next])
		}
		return from, next
	}
}

const leastShare = 512 // bytes: a handful of sentences

// Reads says whether the vocabulary has the letters of a text, but for one in twelve: those
// of the sixteen languages, and of others that write with the same letters. Vietnamese,
// Hindi or Greek is not read.
func (e *Universal) Reads(text string) bool {
	e.used.Add(1)
	o, err := e.load()
	if err != nil {
		return true // it fails soon enough
	}
	defer e.mu.RUnlock()
	letters, strange := o.weights.tokenizer.letters(text)
	return strange*12 <= letters
}

// Tokens is how many tokens the texts have in the mean, those of beginning and end included.
func (e *Universal) Tokens(ctx context.Context, texts []string) (float64, error) {
	if err := ctx.Err(); err != nil || len(texts) == 0 {
		return 0, err
	}
	e.used.Add(1)
	o, err := e.load()
	if err != nil {
		return 0, err
	}
	defer e.mu.RUnlock()
	var ids []int32
	var w words
	for _, text := range texts {
		ids = o.weights.tokenizer.tokens(ids, text, &w)
	}
	return float64(len(ids)) / float64(len(texts)), nil
}

// Vectorised says whether this processor's vector instructions are used.
func Vectorised() bool { return vector }
