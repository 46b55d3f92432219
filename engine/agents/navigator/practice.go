package navigator

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/board"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/record/appointed"
	"holdpoint/engine/turn"
)

// script is what practice mode plays for the navigator and its tools.
func script() model.Script {
	return model.Script{Wishes: wishes, Arguments: practiceArguments, Another: tryAnother, Told: told, Says: unchanged, Greeting: greeting, Person: lastPerson,
		Pick: pick, Words: practiceWords, Holds: holds}
}

// French words of wishes are whole words, which \b of these expressions does not know of letters
// with accents.
var wishes = []model.Wish{
	{Name: "cancel", Words: lazyregexp.New(`(?i)\bcancel`), Tools: []string{"patient_summary", "cancel_appointment"},
		French: lazyregexp.New(`(?i)\bannul|\bd[ée]command`)},
	{Name: "note", Words: lazyregexp.New(`(?i)\b(add|write|make|leave|take|put)\b.*\bnotes?\b|\bcare note\b|\bwrite (this |that |it )?down\b|\bnote (that|down)\b`), Tools: []string{"add_care_note"},
		French: lazyregexp.New(`(?i)\b(ajout|inscri|r[ée]dig|enregistr|consign|mett|met[sz]?\b|laiss|prend|prenez)[\pL-]*.*\bnotes?\b|(^|[^\pL])[ée]cri[\pL-]*.*\bnotes?\b|\bnote de (soins?|suivi)\b|\bnote[zr]? (que|qu['’]|ceci|cela|ça|:)|\bnote[zr]? *[\x{a0}\x{202f}]?:`)},
	{Name: "correct", Words: correction{field, wrong, asking}, French: correction{fieldFrench, wrongFrench, askingFrench}},
	{Name: "book", Words: lazyregexp.New(`(?i)\b(book|schedule|reserve|arrange|set up)\b|\b(make|get|need|want|have) (an |the )?appointment\b|\bappointment with\b`), Tools: []string{"find_providers", "provider_availability", "book_appointment"},
		French: lazyregexp.New(`(?i)\br[ée]serv|\bplanifi|\bprogramm|\borganis|\b(prend|pren[ds]|prenez|pri[st]|fix|donn|obtenir|obtien|veu[xt]|voudrai|voul|souhait|faut|besoin|aurait|aurai)[\pL-]*\b.*\b(rendez[- ]vous|rdv|visite|consultation)|\b(rendez[- ]vous|rdv|visite|consultation) (avec|chez|pour)\b`)},
	{Name: "availability", Words: lazyregexp.New(`(?i)\bavailab|\bopen(ings?| slots?)\b|\bfree (time|slot)|\bslots?\b|\bwhen can\b`), Tools: []string{"find_providers", "provider_availability"},
		French: lazyregexp.New(`(?i)\bdisponib|\bdispo\b|\bcr[ée]neau|\bplaces? libres?\b|\bheures? libres?\b|\bquand (peu[txv]|pourr)`)},
	{Name: "find_provider", Words: lazyregexp.New(`(?i)\b(find|looking for|recommend|refer)\b|\b(see|talk to|speak to|speak with|need) (a|an|someone|somebody)\b|\b(therapist|psycholog|psychiatr|counsel|specialist|provider|clinician|doctors?\b)`), Tools: []string{"find_providers"},
		French: lazyregexp.New(`(?i)\b(trouv|cherch)[\pL-]* (une?|quelqu['’]une?)\b|\b(recommand|conseill|orient|adress)|\bqui (peut|pourrait|saurait|sait|aide)|\b(voir|consulter|parler [àa]|besoin d['’e] ?) ?(une?|quelqu['’]une?)\b|\b(th[ée]rapeute|psycholog|psychiatr|psy\b|sp[ée]cialiste|praticien|soignant|m[ée]decin|conseiller)`)},
	{Name: "search", Words: lazyregexp.New(`(?i)\b(search|look) .*\bnotes?\b|\bnotes? (about|on|say)\b`), Tools: []string{"search_notes"},
		French: lazyregexp.New(`(?i)\b(cherch|recherch|regard|lis|lire|dans|disent|dit)[\pL-]*\b.*\bnotes?\b|\bnotes? (sur|disent|dit|parlent|concernant|à propos)`)},
	{Name: "question", Words: lazyregexp.New(`(?i)\b(summary|summari|medication|medicine|allerg|conditions?|diagnos|history|record|upcoming|how old|age\b|birth|born|(last|previous|past|next|recent) (visit|seen|time|appointment|consultation|came|saw)|visits?\b|suffers?\b)|\b(does|do|is|are|am) (he|she|they|i|the patient) (tak(e|ing)|on)\b`), Tools: []string{"patient_summary"},
		French: lazyregexp.New(`(?i)\br[ée]sum|\bm[ée]dic|\btraitement|\ballerg|\b(maladies?|pathologies?|affections?|ant[ée]c[ée]dents?|diagnosti|historique|dossier)|(^|[^\pL])[âa]ge([^\pL]|$)|\bn[ée]+([^\pL]|$)|naissance|\bdernière (visite|fois|consultation)|\bvisites?\b|\bsouffre|\b(elle|il|je) (en )?prends?\b|\bprends?-(t-)?(elle|il|je)\b|\b(prochaine?s?|venir)\b|\brendez[- ]vous\b`)},
}

