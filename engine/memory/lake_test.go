package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"holdpoint/engine/memory"
	"holdpoint/store"
)

// given makes the episode of a row that has its text.
func given(_ context.Context, w memory.Waiting, old memory.Episode) (memory.Episode, error) {
	return memory.Episode{ID: w.ID(), About: w.About, Session: w.Session, Text: w.Text, By: memory.ByCode, At: w.At, From: old.From, Said: old.Said}, nil
}

func lake(t *testing.T, o memory.Options) *memory.Lake {
	t.Helper()
	if o.Make == nil {
		o.Make = given
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l := memory.Open(o)
	t.Cleanup(func() { l.Close(context.Background()) })
	return l
}

func row(session, text string) memory.Waiting {
	return memory.Waiting{About: "Patient/a", Session: session, Text: text}
}

func accept(t *testing.T, l *memory.Lake, w memory.Waiting) {
	t.Helper()
	if err := l.Accept(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

func texts(t *testing.T, db *store.DB) map[string]string {
	t.Helper()
	list, err := memory.List(db, "")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range list {
		if _, twice := out[e.Session]; twice {
			t.Errorf("%s is remembered twice", e.Session)
		}
		out[e.Session] = e.Text
	}
	return out
}

func waiting(t *testing.T, l *memory.Lake) int {
	t.Helper()
	s, err := l.State()
	if err != nil {
		t.Fatal(err)
	}
	return s.Waiting
}

func TestCompanion_C18_AcceptReturnsOnceTheRowIsOnDiskWhateverTheMakingTakes(t *testing.T) {
	db := opened(t)
	release := make(chan struct{})
	l := lake(t, memory.Options{Store: db, Make: func(ctx context.Context, w memory.Waiting, old memory.Episode) (memory.Episode, error) {
		<-release
		return given(ctx, w, old)
	}})
	accept(t, l, row("s1", "one"))
	if waiting(t, l) != 1 || len(texts(t, db)) != 0 {
		t.Errorf("%d wait, %v is kept", waiting(t, l), texts(t, db))
	}
	close(release)
	l.Close(t.Context())
	if got := texts(t, db); got["s1"] != "one" || waiting(t, l) != 0 {
		t.Errorf("%v, %d wait", got, waiting(t, l))
	}
	if err := l.Accept(t.Context(), row("s2", "late")); !errors.Is(err, memory.ErrClosed) {
		t.Errorf("a closed lake says %v", err)
	}
}

// Those who accept at the same time share a transaction.
func TestCompanion_C18_AcceptsShareACommit(t *testing.T) {
	db := opened(t)
	l := lake(t, memory.Options{Store: db, Paused: true})
	before := db.Commits()
	var all sync.WaitGroup
	const n = 400
	for i := range n {
		all.Go(func() {
			if err := l.Accept(context.Background(), row(fmt.Sprint("s", i), "x")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if commits := db.Commits() - before; commits > n/4 {
		t.Errorf("%d commits for %d rows", commits, n)
	}
	if waiting(t, l) != n {
		t.Errorf("%d wait", waiting(t, l))
	}
}

// Who was served together comes back together, and nobody waits for the commit of the others
// and then for one of their own.
func TestCompanion_C18_ThoseWhoComeBackTogetherAreServedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t)
		l := memory.Open(memory.Options{Store: db, Make: given, Now: time.Now, Paused: true})
		before := db.Commits()
		var all sync.WaitGroup
		const callers, rounds = 16, 20
		for c := range callers {
			all.Go(func() {
				for i := range rounds {
					if err := l.Accept(context.Background(), row(fmt.Sprintf("s%d-%d", c, i), "x")); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		// The first commits take whoever has started by then; on a busy machine that is a few
		// each. Who waits for the others' commit and for their own needs two a round.
		if commits := db.Commits() - before; commits > rounds*3/2 {
			t.Errorf("%d commits for %d rounds", commits, rounds)
		}
		l.Go()
		l.Close(context.Background())
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestCompanion_C19_TheNewestOfAPersonAndASessionWinsAndThreeAndThreeWork(t *testing.T) {
	db := opened(t)
	var made, now, most atomic.Int32
	gate := make(chan struct{})
	l := lake(t, memory.Options{Store: db, Paused: true, Make: func(ctx context.Context, w memory.Waiting, old memory.Episode) (memory.Episode, error) {
		made.Add(1)
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == 3 {
			close(gate) // three are at work at once
		}
		<-gate
		now.Add(-1)
		return given(ctx, w, old)
	}})
	for v := range 5 {
		for s := range 3 {
			accept(t, l, row(fmt.Sprint("s", s), fmt.Sprint("version ", v)))
		}
	}
	if waiting(t, l) != 3 {
		t.Errorf("%d wait, want one of each session", waiting(t, l))
	}
	l.Go()
	l.Close(t.Context())
	got := texts(t, db)
	for s := range 3 {
		if got[fmt.Sprint("s", s)] != "version 4" {
			t.Errorf("s%d is remembered as %q", s, got[fmt.Sprint("s", s)])
		}
	}
	if made.Load() != 3 || most.Load() != 3 {
		t.Errorf("%d were made, %d at once", made.Load(), most.Load())
	}
}

// "While it was being written I said something else, and the old one was kept."
func TestCompanion_C19_WhatIsReplacedWhileItIsMadeIsMadeAnew(t *testing.T) {
	db := opened(t)
	began, release := make(chan struct{}, 9), make(chan struct{})
	l := lake(t, memory.Options{Store: db, Make: func(ctx context.Context, w memory.Waiting, old memory.Episode) (memory.Episode, error) {
		began <- struct{}{}
		<-release
		return given(ctx, w, old)
	}})
	accept(t, l, row("s1", "old"))
	<-began
	accept(t, l, row("s1", "new"))
	close(release)
	l.Close(t.Context())
	if got := texts(t, db); got["s1"] != "new" {
		t.Errorf("%v", got)
	}
}

func TestCompanion_C20_AFailureIsTriedAgain(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(dir + "/holdpoint.db")
		if err != nil {
			t.Fatal(err)
		}
		var tries atomic.Int32
		l := memory.Open(memory.Options{Store: db, Now: time.Now, Make: func(ctx context.Context, w memory.Waiting, old memory.Episode) (memory.Episode, error) {
			if tries.Add(1) < 4 {
				return old, errors.New("the model broke off")
			}
			return given(ctx, w, old)
		}})
		if err := l.Accept(context.Background(), row("s1", "at last")); err != nil {
			t.Error(err)
		}
		began := time.Now()
		time.Sleep(time.Second / 2) // of the bubble's clock
		synctest.Wait()
		if s, err := l.State(); err != nil || s.Failed != 1 || s.Waiting != 1 || !strings.Contains(s.Problem, "broke off") {
			t.Errorf("%+v %v", s, err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := texts(t, db); got["s1"] != "at last" || tries.Load() != 4 {
			t.Errorf("%v after %d tries, %v", got, tries.Load(), time.Since(began))
		}
		l.Close(context.Background())
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestCompanion_C21_AFullQueueHoldsBackInsteadOfGrowing(t *testing.T) {
	db := opened(t)
	l := lake(t, memory.Options{Store: db, Paused: true, Most: 3})
	for i := range 3 {
		accept(t, l, row(fmt.Sprint("s", i), "x"))
	}
	held, cancel := context.WithCancel(t.Context())
	refused := make(chan error, 1)
	go func() { refused <- l.Accept(held, row("s3", "x")) }()
	select {
	case err := <-refused:
		t.Fatalf("the fourth of three is answered with %v", err)
	case <-time.After(50 * time.Millisecond): // it holds back; that cannot be signalled
	}
	cancel()
	if err := <-refused; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if waiting(t, l) != 3 {
		t.Errorf("%d wait", waiting(t, l))
	}
	l.Go()
	accept(t, l, row("s4", "there is room again"))
	l.Close(t.Context())
	if got := texts(t, db); got["s0"] == "" || got["s4"] == "" {
		t.Errorf("%v", got)
	}
}

// What the end of the program does not wait for is there at the next start.
func TestLake_CloseMakesWhatRestsAndLeavesTheRestOnDisk(t *testing.T) {
	db := opened(t)
	l := lake(t, memory.Options{Store: db, Rest: time.Hour})
	for i := range 40 {
		accept(t, l, row(fmt.Sprint("s", i), "x"))
	}
	l.Close(t.Context())
	if n := len(texts(t, db)); n != 40 {
		t.Errorf("%d of 40 were made at the end", n)
	}
	stuck := lake(t, memory.Options{Store: db, Make: func(ctx context.Context, w memory.Waiting, old memory.Episode) (memory.Episode, error) {
		<-ctx.Done()
		return old, ctx.Err()
	}})
	accept(t, stuck, row("late", "kept for later"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	stuck.Close(ended)
	if waiting(t, stuck) != 1 {
		t.Errorf("%d wait", waiting(t, stuck))
	}
	lake(t, memory.Options{Store: db}).Close(t.Context())
	if got := texts(t, db); got["late"] != "kept for later" {
		t.Errorf("%v", got["late"])
	}
}

// "I had it forgotten, and the next minute it was back."
func TestLake_WhatIsForgottenOrDeletedWhileItIsMadeDoesNotComeBack(t *testing.T) {
	db := opened(t)
	put(t, db, "Patient/a", "s1", "before")
	began, release := make(chan struct{}, 9), make(chan struct{})
	l := lake(t, memory.Options{Store: db, Make: func(ctx context.Context, w memory.Waiting, old memory.Episode) (memory.Episode, error) {
		began <- struct{}{}
		<-release
		return given(ctx, w, old)
	}})
	accept(t, l, row("s1", "after"))
	<-began
	if err := memory.Forget(db, memory.EpisodeID("Patient/a", "s1"), 1, noon); err != nil {
		t.Fatal(err)
	}
	close(release)
	l.Close(t.Context())
	if got := texts(t, db); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
