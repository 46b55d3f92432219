package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/tool"
	"holdpoint/engine/visible"
)

// registry are the agents of the data folder; it needs no store, so these commands
// work while the app is open.
func (p *program) registry() (*app.Agents, error) {
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	return app.NewAgents(dir, nil, p.Agents...)
}

func (p *program) agents() *cobra.Command {
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "List agents: the built-in ones and your own", Args: exact(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			r, err := p.registry()
			if err != nil {
				return err
			}
			agents, err := r.List()
			if err != nil {
				return err
			}
			for _, x := range agents {
				if asJSON {
					if err := p.line(x); err != nil {
						return err
					}
					continue
				}
				what := p.told(x.Description)
				switch {
				case x.Error != "":
					what = p.language().Say("cannot run: %s", p.failed(x.Error))
				case x.Experimental:
					what = p.language().Say("(experimental) %s", what)
				}
				p.say("%-16s %s", x.ID, what)
				for _, k := range x.Patterns {
					p.say("    --var pattern=%-12s %s", k.ID, p.told(k.Description))
				}
			}
			return nil
		}}
	var mermaid, asFile bool
	var vars []string
	show := &cobra.Command{Use: "show AGENT", Short: "Print an agent's manifest as JSON, its diagram, or its file", Args: exact(1, "one agent, a file with one, or example:NAME"),
		Long: "Print an agent's manifest as JSON, its diagram, or the file of one of your own. To change one:\n" +
			"    holdpoint agents show NAME --yaml > NAME.yaml      then write, and\n" +
			"    holdpoint agents add NAME.yaml                     puts it in the place of the one with its name\n" +
			"Turns that began with the old one finish with it.",
		RunE: func(_ *cobra.Command, args []string) error {
			if mermaid && asFile {
				return misuse("give --mermaid or --yaml, not both")
			}
			v, err := assignments(vars)
			if err != nil {
				return err
			}
			r, err := p.registry()
			if err != nil {
				return err
			}
			var m app.AgentManifest
			var body string
			kept := false
			switch example, is := strings.CutPrefix(args[0], examplePrefix); {
			case is:
				x, noExample := app.ExampleOf(example)
				if noExample != nil {
					return noExample
				}
				body = x.Text
			case isFile(args[0]):
				if body, err = app.ReadDefinitionFile(args[0]); err != nil {
					return err
				}
			case asFile:
				if body, err = r.Definition(args[0]); err != nil {
					return err
				}
			default:
				kept = true
			}
			switch {
			case asFile:
				_, err := fmt.Fprint(p.out, body)
				return err
			case kept:
				m, err = r.Manifest(args[0], v)
			default:
				m, err = r.ManifestOfFile(body)
			}
			if err != nil {
				return p.definition(args[0], err)
			}
			if mermaid {
				_, err := fmt.Fprint(p.out, visible.Text(m.Mermaid))
				return err
			}
			return p.line(m)
		}}
	show.Flags().BoolVar(&mermaid, "mermaid", false, "print a Mermaid flowchart")
	show.Flags().BoolVar(&asFile, "yaml", false, "print the file of an agent of your own, as it was added")
	show.Flags().StringArrayVar(&vars, "var", nil, "name=value, e.g. pattern=NAME")
	var manifestOf string
	check := &cobra.Command{Use: "check FILE", Short: "Check an agent's file; mistakes come with line and column", Args: exact(1, "one file"),
		Long: "Check an agent's file without running or keeping it. Mistakes come as FILE:LINE:COLUMN: MESSAGE, all of them at once;\n" +
			"what is odd and can run all the same has \"warning:\" before the message.\n" +
			"Exit status: 0 the file can run, 2 it has mistakes.\n\n" +
			"Before every graph come the stages preflight and safety_intervention: each message passes the reviewed safety\n" +
			"rules first, and one that speaks of danger gets the crisis text with its hotlines, whatever the file says.\n\n" + authorsHelp(),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := p.registry()
			if err != nil {
				return err
			}
			body, err := app.ReadDefinitionFile(args[0])
			if err != nil {
				return err
			}
			if manifestOf != "" {
				return p.checkManifest(r, manifestOf, args[0], body, asJSON)
			}
			problems, err := r.Check(body)
			if err != nil {
				return err
			}
			warnings := r.Warnings(body)
			if asJSON {
				if err := p.line(map[string]any{"ok": len(problems) == 0, "errors": problems, "warnings": warnings}); err != nil {
					return err
				}
			} else {
				p.problems(args[0], problems)
				p.warnings(args[0], warnings)
			}
			if len(problems) > 0 {
				return exit(ExitUsage)
			}
			if !asJSON {
				p.say("%s can run: holdpoint run --agent %s \"…\"", args[0], args[0])
			}
			return nil
		}}
	check.Flags().StringVar(&manifestOf, "manifest-of", "", "the file is the manifest of a node of this agent")
	add := &cobra.Command{Use: "add FILE", Short: "Keep an agent's file among the agents", Args: exact(1, "one file"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := p.registry()
			if err != nil {
				return err
			}
			body, err := app.ReadDefinitionFile(args[0])
			if err != nil {
				return err
			}
			id, err := r.Add(body)
			if err != nil {
				return p.definition(args[0], err)
			}
			if asJSON {
				return p.line(map[string]string{"id": id})
			}
			p.say("Added %s. holdpoint run --agent %s \"…\"", id, id)
			return nil
		}}
	remove := &cobra.Command{Use: "remove NAME", Short: "Remove an agent of your own that has no unfinished turns", Args: exact(1, "one agent"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				if err := a.RemoveAgent(args[0]); err != nil {
					return err
				}
				p.say("Removed %s. Its finished turns stay in their sessions.", args[0])
				return nil
			})
		}}
	var keep bool
	examples := &cobra.Command{Use: "examples [NAME]", Short: "List whole graphs to start your own from, or print one", Args: cobra.MaximumNArgs(1),
		Long: "Without a name: list the examples. With one: print its file; --add keeps it among your agents instead.\n" +
			"holdpoint run --agent example:NAME \"message\" runs one as it is, --practice lets a script answer.",
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := app.Examples()
			if err != nil {
				return err
			}
			for _, x := range list {
				switch {
				case len(args) == 0 && asJSON:
					if err := p.line(x); err != nil {
						return err
					}
				case len(args) == 0:
					p.say("%-18s %s", x.Name, p.told(x.Description))
				}
			}
			if len(args) == 0 {
				return nil
			}
			x, err := app.ExampleOf(args[0])
			if err != nil {
				return err
			}
			if !keep {
				_, err := fmt.Fprint(p.out, x.Text)
				return err
			}
			r, err := p.registry()
			if err != nil {
				return err
			}
			id, err := r.Add(x.Text)
			if err != nil {
				return p.definition(x.Name, err)
			}
			p.say("Added %s. holdpoint run --agent %s %q", id, id, x.Message)
			return nil
		}}
	examples.Flags().BoolVar(&keep, "add", false, "keep it among your agents")
	manual := &cobra.Command{Use: "manual [CHAPTER]", Short: "Print how graphs are written, or a chapter of it", Args: cobra.MaximumNArgs(1),
		Long: "Print how graphs are written to standard output, to page through or to search. A chapter is a heading of it, e.g. flags,\n" +
			"limits, fan_out or templates.",
		RunE: func(_ *cobra.Command, args []string) error {
			text := authorsHelp()
			if len(args) > 0 {
				chapter, known := chapterOf(text, args[0])
				if chapter == "" {
					return app.NoChapter(args[0], known)
				}
				text = chapter
			}
			_, err := fmt.Fprint(p.out, text)
			return err
		}}
	tools := &cobra.Command{Use: "tools [NAME]", Short: "List the tools that graphs can use, with their arguments", Args: cobra.MaximumNArgs(1),
		Long: "List the tools that a graph can name, or say what one of them takes. One that changes something waits for approval.\n" +
			"Tools of servers are listed by holdpoint mcp. --json prints each with the JSON Schema of its arguments.",
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := p.registry()
			if err != nil {
				return err
			}
			var names []string
			found := false
			for _, x := range r.Tools() {
				if names = append(names, x.Name); len(args) > 0 && args[0] != x.Name {
					continue
				}
				found = true
				if asJSON {
					if err := p.line(x); err != nil {
						return err
					}
				} else if _, err := fmt.Fprint(p.out, p.tool(x)); err != nil {
					return err
				}
			}
			if !found {
				return app.NoTool(args[0], names)
			}
			return nil
		}}
	var ofManifests bool
	schema := &cobra.Command{Use: "schema", Short: "Print the JSON Schema of agents' files", Args: exact(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			text := app.AgentSchema()
			if ofManifests {
				text = app.ManifestSchema()
			}
			_, err := fmt.Fprintf(p.out, "%s\n", text)
			return err
		}}
	schema.Flags().BoolVar(&ofManifests, "manifest", false, "of the manifests of nodes")
	g := group("agents", "List, show, check and add agents", list, show, check, p.prompt(&asJSON), add, remove, examples, manual, tools, schema)
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

