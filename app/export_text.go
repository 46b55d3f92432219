package app

import (
	"bufio"
	"fmt"
	"html/template"
	"strings"
	"time"

	"holdpoint/app/markup"
	"holdpoint/app/tongue"
	"holdpoint/engine/visible"
)

func (x *exporting) markdown(b *bufio.Writer) error {
	if err := x.place(); err != nil {
		return err
	}
	t, say := x.head, x.head.tongue.Say
	fmt.Fprintf(b, "# %s\n\n", inert(visible.Line(t.Session.Title)))
	if t.Practice {
		b.WriteString("**" + say("PRACTICE: a script answered, not a model.") + "**\n\n")
	}
	fmt.Fprintf(b, "- %s\n- %s\n", say("%s: %s", say("session"), "`"+fileSafe(t.Session.ID)+"`"), say("%s: %s", say("agent"), inert(visible.Line(t.agent()))))
	if about := t.Session.About(); about.ID != "" {
		fmt.Fprintf(b, "- %s (`%s`)\n", say("%s: %s", inert(visible.Line(t.tongue.Told(strings.ToLower(about.Type)))), inert(visible.Line(t.Session.SubjectName))), fileSafe(about.ID))
	}
	if t.Part != nil {
		fmt.Fprintf(b, "- **%s**\n", t.Part.say(t.tongue))
	}
	if lacks := x.incomplete(); lacks != "" {
		fmt.Fprintf(b, "- **%s**\n", say("%s: %s", say("incomplete"), lacks))
	}
	fmt.Fprintf(b, "- %s\n- %s\n", say("exported: %s by %s", t.tongue.Moment(t.GeneratedAt), t.Generator), say(t.tongue.Told(t.SafetyLine)))
	if !x.trace {
		fmt.Fprintf(b, "- %s\n", say("%s: %s", say("trace"), say(noTrace)))
	}
	return x.each(func(i int, t Transcript) error {
		turn := t.named()
		fmt.Fprintf(b, "\n## %s\n\n`%s` %s, %s  \n%s\n", say("Turn %d — %s", i+1, t.tongue.Moment(turn.StartedAt.In(t.zone()))), fileSafe(turn.Turn), say(string(turn.Status)),
			answeredBy(t.tongue, turn), say("used %s", usedBy(t.tongue, turn)))
		if other := t.names.other; other != "" {
			fmt.Fprintf(b, "\n%s\n", say("%s: %s", say("about another record than the session"), inert(visible.Line(other))))
		}
		for _, e := range t.entries(turn.Turn, x.trace) {
			fmt.Fprintf(b, "\n**%s** · %d · %s\n", inert(visible.Line(e.Label)), e.Seq, clock(e.At, turn.StartedAt, t.zone()))
			if e.Text != "" {
				b.WriteString("\n")
				for line := range strings.Lines(visible.Text(strings.ReplaceAll(e.Text, "\r\n", "\n"))) {
					fmt.Fprintf(b, "> %s  \n", inert(strings.TrimRight(line, "\n")))
				}
			}
			if mono := visible.Text(e.Mono); mono != "" {
				fmt.Fprintf(b, "\n%s\n%s\n%s\n", fence(mono), mono, fence(mono))
			}
		}
		return nil
	})
}

// noTrace says of an export where the machine's trace is.
var noTrace = tongue.Word("not in this file; “Include the trace” in the export, or --trace on the command line, brings it")

// clock is the time of day of what happened in a turn, with its date where that is not the one of the turn's heading.
func clock(at, heading time.Time, zone *time.Location) string {
	at = at.In(zone)
	if at.Format(time.DateOnly) != heading.In(zone).Format(time.DateOnly) {
		return at.Format("2006-01-02 15:04:05 MST")
	}
	return at.Format("15:04:05 MST")
}

// agent is the session's agent as people call it, and by the name that it is found under.
func (t Transcript) agent() string {
	title, id := t.tongue.Told(t.names.agent), t.Session.Agent
	if title == id || id == "" {
		return title
	}
	return title + " (" + id + ")"
}

// answeredBy are the agent of a turn and the model that it was to ask; what needs none answers where there is none.
func answeredBy(t tongue.Tongue, turn TurnView) string {
	agent := inert(visible.Line(agentOf(t, turn)))
	if turn.Model == "" {
		return t.Say("agent %s", agent)
	}
	return t.Say("agent %s, model %s", agent, inert(visible.Line(turn.Model)))
}

// named is the turn with its agent as people call it.
func (t Transcript) named() TurnView {
	turn := t.Turns[0]
	turn.Agent = t.tongue.Told(t.names.agent)
	return turn
}

// inert keeps visible text from being read as HTML, images or links of the document.
func inert(s string) string {
	return strings.NewReplacer("<", "&lt;", "![", `!\[`, "](", `]\(`, "]:", `]\:`, "`", "\\`").Replace(s)
}

// fence is a code fence that the text cannot close.
func fence(s string) string {
	f := "```"
	for strings.Contains(s, f) {
		f += "`"
	}
	return f
}

