package online

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// trials are those of ClinicalTrials.gov, by version 2 of its API: JSON, pages by token, some 50
// requests a minute (clinicaltrials.gov/data-api/api).
var trials = Source{
	ID: "clinicaltrials", Title: "ClinicalTrials.gov", Host: "clinicaltrials.gov", Every: 1200 * time.Millisecond,
	path: "/api/v2/", at: "studies",
	first: func(text string, limit int) url.Values {
		return url.Values{"query.term": {text}, "pageSize": {strconv.Itoa(limit)}, "format": {"json"}, "countTotal": {"true"}, "fields": {strings.Join([]string{
			"NCTId", "BriefTitle", "OfficialTitle", "OverallStatus", "StartDate", "StudyFirstPostDate", "BriefSummary", "DetailedDescription", "Condition",
			"StudyType", "Phase", "EnrollmentCount", "InterventionName", "PrimaryOutcomeMeasure", "HasResults"}, "|")}}
	},
}

type dated struct{ Date string }

func readTrials(r Request, u *url.URL, body []byte) (Answer, error) {
	var in struct {
		Studies       []json.RawMessage
		NextPageToken string
		TotalCount    int
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Studies == nil {
		return Answer{}, bad("it is not JSON of ClinicalTrials.gov")
	}
	var f file
	for _, raw := range in.Studies[:min(len(in.Studies), r.Limit)] {
		var s struct {
			HasResults bool
			P          struct {
				Identification struct{ NctID, BriefTitle, OfficialTitle string } `json:"identificationModule"`
				Status         struct {
					OverallStatus                             string
					StartDateStruct, StudyFirstPostDateStruct dated
				} `json:"statusModule"`
				Description struct{ BriefSummary, DetailedDescription string } `json:"descriptionModule"`
				Conditions  struct{ Conditions []string }                      `json:"conditionsModule"`
				Design      struct {
					StudyType      string
					Phases         []string
					EnrollmentInfo struct{ Count int }
				} `json:"designModule"`
				Arms struct {
					Interventions []struct{ Name string }
				} `json:"armsInterventionsModule"`
				Outcomes struct {
					PrimaryOutcomes []struct{ Measure string }
				} `json:"outcomesModule"`
			} `json:"protocolSection"`
		}
		if err := json.Unmarshal(raw, &s); err != nil {
			return Answer{}, bad("one of its studies cannot be read")
		}
		id := s.P.Identification.NctID
		if !strings.HasPrefix(id, "NCT") || len(id) != 11 || strings.Trim(id[3:], "0123456789") != "" {
			return Answer{}, bad("one of its studies has no NCT number")
		}
		r := record{ID: id, Title: s.P.Identification.BriefTitle, Date: s.P.Status.StudyFirstPostDateStruct.Date, URL: "https://clinicaltrials.gov/study/" + id}
		if r.Date == "" {
			r.Date = s.P.Status.StartDateStruct.Date
		}
		r.add("", r.Title)
		r.add("Official title", s.P.Identification.OfficialTitle)
		design := "Status: " + words(s.P.Status.OverallStatus) + ". Type: " + words(s.P.Design.StudyType) + "."
		if len(s.P.Design.Phases) > 0 {
			design += " Phase: " + words(strings.Join(s.P.Design.Phases, ", ")) + "."
		}
		if n := s.P.Design.EnrollmentInfo.Count; n > 0 {
			design += fmt.Sprintf(" Enrolment: %d.", n)
		}
		if s.HasResults {
			design += " Results are posted."
		}
		r.add("Design", design)
		r.add("Conditions", strings.Join(s.P.Conditions.Conditions, "; "))
		var names, measures []string
		for _, x := range s.P.Arms.Interventions {
			names = append(names, x.Name)
		}
		for _, x := range s.P.Outcomes.PrimaryOutcomes {
			measures = append(measures, x.Measure)
		}
		r.add("Interventions", strings.Join(names, "; "))
		r.add("Primary outcomes", strings.Join(measures, "; "))
		r.add("Summary", s.P.Description.BriefSummary)
		r.add("Description", s.P.Description.DetailedDescription)
		if err := f.add(r); err != nil {
			return Answer{}, err
		}
	}
	a := f.answer("clinicaltrials.jsonl")
	// Only the first page counts all.
	a.Total = max(in.TotalCount, a.Records)
	if in.NextPageToken != "" {
		if !token(in.NextPageToken) {
			return Answer{}, bad("what it calls its next page is none")
		}
		values := u.Query()
		values.Set("pageToken", in.NextPageToken)
		next := Request{Text: r.Text, Limit: r.Limit, After: r.ID, Asks: phrase("the next %d records", r.Limit)}
		a.Next = append(a.Next, trials.request(next, trials.at, values))
	}
	return a, nil
}

// words writes NOT_YET_RECRUITING as people do.
func words(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", " ")) }
