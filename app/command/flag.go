package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wanted says what a flag takes, by the type of its value.
var wanted = map[string]string{
	"int": "a whole number such as 500", "float64": "a number such as 2.5", "duration": "a time such as 90s, 30m or 2h", "bool": "true or false",
}

// flagError says of a flag what is wrong with it, in words of the command line.
func flagError(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &value):
		f := value.GetFlag()
		if want := wanted[f.Value.Type()]; want != "" {
			return misused(f, want, value.GetValue())
		}
		return usage{fmt.Errorf("--%s does not take %q: %w", f.Name, value.GetValue(), errors.Unwrap(value))}
	case errors.As(err, &unknown):
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		return usage{fmt.Errorf("there is no flag %s%s; see %s --help", dashes, unknown.GetSpecifiedName(), c.CommandPath())}
	case errors.As(err, &missing):
		f := missing.GetFlag()
		return usage{fmt.Errorf("--%s needs a value: %s", f.Name, f.Usage)}
	}
	return usage{err}
}

func misused(f *pflag.Flag, want, value string) error {
	return usage{fmt.Errorf("--%s takes %s, not %q: %s", f.Name, want, value, f.Usage)}
}

// plain lets a command and those under it say what they take in words of the command line,
// and refuse numbers below zero, which nothing here counts.
func plain(c *cobra.Command) {
	if takes := c.Args; takes != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := takes(c, args)
			var said usage
			if err != nil && !errors.As(err, &said) {
				_, takes, _ := strings.Cut(c.Use, " ")
				if takes == "" {
					takes = "no arguments"
				}
				return usage{fmt.Errorf("%s takes %s; see %s --help", c.CommandPath(), takes, c.CommandPath())}
			}
			if err != nil {
				return err
			}
			c.Flags().Visit(func(f *pflag.Flag) {
				if want := wanted[f.Value.Type()]; want != "" && strings.HasPrefix(f.Value.String(), "-") && err == nil {
					err = misused(f, want+", from 0", f.Value.String())
				}
			})
			return err
		}
	}
	for _, each := range c.Commands() {
		plain(each)
	}
}
