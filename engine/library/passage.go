package library

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"holdpoint/engine/encoder"
)

const (
	maxPassage = 900 // bytes: some 130 words, two fingers of a page
	// fewWords is what a paragraph has that goes on in the next one: a line of a list, a caption.
	fewWords   = 200
	maxOverlap = 250
)

// section is what stands under one heading, or on one page.
type section struct {
	heading string
	page    int
	// text has its paragraphs apart by empty lines.
	text string
}

// cut makes passages of sections. None crosses a heading or a page. A paragraph that is too
// long is cut between sentences, and the last sentence is repeated where the next begins.
func cut(sections []section) []Passage {
	var out []Passage
	for _, s := range sections {
		var open piece
		emit := func() {
			if text := strings.TrimSpace(open.text); text != "" {
				out = append(out, Passage{Heading: s.heading, Page: s.page, Text: text, Overlap: open.overlap})
			}
			open = piece{}
		}
		for _, p := range paragraphs(s.text) {
			if len(open.text)+1+len(p) > maxPassage || len(open.text) >= fewWords {
				emit()
			}
			if len(p) <= maxPassage {
				open.add(p, "\n")
				continue
			}
			for _, sentence := range shorter(p) {
				if len(open.text)+1+len(sentence) > maxPassage {
					last := open.last
					emit()
					if last != "" && len(last) <= maxOverlap && len(last)+1+len(sentence) <= maxPassage {
						open.add(last, "")
						open.overlap = len(last)
					}
				}
				open.add(sentence, " ")
			}
		}
		emit()
	}
	return out
}

// piece is a passage that is being filled.
type piece struct {
	text, last string
	overlap    int
}

func (p *piece) add(text, between string) {
	if p.text != "" {
		p.text += between
	}
	p.text += text
	p.last = text
}

// paragraphs are apart by an empty line; blanks inside become single spaces.
func paragraphs(text string) []string {
	var out []string
	var lines []string
	end := func() {
		if p := strings.Join(strings.FieldsFunc(strings.Join(lines, " "), func(r rune) bool { return unicode.IsSpace(r) || r < ' ' }), " "); p != "" {
			out = append(out, p)
		}
		lines = lines[:0]
	}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			end()
			continue
		}
		lines = append(lines, line)
	}
	end()
	return out
}

// shorter are the sentences of a paragraph; those that are longer than a passage are cut between words.
func shorter(paragraph string) []string {
	var out []string
	for _, s := range encoder.Sentences(paragraph) {
		for len(s) > maxPassage {
			end := strings.LastIndexByte(s[:maxPassage], ' ')
			if end < maxPassage/2 {
				for end = maxPassage; !utf8.RuneStart(s[end]); {
					end--
				}
			}
			out = append(out, s[:end])
			s = strings.TrimSpace(s[end:])
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
