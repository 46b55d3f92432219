//go:build desktop && linux

package desktop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWindow opens the real window on a virtual display, writes a message with the
// keyboard, closes the window and finds the turn in the store: the page, the
// bindings and the journal work without a network and without a browser.
func TestWindow(t *testing.T) {
	bin := os.Getenv("HOLDPOINT_BIN")
	if bin == "" {
		t.Fatal("HOLDPOINT_BIN must name a build with the window; build/test sets it")
	}
	data := t.TempDir()
	run(t, bin, "--data", data, "records", "import", "sample")

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	display := virtualDisplay(t, ctx)
	pidFile := filepath.Join(t.TempDir(), "pid")
	cmd := exec.CommandContext(ctx, "dbus-run-session", "--", "sh", "-c", `echo $$ >"$0" && exec "$@"`, pidFile, bin, "--data", data, "--practice")
	cmd.Env = append(os.Environ(), "DISPLAY="+display, "GDK_BACKEND=x11", "XDG_RUNTIME_DIR="+t.TempDir(), "NO_AT_BRIDGE=1")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if cmd.ProcessState == nil {
			if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
				t.Log(err)
			}
		}
	}()
	x := func(args ...string) string {
		c := exec.CommandContext(ctx, "xdotool", args...)
		c.Env = append(os.Environ(), "DISPLAY="+display)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("xdotool %v: %v\n%s", args, err, log.String())
		}
		return strings.TrimSpace(string(out))
	}
	window := strings.Fields(x("search", "--sync", "--onlyvisible", "--name", "^Holdpoint$"))[0]
	shot := func(name string) image.Image { return picture(t, ctx, display, window, name) }
	// The page is there once the picture has the screens' colours instead of one.
	until(t, ctx, "the page is drawn", func() bool { return colours(shot("window-start")) > 50 })
	x("windowfocus", "--sync", window)
	x("key", "ctrl+n")
	var empty image.Image
	until(t, ctx, "the new session is drawn", func() bool {
		last := empty
		empty = shot("window-new")
		return last != nil && different(last, empty) == 0
	})
	// The composer is at the bottom of the middle pane.
	b := empty.Bounds()
	x("mousemove", "--window", window, strconv.Itoa(b.Dx()*42/100), strconv.Itoa(b.Dy()-64), "click", "1")
	x("type", "--delay", "20", "I would like to see someone about my sleep")
	x("key", "Return")
	// The reply is written word by word: the turn is over once the picture stays.
	last, same := empty, 0
	until(t, ctx, "the turn is drawn and over", func() bool {
		now := shot("window-turn")
		if same++; different(last, now) > 0.05 || different(empty, now) <= 4 {
			same = 0
		}
		last = now
		return same >= 6
	})

	pid, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	run(t, "kill", strings.TrimSpace(string(pid)))
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Logf("the window ended with %v\n%s", err, log.String())
		}
	case <-ctx.Done():
		t.Fatalf("the program goes on after it was asked to end\n%s", log.String())
	}
	var session struct {
		Turns  int
		Status string
	}
	out := run(t, bin, "--data", data, "sessions", "list", "--json")
	if err := json.Unmarshal([]byte(out), &session); err != nil {
		t.Fatalf("%v: %q\n%s", err, out, log.String())
	}
	if session.Turns != 1 || session.Status != "completed" {
		t.Errorf("the store has %+v", session)
	}
	run(t, bin, "--data", data, "check")
}

