package library

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"holdpoint/engine/charset"
)

// entry is what a file holds before it is cut into passages: most files hold one.
type entry struct {
	// key tells the entries of one file apart; "" in a file that is one document.
	key      string
	title    string
	date     string
	url      string
	where    *Publication
	kind     string
	note     string
	sections []section
	// passages are those of a format that cuts by itself; else sections are cut.
	passages []Passage
	pages    int
	textless int
	original []byte // nil: the whole file
}

// errNoText is the error of a file that can be read and says nothing.
var errNoText = errors.New("there is no text in it")

// noDocument is the error of a FHIR resource that is a record and no document; it says of which type.
type noDocument string

func (n noDocument) Error() string {
	return phrase("it is a FHIR %s, which is not a document", string(n))
}

// failed is the error of one entry; the rest of its file goes on.
type failed struct {
	key string
	err error
}

func (f *failed) Error() string { return f.err.Error() }

// format reads files of one kind. each takes every entry; a nil entry with an error is one that
// could not be read. What each returns ends it.
type format struct {
	extensions []string
	read       func(ctx context.Context, r *reader, name string, body []byte, each func(*entry, error) error) error
}

// reader reads files. Its fields are what formats need of the outside.
type reader struct {
	pdf PDF
}

var formats = []format{
	{[]string{".txt", ".text"}, readText},
	{[]string{".md", ".markdown"}, readMarkdown},
	{[]string{".html", ".htm", ".xhtml"}, readHTML},
	{[]string{".pdf"}, readPDF},
	{[]string{".json"}, readJSON},
	{[]string{".jsonl", ".ndjson"}, readLines},
	{[]string{".csv", ".tsv"}, readTable},
	{[]string{".nbib", ".medline"}, readTagged},
	{[]string{".ris"}, readTagged},
}

// Extensions are the endings of the files that can be read.
func Extensions() []string {
	var out []string
	for _, f := range formats {
		out = append(out, f.extensions...)
	}
	return append(out, ".zip")
}

func formatOf(name string) *format {
	ext := strings.ToLower(path.Ext(name))
	for i := range formats {
		for _, e := range formats[i].extensions {
			if e == ext {
				return &formats[i]
			}
		}
	}
	return nil
}

// decoded is a file's text as UTF-8. note says how it was read when it was not that.
func decoded(body []byte) (text, note string, err error) {
	text, strange, err := charset.Decode(body)
	switch {
	case err != nil:
		return "", "", fmt.Errorf("its characters are not understood; save it as UTF-8: %w", err)
	case strings.IndexByte(text, 0) >= 0:
		return "", "", errors.New("it is not text: it has zero bytes")
	case !strings.Contains(text, "\n"):
		text = strings.ReplaceAll(text, "\r", "\n") // line ends as the first Macintosh wrote them, and some programs still do
	}
	if strange > 0 {
		note = phrase("It is not UTF-8 in line %d, and maybe others; what is not was read as Windows-1252. If letters look wrong, save it as UTF-8 and import it again.", strange)
	}
	return text, note, nil
}

func readText(ctx context.Context, r *reader, name string, body []byte, each func(*entry, error) error) error {
	text, note, err := decoded(body)
	if err != nil {
		return err
	}
	if head := strings.TrimSpace(text[:min(len(text), 200)]); strings.HasPrefix(head, "PMID- ") || strings.HasPrefix(head, "TY  - ") {
		return readTagged(ctx, r, name, body, each) // PubMed saves its exports as .txt
	}
	return each(&entry{title: titleOf(text, name), kind: KindText, note: note, sections: []section{{text: text}}}, nil)
}

// titleOf is the first line of a text when it is short enough to be a title, else the file's name.
func titleOf(text, name string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if first = strings.TrimSpace(first); first != "" && len(first) <= 120 && strings.TrimSpace(rest) != "" && !strings.HasSuffix(first, ".") {
		return first
	}
	return path.Base(name)
}

