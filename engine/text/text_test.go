package text_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"holdpoint/engine/text"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

// files are those of an agent called a, with these texts for teen in both languages.
func files(t testing.TB, en, fr string) *text.Files {
	t.Helper()
	f, err := text.Read("a", fstest.MapFS{"teen/en.yaml": {Data: []byte(en)}, "teen/fr.yaml": {Data: []byte(fr)}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func open(t testing.TB, s text.Store, f *text.Files) *text.Catalog {
	t.Helper()
	c, err := text.Open(s, now, map[string]*text.Files{"a": f})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func key(name string) text.Key {
	return text.Key{Agent: "a", Audience: "teen", Language: "en", Name: name}
}

func get(t testing.TB, c *text.Catalog, name string) string {
	t.Helper()
	words, err := c.Get(key(name))
	if err != nil {
		t.Fatal(err)
	}
	return words
}

const en, fr = "hello: Hello {name}\nbye: Bye", "hello: Bonjour {name}\nbye: Salut"

func TestCompanion_C22_MissingTextsAreFoundBeforeAnyConversation(t *testing.T) {
	both := []string{"en", "fr"}
	if err := files(t, en, fr).Check([]string{"teen"}, both, "hello"); err != nil {
		t.Error(err)
	}
	if err := files(t, en, "hello: Bonjour {name}").Check([]string{"teen"}, both); !errors.Is(err, text.ErrMissing) || !strings.Contains(err.Error(), "a/teen/fr/bye") {
		t.Errorf("%v", err)
	}
	// "A text is missing, it said; where would I write it?"
	if err := files(t, en, fr).Check([]string{"teen"}, both, "thanks"); !errors.Is(err, text.ErrMissing) || !strings.Contains(err.Error(), "a/teen/en/thanks; write it into teen/en.yaml") {
		t.Errorf("what the code asks for may be missing: %v", err)
	}
	if err := files(t, en, fr).Check([]string{"teen", "parent"}, both); !errors.Is(err, text.ErrMissing) {
		t.Errorf("an audience may be missing: %v", err)
	}
	if err := files(t, en, "hello: Bonjour\nbye: Salut").Check([]string{"teen"}, both); err == nil {
		t.Error("a place to fill may be missing in one language")
	}
	for _, broken := range []string{"hello: [1]", "hello: ''", "Hello there: x", "hello: a\nhello: b"} {
		if _, err := text.Read("a", fstest.MapFS{"teen/en.yaml": {Data: []byte(broken)}}); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
}

func TestCompanion_C24_WordsOfThePersonWinOverFiles(t *testing.T) {
	s := storetest.Open(t)
	c := open(t, s, files(t, en, fr))
	if err := c.Set(key("hello"), "  Hi {name}!  ", ""); err != nil {
		t.Fatal(err)
	}
	// Another process sees it, and it stays with a newer file.
	c = open(t, s, files(t, "hello: Good day {name}\nbye: Bye", fr))
	if got := get(t, c, "hello"); got != "Hi {name}!" {
		t.Error(got)
	}
	list, err := c.List("a")
	if err != nil || len(list) != 4 || list[1].Source != text.Override || !list[1].Stale || list[1].Original != "Good day {name}" {
		t.Errorf("%+v %v", list, err)
	}
	for _, words := range []string{"", "Hi", "Hi {nome}", "Hi {name} {name2}", "\x00{name}", "{name}" + strings.Repeat("x", text.MaxText)} {
		if err := c.Set(key("hello"), words, ""); err == nil {
			t.Errorf("%.20q takes its place", words)
		}
	}
	if err := c.Set(key("nothing"), "x", ""); !errors.Is(err, text.ErrMissing) {
		t.Error(err)
	}
}

// "I changed it in two tabs, and the second one silently took the first one's words away."
func TestCompanion_C24_WhatIsSavedIsBasedOnWhatWasRead(t *testing.T) {
	s := storetest.Open(t)
	c := open(t, s, files(t, en, fr))
	version := func() string {
		list, err := c.List("a")
		if err != nil {
			t.Fatal(err)
		}
		return list[0].Version
	}
	read := version()
	if err := c.Set(key("bye"), "See you", read); err != nil {
		t.Fatal(err)
	}
	theirs := version()
	for what, err := range map[string]error{"words": c.Set(key("bye"), "Farewell", read), "the file's text": c.Reset(key("bye"), read), "the same words": c.Set(key("bye"), "See you", read)} {
		if !errors.Is(err, text.ErrChanged) || get(t, c, "bye") != "See you" {
			t.Errorf("%s took the place of what nobody had read: %v", what, err)
		}
	}
	// Who has read it, and who reads nothing, save.
	if err := c.Set(key("bye"), "Farewell", theirs); err != nil || get(t, c, "bye") != "Farewell" {
		t.Error(err)
	}
	if err := c.Set(key("bye"), "Adieu", ""); err != nil || get(t, c, "bye") != "Adieu" {
		t.Error(err)
	}
	if err := c.Reset(key("bye"), version()); err != nil || version() != read {
		t.Errorf("the file's text is another than before: %v", err)
	}
	// A newer program brings another text: what stood beside it was not this one.
	c = open(t, s, files(t, "hello: Hello {name}\nbye: So long", fr))
	if err := c.Set(key("bye"), "Bye bye", read); !errors.Is(err, text.ErrChanged) {
		t.Error(err)
	}
}

func TestCompanion_C25_EveryWriteIsSeenAtOnceThroughEveryCache(t *testing.T) {
	s := storetest.Open(t)
	c := open(t, s, files(t, en, fr))
	for i := range 3 { // each is in the caches before it changes
		want := "Bye"
		if got := get(t, c, "bye"); got != want {
			t.Fatal(got)
		}
		want = "Bye " + strconv.Itoa(i)
		if err := c.Set(key("bye"), want, ""); err != nil || get(t, c, "bye") != want {
			t.Fatal(get(t, c, "bye"), err)
		}
		if _, err := c.Sync(nil); err != nil || get(t, c, "bye") != want {
			t.Fatal(get(t, c, "bye"), err)
		}
		if err := c.Reset(key("bye"), ""); err != nil {
			t.Fatal(err)
		}
	}
	// Readers beside a writer never see what a finished write replaced.
	var all sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if _, err := c.Get(key("bye")); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for i := range 20 {
		want := "Now " + strconv.Itoa(i)
		if err := c.Set(key("bye"), want, ""); err != nil {
			t.Fatal(err)
		}
		if got := get(t, c, "bye"); got != want {
			t.Errorf("%q after %q was written", got, want)
		}
	}
	close(stop)
	all.Wait()
}

func TestCompanion_C26_SyncLeavesOverridesAndYieldsToChangedFiles(t *testing.T) {
	s := storetest.Open(t)
	c := open(t, s, files(t, en, fr))
	if err := c.Set(key("hello"), "Hi {name}", ""); err != nil {
		t.Fatal(err)
	}
	own := files(t, "hello: Hey {name}\nbye: See you", "bye: À plus")
	r, err := c.Sync(own)
	if err != nil || r != (text.Report{Written: 2, Kept: 1}) {
		t.Fatalf("%+v %v", r, err)
	}
	if got := get(t, c, "hello") + get(t, c, "bye"); got != "Hi {name}See you" {
		t.Error(got)
	}
	if r, err = c.Sync(own); err != nil || r != (text.Report{Unchanged: 2, Kept: 1}) {
		t.Errorf("a second time: %+v %v", r, err)
	}
	// A newer file wins over what was synchronised, not over what a person wrote.
	c = open(t, s, files(t, "hello: Good day {name}\nbye: Farewell", fr))
	if got := get(t, c, "hello") + get(t, c, "bye"); got != "Hi {name}Farewell" {
		t.Error(got)
	}
	// What no file has any more goes.
	c = open(t, s, files(t, "hello: Good day {name}", "hello: Bonjour {name}"))
	if r, err = c.Sync(nil); err != nil || r.Removed != 2 || r.Kept != 1 {
		t.Errorf("%+v %v", r, err)
	}
	// One that does not fit stops all of it.
	if _, err := c.Sync(files(t, "hello: Hey\n", fr)); !errors.Is(err, text.ErrRefused) && !errors.Is(err, text.ErrMissing) {
		t.Error(err)
	}
	if got := get(t, c, "hello"); got != "Hi {name}" {
		t.Error(got)
	}
}

// The child of the kill test is this binary with a store's path in this variable.
const childEnv = "HOLDPOINT_TEXT_CHILD"

// killsEnv is how often the kill test kills.
const killsEnv = "HOLDPOINT_TEXT_KILLS"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		fmt.Fprintln(os.Stderr, turnAbout(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const many = 200

// version are many texts that all say the same.
func version(v string) string {
	var b strings.Builder
	for i := range many {
		fmt.Fprintf(&b, "text_%d: version %s\n", i, v)
	}
	return b.String()
}

// turnAbout synchronises one set of texts and another in turn until it is killed.
func turnAbout(path string) error {
	db, err := store.Open(path)
	if err != nil {
		return err
	}
	read := func(v string) (*text.Files, error) {
		return text.Read("a", fstest.MapFS{"teen/en.yaml": {Data: []byte(version(v))}})
	}
	base, err := read("0")
	if err != nil {
		return err
	}
	c, err := text.Open(db, now, map[string]*text.Files{"a": base})
	for i := 1; err == nil; i++ {
		var f *text.Files
		if f, err = read(strconv.Itoa(i)); err == nil {
			_, err = c.Sync(f)
		}
		fmt.Println(i)
	}
	return err
}

func TestCompanion_C26_AKillInTheMiddleOfASyncLeavesOldOrNew(t *testing.T) {
	kills := 8
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil {
		kills = n
	}
	const seed = 7
	random := rand.New(rand.NewPCG(seed, 1))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	base, err := text.Read("a", fstest.MapFS{"teen/en.yaml": {Data: []byte(version("0"))}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range kills {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childEnv+"="+path)
		pipe, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(pipe)
		if !lines.Scan() {
			t.Fatal("the child ended before it wrote anything")
		}
		// The time itself is what is tried here.
		timer := time.AfterFunc(time.Duration(random.IntN(40_000))*time.Microsecond, func() { cmd.Process.Kill() })
		for lines.Scan() {
		}
		timer.Stop()
		if cmd.Wait() == nil {
			t.Fatal("the child ended by itself")
		}
		db, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		list, err := open(t, db, base).List("a")
		if err != nil || len(list) != many {
			t.Fatalf("%d texts, %v", len(list), err)
		}
		for _, e := range list {
			if e.Text != list[0].Text || e.Source != text.Synced {
				t.Fatalf("kill %d, seed %d: %q beside %q", i, seed, e.Text, list[0].Text)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
