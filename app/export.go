package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/store"
)

// ExportQuery says what to export.
type ExportQuery struct {
	Session string
	Format  string // md, html, json
	// Trace includes stages, tools, model calls and timings in md and html; json always has them.
	Trace bool
	// From and To bound the turns by id, both included; empty for all.
	From, To string
}

// Export is a finished transcript.
type Export struct {
	Name        string // a file name
	ContentType string
	Body        []byte
}

// Transcript is a session as it is exported: everything that is needed to check
// who approved what, on which model, and what followed.
type Transcript struct {
	Format      string            `json:"format"` // "holdpoint-transcript/1"
	Generator   string            `json:"generator"`
	GeneratedAt time.Time         `json:"generated_at"`
	SafetyLine  string            `json:"safety_line"`
	Practice    bool              `json:"practice"`
	Session     SessionView       `json:"session"`
	Turns       []TurnView        `json:"turns"`
	Events      []journal.Event   `json:"events"`
	Approvals   []ledger.Approval `json:"approvals"`
	Ledger      []ledger.Entry    `json:"ledger"`
	// Blobs are the bodies that events refer to, by name.
	Blobs map[string]string `json:"blobs"`
	// Definitions are the files of people's own agents that turns ran on, by digest.
	Definitions map[string]string `json:"definitions,omitempty"`
}

// Export renders a session.
func (a *App) Export(q ExportQuery) (Export, error) {
	t, err := a.Transcript(q)
	if err != nil {
		return Export{}, err
	}
	name := "holdpoint-" + fileSafe(t.Session.ID)
	switch q.Format {
	case "", "md":
		return Export{name + ".md", "text/markdown; charset=utf-8", markdown(t, q.Trace)}, nil
	case "html":
		body, err := htmlTranscript(t, q.Trace)
		return Export{name + ".html", "text/html; charset=utf-8", body}, err
	case "json":
		body, err := json.MarshalIndent(t, "", "  ")
		return Export{name + ".json", "application/json", append(body, '\n')}, err
	}
	return Export{}, Bad(fmt.Sprintf("There is no format %q.", q.Format), "Use md, html or json.")
}

// Transcript collects a session from the store.
func (a *App) Transcript(q ExportQuery) (Transcript, error) {
	s, err := a.Session(q.Session)
	if err != nil {
		return Transcript{}, err
	}
	t := Transcript{Format: "holdpoint-transcript/1", Generator: "Holdpoint " + a.version, GeneratedAt: a.now().UTC(), SafetyLine: SafetyLine,
		Session: s, Blobs: map[string]string{}}
	turns, err := a.Turns(q.Session)
	if err != nil {
		return t, err
	}
	if t.Turns, err = between(turns, q.From, q.To); err != nil {
		return t, err
	}
	wanted := map[string]bool{}
	for _, turn := range t.Turns {
		wanted[turn.Turn] = true
		t.Practice = t.Practice || turn.Practice
		if digest := turn.Vars[definitionVar]; digest != "" {
			body, err := a.definition(digest)
			if err != nil {
				return t, err
			}
			if t.Definitions == nil {
				t.Definitions = map[string]string{}
			}
			t.Definitions[digest] = body
		}
	}
	if err := a.eachEvent(q.Session, func(e journal.Event) bool {
		if wanted[e.Turn] {
			t.Events = append(t.Events, e)
		}
		return true
	}); err != nil {
		return t, err
	}
	err = a.Store.Read(func(tx store.Tx) error {
		for _, turn := range t.Turns {
			if err := tx.Entries(turn.Turn, func(e ledger.Entry) (bool, error) {
				t.Ledger = append(t.Ledger, e)
				return true, nil
			}); err != nil {
				return err
			}
		}
		if err := tx.Approvals("", func(ap ledger.Approval) (bool, error) {
			if ap.Session == q.Session && wanted[ap.Turn] {
				ap.Status = ap.At(t.GeneratedAt)
				t.Approvals = append(t.Approvals, ap)
			}
			return true, nil
		}); err != nil {
			return err
		}
		for _, e := range t.Events {
			for _, name := range blobName.FindAllString(string(e.Data), -1) {
				body, err := tx.Blob(name)
				if err != nil {
					continue // not every digest in an event is a blob's
				}
				t.Blobs[name] = string(body)
			}
		}
		return nil
	})
	return t, err
}

var blobName = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

func between(turns []TurnView, from, to string) ([]TurnView, error) {
	if from == "" && to == "" {
		return turns, nil
	}
	at := func(id string, otherwise int) int {
		if id == "" {
			return otherwise
		}
		return slices.IndexFunc(turns, func(t TurnView) bool { return t.Turn == id })
	}
	i, j := at(from, 0), at(to, len(turns)-1)
	if i < 0 || j < i {
		return nil, Bad("The range does not name turns of this session in order.", "Leave it out to export all turns.")
	}
	return turns[i : j+1], nil
}

