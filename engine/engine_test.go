package engine_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents"
	"holdpoint/engine/graph"
	"holdpoint/engine/turn"
)

const module = "holdpoint/"

// imports reads what each package of ours imports of ours, with every build tag and
// without tests: "engine/graph" -> "engine/journal", … The files are only parsed, so it
// sees the code of other systems, too.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	read := func(path string) {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator)))
		if path == filepath.Join("..", "main.go") {
			folder = "main"
		}
		if all[folder] == nil {
			all[folder] = []string{}
		}
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if own, ok := strings.CutPrefix(name, module); ok && !slices.Contains(all[folder], own) {
				all[folder] = append(all[folder], own)
			}
		}
	}
	read(filepath.Join("..", "main.go"))
	for _, top := range []string{"app", "engine", "store"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				read(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d packages were found", len(all))
	}
	return all
}

// under says whether a package is the folder or in it.
func under(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

// route finds a way over imports from a package to a folder; nil without one.
func route(all map[string][]string, from, to string) []string {
	seen := map[string]bool{}
	var walk func(pkg string) []string
	walk = func(pkg string) []string {
		if seen[pkg] {
			return nil
		}
		seen[pkg] = true
		for _, next := range all[pkg] {
			if under(next, to) {
				return []string{pkg, next}
			}
			if rest := walk(next); rest != nil {
				return append([]string{pkg}, rest...)
			}
		}
		return nil
	}
	return walk(from)
}

// drawn reads the plan in doc.go: the rooms in their order, and those that import nothing of ours.
func drawn(t *testing.T) (order, alone []string) {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	list := &order
	for line := range strings.Lines(string(doc)) {
		if strings.HasPrefix(line, "// These know nothing of turns") {
			list = &alone
		}
		if room, ok := strings.CutPrefix(line, "//\t"); ok {
			name, _, _ := strings.Cut(room, " ")
			*list = append(*list, name)
		}
	}
	if len(order) < 8 || len(alone) < 4 {
		t.Fatalf("doc.go draws %v and %v", order, alone)
	}
	return order, alone
}

func TestImports_RunDownwards(t *testing.T) {
	all := imports(t)
	order, alone := drawn(t)
	room := func(pkg string) string {
		name, _ := strings.CutPrefix(pkg, "engine/")
		name, _, _ = strings.Cut(name, "/")
		return name
	}
	for pkg, of := range all {
		// The graphs that measure the executor are used by commands alone.
		if !strings.HasPrefix(pkg, "engine/") || pkg == "engine/run/bench" {
			continue
		}
		at := slices.Index(order, room(pkg))
		for _, to := range of {
			below := slices.Index(order, room(to))
			switch {
			case under(to, "app"), under(to, "store"):
				t.Errorf("%s imports %s: the engine declares what it needs of them", pkg, to)
			case room(pkg) == room(to):
			case slices.Contains(alone, room(pkg)):
				t.Errorf("%s imports %s, and is drawn as knowing nothing of ours", pkg, to)
			case below >= 0 && below < at:
				t.Errorf("%s imports %s, which is drawn above it", pkg, to)
			}
		}
	}
	for _, never := range []struct {
		from string
		to   []string
	}{
		{"engine/graph", []string{"engine/record", "engine/ledger", "engine/session", "engine/model"}},
		{"engine/run", []string{"engine/record", "engine/ledger", "engine/session", "engine/model"}},
		{"engine/ledger", []string{"engine/run", "engine/graph"}},
		{"engine/tool", []string{"engine/run", "engine/graph"}},
		{"store", []string{"app", "engine/agents", "engine/definition", "engine/prompt", "engine/call", "engine/mcp"}},
	} {
		for pkg := range all {
			if !under(pkg, never.from) || pkg == "engine/run/bench" {
				continue
			}
			for _, to := range never.to {
				if way := route(all, pkg, to); way != nil {
					t.Errorf("%s must not reach %s: %s", pkg, to, strings.Join(way, " → "))
				}
			}
		}
	}
	for pkg := range all {
		if slices.Contains([]string{"util", "utils", "common", "helpers", "misc", "shared"}, filepath.Base(pkg)) {
			t.Errorf("the name of %s says nothing of what is in it", pkg)
		}
	}
}

// One agent never needs another: each is one folder and one line in the registry.
func TestImports_AgentsDoNotKnowEachOther(t *testing.T) {
	all := imports(t)
	for pkg, of := range all {
		if !strings.HasPrefix(pkg, "engine/agents/") {
			continue
		}
		own := strings.SplitN(pkg, "/", 4)[2]
		for _, to := range of {
			if rest, ok := strings.CutPrefix(to, "engine/agents/"); ok && strings.SplitN(rest, "/", 2)[0] != own {
				t.Errorf("%s imports %s", pkg, to)
			}
		}
	}
}

// "A graph is only a description: why does it have a timer?" What executes is in engine/run.
func TestImports_AGraphIsPure(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("graph", "*.go"))
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if name := strings.Trim(i.Path.Value, `"`); slices.Contains([]string{"sync", "sync/atomic", "os", "io", "net", "net/http", "math/rand", "math/rand/v2", "runtime"}, name) {
				t.Errorf("%s imports %s", file, name)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SelectStmt, *ast.ChanType:
				t.Errorf("%s runs something", file)
			case *ast.SelectorExpr:
				if of, ok := n.X.(*ast.Ident); ok && of.Name == "time" && !slices.Contains([]string{"Duration", "Time", "Second", "Millisecond"}, n.Sel.Name) {
					t.Errorf("%s uses time.%s", file, n.Sel.Name)
				}
			}
			return true
		})
	}
}

