package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/engine/visible"
)

func (p *program) run() *cobra.Command {
	var s app.TurnRequest
	var vars []string
	var asJSON bool
	var script practice
	c := &cobra.Command{Use: "run [flags] MESSAGE", Short: "Run one turn", Args: exact(1, "one message; put it in quotes"),
		Long: `Run one turn and wait for its end. --json prints the journal as NDJSON; its last line has the turn's report besides.
Without it the reply goes to standard output and every step, with what decided on it, to standard error.
--agent names an agent of "holdpoint agents list", the file of one, or example:NAME of "holdpoint agents examples".
Exit status: 0 completed, 3 waits for a person (an approval or an answer), 1 failed, stopped or came to a limit, 2 wrong use.`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			s.Text = args[0]
			if s.Vars, err = assignments(vars); err != nil {
				return err
			}
			if name, ok := strings.CutPrefix(s.Agent, examplePrefix); ok {
				x, err := app.ExampleOf(name)
				if err != nil {
					return err
				}
				s.Definition, s.Agent = x.Text, ""
			}
			if file := s.Agent; isFile(file) {
				// What is wrong with the file comes out before anything is opened or begun.
				if s.Definition, err = app.ReadDefinitionFile(file); err != nil {
					return err
				}
				r, err := p.registry()
				if err != nil {
					return err
				}
				if _, err := r.ManifestOfFile(s.Definition); err != nil {
					return p.definition(file, err)
				}
				s.Agent = ""
			}
			s.Practice, s.Manner = script.on, script.manner
			a, err := p.open(script)
			if err != nil {
				return err
			}
			if s.Session == "" {
				s.Session = a.NewSessionID()
			}
			return p.drive(cmd.Context(), a, s.Session, asJSON, func(ctx context.Context) (run.Outcome, error) { return a.RunTurn(ctx, s) })
		}}
	f := c.Flags()
	f.StringVar(&s.Agent, "agent", "", "which agent answers; a name, a YAML file or example:NAME; when left out that of the session, in a new one the first of agents list")
	f.StringVar(&s.Session, "session", "", "session to go on with; a new one when empty or unknown")
	f.StringVar(&s.Subject, "subject", "", "record that the turn is about, as TYPE/ID; that of the session when left out")
	f.StringArrayVar(&vars, "var", nil, "input of the turn as name=value, e.g. pattern=react; patient=ID is --subject Patient/ID")
	script.flag(f, "use the scripted practice model")
	f.BoolVar(&asJSON, "json", false, "print the journal as NDJSON")
	return p.asCaller(c)
}

// examplePrefix begins the names of agents that are examples.
const examplePrefix = "example:"

// assignments reads name=value pairs.
func assignments(list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, kv := range list {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return nil, misuse("--var takes name=value, not %q", kv)
		}
		out[k] = v
	}
	return out, nil
}

