package record

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"
)

//go:embed sample.yaml
var sampleYAML []byte

type dated struct {
	Text        string
	Title       string
	Since       string
	On          string
	Criticality string
}

type clinic struct {
	Organization struct{ ID, Name, City string }
	Providers    []struct {
		ID, Given, Family, Prefix, About   string
		Specialties, Modalities, Languages []string
	}
	Patients []struct {
		ID, Given, Family, Gender, Born                       string
		Conditions, Medications, Allergies, Encounters, Notes []dated
	}
}

// sampleWeeks is how far ahead the sample's open slots reach.
const sampleWeeks = 4

type fields = map[string]any

// ImportSample loads the built-in sample clinic. Its open slots lie in the four
// weeks after now, in now's time zone; their ids come from provider and time, so
// that loading it again later only adds: what is there stays as it is, a booked
// slot booked.
func ImportSample(ctx context.Context, store Store, now time.Time, o ImportOptions) (Report, error) {
	var c clinic
	if err := yaml.Unmarshal(sampleYAML, &c); err != nil {
		return Report{}, fmt.Errorf("record: sample: %w", err)
	}
	if o.Now == nil {
		o.Now = func() time.Time { return now }
	}
	i := newImport(store, o)
	i.addOnly = true
	i.at.File = "sample clinic"
	for n, resource := range c.resources(now) {
		raw, err := json.Marshal(resource)
		if err != nil {
			return i.done(), fmt.Errorf("record: sample: %w", err)
		}
		if err := i.add(ctx, n+1, raw); err != nil {
			return i.done(), err
		}
	}
	err := i.flush(ctx)
	return i.done(), err
}

func (c clinic) resources(now time.Time) []fields {
	place := fields{"reference": "Organization/" + c.Organization.ID, "display": c.Organization.Name}
	out := []fields{
		{"resourceType": "Organization", "id": c.Organization.ID, "name": c.Organization.Name, "active": true},
		{"resourceType": "Location", "id": c.Organization.ID, "name": c.Organization.Name, "status": "active",
			"address": fields{"city": c.Organization.City}, "managingOrganization": place},
	}
	for k, p := range c.Providers {
		name := fields{"family": p.Family, "given": []string{p.Given}}
		if p.Prefix != "" {
			name["prefix"] = []string{p.Prefix}
		}
		who := fields{"reference": "Practitioner/" + p.ID, "display": p.Given + " " + p.Family}
		out = append(out,
			fields{"resourceType": "Practitioner", "id": p.ID, "active": true, "name": []any{name}, "communication": texts(p.Languages),
				"extension": []any{fields{"url": aboutURL, "valueString": p.About}}},
			fields{"resourceType": "PractitionerRole", "id": p.ID + "-role", "active": true, "practitioner": who, "organization": place,
				"location": []any{fields{"reference": "Location/" + c.Organization.ID, "display": c.Organization.Name}}, "specialty": texts(p.Specialties), "code": texts(p.Modalities)},
			fields{"resourceType": "Schedule", "id": p.ID + "-schedule", "active": true, "actor": []any{who}})
		out = append(out, slots(p.ID, k, now)...)
	}
	for _, p := range c.Patients {
		subject := fields{"reference": "Patient/" + p.ID, "display": p.Given + " " + p.Family}
		out = append(out, fields{"resourceType": "Patient", "id": p.ID, "active": true, "gender": p.Gender, "birthDate": p.Born,
			"name": []any{fields{"use": "official", "family": p.Family, "given": []string{p.Given}}}})
		active := fields{"coding": []any{fields{"system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "active"}}}
		for n, x := range p.Conditions {
			out = append(out, fields{"resourceType": "Condition", "id": fmt.Sprintf("%s-cond-%d", p.ID, n+1), "subject": subject,
				"clinicalStatus": active, "code": fields{"text": x.Text}, "onsetDateTime": x.Since})
		}
		for n, x := range p.Medications {
			out = append(out, fields{"resourceType": "MedicationRequest", "id": fmt.Sprintf("%s-med-%d", p.ID, n+1), "subject": subject,
				"status": "active", "intent": "order", "medicationCodeableConcept": fields{"text": x.Text}, "authoredOn": x.Since})
		}
		for n, x := range p.Allergies {
			out = append(out, fields{"resourceType": "AllergyIntolerance", "id": fmt.Sprintf("%s-allergy-%d", p.ID, n+1), "patient": subject,
				"clinicalStatus": fields{"coding": []any{fields{"system": "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical", "code": "active"}}},
				"code":           fields{"text": x.Text}, "criticality": x.Criticality})
		}
		for n, x := range p.Encounters {
			out = append(out, fields{"resourceType": "Encounter", "id": fmt.Sprintf("%s-enc-%d", p.ID, n+1), "subject": subject, "status": "finished",
				"class": fields{"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB"}, "type": []any{fields{"text": x.Text}},
				"period": fields{"start": x.On, "end": x.On}})
		}
		for n, x := range p.Notes {
			out = append(out, fields{"resourceType": "DocumentReference", "id": fmt.Sprintf("%s-note-%d", p.ID, n+1), "subject": subject, "status": "current",
				"description": x.Title, "date": x.On + "T12:00:00Z",
				"content": []any{fields{"attachment": fields{"contentType": "text/plain", "data": []byte(x.Text)}}}})
		}
	}
	return out
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = fields{"text": s}
	}
	return out
}

// slots are a provider's open visits: two on most weekdays, at hours that differ
// from provider to provider.
func slots(provider string, k int, now time.Time) []fields {
	var out []fields
	for d := 1; d <= 7*sampleWeeks; d++ {
		day := now.AddDate(0, 0, d)
		if wd := day.Weekday(); wd == time.Saturday || wd == time.Sunday || (int(wd)+k)%5 == 0 {
			continue
		}
		for _, hour := range []int{9 + (k+day.YearDay())%3, 13 + (k+day.YearDay())%4} {
			at := time.Date(day.Year(), day.Month(), day.Day(), hour, 0, 0, 0, now.Location())
			out = append(out, fields{"resourceType": "Slot", "id": provider + at.Format("-20060102-1504"), "status": "free",
				"schedule": fields{"reference": "Schedule/" + provider + "-schedule"},
				"start":    at.Format(time.RFC3339), "end": at.Add(visitLength).Format(time.RFC3339)})
		}
	}
	return out
}
