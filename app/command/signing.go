package command

import (
	"encoding/json"
	"html/template"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdpoint/app"
	"holdpoint/engine/rule"
	"holdpoint/engine/visible"
)

// standing are the flags of who stands for a change of who decides.
type standing struct {
	name string
	ask  bool
}

func (x *standing) flags(f *pflag.FlagSet) {
	f.StringVar(&x.name, "by", "", "name of the person who makes the change, needed once people have passphrases; an administrator, once there is one")
	f.BoolVar(&x.ask, "passphrase-stdin", false, "read their passphrase from a line of the input")
}

// proof reads what the flags ask for.
func (p *program) proof(x standing) (app.Proof, error) {
	by := app.Proof{Name: x.name}
	return by, p.secret(x.ask, p.language().Say("Passphrase of %s: ", visible.Line(x.name)), &by.Passphrase)
}

// by is with for such a change.
func (p *program) by(x standing, do func(a *app.App, by app.Proof) error) error {
	return p.with(func(a *app.App) error {
		by, err := p.proof(x)
		if err != nil {
			return err
		}
		return do(a, by)
	})
}

// people keeps who may decide and how they sign.
func (p *program) people() *cobra.Command {
	var asJSON, remove bool
	var stands standing
	list := &cobra.Command{Use: "list", Short: "List people with their roles and keys", Args: exact(0, "no arguments"), RunE: func(*cobra.Command, []string) error {
		return p.with(func(a *app.App) error {
			all, err := a.People()
			if err != nil {
				return err
			}
			for _, x := range all {
				if asJSON {
					if err := p.line(x); err != nil {
						return err
					}
					continue
				}
				how := p.language().Say("signs by name")
				if x.Signs {
					how = p.language().Say("signs with %s", visible.Line(x.Key))
				}
				if x.Elsewhere {
					how = p.language().Say("signs elsewhere with %s", visible.Line(x.Key))
				}
				p.say("%s  [%s]  %s", visible.Line(x.Name), visible.Line(strings.Join(x.Roles, ", ")), how)
			}
			if len(all) == 0 && !asJSON {
				p.say("Nobody has a role or a passphrase yet: anybody decides by their name.")
			}
			return nil
		})
	}}
	list.Flags().BoolVar(&asJSON, "json", false, "print NDJSON")
	roles := &cobra.Command{Use: "roles NAME ROLES", Short: "Give a person roles, with commas; \"\" for none", Args: exact(2, "a name and roles"), RunE: func(_ *cobra.Command, args []string) error {
		return p.by(stands, func(a *app.App, by app.Proof) error { return a.SetRoles(args[0], args[1], by) })
	}}
	passphrase := &cobra.Command{Use: "passphrase NAME", Short: "Let a person's verdicts count only with their passphrase", Args: exact(1, "a name"),
		Long: `Let a person's verdicts count only with their passphrase.

The new passphrase is read from a line of the input. Where the person has one already, the first line is that one and the second
the new one. --remove takes it away, given the old one; of a colleague who signs elsewhere it takes the key away. What is kept is a public key, derived from it by Argon2id.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.by(stands, func(a *app.App, by app.Proof) error {
				all, err := a.People()
				if err != nil {
					return err
				}
				var old, next string
				for _, x := range all {
					if rule.SameName(x.Name, args[0]) && x.Signs && !x.Elsewhere {
						if err := p.secret(true, p.language().Say("Passphrase of %s until now: ", visible.Line(args[0])), &old); err != nil {
							return err
						}
					}
				}
				if err := p.secret(!remove, p.language().Say("New passphrase of %s: ", visible.Line(args[0])), &next); err != nil {
					return err
				}
				x, err := a.SetPassphrase(args[0], old, next, by)
				if err != nil {
					return err
				}
				if x.Signs {
					p.say("%s signs with %s", visible.Line(x.Name), x.Key)
				} else {
					p.say("%s signs by name.", visible.Line(x.Name))
				}
				return nil
			})
		}}
	passphrase.Flags().BoolVar(&remove, "remove", false, "take the passphrase away")
	trust := &cobra.Command{Use: "trust NAME KEY", Short: "Take the public key of a colleague who signs elsewhere, in place of the one that was known", Args: exact(2, "a name and a key"), RunE: func(_ *cobra.Command, args []string) error {
		return p.by(stands, func(a *app.App, by app.Proof) error { return a.TrustKey(args[0], args[1], by) })
	}}
	for _, c := range []*cobra.Command{roles, passphrase, trust} {
		stands.flags(c.Flags())
	}
	g := group("people", "Who may decide, with which roles, and how they sign", list, roles, passphrase, trust)
	g.Long = `Who may decide, with which roles, and how they sign. Once somebody has a passphrase here, one of those who have one signs every
change of who decides, and of rules: --by NAME --passphrase-stdin, the passphrase as the first line of the input. Once one of
them has the role administrator, only administrators do.`
	return g
}

// exportRequest writes a request for a colleague.
func (p *program) exportRequest() *cobra.Command {
	var format, file string
	c := &cobra.Command{Use: "export ID", Short: "Write a request that waits into a file for a colleague", Args: exact(1, "one approval id"),
		Long: `Write a request that waits into a file for a colleague, who opens it in their own Holdpoint ("approvals sign FILE") and sends back
what comes out ("approvals import FILE"). As html it is for reading.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if format != "json" && format != "html" {
				return misuse("there is no format %q; use json or html", format)
			}
			return p.with(func(a *app.App) error {
				r, err := a.ExportRequest(args[0])
				if err != nil {
					return err
				}
				return p.writeRequest(a, r, format, file)
			})
		}}
	c.Flags().StringVar(&format, "format", "json", "json to be signed, html to be read")
	c.Flags().StringVarP(&file, "output", "o", "", "file to write (default: stdout)")
	return c
}

