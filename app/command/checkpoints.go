package command

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/rule"
	"holdpoint/engine/visible"
)

// checkpoints shows and sets how long holds wait, and for whom.
func (p *program) checkpoints() *cobra.Command {
	var asJSON bool
	var stands standing
	show := func(v app.CheckpointView) error {
		if asJSON {
			return p.line(v)
		}
		g := p.language()
		who := g.Say("anybody, where the rule names nobody")
		if v.Reviewer != nil {
			who = v.Reviewer.String()
		}
		escalates := g.Say("never escalates")
		if v.EscalateTo != nil {
			escalates = g.Say("escalates to %s after %s", v.EscalateTo, hours(g, v.EscalateHours))
		}
		if v.NoDelegation {
			escalates += g.Say("; cannot be passed on")
		}
		set := ""
		if !v.Set {
			set = g.Say(" (as usual)")
		}
		p.say("%s%s: due after %s, reminds after %s, expires after %s; %s\n    decides: %s", v.Type, set, hours(g, v.DueHours), hours(g, v.RemindHours), hours(g, v.ExpiresHours), visible.Line(escalates), visible.Line(who))
		if len(v.Rules) > 0 {
			p.say("    rules: %s", strings.Join(v.Rules, ", "))
		}
		return nil
	}
	list := &cobra.Command{Use: "list", Short: "List the types of checkpoints", Args: exact(0, "no arguments"), RunE: func(*cobra.Command, []string) error {
		return p.with(func(a *app.App) error {
			all, err := a.CheckpointTypes()
			for _, v := range all {
				if err := show(v); err != nil {
					return err
				}
			}
			return err
		})
	}}
	var t rule.Term
	var to, toRole, reviewer, role string
	times := map[string]*float64{"expires": &t.ExpiresHours, "due": &t.DueHours, "remind": &t.RemindHours, "escalate": &t.EscalateHours}
	set := &cobra.Command{Use: "set TYPE", Short: "Set how long holds of a type wait, and for whom", Args: exact(1, "a type, or * for all others"),
		Long: `Set how long holds of a type wait, and for whom. What is left out is the default; it counts for what is asked from then on.
Times are like 7d, 36h or 90m, counted from the request.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for name, into := range times {
				text, err := cmd.Flags().GetString(name)
				if err != nil {
					return err
				}
				if *into, err = inHours(text); err != nil {
					return misuse("--%s: %s", name, err)
				}
			}
			if to != "" || toRole != "" {
				t.EscalateTo = &rule.Reviewer{Name: to, Role: toRole}
			}
			if reviewer != "" || role != "" {
				t.Reviewer = &rule.Reviewer{Name: reviewer, Role: role}
			}
			return p.by(stands, func(a *app.App, by app.Proof) error {
				v, err := a.SetCheckpoint(args[0], &t, by)
				if err != nil {
					return err
				}
				if err := show(v); err != nil || asJSON {
					return err
				}
				return p.unready(a, v)
			})
		}}
	f := set.Flags()
	f.String("expires", "", "after how long it expires, which counts as a no, and is asked again (default: 7d)")
	f.String("due", "", "by when a decision is due (default: 3d)")
	f.String("remind", "", "when people are reminded (default: a day before it is due)")
	f.String("escalate", "", "from when on --to or --to-role may decide as well (default: when it is due)")
	f.StringVar(&to, "to", "", "name of the person whom it escalates to")
	f.StringVar(&toRole, "to-role", "", "role of those whom it escalates to")
	f.StringVar(&reviewer, "reviewer", "", "name of the person who decides where the rule names nobody")
	f.StringVar(&role, "role", "", "role of those who decide where the rule names nobody")
	f.BoolVar(&t.NoDelegation, "no-delegation", false, "reviewers may not pass it on")
	usual := &cobra.Command{Use: "usual TYPE", Short: "Go back to the default", Args: exact(1, "a type, or *"), RunE: func(_ *cobra.Command, args []string) error {
		return p.by(stands, func(a *app.App, by app.Proof) error {
			v, err := a.SetCheckpoint(args[0], nil, by)
			if err != nil {
				return err
			}
			return show(v)
		})
	}}
	stands.flags(f)
	stands.flags(usual.Flags())
	g := group("checkpoints", "How long requests wait for a person, and for whom", list, set, usual)
	g.Long = `A hold has a checkpoint type, such as pre_filing; the rule that holds names it. For each type: who decides where the rule names
nobody, by when a decision is due, when people are reminded, from when on somebody else may decide as well (escalation), and
after how long it expires, which counts as a no. A hold that expired asks again when its turn is resumed. A reviewer may let somebody else
decide as well: holdpoint approvals delegate ID NAME.`
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

// inHours reads 7d, 36h or 90m; "" is 0.
func inHours(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil {
			return 24 * n, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, misuse("%q is not a time; write it like 7d, 36h or 90m", text)
	}
	return d.Hours(), nil
}

// hours writes hours as people say them.
func hours(g tongue.Tongue, n float64) string {
	switch {
	case n >= 48 && n == float64(int(n)) && int(n)%24 == 0:
		return counted(g, int(n)/24, tongue.Word("1 day"), tongue.Word("%d days"))
	case n == float64(int(n)):
		return counted(g, int(n), tongue.Word("1 hour"), tongue.Word("%d hours"))
	}
	return time.Duration(n * float64(time.Hour)).Round(time.Second).String()
}

// unready says what a checkpoint type that was set still lacks to be of use: a rule that holds
// with it, and people who can decide.
func (p *program) unready(a *app.App, v app.CheckpointView) error {
	people, err := a.People()
	if err != nil {
		return err
	}
	all, err := a.CheckpointTypes() // with the rules of each
	if err != nil {
		return err
	}
	if v.Type != "*" && !slices.ContainsFunc(all, func(x app.CheckpointView) bool { return x.Type == v.Type && len(x.Rules) > 0 }) {
		p.say("    No rule holds with the type %s yet; holdpoint checkpoints list shows those that rules hold with.", v.Type)
	}
	for _, r := range []*rule.Reviewer{v.Reviewer, v.EscalateTo} {
		switch {
		case r == nil:
		case r.Name != "" && !slices.ContainsFunc(people, func(x app.Person) bool { return strings.EqualFold(x.Name, r.Name) && x.Signs }):
			p.say("    %s cannot decide yet, without a passphrase: holdpoint people passphrase %q", r.Name, r.Name)
		case r.Role != "" && !slices.ContainsFunc(people, func(x app.Person) bool { return slices.Contains(x.Roles, r.Role) && x.Signs }):
			p.say("    Nobody with the role %s and a passphrase is here yet: holdpoint people roles NAME %s, and holdpoint people passphrase NAME", r.Role, r.Role)
		}
	}
	return nil
}
