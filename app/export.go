package app

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

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
	// Trace includes stages, tools, requests to models and timings in md and html; json always has them.
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

// agentTitle is what people call an agent; the id of one that is gone.
func (a *App) agentTitle(id string) string {
	if x, err := a.agents.find(id); err == nil {
		return x.Title
	}
	return id
}

// namesOf are the names of the graph that a run ran on; those inside where it is not here
// any more. Another subject than the session's is named with them.
func (x *exporting) namesOf(row run.Run) names {
	key := fmt.Sprint(row.Agent, row.Fingerprint, row.Vars, len(row.Mutations))
	n, ok := x.names[key]
	if ok {
		return n
	}
	n = names{stages: map[string]string{}, tools: x.a.agents.names(), conditions: map[string]string{}, agent: x.a.agentTitle(row.Agent)}
	if about := session.SubjectOf(row.Vars); about.ID != "" && about != x.head.Session.About() {
		n.other = strings.TrimSpace(fmt.Sprintf("%s (%s)", x.a.nameOf(about), about))
	}
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
	name := "holdpoint-" + fileSafe(q.Session)
	if p := x.head.Part; p != nil {
		name += fmt.Sprintf("-turns-%d-%d", p.From, p.To)
	}
	return Export{name + ending, kind, func(w io.Writer) error {
		x := *x // once for each time that it is written
		x.turns = slices.Clone(x.turns)
		buffered := bufio.NewWriterSize(w, 64<<10)
		if err := write(&x, buffered); err != nil {
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
	unread      []uint64         // events that cannot be read, in order; see placing
}

type exportedTurn struct {
	run graph.RunID
	// events are stretches of the journal, each behind its first number up to its second.
	events [][2]uint64
}

func (t *exportedTurn) add(seq uint64) {
	if n := len(t.events); n > 0 && t.events[n-1][1] == seq-1 {
		t.events[n-1][1] = seq
		return
	}
	t.events = append(t.events, [2]uint64{seq - 1, seq})
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
	kept, err := a.Store.Session(q.Session) // s has its title in the language of the screens
	if err != nil {
		return nil, err
	}
	s.Title = a.titled(kept, lang)
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	x := &exporting{a: a, trace: q.Trace, at: map[string]int{}, names: map[string]names{}, head: Transcript{Format: "holdpoint-transcript/1", Generator: "Holdpoint " + a.version,
		GeneratedAt: a.now(), SafetyLine: safetyLine(settings.Region), Session: s, tongue: lang, names: names{agent: a.agentTitle(s.Agent)}}}
	if of, err := a.agents.find(s.Agent); err == nil { // one that is gone says nothing of itself
		x.head.SafetyLine = cmp.Or(of.SafetyLine, x.head.SafetyLine)
	}
	if x.last, err = a.Store.LastSeq(q.Session); err != nil {
		return nil, err
	}
	began, ended, turns, first := q.From == "", false, 0, 0
	for n := 0; ; n += piece {
		rows, err := a.Store.RunsAfter(q.Session, n, piece)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			turns++
			began = began || r.Turn == q.From
			if !began || ended {
				continue
			}
			if first == 0 {
				first = turns
			}
			ended = r.Turn == q.To
			x.at[r.Turn] = len(x.turns)
			x.turns = append(x.turns, exportedTurn{run: r.ID})
			x.head.Practice = x.head.Practice || r.Practice
			if digest := r.Vars[session.DefinitionVar]; digest != "" && !slices.Contains(x.definitions, digest) {
				x.definitions = append(x.definitions, digest)
			}
		}
		if len(rows) < piece {
			break
		}
	}
	if len(x.turns) < turns {
		x.head.Part = &Part{From: first, To: first + len(x.turns) - 1, Of: turns}
	}
	if !began || q.To != "" && !ended {
		return nil, Bad("The range does not name turns of this session in order.", "Leave it out to export all turns.")
	}
	return x, nil
}

// placing notes where in the journal each turn is told. An event that cannot be read is shown with the turn that was
// told before it, or else with the one after it.
type placing struct {
	x    *exporting
	in   int // the turn that is told; -1 for none that is exported
	open []uint64
}

// place goes through the journal for what is to be placed.
func (x *exporting) place() error {
	p := placing{x: x, in: -1}
	err := x.a.Store.EachEvent(x.head.Session.ID, 0, x.last, func(e store.StoredEvent) error {
		_, _, err := p.see(e)
		return err
	})
	p.end()
	return err
}

// see reads the next event, where it can be read.
func (p *placing) see(e store.StoredEvent) (read journal.Event, ok bool, err error) {
	if read, err = e.Read(); err != nil {
		if !p.x.passes(err) {
			return read, false, err
		}
		if p.open = append(p.open, e.Seq); p.in >= 0 {
			p.note()
		}
		return read, false, nil
	}
	switch i, ok := p.x.at[e.Turn]; {
	case ok:
		p.in = i
		p.note()
		p.x.turns[i].add(e.Seq)
	case e.Turn != "":
		p.in, p.open = -1, nil // of a turn that is not exported, and so is what stands between two of its events
	}
	return read, true, nil
}

// note places the events that cannot be read with the turn that is told.
func (p *placing) note() {
	for _, seq := range p.open {
		p.x.unread = append(p.x.unread, seq)
		p.x.turns[p.in].add(seq)
	}
	p.open = nil
}

// end says that there are no more events.
func (p *placing) end() {
	if p.x.head.Part == nil && len(p.x.turns) > 0 {
		p.in = len(p.x.turns) - 1
		p.note()
	}
}

// incomplete says how many events are not in an export although they are of it; "" for none.
func (x *exporting) incomplete() string {
	if len(x.unread) == 0 {
		return ""
	}
	return x.head.tongue.Say("%d events cannot be read and are not in this file; where each belongs is marked", len(x.unread))
}

// unreadable stands in the place of an event that cannot be read.
const unreadable journal.Kind = "unreadable"

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
			if _, lost := slices.BinarySearch(x.unread, s.Seq); lost {
				at := row.StartedAt
				if n := len(t.Events); n > 0 {
					at = t.Events[n-1].At
				}
				t.Events = append(t.Events, journal.Event{Seq: s.Seq, At: at, Turn: row.Turn, Kind: unreadable})
				return nil
			}
			if !x.told(s) {
				return nil
			}
			e, err := s.Read()
			t.Events = append(t.Events, e)
			return err
		}); err != nil {
			return t, err
		}
	}
	err = x.a.Store.Read(func(tx store.Tx) error {
		for _, e := range t.Events {
			if e.Kind == journal.ApprovalRequested {
				switch ap, err := x.approval(tx, e.Approval); {
				case err == nil:
					t.Approvals = append(t.Approvals, ap)
				case !x.passes(err): // what the request itself said of it is told
					return err
				}
			}
			// What cannot be read of the data does not make the text less than it is.
			if d, _ := journal.Read[journal.MessageData](e); d.FullText != nil {
				switch body, err := tx.Blob(d.FullText.Name); {
				case err == nil:
					t.Blobs[d.FullText.Name] = string(body)
				case !x.passes(err) && !errors.Is(err, store.ErrNoBlob):
					return err
				}
			}
		}
		return nil
	})
	t.names.arguments = map[string]map[string]string{}
	for _, ap := range t.Approvals {
		t.names.arguments[ap.ID] = titlesOf(x.a.schemaOf(ap))
	}
	return t, err
}

