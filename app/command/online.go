package command

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/library/online"
)

const onlineLong = `Online sources are PubMed, ClinicalTrials.gov and Europe PMC, by their public interfaces:

    holdpoint settings set network true
    holdpoint library fetch "metformin sleep apnoea"      shows what would be sent; nothing is sent yet
    holdpoint library send ID…                            approves single requests, sends them as they were shown,
                                                          and imports what comes
    holdpoint library refuse ID…
    holdpoint library requests                            what waits, what left this laptop, and who approved it
    holdpoint library forget ID… | --all                  deletes requests that were answered, failed or were refused

Requests stay, with what was looked for, until they are forgotten; of those that ended the newest 500.

A request is sent to its source's host only, without cookies, and no redirect is followed. Only the search's text leaves, and
after that the ids of records that the source itself named. What an answer makes possible besides, the abstracts of what
PubMed found or a next page, is a request of its own. Documents keep the source's id, date and address.`

// online are the commands for sources that are asked over the network.
func (p *program) online(asJSON *bool) []*cobra.Command {
	show := func(list []online.Request) error {
		for _, r := range list {
			if *asJSON {
				if err := p.line(r); err != nil {
					return err
				}
				continue
			}
			s, _ := online.Find(r.Source)
			p.say("%s  %s  %s: %s", r.ID, word(r.Status), s.Title, p.told(r.Asks))
			p.say("    GET %s", r.URL)
			if r.Warning != "" && r.Status == online.Waiting {
				p.say("    WARNING: %s", p.told(r.Warning))
			}
			if r.By != "" {
				p.say("    decided by %s, %s; attempts: %d", r.By, r.DecidedAt.Local().Format(time.DateTime), r.Attempts)
			}
			switch r.Status {
			case online.Done:
				p.say("    %d of %d records, %d new documents", r.Records, r.Total, r.Created)
			case online.Failed:
				p.say("    %s", p.failed(r.Error))
			}
		}
		return nil
	}
	var sources string
	var limit int
	fetch := &cobra.Command{Use: "fetch TEXT", Short: "Show what an online search would send; nothing is sent yet", Long: onlineLong, Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				list, err := a.PlanOnline(strings.Join(args, " "), strings.FieldsFunc(sources, func(r rune) bool { return r == ',' || r == ' ' }), limit)
				if err != nil {
					return err
				}
				if err := show(list); err != nil {
					return err
				}
				p.say("Nothing was sent. Approve with holdpoint library send ID…")
				return nil
			})
		}}
	fetch.Flags().StringVar(&sources, "sources", "", "only these, with commas: pubmed, clinicaltrials, europepmc")
	fetch.Flags().IntVar(&limit, "limit", online.UsualHits, "records from each source, up to 100")
	requests := &cobra.Command{Use: "requests", Short: "List requests to online sources: what waits and what was sent", Long: onlineLong, Args: exact(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			return p.with(func(a *app.App) error {
				v, err := a.Online()
				if err != nil {
					return err
				}
				return show(v.Requests)
			})
		}}
	var who string
	send := &cobra.Command{Use: "send ID…", Short: "Approve requests that were shown, send them and import what comes", Long: onlineLong, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				list, err := a.SendOnline(cmd.Context(), args, who, func(_, _ int64, detail string) {
					if !*asJSON {
						p.say("  %s", p.told(detail))
					}
				})
				if err != nil {
					return err
				}
				return p.sent(a, list, show)
			})
		}}
	send.Flags().StringVar(&who, "reviewer", "", "name of the person who approves (default: the setting, else the login name)")
	refuse := &cobra.Command{Use: "refuse ID…", Short: "Refuse requests; they are never sent", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				if err := a.RefuseOnline(args, who); err != nil {
					return err
				}
				p.say("Refused.")
				return nil
			})
		}}
	refuse.Flags().StringVar(&who, "reviewer", "", "name of the person who refuses")
	var all bool
	forget := &cobra.Command{Use: "forget ID…", Short: "Delete requests that ended or were refused, with what was looked for", Long: onlineLong,
		RunE: func(_ *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return misuse("Name requests, or give --all.")
			}
			return p.with(func(a *app.App) error {
				n, err := a.ForgetOnline(args)
				if err != nil {
					return err
				}
				p.say("Deleted: %d.", n)
				return nil
			})
		}}
	forget.Flags().BoolVar(&all, "all", false, "all that ended or were refused")
	return []*cobra.Command{fetch, requests, send, refuse, forget}
}

// sent shows outcomes and what may be asked next. The exit code is 1 when a source gave nothing.
func (p *program) sent(a *app.App, list []online.Request, show func([]online.Request) error) error {
	failed := false
	ids := map[string]bool{}
	for _, r := range list {
		failed = failed || r.Status == online.Failed
		ids[r.ID] = true
	}
	v, err := a.Online()
	if err != nil {
		return err
	}
	for _, r := range v.Requests {
		if r.Status == online.Waiting && ids[r.After] {
			list = append(list, r)
		}
	}
	if err := show(list); err != nil {
		return err
	}
	if failed {
		return exit(ExitFailed)
	}
	return nil
}
