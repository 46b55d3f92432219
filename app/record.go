package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/record"
)

// TypeCount says how many records a type has.
type TypeCount struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
}

// RecordTypes lists the types with their counts.
func (a *App) RecordTypes() ([]TypeCount, error) {
	out := []TypeCount{}
	err := a.Store.Shown().ViewRecords(func(tx record.Tx) error {
		counts, err := tx.RecordTypes()
		for typ, n := range counts {
			out = append(out, TypeCount{typ, n})
		}
		return err
	})
	slices.SortFunc(out, func(a, b TypeCount) int { return strings.Compare(a.Type, b.Type) })
	return out, err
}

// RecordRow is a record as lists show it.
type RecordRow struct {
	record.Record
	Title    string      `json:"title"`
	Subtitle string      `json:"subtitle"`
	Patient  *PatientRow `json:"patient,omitempty"`
}

// RecordPage is one page of a list.
type RecordPage struct {
	Records []RecordRow `json:"records"`
	Next    string      `json:"next"` // pass as after for the next page; "" at the end
}

// Records lists a type by id, a page at a time. search filters by title, subtitle and id.
func (a *App) Records(typ, after, search string, limit int) (RecordPage, error) {
	if limit <= 0 || limit > 200 {
		limit = 50
	}
	page := RecordPage{Records: []RecordRow{}}
	search = strings.ToLower(strings.TrimSpace(search))
	err := a.Store.Shown().ViewRecords(func(tx record.Tx) error {
		return tx.Records(typ, after, func(r record.Record) (bool, error) {
			row := a.describe(r)
			if search != "" && !strings.Contains(strings.ToLower(row.Title+" "+row.Subtitle+" "+row.ID), search) {
				return true, nil
			}
			if len(page.Records) == limit {
				page.Next = page.Records[limit-1].ID
				return false, nil
			}
			row.Resource = nil // lists carry no bodies
			page.Records = append(page.Records, row)
			return true, nil
		})
	})
	return page, err
}

// NamedPage are records of all types that a search found by their titles.
type NamedPage struct {
	Records []RecordRow `json:"records"` // without bodies
	// More says that there are or may be more: it looks at so many records and no more.
	More bool `json:"more"`
}

// lookedAtMost bounds the records whose titles one search reads.
const lookedAtMost = 10_000

// Named finds records of any type that have all words of a text in their title, or an id that begins with it: first of
// those types that a session may be about, then of types with few records. Patients, and what
// is about one of them, are found by Patients and in their charts.
func (a *App) Named(text string, limit int) (NamedPage, error) {
	page := NamedPage{Records: []RecordRow{}}
	id := strings.ToLower(strings.TrimSpace(text))
	words := strings.Fields(record.FoldName(text))
	if len(words) == 0 {
		return page, Bad("Nothing was searched for.", "Give a word.")
	}
	subjects := map[string]int{}
	agents, err := a.Agents()
	if err != nil {
		return page, err
	}
	for _, x := range agents {
		for _, typ := range x.Subjects {
			subjects[typ] = 1
		}
	}
	err = a.Store.Shown().ViewRecords(func(tx record.Tx) error {
		counts, err := tx.RecordTypes()
		if err != nil {
			return err
		}
		delete(counts, patientType)
		types := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
			return cmp.Or(subjects[y]-subjects[x], counts[x]-counts[y], strings.Compare(x, y))
		})
		looked := 0
		for _, typ := range types {
			err := tx.Records(typ, "", func(r record.Record) (bool, error) {
				if looked++; looked > lookedAtMost {
					page.More = true
					return false, nil
				}
				row := a.describe(r)
				titled := row.Title != r.ID // what has no title is called by its id
				if !(titled && haveAll(row.Title, words)) && !strings.HasPrefix(strings.ToLower(r.ID), id) || len(record.PatientsOf(r)) > 0 {
					return true, nil
				}
				if len(page.Records) == limit {
					page.More = true
					return false, nil
				}
				row.Resource = nil
				page.Records = append(page.Records, row)
				return true, nil
			})
			if err != nil || page.More {
				return err
			}
		}
		return nil
	})
	return page, err
}

