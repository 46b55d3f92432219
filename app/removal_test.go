package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

// "I imported two leases by mistake, and they stayed for ever, to be chosen again and again."
func TestRecords_WhatNothingRefersToIsRemoved(t *testing.T) {
	r := newRanch(t)
	refused := func(typ, id, why string) {
		t.Helper()
		err := r.app.RemoveRecord(typ, id)
		if err == nil || app.AsFault(err).Code != "in_use" || !strings.Contains(err.Error(), why) {
			t.Errorf("%s/%s: %v", typ, id, err)
		}
		if _, err := r.app.Record(typ, id); err != nil {
			t.Errorf("what was refused is gone: %v", err)
		}
	}
	wants(t, r.prepares(), run.Paused)
	refused("Well", "42-329-97101", "sessions are about")
	leases, err := r.app.Records("Lease", "", "", 10)
	if err != nil || len(leases.Records) == 0 {
		t.Fatal(leases, err)
	}
	refused("Lease", leases.Records[0].ID, "records refer to")
	if err := r.app.RemoveRecord("Lease", "none"); !errors.Is(err, record.ErrNotFound) {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "stray.csv")
	if err := os.WriteFile(file, []byte("lease_name,district,lease_number,operator_name\nSTRAY,08,12345,Mesa Oil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.app.ImportNow(t.Context(), file, func(int64, int64, string) {}); err != nil {
		t.Fatal(err)
	}
	page, err := r.app.Records("Lease", "", "stray", 10)
	if err != nil || len(page.Records) != 1 {
		t.Fatal(page, err)
	}
	if err := r.app.RemoveRecord("Lease", page.Records[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := r.app.Record("Lease", page.Records[0].ID); !errors.Is(err, record.ErrNotFound) {
		t.Error(err)
	}
}
