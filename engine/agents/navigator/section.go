package navigator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/turn"
)

// listedProviders bounds the providers that a prompt lists beside those that may fit.
const listedProviders = 40

// block is a part of the context as the prompt has it: one tag with groups of lines.
type block struct {
	tool   string
	groups []group
}

// group is a list of like items, a line each. When there is no room for all, the groups
// with the lowest need keep theirs longest, and within a group the first lines do.
type group struct {
	need  int
	name  string // what a cut calls them, e.g. "medications"
	head  string // a line before them; it stands without any, too
	lines []string
	more  int // how many there are beyond the lines
}

// What must not be missed comes first.
const (
	needAlways = iota
	needAllergies
	needMedications
	needSignal
	needUpcoming
	needConditions
	needFit
	needNarrative
	needEncounters
	needProviders
)

// blocksOf are the parts of a bundle that stand, or the others, in the prompt's order.
func blocksOf(bundle map[string]json.RawMessage, stands bool) (out []block) {
	for _, s := range sections {
		if raw, ok := bundle[s.tool]; ok && s.stands == stands {
			out = append(out, block{s.tool, groupsOf(s.tool, raw, bundle)})
		}
	}
	return out
}

// write writes blocks in at most room characters, as far as that can be: what must not be
// missed stays. named is what naming a section that was shortened takes of the room.
func write(blocks []block, room, named int) (text string, cut []Section) {
	kept, whole := choose(blocks, room)
	if !whole {
		kept, _ = choose(blocks, room-named*len(blocks))
		cut = cuts(blocks, kept)
	}
	var b strings.Builder
	for i, x := range blocks {
		b.WriteString(x.text(kept[i]))
	}
	return b.String(), cut
}

// standingOf writes what of a bundle holds for the session. The same bundle and room give
// the same text.
func standingOf(bundle map[string]json.RawMessage, room int) (text string, cut []Section) {
	return write(blocksOf(bundle, true), room, 0)
}

// contextOf writes the context of the next message within a share of the prompt: first
// what holds for the session, then what holds for this turn. cut names the sections that
// were shortened for lack of room; the turn's part names them, too.
func contextOf(t *graph.Task, s share) (standing, about string, cut []Section) {
	bundle := ChannelBundle.Get(t.State)
	standing, cut = standingOf(bundle, s.standing)
	var head, tail strings.Builder
	if turn.ChannelSafety.Get(t.State).Concern {
		head.WriteString(turn.ConcernNote + "\n")
	}
	for _, d := range ChannelAssembly.Get(t.State).Degraded {
		if !wasCut(d) {
			fmt.Fprintf(&head, "<degraded section=%q>This part is missing or not whole (%s). Ask a short question about it when it matters.</degraded>\n", d.Tool, oneLine(d.Reason, 200))
		}
	}
	if e := ChannelEmpathy.Get(t.State); e.Tone != "" {
		fmt.Fprintf(&tail, "<tone>%s %s</tone>\n", e.Tone, oneLine(e.Acknowledgement, 200))
	}
	fmt.Fprintf(&tail, "<intent>%s</intent>\n<today>%s</today>\n", ChannelIntent.Get(t.State), t.Run.StartedAt.Format("Monday 2006-01-02 15:04 -07:00"))
	body, more := write(blocksOf(bundle, false), s.turn-head.Len()-tail.Len()-cutRoom*len(cut), cutRoom)
	cut = append(cut, more...)
	for _, c := range cut {
		fmt.Fprintf(&head, "<degraded section=%q>%s; look it up or ask when it matters.</degraded>\n", c.Tool, c.Reason)
	}
	return standing, head.String() + tail.String() + body, cut
}

// mostOfItem bounds one item of a record, in characters: what is longer ends in an ellipsis. Whole items are left out,
// and named, where there is no room.
const mostOfItem = 2000

// cutRoom is what a word about a section that was shortened takes, in characters.
const cutRoom = 230

