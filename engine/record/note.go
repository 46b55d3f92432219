package record

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Note is a document with its text, where the resource carries it.
type Note struct {
	ID          string `json:"id"`
	Date        string `json:"date,omitempty"` // as in the record
	Title       string `json:"title"`          // the description, else the type
	Category    string `json:"category,omitempty"`
	Status      string `json:"status,omitempty"`
	Author      string `json:"author,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	Text        string `json:"text"`
}

// NoteOf reads a DocumentReference. Text is taken from its text/plain
// attachments or, without any, from text/html ones without the markup.
func NoteOf(r Record) (Note, error) {
	d, err := read(r)
	n := Note{ID: r.ID, Title: cmp.Or(d.at("description").text(), d.at("type").concept(), "note"), Category: d.at("category").concept1(),
		Date: cmp.Or(d.at("date").text(), d.at("context", "period", "start").text()), Status: d.at("status").text(), Author: d.at("author", "display").text()}
	if n.Date == "" && !r.UpdatedAt.IsZero() {
		n.Date = r.UpdatedAt.Format(time.RFC3339)
	}
	for _, kind := range []string{"text/plain", "text/html"} {
		for _, c := range d.at("content").each() {
			a := c.at("attachment")
			typ := a.at("contentType").text()
			if media, _, _ := strings.Cut(typ, ";"); !strings.EqualFold(strings.TrimSpace(media), kind) {
				continue
			}
			text, ok := AttachmentText(a.at("data").text())
			if !ok {
				continue // not as FHIR writes it: the note is still found by its title
			}
			if kind == "text/html" {
				text = stripMarkup(text)
			}
			if n.Text != "" {
				n.Text += "\n"
			}
			n.Text, n.ContentType = n.Text+text, typ
		}
		if n.Text != "" {
			break
		}
	}
	return n, err
}

// AttachmentText is the text in the data of a FHIR Attachment that holds text; false for what is
// no base64.
func AttachmentText(data string) (string, bool) {
	data = strings.TrimRight(strings.Join(strings.Fields(data), ""), "=")
	raw, err := base64.RawStdEncoding.DecodeString(data)
	if err != nil || len(raw) == 0 {
		return "", false
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if utf8.Valid(raw) {
		return string(raw), true
	}
	// Older systems write Latin-1, whose bytes are the code points.
	out := make([]rune, len(raw))
	for i, c := range raw {
		out[i] = rune(c)
	}
	return string(out), true
}

// stripMarkup keeps the text of HTML, with a line for each block.
func stripMarkup(text string) string {
	z := html.NewTokenizer(strings.NewReader(text))
	var out strings.Builder
	hidden := 0
	for {
		switch z.Next() {
		case html.ErrorToken: // the end: a reader of a string has no other error
			var lines []string
			for line := range strings.Lines(out.String()) {
				if line = strings.Join(strings.Fields(line), " "); line != "" {
					lines = append(lines, line)
				}
			}
			return strings.Join(lines, "\n")
		case html.TextToken:
			if hidden == 0 {
				out.Write(z.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch t.Data {
			case "script", "style", "title":
				if t.Type == html.StartTagToken {
					hidden++
				} else if hidden > 0 {
					hidden--
				}
			case "b", "i", "em", "strong", "span", "a", "u", "sub", "sup", "code", "font", "small":
			case "td", "th":
				out.WriteByte(' ')
			default:
				out.WriteByte('\n')
			}
		}
	}
}

// Hit is a note that matches a search.
type Hit struct {
	ID    string `json:"id"`
	Date  string `json:"date,omitempty"`
	Title string `json:"title"`
	// Excerpt is the part of the note's text from byte Start to End.
	Excerpt string `json:"excerpt"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	// Score orders the hits of one search; it means nothing beyond that.
	Score float64 `json:"score"`
}

type word struct {
	text       string // in lower case
	start, end int    // bytes
}

// words splits text at what is neither letter nor digit.
func words(text string) []word {
	var out []word
	start := -1
	for i, r := range text {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			out = append(out, word{strings.ToLower(text[start:i]), start, i})
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, word{strings.ToLower(text[start:]), start, len(text)})
	}
	return out
}

// meets says whether a word of a note matches a word of the query: the same word or,
// for four letters or more, a word that begins with it (sleep, sleeping).
func meets(word, query string) bool {
	return word == query || len(query) >= 4 && strings.HasPrefix(word, query)
}

