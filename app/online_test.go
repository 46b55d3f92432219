package app_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/library"
	"holdpoint/engine/library/online"
)

// sources answer in the place of the network; they note what was asked.
type sources struct {
	mu    sync.Mutex
	asked []string
	// hold, when there is one for a host, keeps its answer back until it is closed.
	hold map[string]chan struct{}
}

func (s *sources) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.String())
	hold := s.hold[r.URL.Host]
	s.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	body := ""
	switch {
	case strings.HasSuffix(r.URL.Path, "esearch.fcgi"):
		body = `{"esearchresult":{"count":"1","retmax":"1","retstart":"0","idlist":["31000001"]}}`
	case strings.HasSuffix(r.URL.Path, "efetch.fcgi"):
		body = "\nPMID- 31000001\nDP  - 2019 Mar 14\nTI  - Metformin in sleep apnoea.\nAB  - Metformin lowered the apnoea-hypopnoea index in adults.\n"
	case r.URL.Host == "clinicaltrials.gov":
		body = `{"totalCount":1,"studies":[{"protocolSection":{"identificationModule":{"nctId":"NCT05812963","briefTitle":"Metformin against sleep apnoea"},"statusModule":{"overallStatus":"RECRUITING","studyFirstPostDateStruct":{"date":"2023-11-08"}},"descriptionModule":{"briefSummary":"The trial measures the apnoea-hypopnoea index under metformin."}}}]}`
	default:
		body = `{"hitCount":1,"nextCursorMark":"*","resultList":{"result":[{"id":"PPR9","source":"PPR","title":"Metformin, again","abstractText":"Metformin did not lower the apnoea-hypopnoea index in adults.","firstPublicationDate":"2024-01-02"}]}}`
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func (s *sources) sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

func openOnline(t *testing.T, dir string, s *sources) *app.App {
	t.Helper()
	a, err := app.Open(app.Options{Dir: dir, Version: "test", Practice: true, Wire: s})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func quiet(int64, int64, string) {}

func quietIn(int64, int64, string, string) {}

// "Nothing leaves my laptop unless I said so, request by request."
func TestResearcher_H7_OnlineSourcesAreAskedOnlyByApprovedRequests(t *testing.T) {
	s := &sources{}
	dir := t.TempDir()
	a := openOnline(t, dir, s)
	sample(t, a)
	var fault *app.Fault
	if _, err := a.PlanOnline("metformin", nil, 1); !errors.Is(err, online.ErrNetwork) || app.AsFault(err).Code != "offline" {
		t.Fatalf("off until it is switched on: %v", err)
	}
	if state, err := a.State(t.Context()); err != nil || state.Network["mode"] != "offline" {
		t.Errorf("the badge says %v, %v", state.Network, err)
	}
	if err := a.Set("network", []byte("true")); err != nil {
		t.Fatal(err)
	}
	if state, err := a.State(t.Context()); err != nil || state.Network["mode"] != "online" || !strings.Contains(state.Network["detail"], "one by one") {
		t.Errorf("the badge says %v, %v", state.Network, err)
	}
	list, err := a.PlanOnline("metformin sleep apnoea", nil, 1)
	if err != nil || len(list) != 3 || s.sent() != 0 {
		t.Fatalf("planned %v, %v; sent %v", list, err, s.asked)
	}
	// They wait over a restart.
	closeApp(t, a)
	a = openOnline(t, dir, s)
	defer func() { closeApp(t, a) }()
	v, err := a.Online()
	if err != nil || len(v.Requests) != 3 || !v.Network || v.Requests[2].URL != list[0].URL || v.Requests[0].Status != online.Waiting || len(v.Sources) != 3 {
		t.Fatalf("%+v, %v", v, err)
	}
	if err := a.RefuseOnline([]string{list[1].ID}, "Ada"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.SendOnline(t.Context(), []string{list[0].ID, list[1].ID}, "Ada", quiet); !errors.As(err, &fault) || fault.Code != "decided" || s.sent() != 0 {
		t.Fatalf("a refused request went: %v, %v", err, s.asked)
	}
	done, err := a.SendOnline(t.Context(), []string{list[0].ID}, "Ada", quiet)
	if err != nil || len(done) != 1 || done[0].Status != online.Done || done[0].By != "Ada" || s.sent() != 1 || s.asked[0] != list[0].URL {
		t.Fatalf("%+v, %v, %v", done, err, s.asked)
	}
	if _, err := a.SendOnline(t.Context(), []string{list[0].ID}, "Ada", quiet); !errors.As(err, &fault) || s.sent() != 1 {
		t.Errorf("one approval is for one request: %v, %v", err, s.asked)
	}
	// What PubMed found is a request of its own, which leads to documents with id, date and address.
	v, err = a.Online()
	if err != nil || v.Requests[0].After != list[0].ID || v.Requests[0].Status != online.Waiting {
		t.Fatalf("%+v, %v", v.Requests, err)
	}
	if _, err := a.SendOnline(t.Context(), []string{v.Requests[0].ID}, "Ada", quiet); err != nil {
		t.Fatal(err)
	}
	found, err := a.SearchLibrary(t.Context(), library.Query{Text: "apnoea-hypopnoea index"})
	if err != nil || len(found.Hits) != 1 {
		t.Fatal(found, err)
	}
	if d := found.Hits[0].Document; d.Name != "31000001" || d.Source != "PubMed" || d.Date != "2019-03-14" || d.URL != "https://pubmed.ncbi.nlm.nih.gov/31000001/" {
		t.Errorf("%+v", d)
	}
	// Off again: what waits stays.
	if err := a.Set("network", []byte("false")); err != nil {
		t.Fatal(err)
	}
	if _, err := a.SendOnline(t.Context(), []string{list[2].ID}, "Ada", quiet); !errors.Is(err, online.ErrNetwork) || s.sent() != 2 {
		t.Errorf("%v, %v", err, s.asked)
	}
}

// "The trial registry hung and I got nothing at all."
func TestResearcher_H7_ASlowSourceHoldsNoOther(t *testing.T) {
	hung := make(chan struct{})
	s := &sources{hold: map[string]chan struct{}{"clinicaltrials.gov": hung}}
	a := openOnline(t, t.TempDir(), s)
	defer closeApp(t, a)
	if err := a.Set("network", []byte("true")); err != nil {
		t.Fatal(err)
	}
	list, err := a.PlanOnline("metformin", []string{"europepmc", "clinicaltrials"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	came := make(chan string, 2)
	ended := make(chan []online.Request, 1)
	go func() {
		done, err := a.SendOnline(t.Context(), []string{list[0].ID, list[1].ID}, "Ada", func(_, _ int64, detail string) { came <- detail })
		if err != nil {
			t.Error(err)
		}
		ended <- done
	}()
	if first := <-came; !strings.HasPrefix(first, "Europe PMC: 1 of 1 records, 1 new") {
		t.Errorf("first came %s", first)
	}
	if found, err := a.SearchLibrary(t.Context(), library.Query{Text: "hypopnoea", By: library.ByWords}); err != nil || len(found.Hits) != 1 || found.Hits[0].URL != "https://europepmc.org/article/PPR/PPR9" {
		t.Errorf("what came is not there while the other is awaited: %+v, %v", found.Hits, err)
	}
	if state, err := a.State(t.Context()); err != nil || !strings.HasPrefix(state.Network["detail"], "1 approved request") {
		t.Errorf("the badge says %v, %v", state.Network, err)
	}
	close(hung)
	for _, r := range <-ended {
		if r.Status != online.Done || r.Created != 1 {
			t.Errorf("%+v", r)
		}
	}
}

// "I typed the patient's name into the search box."
func TestResearcher_H7_ASearchThatNamesAPatientIsMarked(t *testing.T) {
	a := openOnline(t, t.TempDir(), &sources{})
	defer closeApp(t, a)
	sample(t, a)
	if err := a.Set("network", []byte("true")); err != nil {
		t.Fatal(err)
	}
	patients, err := a.Patients("")
	if err != nil || len(patients) == 0 {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{fmt.Sprintf("what helps %s, with asthma?", strings.ToUpper(patients[0].Name)): true, "what helps in asthma": false} {
		list, err := a.PlanOnline(text, []string{"pubmed"}, 1)
		if err != nil || (list[0].Warning != "") != want {
			t.Errorf("%q: %+v, %v", text, list, err)
		}
	}
}
