package pdfium

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// childMark is set for a child, so that nobody gets one by a command's name.
const childMark = "HOLDPOINT_PDF_CHILD"

// command is the child's first argument.
const command = "pdf"

// request is the line that a child reads first; the file follows.
type request struct {
	Size  int    `json:"size"` // of the file in bytes
	Cache string `json:"cache,omitempty"`
	// Page draws one; 0 reads all text.
	Page  int `json:"page,omitempty"`
	Width int `json:"width,omitempty"`
	From  int `json:"from,omitempty"`
	To    int `json:"to,omitempty"`
	// Seconds after which the child ends by itself, when its parent is gone.
	Seconds int `json:"seconds"`
}

// answer is the line that it writes; a picture follows.
type answer struct {
	Error string `json:"error,omitempty"`
	Text  *Text  `json:"text,omitempty"`
}

// RunChild does the work of a child that a Reader started from this same executable. main
// calls it first and exits with exitCode if handled is true.
func RunChild(args []string) (handled bool, exitCode int) {
	if len(args) != 1 || args[0] != command || os.Getenv(childMark) == "" {
		return false, 0
	}
	debug.SetMemoryLimit(512 << 20)
	if err := work(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return true, 1
	}
	return true, 0
}

func work(in io.Reader, out io.Writer) error {
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return err
	}
	var q request
	if err := json.Unmarshal(line, &q); err != nil {
		return err
	}
	time.AfterFunc(time.Duration(q.Seconds)*time.Second, func() { os.Exit(1) })
	file := make([]byte, q.Size)
	if _, err := io.ReadFull(r, file); err != nil {
		return err
	}
	e, err := open(context.Background(), q.Cache)
	if err != nil {
		return err
	}
	document, err := e.load(file)
	var picture bytes.Buffer
	var a answer
	if err == nil {
		if q.Page > 0 {
			err = e.draw(document, q.Page, q.Width, q.From, q.To, &picture)
		} else {
			var t Text
			t, err = e.read(document)
			a.Text = &t
		}
	}
	if err != nil {
		if strings.HasPrefix(err.Error(), "pdfium: ") {
			return err // of PDFium, not of the file: the parent has words for it
		}
		a = answer{Error: err.Error()}
	}
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if _, err := out.Write(append(body, '\n')); err != nil {
		return err
	}
	_, err = picture.WriteTo(out)
	return err
}

// Reader reads PDFs, each in a child of its own.
type Reader struct {
	// Cache is a folder for what PDFium's code was compiled to; starting takes two seconds
	// without. It is made, and kept to this user: what is in it is run.
	Cache string
	// Limit is how long a file may take; two minutes when it is 0.
	Limit time.Duration
}

// Errors of a Reader that are not the file's own words.
var (
	errLong    = errors.New("reading it takes too long; it was given up")
	errCrashed = errors.New("it makes its reader fail: it is broken, or made to do that")
)

// Read gives the text of every page. The error says in words what is wrong with the file.
func (r Reader) Read(ctx context.Context, file []byte) (Text, error) {
	a, _, err := r.run(ctx, request{}, file)
	if err != nil {
		return Text{}, err
	}
	if a.Text == nil {
		return Text{}, errCrashed
	}
	return *a.Text, nil
}

// Draw gives a picture of a page as PNG. from and to are characters of its text to mark.
func (r Reader) Draw(ctx context.Context, file []byte, page, width, from, to int) ([]byte, error) {
	_, picture, err := r.run(ctx, request{Page: page, Width: width, From: from, To: to}, file)
	if err == nil && len(picture) == 0 {
		err = errCrashed
	}
	return picture, err
}

// maxAnswer bounds what a child may say: JSON writes some characters with six bytes.
const maxAnswer = 6*maxText + 1<<20

func (r Reader) run(ctx context.Context, q request, file []byte) (a answer, rest []byte, err error) {
	self, err := os.Executable()
	if err != nil {
		return a, nil, fmt.Errorf("pdfium: %w", err)
	}
	limit := r.Limit
	if limit == 0 {
		limit = 2 * time.Minute
	}
	q.Size, q.Seconds = len(file), int(limit/time.Second)+5
	if q.Cache, err = private(r.Cache); err != nil {
		q.Cache = "" // slower
	}
	head, err := json.Marshal(q)
	if err != nil {
		return a, nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(bounded, self, command)
	c.Env = []string{childMark + "=1", "GOMAXPROCS=2"}
	c.Stdin = io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(file))
	var out bytes.Buffer
	c.Stdout = &limited{w: &out, left: maxAnswer}
	c.WaitDelay = time.Second
	err = c.Run()
	switch {
	case ctx.Err() != nil:
		return a, nil, ctx.Err()
	case bounded.Err() != nil:
		return a, nil, errLong
	case err != nil:
		return a, nil, errCrashed
	}
	line, rest, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	if json.Unmarshal(line, &a) != nil {
		return a, nil, errCrashed
	}
	if a.Error != "" {
		return a, nil, errors.New(a.Error)
	}
	return a, rest, nil
}

// private makes a folder of this user's alone; "" stays "".
func private(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// limited refuses more than it may take; then the child's output is cut off and it ends.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errors.New("pdfium: too long an answer")
	}
	return l.w.Write(p)
}
