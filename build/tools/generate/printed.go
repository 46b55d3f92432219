package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// printers are the files that speak on the command line and in exports, in replies that the
// program gives in a model's place, and in practice mode: of agents all, also of one that is new.
var printers = []string{"app/*.go", "app/tongue/*.go", "app/command/*.go", "app/web/*.go", "engine/board/report.go", "engine/memory/summary.go", "engine/turn/rules.go",
	"engine/model/practice*.go", "engine/definition/practice.go", "engine/definition/autonomous.go", "engine/definition/rules.go", anAgents}

// anAgents are the files of agents: what speaks the program's language there
// calls it Say or say, and nothing else so.
const anAgents = "engine/agents/*/*.go"

// formats are the functions whose argument of that number is a format, or a text, of the
// catalog.
var formats = map[string]int{"Say": 0, "say": 0, "tell": 0, "misuse": 0, "Word": 0, "exact": 1, "text": 0, "strong": 0}

var (
	letters   = regexp.MustCompile(`\pL{2}`)
	verbs     = regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d+)?[a-z]`)
	inAPage   = regexp.MustCompile(`\{\{[^}]*\bsay ("(?:[^"\\]|\\.)*")`)
	aCatalogs = "app/tongue/"
)

// printed are the formats that the command line and exports say.
func printed(root string) map[string]bool {
	found := map[string]bool{}
	keep := func(s string) {
		if letters.MatchString(verbs.ReplaceAllString(s, "")) || strings.Contains(s, ": ") { // French has a blank before it
			found[s] = true
		}
	}
	for _, pattern := range printers {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			panic("generate: no Go files in " + pattern)
		}
		for _, file := range files {
			if name := filepath.Base(file); strings.HasSuffix(name, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				panic("generate: " + err.Error())
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if at, ok := formats[nameOf(n.Fun)]; ok && at < len(n.Args) && (pattern != anAgents || strings.EqualFold(nameOf(n.Fun), "say")) {
						if lit, ok := n.Args[at].(*ast.BasicLit); ok && lit.Kind == token.STRING {
							if s, err := strconv.Unquote(lit.Value); err == nil {
								keep(s)
							}
						}
					}
				case *ast.BasicLit:
					for _, m := range inAPage.FindAllStringSubmatch(n.Value, -1) {
						if s, err := strconv.Unquote(m[1]); err == nil {
							keep(s)
						}
					}
				}
				return true
			})
		}
	}
	return found
}

// catalog reads one of the French catalogs.
func catalog(root, name string) map[string]string {
	out := map[string]string{}
	body, err := os.ReadFile(filepath.Join(root, aCatalogs, name))
	if err == nil {
		err = json.Unmarshal(body, &out)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a new agent has none yet: all of its French is missing
		panic("generate: " + name + ": " + err.Error())
	}
	return out
}
