package filing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/model"
)

// What the practice script hears in a message, the first that fits; in French as well where the
// person is written to in it.
var (
	saidLink     = lazyregexp.New(`(?i)\blink\s+(\S+/\S+)\s+(?:to|with)\s+(\S+/[^\s.]+)`)
	saidStatus   = lazyregexp.New(`(?i)\b(?:set|change|mark)\b.*\bstatus\b.*?\b(?:to|as)\s+([a-z][a-z ]{1,30})`)
	saidCreate   = lazyregexp.New(`(?i)\b(?:create|add)\b.*\boperator\s+["“]?([^"”.]{2,80})`)
	saidRule37   = lazyregexp.New(`(?i)\b(?:rule\s*37|w-?1)\b`)
	saidRule32   = lazyregexp.New(`(?i)\b(?:rule\s*32|r-?32)\b`)
	saidCause    = lazyregexp.New(`(?i)\bgood cause\b|\bnarrative\b`)
	saidSpacing  = lazyregexp.New(`(?i)\bspac|\blease line|\bdistance|\btoo (?:near|close)`)
	saidOffset   = lazyregexp.New(`(?i)\boffset|\bneighbou?r|\bwells? (?:around|near)`)
	saidEmission = lazyregexp.New(`(?i)\bemi(?:t|ssion)|\bco2e?\b`)
	saidFlaring  = lazyregexp.New(`(?i)\bflar|\bvent`)
	saidFind     = lazyregexp.New(`(?i)\b(?:find|resolve|which|look up)\b\s*(?:the\s+)?(?:well|lease|operator|field)?\s*(?:is\b|called\b|named\b)?\s*["“]?([^"”?!]*)`)
	saidRef      = lazyregexp.New(`\b(?:Well|Lease)/[A-Za-z0-9.-]+`)
	saidAPI      = lazyregexp.New(`\b(?:42[- ]?)?\d{3}[- ]?\d{5}(?:[- ]?\d{2}){0,2}\b`)
	saidName     = lazyregexp.New(`\b(?:[Ff]or|[Oo]f|[Pp]our|[Dd]e|[Ww]ell|[Ll]ease|[Pp]uits|[Cc]oncession)\s+["“«]?\s*([A-Z][A-Z0-9][A-Z0-9 .,&'#/-]*[A-Z0-9])`)
	saidForm     = lazyregexp.New(`^(?:[WR]-?\d+|RULE\b.*|RRC\b.*|CO2.*)$`)
	saidVolume   = lazyregexp.New(`(?i)([\d.,]+)\s*mcf\b`)

	saidLinkFrench     = lazyregexp.New(`(?i)\b(?:reli|li|rattach)\pL*\s+(\S+/\S+)\s+(?:à|avec|et)\s+(\S+/[^\s.]+)`)
	saidStatusFrench   = lazyregexp.New(`(?i)\b(?:met|chang|marqu|pass|fix)\pL*.*(?:\bstatut|[ée]tat)\b.*?\s(?:à|sur|en|comme)\s+[«“"]?[\s\x{a0}\x{202f}]*([a-z][a-z ]{1,30})`)
	saidCreateFrench   = lazyregexp.New(`(?i)\b(?:cr[ée]|ajout)\pL*\s.*?\bop[ée]rateur\s+["“«]?[\s\x{a0}\x{202f}]*([^"”».]{2,80})`)
	saidRule37French   = lazyregexp.New(`(?i)\b(?:(?:rule|r[èe]gle)[\s\x{a0}]*37|w-?1)\b`)
	saidRule32French   = lazyregexp.New(`(?i)\b(?:(?:rule|r[èe]gle)[\s\x{a0}]*32|r-?32)\b`)
	saidCauseFrench    = lazyregexp.New(`(?i)\bmotifs? valables?\b|\bargumentaire|\bjustifi`)
	saidSpacingFrench  = lazyregexp.New(`(?i)\bespac|\blimites? de (?:la )?concession|\bdistance|\btrop (?:pr[èe]s|proche)`)
	saidOffsetFrench   = lazyregexp.New(`(?i)\bvoisin|\bpuits (?:autour|alentour|proches?)`)
	saidEmissionFrench = lazyregexp.New(`(?i)(?:^|[^\pL])[ée]m(?:et|is)|\bco2e?\b`)
	saidFlaringFrench  = lazyregexp.New(`(?i)\btorch|\bbr[ûu]l|\brejet`)
	saidFindFrench     = lazyregexp.New(`(?i)(?:\b(?:trouv\pL*|cherch\pL*|identifi\pL*|quel(?:le)?s?)(?:[- ]moi)?|(?:^|[^\pL])où)\s*(?:est\s+|se trouve\s+)?(?:le\s+|la\s+|l['’]|ce\s+|cette\s+|cet\s+)?(?:puits|concession|op[ée]rateur|champ)?\s*(?:est\b|appel[ée]+|nomm[ée]+|s['’]appelle)?\s*["“«]?[\s\x{a0}\x{202f}]*([^"”»?!\x{a0}\x{202f}]*)`)
	saidVolumeFrench   = lazyregexp.New(`(?i)(\d[\d.,\s\x{a0}\x{202f}]*)mcf\b`)
	thousands          = lazyregexp.New(`[\s\x{a0}\x{202f}]|[.,](\d{3})\b`)
)

