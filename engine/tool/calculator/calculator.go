// Package calculator is a tool for exact arithmetic.
package calculator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"math/big"
	"strings"
	"unicode/utf8"

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
	maxNesting  = 50
)

func calculate(text string) (*big.Rat, error) {
	text, err := inGo(strings.NewReplacer("×", "*", "·", "*", "÷", "/", "−", "-", "**", "^").Replace(text))
	if err != nil {
		return nil, err
	}
	e, err := parser.ParseExpr(text)
	if err != nil {
		return nil, errors.New("the expression is not understood; use numbers, + - * / ^ and parentheses")
	}
	return value(e)
}

// inGo writes an expression in Go, and says what it lacks. Go has no powers, but
// what it writes as a[b] binds as they do: before a sign, and to the right.
func inGo(text string) (string, error) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	var out strings.Builder
	var powers []int // the depths at which those that are open began
	depth, number := 0, false
	closed := func() {
		for len(powers) > 0 && powers[len(powers)-1] == depth {
			powers = powers[:len(powers)-1]
			out.WriteByte(']')
		}
	}
	for {
		pos, is, word := s.Scan()
		at := utf8.RuneCountInString(text[:file.Offset(pos)]) + 1
		if is == token.SEMICOLON && word == "\n" {
			continue // Go's own, at the end of a line
		}
		begins := is == token.INT || is == token.FLOAT || is == token.LPAREN
		signs := is == token.ADD || is == token.SUB || is == token.INC || is == token.DEC
		switch {
		case number && begins:
			return "", fmt.Errorf("an operator is missing at character %d", at)
		case !number && !begins && !signs && (is.IsOperator() && is != token.SEMICOLON || is == token.IDENT || is == token.EOF):
			return "", fmt.Errorf("a number is missing at character %d", at)
		}
		switch is {
		case token.INT, token.FLOAT:
			if strings.Trim(word, "0123456789.") != "" {
				return "", fmt.Errorf("%q at character %d is not understood; write numbers with digits and a point", word, at)
			}
			out.WriteString(word)
			number = true
		case token.LPAREN:
			out.WriteByte('(')
			depth, number = depth+1, false
		case token.RPAREN:
			closed()
			out.WriteByte(')')
			if depth--; depth < 0 {
				return "", fmt.Errorf("the parenthesis at character %d is not opened", at)
			}
		case token.XOR:
			out.WriteByte('[')
			powers, number = append(powers, depth), false
		case token.ADD, token.SUB, token.MUL, token.QUO, token.INC, token.DEC:
			if number {
				closed()
			}
			for _, c := range is.String() {
				fmt.Fprintf(&out, " %c ", c)
			}
			number = false
		case token.EOF:
			if depth > 0 {
				return "", errors.New("a parenthesis is not closed")
			}
			closed()
			return out.String(), nil
		default:
			return "", fmt.Errorf("%q at character %d is not understood; use numbers, + - * / ^ and parentheses", clip(text[file.Offset(pos):]), at)
		}
		if depth+len(powers) > maxNesting {
			return "", errors.New("the expression is nested too deeply")
		}
	}
}

// clip is the first character of a text.
func clip(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return text[:n]
}

// value works with big.Rat: go/constant makes large fractions inexact without a word.
func value(e ast.Expr) (*big.Rat, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		v, ok := new(big.Rat).SetString(e.Value)
		if !ok {
			return nil, fmt.Errorf("%s is not a number", e.Value)
		}
		return small(v)
	case *ast.ParenExpr:
		return value(e.X)
	case *ast.UnaryExpr:
		v, err := value(e.X)
		if err == nil && e.Op == token.SUB {
			v = new(big.Rat).Neg(v)
		}
		return v, err
	case *ast.BinaryExpr:
		v, w, err := both(e.X, e.Y)
		switch {
		case err != nil:
			return nil, err
		case e.Op == token.ADD:
			return small(new(big.Rat).Add(v, w))
		case e.Op == token.SUB:
			return small(new(big.Rat).Sub(v, w))
		case e.Op == token.MUL:
			return small(new(big.Rat).Mul(v, w))
		case w.Sign() == 0:
			return nil, errZero
		}
		return small(new(big.Rat).Quo(v, w))
	case *ast.IndexExpr:
		v, w, err := both(e.X, e.Index)
		if err != nil {
			return nil, err
		}
		return power(v, w)
	}
	return nil, fmt.Errorf("the expression is not understood; use numbers, + - * / ^ and parentheses")
}

func both(x, y ast.Expr) (v, w *big.Rat, err error) {
	if v, err = value(x); err == nil {
		w, err = value(y)
	}
	return v, w, err
}

var errZero = errors.New("nothing can be divided by 0")

func power(v, w *big.Rat) (*big.Rat, error) {
	if !w.IsInt() || w.Num().CmpAbs(big.NewInt(maxExponent)) > 0 {
		return nil, fmt.Errorf("an exponent must be a whole number from -%d to %d", maxExponent, maxExponent)
	}
	n := w.Num().Int64()
	if n < 0 {
		if v.Sign() == 0 {
			return nil, errZero
		}
		v, n = new(big.Rat).Inv(v), -n
	}
	out := big.NewRat(1, 1)
	for range n {
		var err error
		if out, err = small(new(big.Rat).Mul(out, v)); err != nil {
			return nil, err
		}
	}
	return out, nil
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
