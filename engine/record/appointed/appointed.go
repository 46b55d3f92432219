// Package appointed reads the times that a person's message names for a visit, in English or French.
package appointed

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"holdpoint/engine/lazyregexp"
)

// Times are those that a message names for a visit.
type Times []named

// named is one of them: where it stands in the message, and which starts it allows.
type named struct {
	text     string
	from, to int // with the words before it that belong to it
	kind     byte
	not      bool
	fits     func(time.Time) bool
	date     time.Time
}

const ofWeekday, ofDate, ofPart, ofClock = 'w', 'd', 'p', 'c'

// dayWords are the beginnings by which names of weekdays and months are told, in both languages.
var (
	dayWords   = []string{"sun dim", "mon lun", "tue mar", "wed mer", "thu jeu", "fri ven", "sat sam"}
	monthWords = []string{"jan", "feb fév fev", "mar", "apr avr", "may mai", "jun juin", "jul juil", "aug aoû aou", "sep", "oct", "nov", "dec déc"}
)

const (
	weekdayNames = `(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:lun|mar|mercre|jeu|vendre|same)dis?|dimanches?`
	monthNames   = `jan(?:uary|vier)|f(?:ebruary|[ée]vrier)|mar(?:ch|s)|a(?:pril|vril)|ma[yi]|ju(?:ne|in|ly|illet)|ao[uû]t|august|septemb(?:er|re)|octob(?:er|re)|novemb(?:er|re)|d[ée]cemb(?:er|re)|jan|feb|apr|aug|sept?|oct|nov|dec`
)

var (
	weekdayRange  = lazyregexp.New(`(?i)(` + weekdayNames + `)\s*(?:to|through|until|till|-|–|au|à)\s*(` + weekdayNames + `)`)
	weekday       = lazyregexp.New(`(?i)(` + weekdayNames + `|week-?ends?)`)
	weekdayShort  = lazyregexp.New(`(Tues?|Weds?|Thurs?|Fri)\.?`)
	dayMonth      = lazyregexp.New(`(?i)(\d{1,2})(?:st|nd|rd|th|er)?\s+(?:of\s+|de\s+)?(` + monthNames + `)\.?(?:,?\s+(\d{4}))?`)
	monthDay      = lazyregexp.New(`(?i)(` + monthNames + `)\.?\s+(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?`)
	isoDate       = lazyregexp.New(`(\d{4})-(\d{2})-(\d{2})`)
	slashDate     = lazyregexp.New(`(\d{1,2})[/.](\d{1,2})(?:[/.](\d{4}|\d{2}))?`)
	dayOfMonth    = lazyregexp.New(`(?i)the\s+(\d{1,2})(?:st|nd|rd|th)|le\s+(\d{1,2})(?:er)?`)
	relativeDay   = lazyregexp.New(`(?i)(day after tomorrow|apr[èe]s[- ]demain|tomorrow|today|tonight|demain|aujourd['’]hui)`)
	partOfDay     = lazyregexp.New(`(?i)(mornings?|afternoons?|evenings?|tonight|noon|midday|lunch ?time|matin(?:[ée]e)?|apr[èe]s[- ]midi|soir(?:[ée]e)?|midi)`)
	clockTime     = lazyregexp.New(`(?i)(\d{1,2})(?:[:.h](\d{2}))?\s*([ap]\.?m\.?)|(\d{1,2})(?::|\s?h\s?|\s?heures\s?)(\d{2})`)
	looseTime     = lazyregexp.New(`(?i)(?:at|around|by|before|after|from|à|vers|d[èe]s|avant|apr[èe]s)\s+(\d{1,2})(?:\s?h(?:eures?)?|\s+o['’]?clock)?`)
	durationAfter = lazyregexp.New(`(?i)^\s*(?:[%€$£/]|min|hour|h\b|heure|day|jour|week|semaine|month|mois|year|ans?\b|mg|ml|kg|tablet|comprim|times|fois|people|person|visit|session|s[ée]ance)`)

	leading   = lazyregexp.New(`(?i)(?:(?:^|[\s,;(])(?:on|in|at|for|the|this|next|coming|late|early|around|about|le|la|les|l['’]|à|au|en|dans|ce|cet|cette|pour|de|du|vers|prochain|of))+[\s]*$|\bl['’]$`)
	negating  = lazyregexp.New(`(?i)(?:^|[^\pL])(?:not|never|except|but|n['’]t(?: do| make| come| be)?|cannot(?: do| make| come)?|other than|avoid|pas|sauf|hormis|jamais|éviter|autre que)\s*$`)
	unrelated = lazyregexp.New(`(?i)(?:^|[^\pL])(?:since|last|every|each|most|good|this past|yesterday|until|till|was|were|had|depuis|chaque|tous les|hier|jusqu['’]?(?:à|au)?|né|née|born)\s*(?:on|in|at|the|le|la|à|au|en)?\s*$`)
	before    = lazyregexp.New(`(?i)(?:^|[^\pL])(?:before|by|earlier than|avant)\s*(?:the|le|la)?\s*$`)
	after     = lazyregexp.New(`(?i)(?:^|[^\pL])(?:after|from|later than|past|apr[èe]s|à partir (?:de|du)|d[èe]s)\s*(?:the|le|la)?\s*$`)
	bygone    = lazyregexp.New(`(?i)^\s*(?:last|derni[èe]re?|pass[ée]e?)(?:[^\pL]|$)`)
	clockWord = lazyregexp.New(`(?i)^(?:before|by|after|from|d[èe]s|avant|apr[èe]s)`)
	thisPart  = lazyregexp.New(`(?i)(?:this|ce|cette)\s*$`)
	visitWord = lazyregexp.New(`(?i)\b(book|visit|appointment|schedul|reserv|arrang|cancel|slot|meet|see\b|session|rendez|rdv|r[ée]serv|planifi|consult|annul|cr[ée]neau|s[ée]ance|fix|move|d[ée]plac)`)
	sentences = lazyregexp.New(`[.!?;]\s+|\n+`)
)

