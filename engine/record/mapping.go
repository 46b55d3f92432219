package record

import (
	"maps"
	"slices"
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
}

// Choice is what a person decided about a source.
type Choice struct {
	Kind string `json:"kind,omitempty"`
	// Columns give columns by their name another meaning, "" for none.
	Columns map[string]string `json:"columns,omitempty"`
	Set     map[string]string `json:"set,omitempty"`
}

// chosen is a mapping with what the person chose.
func (o ImportOptions) chosen(m Mapping) Mapping {
	if o.Mapping == nil {
		return m
	}
	c, ok := o.Mapping(m.Source)
	if !ok {
		return m
	}
	return m.With(c)
}

// With is the mapping with a person's choice.
func (m Mapping) With(c Choice) Mapping {
	m.Chosen = true
	if c.Kind != "" {
		m.Kind = c.Kind
	}
	m.Columns = slices.Clone(m.Columns)
	for i, col := range m.Columns {
		if field, ok := c.Columns[col.Name]; ok {
			m.Columns[i].Field = field
		}
	}
	set := maps.Clone(m.Set)
	if set == nil {
		set = map[string]string{}
	}
	maps.Copy(set, c.Set)
	m.Set = set
	return m
}
