package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	"holdpoint/engine/run"
	"holdpoint/engine/visible"
	"holdpoint/store"
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
			p.ndjson = asJSON
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
			a, err := p.openFor(script, s.Text, vars)
			if err != nil {
				return err
			}
			if s.Session == "" {
				s.Session = a.NewSessionID()
			} else if !asJSON {
				p.interrupted(a, func(session string) bool { return session == s.Session })
			}
			return p.drive(cmd.Context(), a, s.Session, asJSON, func(ctx context.Context) (run.Outcome, error) { return a.RunTurn(ctx, s) })
		}}
	f := c.Flags()
	f.StringVar(&s.Agent, "agent", "", "which agent answers; a name, a YAML file or example:NAME; when left out that of the session, in a new one the first of agents list")
	f.StringVar(&s.Session, "session", "", "session to go on with; a new one when empty or unknown")
	f.StringVar(&s.Subject, "subject", "", "record that the turn is about, as TYPE/ID; that of the session when left out")
	f.StringArrayVar(&vars, "var", nil, "input of the turn as name=value, e.g. pattern=NAME; patient=ID is --subject Patient/ID")
	script.flag(f, "use the scripted practice model")
	f.BoolVar(&asJSON, "json", false, "print the journal as NDJSON")
	p.asCaller(c)
	// Who forgets the quotes or mistypes a flag has written all the same.
	takes := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		p.ndjson = asJSON
		p.unread = unread{strings.Join(args, " "), vars}
		return takes(c, args)
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		p.ndjson = slices.Contains(p.args, "--json")
		p.unread = unread{written(p.args), vars}
		return flagError(c, err)
	})
	return c
}

// unread is what a person wrote and nobody has read for danger yet, with the variables of its run.
type unread struct {
	message string
	vars    []string
}

// written are the arguments that are words of a person, and no flags.
func written(args []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") && !strings.Contains(arg, " ") }), " ")
}

// sentences are the arguments of several words: no name or file is expected to be one, whatever the command.
func sentences(args []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return len(strings.Fields(arg)) < 2 }), "\n")
}

// helped tells help before the reason why a command ended whose words nobody has read. Every refusal
// of the command line comes through here.
func (p *program) helped(err error) {
	var code exit
	if p.comforted || p.stopped.Err() != nil || errors.As(err, &code) || app.AsFault(err).Help != "" {
		return
	}
	if help := p.helpFor(p.unread.message, p.unread.vars, err); help != "" {
		p.help(help, err)
	}
}

// helpFor is the reviewed text for a message that is refused for a reason; "" for none.
func (p *program) helpFor(message string, vars []string, why error) string {
	if strings.TrimSpace(message) == "" {
		return ""
	}
	dir, failed := p.dir()
	if failed != nil {
		dir = "" // help waits for no folder
	}
	known := map[string]string{}
	for _, kv := range vars {
		if k, v, ok := strings.Cut(kv, "="); ok {
			known[k] = v
		}
	}
	return app.HelpIn(dir, message, known, why)
}

// mostWaiting is how long a store may take to open before a message is read for danger: while
// another program has it, help does not wait.
const mostWaiting = 500 * time.Millisecond

// openFor opens the app for a message. Where it cannot, the message was not kept, and that is said.
func (p *program) openFor(with practice, message string, vars []string) (*app.App, error) {
	var a *app.App
	var err error
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		a, err = p.open(with)
	}()
	wait := time.NewTimer(mostWaiting)
	defer wait.Stop()
	select {
	case <-opened:
	case <-wait.C:
		// To programs it is told with the error.
		if help := p.helpFor(message, vars, store.ErrLocked); help != "" && !p.ndjson {
			fmt.Fprintf(p.out, "%s\n\n", visible.Text(help))
			p.comforted = true
		}
		<-opened
	}
	if err != nil && message != "" {
		if errors.Is(err, store.ErrLocked) && !p.ndjson {
			p.say("What you wrote, to copy:\n\n%s\n", paragraph(message))
		}
		err = app.Unkept(err)
	}
	return a, err
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
			p.ndjson = asJSON
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
			a, err := p.openFor(practice{}, strings.Join(answers, "\n"), nil)
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
	takes := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		p.ndjson = asJSON
		p.unread = unread{message: strings.Join(answers, "\n")}
		return takes(c, args)
	}
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
						text += "  (" + p.failed(c.Refused) + ")"
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
	a.Warm() // the encoder is read while the turn is begun
	defer func() { err = closing(a, err) }()
	printer := &printer{p: p, a: a, session: session, json: asJSON}
	if printer.after, err = a.Store.LastSeq(session); err != nil {
		return err
	}
	live, stop := a.Listen(session)
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		clock := time.NewTicker(time.Second)
		defer clock.Stop()
		for {
			select {
			case <-clock.C:
				printer.tick(time.Now())
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
	p.unread = unread{} // from here on the app helps
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
		if !asJSON && out.Run.Status == run.Failed {
			p.goesOn(out)
		}
		return err
	}
	p.epilogue(a, out, asJSON)
	return code(out)
}

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

// goesOn says how a turn that failed is tried again.
func (p *program) goesOn(out run.Outcome) {
	p.say("What was finished is kept. holdpoint resume %s%s", out.Run.Turn, p.named)
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
				if v, err := a.Approval(pause.ID, true); err == nil { // the card says the same
					if v.Weak {
						p.say("  Warning: %s", p.language().Say(app.WrittenByWeak))
					}
					for _, w := range v.Warnings {
						p.say("  Warning: %s", p.told(w))
					}
				}
				p.say("  holdpoint approvals show %s", pause.ID)
				verdict = true
				continue
			}
			p.say("\n%s", paragraph(p.language().Told(q.Prompt)))
			example := exampleOf(q.Schema, p.language().Say("your answer"))
			if len(q.Choices) > 0 {
				p.say("  choices: %s", strings.Join(q.Choices, ", "))
				example = quotedAnswer(q.Choices[0])
			} else if q.Expects != "" {
				p.say("  expected: %s", p.failed(q.Expects))
			}
			p.say("  holdpoint resume %s%s --answer '%s=%s'", out.Run.Turn, p.named, pause.ID, strings.ReplaceAll(example, "'", `'\''`))
		}
		if verdict {
			p.say("  holdpoint resume %s%s    after the verdict", out.Run.Turn, p.named)
		}
	case run.Failed:
		p.say("\nThe turn failed at %s: %s", out.Run.ErrorStage, p.failed(out.Run.Error))
		p.goesOn(out)
		if hint := app.FailureHint(out.Run.Error); hint != "" {
			p.say("  do:   %s", p.told(hint))
		}
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
	p.askForRegion(a)
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

// more says, for people and beside --json, that a list goes on and how to read on.
func (p *program) more(flag, next string) { p.say("There are more: %s %s", flag, next) }
