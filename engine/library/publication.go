package library

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Publication is where a document was published, as far as its file says. All of it is text that
// somebody wrote; what is not known is empty.
type Publication struct {
	// Authors are as "Family, Given", groups as they call themselves; at most maxAuthors.
	Authors []string `json:"authors,omitempty"`
	Journal string   `json:"journal,omitempty"`
	Volume  string   `json:"volume,omitempty"`
	Issue   string   `json:"issue,omitempty"`
	Pages   string   `json:"pages,omitempty"` // "12-19", or an article's number
	DOI     string   `json:"doi,omitempty"`   // from "10." on
	PMID    string   `json:"pmid,omitempty"`  // digits: the number in PubMed
}

const maxAuthors = 200

// publication cleans what a file says; nil when that is nothing.
func publication(p Publication) *Publication {
	var authors []string
	for _, a := range p.Authors {
		if a = strings.Trim(title(a), " .,;"); a != "" && len(authors) < maxAuthors && !slices.Contains(authors, a) {
			authors = append(authors, a)
		}
	}
	p.Authors = authors
	for _, s := range []*string{&p.Journal, &p.Volume, &p.Issue, &p.Pages} {
		*s = title(*s)
	}
	p.DOI, p.PMID = doi(p.DOI), pmid(p.PMID)
	if len(p.Authors) == 0 && p.Journal == "" && p.Volume == "" && p.Issue == "" && p.Pages == "" && p.DOI == "" && p.PMID == "" {
		return nil
	}
	return &p
}

// doi is the name itself, without what is written around it; "" when there is none.
func doi(s string) string {
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "[doi]"))
	if at := strings.Index(s, "10."); at >= 0 {
		s = s[at:]
	}
	if !strings.HasPrefix(s, "10.") || !strings.Contains(s, "/") || len(s) > 300 || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return ""
	}
	return s
}

func pmid(s string) string {
	if s = strings.TrimSpace(s); s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return ""
	}
	return s
}

// address is where the publication is found; "" while that is not known.
func (p *Publication) address() string {
	switch {
	case p == nil:
		return ""
	case p.PMID != "":
		return "https://pubmed.ncbi.nlm.nih.gov/" + p.PMID + "/"
	case p.DOI != "":
		return webAddress("https://doi.org/" + p.DOI)
	}
	return ""
}

// inverted is a name as "Müller AB" as "Müller, AB"; others stay.
func inverted(name string) string {
	name = strings.TrimSpace(name)
	at := strings.LastIndexByte(name, ' ')
	if at < 0 || strings.Contains(name, ",") || !initials(name[at+1:]) {
		return name
	}
	return name[:at] + ", " + name[at+1:]
}

func initials(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= 4 && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsUpper(r) && r != '.' && r != '-' })
}

// namesOf takes a list of authors apart, as tables have it in one cell.
func namesOf(s string) []string {
	var list []string
	switch {
	case strings.Contains(s, "\n\n"):
		list = strings.Split(s, "\n\n")
	case strings.Contains(s, ";"):
		list = strings.Split(s, ";")
	case strings.Contains(s, " and "):
		list = strings.Split(s, " and ")
	default:
		list = strings.Split(strings.TrimRight(s, ". "), ",")
		if slices.ContainsFunc(list, func(name string) bool { return !strings.Contains(inverted(name), ",") }) {
			list = []string{s} // the comma is in a name
		}
	}
	for i := range list {
		list[i] = inverted(list[i])
	}
	return list
}

// range of pages from the first and the last.
func pageRange(first, last string) string {
	if last == "" || last == first || strings.ContainsAny(first, "-–") {
		return first
	}
	return first + "-" + last
}

// String is the publication as a reference has it: authors, journal, volume and pages, DOI, PMID.
func (p *Publication) String() string {
	if p == nil {
		return ""
	}
	var parts []string
	if n := len(p.Authors); n > 0 {
		names := make([]string, 0, 7)
		for _, a := range p.Authors[:min(n, 6)] {
			names = append(names, strings.Replace(a, ", ", " ", 1))
		}
		if n > 6 {
			names = append(names, "et al")
		}
		parts = append(parts, strings.Join(names, ", "))
	}
	where := strings.TrimSpace(p.Journal + " " + p.Volume)
	if p.Issue != "" {
		where += "(" + p.Issue + ")"
	}
	if p.Pages != "" {
		if where != "" {
			where += ":"
		}
		where += p.Pages
	}
	if where != "" {
		parts = append(parts, where)
	}
	if p.DOI != "" {
		parts = append(parts, "doi:"+p.DOI)
	}
	if p.PMID != "" {
		parts = append(parts, "PMID "+p.PMID)
	}
	return strings.Join(parts, ". ")
}

// published is a document with what a later reading of the same contents says of where it was
// published, and whether that is something else. What the later one does not say stays.
func (d Document) published(later *Document) (Document, bool) {
	if later.Publication == nil || reflect.DeepEqual(d.Publication, later.Publication) {
		return d, false
	}
	d.Publication = later.Publication
	d.URL = cmp.Or(later.URL, d.URL)
	return d, true
}

// Words are all that a publication says, one after the other: what a list is filtered by.
func (p *Publication) Words() string {
	if p == nil {
		return ""
	}
	return strings.Join(append(slices.Clone(p.Authors), p.Journal, p.Volume, p.Issue, p.Pages, p.DOI, p.PMID), " ")
}

// also are words that find a document beside those of its text: an entry's id, and its publication.
func (d *Document) also() string {
	var words []string
	if d.Kind == KindAbstract {
		words = append(words, d.Name)
	}
	if p := d.Publication; p != nil {
		words = append(words, p.Authors...)
		words = append(words, p.Journal, p.DOI)
		if p.PMID != d.Name {
			words = append(words, p.PMID)
		}
	}
	return strings.Join(words, "\n")
}
