package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"holdpoint/app"
)

// remedy is a command that check tells of.
var remedy = regexp.MustCompile(`holdpoint ((?:sessions delete|records rm|library rm|library refuse|texts reset) \S+|library reindex)`)

// "One request was damaged, and from then on no list came up, the program's first screen neither." Whatever row is
// damaged, each list shows the others and says what is left out; check says what to do, and done it is mended.
func TestLists_OneDamagedRowHidesNoOther(t *testing.T) {
	lists := [][]string{{"sessions", "list"}, {"approvals", "list", "--json"}, {"approvals", "list", "--status", "used"}, {"approvals", "list", "--status", "unknown"}, {"memory", "search"},
		{"records", "list", "Patient"}, {"records", "list", "AllergyIntolerance", "--json"}, {"records", "show", "Patient/pat-alder"}, {"texts", "list"}, {"library", "list"}, {"library", "requests"}, {"board", "list"}}
	for _, bucket := range []string{"runs", "approvals", "entries", "records", "episodes", "working", "skips", "consents", "texts", "documents", "passages"} {
		t.Run(bucket, func(t *testing.T) {
			x := inGolden(t, "golden-10")
			x.want(0, "check")
			done, session := false, ""
			damage(t, x, bucket, func(b *bbolt.Bucket, k, v []byte) error {
				if done || strings.Contains(string(k), "pat-alder") || strings.Contains(string(k), "\xff") {
					return nil
				}
				done = true
				if of := regexp.MustCompile(`"session":"(\w+)"`).FindSubmatch(v); of != nil {
					session = string(of[1])
				}
				return b.Put(k, []byte("ink"))
			})
			if !done {
				t.Fatal("the store has none")
			}
			for _, list := range lists {
				if got := x.run(list...); got.code != 0 {
					t.Errorf("%v: exit %d: %s", list, got.code, got.err)
				}
			}
			check := x.run("check")
			found := remedy.FindStringSubmatch(check.err)
			if check.code == 0 || !strings.Contains(check.err, "its row is damaged") {
				t.Fatalf("check: exit %d: %s", check.code, check.err)
			}
			if bucket == "consents" { // check knows no session of it
				x.want(0, "sessions", "consent", session, "withdraw")
				x.want(0, "check")
				return
			}
			if found == nil {
				t.Fatalf("check says nothing to do: %s", check.err)
			}
			do := strings.Fields(found[1])
			if do[0] == "library" {
				do = append(do, "--yes") // boards may cite it
			}
			x.want(0, do...)
			x.want(0, "check")
		})
	}
}

// "One event of a conversation was damaged. Its export was an error that nobody understands; or worse, a file in which it
// was simply not there." An export names each event, request and text that cannot be read, in its place, and goes on.
func TestExport_NamesWhatCannotBeRead(t *testing.T) {
	paused := inClinic(t)
	paused.want(3, "run", "--practice", "--session", "s", "--subject", "Patient/pat-alder", "Please write a note that she sleeps better")
	var whole app.Transcript
	if err := json.Unmarshal([]byte(paused.want(0, "export", "s", "--format", "json").out), &whole); err != nil || len(whole.Unreadable) != 0 {
		t.Fatal(err, whole.Unreadable)
	}
	for name, with := range map[string]func(v []byte) []byte{
		"no value":      func([]byte) []byte { return []byte("\xffink") },
		"no JSON":       func([]byte) []byte { return []byte("\x00{ink") },
		"it breaks off": func(v []byte) []byte { return v[:len(v)/2] },
		"another's":     func(v []byte) []byte { return bytes.Replace(v, []byte(`"session":"s"`), []byte(`"session":"z"`), 1) },
		"it is gone":    nil,
	} {
		for _, seq := range []int{1, 2, 5, len(whole.Events)} {
			t.Run(fmt.Sprint(name, ", ", seq), func(t *testing.T) {
				x := paused.copy(t)
				spoilt := false
				damage(t, x, "journal", func(b *bbolt.Bucket, k, v []byte) error {
					if !bytes.HasPrefix(k, []byte("s\x00\x01\x00")) || k[len(k)-1] != byte(seq) {
						return nil
					}
					if spoilt = with == nil || !bytes.Equal(with(v), v); with == nil {
						return b.Delete(k)
					}
					return b.Put(k, with(v))
				})
				if !spoilt {
					t.Fatal("its row is kept in pieces")
				}
				for _, args := range [][]string{{"--format", "md"}, {"--format", "html"}, {"--format", "html", "--trace"}} {
					got := x.want(0, append([]string{"export", "s", "--language", "fr"}, args...)...)
					for _, want := range []string{fmt.Sprintf("l’événement %d est endommagé", seq), "ncomplet"} {
						if !strings.Contains(got.out, want) {
							t.Errorf("%v lacks %q", args, want)
						}
					}
				}
				var tr app.Transcript
				if err := json.Unmarshal([]byte(x.want(0, "export", "s", "--format", "json").out), &tr); err != nil {
					t.Fatal(err)
				}
				if len(tr.Events) != len(whole.Events)-1 || len(tr.Unreadable) == 0 || tr.Unreadable[0].Table != "journal" || tr.Unreadable[0].ID != fmt.Sprintf("s/%d", seq) {
					t.Errorf("%d events of %d, unreadable %v", len(tr.Events), len(whole.Events), tr.Unreadable)
				}
			})
		}
	}
	t.Run("a request", func(t *testing.T) {
		x := paused.copy(t)
		damage(t, x, "approvals", func(b *bbolt.Bucket, k, _ []byte) error { return b.Put(k, []byte("ink")) })
		for _, format := range []string{"md", "html"} {
			if got := x.want(0, "export", "s", "--format", format); !strings.Contains(got.out, "What is kept of approval "+whole.Approvals[0].ID+" is damaged") || strings.Contains(got.out+got.err, "afresh") {
				t.Errorf("%s: %s", format, got.out)
			}
		}
		var tr app.Transcript
		if err := json.Unmarshal([]byte(x.want(0, "export", "s", "--format", "json").out), &tr); err != nil || len(tr.Approvals) != 0 || len(tr.Unreadable) != 1 || tr.Unreadable[0].Table != "approvals" {
			t.Errorf("%v, %v", tr.Unreadable, err)
		}
	})
	t.Run("the turn itself", func(t *testing.T) { // without it nothing can be told: the error says of what, and what to do
		x := paused.copy(t)
		damage(t, x, "runs", func(b *bbolt.Bucket, k, _ []byte) error {
			if bytes.Contains(k, []byte{0xFF}) {
				return nil
			}
			return b.Put(k, []byte("ink"))
		})
		if got := x.run("export", "s"); got.code == 0 || !strings.Contains(got.err, "holdpoint check") || strings.Contains(got.err, "afresh") {
			t.Errorf("%+v", got)
		}
	})
}

