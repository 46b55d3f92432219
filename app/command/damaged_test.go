package command_test

import (
	"regexp"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
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
			done := false
			damage(t, x, bucket, func(b *bbolt.Bucket, k, _ []byte) error {
				if done || strings.Contains(string(k), "pat-alder") || strings.Contains(string(k), "\xff") {
					return nil
				}
				done = true
				return b.Put(k, []byte("ink"))
			})
			if !done {
				t.Skip("the store has none")
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
			if bucket == "consents" {
				return // it is of no session that check knows
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
