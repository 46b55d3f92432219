package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// Imported names a model that was made from files of the user.
type Imported struct {
	Name string `json:"name"`
	// Digests are the SHA-256 of the files, by relative path, as sha256:<hex>.
	Digests map[string]string `json:"digests"`
}

// fileLimits bound a folder that is imported.
const (
	mostFiles = 200
	mostDepth = 4
)

// ImportGGUF makes a model of a GGUF file. The file is only read as bytes here: the
// server's process parses it. It fails with ErrServer or ErrRequest when the server
// can't use the file.
func (l *Library) ImportGGUF(ctx context.Context, name, file string, onProgress func(Progress)) (Imported, error) {
	root, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return Imported{}, fmt.Errorf("model: import: %w", err)
	}
	defer root.Close()
	if err := beginsAsGGUF(root, filepath.Base(file)); err != nil {
		return Imported{}, err
	}
	return l.importFiles(ctx, name, root, []string{filepath.Base(file)}, onProgress)
}

// MarkGGUF is how a GGUF file begins.
const MarkGGUF = "GGUF"

// beginsAsGGUF looks at the first bytes, before all of them are read and copied.
func beginsAsGGUF(root *os.Root, file string) error {
	f, err := plainFile(root, file)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	head := make([]byte, len(MarkGGUF))
	if _, err := io.ReadFull(f, head); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("model: import: %w", err)
	}
	if string(head) != MarkGGUF {
		return fmt.Errorf("%w: %s", ErrNotGGUF, clip(file))
	}
	return nil
}

// plainFile opens a file; what is none may block who opens it.
func plainFile(root *os.Root, file string) (*os.File, error) {
	info, err := root.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("model: import: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: import: %s is not a plain file", ErrRequest, clip(file))
	}
	f, err := root.Open(file)
	if err != nil {
		return nil, fmt.Errorf("model: import: %w", err)
	}
	return f, nil
}

// ImportFolder makes a model of a folder with safetensors files, its configuration
// and its tokenizer; folders inside, such as 1_Pooling, are part of it.
func (l *Library) ImportFolder(ctx context.Context, name, folder string, onProgress func(Progress)) (Imported, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return Imported{}, fmt.Errorf("model: import: %w", err)
	}
	defer root.Close()
	files, err := modelFiles(root.FS())
	if err != nil {
		return Imported{}, err
	}
	return l.importFiles(ctx, name, root, files, onProgress)
}

// modelFiles lists what of a folder makes a model. Files that run code when they
// are loaded (pickles) and hidden or empty ones are left out.
func modelFiles(folder fs.FS) ([]string, error) {
	var files []string
	weights := false
	err := fs.WalkDir(folder, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p != "." && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			if strings.Count(p, "/") >= mostDepth {
				return fs.SkipDir
			}
			return nil
		}
		switch strings.ToLower(path.Ext(p)) {
		case ".safetensors", ".json", ".txt", ".model", ".jinja":
		default:
			return nil
		}
		info, err := fs.Stat(folder, p)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() || info.Size() == 0 {
			return nil
		}
		weights = weights || strings.HasSuffix(strings.ToLower(p), ".safetensors")
		if files = append(files, p); len(files) > mostFiles {
			return fmt.Errorf("more than %d files; choose the model's own folder", mostFiles)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("model: import: %w", err)
	}
	if !weights {
		return nil, fmt.Errorf("%w: import: the folder holds no .safetensors file", ErrRequest)
	}
	return files, nil
}

func (l *Library) importFiles(ctx context.Context, name string, root *os.Root, files []string, onProgress func(Progress)) (Imported, error) {
	if err := l.checkName(name); err != nil {
		return Imported{}, err
	}
	if onProgress == nil {
		onProgress = func(Progress) {}
	}
	made := Imported{Name: name, Digests: map[string]string{}}
	var given []string
	err := func() error {
		for _, file := range files {
			digest, news, err := l.send(ctx, root, file, onProgress)
			if news {
				given = append(given, digest)
			}
			if err != nil {
				return err
			}
			made.Digests[file] = digest
		}
		request := &api.CreateRequest{Model: name, Files: made.Digests}
		return l.progress(ctx, "create "+clip(name), "/api/create", request, onProgress)
	}()
	if err != nil {
		return Imported{}, errors.Join(err, l.server.discard(given))
	}
	return made, nil
}

