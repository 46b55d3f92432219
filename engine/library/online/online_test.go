package online_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/library/online"
)

// sites are servers of our own that speak as the sources do. They note every request.
type sites struct {
	t *testing.T
	*httptest.Server
	mu    sync.Mutex
	asked []string
	// waited are the pauses that the client made; now is its clock.
	waited []time.Duration
	now    time.Time
	// answer, when it is set, answers in the place of the sources.
	answer http.HandlerFunc
}

func newSites(t *testing.T) *sites {
	s := &sites{t: t, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, "https://"+r.Host+r.URL.String())
		s.mu.Unlock()
		for name := range r.Header {
			if !slices.Contains([]string{"User-Agent", "Accept-Encoding"}, name) {
				t.Errorf("the header %s left", name)
			}
		}
		if got := r.Header.Get("User-Agent"); got != "Holdpoint" {
			t.Errorf("the source hears of %q", got)
		}
		if s.answer != nil {
			s.answer(w, r)
			return
		}
		speak(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// RoundTrip takes the place of the network: every host is the server, which still hears the name.
func (s *sites) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		s.t.Errorf("%s is asked without encryption", r.URL.Host)
	}
	c := r.Clone(r.Context())
	c.Host, c.URL.Scheme, c.URL.Host = r.URL.Host, "http", strings.TrimPrefix(s.URL, "http://")
	return http.DefaultTransport.RoundTrip(c)
}

func (s *sites) client() *online.Client {
	return online.NewClient(online.Options{Transport: s, Network: func() (bool, error) { return true, nil },
		Now: func() time.Time {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.now
		},
		Wait: func(ctx context.Context, d time.Duration) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			if d > 0 {
				s.waited = append(s.waited, d)
				s.now = s.now.Add(d)
			}
			return ctx.Err()
		}, Timeout: 5 * time.Minute, MaxAnswer: 1 << 20})
}

// speak answers as ESearch, EFetch, ClinicalTrials.gov and Europe PMC do.
func speak(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch r.Host + r.URL.Path {
	case "eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi":
		from, _ := strconv.Atoi(q.Get("retstart"))
		most, _ := strconv.Atoi(q.Get("retmax"))
		ids := []string{}
		for i := from; i < min(from+most, 5); i++ {
			ids = append(ids, fmt.Sprint(31000001+i))
		}
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		fmt.Fprintf(w, `{"header":{"type":"esearch","version":"0.3"},"esearchresult":{"count":"5","retmax":"%d","retstart":"%d","idlist":%s,"translationset":[],"querytranslation":"%s"}}`, len(ids), from, text(ids), q.Get("term"))
	case "eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi":
		w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
		for id := range strings.SplitSeq(q.Get("id"), ",") {
			fmt.Fprintf(w, "\nPMID- %s\nOWN - NLM\nSTAT- MEDLINE\nDP  - 2019 Mar 14\nTI  - Metformin and sleep apnoea, part\n      %s.\nAB  - BACKGROUND: Sleep apnoea is common. RESULTS: Metformin lowered the\n      index in cohort %s.\nFAU - Doe, J\nLA  - eng\nSO  - J Sleep. 2019.\n", id, id, id)
		}
	case "clinicaltrials.gov/api/v2/studies":
		next := `,"nextPageToken":"ZVNj7o2Elu8o3lpo"`
		n := "NCT05812963"
		if q.Get("pageToken") != "" {
			next, n = "", "NCT05812964"
		}
		fmt.Fprintf(w, `{"totalCount":2,"studies":[{"protocolSection":{"identificationModule":{"nctId":"%s","briefTitle":"Metformin in sleep apnoea","officialTitle":"A randomised trial of metformin"},
"statusModule":{"overallStatus":"NOT_YET_RECRUITING","startDateStruct":{"date":"2024-03"},"studyFirstPostDateStruct":{"date":"2023-11-08","type":"ACTUAL"}},
"descriptionModule":{"briefSummary":"This trial asks whether metformin lowers the index."},"conditionsModule":{"conditions":["Sleep Apnea","Diabetes"]},
"designModule":{"studyType":"INTERVENTIONAL","phases":["PHASE3"],"enrollmentInfo":{"count":120}},"armsInterventionsModule":{"interventions":[{"name":"Metformin"}]},
"outcomesModule":{"primaryOutcomes":[{"measure":"Apnoea-hypopnoea index"}]}},"hasResults":false}]%s}`, n, next)
	case "www.ebi.ac.uk/europepmc/webservices/rest/search":
		mark, id := "AoIIQA==", "31000009"
		if q.Get("cursorMark") != "*" {
			mark, id = q.Get("cursorMark"), "31000010"
		}
		fmt.Fprintf(w, `{"version":"6.9","hitCount":2,"nextCursorMark":"%s","request":{"queryString":"x"},"resultList":{"result":[{"id":"%s","source":"MED","pmid":"%s","title":"CPAP &amp; <i>metformin</i>.","pubYear":"2021","abstractText":"<h4>Background</h4>Old &lt; young. <h4>Results</h4><p>CPAP worked.</p>","firstPublicationDate":"2021-05-03"}]}}`, mark, id, id)
	default:
		http.NotFound(w, r)
	}
}

