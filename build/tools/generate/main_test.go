package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheGeneratedFilesAreUpToDate(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	for _, o := range outputs {
		have, err := os.ReadFile(filepath.Join(root, o.file))
		if err != nil {
			t.Error(err)
		} else if want := o.text(root); string(have) != want {
			t.Errorf("%s is not what the Go code says; run go generate ./engine/journal", o.file)
		}
	}
}

func TestEachShapeOfGoHasOneInTypeScript(t *testing.T) {
	got := render(".", "./testdata/shapes", func(w *writer) {
		w.moves["All"] = true
		w.want("All")
	})
	got = strings.Join(strings.Fields(strings.TrimPrefix(got, head)), " ")
	for _, want := range []string{
		`import type { Json } from "./types";`,
		`/** All has all of them. "* /" ends no comment. */ export type All = { text: string;`,
		`/** * Count is in pieces. * * It is never negative. * and this too */ count: number;`,
		`share?: number; yes?: boolean; at: string; took_ns: number; any: Json;`,
		`maybe: Inner | Blob | null; left?: Inner | Blob;`,
		`list: Inner[] | Blob | null; lists?: (string[] | null)[] | Blob; words: Record<string, string> | Blob | null;`,
		`colour: Colour; name: Name; flat: string; together?: number; };`,
		`/** Inner is inside. */ export type Inner = { deep?: Record<string, Colour[] | null>; };`,
		`/** Colour is one of two. */ export type Colour = | "red" /** like the sky */ | "blue";`,
		`/** Name is any. */ export type Name = string;`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nis not in\n%s", want, got)
		}
	}
	for _, never := range []string{"Hidden", "private"} {
		if strings.Contains(got, never) {
			t.Errorf("%s is in\n%s", never, got)
		}
	}
}

func TestWhatNoScreenCouldReadIsRefused(t *testing.T) {
	fills := map[string]func(*writer){"a kind without a payload in the table": journal}
	for _, name := range []string{"Channel", "Function", "Anything", "Nameless", "Numbered", "Foreign", "Complex", "Missing"} {
		fills[name] = func(w *writer) { w.want(name) }
	}
	for name, fill := range fills {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "generate: ") {
					t.Errorf("it says %q", text)
				}
			}()
			t.Error(render(".", "./testdata/odd", fill))
		})
	}
}
