package app

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/agent"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/visible"
	"holdpoint/store"
)

// SignedForm is a form with who signed it, as JSON has it.
type SignedForm struct {
	agent.Form
	Record   string `json:"record"`
	Version  string `json:"version"`
	Reviewer string `json:"reviewer,omitempty"`
	// Identity is by what the reviewer's name is known.
	Identity ledger.Identity `json:"identity,omitempty"`
	SignedAt *time.Time      `json:"signed_at,omitempty"`
	Comment  string          `json:"comment,omitempty"`
	Digest   string          `json:"digest,omitempty"`
	// Modified says that the reviewer changed what the agent had asked for.
	Modified bool `json:"modified"`
	// Practice says that a script put it together, and no model.
	Practice bool `json:"practice"`
}

// Form reads a record that is a form, with who signed it.
func (a *App) Form(typ, id string) (SignedForm, error) {
	read := a.agents.formOf(typ)
	if read == nil {
		return SignedForm{}, &Fault{Code: "not_found", Message: fmt.Sprintf("Records of the type %q are not forms.", typ), HTTP: 404}
	}
	return a.signedForm(record.Ref{Type: typ, ID: id}, read)
}

func (a *App) signedForm(ref record.Ref, read func(record.Record) (agent.Form, error)) (SignedForm, error) {
	f := SignedForm{Record: ref.String()}
	turn := ""
	err := a.Store.Read(func(tx store.Tx) error {
		r, err := tx.Record(ref)
		if err != nil {
			return err
		}
		f.Version = r.Version
		if f.Form, err = read(r); err != nil {
			return err
		}
		e, err := tx.Entry(f.Call)
		if errors.Is(err, ledger.ErrNotFound) {
			return nil // its session was deleted
		}
		if err != nil {
			return err
		}
		ap, err := tx.Approval(e.Approval)
		if errors.Is(err, ledger.ErrNotFound) {
			return nil // an older version deleted its session
		}
		if err == nil {
			f.Practice = ap.Practice
			f.Reviewer, f.Identity, f.SignedAt, f.Comment, f.Digest, f.Modified, turn = ap.Reviewer, ap.Identity, ap.DecidedAt, ap.Comment, ap.Digest, ap.Original != nil, ap.Turn
		}
		return err
	})
	if err != nil || turn == "" {
		return f, err
	}
	row, err := a.Store.Run(RunID(turn))
	if errors.Is(err, run.ErrNoRun) {
		return f, nil // its turn was deleted
	}
	f.Practice = row.Practice
	return f, err
}

// exportForm makes a form ready to be exported, as its agent reads it, in a language. JSON
// and the headings and states of CSV are for programs.
func (a *App) exportForm(ref record.Ref, read func(record.Record) (agent.Form, error), format string, g tongue.Tongue) (Export, error) {
	f, err := a.signedForm(ref, read)
	if err != nil {
		return Export{}, err
	}
	out := Export{Name: "holdpoint-" + fileSafe(ref.ID)}
	switch format {
	case "", "md":
		out.Name, out.ContentType, out.Write = out.Name+".md", "text/markdown; charset=utf-8", func(w io.Writer) error { return f.markdown(g, w) }
	case "html":
		out.Name, out.ContentType, out.Write = out.Name+".html", "text/html; charset=utf-8", func(w io.Writer) error { return f.html(g, w) }
	case "json":
		out.Name, out.ContentType, out.Write = out.Name+".json", "application/json", func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(f)
		}
	case "csv":
		out.Name, out.ContentType, out.Write = out.Name+".csv", "text/csv; charset=utf-8", f.csv
	default:
		return Export{}, Bad(fmt.Sprintf("There is no format %q.", format), "Use md, html, json or csv.")
	}
	return out, nil
}

// formOf is what reads a type's records as forms; nil for a type that is none.
func (r *Agents) formOf(typ string) func(record.Record) (agent.Form, error) {
	for _, x := range r.builtIn {
		for _, t := range x.Records {
			if t.Type == typ && t.Form != nil {
				return t.Form
			}
		}
	}
	return nil
}

// formsOf reads what waits as a form, where it is one, and as it was before a reviewer
// modified it; nil for anything else.
func (a *App) formsOf(ap ledger.Approval) (now, before *agent.Form) {
	read := func(changes []ledger.Change) *agent.Form {
		for _, c := range changes {
			if of := a.agents.formOf(c.Ref.Type); of != nil && len(c.After) > 0 && string(c.After) != "null" {
				if f, err := of(record.Record{Ref: c.Ref, Resource: c.After}); err == nil {
					return &f
				}
			}
		}
		return nil
	}
	now = read(ap.Changes)
	if ap.Original != nil {
		before = read(ap.Original.Changes)
	}
	return now, before
}

// signature says who signed the form.
func (f SignedForm) signature(g tongue.Tongue) string {
	if f.Reviewer == "" || f.SignedAt == nil {
		return g.Say("Who signed it is not here any more.")
	}
	text := ""
	if f.Practice {
		text = g.Say("PRACTICE: a script answered, not a model.") + " "
	}
	text += g.Say("Signed by %s on %s; what was signed has the digest %s.", reviewerWords(g, f.Reviewer, f.Identity), f.SignedAt.UTC().Format(time.RFC3339), f.Digest)
	if f.Modified {
		text += " " + g.Say("The reviewer changed what the agent had asked for.")
	}
	return text
}