// EachRecord calls fn for every record of a type, bodies included.
func (a *App) EachRecord(typ string, fn func(RecordRow) error) error {
	return a.Store.Shown().ViewRecords(func(tx record.Tx) error {
		return tx.Records(typ, "", func(r record.Record) (bool, error) { return true, fn(a.describe(r)) })
	})
}

// Record reads one record with its body.
func (a *App) Record(typ, id string) (RecordRow, error) {
	var row RecordRow
	err := a.Store.Shown().ViewRecords(func(tx record.Tx) error {
		r, err := tx.Record(record.Ref{Type: typ, ID: id})
		if err != nil {
			return err
		}
		row = a.describe(r)
		if ids := record.PatientsOf(r); len(ids) == 1 && typ != "Patient" {
			if p, err := tx.Record(record.Ref{Type: "Patient", ID: ids[0]}); err == nil {
				if view, err := record.PatientOf(p, a.now()); err == nil {
					row.Patient = &PatientRow{Patient: view}
				}
			}
		}
		return nil
	})
	return row, err
}

// linkedMost bounds what a record's list of those that refer to it shows of one type.
const linkedMost = 50

// LinkedList are the records of one type that refer to another.
type LinkedList struct {
	Type    string      `json:"type"`
	Count   int         `json:"count"`
	Records []RecordRow `json:"records"` // the first ones, by id, without bodies
}

// Linked lists the records that refer to one, by type.
func (a *App) Linked(typ, id string) ([]LinkedList, error) {
	out := []LinkedList{}
	err := a.Store.Shown().ViewRecords(func(tx record.Tx) error {
		to := record.Ref{Type: typ, ID: id}
		if _, err := tx.Record(to); err != nil {
			return err
		}
		types, err := tx.RecordTypes()
		if err != nil {
			return err
		}
		for _, of := range slices.Sorted(maps.Keys(types)) {
			list := LinkedList{Type: of}
			err := tx.RecordsReferring(to, of, func(r record.Record) (bool, error) {
				if r.Ref == to {
					return true, nil // itself
				}
				if list.Count++; len(list.Records) < linkedMost {
					row := a.describe(r)
					row.Resource = nil
					list.Records = append(list.Records, row)
				}
				return true, nil
			})
			if err != nil {
				return err
			}
			if list.Count > 0 {
				out = append(out, list)
			}
		}
		return nil
	})
	return out, err
}

// describe gives a record a title: by the agent that its type belongs to, else from
// the fields that most types have.
func (a *App) describe(r record.Record) RecordRow {
	for _, x := range a.agents.builtIn {
		for _, t := range x.Records {
			if t.Type == r.Type && t.Describe != nil {
				row := RecordRow{Record: r}
				row.Title, row.Subtitle = t.Describe(r, a.now())
				return row
			}
		}
	}
	return describe(r, a.now())
}

