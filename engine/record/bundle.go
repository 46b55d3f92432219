package record

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"holdpoint/engine/charset"
)

// maxWaiting bounds the bytes of Bundle entries that wait for the entry they
// refer to.
const maxWaiting = 64 << 20

var errBreaksOff = errors.New("the JSON breaks off or has a bracket too many; what came before is kept")

// document reads a .json file: a Bundle entry by entry, or a single resource.
// What says no resourceType is skipped. Errors are the store's, the context's or
// the disk's; the file's own go into the report.
func (i *importer) document(ctx context.Context, in *bufio.Reader) error {
	head, err := in.Peek(headBytes)
	if err != nil && err != io.EOF {
		return fmt.Errorf("record: import: %s: %w", i.at.File, err)
	}
	head = bytes.Clone(head)
	s := &scanner{in: in, line: 1}
	b := &bundle{i: i, types: map[string]string{}, refs: map[string]bool{}}
	typ, err := b.read(ctx, s)
	if flushErr := b.end(ctx); flushErr != nil {
		return flushErr
	}
	var stop *stopError
	var bad *contentError
	switch {
	case errors.As(err, &stop):
		return stop.err
	case errors.As(err, &bad) && typ == "" && !b.entries:
		i.skip(i.at.File, phrase("not FHIR: %s", bad.Error()))
	case errors.As(err, &bad):
		i.fail(s.line, unreadable, bad)
	case err != nil:
		return fmt.Errorf("record: import: %s line %d: %w", i.at.File, s.line, err)
	case b.entries && typ != "Bundle":
		i.fail(s.line, unreadable, errors.New("a file with Bundle entries does not say that it is a Bundle"))
	case b.entries || typ == "Bundle":
	case typ == "":
		i.skip(i.at.File, i.stranger(head))
	case s.long:
		i.fail(1, typ, errTooLong)
	default:
		return i.add(ctx, 1, bytes.TrimSpace(s.kept))
	}
	return nil
}

// stranger says what a .json file is that is not FHIR, by its first bytes.
func (i *importer) stranger(head []byte) string {
	for _, f := range i.o.Formats {
		if f.Fits != nil && f.Fits(charset.Head(head)) {
			return phrase("it has no resourceType, so it is not FHIR; it reads like a %s file: give it that ending and import it again", f.Extension)
		}
	}
	return phrase("it has no resourceType, so it is not FHIR, and it is nothing else that can be imported; that is FHIR R4 and files of agents, which end in %s", strings.Join(i.endings(), ", "))
}

// stopError ends the import; contentError is about the file being read.
type (
	stopError    struct{ err error }
	contentError struct{ err error }
)

func (e *stopError) Error() string    { return e.err.Error() }
func (e *contentError) Error() string { return e.err.Error() }

type bundle struct {
	i *importer
	// entries says that Bundle entries were seen.
	entries bool
	// types gives, for each entry with a urn:uuid, the Type/ID it stands for.
	types   map[string]string
	waiting []waiting
	bytes   int
	// refs are the resources that wait: a later text of one must not be overtaken.
	refs map[string]bool
}

// waiting is an entry that refers to one that has not come yet.
type waiting struct {
	line int
	raw  []byte
}

// read walks the top level of the document, which it keeps (up to maxLine) until
// it turns out to be a Bundle.
func (b *bundle) read(ctx context.Context, s *scanner) (typ string, err error) {
	s.keep = true
	if c, err := s.next(); err != nil || c != '{' {
		return "", breaksOff(err)
	}
	seen := map[string]bool{}
	for {
		c, err := s.next()
		if c == '}' && err == nil {
			break
		}
		if c == ',' && err == nil && len(seen) > 0 {
			c, err = s.next()
		}
		if err != nil || c != '"' {
			return typ, breaksOff(err)
		}
		raw, _, err := s.value(c, maxLine)
		var key string
		if err != nil || json.Unmarshal(raw, &key) != nil {
			return typ, breaksOff(err)
		}
		if seen[key] {
			return typ, &contentError{errors.New("a key stands twice at the top")}
		}
		seen[key] = true
		if c, err = s.next(); err != nil || c != ':' {
			return typ, breaksOff(err)
		}
		if c, err = s.next(); err != nil {
			return typ, breaksOff(err)
		}
		if key == "entry" && c == '[' && (typ == "" || typ == "Bundle") {
			if err := b.list(ctx, s, typ); err != nil {
				return typ, err
			}
			continue
		}
		raw, _, err = s.value(c, maxLine)
		if err != nil {
			return typ, breaksOff(err)
		}
		if key == "resourceType" {
			if typ = parseNode(raw).exact(); typ == "Bundle" {
				s.drop()
			}
		}
	}
	if _, err := s.next(); err == nil {
		return typ, &contentError{errors.New("text after the end of the object; a file with one object a line must end in .ndjson")}
	} else if err != io.EOF {
		return typ, err
	}
	return typ, nil
}

func breaksOff(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return &contentError{errBreaksOff}
	}
	return err
}

