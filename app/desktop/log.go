//go:build desktop

package desktop

import (
	"log/slog"
	"os"
)

// quiet logs that the window has something to say, and not what: Wails puts whole calls
// of the page into its messages, and with them what a person wrote.
type quiet struct{ log *slog.Logger }

func (q quiet) Print(string)   {}
func (q quiet) Trace(string)   {}
func (q quiet) Debug(string)   {}
func (q quiet) Info(string)    {}
func (q quiet) Warning(string) { q.log.Warn("the window gave a warning") }
func (q quiet) Error(string)   { q.log.Error("the window reported an error") }

// Fatal ends the program, as Wails expects of it.
func (q quiet) Fatal(string) {
	q.log.Error("the window cannot go on")
	os.Exit(1)
}
