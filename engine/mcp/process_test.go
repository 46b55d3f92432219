//go:build unix

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"holdpoint/engine/identity"
	"holdpoint/engine/mcp"
	"holdpoint/engine/tool"
)

func TestReasoner_R02_AProgramGetsTheVariablesThatWereNamedAndNoShell(t *testing.T) {
	s := newShop(t)
	c, _ := s.program("plain")
	s.set("SECRET_OF_OURS", "canary")
	mark := t.TempDir() + "/made-by-a-shell"
	c.Args = []string{"$(touch " + mark + ")", "; touch " + mark, "| touch " + mark}
	c.Env = append(c.Env, "GIVEN", "MISSING")
	v, err := s.servers.Add(t.Context(), c, map[string]string{"GIVEN": "kept with the server"})
	must(t, err)
	_, err = s.servers.Trust(v.ID, v.Digest)
	must(t, err)
	out, err := call(t.Context(), s.tool("numbers.who"), identity.Caller{}, `{"text":"x"}`)
	must(t, err)
	for want, there := range map[string]bool{"PATH=": true, serverMode + "=plain": true, "GIVEN=kept with the server": true, "canary": false, "HOME=": false, "MISSING": false} {
		if strings.Contains(out, want) != there {
			t.Errorf("%q: %v in %s", want, !there, out)
		}
	}
	if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a shell ran: %v", err)
	}
	if v := fmt.Sprintf("%+v", s.servers.List()); strings.Contains(v, "kept with the server") {
		t.Errorf("a value is shown: %s", v)
	}
}

// script writes a shell script as a program.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700))
	return path
}

// pipe makes a named pipe and hands over what is written to it, a byte at a time. Read only,
// it is closed when the last of those that had it open for writing is gone; to read and
// write, when the test ends.
func pipe(t *testing.T, path string, flag int) <-chan byte {
	t.Helper()
	must(t, syscall.Mkfifo(path, 0o600))
	heard := make(chan byte, 64)
	read := func(f *os.File) {
		defer close(heard)
		for b := make([]byte, 1); ; {
			if _, err := f.Read(b); err != nil {
				return
			}
			heard <- b[0]
		}
	}
	if flag == os.O_RDWR {
		f, err := os.OpenFile(path, flag, 0)
		must(t, err)
		t.Cleanup(func() { f.Close() })
		go read(f)
		return heard
	}
	go func() {
		f, err := os.Open(path) // waits for the first that writes
		if err != nil {
			t.Error(err)
			close(heard)
			return
		}
		defer f.Close()
		read(f)
	}()
	return heard
}

// "I closed it, and something that a tool server had started went on running."
func TestReasoner_R02_AProgramEndsWithAllThatItStarted(t *testing.T) {
	s := newShop(t)
	c, file := s.program("plain")
	pids, held, far := t.TempDir()+"/pids", t.TempDir()+"/held", ""
	// A wrapper, as package runners are: the server is its child, and there is another one, and
	// one that leaves the group with an empty environment.
	if _, err := exec.LookPath("setsid"); err == nil && runtime.GOOS == "linux" {
		far = `setsid sh -c 'echo $$ >> ` + pids + `; exec env -i "$(command -v sleep)" 600' & `
	}
	c.Command, c.Args = script(t, `test -p `+held+` && exec 9> `+held+`; `+far+`sleep 600 & echo $! >> `+pids+`; echo $$ >> `+pids+`; "`+c.Command+`"`), nil
	s.add(c)
	// The program that is called has the pipe, and all that it starts from it: it is closed
	// when the last of them has ended.
	over := pipe(t, held, os.O_RDONLY)
	if _, err := call(t.Context(), s.tool("numbers.keep"), identity.Caller{}, `{"text":"x"}`); err != nil || effects(t, file) != 1 {
		t.Fatal(err)
	}
	s.servers.Close()
	body, err := os.ReadFile(pids)
	must(t, err)
	fields := strings.Fields(string(body))
	if len(fields) < 4 {
		t.Fatalf("%v", fields)
	}
	select {
	case <-over:
	case <-time.After(time.Minute):
		t.Errorf("of %v some are still there", fields)
	}
}