// formList is a list below the boxes of a form.
type formList struct {
	Title string
	Lines []string
}

// formLists are a form's lists, their lines in the language.
func formLists(g tongue.Tongue, f agent.Form) []formList {
	lists := []formList{{tongue.Word("Missing"), f.Missing}, {tongue.Word("Attachments to add"), f.Attachments}, {tongue.Word("Assumptions"), f.Assumptions}, {tongue.Word("Notes"), f.Notes}}
	for i := range lists {
		lines := make([]string, len(lists[i].Lines))
		for n, l := range lists[i].Lines {
			lines[n] = g.Told(l)
			if box, label, ok := strings.Cut(l, ": "); ok && i == 0 {
				lines[n] = g.Say("%s: %s", box, g.Told(label))
			}
		}
		lists[i].Lines = lines
	}
	return lists
}

// boxValue is what stands in a box, or why nothing does.
func boxValue(g tongue.Tongue, x agent.Box) string {
	if x.Status != "filled" {
		return "(" + g.Say(strings.ReplaceAll(x.Status, "%", "%%")) + ")"
	}
	return strings.TrimSpace(x.Value + " " + x.Unit)
}

func (f SignedForm) markdown(g tongue.Tongue, w io.Writer) error {
	line := func(s string) string { return inert(visible.Line(s)) }
	// A backslash before a bar would take the bar's own one away.
	// What stands in a box is not the program's to say in another language.
	asIs := func(s string) string {
		return inert(strings.NewReplacer("\\", "\\\\", "|", "\\|").Replace(visible.Line(s)))
	}
	cell := func(s string) string { return asIs(g.Told(s)) }
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n%s\n\n%s\n\n", g.Say("Form %s: %s", line(f.Name), line(g.Told(f.Title))), line(f.Subject), line(f.signature(g)), line(g.Told(f.Layout)))
	fmt.Fprintf(&b, "| %s | | %s | %s | %s |\n|---|---|---|---|---|\n", g.Say("box"), g.Say("value"), g.Say("source"), g.Say("note"))
	for _, x := range f.Boxes {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", asIs(x.ID), cell(x.Label), asIs(boxValue(g, x)), cell(x.Source), cell(x.Note))
	}
	for _, part := range formLists(g, f.Form) {
		if len(part.Lines) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", g.Say(part.Title))
			for _, l := range part.Lines {
				fmt.Fprintf(&b, "- %s\n", line(l))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f SignedForm) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"box", "label", "value", "unit", "status", "source", "note"}}
	if f.Practice {
		rows = append(rows, []string{"practice", "PRACTICE: a script answered, not a model.", "true", "", "", "", ""})
	}
	for _, x := range f.Boxes {
		rows = append(rows, []string{plainCell(x.ID), plainCell(x.Label), plainCell(x.Value), plainCell(x.Unit), x.Status, plainCell(x.Source), plainCell(x.Note)})
	}
	if err := c.WriteAll(rows); err != nil {
		return err
	}
	return c.Error()
}

// plainCell keeps a text from being a formula where a table is opened.
func plainCell(s string) string {
	s = visible.Line(s)
	if _, err := strconv.ParseFloat(s, 64); err != nil && s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

var formPage = template.Must(template.New("form").Funcs(template.FuncMap{"line": visible.Line}).Funcs(formFuncs("")).Parse(`<!doctype html>
<html lang="{{lang}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{say "Form %s" (line .Name)}}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}table{border-collapse:collapse;width:100%}td,th{border:1px solid #8888;padding:.3rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}.missing td{font-style:italic}</style></head>
<body><h1>{{say "Form %s: %s" (line .Name) (line (told .Title))}}</h1><p>{{line .Subject}}</p><p>{{line (signature .)}}</p><p>{{line (told .Layout)}}</p>
<table><thead><tr><th scope="col">{{say "Box"}}</th><th scope="col">{{say "What"}}</th><th scope="col">{{say "Value"}}</th><th scope="col">{{say "Source"}}</th><th scope="col">{{say "Note"}}</th></tr></thead><tbody>
{{range .Boxes}}<tr{{if ne .Status "filled"}} class="missing"{{end}}><th scope="row">{{line .ID}}</th><td>{{line (told .Label)}}</td><td>{{line (value .)}}</td><td>{{line (told .Source)}}</td><td>{{line (told .Note)}}</td></tr>
{{end}}</tbody></table>
{{range lists .}}{{if .Lines}}<h2>{{say .Title}}</h2><ul>{{range .Lines}}<li>{{line .}}</li>{{end}}</ul>{{end}}{{end}}
</body></html>
`))

func formFuncs(g tongue.Tongue) template.FuncMap {
	return template.FuncMap{"say": g.Say, "told": g.Told, "lang": func() tongue.Tongue { return g }, "signature": func(f SignedForm) string { return f.signature(g) },
		"value": func(x agent.Box) string { return boxValue(g, x) }, "lists": func(f SignedForm) []formList { return formLists(g, f.Form) }}
}

func (f SignedForm) html(g tongue.Tongue, w io.Writer) error {
	page, err := formPage.Clone()
	if err != nil {
		return fmt.Errorf("app: export: %w", err)
	}
	return page.Funcs(formFuncs(g)).Execute(w, f)
}