func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func plan(t *testing.T, source string, limit int) online.Request {
	t.Helper()
	list, err := online.Plan("metformin sleep apnoea", []string{source}, limit)
	if err != nil || len(list) != 1 {
		t.Fatalf("planned %v, %v", list, err)
	}
	return list[0]
}

// A person sees the whole address before anything leaves, and what leaves is that address.
func TestResearcher_H7_ARequestIsSentAsItWasShown(t *testing.T) {
	s := newSites(t)
	list, err := online.Plan("metformin  & sleep\napnoea", nil, 2)
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	if len(s.asked) != 0 {
		t.Fatal("planning asked a source")
	}
	for _, r := range list {
		u, err := url.Parse(r.URL)
		if err != nil {
			t.Fatal(err)
		}
		if q := u.Query().Encode(); !strings.Contains(q, url.QueryEscape("metformin & sleep apnoea")) || r.Text != "metformin & sleep apnoea" {
			t.Errorf("%s does not ask the question: %s", r.Source, r.URL)
		}
		if _, n, err := s.client().Send(t.Context(), r); err != nil || n != 1 {
			t.Errorf("%s: %v", r.Source, err)
		}
		if got := s.asked[len(s.asked)-1]; got != r.URL {
			t.Errorf("shown was\n%s, sent\n%s", r.URL, got)
		}
	}
	if len(s.asked) != 3 {
		t.Errorf("sent were %v", s.asked)
	}
	for _, bad := range []string{"", "   ", strings.Repeat("x", online.MaxText+1), "\xff"} {
		if _, err := online.Plan(bad, nil, 0); !errors.Is(err, online.ErrText) {
			t.Errorf("a search for %.9q: %v", bad, err)
		}
	}
	if _, err := online.Plan("x", []string{"elsewhere"}, 0); !errors.Is(err, online.ErrSource) {
		t.Errorf("a source that is none: %v", err)
	}
}

// PubMed names ids first; their abstracts and the next page are requests to look at again.
func TestResearcher_H7_PubMedIsReadInSteps(t *testing.T) {
	s := newSites(t)
	c := s.client()
	first, _, err := c.Send(t.Context(), plan(t, "pubmed", 2))
	if err != nil || first.Total != 5 || first.File != "" || len(first.Next) != 2 {
		t.Fatalf("%+v, %v", first, err)
	}
	if len(s.asked) != 1 {
		t.Fatalf("it asked on by itself: %v", s.asked)
	}
	texts, _, err := c.Send(t.Context(), first.Next[0])
	if err != nil || texts.File != "pubmed.nbib" || texts.Records != 2 || !strings.Contains(string(texts.Body), "PMID- 31000002") || len(texts.Next) != 0 {
		t.Fatalf("%+v, %v", texts, err)
	}
	pages := 0
	for next := first.Next[1]; ; pages++ {
		a, _, err := c.Send(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Next) < 2 {
			break
		}
		next = a.Next[1]
	}
	if pages != 1 {
		t.Errorf("five records by two are three pages, not %d", pages+2)
	}
}

