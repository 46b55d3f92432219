package wells

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"holdpoint/engine/record"
)

// Formats are the files that records are read from.
func Formats() []record.Format {
	return []record.Format{
		{Extension: ".csv", About: "wells, leases, fields, operators, permits,\nflaring exceptions and monthly volumes as tables", Fits: fitsCSV, Columns: columnsOfCSV, Read: readCSV},
		{Extension: ".geojson", About: "maps", Fits: fitsGeoJSON, Columns: columnsOfGeoJSON, Read: readGeoJSON},
	}
}

// comma is what stands between the columns of a line: a comma, a semicolon or a tab.
func comma(line string) rune {
	best := ','
	for _, c := range []rune{';', '\t'} {
		if strings.Count(line, string(c)) > strings.Count(line, string(best)) {
			best = c
		}
	}
	return best
}

func header(head []byte) ([]string, rune, error) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	sep := comma(string(line))
	// head is the buffer that the file is read from: nothing may be written into it.
	r := csv.NewReader(strings.NewReader(strings.TrimRight(string(line), "\r") + "\n"))
	r.Comma = sep
	columns, err := r.Read()
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
	}
	return columns, sep, err
}

func fitsCSV(head []byte) bool {
	columns, _, err := header(head)
	if err != nil {
		return false
	}
	known := 0
	for _, c := range columns {
		if fieldOf(c) != "" {
			known++
		}
	}
	return known > 0 && mapping(columns).Kind != "" || known > 1
}

func columnsOfCSV(head []byte) (record.Mapping, error) {
	columns, _, err := header(head)
	return mapping(columns), err
}

// readCSV reads a file line by line. A line that cannot be read is told of, and the next
// one is read.
func readCSV(ctx context.Context, in record.File, keep func(record.Line) error) error {
	if in.Mapping.Kind == "" {
		return errors.New("it is not said what a line of the file is; see holdpoint records mapping FILE")
	}
	from := bufio.NewReaderSize(in, 64<<10)
	head, err := from.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	columns, sep, err := header(head)
	if err != nil {
		return err
	}
	t := newTable(from, sep, len(columns))
	rd := newReader(in.Name, keep)
	for {
		values, no, err := t.row()
		var wrong *lineError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &wrong):
			if err := rd.failed(row{no: no, kind: in.Mapping.Kind}, wrong.why); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			if err := rd.line(rowOf(no, in.Mapping, func(i int, _ string) string { return values[i] })); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}
