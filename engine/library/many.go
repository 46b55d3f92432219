package library

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// This file reads the files that hold many documents: JSON, lines of JSON, tables, and
// the exports of reference managers.

const maxEntry = 8 << 20 // bytes of one entry

// fields are an object's, with names in small letters.
type fields map[string]json.RawMessage

// text is the first of the fields that has one; lists are joined as paragraphs.
func (f fields) text(names ...string) string {
	for _, name := range names {
		raw, ok := f[name]
		if !ok {
			continue
		}
		var one string
		var list []string
		var number json.Number
		switch {
		case json.Unmarshal(raw, &one) == nil:
		case json.Unmarshal(raw, &list) == nil:
			one = strings.Join(list, "\n\n")
		case json.Unmarshal(raw, &number) == nil:
			one = number.String()
		}
		if one = strings.TrimSpace(one); one != "" {
			return one
		}
	}
	return ""
}

// names of the fields that files use.
var (
	idNames    = []string{"id", "pmid", "pubmed_id", "doi", "_id", "uid", "key", "clé", "cle"}
	titleNames = []string{"title", "name", "heading", "titre", "titel", "título", "titulo", "titolo"}
	textNames  = []string{"abstract", "text", "evidence", "body", "content", "contexts", "passage", "contents",
		// Zotero's, and what exports of other languages call it.
		"abstract note", "abstract_note", "résumé", "resume", "zusammenfassung", "resumen", "resumo", "riassunto", "texte", "contenu"}
	dateNames = []string{"date", "year", "published", "publication_date", "pubdate", "created", "publication year", "année", "annee", "jahr", "año", "ano", "anno"}

	authorNames  = []string{"authors", "author", "author_names", "creators", "auteurs", "auteur", "autoren", "autor", "autores", "autori"}
	journalNames = []string{"journal", "journal/book", "journal_title", "container-title", "source title", "publication title", "revue", "zeitschrift", "revista", "rivista"}
	volumeNames  = []string{"volume"}
	issueNames   = []string{"issue", "number"}
	pageNames    = []string{"pages", "page_range", "page"}
	pmidNames    = []string{"pmid", "pubmed_id"}
)

// publicationOf reads the fields that say where something was published.
func publicationOf(text func(names ...string) string) *Publication {
	return publication(Publication{Authors: namesOf(text(authorNames...)), Journal: text(journalNames...), Volume: text(volumeNames...), Issue: text(issueNames...),
		Pages: text(pageNames...), DOI: text("doi"), PMID: text(pmidNames...)})
}

// object turns one JSON object into an entry. key is what its file calls it, line its line; "" and 0 for nothing.
func object(ctx context.Context, r *reader, key string, line int, raw json.RawMessage) (*entry, error) {
	var as map[string]json.RawMessage
	if err := json.Unmarshal(raw, &as); err != nil {
		return nil, errors.New("it is not a JSON object")
	}
	f := fields{}
	for k, v := range as {
		f[strings.ToLower(k)] = v
	}
	switch of := f.text("resourcetype"); of {
	case "":
	case "DocumentReference":
		return note(ctx, r, raw)
	default:
		return nil, noDocument(of)
	}
	if key == "" {
		key = f.text(idNames...)
	}
	e := &entry{key: key, kind: KindAbstract, title: f.text(titleNames...), url: webAddress(f.text("url", "link")), where: publicationOf(f.text), original: raw}
	e.dated(f.text(dateNames...), line)
	// PubMedQA: an abstract in parts with a label each. Question and answer are not the paper's.
	var parts struct{ Contexts, Labels []string }
	if json.Unmarshal(raw, &parts) == nil && len(parts.Contexts) > 0 && len(parts.Labels) == len(parts.Contexts) {
		for i, text := range parts.Contexts {
			e.sections = append(e.sections, section{heading: label(parts.Labels[i]), text: text})
		}
	} else {
		e.sections = []section{{text: f.text(textNames...)}}
	}
	if e.title == "" {
		e.title = key
	}
	return e, nil
}

// webAddress is a text that is one, "" else.
func webAddress(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || len(s) > 500 {
		return ""
	}
	return u.String()
}

