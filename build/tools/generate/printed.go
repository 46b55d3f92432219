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
// program gives in a model's place, and in practice mode, besides those of agents.
var printers = []string{"app/*.go", "app/tongue/*.go", "app/command/*.go", "app/web/*.go", "engine/board/report.go", "engine/memory/summary.go", "engine/turn/rules.go",
	"engine/model/practice*.go", "engine/definition/practice.go", "engine/definition/autonomous.go", "engine/definition/rules.go"}

// anAgents begins the files of agents: what speaks the program's language there
// calls it Say or say, and nothing else so.
const anAgents = "engine/agents/"

// formats are the functions whose argument of that number is a format, or a text, of the
// catalog.
var formats = map[string]int{"Say": 0, "say": 0, "tell": 0, "misuse": 0, "Word": 0, "exact": 1, "text": 0, "strong": 0}

var (
	letters = regexp.MustCompile(`\pL{2}`)
	verbs   = regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d+)?[a-z]`)
	inAPage = regexp.MustCompile(`\{\{[^}]*\bsay ("(?:[^"\\]|\\.)*")`)
)

// printed are the formats that files say on the command line and in exports.
func printed(root string, files []string) map[string]bool {
	found := map[string]bool{}
	keep := func(s string) {
		if letters.MatchString(verbs.ReplaceAllString(s, "")) || strings.Contains(s, ": ") { // French has a blank before it
			found[s] = true
		}
	}
	for _, pattern := range files {
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
					if at, ok := formats[nameOf(n.Fun)]; ok && at < len(n.Args) && (!strings.HasPrefix(pattern, anAgents) || strings.EqualFold(nameOf(n.Fun), "say")) {
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

// catalog reads a French catalog of a folder.
func catalog(root, folder, name string) map[string]string {
	out := map[string]string{}
	body, err := os.ReadFile(filepath.Join(root, folder, name))
	if err == nil {
		err = json.Unmarshal(body, &out)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a new agent has none yet: all of its French is missing
		panic("generate: " + folder + "/" + name + ": " + err.Error())
	}
	return out
}
