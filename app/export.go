package app

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/visible"
	"holdpoint/store"
)

// ExportQuery says what to export.
type ExportQuery struct {
	Session string
	Format  string // md, html, json
	// Trace includes stages, tools, model calls and timings in md and html; json always has them.
	Trace bool
	// Language is en or fr, of what the export says itself in md and html; "" for that of the
	// settings. JSON is for programs.
	Language string
	// From and To bound the turns by id, both included; empty for all.
	From, To string
}

// Export is a transcript that is ready to be written.
type Export struct {
	Name        string // a file name
	ContentType string
	// Write reads the session piece by piece and writes it: memory holds one turn of it,
	// however long it is.
	Write func(io.Writer) error
}

// Transcript is a session as it is exported: everything that is needed to check
// who approved what, on which model, and what followed.
type Transcript struct {
	Format      string            `json:"format"` // "holdpoint-transcript/1"
	Generator   string            `json:"generator"`
	GeneratedAt time.Time         `json:"generated_at"`
	SafetyLine  string            `json:"safety_line"`
	Practice    bool              `json:"practice"`
	Session     SessionView       `json:"session"`
	Turns       []TurnView        `json:"turns"`
	Events      []journal.Event   `json:"events"`
	Approvals   []ledger.Approval `json:"approvals"`
	Ledger      []ledger.Entry    `json:"ledger"`
	// Blobs are the bodies that events refer to, by name.
	Blobs map[string]string `json:"blobs"`
	// Definitions are the files of people's own agents that turns ran on, by digest.
	Definitions map[string]string `json:"definitions,omitempty"`

	names  names
	tongue tongue.Tongue
}

// names are what a person calls the stages, tools and conditions of a turn.
type names struct{ stages, tools, conditions map[string]string }

// of is e as a person reads it: whoever checks it finds the names inside in the JSON.
func (n names) of(g tongue.Tongue, e journal.Event) journal.Event {
	title := func(in map[string]string, name string) string { return g.Told(cmp.Or(in[name], name)) }
	e.Stage, e.From, e.To = journal.StageID(title(n.stages, string(e.Stage))), journal.StageID(title(n.stages, string(e.From))), journal.StageID(title(n.stages, string(e.To)))
	e.Tool, e.Condition = title(n.tools, e.Tool), title(n.conditions, e.Condition)
	return e
}

// namesOf are the names of the graph that a run ran on; those inside where it is not here
// any more.
func (x *exporting) namesOf(row run.Run) names {
	key := fmt.Sprint(row.Agent, row.Fingerprint, row.Vars, len(row.Mutations))
	n, ok := x.names[key]
	if ok {
		return n
	}
	n = names{map[string]string{}, x.a.agents.names(), map[string]string{}}
	var walk func(within string, stages []graph.ManifestStage)
	walk = func(within string, stages []graph.ManifestStage) {
		for _, s := range stages {
			n.stages[within+string(s.ID)] = s.Title
			walk(within+string(s.ID)+"/", s.Stages)
		}
	}
	if m, err := x.a.RunManifest(row.Turn); err == nil {
		walk("", m.Stages)
		for _, c := range m.Conditions {
			n.conditions[c.Name] = c.Title
		}
	}
	x.names[key] = n
	return n
}

// Export makes a session ready to be exported.
func (a *App) Export(q ExportQuery) (Export, error) {
	if ref, ok := record.ParseRef(q.Session); ok {
		if read := a.agents.formOf(ref.Type); read != nil {
			g, err := a.languageFor(q.Language)
			if err != nil {
				return Export{}, err
			}
			return a.exportForm(ref, read, q.Format, g)
		}
	}
	write, kind, ending := (*exporting).markdown, "text/markdown; charset=utf-8", ".md"
	switch q.Format {
	case "", "md":
	case "html":
		write, kind, ending = (*exporting).html, "text/html; charset=utf-8", ".html"
	case "json":
		write, kind, ending = (*exporting).json, "application/json", ".json"
	default:
		return Export{}, Bad(fmt.Sprintf("There is no format %q.", q.Format), "Use md, html or json.")
	}
	x, err := a.exporting(q)
	if err != nil {
		return Export{}, err
	}
	return Export{"holdpoint-" + fileSafe(q.Session) + ending, kind, func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 64<<10)
		if err := write(x, buffered); err != nil {
			return err
		}
		return buffered.Flush()
	}}, nil
}