// correction is what says that an entry of the record is wrong, or what it is to be. It names the
// entry and its fault, and asks nothing.
type correction struct{ field, wrong, asking model.Pattern }

func (c correction) MatchString(text string) bool {
	return c.field.MatchString(text) && c.wrong.MatchString(text) && !c.asking.MatchString(text)
}

func (c correction) FindStringSubmatch(text string) []string {
	if !c.MatchString(text) {
		return nil
	}
	return []string{text}
}

var (
	field  = lazyregexp.New(`(?i)\b(allerg|(tele)?phone|mobile|numbers?\b|e-?mail|address|post ?code|birth ?(day|date)|date of birth|born\b|dob\b|age\b|(sur|first |last )?name|spell|gender|sex\b|pronoun|medic(ation|ine)|drug|tablet|dos(e|age)|\d+ ?(mg|ml|mcg)\b|diagnos|condition|problem list|insur|next of kin|emergency contact|weight|height|blood (group|type)|language|record|chart|file\b|entry|married|widow|smok|takes?\b|taking\b)`)
	wrong  = lazyregexp.New(`(?i)\b(wrong|incorrect|inaccurate|mistake|error|typo|misspel\w*|out ?dated|out of date|old one|no longer|any ?more|not (right|correct|true|up to date|hers|his|theirs|mine)|should (be|read|say)|must be|is now|has changed|changed (it|her|his|their|my)|moved to|(has|have|got) an? new|new (phone|number|address|e-?mail|name|mobile)|correct (that|this|it|her|his|the|their|my)|fix|update|change (her|his|the|their|my|it)|remove|delete|replace|instead of|rather than)\b|,? (and|but),? not\b|, not\b|\b(is|are|was)(n['’]t| not) (really |actually )?(allergic|on|taking|called|born|married|her|his|the|a)\b|\b(does|do)(n['’]t| not) (take|have|smoke)\b|^\W*no\b|\bactually\b.*\b(is|are|takes|born)\b`)
	asking = lazyregexp.New(`(?i)\?\s*$|^\W*(what|which|who|whom|whose|when|where|why|how|is|are|was|does|do|did|has|have|can|could|should|show|tell|list|summari[sz]e|read|find|book)\b`)

	fieldFrench  = lazyregexp.New(`(?i)(allerg|t[ée]l[ée]phone|portable|\bnum[ée]ro|\be-?mail|courriel|adresse|code postal|naissance|\bn[ée]e? le\b|\b[âa]ge\b|\bpr[ée]nom|\bnom\b|orthographe|\bsexe\b|m[ée]dicament|traitement|comprim[ée]|\bdos(e|age)|posologie|\d ?(mg|ml)\b|diagnosti|maladie|assurance|mutuelle|personne à pr[ée]venir|\bpoids\b|\btaille\b|groupe sanguin|\blangue\b|dossier|fiche|mari[ée]e?\b|veu(f|ve)|\bprend\b)`)
	wrongFrench  = lazyregexp.New(`(?i)(\bfau(x|sse)s?\b|incorrect|inexact|erron[ée]|erreur|coquille|p[ée]rim[ée]|pas (le|la) bon|n['’](est|a) (pas|plus) (allergique|n[ée]e|mari[ée]e?|le|la|son|sa|d['’]|de)|\bne (prend|s['’]appelle|fume|porte) (pas|plus)\b|devrait|doit [êe]tre|est maintenant|a chang[ée]|d[ée]m[ée]nag|(un|une|son|sa|le|la) nouve(au|lle)\b|corrig|rectifi|modifi|mett(re|ez|s) à jour|supprim|retir|remplac|au lieu d|plutôt que|, (et )?(non )?pas\b|, et non\b|^\W*non\b)`)
	askingFrench = lazyregexp.New(`(?i)\?\s*$|^\W*(quel|qui\b|quand|o[ùu]\b|pourquoi|comment|combien|est-ce|a-t-|est-(elle|il)|montre|liste|r[ée]sume|lis|trouve|r[ée]serve)`)
)

