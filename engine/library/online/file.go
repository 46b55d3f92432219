package online

import (
	"bytes"
	"encoding/json"
	"strings"
)

// record is one that was found, as a line of a file that package library imports.
type record struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Date  string `json:"date,omitempty"`
	URL   string `json:"url"`
	// Contexts are paragraphs, Labels what stands above each.
	Contexts []string `json:"contexts"`
	Labels   []string `json:"labels"`
}

func (r *record) add(label, text string) {
	if text = strings.TrimSpace(text); text != "" {
		r.Contexts, r.Labels = append(r.Contexts, text), append(r.Labels, strings.TrimSpace(label))
	}
}

// file collects records.
type file struct {
	body    bytes.Buffer
	records int
}

func (f *file) add(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f.body.Write(append(line, '\n'))
	f.records++
	return nil
}

func (f *file) answer(name string) Answer {
	if f.records == 0 {
		return Answer{}
	}
	return Answer{File: name, Body: f.body.Bytes(), Records: f.records}
}
