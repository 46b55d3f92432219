package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// pieceLen is how long a piece of the answer is about, in bytes.
const pieceLen = 1000

// piece is the i-th of an answer that says something else each time: what goes round in
// circles is stopped early.
func piece(i int) string {
	var b strings.Builder
	for n := 0; b.Len() < pieceLen; n++ {
		fmt.Fprintf(&b, "Night %d: patient %x slept %d minutes of %x. ", i*40+n, (i*40+n)*7919, (i*131+n*17)%600, (i+n)*104729)
	}
	return b.String()
}

// talker is a model server whose model writes so many pieces; -1 is without end.
func talker(t *testing.T, most int) (url string, sent *atomic.Int64) {
	t.Helper()
	sent = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/version":
			fmt.Fprint(w, `{"version":"0.24.0"}`)
		case "/api/tags":
			fmt.Fprint(w, `{"models":[{"name":"stub:latest","model":"stub:latest","digest":"d1","size":1}]}`)
		case "/api/show":
			fmt.Fprint(w, `{"capabilities":["completion","tools"],"model_info":{"general.architecture":"llama","llama.context_length":8192}}`)
		case "/api/chat":
			var asked struct{ Format json.RawMessage }
			if json.Unmarshal(body, &asked) == nil && asked.Format != nil && !strings.Contains(string(body), `"reply"`) {
				fmt.Fprintln(w, `{"message":{"content":"{}"},"done":true,"done_reason":"stop"}`)
				return
			}
			for i := 0; r.Context().Err() == nil; i++ {
				if i == most {
					fmt.Fprintln(w, `{"message":{"content":""},"done":true,"done_reason":"stop"}`)
					return
				}
				quoted, err := json.Marshal(piece(i))
				if err != nil {
					return
				}
				n, err := fmt.Fprintf(w, `{"message":{"role":"assistant","content":%s},"done":false}`+"\n", quoted)
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL, sent
}

// "One answer filled the disk."
func TestTurn_AnAnswerWithoutEndLeavesAFileOfAtMostTwiceItsText(t *testing.T) {
	for name, most := range map[string]int{"without end": -1, "as long as may be": textRoom / (pieceLen + 60)} {
		t.Run(name, func(t *testing.T) { longAnswer(t, most) })
	}
}

const textRoom = 256 << 10

func longAnswer(t *testing.T, most int) {
	url, sent := talker(t, most)
	dir := t.TempDir()
	a, err := app.Open(app.Options{Dir: dir, Ollama: url, Model: "stub"})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, app.StoreFile))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Text: "How did the patient sleep?"})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC() // how much is let lie is the tests' setting
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	events, err := a.Store.Journal("s1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, e := range events {
		if d, _ := journal.Read[journal.MessageData](e); e.Kind == journal.Message && d.FullText != nil {
			kept = max(kept, d.FullText.Size)
			if most < 0 && (d.Generation == nil || !d.Partial) {
				t.Error("the answer that breaks off is not marked as such")
			}
		}
	}
	if kept < textRoom*9/10 {
		t.Errorf("%d bytes of the answer are kept", kept)
	}
	t.Logf("%s: %v; %d KB came, %d KB of output, the file grew by %d KB, %d MB in use", out.Run.Status, out.Err, sent.Load()>>10, len(out.Run.Output)>>10, (size()-before)>>10, mem.HeapInuse>>20)
	if out.Run.Status == run.Running {
		t.Errorf("the turn is %s", out.Run.Status)
	}
	// A whole answer is kept six times, as text and as JSON: the message, the turn's output, the
	// two channels that a resume needs, and what the reply's stage and the one around it wrote.
	bound := int64(2 * textRoom)
	if most >= 0 {
		bound = 8 * textRoom
	}
	if grown := size() - before; grown > bound {
		t.Errorf("the file grew by %d KB", grown>>10)
	}
	if mem.HeapInuse > 200<<20 {
		t.Errorf("%d MB are in use", mem.HeapInuse>>20)
	}
	again, err := a.ResumeTurn(t.Context(), out.Run.Turn)
	if err == nil && again.Run.Status == run.Running {
		t.Errorf("resumed: %s", again.Run.Status)
	}
}
