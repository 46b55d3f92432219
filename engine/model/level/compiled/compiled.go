// Package compiled is the levels of arithmetic that build/levels makes: objects (.syso)
// which Go links into every program that imports this. Only builds with the tag ollama may:
// the objects call what comes with Ollama.
package compiled
