package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"

	"holdpoint/engine/model/level"
)

// What this build carries of Ollama; both are nil without the build tag ollama.
var (
	serveOllama func(net.Listener) error
	runOllama   func(args []string) error
)

// OwnAvailable says whether this build carries its own Ollama.
func OwnAvailable() bool { return serveOllama != nil }

// RunChild does the work of a child process that Own, or Ollama's server, started from
// this same executable. main calls it first, with the arguments after the program's name,
// and exits with exitCode if handled is true.
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
		if err = level.Use(levelInUse()); err == nil {
			err = runOllama(args)
		}
	case args[0] == "ollama-level" && len(args) == 2:
		err = level.Try(args[1])
	case args[0] == "ollama-speed":
		var speeds []level.Speed
		if err = level.Use(levelInUse()); err == nil {
			speeds, err = level.Measure()
		}
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(speeds)
		}
	default:
		return false, 0
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return true, 1
	}
	return true, 0
}

// serveChild runs the server on a free loopback port, which it prints on its standard
// output, and the level of its arithmetic after it. The end of its standard input means that the parent is gone; then the server
// and all that it started end, too.
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
	if err := os.Setenv(levelMark, chooseLevel()); err != nil {
		return err
	}
	if _, err := fmt.Println(listener.Addr(), levelInUse()); err != nil {
		return err
	}
	return serveOllama(listener)
}