// unchanged answers who corrects the record: no tool of this agent changes its entries.
func unchanged(s *model.Scene) string {
	if s.Wish().Name != "correct" {
		return ""
	}
	return s.Say("I did not change the record: entries such as names, contacts, allergies and medicines cannot be changed from here. Correct them in the system that the records came from and import them again. Or write “Add a care note: …”, and I propose a note that says what is wrong; a person approves it first.")
}

// lastPerson takes the person's last line out of a transcript; other texts stay whole.
func lastPerson(text string) string {
	text = turn.LightText(text)
	if i := strings.LastIndex("\n"+text, "\nPERSON: "); i >= 0 {
		text, _, _ = strings.Cut(text[i+len("PERSON: "):], "\nNAVIGATOR: ")
	}
	return text
}

// tryAnother says whether the next provider's slots are asked for because the last
// one has none; three are tried.
func tryAnother(s *model.Scene, w model.Wish, name string, made int) bool {
	return name == "provider_availability" && slices.Contains(w.Tools, "book_appointment") && s.Made("book_appointment") == 0 &&
		made < min(3, len(s.List("find_providers", "providers", "ranked"))) && len(s.List(name, "slots")) == 0
}

func practiceArguments(s *model.Scene, name string, made int) (values map[string]string, missing string) {
	topic := topicOf(s)
	values = map[string]string{"query": searched(s, topic), "need": topic, "reason": reasonOf(topic), "text": noteOf(s)}
	switch name {
	case "provider_availability", "book_appointment":
		providers := s.List("find_providers", "providers", "ranked")
		at := made
		if name == "book_appointment" {
			at = s.Made("provider_availability") - 1
		}
		if at < 0 || at >= len(providers) {
			return nil, s.Say("I found no provider who fits, so nothing was proposed.") + specialtiesHere(s)
		}
		values["provider"] = model.Field(providers[at], "id")
		if name == "book_appointment" {
			slots := s.List("provider_availability", "slots")
			if len(slots) == 0 {
				return nil, s.Say("I found no open slot with the providers who fit, so nothing was proposed. Shall I look further ahead?")
			}
			values["start"] = model.Field(slots[0], "start")
		}
	case "cancel_appointment":
		values["reason"] = whyCancelled(s.Said, s.French())
		booked := s.List("patient_summary", "upcoming_appointments", "appointments")
		if len(booked) == 0 {
			return nil, s.Say("I see no upcoming appointment, so there is nothing to cancel.")
		}
		values["appointment"] = model.Field(booked[0], "id")
	}
	return values, ""
}

var (
	askedFor       = lazyregexp.New(`(?i)\b(?:about|for|with|who (?:helps|specialises|specializes)(?: in| with)?|because of|regarding)\s+([^.!?\n]+)`)
	askedForFrench = lazyregexp.New(`(?i)\b(?:(?:.*\b)?pour|à cause d[eu]|au sujet d[eu]|à propos d[eu]|concernant|contre|qui (?:aide|traite|s['’]occupe)(?: (?:de|avec|à))?|sur|avec)\s+((?:l['’])?[^.!?\n\x{a0}\x{202f}]+)`)
)