// describe gives a record a title from the fields that most types have.
func describe(r record.Record, now time.Time) RecordRow {
	row := RecordRow{Record: r, Title: r.ID}
	var v struct {
		Name            any       `json:"name"`
		Description     string    `json:"description"`
		Status          string    `json:"status"`
		Date            string    `json:"date"`
		Start           string    `json:"start"`
		Authored        string    `json:"authoredOn"`
		Onset           string    `json:"onsetDateTime"`
		Code            concept   `json:"code"`
		Medication      concept   `json:"medicationCodeableConcept"`
		Vaccine         concept   `json:"vaccineCode"`
		Type            any       `json:"type"`
		Specialty       []concept `json:"specialty"`
		Practitioner    struct{ Display string }
		Period          struct{ Start string }
		OccurrenceDate  string `json:"occurrenceDateTime"`
		Patient, Holder struct{ Display string }
	}
	if json.Unmarshal(r.Resource, &v) != nil {
		// Fields of other shapes than expected: the id is title enough.
		return row
	}
	if r.Type == "Appointment" {
		if visit, err := record.AppointmentOf(r); err == nil {
			row.Title, row.Subtitle = visitWords(visit, now.Location())
			row.Title = cmp.Or(row.Title, r.ID)
			return row
		}
	}
	if p, err := record.PatientOf(r, now); err == nil && (r.Type == "Patient" || r.Type == "Practitioner" && p.Name != "") {
		row.Title = cmp.Or(p.Name, r.ID)
		if r.Type == "Patient" {
			var parts []string
			if p.Gender != "" {
				parts = append(parts, p.Gender)
			}
			if p.BirthDate != "" {
				parts = append(parts, "born "+p.BirthDate)
			}
			if p.Deceased {
				parts = append(parts, "deceased")
			}
			row.Subtitle = strings.Join(parts, ", ")
		}
		return row
	}
	name, _ := v.Name.(string)
	row.Title = cmp.Or(name, v.Description, v.Medication.String(), v.Vaccine.String(), v.Code.String(), textOf(v.Type), v.Practitioner.Display, r.ID)
	for _, s := range v.Specialty {
		row.Subtitle = strings.Trim(row.Subtitle+", "+s.String(), ", ")
	}
	row.Subtitle = strings.Trim(strings.Join([]string{row.Subtitle, v.Status, dated(cmp.Or(v.Start, v.Date, v.Authored, v.Onset, v.Period.Start, v.OccurrenceDate), now)}, " · "), " ·")
	return row
}

// visitWords are what a visit is for, and whose it is, with whom and when, in the zone of
// place: what tells one visit from another.
func visitWords(v record.Appointment, place *time.Location) (title, subtitle string) {
	parts := []string{strings.Join(v.Names(), ", ")}
	if v.With() != "" {
		parts = append(parts, "with "+v.With())
	}
	if !v.Start.IsZero() {
		parts = append(parts, record.Moment(v.Start.In(place)))
	}
	parts = append(parts, v.Status)
	return v.Reason, strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// RecordsAbout is Records, of those alone that are about a record, such as a patient. Types
// of which none is, such as providers, are listed whole.
func (a *App) RecordsAbout(about record.Ref, typ, search string, limit int) (RecordPage, error) {
	page := RecordPage{Records: []RecordRow{}}
	search = strings.ToLower(strings.TrimSpace(search))
	some := false
	err := a.Store.Shown().ViewRecords(func(tx record.Tx) error {
		return tx.RecordsAbout(about, typ, func(r record.Record) (bool, error) {
			some = some || r.Ref != about
			row := a.describe(r)
			if strings.Contains(strings.ToLower(row.Title+" "+row.Subtitle+" "+row.ID), search) && len(page.Records) < limit {
				row.Resource = nil
				page.Records = append(page.Records, row)
			}
			return true, nil
		})
	})
	if err == nil && (!some || typ == about.Type) {
		return a.Records(typ, "", search, limit)
	}
	return page, err
}

// concept is a FHIR CodeableConcept, of which only the words matter here.
type concept struct {
	Text   string
	Coding []struct{ Display, Code string }
}

// UnmarshalJSON takes a concept and lets everything else be nothing.
func (t *concept) UnmarshalJSON(raw []byte) error {
	type plain concept
	var p plain
	if json.Unmarshal(raw, &p) == nil {
		*t = concept(p)
	}
	return nil
}

func (t concept) String() string {
	if t.Text != "" || len(t.Coding) == 0 {
		return t.Text
	}
	return cmp.Or(t.Coding[0].Display, t.Coding[0].Code)
}

func textOf(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	m, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	s, _ := m["text"].(string)
	if codings, ok := m["coding"].([]any); s == "" && ok && len(codings) > 0 {
		if c, ok := codings[0].(map[string]any); ok {
			s, _ = c["display"].(string)
		}
	}
	return s
}

// PatientRow is a patient as pickers show it.
type PatientRow struct{ record.Patient }

// Patients lists patients by name; see PatientsPage for what search finds.
func (a *App) Patients(search string) ([]PatientRow, error) {
	return a.patients(a.Store.Shown().ViewRecords, search)
}

func (a *App) patients(view func(func(record.Tx) error) error, search string) ([]PatientRow, error) {
	out := []PatientRow{}
	words := strings.Fields(record.FoldName(search))
	err := view(func(tx record.Tx) error {
		return tx.Records(patientType, "", func(r record.Record) (bool, error) {
			p, err := record.PatientOf(r, a.now())
			if err != nil {
				return false, err
			}
			if haveAll(p.Name+" "+p.ID+" "+p.BirthDate, words) {
				out = append(out, PatientRow{p})
			}
			return true, nil
		})
	})
	slices.SortFunc(out, func(a, b PatientRow) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID)) })
	return out, err
}

