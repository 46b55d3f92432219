package store_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"holdpoint/engine/journal"
	"holdpoint/engine/record"
	"holdpoint/engine/session"
	"holdpoint/store"
)

// open makes a store that remove ends.
func open() (db *store.DB, remove func()) {
	dir, err := os.MkdirTemp("", "store-*")
	if err != nil {
		log.Fatal(err)
	}
	if db, err = store.Open(filepath.Join(dir, "holdpoint.db")); err != nil {
		log.Fatal(err)
	}
	return db, func() {
		if err := errors.Join(db.Close(), os.RemoveAll(dir)); err != nil {
			log.Fatal(err)
		}
	}
}

// A store is one file. What a call wrote is on disk when it returns.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "store-*")
	if err != nil {
		log.Fatal(err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			log.Fatal(err)
		}
	}()
	db, err := store.Open(filepath.Join(dir, "holdpoint.db"))
	if err != nil {
		log.Fatal(err)
	}
	if err := db.PutSetting("theme", "dark"); err != nil {
		log.Fatal(err)
	}
	var theme string
	ok, err := db.Setting("theme", &theme)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ok, theme)
	if err := db.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: true dark
}

// Read hands out one consistent moment of all tables.
func ExampleDB_Read() {
	db, remove := open()
	defer remove()
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	err := db.UpdateRecords(func(tx record.Tx) error {
		return tx.PutRecord(record.Record{Ref: record.Ref{Type: "Well", ID: "w1"}, Version: "1", UpdatedAt: at,
			Resource: []byte(`{"name":"North 1","location":{"reference":"Location/field"}}`)})
	})
	if err != nil {
		log.Fatal(err)
	}
	err = db.Read(func(tx store.Tx) error {
		return tx.RecordsAbout(record.Ref{Type: "Location", ID: "field"}, "Well", func(r record.Record) (bool, error) {
			fmt.Printf("%s %s\n", r.Ref, r.Resource)
			return true, nil
		})
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: Well/w1 {"name":"North 1","location":{"reference":"Location/field"}}
}

// Events outside a run are appended with the change that they tell of, and read
// from any sequence number on.
func ExampleDB_AppendEvents() {
	db, remove := open()
	defer remove()
	db.Subscribe(func(e *journal.Event) { fmt.Println("on disk:", e.Kind) })
	if err := db.PutSession(session.Session{ID: "s", Title: "Sleep"}); err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	events := []journal.Event{{Kind: journal.MemoryUpdated, At: at}, {Kind: journal.ApprovalDecided, At: at, Status: "approved"}}
	err := db.AppendEvents("s", "turn1", events, func(tx store.Tx) error { return tx.PutSkip("s", "tool", nil) })
	if err != nil {
		log.Fatal(err)
	}
	list, err := db.Journal("s", 1, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range list {
		fmt.Println(e.Seq, e.Turn, e.Kind, e.Status)
	}
	// Output:
	// on disk: memory_updated
	// on disk: approval_decided
	// 2 turn1 approval_decided approved
}