// exporting is a session on its way out. Turns are read when they are written, each with
// the stretches of the journal that tell of it.
type exporting struct {
	a     *App
	trace bool
	// head is the transcript without its turns and what belongs to them.
	head        Transcript
	turns       []exportedTurn
	at          map[string]int   // of turns, by turn
	definitions []string         // digests
	names       map[string]names // by the graph that a turn ran on
	last        uint64           // what is told later is not exported
}

type exportedTurn struct {
	run graph.RunID
	// events are stretches of the journal, each behind its first number up to its second.
	events [][2]uint64
}

// piece is how many rows are read at a time. Nothing is read while something is written:
// whoever takes the file may be slow.
const piece = 200

func (a *App) exporting(q ExportQuery) (*exporting, error) {
	s, err := a.Session(q.Session)
	if err != nil {
		return nil, err
	}
	lang, err := a.languageFor(q.Language)
	if err != nil {
		return nil, err
	}
	s.Title = a.titled(s.Session, lang)
	x := &exporting{a: a, trace: q.Trace, at: map[string]int{}, names: map[string]names{}, head: Transcript{Format: "holdpoint-transcript/1", Generator: "Holdpoint " + a.version,
		GeneratedAt: a.now(), SafetyLine: SafetyLine, Session: s, tongue: lang}}
	if of, err := a.agents.find(s.Agent); err == nil { // one that is gone says nothing of itself
		x.head.SafetyLine = cmp.Or(of.SafetyLine, SafetyLine)
	}
	if x.last, err = a.Store.LastSeq(q.Session); err != nil {
		return nil, err
	}
	began, ended := q.From == "", false
	for n := 0; ; n += piece {
		rows, err := a.Store.RunsAfter(q.Session, n, piece)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			began = began || r.Turn == q.From
			if !began || ended {
				continue
			}
			ended = r.Turn == q.To
			x.at[r.Turn] = len(x.turns)
			x.turns = append(x.turns, exportedTurn{run: r.ID})
			x.head.Practice = x.head.Practice || r.Practice
			if digest := r.Vars[definitionVar]; digest != "" && !slices.Contains(x.definitions, digest) {
				x.definitions = append(x.definitions, digest)
			}
		}
		if len(rows) < piece {
			break
		}
	}
	if !began || q.To != "" && !ended {
		return nil, Bad("The range does not name turns of this session in order.", "Leave it out to export all turns.")
	}
	return x, nil
}

// place notes where in the journal each turn is told.
func (x *exporting) place() error {
	return x.a.Store.EachEvent(x.head.Session.ID, 0, x.last, func(e store.StoredEvent) error {
		if i, ok := x.at[e.Turn]; ok {
			if t := &x.turns[i]; len(t.events) > 0 && t.events[len(t.events)-1][1] == e.Seq-1 {
				t.events[len(t.events)-1][1] = e.Seq
			} else {
				t.events = append(t.events, [2]uint64{e.Seq - 1, e.Seq})
			}
		}
		return nil
	})
}

// quiet are the kinds of events that only a trace tells of.
var quiet = map[journal.Kind]bool{journal.StageStarted: true, journal.Transition: true, journal.CheckpointSaved: true, journal.StageOutput: true,
	journal.Observed: true, journal.PhaseStarted: true, journal.PhaseCompleted: true, journal.ToolStarted: true, journal.ToolCompleted: true,
	journal.ModelCalled: true, journal.MessageStarted: true}

// told says whether an event is part of what is exported.
func (x *exporting) told(e store.StoredEvent) bool {
	if x.trace {
		return true
	}
	return !quiet[e.Kind] && (e.Kind != journal.StageCompleted || bytes.Contains(e.JSON, []byte(journal.Cached)))
}

