// Package command is Holdpoint's command line. Machine-readable output goes to
// stdout with --json; everything for people goes to stderr.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/agent"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/visible"
)

// Exit codes of run and resume.
const (
	ExitOK       = 0
	ExitFailed   = 1
	ExitUsage    = 2
	ExitAwaiting = 3
)

// exit carries an exit code without a message of its own.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// usage is an error of the command line itself: a format of package fmt with its values.
type usage struct {
	format string
	values []any
}

// misuse says what is wrong with a command line; a value that is a string may be a word of
// the catalog.
func misuse(format string, values ...any) error { return usage{format, values} }

func (u usage) Error() string { return u.in("en") }

func (u usage) in(g tongue.Tongue) string {
	values := make([]any, len(u.values))
	for i, v := range u.values {
		switch x := v.(type) {
		case word:
			v = g.Say(string(x))
		case error:
			var bad usage
			if v, _, _ = app.AsFault(x).In(g); errors.As(x, &bad) {
				v = bad.in(g)
			}
		}
		values[i] = v
	}
	return g.Say(u.format, values...)
}

// word is a value that is in the catalog itself.
type word string

// Options of the program.
type Options struct {
	Version string
	// Screens are the built frontend.
	Screens fs.FS
	// Window opens the desktop window; nil in the edge flavour.
	Window func(context.Context, *app.App, fs.FS) error
	// Unopened shows in a window why there is none of a data folder; nil in the edge flavour.
	Unopened func(ctx context.Context, dir string, why error, t tongue.Tongue) error
	// Agents are built-in agents beside Holdpoint's own.
	Agents []agent.New
}

// program is what every subcommand shares.
type program struct {
	Options
	data   string
	model  string
	ollama string
	// practice is that of the window and of serve.
	practice practice
	// caller is for whom the window and serve run turns.
	caller app.CallerToken
	// named are the flags that name the caller of a command, with a space before; "" for nobody.
	named string
	out   io.Writer
	err   io.Writer
	// stopped is done once the program is told to stop.
	stopped context.Context
	// tongue is what language says, once it is known.
	tongue tongue.Tongue
	// comforted says that help was told already.
	comforted bool
	// unread is what the person wrote, until somebody reads it for danger.
	unread unread
	// args are those of the command line; ndjson says that standard output is for programs.
	args   []string
	ndjson bool
}

// Main runs the command line and returns the exit code.
func Main(args []string, o Options) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := &program{Options: o, out: os.Stdout, err: os.Stderr, stopped: ctx, args: args}
	p.unread.message = sentences(args)
	root := p.root()
	root.SetArgs(args)
	root.SetOut(p.out) // help that was asked for, and completions
	root.SetErr(p.err)
	err := root.ExecuteContext(ctx)
	if err != nil {
		p.helped(err)
	}
	var code exit
	var bad usage
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &bad):
		p.say("holdpoint: %s", paragraph(bad.in(p.language())))
		return ExitUsage
	}
	p.explain(err)
	switch app.AsFault(err).Code {
	case "bad_request", "definition":
		return ExitUsage
	}
	return ExitFailed
}

// explain says what happened, what is safe and what to do.
func (p *program) explain(err error) {
	if help := app.AsFault(err).Help; help != "" {
		p.help(help, err)
	}
	message, hint, safe := app.AsFault(err).In(p.language())
	p.say("holdpoint: %s", paragraph(message))
	if safe != "" {
		p.say("  safe: %s", safe)
	}
	if hint != "" {
		p.say("  do:   %s", hint)
	}
}

// help tells the reviewed text for a message that was refused; to programs as the API does, beside
// the error.
func (p *program) help(text string, err error) {
	if !p.ndjson {
		p.tell("%s\n", paragraph(text))
		return
	}
	f := *app.AsFault(err)
	var bad usage
	if errors.As(err, &bad) {
		f.Code = "bad_request"
	}
	f.Help = text
	if err := p.line(map[string]any{"error": f}); err != nil {
		p.say("holdpoint: %s", err)
	}
}