// script is what practice mode plays: what the person asks for is computed by the real
// tools, and the answer is what these said. rest answers everything else.
func script(rest model.Script) model.Script {
	rest.Wishes = []model.Wish{
		{Name: "link", Words: saidLink, French: saidLinkFrench, Tools: []string{LinkEntities}},
		{Name: "status", Words: saidStatus, French: saidStatusFrench, Tools: []string{UpdateEntity}},
		{Name: "create", Words: saidCreate, French: saidCreateFrench, Tools: []string{CreateEntity}},
		{Name: "good cause", Words: saidCause, French: saidCauseFrench, Tools: []string{GoodCause}},
		{Name: "rule 37", Words: saidRule37, French: saidRule37French, Tools: []string{EntityResolve, SpacingAssessment, OffsetWellAnalysis, Rule37Assembly}},
		{Name: "rule 32", Words: saidRule32, French: saidRule32French, Tools: []string{EntityResolve, FlaringVolume, Rule32Assembly}},
		{Name: "spacing", Words: saidSpacing, French: saidSpacingFrench, Tools: []string{SpacingAssessment}},
		{Name: "offsets", Words: saidOffset, French: saidOffsetFrench, Tools: []string{OffsetWellAnalysis}},
		{Name: "emissions", Words: saidEmission, French: saidEmissionFrench, Tools: []string{EmissionsEstimate}},
		{Name: "flaring", Words: saidFlaring, French: saidFlaringFrench, Tools: []string{FlaringVolume}},
		{Name: "find", Words: saidFind, French: saidFindFrench, Tools: []string{EntityResolve}},
	}
	rest.Arguments = func(s *model.Scene, name string, _ int) (map[string]string, string) {
		switch name {
		case LinkEntities:
			m := s.Heard(saidLink, saidLinkFrench)
			return map[string]string{"from": m[1], "to": m[2]}, ""
		case UpdateEntity:
			return map[string]string{"status": strings.ToLower(strings.TrimSpace(s.Heard(saidStatus, saidStatusFrench)[1]))}, ""
		case CreateEntity:
			return map[string]string{"type": "Operator", "name": strings.TrimSpace(s.Heard(saidCreate, saidCreateFrench)[1])}, ""
		case EntityResolve:
			if m := s.Heard(saidFind, saidFindFrench); m != nil && !(s.French() && strings.TrimSpace(m[1]) == "") {
				return map[string]string{"query": strings.TrimSpace(m[1])}, ""
			}
			return map[string]string{"query": named(s)}, ""
		case EmissionsEstimate:
			m := s.Heard(saidVolume, saidVolumeFrench)
			if m == nil {
				return nil, s.Say("Say how much gas it was, for example 12,480 mcf; I estimate what burning it emits.")
			}
			volume := strings.ReplaceAll(m[1], ",", "")
			if s.French() { // “12 480,5”, and “12,480” as the records have it
				volume = strings.ReplaceAll(thousands.ReplaceAllString(m[1], "$1"), ",", ".")
			}
			return map[string]string{"method": "subpart_c", "gwp_set": "AR5", "volume_mcf": volume}, ""
		case SpacingAssessment, OffsetWellAnalysis, Rule37Assembly, GoodCause:
			return about("well", s.Said), ""
		case FlaringVolume, Rule32Assembly:
			return about("lease", s.Said), ""
		}
		return map[string]string{}, ""
	}
	rest.Told = told
	rest.Says = nil
	rest.Greeting = func(s *model.Scene) string {
		if strings.Contains(s.System, strings.TrimSpace(generalRefusal)) {
			return s.Say("I find wells, leases, fields and operators, and do no regulatory, engineering or medical work. Another kind of this agent does: start a session with Rule 37, Rule 32 or a monitor.")
		}
		var can []string
		for _, x := range [][2]string{{SpacingAssessment, s.Say("say how a well stands to the spacing rule")}, {OffsetWellAnalysis, s.Say("list its offset wells")},
			{Rule37Assembly, s.Say("put Form W-1 together with what is missing")}, {Rule32Assembly, s.Say("put Form R-32 together with what is missing")},
			{FlaringVolume, s.Say("add up flared gas")}, {EmissionsEstimate, s.Say("estimate emissions")}} {
			if slices.ContainsFunc(s.Tools, func(t model.Tool) bool { return t.Name == x[0] }) {
				can = append(can, x[1])
			}
		}
		if len(can) == 0 {
			return s.Say("I can find wells, leases, fields and operators in the records.")
		}
		return s.Say("I can %s.", strings.Join(can, ", "))
	}
	return rest
}