func TestResearcher_H7_TrialsAndEuropePMCAreReadByPages(t *testing.T) {
	for source, want := range map[string][]string{
		"clinicaltrials": {`"id":"NCT05812963"`, `"date":"2023-11-08"`, `"url":"https://clinicaltrials.gov/study/NCT05812963"`, "not yet recruiting", "phase3", "Enrolment: 120", "Apnoea-hypopnoea index"},
		"europepmc":      {`"id":"MED/31000009"`, `"date":"2021-05-03"`, `"url":"https://europepmc.org/article/MED/31000009"`, `"title":"CPAP \u0026 metformin."`, `"Old \u003c young."`, `"labels":["","Background","Results"]`},
	} {
		s := newSites(t)
		c := s.client()
		a, _, err := c.Send(t.Context(), plan(t, source, 1))
		if err != nil || a.Records != 1 || a.Total != 2 || len(a.Next) != 1 {
			t.Fatalf("%s: %+v, %v", source, a, err)
		}
		for _, x := range want {
			if !bytes.Contains(a.Body, []byte(x)) {
				t.Errorf("%s lacks %s: %s", source, x, a.Body)
			}
		}
		last, _, err := c.Send(t.Context(), a.Next[0])
		if err != nil || last.Records != 1 || len(last.Next) != 0 {
			t.Errorf("%s, the last page: %+v, %v", source, last, err)
		}
	}
}

// "It asked somewhere else than what I had approved."
func TestResearcher_H7_NoOtherHostIsAsked(t *testing.T) {
	s := newSites(t)
	r := plan(t, "europepmc", 1)
	for _, bad := range []string{"http://www.ebi.ac.uk/europepmc/webservices/rest/search?query=x", "https://www.ebi.ac.uk.evil.example/europepmc/webservices/rest/search", "https://evil.example/europepmc/webservices/rest/search",
		"https://www.ebi.ac.uk:8443/europepmc/webservices/rest/search", "https://me@www.ebi.ac.uk/europepmc/webservices/rest/search", "https://www.ebi.ac.uk/other", "https://www.ebi.ac.uk/europepmc/webservices/rest/../../../x", "https://clinicaltrials.gov/api/v2/studies", "://"} {
		r.URL = bad
		if _, n, err := s.client().Send(t.Context(), r); !errors.Is(err, online.ErrHost) || n != 0 {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, to := range []string{"https://evil.example/", "https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=more", "/europepmc/webservices/rest/elsewhere"} {
		s.answer = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
		before := len(s.asked)
		if _, _, err := s.client().Send(t.Context(), plan(t, "europepmc", 1)); !errors.Is(err, online.ErrRedirect) || len(s.asked) != before+1 {
			t.Errorf("sent on to %s: %v, asked %v", to, err, s.asked[before:])
		}
	}
	off := online.NewClient(online.Options{Transport: s, Network: func() (bool, error) { return false, nil }})
	before := len(s.asked)
	if _, n, err := off.Send(t.Context(), plan(t, "europepmc", 1)); !errors.Is(err, online.ErrNetwork) || n != 0 || len(s.asked) != before {
		t.Errorf("with the network off: %v", err)
	}
}

// "PubMed told it to slow down and it kept hammering."
func TestResearcher_H7_SourcesAreNotPressed(t *testing.T) {
	s := newSites(t)
	c := s.client()
	for range 3 {
		if _, _, err := c.Send(t.Context(), plan(t, "pubmed", 1)); err != nil {
			t.Fatal(err)
		}
	}
	if total := s.waited[0] + s.waited[1]; total < 600*time.Millisecond {
		t.Errorf("three requests came within %v", total)
	}
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "": time.Second} {
		s := newSites(t)
		calls := 0
		s.answer = func(w http.ResponseWriter, r *http.Request) {
			if calls++; calls == 1 {
				w.Header().Set("Retry-After", header)
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = io.WriteString(w, `{"error":"API rate limit exceeded","count":"4","limit":"3"}`)
				return
			}
			speak(w, r)
		}
		if _, n, err := s.client().Send(t.Context(), plan(t, "pubmed", 1)); err != nil || n != 2 || s.waited[0] != want {
			t.Errorf("Retry-After %q: %v after %d, waited %v", header, err, n, s.waited)
		}
	}
	// A date, and longer than anybody waits: it says from when on.
	s = newSites(t)
	s.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", s.now.Add(10*time.Minute).Format(http.TimeFormat))
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, n, err := s.client().Send(t.Context(), plan(t, "pubmed", 1))
	var later *online.LaterError
	if !errors.As(err, &later) || n != 1 || later.At.Sub(s.now) != 10*time.Minute {
		t.Errorf("after %d: %v", n, err)
	}
	// Three times in all.
	s = newSites(t)
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }
	if _, n, err = s.client().Send(t.Context(), plan(t, "pubmed", 1)); !errors.As(err, &later) || n != 3 || len(s.asked) != 3 {
		t.Errorf("after %d: %v", n, err)
	}
}

