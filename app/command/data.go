package command

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/app/web"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/store"
)

func (p *program) serve() *cobra.Command {
	var addr string
	var open bool
	c := &cobra.Command{Use: "serve", Short: "Serve the screens to a browser on this laptop", Args: exact(0, "no arguments"),
		Long: `Serve the screens to a browser on this laptop.

Turns run for whoever the token in --token-env names (JWT, HS256, checked with the secret in --secret-env): tools that ask
who calls see that caller's roles and scopes, and a server of tools with --identity gets the token. A request to the API may name
another caller by a token of its own in the header ` + web.CallerHeader + `; it is checked with the same secret. The window takes
the same flags: holdpoint --token-env NAME --secret-env NAME.

Programs start, read and follow turns here, too. The address that is printed works once, for a browser or for a program: it is
traded for a cookie and a key, and every request carries both.

  KEY=$(curl -s -c jar -o /dev/null -w '%{redirect_url}' "$ADDRESS" | sed 's/.*#key=//')
  curl -b jar -H "X-Holdpoint-Key: $KEY" -H 'Content-Type: application/json' http://127.0.0.1:PORT/api/runs \
    -d '{"agent":"AGENT","vars":{"NAME":"VALUE"},"subject":"TYPE/ID","text":"What shall be done","wait":true}'
  curl -N -b jar -H "X-Holdpoint-Key: $KEY" http://127.0.0.1:PORT/api/runs/EXECUTION_ID/stream

POST /api/runs takes agent, text, subject, session, vars, practice and wait: with wait it answers when the turn has ended or waits for a
person, else at once. It and GET /api/runs/EXECUTION_ID answer {execution_id, conversation_id, agent, agent_type, status, run_status,
limit, output, safety: {level, category}, error, tokens_used, cost_usd, iteration, budget, approvals, questions}; status is pending, running, completed,
awaiting_hitl or failed. safety is what the check of the message found: level is none, check_in or intervention. What it has to say stands in output, of a
check-in before the reply: show all of it to whoever wrote. GET …/stream sends node_end {event, node, data: {status, tokens_used, message?}} for each stage that was completed and then done
{event, data: {execution_id, status, tokens_used, cost_usd}}; what was sent before is left out behind ?after=ID or Last-Event-ID. Reading
never starts anything. After a verdict a turn goes on with POST /api/call/resume {"turn":"EXECUTION_ID"}.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := p.openPaced()
			if err != nil {
				return err
			}
			s, err := web.Listen(a, p.Screens, addr)
			if err != nil {
				return closing(a, err)
			}
			fmt.Fprintln(p.out, s.URL())
			p.say("Holdpoint serves this laptop only. The address works once; Ctrl+C stops.")
			if open {
				browse(s.URL())
			}
			return closing(a, s.Serve(cmd.Context()))
		}}
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "loopback address and port; port 0 takes a free one")
	p.actsFor(c)
	p.practice.flag(c.Flags(), "use the scripted practice model")
	c.Flags().BoolVar(&open, "open", false, "open the default browser")
	return c
}

// browse opens the default browser; a machine without one has the printed address.
func browse(url string) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	if err := exec.Command(name, args...).Start(); err != nil {
		return
	}
}

func (p *program) table(fn func(w *tabwriter.Writer)) error {
	w := tabwriter.NewWriter(p.err, 2, 8, 2, ' ', 0)
	fn(w)
	return w.Flush()
}

// interrupted names the turns of sessions that stand because Holdpoint was closed, and how they
// go on. What cannot be read is left out: it is said beside something else.
func (p *program) interrupted(a *app.App, of func(session string) bool) {
	list, err := a.Interrupted()
	if err != nil {
		return
	}
	for _, i := range list {
		if of(i.Session) {
			p.say("A turn of the session %s was under way when Holdpoint was closed, and stands. To go on with it, or to give it up:\n  holdpoint resume %s\n  holdpoint resume %s --abandon", i.Session, i.Turn, i.Turn)
		}
	}
}

// ownID is as long as ids that Holdpoint makes. One that somebody made longer widens no other row.
const ownID = 26

// damaged names the sessions that cannot be read, and what to do with them.
func (p *program) damaged(list []app.SessionView) {
	for _, v := range list {
		if v.Damaged {
			p.say("What is kept of the session %s is damaged and cannot be read. To delete it with what belongs to it:\n  holdpoint sessions delete %s", v.ID, v.ID)
		}
	}
}

// statusOf is what a session is at, in words.
func statusOf(v app.SessionView) string {
	switch v.Waits {
	case app.WaitsApproval:
		return tongue.Word("waits for approval")
	case app.WaitsAnswer:
		return tongue.Word("waits for an answer")
	case app.WaitsResume:
		return tongue.Word("decided, waits to be resumed")
	}
	return v.Status
}

func (p *program) sessions() *cobra.Command {
	var asJSON bool
	var q store.SessionQuery
	list := &cobra.Command{Use: "list", Short: "List sessions, newest first", Args: exact(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			return p.with(func(a *app.App) error {
				views, next, err := a.Sessions(q)
				if err != nil {
					return err
				}
				if next != "" {
					defer p.more("--before", next)
				}
				if !asJSON {
					defer p.damaged(views)
					defer p.interrupted(a, func(session string) bool {
						return slices.ContainsFunc(views, func(v app.SessionView) bool { return v.ID == session })
					})
					var rows strings.Builder
					w := tabwriter.NewWriter(&rows, 2, 8, 2, ' ', 0)
					width := 0
					for _, v := range views {
						width = max(width, min(utf8.RuneCountInString(v.ID), ownID))
						fmt.Fprintf(w, p.language().Say("turns: %d\t%s\t%s\t%s")+"\n", p.shown([]any{v.Turns, word(statusOf(v)), a.When(v.UpdatedAt), v.Title})...)
					}
					if err := w.Flush(); err != nil {
						return err
					}
					i := 0
					for row := range strings.Lines(rows.String()) {
						fmt.Fprintf(p.err, "%-*s  %s", width, p.shown([]any{views[i].ID})[0], row)
						i++
					}
					return nil
				}
				for _, v := range views {
					if err := p.line(v); err != nil {
						return err
					}
				}
				return nil
			})
		}}
	list.Flags().IntVar(&q.Limit, "limit", 50, "at most this many, up to 500")
	list.Flags().StringVar(&q.Before, "before", "", "go on after the page before this one, with the word that it gave")
	list.Flags().StringVar(&q.Search, "search", "", "only sessions with this in their title, or in the name of what they are about")
	show := &cobra.Command{Use: "show ID", Short: "Show a session's turns; with --json its journal", Args: exact(1, "one session id"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				if asJSON {
					after := uint64(0)
					for {
						events, _, err := a.Journal(args[0], after, 1000)
						if err != nil || len(events) == 0 {
							return err
						}
						for _, e := range events {
							if err := p.line(e); err != nil {
								return err
							}
							after = e.Seq
						}
					}
				}
				turns, err := a.Turns(args[0])
				if err != nil {
					return err
				}
				for _, t := range turns {
					if t.Status == run.Running && !t.Live {
						t.Status = app.StatusInterrupted
					}
					p.say("%s  %s  %s\n> %s\n%s\n", t.Turn, word(t.Status), a.When(t.StartedAt), paragraph(strings.ReplaceAll(t.Input, "\n", "\n> ")), paragraph(t.Output))
				}
				return nil
			})
		}}
	del := &cobra.Command{Use: "delete ID", Short: "Delete a session with its journal, approvals and memory", Args: exact(1, "one session id"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				if err := a.DeleteSession(args[0]); err != nil {
					return err
				}
				p.say("Deleted. Records that its approved calls made stay, and who approved them and when.")
				return nil
			})
		}}
	var remove bool
	consent := &cobra.Command{Use: "consent ID [full|withdraw]", Short: "Show, give or take back a person's consent to be remembered", Args: cobra.RangeArgs(1, 2),
		Long: `Show what the person of a session agreed to, and how many summaries are kept; give consent (full), or take it back
(withdraw): then nothing is remembered from that moment on, in any session of the same person, and --delete also deletes
what is kept. Only agents that ask for consent have it, such as {consent}; holdpoint settings set memory is for the others.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) (err error) {
				var c app.Consent
				switch {
				case len(args) == 1 && remove:
					return misuse("--delete goes with withdraw")
				case len(args) == 1:
					c, err = a.Consent(args[0])
				case args[1] == "withdraw":
					c, err = a.SetConsent(args[0], session.PendingConsent, remove)
				case args[1] == session.FullConsent:
					c, err = a.SetConsent(args[0], session.FullConsent, remove)
				default:
					return misuse("consent is full or withdraw, not %q", args[1])
				}
				if err != nil {
					return err
				}
				if asJSON {
					return p.line(c)
				}
				p.say("%s: %s, summaries kept: %d.", p.told(cmp.Or(c.WhomName, c.Whom)), word(c.Scope), c.Kept)
				if c.Scope != session.FullConsent && c.Kept > 0 {
					p.say("They are told to no model. Delete them with: holdpoint sessions consent %s withdraw --delete", args[0])
				}
				return nil
			})
		}}
	consent.Flags().BoolVar(&remove, "delete", false, "with withdraw: also delete the summaries that are kept")
	g := group("sessions", "List, show and delete sessions; consent", list, show, del, consent)
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