// PatientPage is one page of a list of patients.
type PatientPage struct {
	Patients []PatientRow `json:"patients"`
	// Total counts all that were found; Next is passed as after for the next page, "" at the end.
	Total int    `json:"total"`
	Next  string `json:"next"`
}

// PatientsPage lists patients by name, a page at a time. search finds those that have all
// of its words in their name, id or birth date, in any order and without accents.
func (a *App) PatientsPage(search, after string, limit int) (PatientPage, error) {
	all, err := a.Patients(search)
	page := PatientPage{Total: len(all)}
	if at := slices.IndexFunc(all, func(p PatientRow) bool { return p.ID == after }); at >= 0 {
		all = all[at+1:]
	}
	page.Patients = all[:min(len(all), limit)]
	if len(all) > limit {
		page.Next = page.Patients[limit-1].ID
	}
	return page, err
}

// SlotPage is when a provider can be seen.
type SlotPage struct {
	Slots []record.OpenSlot `json:"slots"`
	// Assumed says that no schedule is in the records, and usual hours were taken.
	Assumed bool `json:"assumed"`
	// More counts the slots of these days that are left out.
	More int `json:"more"`
}

const slotDays, mostSlots = 30, 120

// Slots lists a provider's open slots of the next days.
func (a *App) Slots(provider string) (SlotPage, error) {
	page := SlotPage{}
	now := a.now()
	err := a.Store.ViewRecords(func(tx record.Tx) (err error) {
		page.Slots, page.Assumed, err = record.Availability(tx, strings.TrimPrefix(provider, "Practitioner/"), now, now.AddDate(0, 0, slotDays))
		return err
	})
	if over := len(page.Slots) - mostSlots; over > 0 {
		page.Slots, page.More = page.Slots[:mostSlots], over
	}
	return page, err
}

type progress = func(done, total int64, detail string)

func importOptions(a *App, report progress) record.ImportOptions {
	return record.ImportOptions{Now: a.now, Formats: a.agents.formats(), Folder: a.dir, Mapping: a.choice, Progress: func(p record.Progress) { report(int64(p.Read), 0, p.File) }}
}

// ImportNow imports a path, or the sample clinic for the word "sample", and waits.
func (a *App) ImportNow(ctx context.Context, path string, report progress) (record.Report, error) {
	var rep record.Report
	var err error
	if path == "sample" {
		rep, err = record.ImportSample(ctx, a.Store, a.now(), importOptions(a, report))
	} else if _, err = Named(path, true); err != nil {
		return rep, err
	} else {
		rep, err = record.ImportPath(ctx, a.Store, path, importOptions(a, report))
	}
	a.hub.notify(Notice{Kind: NoticeRecords})
	return rep, err
}

func (r *Agents) formats() (out []record.Format) {
	for _, x := range r.builtIn {
		out = append(out, x.Formats...)
	}
	return out
}

// ImportSample loads the sample clinic in the background.
func (a *App) ImportSample() Job {
	return a.jobs.start(a.ctx, "sample", "Sample clinic", "lines", func(ctx context.Context, report func(int64, int64, string)) (any, error) {
		return a.ImportNow(ctx, "sample", report)
	})
}

