package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdpoint/app"
)

// ended waits for the last job and returns its report, and how it ended.
func ended(t *testing.T, w *site) (string, error) {
	t.Helper()
	jobs := w.app.Jobs()
	end := w.app.WaitJob(jobs[len(jobs)-1].ID, func(app.Job) {}) // it answers when all is read, and the report follows
	jobs = w.app.Jobs()
	raw, err := json.Marshal(jobs[len(jobs)-1].Result)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw), end
}

// "I chose a folder in the browser, and imported it from the command line later: everything was there twice."
func TestLibrary_AFolderOfTheBrowserIsThatOfThePath(t *testing.T) {
	w := open(t)
	dir := filepath.Join(t.TempDir(), "papers")
	files := map[string]string{
		"2019/salt.txt": "Less salt lowers the blood pressure of adults.", "notes.md": "# Tea\n\nGreen tea does not.",
		"empty.txt": "", "film.mov": strings.Repeat("x", 100_000), ".cache/hidden.txt": "Nobody meant this one.",
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		part, err := form.CreateFormFile("papers/"+name, filepath.Base(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	res := w.do(http.MethodPost, "/api/upload/library?name=papers", body.String(), []string{"Content-Type", form.FormDataContentType()})
	if res.status != http.StatusOK {
		t.Fatalf("%d %s", res.status, res.body)
	}
	report, end := ended(t, w)
	if end != nil {
		t.Fatal(end)
	}
	for _, want := range []string{`"source":"papers"`, `"created":2`, `"failed":1`, `"skipped_files":1`, `"file":"empty.txt"`, `"file":"film.mov"`} {
		if !strings.Contains(report, want) {
			t.Errorf("the report has no %s: %s", want, report)
		}
	}
	if strings.Contains(report, "hidden") {
		t.Error("what is hidden was taken: ", report)
	}
	again, err := w.app.ImportDocuments(t.Context(), dir, func(int64, int64, string, string) {})
	if err != nil || again.Created != 0 || again.Duplicates != 0 || again.Unchanged != 2 {
		t.Errorf("imported by its path: %+v, %v", again, err)
	}
}

// A folder whose sending broke off keeps what came, and says that it is not all.
func TestLibrary_AFolderThatBreaksOffSaysSo(t *testing.T) {
	w := open(t)
	body := "--b\r\nContent-Disposition: form-data; name=\"papers/a.txt\"; filename=\"a.txt\"\r\n\r\nSalt and pressure.\r\n--b\r\nContent-Disposition: form-data; name=\"papers/../../b.txt\"; filename=\"b.txt\"\r\n\r\nHalf of"
	res := w.do(http.MethodPost, "/api/upload/library?name=papers", body, []string{"Content-Type", "multipart/form-data; boundary=b"})
	if _, end := ended(t, w); res.status != http.StatusOK || end == nil || !strings.Contains(end.Error(), "not all files came") {
		t.Errorf("it is not said: %d, %v", res.status, end)
	}
	v, err := w.app.Documents("", "", "", "", 10)
	if err != nil || len(v.Documents) != 1 || v.Documents[0].Path != "a.txt" {
		t.Errorf("what came before is not there: %+v, %v", v.Documents, err)
	}
}

// slow is a body that comes in pieces; it says when the first was read, and waits until it may go on.
type slow struct {
	begun, on chan struct{}
	left      int
	rest      io.Reader
}

func (s *slow) Read(b []byte) (int, error) {
	if s.left--; s.left == 0 {
		close(s.begun)
		<-s.on
	}
	return s.rest.Read(b[:min(len(b), 4096)])
}

// "I cancelled the import of a folder, and it began again by itself": browsers send once more what was not read to its end.
func TestLibrary_ACancelledFolderIsReadToItsEnd(t *testing.T) {
	w := open(t)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for n := range 300 {
		part, err := form.CreateFormFile(fmt.Sprintf("papers/%d.txt", n), "x.txt")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(part, "Document %d. %s", n, strings.Repeat("Salt and tea. ", 10_000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	s := &slow{begun: make(chan struct{}), on: make(chan struct{}), left: 20, rest: bytes.NewReader(body.Bytes())}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.origin+"/api/upload/library?name=papers", s)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(keyHeader, w.key)
	req.Header.Set("Content-Type", form.FormDataContentType())
	notices, stop := w.app.Watch()
	defer stop()
	go func() {
		<-s.begun
		for len(w.app.Jobs()) == 0 {
			<-notices
		}
		for _, j := range w.app.Jobs() {
			if err := w.app.CancelJob(j.ID); err != nil {
				t.Error(err)
			}
		}
		close(s.on)
	}()
	res, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
	if left := s.rest.(*bytes.Reader).Len(); res.StatusCode != http.StatusOK || left != 0 {
		t.Errorf("%d: %d bytes were never read", res.StatusCode, left)
	}
	if jobs := w.app.Jobs(); len(jobs) != 1 || jobs[0].Status != "cancelled" {
		t.Errorf("%+v", jobs)
	}
}