// turn reads one turn with everything that belongs to it.
func (x *exporting) turn(i int) (Transcript, error) {
	t := x.head
	t.Blobs = map[string]string{}
	row, err := x.a.Store.Run(x.turns[i].run)
	if err != nil {
		return t, err
	}
	view, err := x.a.turnView(row)
	if err != nil {
		return t, err
	}
	t.Turns = []TurnView{view}
	t.names = x.namesOf(row)
	for _, part := range x.turns[i].events {
		if err := x.a.Store.EachEvent(t.Session.ID, part[0], part[1], func(s store.StoredEvent) error {
			if !x.told(s) {
				return nil
			}
			var e journal.Event
			err := json.Unmarshal(s.JSON, &e)
			t.Events = append(t.Events, e)
			return err
		}); err != nil {
			return t, err
		}
	}
	err = x.a.Store.Read(func(tx store.Tx) error {
		for _, e := range t.Events {
			if e.Kind == journal.ApprovalRequested {
				ap, err := x.approval(tx, e.Approval)
				if err != nil {
					return err
				}
				t.Approvals = append(t.Approvals, ap)
			}
			// What cannot be read of the data does not make the text less than it is.
			if d, _ := journal.Read[journal.MessageData](e); d.FullText != nil {
				if body, err := tx.Blob(d.FullText.Name); err == nil {
					t.Blobs[d.FullText.Name] = string(body)
				}
			}
		}
		return nil
	})
	return t, err
}

func (x *exporting) approval(tx store.Tx, id string) (ledger.Approval, error) {
	ap, err := tx.Approval(id)
	ap.Status = ap.At(x.head.GeneratedAt)
	return ap, err
}

