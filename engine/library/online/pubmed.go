package online

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// pubMed is asked through the E-utilities of NCBI: ESearch gives ids as JSON, EFetch the records
// in MEDLINE's format, as PubMed exports them (NCBI, "Entrez Programming Utilities Help",
// NBK25499). Without a key three requests a second are allowed.
var pubMed = Source{
	ID: "pubmed", Title: "PubMed", Host: "eutils.ncbi.nlm.nih.gov", Every: 350 * time.Millisecond,
	path: "/entrez/eutils/", at: searchPubMed,
	first: func(text string, limit int) url.Values {
		return url.Values{"db": {"pubmed"}, "term": {text}, "retmax": {strconv.Itoa(limit)}, "retstart": {"0"}, "retmode": {"json"}, "sort": {"relevance"}, "tool": {"holdpoint"}}
	},
}

const (
	searchPubMed = "esearch.fcgi"
	fetchPubMed  = "efetch.fcgi"
	// mostOfSearch is how far into its results ESearch goes.
	mostOfSearch = 9_999
)

func readPubMed(r Request, u *url.URL, body []byte) (Answer, error) {
	if strings.HasSuffix(u.Path, fetchPubMed) {
		return readMedline(r, body)
	}
	var in struct {
		Error  string
		Result *struct {
			Count string
			IDs   []string `json:"idlist"`
			Error string   `json:"ERROR"`
		} `json:"esearchresult"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Answer{}, bad("it is not JSON of ESearch")
	}
	if in.Result == nil || in.Result.Error != "" || in.Error != "" {
		return Answer{}, bad("the search was not understood there")
	}
	total, err := strconv.Atoi(in.Result.Count)
	if err != nil || total < 0 {
		return Answer{}, bad("it does not count what was found")
	}
	for _, id := range in.Result.IDs {
		if id == "" || len(id) > 12 || strings.Trim(id, "0123456789") != "" {
			return Answer{}, bad("one of its ids is not a PubMed id")
		}
	}
	a := Answer{Total: total}
	ids := in.Result.IDs[:min(len(in.Result.IDs), r.Limit)]
	if len(ids) == 0 {
		return a, nil
	}
	next := Request{Text: r.Text, Limit: len(ids), After: r.ID, Asks: phrase("the titles and abstracts of the %d records that were found", len(ids))}
	a.Next = append(a.Next, pubMed.request(next, fetchPubMed, url.Values{"db": {"pubmed"}, "id": {strings.Join(ids, ",")}, "rettype": {"medline"}, "retmode": {"text"}, "tool": {"holdpoint"}}))
	values := u.Query()
	if from, err := strconv.Atoi(values.Get("retstart")); err == nil && from+r.Limit < min(total, mostOfSearch) {
		values.Set("retstart", strconv.Itoa(from+r.Limit))
		a.Next = append(a.Next, pubMed.request(more(r, total-from-r.Limit), searchPubMed, values))
	}
	return a, nil
}

// more is the request for a next page.
func more(r Request, left int) Request {
	return Request{Text: r.Text, Limit: r.Limit, After: r.ID, Asks: phrase("the next %d records of %d more", min(left, r.Limit), left)}
}

func readMedline(_ Request, body []byte) (Answer, error) {
	body = bytes.TrimSpace(body)
	if !utf8.Valid(body) || !bytes.HasPrefix(body, []byte("PMID- ")) {
		return Answer{}, bad("it is not in MEDLINE's format")
	}
	return Answer{File: "pubmed.nbib", Body: append(body, '\n'), Records: 1 + bytes.Count(body, []byte("\nPMID- "))}, nil
}