func (p *program) writeRequest(a *app.App, r app.SignedRequest, format, file string) error {
	return p.writeTo(file, func(w io.Writer) error {
		if format == "html" {
			return requestPage.Execute(w, a.RequestText(p.language(), r))
		}
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}, func() {})
}

var requestPage = template.Must(template.New("request").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>A request that waits</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}pre{white-space:pre-wrap;overflow-wrap:anywhere}</style></head>
<body><h1>A request that waits</h1><p>This page is for reading. What is signed is the JSON file.</p><pre>{{.}}</pre></body></html>
`))

func readRequest(file string) (app.SignedRequest, error) {
	f, err := app.OpenFile(file)
	if err != nil {
		return app.SignedRequest{}, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, 8<<20))
	if err != nil {
		return app.SignedRequest{}, err
	}
	return app.ReadRequest(body)
}

// signRequest decides on a colleague's request, or fills it in.
func (p *program) signRequest() *cobra.Command {
	var d app.Decision
	var approve, reject bool
	var file, changed string
	c := &cobra.Command{Use: "sign FILE", Short: "Decide on a colleague's request, or fill it in, with your passphrase", Args: exact(1, "one file"),
		Long: `Decide on a colleague's request, with your passphrase, which is read from a line of the input. With --args it is about the request
with those arguments: --approve approves it as you changed it, and without --approve you only fill it in, for another one to
decide on. "approvals arguments FILE" prints the arguments to begin with. Without --approve, --reject or --args the request is
shown and nothing is signed.`,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := readRequest(args[0])
			if err != nil {
				return err
			}
			switch {
			case reject && changed != "":
				return misuse("--reject goes without --args: what is rejected is what was asked for")
			case approve && reject || !approve && !reject && changed == "":
				if err := p.with(func(a *app.App) error {
					p.say("%s", paragraph(a.RequestText(p.language(), r)))
					return nil
				}); err != nil {
					return err
				}
				return misuse("say --approve or --reject")
			case changed != "":
				if d.Args, err = p.arguments(changed); err != nil {
					return err
				}
			}
			return p.with(func(a *app.App) error {
				if d.Reviewer == "" {
					d.Reviewer = a.DefaultReviewer()
				}
				if err := p.secret(true, p.language().Say("Passphrase of %s: ", visible.Line(d.Reviewer)), &d.Passphrase); err != nil {
					return err
				}
				signed, err := a.SignRequest(r, d, approve)
				if err != nil {
					return err
				}
				if v := signed.Verdict; len(v.Args) > 0 {
					p.say("Signed with your arguments; the request as you changed it has the digest %s.", v.Modified)
				}
				return p.writeRequest(a, signed, "json", file)
			})
		}}
	c.Flags().BoolVar(&approve, "approve", false, "approve exactly what the request shows, with --args as you changed it")
	c.Flags().BoolVar(&reject, "reject", false, "reject it, with --comment")
	c.Flags().StringVar(&changed, "args", "", "file with other arguments as one object, YAML or JSON")
	c.Flags().StringVar(&d.Reviewer, "reviewer", "", "who signs (default: the setting, else the login name)")
	c.Flags().StringVar(&d.Comment, "comment", "", "why")
	c.Flags().StringVar(&d.Meaning, "meaning", "", "meaning of the signature, for high-risk tools")
	c.Flags().StringVarP(&file, "output", "o", "", "file to write (default: stdout)")
	return c
}

// arguments reads a file of arguments.
func (p *program) arguments(file string) (json.RawMessage, error) {
	body, err := p.input(file)
	if err != nil {
		return nil, err
	}
	return app.ReadArguments(body)
}

// printArguments writes the arguments of a request down, to be changed.
func (p *program) printArguments() *cobra.Command {
	var file string
	c := &cobra.Command{Use: "arguments ID|FILE", Short: "Print the arguments of a request as YAML, to be changed", Args: exact(1, "one approval id, or the file of a request"),
		Long: `Print the arguments of a request as YAML, with what else may be given as comments: for a form, each box that nobody filled. What
you make of it goes back with "approvals modify ID --args FILE", or "approvals sign FILE --args FILE" for a colleague's request.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				text, err := p.argumentsOf(a, args[0])
				if err != nil {
					return err
				}
				return p.writeTo(file, func(w io.Writer) error {
					_, err := io.WriteString(w, text)
					return err
				}, func() {})
			})
		}}
	c.Flags().StringVarP(&file, "output", "o", "", "file to write (default: stdout)")
	return c
}

func (p *program) argumentsOf(a *app.App, of string) (string, error) {
	if _, err := os.Stat(of); err == nil {
		r, err := readRequest(of)
		if err != nil {
			return "", err
		}
		v, err := a.ShowRequest(r)
		if err != nil {
			return "", err
		}
		return app.WriteArguments(p.language(), v.Args, v.Parameters, v.Form)
	}
	v, err := a.Approval(of, true)
	if err != nil {
		return "", err
	}
	text, err := app.WriteArguments(p.language(), v.Args, v.Parameters, v.Form)
	for _, name := range v.Fixed {
		text = "# " + p.language().Say("%s stays as it is: the session is about that.", name) + "\n" + text
	}
	return text, err
}

// importVerdict takes a signed file back.
func (p *program) importVerdict() *cobra.Command {
	return &cobra.Command{Use: "import FILE", Short: "Take back a request that a colleague signed", Args: exact(1, "one file"), RunE: func(_ *cobra.Command, args []string) error {
		r, err := readRequest(args[0])
		if err != nil {
			return err
		}
		return p.with(func(a *app.App) error {
			v, err := a.ImportVerdict(r)
			if err != nil {
				return err
			}
			return p.decided(a, v, false)
		})
	}}
}