// readMarkdown takes headings, and the title and date of a front matter.
func readMarkdown(_ context.Context, _ *reader, name string, body []byte, each func(*entry, error) error) error {
	text, note, err := decoded(body)
	if err != nil {
		return err
	}
	e := &entry{kind: KindMarkdown, note: note}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if len(lines) > 0 && strings.TrimSpace(lines[0]) == "---" {
		for i, line := range lines[1:] {
			if strings.TrimSpace(line) == "---" {
				lines = lines[i+2:]
				break
			}
			if k, v, ok := strings.Cut(line, ":"); ok {
				switch v = strings.Trim(strings.TrimSpace(v), `"'`); strings.ToLower(strings.TrimSpace(k)) {
				case "title":
					e.title = v
				case "date":
					e.dated(v, i+2)
				}
			}
		}
	}
	var s section
	var b strings.Builder
	end := func() {
		s.text = b.String()
		e.sections = append(e.sections, s)
		b.Reset()
	}
	fenced := false
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
			continue
		}
		heading := ""
		if level := len(line) - len(strings.TrimLeft(line, "#")); !fenced && level > 0 && level <= 6 && strings.HasPrefix(line[level:], " ") {
			heading = strings.TrimSpace(strings.Trim(line, "# \t"))
		} else if !fenced && i+1 < len(lines) && trimmed != "" && len(lines[i+1]) >= 3 && (strings.Trim(lines[i+1], "= ") == "" || strings.Trim(lines[i+1], "- ") == "") && i > 0 && strings.TrimSpace(lines[i-1]) == "" {
			heading = trimmed
			lines[i+1] = ""
		}
		if heading == "" {
			b.WriteString(line + "\n")
			continue
		}
		end()
		s = section{heading: heading}
		if e.title == "" {
			e.title = heading
		}
	}
	end()
	if e.title == "" {
		e.title = titleOf(text, name)
	}
	return each(e, nil)
}

// dated gives an entry the date that a text is. One that the calendar does not have is left out, and
// the entry's note says on which line it stands; 0 where lines say nothing.
func (e *entry) dated(s string, line int) {
	date, ok := isoDate(s)
	if ok {
		e.date = date
		return
	}
	said := phrase("“%s” is not a date of the calendar; it was left out.", cutTo(title(s), 40))
	if line > 0 {
		said = phrase("line %d: “%s” is not a date of the calendar; it was left out.", line, cutTo(title(s), 40))
	}
	e.noted(said)
}

// noted adds a sentence to an entry's note.
func (e *entry) noted(said string) { e.note = strings.TrimSpace(e.note + " " + said) }

// phrase fills a format of a sentence that screens show, in French as well.
func phrase(format string, values ...any) string { return fmt.Sprintf(format, values...) }

func cutTo(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes-1]) + "…"
	}
	return s
}

// isoDate is the date that a text begins with or is: 2011, 2011-05, 2011-05-03; "" without one. A
// month or a day of zeros is not known. ok is false for a date that the calendar does not have.
func isoDate(s string) (date string, ok bool) {
	s = strings.TrimSpace(s)
	digits := func(from, n int) bool {
		if len(s) < from+n {
			return false
		}
		return strings.Trim(s[from:from+n], "0123456789") == ""
	}
	if !digits(0, 4) {
		return "", true
	}
	month, day := "", ""
	sep := func(i int) bool { return len(s) > i && (s[i] == '-' || s[i] == '/' || s[i] == ' ' || s[i] == '.') }
	switch {
	case sep(4) && digits(5, 2):
		month = s[5:7]
		if sep(7) && digits(8, 2) {
			day = s[8:10]
		}
	case sep(4) && len(s) >= 8: // PubMed: 2011 Oct 6
		const months = "janfebmaraprmayjunjulaugsepoctnovdec"
		if at := strings.Index(months, strings.ToLower(s[5:8])); at >= 0 && at%3 == 0 {
			month = fmt.Sprintf("%02d", at/3+1)
			if rest := strings.Fields(s[8:]); len(rest) > 0 && strings.Trim(rest[0], "0123456789") == "" && len(rest[0]) <= 2 {
				day = fmt.Sprintf("%02s", rest[0])
			}
		}
	case digits(4, 4): // 20110503…
		month, day = s[4:6], s[6:8]
	}
	layout := "2006"
	date = s[:4]
	if month != "" && month != "00" {
		date, layout = date+"-"+month, layout+"-01"
		if day != "" && day != "00" {
			date, layout = date+"-"+day, layout+"-02"
		}
	}
	if at, err := time.Parse(layout, date); err != nil || at.Year() == 0 {
		return "", false
	}
	return date, true
}
