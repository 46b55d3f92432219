package run_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/store/storetest"
)

// conform runs a test on both checkpointers that the program has: what is said of one
// must hold of the other, or a dry run tells nothing of a run on disk.
func conform(t *testing.T, test func(t *testing.T, c run.Checkpointer, told func(session string) []journal.Event)) {
	t.Helper()
	t.Run("disk", func(t *testing.T) {
		db := storetest.Open(t)
		test(t, db, func(session string) []journal.Event {
			events, err := db.Journal(session, 0, 0)
			must(t, err)
			return events
		})
	})
	t.Run("memory", func(t *testing.T) {
		m := run.NewInMemory()
		test(t, m, func(session string) []journal.Event { return m.Journal(session, 0) })
	})
}

func newRow(id graph.RunID, session string) *run.Run {
	return &run.Run{ID: id, Session: session, Turn: "1", Agent: "sample", Status: run.Running, MaxSteps: 9, StartedAt: t0, UpdatedAt: t0}
}

func eventsOf(session string, kinds ...journal.Kind) (out []journal.Event) {
	for _, k := range kinds {
		out = append(out, journal.Event{Kind: k, Session: session, Turn: "1", At: t0})
	}
	return out
}

// taken admits a run and takes it.
func taken(t *testing.T, c run.Checkpointer, id graph.RunID, session string) run.Checkpoint {
	t.Helper()
	must(t, c.Apply(&run.Commit{Run: id, Admit: true, Row: newRow(id, session), Events: eventsOf(session, journal.TurnStarted)}))
	cp, err := c.Acquire(id)
	must(t, err)
	return cp
}

// holds is all of a checkpoint and of its session's journal, in words.
func holds(t *testing.T, c run.Checkpointer, id graph.RunID, events []journal.Event) string {
	t.Helper()
	cp, err := c.Load(id)
	must(t, err)
	lists := []string{}
	for _, v := range cp.Channels {
		var all []json.RawMessage
		if v.Append != nil || strings.HasPrefix(string(v.Value), "[") {
			if v.Value != nil {
				must(t, json.Unmarshal(v.Value, &all))
			}
			v.Value, v.Append = raw(append(all, v.Append...)), nil
		}
		lists = append(lists, fmt.Sprintf("%s/%s=%s", v.Channel, v.Key, v.Value))
	}
	slices.Sort(lists)
	cp.Channels = nil
	return string(raw(cp)) + strings.Join(lists, " ") + string(raw(events))
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func TestCheckpointer_ATakenRunIsRefusedAndAnUnknownOneIsNotThere(t *testing.T) {
	conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
		taken(t, c, "r", "s")
		before := holds(t, c, "r", told("s"))
		again := &run.Commit{Run: "r", Admit: true, Row: newRow("r", "other"), Events: eventsOf("other", journal.TurnStarted)}
		if err := c.Apply(again); !errors.Is(err, run.ErrRunExists) {
			t.Errorf("a taken id: %v", err)
		}
		if again.Events[0].Seq != 0 || len(told("other")) != 0 || holds(t, c, "r", told("s")) != before {
			t.Error("the refused run left something behind")
		}
		_, acquired := c.Acquire("none")
		_, loaded := c.Load("none")
		for what, err := range map[string]error{"acquire": acquired, "load": loaded, "apply": c.Apply(&run.Commit{Run: "none"})} {
			if !errors.Is(err, run.ErrNoRun) {
				t.Errorf("%s of an unknown run: %v", what, err)
			}
		}
	})
}

func TestCheckpointer_WhoeverTakesARunShutsTheWriterBeforeOut(t *testing.T) {
	conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
		first := taken(t, c, "r", "s").Run
		second, err := c.Acquire("r")
		must(t, err)
		if second.Run.LeaseEpoch != first.LeaseEpoch+1 {
			t.Errorf("lease epochs %d, %d", first.LeaseEpoch, second.Run.LeaseEpoch)
		}
		before := holds(t, c, "r", told("s"))
		late := &run.Commit{Run: "r", LeaseEpoch: first.LeaseEpoch, Row: &first, Set: []graph.ChannelValue{{Channel: "c", Value: raw(1)}}, Events: eventsOf("s", journal.StageStarted)}
		if err := c.Apply(late); !errors.Is(err, run.ErrFenced) {
			t.Errorf("a late writer: %v", err)
		}
		if late.Events[0].Seq != 0 || holds(t, c, "r", told("s")) != before {
			t.Error("a late writer left something behind")
		}
		row := second.Run
		row.LeaseEpoch, row.Step = 99, 4
		must(t, c.Apply(&run.Commit{Run: "r", LeaseEpoch: second.Run.LeaseEpoch, Row: &row}))
		if cp, err := c.Load("r"); err != nil || cp.Run.LeaseEpoch != second.Run.LeaseEpoch || cp.Run.Step != 4 {
			t.Errorf("the row is %+v (%v)", cp.Run, err)
		}
	})
}

