// Package lazyregexp has regular expressions that are compiled when they are first asked. Hundreds of
// long ones for practice mode, ages and crises stand in the program; a command of the command line
// asks a few of them, and compiling all took a fifth of its time. Go's own packages have the same
// in internal/lazyregexp, which others cannot import.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is an expression of package regexp with the methods that are asked here. It may be used by
// several goroutines at once.
type Regexp struct {
	expression string
	compiled   func() *regexp.Regexp
}

// InTest says that this is a program of go test, which finds an expression that does not compile
// before anybody asks it. Other packages look through what comes with the program likewise.
var InTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New is regexp.MustCompile at the first question, in tests at once: an expression that does not
// compile panics.
func New(expression string) *Regexp {
	r := &Regexp{expression, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
	if InTest {
		r.compiled()
	}
	return r
}

// String is the expression; it is not compiled for it.
func (r *Regexp) String() string { return r.expression }

func (r *Regexp) MatchString(s string) bool              { return r.compiled().MatchString(s) }
func (r *Regexp) FindString(s string) string             { return r.compiled().FindString(s) }
func (r *Regexp) FindStringIndex(s string) []int         { return r.compiled().FindStringIndex(s) }
func (r *Regexp) FindStringSubmatch(s string) []string   { return r.compiled().FindStringSubmatch(s) }
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}
func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.compiled().ReplaceAllString(s, with)
}
func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, with)
}
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