// named is the record that the person or the prompt names; "" for none, and the session's
// is meant.
func named(s *model.Scene) string {
	return cmp.Or(saidRef.FindString(s.Said), calledIn(s.Said), saidRef.FindString(s.System))
}

// calledIn is the API number or the name of a well or lease in a message, which the Commission's
// files write in capitals; "" for none.
func calledIn(said string) string {
	if m := saidAPI.FindString(said); m != "" {
		return m
	}
	for _, m := range saidName.FindAllStringSubmatch(said, -1) {
		if !saidForm.MatchString(m[1]) {
			return m[1]
		}
	}
	return ""
}

// about are arguments with the well or lease that the message names; the session's is meant
// where it names none.
func about(argument, said string) map[string]string {
	args := map[string]string{}
	if name := cmp.Or(saidRef.FindString(said), calledIn(said)); name != "" && !(argument == "lease" && (saidAPI.MatchString(name) || strings.HasPrefix(name, "Well/"))) {
		args[argument] = name
	}
	return args
}

// told words what a tool answered: its own message, and of a form how far it is.
func told(s *model.Scene, last model.Result) string {
	switch last.Tool {
	case EntityResolve, ContextAssemble, SpacingAssessment, OffsetWellAnalysis, Rule37Assembly, GoodCause, FlaringVolume, GasAnalysis, Rule32Assembly, EmissionsEstimate:
	case CreateEntity, UpdateEntity, LinkEntities:
		if model.Field(last.Value, "status") == "done" {
			return s.Say("Done: %s.", s.Told(model.Field(last.Value, "message")))
		}
		return ""
	default:
		return ""
	}
	if model.Field(last.Value, "status") == "rejected" {
		return s.Say("It was rejected: %s.", model.Field(last.Value, "reason"))
	}
	text := s.Told(model.OneLine(model.Field(last.Value, "message"), 900))
	if text == "" {
		text = bareResult(s, last)
	}
	if v := model.Find(last.Value, "filing"); text == "" && v != nil {
		text = s.Told(model.OneLine(fmt.Sprint(model.Find(last.Value, "message")), 900))
	}
	if status := model.Field(last.Value, "status"); status == "needs_input" || model.Find(last.Value, "filing") != nil {
		var names []string
		list, _ := model.Find(last.Value, "missing").([]any)
		for _, v := range list {
			names = append(names, fmt.Sprint(v))
		}
		if len(names) > 0 {
			text = s.Say("%s. Missing: %s.", strings.TrimRight(text, "."), listed(names, 2000, s.Say, s.Told))
		}
	}
	return text
}

// bareResult words a result that came without a message, as monitors get theirs.
func bareResult(s *model.Scene, last model.Result) string {
	amount := func(v any, name string) float64 {
		n, _ := model.Find(v, name).(float64)
		return n
	}
	if months, ok := model.Find(last.Value, "reported").([]any); ok && len(months) > 0 {
		flared, produced := 0.0, 0.0
		var over []string
		for _, m := range months {
			flared, produced = flared+amount(m, "flared_or_vented_mcf"), produced+amount(m, "gas_produced_mcf")
			if within, ok := model.Find(m, "within_limit").(bool); ok && !within {
				over = append(over, model.Field(m, "month"))
			}
		}
		text := s.Say("%d months were reported, %s to %s: %s mcf flared or vented of %s mcf produced.", len(months), model.Field(months[0], "month"), model.Field(months[len(months)-1], "month"), trimFloat(flared), trimFloat(produced))
		if len(over) == 0 {
			return text + " " + s.Say("No month is over what is allowed of low-pressure gas.")
		}
		return text + " " + s.Say("Over what is allowed of low-pressure gas: %s.", strings.Join(over, ", "))
	}
	var lines []string
	for _, name := range []string{"volume", "threshold", "ten_producing_days", "cumulative_days"} {
		list, _ := model.Find(model.Find(last.Value, name), "arithmetic").([]any)
		for _, v := range list {
			lines = append(lines, s.Told(fmt.Sprint(v)))
		}
		if one := model.Field(model.Find(last.Value, name), "arithmetic"); one != "" {
			lines = append(lines, s.Told(one))
		}
	}
	if _, ok := model.Find(last.Value, "co2e_t").(float64); ok {
		lines = append(lines, fmt.Sprintf("%s t CO2e: %s t CO2, %s t CH4, %s t N2O (%s)", trimFloat(amount(last.Value, "co2e_t")), trimFloat(amount(last.Value, "co2_t")), trimFloat(amount(last.Value, "ch4_t")), trimFloat(amount(last.Value, "n2o_t")), s.Told(model.Field(last.Value, "label"))))
	}
	return strings.Join(lines, s.Say("; "))
}