func (p *program) resume() *cobra.Command {
	var asJSON, abandon bool
	var more float64
	var by string
	var answers []string
	c := &cobra.Command{Use: "resume TURN", Short: "Continue a turn after a verdict, an answer, a limit or a crash", Args: exact(1, "one turn id"),
		Long: `Continue a turn: after a verdict or a crash as it is, after a limit with --more, after a question with --answer.
An answer is JSON: "text", true or false, or an object such as {"approved":false,"comment":"why"}. It is stored before the turn goes on.
--abandon gives the turn up for good instead; what it did so far stays in the journal.
A turn of practice mode goes on in practice mode, in the manner that it began with.
Exit status: as for run.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if abandon && (more != 0 || len(answers) > 0) {
				return misuse("--abandon goes with neither --more nor --answer")
			}
			given := make([][2]string, len(answers))
			for i, s := range answers {
				pause, answer, ok := strings.Cut(s, "=")
				if !ok || pause == "" || !json.Valid([]byte(answer)) {
					return misuse(`--answer takes PAUSE=JSON, e.g. --answer '%s="yes"', not %q`, cmp.Or(pause, "PAUSE"), s)
				}
				given[i] = [2]string{pause, answer}
			}
			a, err := p.open(practice{})
			if err != nil {
				return err
			}
			turn := strings.TrimPrefix(args[0], "turn:")
			row, err := a.Store.Run(app.RunID(turn))
			if err != nil {
				return closing(a, err)
			}
			if abandon {
				if err := a.Abandon(turn); err != nil {
					return closing(a, err)
				}
				p.say("Given up. What the turn did so far is kept in the journal.")
				return closing(a, nil)
			}
			return p.drive(cmd.Context(), a, row.Session, asJSON, func(ctx context.Context) (run.Outcome, error) {
				for _, g := range given {
					if err := a.KeepAnswer(turn, g[0], json.RawMessage(g[1])); err != nil {
						return run.Outcome{}, err
					}
				}
				if cmd.Flags().Changed("more") {
					return a.MoreTurn(ctx, app.Grant{Turn: turn, N: more, By: by})
				}
				return a.ResumeTurn(ctx, turn)
			})
		}}
	f := c.Flags()
	f.BoolVar(&asJSON, "json", false, "print the journal from here on as NDJSON")
	f.Float64Var(&more, "more", 0, "give N more of the limit that the turn came to (seconds of time)")
	f.StringVar(&by, "by", "", "name of the person who gives more (default: the setting reviewer, else the login name)")
	f.StringArrayVar(&answers, "answer", nil, "answer a question of the turn, as PAUSE=JSON")
	f.BoolVar(&abandon, "abandon", false, "give the turn up for good")
	return p.asCaller(c)
}

func (p *program) replay() *cobra.Command {
	var asJSON bool
	from := -1
	c := &cobra.Command{Use: "replay TURN", Short: "Run a turn again from one of its checkpoints, in a new turn", Args: exact(1, "one turn id"),
		Long: `Ask what a turn was asked again, in a new turn of the same session that begins at one of the old turn's checkpoints:
what was done before it is kept, what comes after it is done again. The old turn stays as it is.
Without --from it lists the checkpoints with the stages that come next; the journal of a turn has their numbers, too.
A checkpoint before a stage that acts cannot be replayed: what it proposed or did belongs to the turn that asked for it.
Exit status: as for run.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := p.open(practice{})
			if err != nil {
				return err
			}
			turn := strings.TrimPrefix(args[0], "turn:")
			if !cmd.Flags().Changed("from") {
				list, err := a.Checkpoints(turn)
				for _, c := range list {
					if asJSON {
						if err := p.line(c); err != nil {
							return closing(a, err)
						}
						continue
					}
					next := make([]string, len(c.Next))
					for i, id := range c.Next {
						next[i] = string(id)
					}
					text := p.language().Say("%3d  next: %s", c.Step, strings.Join(next, ", "))
					if c.Refused != "" {
						text += "  (" + p.told(c.Refused) + ")"
					}
					p.say("%s", text)
				}
				return closing(a, err)
			}
			row, err := a.Store.Run(app.RunID(turn))
			if err != nil {
				return closing(a, err)
			}
			return p.drive(cmd.Context(), a, row.Session, asJSON, func(ctx context.Context) (run.Outcome, error) { return a.ReplayTurn(ctx, turn, from) })
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print NDJSON: the checkpoints, or the journal of the new turn")
	c.Flags().IntVar(&from, "from", -1, "the checkpoint to begin at")
	return p.asCaller(c)
}

func closing(a *app.App, err error) error {
	if closeErr := a.Close(); err == nil {
		return closeErr
	}
	return err
}

// drive runs a turn, prints what becomes durable as it does, and closes the app.
func (p *program) drive(ctx context.Context, a *app.App, session string, asJSON bool, turn func(context.Context) (run.Outcome, error)) (err error) {
	defer func() { err = closing(a, err) }()
	printer := &printer{p: p, a: a, session: session, json: asJSON}
	if printer.after, err = a.Store.LastSeq(session); err != nil {
		return err
	}
	live, stop := a.Listen(session)
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case e, open := <-live:
				if !open {
					live = nil // fell behind; what is missing is read from the journal at the end
					continue
				}
				printer.show(e)
			case <-ended:
				return
			}
		}
	})
	out, err := turn(ctx)
	close(ended)
	wg.Wait()
	stop()
	if printErr := printer.rest(); printErr != nil {
		return printErr
	}
	if printer.held != "" {
		printer.write("\n")
	}
	if asJSON {
		var sum *run.ExecutionReport
		if r, reportErr := a.Report(out); err == nil && reportErr == nil { // the turn itself is told; this only sums it up
			sum = &r
		}
		if printErr := printer.finish(sum); printErr != nil {
			return printErr
		}
	}
	if err != nil {
		return err
	}
	p.epilogue(a, out, asJSON)
	return code(out)
}

