package safety

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"holdpoint/engine/encoder"
	"holdpoint/engine/language"
)

// Coverage says which of the tiers that need no model read a message's language.
type Coverage string

const (
	// CoverageAll: it is in English or French, or nothing says that it is not.
	CoverageAll Coverage = ""
	// CoverageMeaning: rules and words do not read it, and the meaning tier, which
	// learnt nothing in it, hears plain words.
	CoverageMeaning Coverage = "meaning"
	// CoverageNone: no tier reads it.
	CoverageNone Coverage = "none"
)

// coverage is what the checker reads of a message. A message of which a part is beyond
// all tiers is not covered.
func (c Checker) coverage(text string) Coverage {
	var by encoder.Encoder
	for _, t := range c.Tiers {
		if m, ok := t.(meaning); ok {
			by = m.encoder
		}
	}
	switch {
	case by != nil && !encoder.Reads(by, text):
		return CoverageNone
	case !beyond(text):
		return CoverageAll
	case by == nil:
		return CoverageNone
	}
	return CoverageMeaning
}

// Foreign says that the message is in neither English nor French: by its words or letters, or
// because the only words of danger in it are of another language. It says nothing of the
// language to answer in.
func (a Assessment) Foreign() bool {
	const more = "more."
	if a.Coverage != CoverageAll {
		return true
	}
	others := false
	for _, x := range a.Rules.Findings {
		if !strings.HasPrefix(x.Rule, more) {
			return false
		}
		others = true
	}
	return others
}

// beyond says that a message is in neither English nor French, as far as its words or
// letters show it. In doubt it is not: names, figures, or a word or two say nothing of their
// language.
func beyond(text string) bool {
	var tally language.Tally
	own := false
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) }) {
		tally.Add(w)
		own = own || language.Common("en", w) || language.Common("fr", w)
	}
	told := tally.Language()
	// What people type, such as “jsuis pa bien jme fais”, is in no dictionary; the rules read it.
	// “me gustaría hablar de mis exámenes” has words of theirs, and more of its own.
	en, fr := languages(text)
	if most := max(en, fr); most > 1 && 3*most >= len(strings.Fields(text)) && (most > tally.Count(told) || most == tally.Count(told) && !letters(text)) {
		return false
	}
	switch told {
	case "en", "fr":
		return false
	case "":
		return !own && (letters(text) || strange(text))
	}
	return true
}

// letters says that letters which neither language writes are many in a message, or stand in some
// of its words: names, which begin with a capital, have them in any language.
func letters(text string) bool {
	all, others, words, of := 0, 0, 0, 0
	for _, w := range strings.Fields(text) {
		foreign := 0
		for _, r := range w {
			if unicode.IsLetter(r) {
				all++
				if !latin(r) {
					foreign++
				}
			}
		}
		words, others = words+1, others+foreign
		if first, _ := utf8.DecodeRuneInString(w); foreign > 0 && !unicode.IsUpper(first) {
			of++
		}
	}
	return others >= 2 && others*8 >= all || of >= 2 && of*6 >= words
}

// fewStrange is how many words say that a message is in no language that the rules know when
// they know none of them.
const fewStrange = 3

// strange says that a message has some words, and none of them is in the rules of English and
// French or frequent there: “rafiki zangu wananicheka shuleni” has no letter that tells. Names
// are in no list, and say nothing.
func strange(text string) bool {
	n, names := 0, true
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && r != '\'' && r != '’' }) {
		first, size := utf8.DecodeRuneInString(w)
		if size == len(w) || strings.IndexFunc(w, unicode.IsDigit) >= 0 {
			continue
		}
		for _, t := range uncorrected.scan(w) {
			_, en := english().vocabulary[t.word]
			_, fr := french().vocabulary[t.word]
			if en || fr || inEnglish[t.word] || inFrench[t.word] {
				return false
			}
		}
		n, names = n+1, names && unicode.IsUpper(first)
	}
	return n >= fewStrange && !names
}

// latin says that English or French writes a letter.
func latin(r rune) bool {
	return r < unicode.MaxASCII || strings.ContainsRune("àâæçéèêëîïôœùûüÿ", unicode.ToLower(r))
}