var page = template.Must(template.New("transcript").Funcs(template.FuncMap{"visible": visible.Text, "said": markup.HTML, "line": visible.Line, "inc": func(i int) int { return i + 1 }}).
	Funcs(pageFuncs("")).Parse(`{{define "head"}}<!doctype html>
<html lang="{{lang}}"><head><meta charset="utf-8"><title>{{line .T.Session.Title}}</title>
<style>
body{font:14px/1.5 Inter,system-ui,sans-serif;color:#0f172a;background:#fff;max-width:50rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;border-top:1px solid #cbd5e1;padding-top:1rem;margin-top:2rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem}dt{color:#475569}dd{margin:0;overflow-wrap:anywhere}
article{margin:.8rem 0;padding:.5rem .8rem;border-left:3px solid #cbd5e1}
article.user{border-color:#0f766e}article.hold{border-color:#b45309;background:#fffbeb}article.trace{color:#475569;font-size:12px}
header{font-size:12px;color:#475569}p{margin:.3rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
pre{font:12px/1.5 "JetBrains Mono",monospace;background:#f1f5f9;padding:.5rem;white-space:pre-wrap;overflow-wrap:anywhere}
h3,h4{font-size:1rem;margin:.6rem 0 .2rem}ul,ol{margin:.3rem 0;padding-left:1.3rem}ol{list-style:none;padding-left:.5rem}li{white-space:pre-wrap;overflow-wrap:anywhere}li>p,li>ul,li>ol{margin:.1rem 0}
code{font:12px/1.5 "JetBrains Mono",monospace;background:#f1f5f9}blockquote{margin:.3rem 0;padding-left:.7rem;border-left:2px solid #cbd5e1}table{border-collapse:collapse}th,td{border:1px solid #cbd5e1;padding:.1rem .4rem;text-align:left}
.practice{border:2px solid #b45309;padding:.5rem .8rem;font-weight:600}
@media print{body{margin:0}article{break-inside:avoid}}
</style></head><body>
<h1>{{line .T.Session.Title}}</h1>
{{if .T.Practice}}<p class="practice">{{say "Practice: a script answered, not a model."}}</p>{{end}}
<dl><dt>{{say "Session"}}</dt><dd>{{line .T.Session.ID}}</dd><dt>{{say "Agent"}}</dt><dd>{{line .Agent}}</dd>
{{with .T.Session.About}}{{if .ID}}<dt>{{line .Type}}</dt><dd>{{line $.T.Session.SubjectName}} ({{line .ID}})</dd>{{end}}{{end}}
{{with .T.Part}}<dt>{{say "Part"}}</dt><dd><strong>{{part .}}</strong></dd>{{end}}
{{with .Lacks}}<dt>{{say "Incomplete"}}</dt><dd><strong>{{.}}</strong></dd>{{end}}
<dt>{{say "Exported"}}</dt><dd>{{say "%s by %s" (moment .T.GeneratedAt) .T.Generator}}</dd><dt>{{say "Note"}}</dt><dd>{{say (told .T.SafetyLine)}}</dd>{{if not .Trace}}<dt>{{say "Trace"}}</dt><dd>{{say noTrace}}</dd>{{end}}</dl>
{{end}}
{{define "turn"}}<section><h2>{{say "Turn %d — %s" (inc .I) (moment (.Turn.StartedAt.In .Zone))}}</h2>
<p>{{line .Turn.Turn}} · {{say (print .Turn.Status)}} · {{say "agent %s" (line (agent .Turn))}} ·{{with .Turn.Model}} {{say "model %s" (line .)}} ·{{end}} {{say "used %s" (used .Turn)}}</p>
{{if .Other}}<p>{{say "%s: %s" (say "about another record than the session") (line .Other)}}</p>
{{end}}{{range .Entries}}<article class="{{.Kind}}"><header><strong>{{line .Label}}</strong> · {{.Seq}} · {{clock .At $.Turn.StartedAt $.Zone}}</header>
{{if .Text}}{{if eq .Kind "assistant"}}<div>{{said .Text}}</div>{{else}}<p>{{visible .Text}}</p>{{end}}{{end}}{{if .Mono}}<pre>{{visible .Mono}}</pre>{{end}}</article>
{{end}}</section>
{{end}}`))

func (x *exporting) html(w *bufio.Writer) error {
	if err := x.place(); err != nil {
		return err
	}
	page, err := page.Clone()
	if err != nil {
		return fmt.Errorf("app: export: %w", err)
	}
	page.Funcs(pageFuncs(x.head.tongue))
	if err := page.ExecuteTemplate(w, "head", struct {
		T     Transcript
		Agent string
		Trace bool
		Lacks string
	}{x.head, x.head.agent(), x.trace, x.incomplete()}); err != nil {
		return err
	}
	if err := x.each(func(i int, t Transcript) error {
		return page.ExecuteTemplate(w, "turn", struct {
			I       int
			Turn    TurnView
			Entries []entry
			Other   string
			Zone    *time.Location
		}{i, t.named(), t.entries(t.Turns[0].Turn, x.trace), t.names.other, t.zone()})
	}); err != nil {
		return err
	}
	_, err = w.WriteString("</body></html>\n")
	return err
}

// pageFuncs are what a page says by.
func pageFuncs(g tongue.Tongue) template.FuncMap {
	return template.FuncMap{"say": g.Say, "told": g.Told, "moment": g.Moment, "clock": clock, "lang": func() tongue.Tongue { return g }, "part": func(p Part) string { return p.say(g) },
		"agent": func(t TurnView) string { return agentOf(g, t) }, "used": func(t TurnView) string { return usedBy(g, t) }, "noTrace": func() string { return noTrace }}
}
