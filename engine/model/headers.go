//go:build headers

// Never compiled: it keeps the module in go.mod that build/ollama-env takes the
// header miniaudio.h from.
package model

import _ "github.com/gen2brain/malgo"
