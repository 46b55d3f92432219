package model

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// childMark is set in the environment of our server and what it starts.
const childMark = "HOLDPOINT_MODEL_CHILD"

// OwnOptions are the settings of our own server; only Data has no default.
type OwnOptions struct {
	// Data is the folder that holds everything that is written: models, logs/ollama.log
	// and ollama (its home and temporary files).
	Data string
	// Executable is started as our child; empty is this program.
	Executable string
	// Environ is what the child inherits, OLLAMA_… aside; nil is this program's.
	Environ []string
	// Ready is how long the child may take until it answers (60 s).
	Ready time.Duration
	// KeepAlive is how long an idle model stays in memory (15 minutes).
	KeepAlive time.Duration
	// Parallel is how many requests a model works on at once (2: replies and light
	// questions); each reserves a context of its own in memory and keeps its own prefix.
	Parallel int
	// HasCPU says whether the processor has a feature; nil asks the processor.
	HasCPU func(feature string) bool
	// NeedCPU are the features that the server was built for; nil is what the build says.
	NeedCPU []string
	// Log is told when the child starts and ends; nil logs nothing. What the child itself
	// says goes to logs/ollama.log.
	Log *slog.Logger
}

// Own is the Ollama that this program carries, run as its child process. It starts when
// it is first needed, is restarted once if it dies, and ends with this program, however
// that ends. It is safe for concurrent use.
type Own struct {
	options OwnOptions
	read    readings

	mu       sync.Mutex
	running  *child
	starting chan struct{} // closed when the start under way is over; nil without one
	deaths   int
	closed   bool
}

// child is one run of the server.
type child struct {
	process *os.Process
	url     *url.URL
	level   string        // of its arithmetic; see Level
	alive   io.Closer     // our end of its standard input; it ends when this closes
	gone    chan struct{} // closed when the process is over
}

// NewOwn returns our own server. It isn't started yet.
func NewOwn(o OwnOptions) *Own {
	if o.Ready <= 0 {
		o.Ready = 60 * time.Second
	}
	if o.KeepAlive <= 0 {
		o.KeepAlive = 15 * time.Minute
	}
	if o.Parallel <= 0 {
		o.Parallel = 2
	}
	if o.HasCPU == nil {
		o.HasCPU = hasCPU
	}
	if o.NeedCPU == nil {
		o.NeedCPU = strings.FieldsFunc(cpuNeeded, func(r rune) bool { return r == ',' })
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Own{options: o}
}

// URL returns where the server listens and starts it when it doesn't run. After a
// second death it fails with ErrUnreachable until Retry.
func (o *Own) URL(ctx context.Context) (*url.URL, error) {
	for {
		o.mu.Lock()
		if o.closed {
			o.mu.Unlock()
			return nil, fmt.Errorf("%w: our own server was stopped", ErrUnreachable)
		}
		if o.running != nil {
			select {
			case <-o.running.gone:
				o.running = nil
				o.deaths++
				o.options.Log.Warn("model server ended by itself", "deaths", o.deaths)
			default:
				c, u := o.running, *o.running.url
				o.mu.Unlock()
				if listens(u.Host) {
					return &u, nil
				}
				// It is ending: its socket is closed a moment before it is gone.
				select {
				case <-c.gone:
				case <-time.After(endTime):
					return &u, nil // what is asked of it says what is wrong
				case <-ctx.Done():
					return nil, fmt.Errorf("model: start: %w", context.Cause(ctx))
				}
				continue
			}
		}
		if o.deaths > 1 {
			o.mu.Unlock()
			return nil, fmt.Errorf("%w: our own server ended twice; %s says why", ErrUnreachable, o.logFile())
		}
		if wait := o.starting; wait != nil {
			o.mu.Unlock()
			select {
			case <-wait:
			case <-ctx.Done():
				return nil, fmt.Errorf("model: start: %w", context.Cause(ctx))
			}
			continue
		}
		over := make(chan struct{})
		o.starting = over
		o.mu.Unlock()

		began := time.Now()
		c, err := o.start(ctx)
		took := time.Since(began)

		o.mu.Lock()
		o.starting = nil
		close(over)
		switch {
		case err == nil && o.closed:
			o.mu.Unlock()
			c.stop()
			continue
		case err == nil:
			o.running = c
			o.options.Log.Info("model server started", "pid", c.process.Pid, "address", c.url.Host, "took", took)
		case errors.Is(err, errDied):
			o.deaths++
			o.options.Log.Warn("model server ended while it started", "deaths", o.deaths, "took", took)
		default:
			o.options.Log.Warn("model server not started", "took", took)
			o.mu.Unlock()
			return nil, err
		}
		o.mu.Unlock()
	}
}

// settle waits until a server that broke off an answer is gone, if it is ending: it
// still takes connections while it writes down why.
func (o *Own) settle(ctx context.Context) {
	o.mu.Lock()
	c := o.running
	o.mu.Unlock()
	if c == nil {
		return
	}
	select {
	case <-c.gone:
	case <-time.After(endTime):
	case <-ctx.Done():
	}
}

// endTime is how long a server that no longer listens may take to end.
const endTime = 2 * time.Second

// listens says whether something takes connections at a loopback address.
func listens(host string) bool {
	conn, err := net.DialTimeout("tcp", host, time.Second)
	if err != nil {
		return false
	}
	// Nothing was sent; how the connection ends does not matter.
	_ = conn.Close()
	return true
}

// Retry forgets earlier deaths, so that the server is started again when needed.
func (o *Own) Retry() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.deaths = 0
}

