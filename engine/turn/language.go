package turn

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/language"
	"holdpoint/engine/model"
	"holdpoint/engine/safety"
)

// LanguageVar is the var of a run that says in which language its person is written to.
const LanguageVar = "language"

// LanguageOf is the language in which the person of a turn is written to: the one that the
// run was started with, else that of the message, else the one that they wrote in before in
// the session, else that of the screens.
func LanguageOf(t *graph.Task) safety.Language {
	if l := safety.Language(t.Run.Vars[LanguageVar]); l == safety.English || l == safety.French {
		return l
	}
	if l := languageOfInput(t); l != "" {
		return l
	}
	d, ok := t.Dependencies.(*Dependencies)
	if !ok {
		return safety.English
	}
	before := safety.Language("")
	if d.Before != nil {
		before = d.Before(t.Run.Session)
	}
	return cmp.Or(before, d.Language, safety.English)
}

// languageOfInput is LanguageIn of the turn's message, which takes longer than all else of a question
// to a model: a stage that asks again has read it.
func languageOfInput(t *graph.Task) safety.Language {
	if t.Host == nil {
		return LanguageIn(t.Run.Input)
	}
	l, _ := t.Memo("language of the message", func() (any, error) { return LanguageIn(t.Run.Input), nil }) // which never fails
	known, _ := l.(safety.Language)
	return known
}

// looked is how much of a message is read for its language, in bytes.
const looked = 4000

// LanguageIn is the language of a message where that is clearly English or French; "" for
// anything else, such as a name, a figure, or a text in another language.
func LanguageIn(text string) safety.Language {
	text = strings.ToValidUTF8(text[:min(len(text), looked)], "")
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	// “A mal dormi” is French, and most short English sentences have an “a” as well.
	words = slices.DeleteFunc(words, func(w string) bool { return w == "a" || w == "à" })
	switch language.Of(words) {
	case "en":
		return safety.English
	case "fr":
		return safety.French
	case "":
		if said := strings.Join(words, " "); safety.Speaks(said) {
			return safety.LanguageOf(said)
		}
	}
	return ""
}

// inFrench is what a prompt says of the language where the person's is French. Prompts are in
// English, and say nothing of it where the answer is to be so.
const inFrench = "Unless another language is asked for, write in French: écrivez en français. Names, quotations and given values stay as they are."

// ownOfLanguage is inFrench as it may be said back.
var ownOfLanguage = OwnWords(inFrench)

// LanguageLine is the line of a prompt by which a model writes in a language; "" for English.
func LanguageLine(l safety.Language) string {
	if l == safety.French {
		return inFrench
	}
	return ""
}

// inLanguage are messages with that line at the end of the first one, unless one of them has
// it already.
func inLanguage(l safety.Language, messages []model.Message) []model.Message {
	line := LanguageLine(l)
	if line == "" || len(messages) == 0 || slices.ContainsFunc(messages, func(m model.Message) bool { return strings.Contains(m.Text, line) }) {
		return messages
	}
	out := slices.Clone(messages)
	out[0].Text += "\n" + line
	return out
}

// Tongue says the program's own words in the language of the turn's person.
func Tongue(t *graph.Task) board.Phrasing { return PhrasingIn(t, LanguageOf(t)) }

// PhrasingIn says the program's own words in a language; where it has none but English, in that.
func PhrasingIn(t *graph.Task, l safety.Language) board.Phrasing {
	if d, ok := t.Dependencies.(*Dependencies); ok && d.Phrasing != nil {
		return d.Phrasing(string(l))
	}
	return board.English
}
