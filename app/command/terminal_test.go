package command_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
)

// program is the real program, built once for all tests; scratch is on a file
// system in memory where there is one, since a killed process, unlike a power
// cut, loses nothing that it handed to the kernel.
var program, scratch string

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(programWithAnotherAgent())
	}
	base := ""
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		base = "/dev/shm"
	}
	var err error
	if scratch, err = os.MkdirTemp(base, "holdpoint-command-*"); err != nil {
		scratch, err = os.MkdirTemp("", "holdpoint-command-*")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(scratch, "holdpoint")
	build := exec.Command("go", "build", "-o", program, "holdpoint")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	code := 1
	if err != nil {
		fmt.Fprintf(os.Stderr, "the program does not build: %v\n%s", err, out)
	} else {
		code = m.Run()
	}
	if err := os.RemoveAll(scratch); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// terminal is a person at a command line, with a data folder.
type terminal struct {
	t    *testing.T
	data string
	// program is another than the usual one; env is added to its environment.
	program string
	env     []string
}

// newTerminal has an empty data folder.
func newTerminal(t *testing.T) terminal {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "data-*")
	if err != nil {
		t.Fatal(err)
	}
	return terminal{t: t, data: dir}
}

// clinic is a store with the sample clinic, made once and copied.
var clinic = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp(scratch, "clinic-*")
	if err != nil {
		return "", err
	}
	out, err := exec.Command(program, "--data", dir, "records", "import", "sample").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

// inClinic has a data folder with the sample clinic.
func inClinic(t *testing.T) terminal {
	t.Helper()
	dir, err := clinic()
	if err != nil {
		t.Fatal(err)
	}
	return terminal{t: t, data: dir}.copy(t)
}

// copy is another person with a copy of the data folder.
func (x terminal) copy(t *testing.T) terminal {
	t.Helper()
	y := newTerminal(t)
	body, err := os.ReadFile(filepath.Join(x.data, app.StoreFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(y.data, app.StoreFile), body, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// command makes a child process; no model server of this machine answers it.
func (x terminal) command(args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(x.program, program), append([]string{"--data", x.data}, args...)...)
	cmd.Env = append(append(os.Environ(), "OLLAMA_HOST=127.0.0.1:1"), x.env...)
	return cmd
}

// served starts a server, and returns it with the line that it prints once it listens.
func (x terminal) served() (serve *exec.Cmd, line string) {
	x.t.Helper()
	serve = x.command("serve")
	pipe, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	if err == nil {
		line, err = bufio.NewReader(pipe).ReadString('\n')
	}
	if err != nil {
		x.t.Fatal(line, err)
	}
	return serve, line
}

type said struct {
	code     int
	out, err string
}

func (x terminal) run(args ...string) said {
	x.t.Helper()
	cmd := x.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		x.t.Fatal(err)
	}
	return said{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// want runs and insists on an exit code.
func (x terminal) want(code int, args ...string) said {
	x.t.Helper()
	got := x.run(args...)
	if got.code != code {
		x.t.Fatalf("holdpoint %s: exit %d, want %d\n%s\n%s", strings.Join(args, " "), got.code, code, got.err, got.out)
	}
	return got
}

// object is one line of NDJSON.
type object map[string]any

func (o object) text(name string) string { s, _ := o[name].(string); return s }

// lines takes NDJSON apart and fails on anything else.
func lines(t *testing.T, out string) []object {
	t.Helper()
	var list []object
	for line := range strings.Lines(out) {
		var o object
		if err := json.Unmarshal([]byte(line), &o); err != nil || o == nil {
			t.Fatalf("standard output has a line that is no JSON object: %q", line)
		}
		list = append(list, o)
	}
	return list
}

// needs fails unless each object has all fields.
func needs(t *testing.T, list []object, names ...string) {
	t.Helper()
	if len(list) == 0 {
		t.Fatal("nothing was printed")
	}
	for _, o := range list {
		for _, name := range names {
			if _, ok := o[name]; !ok {
				t.Errorf("%v has no %q", o, name)
			}
		}
	}
}

// count counts the objects whose field has the value.
func count(list []object, name, value string) (n int) {
	for _, o := range list {
		if o.text(name) == value {
			n++
		}
	}
	return n
}

// killed starts a command, kills it with SIGKILL when its n-th line of output has
// come, and returns all that it printed.
func (x terminal) killed(n int, args ...string) []string {
	x.t.Helper()
	cmd := x.command(args...)
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		x.t.Fatal(err)
	}
	var printed []string
	r := bufio.NewReader(pipe)
	for {
		line, err := r.ReadString('\n')
		if err == nil { // a line that is cut short says nothing
			printed = append(printed, strings.TrimSuffix(line, "\n"))
		}
		if len(printed) == n && err == nil {
			// It may have ended by itself just now.
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				x.t.Fatal(err)
			}
		}
		if err != nil {
			if err != io.EOF && !errors.Is(err, os.ErrClosed) {
				x.t.Fatal(err)
			}
			break
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		x.t.Fatal(err)
	}
	return printed
}

// open opens the store in this process, without a program in between.
func (x terminal) open(fn func(a *app.App)) {
	x.t.Helper()
	a, err := app.Open(app.Options{Dir: x.data})
	if err != nil {
		x.t.Fatal(err)
	}
	fn(a)
	if err := a.Close(); err != nil {
		x.t.Fatal(err)
	}
}

// approveAll approves what is pending and says how many that were.
func approveAll(t *testing.T, a *app.App) int {
	t.Helper()
	list, err := a.Approvals("pending")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Test Reviewer", Meaning: "approved"}, true); err != nil {
			t.Fatal(err)
		}
	}
	return len(list)
}

// sessionJournal reads a whole session.
func sessionJournal(t *testing.T, a *app.App, session string) []journal.Event {
	t.Helper()
	list, _, err := a.Journal(session, 0, 5000)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// booking is a turn that ends at a hold point.
var booking = []string{"run", "--practice", "--agent", "navigator", "--session", "s1", "--var", "patient=pat-alder", "--json",
	"Please book me a visit for my insomnia next week"}
