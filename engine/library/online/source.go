package online

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Source is a host that answers searches.
type Source struct {
	ID, Title string
	// Host is the only one that is asked, always over HTTPS.
	Host string
	// Every is the least time between two requests, as the source asks for.
	Every time.Duration

	path  string // where its requests begin
	first func(text string, limit int) url.Values
	at    string // below path, where first goes
}

// Sources are all that can be asked.
var Sources = []Source{pubMed, trials, europePMC}

// Find is a source by its id.
func Find(id string) (Source, bool) {
	i := slices.IndexFunc(Sources, func(s Source) bool { return s.ID == id })
	if i < 0 {
		return Source{}, false
	}
	return Sources[i], true
}

// Answer is what a source said.
type Answer struct {
	// File is the name of a file with what was found, and Body its content, as package
	// library imports it; both empty in an answer without records.
	File string
	Body []byte
	// Total is how many records the source has, Records how many came.
	Total, Records int
	// Next are the requests that this answer makes possible.
	Next []Request
}

// Bounds of a search.
const (
	MaxText   = 1000 // bytes
	MaxLimit  = 100
	UsualHits = 20
)

// ErrText says that a search has no text, or too much.
var ErrText = fmt.Errorf("online: a search takes 1 to %d bytes of text", MaxText)

// Plan is what a search would send first: one request to each source.
func Plan(text string, sources []string, limit int) ([]Request, error) {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || len(text) > MaxText || !utf8.ValidString(text) {
		return nil, ErrText
	}
	if limit <= 0 {
		limit = UsualHits
	}
	limit = min(limit, MaxLimit)
	var out []Request
	for _, s := range Sources {
		if len(sources) == 0 || slices.Contains(sources, s.ID) {
			out = append(out, s.request(Request{Text: text, Limit: limit, Asks: phrase("the %d records that fit best", limit)}, s.at, s.first(text, limit)))
		}
	}
	for _, id := range sources {
		if _, ok := Find(id); !ok {
			return nil, fmt.Errorf("%w: %q", ErrSource, id)
		}
	}
	return out, nil
}

// read takes an answer to a request apart; u is its address.
func read(r Request, u *url.URL, body []byte) (Answer, error) {
	switch r.Source {
	case pubMed.ID:
		return readPubMed(r, u, body)
	case trials.ID:
		return readTrials(r, u, body)
	}
	return readEuropePMC(r, u, body)
}

// request fills in what is sent.
func (s *Source) request(r Request, at string, values url.Values) Request {
	r.ID, r.Status, r.Outcome = "", Waiting, Outcome{}
	r.Source, r.URL = s.ID, "https://"+s.Host+s.path+at+"?"+values.Encode()
	return r
}

// Errors of requests that are not sent, and of answers that are not taken.
var (
	ErrSource    = errors.New("online: there is no such source")
	ErrHost      = errors.New("online: the address is none of its source's")
	ErrMalformed = errors.New("online: the answer is not what was asked for")
)

// check sees that a request goes where its source is.
func (r *Request) check() (Source, *url.URL, error) {
	s, ok := Find(r.Source)
	if !ok {
		return s, nil, fmt.Errorf("%w: %q", ErrSource, r.Source)
	}
	u, err := url.Parse(r.URL)
	if err != nil || u.Scheme != "https" || u.Host != s.Host || u.User != nil || u.Fragment != "" || !strings.HasPrefix(u.Path, s.path) || strings.Contains(u.Path, "..") {
		return s, nil, ErrHost
	}
	return s, u, nil
}

// token says whether what a source gave for its next page may be sent back.
func token(s string) bool {
	return s != "" && len(s) <= 500 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// phrase fills a format of a sentence that screens show, in French as well.
func phrase(format string, values ...any) string { return fmt.Sprintf(format, values...) }
