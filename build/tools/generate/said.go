package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// speakers are the folders whose sentences screens show, besides those of the agents.
var speakers = []string{"app", "app/web", "app/desktop",
	"engine/board", "engine/call", "engine/definition", "engine/expression", "engine/library", "engine/library/online", "engine/library/pdfium", "engine/mcp", "engine/pipeline", "engine/prompt", "engine/record", "engine/rule", "engine/run", "engine/skill", "engine/survey", "engine/text", "engine/tool", "engine/turn"}

// agentFolders are all folders below engine/agents with Go files but the agent of tests, so
// that a new agent is heard without a line here.
func agentFolders(root string) []string {
	found := map[string]bool{}
	for _, depth := range []string{"*", "*/*"} {
		files, err := filepath.Glob(filepath.Join(root, "engine/agents", depth, "*.go"))
		if err != nil {
			panic("generate: " + err.Error())
		}
		for _, file := range files {
			folder, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				panic("generate: " + err.Error())
			}
			if folder = filepath.ToSlash(folder); folder != "engine/agents/agenttest" {
				found[folder] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// ofAgents are the agents' names with the folders of each.
func ofAgents(root string) map[string][]string {
	out := map[string][]string{}
	for _, folder := range agentFolders(root) {
		agent := strings.Split(folder, "/")[2]
		out[agent] = append(out[agent], folder)
	}
	return out
}

// tellers are the folders whose plain errors are told as well: what is wrong with a file, a
// line or a place. Where it is true, what begins with the package's name is told without it;
// else that is of the program's inside.
var tellers = map[string]bool{"engine/agents/filing/api": true, "engine/agents/filing/wells": false, "engine/library": false, "engine/library/online": true, "engine/library/pdfium": false, "engine/record": false, "engine/survey": true}

// said writes a type of the sentences that the program says in English, so that a French one
// that is missing does not compile: what is given to Bad, phrase and their like, and what is
// set as Message, Hint or Safe of a Fault, as Title of a Plan or a Checkpoint and as Reason
// of whatever has one. Where a format puts a value, a number in braces stands. What only agents
// say is not in it: its French is in the agent's folder, and a test asks for it.
func said(root string) string {
	var out bytes.Buffer
	out.WriteString(head + "/** A sentence of the program's other side; {0} is its first value. */\nexport type Said =\n")
	for _, s := range slices.Sorted(maps.Keys(sentences(root, speakers))) {
		fmt.Fprintf(&out, "  | %s\n", strconv.Quote(s))
	}
	return strings.TrimSuffix(out.String(), "\n") + ";\n"
}

// sentences are those that screens show.
func sentences(root string, folders []string) map[string]bool {
	found := map[string]bool{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil || len(files) == 0 {
			panic("generate: no Go files in " + folder)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				sentencesOf(folder, file, found)
			}
		}
	}
	return found
}

func sentencesOf(folder, file string, into map[string]bool) {
	source, err := os.ReadFile(file)
	if err != nil {
		panic("generate: " + err.Error())
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, 0)
	if err != nil {
		panic("generate: " + err.Error())
	}
	keep := func(e ast.Expr) {
		if s, ok := literal(e); ok && words.MatchString(values.ReplaceAllString(s, "")) {
			into[numbered(s)] = true
		}
	}
	told := func(e ast.Expr, whole bool) {
		s, ok := literal(e)
		rest, inside := strings.CutPrefix(s, path.Base(folder)+": ")
		if agent, below := strings.CutPrefix(folder, anAgents); !inside && below { // its folders may say the agent's name
			agent, _, _ = strings.Cut(agent, "/")
			rest, inside = strings.CutPrefix(s, agent+": ")
		}
		if ok && (whole || !inside) && says(rest) {
			into[numbered(rest)] = true
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if slices.Contains([]string{"Bad", "badSignature", "fault", "notFound", "phrase"}, nameOf(n.Fun)) {
				for _, e := range n.Args {
					keep(e)
				}
			}
			if name := nameOf(n.Fun); name == "bad" || path.Base(folder) == "definition" && slices.Contains([]string{"warn", "at", "atKey", "atCharacter", "misnamed"}, name) {
				for _, e := range n.Args {
					told(e, true)
				}
			}
			whole, tells := tellers[folder]
			if name := nameOf(n.Fun); tells && (name == "New" || name == "Errorf") && len(n.Args) > 0 {
				told(n.Args[0], whole)
			}
		case *ast.CompositeLit:
			of := nameOf(n.Type)
			for _, e := range n.Elts {
				if each, ok := e.(*ast.CompositeLit); ok && each.Type == nil && of == "Mistakes" {
					for _, e := range each.Elts {
						if pair, ok := e.(*ast.KeyValueExpr); ok && nameOf(pair.Key) == "Message" {
							keep(pair.Value)
						}
					}
				}
				if pair, ok := e.(*ast.KeyValueExpr); ok && (nameOf(pair.Key) == "Reason" || slices.Contains(members[of], nameOf(pair.Key))) {
					keep(pair.Value)
				}
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if x, ok := to.(*ast.SelectorExpr); ok && len(n.Rhs) == len(n.Lhs) && slices.Contains([]string{"Title", "Hint", "Safe", "Reason", "Unusable"}, x.Sel.Name) {
					keep(n.Rhs[i])
				}
			}
		}
		return true
	})
}

// members are those that hold sentences, by type.
var members = map[string][]string{"Fault": {"Message", "Hint", "Safe"}, "Plan": {"Title"}, "Checkpoint": {"Title"}, "Mistake": {"Message"}, "Output": {"Degraded"}}

var (
	words  = regexp.MustCompile(`\pL{3}.* |  *\pL{3}`) // a value alone, a code and a unit are no sentence
	values = regexp.MustCompile(`%[+#]?(?:\.\d+)?[a-z]`)
	letter = regexp.MustCompile(`\pL`)
)

// least is how many letters a format has that is told: shorter ones fit what other people say.
const least = 14

// says says whether an error's format is a sentence of its own.
func says(format string) bool {
	rest := values.ReplaceAllString(format, "")
	return words.MatchString(rest) && (rest == format || len(letter.FindAllString(rest, -1)) >= least)
}

// literal is the text or the format that an expression is made of.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.BinaryExpr:
		x, known := literal(e.X)
		y, too := literal(e.Y)
		if !known {
			x = "%s"
		}
		if !too {
			y = "%s"
		}
		return x + y, e.Op == token.ADD && (known || too)
	case *ast.CallExpr:
		if name := nameOf(e.Fun); len(e.Args) > 0 && (name == "Sprintf" || name == "phrase") {
			return literal(e.Args[0])
		}
	}
	return "", false
}

// numbered puts numbers in braces where the format puts values.
func numbered(format string) string {
	n := -1
	format = values.ReplaceAllStringFunc(format, func(v string) string {
		n++
		if v == "%q" {
			return `"{` + strconv.Itoa(n) + `}"`
		}
		return "{" + strconv.Itoa(n) + "}"
	})
	return strings.ReplaceAll(format, "%%", "%")
}

// nameOf is the last part of a name; "" for other expressions.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.StarExpr:
		return nameOf(e.X)
	}
	return ""
}
