//go:build desktop && linux

package desktop_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"holdpoint/app"
	"holdpoint/app/desktop"
)

// elsewhere names, in the environment of this program, the page that its window goes to.
const elsewhere = "HOLDPOINT_TEST_ELSEWHERE"

// The test's executable is its own window: see showElsewhere.
func TestMain(m *testing.M) {
	if page := os.Getenv(elsewhere); page != "" {
		if err := showElsewhere(page); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// showElsewhere opens a window whose page calls the program, also by the bare door below the
// bindings, goes elsewhere, and, when it comes back from there, calls again. It prints what
// the calls left.
func showElsewhere(page string) error {
	dir, err := os.MkdirTemp("", "holdpoint-window-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	a, err := app.Open(app.Options{Dir: dir, Practice: true, Desktop: true})
	if err != nil {
		return err
	}
	script := `
const set = (key, value) => window.go.desktop.Bridge.Call("set_setting", JSON.stringify({ key, value }));
// By the very door that the page elsewhere tries.
const raw = (key, value) => window.webkit.messageHandlers.external.postMessage("C" + JSON.stringify({ name: "desktop.Bridge.Call", args: ["set_setting", JSON.stringify({ key, value })], callbackID: "own-" + key }));
const begin = () => {
  if (sessionStorage.getItem("away")) return set("theme", "dark");
  raw("density", "compact");
  set("zone", "Europe/London").then(() => { sessionStorage.setItem("away", "1"); location.href = "` + page + `"; });
};
window.addEventListener("pageshow", begin);`
	ctx, done := context.WithCancel(context.Background())
	notices, stop := a.Watch()
	defer stop()
	go func() {
		for range notices {
			if s, err := a.Settings(); err == nil && s.Theme == "dark" {
				done()
				return
			}
		}
	}()
	err = desktop.Open(ctx, a, fstest.MapFS{
		"index.html": {Data: []byte(`<!doctype html><html><head><title>Holdpoint</title></head><body><script src="/own.js"></script></body></html>`)},
		"own.js":     {Data: []byte(script)},
	})
	s, readErr := a.Settings()
	fmt.Printf("density=%s reviewer=%s theme=%s\n", s.Density, s.Reviewer, s.Theme)
	return errors.Join(err, readErr, a.Close())
}

// "The window followed a link, and the page that came called into the program."
func TestWindow_Threat10_APageElsewhereCannotCallIt(t *testing.T) {
	came := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			// What the page of the program would send, by the same door; then back, so that what
			// it sent is behind it.
			fmt.Fprint(w, `<!doctype html><script>
const door = window.webkit && window.webkit.messageHandlers && window.webkit.messageHandlers.external;
const send = (text) => { try { door.postMessage(text); return true; } catch { return false; } };
const call = (name, body) => send("C" + JSON.stringify({ name: "desktop.Bridge.Call", args: [name, JSON.stringify(body)], callbackID: "away-" + name }));
const sent = call("set_setting", { key: "reviewer", value: "Mallory" });
for (const link of ["smb://evil.example/share", "ms-msdt:/id", "https://evil.example/"]) send("BO:" + link);
try { window.go && window.go.desktop.Bridge.Call("set_setting", JSON.stringify({ key: "reviewer", value: "Mallory" })); } catch {}
fetch("/came?door=" + sent).then(() => history.back());
</script>`)
			return
		}
		came <- r.URL.RawQuery
	}))
	defer server.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	display, opened := virtualDisplay(t, ctx), filepath.Join(t.TempDir(), "opened")
	programs := t.TempDir() // whatever opens links is ours
	for _, name := range []string{"xdg-open", "x-www-browser", "www-browser"} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\necho \"$@\" >> "+opened+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(ctx, "dbus-run-session", "--", os.Args[0])
	cmd.Env = append(os.Environ(), elsewhere+"="+server.URL+"/", "DISPLAY="+display, "GDK_BACKEND=x11", "XDG_RUNTIME_DIR="+t.TempDir(), "NO_AT_BRIDGE=1",
		"PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, out, log.String())
	}
	select {
	case how := <-came:
		t.Logf("the page elsewhere was there, %s", how)
	default:
		t.Fatalf("the window did not go elsewhere: %s", out)
	}
	if said := string(out); !strings.Contains(said, "density=compact") || !strings.Contains(said, "theme=dark") || strings.Contains(said, "Mallory") {
		t.Errorf("the program has %s", said)
	}
	if links, err := os.ReadFile(opened); err == nil {
		t.Errorf("links were opened: %s", links)
	}
}
