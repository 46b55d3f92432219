// Package api reads API well numbers (the American Petroleum Institute's) as the Railroad
// Commission of Texas uses them: 42-CCC-NNNNN, state, county and serial.
package api

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ErrNumber says that a text is no API number of Texas.
var ErrNumber = errors.New("api: not an API number of Texas")

// Number is one well's.
type Number struct {
	County string // three digits
	Serial string // five digits
	// Suffix is the side track (two digits) and the completion (two digits), "0000" for a
	// number without: it names a bore of the well, not another well.
	Suffix string
}

// String is the ten-digit form with dashes, by which the well is known.
func (n Number) String() string { return "42-" + n.County + "-" + n.Serial }

// states whose numbers turn up in Texas files by mistake.
var states = map[string]string{"30": "New Mexico", "35": "Oklahoma", "17": "Louisiana", "03": "Arkansas", "05": "Colorado", "15": "Kansas"}

// Parse reads the forms in use: 8 digits (the Commission's: county and serial), 10 (with
// the state), 12 (with the side track), 14 (with the completion), dashes or spaces
// between. The error wraps ErrNumber and says what to correct.
func Parse(s string) (Number, error) {
	digits := strings.Map(func(r rune) rune {
		// Dashes and spaces of every kind: office programs change the plain ones.
		if r == '.' || r == '\u2212' || unicode.Is(unicode.Pd, r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.TrimSpace(s))
	if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 || digits == "" {
		return Number{}, fmt.Errorf("%w: %q is not made of digits", ErrNumber, s)
	}
	state, suffix := "42", "0000"
	switch len(digits) {
	case 8:
	case 10, 12, 14:
		state, suffix, digits = digits[:2], digits[10:]+"0000"[len(digits)-10:], digits[2:10]
	default:
		return Number{}, fmt.Errorf("%w: %q has %d digits; it takes 8 (county and serial), 10 (with the state), 12 or 14", ErrNumber, s, len(digits))
	}
	if state != "42" {
		name := "another state"
		if states[state] != "" {
			name = states[state]
		}
		return Number{}, fmt.Errorf("%w: %q: state code %s is %s, Texas is 42", ErrNumber, s, state, name)
	}
	n := Number{digits[:3], digits[3:], suffix}
	if !County(n.County) {
		return Number{}, fmt.Errorf("%w: %q: there is no county %s; onshore counties are the odd numbers from 001 to 507", ErrNumber, s, n.County)
	}
	return n, nil
}

// County says whether a code is one of the Commission's: the 254 counties have the odd
// numbers 001 to 507. Codes in the six and seven hundreds are areas off the coast; the
// list of those is not at hand, so all of them pass.
func County(code string) bool {
	if len(code) != 3 {
		return false
	}
	if code[0] == '6' || code[0] == '7' {
		return true
	}
	return code >= "001" && code <= "507" && (code[2]-'0')%2 == 1
}