// checkManifest checks the manifest of a node.
func (p *program) checkManifest(r *app.Agents, agent, file, body string, asJSON bool) error {
	problems, err := r.CheckManifest(agent, body)
	if err != nil {
		return err
	}
	if asJSON {
		if err := p.line(map[string]any{"ok": len(problems) == 0, "errors": problems}); err != nil {
			return err
		}
	} else {
		p.problems(file, problems)
	}
	if len(problems) > 0 {
		return exit(ExitUsage)
	}
	if !asJSON {
		p.say("%s is a manifest of %s.", file, agent)
	}
	return nil
}

// isFile says that an agent is named by the file of its definition.
func isFile(agent string) bool {
	return strings.HasSuffix(agent, ".yaml") || strings.HasSuffix(agent, ".yml") || strings.ContainsRune(agent, os.PathSeparator)
}

// problems prints mistakes as compilers do.
func (p *program) problems(file string, list []app.Problem) {
	for _, x := range list {
		if x.Line == 0 {
			p.say("%s: %s", file, p.failed(x.Message))
			continue
		}
		p.say("%s:%d:%d: %s", file, x.Line, x.Column, p.failed(x.Message))
	}
}

// warnings prints what is odd and keeps no graph from running.
func (p *program) warnings(file string, list []app.Problem) {
	for _, x := range list {
		if x.Line == 0 {
			p.say("%s: warning: %s", file, p.failed(x.Message))
			continue
		}
		p.say("%s:%d:%d: warning: %s", file, x.Line, x.Column, p.failed(x.Message))
	}
}