// passes says whether an error is of something that cannot be read, or is not there any more, and that an export says so of.
func (x *exporting) passes(err error) bool {
	return x.a.Store.Shown().Passes(err) || errors.Is(err, ledger.ErrNotFound) || errors.Is(err, store.ErrDamaged)
}

func (x *exporting) approval(tx store.Tx, id string) (ledger.Approval, error) {
	ap, err := tx.Approval(id)
	ap.Status = ap.At(x.head.GeneratedAt)
	return ap, err
}

// each writes the turns one after the other.
func (x *exporting) each(write func(i int, t Transcript) error) error {
	for i := range x.turns {
		t, err := x.turn(i)
		if err == nil {
			if x.head.Part != nil {
				i += x.head.Part.From - 1
			}
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
	if h.Part != nil {
		name("part")
		if err := value(h.Part); err != nil {
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
	lost := []store.Lost{}
	known := map[string]bool{}
	place := placing{x: x, in: -1}
	if err := list("events", "[", "]", func(add func(string, any) error) error {
		return x.a.Store.EachEvent(h.Session.ID, 0, x.last, func(e store.StoredEvent) error {
			read, ok, err := place.see(e)
			if err != nil || !ok {
				return err // it is named below
			}
			if _, ok := x.at[e.Turn]; !ok {
				return nil
			}
			if e.Kind == journal.ApprovalRequested {
				approvals = append(approvals, read.Approval)
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
	place.end()
	for _, seq := range x.unread {
		lost = append(lost, store.Lost{Table: "journal", ID: fmt.Sprintf("%s/%d", h.Session.ID, seq)})
	}
	if err := list("approvals", "[", "]", func(add func(string, any) error) error {
		return addPieces(x, approvals, add, func(tx store.Tx, id string, row func(ledger.Approval)) error {
			ap, err := x.approval(tx, id)
			if x.passes(err) {
				lost = append(lost, store.Lost{Table: "approvals", ID: id})
				return nil
			}
			row(ap)
			return err
		}, &lost)
	}); err != nil {
		return err
	}
	if err := list("ledger", "[", "]", func(add func(string, any) error) error {
		return addPieces(x, x.turns, add, func(tx store.Tx, t exportedTurn, row func(ledger.Entry)) error {
			return tx.Entries(strings.TrimPrefix(string(t.run), string(RunID(""))), func(e ledger.Entry) (bool, error) {
				row(e)
				return true, nil
			})
		}, &lost)
	}); err != nil {
		return err
	}
	if err := list("blobs", "{", "}", func(add func(string, any) error) error {
		for _, name := range blobs {
			body, err := x.a.Blob(name)
			switch {
			case errors.Is(err, store.ErrNoBlob):
				continue // not every digest in an event is a blob's
			case x.passes(err):
				lost = append(lost, store.Lost{Table: "blobs", ID: name})
				continue
			case err != nil:
				return err
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
				body, err := x.a.Store.Definition(digest)
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
	if len(lost) > 0 {
		if err := list("unreadable", "[", "]", func(add func(string, any) error) error {
			for _, l := range lost {
				if err := add("", l); err != nil {
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

// addPieces adds the rows that read finds for each of all, a piece at a time, and names those that its lists left out.
func addPieces[T, R any](x *exporting, all []T, add func(string, any) error, read func(tx store.Tx, one T, row func(R)) error, lost *[]store.Lost) error {
	for some := range slices.Chunk(all, piece) {
		var rows []R
		left, err := x.a.Store.Shown().ReadLost(func(tx store.Tx) error {
			for _, one := range some {
				if err := read(tx, one, func(r R) { rows = append(rows, r) }); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		*lost = append(*lost, left...)
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

// bytesOf hands a text to WriteFile.
func bytesOf(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}