// each writes the turns one after the other.
func (x *exporting) each(write func(i int, t Transcript) error) error {
	if err := x.place(); err != nil {
		return err
	}
	for i := range x.turns {
		t, err := x.turn(i)
		if err == nil {
			err = write(i, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// json writes a Transcript, an element a line.
func (x *exporting) json(w *bufio.Writer) error {
	first := true
	name := func(key string) {
		if !first {
			w.WriteString(",\n")
		}
		first = false
		fmt.Fprintf(w, "%q: ", key)
	}
	value := func(v any) (err error) {
		b, ready := v.(json.RawMessage)
		if !ready {
			b, err = json.Marshal(v)
		} else if !json.Valid(b) {
			err = fmt.Errorf("app: export: an event is not JSON: %w", store.ErrDamaged)
		}
		if err == nil {
			_, err = w.Write(visible.JSON(b))
		}
		return err
	}
	// list writes what fill hands over, between brackets.
	list := func(key, open, close string, fill func(add func(key string, v any) error) error) error {
		name(key)
		w.WriteString(open)
		some := false
		err := fill(func(key string, v any) error {
			if some {
				w.WriteString(",")
			}
			some = true
			w.WriteString("\n")
			if key != "" {
				fmt.Fprintf(w, "%q: ", key)
			}
			return value(v)
		})
		w.WriteString(close)
		return err
	}
	w.WriteString("{")
	h := x.head
	for _, member := range []struct {
		key string
		v   any
	}{{"format", h.Format}, {"generator", h.Generator}, {"generated_at", h.GeneratedAt.UTC()}, {"safety_line", h.SafetyLine}, {"practice", h.Practice}, {"session", h.Session}} {
		name(member.key)
		if err := value(member.v); err != nil {
			return err
		}
	}
	if err := list("turns", "[", "]", func(add func(string, any) error) error {
		for _, t := range x.turns {
			row, err := x.a.Store.Run(t.run)
			if err != nil {
				return err
			}
			view, err := x.a.turnView(row)
			if err != nil {
				return err
			}
			if err := add("", view); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	var approvals, blobs []string
	known := map[string]bool{}
	if err := list("events", "[", "]", func(add func(string, any) error) error {
		return x.a.Store.EachEvent(h.Session.ID, 0, x.last, func(e store.StoredEvent) error {
			if _, ok := x.at[e.Turn]; !ok {
				return nil
			}
			if e.Kind == journal.ApprovalRequested {
				var asked journal.Event
				if err := json.Unmarshal(e.JSON, &asked); err != nil {
					return err
				}
				approvals = append(approvals, asked.Approval)
			}
			if bytes.Contains(e.JSON, []byte("sha256:")) {
				for _, name := range blobName.FindAll(e.JSON, -1) {
					if !known[string(name)] {
						known[string(name)] = true
						blobs = append(blobs, string(name))
					}
				}
			}
			return add("", e.JSON)
		})
	}); err != nil {
		return err
	}
	if err := list("approvals", "[", "]", func(add func(string, any) error) error {
		return addPieces(x, approvals, add, func(tx store.Tx, id string, row func(ledger.Approval)) error {
			ap, err := x.approval(tx, id)
			row(ap)
			return err
		})
	}); err != nil {
		return err
	}
	if err := list("ledger", "[", "]", func(add func(string, any) error) error {
		return addPieces(x, x.turns, add, func(tx store.Tx, t exportedTurn, row func(ledger.Entry)) error {
			return tx.Entries(strings.TrimPrefix(string(t.run), string(RunID(""))), func(e ledger.Entry) (bool, error) {
				row(e)
				return true, nil
			})
		})
	}); err != nil {
		return err
	}
	if err := list("blobs", "{", "}", func(add func(string, any) error) error {
		for _, name := range blobs {
			body, err := x.a.Blob(name)
			if err != nil {
				continue // not every digest in an event is a blob's
			}
			if err := add(name, string(body)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if len(x.definitions) > 0 {
		if err := list("definitions", "{", "}", func(add func(string, any) error) error {
			for _, digest := range x.definitions {
				body, err := x.a.definition(digest)
				if err != nil {
					return err
				}
				if err := add(digest, body); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	_, err := w.WriteString("}\n")
	return err
}

// addPieces adds the rows that read finds for each of all, a piece at a time.
func addPieces[T, R any](x *exporting, all []T, add func(string, any) error, read func(tx store.Tx, one T, row func(R)) error) error {
	for some := range slices.Chunk(all, piece) {
		var rows []R
		if err := x.a.Store.Read(func(tx store.Tx) error {
			for _, one := range some {
				if err := read(tx, one, func(r R) { rows = append(rows, r) }); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		for _, r := range rows {
			if err := add("", r); err != nil {
				return err
			}
		}
	}
	return nil
}

var blobName = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

func fileSafe(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, s)
}

// fullText is the whole text of an event, also when it moved into a blob.
func (t Transcript) fullText(e journal.Event) string {
	// What cannot be read of the data does not make the text less than it is.
	if d, _ := journal.Read[journal.MessageData](e); d.FullText != nil {
		if body, ok := t.Blobs[d.FullText.Name]; ok {
			return body
		}
	}
	return e.Text
}

// entry is one line of a transcript.
type entry struct {
	Seq   uint64
	At    time.Time
	Label string
	Text  string
	Kind  string // user, assistant, hold, note, trace
	Mono  string
}

// entries puts a turn's events into words.
func (t Transcript) entries(turn string, trace bool) []entry {
	say := t.tongue.Say
	approvals := map[string]ledger.Approval{}
	for _, a := range t.Approvals {
		approvals[a.ID] = a
	}
	questions := t.questions(turn)
	var out []entry
	var said []string
	titles := map[string]string{} // of what each approval was asked for, as far as it was told
	for _, e := range t.Events {
		if e.Turn != turn {
			continue
		}
		if e.Kind == journal.StagePaused {
			e = fill(e, questions)
		}
		e = t.names.of(t.tongue, e)
		n := entry{Seq: e.Seq, At: e.At, Kind: "note"}
		switch e.Kind {
		case journal.TurnStarted:
			n.Kind, n.Label, n.Text = "user", say("Person"), t.input(turn)
		case journal.Message:
			n.Kind, n.Label, n.Text = "assistant", t.speaker(e), t.fullText(e)
			said = append(said, n.Text)
		case journal.TurnCompleted:
			// A reply that no model wrote comes with the end of the turn only.
			reply := t.output(turn)
			if reply == "" || slices.Contains(said, reply) {
				continue
			}
			n.Kind, n.Label, n.Text = "assistant", say("Holdpoint (put together by the graph)"), reply
		case journal.SafetyChecked:
			n.Label, n.Text = EventWords(t.tongue, e)
			n.Label = say(n.Label)
		case journal.ApprovalRequested:
			a := approvals[e.Approval]
			n.Kind, n.Label = "hold", say("Hold point")
			asked := a // as it was asked: what a reviewer made of it comes with their name, later
			if o := a.Original; o != nil {
				asked.Title, asked.Args, asked.Digest, asked.Changes = o.Title, o.Args, o.Digest, o.Changes
			}
			if d, err := journal.Read[journal.ApprovalRequestedData](e); err == nil {
				asked.Title = cmp.Or(asked.Title, d.Title) // rows of older stores keep the latest only
			}
			titles[a.ID] = asked.Title
			n.Text = say("%s\n%s: approval %s of tool %s, call %s, policy %s\nRequested %s, expires %s", visible.Line(t.tongue.Told(asked.Title)), visible.Line(e.Tool), a.ID, visible.Line(a.Tool), a.Call, a.PolicyVersion,
				t.tongue.Moment(a.RequestedAt.In(t.zone())), t.tongue.Moment(a.ExpiresAt.In(t.zone())))
			n.Mono = t.exactly(asked)
		case journal.ApprovalDecided:
			d, err := journal.Read[journal.ApprovalDecidedData](e)
			if err != nil {
				d.Reviewer = say("unreadable")
			}
			n.Kind, n.Label, n.Text = "hold", say("Verdict"), say("%s by %s", say(e.Status), visible.Line(d.Reviewer))
			if e.Reason != "" {
				n.Text += ": " + e.Reason // a person's comment
			}
			if d.Was != "" {
				n.Label, n.Mono = say("Changed"), say("digest before")+" "+d.Was
				if before := titles[e.Approval]; before != d.Title {
					n.Text += "\n" + say("from: %s\nto: %s", visible.Line(t.tongue.Told(before)), visible.Line(t.tongue.Told(d.Title)))
				}
				for _, l := range d.Changed {
					n.Text += fmt.Sprintf("\n%s: %s → %s", visible.Line(l.Label), cmp.Or(l.Before, say("(nothing)")), cmp.Or(l.After, say("(nothing)")))
				}
				titles[e.Approval] = d.Title
			}
			if d.Digest != "" {
				n.Mono = say("digest") + " " + d.Digest
				if a := approvals[e.Approval]; a.Original != nil && a.Digest == d.Digest {
					n.Text += "\n" + visible.Line(t.tongue.Told(a.Title))
					n.Mono = t.exactly(a)
				}
			}
		case journal.ApprovalRefused:
			n.Kind, n.Label, n.Text = "hold", say("Refused"), t.tongue.Told(e.Reason)
		case journal.MutationCommitted:
			n.Label, n.Text, n.Mono = say("Done"), say("%s was carried out", e.Tool), string(e.Data)
		case journal.ToolRefused:
			n.Label, n.Text = say("Not done"), visible.Line(e.Tool)+": "+t.tongue.Told(e.Reason)
		case journal.TurnFailed, journal.StageFailed:
			n.Label, n.Text = say("Failed"), string(e.Stage)+": "+t.tongue.Told(withoutParts(e.Error))
			if last := len(out) - 1; !trace && e.Kind == journal.TurnFailed && last >= 0 && out[last].Label == n.Label && out[last].Text == n.Text {
				continue // what ended the turn was just said of its step
			}
		case journal.TurnCancelled:
			n.Label, n.Text = say("Stopped"), say("by a person")
			if e.Status == string(journal.Abandoned) {
				n.Label, n.Text = say("Abandoned"), t.tongue.Told(e.Reason)
			}
		case journal.TurnPaused:
			n.Label, n.Text = say("Waiting"), say("for a person")
		case journal.TurnResumed:
			n.Label, n.Text = say("Resumed"), ""
			if d, err := journal.Read[journal.TurnResumedData](e); err == nil && d.Limit != "" {
				n.Text = say("%s gave it %g more of %s", d.By, d.More, say(limitName(d.Limit)))
			}
		case journal.ApprovalReminded:
			n.Kind, n.Label, n.Text = "hold", say("Reminded"), say("nobody decided yet")
			if d, err := journal.Read[journal.ApprovalRemindedData](e); err == nil {
				n.Text += say("; a decision is wanted by %s", t.tongue.Moment(d.DueAt.In(t.zone())))
			}
		case journal.ApprovalEscalated:
			n.Kind, n.Label = "hold", say("Escalated")
			if d, err := journal.Read[journal.ApprovalEscalatedData](e); err == nil {
				n.Text = say("%s may decide as well from now on", d.To)
			}
		case journal.ApprovalDelegated:
			n.Kind, n.Label = "hold", say("Passed on")
			if d, err := journal.Read[journal.ApprovalDelegatedData](e); err == nil {
				n.Text, n.Mono = join(say("%s lets %s decide as well", visible.Line(d.From), visible.Line(d.To)), e.Reason), say("digest")+" "+d.Digest
			}
		case journal.MemoryUpdated:
			d, err := journal.Read[journal.MemoryUpdatedData](e)
			if consent := err == nil && d.Scope == session.ConsentScope; !consent && !trace {
				continue
			} else if consent {
				n.Label, n.Text = say("Consent"), t.tongue.Told(e.Reason)
				break
			}
			n.Kind, n.Label, n.Text = "trace", say(kindWords(e.Kind)), strings.TrimSpace(fmt.Sprintf("%s %s", e.Stage, t.tongue.Told(e.Reason)))
		default:
			if label, text := EventWords(t.tongue, e); text != "" {
				n.Label, n.Text = say(label), text
				if e.Kind == journal.StagePaused || e.Kind == journal.QuestionAnswered {
					n.Kind = "hold"
				}
				break
			}
			if !trace || e.Kind == journal.MessageStarted {
				continue
			}
			n.Kind, n.Label = "trace", say(kindWords(e.Kind))
			n.Text = strings.TrimSpace(fmt.Sprintf("%s %s %s %s", e.Stage, e.Tool, t.tongue.Told(e.Reason), t.tongue.Told(withoutParts(e.Error))))
			if e.Kind == journal.Transition {
				n.Text = join(strings.TrimSpace(say("%s → %s by %s %s", e.From, e.To, t.tongue.Named(e.Resolver), e.Condition)), WayReason(t.tongue, e.Resolver, e.Reason))
			}
			n.Mono = string(e.Data)
		}
		out = append(out, n)
	}
	return out
}

// exactly is what an approval covers, byte for byte: arguments, digest and records.
func (t Transcript) exactly(a ledger.Approval) string {
	say := t.tongue.Say
	var b strings.Builder
	fmt.Fprintf(&b, "%-9s %s\n%-9s %s", say("arguments"), a.Args, say("digest"), a.Digest)
	for _, c := range a.Changes {
		fmt.Fprintf(&b, "\n%-9s %s\n  %-7s %s\n  %-7s %s", say("record"), c.Ref, say("before"), c.Before, say("after"), c.After)
	}
	return b.String()
}

// kindWords is a kind of event as a heading: "Stage started".
func kindWords(k journal.Kind) string {
	words := strings.ReplaceAll(string(k), "_", " ")
	return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
}

// zone is that of the clinic: the one that all times in words are in.
func (t Transcript) zone() *time.Location { return t.GeneratedAt.Location() }

// questions are a turn's questions by pause: those that are open, and those whose
// answer is in the journal.
func (t Transcript) questions(turn string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, x := range t.Turns {
		if x.Turn == turn {
			for _, p := range x.Questions {
				out[p.ID] = p.Data
			}
		}
	}
	for _, e := range t.Events {
		if e.Turn == turn && e.Kind == journal.QuestionAnswered {
			out[e.Message] = e.Data
		}
	}
	return out
}

// fill puts questions into the pauses of an event that names them only.
func fill(e journal.Event, questions map[string]json.RawMessage) journal.Event {
	d, err := journal.Read[journal.StagePausedData](e)
	if err != nil {
		return e
	}
	for i, p := range d.Pauses {
		if p.Data == nil {
			d.Pauses[i].Data = questions[p.ID]
		}
	}
	e = e.With(d)
	e.Render()
	return e
}

func (t Transcript) input(turn string) string {
	for _, x := range t.Turns {
		if x.Turn == turn {
			return x.Input
		}
	}
	return ""
}

func (t Transcript) output(turn string) string {
	for _, x := range t.Turns {
		if x.Turn == turn {
			return x.Output
		}
	}
	return ""
}

func (t Transcript) speaker(e journal.Event) string {
	d, err := journal.Read[journal.MessageData](e)
	if err != nil {
		return "Holdpoint"
	}
	who := "Holdpoint"
	switch {
	case d.Template != "":
		who = t.tongue.Say("Holdpoint (reviewed text)")
	case d.ModelUsed == nil:
	case d.Practice:
		who = t.tongue.Say("Holdpoint (practice script, no model)")
	case d.Model != "":
		who += " (" + d.Model
		if len(d.Digest) >= 12 {
			who += ", " + d.Digest[:12]
		}
		who += ")"
		if d.Weak {
			who = t.tongue.Say("%s, a very small model: check what it says against the record", who)
		}
	}
	if d.Generation != nil && d.Partial {
		who = t.tongue.Say("%s — unfinished", who)
	}
	return who
}

func (x *exporting) markdown(b *bufio.Writer) error {
	t, say := x.head, x.head.tongue.Say
	fmt.Fprintf(b, "# %s\n\n", inert(visible.Line(t.Session.Title)))
	if t.Practice {
		b.WriteString("**" + say("PRACTICE: a script answered, not a model.") + "**\n\n")
	}
	fmt.Fprintf(b, "- %s: `%s`\n- %s: %s\n", say("session"), fileSafe(t.Session.ID), say("agent"), inert(visible.Line(t.Session.Agent)))
	if about := t.Session.About(); about.ID != "" {
		fmt.Fprintf(b, "- %s: %s (`%s`)\n", inert(visible.Line(strings.ToLower(about.Type))), inert(visible.Line(t.Session.SubjectName)), fileSafe(about.ID))
	}
	fmt.Fprintf(b, "- %s\n- %s\n", say("exported: %s by %s", t.tongue.Moment(t.GeneratedAt), t.Generator), say(t.tongue.Told(t.SafetyLine)))
	return x.each(func(i int, t Transcript) error {
		turn := t.Turns[0]
		fmt.Fprintf(b, "\n## %s\n\n`%s` %s, %s  \n%s\n", say("Turn %d — %s", i+1, t.tongue.Moment(turn.StartedAt.In(t.zone()))), fileSafe(turn.Turn), say(string(turn.Status)),
			say("agent %s, model %s", inert(visible.Line(agentOf(t.tongue, turn))), inert(visible.Line(turn.Model))), say("used %s", usedBy(t.tongue, turn)))
		for _, e := range t.entries(turn.Turn, x.trace) {
			fmt.Fprintf(b, "\n**%s** · %d · %s\n", inert(visible.Line(e.Label)), e.Seq, e.At.In(t.zone()).Format("15:04:05 MST"))
			if e.Text != "" {
				b.WriteString("\n")
				for line := range strings.Lines(visible.Text(strings.ReplaceAll(e.Text, "\r\n", "\n"))) {
					fmt.Fprintf(b, "> %s  \n", inert(strings.TrimRight(line, "\n")))
				}
			}
			if mono := visible.Text(e.Mono); mono != "" {
				fmt.Fprintf(b, "\n%s\n%s\n%s\n", fence(mono), mono, fence(mono))
			}
		}
		return nil
	})
}

// inert keeps visible text from being read as HTML, images or links of the document.
func inert(s string) string {
	return strings.NewReplacer("<", "&lt;", "![", `!\[`, "](", `]\(`, "]:", `]\:`, "`", "\\`").Replace(s)
}

// fence is a code fence that the text cannot close.
func fence(s string) string {
	f := "```"
	for strings.Contains(s, f) {
		f += "`"
	}
	return f
}

var page = template.Must(template.New("transcript").Funcs(template.FuncMap{"visible": visible.Text, "line": visible.Line, "inc": func(i int) int { return i + 1 }}).
	Funcs(pageFuncs("")).Parse(`{{define "head"}}<!doctype html>
<html lang="{{lang}}"><head><meta charset="utf-8"><title>{{line .T.Session.Title}}</title>
<style>
body{font:14px/1.5 Inter,system-ui,sans-serif;color:#0f172a;background:#fff;max-width:50rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;border-top:1px solid #cbd5e1;padding-top:1rem;margin-top:2rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem}dt{color:#475569}dd{margin:0;overflow-wrap:anywhere}
article{margin:.8rem 0;padding:.5rem .8rem;border-left:3px solid #cbd5e1}
article.user{border-color:#0f766e}article.hold{border-color:#b45309;background:#fffbeb}article.trace{color:#475569;font-size:12px}
header{font-size:12px;color:#475569}p{margin:.3rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
pre{font:12px/1.5 "JetBrains Mono",monospace;background:#f1f5f9;padding:.5rem;white-space:pre-wrap;overflow-wrap:anywhere}
.practice{border:2px solid #b45309;padding:.5rem .8rem;font-weight:600}
@media print{body{margin:0}article{break-inside:avoid}}
</style></head><body>
<h1>{{line .T.Session.Title}}</h1>
{{if .T.Practice}}<p class="practice">{{say "Practice: a script answered, not a model."}}</p>{{end}}
<dl><dt>{{say "Session"}}</dt><dd>{{line .T.Session.ID}}</dd><dt>{{say "Agent"}}</dt><dd>{{line .T.Session.Agent}}</dd>
{{with .T.Session.About}}{{if .ID}}<dt>{{line .Type}}</dt><dd>{{line $.T.Session.SubjectName}} ({{line .ID}})</dd>{{end}}{{end}}
<dt>{{say "Exported"}}</dt><dd>{{say "%s by %s" (moment .T.GeneratedAt) .T.Generator}}</dd><dt>{{say "Note"}}</dt><dd>{{say (told .T.SafetyLine)}}</dd></dl>
{{end}}
{{define "turn"}}<section><h2>{{say "Turn %d — %s" (inc .I) (moment (.Turn.StartedAt.In .Zone))}}</h2>
<p>{{line .Turn.Turn}} · {{say (print .Turn.Status)}} · {{say "agent %s" (line (agent .Turn))}} · {{say "model %s" (line .Turn.Model)}} · {{say "used %s" (used .Turn)}}</p>
{{range .Entries}}<article class="{{.Kind}}"><header><strong>{{line .Label}}</strong> · {{.Seq}} · {{(.At.In $.Zone).Format "15:04:05 MST"}}</header>
{{if .Text}}<p>{{visible .Text}}</p>{{end}}{{if .Mono}}<pre>{{visible .Mono}}</pre>{{end}}</article>
{{end}}</section>
{{end}}`))

func (x *exporting) html(w *bufio.Writer) error {
	page, err := page.Clone()
	if err != nil {
		return fmt.Errorf("app: export: %w", err)
	}
	page.Funcs(pageFuncs(x.head.tongue))
	if err := page.ExecuteTemplate(w, "head", struct{ T Transcript }{x.head}); err != nil {
		return err
	}
	if err := x.each(func(i int, t Transcript) error {
		return page.ExecuteTemplate(w, "turn", struct {
			I       int
			Turn    TurnView
			Entries []entry
			Zone    *time.Location
		}{i, t.Turns[0], t.entries(t.Turns[0].Turn, x.trace), t.zone()})
	}); err != nil {
		return err
	}
	_, err = w.WriteString("</body></html>\n")
	return err
}

// pageFuncs are what a page says by.
func pageFuncs(g tongue.Tongue) template.FuncMap {
	return template.FuncMap{"say": g.Say, "told": g.Told, "moment": g.Moment, "lang": func() tongue.Tongue { return g },
		"agent": func(t TurnView) string { return agentOf(g, t) }, "used": func(t TurnView) string { return usedBy(g, t) }}
}

// bytesOf hands a text to WriteFile.
func bytesOf(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}
