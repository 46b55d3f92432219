package navigator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/model"
)

// script is what practice mode plays for the navigator and its tools.
func script() model.Script {
	return model.Script{Wishes: wishes, Arguments: practiceArguments, Another: tryAnother, Told: told, Greeting: greeting, Person: lastPerson,
		Pick: pick, Words: practiceWords, Holds: holds}
}

var wishes = []model.Wish{
	{Name: "cancel", Words: regexp.MustCompile(`(?i)\bcancel`), Tools: []string{"patient_summary", "cancel_appointment"}},
	{Name: "note", Words: regexp.MustCompile(`(?i)\b(add|write|make|leave|take|put)\b.*\bnotes?\b|\bcare note\b|\bwrite (this |that |it )?down\b|\bnote (that|down)\b`), Tools: []string{"add_care_note"}},
	{Name: "book", Words: regexp.MustCompile(`(?i)\b(book|schedule|reserve|arrange|set up)\b|\b(make|get|need|want|have) (an |the )?appointment\b|\bappointment with\b`), Tools: []string{"find_providers", "provider_availability", "book_appointment"}},
	{Name: "availability", Words: regexp.MustCompile(`(?i)\bavailab|\bopen(ings?| slots?)\b|\bfree (time|slot)|\bslots?\b|\bwhen can\b`), Tools: []string{"find_providers", "provider_availability"}},
	{Name: "find_provider", Words: regexp.MustCompile(`(?i)\b(find|looking for|recommend|refer)\b|\b(see|talk to|speak to|speak with|need) (a|an|someone|somebody)\b|\b(therapist|psycholog|psychiatr|counsel|specialist|provider|clinician)`), Tools: []string{"find_providers"}},
	{Name: "search", Words: regexp.MustCompile(`(?i)\b(search|look) .*\bnotes?\b|\bnotes? (about|on|say)\b`), Tools: []string{"search_notes"}},
	{Name: "question", Words: regexp.MustCompile(`(?i)\b(summary|summari|medication|medicine|allerg|conditions?|diagnos|history|record|upcoming)`), Tools: []string{"patient_summary"}},
}

// lastPerson takes the person's last line out of a transcript; other texts stay whole.
func lastPerson(text string) string {
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
	topic := topicOf(s.Said)
	values = map[string]string{"query": topic, "need": topic, "reason": topic, "text": noteOf(s.Said)}
	switch name {
	case "provider_availability", "book_appointment":
		providers := s.List("find_providers", "providers", "ranked")
		at := made
		if name == "book_appointment" {
			at = s.Made("provider_availability") - 1
		}
		if at < 0 || at >= len(providers) {
			return nil, "I found no provider who fits, so nothing was proposed."
		}
		values["provider"] = model.Field(providers[at], "id")
		if name == "book_appointment" {
			slots := s.List("provider_availability", "slots")
			if len(slots) == 0 {
				return nil, "I found no open slot with the providers who fit, so nothing was proposed. Shall I look further ahead?"
			}
			values["start"] = model.Field(slots[0], "start")
		}
	case "cancel_appointment":
		booked := s.List("patient_summary", "upcoming_appointments", "appointments")
		if len(booked) == 0 {
			return nil, "I see no upcoming appointment, so there is nothing to cancel."
		}
		values["appointment"] = model.Field(booked[0], "id")
	}
	return values, ""
}

var askedFor = regexp.MustCompile(`(?i)\b(?:about|for|with|who (?:helps|specialises|specializes)(?: in| with)?|because of|regarding)\s+([^.!?\n]+)`)

// topicOf takes the need out of a message: what follows "about", "for" or "with",
// else the message.
func topicOf(said string) string {
	if m := askedFor.FindStringSubmatch(said); m != nil {
		said = m[1]
	}
	return firstRunes(strings.TrimSpace(said), 200)
}

var noteLead = regexp.MustCompile(`(?is)^.*?\b(?:notes?|down)\b(?: (?:that|saying|about))?\s*[:,-]?\s*(.+)$`)

// noteOf takes a note's text out of the wish to write it.
func noteOf(said string) string {
	if m := noteLead.FindStringSubmatch(said); m != nil {
		said = strings.TrimSpace(m[1])
	}
	return firstRunes(said, 2000)
}

func firstRunes(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return strings.TrimSpace(string(runes[:n]))
	}
	return s
}

// told words what the navigator's tools answered.
func told(s *model.Scene, last model.Result) string {
	switch last.Tool {
	case "find_providers":
		if found := names(s.List(last.Tool, "providers", "ranked"), "name", 3); len(found) > 0 {
			return "These providers fit: " + strings.Join(found, "; ") + ". Shall I look for an open slot with the first?"
		}
		return "I found no provider who fits that need."
	case "provider_availability":
		if starts := names(s.List(last.Tool, "slots"), "start", 3); len(starts) > 0 {
			return "Open slots: " + strings.Join(starts, "; ") + ". Shall I propose the first?"
		}
		return "There is no open slot in the days I looked at."
	case "book_appointment":
		when := ""
		if start, ok := model.Find(last.Value, "start").(string); ok {
			when = " for " + model.Moment(start)
		}
		if named, ok := model.Find(last.Value, "when").(string); ok {
			when = " for " + named
		}
		return "It is booked" + when + "." + changed(last)
	case "cancel_appointment":
		return "The appointment is cancelled." + changed(last)
	case "add_care_note":
		return "The care note is written." + changed(last)
	case "patient_summary":
		return summaryWords(s, last.Tool)
	case "search_notes":
		return fmt.Sprintf("I found %d notes with these words.", len(s.List(last.Tool, "notes")))
	}
	return ""
}

