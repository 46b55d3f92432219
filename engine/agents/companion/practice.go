package companion

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/model"
)

// script is what practice mode plays for the agent.
func (c *companion) script() model.Script {
	return model.Script{
		// Only this agent's prompts begin like this.
		Wishes: []model.Wish{{Name: "advise", Words: regexp.MustCompile(`^<collected_context>`), Tools: []string{ResearchTool}}},
		Arguments: func(s *model.Scene, name string, _ int) (map[string]string, string) {
			if name != ResearchTool {
				return nil, ""
			}
			return map[string]string{"topic": model.OneLine(situation(tagged(s.Said, "collected_context"))+" "+tagged(s.Said, "message"), 400)}, ""
		},
		Form: c.form,
	}
}

var tags = lazyregexp.New(`(?s)<([a-z_]+)>\n?(.*?)\n?</[a-z_]+>`)

// tagged is what stands in a tag of a prompt.
func tagged(prompt, name string) string {
	for _, m := range tags.FindAllStringSubmatch(prompt, -1) {
		if m[1] == name {
			return strings.TrimSpace(m[2])
		}
	}
	return ""
}

func inFrench(s *model.Scene) bool { return strings.Contains(s.System, "balises est une donnée") }

func (c *companion) form(s *model.Scene, title string, f model.Shape) (any, bool) {
	french := inFrench(s)
	inEither := func(en, fr string) string {
		if french {
			return fr
		}
		return en
	}
	message := tagged(s.Said, "message")
	switch title {
	case "ContextAnswers":
		if _, ok := f.Properties["quote"]; ok {
			return nil, false // the inner object, which has the same title
		}
		asked, out := tagged(s.Said, "asked"), map[string]any{}
		for id, inner := range f.Properties {
			quote, answer := c.read(id, asked, message, inner.Properties["answer"])
			sure := 0.9
			if quote == "" {
				answer, sure = unknown, 0
			}
			out[id] = map[string]any{"quote": quote, "reasoning": "practice: these words", "answer": answer, "confidence": sure}
		}
		return out, true
	case "NextAction":
		return map[string]any{"reasoning": "practice", "action": "give_advice"}, true
	case "OneQuestion":
		return map[string]any{"question": inEither("What happened last, and how did it end?", "Que s'est-il passé en dernier, et comment cela s'est-il terminé\u00a0?")}, true
	case "TwoQuestions":
		return map[string]any{"questions": []string{inEither("When is it a little easier?", "Quand est-ce un peu plus facile\u00a0?")}}, true
	case "Queries":
		topic := model.OneLine(tagged(s.Said, "topic"), 90)
		return map[string]any{"queries": []string{topic, inEither("what helps: ", "ce qui aide : ") + topic, inEither("why it goes on: ", "pourquoi cela continue : ") + topic}}, true
	case "Relevance":
		var scores []any
		for i, m := range regexp.MustCompile(`(?m)^(P\d+):`).FindAllStringSubmatch(s.Said, -1) {
			scores = append(scores, map[string]any{"id": m[1], "score": max(2, 9-2*i)})
		}
		return map[string]any{"scores": scores}, true
	case "GiveAdviceAnswer":
		advice, sources := inEither("You told me what weighs on you; thank you.", "Merci d'avoir dit ce qui pèse."), []string{}
		for _, m := range regexp.MustCompile(`(?m)^(S\d+) (.*?[^\s\x{a0}]): (.*?\.) `).FindAllStringSubmatch(tagged(s.Said, "research"), 2) {
			sources = append(sources, m[1])
			advice += "\n\n" + m[2] + inEither(": ", "\u00a0: ") + m[3]
		}
		advice += "\n\n" + inEither("(Practice mode: a script answers, no model.)", "(Mode d'entraînement\u00a0: un script répond, pas un modèle.)")
		return map[string]any{"advice": advice, "sources": sources, "action": "user_feedback"}, true
	case "SupportAnswer":
		action := "user_feedback"
		if regexp.MustCompile(`(?i)\b(bye|goodbye|thank|thanks|merci|au revoir|new|nouveau)`).MatchString(message) {
			action = "summarize_conversation"
		}
		about := ""
		if earlier := tagged(s.Said, "previous_conversations"); earlier != "" {
			about = inEither(" I remember that we talked before.", " Je me souviens que nous avons déjà parlé.")
		}
		return map[string]any{"reply": inEither("I hear you.", map[bool]string{true: "J'entends ce que tu dis.", false: "J'entends ce que vous dites."}[strings.Contains(s.System, "en tutoyant")]) + about + " " + inEither("Which of the steps worked, even a little?", "Quel pas a marché, même un peu\u00a0?"), "action": action}, true
	case "Summary":
		return map[string]any{"summary": inEither("Talked about: ", "Sujet\u00a0: ") + strings.TrimRight(model.OneLine(cmp.Or(situation(tagged(s.Said, "collected_context")), ofPerson(tagged(s.Said, "conversation"))), 300), ". ") + inEither(". Advice was given.", ". Un conseil a été donné.")}, true
	}
	return nil, false
}