// ImportRecords imports a path in the background.
func (a *App) ImportRecords(path string) (Job, error) {
	if strings.TrimSpace(path) == "" || path == "sample" {
		return Job{}, Bad("No file was named.", "Choose a folder with .ndjson files, an .ndjson file or a Bundle.")
	}
	return a.jobs.start(a.ctx, "import_records", path, "lines", func(ctx context.Context, report func(int64, int64, string)) (any, error) {
		return a.ImportNow(ctx, path, report)
	}), nil
}

// Upload takes the body of a file from the browser. Records are imported while
// they arrive; the answer comes when all of it was read.
func (a *App) Upload(ctx context.Context, kind, name string, body io.Reader) (Job, error) {
	switch kind {
	case "records":
		done := make(chan struct{})
		j := a.jobs.start(ctx, "import_records", name, "lines", func(ctx context.Context, report func(int64, int64, string)) (any, error) {
			defer close(done)
			rep, err := record.ImportReader(ctx, a.Store, name, body, importOptions(a, report))
			a.hub.notify(Notice{Kind: NoticeRecords})
			return rep, err
		})
		<-done
		return j, nil
	case "library":
		return a.uploadDocument(ctx, name, body), nil
	case "model":
		return a.Models.Upload(ctx, name, body)
	}
	return Job{}, Bad(fmt.Sprintf("There is no upload of %q.", kind), "Upload records, a document or a model.")
}

// UploadFiles imports files of the browser, e.g. those of a folder, as one job with one
// report. next gives the next name and body, io.EOF after the last.
func (a *App) UploadFiles(ctx context.Context, kind, title string, next func() (string, io.Reader, error)) (Job, error) {
	switch kind {
	case "records":
		return a.uploadRecords(ctx, title, next), nil
	case "library":
		return a.uploadFolder(ctx, title, next), nil
	}
	return Job{}, Bad(fmt.Sprintf("There is no upload of several files of %q.", kind), "Upload records or documents.")
}

func (a *App) uploadRecords(ctx context.Context, title string, next func() (string, io.Reader, error)) Job {
	done := make(chan struct{})
	j := a.jobs.start(ctx, "import_records", title, "lines", func(ctx context.Context, report func(int64, int64, string)) (any, error) {
		defer close(done)
		rep, err := record.ImportFiles(ctx, a.Store, next, importOptions(a, report))
		a.hub.notify(Notice{Kind: NoticeRecords})
		return rep, err
	})
	<-done
	return j
}

// Jobs lists long work, oldest first.
func (a *App) Jobs() []Job { return a.jobs.all() }

// CancelJob stops a running job.
func (a *App) CancelJob(id string) error {
	if !a.jobs.cancel(id) {
		return Bad("This job is not running.", "There is nothing to cancel.")
	}
	return nil
}

// WaitJob waits for a job's end and says why it failed.
func (a *App) WaitJob(id string, tell func(Job)) error {
	notices, stop := a.Watch()
	defer stop()
	for {
		i := slices.IndexFunc(a.jobs.all(), func(j Job) bool { return j.ID == id })
		if i < 0 {
			return Bad("There is no such job.", "")
		}
		j := a.jobs.all()[i]
		switch j.Status {
		case "done":
			return nil
		case "running":
			tell(j)
		default:
			if j.fault != nil {
				return j.fault
			}
			return fmt.Errorf("%s: %s", j.Status, cmp.Or(j.Error, j.Title))
		}
		for n := range notices {
			if n.Kind == "job" && n.ID == id {
				break
			}
		}
	}
}

// NewSessionID makes an id for a session that does not exist yet.
func (a *App) NewSessionID() string { return a.newID() }

// DefaultReviewer is who decides when nobody else is named: the setting, else the
// login name.
func (a *App) DefaultReviewer() string {
	if s, err := a.Settings(); err == nil && s.Reviewer != "" {
		return s.Reviewer
	}
	return loginName()
}

// dated is a date of a record as it stands there; a time, in the zone of the clinic.
func dated(s string, now time.Time) string {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return record.When(t.In(now.Location()))
	}
	return s
}
