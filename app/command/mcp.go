package command

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/identity"
	"holdpoint/engine/mcp"
	"holdpoint/engine/visible"
)

func (p *program) mcp() *cobra.Command {
	var asJSON bool
	show := func(v mcp.View) error {
		if asJSON {
			return p.line(v)
		}
		p.server(v)
		return nil
	}
	list := &cobra.Command{Use: "list", Short: "List servers of tools", Args: exact(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			return p.with(func(a *app.App) error {
				all := a.Servers()
				for _, v := range all {
					if asJSON {
						if err := p.line(v); err != nil {
							return err
						}
						continue
					}
					p.say("%-16s %-8s %2d tools  %s", v.ID, word(v.Status), len(v.Tools), where(v))
				}
				if len(all) == 0 && !asJSON {
					p.say("No server. holdpoint mcp add TITLE --command PROGRAM, or --url https://…")
				}
				return nil
			})
		}}

	var in app.AddServer
	var env []string
	var token string
	add := &cobra.Command{Use: "add TITLE [-- ARGUMENTS]", Short: "Add a server and show what it offers; none of it is used before you trust it",
		Args: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n == 1 || n < 0 && len(args) == 1 {
				return nil
			}
			return misuse("expected a title, and the program's arguments after --")
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Title, in.Args = args[0], args[1:]
			switch {
			case (in.Command == "") == (in.URL == ""):
				return misuse("name the server by --command or by --url")
			case in.URL != "":
				in.Transport = mcp.HTTP
			default:
				in.Transport = mcp.Stdio
			}
			in.Env = app.Variables{}
			for _, name := range env {
				if strings.Contains(name, "=") {
					return misuse("--env takes names only: a value on a command line can be read by others; set the variable and name it")
				}
				in.Env[name] = nil
			}
			ctx, err := withToken(cmd.Context(), token)
			if err != nil {
				return err
			}
			return p.with(func(a *app.App) error {
				v, err := a.AddServer(ctx, in)
				if err != nil {
					return err
				}
				return show(v)
			})
		}}
	f := add.Flags()
	f.StringVar(&in.Command, "command", "", "program that speaks MCP over its standard input and output")
	f.StringVar(&in.URL, "url", "", "address of a server that speaks MCP over HTTP")
	f.StringArrayVar(&env, "env", nil, "name of a variable that the program is given; repeat for more")
	f.StringArrayVar(&in.Needs, "needs", nil, "what a caller has to have: role:NAME, scope:NAME or claim:NAME=TEXT")
	f.BoolVar(&in.Identity, "identity", false, "send the caller's token with each call")
	f.StringVar(&token, "token-env", "", "name of a variable with a token, for a server that shows nothing without one")

	var digest string
	trust := &cobra.Command{Use: "trust SERVER DIGEST", Short: "Trust a server exactly as it was shown under the digest", Args: exact(2, "a server and the digest that it was shown under"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				v, err := a.TrustServer(args[0], args[1])
				if err != nil {
					return err
				}
				return show(v)
			})
		}}
	remove := &cobra.Command{Use: "remove SERVER", Short: "Forget a server; approvals that wait for its tools are void", Args: exact(1, "one server"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				if err := a.RemoveServer(args[0]); err != nil {
					return err
				}
				if asJSON {
					return p.line(map[string]string{"removed": args[0]})
				}
				p.say("Removed %s.", args[0])
				return nil
			})
		}}
	var look bool
	tools := &cobra.Command{Use: "tools SERVER", Short: "Show a server's tools; --refresh asks the server", Args: exact(1, "one server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, err := withToken(cmd.Context(), token)
			if err != nil {
				return err
			}
			return p.with(func(a *app.App) error {
				if look {
					if _, err := a.RefreshServer(ctx, args[0]); err != nil {
						return err
					}
				}
				for _, v := range a.Servers() {
					if v.ID != args[0] {
						continue
					}
					if !asJSON {
						p.server(v)
						return nil
					}
					for _, t := range v.Tools {
						if err := p.line(t); err != nil {
							return err
						}
					}
					return nil
				}
				return &app.Fault{Code: "not_found", Message: fmt.Sprintf("There is no server %q.", args[0]), Hint: "holdpoint mcp list", HTTP: 404}
			})
		}}
	tools.Flags().BoolVar(&look, "refresh", false, "start or contact the server and look again")
	tools.Flags().StringVar(&token, "token-env", "", "name of a variable with a token, for a server that shows nothing without one")
	classify := &cobra.Command{Use: "classify TOOL read|mutating", Short: "Say whether a tool (server.name) only reads",
		Long: "Say whether a tool only reads, so that its calls need no approval. Until then every tool counts as one that changes something.\n" +
			"--digest is the tool's, as holdpoint mcp tools shows it; without it, the tool as it is trusted now is meant.",
		Args: exact(2, "a tool (server.name) and read or mutating"),
		RunE: func(_ *cobra.Command, args []string) error {
			server, name, ok := strings.Cut(args[0], ".")
			if !ok {
				return misuse("expected a tool as server.name")
			}
			return p.with(func(a *app.App) error {
				shown := digest
				for _, v := range a.Servers() {
					for _, t := range v.Tools {
						if shown == "" && v.ID == server && t.Name == args[0] && !t.Changed {
							shown = t.Digest
						}
					}
				}
				v, err := a.ClassifyTool(server, name, args[1], shown)
				if err != nil {
					return err
				}
				return show(v)
			})
		}}
	classify.Flags().StringVar(&digest, "digest", "", "the tool's digest")
	g := group("mcp", "Use tools of servers that speak the Model Context Protocol", list, add, trust, remove, tools, classify)
	g.Long = strings.TrimPrefix(mcp.Help(), "# Tools from outside\n\n")
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

