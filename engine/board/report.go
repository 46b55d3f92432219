package board

import (
	"cmp"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/library"
)

// Synthesis is what a study ended with beside its board.
type Synthesis struct {
	// Sentences are the model's, each with the evidence that it rests on; none where the model
	// wrote none that rests on anything.
	Sentences []Sentence `json:"sentences"`
	// Dropped counts sentences and citations that rested on nothing known.
	Dropped  int       `json:"dropped"`
	Model    string    `json:"model"`
	Digest   string    `json:"digest,omitempty"`
	Practice bool      `json:"practice,omitempty"`
	Encoder  string    `json:"encoder,omitempty"`
	At       time.Time `json:"at"`
	Note     string    `json:"note,omitempty"`
}

// NothingSettled is the note of a synthesis that had nothing to sum up.
const NothingSettled = "There is no summary: nothing that evidence speaks about was settled."

// Sentence is one of a synthesis.
type Sentence struct {
	Text     string   `json:"text"`
	Evidence []string `json:"evidence"`
}

// Cited keeps of sentences those that rest on evidence of the board, without citations of
// what is not there; dropped counts both.
func (s *State) Cited(sentences []Sentence) (kept []Sentence, dropped int) {
	for _, x := range sentences {
		known := []string{}
		for _, id := range x.Evidence {
			if s.Piece(id) == nil {
				dropped++
			} else if !slices.Contains(known, id) {
				known = append(known, id)
			}
		}
		if x.Text = strings.Join(strings.Fields(x.Text), " "); x.Text == "" || len(known) == 0 {
			dropped++
			continue
		}
		kept = append(kept, Sentence{x.Text, known})
	}
	return kept, dropped
}

// Report is a study for readers: what stands on the board, with numbered citations.
type Report struct {
	board *State
	// Evidence is that of the study by id; what is missing is cited by its id.
	evidence  map[string]Evidence
	decisions []Decision
	// numbers are those of citations, in the order in which they came up.
	numbers map[string]int
	order   []string
	body    []block
	Phrasing
}

// Phrasing says a report's own words in a language: Say fills a format of package fmt, Told
// says a sentence of the program's.
type Phrasing struct {
	Language string // BCP 47, of the page
	Say      func(format string, args ...any) string
	Told     func(english string) string
}

// English is a Phrasing.
var English = Phrasing{"en", func(format string, args ...any) string {
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}, func(english string) string { return english }}

// block is a heading, a paragraph or an item of a list.
type block struct {
	kind  byte // '#' title, '2', '3', 'p', '-', '>'
	parts []part
}

// part is text, emphasised text, or a citation.
type part struct {
	text   string
	strong bool
	cite   string // the id of evidence
}

// NewReport puts a board into words. Evidence is that of the study by id.
func NewReport(s *State, evidence map[string]Evidence, decisions []Decision, phrasing Phrasing) *Report {
	r := &Report{board: s, evidence: evidence, decisions: decisions, numbers: map[string]int{}, Phrasing: phrasing}
	r.write()
	return r
}

func (r *Report) add(kind byte, parts ...part) { r.body = append(r.body, block{kind, parts}) }

func (r *Report) text(format string, args ...any) part { return part{text: r.Say(format, args...)} }
func (r *Report) strong(format string, args ...any) part {
	return part{text: r.Say(format, args...), strong: true}
}

// cite numbers citations.
func (r *Report) cite(ids ...string) (out []part) {
	for _, id := range ids {
		if r.board.Piece(id) == nil {
			continue // nothing that is not on the board is cited
		}
		if r.numbers[id] == 0 {
			r.order = append(r.order, id)
			r.numbers[id] = len(r.order)
		}
		out = append(out, part{cite: id})
	}
	return out
}

