package command

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/memory"
	"holdpoint/engine/session"
	"holdpoint/engine/visible"
)

func (p *program) memory() *cobra.Command {
	var asJSON bool
	show := &cobra.Command{Use: "show SESSION", Short: "Show what a session remembers, and what is remembered of it", Args: exact(1, "one session id"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				m, err := a.Memory(args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return p.line(m)
				}
				for _, t := range m.Tools {
					if t.Weak {
						p.say("%s: %s", p.told(t.Title), p.language().Say(app.WrittenByWeak))
					}
					if t.Lines == nil {
						p.say("%-18s completeness %.2f  %s\n    %s", t.Tool, t.Completeness, a.When(t.At), t.Output)
						continue
					}
					p.say("%-18s completeness %.2f  %s", p.told(t.Title), t.Completeness, a.When(t.At))
					for _, line := range t.Lines {
						from := ""
						if line.From != "" {
							from = " (" + visible.Line(line.From) + ")"
						}
						p.say("    %s\n        %s%s", visible.Line(line.Title), visible.Line(line.Text), from)
					}
				}
				if m.Scratchpad != "" {
					p.say("scratchpad\n    %s", strings.ReplaceAll(m.Scratchpad, "\n", "\n    "))
				}
				for _, e := range m.Entities {
					p.say("%-18s %s", e.Kind, e.Text)
				}
				if len(m.Recent) > 0 {
					p.say("touched last       %s", strings.Join(m.Recent, ", "))
				}
				for _, e := range m.Episodes {
					p.episode(a, e)
				}
				return nil
			})
		}}
	var about string
	search := &cobra.Command{Use: "search [TEXT]", Short: "Find what is remembered of conversations; all of it without TEXT", Args: cobra.MaximumNArgs(1),
		Long: `Find what is remembered of conversations: by meaning with the sentence encoder or the chosen embedding model, by words
without. Without TEXT everything is listed, the newest first. With --json: a line {id, about, session, text, by, at, turns,
similarity, …} for each, then {on, method, encoder, lake: {waiting, making, kept, failed}}.

` + app.MemorySays + `
Switch it with: holdpoint settings set memory on`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				m, err := a.Memories(cmd.Context(), about, strings.Join(args, ""))
				if err != nil {
					return err
				}
				if asJSON {
					for _, e := range m.Episodes {
						if err := p.line(e); err != nil {
							return err
						}
					}
					return p.line(struct {
						On      bool         `json:"on"`
						Method  string       `json:"method,omitempty"`
						Encoder string       `json:"encoder,omitempty"`
						Lake    memory.State `json:"lake"`
					}{m.On, m.Method, m.Encoder, m.Lake})
				}
				for _, e := range m.Episodes {
					p.episode(a, e)
				}
				switch {
				case len(m.Episodes) == 0 && !m.On:
					p.say("Nothing is remembered; memory is off. %s\nSwitch it on with: holdpoint settings set memory on", p.told(m.Says))
				case len(m.Episodes) == 0:
					p.say("Nothing is remembered that fits.")
				case !m.On && slices.ContainsFunc(m.Episodes, func(e app.EpisodeView) bool { return e.Consent == "" }):
					p.say("Memory is off: what is about a record, or about none, is kept and told to no model.")
				}
				if slices.ContainsFunc(m.Episodes, func(e app.EpisodeView) bool { return e.Consent == session.FullConsent }) {
					p.say("An agent that asks for consent tells its model what was agreed to, whatever the setting says; see holdpoint sessions consent.")
				}
				if m.Method != "" {
					p.say("Compared by %s.", strings.TrimSpace(p.language().Say(m.Method)+" "+m.Encoder))
				}
				if m.Lake.Waiting > 0 {
					p.say("%s", counted(p.language(), m.Lake.Waiting, tongue.Word("1 conversation waits to be remembered."), tongue.Word("%d conversations wait to be remembered.")))
				}
				return nil
			})
		}}
	search.Flags().StringVar(&about, "about", "", "only about this record, as TYPE/ID, or the word "+memory.Person)
	correct := &cobra.Command{Use: "correct ID TEXT", Short: "Put your own words in the place of what is remembered", Args: exact(2, "an id (mem-…) and a text"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				e, err := a.CorrectEpisode(args[0], args[1])
				if err != nil {
					return err
				}
				if asJSON {
					return p.line(e)
				}
				if e.Help != nil {
					p.tell("%s", paragraph(e.Help.Text))
				}
				p.episode(a, e)
				return nil
			})
		}}
	var toolName string
	forget := &cobra.Command{Use: "forget SESSION|ID", Short: "Forget a session's working memory, or what is remembered under an id", Args: exact(1, "one session id, or an id of memory (mem-…)"),
		Long: `Forget a session's working memory, so that the next turn collects it again; or, with an id of memory (mem-…, see
holdpoint memory search), what is remembered of a conversation: it is in no later prompt or search, and its words leave the
file with the next holdpoint compact.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				if !strings.HasPrefix(args[0], memory.IDPrefix) {
					return a.Forget(args[0], toolName)
				}
				if err := a.ForgetEpisode(args[0]); err != nil {
					return err
				}
				p.say("Forgotten. holdpoint compact also takes the words out of the file.")
				return nil
			})
		}}
	forget.Flags().StringVar(&toolName, "tool", "", "of a session: only this tool's bundle")
	g := group("memory", "Show, search, correct and forget what is remembered", show, search, correct, forget)
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	return g
}

// episode prints what is remembered of a conversation.
func (p *program) episode(a *app.App, e app.EpisodeView) {
	near := ""
	if e.Similarity != nil {
		near = p.language().Say("similarity %.2f", *e.Similarity)
	}
	about := e.About
	if e.AboutName != "" {
		about += " (" + p.language().Told(e.AboutName) + ")"
	}
	by := cmp.Or(p.told(e.ByName), p.language().Say(e.By))
	if e.Weak {
		near = strings.TrimSpace(near + "  " + p.language().Say(app.WrittenByWeak))
	}
	p.say("%s  %s  %s  session %s  by %s  %s\n    %s", e.ID, a.When(e.At), about, e.Session, by, near, e.Text)
}