// language is the one that a person chose, else the system's.
func (p *program) language() tongue.Tongue {
	if p.tongue == "" {
		p.tongue = tongue.OfSystem()
		if dir, err := p.dir(); err == nil {
			p.tongue = app.TongueIn(dir)
		}
	}
	return p.tongue
}

// told is a sentence of the program's in the language.
func (p *program) told(english string) string { return p.language().Told(english) }

// failed is the text of an error in the language.
func (p *program) failed(english string) string { return app.Failure(p.language(), english) }

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "holdpoint",
		Short: "An agent's whole turn, offline, that stops at every change until a person has approved it",
		Long: `Holdpoint runs an agent's whole turn on this laptop, with local models, and stops at every
change until a person has approved exactly what will happen.

Without a subcommand it opens the window (desktop flavour) or says how to serve the screens.

` + logVariable + `=debug, info, warn (the default) or error chooses what is logged to standard error: which step of
which run came when, what was started, ended and tried again. Nothing that a person or a model wrote is in it.`,
		Version: p.Version, SilenceErrors: true, SilenceUsage: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				if message := strings.Join(args, " "); len(strings.Fields(message)) > 1 {
					p.unread.message = message // no name of a command
				}
				return misuse("there is no command %q; see holdpoint --help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return p.window(cmd.Context()) },
	}
	root.SetFlagErrorFunc(flagError)
	f := root.PersistentFlags()
	f.StringVar(&p.data, "data", "", "data folder (default: the platform's folder for application data)")
	f.StringVar(&p.model, "model", "", "main model by name")
	f.StringVar(&p.ollama, "ollama", "", "URL of an Ollama server on this laptop")
	p.actsFor(root)
	p.practice.flag(root.Flags(), "open with the scripted practice model")
	root.AddCommand(p.serve(), p.run(), p.resume(), p.replay(), p.report(), p.approvals(), p.checkpoints(), p.budgets(), p.people(), p.sessions(), p.memory(), p.records(), p.library(), p.board(), p.export(),
		p.agents(), p.texts(), p.rules(), p.skills(), p.mcp(), p.models(), p.encoder(), p.doctor(), p.settings(), p.helplines(), p.bench(), p.check(), p.compact(), jail())
	plain(root)
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		c.Long = p.withExamples(c.Long)
		help(c, args)
	})
	return root
}

// withExamples is a help text with what it leaves to the registry. Files of the data folder are no examples.
func (p *program) withExamples(long string) string {
	r, err := app.NewAgents("", nil, p.Agents...)
	if err != nil {
		return long // what is wrong with an agent is told by whatever asks it something
	}
	return r.Examples().Replace(long)
}

func (p *program) window(ctx context.Context) error {
	if p.Window == nil {
		return misuse("this build has no window; run `holdpoint serve` and open the address that it prints")
	}
	a, err := p.openPaced()
	if err != nil {
		if dir, unknown := p.dir(); unknown == nil && p.Unopened != nil {
			_ = p.Unopened(ctx, dir, err, p.language()) // the terminal says err in any case
		}
		return err
	}
	return errors.Join(p.Window(ctx, a, p.Screens), a.Close())
}

// dir is the data folder.
func (p *program) dir() (string, error) {
	if p.data != "" {
		return filepath.Abs(p.data)
	}
	base, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("the data folder is not known (%w); name one with --data", err)
	}
	return filepath.Join(base, "holdpoint"), nil
}

func (p *program) open(with practice) (*app.App, error) { return p.openAt(with, 0) }

func (p *program) openAt(with practice, pace time.Duration) (*app.App, error) {
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	log, err := logger(os.Getenv(logVariable), p.err)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	a, err := app.Open(app.Options{Jail: []string{self, "jail"}, Dir: dir, Version: p.Version, Desktop: p.Window != nil, Ollama: p.ollama, Model: p.model, Practice: with.on, Manner: with.manner, Pace: pace, Log: log, Agents: p.Agents, Caller: p.caller})
	if err != nil {
		p.tongue = app.TongueBeside(dir) // the store is not waited for twice
		return nil, err
	}
	p.tongue = a.Tongue()
	return a, nil
}

// practicePace lets a person follow the practice model's words, about as fast as
// a small model on a laptop writes them.
const practicePace = 20 * time.Millisecond

