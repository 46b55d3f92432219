package safety

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Labels that Bench scores; a person with any other label is only counted.
const (
	LabelCrisis = "crisis"
	LabelNone   = "none"
)

// maxLine is the longest line Bench takes, in bytes.
const maxLine = 32 << 20

const maxMissExcerpt = 200

// ErrBenchInput is wrapped by every error about the lines given to Bench.
var ErrBenchInput = errors.New("not a labelled line")

// Miss is a person the check got wrong, with the message that came closest to
// (or went furthest over) the threshold.
type Miss struct {
	ID      string `json:"id"`
	Excerpt string `json:"excerpt"` // at most 200 bytes
	Score   int    `json:"score"`   // points of the rules
	// Level is the highest that any message reached, By who saw a sign.
	Level    Level    `json:"level"`
	By       []string `json:"by"`
	Category string   `json:"category,omitempty"` // of the file
}

// Share is what happened to the people of one category of the file.
type Share struct {
	Category      string `json:"category"`
	Label         string `json:"label"`
	People        int    `json:"people"`
	Interventions int    `json:"interventions"`
	CheckIns      int    `json:"check_ins"` // check-ins without an intervention
}

// Report is what Bench measured. Shares are from 0 to 1; a share of nobody is 0.
type Report struct {
	Recall         float64 `json:"recall"`           // alarms among people labelled crisis
	Precision      float64 `json:"precision"`        // people labelled crisis among alarms
	FalseAlarmRate float64 `json:"false_alarm_rate"` // alarms among people labelled none
	People         int     `json:"people"`           // lines read
	Crisis         int     `json:"crisis"`           // of them labelled crisis
	None           int     `json:"none"`             // of them labelled none
	Ignored        int     `json:"ignored"`          // of them with another label
	// The same with a check-in as an alarm.
	CheckInRecall         float64 `json:"checkin_recall"`
	CheckInFalseAlarmRate float64 `json:"checkin_false_alarm_rate"`
	// Tiers are the names of those that took part; no model server is asked.
	Tiers []string `json:"tiers"`
	// Categories are in the order in which they appear; empty where the file has none.
	Categories    []Share `json:"categories,omitempty"`
	Misses        []Miss  `json:"misses"`         // crisis without an intervention
	FalseAlarms   []Miss  `json:"false_alarms"`   // none with an intervention
	FalseCheckIns []Miss  `json:"false_checkins"` // none with a check-in
}

// messages is one message or the list of one person's messages.
type messages []string

func (m *messages) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*m = messages{s}
		return nil
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return errors.New("text must be a string or a list of strings")
	}
	*m = list
	return nil
}

// personID is a string or a number.
type personID string

func (p *personID) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	switch v := v.(type) {
	case string:
		*p = personID(v)
		return nil
	case float64:
		*p = personID(b)
		return nil
	}
	return errors.New("id must be a string or a number")
}

// Person is one line of a file of labelled people.
type Person struct {
	ID       string
	Texts    []string
	Label    string
	Category string
	Speaker  Speaker
}

// ReadPeople reads one JSON object a line, {id, text, label}, and hands each to do. It
// streams. A line it cannot use ends it with an error that wraps ErrBenchInput and names
// the line.
func ReadPeople(r io.Reader, do func(Person)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if errors.Is(err, ErrBenchInput) {
			return fmt.Errorf("safety: line %d: %w", n, err)
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("safety: read line %d: %w", n, err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var p struct {
				ID       personID `json:"id"`
				Text     messages `json:"text"`
				Label    *string  `json:"label"`
				Category string   `json:"category"`
				Speaker  Speaker  `json:"speaker"`
			}
			if e := json.Unmarshal(line, &p); e != nil {
				return fmt.Errorf(`safety: line %d: %w (%w): write one object a line, {"id": "…", "text": "…" or ["…"], "label": "crisis" or "none"}`, n, ErrBenchInput, e)
			}
			if p.Label == nil || p.Text == nil {
				return fmt.Errorf(`safety: line %d: %w: "text" and "label" must be there; a person who is not to be scored takes a label other than crisis and none`, n, ErrBenchInput)
			}
			do(Person{string(p.ID), p.Text, *p.Label, p.Category, p.Speaker})
		}
		if err == io.EOF {
			return nil
		}
	}
}