// Constants of BM25 at their usual values (Robertson and Zaragoza, 2009), and the
// length of an excerpt in bytes.
const (
	saturation  = 1.2
	lengthShare = 0.75
	excerptRoom = 240
)

// HitAt is a hit that shows the note's text from byte start to end, or as much of it as
// there is room for.
func HitAt(n Note, start, end int, score float64) Hit {
	if end-start > excerptRoom {
		for end = start + excerptRoom; end < len(n.Text) && !utf8.RuneStart(n.Text[end]); {
			end++
		}
	}
	return Hit{ID: n.ID, Date: n.Date, Title: n.Title, Excerpt: n.Text[start:end], Start: start, End: end, Score: score}
}

// Notes are the patient's notes that have a text, newest first, at most limit. Those
// entered in error are left out.
func Notes(tx Tx, patientID string, limit int) ([]Note, error) {
	notes := []Note{}
	err := tx.RecordsAbout(Ref{Type: "Patient", ID: patientID}, "DocumentReference", func(r Record) (bool, error) {
		n, err := NoteOf(r)
		if err == nil && n.Status != "entered-in-error" && n.Text != "" {
			notes = append(notes, n)
		}
		return true, err
	})
	slices.SortStableFunc(notes, func(a, b Note) int {
		x, _ := moment(a.Date) // what has no date comes last
		y, _ := moment(b.Date)
		return cmp.Or(y.Compare(x), strings.Compare(a.ID, b.ID))
	})
	return notes[:min(len(notes), limit)], err
}

// SearchNotes finds the patient's DocumentReferences, care notes included, by
// words, best first. Words are compared without regard to case; rare ones and
// short notes weigh more (BM25). Notes entered in error are left out.
func SearchNotes(tx Tx, patientID, query string, limit int) ([]Hit, error) {
	var asked []string
	for _, w := range words(query) {
		if !slices.Contains(asked, w.text) {
			asked = append(asked, w.text)
		}
	}
	type found struct {
		hit    Hit
		counts []int
		length int
	}
	var all []found
	having := make([]int, len(asked)) // notes that hold the word
	total, length := 0, 0
	if len(asked) == 0 || limit <= 0 {
		return []Hit{}, nil
	}
	err := tx.RecordsAbout(Ref{Type: "Patient", ID: patientID}, "DocumentReference", func(r Record) (bool, error) {
		n, err := NoteOf(r)
		if err != nil || n.Status == "entered-in-error" {
			return true, err
		}
		title, body := words(n.Title), words(n.Text)
		f := found{counts: make([]int, len(asked)), length: len(title) + len(body)}
		total, length = total+1, length+f.length
		var places []word // body words that were asked for, under the asked spelling
		for k, list := range [][]word{title, body} {
			for _, w := range list {
				for q, a := range asked {
					if !meets(w.text, a) {
						continue
					}
					f.counts[q]++
					if k == 1 {
						places = append(places, word{a, w.start, w.end})
					}
				}
			}
		}
		any := false
		for q, c := range f.counts {
			if c > 0 {
				having[q]++
				any = true
			}
		}
		if any {
			start, end := excerpt(n.Text, places)
			f.hit = HitAt(n, start, end, 0)
			all = append(all, f)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	hits := []Hit{}
	for _, f := range all {
		for q, c := range f.counts {
			rare := math.Log(1 + (float64(total-having[q])+0.5)/(float64(having[q])+0.5))
			norm := saturation * (1 - lengthShare + lengthShare*float64(f.length)*float64(total)/float64(max(1, length)))
			f.hit.Score += rare * float64(c) * (saturation + 1) / (float64(c) + norm)
		}
		f.hit.Score = math.Round(f.hit.Score*1000) / 1000
		hits = append(hits, f.hit)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		x, _ := moment(a.Date) // what has no date comes last
		y, _ := moment(b.Date)
		return cmp.Or(cmp.Compare(b.Score, a.Score), y.Compare(x), strings.Compare(a.ID, b.ID))
	})
	return hits[:min(len(hits), limit)], nil
}

// excerpt chooses the stretch of text with most different words that were asked
// for and returns where it begins and ends, never inside a character.
func excerpt(text string, places []word) (start, end int) {
	best := 0
	for i, p := range places {
		seen := map[string]bool{}
		for _, q := range places[i:] {
			if q.end > p.start+excerptRoom-60 {
				break
			}
			seen[q.text] = true
		}
		if len(seen) > best {
			best, start = len(seen), max(0, p.start-60)
		}
	}
	end = min(len(text), start+excerptRoom)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return start, end
}
