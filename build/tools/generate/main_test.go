package main

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	fills := map[string]func(*writer){"a kind without its line in the table payloads": journal}
	for _, name := range []string{"Channel", "Function", "Anything", "Nameless", "Numbered", "Foreign", "Complex", "Missing"} {
		fills[name] = func(w *writer) { w.want(name) }
	}
	for name, fill := range fills {
		t.Run(name, func(t *testing.T) {
			defer func() {
				text, ok := recover().(string)
				if !ok || !strings.HasPrefix(text, "generate: ") {
					t.Errorf("it says %q", text)
				}
				if strings.HasPrefix(name, "a kind") && !strings.Contains(text, "Forgotten: ForgottenData{}") {
					t.Errorf("it does not say what to write: %q", text)
				}
			}()
			t.Error(render(".", "./testdata/odd", fill))
		})
	}
}

// TestEachSentenceOfTheCommandLineAndExportsIsThereInFrench: "I chose French, and this line
// came in English."
func TestEachSentenceOfTheCommandLineAndExportsIsThereInFrench(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	have, want := catalog(root, "printed.json"), printed(root)
	known := maps.Clone(have)
	for _, folder := range agentFolders(root) {
		maps.Copy(known, catalog(root, "../../engine/agents/"+strings.Split(folder, "/")[2]+"/names.json")) // what only an agent says
	}
	translated(t, "printed.json", known, want)
	// What a trace calls its events.
	kinds, err := os.ReadFile(filepath.Join(root, "engine", "journal", "kind.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`= "([a-z_]+)"`).FindAllStringSubmatch(string(kinds), -1) {
		name := strings.ReplaceAll(m[1], "_", " ")
		if name = strings.ToUpper(name[:1]) + name[1:]; have[name] == "" {
			t.Errorf("app/tongue/printed.json has no French for the kind %q", name)
		}
	}
	// A key may be what a value is; it stands somewhere in the program then.
	sources := everything(t, root)
	for _, english := range slices.Sorted(maps.Keys(have)) {
		if quoted := strings.Trim(strconv.Quote(english), `"`); !want[english] && !strings.Contains(sources, quoted) && !strings.Contains(sources, strings.ToLower(strings.ReplaceAll(quoted, " ", "_"))) {
			t.Errorf("nothing says %q of app/tongue/printed.json any more", english)
		}
		if one, other := verbsOf(english), verbsOf(have[english]); !slices.Equal(one, other) && !strings.Contains(have[english], "%[1]") {
			t.Errorf("%q has the values %v, its French %v", english, one, other)
		}
	}
}

// translated says what a catalog has no French for.
func translated(t *testing.T, name string, have map[string]string, want map[string]bool) {
	t.Helper()
	for _, english := range slices.Sorted(maps.Keys(want)) {
		if have[english] == "" {
			t.Errorf("app/tongue/%s has no French for %q", name, english)
		}
	}
}

// TestEachSentenceThatScreensShowIsThereInFrench: "The error under the field was English."
func TestEachSentenceThatScreensShowIsThereInFrench(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	have, want := catalog(root, "said.json"), sentences(root, speakers)
	translated(t, "said.json", have, want)
	for _, english := range slices.Sorted(maps.Keys(have)) {
		if !want[english] {
			t.Errorf("nothing says %q of app/tongue/said.json any more; what an agent says is in its names.json", english)
		}
	}
	for _, folder := range agentFolders(root) {
		agent := strings.Split(folder, "/")[2]
		own := catalog(root, "../../engine/agents/"+agent+"/names.json")
		for _, english := range slices.Sorted(maps.Keys(sentences(root, []string{folder}))) {
			if own[english] == "" && have[english] == "" {
				t.Errorf("engine/agents/%s/names.json has no French for %q", agent, english)
			}
		}
	}
}

// TestEachErrorThatPeopleMeetIsThereInFrench: "It said in French that something went wrong, and
// then in English what." An error's text that is new is put into app/tongue/errors.json, or its
// file among those whose errors nobody meets.
func TestEachErrorThatPeopleMeetIsThereInFrench(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	have, want := catalog(root, "errors.json"), failures(root)
	translated(t, "errors.json", have, want)
	placeOf := regexp.MustCompile(`\{\d\}`)
	for _, english := range slices.Sorted(maps.Keys(have)) {
		if !want[english] {
			t.Errorf("nothing says %q of app/tongue/errors.json any more", english)
		}
		one, other := placeOf.FindAllString(english, -1), placeOf.FindAllString(have[english], -1)
		slices.Sort(other)
		if !slices.Equal(one, slices.Compact(other)) {
			t.Errorf("%q has the values %v, its French %v", english, one, other)
		}
	}
	for prefix, why := range unmet {
		if found, err := filepath.Glob(filepath.Join(root, prefix+"*")); err != nil || len(found) == 0 || why == "" {
			t.Errorf("%s is not here, or nothing says why nobody meets its errors", prefix)
		}
	}
}

// TestTheNamesBeforeAnErrorAreTheSameEverywhere: what takes them away here, on the command line
// and on the screens. Those of the agents are those of their folders there.
func TestTheNamesBeforeAnErrorAreTheSameEverywhere(t *testing.T) {
	names := regexp.MustCompile(`agents\?\|[a-z|]+`)
	all := strings.Split(names.FindString(partsOf(filepath.Join("..", "..", "..")).String()), "|")
	for _, folder := range agentFolders(filepath.Join("..", "..", "..")) {
		if own := path.Base(folder); strings.Count(folder, "/") == 2 {
			if !slices.Contains(all, own) {
				t.Errorf("the generator does not know %s before an error", own)
			}
			all = slices.DeleteFunc(all, func(name string) bool { return name == own })
		}
	}
	want := strings.Join(all, "|")
	for _, file := range []string{"app/fault.go", "frontend/src/text/problem.ts"} {
		source, err := os.ReadFile(filepath.Join("..", "..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		if have := names.FindString(string(source)); have != want {
			t.Errorf("%s has %s, want %s", file, have, want)
		}
	}
}

var verb = regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d+)?[a-z%]`)

// verbsOf are the values of a format.
func verbsOf(format string) []string { return verb.FindAllString(format, -1) }

// everything is the text of the program's Go files.
func everything(t *testing.T, root string) string {
	var all strings.Builder
	for _, folder := range []string{"app", "engine", "store"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				var body []byte
				body, err = os.ReadFile(path)
				all.Write(body)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}
