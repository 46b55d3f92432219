package record

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Mapping says what the columns of a source mean: what its format makes of their names,
// and what a person chose.
type Mapping struct {
	// Source tells files with the same columns apart from others, whatever their names.
	Source string `json:"source"`
	// Kind is what a line of the file is, one of Kinds.
	Kind    string   `json:"kind"`
	Kinds   []string `json:"kinds"`
	Columns []Column `json:"columns"` // in the order of the file
	// Fields are what a column of this kind may mean.
	Fields []Field `json:"fields"`
	// Set holds for all lines, e.g. a datum.
	Set map[string]string `json:"set,omitempty"`
	// Chosen says that a person changed something.
	Chosen bool `json:"chosen"`
	// KindOf is what a line is by what its columns mean; nil where that is not known.
	KindOf func([]Column) string `json:"-"`
}

// Table is a file with columns, and what they were taken for.
type Table struct {
	File    string  `json:"file"`
	Mapping Mapping `json:"mapping"`
	// Proposed is what it would be if nobody had chosen.
	Proposed Mapping `json:"-"`
}

// Column is one of a file.
type Column struct {
	Name string `json:"name"`
	// Field is what it means; "" keeps its values with the record, unread.
	Field string `json:"field"`
}

// Field is something that a column may say.
type Field struct {
	Name  string `json:"name"`
	About string `json:"about"`
	// Whole says that people are asked what holds for all lines of a file; nil for a field that only columns say.
	Whole *Whole `json:"whole,omitempty"`
}

// Whole asks what a field is in all lines of a file where no column says it: where lines are one of Kinds, and the file ends in one of
// Files or a column says one of With. What is empty rules nothing out.
type Whole struct {
	Title   string        `json:"title"`
	Unsaid  string        `json:"unsaid"` // what holds while nothing is chosen, in words
	Choices []WholeChoice `json:"choices"`
	Kinds   []string      `json:"kinds,omitempty"`
	Files   []string      `json:"files,omitempty"`
	With    []string      `json:"with,omitempty"`
}

// WholeChoice is a value, with what people call it.
type WholeChoice struct {
	Value string `json:"value"`
	Title string `json:"title"`
}

// Choice is what a person decided about a source.
type Choice struct {
	Kind string `json:"kind,omitempty"`
	// Columns give columns by their name another meaning, "" for none.
	Columns map[string]string `json:"columns,omitempty"`
	Set     map[string]string `json:"set,omitempty"`
}

// chosen is a mapping with what the person chose, and that choice.
func (o ImportOptions) chosen(m Mapping) (Mapping, Choice) {
	if o.Mapping == nil {
		return m, Choice{}
	}
	c, ok := o.Mapping(m.Source)
	if !ok {
		return m, Choice{}
	}
	return m.With(c), c
}

// saidColumns bounds the columns that a choice is told with.
const saidColumns = 8

// String tells a choice: what holds for all lines, what a line is, and what columns mean.
func (c Choice) String() string {
	var parts []string
	for _, field := range slices.Sorted(maps.Keys(c.Set)) {
		parts = append(parts, field+" "+c.Set[field])
	}
	if c.Kind != "" {
		parts = append(parts, "kind "+c.Kind)
	}
	columns := slices.Sorted(maps.Keys(c.Columns))
	for _, name := range columns[:min(len(columns), saidColumns)] {
		parts = append(parts, name+" = "+c.Columns[name])
	}
	if len(columns) > saidColumns {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// With is the mapping with a person's choice.
func (m Mapping) With(c Choice) Mapping {
	m.Chosen = true
	m.Columns = slices.Clone(m.Columns)
	for i, col := range m.Columns {
		if field, ok := c.Columns[col.Name]; ok {
			m.Columns[i].Field = field
		}
	}
	// Other meanings may make another kind of line of it, where nobody said which it is.
	if c.Kind != "" {
		m.Kind = c.Kind
	} else if m.KindOf != nil && len(c.Columns) > 0 {
		m.Kind = cmp.Or(m.KindOf(m.Columns), m.Kind)
	}
	set := maps.Clone(m.Set)
	if set == nil {
		set = map[string]string{}
	}
	maps.Copy(set, c.Set)
	m.Set = set
	return m
}
