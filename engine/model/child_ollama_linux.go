//go:build ollama

package model

import (
	"syscall"

	"github.com/ollama/ollama/llm"
)

// The kernel ends a runner when the server that started it is killed.
func init() { llm.LlamaServerSysProcAttr.Pdeathsig = syscall.SIGKILL }