// label is a heading in capitals as people write it.
func label(s string) string {
	if s != strings.ToUpper(s) || s == "" {
		return s
	}
	return s[:1] + strings.ToLower(s[1:])
}

// readJSON takes an object of objects by id (as PubMedQA is published), a list of objects, a
// FHIR Bundle or one resource, or one object with a text.
func readJSON(ctx context.Context, r *reader, name string, body []byte, each func(*entry, error) error) error {
	text, told, err := decoded(body)
	if err != nil {
		return err
	}
	body = []byte(text)
	d := json.NewDecoder(bytes.NewReader(body))
	first, err := d.Token()
	if err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	give := func(key string, raw json.RawMessage) error {
		e, err := object(ctx, r, key, 0, raw)
		if err != nil {
			return each(nil, &failed{key, err})
		}
		e.noted(told)
		return each(e, ctx.Err())
	}
	switch first {
	case json.Delim('['):
		for i := 1; d.More(); i++ {
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				return fmt.Errorf("it is not JSON from entry %d on: %w", i, err)
			}
			if err := give("", raw); err != nil {
				return err
			}
		}
		return nil
	case json.Delim('{'):
	default:
		return errors.New("it is neither an object nor a list")
	}
	var bundle struct {
		ResourceType string
		Entry        []struct{ Resource json.RawMessage }
	}
	if json.Unmarshal(body, &bundle) == nil && bundle.ResourceType != "" {
		if bundle.ResourceType != "Bundle" {
			return give("", body)
		}
		for _, x := range bundle.Entry {
			if err := give("", x.Resource); err != nil {
				return err
			}
		}
		return nil
	}
	seen := 0
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return fmt.Errorf("it is not JSON after entry %d: %w", seen, err)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("it is not JSON after entry %d: %w", seen, err)
		}
		if raw[0] != '{' { // it is one document itself
			if seen > 0 {
				return fmt.Errorf("entry %q is not an object", k)
			}
			e, err := object(ctx, r, "", 0, body)
			if err != nil {
				return err
			}
			e.key, e.original = "", nil
			e.noted(told)
			return each(e, nil)
		}
		seen++
		if err := give(fmt.Sprint(k), raw); err != nil {
			return err
		}
	}
	return nil
}

func readLines(ctx context.Context, r *reader, _ string, body []byte, each func(*entry, error) error) error {
	text, told, err := decoded(body)
	if err != nil {
		return err
	}
	in := bufio.NewScanner(strings.NewReader(text))
	in.Buffer(nil, maxEntry)
	for n := 1; in.Scan(); n++ {
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 {
			continue
		}
		where := fmt.Sprintf("line %d", n)
		e, err := object(ctx, r, "", n, slices.Clone(line))
		if err != nil {
			err = &failed{where, err}
		} else {
			e.key = cmp.Or(e.key, where)
			e.noted(told)
		}
		if err := each(e, errors.Join(err, ctx.Err())); err != nil {
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line is longer than %d MiB", maxEntry>>20)
	}
	return in.Err()
}

// readTable takes a table whose first row names columns, of which one has texts.
func readTable(ctx context.Context, _ *reader, name string, body []byte, each func(*entry, error) error) error {
	text, note, err := decoded(body)
	if err != nil {
		return err
	}
	in := csv.NewReader(strings.NewReader(text))
	in.LazyQuotes, in.FieldsPerRecord = true, -1
	if head, _, _ := strings.Cut(text, "\n"); strings.HasSuffix(strings.ToLower(name), ".tsv") || strings.Count(head, "\t") > strings.Count(head, ",") {
		in.Comma = '\t'
	} else if strings.Count(head, ";") > strings.Count(head, ",") {
		in.Comma = ';'
	}
	head, err := in.Read()
	if err != nil {
		return fmt.Errorf("it has no row of column names: %w", err)
	}
	column := func(names []string) int {
		for _, want := range names {
			if i := slices.IndexFunc(head, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), want) }); i >= 0 {
				return i
			}
		}
		return -1
	}
	id, title, texts, date, link := column(idNames), column(titleNames), column(textNames), column(dateNames), column([]string{"url", "link"})
	if texts < 0 {
		return fmt.Errorf("no column has texts; name one of them %s", strings.Join(textNames[:5], ", "))
	}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return nil
		}
		line, _ := in.FieldPos(0)
		where := fmt.Sprintf("line %d", line)
		if err != nil {
			if err := each(nil, &failed{where, err}); err != nil {
				return err
			}
			continue
		}
		at := func(i int) string {
			if i < 0 || i >= len(row) {
				return ""
			}
			return strings.TrimSpace(row[i])
		}
		original, err := json.Marshal(row)
		if err != nil {
			return err
		}
		e := &entry{key: at(id), title: at(title), url: webAddress(at(link)), where: publicationOf(func(names ...string) string { return at(column(names)) }), kind: KindAbstract, note: note, sections: []section{{text: at(texts)}}, original: original}
		e.dated(at(date), line)
		if e.key == "" {
			e.key = where
		}
		if e.title == "" {
			e.title = e.key
		}
		if err := each(e, ctx.Err()); err != nil {
			return err
		}
	}
}

