package definition

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/model"
)

// Script is what practice mode plays for the nodes of graphs: each says what it would
// say, and every way of a graph is taken once.
func Script() model.Script {
	return model.Script{
		Wishes: []model.Wish{{Name: "sum", Words: sumInWords, Tools: []string{"calculator"}}},
		Arguments: func(s *model.Scene, _ string, _ int) (map[string]string, string) {
			return map[string]string{"expression": sumIn(s.Said)}, ""
		},
		Told: func(_ *model.Scene, last model.Result) string {
			if last.Tool != "calculator" {
				return ""
			}
			return model.Field(last.Value, "expression") + " = " + model.Field(last.Value, "result")
		},
		Own:  func(s *model.Scene) bool { return stepLine.MatchString(s.System) },
		Says: stepReply, Person: asked, Ours: ours, Form: fillForm,
		Holds: func(s *model.Scene, property string) bool {
			return s.Manner == model.Stubborn && property == "problems"
		},
		Words: func(s *model.Scene, property string) string {
			if s.Manner == model.Stubborn && property == "problems" {
				return s.Say("practice is stubborn: this is not good enough yet")
			}
			return ""
		},
	}
}

// Nodes tell the model which step they are; the script goes by that.
var (
	stepLine   = regexp.MustCompile(`(?m)^Your step is (\w+) \((\w+)\)`)
	ranLine    = regexp.MustCompile(`(?m)^Nodes that ran so far: (.+)$`)
	lastOfAll  = regexp.MustCompile(`(?m)^(\w+): .*\(terminal`)
	messageTag = regexp.MustCompile(`(?s)^<message>\n(.*?)\n</message>`)
	itemTag    = regexp.MustCompile(`(?s)<item>\n(.*?)\n</item>`)
	sumLike    = regexp.MustCompile(`[\d(][\d\s().]*(?:[-+*/^×÷][\s\d().-]*\d[\d\s().]*)+`)
	sumInWords = regexp.MustCompile(`\d\s*\)*\s*[-+*/^×÷]\s*\(*\s*\d`)
	fromNodes  = []string{"Do your step now.", "Give your answer in the form", "Your answer was not accepted."}
)

