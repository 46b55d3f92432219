package store

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"holdpoint/engine/graph"
	"holdpoint/engine/run"
)

func items(channel string, list ...string) graph.ChannelValue {
	c := graph.ChannelValue{Channel: channel}
	for _, item := range list {
		c.Append = append(c.Append, json.RawMessage(item))
	}
	return c
}

func loaded(t testing.TB, db *DB, id graph.RunID) map[string]string {
	t.Helper()
	cp, err := db.Load(id)
	must(t, err)
	out := map[string]string{}
	for _, c := range cp.Channels {
		name := c.Channel
		if c.Key != "" {
			name += "/" + c.Key
		}
		if _, twice := out[name]; twice {
			t.Errorf("channel %s is there twice", name)
		}
		out[name] = string(c.Value)
	}
	return out
}

func TestChannels_AppendedItemsComeBackAsOneListBehindWhatWasThere(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		admit(t, db, "q", "s")
		apply := func(set ...graph.ChannelValue) {
			t.Helper()
			must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Set: set}))
		}
		want := func(want map[string]string) {
			t.Helper()
			if got := loaded(t, db, "r"); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("channels are %v, want %v", got, want)
			}
		}
		apply(items("log", `1`, `"two"`), graph.ChannelValue{Channel: "log.other", Value: json.RawMessage(`[0]`)}, items("a"))
		want(map[string]string{"log": `[1,"two"]`, "log.other": `[0]`, "a": ""})
		apply(items("log", `{"n":3}`))
		apply(items("log.other", `1`), graph.ChannelValue{Channel: "log", Key: "k", Value: json.RawMessage(`7`)})
		want(map[string]string{"log": `[1,"two",{"n":3}]`, "log.other": `[0,1]`, "a": "", "log/k": "7"})
		// A value takes the place of all items, and what is appended with it comes behind it.
		apply(graph.ChannelValue{Channel: "log", Value: json.RawMessage(` [ 9 ] `), Append: []json.RawMessage{json.RawMessage(`10`)}})
		apply(items("log", `11`), graph.ChannelValue{Channel: "log.other", Value: json.RawMessage(`[]`)})
		apply(items("log.other", `1`))
		want(map[string]string{"log": `[ 9,10,11]`, "log.other": `[1]`, "a": "", "log/k": "7"})
		apply(graph.ChannelValue{Channel: "log", Value: json.RawMessage(`null`)})
		apply(items("log", `1`))
		want(map[string]string{"log": `[1]`, "log.other": `[1]`, "a": "", "log/k": "7"})
		if got := loaded(t, db, "q"); len(got) != 0 {
			t.Errorf("the other run has %v", got)
		}
		sane(t, db)
		// What is no list gets no items.
		apply(graph.ChannelValue{Channel: "a", Value: json.RawMessage(`"text"`)})
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Set: []graph.ChannelValue{items("a", `1`)}}))
		_, err := db.Load("r")
		wantErr(t, err, ErrDamaged)
		must(t, db.DeleteSession("s"))
		must(t, db.view(func(x *tx) error {
			return x.scan(channels.bucket, nil, nil, func(k, _ []byte) (bool, error) {
				t.Errorf("%q is left", k)
				return true, nil
			})
		}))
	})
}

// TestChannels_AreAListWhateverTheSteps compares with a plain list.
func TestChannels_AreAListWhateverTheSteps(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		db := openInMemory()
		defer func() { must(t, db.Close()) }()
		admit(t, db, "r", "s")
		names := []string{"a", "a\x00", "a\x00\x01", "b"}
		model := map[string][]int{}
		for range rapid.IntRange(1, 20).Draw(r, "steps") {
			name := rapid.SampledFrom(names).Draw(r, "channel")
			list := rapid.SliceOfN(rapid.IntRange(0, 99), 0, 4).Draw(r, "items")
			raw, err := json.Marshal(append([]int{}, list...))
			must(t, err)
			if rapid.Bool().Draw(r, "replace") {
				model[name] = list
				must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Set: []graph.ChannelValue{{Channel: name, Value: raw}}}))
				continue
			}
			if len(list) == 0 {
				continue
			}
			model[name] = append(model[name][:len(model[name]):len(model[name])], list...)
			c := graph.ChannelValue{Channel: name}
			for _, n := range list {
				c.Append = append(c.Append, json.RawMessage(fmt.Sprint(n)))
			}
			must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Set: []graph.ChannelValue{c}}))
		}
		got := loaded(t, db, "r")
		for name, list := range model {
			want, err := json.Marshal(append([]int{}, list...))
			must(t, err)
			if got[name] != string(want) {
				r.Fatalf("channel %q is %s, want %s", name, got[name], want)
			}
		}
		sane(t, db)
	})
}

// TestChannels_AppendingCostsTheSameBehind10000Items counts rows and bytes, not time.
func TestChannels_AppendingCostsTheSameBehind10000Items(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	defer func() { must(t, db.Close()) }()
	admit(t, db, "r", "s")
	message := `{"role":"user","text":"` + strings.Repeat("x", 200) + `"}`
	cost := func() (reads, wrote int) {
		back := db.back
		counted := &counting{backend: back}
		db.back = counted
		before := back.(*boltFile).db.Stats()
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Set: []graph.ChannelValue{items("log", message)}}))
		after := back.(*boltFile).db.Stats()
		db.back = back
		d := after.Sub(&before)
		return counted.reads, int(d.TxStats.GetPageCount())
	}
	add := func(n int) {
		c := graph.ChannelValue{Channel: "log"}
		for range n {
			c.Append = append(c.Append, json.RawMessage(message))
		}
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Set: []graph.ChannelValue{c}}))
	}
	add(10)
	reads, pages := math.MaxInt, math.MaxInt
	for range 3 {
		r, p := cost()
		reads, pages = min(reads, r), min(pages, p)
	}
	add(10_000)
	for range 3 {
		r, p := cost()
		if r != reads || p > pages+4 { // the tree is deeper
			t.Errorf("behind 10,000 items an append reads %d rows and writes %d pages; behind ten %d and %d", r, p, reads, pages)
		}
	}
}

// Two keys that go on from one must not share memory: items whose list has a name of
// any length come behind each other.
func TestChannels_ItemsFollowEachOtherWhateverTheNamesAre(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		for n := range 40 {
			id, list := graph.RunID("r"+strings.Repeat("x", n)), "l"+strings.Repeat("y", n)
			admit(t, db, string(id), "s"+strings.Repeat("z", n))
			for i := range 3 {
				must(t, db.Apply(&run.Commit{Run: id, LeaseEpoch: 1, Set: []graph.ChannelValue{{Channel: list, Append: []json.RawMessage{json.RawMessage(fmt.Sprint(i))}}}}))
			}
			cp, err := db.Load(id)
			must(t, err)
			if len(cp.Channels) != 1 || string(cp.Channels[0].Value) != "[0,1,2]" {
				t.Fatalf("names of %d more letters: %s", n, cp.Channels)
			}
		}
	})
}
