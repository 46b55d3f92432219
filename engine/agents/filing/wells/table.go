package wells

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"holdpoint/engine/record"
)

// maxRow bounds the bytes of a row: as far is read for the end of a quoted value.
const maxRow = 1 << 20

// table reads the rows of a CSV file. A quoted value may span lines. Where it has no end, or
// would swallow rows of the table, the line that opens it is wrong alone, and those after it
// are read for themselves.
type table struct {
	in    *bufio.Reader
	width int // columns
	no    int // of the line that comes next; counts from 1
	// ahead are lines that were read and not used up.
	ahead []tableLine
	ended error

	text  bytes.Reader
	words *bufio.Reader // reads text, and csv reads it
	csv   *csv.Reader
}

type tableLine struct {
	text []byte // with its end
	long bool   // it has no text then
}

// lineError is what is wrong with one line; reading goes on behind it.
type lineError struct{ why error }

func (e *lineError) Error() string { return e.why.Error() }

// newTable reads in from the line behind the heading.
func newTable(in *bufio.Reader, sep rune, width int) *table {
	t := &table{in: in, width: width, no: 1, words: bufio.NewReader(nil)}
	t.csv = csv.NewReader(t.words)
	t.csv.Comma, t.csv.FieldsPerRecord = sep, width
	if _, err := t.line(0); err == nil {
		t.drop(1)
	}
	return t
}

// line is the nth of those that are not used up.
func (t *table) line(n int) (tableLine, error) {
	for len(t.ahead) <= n {
		if t.ended != nil {
			return tableLine{}, t.ended
		}
		text, long, err := record.ReadLine(t.in, nil, maxRow)
		t.ended = err
		if len(text) > 0 || long {
			t.ahead = append(t.ahead, tableLine{text, long})
		}
	}
	return t.ahead[n], nil
}

// drop uses lines up.
func (t *table) drop(n int) {
	clear(t.ahead[:n])
	t.ahead = t.ahead[n:]
	t.no += n
}

// parse reads a row's text; it takes all of it or fails.
func (t *table) parse(text []byte) ([]string, error) {
	t.text.Reset(text)
	t.words.Reset(&t.text)
	return t.csv.Read()
}

// row is the next row with the number of its first line; a *lineError is that line's alone.
func (t *table) row() (values []string, no int, err error) {
	first, err := t.line(0)
	for err == nil && !first.long && len(bytes.TrimRight(first.text, "\r\n")) == 0 {
		t.drop(1)
		first, err = t.line(0)
	}
	no = t.no
	if err != nil {
		return nil, no, err
	}
	n, err := 1, error(nil)
	if first.long {
		err = &lineError{bad("the line is longer than %d MiB; look for what is not a table in it", maxRow>>20)}
	} else {
		values, n, err = t.spanned(first.text)
	}
	t.drop(n)
	if err != nil {
		return nil, no, err
	}
	return values, no, nil
}

// spanned reads a row that begins with a line, and says how many lines it takes.
func (t *table) spanned(text []byte) (values []string, n int, err error) {
	marks := bytes.Count(text, []byte{'"'})
	if marks%2 == 1 {
		// A row has an even number of them, so this one is not at its end.
		if _, err := t.parse(text); errors.Is(err, csv.ErrBareQuote) {
			return nil, 1, &lineError{whyQuote(err)}
		}
		text = slices.Clone(text)
	}
	for n = 1; marks%2 == 1; n++ {
		next, err := t.line(n)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 1, err
		}
		if err != nil || next.long || len(text)+len(next.text) > maxRow || t.rowAlone(next.text) {
			return nil, 1, &lineError{errOpen}
		}
		text = append(text, next.text...)
		marks += bytes.Count(next.text, []byte{'"'})
	}
	values, err = t.parse(text)
	switch {
	case err == nil:
		return values, n, nil
	case n > 1:
		return nil, 1, &lineError{errOpen}
	case errors.Is(err, csv.ErrFieldCount):
		return nil, 1, &lineError{bad("the line has %d columns and the heading %d", len(values), t.width)}
	}
	return nil, 1, &lineError{whyQuote(err)}
}

// rowAlone says that a line is a row of the table for itself, and no part of a text: it has
// all columns, and no space behind the commas as prose has.
func (t *table) rowAlone(line []byte) bool {
	if t.width < 3 {
		return false // any text may look like it
	}
	values, err := t.parse(line)
	return err == nil && !slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, " ") })
}

var errOpen = bad(`a quote (") opens a value and nothing closes it; delete it or close the value, and write a quote inside of a value twice ("")`)

func whyQuote(err error) error {
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		return bad(`a quote (") stands inside of a value that is not in quotes; delete it, or put the value in quotes and write this one twice ("")`)
	case errors.Is(err, csv.ErrQuote):
		return bad(`behind the quote (") that closes a value comes more of it; write a quote inside of a value twice ("")`)
	}
	return err
}
