package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"holdpoint/engine/call"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/record/appointed"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/tool"
	"holdpoint/store"
)

// caution is what a person should know of a request beside its arguments. What they saw of it is
// stored with their verdict.
type caution struct {
	Warnings []string
	Places   []string
}

// Current is a record that a request would change and that is no longer as it was when that
// was asked: what it holds now, null where it is gone.
type Current struct {
	record.Ref
	Resource json.RawMessage `json:"resource"`
}

// toolFor finds the tools of the run that asked for an approval, and the one it is about.
func (a *App) toolFor(ap ledger.Approval) (row run.Run, x *registered, tools *tool.Set, tl tool.Tool, err error) {
	if row, err = a.Store.Run(RunID(ap.Turn)); err != nil {
		return row, x, nil, tl, err
	}
	if x, err = a.runAgent(row); err != nil {
		return row, x, nil, tl, err
	}
	if tools, err = a.toolsOf(x); err != nil {
		return row, x, nil, tl, err
	}
	tl, err = tools.Get(ap.Tool)
	return row, x, tools, tl, err
}

// planner finds the tools of what an approval is about, and what works out what its tool
// would do now with some arguments.
func (a *App) planner(ap ledger.Approval) (tools *tool.Set, plan func(record.Tx, json.RawMessage) (tool.Plan, error), err error) {
	row, x, tools, tl, err := a.toolFor(ap)
	if err != nil {
		return nil, nil, err
	}
	settings, err := a.Settings()
	if err != nil {
		return nil, nil, err
	}
	work := tl.Held().Plan
	if tl.Keep != nil && len(ap.Changes) > 0 {
		work = tl.Keep // what was read waits to be signed
	}
	return tools, func(tx record.Tx, args json.RawMessage) (tool.Plan, error) {
		return work(tx, a.envOf(ap, row, x, settings), args)
	}, nil
}

// envOf is what the call of an approval knows of its run.
func (a *App) envOf(ap ledger.Approval, row run.Run, x *registered, settings Settings) tool.Env {
	return tool.Env{Session: ap.Session, Turn: ap.Turn, Call: ap.Call, Subject: session.SubjectOf(row.Vars), Now: ap.In(a.now()), Facts: settings.Facts[x.ID]}
}

