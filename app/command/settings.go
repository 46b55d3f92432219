package command

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"holdpoint/app"
	"holdpoint/engine/safety"
)

func (p *program) settings() *cobra.Command {
	var asJSON bool
	var stands standing
	list := &cobra.Command{Use: "list", Short: "Show what is set", Args: exact(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			return p.with(func(a *app.App) error {
				s, err := a.Settings()
				if err != nil {
					return err
				}
				s.Features, s.Collections = a.Offered(s)
				if asJSON {
					return p.line(s)
				}
				body, err := json.MarshalIndent(s, "", "  ")
				if err != nil {
					return err
				}
				p.say("%s", paragraph(body))
				return nil
			})
		}}
	set := &cobra.Command{Use: "set KEY VALUE", Short: "Set one thing, e.g. region GB", Args: exact(2, "a key and a value"),
		Long: `Set one thing, by its name in the list.
context.AGENT takes the context tools of an agent's turns, by their names with commas between; all, or none.
"holdpoint agents show AGENT" lists them under pipeline.
people.NAME takes the roles of a reviewer, with commas: rules may say that only a person with a role decides.
fact.AGENT.ID takes the value of a fact that a person confirms; "holdpoint settings facts" lists them.
{features}
collection.AUDIENCE takes a source of the library, or the beginning of a path in one, that advice to that audience may come from besides what comes
along: {collections}; empty for none. "holdpoint library list" shows the sources.
language takes en, fr or system, and is that of this laptop at first.
zone takes the clinic's time zone, as in Europe/London; "" is that of this laptop as it is now. At first it is that of the
laptop on which the data folder was first opened.
memory takes on or off, and is off at first. ` + app.MemorySays,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.by(stands, func(a *app.App, by app.Proof) error {
				value, err := json.Marshal(args[1])
				if err != nil {
					return err
				}
				if err := a.SetBy(by, args[0], value); err != nil {
					return err
				}
				p.tongue = a.Tongue() // it may be what was set
				p.say("%s is %s.", args[0], args[1])
				if args[0] == "memory" {
					p.say("%s", p.told(app.MemorySays))
				}
				id, ok := strings.CutPrefix(args[0], "context.")
				if !ok {
					return nil
				}
				warnings, err := a.ContextWarnings(id)
				for _, w := range warnings {
					p.say("Warning: %s.", p.told(w))
				}
				return err
			})
		}}
	stands.flags(set.Flags())
	facts := &cobra.Command{Use: "facts", Short: "Show what agents take from rules, and what of it nobody has confirmed", Args: exact(0, "no arguments"),
		Long: `Show what agents take from rules, with the source of each. Where no source was read, a person has to confirm it:
"holdpoint settings set fact.AGENT.ID VALUE" does, in the name of --by, who then signs as they do elsewhere, or of the setting reviewer (else the login name); an empty value takes it
back. Until then it stands in answers and filings as an assumption.`,
		RunE: func(*cobra.Command, []string) error {
			return p.with(func(a *app.App) error {
				all, err := a.Facts()
				if err != nil {
					return err
				}
				for _, f := range all {
					if asJSON {
						if err := p.line(f); err != nil {
							return err
						}
						continue
					}
					state := p.language().Say("read in its source")
					switch {
					case f.Confirmed != nil:
						state = p.language().Say("confirmed as %q by %s on %s", f.Confirmed.Value, f.Confirmed.By, f.Confirmed.At.Format("2006-01-02"))
					case f.Confirm:
						state = p.language().Say("TO BE CONFIRMED: holdpoint settings set %s %q", "fact."+f.Agent+"."+f.ID, f.Value)
					}
					p.say("%s.%s: %s\n    %s\n    source: %s\n    %s", f.Agent, f.ID, f.Value, p.told(f.Text), p.told(f.Source), state)
				}
				return nil
			})
		}}
	g := group("settings", "Show and set what a person can choose", list, set, facts)
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

// askForRegion says to a person at a terminal, until it is done, how the region is chosen. What is read by
// programs says nothing of it.
func (p *program) askForRegion(a *app.App) {
	errs, ok := p.err.(*os.File)
	if !ok || !term.IsTerminal(int(errs.Fd())) || !term.IsTerminal(int(os.Stdin.Fd())) {
		return
	}
	if s, err := a.Settings(); err == nil && !s.RegionChosen {
		p.say("No region is chosen yet, so help in danger can name no line of your country. Choose it once: holdpoint settings set region CODE; holdpoint helplines lists the codes.")
	}
}

func (p *program) helplines() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "helplines [REGION]", Short: "Whom to call in a crisis: numbers, hours, sources", Args: cobra.MaximumNArgs(1),
		Long: `Whom to call in a crisis, by region: what Holdpoint shows when it sees danger, from this laptop, without a network.
Without REGION it lists the regions and what was chosen; REGION is a country's code such as GB. Set it with: holdpoint settings set region GB`,
		RunE: func(_ *cobra.Command, args []string) error {
			lines := p.language()
			if asJSON {
				lines = "en" // for programs
			}
			regions := app.HelpLines(lines)
			if len(args) == 1 {
				code := safety.RegionOf(args[0]).Code
				if code == safety.International && !strings.EqualFold(args[0], code) {
					return misuse("there are no lines for a region %q; holdpoint helplines lists the regions", args[0])
				}
				for _, r := range regions {
					if r.Code == code {
						regions = []app.RegionView{r}
					}
				}
			}
			for _, r := range regions {
				if asJSON {
					if err := p.line(r); err != nil {
						return err
					}
					continue
				}
				p.say("%-13s  %s: emergency %s", r.Code, r.Name, r.Emergency)
				if len(args) == 0 {
					continue
				}
				p.say("    source: %s", r.Source)
				if r.Deaf != "" {
					p.say("  deaf: %s", r.Deaf)
				}
				if r.Silent != "" {
					p.say("  %s", r.Silent)
				}
				for _, l := range r.Lines {
					p.say("  %s: %s", lines.Named(string(l.For[0])), l.Text)
					cost := ""
					if l.Cost == "" {
						cost = lines.Say("cost: not confirmed; ")
					}
					p.say("    %ssource: %s", cost, l.Source)
				}
			}
			if !asJSON {
				p.say("Sources were looked at on %s, as stored copies; nobody rang.", lines.Day(safety.LinesChecked()))
			}
			return nil
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return c
}
