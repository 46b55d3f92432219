package model

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func fakeOwn(t *testing.T, mode string) (*Own, string) {
	t.Helper()
	data := t.TempDir()
	o := NewOwn(OwnOptions{Data: data, NeedCPU: []string{}, Environ: append(os.Environ(), fakeMode+"="+mode,
		"OLLAMA_HOST=203.0.113.9", "OLLAMA_DEBUG=1", "OLLAMA_ORIGINS=*")})
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
		goleak.VerifyNone(t)
	})
	return o, data
}

func get(t *testing.T, u *url.URL, path string) string {
	t.Helper()
	resp, err := http.Get(u.JoinPath(path).String())
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return ""
	}
	return string(body)
}

// ends connects to an address and returns a function that waits until the process
// there is gone, which its connection tells.
func ends(t *testing.T, address string) func() {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		defer c.Close()
		if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		var timeout net.Error
		if _, err := c.Read(make([]byte, 1)); errors.As(err, &timeout) && timeout.Timeout() {
			t.Fatalf("%s lives on", address)
		}
	}
}

func TestOwn_starts_when_first_needed_and_stops_with_its_runners(t *testing.T) {
	o, data := fakeOwn(t, "works")
	if _, err := os.Stat(filepath.Join(data, "logs")); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("something was written before the first use")
	}
	s := newServer(Ours, nil, o, false)
	if s.Address() != "" {
		t.Fatal("it runs already")
	}
	if v, err := s.Version(context.Background()); err != nil || v != "fake" {
		t.Fatal(v, err)
	}
	u, err := url.Parse(s.Address())
	if err != nil || !loopbackName(u.Hostname()) {
		t.Fatal(s.Address(), err)
	}
	server, runner := ends(t, u.Host), ends(t, get(t, u, "/runner"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	server()
	runner()
	if _, err := s.Version(context.Background()); !errors.Is(err, ErrUnreachable) {
		t.Fatal(err)
	}
}

func TestOwn_is_started_once_by_many_at_a_time(t *testing.T) {
	o, _ := fakeOwn(t, "works")
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			u, err := o.URL(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			seen[u.String()] = true
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(seen) != 1 {
		t.Fatal(seen)
	}
}

func TestOwn_gives_the_child_an_environment_of_its_own(t *testing.T) {
	o, data := fakeOwn(t, "works")
	u, err := o.URL(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	env := "\n" + get(t, u, "/env") + "\n"
	for _, want := range []string{"HOME=" + filepath.Join(data, "ollama"), "OLLAMA_MODELS=" + filepath.Join(data, "models"), "OLLAMA_NO_CLOUD=1", "OLLAMA_NOPRUNE=1", "OLLAMA_DEBUG=1", "OLLAMA_HOST=" + u.Host, "OLLAMA_KEEP_ALIVE=15m0s"} {
		if strings.Count(env, "\n"+want+"\n") != 1 {
			t.Errorf("%s is missing in %s", want, env)
		}
	}
	for _, unwanted := range []string{"203.0.113.9", "OLLAMA_ORIGINS"} {
		if strings.Contains(env, unwanted) {
			t.Errorf("%s was inherited", unwanted)
		}
	}
}

// "My question waited until it had read the other one, and then everything was read anew": replies
// and light questions have a place each, unless somebody wants more of them.
func TestOwn_keeps_two_prompts_unless_it_is_told_otherwise(t *testing.T) {
	for name, c := range map[string]struct {
		parallel int
		environ  []string // of the person's own Ollama, which is none of ours
		want     string
	}{
		"as it comes":                     {want: "2"},
		"beside the person's own Ollama":  {environ: []string{"OLLAMA_NUM_PARALLEL=8", "Ollama_Num_Parallel=9"}, want: "2"},
		"as many as it was set to":        {parallel: 4, want: "4"},
		"one, where there is little room": {parallel: 1, want: "1"},
	} {
		t.Run(name, func(t *testing.T) {
			o := NewOwn(OwnOptions{Data: t.TempDir(), NeedCPU: []string{}, Parallel: c.parallel, Environ: append(append(os.Environ(), fakeMode+"=works"), c.environ...)})
			defer func() {
				if err := o.Close(); err != nil {
					t.Error(err)
				}
			}()
			u, err := o.URL(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range strings.Lines(get(t, u, "/env")) {
				if key, value, _ := strings.Cut(strings.TrimSpace(line), "="); strings.EqualFold(key, "OLLAMA_NUM_PARALLEL") {
					got = append(got, value)
				}
			}
			if !slices.Equal(got, []string{c.want}) {
				t.Errorf("the server is told to keep %q prompts, want %s", got, c.want)
			}
		})
	}
}

func TestOwn_is_started_once_more_after_a_death_and_then_not_until_retry(t *testing.T) {
	o, data := fakeOwn(t, "works")
	var last string
	for range 2 {
		u, err := o.URL(context.Background())
		if err != nil || u.String() == last {
			t.Fatal(u, err)
		}
		last = u.String()
		gone, runner := ends(t, u.Host), ends(t, get(t, u, "/runner"))
		get(t, u, "/kill")
		gone()
		runner()
		<-o.running.gone
	}
	if _, err := o.URL(context.Background()); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "ended twice") {
		t.Fatal(err)
	}
	for _, log := range []string{"ollama.log", "ollama.log.1"} {
		if _, err := os.Stat(filepath.Join(data, "logs", log)); err != nil {
			t.Fatal(err)
		}
	}
	o.Retry()
	if _, err := o.URL(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestOwn_that_dies_while_it_starts_is_a_clear_error(t *testing.T) {
	o, data := fakeOwn(t, "dies")
	if _, err := o.URL(context.Background()); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "ollama.log") {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(data, "logs", "ollama.log"))
	if err != nil || !strings.Contains(string(log), "cannot go on") {
		t.Fatalf("%s %v", log, err)
	}
}

func TestOwn_that_never_answers_is_given_up(t *testing.T) {
	o, _ := fakeOwn(t, "silent")
	o.options.Ready = 300 * time.Millisecond
	if _, err := o.URL(context.Background()); !errors.Is(err, ErrUnreachable) {
		t.Fatal(err)
	}
	o.options.Ready = time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := o.URL(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestOwn_says_what_the_processor_lacks_before_it_starts(t *testing.T) {
	data := t.TempDir()
	o := NewOwn(OwnOptions{Data: data, NeedCPU: []string{"avx2", "fma"}, HasCPU: func(f string) bool { return f == "fma" }, Executable: "/nowhere"})
	if _, err := o.URL(context.Background()); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "lacks avx2,") {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(data); err != nil || len(left) != 0 {
		t.Fatal("something was started", left, err)
	}
}

// killParent starts a program that uses its own server, kills it the hard way and
// returns a function that waits for the server's end; meet is called before.
func killParent(t *testing.T, meet func(u *url.URL), environ ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), parentMode+"="+t.TempDir()), environ...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.HasPrefix(line, "error") {
		t.Fatal(line, err)
	}
	u := &url.URL{Scheme: "http", Host: strings.TrimSpace(line)}
	meet(u)
	gone := ends(t, u.Host)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("it was not killed")
	}
	gone()
}

func TestOwn_leaves_no_orphan_when_the_program_is_killed(t *testing.T) {
	var runner func()
	killParent(t, func(u *url.URL) { runner = ends(t, get(t, u, "/runner")) }, fakeMode+"=works")
	runner()
	http.DefaultClient.CloseIdleConnections()
}

func TestRunChild_leaves_a_person_s_arguments_alone(t *testing.T) {
	for _, args := range [][]string{nil, {"serve"}, {"runner"}, {"ollama-serve"}} {
		if handled, _ := RunChild(args); handled {
			t.Fatal(fmt.Sprint(args))
		}
	}
}

// "I tried to import a file that was no model, and lost four gigabytes of disk to it."
func TestOwn_an_import_that_fails_leaves_nothing_behind(t *testing.T) {
	o, data := fakeOwn(t, "works")
	s := newServer(Ours, nil, o, false)
	library := NewLibrary(s)
	blobs := func() (names []string) {
		entries, err := os.ReadDir(filepath.Join(data, "models", "blobs"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	folder := t.TempDir()
	if _, err := library.ImportGGUF(t.Context(), "good", write(t, folder, "good.gguf", "GGUF and so on"), nil); err != nil {
		t.Fatal(err)
	}
	kept := blobs()
	if len(kept) != 1 {
		t.Fatalf("a model that was imported has %v", kept)
	}
	if _, err := library.ImportGGUF(t.Context(), "bad", write(t, folder, "bad.gguf", "GGUF broken"), nil); !errors.Is(err, ErrServer) {
		t.Fatal(err)
	}
	// A folder of which one file is a model's already.
	write(t, folder, "both/config.json", "GGUF and so on")
	write(t, folder, "both/model.safetensors", "no model either")
	if _, err := library.ImportFolder(t.Context(), "bad", filepath.Join(folder, "both"), nil); !errors.Is(err, ErrServer) {
		t.Fatal(err)
	}
	// One that is stopped while the server has the file.
	ctx, stop := context.WithCancel(t.Context())
	_, err := library.ImportGGUF(ctx, "stopped", write(t, folder, "stopped.gguf", "GGUF that nobody waits for"), func(p Progress) {
		if strings.HasPrefix(p.Step, "copying") {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if left := blobs(); !slices.Equal(left, kept) {
		t.Errorf("there were %v, there are %v", kept, left)
	}
	http.DefaultClient.CloseIdleConnections()
	s.http.CloseIdleConnections()
}

// "Holdpoint deleted files in the folder of my own Ollama."
// "I imported a broken file, and after it no model answered: server unreachable."
func TestOwn_answers_after_a_file_that_ended_it(t *testing.T) {
	o, _ := fakeOwn(t, "works")
	s, err := Locate(context.Background(), Options{DefaultPort: -1, Own: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.http.CloseIdleConnections)
	path := filepath.Join(t.TempDir(), "x.gguf")
	if err := os.WriteFile(path, []byte("GGUF panics"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewLibrary(s).ImportGGUF(context.Background(), "bad", path, nil); !errors.Is(err, ErrBroken) {
		t.Fatal(err)
	}
	// Whenever the next thing is asked, the one that is ending or the next one answers.
	for broken := s.Address(); s.Address() == broken; {
		if v, err := s.Version(context.Background()); err != nil || v != "fake" {
			t.Fatal(v, err)
		}
	}
}

func TestServer_an_import_that_fails_touches_no_folder_of_another_server(t *testing.T) {
	s, m := script(t)
	folder := t.TempDir()
	t.Setenv("OLLAMA_MODELS", folder)
	blobs(s)
	s.more["/api/create"] = lines(`{"error":"invalid file magic"}`)
	path := write(t, folder, "blobs/"+strings.Replace(digestOf("GGUF new"), ":", "-", 1), "GGUF new")
	if _, err := NewLibrary(m.server).ImportGGUF(t.Context(), "mine", write(t, t.TempDir(), "x.gguf", "GGUF new"), nil); !errors.Is(err, ErrServer) {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