func TestCheckpointer_OneFailingCommitLeavesNothingOfAny(t *testing.T) {
	boom := errors.New("boom")
	var blob string
	for name, fail := range map[string]func(*run.Commit){
		"its writer is late": func(c *run.Commit) { c.LeaseEpoch = 99 },
		"its Do fails": func(c *run.Commit) {
			c.Do = graph.In(func(tx journal.Blobs, tell graph.Tell) (err error) {
				tell(eventsOf("s", journal.ApprovalRequested)...)
				blob, err = tx.PutBlob([]byte("nobody keeps this"))
				return errors.Join(boom, err)
			})
		},
		"its Do panics": func(c *run.Commit) {
			c.Do = func(_ graph.Tx, tell graph.Tell) error {
				tell(eventsOf("s", journal.ApprovalRequested)...)
				panic(boom)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
				epoch := taken(t, c, "r", "s").Run.LeaseEpoch
				before := holds(t, c, "r", told("s"))
				commit := func() *run.Commit {
					return &run.Commit{Run: "r", LeaseEpoch: epoch, Set: []graph.ChannelValue{{Channel: "c", Value: raw(1)}}, Add: []run.Pending{{Stage: "a"}},
						Pauses: []graph.Pause{{ID: "q", Kind: "question", Stage: "a"}}, Events: eventsOf("s", journal.StageCompleted)}
				}
				good, bad := commit(), commit()
				fail(bad)
				err := func() (err error) {
					defer func() {
						if r := recover(); r != nil {
							err, _ = r.(error)
						}
					}()
					return c.Apply(good, bad)
				}()
				if !errors.Is(err, boom) && !errors.Is(err, run.ErrFenced) {
					t.Errorf("it says %v", err)
				}
				if holds(t, c, "r", told("s")) != before {
					t.Error("something is left of it")
				}
				for _, c := range []*run.Commit{good, bad} {
					if len(c.Events) != 1 || c.Events[0].Seq != 0 {
						t.Errorf("its events are %+v", c.Events)
					}
				}
				if blob != "" {
					must(t, c.View(func(tx graph.Tx) error {
						reader, err := graph.Rows[interface{ Blob(string) ([]byte, error) }](tx)
						must(t, err)
						if _, err := reader.Blob(blob); err == nil {
							t.Error("its blob is there")
						}
						return nil
					}))
				}
				must(t, c.Apply(good)) // and it goes on
			})
		})
	}
}

