package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"

	// Not goccy/go-yaml: version 1.19 takes minutes or gigabytes for nested lists, chains of "a: a:" and rows of & or @, and lets NUL and broken UTF-8 pass.
	"go.yaml.in/yaml/v3"
)

// Bounds of a graph file. A file is text that a person wrote; what is larger is a
// mistake or an attack.
const (
	maxFile    = 1 << 20
	maxDepth   = 40
	maxEntries = 60_000
	maxNodes   = 200
	maxEdges   = 1000

	maxExpressions = 500
)

// document is a YAML file as plain values, with the place of each.
type document struct {
	text      []byte
	value     any
	places    map[string]place // by path
	found     Problems
	misshapen bool  // something does not fit the schema
	broken    paths // places whose values do not fit the schema
}

type place struct{ line, column int }

// read takes the YAML apart without ever expanding anything: anchors, aliases,
// merge keys and tags are refused, so a small file stays small.
func read(text []byte) (*document, error) {
	d := &document{text: text, places: map[string]place{}}
	if len(text) > maxFile {
		return nil, Problems{{Message: phrase("the file has %d bytes; at most %d are read. Split the graph into smaller ones", len(text), maxFile)}}
	}
	// The parser needs some hundred bytes for each entry, so entries are counted before it.
	if n := bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")) +
		bytes.Count(text, []byte("- ")) + bytes.Count(text, []byte("? ")); n > maxEntries {
		return nil, Problems{{Message: phrase("the file has about %d entries; at most %d are read. Split the graph into smaller ones", n, maxEntries)}}
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var root, more yaml.Node
	if err := dec.Decode(&root); errors.Is(err, io.EOF) || err == nil && len(root.Content) == 0 {
		return nil, Problems{{Line: 1, Column: 1, Message: phrase("the file is empty; a graph needs a name and a list of nodes")}}
	} else if err != nil {
		return nil, Problems{d.syntax(err)}
	}
	if err := dec.Decode(&more); err == nil {
		return nil, Problems{{Line: more.Line, Column: more.Column, Message: phrase("a second document begins here; one file holds one graph")}}
	} else if !errors.Is(err, io.EOF) {
		return nil, Problems{d.syntax(err)}
	}
	d.value = d.plain(root.Content[0], "", 0)
	if len(d.found) > 0 {
		return nil, d.found.sorted()
	}
	return d, nil
}

var syntaxLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntax words a parser's error. The parser names the line where the list or object began in
// which it gave up; the mistake is on the first line without which there is none.
func (d *document) syntax(err error) Problem {
	text := strings.Join(strings.Fields(err.Error()), " ")
	p := Problem{Line: 1, Column: 1, Message: text}
	if m := syntaxLine.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			p.Line = n
		}
		p.Message = m[2]
	}
	if len(d.text) > maxSought {
		return p.notYAML("")
	}
	lines := bytes.SplitAfter(d.text, []byte("\n"))
	fails := func(n int) bool {
		var part yaml.Node
		dec := yaml.NewDecoder(bytes.NewReader(bytes.Join(lines[:n], nil)))
		got := dec.Decode(&part)
		if got == nil {
			got = dec.Decode(&part)
		}
		return got != nil && got.Error() == err.Error()
	}
	if n := sort.Search(len(lines), func(n int) bool { return fails(n + 1) }) + 1; n > p.Line && n <= len(lines) {
		p.Line = n
	}
	return p.notYAML(string(lines[min(max(p.Line, 1), len(lines))-1]))
}

// maxSought bounds the files in which the line of a mistake is looked for, in bytes.
const maxSought = 256 << 10

func (d *document) bad(n *yaml.Node, path, format string, args ...any) any {
	if len(d.found) <= maxProblems {
		d.found = append(d.found, Problem{n.Line, n.Column, path, fmt.Sprintf(format, args...)})
	}
	return nil
}

