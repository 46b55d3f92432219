package navigator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/call"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/record/appointed"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// tools are the agent's registry: adding a tool is adding an entry.
func tools() []tool.Tool {
	return []tool.Tool{
		{Name: "find_providers", Title: "Providers that may fit", Description: "Find providers that fit a need. Returns providers with id, name, specialties and score.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":300,"description":"the need in a few words"}},"required":["query"],"additionalProperties":false}`),
			Read:       findProviders},
		{Name: "provider_availability", Title: "Open times of a provider", Description: "List a provider's next open slots. Returns slots with start and end.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"provider":{"type":"string","minLength":1,"maxLength":64,"description":"provider id"},"days":{"type":"integer","minimum":1,"maximum":60,"description":"how many days to look ahead, 14 when left out"}},"required":["provider"],"additionalProperties":false}`),
			Read:       providerAvailability},
		{Name: "patient_summary", Title: "The patient’s record", Description: "Read the patient's conditions, medications, allergies, recent encounters and upcoming appointments.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"patient":{"type":"string","maxLength":64,"description":"patient id; the session's patient when left out"}},"additionalProperties":false}`),
			Subject:    "patient",
			Read:       patientSummary},
		{Name: "search_notes", Title: "Search of the notes", Description: "Search the patient's clinical notes for words and for what is meant. Returns excerpts.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":200},"patient":{"type":"string","maxLength":64}},"required":["query"],"additionalProperties":false}`),
			Subject:    "patient",
			Read:       searchNotes},
		{Name: "book_appointment", Title: "Booking of a visit", Description: "Propose a visit for the patient with a provider at an open slot's start. A person approves it first.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"provider":{"type":"string","minLength":1,"maxLength":64,"description":"provider id"},"start":{"type":"string","format":"date-time","description":"start of an open slot"},"reason":{"type":"string","maxLength":300},"patient":{"type":"string","maxLength":64}},"required":["provider","start"],"additionalProperties":false}`),
			GoesBy:     []string{"patient_context", "provider_genome", "client_signal", "therapeutic_fit"},
			Subject:    "patient",
			Plan:       planBooking},
		{Name: "cancel_appointment", Title: "Cancellation of a visit", Description: "Propose to cancel an appointment. A person approves it first.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"appointment":{"type":"string","minLength":1,"maxLength":64,"description":"appointment id"},"reason":{"type":"string","maxLength":300}},"required":["appointment"],"additionalProperties":false}`),
			GoesBy:     []string{"patient_context"},
			Plan:       planCancel},
		{Name: "add_care_note", Title: "Care note", Description: "Propose a care note for the patient's record. A person approves it first.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":4000},"patient":{"type":"string","maxLength":64}},"required":["text"],"additionalProperties":false}`),
			GoesBy:     []string{"patient_context"},
			Subject:    "patient",
			Plan:       planNote},
	}
}

// onePatient refuses what is about another patient than the session is.
const onePatient = "this session is about one patient only: for another, start a new session and choose that patient there"

// args are the arguments of all tools; each uses its own.
type args struct {
	Query       string `json:"query,omitempty"`
	Provider    string `json:"provider,omitempty"`
	Patient     string `json:"patient,omitempty"`
	Appointment string `json:"appointment,omitempty"`
	Days        int    `json:"days,omitempty"`
	Start       string `json:"start,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Text        string `json:"text,omitempty"`
}

func parse(raw json.RawMessage, env tool.Env) (args, error) {
	var a args
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, fmt.Errorf("%w: %w", tool.ErrArguments, err)
	}
	a.Patient = strings.TrimPrefix(a.Patient, "Patient/")
	a.Provider = strings.TrimPrefix(a.Provider, "Practitioner/")
	a.Appointment = strings.TrimPrefix(a.Appointment, "Appointment/")
	own := patientOf(env.Subject)
	if a.Patient == "" {
		a.Patient = own
	}
	// A session about one patient never reaches into another's record.
	if own != "" && a.Patient != own {
		return a, &tool.Refusal{Reason: onePatient}
	}
	return a, nil
}

const patientType = "Patient"

// patientOf is the patient that a run is about; "" for one about nobody, or about
// something else.
func patientOf(subject record.Ref) string {
	if subject.Type == patientType {
		return subject.ID
	}
	return ""
}

func (a args) needPatient() error {
	if a.Patient == "" {
		return &tool.Refusal{Reason: "no patient is selected; choose one first"}
	}
	return nil
}

// refusal turns what the records say no to into a business refusal.
func refusal(err error) error {
	var no *record.Refusal
	if errors.As(err, &no) {
		reason := no.Reason
		if len(no.Alternatives) > 0 {
			var next []string
			for _, s := range no.Alternatives[:min(3, len(no.Alternatives))] {
				next = append(next, record.Moment(s.Start))
			}
			return &tool.Refusal{Reason: fmt.Sprintf("%s; open instead: %s", reason, strings.Join(next, ", "))}
		}
		return &tool.Refusal{Reason: reason}
	}
	if errors.Is(err, record.ErrNotFound) {
		return &tool.Refusal{Reason: strings.TrimPrefix(err.Error(), "record: ")}
	}
	return err
}