// Whatever comes back that is not what was asked for is an error with a reason, and nothing is imported.
func TestResearcher_H7_AnswersAreHostile(t *testing.T) {
	bomb := `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><l>&b;</l>`
	deep := strings.Repeat("[", 200_000)
	for source, bodies := range map[string][]string{
		"pubmed": {"", "{", bomb, deep, "<html>Error</html>", `[]`, `{"error":"API rate limit exceeded"}`, `{"esearchresult":{"ERROR":"Invalid db name"}}`, `{"esearchresult":{"count":"many","idlist":[]}}`,
			`{"esearchresult":{"count":"1","idlist":["1&api_key=x"]}}`, `{"esearchresult":{"count":"1","idlist":["../../x"]}}`, `{"esearchresult":{"count":"-4","idlist":["1"]}}`},
		"clinicaltrials": {"", "null", "{}", bomb, deep, `{"studies":{}}`, `{"studies":[{}]}`, `{"studies":[{"protocolSection":{"identificationModule":{"nctId":"NCT1/../../x"}}}]}`,
			`{"studies":[],"nextPageToken":"a b\nc"}`, `{"studies":[],"nextPageToken":"` + strings.Repeat("x", 5000) + `"}`},
		"europepmc": {"", "{}", bomb, deep, `{"resultList":{"result":[{"id":"1"}]}}`, `{"resultList":{"result":[{"source":"MED","id":"1\"><script>"}]}}`, `{"resultList":{"result":["x"]}}`,
			`{"hitCount":9,"nextCursorMark":"a\u0000b","resultList":{"result":[{"source":"MED","id":"1","title":"x"}]}}`},
	} {
		for _, body := range bodies {
			s := newSites(t)
			s.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
			a, _, err := s.client().Send(t.Context(), plan(t, source, 1))
			if !errors.Is(err, online.ErrMalformed) || a.File != "" || len(a.Next) != 0 {
				t.Errorf("%s answers %.60q: %v, %+v", source, body, err, a)
			}
		}
	}
	for status, want := range map[int]string{404: "404", 500: "500", 403: "403"} {
		s := newSites(t)
		s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		if _, _, err := s.client().Send(t.Context(), plan(t, "pubmed", 1)); !errors.Is(err, online.ErrAnswer) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "metformin") {
			t.Errorf("%d: %v", status, err)
		}
	}
	// More than the bound, also when it is small on the wire.
	s := newSites(t)
	s.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		block := bytes.Repeat([]byte(" "), 1<<20)
		for range 2 {
			if _, err := z.Write(block); err != nil {
				return
			}
		}
		_ = z.Close()
	}
	if _, _, err := s.client().Send(t.Context(), plan(t, "pubmed", 1)); !errors.Is(err, online.ErrTooLong) {
		t.Errorf("more than the bound: %v", err)
	}
	// Cut off.
	s.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "900")
		_, _ = io.WriteString(w, `{"esearchresult":`)
	}
	if _, _, err := s.client().Send(t.Context(), plan(t, "pubmed", 1)); !errors.Is(err, online.ErrMalformed) {
		t.Errorf("cut off: %v", err)
	}
	// Nobody there; the error does not repeat the search, and says nothing of sockets.
	s.Close()
	if _, _, err := s.client().Send(t.Context(), plan(t, "pubmed", 1)); !errors.Is(err, online.ErrReach) || err.Error() != "online: the source cannot be reached: it takes no connection, or a firewall ends it" {
		t.Errorf("nobody there: %v", err)
	}
	none := online.NewClient(online.Options{Network: func() (bool, error) { return true, nil }, Transport: absent{}})
	if _, _, err := none.Send(t.Context(), plan(t, "pubmed", 1)); !errors.Is(err, online.ErrReach) || err.Error() != "online: the source cannot be reached: this laptop seems to have no network" {
		t.Errorf("no network: %v", err)
	}
}

// absent is a laptop whose network is off.
type absent struct{}

func (absent) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "eutils.ncbi.nlm.nih.gov", IsNotFound: true}}
}

// A source that never answers is given up at its time.
func TestResearcher_H7_ASilentSourceIsGivenUp(t *testing.T) {
	s := newSites(t)
	over := make(chan struct{})
	s.answer = func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}
	defer close(over)
	c := online.NewClient(online.Options{Transport: s, Network: func() (bool, error) { return true, nil }, Timeout: 50 * time.Millisecond})
	if _, _, err := c.Send(t.Context(), plan(t, "pubmed", 1)); !errors.Is(err, online.ErrTimeout) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.client().Send(ctx, plan(t, "pubmed", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