// list reads the entries. Where the type has not been said yet, the first one
// tells: only a Bundle's hold a resource.
func (b *bundle) list(ctx context.Context, s *scanner, typ string) error {
	for n := 0; ; n++ {
		c, err := s.next()
		if err == nil && c == ']' {
			return nil
		}
		if err == nil && c == ',' && n > 0 {
			c, err = s.next()
		}
		if err != nil || c == ',' || c == ']' {
			return breaksOff(err)
		}
		if ctx.Err() != nil {
			return &stopError{b.i.flush(ctx)}
		}
		line := s.line
		raw, long, err := s.value(c, maxLine)
		if err != nil {
			if b.entries {
				b.i.fail(line, unreadable, errors.New("the entry breaks off"))
			}
			return breaksOff(err)
		}
		if n == 0 && !long && (typ == "Bundle" || parseNode(raw).at("resource").v != nil) {
			b.entries = true
			s.drop()
		}
		switch {
		case long && (b.entries || typ == "Bundle"):
			b.entries = true
			b.i.fail(line, unreadable, errTooLong)
		case b.entries:
			if err := b.entry(ctx, line, raw); err != nil {
				return &stopError{err}
			}
		}
	}
}

func (b *bundle) entry(ctx context.Context, line int, raw []byte) error {
	var e map[string]json.RawMessage
	if err := json.Unmarshal(raw, &e); err != nil {
		b.i.fail(line, unreadable, err)
		return nil
	}
	resource := e["resource"]
	if members(raw) != len(e) {
		b.i.fail(line, typeOf(resource), errors.New("a key stands twice in the entry"))
		return nil
	}
	if resource == nil {
		b.i.fail(line, unreadable, errors.New("the entry holds no resource"))
		return nil
	}
	n := parseNode(resource)
	ref := Ref{n.at("resourceType").exact(), n.at("id").exact()}
	if n.v != nil {
		url := parseNode(e["fullUrl"]).exact()
		if strings.HasPrefix(url, "urn:uuid:") && typeForm.MatchString(ref.Type) && idForm.MatchString(ref.ID) {
			b.types[strings.ToLower(url)] = ref.String()
		}
	}
	if b.refs[ref.String()] {
		if err := b.end(ctx); err != nil {
			return err
		}
	}
	if text, open := b.resolve(resource); !open {
		return b.i.add(ctx, line, text)
	}
	b.waiting = append(b.waiting, waiting{line, bytes.Clone(resource)})
	b.refs[ref.String()] = true
	if b.bytes += len(resource); b.bytes > maxWaiting {
		return b.end(ctx)
	}
	return nil
}

// members counts the members of the outer object of valid JSON, twins included.
func members(raw []byte) int {
	n, depth, inString := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ':' && depth == 1:
			n++
		}
	}
	return n
}

// end keeps what has waited, with what is known by now.
func (b *bundle) end(ctx context.Context) error {
	for _, w := range b.waiting {
		text, open := b.resolve(w.raw)
		if open {
			b.i.report.Unresolved++
		}
		if err := b.i.add(ctx, w.line, text); err != nil {
			return err
		}
	}
	b.waiting, b.bytes = nil, 0
	clear(b.refs)
	return nil
}

var urnReference = regexp.MustCompile(`("reference"\s*:\s*")(urn:uuid:[0-9A-Fa-f-]+)"`)

// resolve replaces references by urn:uuid to entries of this Bundle by Type/ID, as
// a server does that takes a Bundle in (hl7.org/fhir/R4/http.html#trules). All
// other bytes stay. open says that some entry has not been seen.
func (b *bundle) resolve(raw []byte) (out []byte, open bool) {
	out = urnReference.ReplaceAllFunc(raw, func(m []byte) []byte {
		parts := urnReference.FindSubmatch(m)
		to, ok := b.types[strings.ToLower(string(parts[2]))]
		if !ok {
			open = true
			return m
		}
		return fmt.Appendf(nil, "%s%s\"", parts[1], to)
	})
	return out, open
}

// scanner finds where JSON values begin and end, without reading the document
// into memory and without checking what is inside.
type scanner struct {
	in   *bufio.Reader
	line int
	// keep gathers all bytes passed in kept; more than maxLine of them are given up (long).
	keep, long bool
	kept       []byte
}

// drop stops keeping: the document is a Bundle.
func (s *scanner) drop() { s.keep, s.kept, s.long = false, nil, false }

func (s *scanner) byte() (byte, error) {
	c, err := s.in.ReadByte()
	if err != nil {
		return 0, err
	}
	if c == '\n' {
		s.line++
	}
	if s.keep && !s.long {
		if s.kept = append(s.kept, c); len(s.kept) > maxLine {
			s.long, s.kept = true, nil
		}
	}
	return c, nil
}

// next returns the next byte that is not white space.
func (s *scanner) next() (byte, error) {
	for {
		c, err := s.byte()
		if err != nil || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, err
		}
	}
}

// value passes the value that begins with first. raw is nil when it is long: more
// than limit bytes.
func (s *scanner) value(first byte, limit int) (raw []byte, long bool, err error) {
	raw = []byte{first}
	depth, inString := 0, false
	for c := first; ; {
		switch {
		case inString && c == '\\':
			if c, err = s.byte(); err != nil {
				return nil, long, err
			}
			raw, long = gather(raw, c, limit, long)
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 && !inString {
			// A number or word goes on until something that cannot belong to it.
			if c == '"' || c == '}' || c == ']' {
				return raw, long, nil
			}
			if follow, err := s.in.Peek(1); err != nil || strings.IndexByte(",]} \t\r\n:\"{[", follow[0]) >= 0 {
				return raw, long, nil // an error comes again with the next read
			}
		}
		if c, err = s.byte(); err != nil {
			return nil, long, err
		}
		raw, long = gather(raw, c, limit, long)
	}
}

func gather(raw []byte, c byte, limit int, long bool) ([]byte, bool) {
	if long || len(raw) >= limit {
		return nil, true
	}
	return append(raw, c), false
}
