package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/text"
)

const textsHelp = `What people and models read of an agent stands in files, by audience and language, and can be overridden here: a text is
named AGENT/AUDIENCE/LANGUAGE/NAME, e.g. {text}. An override holds from the next turn on, without
a restart, until it is reset. Names in {braces} are filled in; an override has to keep them.

sync copies the texts of the files into the store, or those of a folder of yours (AUDIENCE/LANGUAGE.yaml, each a mapping of
names to texts; it need not have all). Overrides set by hand stay as they are, and a synced text yields to its file once
that has changed with a newer Holdpoint. It is all or nothing: after a crash the old texts are there, or the new ones.`

func (p *program) texts() *cobra.Command {
	var asJSON bool
	show := func(e text.Entry) error {
		if asJSON {
			return p.line(e)
		}
		stale := ""
		if e.Stale {
			stale = p.language().Say("  (the file has changed since)")
		}
		p.say("%-60s %s%s\n    %s", e.Key, word(e.Source), stale, paragraph(e.Text))
		return nil
	}
	var overridden bool
	list := &cobra.Command{Use: "list [AGENT]", Short: "List the texts that are in force, and where each comes from", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				agent := ""
				if len(args) > 0 {
					agent = args[0]
				}
				all, err := a.Texts(agent)
				if err != nil {
					return err
				}
				for _, e := range all {
					if overridden && e.Source != text.Override {
						continue
					}
					if err := show(e); err != nil {
						return err
					}
				}
				return nil
			})
		}}
	list.Flags().BoolVar(&overridden, "overridden", false, "only those with words of your own")
	set := &cobra.Command{Use: "set KEY TEXT", Short: "Put your own words in the place of a text (TEXT - reads standard input)", Args: exact(2, "a key, AGENT/AUDIENCE/LANGUAGE/NAME, and a text"),
		RunE: func(_ *cobra.Command, args []string) error {
			words := args[1]
			if words == "-" {
				var err error
				if words, err = p.input("-"); err != nil {
					return err
				}
			}
			return p.with(func(a *app.App) error {
				e, err := a.SetText(args[0], words, "")
				if err != nil {
					return err
				}
				return show(e)
			})
		}}
	reset := &cobra.Command{Use: "reset KEY", Short: "Go back to the file's text", Args: exact(1, "a key, AGENT/AUDIENCE/LANGUAGE/NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				e, err := a.ResetText(args[0], "")
				if err != nil {
					return err
				}
				return show(e)
			})
		}}
	sync := &cobra.Command{Use: "sync [AGENT FOLDER]", Short: "Bring the texts of the files, or of a folder, into the store; overrides stay", Args: cobra.RangeArgs(0, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return misuse("name an agent and a folder, or nothing")
			}
			return p.with(func(a *app.App) error {
				agent, folder := "", ""
				if len(args) == 2 {
					agent, folder = args[0], args[1]
				}
				r, err := a.SyncTexts(agent, folder)
				if err != nil {
					return err
				}
				if asJSON {
					return p.line(r)
				}
				p.say("Texts written: %d, unchanged: %d, overrides kept: %d, removed: %d.", r.Written, r.Unchanged, r.Kept, r.Removed)
				return nil
			})
		}}
	g := group("texts", "What people and models read of an agent, by audience and language", list, set, reset, sync)
	g.Long = textsHelp
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

// prompt prints what a node of an agent asks a model with.
func (p *program) prompt(asJSON *bool) *cobra.Command {
	var node string
	var vars []string
	c := &cobra.Command{Use: "prompt AGENT --node NODE", Short: "Print what a node of an agent asks a model with, for a state", Args: exact(1, "one agent"),
		Long: `Print the prompt that a node's manifest compiles to, with overrides of texts, and which tools or which schema go with it.
The state is given with --var{state}; answered=true is after tools have answered. For example:
  holdpoint agents prompt {prompts} --node {node}`,
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := assignments(vars)
			if err != nil {
				return err
			}
			if node == "" {
				r, err := p.registry()
				if err != nil {
					return err
				}
				nodes, err := r.Manifests(args[0])
				if err != nil {
					return err
				}
				return misuse("name a node with --node: %s", orNone(nodes))
			}
			return p.with(func(a *app.App) error {
				n, err := a.Prompt(args[0], node, v)
				if err != nil {
					return err
				}
				if *asJSON {
					return p.line(n)
				}
				if _, err := fmt.Fprintf(p.out, "%s\n", n.Text); err != nil {
					return err
				}
				p.say("tools: %s   schema: %s   left out: %s", orNone(n.Tools), orNone(some(n.Schema)), orNone(n.Left))
				return nil
			})
		}}
	c.Flags().StringVar(&node, "node", "", "the node's name")
	c.Flags().StringArrayVar(&vars, "var", nil, "name=value of the state")
	return c
}

func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
