package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/agent"
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
func (a *App) inWords(v *ApprovalView) {
	v.Form, v.FormBefore = a.formsOf(v.Approval)
	var schema struct {
		Properties map[string]struct{ Title string }
	}
	_ = json.Unmarshal(a.schemaOf(v.Approval), &schema) // labels of our own take the place of what is not there
	titles := map[string]string{}
	for name, p := range schema.Properties {
		titles[name] = p.Title
	}
	v.Arguments = linesOf(nil, v.Args, titles)
	for _, c := range v.Changes {
		if a.agents.formOf(c.Ref.Type) != nil && v.Form != nil {
			continue // the form says it
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

func none(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// bookkeeping are members of records that say nothing to people.
var bookkeeping = []string{"resourceType", "id", "meta"}

// linesOf are the members that differ between two objects, by their labels.
func linesOf(before, after json.RawMessage, titles map[string]string) []Line {
	var was, is map[string]any
	_ = json.Unmarshal(before, &was)
	_ = json.Unmarshal(after, &is)
	old, now := map[string]string{}, map[string]string{}
	flat(was, "", titles, old)
	flat(is, "", titles, now)
	all := maps.Clone(old)
	maps.Copy(all, now)
	out := []Line{}
	for _, label := range slices.Sorted(maps.Keys(all)) {
		if old[label] != now[label] {
			out = append(out, Line{Label: label, Before: old[label], Value: now[label]})
		}
	}
	return out
}

// flat puts the members of an object under their labels, those within it behind its own.
func flat(from map[string]any, under string, titles map[string]string, into map[string]string) {
	for name, v := range from {
		if under == "" && slices.Contains(bookkeeping, name) {
			continue
		}
		label := titles[name]
		if label == "" {
			label = labelOf(name)
		}
		put(v, strings.TrimPrefix(under+", "+label, ", "), into)
	}
}

func put(v any, label string, into map[string]string) {
	switch v := v.(type) {
	case nil:
	case string:
		if v != "" {
			into[label] = v
		}
	case map[string]any:
		reference, _ := v["reference"].(string)
		if display, _ := v["display"].(string); display != "" && reference != "" {
			into[label] = display + " (" + reference + ")"
			return
		}
		flat(v, label, nil, into)
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
				put(each, fmt.Sprintf("%s %d", label, i+1), into)
			}
			return
		}
		into[label] = strings.Join(plain, "; ")
	case bool:
		into[label] = map[bool]string{true: "yes", false: "no"}[v]
	default:
		raw, err := json.Marshal(v)
		if err == nil {
			into[label] = string(raw)
		}
	}
}

// units are endings of names that are a unit.
var units = map[string]string{"ft": "ft", "mcf": "mcf", "mcfd": "mcf/d", "usd": "USD", "ppm": "ppm", "psia": "psia", "pct": "%", "days": "days", "hours": "hours", "acres": "acres"}

var humps = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// labelOf makes words of a member's name: lease_line_ft is "Lease line (ft)".
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

// ApprovalText is an approval in full, for a terminal.
func ApprovalText(v ApprovalView) string {
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
		return t.Format(time.RFC3339)
	}
	b.WriteString(visible.Line(v.Title) + "\n\n")
	line("id", v.ID)
	line("status", string(v.Status))
	line("checkpoint", v.Checkpoint)
	line("held because", v.Because)
	line("may decide", v.MayDecide)
	line("requested", at(v.RequestedAt))
	due := at(v.DueAt)
	if v.Overdue {
		due += "  OVERDUE"
	}
	line("due", due)
	if v.EscalateTo != nil {
		line("escalates", at(v.EscalateAt)+" to "+v.EscalateTo.String())
	}
	line("expires", at(v.ExpiresAt))
	for _, d := range v.Delegations {
		line("passed on", fmt.Sprintf("by %s to %s on %s%s", d.From, d.To, at(d.At), because(d.Comment)))
	}
	line("tool", v.Tool)
	line("turn", v.Turn)
	line("call", v.Call)
	line("policy", v.PolicyVersion)
	line("digest", v.Digest)
	if v.Original != nil {
		line("original", string(v.Original.Args))
		line("", v.Original.Digest)
	}
	line("why", v.Reason)
	for _, w := range v.Warnings {
		line("warning", w)
	}
	if len(v.Arguments) > 0 {
		b.WriteString("\nArguments\n")
		for _, l := range v.Arguments {
			line("  "+l.Label+":", l.Value)
		}
		line("exactly", string(v.Args))
	} else {
		line("arguments", string(v.Args))
	}
	if v.Form != nil {
		formText(&b, v.Form, v.FormBefore)
	}
	for _, d := range v.Differences {
		fmt.Fprintf(&b, "\n%s %s\n", map[string]string{"make": "Make", "change": "Change", "remove": "Remove"}[d.What], visible.Line(d.Record))
		for _, l := range d.Lines {
			text := l.Value
			if d.What != "make" {
				text = orNothing(l.Before) + "  →  " + orNothing(l.Value)
			}
			line("  "+l.Label+":", text)
		}
	}
	if v.Reviewer != "" {
		b.WriteString("\n")
		line("reviewer", v.Reviewer)
		line("comment", v.Comment)
	}
	return b.String()
}

func orNothing(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return text
}

// formText writes a form box by box, and what a reviewer changed of it.
func formText(b *strings.Builder, f, before *agent.Form) {
	fmt.Fprintf(b, "\nForm %s: %s\n%s\n\n", visible.Line(f.Name), visible.Line(f.Title), visible.Line(f.Subject))
	value := func(x agent.Box) string {
		if x.Status != "filled" {
			return "(" + x.Status + ")"
		}
		return strings.TrimSpace(x.Value + " " + x.Unit)
	}
	was := map[string]agent.Box{}
	if before != nil {
		for _, x := range before.Boxes {
			was[x.ID] = x
		}
	}
	for _, x := range f.Boxes {
		fmt.Fprintf(b, "%4s  %s: %s\n", visible.Line(x.ID), visible.Line(x.Label), visible.Line(value(x)))
		if old, ok := was[x.ID]; ok && value(old) != value(x) {
			fmt.Fprintf(b, "      CHANGED by the reviewer; it was: %s\n", visible.Line(value(old)))
		}
		if x.Source != "" {
			fmt.Fprintf(b, "      source: %s\n", visible.Line(x.Source))
		}
		if x.Note != "" {
			fmt.Fprintf(b, "      note: %s\n", visible.Line(x.Note))
		}
	}
	for _, part := range []struct {
		title string
		lines []string
	}{{"Missing", f.Missing}, {"Attachments to add", f.Attachments}, {"Assumptions", f.Assumptions}, {"Notes", f.Notes}} {
		if len(part.lines) > 0 {
			fmt.Fprintf(b, "\n%s\n", part.title)
			for _, l := range part.lines {
				fmt.Fprintf(b, "  - %s\n", visible.Line(l))
			}
		}
	}
}
