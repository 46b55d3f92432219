package filing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdpoint/engine/agents/filing/api"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/tool"
)

// States of a box.
const (
	filled        = "filled"
	missing       = "missing"
	notApplicable = "not applicable"
)

// box is one of a form.
type box struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Value  any    `json:"value"`
	Unit   string `json:"unit,omitempty"`
	Source string `json:"source,omitempty"`
	Status string `json:"status"`
	Note   string `json:"note,omitempty"`

	// check says what is wrong with a value that is given for the box. Without one, a value
	// in a unit is a number that is not negative, and any other is taken.
	check func(string) error
}

// document is a form with all its boxes.
type document struct {
	Form    string `json:"form"`
	Title   string `json:"title"`
	Subject string `json:"subject"`
	// Layout says which issue of the form the boxes follow.
	Layout      string       `json:"layout"`
	Boxes       []box        `json:"boxes"`
	Missing     []string     `json:"missing"`
	Attachments []string     `json:"attachments"`
	Assumptions []assumption `json:"assumptions"`
	Notes       []string     `json:"notes,omitempty"`
	Complete    bool         `json:"complete"`

	// about is the record that the form is about, as TYPE/ID.
	about string
}

// entry is a value that a person or a model gives for a box, with its source.
type entry struct {
	Box    string `json:"box"`
	Value  any    `json:"value"`
	Source string `json:"source"`
}

// put adds a box; a value of nothing is missing.
func (d *document) put(id, label string, value any, unit, source string) *box {
	b := box{ID: id, Label: label, Value: value, Unit: unit, Source: source, Status: filled}
	if empty(value) {
		b.Value, b.Source, b.Status = nil, "", missing
	}
	d.Boxes = append(d.Boxes, b)
	return &d.Boxes[len(d.Boxes)-1]
}

// none adds a box that the well or the filing has no use for.
func (d *document) none(id, label, why string) {
	d.Boxes = append(d.Boxes, box{ID: id, Label: label, Status: notApplicable, Note: why})
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []string:
		return len(v) == 0
	}
	return false
}

// amount reads a value in a unit, which may stand behind it.
func amount(v any, unit string) error {
	text, isText := v.(string)
	if !isText {
		text = fmt.Sprint(v)
	}
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), unit))
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		return fmt.Errorf("it is not a number; write it in %s", unit)
	case n < 0:
		return errors.New("it cannot be negative")
	}
	return nil
}

// isDay checks a date.
func isDay(text string) error {
	if _, err := time.Parse(time.DateOnly, strings.TrimSpace(text)); err != nil {
		return errors.New("it is not a day; write YYYY-MM-DD")
	}
	return nil
}

// followsFrom is the check of a box that is worked out of an argument, or is one.
func followsFrom(argument string) func(string) error {
	return func(string) error {
		return fmt.Errorf("it follows from %s; change that, so that days, route and rate agree", argument)
	}
}

// isWell checks an API number.
func isWell(text string) error {
	_, err := api.Parse(strings.TrimSpace(text))
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "api: "))
	}
	return nil
}

// text is a box's value for a sentence.
func text(v any) string {
	switch v := v.(type) {
	case *wells.Place:
		return fmt.Sprintf("%v, %v (%s)", v.Lon, v.Lat, v.Datum.Name())
	case []string:
		return strings.Join(v, "; ")
	case float64:
		return trimFloat(v)
	}
	return fmt.Sprint(v)
}

// fill puts what was given into the boxes. Nothing goes in without its source.
func (d *document) fill(given []entry) error {
	seen := map[string]bool{}
	for _, e := range given {
		if seen[e.Box] {
			return &tool.Refusal{Reason: fmt.Sprintf("box %s is given twice; give it once", e.Box)}
		}
		seen[e.Box] = true
		at := slices.IndexFunc(d.Boxes, func(b box) bool { return b.ID == e.Box })
		if at < 0 {
			return &tool.Refusal{Reason: fmt.Sprintf("Form %s has no box %q; its boxes are %s", d.Form, e.Box, strings.Join(d.ids(), ", "))}
		}
		if strings.TrimSpace(e.Source) == "" {
			return &tool.Refusal{Reason: fmt.Sprintf("the value of box %s (%s) has no source; say where it is from: a record, a document, or who said it", e.Box, d.Boxes[at].Label)}
		}
		if empty(e.Value) {
			return &tool.Refusal{Reason: fmt.Sprintf("box %s (%s) was given without a value", e.Box, d.Boxes[at].Label)}
		}
		b := &d.Boxes[at]
		var wrong error
		switch {
		case b.check != nil:
			wrong = b.check(text(e.Value))
		case b.Unit != "":
			wrong = amount(e.Value, b.Unit)
			if said, ok := e.Value.(string); ok {
				e.Value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(said), b.Unit))
			}
		}
		if wrong != nil {
			return &tool.Refusal{Reason: fmt.Sprintf("box %s (%s) was given %q: %s", e.Box, b.Label, text(e.Value), wrong)}
		}
		if b.Status == filled && text(b.Value) != text(e.Value) {
			b.Note = strings.TrimSpace(fmt.Sprintf("%s The records have %s (%s).", b.Note, text(b.Value), b.Source))
		}
		b.Value, b.Source, b.Status = e.Value, "given: "+e.Source, filled
	}
	return nil
}

// box is the one with an id that the form has.
func (d *document) box(id string) *box {
	return &d.Boxes[slices.IndexFunc(d.Boxes, func(b box) bool { return b.ID == id })]
}

func (d *document) ids() (out []string) {
	for _, b := range d.Boxes {
		out = append(out, b.ID)
	}
	return out
}

// close lists what is missing.
func (d *document) close() {
	d.Missing = []string{}
	for _, b := range d.Boxes {
		if b.Status == missing {
			d.Missing = append(d.Missing, b.ID+": "+b.Label)
		}
	}
	d.Complete = len(d.Missing) == 0
}
