package record_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/record"
	"holdpoint/store/storetest"
)

func summary(t *testing.T, db record.Store, id string) record.Summary {
	t.Helper()
	var s record.Summary
	view(t, db, func(tx record.Tx) {
		var err error
		if s, err = record.PatientSummary(tx, id, noon); err != nil {
			t.Fatal(err)
		}
	})
	return s
}

func texts(items []record.Item) []string {
	out := []string{}
	for _, i := range items {
		out = append(out, i.Text)
	}
	return out
}

func TestPatientSummary_HoldsWhatIsTrueNow(t *testing.T) {
	of := `"subject":{"reference":"Patient/pat"}`
	db := clinic(t,
		`{"resourceType":"Condition","id":"c1",`+of+`,"code":{"text":"Insomnia"},"clinicalStatus":{"coding":[{"code":"active"}]},"onsetDateTime":"2025"}`,
		`{"resourceType":"Condition","id":"c2",`+of+`,"code":{"coding":[{"code":"73211009"},{"display":"Diabetes"}]},"clinicalStatus":{"coding":[{"code":"recurrence"}]},"onsetDateTime":"2025-03-01T00:00:00-05:00"}`,
		`{"resourceType":"Condition","id":"c3",`+of+`,"code":{"text":"Insomnia"},"onsetDateTime":"2019-01-01"}`,
		`{"resourceType":"Condition","id":"c4",`+of+`,"code":{"text":"Cough"},"clinicalStatus":{"coding":[{"code":"resolved"}]}}`,
		`{"resourceType":"Condition","id":"c5",`+of+`,"code":{"text":"Gout"},"clinicalStatus":{"coding":[{"code":"active"}]},"verificationStatus":{"coding":[{"code":"entered-in-error"}]}}`,
		`{"resourceType":"Condition","id":"c6",`+of+`,"code":{"text":"Sprain"},"abatementDateTime":"2020"}`,
		`{"resourceType":"Condition","id":"c7",`+of+`,"code":7,"clinicalStatus":"active","onsetDateTime":[]}`,
		`{"resourceType":"Condition","id":"c8","subject":{"reference":"Patient/other"},"code":{"text":"Asthma"}}`,
		`{"resourceType":"MedicationRequest","id":"m1",`+of+`,"status":"active","medicationCodeableConcept":{"text":"Sertraline 50 mg"},"dosageInstruction":[{"text":"in the morning"}]}`,
		`{"resourceType":"MedicationRequest","id":"m2",`+of+`,"status":"stopped","medicationCodeableConcept":{"text":"Ibuprofen"}}`,
		`{"resourceType":"MedicationRequest","id":"m3",`+of+`,"status":"active","doNotPerform":true,"medicationReference":{"display":"Diazepam"}}`,
		`{"resourceType":"MedicationRequest","id":"m4",`+of+`,"status":"active","medicationReference":{"reference":"Medication/x"}}`,
		`{"resourceType":"MedicationRequest","id":"m5",`+of+`,"status":"active","medicationReference":{"reference":"#y"},"contained":[{"resourceType":"Medication","id":"y","code":{"text":"Melatonin"}}]}`,
		`{"resourceType":"Medication","id":"x","code":{"text":"Lithium"}}`,
		`{"resourceType":"AllergyIntolerance","id":"a1","patient":{"reference":"Patient/pat"},"code":{"text":"Penicillin"},"criticality":"high"}`,
		`{"resourceType":"AllergyIntolerance","id":"a2","patient":{"reference":"Patient/pat"},"code":{"text":"Latex"},"verificationStatus":{"coding":[{"code":"refuted"}]}}`,
		`{"resourceType":"Encounter","id":"e1",`+of+`,"status":"finished","type":[{"text":"Visit 1"}],"period":{"start":"2026-01-01T23:00:00-05:00"}}`,
		`{"resourceType":"Encounter","id":"e2",`+of+`,"status":"finished","type":[{"text":"Visit 2"}],"period":{"start":"2026-01-02T01:00:00Z"}}`,
		`{"resourceType":"Appointment","id":"u1","status":"booked","start":"2026-11-30T09:00:00Z","end":"2026-11-30T09:50:00Z","description":"sleep","participant":[{"actor":{"reference":"Patient/pat"}},{"actor":{"reference":"Practitioner/own","display":"Dr Own"}}]}`,
		`{"resourceType":"Appointment","id":"u2","status":"booked","start":"2026-11-20T09:00:00Z","end":"2026-11-20T09:50:00Z","participant":[{"actor":{"reference":"Patient/pat"}}]}`,
		`{"resourceType":"Appointment","id":"u3","status":"cancelled","start":"2026-11-29T09:00:00Z","end":"2026-11-29T09:50:00Z","participant":[{"actor":{"reference":"Patient/pat"}}]}`,
		`{"resourceType":"Appointment","id":"u4","status":"proposed","participant":[{"actor":{"reference":"Patient/pat"}}]}`,
	)
	s := summary(t, db, "pat")
	if !reflect.DeepEqual(s.Patient, record.Patient{ID: "pat", Name: "Ada Birch", BirthDate: "1990-11-24", Age: 35}) {
		t.Errorf("%+v", s.Patient)
	}
	for _, c := range []struct {
		name string
		got  []record.Item
		want []string
	}{
		{"conditions", s.Conditions, []string{"Diabetes", "Insomnia", "(not named in the record)"}},
		{"medications", s.Medications, []string{"Sertraline 50 mg; in the morning", "Lithium", "Melatonin"}},
		{"allergies", s.Allergies, []string{"Penicillin"}},
		{"encounters, by the moment and not its spelling", s.Encounters, []string{"Visit 1", "Visit 2"}},
	} {
		if !slices.Equal(texts(c.got), c.want) {
			t.Errorf("%s: %v", c.name, texts(c.got))
		}
	}
	if len(s.Upcoming) != 1 || s.Upcoming[0].ID != "u1" || s.Upcoming[0].Provider != "Dr Own" || s.Upcoming[0].Reason != "sleep" {
		t.Errorf("%+v", s.Upcoming)
	}
	if s.Counts["Condition"] != 7 || s.Counts["Appointment"] != 4 {
		t.Errorf("%v", s.Counts)
	}
	view(t, db, func(tx record.Tx) {
		if _, err := record.PatientSummary(tx, "nobody", noon); !errors.Is(err, record.ErrNotFound) {
			t.Error(err)
		}
	})
}