func (p *program) records() *cobra.Command {
	var asJSON bool
	imp := &cobra.Command{Use: "import PATH|sample", Short: "Import FHIR R4, tables and maps, or the built-in sample clinic", Args: exact(1, "a file, a folder, or the word sample"),
		Long: `Import a file or a folder: FHIR R4 as NDJSON or Bundles (.ndjson, .json){formats}; or the built-in sample clinic (sample).

What a table's columns mean is told by their names; "holdpoint records mapping FILE" shows it and takes another meaning, which is
kept for all files with the same columns and told whenever it is used. Reading the same files again changes nothing. A line that cannot be kept is told with
its number and does not stop the others; exit status 1 says that there was one, or that nothing could be read at all.`}
	imp.RunE = func(cmd *cobra.Command, args []string) error {
		return p.with(func(a *app.App) error {
			progress := func(done, total int64, detail string) {
				if !asJSON && done%5000 == 0 && done > 0 {
					p.say("  %d lines  %s", done, detail)
				}
			}
			rep, err := a.ImportNow(cmd.Context(), args[0], progress)
			if err != nil {
				return err
			}
			for _, t := range rep.Types {
				if asJSON {
					if err := p.line(t); err != nil {
						return err
					}
					continue
				}
				p.say("%-22s read %6d  created %6d  updated %6d  unchanged %6d  failed %6d", t.Type, t.Read, t.Created, t.Updated, t.Unchanged, t.Failed)
			}
			for _, e := range rep.Errors {
				p.say("  %s line %d: %s", e.File, e.Line, p.failed(e.Error))
			}
			for _, e := range rep.Remarks {
				if e.Line == 0 {
					p.say("  %s, remark: %s", e.File, p.failed(e.Error))
					continue
				}
				p.say("  %s line %d, remark: %s", e.File, e.Line, p.failed(e.Error))
			}
			if more := rep.RemarkedLines - len(rep.Remarks); more > 0 {
				p.say("  and %d more lines with remarks", more)
			}
			for _, s := range rep.Skipped {
				p.say("  skipped %s: %s", s.File, p.failed(s.Reason))
			}
			if asJSON {
				err = p.line(map[string]any{"total": rep.Total})
			} else {
				p.say("%d read, %d created, %d updated, %d unchanged, %d failed; 0 lost", rep.Total.Read, rep.Total.Created, rep.Total.Updated, rep.Total.Unchanged, rep.Total.Failed)
			}
			if err == nil && (rep.Total.Failed > 0 || rep.Total.Read == 0 && len(rep.Skipped) > 0) {
				return exit(ExitFailed)
			}
			return err
		})
	}
	list := &cobra.Command{Use: "list TYPE", Short: "List the resources of a type", Args: exact(1, "the type of a record"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				return a.EachRecord(args[0], func(v app.RecordRow) error {
					if asJSON {
						return p.resource(v.Resource)
					}
					p.say("%s  %s  %s", v.ID, v.Title, p.language().Details(v.Subtitle))
					return nil
				})
			})
		}}
	show := &cobra.Command{Use: "show TYPE/ID", Short: "Show one resource", Args: exact(1, "TYPE/ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			typ, id, ok := strings.Cut(args[0], "/")
			if !ok {
				return misuse("write the record as TYPE/ID")
			}
			return p.with(func(a *app.App) error {
				v, err := a.Record(typ, id)
				if err != nil {
					return err
				}
				if err := p.resource(v.Resource); err != nil || asJSON {
					return err
				}
				verdicts, err := a.ApprovedFor(typ, id)
				for _, v := range verdicts {
					p.say("%s: %s (%s, %s)", p.told(cmp.Or(v.ToolTitle, v.Tool)), v.Approved(p.language(), a.When), v.Approval, v.Digest)
					if v.Practice {
						p.say("    PRACTICE: a script asked, not a model.")
					}
					if v.Session == "" {
						p.say("    Its session was deleted.")
					}
				}
				return err
			})
		}}
	rm := &cobra.Command{Use: "rm TYPE/ID…", Short: "Remove records that no other refers to", Args: cobra.MinimumNArgs(1),
		Long: `Remove records that were imported by mistake; importing them again brings them back. What a session is about, what another record
refers to and what an approval was about is not removed. Records that refer to each other are removed together: name all of them. With several, all go or none.`,
		RunE: func(_ *cobra.Command, args []string) error {
			var refs []record.Ref
			for _, arg := range args {
				typ, id, ok := strings.Cut(arg, "/")
				if !ok {
					return misuse("write the record as TYPE/ID")
				}
				if ref := (record.Ref{Type: typ, ID: id}); !slices.Contains(refs, ref) {
					refs = append(refs, ref)
				}
			}
			return p.with(func(a *app.App) error {
				if err := a.RemoveRecords(refs...); err != nil {
					return err
				}
				for _, ref := range refs {
					p.say("Removed %s.", ref.String())
				}
				return nil
			})
		}}
	g := group("records", "Import, list, show and remove records", imp, list, show, rm, p.mapping(&asJSON))
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

