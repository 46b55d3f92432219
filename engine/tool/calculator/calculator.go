// Package calculator is a tool for exact arithmetic.
package calculator

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

// New is a read tool for exact arithmetic: + - * / ^ and parentheses on whole and
// decimal numbers. Nothing is run but this.
func New() tool.Tool {
	return tool.Tool{
		Name:        "calculator",
		Description: "Work out an arithmetic expression exactly: + - * / ^ and parentheses, e.g. (17 + 4) * 2.5.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"expression":{"type":"string","minLength":1,"maxLength":200}},"required":["expression"],"additionalProperties":false}`),
		Read: func(_ context.Context, _ tool.Env, raw json.RawMessage) (json.RawMessage, error) {
			var a struct{ Expression string }
			if err := json.Unmarshal(raw, &a); err != nil {
				return nil, fmt.Errorf("%w: %w", tool.ErrArguments, err)
			}
			value, err := calculate(a.Expression)
			if err != nil {
				return nil, &tool.Refusal{Reason: err.Error()}
			}
			out := map[string]string{"expression": a.Expression, "result": decimal(value)}
			if !value.IsInt() {
				out["fraction"] = value.RatString()
			}
			return model.JSON(out), nil
		},
	}
}

// Bounds that keep a number, and the work on it, small.
const (
	maxBits     = 4096
	maxExponent = 512
	maxParens   = 50
)

// sum is an expression that is being read.
type sum struct {
	text string
	at   int
	deep int
}

func calculate(text string) (*big.Rat, error) {
	s := &sum{text: strings.NewReplacer("×", "*", "·", "*", "÷", "/", "−", "-", "**", "^").Replace(text)}
	v, err := s.added()
	if err != nil {
		return nil, err
	}
	if c := s.peek(); c != 0 {
		return nil, fmt.Errorf("%q at character %d is not understood; use numbers, + - * / ^ and parentheses", string(c), s.at+1)
	}
	return v, nil
}

// peek is the next character that is no space; 0 at the end.
func (s *sum) peek() byte {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

func (s *sum) added() (*big.Rat, error) {
	v, err := s.multiplied()
	for err == nil {
		c := s.peek()
		if c != '+' && c != '-' {
			return v, nil
		}
		s.at++
		var w *big.Rat
		if w, err = s.multiplied(); err == nil {
			if c == '-' {
				w = new(big.Rat).Neg(w)
			}
			v, err = small(new(big.Rat).Add(v, w))
		}
	}
	return nil, err
}

func (s *sum) multiplied() (*big.Rat, error) {
	v, err := s.signed()
	for err == nil {
		c := s.peek()
		if c != '*' && c != '/' {
			return v, nil
		}
		s.at++
		var w *big.Rat
		if w, err = s.signed(); err != nil {
			break
		}
		if c == '/' {
			if w.Sign() == 0 {
				return nil, fmt.Errorf("nothing can be divided by 0")
			}
			w = new(big.Rat).Inv(w)
		}
		v, err = small(new(big.Rat).Mul(v, w))
	}
	return nil, err
}

// signed reads a sign, which binds less than a power: -2^2 is -4.
func (s *sum) signed() (*big.Rat, error) {
	minus := false
	for c := s.peek(); c == '-' || c == '+'; c = s.peek() {
		minus = minus != (c == '-')
		s.at++
	}
	v, err := s.powered()
	if err == nil && minus {
		v = new(big.Rat).Neg(v)
	}
	return v, err
}

func (s *sum) powered() (*big.Rat, error) {
	v, err := s.single()
	if err != nil || s.peek() != '^' {
		return v, err
	}
	s.at++
	if s.deep++; s.deep > maxParens {
		return nil, fmt.Errorf("the expression is nested too deeply")
	}
	w, err := s.signed() // to the right: 2^3^2 is 2^9
	s.deep--
	if err != nil {
		return nil, err
	}
	if !w.IsInt() || w.Num().CmpAbs(big.NewInt(maxExponent)) > 0 {
		return nil, fmt.Errorf("an exponent must be a whole number from -%d to %d", maxExponent, maxExponent)
	}
	n := w.Num().Int64()
	if n < 0 {
		if v.Sign() == 0 {
			return nil, fmt.Errorf("nothing can be divided by 0")
		}
		v, n = new(big.Rat).Inv(v), -n
	}
	out := big.NewRat(1, 1)
	for range n {
		if out, err = small(new(big.Rat).Mul(out, v)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *sum) single() (*big.Rat, error) {
	if s.peek() == '(' {
		s.at++
		if s.deep++; s.deep > maxParens {
			return nil, fmt.Errorf("the expression is nested too deeply")
		}
		v, err := s.added()
		s.deep--
		if err == nil && s.peek() != ')' {
			err = fmt.Errorf("a parenthesis is not closed")
		}
		s.at++
		return v, err
	}
	begin := s.at
	for s.at < len(s.text) && (s.text[s.at] >= '0' && s.text[s.at] <= '9' || s.text[s.at] == '.') {
		s.at++
	}
	v, ok := new(big.Rat).SetString(s.text[begin:s.at])
	if !ok {
		return nil, fmt.Errorf("a number is missing at character %d", begin+1)
	}
	return small(v)
}

func small(v *big.Rat) (*big.Rat, error) {
	if v.Num().BitLen() > maxBits || v.Denom().BitLen() > maxBits {
		return nil, fmt.Errorf("the numbers become too large")
	}
	return v, nil
}

// decimal writes a number with at most twelve places, without zeros at the end.
func decimal(v *big.Rat) string {
	text := v.FloatString(12)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		text = "0"
	}
	return text
}
