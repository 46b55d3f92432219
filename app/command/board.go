package command

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/board"
)

func (p *program) board() *cobra.Command {
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "List the studies that have a board, the newest first", Args: exact(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			return p.with(func(a *app.App) error {
				all, err := a.Boards()
				if err != nil {
					return err
				}
				return p.table(func(w *tabwriter.Writer) {
					for _, b := range all {
						if asJSON {
							err = p.line(b)
						} else {
							fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", b.Turn, p.language().Say(string(b.Status)), a.When(b.StartedAt), b.Query)
						}
					}
				})
			})
		}}
	show := &cobra.Command{Use: "show [TURN]", Short: "Show the board of a study; of the newest one without TURN", Args: cobra.MaximumNArgs(1),
		Long: `Show hypotheses with their confidence, what speaks for and against them, and conflicts.

With --json one line: {turn, session, query, status, hypotheses: [{id, statement, status, confidence,
supporting_evidence_ids, contradicting_evidence_ids, decision, dissent}], conflicts: [{id, description, source_a_id,
source_b_id, status, resolution, outcome, hypothesis}], judgements, searches, evidence: [{id, document, title, page, text,
link, …}], decisions, timeline: [{at, hypothesis, status, confidence, by, who, why}], next_step, iteration_count,
max_iterations, forced, report}.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				v, err := a.Board(strings.Join(args, ""))
				if err != nil {
					return err
				}
				return p.showBoard(v, asJSON)
			})
		}}
	var c app.BoardChange
	var outcome string
	change := func(op board.Op, use, short string, args cobra.PositionalArgs, take func([]string)) *cobra.Command {
		cmd := &cobra.Command{Use: use, Short: short, Args: args, RunE: func(_ *cobra.Command, args []string) error {
			c.Op, c.Turn, c.Outcome = op, args[0], board.Outcome(outcome)
			take(args)
			return p.with(func(a *app.App) error {
				if c.Reviewer == "" {
					c.Reviewer = a.DefaultReviewer()
				}
				v, err := a.ChangeBoard(c)
				if err != nil {
					return err
				}
				return p.showBoard(v, asJSON)
			})
		}}
		cmd.Flags().StringVar(&c.Reason, "reason", "", "why; it stands on the board and in the report")
		cmd.Flags().StringVar(&c.Reviewer, "reviewer", "", "name of the person who decides (default: the setting, else the login name)")
		return cmd
	}
	on := func(args []string) { c.On = args[1] }
	add := change(board.Add, "add TURN STATEMENT", "Put a hypothesis of your own on the board", exact(2, "a turn and a statement"), func(args []string) { c.Statement = args[1] })
	edit := change(board.Edit, "edit TURN ID STATEMENT", "Reword a hypothesis; it is judged again", exact(3, "a turn, a hypothesis and a statement"), func(args []string) { c.On, c.Statement = args[1], args[2] })
	confirm := change(board.Confirm, "confirm TURN ID", "Confirm a hypothesis, whatever the evidence says", exact(2, "a turn and a hypothesis"), on)
	refute := change(board.Refute, "refute TURN ID", "Refute a hypothesis, whatever the evidence says", exact(2, "a turn and a hypothesis"), on)
	reopen := change(board.Reopen, "reopen TURN ID", "Take your verdict back: the evidence decides again", exact(2, "a turn and a hypothesis"), on)
	resolve := change(board.Resolve, "resolve TURN ID", "Resolve a conflict", exact(2, "a turn and a conflict"), on)
	resolve.Flags().StringVar(&outcome, "outcome", "", "which source stands: source_a, source_b or both")

	var format, file, language string
	report := &cobra.Command{Use: "report [TURN]", Short: "Write the report of a study as its board is now", Args: cobra.MaximumNArgs(1),
		Long: `Write the report: summary, what is confirmed, refuted and unresolved, each with its citations, and how it was done.
What you decided after the study ended is in it. bib and ris list what was cited, for reference managers.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				e, err := a.BoardReport(strings.Join(args, ""), format, language)
				if err != nil {
					return err
				}
				return p.writeTo(file, e.Write, func() { p.say("Wrote %s.", file) })
			})
		}}
	report.Flags().StringVar(&format, "format", "md", "md, html, bib or ris")
	report.Flags().StringVar(&language, "language", "", "en or fr, of what the report says itself (default: that of the settings)")
	report.Flags().StringVarP(&file, "output", "o", "", "file to write (default: stdout)")
	g := group("board", "Show and decide on hypotheses, conflicts and evidence of a study", list, show, add, edit, confirm, refute, reopen, resolve, report)
	g.Long = `Show and decide on hypotheses, conflicts and evidence of a study. A study is a turn of an agent that keeps a board:

    holdpoint library import FOLDER
    holdpoint run --agent {board} [--var max_iterations=20] "Does exercise help people sleep?"
    holdpoint run --agent {board} --session SESSION "And naps?"

A further question in the session of a finished study, or the same one after more was imported, goes on with its board: hypotheses,
evidence, and what you decided. --var continues=none begins a board of its own, --var continues=TURN goes on with an earlier study.

Confidence is worked out from what single passages were judged to say: (sources for + 1) / (sources for + sources against + 2),
where a document is one source. What you decide counts as yours, with your name and reason: no model changes it.`
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	return g
}

func (p *program) showBoard(v app.BoardView, asJSON bool) error {
	if asJSON {
		return p.line(v)
	}
	p.say("%s  %s  step %d of %d", v.Turn, word(v.Status), v.Steps(), v.Max)
	p.say("%s", v.Query)
	if v.Forced != "" {
		p.say("forced: %s", p.told(v.Forced))
	}
	for _, h := range v.Hypotheses {
		p.say("%-4s %s  %s  %.2f  %s", h.ID, bar(h.Confidence), word(h.Status), h.Confidence, h.Statement)
		p.say("     for %d: %s   against %d: %s", len(h.Supporting), strings.Join(h.Supporting, " "), len(h.Contradicting), strings.Join(h.Contradicting, " "))
		if d := h.Decision; d != nil {
			p.say("     %s by %s: %s", word(d.Op), d.Who, d.Reason)
		}
		about := board.On(v.Decisions, h.ID)
		for _, d := range about[:max(len(about)-1, 0)] {
			p.say("     earlier, on %s, %s by %s: %s", d.At.Format(time.DateOnly), word(d.Op.Deed()), d.Who, d.Reason)
			if d.Statement != "" && d.Statement != h.Statement {
				p.say("       the words were: %s", d.Statement)
			}
		}
		if counts := board.Counts(about, p.language().Say); counts != "" {
			p.say("     %s", counts)
		}
		if h.Dissent {
			p.say("     the evidence says otherwise")
		}
	}
	for _, c := range v.Conflicts {
		p.say("%s  %s  %s", c.ID, word(c.Status), p.told(c.Description))
		if c.Resolution != "" {
			p.say("     %s: %s", c.Outcome, c.Resolution)
		}
	}
	p.say("%d pieces of evidence; holdpoint board show --json has their texts.", len(v.Evidence))
	return nil
}

// bar draws a confidence.
func bar(confidence float64) string {
	n := int(confidence*10 + 0.5)
	return strings.Repeat("#", n) + strings.Repeat(".", 10-n)
}
