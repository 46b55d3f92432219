package safety

import "holdpoint/engine/lazyregexp"

// misread says that what sounds like danger is none: nobody is in danger, it is not about the writer, or it is
// what a story, a paper or a record says.
var misread = lazyregexp.New(`\b(?:im|i am|he is|hes|she is|shes|they are|theyre|we are) not (?:\w+ ){0,2}(?:in (?:any )?danger|at (?:any )?risk)\b|\b(?:im|i am|he is|hes|she is|shes|they are|theyre|we are) (?:\w+ )?(?:in no danger|at no risk)\b|\b(?:nobody|no one)(?:s| is)? (?:\w+ )?(?:in (?:any )?danger|at (?:any )?risk)\b|\b(?:im|i am) (?:\w+ )?not (?:\w+ )?suicidal\b|\bno (?:real |immediate |acute )?danger\b` +
	`|\b(?:not|isnt|wasnt) (?:\w+ )?(?:about|for) (?:me|myself|anyone real|a real)\b` +
	`|\b(?:its|it is|this is|thats|that is|it was) (?:\w+ ){0,2}(?:for|about|from|in|of) (?:a|an|my|the|our|his|her) (?:\w+ )?(?:novel|story|film|movie|play|script|song|lyrics|poem|book|essay|lecture|course|class|training|report|records?|history|chart|paper|study|exam|game|character|article|typo)\b` +
	`|\b(?:a|an) (?:typo|quotation|quote|joke|misunderstanding|example)\b` +
	`|\b(?:je ne suis|je suis|il nest|elle nest|ils ne sont) (?:pas|aucunement|nullement) en danger\b|\b(?:personne|nul) nest en danger\b|\bpersonne (?:nest )?en danger\b|\b(?:aucun|pas de|sans) danger\b|\bje (?:ne )?suis pas (?:\w+ )?suicidaire\b|\b(?:je ne parle|parle|cest|ce nest|sagit|il ne sagit) pas (?:\w+ )?(?:de|pour) moi\b` +
	`|\b(?:cest|il sagit|cetait|ca vient) (?:\w+ ){0,2}(?:pour|de|dans|d?une?|le|la|mon|ma|du) ?(?:mon|ma|un|une|le|la|lun|dun|dune)? ?(?:roman|histoire|film|piece|scenario|chanson|poeme|livre|expose|cours|formation|rapport|dossier|compte rendu|antecedents?|article|etude|examen|jeu|personnage|citation|malentendu|plaisanterie|blague|exemple|faute de frappe)\b`)

// stillIn takes that back: who is in danger says so in the same words.
var stillIn = lazyregexp.New(`\b(?:im|i am|he is|hes|she is|shes|they are|theyre|we are) (?:really |still |now |clearly )?(?:in (?:\w+ )?danger|at (?:\w+ )?risk)\b|\bje suis (?:vraiment |encore |toujours )?en danger\b|\b(?:il|elle) est (?:vraiment |encore |toujours )?en danger\b|\bin no danger of\b`)

// SaysMisread says that a message puts right what was taken for danger before: “I'm not in danger, it is for a novel”.
func SaysMisread(text string) bool {
	for _, c := range clausesOf(text) {
		if misread.MatchString(c.said) && !stillIn.MatchString(c.said) {
			return true
		}
	}
	return false
}