// withWhom is at the end of a need whom the visit is to be with, which is no part of its reason.
var withWhom = lazyregexp.New(`\s+(?:with|avec|chez)\s+(?:(?:Dr|Pr|M|Mr|Mme|Mrs|Ms|Prof)\.?\s+)?\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’-]+)*\s*$`)

// whomOnly is a need that is nothing but whom the visit is to be with.
var whomOnly = lazyregexp.New(`^(?:Dr|Doctor|Docteure?|Pr|M|Mr|Mme|Mrs|Ms|Prof)\.?(?:\s+\p{Lu}[\p{L}'’-]+)+\s*$`)

// reasonOf is why a visit is to be, of a need; "" where it only says with whom.
func reasonOf(topic string) string {
	if whomOnly.MatchString(topic) {
		return ""
	}
	return cmp.Or(withWhom.ReplaceAllString(topic, ""), topic)
}

// topicOf takes the need out of a message: what follows "about", "for" or "with",
// else the message.
func topicOf(s *model.Scene) string {
	whole := *s
	whole.Said = abbreviated.ReplaceAllString(s.Said, "$1") // “Dr.” ends no sentence
	said := whole.Said
	if m := whole.Heard(askedFor, askedForFrench); m != nil {
		said = m[1]
	}
	said = strings.TrimSpace(said)
	// When it is to be is no part of what it is about.
	return model.Opening(cmp.Or(appointed.In(said, time.Now()).Without(said), said), 200)
}

var (
	abbreviated   = lazyregexp.New(`\b(Dr|Pr|M|Mr|Mme|Mrs|Ms|Prof)\.`)
	between       = lazyregexp.New(`(?i)[,.;:!?…]+(?:\s+|$)|[\r\n]+|\s+[-–—]+\s+|[\s\x{a0}\x{202f}]+[;:!?](?:\s+|$)|,?\s+(?:because(?: of)?|since|as|for the reason that|due to|owing to|on account of)\s*`)
	betweenFrench = lazyregexp.New(`(?i)[,.;:!?…]+(?:\s+|$)|[\r\n]+|\s+[-–—]+\s+|[\s\x{a0}\x{202f}]+[;:!?](?:\s+|$)|,?\s+(?:parce (?:que\s|qu['’])|car|puisqu(?:e\s|['’])|vu qu(?:e\s|['’])|en raison d(?:e\s|u\s|['’])|à cause d(?:e\s|u\s|['’]))\s*`)
	soonest       = lazyregexp.New(`(?i)\bas soon as (possible|you can)\b|\basap\b|\bas well\b|\bas (planned|agreed|discussed)\b|\bdès que possible\b`)
	cancelling    = lazyregexp.New(`(?i)\bcancel|\bannul|\bd[ée]command`)
	soCancel      = lazyregexp.New(`(?i)^(.+?),?\s+(?:so|therefore|hence|donc|alors)\b.*?(?:\bcancel|\bannul|\bd[ée]command)`)
	// noReason is a part of a message that says nothing of why: a courtesy, a time, another wish.
	noReason    = lazyregexp.New(`(?i)^(?:(?:(?:and|then|also|now|so|but|please|actually|in fact|sorry|oh|en fait|finalement|ok|okay|well|yes|no|thanks|thank you|many thanks|hello|hi|dear|good (?:morning|day|evening)|on|at|the|of|in|from|et|puis|aussi|donc|mais|maintenant|bonjour|bonsoir|oui|non|merci(?: (?:beaucoup|d['’]avance))?|s['’]il (?:vous|te) pla[iî]t|svp|stp|le|la|les|du|de|à|a)\b|î?t\b)\s*)*(?:(?:(?:can|could|would|will|may) (?:you|i|we)|i(?:['’]d| would) like to|i want to|(?:peux-tu|pouvez-vous|pourriez-vous|je (?:veux|voudrais|souhaite)))\s+)?(?:(?:book|find|add|write|make|schedule|reserve|arrange|rebook|search|look|show|tell|let|send|réserv\w*|trouv\w*|ajout\w*|écri\w*|not(?:e|ez)|cherch\w*|montr\w*|prends|prenez|dis|dites)\b.*)?$`)
	leads       = lazyregexp.New(`(?i)^(?:(?:and|because|since|as|but)\s+)+`)
	leadsFrench = lazyregexp.New(`(?i)^(?:(?:et|car|mais)\s+)+`)
)