// In reads what times a message names. Where some of its sentences speak of a visit and name
// one, the others tell of something else. now is when it was written, in the zone that its times are in.
func In(message string, now time.Time) Times {
	var ofVisit, all Times
	at := 0
	for _, end := range append(sentences.FindAllStringIndex(message, -1), []int{len(message), len(message)}) {
		found := within(message[at:end[0]], now)
		for i := range found {
			found[i].from, found[i].to = found[i].from+at, found[i].to+at
		}
		all = append(all, found...)
		if visitWord.MatchString(message[at:end[0]]) {
			ofVisit = append(ofVisit, found...)
		}
		at = end[1]
	}
	if len(ofVisit) > 0 {
		return ofVisit
	}
	return all
}

func within(s string, now time.Time) (out Times) {
	taken := make([]bool, len(s))
	add := func(kind byte, m []int, fits func(time.Time) bool, date time.Time) {
		from, to := m[0], m[1]
		text, lead := s[from:to], s[:from]
		reach := weekdayRange.MatchString(text)
		for i := from; i < to; i++ {
			taken[i] = true
		}
		begin := from
		if l := leading.FindStringIndex(lead); l != nil {
			begin = l[0]
		}
		rest := s[:begin]
		if unrelated.MatchString(lead) || unrelated.MatchString(rest) || bygone.MatchString(s[to:]) || fits == nil {
			return
		}
		n := named{text: text, from: begin, to: to, kind: kind, fits: fits, date: date}
		for _, near := range []string{rest, lead} {
			if kind != ofClock && !reach && (before.MatchString(near) || after.MatchString(near)) {
				return // how far it reaches is not said
			}
			if no := negating.FindStringIndex(near); no != nil && !n.not {
				n.not, n.text = true, strings.Trim(s[no[0]:to], " ,;")
			}
		}
		out = append(out, n)
	}
	each := func(r *lazyregexp.Regexp, fn func(m []int, part func(int) string)) {
		for _, m := range r.FindAllStringSubmatchIndex(s, -1) {
			if before, _ := utf8.DecodeLastRuneInString(s[:m[0]]); m[0] > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
				continue
			}
			if next, _ := utf8.DecodeRuneInString(s[m[1]:]); m[1] < len(s) && (unicode.IsLetter(next) || unicode.IsDigit(next)) || slices.Contains(taken[m[0]:m[1]], true) {
				continue
			}
			fn(m, func(i int) string {
				if 2*i+1 >= len(m) || m[2*i] < 0 {
					return ""
				}
				return s[m[2*i]:m[2*i+1]]
			})
		}
	}
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	day := func(m []int, d, month int, year string) {
		y := number(year)
		if year != "" && y < 100 {
			y += 2000
		}
		if d < 1 || d > 31 || month < 1 || month > 12 || y != 0 && y < now.Year() {
			return // no date, or one long ago such as that of a birth
		}
		on := time.Date(max(y, now.Year()), time.Month(month), d, 0, 0, 0, 0, now.Location())
		if y == 0 && on.Before(now.AddDate(0, 0, -1)) {
			on = on.AddDate(1, 0, 0)
		}
		add(ofDate, m, func(t time.Time) bool { return t.Day() == d && int(t.Month()) == month && (y == 0 || t.Year() == y) }, on)
	}
	each(isoDate, func(m []int, part func(int) string) { day(m, number(part(3)), number(part(2)), part(1)) })
	each(dayMonth, func(m []int, part func(int) string) {
		day(m, number(part(1)), beginning(monthWords, part(2))+1, part(3))
	})
	each(monthDay, func(m []int, part func(int) string) {
		day(m, number(part(2)), beginning(monthWords, part(1))+1, part(3))
	})
	each(clockTime, func(m []int, part func(int) string) {
		if part(3) != "" {
			add(ofClock, m, clock(s, m, number(part(1))%12+afternoon(part(3)), number(part(2)), false), time.Time{})
			return
		}
		add(ofClock, m, clock(s, m, number(part(4)), number(part(5)), false), time.Time{})
	})
	each(looseTime, func(m []int, part func(int) string) {
		if !durationAfter.MatchString(s[m[1]:]) {
			add(ofClock, m, clock(s, m, number(part(1)), 0, !strings.Contains(strings.ToLower(s[m[0]:m[1]]), "h")), time.Time{})
		}
	})
	each(slashDate, func(m []int, part func(int) string) {
		a, b, y := number(part(1)), number(part(2)), number(part(3))
		if a < 1 || b < 1 || min(a, b) > 12 || max(a, b) > 31 || strings.Contains(s[m[0]:m[1]], ".") && y == 0 || y > 99 && y < now.Year() {
			return
		}
		// Which of the two is the month is a matter of the country.
		add(ofDate, m, func(t time.Time) bool {
			return t.Day() == a && int(t.Month()) == b || t.Day() == b && int(t.Month()) == a
		}, time.Time{})
	})
	each(dayOfMonth, func(m []int, part func(int) string) {
		d := number(part(1) + part(2))
		if d < 1 || d > 31 || durationAfter.MatchString(s[m[1]:]) {
			return
		}
		add(ofDate, m, func(t time.Time) bool { return t.Day() == d }, time.Time{})
	})
	each(relativeDay, func(m []int, part func(int) string) {
		word, days := strings.ToLower(part(1)), 0
		switch {
		case strings.HasPrefix(word, "day after"), strings.HasPrefix(word, "apr"):
			days = 2
		case word == "tomorrow", word == "demain":
			days = 1
		}
		on := now.AddDate(0, 0, days)
		add(ofDate, m, func(t time.Time) bool { return t.YearDay() == on.YearDay() && t.Year() == on.Year() }, on)
	})
	each(weekdayRange, func(m []int, part func(int) string) {
		from, to := beginning(dayWords, part(1)), beginning(dayWords, part(2))
		add(ofWeekday, m, func(t time.Time) bool { return (int(t.Weekday())-from+7)%7 <= (to-from+7)%7 }, time.Time{})
	})
	onDay := func(m []int, part func(int) string) {
		word := part(1)
		if strings.HasPrefix(strings.ToLower(word), "week") {
			add(ofWeekday, m, func(t time.Time) bool { return t.Weekday() == time.Saturday || t.Weekday() == time.Sunday }, time.Time{})
			return
		}
		d := beginning(dayWords, word)
		add(ofWeekday, m, func(t time.Time) bool { return int(t.Weekday()) == d }, time.Time{})
	}
	each(weekday, onDay)
	each(weekdayShort, onDay)
	each(partOfDay, func(m []int, part func(int) string) {
		word := strings.ToLower(part(1))
		from, until := 12, 18
		switch {
		case strings.HasPrefix(word, "mor"), strings.HasPrefix(word, "mat"):
			if thisPart.MatchString(s[:m[0]]) {
				return // it tells when something was
			}
			from, until = 0, 12
		case strings.HasPrefix(word, "even"), strings.HasPrefix(word, "soir"), word == "tonight":
			from, until = 17, 24
		case word == "noon", word == "midi", word == "midday", strings.HasPrefix(word, "lunch"):
			from, until = 11, 14
		}
		add(ofPart, m, func(t time.Time) bool { return t.Hour() >= from && t.Hour() < until }, time.Time{})
	})
	return out
}

