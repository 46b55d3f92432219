package agents_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents"
	"holdpoint/engine/graph"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// blobs is a transaction of a store that keeps no noun.
type blobs struct{ graph.Tx }

// "The agent was there, and its first message failed: this store keeps no such rows." What an agent's
// stages work on is said when it is built.
func TestBuiltIn_AnAgentWhoseRowsTheStoreDoesNotKeepIsNotBuilt(t *testing.T) {
	some := 0
	for _, build := range agents.BuiltIn() {
		needs := declares(t, path.Base(strings.TrimSuffix(runtime.FuncForPC(reflect.ValueOf(build).Pointer()).Name(), ".New")))
		if needs {
			some++
		}
		a, err := build(turn.Kit{Keeps: store.Kept()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := build(turn.Kit{Keeps: blobs{}}); errors.Is(err, graph.ErrNoRows) != needs {
			t.Errorf("%s of a store without rows: %v", a.ID, err)
		}
	}
	if some < 4 || some == len(agents.BuiltIn()) {
		t.Errorf("%d agents declare rows", some)
	}
}

// declares says whether an agent's files have rows of the store among their values.
func declares(t *testing.T, folder string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(folder, err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		body, err := os.ReadFile(file)
		return err == nil && !strings.HasSuffix(file, "_test.go") && strings.Contains(string(body), " turn.Rows[")
	})
}

// "It asks the transaction what else it can do." Agents reach rows by what they declared, and nowhere else.
func TestBuiltIn_AgentsReachRowsByWhatTheyDeclare(t *testing.T) {
	if err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "graph" && (s.Sel.Name == "View" || s.Sel.Name == "In" || s.Sel.Name == "Rows") {
					t.Errorf("%s: graph.%s; declare a turn.Rows", fset.Position(n.Pos()), s.Sel.Name)
				}
			}
			return true
		})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