func TestReasoner_R02_AProgramThatIsNoServerIsToldApart(t *testing.T) {
	s := newShop(t)
	flood := script(t, `head -c 3000000 /dev/zero | tr '\0' 'x' >&2; printf 'last\033[31m words\n' >&2; exit 1`)
	_, err := s.servers.Add(t.Context(), mcp.Config{Title: "Flood", Transport: mcp.Stdio, Command: flood}, nil)
	if err == nil || !errors.Is(err, mcp.ErrUnreachable) || len(err.Error()) > 1000 || strings.Contains(err.Error(), "\033") {
		t.Errorf("%d bytes: %.300v", len(fmt.Sprint(err)), err)
	}
	_, err = s.servers.Add(t.Context(), mcp.Config{Title: "Talks", Transport: mcp.Stdio, Command: script(t, "echo hello; cat >/dev/null")}, nil)
	if !errors.Is(err, mcp.ErrUnreachable) {
		t.Errorf("no protocol: %v", err)
	}
	_, err = s.servers.Add(t.Context(), mcp.Config{Title: "None", Transport: mcp.Stdio, Command: "/nowhere/at-all"}, nil)
	if !errors.Is(err, mcp.ErrConfig) {
		t.Errorf("no command: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	mark := t.TempDir() + "/started"
	started := pipe(t, mark, os.O_RDONLY)
	go func() {
		_, err := s.servers.Add(ctx, mcp.Config{Title: "Mute", Transport: mcp.Stdio, Command: script(t, "echo >"+mark+"; exec sleep 600")}, nil)
		ended <- err
	}()
	<-started // it is there and says nothing
	stop()
	if err := <-ended; err == nil {
		t.Error("a mute program was taken up")
	}
	if len(s.servers.List()) != 0 {
		t.Errorf("%v", s.servers.List())
	}
}

func TestReasoner_R02_ADeadServerIsReachedAgainWithLongerAndLongerWaits(t *testing.T) {
	s := newShop(t)
	c, _ := s.program("plain")
	tries := t.TempDir() + "/tries"
	broken := t.TempDir() + "/broken"
	c.Command = script(t, `echo x >> `+tries+`; test -e `+broken+` && exit 1; exec "`+c.Command+`"`)
	v := s.add(c)
	add := s.tool("numbers.add")
	try := func() error {
		_, err := call(t.Context(), add, identity.Caller{}, `{"a":1,"b":1}`)
		return err
	}
	must(t, try())
	must(t, os.WriteFile(broken, nil, 0o600))
	s.set(serverMode, "dies")
	if _, err := call(t.Context(), s.tool("numbers.fail"), identity.Caller{}, `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	s.servers.Close() // the program ends
	s.open()
	add = s.tool("numbers.add")
	n := effects(t, tries)
	for _, wait := range []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second} {
		s.later(wait - time.Millisecond)
		if wait > 0 {
			if err := try(); !strings.Contains(refusal(t, err), "next attempt") || effects(t, tries) != n {
				t.Errorf("before %s: %v, %d attempts", wait, err, effects(t, tries)-n)
			}
		}
		s.later(time.Millisecond)
		n++
		if err := try(); err == nil || effects(t, tries) != n {
			t.Errorf("after %s: %v, %d attempts", wait, err, effects(t, tries))
		}
	}
	if now, err := s.servers.Get(v.ID); err != nil || now.Status != mcp.StatusFailed || now.Error == "" {
		t.Errorf("%+v %v", now, err)
	}
	must(t, os.Remove(broken))
	s.set(serverMode, "plain")
	s.later(8 * time.Second)
	must(t, try())
	s.until(v.ID, mcp.StatusReady)
}

func TestReasoner_R02_AServerThatStartsAnewIsReachedAnew(t *testing.T) {
	s := newShop(t)
	var server atomic.Pointer[sdk.StreamableHTTPHandler]
	fresh := func() {
		one := testServer("plain", t.TempDir()+"/e")
		t.Cleanup(func() { hangUp(t, one) })
		server.Store(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return one }, nil))
	}
	fresh()
	ts := site(t, testServer("plain", ""), nil, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server.Load().ServeHTTP(w, r) })
	})
	s.add(mcp.Config{Title: "Web", Transport: mcp.HTTP, URL: ts.URL})
	for range 3 {
		if out, err := call(t.Context(), s.tool("web.add"), identity.Caller{}, `{"a":1,"b":1}`); err != nil {
			t.Errorf("%s %v", out, err)
		}
		fresh() // it knows nothing of our session any more
	}
}

func TestReasoner_R02_AStoppedCallIsCancelledAtTheServer(t *testing.T) {
	for name, make := range map[string]func(s *shop) (mcp.Config, string){
		"stdio": func(s *shop) (mcp.Config, string) { return s.program("plain") },
		"http": func(s *shop) (mcp.Config, string) {
			file := s.t.TempDir() + "/e"
			return mcp.Config{Title: "Numbers", Transport: mcp.HTTP, URL: site(s.t, testServer("plain", file), nil, nil).URL}, file
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			c, file := make(s)
			told := pipe(t, file+".told", os.O_RDWR)
			s.add(c)
			ctx, stop := context.WithCancel(t.Context())
			ended := began(func() error {
				_, err := call(ctx, s.tool("numbers.wait"), identity.Caller{}, `{"text":"x"}`)
				return err
			})
			<-told
			at := time.Now()
			stop()
			err := <-ended
			var no *tool.Refusal
			if err == nil || errors.As(err, &no) { // it had begun: nobody knows
				t.Errorf("%v", err)
			}
			if took := time.Since(at); took > time.Second {
				t.Errorf("it took %s", took)
			}
			<-told // the server heard of it
			if out, err := call(t.Context(), s.tool("numbers.add"), identity.Caller{}, `{"a":1,"b":1}`); err != nil {
				t.Errorf("the connection is of no use any more: %s %v", out, err)
			}
		})
	}
}

// "I pressed Stop, and it went on for seconds: a tool server did not answer."
func TestAStoppedCallLeavesAServerThatHangsWithinASecond(t *testing.T) {
	long, err := json.Marshal(map[string]string{"text": strings.Repeat("a long note ", 40_000)})
	must(t, err)
	for name, c := range map[string]struct {
		args   string
		before func(s *shop, v mcp.View)
		begun  bool // the call was sent
	}{
		"while it is asked what it offers":    {`{"text":"x"}`, func(*shop, mcp.View) {}, false},
		"while it starts":                     {`{"text":"x"}`, func(s *shop, _ mcp.View) { s.servers.Close(); s.open() }, false},
		"while it has the call":               {`{"text":"x"}`, func(s *shop, v mcp.View) { s.classify(v, "who", mcp.Read) }, true},
		"while more is written than it reads": {string(long), func(s *shop, v mcp.View) { s.classify(v, "who", mcp.Read) }, true},
	} {
		for _, transport := range []string{mcp.Stdio, mcp.HTTP} {
			t.Run(name+" by "+transport, func(t *testing.T) {
				s := newShop(t)
				config, file := s.program("plain")
				told := pipe(t, file+".told", os.O_RDWR)
				if transport == mcp.HTTP {
					config = mcp.Config{Title: "Numbers", Transport: mcp.HTTP, URL: site(t, testServer("plain", file), nil, func(h http.Handler) http.Handler {
						return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							if _, missing := os.Stat(file + ".hang"); missing == nil {
								_, _ = io.Copy(io.Discard, r.Body) // only then is it seen that the client has gone
								keep(file, "hangs")
								<-r.Context().Done()
								return
							}
							h.ServeHTTP(w, r)
						})
					}).URL}
				}
				v := s.add(config)
				_, err := call(t.Context(), s.tool("numbers.add"), identity.Caller{}, `{"a":1,"b":1}`)
				must(t, err)
				c.before(s, v)
				must(t, os.WriteFile(file+".hang", nil, 0o600))
				ctx, stop := context.WithCancel(t.Context())
				ended := began(func() error {
					_, err := call(ctx, s.tool("numbers.who"), identity.Caller{}, c.args)
					return err
				})
				<-told
				at := time.Now()
				stop()
				err = <-ended
				took := time.Since(at)
				var no *tool.Refusal
				if err == nil || errors.As(err, &no) == c.begun {
					t.Errorf("%v", err)
				}
				if took > time.Second {
					t.Errorf("it took %s", took)
				}
				// The server is of use again as soon as it answers.
				must(t, os.Remove(file+".hang"))
				s.servers.Close()
				s.open()
				if out, err := call(t.Context(), s.tool("numbers.add"), identity.Caller{}, `{"a":1,"b":1}`); err != nil {
					t.Errorf("%s %v", out, err)
				}
			})
		}
	}
}

// "Something that a tool server had started as root went on: it had shaken off all that it
// could be known by." Nothing leaves a control group by an empty environment, a session of
// its own or other limits.
func TestAToolServerRunsInAControlGroupThatEndsWithIt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("control groups are Linux's")
	}
	root := controlGroups(t)
	s := newShop(t)
	c, file := s.program("plain")
	groups, held := t.TempDir()+"/groups", t.TempDir()+"/held"
	// prlimit is refused to a root without that capability; what it starts is then started without it.
	far := `lift="prlimit --locks=unlimited:unlimited"; $lift true || lift=; exec env -i PATH="$PATH" $lift sleep 600`
	c.Command, c.Args = script(t, `test -p `+held+` && exec 9> `+held+`; PATH="`+os.Getenv("PATH")+`"; cat /proc/self/cgroup > `+groups+`; setsid sh -c '`+far+`' & "`+c.Command+`"`), nil
	s.add(c)
	over := pipe(t, held, os.O_RDONLY)
	if _, err := call(t.Context(), s.tool("numbers.keep"), identity.Caller{}, `{"text":"x"}`); err != nil || effects(t, file) != 1 {
		t.Fatal(err)
	}
	s.servers.Close()
	select {
	case <-over:
	case <-time.After(time.Minute):
		t.Error("something is still there")
	}
	body, err := os.ReadFile(groups)
	must(t, err)
	for line := range strings.Lines(string(body)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			if !strings.HasPrefix(filepath.Base(path), "holdpoint-") {
				t.Errorf("it ran in %s", path)
			}
			if _, err := os.Stat(filepath.Join(root, path)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is left: %v", path, err)
			}
			return
		}
	}
	t.Errorf("no control group: %s", body)
}

// controlGroups is where the control groups (version 2) are; without any that can be made
// below the process's own the test is skipped.
func controlGroups(t *testing.T) string {
	t.Helper()
	own, err := os.ReadFile("/proc/self/cgroup")
	must(t, err)
	for line := range strings.Lines(string(own)) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
			dir := filepath.Join(root, path, "holdpoint-test")
			if !ok || os.Mkdir(dir, 0o700) != nil {
				continue
			}
			_, err := os.Stat(dir + "/cgroup.kill")
			must(t, os.Remove(dir))
			if err == nil {
				return root
			}
		}
	}
	t.Skip("no control group can be made here")
	return ""
}

func TestFault_ToolServerDiesAfterEffect_TheOutcomeIsNoRefusal(t *testing.T) {
	s := newShop(t)
	c, file := s.program("dies")
	s.add(c)
	_, err := call(t.Context(), s.tool("numbers.keep"), identity.Caller{}, `{"text":"once"}`)
	var no *tool.Refusal
	if err == nil || errors.As(err, &no) || effects(t, file) != 1 {
		t.Errorf("%v, %d effects", err, effects(t, file))
	}
}
