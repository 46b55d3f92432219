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
