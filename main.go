// Holdpoint runs an agent's whole turn on this machine, offline, and stops at
// every change until a person has approved exactly what will happen.
package main

import (
	"embed"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"holdpoint/app/command"
	"holdpoint/app/desktop"
	"holdpoint/engine/library/pdfium"
	"holdpoint/engine/model"
)

// dist holds the built screens; on a fresh clone only the folder is there.
//
//go:embed all:frontend/dist
var dist embed.FS

// version is set at build time; else it is the commit.
var version = ""

func main() {
	startWithoutCollecting()
	os.Exit(run(os.Args[1:]))
}

// spare is by how many percent the heap grows before it is collected: 10,000 runs at once take two thirds of the time
// that they take with Go's 100, and what is kept on the heap is little beside a model.
const spare = 200

// startWithoutCollecting spares commands that end at once a third of their time: until a second has passed,
// garbage is collected only beyond 64 MB, and afterwards by spare.
func startWithoutCollecting() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return // whoever started it decides
	}
	debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(64 << 20)
	time.AfterFunc(time.Second, func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(spare)
	})
}

func run(args []string) int {
	// Our own executable is also the model server's, and what reads PDFs, when it starts itself
	// as a child.
	if handled, code := model.RunChild(args); handled {
		return code
	}
	if handled, code := pdfium.RunChild(args); handled {
		return code
	}
	screens, err := fs.Sub(dist, "frontend/dist")
	if err != nil {
		panic("holdpoint: " + err.Error()) // the path is embedded above
	}
	return command.Main(args, command.Options{Version: build(), Screens: screens, Window: desktop.Open, Unopened: desktop.Unopened})
}

func build() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return s.Value[:12]
			}
		}
	}
	return "dev"
}