// choose says how many lines of each group of each block there is room for, and whether
// that is all. The first line that does not fit ends it: nothing that is needed less takes
// the place of what is needed more.
func choose(blocks []block, room int) (kept [][]int, whole bool) {
	type place struct{ block, group int }
	var order []place
	whole = true
	kept = make([][]int, len(blocks))
	for i, b := range blocks {
		kept[i] = make([]int, len(b.groups))
		for k := range b.groups {
			order = append(order, place{i, k})
			kept[i][k] = -1 // not even its head
		}
	}
	slices.SortStableFunc(order, func(a, b place) int {
		return blocks[a.block].groups[a.group].need - blocks[b.block].groups[b.group].need
	})
	for _, at := range order {
		b := blocks[at.block]
		g := b.groups[at.group]
		cost := len(g.head) + 1
		if !slices.ContainsFunc(kept[at.block], func(n int) bool { return n >= 0 }) {
			cost += len(b.text(nil))
		}
		if room -= cost; room < 0 && g.need > needAlways {
			return kept, false
		}
		kept[at.block][at.group] = 0
		for _, line := range g.lines {
			if room -= len(line) + 1; room < 0 && g.need > needAlways {
				return kept, false
			}
			kept[at.block][at.group]++
		}
		whole = whole && g.more == 0
	}
	return kept, whole
}

// text writes the block with as many lines of each group as were kept; a block of which
// nothing is kept is left out, unless kept is nil: then it is the empty block.
func (b block) text(kept []int) string {
	if kept != nil && !slices.ContainsFunc(kept, func(n int) bool { return n >= 0 }) {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "<%s title=%q>\n", b.tool, sectionTitle(b.tool))
	for i, n := range kept {
		g := b.groups[i]
		if n < len(g.lines) && n <= 0 {
			fmt.Fprintf(&out, "(%d %s, not shown for lack of room)\n", len(g.lines)+g.more, g.name)
			continue
		}
		if g.head != "" && n >= 0 {
			out.WriteString(g.head + "\n")
		}
		for _, line := range g.lines[:max(n, 0)] {
			out.WriteString(line + "\n")
		}
		if n >= 0 && n < len(g.lines)+g.more {
			fmt.Fprintf(&out, "(%d more %s, not shown for lack of room)\n", len(g.lines)+g.more-n, g.name)
		}
	}
	fmt.Fprintf(&out, "</%s>\n", b.tool)
	return out.String()
}

// cuts names what was left out of each block.
func cuts(blocks []block, kept [][]int) (out []Section) {
	for i, b := range blocks {
		var gone []string
		for k, g := range b.groups {
			total := len(g.lines) + g.more
			switch n := max(0, kept[i][k]); {
			case n == total:
			case n == 0:
				gone = append(gone, fmt.Sprintf("all %d %s", total, g.name))
			default:
				gone = append(gone, fmt.Sprintf("%d of %d %s", total-n, total, g.name))
			}
		}
		if len(gone) > 0 {
			why := noRoom + strings.Join(gone, ", ")
			if b.tool == providersHere {
				why += allSearched
			}
			out = append(out, Section{Tool: b.tool, Reason: why})
		}
	}
	return out
}

const (
	noRoom = "no room for "
	// Of the providers only a list for the model is cut.
	providersHere = "provider_genome"
	allSearched   = "; all of them are searched for who fits"
)

// lackedBy are the parts that a reply lacked, for whoever reads it. What the records do not have is no fault of the
// turn; that, and the list of providers, which is the same whatever is asked, is told once in a session.
func lackedBy(t *graph.Task, list []Section) []Section {
	before := slices.ContainsFunc(ChannelHistory.Get(t.State), func(e turn.Exchange) bool { return e.Reply != "" })
	out := slices.Clone(list)
	for i := range out {
		s := &out[i]
		s.Absent = s.Reason == noProviders || s.Reason == noPatient
		s.Again = before && (s.Absent || s.Tool == providersHere && wasCut(*s))
	}
	return out
}

func wasCut(s Section) bool { return strings.HasPrefix(s.Reason, noRoom) }

