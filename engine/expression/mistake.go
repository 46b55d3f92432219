package expression

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/file"
)

// Error is a mistake in an expression.
type Error struct {
	// At is where, in characters from 0.
	At      int
	Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("expression: character %d: %s", e.At+1, e.Message)
}

// ErrUndecided says that an expression cannot be answered: a value is missing, of
// another type, or too large.
var ErrUndecided = errors.New("definition: the rule cannot be decided") // journals have had these words before rules did

// ErrAbsent is the ErrUndecided of a value that is missing.
var ErrAbsent = fmt.Errorf("%w", ErrUndecided)

// misread words a mistake that the library found.
func misread(err error, in string) *Error {
	var at *file.Error
	end := len([]rune(in))
	if !errors.As(err, &at) {
		return &Error{0, firstLine(err.Error())}
	}
	text := mixed(firstLine(at.Message))
	if token, ok := strings.CutPrefix(text, "unexpected token "); ok {
		switch kind, value, _ := strings.Cut(strings.TrimSuffix(token, ")"), "("); {
		case kind == "EOF":
			text, at.From = phrase("something is missing at the end"), end
		case value == `"="`:
			text = phrase("= is not an operator; compare with ==")
		case value != "":
			text = phrase("%s does not fit here", value)
		}
	}
	return &Error{max(0, min(at.From, end)), text}
}

// typeNames are what people call the types of values.
var typeNames = strings.NewReplacer("map[string]interface {}", "an object", "[]interface {}", "a list", "interface {}", "a value", "[]uint8", "a text", "string", "a text", "float64", "a number", "int", "a number", "bool", "true or false")

var conversion = regexp.MustCompile(`^interface conversion: .* is (nil|.+), not (.+)$`)

// unfit says in words for people why an expression failed on the values of a run.
func unfit(text string) string {
	if m := conversion.FindStringSubmatch(text); m != nil {
		return phrase("%s stands where %s is wanted", strings.Replace(typeNames.Replace(m[1]), "nil", "nothing", 1), typeNames.Replace(m[2]))
	}
	if strings.HasSuffix(text, "integer divide by zero") {
		return phrase("nothing can be divided by 0")
	}
	if strings.HasPrefix(text, "reflect") {
		return phrase("a value is of another type than it is used as")
	}
	return strings.ReplaceAll(strings.TrimPrefix(text, "runtime error: "), "<nil>", "nothing")
}

var (
	mixedTypes  = regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types (.+) and (.+)\)$`)
	mixedValues = regexp.MustCompile(`^invalid operation: ([\w{}\[\]. <>]+?) (==|[<>]=?|[-+*/%]|in|contains|startsWith|endsWith|matches) ([\w{}\[\]. <>]+)$`)
	fraction    = regexp.MustCompile(`^(int|interface \{\}|float64) (int|interface \{\}|float64)$`) // numbers that are not both whole
	noNumber    = regexp.MustCompile(`^invalid operation: (int|float)\((.*)\)$`)
)

// mixed says in words for people that an operator stands between types that it is not for.
func mixed(text string) string {
	if m := mixedTypes.FindStringSubmatch(text); m != nil {
		if m[1] == "%" && fraction.MatchString(m[2]+" "+m[3]) {
			return phrase("%% goes between whole numbers only")
		}
		return phrase("%s does not go between %s and %s", m[1], typeNames.Replace(m[2]), typeNames.Replace(m[3]))
	}
	if m := mixedValues.FindStringSubmatch(text); m != nil {
		if m[2] == "%" && fraction.MatchString(m[1]+" "+m[3]) {
			return phrase("%% goes between whole numbers only")
		}
		return phrase("%s does not go between %s and %s", m[2], typeNames.Replace(m[1]), typeNames.Replace(m[3]))
	}
	if m := noNumber.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s is not a number", clip(m[2], 60))
	}
	return text
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return clip(line, 200)
}

// clip shortens text to n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// Suggest names the nearest of the known names, if one is near, as the end of a sentence.
func Suggest(name string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if n := distance(strings.ToLower(clip(name, 60)), k); n < least {
			best, least = k, n
		}
	}
	if best == "" {
		return ""
	}
	return phrase("; did you mean %s?", best)
}

// phrase is a part of a sentence that screens show; its French stands with the others.
func phrase(format string, values ...any) string { return fmt.Sprintf(format, values...) }

// distance counts the letters to change, add or drop.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j+1]+1, row[j]+1, last)
			if a[i] != b[j] {
				next = min(row[j+1]+1, row[j]+1, last+1)
			}
			last, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