// "The visit of Monday had a reference and no name, and nobody was told with whom it is."
func TestPatientSummary_AVisitNamesWhomItRefersTo(t *testing.T) {
	visit := func(id, actor string) string {
		return `{"resourceType":"Appointment","id":"` + id + `","status":"booked","start":"2026-11-30T09:00:00Z","end":"2026-11-30T09:50:00Z","participant":[{"actor":{"reference":"Patient/pat"}},{"actor":{"reference":"` + actor + `"}}]}`
	}
	db := clinic(t, `{"resourceType":"Practitioner","id":"q1","name":[{"family":"Larch","given":["Mona"]}]}`, `{"resourceType":"PractitionerRole","id":"r1","practitioner":{"reference":"Practitioner/q1"}}`,
		visit("v1", "Practitioner/q1"), visit("v2", "PractitionerRole/r1"), visit("v3", "Practitioner/gone"))
	s := summary(t, db, "pat")
	got := map[string]string{}
	for _, u := range s.Upcoming {
		got[u.ID] = u.Provider
	}
	if want := map[string]string{"v1": "Mona Larch", "v2": "Mona Larch", "v3": ""}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !slices.ContainsFunc(s.Versions, func(v record.Seen) bool { return v.Ref == record.Ref{Type: "Practitioner", ID: "q1"} }) {
		t.Errorf("a new name would not be seen: %v", s.Versions)
	}
	view(t, db, func(tx record.Tx) {
		c, err := record.PlanCancel(tx, "v2", "", noon)
		if err != nil || c.Visit.With() != "Mona Larch" {
			t.Errorf("the cancellation is of a visit with %q (%v)", c.Visit.With(), err)
		}
	})
}

