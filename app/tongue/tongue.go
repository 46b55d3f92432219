// Package tongue says the program's own words in English or French, for the command line
// and for exports. Its catalogs are JSON, the English text before the French one:
//
//   - said.json: sentences that screens show as well, {0} for their first value; the keys
//     are collected by go generate ./engine/journal, and the screens read the same file;
//   - names.json: titles that are no agent's, and words of records;
//   - printed.json: what only the command line and exports say, as formats of package fmt;
//   - errors.json: texts of errors, and outside.json: those of the system and of libraries, and
//     what stands in errors as a value, behind "= "; the screens read both files, too.
//
// What only an agent says is in its folder, in catalogs of the same names; package agents has them.
//
// What people, models and records said stays as they said it.
package tongue

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"holdpoint/engine/agents"
	"holdpoint/engine/record"
)

// Tongue is a language: "fr", or English for anything else.
type Tongue string

// French is the one beside English.
const French Tongue = "fr"

// All are the languages that there are, the usual one first.
var All = []string{"en", string(French)}

// OfSystem is that of this machine, as its environment says; English when that is none of
// ours.
func OfSystem() Tongue {
	locale, _, _ := strings.Cut(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")), ".")
	base, _ := language.Make(strings.ReplaceAll(locale, "_", "-")).Base()
	if slices.Contains(All, base.String()) {
		return Tongue(base.String())
	}
	return Tongue(All[0])
}

//go:embed said.json
var saidJSON []byte

//go:embed names.json
var namesJSON []byte

//go:embed printed.json
var printedJSON []byte

// catalogs are read when French is first spoken.
var catalogs = sync.OnceValue(func() (c struct {
	whole, printed map[string]string
	shapes         []shape
}) {
	c.whole, c.printed = map[string]string{}, map[string]string{}
	read(saidJSON, c.whole)
	read(namesJSON, c.whole)
	read(printedJSON, c.printed)
	readAgents("names.json", c.whole)
	readAgents("printed.json", c.printed)
	for english, french := range c.whole {
		if value.MatchString(english) {
			c.shapes = append(c.shapes, shape{matching(english), english, french, len(value.ReplaceAllString(english, "")), lettersIn(english)})
			delete(c.whole, english)
		}
	}
	slices.SortFunc(c.shapes, func(one, other shape) int {
		return cmp.Or(other.words-one.words, strings.Compare(one.french, other.french))
	})
	return c
})

// read adds a catalog to another.
func read(body []byte, into map[string]string) {
	words := map[string]string{}
	if err := json.Unmarshal(body, &words); err != nil {
		panic("tongue: " + err.Error()) // the tests read the same files
	}
	for english, french := range words {
		into[english] = plain.Replace(french)
	}
}

// readAgents adds a catalog of every agent to another.
func readAgents(name string, into map[string]string) {
	files, err := fs.Glob(agents.French, "*/"+name)
	for _, file := range files {
		body, wrong := agents.French.ReadFile(file)
		err = cmp.Or(err, wrong)
		read(body, into)
	}
	if err != nil {
		panic("tongue: " + err.Error()) // they are in the program
	}
}

// plain are the spaces of French typography as plain ones: a terminal and an export mark
// every other space, whoever wrote it.
var plain = strings.NewReplacer("\u00a0", " ", "\u202f", " ")

// Say fills a format of package fmt, in the language.
func (t Tongue) Say(format string, values ...any) string {
	if t == French {
		format = inflected(cmp.Or(catalogs().printed[format], catalogs().whole[format], format), values)
		values = slices.Clone(values)
		for i, v := range values {
			switch v := v.(type) {
			case float64:
				values[i] = decimal(v)
			case time.Duration:
				values[i] = frenchDuration(v)
			}
		}
	}
	if len(values) == 0 {
		return format
	}
	return fmt.Sprintf(format, values...)
}

var (
	// forms are those of a word after a number: %d {passage|passages}.
	forms = regexp.MustCompile(`\{([^{}|]+)\|([^{}|]+)\}`)
	verbs = regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d+)?[a-z]`)
)

// inflected is a French format with each word in the form that the number before it wants: 0
// and 1 are singular.
func inflected(format string, values []any) string {
	found := forms.FindAllStringSubmatchIndex(format, -1)
	for _, at := range slices.Backward(found) {
		form := format[at[4]:at[5]]
		if n := len(verbs.FindAllString(strings.ReplaceAll(format[:at[0]], "%%", ""), -1)); n > 0 && n <= len(values) && slices.Contains([]string{"0", "1"}, fmt.Sprint(values[n-1])) {
			form = format[at[2]:at[3]]
		}
		format = format[:at[0]] + form + format[at[1]:]
	}
	return format
}

// decimal is a number that is written with a comma, unless it is one to be typed (%v).
type decimal float64

func (d decimal) Format(f fmt.State, verb rune) {
	s := fmt.Sprintf(fmt.FormatString(f, verb), float64(d))
	if verb == 'f' {
		s = strings.Replace(s, ".", ",", 1)
	}
	fmt.Fprint(f, s)
}

// durations are the parts of one that Go writes.
var durations = regexp.MustCompile(`([\d.]+)(h|ms|m|µs|ns|s)`)

// frenchDuration is a duration as French writes it: 3 min 49,13 s. Its blanks are plain ones, which an export does not mark.
func frenchDuration(d time.Duration) string {
	var parts []string
	for _, m := range durations.FindAllStringSubmatch(d.String(), -1) {
		parts = append(parts, strings.Replace(m[1], ".", ",", 1)+" "+map[bool]string{true: "min", false: m[2]}[m[2] == "m"])
	}
	return strings.Join(parts, " ")
}

// measured are sizes, lengths and multiples with a point in them.
var measured = regexp.MustCompile(`\b(\d+)\.(\d+)([\s\x{a0}\x{202f}](?:(?:Go|Mo|Ko|ft)\b|×))`)

// Day is a day, YYYY-MM-DD, in words; anything else stays.
func (t Tongue) Day(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	switch {
	case err != nil:
		return day
	case t != French:
		return at.Format("2 January 2006")
	}
	first := at.Format("2 ")
	if first == "1 " {
		first = "1er "
	}
	return first + frenchMonths[at.Month().String()] + at.Format(" 2006")
}

// Named says a name from inside the program, such as child_abuse, in words.
func (t Tongue) Named(name string) string { return t.Say(strings.ReplaceAll(name, "_", " ")) }

// Word says that a text is one of printed.json, which Say is given elsewhere.
func Word(text string) string { return text }

// Told is an English sentence or name of the program's, as screens show it, in the
// language. What is none of the program's stays.
func (t Tongue) Told(english string) string {
	if t != French {
		return english
	}
	return told(english, 0)
}

// Details is the line below a record's title, in the language: details between points, of
// which each that is the program's own word is in the tables with a point before it.
func (t Tongue) Details(english string) string {
	if t != French {
		return english
	}
	const point = "· "
	details := strings.Split(english, " "+point)
	for i, d := range details {
		if own := told(point+d, 0); !strings.HasPrefix(own, point) {
			details[i] = own
		}
	}
	return strings.Join(details, " "+point)
}

// longest sentence that is looked at for its values, and how deep they lie, in bytes and
// levels: text of models and tools comes by here.
const (
	longest = 1000
	deepest = 4
)

func told(english string, depth int) string {
	if whole := cmp.Or(catalogs().whole[english], frenchMoment(english)); whole != "" {
		return whole
	}
	if len(english) > longest || depth == deepest {
		return english
	}
	if each := toldEach(english, depth); each != english {
		return each
	}
	return shaped(english, depth)
}

// shaped is a sentence with values in it.
func shaped(english string, depth int) string {
	french, _ := shapedBy(english, func(v string) string { return told(v, depth+1) })
	return french
}

// shapedBy is a sentence with values in it, each of them said by a function, and how much of it
// is not values; 0 for a text that is none.
func shapedBy(english string, say func(string) string) (french string, words int) {
	for _, s := range catalogs().shapes {
		if found := s.english.FindStringSubmatch(english); found != nil {
			return measured.ReplaceAllString(value.ReplaceAllStringFunc(s.french, func(v string) string {
				at, _ := strconv.Atoi(strings.Trim(v, "{}"))
				if at+1 >= len(found) {
					return v
				}
				if strings.Contains(s.key, `"`+v+`"`) {
					return found[at+1] // somebody's words
				}
				return say(found[at+1])
			}), "$1,$2$3"), s.letters
		}
	}
	return english, 0
}

// mostParts of a list are looked at, and mostJoined of them as one sentence with semicolons.
const (
	mostParts  = 20
	mostJoined = 3
)

// toldEach is a list of sentences between semicolons, where each of them is the program's;
// else it stays as it is. A sentence may have semicolons of its own.
func toldEach(english string, depth int) string {
	parts := strings.Split(english, "; ")
	if len(parts) == 1 || len(parts) > mostParts {
		return english
	}
	var out []string
	for i := 0; i < len(parts); {
		n, french := 0, ""
		for french == "" && n < mostJoined && i+n < len(parts) {
			n++
			if n == len(parts) {
				return english // that is all of it, as one sentence
			}
			one := strings.Join(parts[i:i+n], "; ")
			if said := cmp.Or(catalogs().whole[one], shaped(one, depth+1)); said != one {
				french = said
			}
		}
		if french == "" {
			return english
		}
		out = append(out, french)
		i += n
	}
	return strings.Join(out, " ; ")
}

// shape is a sentence with values in it: how its English (key) is recognised, and its French.
type shape struct {
	english *regexp.Regexp
	key     string
	french  string
	// words is how much of it is not values: of two that fit, the longer one is meant. letters
	// are those of them.
	words, letters int
}

var (
	value = regexp.MustCompile(`\{\d\}`)
	// onDay is a day behind a name, whatever people are called.
	onDay = regexp.MustCompile(` on \(\.\*\?\)($| \\\()`)
)

func matching(english string) *regexp.Regexp {
	last, out := 0, ""
	for _, at := range value.FindAllStringIndex(english, -1) {
		each := "(.*?)"
		if last > 0 && last == at[0] {
			each = "((?:; .*?)?)" // a value right behind another is what is added to it
		}
		out += regexp.QuoteMeta(english[last:at[0]]) + each
		last = at[1]
	}
	out = onDay.ReplaceAllString(out+regexp.QuoteMeta(english[last:]), ` on (\w+day \d.*?)$1`)
	return regexp.MustCompile("(?s)^" + out + "$")
}

// Moment is record.Moment in the language.
func (t Tongue) Moment(at time.Time) string {
	if t != French {
		return record.Moment(at)
	}
	return cmp.Or(frenchMoment(record.Moment(at)), record.Moment(at))
}

// When is record.When in the language.
func (t Tongue) When(at time.Time) string {
	short := record.When(at)
	if day, rest, ok := strings.Cut(short, " "); t == French && ok {
		if clock, zone, ok := strings.Cut(rest, " "); ok {
			return day + " " + clock + " " + frenchZone(zone)
		}
	}
	return short
}

// frenchZone is the name of a zone: "New York time (UTC-05:00)" in French.
func frenchZone(zone string) string {
	if place, offset, ok := strings.Cut(zone, " time ("); ok {
		return "heure de " + place + " (" + offset
	}
	return zone
}

var moment = regexp.MustCompile(`^(\w+day) (\d{1,2}) (\w+) (\d{4}) at (\d\d:\d\d) (.+)$`)

// frenchMoment is what record.Moment writes, or some of those with commas between them, in French; "" for
// anything else.
func frenchMoment(english string) string {
	if all := strings.SplitN(english, ", ", mostParts+1); len(all) > 1 {
		for i, one := range all {
			if all[i] = frenchMoment(one); all[i] == "" || i == mostParts {
				return ""
			}
		}
		return strings.Join(all, ", ")
	}
	m := moment.FindStringSubmatch(english)
	if m == nil || frenchDays[m[1]] == "" || frenchMonths[m[3]] == "" {
		return ""
	}
	day, zone := m[2], frenchZone(m[6])
	if day == "1" {
		day = "1er"
	}
	comma := ","
	if zone == "UTC" {
		comma = ""
	}
	return fmt.Sprintf("%s %s %s %s à %s%s %s", frenchDays[m[1]], day, frenchMonths[m[3]], m[4], m[5], comma, zone)
}

var (
	frenchDays   = map[string]string{"Monday": "lundi", "Tuesday": "mardi", "Wednesday": "mercredi", "Thursday": "jeudi", "Friday": "vendredi", "Saturday": "samedi", "Sunday": "dimanche"}
	frenchMonths = map[string]string{"January": "janvier", "February": "février", "March": "mars", "April": "avril", "May": "mai", "June": "juin", "July": "juillet",
		"August": "août", "September": "septembre", "October": "octobre", "November": "novembre", "December": "décembre"}
)
