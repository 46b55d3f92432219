package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"holdpoint/app"
	"holdpoint/engine/memory"
	"holdpoint/store"
)

// lakeFigures are those of bench lake.
type lakeFigures struct {
	AcceptP99 float64 `json:"accept_p99_us"`
	PerS      float64 `json:"per_s"`
	RSSMB     float64 `json:"rss_mb"`
	AcceptP50 float64 `json:"accept_p50_us"`
	WholeP99  float64 `json:"accept_whole_p99_us"`
	WholeP50  float64 `json:"accept_whole_p50_us"`
	AcceptS   float64 `json:"accept_per_s"`
	Queued    int     `json:"queued"`
	Callers   int     `json:"callers"`
	Commits   uint64  `json:"commits"`
	ReturnP99 float64 `json:"return_p99_us"`
	ReturnP50 float64 `json:"return_p50_us"`
	CommitP99 float64 `json:"commit_p99_us"`
	CommitP50 float64 `json:"commit_p50_us"`
	LateP99   float64 `json:"late_p99_us"`
	AloneP99  float64 `json:"return_alone_p99_us"`
	AloneP50  float64 `json:"return_alone_p50_us"`
}

// timedStore tells how long commits take, one at a time.
type timedStore struct {
	memory.Store
	mu    sync.Mutex
	spent time.Duration // in commits that ended
	began time.Time     // of the commit under way; zero for none
	// took is how long each commit with rows took, durable when that of each row had ended.
	took    []float64
	durable []time.Time
}

// timedTx tells which rows a commit has.
type timedTx struct {
	memory.Tx
	rows []int
}

func (t *timedTx) Enqueue(w memory.Waiting) error {
	t.rows = append(t.rows, w.Turns)
	return t.Tx.Enqueue(w)
}

func (s *timedStore) UpdateMemory(fn func(memory.Tx) error) error {
	s.mu.Lock()
	s.began = time.Now()
	s.mu.Unlock()
	var rows []int
	err := s.Store.UpdateMemory(func(tx memory.Tx) error {
		t := timedTx{Tx: tx}
		err := fn(&t)
		rows = t.rows
		return err
	})
	ended := time.Now()
	s.mu.Lock()
	took := ended.Sub(s.began)
	s.spent, s.began = s.spent+took, time.Time{}
	for _, i := range rows {
		s.durable[i] = ended
	}
	if len(rows) > 0 {
		s.took = append(s.took, float64(took.Microseconds()))
	}
	s.mu.Unlock()
	return err
}

// committing is how long commits took so far.
func (s *timedStore) committing() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.began.IsZero() {
		return s.spent
	}
	return s.spent + time.Since(s.began)
}

func (p *program) benchLake(ctx context.Context, queued, callers int, asJSON bool) (err error) {
	dir, err := os.MkdirTemp("", "holdpoint-lake-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	measure := func(name string, queued, callers int) (f lakeFigures, err error) {
		db, err := store.Open(filepath.Join(dir, name))
		if err != nil {
			return f, err
		}
		f, err = measureLake(ctx, db, queued, callers)
		return f, errors.Join(err, db.Close())
	}
	alone, err := measure("alone.db", min(queued, 1000), 1)
	if err != nil {
		return err
	}
	f, err := measure(app.StoreFile, queued, callers)
	if err != nil {
		return err
	}
	f.AloneP99, f.AloneP50 = alone.ReturnP99, alone.ReturnP50
	if asJSON {
		return p.line(f)
	}
	p.say("accept beside its commit   %8.0f µs at the 99th percentile, %.0f µs in the middle", f.AcceptP99, f.AcceptP50)
	p.say("return after its commit    %8.0f µs at the 99th percentile, %.0f µs in the middle", f.ReturnP99, f.ReturnP50)
	p.say("the same, one caller       %8.0f µs at the 99th percentile, %.0f µs in the middle, as one conversation hands over (at most 1,000)", f.AloneP99, f.AloneP50)
	p.say("lateness of a timer        %8.0f µs at the 99th percentile, of this machine at that time", f.LateP99)
	p.say("a commit                   %8.0f µs at the 99th percentile, %.0f µs in the middle", f.CommitP99, f.CommitP50)
	p.say("accept and its commit      %8.0f µs at the 99th percentile, %.0f µs in the middle, %d callers", f.WholeP99, f.WholeP50, f.Callers)
	p.say("accepted                   %8.0f a second, %d commits for %d rows", f.AcceptS, f.Commits, f.Queued)
	p.say("kept                       %8.0f a second", f.PerS)
	p.say("memory of the process      %8.0f MB with %d queued", f.RSSMB, f.Queued)
	return nil
}