// also are sections with more of them; one that is named twice stands once, with what was
// said last.
func also(list, more []Section) []Section {
	out := slices.Clone(list)
	for _, s := range more {
		out = slices.DeleteFunc(out, func(o Section) bool { return o.Tool == s.Tool && wasCut(o) })
		out = append(out, s)
	}
	return out
}

// groupsOf writes what a tool found as lines. What is not in the form that the tool gives
// stands there as it is, shortened.
func groupsOf(tool string, raw json.RawMessage, bundle map[string]json.RawMessage) []group {
	switch tool {
	case "patient_context":
		var s record.Summary
		if json.Unmarshal(raw, &s) == nil && s.Patient.ID != "" {
			return patientLines(s)
		}
		var none struct{ Note string }
		if json.Unmarshal(raw, &none) == nil && none.Note != "" {
			return []group{{need: needAlways, name: "lines", lines: []string{oneLine(none.Note, 200)}}}
		}
	case "client_signal":
		var s Signal
		if json.Unmarshal(raw, &s) == nil {
			return signalLines(s)
		}
	case "session_narrative":
		var n Narrative
		if json.Unmarshal(raw, &n) == nil {
			if n.Whole {
				return nil // it stands there word for word
			}
			return []group{{need: needNarrative, name: "lines about the conversation", lines: slices.Concat(some("", n.Narrative), each("open: ", n.OpenQuestions))}}
		}
	case "provider_genome":
		var g Genome
		if json.Unmarshal(raw, &g) == nil {
			return providerLines(g)
		}
	case "therapeutic_fit":
		var f Fit
		var g Genome
		if json.Unmarshal(raw, &f) == nil {
			_ = json.Unmarshal(bundle["provider_genome"], &g) // without it, less is said of each
			return fitLines(f, g)
		}
	}
	return []group{{need: needProviders, name: "lines", lines: []string{oneLine(string(raw), 1000)}}}
}

func patientLines(s record.Summary) []group {
	p := s.Patient
	who := []string{oneLine(p.Name, 120), p.Gender}
	if p.BirthDate != "" {
		who = append(who, "born "+p.BirthDate)
	}
	if p.Age > 0 {
		who = append(who, fmt.Sprintf("%d years", p.Age))
	}
	if p.Deceased {
		who = append(who, "deceased")
	}
	if len(p.Languages) > 0 {
		who = append(who, "speaks "+strings.Join(p.Languages, ", "))
	}
	if len(p.Places) > 0 {
		who = append(who, "lives in "+strings.Join(p.Places, ", "))
	}
	who = append(who, "id "+p.ID)
	list := func(need int, name string, items []record.Item, write func(record.Item) string) group {
		g := group{need: need, name: name, head: strings.ToUpper(name[:1]) + name[1:] + ":"}
		if len(items) == 0 {
			g.head += " none in the record"
		}
		for _, i := range items {
			g.lines = append(g.lines, "- "+write(i))
		}
		return g
	}
	since := func(i record.Item) string {
		text := oneLine(i.Text, mostOfItem)
		if i.Date != "" {
			text += ", since " + i.Day()
		}
		return text
	}
	upcoming := group{need: needUpcoming, name: "upcoming visits", head: "Upcoming visits:"}
	if len(s.Upcoming) == 0 {
		upcoming.head += " none"
	}
	for _, b := range s.Upcoming {
		text := "- " + b.Start.Format("Monday 2006-01-02 15:04 -07:00")
		if b.Provider != "" {
			text += " with " + oneLine(b.Provider, mostOfItem)
		}
		if b.Reason != "" {
			text += ": " + oneLine(b.Reason, mostOfItem)
		}
		upcoming.lines = append(upcoming.lines, fmt.Sprintf("%s (%s, id %s)", text, b.Status, b.ID))
	}
	return []group{
		{need: needAlways, name: "lines", lines: []string{oneLine(strings.Join(slices.DeleteFunc(who, func(s string) bool { return s == "" }), ", "), 400)}},
		list(needAllergies, "allergies", s.Allergies, func(i record.Item) string {
			if i.Status == "" {
				return oneLine(i.Text, mostOfItem)
			}
			return oneLine(i.Text, mostOfItem) + ", criticality " + i.Status
		}),
		list(needMedications, "medications", s.Medications, since),
		upcoming,
		list(needConditions, "conditions", s.Conditions, since),
		list(needEncounters, "recent encounters", s.Encounters, func(i record.Item) string { return i.Day() + " " + oneLine(i.Text, mostOfItem) }),
	}
}