func (r *Report) write() {
	s := r.board
	r.add('#', r.text("Report: %s", s.Query))
	if s.Forced != "" {
		why := part{text: r.Told(s.Forced)}
		if r.unresolved() {
			why = r.text("%s What is unsettled stands under Unresolved.", why.text)
		}
		r.add('>', r.strong("This report was forced: "), why)
	}
	syn := s.Synthesis
	if syn != nil && syn.Practice {
		r.add('>', r.strong("Practice mode: "), r.text("a script answered in the place of a model. Nothing here was judged."))
	}
	if late := r.late(); len(late) > 0 {
		last := late[len(late)-1]
		line := r.Say("%d decisions of people came after this report was written, the last by %s on %s.", len(late), last.Who, last.At.Format("2006-01-02 15:04 MST"))
		if syn != nil && len(syn.Sentences) > 0 {
			line += " " + r.Say("All that follows the summary goes by what they decided; the summary does not know of it.")
		} else {
			line += " " + r.Say("What follows goes by what they decided.")
		}
		r.add('>', r.strong("Decided since: "), part{text: line})
	}
	if syn != nil && len(syn.Sentences) > 0 {
		r.add('2', r.text("Summary"))
		for _, x := range syn.Sentences {
			r.add('p', append([]part{part{text: x.Text + " "}}, r.cite(x.Evidence...)...)...)
		}
	}
	for _, x := range []struct {
		title, none string
		of          func(*Hypothesis) bool
	}{
		{r.Say("Confirmed"), r.Say("No hypothesis was confirmed."), func(h *Hypothesis) bool { return h.Status == Confirmed }},
		{r.Say("Refuted"), r.Say("No hypothesis was refuted."), func(h *Hypothesis) bool { return h.Status == Refuted }},
	} {
		r.add('2', part{text: x.title})
		if !r.hypotheses(x.of) {
			r.add('p', part{text: x.none})
		}
	}
	var resolved, open []Conflict
	for _, c := range s.Conflicts {
		if c.Status == Resolved {
			resolved = append(resolved, c)
		} else {
			open = append(open, c)
		}
	}
	if len(resolved) > 0 {
		r.add('2', r.text("Conflicts resolved"))
		r.conflicts(resolved)
	}
	if r.unresolved() {
		r.add('2', r.text("Unresolved"))
		r.hypotheses(func(h *Hypothesis) bool { return !h.Settled() })
		r.conflicts(open)
	}
	r.methods()
	r.references()
}

// unresolved says whether anything is left to settle now.
func (r *Report) unresolved() bool {
	return len(r.board.Unsettled()) > 0 || slices.ContainsFunc(r.board.Conflicts, func(c Conflict) bool { return c.Status == Open })
}

// late are the decisions of people after the synthesis was written.
func (r *Report) late() []Decision {
	if r.board.Synthesis == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.decisions), func(d Decision) bool { return !d.At.After(r.board.Synthesis.At) })
}

func (r *Report) hypotheses(of func(*Hypothesis) bool) (some bool) {
	for i := range r.board.Hypotheses {
		h := &r.board.Hypotheses[i]
		if !of(h) {
			continue
		}
		some = true
		r.add('3', part{text: h.Statement})
		line := []part{r.text("Confidence %.2f (%s).", h.Confidence, r.Say(string(h.Status)))}
		if d := h.Decision; d != nil && d.verdict() != "" {
			line = append(line, part{text: " " + r.decided(*d)})
		}
		if h.Dissent {
			line = append(line, r.strong(" The evidence says otherwise."))
		}
		r.add('p', line...)
		r.earlier(h)
		r.quotes(r.Say("For"), h, h.Supporting)
		r.quotes(r.Say("Against"), h, h.Contradicting)
	}
	return some
}

// decided is who decided what, when and why.
func (r *Report) decided(d Decision) string {
	return r.Say("%s by %s on %s: %s", capital(r.Say(d.Op.Deed())), d.Who, d.At.Format(time.DateOnly), cmp.Or(d.Reason, "—"))
}

// earlier tells what people decided about a hypothesis before their last decision, with the words
// that each was about, and what counts.
func (r *Report) earlier(h *Hypothesis) {
	about := On(r.decisions, h.ID)
	if len(about) < 2 {
		return
	}
	for _, d := range about[:len(about)-1] {
		line := []part{r.strong("Earlier: "), {text: r.decided(d)}}
		if d.Statement != "" && d.Statement != h.Statement {
			line = append(line, r.text(" The words were: “%s”", d.Statement))
		}
		r.add('-', line...)
	}
	if last := about[len(about)-1]; last.verdict() == "" {
		r.add('-', part{text: r.decided(last)})
	}
	if counts := Counts(about, r.Say); counts != "" {
		r.add('-', part{text: counts})
	}
}

