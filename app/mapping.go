package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"holdpoint/engine/record"
)

// choice is what a person chose for the columns of a source.
func (a *App) choice(source string) (record.Choice, bool) {
	s, err := a.Settings()
	if err != nil {
		// The import reads as its format proposes, and says so in its report.
		return record.Choice{}, false
	}
	c, ok := s.Mappings[source]
	return c, ok
}

// Mapping says how the columns of a file are understood.
func (a *App) Mapping(path string) (record.Mapping, error) {
	if _, err := Named(path, false); err != nil {
		return record.Mapping{}, err
	}
	m, err := record.MappingOf(path, importOptions(a, func(int64, int64, string) {}))
	if errors.Is(err, record.ErrNothing) {
		return m, Bad(fmt.Sprintf("%s has no columns that are known here.", path), "Files with columns are .csv and .geojson.")
	}
	return m, err
}

// ChooseMapping keeps how the columns of a file are to be understood from now on, in all
// files with the same columns; an empty choice takes what was chosen back.
func (a *App) ChooseMapping(path string, c record.Choice) (record.Mapping, error) {
	m, err := a.Mapping(path)
	if err != nil {
		return m, err
	}
	if err := choosable(m, c); err != nil {
		return m, err
	}
	if err := a.keepMapping(m.Source, c); err != nil {
		return m, err
	}
	return a.Mapping(path)
}

// ChooseColumns is ChooseMapping for a file that an import of this process told of, by the
// mapping's source: a browser has no paths.
func (a *App) ChooseColumns(source string, c record.Choice) (record.Mapping, error) {
	for _, j := range slices.Backward(a.jobs.all()) {
		rep, ok := j.Result.(record.Report)
		if !ok {
			continue
		}
		i := slices.IndexFunc(rep.Tables, func(t record.Table) bool { return t.Mapping.Source == source })
		if i < 0 {
			continue
		}
		m := rep.Tables[i].Proposed
		if err := choosable(m, c); err != nil {
			return m, err
		}
		if err := a.keepMapping(source, c); err != nil {
			return m, err
		}
		if all, ok := a.choice(source); ok {
			m = m.With(all)
		}
		return m, nil
	}
	return record.Mapping{}, Bad("The import that told of these columns is not known any more.", "Import the file again; its columns are told below the import.")
}

// choosable says what of a choice does not fit a mapping.
func choosable(m record.Mapping, c record.Choice) error {
	if c.Kind != "" && !slices.Contains(m.Kinds, c.Kind) {
		return Bad(fmt.Sprintf("A line cannot be %q.", c.Kind), "It is one of "+strings.Join(m.Kinds, ", ")+".")
	}
	known := func(field string) bool {
		return field == "" || slices.ContainsFunc(m.Fields, func(f record.Field) bool { return f.Name == field })
	}
	for column, field := range c.Columns {
		if !slices.ContainsFunc(m.Columns, func(x record.Column) bool { return x.Name == column }) {
			var names []string
			for _, x := range m.Columns {
				names = append(names, x.Name)
			}
			return Bad(fmt.Sprintf("The file has no column %q.", column), "Its columns are "+strings.Join(names, ", ")+".")
		}
		if !known(field) {
			return Bad(fmt.Sprintf("A column cannot mean %q.", field), "holdpoint records mapping FILE --fields lists what it may mean; empty keeps the column unread.")
		}
	}
	for field := range c.Set {
		if field == "" || !known(field) {
			return Bad(fmt.Sprintf("There is nothing called %q that could hold for all lines.", field), "holdpoint records mapping FILE --fields lists what there is.")
		}
	}
	return nil
}

// keepMapping puts a choice for a source's columns over those before.
func (a *App) keepMapping(source string, c record.Choice) error {
	a.choosing.Lock()
	defer a.choosing.Unlock()
	s, err := a.Settings()
	if err != nil {
		return err
	}
	all := maps.Clone(s.Mappings)
	if all == nil {
		all = map[string]record.Choice{}
	}
	if c.Kind == "" && len(c.Columns) == 0 && len(c.Set) == 0 {
		delete(all, source)
	} else {
		old := all[source]
		if c.Kind == "" {
			c.Kind = old.Kind
		}
		c.Columns, c.Set = over(old.Columns, c.Columns), over(old.Set, c.Set)
		all[source] = c
	}
	s.Mappings = all
	return a.Store.PutSetting(settingsKey, s)
}

// over is one choice with a later one put over it.
func over(old, with map[string]string) map[string]string {
	out := maps.Clone(old)
	if out == nil {
		return with
	}
	maps.Copy(out, with)
	return out
}