func findProviders(ctx context.Context, env tool.Env, raw json.RawMessage) (json.RawMessage, error) {
	a, err := parse(raw, env)
	if err != nil {
		return nil, err
	}
	t, err := call.TaskOf(ctx)
	if err != nil {
		return nil, err
	}
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return nil, err
	}
	providers, _, err := providersOf(t)
	if err != nil {
		return nil, err
	}
	n := need{now: a.Query, all: a.Query} // a name behind a title is a need here, and no form of address
	if a.Patient != "" {
		who, _, err := patientIn(t, a.Patient)
		if err != nil {
			return nil, err
		}
		n.languages, n.places = who.Languages, who.Places
	}
	fit := rank(ctx, d, n, providers)
	answer := map[string]any{"method": fit.Method, "providers": fit.Ranked}
	if fit.Model != "" {
		answer["model"] = fit.Model
	}
	if fit.Note != "" {
		answer["note"] = fit.Note
	}
	if len(fit.Ranked) == 0 {
		answer["note"] = fmt.Sprintf("none of the %d providers in the records fits this need; specialties lists what there is", fit.Considered)
		there := specialtiesOf(providers)
		answer["specialties"] = there[:min(len(there), namedSpecialties)]
		if more := len(there) - namedSpecialties; more > 0 {
			answer["more_specialties"] = more
		}
	}
	if len(fit.Coordinators) > 0 {
		answer["coordinators"] = fit.Coordinators
	}
	return model.JSON(answer), ctx.Err()
}

const defaultDays, mostDays, maxSlots = 14, 60, 12

func providerAvailability(ctx context.Context, env tool.Env, raw json.RawMessage) (json.RawMessage, error) {
	a, err := parse(raw, env)
	if err != nil {
		return nil, err
	}
	t, err := call.TaskOf(ctx)
	if err != nil {
		return nil, err
	}
	times := appointed.In(ChannelMessage.Get(t.State), t.Run.StartedAt.In(env.Now.Location()))
	if a.Days == 0 {
		a.Days = defaultDays
		if last := times.Until(); !last.IsZero() {
			a.Days = min(max(a.Days, int(last.Sub(env.Now).Hours()/24)+2), mostDays)
		}
	}
	var out json.RawMessage
	err = recordRows.View(t, func(tx record.Tx) error {
		slots, assumed, err := record.Availability(tx, a.Provider, env.Now, env.Now.AddDate(0, 0, a.Days))
		if err != nil {
			return refusal(err)
		}
		// What the person asked for comes first: models take what does, and only so many are told.
		slices.SortStableFunc(slots, func(x, y record.OpenSlot) int {
			return cmp.Compare(len(times.Misses(x.Start.In(env.Now.Location()))), len(times.Misses(y.Start.In(env.Now.Location()))))
		})
		list := make([]map[string]string, 0, maxSlots)
		for _, s := range slots[:min(len(slots), maxSlots)] {
			list = append(list, map[string]string{"start": s.Start.In(env.Now.Location()).Format(time.RFC3339), "end": s.End.In(env.Now.Location()).Format(time.RFC3339)})
		}
		answer := map[string]any{"provider": a.Provider, "slots": list, "more": max(0, len(slots)-maxSlots), "zone": env.Now.Location().String()}
		if assumed {
			answer["note"] = "no published schedule; usual weekday hours are assumed"
		}
		out = model.JSON(answer)
		return nil
	})
	return out, err
}

func patientSummary(ctx context.Context, env tool.Env, raw json.RawMessage) (json.RawMessage, error) {
	return readPatient(ctx, env, raw, func(tx record.Tx, a args) (any, error) {
		s, err := record.PatientSummary(tx, a.Patient, env.Now)
		for i := range s.Upcoming {
			s.Upcoming[i].Start = s.Upcoming[i].Start.In(env.Now.Location())
		}
		return struct {
			record.Summary
			Zone string `json:"zone"`
		}{s, env.Now.Location().String()}, err
	})
}

func readPatient(ctx context.Context, env tool.Env, raw json.RawMessage, read func(record.Tx, args) (any, error)) (json.RawMessage, error) {
	a, err := parse(raw, env)
	if err == nil {
		err = a.needPatient()
	}
	if err != nil {
		return nil, err
	}
	t, err := call.TaskOf(ctx)
	if err != nil {
		return nil, err
	}
	var out json.RawMessage
	err = recordRows.View(t, func(tx record.Tx) error {
		v, err := read(tx, a)
		if err != nil {
			return refusal(err)
		}
		out = model.JSON(v)
		return nil
	})
	return out, err
}
