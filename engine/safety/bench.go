package safety

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Miss is a person the rules got wrong, with the message that came closest to
// (or went furthest over) the threshold.
type Miss struct {
	ID      string `json:"id"`
	Excerpt string `json:"excerpt"` // at most 200 bytes
	Score   int    `json:"score"`   // points; Check's threshold decides
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
	Misses         []Miss  `json:"misses"`           // crisis without an alarm
	FalseAlarms    []Miss  `json:"false_alarms"`     // none with an alarm
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

// Bench reads one JSON object a line, {id, text, label}, runs Check over every
// message and compares: an alarm on any message is an alarm for the person. It
// streams; only misses and false alarms are kept. A line it cannot use ends the
// run with an error that wraps ErrBenchInput and names the line.
func Bench(r io.Reader) (Report, error) {
	rep := Report{Misses: []Miss{}, FalseAlarms: []Miss{}}
	in := bufio.NewReaderSize(r, 64<<10)
	hits, alarms := 0, 0
	for n := 1; ; n++ {
		line, err := readLine(in)
		if errors.Is(err, ErrBenchInput) {
			return Report{}, fmt.Errorf("safety: line %d: %w", n, err)
		}
		if err != nil && err != io.EOF {
			return Report{}, fmt.Errorf("safety: read line %d: %w", n, err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var p struct {
				ID    personID `json:"id"`
				Text  messages `json:"text"`
				Label *string  `json:"label"`
			}
			if e := json.Unmarshal(line, &p); e != nil {
				return Report{}, fmt.Errorf(`safety: line %d: %w (%w): write one object a line, {"id": "…", "text": "…" or ["…"], "label": "crisis" or "none"}`, n, ErrBenchInput, e)
			}
			if p.Label == nil || p.Text == nil {
				return Report{}, fmt.Errorf(`safety: line %d: %w: "text" and "label" must be there; a person who is not to be scored takes a label other than crisis and none`, n, ErrBenchInput)
			}
			rep.People++
			if *p.Label != LabelCrisis && *p.Label != LabelNone {
				rep.Ignored++
			} else {
				alarm, closest := person(string(p.ID), p.Text)
				if alarm {
					alarms++
				}
				switch {
				case *p.Label == LabelCrisis:
					rep.Crisis++
					if alarm {
						hits++
					} else {
						rep.Misses = append(rep.Misses, closest)
					}
				default:
					rep.None++
					if alarm {
						rep.FalseAlarms = append(rep.FalseAlarms, closest)
					}
				}
			}
		}
		if err == io.EOF {
			break
		}
	}
	rep.Recall = share(hits, rep.Crisis)
	rep.Precision = share(hits, alarms)
	rep.FalseAlarmRate = share(len(rep.FalseAlarms), rep.None)
	return rep, nil
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// person checks every message and returns the one with the highest score.
func person(id string, texts []string) (alarm bool, closest Miss) {
	closest = Miss{ID: id}
	for i, text := range texts {
		v := Check(text)
		alarm = alarm || v.Hijack
		if i > 0 && v.Score <= closest.Score {
			continue
		}
		from := 0
		for _, f := range v.Findings {
			if f.Category != None {
				from = max(0, f.Start-60)
				break
			}
		}
		closest.Score, closest.Excerpt = v.Score, clip(trimToRune(text[from:]), maxMissExcerpt)
	}
	return alarm, closest
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