// printer shows each stored event once, in order.
type printer struct {
	p       *program
	a       *app.App
	session string
	json    bool
	after   uint64
	stream  string
	held    string         // of the line that streams, what is not printed yet
	said    string         // the last whole message
	last    *journal.Event // the end of the turn, held back until its report is there
	err     error
}

func (pr *printer) show(e journal.Event) {
	if e.Seq == 0 {
		if !pr.json && e.Kind == journal.Token {
			pr.stream = e.Message
			pr.write(e.Text)
		}
		return
	}
	if e.Seq != pr.after+1 {
		return // a gap: read from the journal at the end
	}
	pr.print(e)
}

func (pr *printer) print(e journal.Event) {
	pr.after = e.Seq
	if pr.json {
		if err := pr.finish(nil); err != nil && pr.err == nil {
			pr.err = err
		}
		if ends(e.Kind) {
			pr.last = &e
			return
		}
		if err := pr.p.line(e); err != nil && pr.err == nil {
			pr.err = err
		}
		return
	}
	switch e.Kind {
	case journal.StageStarted, journal.StageCompleted, journal.StageSkipped, journal.StageFailed:
		pr.p.say("  %-16s %s %s", word(strings.TrimPrefix(string(e.Kind), "stage_")), e.Stage, visible.Short(pr.why(e), lineRoom))
	case journal.Transition:
		pr.p.say("  %-16s %s → %s by %s%s", word("next"), e.From, e.To, pr.p.language().Named(e.Resolver), because(e.Condition, app.WayReason(pr.p.language(), e.Resolver, e.Reason)))
	case journal.GraphMutated, journal.MutationRefused, journal.HookFailed, journal.Warned, journal.GuardActed, journal.RuleFired, journal.StageRetried, journal.QuestionAnswered,
		journal.BoardSearched, journal.HypothesisChanged, journal.ConflictChanged:
		if label, text := app.EventWords(pr.p.language(), e); text != "" {
			pr.p.say("  %-16s %s", strings.ToLower(label), visible.Short(text, 2*lineRoom))
		}
	case journal.ToolSkipped, journal.ToolRefused, journal.ToolFailed:
		pr.p.say("  %-16s %s: %s", word(e.Kind), e.Tool, visible.Short(pr.why(e), lineRoom))
	case journal.SafetyChecked:
		if _, text := app.EventWords(pr.p.language(), e); text != "" {
			pr.p.say("  %-16s %s", word("safety"), visible.Short(text, 2*lineRoom))
		}
	case journal.Message:
		pr.said = e.Text
		if pr.stream == e.Message {
			pr.write("\n")
		} else {
			pr.p.tell("%s", paragraph(pr.whole(e)))
		}
	case journal.TurnCompleted:
		// A reply that no model wrote comes with the end of the turn only.
		if e.Text != "" && e.Text != pr.said && !strings.HasPrefix(pr.said, strings.TrimSuffix(e.Text, "…")) {
			pr.p.tell("%s", paragraph(e.Text))
		}
	}
}

// whole is the text of a message, also where the event has only the beginning of it.
func (pr *printer) whole(e journal.Event) string {
	if d, err := journal.Read[journal.MessageData](e); err == nil && d.FullText != nil {
		if body, err := pr.a.Blob(d.FullText.Name); err == nil {
			return string(body)
		}
	}
	return e.Text
}

// write prints a piece of a message that streams. What may be part of something longer
// waits for the end of its line: whether a letter imitates another is said by its words.
func (pr *printer) write(piece string) {
	pr.held += piece
	ready := strings.LastIndexByte(pr.held, '\n') + 1
	if rest := pr.held[ready:]; !strings.ContainsFunc(rest, func(r rune) bool { return r >= 0x7f }) || len(rest) > heldRoom {
		ready = len(pr.held)
	}
	fmt.Fprint(pr.p.out, visible.Text(pr.held[:ready]))
	pr.held = pr.held[ready:]
}

