package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func TestLibrary_pull_tells_progress_and_ends_with_success(t *testing.T) {
	s, m := script(t)
	l := NewLibrary(m.server)
	s.more["/api/pull"] = lines(`{"status":"pulling manifest"}`, `{"status":"pulling aa","digest":"sha256:aa","total":100,"completed":40}`, `{"status":"success"}`)
	var seen []Progress
	if err := l.Pull(context.Background(), "small", func(p Progress) { seen = append(seen, p) }); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || seen[1] != (Progress{Step: "pulling aa", Digest: "sha256:aa", Done: 40, Total: 100}) {
		t.Fatalf("%+v", seen)
	}
	s.more["/api/pull"] = lines(`{"status":"pulling manifest"}`, `{"error":"pull model manifest: file does not exist"}`)
	if err := l.Pull(context.Background(), "small", nil); !errors.Is(err, ErrServer) || !strings.Contains(err.Error(), "does not exist") {
		t.Fatal(err)
	}
	s.more["/api/pull"] = lines(`{"status":"pulling manifest"}`)
	if err := l.Pull(context.Background(), "small", nil); !errors.Is(err, ErrBroken) {
		t.Fatal(err)
	}
}

func TestLibrary_pull_can_be_cancelled(t *testing.T) {
	s, m := script(t)
	s.more["/api/pull"] = func(w http.ResponseWriter, r *http.Request) {
		lines(`{"status":"pulling aa","total":100,"completed":1}`)(w, r)
		<-r.Context().Done()
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	began := time.Now()
	err := NewLibrary(m.server).Pull(ctx, "small", func(Progress) { cancel() })
	if !errors.Is(err, context.Canceled) || time.Since(began) > time.Second {
		t.Fatalf("%v after %v", err, time.Since(began))
	}
}

func TestPromise_7_a_model_in_a_cloud_is_not_pulled(t *testing.T) {
	s, m := script(t)
	for _, name := range []string{"big:cloud", "big:120b-cloud"} {
		if err := NewLibrary(m.server).Pull(context.Background(), name, nil); !errors.Is(err, ErrRemote) {
			t.Fatal(err)
		}
	}
	if err := NewLibrary(m.server).Pull(context.Background(), "no such/../name", nil); !errors.Is(err, ErrRequest) {
		t.Fatal(err)
	}
	if len(s.requests) != 0 {
		t.Fatal("the server was asked")
	}
}

// blobs lets a scripted server keep files; it has those given already.
func blobs(s *scripted, has ...string) map[string]string {
	kept := map[string]string{}
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		digest, isBlob := strings.CutPrefix(r.URL.Path, "/api/blobs/")
		switch {
		case !isBlob:
			s.serve(w, r)
		case r.Method == http.MethodHead:
			if !slices.Contains(has, digest) {
				w.WriteHeader(http.StatusNotFound)
			}
		default:
			body, err := io.ReadAll(r.Body)
			if err != nil || digestOf(string(body)) != digest {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			kept[digest] = string(body)
			w.WriteHeader(http.StatusCreated)
		}
	})
	return kept
}

func TestSafety_28_a_gguf_file_goes_to_the_server_as_it_is(t *testing.T) {
	s, m := script(t)
	kept := blobs(s)
	s.more["/api/create"] = lines(`{"status":"parsing GGUF"}`, `{"status":"success"}`)
	const hostile = "GGUF\xff\xff\xff\xff no header of any kind"
	path := write(t, t.TempDir(), "small model.gguf", hostile)
	var steps []string
	made, err := NewLibrary(m.server).ImportGGUF(context.Background(), "mine", path, func(p Progress) { steps = append(steps, p.Step) })
	if err != nil {
		t.Fatal(err)
	}
	if made.Digests["small model.gguf"] != digestOf(hostile) || kept[digestOf(hostile)] != hostile {
		t.Fatalf("%+v", made)
	}
	if fmt.Sprint(steps) != "[reading small model.gguf copying small model.gguf parsing GGUF success]" {
		t.Fatal(steps)
	}
	if files := s.last(t, "/api/create")["files"].(map[string]any); files["small model.gguf"] != digestOf(hostile) {
		t.Fatal(files)
	}
}