func changed(r model.Result) string {
	if by, ok := model.Find(r.Value, "modified_by_reviewer").(bool); ok && by {
		return " The reviewer changed the details before approving."
	}
	return ""
}

// names lists a field of at most n entries, slots in a readable form.
func names(list []any, name string, n int) (out []string) {
	for _, entry := range list[:min(n, len(list))] {
		if text := model.Field(entry, name); text != "" {
			out = append(out, model.OneLine(model.Moment(text), 80))
		}
	}
	return out
}

func summaryWords(s *model.Scene, tool string) string {
	var parts []string
	for _, name := range []string{"conditions", "medications", "allergies"} {
		if texts := names(s.List(tool, name), "text", 4); len(texts) > 0 {
			parts = append(parts, name+": "+strings.Join(texts, "; "))
		}
	}
	if starts := names(s.List(tool, "upcoming_appointments"), "start", 3); len(starts) > 0 {
		parts = append(parts, "upcoming appointments: "+strings.Join(starts, "; "))
	}
	if len(parts) == 0 {
		return "The record lists no active conditions, medications, allergies or upcoming appointments."
	}
	return "The record says — " + strings.Join(parts, ". ") + "."
}

var (
	contextName      = regexp.MustCompile(`<patient_context [^>]*>\n([^,\n]{1,80}), `)
	contextCondition = regexp.MustCompile(`\nConditions:\n- ([^,\n]{1,80})`)
)

// greeting answers a message that needs no tool, from what the context tells.
func greeting(s *model.Scene) string {
	text := "Thank you for telling me."
	if m := contextName.FindStringSubmatch(s.System); m != nil {
		text += " I have the record of " + model.OneLine(m[1], 80) + " before me"
		if c := contextCondition.FindStringSubmatch(s.System); c != nil {
			text += ", which lists " + model.OneLine(c[1], 80)
		}
		text += "."
	}
	return text + " I can find a provider, look for open slots, propose a visit or its cancellation, or write a care note. What would help most?"
}

var (
	inDanger  = regexp.MustCompile(`(?i)\b(kill (myself|him|her|them)|suicid\w*|end (my life|it all)|(want|wish) to (die|be dead)|wish i (was|were) dead|(hurt|cut|harm)(ing)? myself|hurt (him|her|them)|overdose)\b`)
	despaired = regexp.MustCompile(`(?i)\b(hopeless|can'?t cope|can'?t go on|give up|worthless|desperate|panic)\b`)
	troubled  = regexp.MustCompile(`(?i)\b(anxi\w*|depress\w*|sad|worr\w*|pain|trouble|insomnia|sleep\w*|stress\w*|afraid|scared|lonely|tired|angry|grie\w*|hopeless|overwhelmed|hard|struggl\w*)\b`)
	wanted    = regexp.MustCompile(`(?i)\b(want|need|would like|help|find|book|see|hope|cancel|looking for)\b`)
	preferred = regexp.MustCompile(`(?i)\b(prefer\w*|rather|only|female|male|evening|morning|near|online|in person)\b`)
	pressing  = regexp.MustCompile(`(?i)\b(urgent|right now|emergency|immediately|today)\b`)
	soonish   = regexp.MustCompile(`(?i)\b(soon|this week|tomorrow)\b`)
)

// holds says whether a list of the person's needs would hold something: they named
// a trouble, a wish or a preference.
func holds(s *model.Scene, property string) bool {
	words := map[string]*regexp.Regexp{"concerns": troubled, "goals": wanted, "preferences": preferred}[property]
	return words != nil && words.MatchString(s.Said)
}

// practiceWords are the texts of the classifiers and context tools.
func practiceWords(s *model.Scene, property string) string {
	switch {
	case property == "acknowledgement" && troubled.MatchString(s.Said):
		return "That sounds hard, and it is good that you say so."
	case property == "acknowledgement":
		return "Thank you for telling me."
	case property == "narrative" || strings.HasSuffix(property, "summary"):
		return "The person says: " + model.OneLine(s.Said, 160)
	case property == "concerns" || property == "goals":
		return topicOf(s.Said)
	}
	return ""
}

// pick chooses for the classifiers; where nothing is known, what changes least.
func pick(s *model.Scene, property string) []string {
	asked := s.Wish().Name
	danger := inDanger.MatchString(s.Said)
	switch property {
	case "risk":
		switch {
		case danger:
			return []string{"crisis", "high"}
		case despaired.MatchString(s.Said):
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
		case troubled.MatchString(s.Said):
			return []string{"warm", "reassuring"}
		case asked != "":
			return []string{"practical"}
		}
		return []string{"calm"}
	case "urgency":
		switch {
		case pressing.MatchString(s.Said) || danger:
			return []string{"urgent", "high"}
		case soonish.MatchString(s.Said):
			return []string{"soon", "medium"}
		}
		return []string{"routine"}
	}
	return nil
}
