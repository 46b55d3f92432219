package command

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/ledger"
	"holdpoint/engine/visible"
)

func (p *program) approvals() *cobra.Command {
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "List approvals, oldest first", Args: exact(0, "no arguments")}
	status := list.Flags().String("status", "pending", "pending, approved, rejected, used, expired, void, all, or unknown: calls whose outcome nobody knows")
	limit := list.Flags().Int("limit", 500, "at most this many")
	after := list.Flags().String("after", "", "go on after the approval, or the unknown call, with this id")
	list.RunE = func(*cobra.Command, []string) error {
		if *limit < 1 {
			return misuse("--limit is a number above 0")
		}
		if strings.TrimSpace(*status) == "" {
			return app.NoStatus(*status)
		}
		return p.with(func(a *app.App) error {
			if *status == "unknown" {
				return p.unknowns(a, *after, *limit, asJSON)
			}
			views, next, err := a.ApprovalsPage(app.ApprovalQuery{Status: *status, After: *after, Limit: *limit})
			if err != nil {
				return err
			}
			for _, v := range views {
				if asJSON {
					if err := p.line(v); err != nil {
						return err
					}
					continue
				}
				title := p.told(v.Title)
				if v.Erased {
					title = p.language().Say(app.ErasedTitle)
				}
				p.say("%s  %s  %s  %s\n    %s", v.ID, p.verdict(v), p.toolTitle(a, v.Tool), waiting(p.language(), a, v), title)
				if v.TitleZone != "" {
					p.say("    (this sentence says its times in %s time, the clinic's zone when it was asked)", v.TitleZone)
				}
			}
			switch {
			case next != "":
				p.more("--status "+*status+" --after", next)
			case len(views) == 0 && !asJSON && *status == "pending":
				p.say("No approval waits.")
			case len(views) == 0 && !asJSON:
				p.say("No approval of this status.")
			}
			if *status != "pending" || next != "" || asJSON {
				return nil
			}
			stranded, err := a.StrandedTurns()
			for _, s := range stranded {
				why := p.language().Say("what it was about changed")
				if s.Status == ledger.Expired {
					why = p.language().Say("it expired %s", a.When(s.ExpiresAt))
				}
				p.say("%s  no longer asked: %s\n    %s\n    holdpoint resume %s    goes on, and asks again if it still wants it", s.Approval, why, p.told(s.Title), s.Turn)
			}
			return err
		})
	}
	show := &cobra.Command{Use: "show ID", Short: "Show everything an approval covers", Args: exact(1, "one approval id"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				v, err := a.Approval(args[0], true)
				if err != nil {
					return err
				}
				v.Nonce = "" // it is good in this process only
				if asJSON {
					return p.line(v)
				}
				p.say("%s", paragraph(app.ApprovalText(p.language(), v, a.When)))
				return nil
			})
		}}
	var d app.Decision
	var secret bool
	// person is who decides on an approval, with what proves it.
	person := func(a *app.App, id string) (app.Decision, error) {
		d.ID = id
		if err := p.secret(secret, p.language().Say("Passphrase: "), &d.Passphrase); err != nil {
			return d, err
		}
		return p.decision(a, d)
	}
	decide := func(use, short string, approve bool) *cobra.Command {
		c := &cobra.Command{Use: use + " ID", Short: short, Args: exact(1, "one approval id")}
		c.RunE = func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				d, err := person(a, args[0])
				if err != nil {
					return err
				}
				v, err := a.Decide(d, approve)
				if err != nil {
					return err
				}
				return p.decided(a, v, asJSON)
			})
		}
		return c
	}
	approve := decide("approve", "Approve exactly what the approval shows", true)
	reject := decide("reject", "Reject with a reason (--comment)", false)
	delegate := &cobra.Command{Use: "delegate ID NAME", Short: "Let somebody else decide as well", Args: exact(2, "one approval id and the name of the person who may decide, too"),
		Long: `Let somebody else decide on a request as well. Only who may decide may pass it on; they still may decide themselves.
The request has a new digest then: who may decide is part of what a verdict is about.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				d, err := person(a, args[0])
				if err != nil {
					return err
				}
				v, err := a.Delegate(d, args[1])
				if err != nil {
					return err
				}
				if v.Warning != "" {
					p.say("Warning: %s", p.told(v.Warning))
				}
				if !asJSON {
					p.say("Now may decide: %s.", p.told(v.Approval.MayDecide))
				}
				return p.decided(a, v.Approval, asJSON)
			})
		}}
	var file string
	modify := &cobra.Command{Use: "modify ID --args FILE", Short: "Change a request's arguments, as the person who decides or, with a passphrase, the person who prepares it; it still waits for a verdict", Args: exact(1, "one approval id"),
		RunE: func(_ *cobra.Command, args []string) error {
			if file == "" {
				return misuse("modify needs --args FILE with one object, as YAML or JSON")
			}
			given, err := p.arguments(file)
			if err != nil {
				return err
			}
			return p.with(func(a *app.App) error {
				d.ID, d.Args = args[0], given
				if err := p.secret(secret, p.language().Say("Passphrase: "), &d.Passphrase); err != nil {
					return err
				}
				d, err := p.decision(a, d)
				if err != nil {
					return err
				}
				v, err := a.Modify(d)
				if err != nil {
					return err
				}
				return p.decided(a, v, asJSON)
			})
		}}
	modify.Flags().StringVar(&file, "args", "", "file with the new arguments as one object, YAML or JSON; \"approvals arguments ID\" prints one to begin with")
	for _, c := range []*cobra.Command{approve, reject, modify, delegate} {
		c.Flags().StringVar(&d.Comment, "comment", "", "why")
		c.Flags().StringVar(&d.Reviewer, "reviewer", "", "name of the person who decides (asked for once people are kept; before: the setting, else the login name)")
		c.Flags().StringVar(&d.Meaning, "meaning", "", "meaning of the signature, for high-risk tools")
		c.Flags().StringVar(&d.Digest, "digest", "", "refuse unless the approval has this digest")
		c.Flags().BoolVar(&secret, "passphrase-stdin", false, "read the reviewer's passphrase from a line of the input")
	}
	g := group("approvals", "List, show and decide what waits for a person", list, show, approve, reject, modify, delegate, p.printArguments(), p.exportRequest(), p.signRequest(), p.importVerdict())
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

// waiting says who decided on an approval, or until when it waits and for whom.
func waiting(g tongue.Tongue, a *app.App, v app.ApprovalView) string {
	at := a.When
	parts := []string{g.Say("expires %s", at(v.ExpiresAt))}
	switch {
	case v.DecidedAt != nil && v.Status != ledger.Expired && v.Status != ledger.Approved:
		parts = nil
	case v.Status == ledger.Expired:
		parts[0] = g.Say("expired %s", at(v.ExpiresAt))
	case v.Status == ledger.Void:
		parts[0] = g.Say("asked %s", at(v.RequestedAt))
	}
	if decided := app.Decided(g, v, at); decided != "" {
		parts = append([]string{visible.Line(decided)}, parts...)
	}
	if v.ClockSetBack {
		parts[len(parts)-1] = g.Say("the clock was set back since it was asked")
	}
	switch {
	case v.Overdue:
		parts = append(parts, g.Say("OVERDUE since %s", at(v.DueAt)))
	case v.Status == ledger.Pending && !v.DueAt.IsZero():
		parts = append(parts, g.Say("due %s", at(v.DueAt)))
	}
	if v.Status == ledger.Pending && (v.For != nil || len(v.Delegations) > 0) {
		parts = append(parts, g.Say("for %s", visible.Line(g.Told(v.MayDecide))))
	}
	return strings.Join(parts, ", ")
}

// toolTitle is what people call a tool, in the language; its name where it has no title.
func (p *program) toolTitle(a *app.App, name string) string {
	return p.told(cmp.Or(a.ToolTitles()[name], name))
}

// verdict is an approval's status. One that was given for a call of which nothing came was
// not used for anything.
func (p *program) verdict(v app.ApprovalView) any {
	if v.Status == ledger.Used && v.Outcome == ledger.Refused {
		return p.language().Say("approved, nothing was done")
	}
	return word(v.Status)
}

// unknowns lists calls whose outcome nobody knows: at most so many, behind the call after.
func (p *program) unknowns(a *app.App, after string, limit int, asJSON bool) error {
	list, err := a.Unknowns()
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(list, func(v app.UnknownView) bool { return v.Call == after }); i >= 0 {
		list = list[i+1:]
	} else if after != "" {
		return misuse("%s is not a call whose outcome is unknown; begin the list without --after", after)
	}
	more := len(list) > limit
	list = list[:min(len(list), limit)]
	for _, v := range list {
		if asJSON {
			if err := p.line(v); err != nil {
				return err
			}
			continue
		}
		p.say("%s  %s  %s  %s\n    %s", v.Call, word(v.State), p.toolTitle(a, v.Tool), a.When(v.UpdatedAt), p.told(v.Check))
	}
	if len(list) == 0 && !asJSON {
		p.say("The outcome of every call is known.")
	}
	if more {
		p.more("--status unknown --after", list[len(list)-1].Call)
	}
	return nil
}

// decision fills in what the command line leaves out: the digest that is stored now and,
// while nobody is kept as a person who may decide, the login name.
func (p *program) decision(a *app.App, d app.Decision) (app.Decision, error) {
	v, err := a.Approval(d.ID, false)
	if err != nil {
		return d, err
	}
	if d.Digest == "" {
		d.Digest = v.Digest
	}
	if d.Reviewer != "" {
		return d, nil
	}
	people, err := a.People()
	if err != nil {
		return d, err
	}
	if v.For != nil || len(people) > 0 {
		return d, misuse("say who decides: --reviewer NAME, with --passphrase-stdin for one who signs (holdpoint people list names them)")
	}
	d.Reviewer = a.DefaultReviewer()
	return d, nil
}

func (p *program) decided(a *app.App, v app.ApprovalView, asJSON bool) error {
	if asJSON {
		return p.line(v)
	}
	p.say("%s is %s (%s).", v.ID, word(v.Status), v.Digest)
	if v.Reviewer != "" {
		p.say("In the name of %s.", app.ReviewerOf(p.language(), v))
	}
	for _, w := range v.Warned { // somebody who approves without “show” reads them here first
		p.say("Warning: %s", p.language().Caution(w))
	}
	if v.Status != "pending" {
		p.say("Continue with: holdpoint resume %s", v.Turn)
		if r, err := a.TurnReport(v.Turn); err == nil && r.Caller != "" {
			p.say("The turn began for %s: name the caller (--token-env, --secret-env), or tools that ask who calls will refuse.", visible.Short(r.Caller, lineRoom))
		}
	}
	return nil
}