// Deed names what was done, as a word of the catalogs.
func (o Op) Deed() string {
	switch o {
	case Add:
		return "added"
	case Edit:
		return "reworded"
	case Confirm:
		return "confirmed"
	case Refute:
		return "refuted"
	case Reopen:
		return "left to the evidence again"
	}
	return "resolved"
}

// Counts says in words what decides about a hypothesis now, where people decided about it more than
// once; "" where there is nothing to say.
func Counts(about []Decision, say func(format string, args ...any) string) string {
	if len(about) < 2 {
		return ""
	}
	last := about[len(about)-1]
	if last.verdict() != "" {
		return say("What counts is the verdict of %s.", last.Who)
	}
	if slices.ContainsFunc(about, func(d Decision) bool { return d.verdict() != "" }) {
		return say("What counts is the evidence; the earlier verdicts stay on record.")
	}
	return ""
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// about are the words that a decision is about: of a hypothesis as it was then, or the description
// of a conflict.
func (r *Report) about(d Decision) string {
	if d.Statement != "" {
		return d.Statement
	}
	if h := r.board.Hypothesis(d.On); h != nil {
		return h.Statement
	}
	if c := r.board.Conflict(d.On); c != nil {
		return r.Told(c.Description)
	}
	return "—"
}

func (r *Report) quotes(side string, h *Hypothesis, ids []string) {
	for _, id := range ids {
		quote := ""
		if j := r.board.judgement(id, h); j != nil {
			quote = j.Quote
		}
		r.add('-', append([]part{r.strong("%s: ", side), r.text("“%s” ", quote)}, r.cite(id)...)...)
	}
}

func (r *Report) conflicts(list []Conflict) {
	for _, c := range list {
		line := append([]part{part{text: r.Told(c.Description) + " "}}, r.cite(c.SourceA, c.SourceB)...)
		switch {
		case c.Status == Open:
			line = append(line, r.strong(" Open."))
		case c.Decision != nil:
			line = append(line, r.strong(" Resolved by %s: ", c.Decision.Who), part{text: c.Resolution})
		default:
			line = append(line, r.strong(" Resolved by the model: "), part{text: c.Resolution})
		}
		if aside := c.aside(); aside != "" {
			line = append(append(line, r.text(" Set aside: ")), r.cite(aside)...)
		}
		r.add('-', line...)
	}
}

// methods tell how it was done: queries, sources and counts as a flow from what was found to
// what is cited.
func (r *Report) methods() {
	s := r.board
	r.add('2', r.text("Methods"))
	found, fresh, duplicates, passed := 0, 0, 0, 0
	for _, x := range s.Searches {
		found, fresh, duplicates, passed = found+x.Found, fresh+x.New, duplicates+x.Duplicates, passed+x.Passed
	}
	judged := map[string]bool{}
	counts := map[Verdict]int{}
	dropped, former, aside := 0, 0, 0
	for _, j := range s.Judgements {
		judged[j.Evidence] = true
		if h := s.Hypothesis(j.Hypothesis); h == nil || h.Revision != j.Revision {
			former++
			continue
		}
		counts[j.Verdict]++
		if j.Note != "" {
			dropped++
		}
		if j.Verdict != Neutral && s.setAside(j.Evidence, j.Hypothesis) {
			aside++
		}
	}
	r.add('p', r.text("Passages found %d → new %d → near-duplicates %d → judged %d → cited %d.", found, fresh, duplicates, len(judged), len(r.order)))
	if passed > 0 {
		r.add('p', r.text("Of those found, %d were not taken: a search takes the first ones only, and few of one document. A passage counts each time that it is found.", passed))
	}
	line := r.Say("Judgements: %d support, %d contradict, %d neutral; %d of the neutral ones because what was said rested on no words of the passage.",
		counts[Supports], counts[Contradicts], counts[Neutral], dropped)
	if aside > 0 {
		line += " " + r.Say("%d of those that support or contradict count for nothing, because the resolution of a conflict set their passage aside.", aside)
	}
	if former > 0 {
		line += " " + r.Say("%d others were about words that a person replaced; they count no more.", former)
	}
	r.add('p', part{text: line})
	r.add('p', r.text("Steps: %d of at most %d. Confidence = (sources for + 1) / (sources for + sources against + 2); confirmed from %.2f, refuted to %.2f, each with %d sources or more. Passages of one document count as one source, which counts in parts where some support and some contradict; near-duplicates that say the same count once, what a resolution set aside not at all.",
		s.Steps(), s.Max, ConfirmedFrom, RefutedTo, LeastSources))
	if s.Continued != nil && s.Continued.Searches > 0 {
		r.add('p', r.text("This study goes on with an earlier one: the first %d of these searches, and what came of them, are from there.", s.Continued.Searches))
	}
	for at := 0; at < len(s.Searches); {
		x, from := s.Searches[at], at
		for at < len(s.Searches) && s.Searches[at] == x {
			at++
		}
		line := r.Say("%s: “%s” — %d found, %d new. %s", r.Told(x.Source), x.Text, x.Found, x.New, r.Told(x.Note))
		if times := at - from; times > 1 { // it went on looking and nothing came of it
			line = r.Say("%s (%d times in a row)", strings.TrimSpace(line), times)
		}
		r.add('-', part{text: line})
	}
	for _, d := range r.decisions {
		r.add('-', part{text: r.Say("“%s” — %s", r.about(d), r.decided(d))})
	}
	if syn := s.Synthesis; syn != nil {
		line := r.Say("Written %s by %s", syn.At.Format("2006-01-02 15:04 MST"), cmp.Or(syn.Model, r.Say("no model")))
		if syn.Digest != "" {
			line += " (" + syn.Digest + ")"
		}
		if syn.Encoder != "" {
			line += r.Say("; near-duplicates by %s", syn.Encoder)
		}
		if syn.Dropped > 0 {
			line += r.Say("; %d sentences or citations that rested on nothing known were left out", syn.Dropped)
		}
		note := r.Told(syn.Note)
		if syn.Note == NothingSettled && len(r.late()) > 0 {
			note = r.Say("There is no summary: when this was written, nothing that evidence speaks about was settled.")
		}
		r.add('p', r.text("%s. %s", line, note))
	}
}

func (r *Report) references() {
	if len(r.order) == 0 {
		return
	}
	r.add('2', r.text("References"))
	for _, id := range r.order {
		e, ok := r.evidence[id]
		if !ok {
			r.add('p', part{cite: id}, r.text(" %s. Its document has left the library, and no board keeps the text.", id))
			continue
		}
		line := []part{{cite: id}, r.text(" %s%s. %s, %s.%s", e.Title, dated(e.Date)+appeared(e.Publication), e.origin(), r.where(e), published(e.URL))}
		if left := e.Departed(r.Say); left != "" {
			line = append(line, part{text: " " + left})
		}
		r.add('p', line...)
	}
}

// Departed says in words what became of the document of evidence; "" while the library has the passage.
func (e *Evidence) Departed(say func(format string, args ...any) string) string {
	switch {
	case e.Left == nil:
		return ""
	case e.Left.At.IsZero():
		return say("The library has this document no more; the board keeps the text that was read.")
	case e.Left.Next != "":
		return say("This text is of an earlier version of the document, which another one replaced on %s; the board keeps it.", e.Left.At.Format(time.DateOnly))
	}
	return say("The document was removed from the library on %s; the board keeps the text that was read.", e.Left.At.Format(time.DateOnly))
}

func dated(date string) string {
	if date == "" {
		return ""
	}
	return " (" + date + ")"
}

func appeared(p *library.Publication) string {
	if p == nil {
		return ""
	}
	return ". " + p.String()
}

// origin is where a document came from; of a file with many, with what it calls this one.
func (e *Evidence) origin() string {
	if e.URL != "" {
		return e.Source + " " + e.Name
	}
	return e.Source
}

func published(address string) string {
	if address == "" {
		return ""
	}
	return " " + address
}

// where is the place of the passage in its document, in the report's language.
func (r *Report) where(e Evidence) string {
	if e.Page > 0 {
		return r.Say("page %d, passage %d", e.Page, e.Place)
	}
	return r.Say("passage %d", e.Place)
}

// Link is where the screens show a passage: the reader, on its page, with it marked.
func (e *Evidence) Link() string {
	return fmt.Sprintf("#/library/%s/%d", url.PathEscape(e.Document), e.Passage)
}

// Markdown is the report with citations that link to their passages, in the library of this program.
func (r *Report) Markdown() string { return r.markdown(true) }

// MarkdownFile is the report for whoever has no such library: the passages stand at its end.
func (r *Report) MarkdownFile() string {
	var b strings.Builder
	b.WriteString(r.markdown(false))
	if len(r.order) > 0 {
		b.WriteString("\n## " + escapeMarkdown(r.Say("Passages")) + "\n")
	}
	for _, id := range r.order {
		e, ok := r.evidence[id]
		fmt.Fprintf(&b, "\n### \\[%d\\] %s\n\n", r.numbers[id], escapeMarkdown(cmp.Or(e.Title, id)))
		if !ok {
			b.WriteString(escapeMarkdown(r.Say("Its document has left the library, and no board keeps the text.")) + "\n")
			continue
		}
		from := e.origin()
		if e.URL == "" && e.Name != "" {
			from += " / " + e.Name
		}
		b.WriteString(escapeMarkdown(strings.TrimSpace(from+", "+r.where(e)+". "+e.Departed(r.Say))) + " `" + e.Link() + "`\n\n")
		for line := range strings.Lines(e.Text) {
			b.WriteString(strings.TrimRight("> "+escapeMarkdown(strings.TrimRight(line, "\r\n")), " ") + "\n")
		}
	}
	return b.String()
}

// markdown is the report, its citations as links or as plain numbers.
func (r *Report) markdown(links bool) string {
	var b strings.Builder
	list := false
	for _, x := range r.body {
		if list && x.kind != '-' {
			b.WriteByte('\n')
		}
		list = x.kind == '-'
		b.WriteString(map[byte]string{'#': "# ", '2': "## ", '3': "### ", 'p': "", '-': "- ", '>': "> "}[x.kind])
		for _, p := range x.parts {
			switch {
			case p.cite != "":
				if e, ok := r.evidence[p.cite]; ok && links {
					fmt.Fprintf(&b, "[\\[%d\\]](%s)", r.numbers[p.cite], e.Link())
				} else {
					fmt.Fprintf(&b, "\\[%d\\]", r.numbers[p.cite])
				}
			case p.strong:
				trimmed := strings.TrimSpace(p.text)
				b.WriteString(strings.Replace(p.text, trimmed, "**"+escapeMarkdown(trimmed)+"**", 1))
			default:
				b.WriteString(escapeMarkdown(p.text))
			}
		}
		b.WriteByte('\n')
		if !list {
			b.WriteByte('\n')
		}
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// escapeMarkdown keeps what documents and models wrote from being markup, on one line.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '<', '>', '#', '|', '~', '!':
			b.WriteByte('\\')
		case '\n', '\r':
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// HTML is the report as a page of its own; it loads and runs nothing. Citations lead to the
// references, where the passages stand.
func (r *Report) HTML() string {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"" + html.EscapeString(r.Language) + "\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>" + html.EscapeString(r.board.Query) +
		"</title><style>body{font:16px/1.5 sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#111;background:#fff}blockquote{border-left:3px solid #a60;margin-left:0;padding-left:1em}a{color:#05603a}</style></head><body><main>\n")
	list := false
	for _, x := range r.body {
		if list != (x.kind == '-') {
			b.WriteString(map[bool]string{true: "</ul>\n", false: "<ul>\n"}[list])
			list = !list
		}
		tag := map[byte]string{'#': "h1", '2': "h2", '3': "h3", 'p': "p", '-': "li", '>': "blockquote"}[x.kind]
		b.WriteString("<" + tag + ">")
		for _, p := range x.parts {
			switch {
			case p.cite != "":
				fmt.Fprintf(&b, "<a href=\"#ref-%[1]d\">[%[1]d]</a>", r.numbers[p.cite])
			case p.strong:
				b.WriteString("<strong>" + html.EscapeString(p.text) + "</strong>")
			default:
				b.WriteString(html.EscapeString(p.text))
			}
		}
		b.WriteString("</" + tag + ">\n")
	}
	if list {
		b.WriteString("</ul>\n")
	}
	b.WriteString("<h2>" + html.EscapeString(r.Say("Passages")) + "</h2>\n")
	for _, id := range r.order {
		e, ok := r.evidence[id]
		fmt.Fprintf(&b, "<h3 id=\"ref-%d\">[%d] %s</h3>\n", r.numbers[id], r.numbers[id], html.EscapeString(cmp.Or(e.Title, id)))
		if !ok {
			b.WriteString("<p>" + html.EscapeString(r.Say("Its document has left the library, and no board keeps the text.")) + "</p>\n")
			continue
		}
		fmt.Fprintf(&b, "<p>%s</p>\n<blockquote>%s</blockquote>\n", html.EscapeString(strings.TrimSpace(r.where(e)+" "+e.Departed(r.Say))), html.EscapeString(e.Text))
	}
	b.WriteString("</main></body></html>\n")
	return b.String()
}

// Sources are the documents that are cited, each once, in the order of their citations.
func (r *Report) Sources() (out []Evidence) {
	for _, id := range r.order {
		if e, ok := r.evidence[id]; ok && !slices.ContainsFunc(out, func(o Evidence) bool { return o.Document == e.Document }) {
			out = append(out, e)
		}
	}
	return out
}

// BibTeX lists what was cited: @article where a journal is known, else @misc.
func (r *Report) BibTeX() string {
	var b strings.Builder
	for i, e := range r.Sources() {
		p, kind := e.publication(), "misc"
		if p.Journal != "" {
			kind = "article"
		}
		fmt.Fprintf(&b, "@%s{holdpoint%d,\n  title = {%s},\n", kind, i+1, escapeTeX(e.Title))
		field := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&b, "  %s = {%s},\n", name, value)
			}
		}
		var names []string
		for _, name := range p.Authors {
			if name = escapeTeX(name); !strings.Contains(name, ",") {
				name = "{" + name + "}" // a group's is no first name and last name
			}
			names = append(names, name)
		}
		field("author", strings.Join(names, " and "))
		field("journal", escapeTeX(p.Journal))
		if len(e.Date) >= 4 {
			field("year", e.Date[:4])
		}
		field("volume", escapeTeX(p.Volume))
		field("number", escapeTeX(p.Issue))
		field("pages", escapeTeX(strings.NewReplacer("-", "--", "–", "--").Replace(p.Pages)))
		field("doi", escapeTeX(p.DOI))
		field("pmid", p.PMID)
		field("url", escapeTeX(e.URL))
		fmt.Fprintf(&b, "  note = {%s},\n  howpublished = {%s}\n}\n\n", escapeTeX(e.Name), escapeTeX(e.Source))
	}
	return b.String()
}

