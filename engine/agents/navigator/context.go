package navigator

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/pipeline"
	"holdpoint/engine/record"
	"holdpoint/engine/turn"
)

//go:embed context.yaml
var contextYAML []byte

// contextTools is the pipeline of context tools.
type contextTools struct {
	registry *pipeline.Registry[*input]
	list     []string
}

// input is what a context tool may use: a view of the store, models, the patient.
type input struct {
	t       *graph.Task
	deps    *turn.Dependencies
	patient string
	// light asks the light model; tools of a phase ask together.
	light *turn.Gathering
	// historyRoom is how much of a prompt earlier turns have, in characters.
	historyRoom func(room int) int
	// until is when the tools, all together, have waited long enough for models.
	until time.Time
}

// extraction is how long the context tools of a turn wait for models, all together: one that
// does not answer the first of them keeps the others from waiting as long again.
const extraction = 2 * time.Minute

// waiting bounds a wait for a model.
func (d *input) waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, d.until, fmt.Errorf("%w: the context tools waited %v for models", model.ErrStalled, extraction))
}

func newContext(kit turn.Kit) (*contextTools, error) {
	configs, err := pipeline.LoadConfigs(contextYAML)
	if err != nil {
		return nil, err
	}
	c := &contextTools{}
	c.registry, err = pipeline.NewRegistry(configs, map[string]pipeline.Tool[*input]{
		"client_signal":     {Run: clientSignal, StandIn: ownWords},
		"provider_genome":   {Run: providerGenome, Slice: nothingSaid},
		"patient_context":   {Run: patientContext, Slice: nothingSaid},
		"session_narrative": {Run: sessionNarrative, Slice: exchanges},
		"therapeutic_fit":   {Run: therapeuticFit},
	})
	if err != nil {
		return nil, err
	}
	c.list = c.registry.Names()
	_, warnings, err := c.registry.Plan(c.list)
	for _, w := range warnings {
		kit.Warn("context tools", "agent", Name, "warning", w)
	}
	return c, err
}

// phases are the tools grouped as they run.
func (c *contextTools) phases() ([][]string, error) {
	phases, _, err := c.registry.Plan(c.list)
	return phases, err
}

// nothingSaid is the slice of tools that read records only: what is said does
// not change what they find.
func nothingSaid([]model.Message) []model.Message { return nil }

// exchanges are what both sides said, up to the person's last word: what was answered to
// it is not the person's, and a mere acknowledgement of that changes nothing.
func exchanges(m []model.Message) []model.Message {
	for len(m) > 0 && m[len(m)-1].Role == "assistant" {
		m = m[:len(m)-1]
	}
	return m
}

// assemble runs the context tools that are due and stores their skip rows in the
// transaction of the stage.
func (a *navigator) assemble(ctx context.Context, t *graph.Task) (graph.Result, error) {
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	conversation := append(turn.Conversation(ChannelHistory.Get(t.State)), model.Message{Role: "user", Text: ChannelMessage.Get(t.State)})
	patient := ChannelPatient.Get(t.State)
	// The patient is an argument, so that another patient is another slice.
	args := map[string]map[string]any{}
	for _, name := range ChannelTools.Get(t.State) {
		args[name] = map[string]any{"patient": patient}
	}
	light := &turn.Gathering{Light: a.light}
	res, err := a.context.registry.Run(ctx, &input{t, d, patient, light, func(room int) int { return a.share(room).history }, time.Now().Add(extraction)}, pipeline.Request{
		Session: t.Run.Session, Turn: t.Run.Turn, Tools: ChannelTools.Get(t.State), Args: args, Conversation: conversation,
		Skips: skips{t}, Version: func(ref record.Ref) (string, error) { return version(t, ref) },
		Threshold: d.Threshold, Emit: func(e journal.Event) { gather(light, e); t.Emit(e) }, Now: t.Now,
	})
	if err != nil {
		return graph.Result{}, err
	}
	report := Assembly{Ran: res.Ran, Skipped: []Section{}, Degraded: sectionsOf(res.Degraded), Missing: sectionsOf(res.Missing)}
	if report.Ran == nil {
		report.Ran = []string{}
	}
	for _, s := range res.Skipped {
		report.Skipped = append(report.Skipped, Section{Tool: s.Tool, Reason: s.Reason})
	}
	r := done(ContextAssembly, graph.Patch{ChannelBundle.Set(res.Outputs), ChannelAssembly.Set(report), ChannelFailed.Set(res.Err != nil)})
	r.Do = skipRows.Change(func(tx pipeline.SkipTx, _ graph.Tell) error { return res.Store(tx) })
	if res.Err != nil {
		r.Reason = model.Shorten(res.Err.Error(), 300)
	}
	return r, nil
}

// gather follows a pass: which tools of a phase run is decided before any of them does.
func gather(light *turn.Gathering, e journal.Event) {
	switch e.Kind {
	case journal.PhaseStarted:
		if d, err := journal.Read[journal.PhaseStartedData](e); err == nil {
			for _, name := range d.Tools {
				light.Expect(name)
			}
		}
	case journal.ToolSkipped, journal.ToolFailed:
		light.Drop(e.Tool)
	}
}

func sectionsOf(in []pipeline.Section) []Section {
	out := make([]Section, len(in))
	for i, s := range in {
		out[i] = Section{Tool: s.Tool, Reason: s.Reason, Absent: s.Reason == noProviders || s.Reason == noPatient}
	}
	return out
}

// skips reads the gates' rows on a snapshot of the disk.
type skips struct{ t *graph.Task }

func (s skips) Skip(session, tool string) (row json.RawMessage, err error) {
	err = skipRows.View(s.t, func(tx pipeline.SkipTx) error {
		row, err = tx.Skip(session, tool)
		return err
	})
	return row, err
}

// all stands in a reference for every record of a kind: "Practitioner/*" or, for
// what belongs to a patient, "Patient/ID/*".
const all = "*"

// providerTypes are what a provider is made of.
var providerTypes = []string{"Practitioner", "PractitionerRole", "Organization", "Location"}

// version tells the current version of a record or, for "*", of all of a kind: what a
// tool that read it would find in this turn, as time passes, too.
func version(t *graph.Task, ref record.Ref) (v string, err error) {
	err = recordRows.View(t, func(tx record.Tx) error {
		v, err = versionIn(tx, ref, t.Run.StartedAt)
		return err
	})
	return v, err
}

func versionIn(tx record.Tx, ref record.Ref, now time.Time) (string, error) {
	if patient, whole := strings.CutSuffix(ref.ID, "/"+all); whole {
		s, err := record.PatientSummary(tx, patient, now)
		if errors.Is(err, record.ErrNotFound) {
			return "", nil
		}
		return s.Version(), err
	}
	if ref.ID != all {
		r, err := tx.Record(ref)
		if errors.Is(err, record.ErrNotFound) {
			return "", nil
		}
		return r.Version, err
	}
	h := sha256.New()
	for _, typ := range providerTypes {
		if err := tx.Records(typ, "", func(r record.Record) (bool, error) {
			fmt.Fprintf(h, "%s %s\n", r.Ref, r.Version)
			return true, nil
		}); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