// Close stops the server and what it started.
func (o *Own) Close() error {
	o.mu.Lock()
	o.closed = true
	c := o.running
	o.running = nil
	o.mu.Unlock()
	if c != nil {
		c.stop()
		o.options.Log.Info("model server stopped", "pid", c.process.Pid)
	}
	return nil
}

func (o *Own) address() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.running == nil {
		return ""
	}
	return o.running.url.String()
}

// models is the folder that its models are kept in.
func (o *Own) models() string { return filepath.Join(o.options.Data, "models") }

func (o *Own) logFile() string { return filepath.Join(o.options.Data, "logs", "ollama.log") }

// errDied says that the child ended before it answered.
var errDied = errors.New("model: our own server ended while it started")

// start starts the child and waits until it answers.
func (o *Own) start(ctx context.Context) (_ *child, err error) {
	if missing := missingCPU(o.options.NeedCPU, o.options.HasCPU); len(missing) > 0 {
		return nil, fmt.Errorf("%w: this processor lacks %s, which the built-in model server was built for; use a separate Ollama (--ollama) or practice mode",
			ErrUnreachable, strings.Join(missing, ", "))
	}
	executable := o.options.Executable
	if executable == "" {
		if executable, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("model: start: %w", err)
		}
	}
	environ, err := o.environ()
	if err != nil {
		return nil, err
	}
	log, err := o.openLog()
	if err != nil {
		return nil, err
	}
	stdin, alive, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("model: start: %w", err), log.Close())
	}
	said, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("model: start: %w", err), log.Close(), stdin.Close(), alive.Close())
	}
	complains, stderr, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("model: start: %w", err), log.Close(), stdin.Close(), alive.Close(), said.Close(), stdout.Close())
	}
	cmd := exec.Command(executable, "ollama-serve")
	cmd.Env, cmd.Dir = environ, o.options.Data
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.SysProcAttr = childAttributes()

	c := &child{alive: alive, gone: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// Linux ends the child with the thread that started it, so that thread stays.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		// These ends belong to the child; closing ours can't lose anything.
		stdin.Close()
		stdout.Close()
		stderr.Close()
		started <- err
		if err == nil {
			// How it ended is in its log; only that it ended matters.
			_ = cmd.Wait()
		}
		close(c.gone)
	}()
	if err := <-started; err != nil {
		return nil, errors.Join(fmt.Errorf("model: start: %w", err), log.Close(), said.Close(), complains.Close(), alive.Close())
	}
	c.process = cmd.Process

	address := make(chan string, 1)
	var logs sync.WaitGroup
	logs.Go(func() {
		defer complains.Close()
		o.read.readLog(complains, log)
	})
	logs.Go(func() {
		defer said.Close()
		lines := bufio.NewReader(said)
		// Without a line the child has ended, which gone tells.
		line, _ := lines.ReadString('\n')
		address <- strings.TrimSpace(line)
		// What it says later belongs into its log; a full disk must not block it.
		if _, err := io.Copy(log, lines); err != nil {
			_, _ = io.Copy(io.Discard, lines)
		}
	})
	logged := make(chan struct{})
	go func() {
		logs.Wait()
		log.Close()
		close(logged)
	}()

	ctx, cancel := context.WithTimeoutCause(ctx, o.options.Ready, fmt.Errorf("%w: our own server did not answer within %v", ErrUnreachable, o.options.Ready))
	defer cancel()
	if err := c.ready(ctx, address); err != nil {
		c.stop()
		// The message points at the log: what the child said last stands there, unless what it started still writes.
		select {
		case <-logged:
		case <-time.After(endTime):
		}
		return nil, err
	}
	return c, nil
}

