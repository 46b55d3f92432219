package command

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/skill"
)

const skillsHelp = `A skill is knowledge that an agent loads when it needs it: a folder with SKILL.md, as other programs have them.

  my_skill/
    SKILL.md         begins with front matter: --- name, description, allowed-tools (names of tools) ---, then Markdown
    references/...   artifacts: texts that are loaded with it
    blocks.yaml      optional: code blocks, each with name, description, file, parameters (JSON Schema), capabilities
    rules.yaml       optional: rules in force while the skill is loaded (see holdpoint rules --help)

A skill is pinned by a digest over all of its files. One that is added again in another version takes the place of the
old one, and what was asked or approved for the old one is void. A turn that had loaded it asks whether to go on.

Agents load skills in tiers: name and description, then the definition, then artifacts. A graph of yours offers skills
to a node that asks a model with  skills: [my_skill]  or  skills: ["*"].

A code block is Starlark: def run(args): return {"status": "ok", "message": "…", "result": …}. It runs in a process of
its own with bounds on steps, time and memory, reads JSON and writes JSON, and can reach nothing else. A block that
declares no capability counts as mutating: each of its calls waits for an approval.`

// jail is the process of one code block; see skill.Jail.
func jail() *cobra.Command {
	return &cobra.Command{Use: "jail", Hidden: true, Args: exact(0, "no arguments"), RunE: func(*cobra.Command, []string) error {
		return skill.Inmate(os.Stdin, os.Stdout)
	}}
}

func (p *program) skills() *cobra.Command {
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "List the skills", Args: exact(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			return p.with(func(a *app.App) error {
				all, err := a.Skills()
				if err != nil {
					return err
				}
				for _, v := range all {
					if asJSON {
						if err := p.line(v); err != nil {
							return err
						}
						continue
					}
					p.say("%-20s %-8s %.19s  %s", v.Name, word(v.Source), v.Digest, p.told(v.Title))
					p.skillNotes(v)
				}
				return nil
			})
		}}
	show := &cobra.Command{Use: "show NAME", Short: "Show a skill: what it may call, its rules and its definition", Args: exact(1, "a skill's name"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				v, err := a.Skill(args[0])
				if err != nil {
					return err
				}
				return p.showSkill(v, asJSON)
			})
		}}
	add := &cobra.Command{Use: "add PATH", Short: "Add a skill of yours, a folder or a zip file; one of the same name is replaced", Args: exact(1, "a folder or a zip file"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				v, err := a.AddSkill(args[0])
				if err != nil {
					return err
				}
				return p.showSkill(v, asJSON)
			})
		}}
	rm := &cobra.Command{Use: "rm NAME", Short: "Remove a skill of yours", Args: exact(1, "a skill's name"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				if err := a.RemoveSkill(args[0]); err != nil {
					return err
				}
				p.say("Removed %s.", args[0])
				return nil
			})
		}}
	var with string
	run := &cobra.Command{Use: "run BLOCK", Short: "Run a code block in its jail", Args: exact(1, "a block's name"),
		Long: `Run a code block of a skill on the arguments in --args (JSON; @FILE reads a file, - reads standard input). For example:
  holdpoint skills run affected_distance --args '{"lease_line_ft":467,"between_wells_ft":1200,"rule":"statewide"}'
It prints {"status", "message", "result"}; the exit code is 1 where the status is not ok.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			in := with
			if path, ok := strings.CutPrefix(with, "@"); ok || with == "-" {
				var err error
				if in, err = p.input(path); err != nil {
					return err
				}
			}
			if !json.Valid([]byte(in)) {
				return misuse("--args is not JSON: %.60q", in)
			}
			return p.with(func(a *app.App) error {
				out, err := a.RunBlock(cmd.Context(), args[0], json.RawMessage(in))
				if err != nil {
					return err
				}
				if err := p.line(out); err != nil || out.Status == "ok" {
					return err
				}
				return exit(ExitFailed)
			})
		}}
	run.Flags().StringVar(&with, "args", "{}", "arguments as JSON")
	g := group("skills", "Knowledge that agents load when they need it", list, show, add, rm, run)
	g.Long = skillsHelp
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

// skillNotes say what a person should know of a skill besides its name.
func (p *program) skillNotes(v app.SkillView) {
	p.say("    %s", p.told(v.Description))
	if v.Error != "" {
		p.say("    cannot be used: %s", p.failed(v.Error))
	}
	if len(v.Missing) > 0 {
		p.say("    names tools that are not here: %s", strings.Join(v.Missing, ", "))
	}
	if l := v.Loaded; l != nil {
		p.say("    loaded last %s, tier %d, in session %s", l.At.Format("2006-01-02 15:04 MST"), l.Tier, l.Session)
	}
}

func (p *program) showSkill(v app.SkillView, asJSON bool) error {
	if asJSON {
		return p.line(v)
	}
	p.say("%s (%s), %s", p.told(v.Title), v.Name, word(v.Source))
	p.say("    %s", v.Digest)
	p.skillNotes(v)
	p.say("    may call: %s", orNone(v.Tools))
	for _, b := range v.Blocks {
		p.say("    block %s: %s (%s)", b.Name, p.told(b.Description), orCounts(b.Capabilities))
	}
	for _, r := range v.Rules {
		p.say("    rule %s: %s, %s %s", r.Name, r.Event, r.Verdict, r.Checkpoint)
	}
	p.say("    artifacts: %s", orNone(v.Artifacts))
	if v.Definition != "" {
		p.say("\n%s", paragraph(v.Definition))
	}
	return nil
}

func orNone(list []string) any {
	if len(list) == 0 {
		return word(tongue.Word("none"))
	}
	return strings.Join(list, ", ")
}

func orCounts(capabilities []string) any {
	if len(capabilities) == 0 {
		return word(tongue.Word("declares no capability, so it counts as mutating"))
	}
	return strings.Join(capabilities, ", ")
}