// writeTo writes to the file, and then says so; to standard output without one or for "-".
func (p *program) writeTo(file string, write func(io.Writer) error, wrote func()) error {
	if file == "" || file == "-" {
		return write(p.out)
	}
	if err := app.WriteFile(file, write); err != nil {
		return err
	}
	wrote()
	return nil
}

func (p *program) export() *cobra.Command {
	var q app.ExportQuery
	var file string
	c := &cobra.Command{Use: "export SESSION|TYPE/ID", Short: "Export a session as a transcript, or a signed form with the sources of its boxes", Args: exact(1, "one session id, or a form as TYPE/ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			q.Session = args[0]
			return p.with(func(a *app.App) error {
				e, err := a.Export(q)
				if err != nil {
					return err
				}
				return p.writeTo(file, e.Write, func() {
					size := int64(0)
					if info, err := os.Stat(file); err == nil {
						size = info.Size()
					}
					p.say("Wrote %s (%d bytes).", file, size)
				})
			})
		}}
	c.Flags().StringVar(&q.Format, "format", "md", "md, html or json; csv for the boxes of a form")
	c.Flags().BoolVar(&q.Trace, "trace", false, "include stages, tools and timings")
	c.Flags().StringVar(&q.Language, "language", "", "en or fr, of what an export says itself in md and html (default: that of the settings)")
	c.Flags().StringVarP(&file, "output", "o", "", "file to write (default: stdout)")
	return c
}

