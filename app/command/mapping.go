package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/record"
)

// mapping shows and changes what the columns of a file mean.
func (p *program) mapping(asJSON *bool) *cobra.Command {
	var c record.Choice
	var columns, set []string
	var reset, fields bool
	cmd := &cobra.Command{Use: "mapping FILE", Short: "Show or change what the columns of a table mean", Args: exact(1, "one file"),
		Long: `Show what the columns of a table (.csv) or the properties of a map (.geojson) mean when it is imported, and what a line is.
--column NAME=FIELD gives a column another meaning (nothing behind = keeps it unread), --set FIELD=VALUE says what holds for all
lines, e.g. --set datum=NAD83, --kind what a line is. That is kept for all files with the same columns, whatever their names;
--reset takes it back. --fields lists what a column may mean. Coordinates without a datum are kept, and decide nothing.`}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var err error
		if c.Columns, err = assignments(columns); err != nil {
			return err
		}
		if c.Set, err = assignments(set); err != nil {
			return err
		}
		return p.with(func(a *app.App) error {
			var m record.Mapping
			if reset {
				m, err = a.ChooseMapping(args[0], record.Choice{})
			} else if c.Kind != "" || len(columns)+len(set) > 0 {
				m, err = a.ChooseMapping(args[0], c)
			} else {
				m, err = a.Mapping(args[0])
			}
			if err != nil {
				return err
			}
			if *asJSON {
				return p.line(m)
			}
			what := m.Kind
			if what == "" {
				what = p.language().Say("not known; choose with --kind: %s", strings.Join(m.Kinds, ", "))
			}
			p.say("A line is: %s", what)
			for _, k := range slices.Sorted(maps.Keys(m.Set)) {
				p.say("For all lines: %s = %s", k, m.Set[k])
			}
			return p.table(func(w *tabwriter.Writer) {
				for _, x := range m.Columns {
					means := x.Field
					if means == "" {
						means = p.language().Say("(kept unread)")
					}
					fmt.Fprintf(w, "%s\t%s\n", x.Name, means)
				}
				if fields {
					fmt.Fprintln(w, "\n"+p.language().Say("A column may mean:"))
					for _, f := range m.Fields {
						fmt.Fprintf(w, "%s\t%s\n", f.Name, p.told(f.About))
					}
				}
			})
		})
	}
	f := cmd.Flags()
	f.StringVar(&c.Kind, "kind", "", "what a line is")
	f.StringArrayVar(&columns, "column", nil, "NAME=FIELD: what a column means")
	f.StringArrayVar(&set, "set", nil, "FIELD=VALUE: what holds for all lines, e.g. datum=NAD83")
	f.BoolVar(&reset, "reset", false, "take back what was chosen")
	f.BoolVar(&fields, "fields", false, "list what a column may mean")
	return cmd
}