// "It worked in the dry run; on disk the same step is refused."
func TestCheckpointer_RefusesWhatHasNoPlaceAndLeavesNothingOfIt(t *testing.T) {
	of := func(change func(*run.Run)) *run.Run {
		row := newRow("r", "s")
		change(row)
		return row
	}
	admit := func(change func(*run.Run)) run.Commit {
		row := newRow("new", "s")
		change(row)
		return run.Commit{Run: "new", Admit: true, Row: row, Events: eventsOf(row.Session, journal.TurnStarted)}
	}
	set := func(v graph.ChannelValue) run.Commit { return run.Commit{Run: "r", Set: []graph.ChannelValue{v}} }
	long, odd, broken := strings.Repeat("x", 4097), "a\xff", json.RawMessage("{")
	one := raw(1)
	event := func(e journal.Event) run.Commit { return run.Commit{Run: "r", Events: []journal.Event{e}} }
	told := eventsOf("other", journal.StageStarted)[0]
	unread := eventsOf("s", journal.StageStarted)[0]
	unread.Data = broken
	id, moved := run.ErrID, run.ErrSession
	for name, of := range map[string]struct {
		commit run.Commit
		want   error // nil: that a value is no JSON
	}{
		"admission without a row":             {run.Commit{Run: "new", Admit: true}, id},
		"admission without an id":             {run.Commit{Admit: true, Row: &run.Run{Session: "s", Status: run.Running}}, id},
		"admission of another run":            {run.Commit{Run: "other", Admit: true, Row: newRow("new", "s")}, id},
		"admission without a session":         {admit(func(r *run.Run) { r.Session = "" }), id},
		"admission to too long a session":     {admit(func(r *run.Run) { r.Session = long }), id},
		"admission without a status":          {admit(func(r *run.Run) { r.Status = "" }), id},
		"admission that tells another":        {run.Commit{Run: "new", Admit: true, Row: newRow("new", "s"), Events: eventsOf("other", journal.TurnStarted)}, moved},
		"no run":                              {run.Commit{}, id},
		"a run that is no text":               {run.Commit{Run: graph.RunID(odd)}, id},
		"another run's row":                   {run.Commit{Run: "r", Row: newRow("q", "s")}, id},
		"a row without an id":                 {run.Commit{Run: "r", Row: newRow("", "s")}, id},
		"a row that moved":                    {run.Commit{Run: "r", Row: newRow("r", "other")}, moved},
		"a row without a session":             {run.Commit{Run: "r", Row: newRow("r", "")}, id},
		"a row without a status":              {run.Commit{Run: "r", Row: of(func(r *run.Run) { r.Status = "" })}, id},
		"a channel without a name":            {set(graph.ChannelValue{Value: one}), id},
		"a list without a name":               {set(graph.ChannelValue{Append: []json.RawMessage{one}}), id},
		"a channel whose name is no text":     {set(graph.ChannelValue{Channel: odd, Value: one}), id},
		"a channel with too long a name":      {set(graph.ChannelValue{Channel: long, Value: one}), id},
		"a key that is no text":               {set(graph.ChannelValue{Channel: "c", Key: odd, Value: one}), id},
		"too long a key":                      {set(graph.ChannelValue{Channel: "c", Key: long, Value: one}), id},
		"a result of no stage":                {run.Commit{Run: "r", Add: []run.Pending{{Reason: "why"}}}, id},
		"a result of a stage that is no text": {run.Commit{Run: "r", Add: []run.Pending{{Stage: graph.StageID(odd)}}}, id},
		"a result that is no JSON":            {run.Commit{Run: "r", Add: []run.Pending{{Stage: "a", Writes: []graph.ChannelValue{{Channel: "c", Value: broken}}}}}, nil},
		"an item that is no JSON":             {run.Commit{Run: "r", Add: []run.Pending{{Stage: "a", Writes: []graph.ChannelValue{{Channel: "c", Append: []json.RawMessage{broken}}}}}}, nil},
		"a pause without an id":               {run.Commit{Run: "r", Pauses: []graph.Pause{{Kind: "question", Stage: "a"}}}, id},
		"too long a pause":                    {run.Commit{Run: "r", Pauses: []graph.Pause{{ID: long, Kind: "question", Stage: "a"}}}, id},
		"a pause that is no JSON":             {run.Commit{Run: "r", Pauses: []graph.Pause{{ID: "q", Data: broken}}}, nil},
		"an answer that is no JSON":           {run.Commit{Run: "r", Pauses: []graph.Pause{{ID: "q", Answer: broken}}}, nil},
		"an event of another session":         {event(told), moved},
		"an event that is no JSON":            {event(unread), nil},
		"an event of another session by its Do": {run.Commit{Run: "r", Do: func(_ graph.Tx, tell graph.Tell) error {
			tell(told)
			return nil
		}}, moved},
	} {
		t.Run(name, func(t *testing.T) {
			conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
				epoch := taken(t, c, "r", "s").Run.LeaseEpoch
				before := holds(t, c, "r", told("s"))
				good, bad := &run.Commit{Run: "r", LeaseEpoch: epoch, Set: []graph.ChannelValue{{Channel: "c", Value: one}}}, of.commit
				bad.Events = slices.Clone(bad.Events)
				bad.LeaseEpoch = epoch
				err := c.Apply(good, &bad)
				var syntax *json.SyntaxError
				if of.want != nil && !errors.Is(err, of.want) || of.want == nil && !errors.As(err, &syntax) {
					t.Errorf("it says %v", err)
				}
				if holds(t, c, "r", told("s")) != before || len(told("other")) != 0 {
					t.Error("something is left of it")
				}
				if _, err := c.Load("new"); !errors.Is(err, run.ErrNoRun) {
					t.Errorf("the run that was refused: %v", err)
				}
				must(t, c.Apply(good)) // and it goes on
			})
		})
	}
}

