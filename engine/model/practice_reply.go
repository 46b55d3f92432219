package model

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// practiceNote ends every reply, so that nobody takes it for a model's.
const practiceNote = " (Practice mode: this answer is scripted.)"

// refusal words a result that is no success; "" for one that is.
func (t turn) refusal(s step) string {
	reason := field(s.result, "reason")
	if reason == "" {
		reason = field(s.result, "error")
	}
	because := "."
	if reason = strings.TrimRight(oneLine(reason, 300), ". "); reason != "" {
		because = ": " + reason + "."
	}
	switch field(s.result, "status") {
	case "rejected", "denied":
		return "I understand: the reviewer did not approve this" + because + " Nothing was changed. Shall I suggest something else?" + practiceNote
	case "refused":
		return "That was not possible" + because + " Nothing was changed. Shall I look for another way?" + practiceNote
	case "failed", "error", "unknown":
		return "That did not work" + because + " I don't count on it having happened; please check the record." + practiceNote
	}
	if field(s.result, "error") != "" {
		return "That did not work" + because + practiceNote
	}
	return ""
}

// reply words what the turn's results say.
func (t turn) reply() string {
	if len(t.steps) == 0 {
		if text, ok := t.stepReply(); ok {
			return text + practiceNote
		}
		return t.greeting() + practiceNote
	}
	last := t.steps[len(t.steps)-1]
	var text string
	switch last.tool {
	case "find_providers":
		text = "I found no provider who fits that need."
		if names := t.names(t.list(last.tool, "providers", "ranked"), "name", 3); len(names) > 0 {
			text = "These providers fit: " + strings.Join(names, "; ") + ". Shall I look for an open slot with the first?"
		}
	case "provider_availability":
		text = "There is no open slot in the days I looked at."
		if starts := t.names(t.list(last.tool, "slots"), "start", 3); len(starts) > 0 {
			text = "Open slots: " + strings.Join(starts, "; ") + ". Shall I propose the first?"
		}
	case "book_appointment":
		text = "It is booked" + t.when() + "." + t.changed(last)
	case "cancel_appointment":
		text = "The appointment is cancelled." + t.changed(last)
	case "add_care_note":
		text = "The care note is written." + t.changed(last)
	case "patient_summary":
		text = t.summary(last)
	case "search_notes":
		text = fmt.Sprintf("I found %d notes with these words.", len(t.list(last.tool, "notes")))
	case "calculator":
		text = field(last.result, "expression") + " = " + field(last.result, "result")
	default:
		text = "Done: " + last.tool + " answered " + oneLine(last.raw, 200) + "."
	}
	return text + practiceNote
}

func (t turn) when() string {
	last := t.steps[len(t.steps)-1]
	if start, ok := find(last.result, "start").(string); ok {
		return " for " + moment(start)
	}
	return ""
}

func (t turn) changed(s step) string {
	if by, ok := find(s.result, "modified_by_reviewer").(bool); ok && by {
		return " The reviewer changed the details before approving."
	}
	return ""
}

// names lists a field of at most n entries, slots in a readable form.
func (t turn) names(list []any, name string, n int) (out []string) {
	for _, entry := range list[:min(n, len(list))] {
		if text := field(entry, name); text != "" {
			out = append(out, oneLine(moment(text), 80))
		}
	}
	return out
}

func (t turn) summary(s step) string {
	var parts []string
	for _, p := range []struct{ name, words string }{{"conditions", "conditions"}, {"medications", "medications"}, {"allergies", "allergies"}} {
		if texts := t.names(t.list(s.tool, p.name), "text", 4); len(texts) > 0 {
			parts = append(parts, p.words+": "+strings.Join(texts, "; "))
		}
	}
	if starts := t.names(t.list(s.tool, "upcoming_appointments"), "start", 3); len(starts) > 0 {
		parts = append(parts, "upcoming appointments: "+strings.Join(starts, "; "))
	}
	if len(parts) == 0 {
		return "The record lists no active conditions, medications, allergies or upcoming appointments."
	}
	return "The record says — " + strings.Join(parts, ". ") + "."
}

var (
	contextName      = regexp.MustCompile(`"patient"\s*:\s*\{[^{}]*?"name"\s*:\s*"([^"\\]{1,80})"`)
	contextCondition = regexp.MustCompile(`"conditions"\s*:\s*\[\s*\{[^{}]*?"text"\s*:\s*"([^"\\]{1,80})"`)
)

// greeting answers a message that needs no tool, from what the context tells.
func (t turn) greeting() string {
	text := "Thank you for telling me."
	if m := contextName.FindStringSubmatch(t.system); m != nil {
		text += " I have the record of " + oneLine(m[1], 80) + " before me"
		if c := contextCondition.FindStringSubmatch(t.system); c != nil {
			text += ", which lists " + oneLine(c[1], 80)
		}
		text += "."
	}
	return text + " I can find a provider, look for open slots, propose a visit or its cancellation, or write a care note. What would help most?"
}

// moment writes an RFC 3339 time for people; other texts stay as they are.
func moment(s string) string {
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		return at.Format("Monday 2 January 2006, 15:04")
	}
	return s
}

func oneLine(s string, n int) string {
	return firstChars(strings.Join(strings.Fields(s), " "), n)
}

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}