// heldRoom is how much of a line waits for its end, in bytes.
const heldRoom = 2000

// lineRoom is how much of a reason or an error stands on a line, in characters.
const lineRoom = 200

// because words a condition and a reason, as far as there are any.
func because(condition, reason string) string {
	reason = visible.Short(reason, lineRoom)
	switch {
	case condition != "" && reason != "":
		return " (" + condition + "): " + reason
	case condition != "":
		return " (" + condition + ")"
	case reason != "":
		return ": " + reason
	}
	return ""
}

func (pr *printer) rest() error {
	for {
		events, _, err := pr.a.Journal(pr.session, pr.after, 1000)
		if err != nil || len(events) == 0 {
			if pr.err != nil {
				return pr.err
			}
			return nil // a session without events has none to show
		}
		for _, e := range events {
			pr.print(e)
		}
	}
}

// why is the reason and the error of an event, in the language.
func (pr *printer) why(e journal.Event) string {
	why := pr.p.told(e.Reason) + pr.p.told(said(e.Error))
	if e.Kind == journal.StageCompleted && e.Status == string(journal.Cached) {
		why = strings.TrimSpace(pr.p.language().Say("from the cache") + " " + why)
	}
	return why
}

// said is an error of a turn without the names of the program's parts.
func said(text string) string { return (&app.Fault{Message: text}).Said() }

// summary is a report in one line.
func summary(g tongue.Tongue, r run.ExecutionReport) string {
	sum := func(m map[graph.StageID]int) (n int) {
		for _, k := range m {
			n += k
		}
		return n
	}
	parts := []string{counted(g, sum(r.Ran), tongue.Word("1 stage ran"), tongue.Word("%d stages ran"))}
	for _, c := range []struct {
		n    int
		what string
	}{{sum(r.Skipped), tongue.Word("%d skipped")}, {sum(r.Cached), tongue.Word("%d from the cache")}, {sum(r.Failed), tongue.Word("%d failed")}, {sum(r.Retries), tongue.Word("%d tried again")}} {
		if c.n > 0 {
			parts = append(parts, g.Say(c.what, c.n))
		}
	}
	parts = append(parts, counted(g, r.ModelCalls, tongue.Word("1 model call"), tongue.Word("%d model calls")), counted(g, r.ToolCalls, tongue.Word("1 tool call"), tongue.Word("%d tool calls")))
	return g.Say("%s in %s.", strings.Join(parts, ", "), r.Used.Time.Round(10*time.Millisecond))
}

// counted says one or several of something.
func counted(g tongue.Tongue, n int, one, several string) string {
	if n == 1 {
		return g.Say(one)
	}
	return g.Say(several, n)
}

// exampleOf is an answer, as JSON, of the kind that a question asks for; words stand for texts.
func exampleOf(schema json.RawMessage, words string) string {
	var s struct {
		Type    string   `json:"type"`
		Minimum *float64 `json:"minimum"`
		Maximum *float64 `json:"maximum"`
	}
	if len(schema) > 0 && json.Unmarshal(schema, &s) != nil {
		return quotedAnswer(words)
	}
	switch s.Type {
	case "integer", "number":
		n := 1.0
		switch {
		case s.Minimum != nil:
			n = *s.Minimum
		case s.Maximum != nil:
			n = min(n, *s.Maximum)
		}
		if s.Type == "integer" {
			n = math.Ceil(n)
		}
		return strconv.FormatFloat(n, 'f', -1, 64)
	case "array":
		return "[" + quotedAnswer(words) + "]"
	case "object":
		return `{"name": ` + quotedAnswer(words) + "}"
	}
	return quotedAnswer(words)
}

// quotedAnswer is a text as JSON.
func quotedAnswer(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return `"…"` // a string; this cannot be reached
	}
	return string(quoted)
}