// plain turns a node into what encoding/json makes of the same values.
func (d *document) plain(n *yaml.Node, path string, depth int) any {
	d.places[path] = place{n.Line, n.Column}
	switch {
	case depth > maxDepth:
		return d.bad(n, "", "this is nested more than %d levels deep; make it flatter", maxDepth)
	case n.Kind == yaml.AliasNode:
		return d.bad(n, path, "aliases (*%s) are not read; write the value out", clip(n.Value, 40))
	case n.Anchor != "":
		return d.bad(n, path, "anchors (&%s) are not read; leave it out", clip(n.Anchor, 40))
	case n.Style&yaml.TaggedStyle != 0:
		return d.bad(n, path, "tags (%s) are not read; leave it out, or put a text that begins with ! in quotes", clip(n.Tag, 40))
	}
	switch n.Kind {
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if k.Kind != yaml.ScalarNode || k.Tag == "!!merge" || k.Anchor != "" {
				switch {
				case k.Kind == yaml.MappingNode:
					d.bad(k, path, "a key must be a plain word; a text with {{ }} needs quotes: write it as \"… {{ … }} …\"")
				case k.Tag == "!!merge":
					d.bad(k, path, "a key must be a plain word; merge keys (<<) are not read, so write the fields out")
				default:
					d.bad(k, path, "a key must be a plain word")
				}
				continue
			}
			if _, ok := out[k.Value]; ok {
				d.bad(k, path, "%q stands twice; keep one of them", clip(k.Value, 60))
			}
			inner := join(path, k.Value)
			out[k.Value] = d.plain(v, inner, depth+1)
			d.places[inner+"\x00key"] = place{k.Line, k.Column}
		}
		return out
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, v := range n.Content {
			out[i] = d.plain(v, fmt.Sprintf("%s[%d]", path, i), depth+1)
		}
		return out
	}
	return d.scalar(n, path)
}

func (d *document) scalar(n *yaml.Node, path string) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return b
		}
	case "!!int", "!!float":
		var i int64
		// The decoder would cut a fraction off.
		if n.ShortTag() == "!!int" && n.Decode(&i) == nil {
			return json.Number(strconv.FormatInt(i, 10))
		}
		var f float64
		if err := n.Decode(&f); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return d.bad(n, path, "%s is not a number that can be kept; write another or put it in quotes", clip(n.Value, 40))
		}
		return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return n.Value
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// has says that a path stands in the file.
func (d *document) has(path string) bool {
	if d == nil {
		return false
	}
	_, ok := d.places[path]
	return ok
}

// at makes a problem at a path, or at the nearest place around it.
func (d *document) at(path, format string, args ...any) Problem {
	p := Problem{Path: path, Message: fmt.Sprintf(format, args...)}
	if d == nil {
		return p
	}
	for where := path; ; {
		if spot, ok := d.places[where]; ok {
			p.Line, p.Column = spot.line, spot.column
			return p
		}
		if where == "" {
			return p
		}
		where = where[:max(0, strings.LastIndexAny(where, ".["))]
	}
}

// atCharacter makes a problem inside a text, n characters from its beginning. Where
// the file writes the text otherwise than it reads (folded, with escapes), the place
// is that of the text and the message names the character.
func (d *document) atCharacter(path, value string, n int, format string, args ...any) Problem {
	p := d.at(path, format, args...)
	if d != nil && p.Line > 0 {
		lines := bytes.Split(d.text, []byte("\n"))
		line := []rune(string(bytes.TrimPrefix(lines[min(p.Line, len(lines))-1], []byte("\xef\xbb\xbf"))))
		rest := string(line[min(p.Column-1, len(line)):])
		for _, quote := range []string{"", `"`, "'"} {
			if strings.HasPrefix(rest, quote+value) {
				p.Column += len(quote) + n
				return p
			}
		}
	}
	p.Message = phrase("at character %d: %s", n+1, p.Message)
	return p
}

// atKey makes a problem at a key rather than at its value.
func (d *document) atKey(path, format string, args ...any) Problem {
	p := d.at(path, format, args...)
	if d != nil {
		if spot, ok := d.places[path+"\x00key"]; ok {
			p.Line, p.Column = spot.line, spot.column
		}
	}
	return p
}

// clip shortens text to n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