// "A session moved between two commits that went to disk together."
func TestCheckpointer_ARunStaysInTheSessionThatItBeganInWithinOneCall(t *testing.T) {
	conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
		if err := c.Apply(&run.Commit{Run: "r", Admit: true, Row: newRow("r", "s")}, &run.Commit{Run: "r", Row: newRow("r", "other")}); !errors.Is(err, run.ErrSession) {
			t.Errorf("it says %v", err)
		}
		if _, err := c.Load("r"); !errors.Is(err, run.ErrNoRun) {
			t.Errorf("the run is there: %v", err)
		}
	})
}

// "An event without a session belongs to its run's; a keyed channel grows no list."
func TestCheckpointer_FillsInWhatCommitsLeaveOpenInOneWay(t *testing.T) {
	conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
		epoch := taken(t, c, "r", "s").Run.LeaseEpoch
		items := []json.RawMessage{raw("x")}
		must(t, c.Apply(&run.Commit{Run: "r", LeaseEpoch: epoch, Events: []journal.Event{{Kind: journal.StageStarted, At: t0}},
			Set: []graph.ChannelValue{{Channel: "k", Key: "a", Value: raw(1), Append: items}, {Channel: "k", Key: "b", Append: items}}}))
		if events := told("s"); len(events) != 2 || events[1].Session != "s" {
			t.Errorf("the journal is %+v", events)
		}
		if got := holds(t, c, "r", nil); !strings.Contains(got, `k/a=1`) || strings.Contains(got, "k/b") {
			t.Errorf("the channels are %s", got)
		}
	})
}

// "A tool kept the transaction and wrote with it later."
func TestCheckpointer_ATransactionEndsWithItsCall(t *testing.T) {
	conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
		epoch := taken(t, c, "r", "s").Run.LeaseEpoch
		var kept []graph.Tx
		must(t, c.Apply(&run.Commit{Run: "r", LeaseEpoch: epoch, Do: func(tx graph.Tx, _ graph.Tell) error {
			kept = append(kept, tx)
			return nil
		}}))
		must(t, c.View(func(tx graph.Tx) error {
			kept = append(kept, tx)
			if _, err := tx.Blob("sha256:none"); !errors.Is(err, run.ErrNoBlob) {
				t.Errorf("a blob that is not there: %v", err)
			}
			return nil
		}))
		_ = c.View(func(tx graph.Tx) error {
			if _, err := tx.PutBlob([]byte("a body")); !errors.Is(err, run.ErrView) {
				t.Errorf("a view wrote: %v", err)
			}
			return nil
		})
		for i, tx := range kept {
			_, read := tx.Blob("sha256:none")
			_, wrote := tx.PutBlob([]byte("late"))
			if !errors.Is(read, run.ErrTxDone) || !errors.Is(wrote, run.ErrTxDone) {
				t.Errorf("transaction %d after its end: %v, %v", i, read, wrote)
			}
		}
	})
}

func TestCheckpointer_KeepsWhatCommitsSayInTheirOrder(t *testing.T) {
	conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
		epoch := taken(t, c, "r", "s").Run.LeaseEpoch
		apply := func(commits ...*run.Commit) {
			t.Helper()
			for _, one := range commits {
				one.Run, one.LeaseEpoch = "r", epoch
			}
			must(t, c.Apply(commits...))
		}
		pause := func(id, data string) graph.Pause {
			return graph.Pause{ID: id, Kind: "question", Stage: "a", Data: raw(data)}
		}
		apply(&run.Commit{Add: []run.Pending{{Stage: "b"}, {Stage: "a"}}, Pauses: []graph.Pause{pause("q1", "one"), pause("q2", "two")}},
			&run.Commit{Add: []run.Pending{{Stage: "b", Reason: "again"}}, Pauses: []graph.Pause{pause("q1", "anew"), pause("q3", "three")}, Unask: []string{"q2"}})
		cp, err := c.Load("r")
		must(t, err)
		var results, open []string
		for _, p := range cp.Pending {
			results = append(results, string(p.Stage)+p.Reason)
		}
		for _, p := range cp.Pauses {
			open = append(open, p.ID+string(p.Data))
		}
		slices.Sort(results)
		slices.Sort(open)
		wantList(t, "results", results, "a", "bagain")
		wantList(t, "pauses", open, `q1"anew"`, `q3"three"`)
		apply(&run.Commit{Clear: true, Add: []run.Pending{{Stage: "c"}}})
		if cp, err := c.Load("r"); err != nil || len(cp.Pending) != 1 || cp.Pending[0].Stage != "c" {
			t.Errorf("after the barrier: %+v (%v)", cp.Pending, err)
		}
	})
}