// lateness measures, until the function that it returns is called, how late this machine
// lets a goroutine run that only waits for a time: the 99th percentile in µs. No hand-over
// between goroutines can be quicker than that.
func lateness() func() float64 {
	const every = 500 * time.Microsecond
	stop, done := make(chan struct{}), make(chan struct{})
	var late []float64
	go func() {
		defer close(done)
		for due := time.Now().Add(every); ; due = due.Add(every) {
			select {
			case <-stop:
				return
			case <-time.After(time.Until(due)):
			}
			late = append(late, float64(time.Since(due).Microseconds()))
		}
	}()
	return func() float64 {
		close(stop)
		<-done
		if len(late) == 0 {
			return 0
		}
		slices.Sort(late)
		return late[len(late)*99/100]
	}
}

// measureLake queues rows from several callers, then lets the lake keep them all.
func measureLake(ctx context.Context, db *store.DB, queued, callers int) (f lakeFigures, err error) {
	timed := &timedStore{Store: db, durable: make([]time.Time, queued)}
	l := memory.Open(memory.Options{Store: timed, Now: time.Now, Paused: true, Most: queued,
		Make: func(_ context.Context, w memory.Waiting, _ memory.Episode) (memory.Episode, error) {
			return memory.Episode{ID: w.ID(), About: w.About, Session: w.Session, Text: w.Text, By: memory.ByCode, At: w.At}, nil
		}})
	f.Queued, f.Callers = queued, callers
	whole, beside, returned := make([]float64, queued), make([]float64, queued), make([]time.Time, queued)
	failed := make([]error, callers)
	var all sync.WaitGroup
	late := lateness()
	before, began := db.Commits(), time.Now()
	for c := range callers {
		all.Go(func() {
			for i := c; i < queued; i += callers {
				w := memory.Waiting{About: fmt.Sprintf("Patient/%d", i%1000), Session: fmt.Sprintf("session-%d", i), Turns: i,
					Text: fmt.Sprintf("Asked: “Can you find somebody for visit %d who has time on a Tuesday morning?”; “Book it.”. Decided: approved and done: Book a visit on Tuesday 24 November 2026 at 09:00.", i)}
				asked, before := time.Now(), timed.committing()
				if failed[c] = l.Accept(ctx, w); failed[c] != nil {
					return
				}
				returned[i] = time.Now()
				took, shared := returned[i].Sub(asked), timed.committing()-before
				whole[i], beside[i] = float64(took.Microseconds()), float64(max(0, took-shared).Microseconds())
			}
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return f, err
	}
	f.LateP99 = late()
	f.AcceptS, f.Commits = float64(queued)/time.Since(began).Seconds(), db.Commits()-before
	after := make([]float64, queued)
	for i := range after {
		after[i] = float64(returned[i].Sub(timed.durable[i]).Microseconds())
	}
	for _, list := range [][]float64{whole, beside, after, timed.took} {
		slices.Sort(list)
	}
	f.ReturnP50, f.ReturnP99 = after[queued/2], after[queued*99/100]
	f.CommitP50, f.CommitP99 = timed.took[len(timed.took)/2], timed.took[len(timed.took)*99/100]
	f.WholeP50, f.WholeP99, f.AcceptP50, f.AcceptP99 = whole[queued/2], whole[queued*99/100], beside[queued/2], beside[queued*99/100]
	debug.FreeOSMemory()
	if n, err := app.Resident(); err == nil {
		f.RSSMB = float64(n) / 1e6
	}
	began = time.Now()
	l.Go()
	l.Close(ctx)
	s, err := l.State()
	if err == nil && s.Waiting > 0 {
		err = fmt.Errorf("%d of %d rows were not kept", s.Waiting, queued)
	}
	f.PerS = float64(queued) / time.Since(began).Seconds()
	return f, err
}
