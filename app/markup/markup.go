// Package markup lays out what was said in exports as the screens do: bold and slanted words, headings, lists, quotations,
// code, tables. Every letter of it is escaped; the only tags are those that stand here, without attributes. A link is its
// text with the address behind it: an export opens and loads nothing.
package markup

import (
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/visible"
)

// HTML is the markup of what was said.
func HTML(text string) template.HTML {
	var b strings.Builder
	writer{&b}.blocks(strings.Split(visible.Text(strings.ReplaceAll(text, "\r\n", "\n")), "\n"), 0)
	return template.HTML(b.String()) //nolint:gosec // built of escaped text and fixed tags
}

type writer struct{ b *strings.Builder }

// deepest is how deep lists, quotations and marks of words may stand in each other; what is deeper stays as written.
const deepest = 5

var (
	fences   = lazyregexp.New("^ {0,3}(`{3,}|~{3,})[^`]*$")
	headings = lazyregexp.New(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	rules    = lazyregexp.New(`^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	quotes   = lazyregexp.New(`^ {0,3}> ?(.*)$`)
	items    = lazyregexp.New(`^([ \t]*)([-*+]|(\d{1,9})[.)])[ \t]+(.*)$`)
	columns  = lazyregexp.New(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
)

func (m writer) tag(name string, inside func()) {
	m.b.WriteString("<" + name + ">")
	inside()
	m.b.WriteString("</" + name + ">")
}

func (m writer) text(s string) { template.HTMLEscape(m.b, []byte(s)) }

// begins says that a line begins something else than a paragraph.
func begins(line string) bool {
	return fences.MatchString(line) || headings.MatchString(line) || rules.MatchString(line) || quotes.MatchString(line) || items.MatchString(line)
}

func tableAt(lines []string, i int) bool {
	return i+1 < len(lines) && strings.Contains(lines[i], "|") && strings.Contains(lines[i+1], "|") && columns.MatchString(lines[i+1])
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

func (m writer) blocks(lines []string, depth int) {
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case blank(line):
			i++
		case fences.MatchString(line):
			i = m.code(lines, i)
		case headings.MatchString(line):
			h := headings.FindStringSubmatch(line)
			m.tag(map[bool]string{true: "h3", false: "h4"}[len(h[1]) < 3], func() { m.words(h[2], 0) })
			i++
		case rules.MatchString(line):
			m.b.WriteString("<hr>")
			i++
		case depth < deepest && quotes.MatchString(line):
			var inside []string
			for ; i < len(lines) && quotes.MatchString(lines[i]); i++ {
				inside = append(inside, quotes.FindStringSubmatch(lines[i])[1])
			}
			m.tag("blockquote", func() { m.blocks(inside, depth+1) })
		case depth < deepest && items.MatchString(line):
			i = m.list(lines, i, depth)
		case tableAt(lines, i):
			i = m.table(lines, i)
		default:
			from := i
			for i++; i < len(lines) && !blank(lines[i]) && (depth >= deepest || !begins(lines[i]) && !tableAt(lines, i)); i++ {
			}
			m.tag("p", func() { m.words(strings.Join(lines[from:i], "\n"), 0) })
		}
	}
}

// code is a block of it; one that is not closed reaches to the end.
func (m writer) code(lines []string, i int) int {
	mark := fences.FindStringSubmatch(lines[i])[1]
	from := i + 1
	for i = from; i < len(lines); i++ {
		if end := strings.TrimSpace(lines[i]); strings.HasPrefix(end, mark) && strings.Trim(end, mark[:1]) == "" {
			break
		}
	}
	m.tag("pre", func() { m.text(strings.Join(lines[from:i], "\n")) })
	return min(i+1, len(lines))
}

// list are items of one depth, each with what is indented below it.
func (m writer) list(lines []string, i, depth int) int {
	first := items.FindStringSubmatch(lines[i])
	same := func(line string) bool {
		x := items.FindStringSubmatch(line)
		return x != nil && len(x[1]) <= len(first[1])+1 && (x[3] == "") == (first[3] == "") && !rules.MatchString(line)
	}
	name := "ul"
	if first[3] != "" {
		name = "ol"
	}
	m.tag(name, func() {
		for i < len(lines) && same(lines[i]) {
			x := items.FindStringSubmatch(lines[i])
			inside := []string{x[4]}
			for i++; i < len(lines); i++ {
				line := lines[i]
				indented := len(line)-len(strings.TrimLeft(line, " \t")) >= len(x[1])+2
				if blank(line) {
					if i+1 < len(lines) && !blank(lines[i+1]) && len(lines[i+1])-len(strings.TrimLeft(lines[i+1], " \t")) >= len(x[1])+2 {
						inside = append(inside, "")
						continue
					}
					break
				}
				if !indented && begins(line) {
					break
				}
				inside = append(inside, strings.TrimPrefix(line, strings.Repeat(" ", min(len(x[1])+2, len(line)-len(strings.TrimLeft(line, " "))))))
			}
			m.item(name, x[3], inside, depth)
			// One blank line stands between items.
			if i+1 < len(lines) && blank(lines[i]) && same(lines[i+1]) {
				i++
			}
		}
	})
	return i
}

// item has its own number: lists of a model often begin anew.
func (m writer) item(list, number string, inside []string, depth int) {
	m.tag("li", func() {
		if list == "ol" {
			m.text(number + ". ")
		}
		n := 1
		for n < len(inside) && !blank(inside[n]) && !begins(inside[n]) {
			n++
		}
		m.words(strings.Join(inside[:n], "\n"), 0)
		m.blocks(inside[n:], depth+1)
	})
}

func (m writer) table(lines []string, i int) int {
	row := func(line, cell string) {
		m.tag("tr", func() {
			for _, c := range cells(line) {
				m.tag(cell, func() { m.words(strings.TrimSpace(c), 0) })
			}
		})
	}
	m.tag("table", func() {
		row(lines[i], "th")
		for i += 2; i < len(lines) && !blank(lines[i]) && strings.Contains(lines[i], "|"); i++ {
			row(lines[i], "td")
		}
	})
	return i
}

func cells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	return strings.Split(line, "|")
}

// marks of words with their tags, the longer first.
var marks = []struct{ sign, tag string }{{"**", "strong"}, {"__", "strong"}, {"~~", "del"}, {"*", "em"}, {"_", "em"}}

// words are those of a paragraph.
func (m writer) words(s string, depth int) {
	plain, none := 0, map[string]bool{} // none: signs that end nowhere behind here
	flush := func(to int) { m.text(s[plain:to]) }
next:
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && unicode.IsPunct(rune(s[i+1])):
			flush(i)
			plain, i = i+1, i+2
			continue
		case c == '`':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
			sign := s[i : i+n]
			if end := closed(s[i+n:], sign); !none[sign] && end >= 0 {
				flush(i)
				m.tag("code", func() { m.text(strings.TrimSpace(s[i+n : i+n+end])) })
				i += n + end + n
				plain = i
				continue
			}
			none[sign] = true
			i += n
			continue
		case c == '[' || c == '!' && strings.HasPrefix(s[i:], "!["):
			if text, address, n := link(s[i:]); n > 0 {
				flush(i)
				m.text(text)
				if address != "" && !strings.HasPrefix(address, "#") {
					m.text(" (" + address + ")")
				}
				i += n
				plain = i
				continue
			}
		case strings.IndexByte("*_~", c) >= 0 && depth < deepest:
			for _, k := range marks {
				if !strings.HasPrefix(s[i:], k.sign) || none[k.sign] {
					continue
				}
				end := m.ends(s, i, k.sign)
				if end < 0 {
					none[k.sign] = end == -2
					continue
				}
				flush(i)
				m.tag(k.tag, func() { m.words(s[i+len(k.sign):end], depth+1) })
				i = end + len(k.sign)
				plain = i
				continue next
			}
			i += len(s[i:]) - len(strings.TrimLeft(s[i:], s[i:i+1]))
			continue
		}
		i++
	}
	flush(len(s))
}