// "One source of a board was damaged, and I was told to move all my data away." The board shows the others, and says
// which it left out.
func TestBoard_ShowsWhatIsWhole(t *testing.T) {
	x := inGolden(t, "golden-10")
	list := lines(t, x.want(0, "board", "list", "--json").out)
	shown := 0
	for _, b := range list {
		if strings.Contains(x.want(0, "board", "show", b.text("turn"), "--json").out, `"evidence":[{`) {
			shown++
		}
	}
	if shown == 0 {
		t.Fatal("no board has evidence")
	}
	damage(t, x, "evidence", func(b *bbolt.Bucket, k, _ []byte) error { return b.Put(k, []byte("ink")) })
	said := ""
	for _, b := range list {
		said += x.want(0, "board", "show", b.text("turn")).err
	}
	if !strings.Contains(said, "Left out") || !strings.Contains(said, "evidence ") || strings.Contains(said, "afresh") {
		t.Errorf("it says %s", said)
	}
}

// "I did what check told me, and nothing that I deleted ever left the file." Damage, check, its remedy, compact: the store
// is whole, and what was deleted is nowhere.
func TestCompact_GoesOnWithDamageAndSaysWhatItDid(t *testing.T) {
	x := inClinic(t)
	x.want(3, "run", "--practice", "--session", "s", "--subject", "Patient/pat-alder", "Please write a note that she sleeps better")
	x.want(0, "run", "--practice", "--session", "whole", "Hello there")
	damage(t, x, "approvals", func(b *bbolt.Bucket, k, _ []byte) error { return b.Put(k, []byte("\xffink")) })
	damage(t, x, "approvals_by_order", func(b *bbolt.Bucket, k, _ []byte) error { return b.Put(k, []byte("\xffink")) })
	check := x.run("check")
	for _, want := range []string{"holdpoint sessions delete s", "holdpoint compact"} {
		if check.code == 0 || !strings.Contains(check.err, want) || strings.Contains(check.err, "afresh") {
			t.Errorf("check lacks %q: %s", want, check.err)
		}
	}
	if got := x.want(0, "compact"); !strings.Contains(got.err, "made anew: 1") || !strings.Contains(got.err, "kept as it is") {
		t.Errorf("compact says %s", got.err)
	}
	x.want(0, "sessions", "delete", "s")
	x.want(0, "check")
	x.want(0, "compact")
	body, err := os.ReadFile(filepath.Join(x.data, app.StoreFile))
	if err != nil || bytes.Contains(body, []byte("sleeps better")) || !bytes.Contains(body, []byte("Hello there")) {
		t.Errorf("the deleted text is there: %v, %v", bytes.Contains(body, []byte("sleeps better")), err)
	}
}