// ofPerson is what the person said in a conversation.
func ofPerson(conversation string) string {
	var said []string
	for line := range strings.Lines(conversation) {
		if words, ok := strings.CutPrefix(line, "PERSON: "); ok {
			said = append(said, strings.TrimRight(strings.TrimSpace(words), ". "))
		}
	}
	return strings.Join(said, ". ")
}

// situation is the answer to the third question.
func situation(known string) string {
	for line := range strings.Lines(known) {
		if question, answer, ok := strings.Cut(line, " — "); ok && regexp.MustCompile(`going on|se passe`).MatchString(question) {
			return strings.TrimSpace(answer)
		}
	}
	return ""
}

// clues are words that answer a question, with its choice.
var clues = map[string][]struct {
	words  *lazyregexp.Regexp
	choice string
}{
	"age": {
		{lazyregexp.New(`(?i)\b(9|10|11|12)\s*(years?|ans)\b`), "under_13"},
		{lazyregexp.New(`(?i)\b(13|14)\s*(years?|ans)\b`), "from_13_to_14"},
		{lazyregexp.New(`(?i)\b15\s*(years?|ans)\b`), "at_15"},
		{lazyregexp.New(`(?i)\b(16|17)\s*(years?|ans)\b`), "from_16_to_17"},
		{lazyregexp.New(`(?i)\b(18|19)\s*(years?|ans)\b`), "from_18"},
	},
	"since": {
		{lazyregexp.New(`(?i)\b(\d+|few|some|two|three|quelques|plusieurs|deux|trois) (days|jours)\b`), "days"},
		{lazyregexp.New(`(?i)\b(last month|a month ago|mois dernier|mois passé|il y a un mois)\b`), "weeks"},
		{lazyregexp.New(`(?i)\b(\w+ )?(weeks?|semaines?)\b`), "weeks"},
		{lazyregexp.New(`(?i)\b(\w+ )?(months?|mois)\b`), "months"},
		{lazyregexp.New(`(?i)\b(for|since|depuis) (a|one|un|two|deux) (years?|ans?)\b`), "longer"},
		{lazyregexp.New(`(?i)\b(since|depuis) (last year|l'an dernier|l'année dernière)`), "longer"},
		// A month by its name, the school year: longer ago than weeks, most of the time.
		{lazyregexp.New(`(?i)\b(since|depuis) (the start of |the beginning of |early |late |mid-?|début |fin |mi-)?(january|february|march|april|may|june|july|august|september|october|november|december|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|(the )?(summer|holidays)|school started|la rentrée|l'été|les vacances)`), "months"},
	},
	"tried": {{lazyregexp.New(`(?i)[^.!?]*\b(tried|essayé)[^.!?]*`), ""}},
	"hope":  {{lazyregexp.New(`(?i)[^.!?]*(\bi wish\b|\bi want\b|\bi hope\b|\bi would like\b|j'aimerais|je voudrais|j'espère)[^.!?]*`), ""}},
}

// fewAsked is how many words a question has that asks how to go on, as “and now?” does.
const fewAsked = 5

// read is what a script finds in a message: words that answer a question, and the answer.
func (c *companion) read(id, asked, message string, answer model.Shape) (quote, value string) {
	plain := strings.NewReplacer("’", "'").Replace(message)
	for _, x := range clues[id] {
		if found := strings.TrimSpace(x.words.FindString(plain)); found != "" {
			if x.choice == "" {
				return found, found
			}
			return found, x.choice
		}
	}
	if id == "region" {
		for _, l := range languages {
			for _, x := range c.questions[l][0].Choices {
				if regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(x.Say) + `\b`).MatchString(message) {
					return x.Say, x.ID
				}
			}
		}
	}
	// A short question back, and what has no letters, answers nothing.
	if said := len(sentences(message)); said == 0 || said == 1 && strings.HasSuffix(message, "?") && len(strings.Fields(message)) <= fewAsked {
		return "", ""
	}
	if len(answer.Enum) == 0 && (id == asked || id == "situation" && asked == "" && len(strings.Fields(message)) > 3) {
		return model.OneLine(message, 300), model.OneLine(message, 300)
	}
	if id == "situation" && slices.Contains([]string{"region", "age"}, asked) && len(strings.Fields(message)) > 6 {
		return model.OneLine(message, 300), model.OneLine(message, 300)
	}
	return "", ""
}
