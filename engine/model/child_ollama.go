//go:build ollama

package model

import (
	"io"
	"runtime/debug"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/ollama/ollama/runner"
	"github.com/ollama/ollama/server"
	"github.com/ollama/ollama/version"
)

func init() {
	serveOllama, runOllama = server.Serve, runner.Execute
	// Ollama logs a line for each request here; ours are in the journal.
	gin.DefaultWriter = io.Discard
	// Unset, the server calls itself 0.0.0: to people, and to libraries of models, which keep
	// models that need a newer one from it.
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/ollama/ollama" {
				version.Version = strings.TrimPrefix(dep.Version, "v")
			}
		}
	}
}