func (p *program) epilogue(a *app.App, out run.Outcome, asJSON bool) {
	if asJSON {
		return
	}
	report, reportErr := a.Report(out)
	switch out.Run.Status {
	case run.Paused:
		so := ""
		if reportErr == nil { // what cannot be read is not guessed
			so = " " + changesSoFar(p.language(), report)
		}
		p.say("\nThe turn waits for a person.%s", so)
		verdict := false
		for _, pause := range out.Pauses {
			q, isQuestion := app.QuestionOf(pause)
			if !isQuestion {
				p.say("  holdpoint approvals show %s", pause.ID)
				verdict = true
				continue
			}
			p.say("\n%s", paragraph(q.Prompt))
			example := exampleOf(q.Schema, p.language().Say("your answer"))
			if len(q.Choices) > 0 {
				p.say("  choices: %s", strings.Join(q.Choices, ", "))
				example = quotedAnswer(q.Choices[0])
			} else if q.Expects != "" {
				p.say("  expected: %s", q.Expects)
			}
			p.say("  holdpoint resume %s%s --answer '%s=%s'", out.Run.Turn, p.named, pause.ID, strings.ReplaceAll(example, "'", `'\''`))
		}
		if verdict {
			p.say("  holdpoint resume %s%s    after the verdict", out.Run.Turn, p.named)
		}
	case run.Failed:
		p.say("\nThe turn failed at %s: %s", out.Run.ErrorStage, p.told(said(out.Run.Error)))
		p.say("What was finished is kept. holdpoint resume %s%s", out.Run.Turn, p.named)
	case run.Cancelled:
		p.say("\nStopped. What was finished is kept in the transcript.")
	case run.Limited:
		l := app.LimitOf(out.Run)
		p.say("\nThe turn came to %s%s. What was finished is kept.", word(l.Words), which(l))
		p.say("  holdpoint resume %s%s --more %s    goes on with that much more", out.Run.Turn, p.named, l.More)
	}
	if reportErr == nil { // the turn itself is told; this only sums it up
		p.say("\n%s  holdpoint report %s    says more", summary(p.language(), report), out.Run.Turn)
	}
	if out.Run.Practice {
		p.say("Practice mode: the answers came from a script, not from a model.")
	}
}

// which says in brackets whose limit it is, where it is set, and its number.
func which(l app.Limit) string {
	set := strings.Join(slices.DeleteFunc([]string{l.Field, l.Max}, func(s string) bool { return s == "" }), ": ")
	all := slices.DeleteFunc([]string{visible.Line(l.Stage), set}, func(s string) bool { return s == "" })
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

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
				p.say("%s  %s  %s  %s\n    %s", v.ID, p.verdict(v), v.Tool, waiting(p.language(), a, v), p.told(v.Title))
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
				p.say("%s  no longer asked: %s\n    %s\n    holdpoint resume %s    goes on, and asks anew if it still wants it", s.Approval, why, p.told(s.Title), s.Turn)
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
	modify := &cobra.Command{Use: "modify ID --args FILE", Short: "Give it other arguments, as who decides or, with a passphrase, who prepares it; it still waits for a verdict", Args: exact(1, "one approval id"),
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

// waiting says until when an approval waits, and for whom.
func waiting(g tongue.Tongue, a *app.App, v app.ApprovalView) string {
	at := a.When
	parts := []string{g.Say("expires %s", at(v.ExpiresAt))}
	if v.ClockSetBack {
		parts[0] = g.Say("the clock was set back since it was asked")
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
		p.say("%s  %s  %s  %s\n    %s", v.Call, word(v.State), v.Tool, a.When(v.UpdatedAt), p.told(v.Check))
	}
	if len(list) == 0 && !asJSON {
		p.say("The outcome of every call is known.")
	}
	if more {
		p.more("--status unknown --after", list[len(list)-1].Call)
	}
	return nil
}

// more says, for people and beside --json, that a list goes on and how to read on.
func (p *program) more(flag, next string) { p.say("There are more: %s %s", flag, next) }

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
	if v.Status != "pending" {
		p.say("Continue with: holdpoint resume %s", v.Turn)
		if r, err := a.TurnReport(v.Turn); err == nil && r.Caller != "" {
			p.say("The turn began for %s: name the caller (--token-env, --secret-env), or tools that ask who calls will refuse.", visible.Short(r.Caller, lineRoom))
		}
	}
	return nil
}
