package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/session"
	engine "holdpoint/engine/turn"
	"holdpoint/engine/visible"
	"holdpoint/store"
)

// Transcript is a session as it is exported: everything that is needed to check
// who approved what, on which model, and what followed.
type Transcript struct {
	Format      string            `json:"format"` // "holdpoint-transcript/1"
	Generator   string            `json:"generator"`
	GeneratedAt time.Time         `json:"generated_at"`
	SafetyLine  string            `json:"safety_line"`
	Practice    bool              `json:"practice"`
	Session     SessionView       `json:"session"`
	Part        *Part             `json:"part,omitempty"` // where not all turns are in it
	Turns       []TurnView        `json:"turns"`
	Events      []journal.Event   `json:"events"`
	Approvals   []ledger.Approval `json:"approvals"`
	Ledger      []ledger.Entry    `json:"ledger"`
	// Blobs are the bodies that events refer to, by name.
	Blobs map[string]string `json:"blobs"`
	// Definitions are the files of people's own agents that turns ran on, by digest.
	Definitions map[string]string `json:"definitions,omitempty"`
	// Unreadable are the rows that belong here, and of which what is kept is damaged.
	Unreadable []store.Lost `json:"unreadable,omitempty"`

	names  names
	tongue tongue.Tongue
}

// Part says which of a session's turns are exported, counted from 1.
type Part struct {
	From int `json:"from"`
	To   int `json:"to"` // included
	Of   int `json:"of"` // how many the session has
}

// say tells it.
func (p Part) say(g tongue.Tongue) string {
	if p.From == p.To {
		return g.Say("turn %d of %d; the others are not in this file", p.From, p.Of)
	}
	return g.Say("turns %d to %d of %d; the others are not in this file", p.From, p.To, p.Of)
}

// names are what a person calls the stages, tools and conditions of a turn.
type names struct {
	stages, tools, conditions map[string]string
	agent                     string
	// arguments are the titles of the arguments of what was proposed, by approval and name.
	arguments map[string]map[string]string
	other     string // the record that the turn is about, where it is not the session's
}

