package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Manner is how the practice model behaves: as asked, or badly in one way, so that people
// can try what a graph makes of that: its loops, retries, limits and refusals.
type Manner string

const (
	// Willing does what is asked; the zero value.
	Willing Manner = ""
	// Stubborn is never content and never done: it wants another round, sends drafts back,
	// makes the same call again (twice when it was refused), and is not sure of anything.
	Stubborn Manner = "stubborn"
	// Wrong gives the first answer of each step wrong: prose where a form is asked for,
	// arguments that the tool does not take, a text that says what is not so. Asked again
	// it mends that.
	Wrong Manner = "wrong"
	// Slow takes its time before each answer.
	Slow Manner = "slow"
)

// Manners lists the bad ones, for people to choose from.
func Manners() []Manner { return []Manner{Stubborn, Wrong, Slow} }

// ParseManner reads a manner by its name; "plain" and "true" are Willing.
func ParseManner(name string) (Manner, error) {
	switch m := Manner(name); {
	case name == "plain" || name == "true" || m == Willing:
		return Willing, nil
	case slices.Contains(Manners(), m):
		return m, nil
	}
	return Willing, fmt.Errorf("%w: practice has no manner %q; use plain, stubborn, wrong or slow", ErrRequest, clip(name))
}

const practiceName = "practice"

// name is the practice model's name, by which a run goes on in the same manner.
func (m Manner) name() string {
	if m == Willing {
		return practiceName
	}
	return practiceName + ":" + string(m)
}

// MannerOf is the manner of a practice model by the name that it had.
func MannerOf(name string) Manner {
	m, err := ParseManner(strings.TrimPrefix(strings.TrimPrefix(name, practiceName), ":"))
	if err != nil {
		return Willing
	}
	return m
}

// errs says whether this answer is to be wrong: the first of a step about a message.
func (p *Practice) errs(s *Scene) bool {
	if p.Manner != Wrong {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		p.asked = map[string]bool{}
	}
	key := s.System + "\x00" + s.Said
	before := p.asked[key]
	p.asked[key] = true
	return !before
}

// mistake is a wrong answer.
func mistake(s *Scene, r Request, right Message) Message {
	switch {
	case len(right.Calls) > 0:
		right.Calls = slices.Clone(right.Calls)
		for i := range right.Calls {
			right.Calls[i].Arguments = json.RawMessage(mistakenArguments)
		}
	case r.Format != nil:
		right.Text = s.Say("I would rather say it in my own words than in a form.")
	default:
		right.Text = s.noted(s.Say("Two and two are five."))
	}
	return right
}

const mistakenArguments = `{"practice_mistake":true}`

// unwilling is what a stubborn model picks from an enum that has one of it.
var unwilling = []string{"revise", "fail", "invalid", "reject", "retry", "again", "no"}