func (p *program) doctor() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "doctor", Short: "Check what Holdpoint needs on this laptop", Args: exact(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.with(func(a *app.App) error {
				bad := 0
				for _, c := range a.Doctor(cmd.Context()) {
					if !c.OK {
						bad++
					}
					if asJSON {
						if err := p.line(c); err != nil {
							return err
						}
						continue
					}
					mark := tongue.Word("ok  ")
					if !c.OK {
						mark = tongue.Word("look")
					}
					p.say("%s  %-22s %s", word(mark), p.told(c.Title), p.failed(c.Detail))
					if !c.OK && c.Fix != "" {
						p.say("      do: %s", p.told(c.Fix))
					}
				}
				return nil
			})
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return c
}

func (p *program) check() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "check", Short: "Check the store's consistency without changing it", Args: exact(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			dir, err := p.dir()
			if err != nil {
				return err
			}
			rep, err := store.Check(app.StorePath(dir))
			if err != nil {
				return err
			}
			if asJSON {
				err = p.line(rep)
			} else {
				p.say("%d sessions, %d runs, %d events, %d records, %d approvals, %d ledger entries", rep.Sessions, rep.Runs, rep.Events, rep.Records, rep.Approvals, rep.Entries)
				sort.Strings(rep.Problems)
				for _, s := range rep.Problems {
					p.say("  problem: %s", p.failed(s))
				}
				if len(rep.Problems) == 0 {
					p.say("No problem found.")
				}
			}
			if err == nil && len(rep.Problems) > 0 {
				return exit(ExitFailed)
			}
			return err
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (p *program) compact() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "compact", Short: "Give the store's free space back and wipe what was deleted", Args: exact(0, "no arguments"),
		Long: `Rewrite the store's file without its free space and without the bytes of what was deleted.
No other Holdpoint may have it open. The new file is checked before it takes the place of the old one.
Of a store with damage, indexes are made anew and what belongs to no row goes; rows that cannot be read stay as they are.`,
		RunE: func(*cobra.Command, []string) error {
			dir, err := p.dir()
			if err != nil {
				return err
			}
			path := app.StorePath(dir)
			before, err := os.Stat(path)
			if err != nil {
				return err
			}
			m, err := store.Compact(path)
			if err != nil {
				return err
			}
			after, err := os.Stat(path)
			if err != nil {
				return err
			}
			if asJSON {
				return p.line(struct {
					Before int64 `json:"before"`
					After  int64 `json:"after"`
					store.Mended
				}{before.Size(), after.Size(), m})
			}
			p.say("The store had %d bytes and has %d now.", before.Size(), after.Size())
			if m.Indexes > 0 {
				p.say("Rows of indexes made anew: %d. Nothing that they led to is lost.", m.Indexes)
			}
			if m.Pieces > 0 {
				p.say("Parts of values that are gone, removed: %d.", m.Pieces)
			}
			if len(m.Left) > 0 {
				p.say("What is damaged is kept as it is; holdpoint check names it and says what can be done.")
			}
			return nil
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: before and after, in bytes; indexes and pieces, mended; left, the problems that stay")
	return c
}

// progress tells how far a job is.
func (p *program) progress(j app.Job) {
	if j.Total > 0 {
		p.say("  %3d %%  %s", j.Done*100/j.Total, j.Detail)
	}
}

func (p *program) models() *cobra.Command {
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "List models", Args: exact(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.with(func(a *app.App) error {
				v, err := a.Models.View(cmd.Context())
				if err != nil {
					return err
				}
				for _, m := range v.Models {
					if asJSON {
						if err := p.line(m); err != nil {
							return err
						}
						continue
					}
					p.say("%-32s %8.1f MB  %s  %s", m.Name, float64(m.Size)/1e6, m.Quantization, strings.Trim(fmt.Sprint(m.Roles), "[]"))
				}
				if len(v.Models) == 0 && !asJSON {
					p.say("No model yet. holdpoint models pull NAME, or holdpoint models import FILE.gguf")
				}
				return nil
			})
		}}
	check := &cobra.Command{Use: "check [NAME]", Short: "Ask a model five questions and keep what it is good for", Args: cobra.MaximumNArgs(1),
		Long: `Ask a model (the main one when none is named) five questions: to fill in a schema, to call a tool, to follow an
instruction, to answer in another language, and to leave an ordinary message calm. What was found is kept for the
model's digest; holdpoint doctor and holdpoint models list show it.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				c, err := a.Models.Check(cmd.Context(), strings.Join(args, ""), func(done, of int) { p.say("question %d of %d", done+1, of) })
				if err != nil {
					return err
				}
				if asJSON {
					return p.line(c)
				}
				p.say("%s: %s", c.Model, p.told(c.Says))
				return nil
			})
		}}
	wait := func(start func(a *app.App) (app.Job, error), done func(app.Job) error) error {
		return p.with(func(a *app.App) error {
			j, err := start(a)
			if err != nil {
				return err
			}
			if err := a.WaitJob(j.ID, p.progress); err != nil {
				return err
			}
			for _, ended := range a.Jobs() {
				if ended.ID == j.ID {
					return done(ended)
				}
			}
			return nil
		})
	}
	pull := &cobra.Command{Use: "pull NAME", Short: "Pull a model over the network, whatever the setting network says", Args: exact(1, "one model name"),
		RunE: func(_ *cobra.Command, args []string) error {
			return wait(func(a *app.App) (app.Job, error) { return a.Models.Pull(args[0]) }, func(app.Job) error { return nil })
		}}
	var name string
	imp := &cobra.Command{Use: "import FILE", Short: "Import a GGUF file, or a folder with safetensors", Args: exact(1, "one file or folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := app.Named(args[0], true); err != nil { // before the store is opened
				return err
			}
			return wait(func(a *app.App) (app.Job, error) { return a.Models.Import(args[0], name) }, func(j app.Job) error {
				made, ok := j.Result.(model.Imported)
				if !ok {
					return nil
				}
				if asJSON {
					return p.line(made)
				}
				for _, file := range slices.Sorted(maps.Keys(made.Digests)) {
					p.say("%s: %s, %s", made.Name, file, made.Digests[file])
				}
				return nil
			})
		}}
	imp.Flags().StringVar(&name, "name", "", "name of the model (default: the file's)")
	rm := &cobra.Command{Use: "rm NAME", Short: "Remove a model", Args: exact(1, "one model name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error { return a.Models.Delete(cmd.Context(), args[0]) })
		}}
	role := &cobra.Command{Use: "role ROLE NAME", Short: "Use a model as main, light or embed (\"\" for none)", Args: exact(2, "a role (main, light, embed) and a model"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				if err := a.Models.SetRole(cmd.Context(), args[0], args[1]); err != nil {
					return err
				}
				for _, j := range a.Jobs() { // kept vectors, when they are another model's
					if err := a.WaitJob(j.ID, p.progress); err != nil {
						return err
					}
				}
				return nil
			})
		}}
	g := group("models", "List, pull, import, check and remove models", list, pull, imp, rm, role, check)
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}