// beginning is the index of the words one of which a name begins with; -1 for none.
func beginning(words []string, name string) int {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "mars") {
		name = "mar"
	}
	best, length := -1, 0
	for i, list := range words {
		for _, w := range strings.Fields(list) {
			if strings.HasPrefix(name, w) && len(w) > length {
				best, length = i, len(w)
			}
		}
	}
	return best
}

func afternoon(half string) int {
	if strings.HasPrefix(strings.ToLower(half), "p") {
		return 12
	}
	return 0
}

// clock is a time of day by itself, or before or after it as the words say; either half of the day counts
// for one that does not say which. No visit is at night: such a time tells of something else.
func clock(s string, m []int, h, minute int, either bool) func(time.Time) bool {
	if h > 23 || minute > 59 || (h < 6 || h > 21) && !(either && h > 0 && h < 13) {
		return nil
	}
	if either && h < 7 {
		h, either = h+12, false
	}
	at, word := h*60+minute, s[:m[0]]
	if begins := clockWord.FindString(s[m[0]:m[1]]); begins != "" {
		word += begins
	}
	return func(t time.Time) bool {
		start := t.Hour()*60 + t.Minute()
		switch {
		case before.MatchString(word):
			return start <= at
		case after.MatchString(word):
			return start >= at
		}
		return start == at || either && start == at+12*60
	}
}

// Misses are the words of a message for times that a visit's start does not have, as they stand there.
func (a Times) Misses(start time.Time) (words []string) {
	for _, kind := range []byte{ofDate, ofWeekday, ofPart, ofClock} {
		var wanted []string
		fits := false
		for _, n := range a {
			switch {
			case n.kind != kind:
			case !n.not:
				wanted, fits = append(wanted, n.text), fits || n.fits(start)
			case n.fits(start):
				words = append(words, n.text)
			}
		}
		if !fits {
			words = append(words, wanted...)
		}
	}
	return words
}

// Until is the latest date that was named; zero for none.
func (a Times) Until() (last time.Time) {
	for _, n := range a {
		if n.date.After(last) {
			last = n.date
		}
	}
	return last
}

// Without is a text without the times that it names.
func (a Times) Without(text string) string {
	for _, n := range slices.Backward(slices.SortedFunc(slices.Values(a), func(x, y named) int { return x.from - y.from })) {
		text = text[:n.from] + text[n.to:]
	}
	return strings.Join(strings.Fields(strings.Trim(text, " ,;")), " ")
}