// forbids says why a rule does not let a reviewer put these arguments in the place of those
// that were asked for. Rules of graphs and of skills are asked when the call is to be made.
func (a *App) forbids(ap ledger.Approval, args json.RawMessage, settings Settings) (string, error) {
	row, x, _, tl, err := a.toolFor(ap)
	if err != nil {
		return "", err
	}
	rules, err := a.rules()
	if err != nil {
		return "", err
	}
	if tl.Complete != nil {
		err := a.Store.Read(func(tx store.Tx) error {
			args = tl.Complete(tx, a.envOf(ap, row, x, settings), args)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	out := rules.Judge(rule.Occasion{Event: rule.BeforeToolCall, Agent: x.ID, Input: row.Input, Vars: row.Vars, Practice: row.Practice, Tool: call.ToolOf(tl), Args: args})
	return call.WhyNot(out.Under(settings.Checkpoints), ap, settings.Checkpoints), nil
}

// ofRule says that a rule of a graph holds it, at an event that stands in the tool's place.
func ofRule(ap ledger.Approval) bool { return slices.Contains(rule.Events, rule.Event(ap.Tool)) }

// speaking is what a card says beside a request that waits: what speaks against it, where it would
// be, and the records that are no longer as they were.
func (a *App) speaking(ap ledger.Approval) (warnings, places []string, current []Current, err error) {
	stale, current, err := a.since(ap)
	if err != nil {
		return nil, nil, nil, err
	}
	c, err := a.cautions(ap)
	for _, w := range append(stale, c.Warnings...) {
		if !slices.Contains(warnings, w) { // several requests may want the same in the same words
			warnings = append(warnings, w)
		}
	}
	return warnings, c.Places, current, err
}

// since compares a request with what the records hold now: why it can no longer be carried
// out as it stands, and the records that are others than those it was made on. It is
// planned again, as it will be once it is approved.
func (a *App) since(ap ledger.Approval) (warnings []string, current []Current, err error) {
	_, plan, err := a.planner(ap)
	switch {
	case errors.Is(err, tool.ErrUnknown) && ofRule(ap):
		return nil, nil, nil // a hold point of a rule depends on no record
	case errors.Is(err, tool.ErrUnknown):
		return []string{phrase("The tool %s is not here any more: this cannot be carried out.", ap.Tool)}, nil, nil
	case err != nil:
		return nil, nil, nil //nolint:nilerr // of a turn that is gone nothing is carried out; the verdict says so
	}
	err = a.Store.Read(func(tx store.Tx) error {
		warnings, current = nil, nil
		for _, c := range ap.Changes {
			now, err := tx.Record(c.Ref)
			if err != nil && !errors.Is(err, record.ErrNotFound) {
				return err
			}
			if !sameJSON(c.Before, now.Resource) {
				current = append(current, Current{c.Ref, now.Resource})
			}
		}
		next := ap
		p, err := plan(tx, ap.Args)
		var no *tool.Refusal
		switch {
		case errors.As(err, &no):
			warnings = append(warnings, phrase("It cannot be carried out any more: %s.", strings.TrimSuffix(no.Reason, ".")))
			return nil
		case err != nil:
			warnings = append(warnings, phrase("Whether it can still be carried out could not be found out: the records could not be read."))
			return nil
		}
		for _, t := range ap.Targets {
			now, err := tx.Record(t.Ref)
			if err != nil && !errors.Is(err, record.ErrNotFound) {
				return err
			}
			if now.Version != t.Version {
				name, err := a.nameIn(tx, t.Ref)
				if err != nil {
					return err
				}
				warnings = append(warnings, phrase("The record of %s has changed since this was asked: once approved, it is asked again as it then is.", cmp.Or(name, t.ID)))
			}
		}
		next.Args, next.Targets, next.Changes, next.Title = p.Args, p.Targets, p.Changes, p.Title
		if len(ap.Summary) > 0 {
			next.Summary = p.Summary
		}
		digest, err := ledger.Digest(next)
		if err == nil && digest != ap.Digest && len(warnings) == 0 {
			warnings = append(warnings, phrase("What would be done now is not what was asked: %s. Once approved, it is asked again as it then is.", p.Title))
		}
		return err
	})
	return warnings, current, err
}

// sameJSON says that two resources hold the same; nothing is the same as null.
func sameJSON(x, y json.RawMessage) bool {
	if none(x) || none(y) {
		return none(x) == none(y)
	}
	var a, b any
	return json.Unmarshal(x, &a) == nil && json.Unmarshal(y, &b) == nil && reflect.DeepEqual(a, b)
}

// cautions looks at the records and at what else waits: a visit of the patient on the
// day, the same time or the same record wanted by another request, and the places of
// whom an appointment is with.
func (a *App) cautions(ap ledger.Approval) (c caution, err error) {
	visits := appointmentsOf(ap)
	err = a.Store.Read(func(tx store.Tx) error {
		for _, v := range visits {
			others, err := record.SameDay(tx, v, a.now().Location())
			if err != nil {
				return err
			}
			for _, o := range others {
				at := record.Moment(o.Start.In(a.now().Location()))
				if o.With() != "" {
					c.Warnings = append(c.Warnings, phrase("There is a visit on that day already: %s with %s.", at, o.With()))
				} else {
					c.Warnings = append(c.Warnings, phrase("There is a visit on that day already: %s.", at))
				}
			}
			places, err := v.Places(tx)
			if err != nil {
				return err
			}
			c.Places = append(c.Places, places...)
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	err = a.Store.Shown().Read(func(tx store.Tx) error { // that one of them is damaged keeps nobody from deciding on the others
		return tx.Approvals(ledger.Pending, func(other ledger.Approval) (bool, error) {
			if other.ID == ap.ID || other.At(a.now()) != ledger.Pending {
				return true, nil
			}
			if what := sharedWith(ap, visits, other); what != "" {
				c.Warnings = append(c.Warnings, phrase("Another request that waits wants %s: “%s”.", what, other.Title))
			} else if ap.Tool == other.Tool && forSamePatient(visits, appointmentsOf(other)) {
				c.Warnings = append(c.Warnings, phrase("Another visit of the same patient waits for a verdict already: “%s”.", other.Title))
			}
			return true, nil
		})
	})
	if row, unread := a.Store.Run(RunID(ap.Turn)); err == nil && unread == nil {
		times := appointed.In(row.Input, ap.In(row.StartedAt))
		for _, v := range visits {
			if words := times.Misses(ap.In(v.Start)); len(words) > 0 && !v.Start.IsZero() {
				c.Warnings = append([]string{phrase("The message says “%s”; this visit is on %s.", strings.Join(words, ", "), record.Moment(ap.In(v.Start)))}, c.Warnings...)
			}
		}
	}
	slices.Sort(c.Places)
	c.Places = slices.Compact(c.Places)
	if now := a.now(); err == nil && titleZone(ap, now) != "" {
		c.Warnings = append(c.Warnings, phrase("The sentence says its times in %s time, the clinic's zone when it was asked; the times below are in %s time.",
			titleZone(ap, now), strings.TrimSuffix(record.Zone(now), " time")))
	}
	if err == nil {
		var doubts []string
		doubts, err = a.doubts(ap)
		c.Warnings = append(c.Warnings, doubts...)
	}
	return c, err
}

// doubts say why the agent may be wrong: parts of what the change goes by that failed, lack
// something or are less complete than the settings ask for, and a model that was found to
// be weak.
func (a *App) doubts(ap ledger.Approval) ([]string, error) {
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	names := a.agents.names()
	var goesBy []string
	if _, _, _, tl, err := a.toolFor(ap); err == nil { // of one that is gone everything counts
		goesBy = tl.GoesBy
	}
	var tools []string
	latest := map[string]string{}
	digest := ""
	err = a.eachEvent(ap.Session, func(e journal.Event) bool {
		if e.Turn != ap.Turn {
			return true
		}
		if e.Phase > 0 && goesBy != nil && !slices.Contains(goesBy, e.Tool) {
			return e.Approval != ap.ID // it may lack what it likes
		}
		name := cmp.Or(names[e.Tool], strings.ReplaceAll(e.Tool, "_", " "))
		told := func(doubt string) {
			if !slices.Contains(tools, e.Tool) {
				tools = append(tools, e.Tool)
			}
			latest[e.Tool] = doubt
		}
		switch e.Kind {
		case journal.ToolCompleted:
			d, err := journal.Read[journal.ToolCompletedData](e)
			switch {
			case err != nil || d.Completeness == nil:
			case *d.Completeness < settings.Threshold:
				told(phrase("Low confidence: “%s” is %.0f %% complete%s.", name, 100**d.Completeness, because(e.Reason)))
			case e.Reason != "":
				told(phrase("Low confidence: “%s” lacks something%s.", name, because(e.Reason)))
			default:
				told("")
			}
		case journal.ToolFailed:
			if e.Phase > 0 {
				told(phrase("Low confidence: “%s” could not be read.", name))
			}
		case journal.ModelCalled:
			if d, err := journal.Read[journal.ModelCalledData](e); err == nil && d.Role == string(model.Main) {
				digest = cmp.Or(d.Digest, digest)
			}
		}
		return e.Approval != ap.ID
	})
	var out []string
	for _, t := range tools {
		if latest[t] != "" {
			out = append(out, latest[t])
		}
	}
	if check, ok := a.Models.checkOf(digest); ok && len(check.Failed) > 0 {
		out = append(out, phrase("Low confidence: the model %s had %s.", check.Model, check.Says))
	}
	return out, err
}

func because(reason string) string {
	if reason = strings.TrimSuffix(strings.TrimSpace(reason), "."); reason == "" {
		return ""
	}
	return ": " + reason
}

// sharedWith says what both requests want; "" for nothing.
func sharedWith(ap ledger.Approval, visits []record.Appointment, other ledger.Approval) string {
	for _, v := range visits {
		if slices.ContainsFunc(appointmentsOf(other), v.SameTime) {
			return phrase("the same time")
		}
	}
	for _, c := range ap.Changes {
		if slices.ContainsFunc(other.Changes, func(o ledger.Change) bool { return o.Ref == c.Ref }) {
			if c.Ref.Type == "Slot" {
				return phrase("the same slot")
			}
			return phrase("to change the same record, %s", c.Ref)
		}
	}
	return ""
}

// forSamePatient says that two requests are about visits of one patient.
func forSamePatient(visits, others []record.Appointment) bool {
	return slices.ContainsFunc(visits, func(v record.Appointment) bool {
		return slices.ContainsFunc(others, func(o record.Appointment) bool {
			return slices.ContainsFunc(v.Participants, func(p record.Link) bool {
				return p.Ref.Type == "Patient" && slices.ContainsFunc(o.Participants, func(q record.Link) bool { return q.Ref == p.Ref })
			})
		})
	})
}

// appointmentsOf are the visits that a request would make or change.
func appointmentsOf(ap ledger.Approval) (out []record.Appointment) {
	for _, c := range ap.Changes {
		if c.Ref.Type != "Appointment" || len(c.After) == 0 {
			continue
		}
		if v, err := record.AppointmentOf(record.Record{Ref: c.Ref, Resource: c.After}); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// whyNot is why what was asked is not done, in a sentence: what the call itself was
// answered, so that every place that tells of it says the same.
func (a *App) whyNot(ap ledger.Approval) string {
	answered := ""
	err := a.Store.Read(func(tx store.Tx) error {
		e, err := tx.Entry(ap.Call)
		if err != nil || e.State != ledger.Refused || e.Approval != ap.ID {
			return err
		}
		var no struct{ Reason string }
		_ = json.Unmarshal(e.Result, &no) // what is no object has no reason
		answered = no.Reason
		return nil
	})
	if err == nil && answered != "" && ap.DecidedAt != nil {
		return sentence(answered)
	}
	why := ""
	if err := a.eachEvent(ap.Session, func(e journal.Event) bool {
		if e.Kind == journal.ApprovalRefused && e.Approval == ap.ID {
			why = sentence(cmp.Or(e.Reason, e.Error))
		}
		return why == ""
	}); err == nil && why != "" {
		return why
	}
	row, err := a.Store.Run(RunID(ap.Turn))
	switch {
	case err != nil:
		return phrase("The turn that asked is not here any more.")
	case row.Status == run.Abandoned:
		return phrase("The turn that asked was given up.")
	case row.Status == run.Cancelled:
		return phrase("The turn that asked was stopped.")
	case answered != "":
		return sentence(answered)
	}
	return phrase("The turn that asked went on without it.")
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(s[size:], ".") + "."
}

// fixed are the arguments that name what the turn is about, where its tool takes nothing else there.
func (a *App) fixed(ap ledger.Approval) []string {
	row, _, _, tl, err := a.toolFor(ap)
	var args map[string]any
	if err != nil || tl.Subject == "" || json.Unmarshal(ap.Args, &args) != nil {
		return nil // nothing is known to be
	}
	about := session.SubjectOf(row.Vars)
	if named, _ := args[tl.Subject].(string); named == "" || named != about.ID && named != about.String() {
		return nil
	}
	return []string{tl.Subject}
}

// schemaOf is the JSON Schema of an approval's arguments; nil when its tool is gone.
func (a *App) schemaOf(ap ledger.Approval) json.RawMessage {
	_, _, _, tl, err := a.toolFor(ap)
	if err != nil {
		return nil
	}
	return tl.Parameters
}

// ChartLine is a line of a chart: the record that it opens, in words.
type ChartLine struct {
	record.Ref
	Text   string `json:"text"`
	Detail string `json:"detail,omitempty"`
	// Date is as in the record, or an instant; "" where there is none.
	Date string `json:"date,omitempty"`
	// Past says that it no longer holds: resolved, stopped, over.
	Past bool `json:"past,omitempty"`
	// Untrue says that it never held, in the record's own word: refuted or entered-in-error.
	Untrue string `json:"untrue,omitempty"`
	// None says that it states that there is none, as of allergies.
	None bool `json:"none,omitempty"`

	allergy record.AllergyIntolerance
}

// Chart is a patient's one page, newest first.
type Chart struct {
	Patient   record.Patient `json:"patient"`
	Allergies []ChartLine    `json:"allergies"`
	Problems  []ChartLine    `json:"problems"`
	Medicines []ChartLine    `json:"medicines"`
	Visits    []ChartLine    `json:"visits"`
	Notes     []ChartLine    `json:"notes"`
	// Omitted counts the older lines that are left out, by list.
	Omitted map[string]int `json:"omitted,omitempty"`
}

// PatientBrief is a chart's short form: who it is, and what must not be overlooked.
type PatientBrief struct {
	record.Patient
	// Allergies are those that hold, the worst first.
	Allergies []string `json:"allergies"`
	// Severe counts those at the start that may endanger life.
	Severe int `json:"severe,omitempty"`
	// NoAllergies is what the record says where it states that none is known; "" where it has
	// an allergy, or says nothing.
	NoAllergies string `json:"no_allergies,omitempty"`
}

// chartLines bounds each list of a chart.
const chartLines = 200

// Brief reads who a patient is, and the allergies that hold.
func (a *App) Brief(id string) (b PatientBrief, err error) {
	b.Allergies = []string{}
	err = a.Store.ViewRecords(func(tx record.Tx) error {
		r, err := tx.Record(record.Ref{Type: patientType, ID: id})
		if err != nil {
			return err
		}
		if b.Patient, err = record.PatientOf(r, a.now()); err != nil {
			return err
		}
		var all []record.AllergyIntolerance
		err = tx.RecordsAbout(r.Ref, "AllergyIntolerance", func(r record.Record) (bool, error) {
			x, err := record.AllergyIntoleranceOf(r)
			if err != nil || !x.Active {
				return true, err
			}
			if x.Text == "" { // one that nobody named is one all the same
				x.Text = strings.TrimSuffix(nameless+": "+strings.Join(x.Reactions, ", "), ": ")
			}
			all = append(all, x)
			return true, nil
		})
		var none []string
		for _, x := range record.Worst(all) {
			switch {
			case x.None && !slices.Contains(none, x.Text):
				none = append(none, x.Text)
			case !x.None && !slices.Contains(b.Allergies, x.Text):
				b.Allergies = append(b.Allergies, x.Text)
				if x.Severe {
					b.Severe++
				}
			}
		}
		b.NoAllergies = strings.Join(none, ", ") // Worst leaves these out where there is an allergy
		return err
	})
	return b, err
}

// Chart reads a patient's problems, medicines, allergies, visits and notes.
func (a *App) Chart(id string) (Chart, error) {
	c := Chart{Omitted: map[string]int{}}
	err := a.Store.ViewRecords(func(tx record.Tx) error {
		r, err := tx.Record(record.Ref{Type: patientType, ID: id})
		if err != nil {
			return err
		}
		if c.Patient, err = record.PatientOf(r, a.now()); err != nil {
			return err
		}
		for _, part := range []struct {
			typ  string
			name string
			into *[]ChartLine
			line func(record.Record) (ChartLine, error)
		}{
			{"AllergyIntolerance", "allergies", &c.Allergies, allergyLine},
			{"Condition", "problems", &c.Problems, conditionLine},
			{"MedicationRequest", "medicines", &c.Medicines, medicineLine},
			{"Appointment", "visits", &c.Visits, a.appointmentLine},
			{"Encounter", "visits", &c.Visits, encounterLine},
			{"DocumentReference", "notes", &c.Notes, noteLine},
		} {
			err := tx.RecordsAbout(r.Ref, part.typ, func(r record.Record) (bool, error) {
				line, err := part.line(r)
				if err == nil {
					line.Ref = r.Ref
					if line.Untrue = record.Untrue(r); line.Untrue != "" {
						line.Past = true
					}
					*part.into = append(*part.into, line)
				}
				return true, err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for name, list := range map[string]*[]ChartLine{"allergies": &c.Allergies, "problems": &c.Problems, "medicines": &c.Medicines, "visits": &c.Visits, "notes": &c.Notes} {
		// What holds comes first, then what is newest.
		slices.SortStableFunc(*list, func(x, y ChartLine) int {
			if x.Past != y.Past {
				return map[bool]int{true: 1, false: -1}[x.Past]
			}
			if name == "allergies" {
				return x.allergy.Worse(y.allergy)
			}
			return strings.Compare(y.Date, x.Date)
		})
		if over := len(*list) - chartLines; over > 0 {
			c.Omitted[name], *list = over, (*list)[:chartLines]
		}
		if *list == nil {
			*list = []ChartLine{}
		}
	}
	return c, err
}

const nameless = "(not named in the record)"

func allergyLine(r record.Record) (ChartLine, error) {
	x, err := record.AllergyIntoleranceOf(r)
	detail := strings.Join(x.Reactions, ", ")
	if x.Criticality != "" {
		detail = strings.TrimSuffix("criticality "+x.Criticality+", "+detail, ", ")
	}
	return ChartLine{Text: orElse(x.Text), Detail: detail, Date: x.Recorded, Past: !x.Active, None: x.None, allergy: x}, err
}

func conditionLine(r record.Record) (ChartLine, error) {
	x, err := record.ConditionOf(r)
	return ChartLine{Text: orElse(x.Text), Detail: x.Status, Date: x.Onset, Past: !x.Active}, err
}

// commas joins what there is by commas.
func commas(parts ...string) string {
	var out []string
	for _, s := range parts {
		if s = strings.Trim(s, ", "); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

func medicineLine(r record.Record) (ChartLine, error) {
	x, err := record.MedicationRequestOf(r)
	return ChartLine{Text: orElse(x.Text), Detail: commas(x.Dosage, x.Status), Date: x.AuthoredOn, Past: !x.Active}, err
}

func (a *App) appointmentLine(r record.Record) (ChartLine, error) {
	x, err := record.AppointmentOf(r)
	line := ChartLine{Text: "Appointment", Detail: x.Status, Past: !x.End.After(a.now()) || x.Status == "cancelled"}
	if x.Reason != "" {
		line.Text = x.Reason
	}
	if x.With() != "" {
		line.Detail += ", with " + x.With()
	}
	if !x.Start.IsZero() {
		line.Date = x.Start.Format(time.RFC3339)
	}
	return line, err
}

func encounterLine(r record.Record) (ChartLine, error) {
	x, err := record.EncounterOf(r)
	line := ChartLine{Text: x.Text, Detail: commas(x.Reason, x.Status), Date: x.Start, Past: true}
	if line.Text == "" {
		line.Text = "Encounter"
	}
	return line, err
}

func noteLine(r record.Record) (ChartLine, error) {
	x, err := record.NoteOf(r)
	return ChartLine{Text: x.Title, Detail: x.Author, Date: x.Date}, err
}

func orElse(text string) string {
	if text == "" {
		return nameless
	}
	return text
}

// titleZone names the zone that the title says its times in where that is not the clinic's
// zone now, as in "New York"; else "".
func titleZone(ap ledger.Approval, now time.Time) string {
	zone := record.Zone(ap.In(now))
	if ap.Zone == "" || ap.Zone == now.Location().String() || !strings.Contains(ap.Title, zone) {
		return ""
	}
	return strings.TrimSuffix(zone, " time")
}
