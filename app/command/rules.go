package command

import (
	"strings"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/rule"
)

const rulesHelp = `Rules say what an agent may do, what waits for a person and what does not happen at all. They are asked
at before_model_call, before_tool_call, after_tool_call and before_output, of any agent.

A file is a YAML list; each rule has name, event and verdict:

  - name: no_weekend_visits
    event: before_tool_call
    tools: [book_*]                 # optional: names or patterns; agents: [my-agent] likewise
    when: args.day in ["sat", "sun"]
    verdict: refuse                 # allow, warn, ask, hold or refuse
    reason: Visits are made on weekdays.
  - name: look_before_reading_notes
    event: before_tool_call
    tools: [read_note]
    verdict: hold                   # waits for an approval, also of a tool that only reads
    checkpoint: notes               # its type, shown with the approval
    reviewer: {name: Ann Bell}      # optional: who alone may decide; or {role: engineer}: give roles to people
                                    # with holdpoint people roles "Ann Bell" engineer

A condition is an expression as in graphs. It reads event, agent, stage, input, vars, practice and state; for tools
tool.name, tool.capabilities, tool.mutates, tool.server and args; after a call also result and failed; for models
model.role, model.purpose, model.name and prompt; for replies output. A tool that declares no capability counts as mutating.

All rules that fire are merged, the strictest first: refuse, hold, ask, warn, allow. A rule that cannot be evaluated
holds. ask needs question: before something, approve lets it happen; after a call the answer goes to the model with the
result. Refused after a call, the step fails; a refused reply is withheld. No rule lifts the approval that a change needs.`

func (p *program) rules() *cobra.Command {
	var asJSON bool
	var stands standing
	list := &cobra.Command{Use: "list", Short: "List the rules with when each fired last", Args: exact(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			return p.with(func(a *app.App) error {
				all, err := a.Rules()
				if err != nil {
					return err
				}
				for _, r := range all {
					if asJSON {
						if err := p.line(r); err != nil {
							return err
						}
						continue
					}
					p.say("%-38s %-17s %-7s %s", r.Name, r.Event, verdictOf(r), word(r.Source))
					if r.Description != "" {
						p.say("    %s", p.told(r.Description))
					}
					if r.When != "" {
						p.say("    when %s", r.When)
					}
					if f := r.Fired; f != nil {
						p.say("    fired last %s in session %s", a.When(f.At), f.Session)
					}
				}
				return nil
			})
		}}
	add := &cobra.Command{Use: "add FILE", Short: "Add the rules of a file (- reads standard input); one of the same name is replaced", Args: exact(1, "a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := p.input(args[0])
			if err != nil {
				return err
			}
			return p.by(stands, func(a *app.App, by app.Proof) error {
				names, err := a.AddRules(text, by)
				if err != nil {
					return err
				}
				p.say("Added %s.", strings.Join(names, ", "))
				return nil
			})
		}}
	rm := &cobra.Command{Use: "rm NAME", Short: "Remove a rule of yours", Args: exact(1, "a rule's name"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.by(stands, func(a *app.App, by app.Proof) error {
				if err := a.RemoveRule(args[0], by); err != nil {
					return err
				}
				p.say("Removed %s.", args[0])
				return nil
			})
		}}
	onOff := func(use, short string, off bool) *cobra.Command {
		return &cobra.Command{Use: use + " NAME", Short: short, Args: exact(1, "a rule's name"),
			RunE: func(_ *cobra.Command, args []string) error {
				return p.by(stands, func(a *app.App, by app.Proof) error {
					if err := a.SwitchRule(args[0], off, by); err != nil {
						return err
					}
					p.say("%s is %s.", args[0], word(use))
					return nil
				})
			}}
	}
	test := &cobra.Command{Use: "test FILE [EVENTS]", Short: "Say what the rules of a file say about occasions; nothing is run",
		Long: `Ask the rules of FILE (or, for -, those that are in force) about the occasions in EVENTS, one JSON object a line.
Without EVENTS the file is only checked. An occasion has the words of conditions as members, for example:
  {"event":"before_tool_call","agent":"my-agent","tool":{"name":"book_visit","capabilities":["book"]},"args":{"day":"sat"}}
Exit code 2 says that the file has a mistake, and where.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			text := ""
			var err error
			if args[0] != "-" {
				if text, err = p.input(args[0]); err != nil {
					return err
				}
				if strings.TrimSpace(text) == "" {
					text = "\n"
				}
			}
			if len(args) == 1 {
				rules, err := app.ReadRules(text)
				if err == nil {
					p.say("%d rules, no mistakes.", len(rules))
				}
				return err
			}
			said, err := p.input(args[1])
			if err != nil {
				return err
			}
			occasions, err := app.OccasionsOf(said)
			if err != nil {
				return err
			}
			return p.with(func(a *app.App) error {
				results, err := a.TestRules(text, occasions)
				if err != nil {
					return err
				}
				for i, r := range results {
					if asJSON {
						if err := p.line(r); err != nil {
							return err
						}
						continue
					}
					p.say("%d. %s: %s", i+1, r.Event, r.Verdict)
					for _, f := range r.Fired {
						p.say("   %-7s %s: %s", f.Verdict, f.Rule, f.Why())
					}
				}
				return nil
			})
		}}
	show := &cobra.Command{Use: "show [NAME]", Short: "Print rules as YAML, to be edited and added again", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				all, err := a.Rules()
				if err != nil {
					return err
				}
				var out []rule.Rule
				for _, r := range all {
					if len(args) == 0 || r.Name == args[0] {
						out = append(out, r.Rule)
					}
				}
				if len(out) == 0 {
					return misuse("there is no rule %q; holdpoint rules list names them", args[0])
				}
				if asJSON {
					return p.line(out)
				}
				text, err := rule.YAML(out)
				if err == nil {
					_, err = p.out.Write(text)
				}
				return err
			})
		}}
	on, off := onOff("on", "Switch a rule on", false), onOff("off", "Switch a rule off", true)
	for _, c := range []*cobra.Command{add, rm, on, off} {
		stands.flags(c.Flags())
	}
	g := group("rules", "What agents may do, what waits for a person, what never happens", list, show, add, rm, on, off, test)
	g.Long = rulesHelp
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

func verdictOf(r app.RuleView) any {
	if r.Off {
		return word("off")
	}
	return string(r.Verdict)
}