func fileSafe(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, s)
}

// fullText is the whole text of an event, also when it moved into a blob.
func (t Transcript) fullText(e journal.Event) string {
	// What cannot be read of the data does not make the text less than it is.
	if d, _ := journal.Read[journal.MessageData](e); d.FullText != nil {
		if body, ok := t.Blobs[d.FullText.Name]; ok {
			return body
		}
	}
	return e.Text
}

// entry is one line of a transcript.
type entry struct {
	Seq   uint64
	At    time.Time
	Label string
	Text  string
	Kind  string // user, assistant, hold, note, trace
	Mono  string
}

// entries puts a turn's events into words.
func (t Transcript) entries(turn string, trace bool) []entry {
	approvals := map[string]ledger.Approval{}
	for _, a := range t.Approvals {
		approvals[a.ID] = a
	}
	questions := t.questions(turn)
	var out []entry
	var said []string
	for _, e := range t.Events {
		if e.Turn != turn {
			continue
		}
		if e.Kind == journal.StagePaused {
			e = fill(e, questions)
		}
		n := entry{Seq: e.Seq, At: e.At, Kind: "note"}
		switch e.Kind {
		case journal.TurnStarted:
			n.Kind, n.Label, n.Text = "user", "Person", t.input(turn)
		case journal.Message:
			n.Kind, n.Label, n.Text = "assistant", t.speaker(e), t.fullText(e)
			said = append(said, n.Text)
		case journal.TurnCompleted:
			// A reply that no model wrote comes with the end of the turn only.
			reply := t.output(turn)
			if reply == "" || slices.Contains(said, reply) {
				continue
			}
			n.Kind, n.Label, n.Text = "assistant", "Holdpoint (put together by the graph)", reply
		case journal.SafetyChecked:
			n.Label, n.Text = EventWords(e)
		case journal.ApprovalRequested:
			a := approvals[e.Approval]
			n.Kind, n.Label = "hold", "Hold point"
			n.Text = fmt.Sprintf("%s\nApproval %s of tool %s, call %s, policy %s\nRequested %s, expires %s", a.Title, a.ID, a.Tool, a.Call, a.PolicyVersion,
				a.RequestedAt.UTC().Format(time.RFC3339), a.ExpiresAt.UTC().Format(time.RFC3339))
			n.Mono = "arguments " + visible(string(a.Args)) + "\ndigest    " + a.Digest
			if a.Original != nil {
				n.Mono += "\noriginal  " + visible(string(a.Original.Args)) + "\nits digest " + a.Original.Digest
			}
			for _, c := range a.Changes {
				n.Mono += fmt.Sprintf("\nrecord    %s\n  before  %s\n  after   %s", c.Ref, visible(string(c.Before)), visible(string(c.After)))
			}
		case journal.ApprovalDecided:
			d, err := journal.Read[journal.ApprovalDecidedData](e)
			if err != nil {
				d.Reviewer = "unreadable"
			}
			n.Kind, n.Label, n.Text = "hold", "Verdict", fmt.Sprintf("%s by %s", e.Status, d.Reviewer)
			if e.Reason != "" {
				n.Text += ": " + e.Reason
			}
			if d.Digest != "" {
				n.Mono = "digest " + d.Digest
			}
		case journal.ApprovalRefused:
			n.Kind, n.Label, n.Text = "hold", "Refused", e.Reason
		case journal.MutationCommitted:
			n.Label, n.Text, n.Mono = "Done", e.Tool+" was carried out", visible(string(e.Data))
		case journal.ToolRefused:
			n.Label, n.Text = "Not done", e.Tool+": "+e.Reason
		case journal.TurnFailed, journal.StageFailed:
			n.Label, n.Text = "Failed", string(e.Stage)+": "+e.Error
		case journal.TurnCancelled:
			n.Label, n.Text = "Stopped", "by a person"
			if e.Status == string(journal.Abandoned) {
				n.Label, n.Text = "Abandoned", e.Reason
			}
		case journal.TurnPaused:
			n.Label, n.Text = "Waiting", "for a person"
		case journal.TurnResumed:
			n.Label, n.Text = "Resumed", ""
		default:
			if label, text := EventWords(e); text != "" {
				n.Label, n.Text = label, text
				if e.Kind == journal.StagePaused || e.Kind == journal.QuestionAnswered {
					n.Kind = "hold"
				}
				break
			}
			if !trace || e.Kind == journal.MessageStarted {
				continue
			}
			n.Kind, n.Label = "trace", string(e.Kind)
			n.Text = strings.TrimSpace(fmt.Sprintf("%s %s %s %s", e.Stage, e.Tool, e.Reason, e.Error))
			if e.Kind == journal.Transition {
				n.Text = join(strings.TrimSpace(fmt.Sprintf("%s → %s by %s %s", e.From, e.To, e.Resolver, e.Condition)), e.Reason)
			}
			n.Mono = visible(string(e.Data))
		}
		out = append(out, n)
	}
	return out
}