// asCaller lets a command act for the caller that a token names. The token is
// believed only once it was checked, and goes no further than the command.
func (p *program) asCaller(c *cobra.Command) *cobra.Command {
	var token, secret string
	callerFlags(c, &token, &secret)
	c.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if (token == "") != (secret == "") {
			return misuse("--token-env and --secret-env go together: a token that is not checked says nothing")
		}
		if token == "" {
			return nil
		}
		signed, key, err := credentials(token, secret)
		if err != nil {
			return err
		}
		who, err := identity.Verify(signed, key, time.Now())
		if err != nil {
			return misuse("the token in %s: %s", token, err)
		}
		p.named = " --token-env " + token + " --secret-env " + secret
		cmd.SetContext(identity.With(cmd.Context(), who))
		return nil
	}
	return c
}

func callerFlags(c *cobra.Command, token, secret *string) {
	c.Flags().StringVar(token, "token-env", "", "name of a variable with the caller's token (JWT, HS256), for tools that ask who calls")
	c.Flags().StringVar(secret, "secret-env", "", "name of a variable with the secret that the token is checked with")
}

// actsFor lets the window or serve run turns for a caller. The token is checked when it
// starts, and again for each turn.
func (p *program) actsFor(c *cobra.Command) {
	var token, secret string
	callerFlags(c, &token, &secret)
	c.PreRunE = func(*cobra.Command, []string) error {
		if token != "" && secret == "" {
			return misuse("--token-env goes with --secret-env: a token that is not checked says nothing")
		}
		signed, key, err := credentials(token, secret)
		if err != nil {
			return err
		}
		p.caller = app.CallerToken{Token: signed, Secret: key}
		if err := p.caller.Check(time.Now()); err != nil {
			return misuse("--token-env %s --secret-env %s: %s", token, secret, err)
		}
		return nil
	}
}

// withToken puts the token of a variable on the context.
func withToken(ctx context.Context, name string) (context.Context, error) {
	t, err := variable(name)
	if err != nil || name == "" {
		return ctx, err
	}
	return identity.With(ctx, identity.Caller{Bearer: t}), nil
}

// credentials are a caller's token and the secret that it is checked with, out of the variables
// of these names; none for "".
func credentials(token, secret string) (signed string, key []byte, err error) {
	if signed, err = variable(token); err != nil {
		return "", nil, err
	}
	value, err := variable(secret)
	return signed, []byte(value), err
}

// variable reads what a flag names; "" when the flag was left out.
func variable(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	value, set := os.LookupEnv(name)
	switch {
	case !set:
		return "", misuse("the variable %s is not set", name)
	case value == "":
		return "", misuse("the variable %s is empty", name)
	}
	return value, nil
}

func where(v mcp.View) string {
	if v.URL != "" {
		return v.URL
	}
	return strings.Join(append([]string{v.Command}, v.Args...), " ")
}

// quoted is text of a server with a mark before each of its lines, and none so long that a
// terminal would break it: nothing of it can pass for a line of the program.
func quoted(text string) paragraph {
	const mark, width = "    | ", 72
	var b strings.Builder
	for line := range strings.SplitSeq(visible.Text(text), "\n") {
		letters := []rune(strings.ReplaceAll(line, "\t", "  "))
		for {
			n := min(width, len(letters))
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(mark + string(letters[:n]))
			if letters = letters[n:]; len(letters) == 0 {
				break
			}
		}
	}
	return paragraph(b.String())
}

// server prints a server for a person to read before trusting it.
func (p *program) server(v mcp.View) {
	p.say("%s  %s  %s", v.ID, word(v.Status), where(v))
	if len(v.Env) > 0 {
		p.say("  is given PATH, %s", strings.Join(v.Env, ", "))
	}
	if v.Identity {
		p.say("  is sent the caller's token with each call")
	}
	for _, need := range v.Needs {
		p.say("  is for callers with %s", need)
	}
	if v.Error != "" {
		p.say("  error: %s", p.failed(v.Error))
	}
	for _, c := range v.Changes {
		p.say("  changed: %s", p.failed(c))
	}
	for _, t := range v.Tools {
		class := p.language().Say(string(t.Class))
		switch {
		case t.Unusable != "":
			class = p.language().Say("unusable: %s", p.failed(t.Unusable))
		case t.Hint && t.Class == mcp.Mutating:
			class += p.language().Say(" (the server says that it only reads)")
		}
		if t.Changed {
			class += p.language().Say(", changed")
		}
		p.say("  %s  %s\n%s\n    arguments\n%s\n    %s", t.Name, class, quoted(t.Description), quoted(string(t.Parameters)), t.Digest)
	}
	if v.Status == mcp.StatusNew || v.Status == mcp.StatusChanged {
		p.say("Read it; to use it: holdpoint mcp trust %s %s", v.ID, v.Digest)
	}
}
