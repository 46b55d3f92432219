package researcher

import (
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/model"
)

// script plays the researcher's model: it goes by words alone, English and French ones, and every report says so.
func script() model.Script {
	return model.Script{Form: form}
}

var (
	asked      = regexp.MustCompile(`(?s)<question>(.*?)</question>`)
	passages   = regexp.MustCompile(`(?s)<passage id="([^"]*)"[^>]*>\n?(.*?)\n?</passage>`)
	hypotheses = regexp.MustCompile(`(?s)<hypothesis id="([^"]*)"[^>]*>(.*?)</hypothesis>`)
	sentences  = regexp.MustCompile(`[^\s](?:[^.!?]|[.!?][^\s])*[.!?]?`)
	denial     = regexp.MustCompile(`(?i)\b(no (significant|difference|effect|association|benefit|evidence|improvement)|not (associated|effective|improve|support|reduce|differ|significant)\w*|did not|does not|do not|was not|were not|failed to|ineffective|unlikely)\b` +
		`|\b(ne |n['’])[^.,;]{1,40}? (pas|plus|jamais|guère|aucun|aucune)\b|\b(aucune?|pas d[e'’]|sans) ?(effet|différence|association|bénéfice|amélioration|preuve)|\binefficace`)
	leads    = regexp.MustCompile(`(?i)^\s*(?:(?:do|does|did|is|are|was|were|can|could|should|will|would|has|have)\s+|est-ce qu(?:e\s|['’])\s*)`)
	inverted = regexp.MustCompile(`(?i)-(t-)?(ils?|elles?|on)\b`) // “améliore-t-il”
)

// form answers the researcher's own questions by their titles.
func form(s *model.Scene, title string, _ model.Shape) (any, bool) {
	text := s.Said
	switch title {
	case "hypotheses":
		m := asked.FindStringSubmatch(text)
		if m == nil {
			return nil, false
		}
		q := strings.TrimRight(strings.TrimSpace(m[1]), "?. \u00a0\u202f")
		q = leads.ReplaceAllString(q, "")
		if s.Language == "fr" {
			q = inverted.ReplaceAllString(q, "")
		}
		return map[string]any{"hypotheses": []any{map[string]any{"statement": s.Say("Yes: %s", model.OneLine(q, 250))}}}, true
	case "judgements":
		p := passages.FindStringSubmatch(text)
		if p == nil {
			return nil, false
		}
		list := []any{}
		for _, h := range hypotheses.FindAllStringSubmatch(text, -1) {
			verdict, quote := weigh(p[2], h[2])
			list = append(list, map[string]any{"hypothesis": h[1], "verdict": verdict, "quote": quote})
		}
		return map[string]any{"judgements": list}, true
	case "resolution":
		return map[string]any{"outcome": "both", "resolution": s.Say("Practice mode does not weigh sources: both stand, as if they spoke of different people.")}, true
	case "synthesis":
		list := []any{}
		for _, p := range passages.FindAllStringSubmatch(text, 3) {
			list = append(list, map[string]any{"text": s.Say("A source says: %s", model.OneLine(p[2], 300)), "evidence": []any{p[1]}})
		}
		return map[string]any{"sentences": list}, true
	}
	return nil, false
}

// weigh takes the sentence of a passage with the most words of a hypothesis: one that denies
// something contradicts, one that shares enough words supports.
func weigh(passage, hypothesis string) (verdict, quote string) {
	wanted := []string{}
	for w := range words(hypothesis) {
		if len(w) > 4 {
			wanted = append(wanted, w)
		}
	}
	slices.Sort(wanted)
	best, shared := "", 0
	for _, s := range sentences.FindAllString(passage, -1) {
		has, n := words(s), 0
		for _, w := range wanted {
			if has[w] > 0 {
				n++
			}
		}
		if n > shared {
			best, shared = strings.TrimSpace(s), n
		}
	}
	switch {
	case shared < 2 || len(best) > 480:
		return "neutral", ""
	case denial.MatchString(best):
		return "contradicts", best
	}
	return "supports", best
}
