package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/app/tongue"
)

// budgets shows and sets what turns may use.
func (p *program) budgets() *cobra.Command {
	var asJSON bool
	words := func(b app.Budget) string {
		var parts []string
		add := func(has bool, format string, v any) {
			if has {
				parts = append(parts, p.language().Say(format, v))
			}
		}
		add(b.Tokens > 0, tongue.Word("%d tokens"), b.Tokens)
		add(b.Cost > 0, tongue.Word("%g USD"), b.Cost)
		add(b.Iterations > 0, tongue.Word("%d rounds of calls"), b.Iterations)
		add(b.Seconds > 0, tongue.Word("%s under way"), time.Duration(b.Seconds)*time.Second)
		if len(parts) == 0 {
			return p.language().Say("no limit")
		}
		return strings.Join(parts, ", ")
	}
	show := func(v app.BudgetView) error {
		if asJSON {
			return p.line(v)
		}
		name := strings.TrimSpace(v.Agent + " " + v.Type)
		if v.Set {
			p.say("%s: %s (usual: %s)", name, words(v.Budget), words(v.Usual))
			return nil
		}
		p.say("%s: %s", name, words(v.Budget))
		return nil
	}
	list := &cobra.Command{Use: "list", Short: "List what turns may use, by agent and type", Args: exact(0, "no arguments"), RunE: func(*cobra.Command, []string) error {
		return p.with(func(a *app.App) error {
			all, err := a.Budgets()
			for _, v := range all {
				if err := show(v); err != nil {
					return err
				}
			}
			return err
		})
	}}
	put := func(args []string, b *app.Budget) error {
		return p.with(func(a *app.App) error {
			v, err := a.SetBudget(args[0], strings.Join(args[1:], ""), b)
			if err != nil {
				return err
			}
			return show(v)
		})
	}
	var b app.Budget
	var limit time.Duration
	set := &cobra.Command{Use: "set AGENT [TYPE]", Short: "Set what turns of an agent, or of one type of it, may use", Args: cobra.RangeArgs(1, 2),
		Long: "Set what turns of an agent, or of one type of it, may use. What is left out is the default; it counts for turns that begin from then on.",
		RunE: func(cmd *cobra.Command, args []string) error {
			b.Seconds = int(limit.Seconds())
			// 0 stands for what is left out: whoever writes it means something else.
			for _, x := range []struct {
				flag string
				none bool
			}{{"tokens", b.Tokens == 0}, {"cost", b.Cost == 0}, {"iterations", b.Iterations == 0}, {"time", b.Seconds == 0}} {
				if cmd.Flags().Changed(x.flag) && x.none {
					return app.Bad(fmt.Sprintf("--%s has nothing in it: a turn with nothing to use cannot begin.", x.flag), "Give more than 0, and at least a second of time, or leave the flag out for what is usual.")
				}
			}
			return put(args, &b)
		}}
	set.Flags().IntVar(&b.Tokens, "tokens", 0, "tokens read and written")
	set.Flags().Float64Var(&b.Cost, "cost", 0, "US dollars, at the price of the setting token_price")
	set.Flags().IntVar(&b.Iterations, "iterations", 0, "rounds of tool calls, of agents that count them")
	set.Flags().DurationVar(&limit, "time", 0, "time under way such as 2h or 30m, waits for people not counted")
	usual := &cobra.Command{Use: "usual AGENT [TYPE]", Short: "Go back to the default", Args: cobra.RangeArgs(1, 2), RunE: func(_ *cobra.Command, args []string) error { return put(args, nil) }}
	g := group("budgets", "What a turn may use before it stops and asks for more", list, set, usual)
	g.Long = `What a turn may use: tokens, money, rounds of tool calls and time. It counts over pauses and restarts. A turn that has used up one of
them stops, keeps everything, and goes on only when a person gives it more: holdpoint resume TURN --more N --by NAME.`
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}