// questions are a turn's questions by pause: those that are open, and those whose
// answer is in the journal.
func (t Transcript) questions(turn string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, x := range t.Turns {
		if x.Turn == turn {
			for _, p := range x.Questions {
				out[p.ID] = p.Data
			}
		}
	}
	for _, e := range t.Events {
		if e.Turn == turn && e.Kind == journal.QuestionAnswered {
			out[e.Message] = e.Data
		}
	}
	return out
}

// fill puts questions into the pauses of an event that names them only.
func fill(e journal.Event, questions map[string]json.RawMessage) journal.Event {
	d, err := journal.Read[journal.StagePausedData](e)
	if err != nil {
		return e
	}
	for i, p := range d.Pauses {
		if p.Data == nil {
			d.Pauses[i].Data = questions[p.ID]
		}
	}
	e = e.With(d)
	e.Render()
	return e
}

func (t Transcript) input(turn string) string {
	for _, x := range t.Turns {
		if x.Turn == turn {
			return x.Input
		}
	}
	return ""
}

func (t Transcript) output(turn string) string {
	for _, x := range t.Turns {
		if x.Turn == turn {
			return x.Output
		}
	}
	return ""
}

func (t Transcript) speaker(e journal.Event) string {
	d, err := journal.Read[journal.MessageData](e)
	if err != nil {
		return "Holdpoint"
	}
	who := "Holdpoint"
	switch {
	case d.Template != "":
		who += " (reviewed text)"
	case d.ModelUsed == nil:
	case d.Practice:
		who += " (practice script, no model)"
	case d.Model != "":
		who += " (" + d.Model
		if len(d.Digest) >= 12 {
			who += ", " + d.Digest[:12]
		}
		who += ")"
	}
	if d.Generation != nil && d.Partial {
		who += " — unfinished"
	}
	return who
}

// Visible makes text of models, files and records fit for a terminal's line: one
// line of at most n characters, what hides or reorders text as its code points.
func Visible(s string, n int) string {
	return visible(cut(strings.Join(strings.Fields(s), " "), n))
}

// visible writes characters that hide or reorder text as their code points.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f, r >= 0x80 && r < 0xa0, r == 0xad, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e,
			r >= 0x2060 && r <= 0x206f, r == 0xfeff, r >= 0xe0000 && r <= 0xe007f:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func markdown(t Transcript, trace bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", inert(t.Session.Title))
	if t.Practice {
		b.WriteString("**PRACTICE: a script answered, not a model.**\n\n")
	}
	fmt.Fprintf(&b, "- session: `%s`\n- agent: %s\n", fileSafe(t.Session.ID), inert(t.Session.Agent))
	if about := t.Session.About(); about.ID != "" {
		fmt.Fprintf(&b, "- %s: %s (`%s`)\n", strings.ToLower(about.Type), inert(t.Session.SubjectName), fileSafe(about.ID))
	}
	fmt.Fprintf(&b, "- exported: %s by %s\n- %s\n", t.GeneratedAt.Format(time.RFC3339), t.Generator, t.SafetyLine)
	for i, turn := range t.Turns {
		fmt.Fprintf(&b, "\n## Turn %d — %s\n\n`%s` %s, agent %s, model %s  \nused %s\n", i+1, turn.StartedAt.UTC().Format(time.RFC3339), turn.Turn, turn.Status,
			inert(agentWords(turn)), inert(turn.Model), usedWords(turn))
		for _, e := range t.entries(turn.Turn, trace) {
			fmt.Fprintf(&b, "\n**%s** · %d · %s\n", inert(e.Label), e.Seq, e.At.UTC().Format("15:04:05"))
			if e.Text != "" {
				b.WriteString("\n")
				for line := range strings.Lines(e.Text) {
					fmt.Fprintf(&b, "> %s  \n", inert(strings.TrimRight(line, "\r\n")))
				}
			}
			if e.Mono != "" {
				fmt.Fprintf(&b, "\n%s\n%s\n%s\n", fence(e.Mono), e.Mono, fence(e.Mono))
			}
		}
	}
	return b.Bytes()
}

// inert keeps text from being read as HTML, images or links of the document.
func inert(s string) string {
	return strings.NewReplacer("<", "&lt;", "![", `!\[`, "](", `]\(`, "`", "\\`").Replace(visible(s))
}

// fence is a code fence that the text cannot close.
func fence(s string) string {
	f := "```"
	for strings.Contains(s, f) {
		f += "`"
	}
	return f
}

