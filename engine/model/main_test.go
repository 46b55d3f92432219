package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	fakeMode   = "HOLDPOINT_TEST_FAKE"   // how the fake server behaves, in its environment
	parentMode = "HOLDPOINT_TEST_PARENT" // a data folder: be a program that uses its own server

	// illegalMode ends the executable as an instruction does that the processor lacks.
	illegalMode = "HOLDPOINT_TEST_ILLEGAL"
)

// The test's executable is its own child, as the real program is.
func TestMain(m *testing.M) {
	if os.Getenv(illegalMode) != "" {
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			fmt.Println(p.Signal(syscall.SIGILL))
		}
		select {}
	}
	if os.Getenv(fakeMode) != "" {
		serveOllama, runOllama = fakeServe, fakeRunner
	}
	if handled, code := RunChild(os.Args[1:]); handled {
		os.Exit(code)
	}
	if data := os.Getenv(parentMode); data != "" {
		beParent(data)
	}
	os.Exit(m.Run())
}

// beParent starts the server, tells its address and stays until it is killed.
func beParent(data string) {
	os.Unsetenv(parentMode)
	u, err := NewOwn(OwnOptions{Data: data}).URL(context.Background())
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(u.Host)
	select {}
}

// fakeServe is a server that answers only what Own asks, and dies on demand.
func fakeServe(l net.Listener) error {
	if os.Getenv(fakeMode) == "dies" {
		fmt.Fprintln(os.Stderr, "cannot go on")
		return fmt.Errorf("no memory")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/version", func(w http.ResponseWriter, r *http.Request) {
		if os.Getenv(fakeMode) == "silent" {
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, `{"version":"fake"}`)
	})
	mux.HandleFunc("/env", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Join(os.Environ(), "\n"))
	})
	mux.HandleFunc("/api/blobs/", func(w http.ResponseWriter, r *http.Request) {
		blob := filepath.Join(os.Getenv("OLLAMA_MODELS"), "blobs", strings.Replace(filepath.Base(r.URL.Path), ":", "-", 1))
		if _, err := os.Stat(blob); r.Method == http.MethodHead {
			if err != nil {
				w.WriteHeader(http.StatusNotFound)
			}
			return
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(blob), 0o700), os.WriteFile(blob, body, 0o600))
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
	})
	// It makes a model of what begins as GGUF does, and keeps all blobs.
	mux.HandleFunc("/api/create", func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model string
			Files map[string]string
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, digest := range q.Files {
			body, err := os.ReadFile(filepath.Join(os.Getenv("OLLAMA_MODELS"), "blobs", strings.Replace(digest, ":", "-", 1)))
			if err != nil || !strings.HasPrefix(string(body), "GGUF") || string(body) == "GGUF broken" {
				fmt.Fprintln(w, `{"error":"invalid file magic"}`)
				return
			}
			if strings.HasPrefix(string(body), "GGUF panics") {
				// As a real one does: the answer ends at once, the process after it wrote why.
				go func() {
					time.Sleep(200 * time.Millisecond)
					os.Exit(2)
				}()
				return
			}
		}
		manifest := filepath.Join(os.Getenv("OLLAMA_MODELS"), "manifests", q.Model)
		raw, err := json.Marshal(q.Files)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(manifest), 0o700), os.WriteFile(manifest, raw, 0o600))
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, `{"status":"success"}`)
	})
	mux.HandleFunc("/die", func(http.ResponseWriter, *http.Request) { os.Exit(3) })
	mux.HandleFunc("/kill", func(http.ResponseWriter, *http.Request) {
		p, err := os.FindProcess(os.Getpid())
		if err == nil {
			p.Kill()
		}
	})
	mux.HandleFunc("/runner", func(w http.ResponseWriter, r *http.Request) {
		cmd := exec.Command(os.Args[0], "runner", "--port", "0")
		out, err := cmd.StdoutPipe()
		if err != nil {
			panic(err)
		}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		var address string
		fmt.Fscanln(out, &address)
		fmt.Fprint(w, address)
		runtime.KeepAlive(cmd)
	})
	return http.Serve(l, mux)
}

// fakeRunner tells an address and holds every connection to it open.
func fakeRunner([]string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	var held []net.Conn
	defer func() { runtime.KeepAlive(held) }() // one that is collected is closed
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		held = append(held, c)
	}
}
