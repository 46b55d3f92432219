package app

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/agent"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/visible"
)

// Line is a member of arguments or of a record as people read it. Before is empty but in
// differences.
type Line struct {
	Label  string `json:"label"`
	Before string `json:"before,omitempty"`
	Value  string `json:"value"`
}

// Difference is what would change in a record.
type Difference struct {
	Record string `json:"record"`
	// What is make, change or remove.
	What  string `json:"what"`
	Lines []Line `json:"lines"`
}

// inWords adds to the detail view what people read in the place of JSON.
func (a *App) inWords(v *ApprovalView, schema json.RawMessage) {
	if v.Erased {
		return // what it said is gone
	}
	v.Form, v.FormBefore = a.formsOf(v.Approval)
	v.Arguments = linesOf(nil, v.Args, titlesOf(schema))
	for _, c := range v.Changes {
		if a.agents.formOf(c.Ref.Type) != nil && v.Form != nil {
			continue // the form says it
		}
		if at := slices.IndexFunc(v.Current, func(now Current) bool { return now.Ref == c.Ref }); at >= 0 {
			c.Before = v.Current[at].Resource
		}
		d := Difference{Record: c.Ref.String(), What: "change", Lines: linesOf(c.Before, c.After, nil)}
		switch {
		case none(c.Before):
			d.What = "make"
		case none(c.After):
			d.What = "remove"
		}
		v.Differences = append(v.Differences, d)
	}
}

// titlesOf are the titles that a tool's schema gives to its arguments.
func titlesOf(schema json.RawMessage) map[string]string {
	var s struct {
		Properties map[string]struct{ Title string }
	}
	titles := map[string]string{}
	if json.Unmarshal(schema, &s) != nil {
		return titles // labels of our own take the place of those that are not there
	}
	for name, p := range s.Properties {
		titles[name] = p.Title
	}
	return titles
}

func none(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// bookkeeping are members of records that say nothing to people.
var bookkeeping = []string{"resourceType", "id", "meta"}

// linesOf are the members that differ between two objects, by their labels.
func linesOf(before, after json.RawMessage, titles map[string]string) []Line {
	old := members{paths: map[string]string{}, values: map[string]string{}}
	now := members{paths: old.paths, values: map[string]string{}}
	old.read(before, titles)
	now.read(after, titles)
	all := maps.Clone(old.values)
	maps.Copy(all, now.values)
	out := []Line{}
	for _, label := range slices.Sorted(maps.Keys(all)) {
		if old.values[label] != now.values[label] {
			out = append(out, Line{Label: label, Before: old.values[label], Value: now.values[label]})
		}
	}
	return out
}

// members are the values of an object by their labels.
type members struct {
	paths  map[string]string // of each label, where its value is
	values map[string]string
}

// read puts an object there. What is none is one member, as it is: who decides sees all that they decide on.
func (m members) read(raw json.RawMessage, titles map[string]string) {
	if none(raw) {
		return
	}
	var object map[string]any
	if json.Unmarshal(raw, &object) != nil {
		m.values["JSON"] = string(raw)
		return
	}
	m.flat(object, "", "", titles)
}

// flat puts the members of an object under their labels, those within it behind its own.
func (m members) flat(from map[string]any, path, under string, titles map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if under == "" && slices.Contains(bookkeeping, name) {
			continue
		}
		label := titles[name]
		if label == "" {
			label = labelOf(name)
		}
		m.put(from[name], path+"."+name, strings.TrimPrefix(under+", "+label, ", "))
	}
}

// set puts a value under its label, with its name where another has that label: neither stands for both.
func (m members) set(path, label, value string) {
	for _, name := range []string{"", path[strings.LastIndexByte(path, '.')+1:], path} {
		own := label
		if name != "" {
			own += " (" + name + ")"
		}
		if at, taken := m.paths[own]; !taken || at == path {
			m.paths[own], m.values[own] = path, value
			return
		}
	}
}

