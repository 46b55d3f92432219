package command

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"holdpoint/app"
)

// mostInput bounds what is read from a file or standard input, in bytes.
const mostInput = 4 << 20

// input reads a file, or standard input for -.
func (p *program) input(path string) (string, error) {
	if path == "-" {
		var b []byte
		err := p.typed(func() (err error) {
			b, err = io.ReadAll(io.LimitReader(os.Stdin, mostInput))
			return err
		})
		return string(b), err
	}
	f, err := app.OpenFile(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, mostInput+1))
	if err == nil && len(b) > mostInput {
		return "", misuse("%s has more than the %d bytes that are read", path, mostInput)
	}
	return string(b), err
}

// typed runs what waits for standard input, until the program is told to stop.
func (p *program) typed(read func() error) error {
	done := make(chan error, 1)
	go func() { done <- read() }()
	select {
	case err := <-done:
		return err
	case <-p.stopped.Done():
		return context.Cause(p.stopped)
	}
}

// lines is standard input where passphrases are read, a line each.
var lines = bufio.NewReader(os.Stdin)

// secret reads a passphrase from a line of the input where it is asked for. At a terminal
// it says whose, and the letters are not shown.
func (p *program) secret(ask bool, prompt string, into *string) error {
	if !ask {
		return nil
	}
	line := ""
	read := func() (err error) {
		line, err = lines.ReadString('\n')
		return err
	}
	if at := int(os.Stdin.Fd()); term.IsTerminal(at) {
		before, err := term.MakeRaw(at) // before it asks: nothing that is typed is shown
		if err != nil {
			return err
		}
		defer term.Restore(at, before)
		read = func() (err error) {
			line, err = term.NewTerminal(struct {
				io.Reader
				io.Writer
			}{os.Stdin, p.err}, "").ReadPassword(prompt)
			if errors.Is(err, io.EOF) {
				return context.Canceled // Ctrl+C is a letter here
			}
			return err
		}
	}
	switch err := p.typed(read); {
	case p.stopped.Err() != nil || errors.Is(err, context.Canceled):
		return err
	case err != nil && line == "":
		return misuse("no passphrase came in; write it as a line of the input")
	}
	*into = strings.TrimRight(line, "\r\n")
	return nil
}