// ready waits for the child's address and for its first answer.
func (c *child) ready(ctx context.Context, address <-chan string) error {
	var at netip.AddrPort
	select {
	case said := <-address:
		var err error
		said, c.level, _ = strings.Cut(said, " ")
		if at, err = netip.ParseAddrPort(said); err != nil || !at.Addr().IsLoopback() {
			return fmt.Errorf("%w: it told no address", errDied)
		}
	case <-c.gone:
		return errDied
	case <-ctx.Done():
		return fmt.Errorf("model: start: %w", context.Cause(ctx))
	}
	c.url = &url.URL{Scheme: "http", Host: at.String()}
	transport := &http.Transport{DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, Timeout: 2 * time.Second}
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url.JoinPath("/api/version").String(), nil)
		if err != nil {
			return fmt.Errorf("model: start: %w", err)
		}
		if resp, err := client.Do(r); err == nil {
			// Only that it answers matters.
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-c.gone:
			return errDied
		case <-ctx.Done():
			return fmt.Errorf("model: start: %w", context.Cause(ctx))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// stop ends the child and all that it started: it watches its standard input.
func (c *child) stop() {
	// Closing a pipe's end has no failure that matters here.
	c.alive.Close()
	select {
	case <-c.gone:
	case <-time.After(3 * time.Second):
		// It may have ended just now; then there is nothing to kill.
		_ = c.process.Kill()
		<-c.gone
	}
}

// environ is the child's environment: nothing of a user's own Ollama, nothing that
// writes outside Data, and none of the cloud features.
func (o *Own) environ() ([]string, error) {
	home, temp := filepath.Join(o.options.Data, "ollama"), filepath.Join(o.options.Data, "ollama", "tmp")
	models := o.models()
	for _, folder := range []string{home, temp, models} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("model: start: %w", err)
		}
	}
	inherited := o.options.Environ
	if inherited == nil {
		inherited = os.Environ()
	}
	set := []string{
		"HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + temp, "TMP=" + temp, "TEMP=" + temp,
		"OLLAMA_MODELS=" + models, "OLLAMA_NOPRUNE=1", "OLLAMA_NOHISTORY=1",
		"OLLAMA_KEEP_ALIVE=" + o.options.KeepAlive.String(), fmt.Sprintf("OLLAMA_NUM_PARALLEL=%d", o.options.Parallel),
		// No model recommendations, no show cache of cloud models, no remote inference.
		"OLLAMA_NO_CLOUD=1", "OLLAMA_REMOTES=none.invalid",
		// It says how much of each prompt it read anew. All that is no warning stays in this
		// process: the log would show the whole environment, proxies' passwords included.
		"OLLAMA_DEBUG=1", "OLLAMA_DEBUG_LOG_REQUESTS=0", "GIN_MODE=release",
		childMark + "=1",
	}
	var out []string
	for _, each := range inherited {
		name, _, _ := strings.Cut(each, "=")
		replaced := strings.HasPrefix(strings.ToUpper(name), "OLLAMA_")
		for _, s := range set {
			key, _, _ := strings.Cut(s, "=")
			replaced = replaced || strings.EqualFold(key, name)
		}
		if !replaced {
			out = append(out, each)
		}
	}
	return append(out, set...), nil
}

// openLog starts a new log and keeps the one before.
func (o *Own) openLog() (*os.File, error) {
	path := o.logFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("model: start: %w", err)
	}
	if err := os.Rename(path, path+".1"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("model: start: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("model: start: %w", err)
	}
	return f, nil
}
