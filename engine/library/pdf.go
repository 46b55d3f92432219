package library

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"holdpoint/engine/library/pdfium"
)

// PDF reads PDFs, in another process: what a file makes of it is not ours.
type PDF interface {
	// Read gives the text of every page. Its errors say in words what is wrong with the file.
	Read(ctx context.Context, file []byte) (PDFText, error)
	// Draw is a picture of a page as PNG, width pixels wide, on which the characters from
	// one up to, not including, another are marked. Pages count from 1.
	Draw(ctx context.Context, file []byte, page, width, from, to int) ([]byte, error)
}

// PDFText is what is written in a PDF.
type PDFText struct {
	Title string   `json:"title"`
	Pages []string `json:"pages"` // from the first on; lines end with \r\n
}

// ErrNoPDF says that this build cannot read PDFs.
var ErrNoPDF = errors.New("this Holdpoint reads no PDFs: it was built without PDFium")

// untitled are what programs write for a title that nobody gave.
var untitled = []string{"", "untitled", "(anonymous)", "untitled document"}

func readPDF(ctx context.Context, r *reader, name string, body []byte, each func(*entry, error) error) error {
	if r == nil || r.pdf == nil {
		return ErrNoPDF
	}
	text, err := r.pdf.Read(ctx, body)
	if err != nil {
		return err
	}
	// When a file was made says nothing of when its text was published: it has no date.
	e := &entry{kind: KindPDF, title: strings.TrimSpace(text.Title), pages: len(text.Pages)}
	if slices.Contains(untitled, strings.ToLower(e.title)) {
		e.title = path.Base(name)
	}
	for i, page := range text.Pages {
		list := cutPage(page)
		if len(list) == 0 {
			e.textless++
		}
		for _, p := range list {
			p.Page = i + 1
			e.passages = append(e.passages, p)
		}
	}
	switch {
	case len(text.Pages) == 0:
		return errors.New("it has no pages")
	case e.textless == 1 && len(text.Pages) == 1:
		return errors.New("its only page has no text that can be read: it is empty, broken, or a picture, as a scanner makes it; Holdpoint reads no text out of pictures")
	case e.textless == len(text.Pages):
		return fmt.Errorf("none of its %d pages has text that can be read: they are empty, broken, or pictures, as a scanner makes them; Holdpoint reads no text out of pictures", e.textless)
	case e.textless > 0:
		e.note = fmt.Sprintf("%d of %d pages have no text that can be read: they are empty, broken, or pictures.", e.textless, len(text.Pages))
	}
	return each(e, nil)
}

// cutPage makes passages of a page. PDF knows lines and no paragraphs: a page is one, its
// lines joined, words that were divided at a line's end put together. From and To count
// the page's characters.
func cutPage(page string) []Passage {
	runes, from := spelled(page)
	var text []rune
	var at []int // of each character of text in the page
	for i, r := range runes {
		switch {
		case r == '\r' || r == '\n' || r == '\t' || r == ' ' || r == 0xA0:
			if len(text) > 0 && text[len(text)-1] != ' ' {
				text, at = append(text, ' '), append(at, from[i])
			}
		case r == 2 || r == 0xFFFE || r == 0xAD: // PDFium's mark for a hyphen at a line's end
			for k := i + 1; k < len(runes) && (runes[k] == '\r' || runes[k] == '\n'); k++ {
				runes[k] = 0
			}
		case r < ' ' || r == 0xFFFD:
		default:
			text, at = append(text, r), append(at, from[i])
		}
	}
	whole := string(text)
	var out []Passage
	place := 0 // in bytes of whole
	for _, p := range cut([]section{{text: whole}}) {
		// What cut gives stands in the text as it is, in order; the overlap steps back.
		back := p.Overlap
		start := place - back
		if back > 0 && start >= 0 {
			if i := strings.Index(whole[max(0, start-2):], p.Text); i >= 0 {
				start = max(0, start-2) + i
			}
		} else if i := strings.Index(whole[place:], p.Text); i >= 0 {
			start = place + i
		}
		if start >= 0 && strings.HasPrefix(whole[start:], p.Text) {
			first := len([]rune(whole[:start]))
			last := first + len([]rune(p.Text)) - 1
			p.From, p.To = at[first], at[last]+1
			place = start + len(p.Text)
		}
		out = append(out, p)
	}
	return out
}

// Page draws a page of a PDF with a passage marked; passage is its number, 0 for none.
func (l *Library) Page(ctx context.Context, id string, page, width int, passage uint64) ([]byte, error) {
	if l.o.PDF == nil {
		return nil, ErrNoPDF
	}
	d, body, err := l.Original(id)
	if err != nil {
		return nil, err
	}
	if d.Kind != KindPDF || page < 1 || page > d.Pages {
		return nil, fmt.Errorf("page %d of %q: %w", page, id, ErrNotFound)
	}
	from, to := 0, 0
	if passage > 0 {
		if err := l.o.Store.ViewLibrary(func(tx Tx) error {
			p, err := tx.Passage(passage)
			if err == nil && p.Document == id && p.Page == page {
				from, to = p.From, p.To
			}
			return err
		}); err != nil {
			return nil, err
		}
	}
	return l.o.PDF.Draw(ctx, body, page, min(max(width, 200), 2000), from, to)
}

// HasPDF says whether this build reads PDFs.
func HasPDF() bool { return pdfium.Inside() }

// NewPDF is what reads PDFs, with a folder below dir for its cache; nil in a build that has nothing for it.
func NewPDF(dir string) PDF {
	if !pdfium.Inside() {
		return nil
	}
	return pdfs{pdfium.Reader{Cache: filepath.Join(dir, "cache", "pdfium")}}
}

type pdfs struct{ pdfium.Reader }

func (p pdfs) Read(ctx context.Context, file []byte) (PDFText, error) {
	t, err := p.Reader.Read(ctx, file)
	return PDFText{t.Title, t.Pages}, err
}