func (m members) put(v any, path, label string) {
	switch v := v.(type) {
	case nil:
	case string:
		if v != "" {
			m.set(path, label, v)
		}
	case map[string]any:
		reference, _ := v["reference"].(string)
		if display, _ := v["display"].(string); display != "" && reference != "" {
			m.set(path, label, display+" ("+reference+")")
			return
		}
		if typ, _ := v["contentType"].(string); strings.HasPrefix(strings.ToLower(typ), "text/") {
			data, _ := v["data"].(string)
			if text, ok := record.AttachmentText(data); ok {
				v = maps.Clone(v)
				v["data"] = text
			}
		}
		m.flat(v, path, label, nil)
	case []any:
		plain := make([]string, 0, len(v))
		for _, x := range v {
			switch x.(type) {
			case map[string]any, []any:
			default:
				plain = append(plain, fmt.Sprint(x))
				continue
			}
			for i, each := range v {
				m.put(each, fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("%s %d", label, i+1))
			}
			return
		}
		m.set(path, label, strings.Join(plain, "; "))
	case bool:
		m.set(path, label, map[bool]string{true: "yes", false: "no"}[v])
	default:
		raw, err := json.Marshal(v)
		if err == nil {
			m.set(path, label, string(raw))
		}
	}
}

// valuesOf are the values of an object by their labels.
func valuesOf(object map[string]any) map[string]string {
	m := members{paths: map[string]string{}, values: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		m.put(object[name], "."+name, labelOf(name))
	}
	return m.values
}

// units are endings of names that are a unit.
var units = map[string]string{"ft": "ft", "mcf": "mcf", "mcfd": "mcf/d", "usd": "USD", "ppm": "ppm", "psia": "psia", "pct": "%", "days": "days", "hours": "hours", "acres": "acres"}

var humps = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// labelOf makes words of a member's name: cable_length_ft is "Cable length (ft)".
func labelOf(name string) string {
	words := strings.Fields(strings.ReplaceAll(humps.ReplaceAllString(name, "$1 $2"), "_", " "))
	unit := ""
	if n := len(words); n > 1 && units[strings.ToLower(words[n-1])] != "" {
		unit, words = " ("+units[strings.ToLower(words[n-1])]+")", words[:n-1]
	}
	for i, w := range words {
		if strings.ToUpper(w) != w {
			words[i] = strings.ToLower(w)
		}
	}
	text := strings.Join(words, " ")
	if text == "" {
		return name
	}
	return strings.ToUpper(text[:1]) + text[1:] + unit
}

// factWords name the facts of a summary on a terminal.
var factWords = map[ledger.FactKind]string{ledger.FactPerson: tongue.Word("for"), ledger.FactProvider: tongue.Word("with"), ledger.FactTime: tongue.Word("when"), ledger.FactPlace: tongue.Word("where"), ledger.FactAbout: tongue.Word("about"), ledger.FactReason: tongue.Word("reason")}

// ErasedTitle stands where the sentence of an approval was before its session was deleted.
var ErasedTitle = tongue.Word("What it said was deleted with its session.")

// WrittenByWeak is the mark of what a very small model asks a person to approve.
var WrittenByWeak = tongue.Word("Written by a very small model: check it against the record")