// openPaced opens the app for people to look at. What their first message needs is made ready meanwhile.
func (p *program) openPaced() (*app.App, error) {
	a, err := p.openAt(p.practice, practicePace)
	if err == nil {
		a.Warm()
	}
	return a, err
}

// practice is the flag --practice, alone or with a manner: --practice=stubborn.
type practice struct {
	on     bool
	manner model.Manner
}

func (v *practice) flag(f *pflag.FlagSet, about string) {
	f.Var(v, "practice", about+"; =stubborn, =wrong or =slow lets it behave badly, to try what happens then")
	f.Lookup("practice").NoOptDefVal = "plain"
}

// String, Set and Type make it a flag.
func (v *practice) String() string {
	switch {
	case !v.on:
		return "false"
	case v.manner == model.Willing:
		return "plain"
	}
	return string(v.manner)
}

func (v *practice) Set(text string) error {
	if text == "false" {
		*v = practice{}
		return nil
	}
	m, err := model.ParseManner(text)
	if err != nil || text == "" {
		return errors.New("use --practice, or --practice= with stubborn, wrong or slow")
	}
	*v = practice{true, m}
	return nil
}

func (v *practice) Type() string { return "manner" }

// with opens the app for one command and closes it afterwards.
func (p *program) with(fn func(a *app.App) error) error {
	a, err := p.open(practice{})
	if err != nil {
		return err
	}
	err = fn(a)
	p.leftOut(a)
	return errors.Join(err, a.Close())
}

// leftOut names damaged rows that lists left out.
func (p *program) leftOut(a *app.App) {
	lost, err := a.Store.Lost()
	if err != nil || len(lost) == 0 {
		return // what cannot be read at all has been said
	}
	names := make([]string, len(lost))
	for i, l := range lost {
		names[i] = l.Table + " " + l.ID
	}
	p.say("Left out, because what is kept of it is damaged: %s. holdpoint check says what can be done.", strings.Join(names, ", "))
}

// line prints one JSON object to stdout.
func (p *program) line(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return p.resource(b)
}

// resource prints a JSON text to stdout: the same values, in UTF-8, with everything that
// a terminal would hide or obey escaped.
func (p *program) resource(b []byte) error {
	_, err := fmt.Fprintf(p.out, "%s\n", visible.JSON(b))
	return err
}

// say prints a line for people. Whatever it is given as text may be hostile: it is made
// visible on one line, unless it is a paragraph.
func (p *program) say(format string, args ...any) {
	fmt.Fprintln(p.err, p.language().Say(format, p.shown(args)...))
}

// tell is say on standard output: what a command was asked for.
func (p *program) tell(format string, args ...any) {
	fmt.Fprintln(p.out, p.language().Say(format, p.shown(args)...))
}

// paragraph is text of several lines.
type paragraph string

func (p *program) shown(args []any) []any {
	out := make([]any, len(args))
	for i, v := range args {
		switch x := v.(type) {
		case paragraph:
			v = visible.Text(string(x))
		case word:
			v = visible.Line(p.language().Say(string(x)))
		case error:
			said, _, _ := app.AsFault(x).In(p.language())
			v = visible.Line(said)
		case record.Ref:
			v = visible.Line(x.String())
		case []byte:
			v = visible.Line(string(x))
		default:
			switch r := reflect.ValueOf(v); {
			case r.Kind() == reflect.String:
				v = visible.Line(r.String())
			case r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8: // JSON
				v = visible.Line(string(r.Bytes()))
			}
		}
		out[i] = v
	}
	return out
}

// exact wraps cobra's argument check as a usage error.
func exact(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return misuse("expected %s", word(what))
		}
		return nil
	}
}

// group is a command that only has subcommands.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return misuse("there is no %q under %q; see holdpoint %s --help", args[0], use, use)
		}
		return misuse("%s needs a subcommand; see holdpoint %s --help", use, use)
	}}
	c.AddCommand(subs...)
	return c
}

// code turns the end of a turn into an exit code.
func code(out run.Outcome) error {
	switch out.Run.Status {
	case run.Completed:
		return nil
	case run.Paused:
		return exit(ExitAwaiting)
	}
	return exit(ExitFailed)
}
