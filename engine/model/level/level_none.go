//go:build !(ollama && cgo && linux && amd64)

package level

import "errors"

// Names lists this build's levels, the best first, without Base.
func Names() []string { return nil }

// Use does nothing but check the name: there is only Base.
func Use(name string) error {
	if name == Base {
		return nil
	}
	return errors.New("level: this build has no level " + name)
}

// Try computes with a level what Base computes; it may end the process.
func Try(name string) error { return Use(name) }

// Measure says how fast the level in use reads what people publish.
func Measure() ([]Speed, error) { return nil, errors.New("level: this build measures nothing") }