// whyCancelled takes the reason out of a wish to cancel: what the message says beside the wish, or
// nothing.
func whyCancelled(said string, french bool) string {
	between, leads := between, leads
	if french {
		between, leads = betweenFrench, leadsFrench
	}
	said = abbreviated.ReplaceAllString(soonest.ReplaceAllString(said, " "), "$1")
	var parts []string
	for _, part := range between.Split(said, -1) {
		part = strings.TrimSpace(part)
		if cancelling.MatchString(part) {
			m := soCancel.FindStringSubmatch(part)
			if m == nil {
				continue
			}
			part = m[1]
		}
		if noReason.MatchString(appointed.In(part, time.Now()).Without(part)) {
			continue
		}
		parts = append(parts, leads.ReplaceAllString(part, ""))
	}
	return model.Opening(strings.Join(parts, ", "), 200)
}

// needsInFrench are what a person may need, and the words of it in records in English: without
// an encoder providers are found by the words of their descriptions.
var needsInFrench = []struct {
	french  *lazyregexp.Regexp
	english string
}{
	{lazyregexp.New(`(?i)sommeil|insomni|dorm|\bdort\b|\bdors\b`), "sleep insomnia"},
	{lazyregexp.New(`(?i)anxi|angoiss`), "anxiety"},
	{lazyregexp.New(`(?i)d[ée]pr(?:ess|im)`), "depression"},
	{lazyregexp.New(`(?i)deuil`), "grief"},
	{lazyregexp.New(`(?i)douleur|mal (?:à|au)`), "pain"},
	{lazyregexp.New(`(?i)stress`), "stress"},
	{lazyregexp.New(`(?i)couple`), "couples"},
	{lazyregexp.New(`(?i)famil`), "family"},
	{lazyregexp.New(`(?i)enfant|fils|fille`), "children"},
	{lazyregexp.New(`(?i)alcool|addict|drogue`), "addiction"},
	{lazyregexp.New(`(?i)trauma`), "trauma"},
	{lazyregexp.New(`(?i)diab[èe]t`), "diabetes"},
}

// searched is a need as it is searched for.
func searched(s *model.Scene, need string) string {
	if s.French() {
		for _, n := range needsInFrench {
			if n.french.MatchString(need) {
				need += " " + n.english
			}
		}
	}
	return model.Opening(need, 200)
}

var (
	noteLead       = lazyregexp.New(`(?is)^.*?\b(?:notes?|down)\b(?: (?:that|saying|about))?\s*[:,-]?\s*(.+)$`)
	noteLeadFrench = lazyregexp.New(`(?is)^.*?\bnote[srz]?\b(?: de (?:soins?|suivi))?(?: (?:au|dans le|à son|à ce|à ton|à mon) dossier)?(?:,? (?:qui dit|disant|pour dire|indiquant|sur|à propos de))?(?:,? (?:que |qu['’]))?[\s\x{a0}\x{202f}]*[:,-]?\s*(.+)$`)
)

// noteOf takes a note's text out of the wish to write it.
func noteOf(s *model.Scene) string {
	said := s.Said
	if m := s.Heard(noteLead, noteLeadFrench); m != nil {
		said = strings.TrimSpace(m[1])
	}
	return model.Opening(said, 2000)
}