// readTagged takes what PubMed exports (MEDLINE: "PMID- ", "TI  - ", lines that go on are
// indented; NLM's description of MEDLINE/PubMed data elements) and RIS ("TY  - " to "ER  - ").
func readTagged(_ context.Context, _ *reader, _ string, body []byte, each func(*entry, error) error) error {
	text, note, err := decoded(body)
	if err != nil {
		return err
	}
	record, at := map[string][]string{}, map[string]int{} // at: the line of a tag's first value
	var raw strings.Builder
	tag, n, lines := "", 0, 0
	end := func() error {
		defer func() { record, at, tag = map[string][]string{}, map[string]int{}, ""; raw.Reset() }()
		if len(record) == 0 {
			return nil
		}
		n++
		first := func(tags ...string) string {
			for _, t := range tags {
				if len(record[t]) > 0 {
					return strings.TrimSpace(record[t][0])
				}
			}
			return ""
		}
		e := &entry{key: first("PMID", "AN", "ID", "DO", "LID"), title: first("TI", "T1", "BTI"), kind: KindAbstract, note: note, url: webAddress(first("UR", "L1")), where: tagged(record),
			sections: []section{{text: strings.TrimSpace(first("TI", "T1", "BTI") + "\n\n" + strings.Join(append(record["AB"], record["N2"]...), "\n\n"))}}, original: []byte(raw.String())}
		for _, tag := range []string{"DP", "DA", "PY", "Y1"} { // in RIS, DP is who gave the entry
			if e.dated(first(tag), at[tag]); e.date != "" {
				break
			}
		}
		if e.key == "" {
			e.key = fmt.Sprintf("entry %d", n)
		}
		return each(e, nil)
	}
	for line := range strings.Lines(text) {
		full := line
		lines++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case len(line) >= 5 && strings.TrimSpace(line[:4]) != "" && line[4] == '-' && strings.ToUpper(line[:4]) == line[:4]:
			tag = strings.TrimSpace(line[:4])
			if tag == "PMID" || tag == "TY" {
				if err := end(); err != nil {
					return err
				}
			}
			t := strings.TrimSpace(line[:4])
			if t == "ER" {
				if err := end(); err != nil {
					return err
				}
				continue
			}
			tag = t
			if len(record[tag]) == 0 {
				at[tag] = lines
			}
			record[tag] = append(record[tag], strings.TrimSpace(line[5:]))
		case strings.HasPrefix(line, "  ") && tag != "":
			list := record[tag]
			list[len(list)-1] += " " + strings.TrimSpace(line)
		}
		raw.WriteString(full)
	}
	return end()
}

// enteredInError is the status of a FHIR resource that was taken back.
const enteredInError = "entered-in-error"

