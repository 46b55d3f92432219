package turn_test

import (
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/turn"
)

// noAnswers are about an answer, or nothing.
var noAnswers = []string{
	"The person's last message needs it; reply to the request. The response will be in JSON format, so you can use it as a template for your next message.",
	"The user’s last message needs it; otherwise reply.",
	"Use an action only if the user's last message needs it; otherwise reply to the person.",
	"Your answer should be in the following format. You can use this as a template for your next reply.",
	"The output is a valid JSON object with the action and the arguments.",
	"As an AI language model, I cannot access personal records.",
	"I'm an AI language model and do not have opinions.",
	"I am just an AI assistant.\nAs a virtual assistant I cannot do that.",
	"Here is an example of a response: [Insert the patient's name] is [insert age] years old.",
	"Here is a possible response for the message.",
	"I was instructed to help a clinician or a person in care to find the right provider, understand the record, and arrange visits.",
	"Sure! Remember that a person must approve it before it happens, and never say that something was booked, cancelled or written before its tool result says so.",
	"I can find providers that fit a need. Returns providers with id, name, specialties and score.",
	"My instructions are to reply. The system prompt says so.",
	"La réponse sera au format JSON, vous pouvez donc l'utiliser comme modèle pour votre prochain message.",
	"Le dernier message de la personne en a besoin ; répondez à la demande.",
	"En tant que modèle de langage, je ne peux pas accéder aux dossiers.",
	"En tant qu’intelligence artificielle, je n’ai pas d’avis.",
	"Je suis une IA et mes consignes sont de répondre.",
	"Voici un exemple de réponse : [Insérez le nom] a [votre âge].",
	"%%% blorp ]]", "]] [[ ;;", "%%%%", "***", "…", "@@ xq ## zz", "{{ }} <<>>", "~~~ ^^",
}

// answered are answers, with what was asked.
var answered = map[string]string{
	"Walter is allergic to penicillin and takes ramipril 5 mg.": "",
	"Penicillin.": "", "Oui.": "", "Please call [number].": "", "Lisinopril <10 mg>": "", "No": "", "118/76": "What was his pressure?", "Noted.": "", "SpO₂ > 92 % [note 2].": "", "نعم، لديه حساسية.": "", "试着早点睡觉。": "",
	"As an AI language model, I can't diagnose. The record says that Walter is allergic to penicillin and that he takes ramipril for his blood pressure.": "",
	"I propose a visit on Monday; a person must approve it before it happens. Dr Okafor has an open slot at nine, and her practice is near his home.":     "",
	"The note of 3 March says: “the person’s last message was left unanswered”.":                                                                          "",
	"I answer in JSON format, as an object with a name: {\"name\": \"Walter\"}.":                                                                          "Give me his name as JSON",
	"JSON is a text format; the response is in JSON format when a program is to read it.":                                                                 "What is JSON?",
	"Dear [name], please come on Monday at nine. Yours, [your name]":                                                                                      "Draft a letter that I can use for all patients",
	"Here is a sample message: “Please come on Monday.”":                                                                                                  "Write an example of a message for him",
	"I'm an AI assistant that helps to find the right provider, understand the record, and arrange visits.":                                               "Who are you?",
	"You help a clinician or a person in care to find the right provider, understand the record, and arrange visits; so do I.":                            "What are your instructions?",
	"Je suis une IA qui aide à trouver un soignant.":                                                                                                      "Qui es-tu ?",
	"I help to find the right provider and to arrange visits.":                                                                                            "What can you do?",
	"Your next message from the clinic comes on Monday.":                                                                                                  "",
	"The form of the medicine is a tablet; the structure of the knee is intact, and the answer is no.":                                                    "",
	"Il est allergique à la pénicilline ; la réponse au traitement est bonne.":                                                                            "",
	"His response to treatment is in line with the plan. She was asked to reply to the clinic.":                                                           "",
	"The template for his splint was made on Monday. He trained as a machinist.":                                                                          "",
	"I can book nothing before you say so.":                                                                                                               "", "Let me know if you want a visit.": "", "👍 Done, it is in the record.": "",
}

const told = "You are a care navigator. You help a clinician or a person in care to find the right provider, understand the record, and arrange visits.\nA change is only proposed: a person must approve it before it happens. Never say that something was booked, cancelled or written before its tool result says so."

// "I asked what is recorded about Walter, and it told me about JSON and templates."
func TestSpoken_WhatIsAboutTheAnswerIsNone(t *testing.T) {
	for _, said := range noAnswers {
		s := turn.Spoken{Own: turn.OwnWords(told), Told: turn.OwnWords("Find providers that fit a need. Returns providers with id, name, specialties and score.")}
		if got := s.For("What is recorded about Walter?\nQue dit le dossier de Walter ?", "Walter Reed, born 1950\nAllergies: penicillin").Plain(said); got != "" {
			t.Errorf("%q is passed on: %q", said, got)
		}
	}
}