// of is e as a person reads it: whoever checks it finds the names inside in the JSON.
func (n names) of(g tongue.Tongue, e journal.Event) journal.Event {
	title := func(in map[string]string, name string) string { return g.Told(cmp.Or(in[name], name)) }
	e.Stage, e.From, e.To = journal.StageID(title(n.stages, string(e.Stage))), journal.StageID(title(n.stages, string(e.From))), journal.StageID(title(n.stages, string(e.To)))
	e.Tool, e.Condition = title(n.tools, e.Tool), title(n.conditions, e.Condition)
	return e
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
		case unreadable:
			n.Label, n.Text = say("Unreadable"), say("What is kept of event %d is damaged and is not in this file; holdpoint check says what can be done.", e.Seq)
		case journal.TurnStarted:
			n.Kind, n.Label, n.Text = "user", say("Person"), t.input(turn)
		case journal.Message:
			n.Kind, n.Label, n.Text = "assistant", t.speaker(e), t.fullText(e)
			said = append(said, n.Text)
			if d, _ := journal.Read[journal.MessageData](e); d.FullText != nil {
				if _, ok := t.Blobs[d.FullText.Name]; !ok {
					n.Text += "\n\n" + say("What follows is damaged and is not in this file; holdpoint check says what can be done.")
				}
			}
			for _, lacking := range Lacking(t.tongue, t.names.tools, e) {
				n.Text += "\n\n" + lacking
			}
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
			a, there := approvals[e.Approval]
			n.Kind, n.Label = "hold", say("Hold point")
			if !there {
				if d, err := journal.Read[journal.ApprovalRequestedData](e); err == nil && d.Title != "" {
					titles[e.Approval] = d.Title
					n.Text = visible.Line(t.tongue.Told(d.Title)) + "\n"
				}
				n.Text += say("What is kept of approval %s is damaged and is not in this file; holdpoint check says what can be done.", e.Approval)
				break
			}
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
			if a.Weak {
				n.Text += "\n" + say(WrittenByWeak)
			}
			n.Mono = t.covered(asked)
		case journal.ApprovalDecided:
			d, err := journal.Read[journal.ApprovalDecidedData](e)
			if err != nil {
				d.Reviewer = say("unreadable")
			}
			n.Kind, n.Label, n.Text = "hold", say("Verdict"), say("%s by %s", say(e.Status), visible.Line(reviewerWords(t.tongue, d.Reviewer, ledger.Identity(d.Identity))))
			if e.Reason != "" {
				n.Text = say("%s: %s", n.Text, e.Reason) // a person's comment
			}
			if d.Was != "" {
				n.Label, n.Mono = say("Changed"), say("digest before")+" "+d.Was
				if before := titles[e.Approval]; before != d.Title {
					n.Text += "\n" + say("from: %s\nto: %s", visible.Line(t.tongue.Told(before)), visible.Line(t.tongue.Told(d.Title)))
				}
				for _, l := range d.Changed {
					n.Text += "\n" + say("%s: %s", visible.Line(label(t.tongue, l.Label)), cmp.Or(l.Before, say("(nothing)"))+" → "+cmp.Or(l.After, say("(nothing)")))
				}
				titles[e.Approval] = d.Title
			}
			if d.Digest != "" {
				n.Mono = say("digest") + " " + d.Digest
				a := approvals[e.Approval]
				if len(a.Warned) > 0 {
					n.Text += "\n" + say("Warnings that stood beside it:")
				}
				for _, w := range a.Warned {
					n.Text += "\n- " + visible.Line(t.tongue.Caution(w))
				}
				if a.Original != nil && a.Digest == d.Digest {
					n.Text += "\n" + visible.Line(t.tongue.Told(a.Title))
					n.Mono = t.covered(a)
				}
			}
		case journal.ApprovalRefused:
			n.Kind, n.Label, n.Text = "hold", say("Refused"), t.tongue.Told(e.Reason)
		case journal.MutationCommitted:
			n.Label, n.Text = say("Done"), say("%s was carried out", e.Tool)
			if d, err := journal.Read[journal.MutationCommittedData](e); err == nil {
				n.Mono = t.laidOut(d.Result)
				for _, ref := range d.Refs {
					n.Mono = strings.TrimLeft(n.Mono+"\n"+say("record")+" "+ref, "\n")
				}
			}
		case journal.ToolRefused:
			n.Label, n.Text = say("Not done"), say("%s: %s", visible.Line(e.Tool), t.tongue.Told(e.Reason))
		case journal.TurnFailed, journal.StageFailed:
			n.Label, n.Text = say("Failed"), say("%s: %s", string(e.Stage), Failure(t.tongue, e.Error))
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
				n.Text, n.Mono = join(t.tongue, say("%s lets %s decide as well", visible.Line(d.From), visible.Line(d.To)), e.Reason), say("digest")+" "+d.Digest
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
			n.Kind = "trace"
			n.Label, n.Text = KindWords(t.tongue, e)
			if e.Kind == journal.Transition {
				if e.Condition != "" {
					e.Condition = " (" + e.Condition + ")"
				}
				n.Text = join(t.tongue, say("%s → %s by %s%s", e.From, e.To, t.tongue.Named(e.Resolver), e.Condition), WayReason(t.tongue, e.Resolver, e.Reason))
			}
			n.Mono = t.laidOut(e.Data)
		}
		out = append(out, n)
	}
	return out
}

// covered is what an approval covers: arguments and records as people read them, and the digest of them byte for
// byte. The bytes themselves stand in an export as JSON.
func (t Transcript) covered(a ledger.Approval) string {
	say := t.tongue.Say
	text := t.lines(linesOf(nil, a.Args, t.names.arguments[a.ID])) + say("digest") + " " + a.Digest
	for _, c := range a.Changes {
		text = strings.TrimRight(text, "\n") + "\n\n" + say("record") + " " + c.Ref.String() + "\n" + t.lines(linesOf(c.Before, c.After, nil))
	}
	return strings.TrimRight(text, "\n")
}