// closed is where a run of backticks of this length stands; -1 where none does.
func closed(s, sign string) int {
	for from := 0; ; {
		at := strings.Index(s[from:], sign)
		if at < 0 {
			return -1
		}
		at += from
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		if run == len(sign) {
			return at
		}
		from = at + run
	}
}

// mostMarked is how long marked words are looked for, in bytes.
const mostMarked = 600

// ends is where the words end that a sign marks; -1 where it marks none here, -2 where none of it comes any more.
func (m writer) ends(s string, i int, sign string) int {
	begin := i + len(sign)
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[begin:])
	if begin >= len(s) || unicode.IsSpace(after) || sign[0] == '_' && i > 0 && letter(before) {
		return -1
	}
	for from, far := begin, min(len(s), begin+mostMarked); ; {
		at := strings.Index(s[from:far], sign)
		if at < 0 {
			if far == len(s) && from == begin {
				return -2
			}
			return -1
		}
		at += from
		last, _ := utf8.DecodeLastRuneInString(s[:at])
		next, _ := utf8.DecodeRuneInString(s[at+len(sign):])
		longer := len(sign) == 1 && at+1 < len(s) && s[at+1] == sign[0]
		switch {
		case longer:
			from = at + 2
		case at == begin, unicode.IsSpace(last), sign[0] == '_' && at+len(sign) < len(s) && letter(next):
			from = at + len(sign)
		default:
			return at
		}
		if from > far {
			return -1
		}
	}
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

var links = lazyregexp.New(`^!?\[([^\[\]\n]{0,500})\]\(([^()\s<>]{0,1000})(?: "[^"\n]{0,200}")?\)`)

// link is what a text begins with as one, or as an image; n is how long it is.
func link(s string) (text, address string, n int) {
	at := links.FindStringSubmatch(s[:min(len(s), 2000)])
	if at == nil {
		return "", "", 0
	}
	return at[1], at[2], len(at[0])
}