var page = template.Must(template.New("transcript").Funcs(template.FuncMap{"visible": visible, "utc": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"inc": func(i int) int { return i + 1 }, "agent": agentWords, "used": usedWords}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{visible .T.Session.Title}}</title>
<style>
body{font:14px/1.5 Inter,system-ui,sans-serif;color:#0f172a;background:#fff;max-width:50rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;border-top:1px solid #cbd5e1;padding-top:1rem;margin-top:2rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem}dt{color:#475569}dd{margin:0;overflow-wrap:anywhere}
article{margin:.8rem 0;padding:.5rem .8rem;border-left:3px solid #cbd5e1}
article.user{border-color:#0f766e}article.hold{border-color:#b45309;background:#fffbeb}article.trace{color:#475569;font-size:12px}
header{font-size:12px;color:#475569}p{margin:.3rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
pre{font:12px/1.5 "JetBrains Mono",monospace;background:#f1f5f9;padding:.5rem;white-space:pre-wrap;overflow-wrap:anywhere}
.practice{border:2px solid #b45309;padding:.5rem .8rem;font-weight:600}
@media print{body{margin:0}article{break-inside:avoid}}
</style></head><body>
<h1>{{visible .T.Session.Title}}</h1>
{{if .T.Practice}}<p class="practice">Practice: a script answered, not a model.</p>{{end}}
<dl><dt>Session</dt><dd>{{.T.Session.ID}}</dd><dt>Agent</dt><dd>{{.T.Session.Agent}}</dd>
{{with .T.Session.About}}{{if .ID}}<dt>{{.Type}}</dt><dd>{{visible $.T.Session.SubjectName}} ({{.ID}})</dd>{{end}}{{end}}
<dt>Exported</dt><dd>{{utc .T.GeneratedAt}} by {{.T.Generator}}</dd><dt>Note</dt><dd>{{.T.SafetyLine}}</dd></dl>
{{range $i, $turn := .T.Turns}}<section><h2>Turn {{inc $i}} — {{utc $turn.StartedAt}}</h2>
<p>{{$turn.Turn}} · {{$turn.Status}} · agent {{visible (agent $turn)}} · model {{visible $turn.Model}} · used {{used $turn}}</p>
{{range index $.Entries $i}}<article class="{{.Kind}}"><header><strong>{{visible .Label}}</strong> · {{.Seq}} · {{utc .At}}</header>
{{if .Text}}<p>{{visible .Text}}</p>{{end}}{{if .Mono}}<pre>{{.Mono}}</pre>{{end}}</article>
{{end}}</section>
{{end}}</body></html>
`))

func htmlTranscript(t Transcript, trace bool) ([]byte, error) {
	entries := make([][]entry, len(t.Turns))
	for i, turn := range t.Turns {
		entries[i] = t.entries(turn.Turn, trace)
	}
	var b bytes.Buffer
	err := page.Execute(&b, struct {
		T       Transcript
		Entries [][]entry
	}{t, entries})
	return b.Bytes(), err
}

// ApprovalText is an approval in full, for a terminal.
func ApprovalText(v ApprovalView) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nid         %s\nstatus     %s\ntool       %s\nturn       %s\ncall       %s\npolicy     %s\nrequested  %s\nexpires    %s\ndigest     %s\narguments  %s\n",
		visible(v.Title), v.ID, v.Status, v.Tool, v.Turn, v.Call, v.PolicyVersion, v.RequestedAt.Format(time.RFC3339), v.ExpiresAt.Format(time.RFC3339), v.Digest, visible(string(v.Args)))
	if v.Original != nil {
		fmt.Fprintf(&b, "original   %s\n           %s\n", visible(string(v.Original.Args)), v.Original.Digest)
	}
	if v.Reason != "" {
		fmt.Fprintf(&b, "why        %s\n", visible(v.Reason))
	}
	for _, c := range v.Changes {
		fmt.Fprintf(&b, "\nrecord %s\n  before  %s\n  after   %s\n", c.Ref, visible(string(c.Before)), visible(string(c.After)))
	}
	if v.Reviewer != "" {
		fmt.Fprintf(&b, "\nreviewer   %s\ncomment    %s\n", visible(v.Reviewer), visible(v.Comment))
	}
	return b.String()
}

// WriteFile writes a whole file or none: a reader never sees half of it.
func WriteFile(path string, body []byte) error {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".holdpoint-*")
	if err != nil {
		return fmt.Errorf("app: export: %w", err)
	}
	_, err = f.Write(body)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if rmErr := os.Remove(f.Name()); rmErr != nil && !os.IsNotExist(rmErr) {
			return fmt.Errorf("app: export: %w (and %s is left behind)", err, filepath.Base(f.Name()))
		}
		return fmt.Errorf("app: export: %w", err)
	}
	return nil
}
