package navigator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/tool"
)

func planBooking(tx record.Tx, env tool.Env, raw json.RawMessage) (tool.Plan, error) {
	a, err := parse(raw, env)
	if err == nil {
		err = a.needPatient()
	}
	if err != nil {
		return tool.Plan{}, err
	}
	start, err := time.Parse(time.RFC3339, a.Start)
	if err != nil {
		return tool.Plan{}, &tool.Refusal{Reason: "the start is not a date and time like 2026-01-31T09:00:00Z"}
	}
	v, err := record.PlanBooking(tx, record.Booking{Call: env.Call, Patient: a.Patient, Provider: a.Provider, Start: start, Reason: a.Reason}, env.Now)
	if err != nil {
		return tool.Plan{}, refusal(err)
	}
	// A schedule may be written in any zone; people and models read the clinic's.
	begin, end := v.Slot.Start.In(env.Now.Location()), v.Slot.End.In(env.Now.Location())
	a.Start = begin.Format(time.RFC3339)
	p, err := planned(a, v.Writes, record.Ref{Type: "Patient", ID: a.Patient}, record.Ref{Type: "Practitioner", ID: a.Provider}, tx)
	if err != nil {
		return tool.Plan{}, err
	}
	p.Title = fmt.Sprintf("Book a visit for %s with %s on %s", v.Patient, v.Provider, record.Moment(begin))
	if v.Assumed {
		p.Title = fmt.Sprintf("Book a visit for %s with %s on %s (no published schedule)", v.Patient, v.Provider, record.Moment(begin))
	}
	p.Summary = summary([]string{v.Patient}, withSpecialties(v), begin, end, v.Places, ledger.Fact{Kind: ledger.FactReason, Text: a.Reason})
	p.Result = model.JSON(map[string]any{"status": "booked", "appointment": v.Writes[0].Ref.ID, "provider": v.Provider, "patient": v.Patient,
		"start": a.Start, "end": end.Format(time.RFC3339), "when": record.Moment(begin)})
	return p, nil
}

func planCancel(tx record.Tx, env tool.Env, raw json.RawMessage) (tool.Plan, error) {
	a, err := parse(raw, env)
	if err != nil {
		return tool.Plan{}, err
	}
	c, err := record.PlanCancel(tx, a.Appointment, a.Reason, env.Now)
	if err != nil {
		return tool.Plan{}, refusal(err)
	}
	if own := patientOf(env.Subject); own != "" && (len(c.Patients) != 1 || c.Patients[0] != own) {
		return tool.Plan{}, &tool.Refusal{Reason: "this appointment belongs to another patient"}
	}
	a.Patient = ""
	begin, provider := c.Visit.Start.In(env.Now.Location()), c.Visit.With()
	p, err := planned(a, c.Writes, record.Ref{}, record.Ref{}, tx)
	if err != nil {
		return tool.Plan{}, err
	}
	who := cmp.Or(strings.Join(c.Visit.Names(), ", "), "nobody named")
	p.Title = fmt.Sprintf("Cancel the visit of %s with %s on %s", who, provider, record.Moment(begin))
	if provider == "" {
		p.Title = fmt.Sprintf("Cancel the visit of %s on %s", who, record.Moment(begin))
	}
	p.Summary = summary(c.Visit.Names(), provider, c.Visit.Start, c.Visit.End, c.Places,
		ledger.Fact{Kind: ledger.FactAbout, Text: c.Visit.Reason}, ledger.Fact{Kind: ledger.FactReason, Text: a.Reason})
	p.Result = model.JSON(map[string]any{"status": "cancelled", "appointment": a.Appointment, "provider": provider, "start": begin.Format(time.RFC3339), "when": record.Moment(begin)})
	return p, nil
}

func planNote(tx record.Tx, env tool.Env, raw json.RawMessage) (tool.Plan, error) {
	a, err := parse(raw, env)
	if err == nil {
		err = a.needPatient()
	}
	if err != nil {
		return tool.Plan{}, err
	}
	writes, patient, err := record.PlanNote(tx, env.Call, a.Patient, a.Text, env.Now)
	if err != nil {
		return tool.Plan{}, refusal(err)
	}
	p, err := planned(a, writes, record.Ref{Type: "Patient", ID: a.Patient}, record.Ref{}, tx)
	if err != nil {
		return tool.Plan{}, err
	}
	p.Title = "Add a care note to the record of " + patient.Name
	p.Summary = summary([]string{patient.Name}, "", time.Time{}, time.Time{}, nil)
	p.Result = model.JSON(map[string]any{"status": "written", "note": writes[0].Ref.ID, "patient": patient.Name})
	return p, nil
}

// mostSpecialties are said of a provider; some have a dozen.
const mostSpecialties = 3

// withSpecialties is the provider of a visit and what they are: of two with one name, which.
func withSpecialties(v record.Visit) string {
	return strings.Join(append([]string{v.Provider}, v.Specialties[:min(len(v.Specialties), mostSpecialties)]...), ", ")
}

// summary is what a plan means in words; what is not known is left out.
func summary(people []string, provider string, from, until time.Time, places []string, more ...ledger.Fact) []ledger.Fact {
	facts := append([]ledger.Fact{
		{Kind: ledger.FactPerson, Text: strings.Join(people, ", ")},
		{Kind: ledger.FactProvider, Text: provider},
		{Kind: ledger.FactTime, From: from.UTC(), Until: until.UTC()},
		{Kind: ledger.FactPlace, Text: strings.Join(slices.Compact(slices.Sorted(slices.Values(places))), "; ")},
	}, more...)
	return slices.DeleteFunc(facts, func(f ledger.Fact) bool { return strings.TrimSpace(f.Text) == "" && f.From.IsZero() })
}

// planned puts writes into a plan: complete arguments, what the call depends on at
// the version read, and each record before and after.
func planned(a args, writes []record.Write, one, two record.Ref, tx record.Tx) (tool.Plan, error) {
	p := tool.Plan{Args: model.JSON(a)}
	for _, ref := range []record.Ref{one, two} {
		if ref.ID == "" {
			continue
		}
		r, err := tx.Record(ref)
		if err != nil {
			return tool.Plan{}, err
		}
		p.Targets = append(p.Targets, ledger.Target{Ref: ref, Version: r.Version})
	}
	for _, w := range writes {
		c := ledger.Change{Ref: w.Ref, After: w.After}
		t := ledger.Target{Ref: w.Ref}
		if w.Before != nil {
			c.Before, t.Version = w.Before.Resource, w.Before.Version
		}
		p.Targets, p.Changes = append(p.Targets, t), append(p.Changes, c)
	}
	return p, nil
}
