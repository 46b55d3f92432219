package library

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	htmlcharset "golang.org/x/net/html/charset"
)

// unread are elements whose text is not the page's: code, forms, what surrounds the text.
var unread = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Math: true, atom.Iframe: true,
	atom.Object: true, atom.Embed: true, atom.Nav: true, atom.Footer: true, atom.Form: true, atom.Select: true, atom.Button: true, atom.Textarea: true, atom.Audio: true, atom.Video: true, atom.Canvas: true}

// blocks begin a paragraph.
var blocks = map[atom.Atom]bool{atom.P: true, atom.Div: true, atom.Li: true, atom.Ul: true, atom.Ol: true, atom.Table: true, atom.Tr: true, atom.Section: true, atom.Article: true,
	atom.Main: true, atom.Blockquote: true, atom.Pre: true, atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Figure: true, atom.Figcaption: true, atom.Header: true, atom.Aside: true,
	atom.Hr: true, atom.Body: true, atom.Address: true, atom.Details: true, atom.Summary: true, atom.Caption: true}

// over says that a tag ends an element whose own end need not be written.
func over(element, tag atom.Atom, begins bool) bool {
	switch element {
	case atom.P:
		return blocks[tag] || headings[tag]
	case atom.Li:
		return begins && tag == atom.Li || !begins && (tag == atom.Ul || tag == atom.Ol)
	case atom.Dt, atom.Dd:
		return begins && (tag == atom.Dt || tag == atom.Dd) || !begins && tag == atom.Dl
	case atom.Td, atom.Th:
		return begins && (tag == atom.Td || tag == atom.Th || tag == atom.Tr) || !begins && (tag == atom.Tr || tag == atom.Table)
	case atom.Tr:
		return begins && tag == atom.Tr || !begins && tag == atom.Table
	}
	return false
}

// void are elements that hold nothing, and have no end.
var void = map[atom.Atom]bool{atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Hr: true, atom.Img: true, atom.Input: true, atom.Link: true, atom.Meta: true,
	atom.Source: true, atom.Track: true, atom.Wbr: true}

var headings = map[atom.Atom]bool{atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true}

// readHTML takes the text that a page shows, by heading. Nothing in it is run or fetched.
func readHTML(_ context.Context, _ *reader, name string, body []byte, each func(*entry, error) error) error {
	if bytes.HasPrefix(body, []byte("%PDF-")) {
		return errors.New("it is a PDF with another name's ending; rename it to .pdf")
	}
	e := &entry{kind: KindHTML}
	in, err := htmlcharset.NewReader(bytes.NewReader(body), "text/html")
	if err != nil {
		return err
	}
	// Its own word counts, except where it says UTF-8 and is not.
	if _, name, _ := htmlcharset.DetermineEncoding(body, "text/html"); name == "utf-8" {
		text, note, err := decoded(body)
		if err != nil {
			return err
		}
		in, e.note = strings.NewReader(text), note
	}
	z := html.NewTokenizer(in)
	z.SetMaxBuf(16 << 20)
	var s section
	var text, heading, title strings.Builder
	hidden, inHeading, inTitle := 0, false, false
	var hiding atom.Atom
	end := func() {
		s.text = text.String()
		e.sections = append(e.sections, s)
		text.Reset()
	}
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			end()
			if e.title = strings.Join(strings.Fields(title.String()), " "); e.title == "" {
				for _, s := range e.sections {
					if e.title == "" {
						e.title = s.heading
					}
				}
			}
			if e.title == "" {
				e.title = path.Base(name)
			}
			return each(e, nil)
		case html.TextToken:
			switch {
			case hidden > 0:
			case inTitle:
				title.Write(z.Text())
			case inHeading:
				heading.Write(z.Text())
			default:
				text.Write(bytes.ReplaceAll(bytes.ReplaceAll(z.Text(), []byte("\n"), []byte(" ")), []byte("\r"), []byte(" ")))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			tag, more := z.TagName()
			a := atom.Lookup(tag)
			begins := kind == html.StartTagToken
			if hidden > 0 && over(hiding, a, begins) {
				hidden = 0
			}
			switch {
			case hidden > 0:
				if a == hiding {
					if begins {
						hidden++
					} else if kind == html.EndTagToken {
						hidden--
					}
				}
			case unread[a]:
				if begins {
					hidden, hiding = 1, a
				}
			case a == atom.Title:
				inTitle = begins
			case a == atom.Meta && e.date == "":
				e.dated(metaDate(z, more), 0)
			case begins && a != 0 && !void[a] && a != atom.Html && a != atom.Body && unseen(z, more):
				hidden, hiding = 1, a
			case headings[a]:
				if begins {
					end()
					heading.Reset()
				} else {
					s = section{heading: strings.Join(strings.Fields(heading.String()), " ")}
				}
				inHeading = begins
			case a == atom.Br:
				text.WriteString(" ")
			case a == atom.Td || a == atom.Th:
				text.WriteString(" ")
			case blocks[a]:
				text.WriteString("\n\n")
			}
		}
	}
}

// unseen says that an element's attributes keep it from being shown. What style sheets do is not known here.
func unseen(z *html.Tokenizer, more bool) bool {
	for more {
		var k, v []byte
		k, v, more = z.TagAttr()
		style := ""
		switch string(k) {
		case "hidden":
			return true
		case "style":
			style = strings.ToLower(strings.Join(strings.Fields(string(v)), ""))
		}
		if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
			return true
		}
	}
	return false
}

// metaDate is the date of publication that a meta element names.
func metaDate(z *html.Tokenizer, more bool) string {
	name, content := "", ""
	for more {
		var k, v []byte
		k, v, more = z.TagAttr()
		switch string(k) {
		case "name", "property":
			name = strings.ToLower(string(v))
		case "content":
			content = string(v)
		}
	}
	switch name {
	case "date", "dc.date", "dcterms.date", "citation_publication_date", "citation_date", "article:published_time":
		return content
	}
	return ""
}