// definition prints the mistakes that an error tells of and makes the exit code of them.
func (p *program) definition(file string, err error) error {
	var f *app.Fault
	if !errors.As(err, &f) || len(f.Problems) == 0 || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.problems(file, f.Problems)
	p.say("  do:   %s", p.told(f.Hint))
	return exit(ExitUsage)
}

// chapterOf is a part of the manual from its heading to the next one of that level or above,
// by the heading or the first that has the words in it; "" when there is none, with the headings.
func chapterOf(text, name string) (chapter string, known []string) {
	lines := strings.SplitAfter(text, "\n")
	begin, level, exact, code := -1, 0, false, false
	for i, line := range lines {
		code = code != strings.HasPrefix(line, "```")
		depth := len(line) - len(strings.TrimLeft(line, "#"))
		heading, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimSpace(line), "#"), " ")
		if code || depth == 0 || !ok {
			continue
		}
		if known = append(known, heading); begin >= 0 && chapter == "" && depth <= level {
			chapter = strings.Join(lines[begin:i], "")
		}
		same := strings.EqualFold(heading, name)
		if same && !exact || begin < 0 && strings.Contains(strings.ToLower(heading), strings.ToLower(name)) {
			begin, level, exact, chapter = i, depth, same, ""
		}
	}
	if begin >= 0 && chapter == "" {
		chapter = strings.Join(lines[begin:], "")
	}
	return chapter, known
}

// tool words a tool for authors of graphs: what it is for and what it takes.
func (p *program) tool(x tool.Description) string {
	var b strings.Builder
	g := p.language()
	fmt.Fprintf(&b, "%s\n    %s\n", x.Name, p.told(x.Description))
	if x.Mutates {
		fmt.Fprintf(&b, "    %s\n", g.Say("It changes something, so each call waits for approval."))
	}
	var takes struct {
		Properties map[string]struct {
			Description string `json:"description"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(x.Parameters, &takes) != nil { // that of a tool is a schema; without one nothing is said of it
		return b.String()
	}
	for _, name := range slices.Sorted(maps.Keys(takes.Properties)) {
		needed := ""
		if slices.Contains(takes.Required, name) {
			needed = " (" + g.Say("needed") + ")"
		}
		about := takes.Properties[name].Description
		if about != "" {
			about = g.Say(": ") + p.told(about)
		}
		fmt.Fprintf(&b, "    %s%s%s\n", name, needed, about)
	}
	return b.String()
}

// authorsHelp are the help pages for authors of graphs, for a terminal.
func authorsHelp() string {
	var b strings.Builder
	for _, page := range app.AuthorsHelp() {
		text := strings.TrimSpace(page.Markdown)
		if !strings.HasPrefix(text, "#") {
			fmt.Fprintf(&b, "# %s\n\n", page.Title)
		}
		b.WriteString(text + "\n\n")
	}
	return b.String()
}