// publication is where it was published; the zero value while unknown.
func (e *Evidence) publication() library.Publication {
	if e.Publication == nil {
		return library.Publication{}
	}
	return *e.Publication
}

func escapeTeX(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '\\':
			b.WriteString(`\textbackslash{}`)
			continue
		case '{', '}': // BibTeX counts braces whatever stands before them
			b.WriteString(map[rune]string{'{': `\textbraceleft{}`, '}': `\textbraceright{}`}[r])
			continue
		case '%', '&', '#', '$', '_':
			b.WriteByte('\\')
		case '~':
			b.WriteString(`\textasciitilde{}`)
			continue
		case '^':
			b.WriteString(`\textasciicircum{}`)
			continue
		case '\n', '\r':
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// RIS lists what was cited as tagged lines, as reference managers read them.
func (r *Report) RIS() string {
	line := strings.NewReplacer("\n", " ", "\r", " ").Replace
	var b strings.Builder
	for _, e := range r.Sources() {
		p, kind := e.publication(), "GEN"
		if p.Journal != "" {
			kind = "JOUR"
		}
		fmt.Fprintf(&b, "TY  - %s\r\nTI  - %s\r\n", kind, line(e.Title))
		tag := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&b, "%s  - %s\r\n", name, line(value))
			}
		}
		for _, name := range p.Authors {
			tag("AU", name)
		}
		tag("JO", p.Journal)
		if len(e.Date) >= 4 {
			tag("PY", e.Date[:4])
			tag("DA", strings.ReplaceAll(e.Date, "-", "/"))
		}
		tag("VL", p.Volume)
		tag("IS", p.Issue)
		first, last, _ := strings.Cut(strings.ReplaceAll(p.Pages, "–", "-"), "-")
		tag("SP", first)
		tag("EP", last)
		tag("DO", p.DOI)
		tag("AN", p.PMID)
		tag("UR", e.URL)
		fmt.Fprintf(&b, "ID  - %s\r\nDP  - %s\r\nER  - \r\n\r\n", line(e.Name), line(e.Source))
	}
	return b.String()
}
