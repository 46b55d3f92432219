package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// unmet are the files whose errors nobody meets who uses Holdpoint, and why; a folder ends in a slash.
var unmet = map[string]string{
	"engine/agents/companion/elsewhere.go": "a list of the program's own, which its tests read",
	"engine/safety/intervention.go":        "its own texts, which its tests read",
	"engine/safety/line.go":                "its own list of lines, which its tests read",
	"engine/safety/meaning.go":             "its own weights, which its tests read",
	"engine/safety/near.go":                "its own weights, which its tests read",
	"engine/safety/rules.go":               "its own rules, which its tests read",
	"engine/safety/train.go":               "training, by the program's own developers",
	"engine/safety/words.go":               "its own weights, which its tests read",
	"engine/model/level/":                  "measured when the program is built",
	"engine/journal/":                      "an event that this program wrote is not one",
	"store/pages.go":                       "how the pages of a damaged file are broken, below the sentence that it is",
	"store/key.go":                         "how the keys of a damaged file are broken, below the sentence that it is",
	"store/tx.go":                          "how the rows of a damaged file are broken, below the sentence that it is",
	"store/value.go":                       "how the values of a damaged file are broken, below the sentence that it is",
	"store/table.go":                       "how the rows of a damaged file are broken, below the sentence that it is",
	"store/bolt.go":                        "how the pages of a damaged file are broken, below the sentence that it is",
	"engine/model/modeltest/":              "for tests",
	"engine/agents/agenttest/":             "for tests",
}

// erring are the functions that make an error of a format, besides those of Go's library, by folder.
var erring = map[string][]string{
	"engine/agents/companion": {"warn", "decline"}, "engine/agents/filing/wells": {"refuse"}, "engine/expression": {"refuse"}, "engine/manifest": {"wrong", "named"},
	"engine/pipeline": {"at", "errorf"}, "engine/record": {"refuse", "missing"}, "engine/skill": {"wrong"},
}

// failures are the texts of errors that people can meet, as the errors.json of app/tongue and of the agents have
// them: each without the name of its package and without the error that it wraps, whose text is
// one of its own. They are those of an agent, by its name, or those of everything else.
func failures(root, agent string) map[string]bool {
	found := map[string]bool{}
	parts = partsOf(root)
	tops := []string{"app", "engine", "store"}
	if agent != "" {
		tops = []string{anAgents + agent}
	}
	for _, top := range tops {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			name, err := filepath.Rel(root, file)
			if name = filepath.ToSlash(name); err == nil && !isUnmet(name) && (agent != "" || !strings.HasPrefix(name, anAgents)) {
				failuresOf(name, file, found)
			}
			return err
		})
		if err != nil {
			panic("generate: " + err.Error())
		}
	}
	for said := range sentences(root, slices.Concat(speakers, agentFolders(root))) { // the screens' own
		delete(found, said)
	}
	return found
}

func isUnmet(name string) bool {
	for prefix := range unmet {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func failuresOf(name, file string, into map[string]bool) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		panic("generate: " + err.Error())
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || len(c.Args) == 0 {
			return true
		}
		args := c.Args[:1]
		if x, ok := c.Fun.(*ast.SelectorExpr); !ok || nameOf(x.X)+"."+x.Sel.Name != "errors.New" && nameOf(x.X)+"."+x.Sel.Name != "fmt.Errorf" {
			args = nil
			for _, f := range erring[path.Dir(name)] {
				if nameOf(c.Fun) == f {
					args = c.Args
				}
			}
		}
		for _, e := range args {
			if s, ok := literal(e); ok {
				if s = piece(s); letters.MatchString(values.ReplaceAllString(s, "")) && (len(args) == 1 || strings.Contains(s, " ")) {
					into[numbered(s)] = true
				}
			}
		}
		return true
	})
}

// parts are the names of packages before an error, as app/fault.go takes them away.
var parts *regexp.Regexp

// partsOf makes parts: every agent has errors under the name of its folder.
func partsOf(root string) *regexp.Regexp {
	names := "agents?|api|app|board|call|definition|desktop|encoder|graph|identity|journal|ledger|level|library|manifest|mcp|memory|model|online|pdfium|pipeline|prompt|record|rule|run|safety|session|skill|store|survey|text|tool|turn|web"
	for _, folder := range agentFolders(root) {
		if strings.Count(folder, "/") == 2 {
			names += "|" + path.Base(folder)
		}
	}
	return regexp.MustCompile(`^(?:(?:` + names + `): )+`)
}

// before and behind are an error that is wrapped, or a name, at an end of a format.
var (
	before = regexp.MustCompile(`^%[wsvq](?:: |; )`)
	behind = regexp.MustCompile(`(?:(?:: |; )%[wsv]| \(%[wsv]\))$`)
)

// piece is an error's format without what stands at its ends.
func piece(format string) string {
	for {
		short := behind.ReplaceAllString(before.ReplaceAllString(parts.ReplaceAllString(format, ""), ""), "")
		if short == format {
			return short
		}
		format = short
	}
}