// ApprovalText is an approval in full, for a terminal, in a language; when says its times.
func ApprovalText(g tongue.Tongue, v ApprovalView, when func(time.Time) string) string {
	var b strings.Builder
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-13s %s\n", label, visible.Line(text))
		}
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return when(t)
	}
	title := g.Told(v.Title)
	if v.Erased {
		title = g.Say(ErasedTitle)
	}
	b.WriteString(visible.Line(title) + "\n\n")
	line(g.Say("id"), v.ID)
	line(g.Say("status"), g.Say(string(v.Status)))
	line(g.Say("checkpoint"), v.Checkpoint)
	line(g.Say("held because"), g.Told(v.Because))
	line(g.Say("may decide"), g.Told(v.MayDecide))
	line(g.Say("requested"), at(v.RequestedAt))
	due := at(v.DueAt)
	if v.Overdue {
		due += "  " + g.Say("OVERDUE")
	}
	line(g.Say("due"), due)
	if v.EscalateTo != nil {
		line(g.Say("escalates"), g.Say("%s to %s", at(v.EscalateAt), v.EscalateTo))
	}
	switch {
	case v.ClockSetBack:
		line(g.Say("expired"), g.Say("the clock was set back since it was asked"))
	case v.Status == ledger.Expired:
		line(g.Say("expired"), at(v.ExpiresAt))
	case v.Status == ledger.Pending || v.Status == ledger.Approved:
		line(g.Say("expires"), at(v.ExpiresAt))
	case v.Status == ledger.Void:
		line(g.Say("no longer asked"), cmp.Or(g.Told(v.Why), g.Say("The turn that asked was stopped or given up.")))
	}
	if v.Status != ledger.Void && v.Outcome == ledger.Refused {
		line(g.Say("not done"), g.Told(v.Why))
	}
	line(g.Say("decided"), Decided(g, v, when))
	for _, d := range v.Delegations {
		line(g.Say("passed on"), g.Say("by %s to %s on %s%s", d.From, d.To, at(d.At), because(d.Comment)))
	}
	tool := v.Tool
	if v.ToolTitle != "" {
		tool = g.Told(v.ToolTitle) + " (" + v.Tool + ")"
	}
	line(g.Say("tool"), tool)
	line(g.Say("turn"), v.Turn)
	line(g.Say("call"), v.Call)
	line(g.Say("policy"), v.PolicyVersion)
	line(g.Say("digest"), v.Digest)
	if v.Erased {
		for _, c := range v.Changes {
			line(g.Say("record"), strings.TrimSpace(c.Ref.String()+" "+v.Names[c.Ref.String()]))
		}
		line(g.Say("meaning"), v.Meaning)
		return b.String()
	}
	if v.Original != nil {
		line(g.Say("original"), string(v.Original.Args))
		line("", v.Original.Digest)
		line("", g.Told(v.Original.Reason))
	}
	line(g.Say("why"), g.Told(v.Reason))
	if v.Weak {
		line(g.Say("warning"), g.Say(WrittenByWeak))
	}
	for _, w := range slices.Concat(v.Warnings, v.Warned) { // those of what waits, or those that stood there when it was decided
		line(g.Say("warning"), g.Caution(w))
	}
	for _, f := range v.Summary {
		line(g.Say(factWords[f.Kind]), cmp.Or(f.Text, at(f.From)))
	}
	if len(v.Arguments) > 0 {
		b.WriteString("\n" + g.Say("Arguments") + "\n")
		for _, l := range v.Arguments {
			line("  "+label(g, l.Label)+":", moment(l.Value, when))
		}
		line(g.Say("exactly"), oneLine(v.Args))
	} else {
		line(g.Say("arguments"), oneLine(v.Args))
	}
	if v.Form != nil {
		formText(g, &b, v.Form, v.FormBefore)
	}
	for _, d := range v.Differences {
		fmt.Fprintf(&b, "\n%s %s\n", g.Say(map[string]string{"make": tongue.Word("Make"), "change": tongue.Word("Change"), "remove": tongue.Word("Remove")}[d.What]), visible.Line(d.Record))
		for _, l := range d.Lines {
			value := func(text string) string {
				if coded.MatchString(l.Label) {
					return g.Told(text)
				}
				return moment(text, when)
			}
			text := value(l.Value)
			if d.What != "make" {
				text = orNothing(g, value(l.Before)) + "  →  " + orNothing(g, text)
			}
			line("  "+label(g, l.Label)+":", text)
		}
	}
	if v.Reviewer != "" {
		b.WriteString("\n")
		line(g.Say("reviewer"), reviewerWords(g, v.Reviewer, v.Identity))
		line(g.Say("comment"), v.Comment)
	}
	return b.String()
}

// reviewerWords are a reviewer's name and by what it is known.
func reviewerWords(g tongue.Tongue, name string, known ledger.Identity) string {
	how := map[ledger.Identity]string{
		ledger.IdentityTyped:      tongue.Word("name as typed, not verified"),
		ledger.IdentityAccount:    tongue.Word("name of the system account, not verified"),
		ledger.IdentityPassphrase: tongue.Word("with their passphrase"),
		ledger.IdentitySignature:  tongue.Word("with their signature"),
	}[known]
	if how == "" {
		return name // an older version stored it
	}
	return name + " (" + g.Say(how) + ")"
}