func TestNavigator_N31_ASummaryNamesTheVersionsItRead(t *testing.T) {
	db := clinic(t, `{"resourceType":"Condition","id":"c1","subject":{"reference":"Patient/pat"},"code":{"text":"Insomnia"}}`)
	first := summary(t, db, "pat").Versions
	for _, ref := range []record.Ref{{Type: "Patient", ID: "pat"}, {Type: "Condition", ID: "c1"}} {
		if want := (record.Seen{Ref: ref, Version: stored(t, db, ref.Type, ref.ID).Version}); !slices.Contains(first, want) {
			t.Errorf("%v is not among %v", want, first)
		}
	}
	if !slices.Equal(first, summary(t, db, "pat").Versions) {
		t.Error("a second look differs")
	}
	imported(t, db, "x.ndjson", `{"resourceType":"Condition","id":"c1","subject":{"reference":"Patient/pat"},"code":{"text":"Insomnia, severe"}}`)
	if slices.Equal(first, summary(t, db, "pat").Versions) {
		t.Error("a changed record gives the same versions")
	}
}

func TestPatientSummary_SaysWhatDidNotFit(t *testing.T) {
	var lines []string
	for n := range 45 {
		lines = append(lines, fmt.Sprintf(`{"resourceType":"AllergyIntolerance","id":"a%d","patient":{"reference":"Patient/pat"},"code":{"text":"Allergy %d"}}`, n, n))
	}
	s := summary(t, clinic(t, lines...), "pat")
	if len(s.Allergies) != 40 || s.Omitted["allergies"] != 5 {
		t.Errorf("%d, omitted %v", len(s.Allergies), s.Omitted)
	}
}

func TestAgeAt_CountsWholeYears(t *testing.T) {
	for _, c := range []struct {
		born string
		want int
	}{{"1990-11-23", 36}, {"1990-11-24", 35}, {"1990-12", 0}, {"2030-01-01", 0}, {"", 0}} {
		if got := record.AgeAt(c.born, noon); got != c.want {
			t.Errorf("born %q: %d", c.born, got)
		}
	}
}

// "She died at 56, the banner said. Nobody knows when she died."
func TestPatientOf_SaysNoAgeOfAPersonWhoDiedOnAnUnknownDay(t *testing.T) {
	for _, c := range []struct {
		died string
		want int
	}{
		{`"deceasedDateTime":"2020-06-01"`, 50}, {`"deceasedDateTime":"2020-02-01T10:00:00+13:00"`, 49},
		{`"deceasedBoolean":true`, 0}, {`"deceasedDateTime":"2020"`, 0}, {`"deceasedDateTime":"2020-06"`, 0}, {`"deceasedDateTime":"in spring"`, 0},
		{`"deceasedBoolean":false`, 56},
	} {
		p := summary(t, clinic(t, `{"resourceType":"Patient","id":"gone","name":[{"text":"Ida Fir"}],"birthDate":"1970-03-01",`+c.died+`}`), "gone").Patient
		if p.Age != c.want || p.Deceased == (c.want == 56) {
			t.Errorf("%s: age %d, deceased %v", c.died, p.Age, p.Deceased)
		}
	}
}

func document(id, typ, text string) string {
	return fmt.Sprintf(`{"resourceType":"DocumentReference","id":%q,"status":"current","description":"Note %s","subject":{"reference":"Patient/pat"},"content":[{"attachment":{"contentType":%q,"data":%q}}]}`,
		id, id, typ, base64.StdEncoding.EncodeToString([]byte(text)))
}

func TestNoteOf_ReadsTheTextOfADocument(t *testing.T) {
	for _, c := range []struct{ name, resource, want string }{
		{"plain text", document("n", "text/plain; charset=utf-8", "Ä\nb"), "Ä\nb"},
		{"Latin-1", document("n", "text/plain", "\xc4b"), "Äb"},
		{"HTML without its markup", document("n", "text/html", "<title>x</title><p>a &lt; <b>b</b>old</p><script>evil()</script><style>p{}</style><td>c</td>d"), "a < bold\nc d"},
		{"another kind", document("n", "application/pdf", "%PDF"), ""},
		{"damaged data", strings.Replace(document("n", "text/plain", "abcd"), "YWJj", "Y*Jj", 1), ""},
		{"plain text before HTML", strings.Replace(document("n", "text/plain", "plain"), `"content":[`, `"content":[{"attachment":{"contentType":"text/html","data":"PHA+aHRtbDwvcD4="}},`, 1), "plain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := record.NoteOf(record.Record{Resource: []byte(c.resource)})
			if err != nil || n.Text != c.want || n.Title != "Note n" {
				t.Errorf("%+v %v", n, err)
			}
		})
	}
}

