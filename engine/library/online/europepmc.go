package online

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"holdpoint/engine/lazyregexp"
)

// europePMC is asked by its RESTful web service: JSON, pages by cursor
// (europepmc.org/RestfulWebService).
var europePMC = Source{
	ID: "europepmc", Title: "Europe PMC", Host: "www.ebi.ac.uk", Every: 200 * time.Millisecond,
	path: "/europepmc/webservices/rest/", at: "search",
	first: func(text string, limit int) url.Values {
		return url.Values{"query": {text}, "pageSize": {strconv.Itoa(limit)}, "format": {"json"}, "resultType": {"core"}, "cursorMark": {"*"}}
	},
}

// article is an id there, as MED/26852225 or PPR/123.
var article = lazyregexp.New(`^[A-Z]{2,5}/[A-Za-z0-9_.-]{1,40}$`)

func readEuropePMC(r Request, u *url.URL, body []byte) (Answer, error) {
	var in struct {
		HitCount       int
		NextCursorMark string
		ResultList     *struct{ Result []json.RawMessage }
	}
	if err := json.Unmarshal(body, &in); err != nil || in.ResultList == nil {
		return Answer{}, bad("it is not JSON of Europe PMC")
	}
	var f file
	for _, raw := range in.ResultList.Result[:min(len(in.ResultList.Result), r.Limit)] {
		var x struct {
			ID, Source, Title, AbstractText, FirstPublicationDate, PubYear string
		}
		if err := json.Unmarshal(raw, &x); err != nil {
			return Answer{}, bad("one of its records cannot be read")
		}
		id := x.Source + "/" + x.ID
		if !article.MatchString(id) {
			return Answer{}, bad("one of its records has no id")
		}
		r := record{ID: id, Title: plain(x.Title), Date: x.FirstPublicationDate, URL: "https://europepmc.org/article/" + id}
		if r.Date == "" {
			r.Date = x.PubYear
		}
		r.add("", r.Title)
		for _, s := range sections(x.AbstractText) {
			r.add(s.heading, s.text)
		}
		if err := f.add(r); err != nil {
			return Answer{}, err
		}
	}
	a := f.answer("europepmc.jsonl")
	a.Total = max(in.HitCount, a.Records)
	values := u.Query()
	// The last page repeats its own cursor.
	if next := in.NextCursorMark; next != "" && next != values.Get("cursorMark") && a.Records == r.Limit {
		if !token(next) {
			return Answer{}, bad("what it calls its next page is none")
		}
		values.Set("cursorMark", next)
		a.Next = append(a.Next, europePMC.request(more(r, max(a.Total-a.Records, 1)), europePMC.at, values))
	}
	return a, nil
}

// part is what stands under a heading.
type part struct{ heading, text string }

// sections take an abstract apart, in which <h4> are headings and other elements only style.
func sections(abstract string) []part {
	out := []part{{}}
	z := html.NewTokenizer(strings.NewReader(abstract))
	heading := false
	for {
		last := &out[len(out)-1]
		switch z.Next() {
		case html.ErrorToken:
			return out
		case html.TextToken:
			if text := string(z.Text()); heading {
				last.heading += html.UnescapeString(text)
			} else {
				last.text += html.UnescapeString(text)
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			if heading = strings.EqualFold(string(name), "h4"); heading {
				out = append(out, part{})
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); strings.EqualFold(string(name), "h4") {
				heading = false
			} else if strings.EqualFold(string(name), "p") {
				last.text += "\n\n"
			}
		}
	}
}

// plain is a text without the elements in it.
func plain(s string) string {
	var b strings.Builder
	for _, p := range sections(s) {
		b.WriteString(p.heading + p.text)
	}
	return strings.TrimSpace(b.String())
}
