package store

import (
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