// "In the trial it was all right, and on disk the turn failed." Nothing but measurements knows that runs can be kept in
// memory: what the program runs on has all rows.
func TestImports_OnlyMeasurementsKnowTheStoreInMemory(t *testing.T) {
	for _, top := range []string{"app", "engine", "store"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(filepath.ToSlash(file), "../engine/run/") {
				return err
			}
			body, err := os.ReadFile(file)
			if strings.Contains(string(body), "run.InMemory") || strings.Contains(string(body), "run.NewInMemory") {
				t.Errorf("%s knows run.InMemory", file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestDoc_DrawsEveryRoom(t *testing.T) {
	order, alone := drawn(t)
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" && !slices.Contains(append(order, alone...), e.Name()) {
			t.Errorf("engine/%s is not drawn in doc.go", e.Name())
		}
	}
}

// words are ids of stages, patterns and tools that are verbs and nouns of everybody's. homonyms are agents and types of
// records that are such words, too: they may stand anywhere but where something is compared with one, asked by it or refers to it.
var (
	words = strings.Fields(`act answer ask autonomous calculator check count debate deliberate desk draft extract finalize find general judge minutes
		observe pipeline plan polish prepare react reason reasons reflect research resolve rounds search split supervisor synthesize verify views weigh work`)
	homonyms = strings.Fields(`Field filing Filing Lease Operator Permit Well`)
)

// everybodys are names of what agents are given that the house has, too: the boxes of a form, a text, where a graph begins.
var everybodys = strings.Fields(`box start text`)

// named are the names that only agents have: their ids, stages, patterns, tools, context tools, features and types of records. Stages that every
// agent has are the house's own.
func named(t *testing.T) (names []string) {
	t.Helper()
	stages, all := map[string]int{}, agents.BuiltIn()
	for _, build := range all {
		a, err := build(turn.Kit{})
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, a.ID)
		patterns := []string{""}
		for _, p := range a.Patterns {
			patterns, names = append(patterns, p.ID), append(names, p.ID)
		}
		own := map[string]bool{}
		var each func([]graph.ManifestStage)
		each = func(list []graph.ManifestStage) {
			for _, s := range list {
				own[path.Base(string(s.ID))] = true
				each(s.Stages)
			}
		}
		for _, p := range patterns {
			vars := map[string]string{}
			if p != "" {
				vars[agent.PatternVar] = p
			}
			g, err := a.Graph(vars)
			if err != nil {
				t.Fatal(err)
			}
			each(g.Manifest().Stages)
		}
		for id := range own {
			stages[id]++
		}
		for _, x := range a.Tools {
			names = append(names, x.Name)
		}
		for _, x := range a.Memory {
			names = append(names, x.Tool)
		}
		for _, x := range a.Features {
			names = append(names, x.Name)
		}
		for _, x := range a.Records {
			names = append(names, x.Type)
		}
		names = slices.Concat(append([][]string{names}, a.Phases...)...)
	}
	for id, n := range stages {
		if n < len(all) {
			names = append(names, id)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// inputs are the names of what agents are given: variables with their values, arguments of their tools, and columns of files that they read.
func inputs(t *testing.T) (vars, all []string) {
	t.Helper()
	var members func(raw json.RawMessage)
	members = func(raw json.RawMessage) {
		var s struct {
			Properties map[string]json.RawMessage
			Items      json.RawMessage
		}
		if json.Unmarshal(raw, &s) != nil {
			return
		}
		for name, of := range s.Properties {
			all = append(all, name)
			members(of)
		}
		if s.Items != nil {
			members(s.Items)
		}
	}
	for _, build := range agents.BuiltIn() {
		a, err := build(turn.Kit{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range a.Vars {
			vars, all = append(vars, v.Name), append(all, v.Values...)
		}
		if a.PatternName != "" {
			vars = append(vars, a.PatternName)
		}
		for _, x := range a.Tools {
			members(x.Parameters)
		}
		for _, f := range a.Formats {
			if f.Columns == nil {
				continue
			}
			m, _ := f.Columns([]byte("name,number\n1,2\n")) // another kind of file has none
			for _, field := range m.Fields {
				all = append(all, field.Name)
			}
		}
	}
	all = append(all, vars...)
	slices.Sort(all)
	return vars, slices.Compact(all)
}

// agentIDs are those of the agents that are built in.
func agentIDs(t *testing.T) (ids []string) {
	t.Helper()
	for _, build := range agents.BuiltIn() {
		a, err := build(turn.Kit{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, a.ID)
	}
	return ids
}

// described is what agents say of their tools and of what those take: titles and descriptions of more than three words.
func described(t *testing.T) (all []string) {
	t.Helper()
	keep := func(text string) {
		if len(strings.Fields(text)) > 3 {
			all = append(all, text)
		}
	}
	var each func(raw any)
	each = func(raw any) {
		switch of := raw.(type) {
		case map[string]any:
			for name, one := range of {
				if text, ok := one.(string); ok && (name == "title" || name == "description") {
					keep(text)
				}
				each(one)
			}
		case []any:
			for _, one := range of {
				each(one)
			}
		}
	}
	for _, build := range agents.BuiltIn() {
		a, err := build(turn.Kit{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range a.Tools {
			if slices.Contains(words, x.Name) {
				continue // the house's own, which an agent offers
			}
			keep(x.Title)
			keep(x.Description)
			var takes any
			if err := json.Unmarshal(x.Parameters, &takes); err != nil && len(x.Parameters) > 0 {
				t.Fatal(x.Name, err)
			}
			each(takes)
		}
	}
	return all
}

// partsOf are the words of an identifier or of a file's name, in small letters.
func partsOf(name string) (parts []string) {
	for _, part := range regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`).FindAllString(name, -1) {
		parts = append(parts, strings.ToLower(part))
	}
	return parts
}

// among says that the words of a name stand in a row among others.
func among(name string, parts []string) bool {
	own := partsOf(name)
	for i := 0; i+len(own) <= len(parts); i++ {
		if slices.Equal(parts[i:i+len(own)], own) {
			return true
		}
	}
	return false
}

// "I added an agent, and its name had to be written into the screens as well." What is outside of the agents
// names none of them, no stage, tool or record of one: it goes by the registry and by roles.
func TestHouse_NothingOutsideNamesAnAgentAStageOrATool(t *testing.T) {
	all := named(t)
	ids := agentIDs(t)
	// A name of one word that is no agent's (Book, Loan) is a word of everybody's, too: it is looked for where it is a type or a tool.
	common := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.Contains(words, name) || len(partsOf(name)) > 1 || slices.Contains(ids, name)
	})
	odd := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.Contains(words, name) || slices.Contains(homonyms, name) || slices.Contains(common, name)
	})
	if len(odd) < 50 || !slices.Contains(odd, "researcher") || !slices.Contains(odd, "book_appointment") {
		t.Fatalf("the registry has only %v", odd)
	}
	for _, name := range slices.Concat(words, homonyms) {
		if !slices.Contains(all, name) {
			t.Errorf("nothing is called %s any more", name)
		}
	}
	either := strings.Join(slices.Compact(slices.Sorted(slices.Values(slices.Concat(homonyms, common)))), "|")
	finds := []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:` + strings.Join(odd, "|") + `)\b`),
		regexp.MustCompile(`(?:[=!]=|\bcase|--agent|"(?:agent|type)"\s*:)[\s(]*["'\x60]?(?:` + either + `)(?:["'\x60]|\s+\\?")`),
		regexp.MustCompile(`\b(?:` + either + `)/[\w{(|[]`),                                  // Well/1
		regexp.MustCompile(`["'|(](?:` + either + `)["'|)].*["'|(](?:` + either + `)["'|)]`), // a list of them
	}
	registry := regexp.MustCompile(`"holdpoint/engine/agents[\w/]*"|from "[^"]*"|import\("[^"]*"\)`)
	generated := regexp.MustCompile(`^// (?:Code g|G)enerated `)
	told := described(t)
	if len(told) < 50 {
		t.Fatalf("tools are described only by %q", told)
	}
	read, places := 0, map[string][]string{}
	for _, top := range []string{"app", "store", "frontend/src"} {
		err := filepath.WalkDir(filepath.Join("..", filepath.FromSlash(top)), func(path string, d fs.DirEntry, err error) error {
			rest := strings.TrimPrefix(filepath.ToSlash(path), "../")
			if err != nil || d.IsDir() || !slices.Contains([]string{".go", ".ts", ".tsx", ".json"}, filepath.Ext(rest)) || strings.Contains(rest, "test") || strings.Contains(rest, "fixture") || strings.Contains(rest, "mock") {
				return err
			}
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			read++
			if generated.Match(body) {
				return nil // of what agents say, and of the engine
			}
			for _, one := range told {
				if strings.Contains(string(body), one) {
					t.Errorf("%s says %q of an agent's tool: it belongs into the agent's folder", rest, one)
				}
			}
			for i, line := range strings.Split(string(body), "\n") {
				line = registry.ReplaceAllString(line, "")
				for _, find := range finds {
					if found := find.FindString(line); found != "" {
						places[found] = append(places[found], fmt.Sprintf("%s:%d", rest, i+1))
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 200 {
		t.Fatalf("only %d files were read", read)
	}
	for found, at := range places {
		t.Errorf("%s stands in %s and %d other places: go by the registry or by a role there. Where it is a word of everybody's, it belongs into words", found, at[0], len(at)-1)
	}
}

// "A sixth agent had a variable for who writes, and the screens looked for that of the fifth." "Its forms stood in a folder with another
// agent's name." What agents declare is found in files' names and in identifiers as well, however they are spelled.
func TestHouse_NothingOutsideGoesByTheNamesThatAgentsDeclare(t *testing.T) {
	vars, given := inputs(t)
	ids := agentIDs(t)
	if !slices.Contains(given, "boundary_confirmed") || !slices.Contains(given, "rather_not_say") || !slices.Contains(vars, "audience") || !slices.Contains(given, "volumes") {
		t.Fatalf("agents are given only %v", given)
	}
	long, short := map[string][]string{}, []string{} // the long ones by their first word
	for _, name := range slices.Concat(ids, named(t), given) {
		switch parts := partsOf(name); {
		case len(parts) > 1 || slices.Contains(ids, name):
			long[parts[0]] = append(long[parts[0]], name)
		case slices.Contains(given, name) && !slices.Contains(everybodys, name):
			short = append(short, regexp.QuoteMeta(name))
		}
	}
	finds := func(identifier string) string {
		parts := partsOf(identifier)
		for _, part := range parts {
			for _, name := range long[part] {
				if among(name, parts) {
					return name
				}
			}
		}
		return ""
	}
	either := strings.Join(short, "|")
	asked := []*regexp.Regexp{
		regexp.MustCompile(`\b(?:[vV]ars|[aA]rgs|[sS]aid)\b\??(?:\.|\.?\[["'])(?:` + strings.Join(vars, "|") + `)\b`),
		regexp.MustCompile(`\b(?:[nN]ame|ID|id|var|Var|field|Field)\)? *[!=]==? *["'](?:` + either + `)["']`),
	}
	said := slices.DeleteFunc(slices.Clone(vars), func(name string) bool { return name == agent.PatternVar || name == "type" || name == "person" }) // much has a type or is done by a person
	asked = append(asked, regexp.MustCompile(`\b\w+\)? *[!=]==? *["'](?:`+strings.Join(said, "|")+`)["']`))
	identifier := regexp.MustCompile(`[A-Za-z]\w*`)
	registry := regexp.MustCompile(`"holdpoint/engine/agents[\w/]*"|\bpre_filing\b|holdpoint skills run .*`) // and what skills declare
	generated := regexp.MustCompile(`^// (?:Code g|G)enerated `)
	read := 0
	for _, top := range []string{"app", "store", "frontend/src"} {
		err := filepath.WalkDir(filepath.Join("..", filepath.FromSlash(top)), func(path string, d fs.DirEntry, err error) error {
			rest := strings.TrimPrefix(filepath.ToSlash(path), "../")
			if err != nil || strings.Contains(rest, "test") || strings.Contains(rest, "fixture") || strings.Contains(rest, "mock") {
				return err
			}
			if name := finds(strings.TrimSuffix(d.Name(), filepath.Ext(rest))); name != "" {
				t.Errorf("%s is named after %s: call it by the noun of what it shows", rest, name)
			}
			if ext := filepath.Ext(rest); d.IsDir() || ext != ".go" && ext != ".ts" && ext != ".tsx" && ext != ".css" && ext != ".json" {
				return nil
			}
			body, err := os.ReadFile(path)
			if err != nil || generated.Match(body) {
				return err
			}
			read++
			for i, line := range strings.Split(string(body), "\n") {
				line = registry.ReplaceAllString(line, "")
				for _, word := range identifier.FindAllString(line, -1) {
					if name := finds(word); name != "" && !slices.Contains(homonyms, word) {
						t.Errorf("%s:%d says %s, which is %s of an agent: go by what agents declare", rest, i+1, word, name)
					}
				}
				for _, find := range asked {
					if found := find.FindString(line); found != "" {
						t.Errorf("%s:%d asks for %s by its name: go by what agents declare of it", rest, i+1, found)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 200 {
		t.Fatalf("only %d files were read", read)
	}
}

// "I named my server of tools after the patient, and the name was in the log that I sent." What people name stands there as a digest, errors as a code.
func TestHouse_NoLogHoldsANameThatAPersonGave(t *testing.T) {
	line := regexp.MustCompile(`(?:[lL]og|kit|\bk|tools)\.(?:Debug|Info|Warn|Error)\("[^"]*"(.*)\)`)
	attribute := regexp.MustCompile(`, "(\w+)", ([^,]+(?:\([^)]*\))?)`)
	read := 0
	for _, top := range []string{"app", "engine", "store"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, found := range line.FindAllStringSubmatch(string(body), -1) {
				read++
				for _, a := range attribute.FindAllStringSubmatch(found[1], -1) {
					switch name, value := a[1], a[2]; name {
					case "server", "skill", "agent", "session", "caller", "tool", "record":
						if !strings.HasPrefix(value, "identity.Short(") && value != "Name" {
							t.Errorf("%s logs the %s as %s; write identity.Short of it", path, name, value)
						}
					case "error", "err", "name", "text", "path", "file", "reason":
						t.Errorf("%s logs %s %s, which may hold what a person wrote; a code says what failed", path, name, value)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 20 {
		t.Fatalf("only %d lines of logs were found", read)
	}
}
