package store

import (
	"slices"
	"strings"
	"testing"
)

// "I followed the recipe, all tests passed, and the first session that was deleted ended the program." An index that leads
// nowhere is refused when it is declared, before the table is known.
func TestTable_AnIndexThatLeadsToNoRowIsRefused(t *testing.T) {
	defer func() {
		if why, _ := recover().(string); !strings.Contains(why, "letters_by_session") || tables["letters"] != nil {
			t.Errorf("it said %q", why)
		}
	}()
	type letter struct{ ID, Session string }
	(&table[letter]{name: "letters", since: 1, key: func(r *letter) []byte { return key(r.ID) },
		indexes: []*index[letter]{{name: "letters_by_session", since: 1, keys: func(r *letter) [][]byte { return [][]byte{key(r.Session, r.ID)} }}}}).declare()
}

// "I deleted the session, and a table that came later still had what I wrote." Every table says what its rows go with; those
// that go with their session are empty without it.
func TestTables_EachSaysWhatItsRowsGoWith(t *testing.T) {
	const own, ours = "by a command of its own", "holds nothing that a person typed"
	goes := map[string]string{"sessions": "session", "runs": "session", "channels": "session", "pending": "session", "pauses": "session", "journal": "session", "blobs": "session",
		"blob_owners": "session", "definitions": "session", "skips": "session", "working": "session", "episodes": "session", "episode_vectors": "session", "lake": "session",
		"evidence": "session", "decisions": "session", "consents": "session",
		"approvals": "session, but for who approved what stays", "entries": "session, but for what was done, without its words",
		"records": own, "documents": own, "passages": own, "originals": own, "texts": own, "requests": own, "settings": own, "vectors": own,
		"counters": ours, "postings": ours}
	conform(t, func(t *testing.T, db *DB) {
		furnish(t, db)
		for _, s := range []string{"s", "s2"} {
			must(t, db.DeleteSession(s))
		}
		for _, name := range order {
			b := bucket(slices.IndexFunc(buckets, func(i bucketInfo) bool { return i.name == name }))
			owned := slices.Contains(dependents["sessions"], name)
			switch k, _ := firstOf(t, db, b); {
			case buckets[b].derived:
			case goes[name] == "" && !owned:
				t.Errorf("nobody says what rows of %s go with: declare sessions as its owner, or say it in goes, above", name)
			case (goes[name] == "session" || owned && goes[name] == "") && k != nil:
				t.Errorf("%s %q stayed without its session", name, k)
			}
		}
		sane(t, db)
	})
}