// Bench assesses every message of people with a label: an alarm on any message is an
// alarm for the person. Only misses and false alarms are kept.
func (c Checker) Bench(r io.Reader) (Report, error) {
	c.Unhurried = true // what a tier is said to have read, it reads, also the first message
	rep := Report{Misses: []Miss{}, FalseAlarms: []Miss{}, FalseCheckIns: []Miss{}, Tiers: []string{TierRules}}
	for _, t := range c.Tiers {
		rep.Tiers = append(rep.Tiers, t.Name())
	}
	hits, seen := 0, 0
	err := ReadPeople(r, func(p Person) {
		rep.People++
		if p.Label != LabelCrisis && p.Label != LabelNone {
			rep.Ignored++
			return
		}
		m := c.person(p)
		rep.count(p, m.Level)
		if p.Label == LabelCrisis {
			rep.Crisis++
			if m.Level.atLeast(CheckIn) {
				seen++
			}
			if m.Level == Intervene {
				hits++
			} else {
				rep.Misses = append(rep.Misses, m)
			}
			return
		}
		rep.None++
		switch m.Level {
		case Intervene:
			rep.FalseAlarms = append(rep.FalseAlarms, m)
		case CheckIn:
			rep.FalseCheckIns = append(rep.FalseCheckIns, m)
		}
	})
	if err != nil {
		return Report{}, err
	}
	rep.Recall, rep.CheckInRecall = share(hits, rep.Crisis), share(seen, rep.Crisis)
	rep.Precision = share(hits, hits+len(rep.FalseAlarms))
	rep.FalseAlarmRate = share(len(rep.FalseAlarms), rep.None)
	rep.CheckInFalseAlarmRate = share(len(rep.FalseAlarms)+len(rep.FalseCheckIns), rep.None)
	return rep, nil
}

// count adds a person to their category.
func (r *Report) count(p Person, l Level) {
	if p.Category == "" {
		return
	}
	i := slices.IndexFunc(r.Categories, func(s Share) bool { return s.Category == p.Category && s.Label == p.Label })
	if i < 0 {
		i = len(r.Categories)
		r.Categories = append(r.Categories, Share{Category: p.Category, Label: p.Label})
	}
	s := &r.Categories[i]
	s.People++
	switch l {
	case Intervene:
		s.Interventions++
	case CheckIn:
		s.CheckIns++
	}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// person assesses every message and returns what the one that went furthest reached.
func (c Checker) person(p Person) Miss {
	m := Miss{ID: p.ID, Level: Calm, By: []string{}, Category: p.Category}
	for i, text := range p.Texts {
		a := c.Assess(text)
		if i > 0 && (a.Level.rank() < m.Level.rank() || a.Level == m.Level && a.Rules.Score <= m.Score) {
			continue
		}
		from := 0
		for _, f := range a.Rules.Findings {
			if f.Category != None {
				from = max(0, f.Start-60)
				break
			}
		}
		m.Level, m.Score, m.Excerpt = a.Level, a.Rules.Score, clip(trimToRune(text[from:]), maxMissExcerpt)
		m.By = append([]string{}, a.Found()...)
	}
	return m
}

// trimToRune drops the bytes of a rune that was cut in two.
func trimToRune(s string) string {
	for i := 0; i < len(s) && i < 4; i++ {
		if s[i]&0xC0 != 0x80 {
			return s[i:]
		}
	}
	return s
}

// readLine reads to the next newline without a limit but maxLine.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("%w: longer than %d MB: split the person's messages over several lines", ErrBenchInput, maxLine>>20)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}