// "I clicked the icon again, and nothing happened." "I had it open in a browser, and the window never came." The window that
// is open comes to the front; where there is none, a window says why.
func TestWindow_ASecondStartIsAnswered(t *testing.T) {
	bin := os.Getenv("HOLDPOINT_BIN")
	if bin == "" {
		t.Fatal("HOLDPOINT_BIN must name a build with the window; build/test sets it")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	data, served := t.TempDir(), t.TempDir()
	display := virtualDisplay(t, ctx)
	session := filepath.Join(t.TempDir(), "session")
	bus := exec.CommandContext(ctx, "dbus-run-session", "--", "sh", "-c", `echo "$DBUS_SESSION_BUS_ADDRESS" >"$0.part" && mv "$0.part" "$0" && exec sleep 300`, session)
	bus.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := bus.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Kill(-bus.Process.Pid, syscall.SIGKILL); err != nil {
			t.Log(err)
		}
		if err := bus.Wait(); err == nil {
			t.Log("the session ended by itself")
		}
	}()
	until(t, ctx, "the session's bus", func() bool { _, err := os.Stat(session); return err == nil })
	address, err := os.ReadFile(session)
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "DISPLAY="+display, "GDK_BACKEND=x11", "XDG_RUNTIME_DIR="+t.TempDir(), "NO_AT_BRIDGE=1", "LC_ALL=C", "DBUS_SESSION_BUS_ADDRESS="+strings.TrimSpace(string(address)))
	start := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd, log := exec.CommandContext(ctx, bin, args...), new(bytes.Buffer)
		cmd.Env, cmd.Stdout, cmd.Stderr = env, log, log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, log
	}
	windows := func() []string {
		c := exec.CommandContext(ctx, "xdotool", "search", "--onlyvisible", "--name", "^Holdpoint$")
		c.Env = env
		out, _ := c.Output() // it fails where there is none
		return strings.Fields(string(out))
	}

	first, _ := start("--data", data, "--practice")
	until(t, ctx, "the first window", func() bool { return len(windows()) == 1 })
	again, _ := start("--data", data, "--practice")
	if err := again.Wait(); err == nil {
		t.Error("the second start opened a window of its own")
	}
	if open := windows(); len(open) != 1 {
		t.Errorf("there are %d windows", len(open))
	}
	if err := first.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err != nil {
		t.Log("the first window ended with ", err)
	}

	serve, told := start("--data", served, "serve")
	until(t, ctx, "the served screens", func() bool { _, err := os.Stat(filepath.Join(served, "holdpoint.db")); return err == nil })
	beside, log := start("--data", served)
	until(t, ctx, "a window that says why", func() bool { return len(windows()) == 1 })
	until(t, ctx, "its words are drawn", func() bool { return colours(picture(t, ctx, display, windows()[0], "unopened")) > 10 })
	if err := beside.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := beside.Wait(); err == nil || !strings.Contains(log.String(), "Another Holdpoint") {
		t.Errorf("it ended with %v and said %q", err, log)
	}
	if err := serve.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Logf("serve ended with %v: %s", err, told)
	}
}

func run(t *testing.T, bin string, args ...string) string {
	t.Helper()
	cmd := exec.Command(bin, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, errs.String())
	}
	return string(out)
}

// picture is what a window shows; it is kept in HOLDPOINT_PICTURES where that names a folder.
func picture(t *testing.T, ctx context.Context, display, window, name string) image.Image {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".png")
	if keep := os.Getenv("HOLDPOINT_PICTURES"); keep != "" {
		file = filepath.Join(keep, name+".png")
	}
	c := exec.CommandContext(ctx, "import", "-window", window, file)
	c.Env = append(os.Environ(), "DISPLAY="+display)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("picture: %v %s", err, out)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// virtualDisplay starts Xvfb, which picks a free display and says which.
func virtualDisplay(t *testing.T, ctx context.Context) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "Xvfb", "-displayfd", "3", "-screen", "0", "1280x860x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Log(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Log("Xvfb ended by itself")
		}
	})
	number := make([]byte, 8)
	n, err := r.Read(number)
	if err != nil {
		t.Fatalf("Xvfb: %v", err)
	}
	return ":" + strings.TrimSpace(string(number[:n]))
}

// colours counts the different colours of every third pixel.
func colours(img image.Image) int {
	seen := map[[3]uint32]bool{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 3 {
		for x := b.Min.X; x < b.Max.X; x += 3 {
			r, g, bl, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r, g, bl}] = true
		}
	}
	return len(seen)
}

// different is the share of pixels that differ, in percent.
func different(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 100
	}
	n, all := 0, 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y += 2 {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x += 2 {
			all++
			if a.At(x, y) != b.At(x, y) {
				n++
			}
		}
	}
	return 100 * float64(n) / float64(all)
}

// until asks again and again; the window gives no signal when it has drawn.
func until(t *testing.T, ctx context.Context, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited for: %s", what)
		}
	}
}