// ReviewerOf names who decided on an approval, and says by what the name is known.
func ReviewerOf(g tongue.Tongue, v ApprovalView) string {
	return reviewerWords(g, v.Reviewer, v.Identity)
}

// Approved is Decided, of what was done to a record.
func (v RecordVerdict) Approved(g tongue.Tongue, when func(time.Time) string) string {
	of := ApprovalView{Approval: ledger.Approval{Status: ledger.Used, Reviewer: v.Reviewer, Identity: v.Identity, DecidedAt: &v.DecidedAt}, Outcome: ledger.Committed}
	if !v.UsedAt.IsZero() {
		of.UsedAt = &v.UsedAt
	}
	return Decided(g, of, when)
}

// Decided says who gave the verdict and when, and when the call was carried out: whoever approves
// does not do that. It is "" before a verdict.
func Decided(g tongue.Tongue, v ApprovalView, when func(time.Time) string) string {
	if v.DecidedAt == nil {
		return ""
	}
	if v.Reviewer == "" {
		return when(*v.DecidedAt)
	}
	text := g.Say("approved by %s, %s", ReviewerOf(g, v), when(*v.DecidedAt))
	switch {
	case v.Status == ledger.Rejected:
		text = g.Say("rejected by %s, %s", ReviewerOf(g, v), when(*v.DecidedAt))
	case v.UsedAt == nil:
	case v.Outcome == ledger.Committed:
		text += g.Say("; carried out %s", when(*v.UsedAt))
	case v.Outcome != ledger.Refused:
		text += g.Say("; used %s", when(*v.UsedAt))
	}
	return text
}

// coded are the labels of members that hold a code of FHIR's, which has words in each language.
var coded = regexp.MustCompile(`(?:^|, )(?:Status|Gender|Intent|Priority|Criticality|Severity)(?: \d+)?$`)

// counted are a label's word, its place in a list, and its unit.
var counted = regexp.MustCompile(`^(.+?)( \d+)?( \([^()]+\))?$`)

// label says a label, "Participant 1, Status", in a language, each of its words for itself.
func label(g tongue.Tongue, text string) string {
	words := strings.Split(text, ", ")
	for i, w := range words {
		if m := counted.FindStringSubmatch(w); m != nil {
			words[i] = g.Told(m[1]) + m[2] + m[3]
		}
	}
	return strings.Join(words, ", ")
}

// moment says a time as people read times; what is none stays.
func moment(text string, when func(time.Time) string) string {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return when(t)
	}
	return text
}

// oneLine is JSON without the blanks that a file may have it with.
func oneLine(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func orNothing(g tongue.Tongue, text string) string {
	if text == "" {
		return g.Say("(nothing)")
	}
	return text
}

// formText writes a form box by box, and what a reviewer changed of it.
func formText(g tongue.Tongue, b *strings.Builder, f, before *agent.Form) {
	fmt.Fprintf(b, "\n%s\n%s\n\n", g.Say("Form %s: %s", visible.Line(f.Name), visible.Line(g.Told(f.Title))), visible.Line(f.Subject))
	was := map[string]agent.Box{}
	if before != nil {
		for _, x := range before.Boxes {
			was[x.ID] = x
		}
	}
	for _, x := range f.Boxes {
		value := boxValue(g, x)
		fmt.Fprintf(b, "%4s  %s: %s\n", visible.Line(x.ID), visible.Line(g.Told(x.Label)), visible.Line(value))
		if old, ok := was[x.ID]; ok && boxValue(g, old) != value {
			fmt.Fprintf(b, "      %s\n", g.Say("CHANGED by the reviewer; it was: %s", visible.Line(boxValue(g, old))))
		}
		if x.Source != "" {
			fmt.Fprintf(b, "      %s\n", g.Say("source: %s", visible.Line(g.Told(x.Source))))
		}
		if x.Note != "" {
			fmt.Fprintf(b, "      %s\n", g.Say("note: %s", visible.Line(g.Told(x.Note))))
		}
	}
	for _, part := range formLists(g, *f) {
		if len(part.Lines) > 0 {
			fmt.Fprintf(b, "\n%s\n", g.Say(part.Title))
			for _, l := range part.Lines {
				fmt.Fprintf(b, "  - %s\n", visible.Line(l))
			}
		}
	}
}