// told words what the navigator's tools answered.
func told(s *model.Scene, last model.Result) string {
	switch last.Tool {
	case "find_providers":
		if found := names(s, s.List(last.Tool, "providers", "ranked"), "name", "", 3); len(found) > 0 {
			return s.Say("These providers fit: %s. Shall I look for an open slot with the first?", strings.Join(found, s.Say("; ")))
		}
		return s.Say("I found no provider who fits that need.") + specialtiesHere(s)
	case "provider_availability":
		if starts := names(s, s.List(last.Tool, "slots"), "start", zoneOf(s, last.Tool), 3); len(starts) > 0 {
			return s.Say("Open slots: %s. Shall I propose the first?", strings.Join(starts, s.Say("; ")))
		}
		return s.Say("There is no open slot in the days I looked at.")
	case "book_appointment":
		when, _ := model.Find(last.Value, "start").(string)
		when = moment(s, when, "")
		if named, ok := model.Find(last.Value, "when").(string); ok {
			when = s.Told(named)
		}
		if when == "" {
			return s.Say("It is booked.") + changed(s, last)
		}
		return s.Say("It is booked for %s.", when) + changed(s, last)
	case "cancel_appointment":
		return s.Say("The appointment is cancelled.") + changed(s, last)
	case "add_care_note":
		return s.Say("The care note is written.") + changed(s, last)
	case "patient_summary":
		return recorded(s, last)
	case "search_notes":
		return s.Say("I found %d notes with these words.", len(s.List(last.Tool, "notes")))
	}
	return ""
}

// specialtiesHere names what there is, where nobody fits.
func specialtiesHere(s *model.Scene) string {
	var there []string
	for _, one := range s.List("find_providers", "specialties") {
		if text, ok := one.(string); ok {
			there = append(there, model.OneLine(s.Told(text), 60))
		}
	}
	if there == nil {
		return ""
	}
	if more, _ := model.Find(answerOf(s, "find_providers"), "more_specialties").(float64); more > 0 {
		return " " + s.Say("Specialties here are: %s, and %d more.", strings.Join(there, ", "), int(more))
	}
	return " " + s.Say("Specialties here are: %s.", strings.Join(there, ", "))
}

func changed(s *model.Scene, r model.Result) string {
	if by, ok := model.Find(r.Value, "modified_by_reviewer").(bool); ok && by {
		return " " + s.Say("The reviewer changed the details before approving.")
	}
	return ""
}

// moment is a time in the person's language, in the zone that the tool named; other texts stay as
// they are.
func moment(s *model.Scene, text, zone string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	if place, err := time.LoadLocation(zone); err == nil && zone != "" {
		at = at.In(place)
	}
	return s.Told(record.Moment(at))
}

// zoneOf is the zone that the last answer of a tool says its times in.
func zoneOf(s *model.Scene, tool string) string { return model.Field(answerOf(s, tool), "zone") }

// answerOf is a tool's last answer; nil where there is none.
func answerOf(s *model.Scene, tool string) any {
	for _, r := range slices.Backward(s.Results) {
		if r.Tool == tool {
			return r.Value
		}
	}
	return nil
}

// names lists a field of at most n entries, slots in a readable form.
func names(s *model.Scene, list []any, name, zone string, n int) (out []string) {
	for _, entry := range list[:min(n, len(list))] {
		if text := model.Field(entry, name); text != "" {
			out = append(out, model.OneLine(moment(s, text, zone), 80))
		}
	}
	return out
}

// recorded is what the record says of the patient, first of what the person asks about.
func recorded(s *model.Scene, r model.Result) string {
	var told struct {
		record.Summary
		Zone string `json:"zone"`
	}
	if json.Unmarshal([]byte(r.Text), &told) != nil || told.Patient.Name == "" {
		return "" // a refusal says so itself
	}
	if place, err := time.LoadLocation(told.Zone); err == nil {
		for i := range told.Upcoming {
			told.Upcoming[i].Start = told.Upcoming[i].Start.In(place)
		}
	}
	return turn.Recorded(board.Phrasing{Language: s.Language, Say: s.Say, Told: s.Told}, &told.Summary, s.Said)
}

var (
	contextName      = lazyregexp.New(`<patient_context [^>]*>\n([^,\n]{1,80}), `)
	contextCondition = lazyregexp.New(`\nConditions:\n- ([^,\n]{1,80})`)
)

// thanking is a message that thanks or ends, and asks nothing.
var (
	thanking       = lazyregexp.New(`(?i)^[^?]*\b(thanks|thank you|that['’]?s all|that will be all|nothing else|bye|goodbye)\b[^?]*$`)
	thankingFrench = lazyregexp.New(`(?i)^[^?]*\b(merci|ce sera tout|c['’]est tout|rien d['’]autre|au revoir)\b[^?]*$`)
)

