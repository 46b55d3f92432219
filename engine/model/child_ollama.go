//go:build ollama

package model

import (
	"io"

	"github.com/gin-gonic/gin"
	"github.com/ollama/ollama/runner"
	"github.com/ollama/ollama/server"
)

func init() {
	serveOllama, runOllama = server.Serve, runner.Execute
	// Ollama logs a line for each request here; ours are in the journal.
	gin.DefaultWriter = io.Discard
}