func TestCheckpointer_ValuesAreReplacedKeysTakenAwayAndListsGrow(t *testing.T) {
	list := func(items ...string) (out []json.RawMessage) {
		for _, i := range items {
			out = append(out, raw(i))
		}
		return out
	}
	conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
		row := newRow("r", "s")
		must(t, c.Apply(&run.Commit{Run: "r", Admit: true, Row: row, Set: []graph.ChannelValue{{Channel: "v", Value: raw(1)},
			{Channel: "k", Key: "a", Value: raw("x")}, {Channel: "k", Key: "b", Value: raw("y")}, {Channel: "begun", Value: raw([]string{"p"})}}}))
		for _, set := range [][]graph.ChannelValue{
			{{Channel: "v", Value: raw(2)}, {Channel: "grows", Append: list("a", "b")}},
			{{Channel: "k", Key: "a", Value: raw(nil)}, {Channel: "grows", Append: list("c")}, {Channel: "begun", Append: list("q")}},
			{{Channel: "begun", Append: list("r")}},
			{{Channel: "k", Key: "c", Value: raw("z")}, {Channel: "anew", Value: raw([]string{"old"})}},
			{{Channel: "anew", Value: raw([]string{"new"}), Append: list("er")}},
		} {
			must(t, c.Apply(&run.Commit{Run: "r", LeaseEpoch: row.LeaseEpoch, Set: set}))
		}
		got := holds(t, c, "r", nil)
		if want := `anew/=["new","er"] begun/=["p","q","r"] grows/=["a","b","c"] k/b="y" k/c="z" v/=2`; !strings.Contains(got, want) {
			t.Errorf("the channels are %s\nnot %s", got, want)
		}
	})
}

func TestCheckpointer_NumbersEventsBySessionWithoutGapsAndKeepsNoToken(t *testing.T) {
	conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
		one, two, other := taken(t, c, "r1", "s").Run.LeaseEpoch, taken(t, c, "r2", "s").Run.LeaseEpoch, taken(t, c, "r3", "other").Run.LeaseEpoch
		last := &run.Commit{Run: "r1", LeaseEpoch: one, Events: eventsOf("s", journal.Token, journal.StageCompleted), Do: func(_ graph.Tx, tell graph.Tell) error {
			tell(eventsOf("s", journal.ApprovalRequested)...)
			return nil
		}}
		must(t, c.Apply(&run.Commit{Run: "r1", LeaseEpoch: one, Events: eventsOf("s", journal.StageStarted)}, &run.Commit{Run: "r3", LeaseEpoch: other, Events: eventsOf("other", journal.StageStarted)},
			&run.Commit{Run: "r2", LeaseEpoch: two, Events: eventsOf("s", journal.StageStarted)}, last))
		var kinds []string
		for i, e := range told("s") {
			kinds = append(kinds, string(e.Kind))
			if e.Seq != uint64(i+1) {
				t.Errorf("event %d has the number %d", i+1, e.Seq)
			}
		}
		wantList(t, "the journal", kinds, "turn_started", "turn_started", "stage_started", "stage_started", "stage_completed", "approval_requested")
		if last.Events[0].Seq != 0 || last.Events[1].Seq != 5 || last.Events[2].Seq != 6 {
			t.Errorf("the commit's events are numbered %d, %d, %d", last.Events[0].Seq, last.Events[1].Seq, last.Events[2].Seq)
		}
		if cp, err := c.Load("r2"); err != nil || cp.LastSeq != 6 {
			t.Errorf("the newest number is %d (%v)", cp.LastSeq, err)
		}
	})
}

func TestCheckpointer_AViewReadsBlobsAndCannotWrite(t *testing.T) {
	conform(t, func(t *testing.T, c run.Checkpointer, told func(string) []journal.Event) {
		epoch := taken(t, c, "r", "s").Run.LeaseEpoch
		var name string
		must(t, c.Apply(&run.Commit{Run: "r", LeaseEpoch: epoch, Do: graph.In(func(tx journal.Blobs, _ graph.Tell) (err error) {
			name, err = tx.PutBlob([]byte("a body"))
			return err
		})}))
		type blobs interface {
			journal.Blobs
			Blob(name string) ([]byte, error)
		}
		_ = c.View(func(tx graph.Tx) error { // writing spoils a view of the disk
			b, err := graph.Rows[blobs](tx)
			must(t, err)
			if body, err := b.Blob(name); err != nil || string(body) != "a body" {
				t.Errorf("%q (%v)", body, err)
			}
			if _, err := b.PutBlob([]byte("another")); err == nil {
				t.Error("a view wrote")
			}
			return nil
		})
	})
}