// discard removes what an import that failed gave to our own server, as far as no model
// uses it: it keeps everything, and Ollama's api has no way to take a file back. The
// folder of a server that somebody else started is theirs; Ollama tidies it up itself
// when it starts.
func (s *Server) discard(digests []string) error {
	if s.own == nil || len(digests) == 0 {
		return nil
	}
	root, err := os.OpenRoot(s.own.models())
	if err != nil {
		return fmt.Errorf("model: import: what was copied stays: %w", err)
	}
	defer root.Close()
	used := map[string]bool{}
	err = fs.WalkDir(root.FS(), "manifests", func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		manifest, err := fs.ReadFile(root.FS(), p)
		for _, digest := range digests {
			used[digest] = used[digest] || bytes.Contains(manifest, []byte(digest))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("model: import: what was copied stays: %w", err)
	}
	for _, digest := range digests {
		if used[digest] {
			continue
		}
		if err := root.Remove("blobs/" + strings.Replace(digest, ":", "-", 1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("model: import: what was copied stays: %w", err)
		}
	}
	return nil
}

// send hashes a file and gives it to the server unless that has it already; news says
// whether it may have it now. The server checks the digest, so a file that changes in
// between is refused.
func (l *Library) send(ctx context.Context, root *os.Root, file string, onProgress func(Progress)) (digest string, news bool, err error) {
	f, err := plainFile(root, file)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", false, fmt.Errorf("model: import: %w", err)
	}
	sum := sha256.New()
	reading := &counted{ctx: ctx, from: f, total: info.Size(), report: onProgress, step: "reading " + clip(file)}
	if _, err := io.Copy(sum, reading); err != nil {
		return "", false, fmt.Errorf("model: import: %w", err)
	}
	digest = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	has, err := l.hasBlob(ctx, digest)
	if err != nil || has {
		return digest, false, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", false, fmt.Errorf("model: import: %w", err)
	}
	c, err := l.server.client(ctx)
	if err != nil {
		return "", false, err
	}
	sending := &counted{ctx: ctx, from: f, total: info.Size(), report: onProgress, step: "copying " + clip(file), digest: digest}
	// Stopping ends the reading, and with it the request. What the server has whole already
	// it is given time to put down: else it could do so after the import was tidied away.
	answered, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(endTime, giveUp) })()
	err = c.CreateBlob(answered, digest, sending)
	var broke *url.Error
	if errors.As(err, &broke) && ctx.Err() == nil {
		err = fmt.Errorf("%w: %s: %s", ErrCopy, clip(file), clip(broke.Err.Error()))
	}
	return digest, true, explain(ctx, "import", err)
}

func (l *Library) hasBlob(ctx context.Context, digest string) (bool, error) {
	base, err := l.server.base(ctx)
	if err != nil {
		return false, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, base.JoinPath("/api/blobs/", digest).String(), nil)
	if err != nil {
		return false, fmt.Errorf("%w: import: %s", ErrRequest, clip(err.Error()))
	}
	resp, err := l.server.http.Do(r)
	if err != nil {
		return false, explain(ctx, "import", err)
	}
	err = resp.Body.Close()
	switch {
	case err != nil:
		return false, explain(ctx, "import", err)
	case resp.StatusCode == http.StatusOK:
		return true, nil
	case resp.StatusCode == http.StatusNotFound:
		return false, nil
	}
	return false, refused("import", resp.StatusCode, "")
}

// counted reads with progress and ends with its context.
type counted struct {
	ctx    context.Context
	from   io.Reader
	done   int64
	told   int64
	total  int64
	step   string
	digest string
	report func(Progress)
}

func (c *counted) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.from.Read(p)
	c.done += int64(n)
	// A report for each MiB is enough to draw.
	if c.done-c.told >= 1<<20 || errors.Is(err, io.EOF) && c.told < c.done {
		c.told = c.done
		c.report(Progress{Step: c.step, Digest: c.digest, Done: c.done, Total: c.total})
	}
	return n, err
}
