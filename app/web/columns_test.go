package web_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/record"
)

// "It said that my list's columns mean nothing, and there was nowhere to say what they do."
func TestRecords_WhatColumnsMeanIsShownAndChangedOnTheScreen(t *testing.T) {
	w := open(t)
	const list = "number,place,how long\n42-135-97001,ECTOR,9800\n"
	read := func() record.Report {
		t.Helper()
		res := w.do(http.MethodPost, "/api/upload/records?name=mine.csv", list, []string{"Content-Type", "text/csv", "X-Holdpoint", "1"})
		if res.status != http.StatusOK {
			t.Fatalf("%d %s", res.status, res.body)
		}
		jobs := w.app.Jobs()
		id := jobs[len(jobs)-1].ID
		if err := w.app.WaitJob(id, func(app.Job) {}); err != nil { // it answers when all is read, and the report follows
			t.Fatal(err)
		}
		type job struct {
			ID     string
			Result record.Report
		}
		var list []job
		if err := json.Unmarshal(get[json.RawMessage](w, "/api/jobs"), &list); err != nil {
			t.Fatal(err)
		}
		return list[slices.IndexFunc(list, func(j job) bool { return j.ID == id })].Result
	}
	first := read()
	if first.Total.Read != 0 || len(first.Tables) != 1 || first.Tables[0].File != "mine.csv" || first.Tables[0].Mapping.Kind != "" || len(first.Tables[0].Mapping.Fields) == 0 {
		t.Fatalf("%+v", first)
	}
	source := first.Tables[0].Mapping.Source
	choice := map[string]any{"source": source, "kind": "wells", "columns": map[string]string{"number": "api", "place": "county", "how long": "total_depth_ft"}}
	refused(w, http.StatusBadRequest, "choose_columns", map[string]any{"source": source, "columns": map[string]string{"number": "nonsense"}})
	refused(w, http.StatusBadRequest, "choose_columns", map[string]any{"source": "elsewhere", "kind": "wells"})
	if m := done[record.Mapping](w, "choose_columns", choice); m.Kind != "wells" || m.Columns[0].Field != "api" || !m.Chosen {
		t.Errorf("%+v", m)
	}
	if again := read(); again.Total.Created != 1 || again.Tables[0].Mapping.Kind != "wells" {
		t.Errorf("%+v", again)
	}
	// and back to what the names of the columns say
	if m := done[record.Mapping](w, "choose_columns", map[string]any{"source": source}); m.Kind != "" || m.Chosen {
		t.Errorf("%+v", m)
	}
}

// "The facts that I am to confirm were nowhere on the screen."
func TestSettings_FactsAreConfirmedOnTheScreen(t *testing.T) {
	w := open(t)
	find := func() app.FactView {
		t.Helper()
		for _, f := range get[struct{ Facts []app.FactView }](w, "/api/facts").Facts {
			if f.ID == "rule37_protest_days" {
				return f
			}
		}
		t.Fatal("the fact is not there")
		return app.FactView{}
	}
	if f := find(); !f.Confirm || f.Confirmed != nil || f.Source == "" {
		t.Errorf("%+v", f)
	}
	refused(w, http.StatusBadRequest, "set_setting", map[string]any{"key": "fact.filing.rule37_protest_days", "value": "many"})
	done[struct{}](w, "set_setting", map[string]any{"key": "fact.filing.rule37_protest_days", "value": "15"})
	if f := find(); f.Confirmed == nil || f.Confirmed.Value != "15" || f.Confirmed.By == "" {
		t.Errorf("%+v", f)
	}
	done[struct{}](w, "set_setting", map[string]any{"key": "fact.filing.rule37_protest_days", "value": ""})
	if f := find(); f.Confirmed != nil {
		t.Errorf("%+v", f)
	}
}
