// Command generate writes the TypeScript types of what the program sends to its screens
// from the Go code that it is made of. Run it with go generate ./engine/journal.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// outputs are the files that are generated, by name from the root.
var outputs = []output{
	{"frontend/src/api/journal.ts", func(root string) string { return render(root, "./engine/journal", journal) }},
	{"frontend/src/api/notice.ts", func(root string) string {
		return render(root, "./app", func(w *writer) { w.want("Notice"); w.want("Fault") })
	}},
	{"frontend/src/text/said.ts", said},
}

type output struct {
	file string
	text func(root string) string
}

func main() {
	defer func() {
		// What is wrong with the Go code is said; anything else is a mistake of the generator.
		cause := recover()
		if why, ok := cause.(string); ok && strings.HasPrefix(why, "generate: ") {
			fmt.Fprintln(os.Stderr, why)
			os.Exit(1)
		} else if cause != nil {
			panic(cause)
		}
	}()
	root := filepath.Join("..", "..") // go generate runs it in build/tools
	for _, o := range outputs {
		if err := os.WriteFile(filepath.Join(root, o.file), []byte(o.text(root)), 0o666); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
