package store

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"holdpoint/engine/library"
)

// "Its index was damaged, and from then on every search said that not all can be found; nothing ever made it anew."
func TestLibrary_ADamagedOrMissingIndexIsMadeAnew(t *testing.T) {
	for name, harm := range map[string]func(*bolt.Tx) error{
		"values that begin with nothing known": func(b *bolt.Tx) error {
			words := b.Bucket([]byte("library_words"))
			var keys [][]byte
			if err := words.ForEach(func(k, _ []byte) error { keys = append(keys, append([]byte{}, k...)); return nil }); err != nil {
				return err
			}
			for _, k := range keys {
				if err := words.Put(k, []byte{0xFF, 0xFF}); err != nil {
					return err
				}
			}
			return nil
		},
		"postings that end early": func(b *bolt.Tx) error {
			words := b.Bucket([]byte("library_words"))
			var keys [][]byte
			if err := words.ForEach(func(k, _ []byte) error { keys = append(keys, append([]byte{}, k...)); return nil }); err != nil {
				return err
			}
			for _, k := range keys {
				if k[0] == 'p' {
					if err := words.Put(k, binary.AppendUvarint([]byte{markWhole}, 500)); err != nil {
						return err
					}
				}
			}
			return nil
		},
		"no bucket": func(b *bolt.Tx) error {
			return errors.Join(b.DeleteBucket([]byte("library_words")), b.DeleteBucket([]byte("library_meaning")))
		},
	} {
		path := filepath.Join(t.TempDir(), "holdpoint.db")
		db := openFile(t, path)
		must(t, db.UpdateLibrary(func(x library.Tx) error {
			d := library.Document{ID: "d1", Name: "salt.md", Source: "papers", Path: "salt.md", Kind: library.KindMarkdown, Language: "en"}
			return x.AddDocument(&d, []library.Passage{{Text: "Less salt lowers the blood pressure."}, {Text: "Tea does not."}}, []byte("x"))
		}))
		must(t, library.New(library.Options{Store: db}).Index(t.Context(), nil))
		must(t, db.Close())
		b, err := bolt.Open(path, 0o600, nil)
		must(t, err)
		must(t, b.Update(harm))
		must(t, b.Close())
		report, err := Check(path) // which only reads
		if err != nil || report.Rows["documents"] != 1 {
			t.Errorf("%s: it cannot be read: %v, %v", name, report.Problems, err)
		}
		for _, p := range report.Problems {
			if !strings.Contains(p, "holdpoint library reindex") {
				t.Errorf("%s: what to do is not said: %s", name, p)
			}
		}
		db = openFile(t, path)
		l := library.New(library.Options{Store: db})
		if _, err := l.Search(t.Context(), library.Query{Text: "salt", By: library.ByWords}); err != nil {
			t.Errorf("%s: a search fails: %v", name, err)
		}
		behind, err := l.Behind(t.Context())
		if err != nil || !behind {
			t.Errorf("%s: nothing is to be made anew: %v", name, err)
		}
		must(t, l.Index(t.Context(), nil))
		found, err := l.Search(t.Context(), library.Query{Text: "salt", By: library.ByWords})
		if err != nil || len(found.Hits) != 1 || found.Indexed != 2 {
			t.Errorf("%s: afterwards %+v, %v", name, found, err)
		}
		must(t, db.Close())
		report, err = Check(path)
		if err != nil || len(report.Problems) > 0 {
			t.Errorf("%s: %v, %v", name, report.Problems, err)
		}
	}
}