// tagged is what the tags of one entry say of its publication.
func tagged(record map[string][]string) *Publication {
	first := func(tags ...string) string {
		for _, t := range tags {
			if len(record[t]) > 0 && record[t][0] != "" {
				return record[t][0]
			}
		}
		return ""
	}
	var p Publication
	if len(record["PMID"]) > 0 { // MEDLINE
		names := record["FAU"]
		if len(names) == 0 {
			names = record["AU"]
		}
		for _, name := range names {
			p.Authors = append(p.Authors, inverted(name))
		}
		p.Authors = append(p.Authors, record["CN"]...)
		p.Journal, p.Volume, p.Issue, p.Pages, p.PMID = first("JT", "TA"), first("VI"), first("IP"), first("PG"), first("PMID")
		for _, id := range append(slices.Clip(record["LID"]), record["AID"]...) {
			if p.DOI == "" && strings.HasSuffix(id, "[doi]") {
				p.DOI = id
			}
		}
		return publication(p)
	}
	for _, name := range append(slices.Clip(record["AU"]), record["A1"]...) {
		p.Authors = append(p.Authors, inverted(name))
	}
	p.Journal, p.Volume, p.Issue, p.Pages, p.DOI = first("JO", "JF", "JA", "J2"), first("VL"), first("IS"), pageRange(first("SP"), first("EP")), first("DO")
	if kind := first("TY"); p.Journal == "" && (kind == "JOUR" || kind == "EJOUR" || kind == "MGZN") {
		p.Journal = first("T2")
	}
	if at := first("UR"); strings.HasPrefix(at, "https://pubmed.ncbi.nlm.nih.gov/") {
		p.PMID = strings.Trim(strings.TrimPrefix(at, "https://pubmed.ncbi.nlm.nih.gov/"), "/")
	}
	return publication(p)
}

// note takes what a FHIR DocumentReference carries in itself: texts, or one PDF, which is
// then the document that is opened.
func note(ctx context.Context, r *reader, raw json.RawMessage) (*entry, error) {
	var ref struct {
		ID          string
		Status      string
		DocStatus   string
		Description string
		Date        string
		Type        struct {
			Text   string
			Coding []struct{ Display string }
		}
		Content []struct {
			Attachment struct {
				ContentType, Data, Title string
			}
		}
	}
	if err := json.Unmarshal(raw, &ref); err != nil {
		return nil, errors.New("it is not a DocumentReference that can be read")
	}
	if ref.Status == enteredInError || ref.DocStatus == enteredInError {
		return nil, errors.New("it was entered in error, as its status says, and is not evidence")
	}
	e := &entry{key: ref.ID, title: ref.Description, kind: KindNote, original: raw}
	e.dated(ref.Date, 0)
	if e.title == "" {
		if e.title = ref.Type.Text; e.title == "" && len(ref.Type.Coding) > 0 {
			e.title = ref.Type.Coding[0].Display
		}
	}
	for _, c := range ref.Content {
		a := c.Attachment
		if a.Data == "" {
			continue
		}
		body, err := base64.StdEncoding.DecodeString(a.Data)
		if err != nil {
			return nil, errors.New("its attachment is not Base64")
		}
		read := readText
		switch kind, _, _ := strings.Cut(a.ContentType, ";"); strings.TrimSpace(kind) {
		case "text/plain", "":
		case "text/html", "application/xhtml+xml":
			read = readHTML
		case "text/markdown":
			read = readMarkdown
		case "application/pdf":
			if e.kind == KindPDF {
				return nil, errors.New("it has more than one PDF; import them as files")
			}
			e.kind, e.original = KindPDF, body
			read = readPDF
		default:
			return nil, fmt.Errorf("its attachment is %s; text, HTML, Markdown and PDF are read", a.ContentType)
		}
		if err := read(ctx, r, a.Title, body, func(inner *entry, err error) error {
			if inner != nil {
				e.sections, e.passages = append(e.sections, inner.sections...), append(e.passages, inner.passages...)
				e.pages, e.textless, e.note = e.pages+inner.pages, e.textless+inner.textless, strings.TrimSpace(e.note+" "+inner.note)
				e.title = cmp.Or(e.title, a.Title, inner.title)
			}
			return err
		}); err != nil {
			return nil, err
		}
	}
	if e.kind == KindPDF {
		e.passages = append(e.passages, cut(e.sections)...)
	}
	if e.title == "" {
		e.title = e.key
	}
	return e, nil
}