// laidOut are the members of an object, a line each, by their labels; what is no object stays as it is.
func (t Transcript) laidOut(raw json.RawMessage) string {
	var object map[string]any
	if json.Unmarshal(raw, &object) != nil {
		return string(raw)
	}
	values := valuesOf(object)
	var lines []Line
	for _, label := range slices.Sorted(maps.Keys(values)) {
		if values[label] == "" {
			continue // a list of nothing
		}
		under, last := "", label
		if i := strings.LastIndex(label, ", "); i >= 0 {
			under, last = label[:i+2], label[i+2:]
		}
		if m, measured := measures[last]; measured {
			lines = append(lines, Line{Label: under + m.title, Value: values[label] + m.unit})
			continue
		}
		lines = append(lines, Line{Label: label, Value: values[label]})
	}
	return strings.TrimRight(t.lines(lines), "\n")
}

// measures are numbers whose labels alone do not say what they count, or in what.
var measures = map[string]struct{ title, unit string }{
	"Ms": {"Time taken", " ms"}, "Prompt ms": {"Time to read the prompt", " ms"}, "Output ms": {"Time to write the answer", " ms"}, "Wait ms": {"Wait", " ms"},
	"Evaluated": {"Prompt tokens read anew", ""},
}

// lines writes members, each with what it was before if that was something.
func (t Transcript) lines(list []Line) string {
	var b strings.Builder
	for _, l := range list {
		value := func(text string) string {
			if coded.MatchString(l.Label) {
				return t.tongue.Told(text)
			}
			items := strings.Split(text, "; ")
			for i, item := range items {
				if title := cmp.Or(t.names.tools[item], t.names.stages[item]); title != "" {
					items[i] = t.tongue.Told(title)
				}
			}
			text = strings.Join(items, "; ")
			return strings.ReplaceAll(moment(text, func(at time.Time) string { return t.tongue.Moment(at.In(t.zone())) }), "\n", "\n    ")
		}
		text := value(l.Value)
		if l.Before != "" {
			text = value(l.Before) + "  →  " + orNothing(t.tongue, text)
		}
		b.WriteString(t.tongue.Say("%s: %s", label(t.tongue, l.Label), text) + "\n")
	}
	return b.String()
}

// kindWords is a kind of event as a heading: "Stage started".
func kindWords(k journal.Kind) string {
	words := strings.ReplaceAll(string(k), "_", " ")
	return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
}

// KindWords are those of an event that has no words of its own: the name of its kind, and what
// events of all kinds may say.
func KindWords(g tongue.Tongue, e journal.Event) (label, text string) {
	return g.Say(kindWords(e.Kind)), strings.TrimSpace(fmt.Sprintf("%s %s %s %s", e.Stage, e.Tool, g.Told(e.Reason), Failure(g, e.Error)))
}

// zone is that of the clinic: the one that all times in words are in.
func (t Transcript) zone() *time.Location { return t.GeneratedAt.Location() }

// Lacking says of a message which parts of its context the model had not, or not whole. called are the titles of tools by
// their names.
func Lacking(in tongue.Tongue, called map[string]string, e journal.Event) (out []string) {
	d, err := journal.Read[journal.MessageData](e)
	if err != nil {
		return nil
	}
	for _, s := range d.Degraded {
		part, why := partOf(in, called, s.Tool), in.Told(visible.Line(s.Reason))
		switch {
		case s.Again:
		case s.Absent:
			out = append(out, in.Say("%s: %s", part, why))
		default:
			out = append(out, in.Say("Degraded: %s, %s", part, why))
		}
	}
	return out
}

// partOf is what a person calls a part of the context, by the name of its tool.
func partOf(in tongue.Tongue, called map[string]string, tool string) string {
	if title := called[tool]; title != "" {
		return in.Told(title)
	}
	return in.Named(tool)
}

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
	case d.Template == engine.NoWordsTemplate, d.Template == engine.UnansweredTemplate: // no model wrote it
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
