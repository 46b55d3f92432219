// Command generate writes the TypeScript types of what the program sends to its screens
// from the Go types that it is made of. Run it with go generate ./engine/journal.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// outputs are the files that are generated, by name from the root.
var outputs = []output{
	{"frontend/src/api/journal.ts", "./engine/journal", journal},
	{"frontend/src/api/notice.ts", "./app", func(w *writer) { w.want("Notice"); w.want("Fault") }},
}

type output struct {
	file, pkg string
	write     func(*writer)
}

func main() {
	root := filepath.Join("..", "..") // go generate runs it in build/tools
	for _, o := range outputs {
		text := render(root, o.pkg, o.write)
		if err := os.WriteFile(filepath.Join(root, o.file), []byte(text), 0o666); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
