package model

import (
	"fmt"
	"io"
	"net"
	"os"
)

// What this build carries of Ollama; both are nil without the build tag ollama.
var (
	serveOllama func(net.Listener) error
	runOllama   func(args []string) error
)

// OwnAvailable says whether this build carries its own Ollama.
func OwnAvailable() bool { return serveOllama != nil }

// RunChild does the work of a child that Own, or Ollama's server, started from this
// same executable. A program calls it first, with its arguments after the name, and
// exits with exitCode when it was handled.
func RunChild(args []string) (handled bool, exitCode int) {
	if len(args) == 0 || os.Getenv(childMark) == "" {
		return false, 0
	}
	var err error
	switch {
	case args[0] == "ollama-serve" && serveOllama != nil:
		err = serveChild()
	case args[0] == "runner" && runOllama != nil:
		go func() {
			waitForParent()
			os.Exit(1)
		}()
		err = runOllama(args)
	default:
		return false, 0
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return true, 1
	}
	return true, 0
}

// serveChild runs the server on a free loopback port, which it tells on its
// standard output, until its standard input ends: then the program that started it
// is gone, and with it goes all that the server started.
func serveChild() error {
	go func() {
		// Nothing is ever sent; both an end and an error mean that no one is there.
		_, _ = io.Copy(io.Discard, os.Stdin)
		endGroup()
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := os.Setenv("OLLAMA_HOST", listener.Addr().String()); err != nil {
		return err
	}
	if _, err := fmt.Println(listener.Addr()); err != nil {
		return err
	}
	return serveOllama(listener)
}