// asked is the person's message in what a node's own question holds.
func asked(text string) string {
	if m := messageTag.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

// ours says that a text asks for the step's work and is not the person's.
func ours(text string) bool {
	return slices.ContainsFunc(fromNodes, func(s string) bool { return strings.HasPrefix(text, s) })
}

// sumIn is the arithmetic of a message; "" for none.
func sumIn(said string) string {
	best := ""
	for _, m := range sumLike.FindAllString(said, -1) {
		if m = strings.TrimRight(strings.TrimSpace(m), ". ("); len(m) > len(best) && sumInWords.MatchString(m) {
			best = m
		}
	}
	return model.OneLine(best, 200)
}

// itemOf is the item of a list that the question is about.
func itemOf(s *model.Scene) (item string) {
	for _, m := range s.Messages {
		if of := itemTag.FindStringSubmatch(m.Text); of != nil && m.Role == "user" {
			item = of[1]
		}
	}
	return model.OneLine(item, 120)
}

// stepWords is what a scripted step of a kind says of a message; "" for kinds without words of
// their own.
func stepWords(s *model.Scene, kind, about string) string {
	switch kind {
	case "act":
		return s.Say("There is nothing to look up or to do for “%s” with the tools at hand.", about)
	case "think":
		return s.Say("The task is “%s”. What the steps before gave is known; nothing else is missing for a try-out.", about)
	case "observe":
		return s.Say("On “%s” the newest step gave what is shown above it, and nothing more.", about)
	case "synthesize":
		return s.Say("Brought together for “%s”: the steps before agree as far as a script can tell.", about)
	case "justify":
		return s.Say("The conclusion on “%s” rests on the steps before this one.", about)
	case "answer":
		return s.Say("On “%s”: all steps of the graph ran, but their texts are scripted, so there is no finding to report.", about)
	}
	return ""
}

// stepReply words the step of a graph; "" outside of graphs.
func stepReply(s *model.Scene) string {
	m := stepLine.FindStringSubmatch(s.System)
	if m == nil {
		return ""
	}
	if name := namedSkill(s); name != "" {
		return "SKILL_SELECT:{" + name + "}"
	}
	about := model.OneLine(s.Said, 120)
	if item := itemOf(s); item != "" {
		return s.Say("On this part, “%s”, there is a scripted text and no finding.", item)
	}
	if words := stepWords(s, m[2], about); words != "" {
		return words
	}
	if len(s.Tools) > 0 {
		return "" // it talks to the person as an assistant does
	}
	return s.Say("%s, on “%s”: this step would say its part here.", strings.ReplaceAll(m[1], "_", " "), about)
}

var listedSkill = regexp.MustCompile(`(?m)^- ([a-z][a-z0-9_-]*): `)

// namedSkill is a skill that can be selected and that the person names; "" for none.
func namedSkill(s *model.Scene) string {
	_, list, ok := strings.Cut(s.System, "SKILL_SELECT:{")
	if !ok {
		return ""
	}
	for _, m := range listedSkill.FindAllStringSubmatch(list, -1) {
		if strings.Contains(strings.ToLower(s.Said), m[1]) {
			return m[1]
		}
	}
	return ""
}

// fillForm answers the formats of graphs; ok is false for all others.
func fillForm(s *model.Scene, title string, f model.Shape) (value any, ok bool) {
	about := model.OneLine(s.Said, 120)
	switch title {
	case "next_node":
		return nextNode(s, f), true
	case "route":
		next := f.Properties["next_node"].Enum
		if len(next) == 0 {
			return nil, false
		}
		return map[string]any{"next_node": next[0], "reason": s.Say("practice takes the first way")}, true
	case "plan":
		return map[string]any{"steps": []string{s.Say("Find out what is needed for: %s", about), s.Say("Check what was found"), s.Say("Answer")}}, true
	case "reflection":
		if s.Manner == model.Stubborn {
			return map[string]any{"assessment": s.Say("Practice is stubborn: it wants another round."), "again": true}, true
		}
		return map[string]any{"assessment": s.Say("Every step ran once, as a try-out wants it."), "again": false}, true
	case "thought_with_changes":
		return map[string]any{"thought": s.Say("The task is “%s”. A second look before the answer would do no harm.", about) + s.Say(model.PracticeNote), "mutations": mutations(s, f)}, true
	}
	return nil, false
}

// nextNode takes the pool's nodes one after another, those that end the work last.
func nextNode(s *model.Scene, f model.Shape) any {
	var ran []string
	if m := ranLine.FindStringSubmatch(s.Text); m != nil {
		ran = strings.Split(m[1], ", ")
	}
	var ends []string
	for _, m := range lastOfAll.FindAllStringSubmatch(s.Text, -1) {
		ends = append(ends, m[1])
	}
	var left, last []string
	stubborn := s.Manner == model.Stubborn
	for _, raw := range f.Properties["next_node"].Enum {
		var name string
		if json.Unmarshal(raw, &name) != nil || slices.Contains(ran, name) && !stubborn {
			continue
		}
		if slices.Contains(ends, name) {
			last = append(last, name)
		} else {
			left = append(left, name)
		}
	}
	switch {
	case stubborn && len(left) > 0:
		return map[string]any{"next_node": left[len(ran)%len(left)], "reason": s.Say("practice is stubborn: it is never done")}
	case len(left) > 0:
		return map[string]any{"next_node": left[0], "reason": s.Say("practice runs each node of the pool once; this one has not run")}
	case len(last) > 0:
		return map[string]any{"next_node": last[0], "reason": s.Say("every other node of the pool has run")}
	}
	return map[string]any{"next_node": Done, "reason": s.Say("everything has run")}
}

// mutations adds one node, so that people see a graph grow.
func mutations(s *model.Scene, f model.Shape) []any {
	list := f.Properties["mutations"]
	if list.Items == nil || strings.Contains(s.Text, "second_look") {
		return []any{}
	}
	kinds := list.Items.Properties["stage"].Properties["kind"].Enum
	if len(kinds) == 0 {
		return []any{}
	}
	kind := kinds[0]
	for _, k := range kinds {
		if string(k) == `"critique"` {
			kind = k
		}
	}
	return []any{map[string]any{"op": "add_stage", "reason": s.Say("practice shows that a graph may grow"), "stage": map[string]any{"name": "second_look", "kind": kind,
		"description": s.Say("Look at the work once more before the answer"), "instructions": "Look at what the steps before gave and say what is missing."}}}
}
