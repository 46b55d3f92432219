package command

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdpoint/app/tongue"
)

// wanted says what a flag takes, by the type of its value.
var wanted = map[string]string{
	"int": tongue.Word("a whole number such as 500"), "float64": tongue.Word("a number such as 2.5"), "duration": tongue.Word("a time such as 90s, 30m or 2h"), "bool": tongue.Word("true or false"),
}

// from0 says the same of what is not below zero.
var from0 = map[string]string{
	wanted["int"]: tongue.Word("a whole number such as 500, from 0"), wanted["float64"]: tongue.Word("a number such as 2.5, from 0"), wanted["duration"]: tongue.Word("a time such as 90s, 30m or 2h, from 0"),
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
		return misuse("--%s does not take %q: %s", f.Name, value.GetValue(), errors.Unwrap(value))
	case errors.As(err, &unknown):
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		return misuse("there is no flag %s%s; see %s --help", dashes, unknown.GetSpecifiedName(), c.CommandPath())
	case errors.As(err, &missing):
		f := missing.GetFlag()
		return misuse("--%s needs a value: %s", f.Name, f.Usage)
	}
	return misuse("%s", err)
}

func misused(f *pflag.Flag, want, value string) error {
	return misuse("--%s takes %s, not %q: %s", f.Name, word(want), value, f.Usage)
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
					takes = tongue.Word("no arguments")
				}
				return misuse("%s takes %s; see %s --help", c.CommandPath(), word(takes), c.CommandPath())
			}
			if err != nil {
				return err
			}
			c.Flags().Visit(func(f *pflag.Flag) {
				if want := wanted[f.Value.Type()]; want != "" && strings.HasPrefix(f.Value.String(), "-") && err == nil {
					err = misused(f, from0[want], f.Value.String())
				}
			})
			return err
		}
	}
	for _, each := range c.Commands() {
		plain(each)
	}
}
