package definition

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrDefinition says that a graph file cannot be used; the error that wraps it is
// of type Problems.
var ErrDefinition = errors.New("definition: the graph file has mistakes")

// Problem is one mistake of a graph file.
type Problem struct {
	// Line and Column count from 1; 0 when the mistake is in no one place.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Path is where in the file: nodes[2].flags[0].
	Path string `json:"path"`
	// Message says what is wrong and what to do.
	Message string `json:"message"`
}

func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", p.Line, p.Column)
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	return b.String() + p.Message
}

// Problems are all mistakes of a graph file, in its order.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, each := range p {
		lines[i] = each.String()
	}
	return "definition: " + strings.Join(lines, "\n")
}

// Unwrap makes errors.Is find ErrDefinition.
func (p Problems) Unwrap() error { return ErrDefinition }

// maxProblems is how many mistakes of a file are told.
const maxProblems = 100

// sorted brings mistakes into the file's order, drops repeated ones, and cuts off
// what is more than anybody reads.
func (p Problems) sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	p = slices.Compact(p)
	if n := len(p) - maxProblems; n > 0 {
		p = append(p[:maxProblems:maxProblems], Problem{Line: p[maxProblems].Line, Column: p[maxProblems].Column,
			Message: phrase("%d more mistakes follow; correct those above first", n)})
	}
	return p
}