func signalLines(s Signal) []group {
	lines := slices.Concat(some("", s.SignalSummary), some("urgency: ", s.Urgency), each("concern: ", s.Concerns), each("goal: ", s.Goals), each("preference: ", s.Preferences))
	return []group{{need: needSignal, name: "lines about the need", lines: lines}}
}

func providerLines(g Genome) []group {
	total := max(g.Total, len(g.GenomeSummary))
	out := group{need: needProviders, name: "providers", head: fmt.Sprintf("%d in the records; find_providers searches them all.", total)}
	for _, p := range g.GenomeSummary[:min(len(g.GenomeSummary), listedProviders)] {
		out.lines = append(out.lines, "- "+p.line())
	}
	out.more = total - len(out.lines)
	return []group{out}
}

func (p ProviderBrief) line() string {
	parts := slices.DeleteFunc([]string{strings.Join(p.Specialties, ", "), strings.Join(p.Modalities, ", "), strings.Join(p.Languages, ", "), strings.Join(p.Places, ", ")},
		func(s string) bool { return s == "" })
	return oneLine(fmt.Sprintf("%s (id %s): %s", p.Name, p.ID, strings.Join(parts, "; ")), 300)
}

func fitLines(f Fit, g Genome) []group {
	about := map[string]string{}
	for _, p := range g.GenomeSummary {
		about[p.ID] = p.About
	}
	line := func(r Ranked) string {
		text := fmt.Sprintf("- %s (id %s), fit %.2f: %s", r.Name, r.ID, r.Score, strings.Join(slices.Concat(r.Specialties, r.Because), ", "))
		if a := about[r.ID]; a != "" {
			text += ". " + a
		}
		return oneLine(text, 400)
	}
	fits := group{need: needFit, name: "providers that may fit"}
	if len(f.Ranked) == 0 {
		fits.head = "Nobody in the records fits what was said so far. Do not name somebody as fitting; ask what is needed, or say so."
		if there := specialtiesOf(g.GenomeSummary); len(there) > 0 {
			fits.head += " Specialties here: " + oneLine(strings.Join(there, ", "), 300) + "."
		}
	}
	for _, r := range f.Ranked {
		fits.lines = append(fits.lines, line(r))
	}
	out := []group{fits}
	if len(f.Coordinators) > 0 {
		c := group{need: needFit, name: "coordinators", head: "Coordinators, who arrange care:"}
		for _, r := range f.Coordinators {
			c.lines = append(c.lines, line(r))
		}
		out = append(out, c)
	}
	return out
}

func some(label, text string) []string {
	if text = oneLine(text, 500); text == "" {
		return nil
	}
	return []string{label + text}
}

func each(label string, list []string) (out []string) {
	for _, text := range list {
		out = append(out, some(label, text)...)
	}
	return out
}

// oneLine is data as a line of a prompt: it closes no tag and begins no line of its own.
func oneLine(text string, most int) string {
	return turn.TagSafe(model.Shorten(strings.Join(strings.Fields(text), " "), most))
}

// tooMany says what of a summary's lists was left out; "" for nothing.
func tooMany(omitted map[string]int) string {
	var parts []string
	for _, name := range []string{"allergies", "medications", "conditions"} {
		if n := omitted[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d more %s", n, name))
		}
	}
	if parts == nil {
		return ""
	}
	return "the record has " + strings.Join(parts, ", ") + " than are listed"
}
