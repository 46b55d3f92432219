package safety

import (
	"strconv"
	"strings"

	"holdpoint/engine/lazyregexp"
)

// ownAge is how somebody writes how old they are, with what follows it, in words without accents and apostrophes.
var ownAge = lazyregexp.New(`\b(?:(?:im|i am|am) (?:only |just |still |actually )?(\d{1,2}|[a-z]+teen|ten|eleven|twelve|nine|eight|seven)(?: ((?:years?|yrs?|yo|y)\b(?: old)?|[a-z]+))?|(?:jai|j ai) (?:que |seulement |juste )?(\d{1,2}) ans(?: ([a-z]+))?)`)

// ages are those that are written in words.
var ages = map[string]int{"seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17}

// goesOn are words that follow an age without being what is counted: “im 14 and …”, not “im 14 weeks”.
var goesOn = wordSet(strings.Fields(`and n but so my i im ive he she they dont cant please pls help what years year yrs yr yo y old btw tho who whos in at male female f m
et mais je j jai mon ma mes il elle on que qui s svp stp aide`))

// grownUp is from which age on the lines are those of adults.
const grownUp = 18

// TellsYoung says that the writer says to be younger than 18.
func TellsYoung(text string) bool {
	for _, m := range ownAge.FindAllStringSubmatch(strings.Join(scanned(text), " "), -1) {
		age, next := m[1]+m[3], m[2]+m[4]
		years, err := strconv.Atoi(age)
		if err != nil {
			years = ages[age]
		}
		if first, _, _ := strings.Cut(next, " "); years >= 6 && years < grownUp && (next == "" || goesOn[first]) {
			return true
		}
	}
	return false
}