func TestSafety_28_a_file_that_the_server_cannot_use_is_a_clear_error(t *testing.T) {
	s, m := script(t)
	blobs(s)
	s.more["/api/create"] = lines(`{"error":"invalid file magic"}`)
	path := write(t, t.TempDir(), "x.gguf", "GGUF of no kind")
	if _, err := NewLibrary(m.server).ImportGGUF(context.Background(), "mine", path, nil); !errors.Is(err, ErrServer) || !strings.Contains(err.Error(), "magic") {
		t.Fatal(err)
	}
	if _, err := NewLibrary(m.server).ImportGGUF(context.Background(), "mine", path+".missing", nil); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// "It read and copied 40 GB, and said then that this is no model."
func TestLibrary_what_is_no_gguf_is_refused_by_its_first_bytes(t *testing.T) {
	s, m := script(t)
	kept := blobs(s)
	for _, text := range []string{"", "GG", "<script>alert(1)</script>"} {
		path := write(t, t.TempDir(), "x.gguf", text)
		_, err := NewLibrary(m.server).ImportGGUF(context.Background(), "mine", path, func(p Progress) { t.Errorf("%q: %s", text, p.Step) })
		if !errors.Is(err, ErrNotGGUF) || len(kept) > 0 {
			t.Errorf("%q: %v, %v", text, err, kept)
		}
	}
}

// "Post \"http://127.0.0.1:11434/api/blobs/sha256:…\": write tcp …: broken pipe"
func TestLibrary_a_server_that_breaks_off_a_copy_is_an_error_of_its_own(t *testing.T) {
	s, m := script(t)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.HasPrefix(r.URL.Path, "/api/blobs/"):
			s.serve(w, r)
		case r.Method == http.MethodHead:
			w.WriteHeader(http.StatusNotFound)
		default:
			panic(http.ErrAbortHandler)
		}
	})
	path := write(t, t.TempDir(), "x.gguf", "GGUF"+strings.Repeat("x", 1<<20))
	_, err := NewLibrary(m.server).ImportGGUF(context.Background(), "mine", path, nil)
	if !errors.Is(err, ErrCopy) || strings.Contains(err.Error(), "http://") {
		t.Error(err)
	}
}

func TestLibrary_imports_a_folder_by_relative_path_without_what_could_run(t *testing.T) {
	s, m := script(t)
	folder := t.TempDir()
	write(t, folder, "model.safetensors", "weights")
	write(t, folder, "config.json", "{}")
	write(t, folder, "1_Pooling/config.json", `{"pooling":1}`)
	write(t, folder, "vocab.txt", "a")
	for _, other := range []string{"pytorch_model.bin", "evil.pkl", ".git/config.json", ".hidden.json", "setup.py"} {
		write(t, folder, other, "x")
	}
	write(t, folder, "empty.json", "")
	kept := blobs(s, digestOf("{}"))
	s.more["/api/create"] = lines(`{"status":"success"}`)
	made, err := NewLibrary(m.server).ImportFolder(context.Background(), "mine", folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	paths := slices.Sorted(maps.Keys(made.Digests))
	if fmt.Sprint(paths) != "[1_Pooling/config.json config.json model.safetensors vocab.txt]" {
		t.Fatal(paths)
	}
	if _, sent := kept[digestOf("{}")]; sent || len(kept) != 3 {
		t.Fatalf("sent %v", kept)
	}
}

func TestLibrary_import_stays_inside_the_folder(t *testing.T) {
	_, m := script(t)
	folder, outside := t.TempDir(), t.TempDir()
	secret := write(t, outside, "secret.json", "private")
	write(t, folder, "model.safetensors", "weights")
	if err := os.Symlink(secret, filepath.Join(folder, "config.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := NewLibrary(m.server).ImportFolder(context.Background(), "mine", folder, nil); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Fatal(err)
	}
	if _, err := NewLibrary(m.server).ImportFolder(context.Background(), "mine", outside, nil); !errors.Is(err, ErrRequest) {
		t.Fatal(err)
	}
}

func TestLibrary_lists_shows_and_deletes(t *testing.T) {
	s, m := script(t, "completion", "tools")
	l := NewLibrary(m.server)
	list, err := l.List(context.Background())
	if err != nil || len(list) != 2 || list[0].Name != "other:latest" {
		t.Fatalf("%+v %v", list, err)
	}
	d, err := l.Show(context.Background(), "small")
	if err != nil || d.Digest != "aa" || d.Context != 2048 || fmt.Sprint(d.Capabilities) != "[completion tools]" {
		t.Fatalf("%+v %v", d, err)
	}
	s.more["/api/ps"] = func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"models":[{"name":"small:latest","size":9,"context_length":2048}]}`)
	}
	running, err := l.Running(context.Background())
	if err != nil || len(running) != 1 || running[0].Context != 2048 {
		t.Fatalf("%+v %v", running, err)
	}
	if err := l.Delete(context.Background(), "small"); !errors.Is(err, ErrNoModel) {
		t.Fatal(err)
	}
	s.more["/api/delete"] = func(http.ResponseWriter, *http.Request) {}
	if err := l.Delete(context.Background(), "small"); err != nil {
		t.Fatal(err)
	}
}