// greeting answers a message that needs no tool, from what the context tells.
func greeting(s *model.Scene) string {
	if s.Heard(thanking, thankingFrench) != nil {
		return s.Say("You are welcome. Nothing was changed; write when you need something.")
	}
	text := s.Say("Thank you for telling me.")
	if m := contextName.FindStringSubmatch(s.System); m != nil {
		name := model.OneLine(m[1], 80)
		if c := contextCondition.FindStringSubmatch(s.System); c != nil {
			text += " " + s.Say("I have the record of %s before me, which lists %s.", name, model.OneLine(c[1], 80))
		} else {
			text += " " + s.Say("I have the record of %s before me.", name)
		}
	}
	return text + " " + s.Say("I can find a provider, look for open slots, propose a visit or its cancellation, or write a care note. What would help most?")
}

var (
	inDanger  = lazyregexp.New(`(?i)\b(kill (myself|him|her|them)|suicid\w*|end (my life|it all)|(wants?|wish(es)?) to (die|be dead)|wish i (was|were) dead|(hurt|cut|harm)(ing)? myself|hurt (him|her|them)|(took|taken|take|taking) an overdose|overdosed)\b`)
	despaired = lazyregexp.New(`(?i)\b(hopeless|can'?t cope|can'?t go on|give up|worthless|desperate|panic)\b`)
	troubled  = lazyregexp.New(`(?i)\b(anxi\w*|depress\w*|sad|worr\w*|pain|trouble|insomnia|sleep\w*|stress\w*|afraid|scared|lonely|tired|angry|grie\w*|hopeless|overwhelmed|hard|struggl\w*)\b`)
	wanted    = lazyregexp.New(`(?i)\b(want|need|would like|help|find|book|see|hope|cancel|looking for)\b`)
	preferred = lazyregexp.New(`(?i)\b(prefer\w*|rather|only|female|male|evening|morning|near|online|in person)\b`)
	pressing  = lazyregexp.New(`(?i)\b(urgent|right now|emergency|immediately|today)\b`)
	soonish   = lazyregexp.New(`(?i)\b(soon|this week|tomorrow)\b`)

	inDangerFrench  = lazyregexp.New(`(?i)\b(suicid\pL*|(me|se|te) tuer|(veu[xt]|voudrais?|envie de?) mourir|en finir|plus (envie de )?vivre|(me|se) (blesse|coupe|scarifie|faire du mal)\pL*|le tuer|la tuer|les tuer|surdose)\b`)
	despairedFrench = lazyregexp.New(`(?i)\b(sans espoir|d[ée]sesp[ée]r\pL*|n['’]en peu[xt] plus|bout|panique\pL*|bon(ne)? à rien)\b`)
	troubledFrench  = lazyregexp.New(`(?i)\b(anxi\pL*|angoiss\pL*|d[ée]prim\pL*|d[ée]press\pL*|triste\pL*|inqui\pL*|douleurs?|souffr\pL*|insomnies?|sommeil|dor[mts]\pL*|stress\pL*|peurs?|seule?|fatigu\pL*|col[èe]re|deuil|d[ée]bord\pL*|difficile\pL*|dur|mal)`)
	wantedFrench    = lazyregexp.New(`(?i)\b(veu[xt]|voudrai\pL*|voul\pL*|besoin|aimerai\pL*|souhait\pL*|aide\pL*|trouv\pL*|r[ée]serv\pL*|voir|esp[èe]r\pL*|annul\pL*|cherch\pL*)`)
	preferredFrench = lazyregexp.New(`(?i)\b(pr[ée]f[èée]r\pL*|plut[ôo]t|seulement|uniquement|femme|homme|soir|matin|pr[èe]s|en ligne|sur place|en personne)`)
	pressingFrench  = lazyregexp.New(`(?i)\b(urgen\pL*|tout de suite|imm[ée]diate\pL*|aujourd['’]hui)`)
	soonishFrench   = lazyregexp.New(`(?i)\b(bient[ôo]t|cette semaine|demain|rapidement)`)
)

// holds says whether a list of the person's needs would hold something: they named
// a trouble, a wish or a preference.
func holds(s *model.Scene, property string) bool {
	switch property {
	case "concerns":
		return s.Heard(troubled, troubledFrench) != nil
	case "goals":
		return s.Heard(wanted, wantedFrench) != nil
	case "preferences":
		return s.Heard(preferred, preferredFrench) != nil
	}
	return false
}

