package safety

import "testing"

// "It asked me whether I am safe. I wrote no, and it went on about appointments", and the other way
// round: "I wrote no thanks, I'm fine, and got hotlines again."
func TestUnsafe_ANoToTheQuestionIsHeard(t *testing.T) {
	for text, want := range map[string]Unsafe{
		"no": PlainNo, "No.": PlainNo, "nope": PlainNo, "not really": PlainNo, "No, not really…": PlainNo, "I don't think so": PlainNo, "no, I'm not": PlainNo, "she isn't": NoInWords, "No she isn't": NoInWords, "no he's not": NoInWords, "No. They really aren't.": NoInWords, "my mum isn't": NoInWords, "not at all": NoInWords, "No, absolutely not": NoInWords, "no she is not, no": NoInWords,
		"non": PlainNo, "Non !": PlainNo, "pas vraiment": PlainNo, "non, pas du tout": NoInWords, "non, elle ne l'est pas": NoInWords, "Il l'est pas": NoInWords, "non, ils ne le sont plus": NoInWords, "absolument pas": NoInWords, "je ne crois pas": PlainNo, "Non. Pas vraiment.": PlainNo,
		"I'm not safe": SaysNotSafe, "no im not safe": SaysNotSafe, "i dont feel safe here": SaysNotSafe, "we are not really safe": SaysNotSafe, "No, I am in danger": SaysNotSafe,
		"Non, je ne suis pas en sécurité": SaysNotSafe, "je me sens pas du tout en securite": SaysNotSafe, "je suis en danger": SaysNotSafe, "elle n'est plus en sécurité": SaysNotSafe,
		"not sure": PerhapsNot, "I don't know": PerhapsNot, "je sais pas": PerhapsNot, "no, he has locked the door": PerhapsNot, "no, she isn't home": PerhapsNot, "no she isn't, book the other one": PerhapsNot, "non il est encore là": PerhapsNot, "bof": PerhapsNot,
		"": NoAnswer, "yes": NoAnswer, "oui": NoAnswer, "no thanks": NoAnswer, "no, I'm fine": NoAnswer, "no no, all good": NoAnswer, "non merci": NoAnswer, "non ça va": NoAnswer, "Non, vous vous trompez": NoAnswer,
		"No danger here, I was joking": NoAnswer, "je ne suis pas en danger": NoAnswer, "I'm not in danger": NoAnswer, "yes I am safe": NoAnswer, "oui je suis en sécurité": NoAnswer, "Is it not safe to take both?": NoAnswer,
		"Book me a visit": NoAnswer, "pas de rendez-vous lundi": NoAnswer, "No appointment on Monday please, and then one with the other doctor for my knee in June": NoAnswer,
	} {
		if got := AnswersUnsafe(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