func TestSearchNotes_FindsByWordsAndShowsWhere(t *testing.T) {
	long := strings.Repeat("The weather was discussed at length. ", 30)
	db := clinic(t,
		document("long", "text/plain", long+"Ünruhiger sleep, and worry about work. "+long),
		document("short", "text/plain", "Sleeping badly. Worry at night."),
		document("none", "text/plain", "A walk in the park."),
		strings.Replace(document("wrong", "text/plain", "sleep worry"), `"current"`, `"entered-in-error"`, 1))
	find := func(query string, limit int) []record.Hit {
		var hits []record.Hit
		view(t, db, func(tx record.Tx) {
			var err error
			if hits, err = record.SearchNotes(tx, "pat", query, limit); err != nil {
				t.Fatal(err)
			}
		})
		return hits
	}
	hits := find("SLEEP worry", 5)
	if len(hits) != 2 || hits[0].ID != "short" || hits[1].ID != "long" || hits[0].Score <= hits[1].Score {
		t.Fatalf("%+v", hits)
	}
	if !strings.Contains(hits[1].Excerpt, "sleep, and worry") || len(hits[1].Excerpt) > 245 {
		t.Errorf("%q", hits[1].Excerpt)
	}
	n, err := record.NoteOf(stored(t, db, "DocumentReference", "long"))
	if err != nil || n.Text[hits[1].Start:hits[1].End] != hits[1].Excerpt {
		t.Errorf("offsets %d to %d, %v", hits[1].Start, hits[1].End, err)
	}
	if got := find("ünruhiger", 5); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	if got := find("note short", 1); len(got) != 1 || got[0].ID != "short" {
		t.Errorf("by title: %+v", got)
	}
	for _, query := range []string{"", "...", "zebra", "leep"} {
		if got := find(query, 5); got == nil || len(got) != 0 {
			t.Errorf("%q: %+v", query, got)
		}
	}
	if got := find("sleep", -1); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestProviders_JoinPractitionersAndRoles(t *testing.T) {
	db := clinic(t,
		`{"resourceType":"PractitionerRole","id":"r2","practitioner":{"identifier":{"system":"urn:npi","value":"77"}},"code":[{"coding":[{"display":"Family therapist"}]}],"organization":{"display":"Clinic"}}`,
		`{"resourceType":"PractitionerRole","id":"r3","practitioner":{"identifier":{"system":"urn:other","value":"77"}},"specialty":[{"text":"Not theirs"}]}`,
		`{"resourceType":"PractitionerRole","id":"r4","active":false,"practitioner":{"reference":"Practitioner/own"},"specialty":[{"text":"Former"}]}`,
		`{"resourceType":"PractitionerRole","id":"r5","practitioner":{"reference":"Practitioner/byrole"},"specialty":[{"text":"Sleep medicine"},{"text":"Anxiety"}],"code":[{"text":"Video visits"},{"text":"Anxiety"}]}`,
		`{"resourceType":"Practitioner","id":"odd","name":"x","communication":{"text":"German"},"extension":[{"url":"urn:holdpoint:about","valueString":"Calm."}]}`)
	view(t, db, func(tx record.Tx) {
		list, err := record.Providers(tx)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range list {
			free := "-"
			open, assumed, err := record.Availability(tx, p.ID, noon, noon.AddDate(0, 0, 14))
			if err != nil {
				t.Fatal(err)
			}
			if len(open) > 0 && !assumed {
				free = starts(open)[0]
			}
			got = append(got, fmt.Sprint(p.ID, p.Specialties, p.Modalities, p.Places, p.Languages, p.About, p.Roles, free))
		}
		want := []string{
			"nosched[] [] [] [][]-",
			"own[Family therapist] [] [Clinic] [][r2]24T14:00",
			"byrole[Sleep medicine Anxiety] [Video visits] [] [][r5 role]24T14:30",
			"odd[] [] [] [German]Calm.[]-",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}

func TestSample_IsAWholeClinicAndLoadingItAgainOnlyAdds(t *testing.T) {
	db := storetest.Open(t)
	load := func(now time.Time) record.Report {
		r, err := record.ImportSample(t.Context(), db, now, record.ImportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		whole(t, r)
		if r.Total.Failed > 0 || r.Total.Updated > 0 {
			t.Fatalf("%+v %+v", r.Total, r.Errors)
		}
		return r
	}
	if r := load(noon); r.Total.Unchanged > 0 {
		t.Errorf("%+v", r.Total)
	}
	var slot record.OpenSlot
	specialties := map[string]bool{}
	view(t, db, func(tx record.Tx) {
		list, err := record.Providers(tx)
		if err != nil || len(list) != 12 {
			t.Fatal(len(list), err)
		}
		for _, p := range list {
			if len(p.Specialties) == 0 || p.About == "" || len(p.Languages) == 0 || len(p.Places) == 0 || len(p.Modalities) == 0 || specialties[p.Specialties[0]] {
				t.Errorf("%+v", p)
			}
			specialties[p.Specialties[0]] = true
			open, assumed, err := record.Availability(tx, p.ID, noon, noon.AddDate(0, 0, 29))
			if err != nil || assumed || len(open) < 20 {
				t.Errorf("%s: %d %v %v", p.ID, len(open), assumed, err)
			}
			slot = open[0]
		}
		patients := 0
		err = tx.Records("Patient", "", func(r record.Record) (bool, error) {
			patients++
			s, err := record.PatientSummary(tx, r.ID, noon)
			if err != nil || s.Patient.Age == 0 || len(s.Conditions) == 0 || len(s.Encounters) == 0 || s.Counts["DocumentReference"] == 0 {
				t.Errorf("%+v", s)
			}
			return true, err
		})
		if err != nil || patients != 8 {
			t.Error(patients, err)
		}
	})
	err := db.UpdateRecords(func(tx record.Tx) error {
		who, err := tx.Record(record.Ref{Type: "Slot", ID: slot.ID})
		if err != nil {
			return err
		}
		provider, _, _ := strings.Cut(string(who.Resource[strings.Index(string(who.Resource), "Schedule/")+len("Schedule/"):]), "-schedule")
		_, err = book(tx, record.Booking{Call: "c", Patient: "pat-alder", Provider: provider, Start: slot.Start}, noon)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	before := dump(t, db)
	if r := load(noon); r.Total.Created > 0 || dump(t, db) != before {
		t.Errorf("the same day again: %+v", r.Total)
	}
	if r := load(noon.AddDate(0, 0, 7)); r.Total.Created == 0 || len(r.Types) == 0 {
		t.Errorf("a week later: %+v", r.Total)
	}
	if got := string(stored(t, db, "Slot", slot.ID).Resource); !strings.Contains(got, "busy") {
		t.Errorf("the booked slot: %s", got)
	}
}

func BenchmarkProviders(b *testing.B) {
	for _, n := range []int{12, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var lines strings.Builder
			for k := range n {
				fmt.Fprintf(&lines, `{"resourceType":"Practitioner","id":"p%d","name":[{"family":"F%d","given":["G"]}],"identifier":[{"system":"urn:npi","value":"%d"}]}`+"\n", k, k, k)
				fmt.Fprintf(&lines, `{"resourceType":"PractitionerRole","id":"r%d","practitioner":{"reference":"Practitioner/p%d"},"specialty":[{"text":"S"}],"location":[{"display":"L"}]}`+"\n", k, k)
			}
			db := storetest.Open(b)
			if _, err := record.ImportReader(b.Context(), db, "x.ndjson", strings.NewReader(lines.String()), at(noon)); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				view(b, db, func(tx record.Tx) {
					if list, err := record.Providers(tx); err != nil || len(list) != n {
						b.Fatal(len(list), err)
					}
				})
			}
		})
	}
}

// "The name began with a control character, and the list of records did not show it."
func TestPatientSummary_ANameKeepsTheCharactersThatItBeginsWith(t *testing.T) {
	db := clinic(t, `{"resourceType":"Patient","id":"odd","name":[{"text":" \u0085Amara\u2003"}]}`)
	if got := summary(t, db, "odd").Patient.Name; got != "\u0085Amara\u2003" {
		t.Errorf("the name is %q", got)
	}
}