// practiceWords are the texts of the classifiers and context tools.
func practiceWords(s *model.Scene, property string) string {
	switch {
	case property == "acknowledgement" && s.Heard(troubled, troubledFrench) != nil:
		return s.Say("That sounds hard, and it is good that you say so.")
	case property == "acknowledgement":
		return s.Say("Thank you for telling me.")
	case property == "narrative" || strings.HasSuffix(property, "summary"):
		return s.Say("The person says: %s", model.OneLine(s.Said, 160))
	case property == "concerns" || property == "goals":
		return topicOf(s)
	}
	return ""
}

// saysDanger says whether the person's words speak of danger now: a death of which a record tells is over.
func saysDanger(s *model.Scene) bool {
	now := *s
	now.Said = overFrench.ReplaceAllString(over.ReplaceAllString(s.Said, " "), " ")
	return now.Heard(inDanger, inDangerFrench) != nil
}

var (
	over       = lazyregexp.New(`(?i)\b((died|dead|death|lost|passed away|deaths?)\b[^.!?;\n]{0,40}?\b(by|of|from|through|to) (an? )?(suicide|overdose)|(committed|completed|attempted) suicide (in|at|on|when|years)\b[^.!?;,\n]*|(family |past |previous |no )?history( of| includes?|:)?[^.!?;\n]{0,30}?\b(suicid\w*|overdose)( attempts?)?|(suicid\w*|overdose)( attempts?)?( (in|from|of) (19|20)\d\d| (\w+ )?years ago| last year)|(den(ies|ied|ying)|negative for|without|no) [^.!?;\n]{0,30}?suicid\w*( \w+)?|killed (himself|herself|themselves) (in|at|when|years|last)\b[^.!?;,\n]*|suicide (prevention|leaflet|training|risk assessment))`)
	overFrench = lazyregexp.New(`(?i)((morte?s?|d[ée]c[ée]d[ée]e?s?|d[ée]c[èe]s|mort|perdu[^.!?;\n]{0,40}?)\s(par|de|d['’]un|d['’]une|à la suite d['’]une?|suite à une?) (suicide|overdose|surdose)|s['’](est|étai(t|ent)) suicid[ée]e?s? (en|il y a|à|quand|l['’]an)[^.!?;,\n]*|(ant[ée]c[ée]dents?|histoire)\b[^.!?;\n]{0,40}?\b(suicid\pL*|surdose)|tentatives? de suicide (en|de|il y a) (19|20)?\d[^.!?;,\n]*|(nie|sans|pas d['’e] ?|aucune?)\b[^.!?;\n]{0,30}?\bsuicid\pL*|(pr[ée]vention|brochure|formation)\b[^.!?;\n]{0,20}?\bsuicide)`)
)

// pick chooses for the classifiers; where nothing is known, what changes least.
func pick(s *model.Scene, property string) []string {
	asked := s.Wish().Name
	danger := saysDanger(s)
	switch property {
	case "risk":
		switch {
		case danger:
			return []string{"crisis", "high"}
		case s.Heard(despaired, despairedFrench) != nil:
			return []string{"concern", "medium", "moderate"}
		}
	case "category":
		if danger {
			return []string{"intent", "self_harm"}
		}
	case "intent":
		switch {
		case asked == "availability":
			return []string{"availability", "find_provider"}
		case asked == "search", asked == "" && strings.Contains(s.Said, "?"):
			return []string{"question"}
		}
		return []string{asked, "small_talk", "question"}
	case "tone":
		switch {
		case s.Heard(troubled, troubledFrench) != nil:
			return []string{"warm", "reassuring"}
		case asked != "":
			return []string{"practical"}
		}
		return []string{"calm"}
	case "urgency":
		switch {
		case s.Heard(pressing, pressingFrench) != nil || danger:
			return []string{"urgent", "high"}
		case s.Heard(soonish, soonishFrench) != nil:
			return []string{"soon", "medium"}
		}
		return []string{"routine"}
	}
	return nil
}