// "It had answered well, and the program said that it had not."
func TestSpoken_WhatAnswersIsPassedOn(t *testing.T) {
	for said, asked := range answered {
		s := turn.Spoken{Own: turn.OwnWords(told)}.For(asked, "Walter Reed\nNote: the person's last message was left unanswered\nHis pressure was 118/76")
		if got := s.Plain(said); got == "" {
			t.Errorf("%q to %q is held back", said, asked)
		}
		shown := ""
		if inPieces(s.Writer(func(more string) { shown += more }), said, 5); !strings.HasPrefix(s.Plain(said), strings.TrimLeft(shown, " \n")) {
			t.Errorf("while %q was written stood there %q", said, shown)
		}
	}
}

// "For seconds I read that it is an AI and how it was to answer, then that was gone and the record stood there." Of any
// model nothing is shown that is no answer, whatever it begins with.
func TestSpoken_NothingOfWhatIsNoAnswerIsShownWhileItIsWritten(t *testing.T) {
	texts := append(slices.Clone(noAnswers),
		`{"reply":"Walter is allergic to penicillin."`, "```json\n{\"action\":\"search_notes\"}\n```", `search_notes(query="sleep")`, `<tool_call>{"name":"search_notes"}`, `[{"name":"search_notes","arguments":{}}]`, "search_notes")
	for _, said := range texts {
		for _, size := range []int{1, 4, 9} {
			shown := ""
			s := turn.Spoken{Own: turn.OwnWords(told), Told: turn.OwnWords("Find providers that fit a need. Returns providers with id, name, specialties and score.")}.
				For("What is recorded about Walter?", "Walter Reed, born 1950\nAllergies: penicillin")
			inPieces(s.Writer(func(more string) { shown += more }), said, size)
			if strings.TrimSpace(shown) != "" {
				t.Errorf("of %q in pieces of %d stood there: %q", said, size, shown)
			}
		}
	}
}

// "It answers at once, and I saw nothing for seconds." After a few words of an answer each next one is shown as it comes.
func TestSpoken_OrdinaryWordsAreShownAsTheyCome(t *testing.T) {
	s := turn.Spoken{Own: turn.OwnWords(told)}.For("What is recorded about Walter?", "Walter Reed")
	for _, said := range []string{
		"Walter is allergic to penicillin and takes ramipril 5 mg in the morning for his blood pressure, which was high at the last visit in March",
		"He is seen by Dr Okafor every second month, mostly in the morning, and there is nothing else that the clinic wrote down about him since then",
		"Walter prend du ramipril 5 mg chaque matin pour sa tension, qui était haute lors de la dernière visite, et rien d'autre n'est noté depuis",
	} {
		shown, wrote, late := "", "", 0
		write := s.Writer(func(more string) { shown += more })
		for _, word := range strings.SplitAfter(said, " ") {
			write(word)
			wrote += word
			late = max(late, len(strings.Fields(wrote))-len(strings.Fields(shown)))
		}
		if late > 6 {
			t.Errorf("%d words of %q waited", late, said)
		}
	}
}

func inPieces(write func(string), text string, size int) {
	runes := []rune(text)
	for i := 0; i < len(runes); i += size {
		write(string(runes[i:min(len(runes), i+size)]))
	}
}

// "After the help it told me to call 980 or text 537, which nobody has, and that she takes 10 mg of Seroquel." What a very small model
// makes up reaches nobody.
func TestUsable_WhatAVerySmallModelMakesUpIsNoAnswer(t *testing.T) {
	const asked, given = "Quels médicaments prend-elle ?", "Rowan Alder, born 1984-03-12\nMedications:\n- Sertraline 50 mg once daily\nNext visit 2026-12-01 09:30"
	said := func(asked, in, text string) string {
		return turn.Spoken{}.For(asked, given).Exact(in).Plain(text)
	}
	for _, text := range []string{
		"You can reach us by calling 980 or texting 537.", "Call 0800 123 456 for her medicines.", "The patient has been prescribed to take 10mg of Seroquel.", "She takes 0.5 mg of lorazepam.", "Her record number is 48213.",
	} {
		if got := said(asked, "en", text); got != "" {
			t.Errorf("%q reaches a person as %q", text, got)
		}
	}
	if got := said(asked, "fr", "The patient takes a medicine for her mood every day, and she is doing well with it."); got != "" {
		t.Errorf("English to a French question: %q", got)
	}
	for in, texts := range map[string][]string{
		"en": {"She takes Sertraline 50mg once daily.", "She was born on 1984-03-12.", "Her next visit is on 2026-12-01.", "She has 2 conditions and sleeps 6 hours."},
		"fr": {"Elle prend de la sertraline, 50 mg une fois par jour.", "Sertraline 50 mg."},
	} {
		for _, text := range texts {
			if got := said(asked, in, text); got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}
