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
	have, want := catalog(root, aCatalogs, "printed.json"), printed(root, printers)
	translated(t, aCatalogs+"/printed.json", want, have)
	for agent, folders := range ofAgents(root) {
		own, says := catalog(root, anAgents+agent, "printed.json"), printed(root, filesIn(folders))
		translated(t, anAgents+agent+"/printed.json", says, have, own, catalog(root, anAgents+agent, "names.json"))
		sources := everything(t, root, func(file string) bool { return strings.HasPrefix(file, anAgents+agent+"/") })
		for _, english := range slices.Sorted(maps.Keys(own)) {
			if !says[english] && !stands(sources, english) {
				t.Errorf("nothing says %q of engine/agents/%s/printed.json any more", english, agent)
			}
			sameVerbs(t, english, own[english])
		}
	}
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
	sources := everything(t, root, func(file string) bool { return path.Ext(file) == ".go" && !strings.HasPrefix(file, anAgents) })
	for _, english := range slices.Sorted(maps.Keys(have)) {
		if !want[english] && !stands(sources, english) {
			t.Errorf("nothing outside of the agents says %q of app/tongue/printed.json; what an agent says is in its own printed.json", english)
		}
		sameVerbs(t, english, have[english])
	}
}

// stands says whether a key is in sources, or what it is made of there.
func stands(sources, english string) bool {
	quoted := strings.Trim(strconv.Quote(english), `"`)
	return strings.Contains(sources, quoted) || strings.Contains(sources, strings.ToLower(strings.ReplaceAll(quoted, " ", "_")))
}

// sameVerbs sees that a format and its French have the same values.
func sameVerbs(t *testing.T, english, french string) {
	t.Helper()
	if one, other := verbsOf(english), verbsOf(french); !slices.Equal(one, other) && !strings.Contains(french, "%[1]") {
		t.Errorf("%q has the values %v, its French %v", english, one, other)
	}
}

// aCatalogs is the folder of the catalogs that are no agent's.
const aCatalogs = "app/tongue"

// filesIn are the Go files of folders, as patterns.
func filesIn(folders []string) (patterns []string) {
	for _, folder := range folders {
		patterns = append(patterns, folder+"/*.go")
	}
	return patterns
}

// translated says what a catalog has no French for, nor another that is read beside it.
func translated(t *testing.T, name string, want map[string]bool, have ...map[string]string) {
	t.Helper()
	for _, english := range slices.Sorted(maps.Keys(want)) {
		if !slices.ContainsFunc(have, func(one map[string]string) bool { return one[english] != "" }) {
			t.Errorf("%s has no French for %q", name, english)
		}
	}
}

// TestEachSentenceThatScreensShowIsThereInFrench: "The error under the field was English."
func TestEachSentenceThatScreensShowIsThereInFrench(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	have, want := catalog(root, aCatalogs, "said.json"), sentences(root, speakers)
	translated(t, aCatalogs+"/said.json", want, have)
	for _, english := range slices.Sorted(maps.Keys(have)) {
		if !want[english] {
			t.Errorf("nothing says %q of app/tongue/said.json any more; what an agent says is in its names.json", english)
		}
	}
	for agent, folders := range ofAgents(root) {
		translated(t, anAgents+agent+"/names.json", sentences(root, folders), have, catalog(root, anAgents+agent, "names.json"))
	}
}

// TestEachErrorThatPeopleMeetIsThereInFrench: "It said in French that something went wrong, and
// then in English what." An error's text that is new is put into app/tongue/errors.json, or into the errors.json of
// the agent whose it is, or its file among those whose errors nobody meets.
func TestEachErrorThatPeopleMeetIsThereInFrench(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	placeOf := regexp.MustCompile(`\{\d\}`)
	each := func(name string, have map[string]string, want map[string]bool) {
		t.Helper()
		for _, english := range slices.Sorted(maps.Keys(have)) {
			if !want[english] && !strings.HasPrefix(english, "= ") { // that is a value in one
				t.Errorf("nothing says %q of %s any more; an agent's errors are in its own errors.json, everybody's in app/tongue", english, name)
			}
			one, other := placeOf.FindAllString(english, -1), placeOf.FindAllString(have[english], -1)
			slices.Sort(other)
			if !slices.Equal(one, slices.Compact(other)) {
				t.Errorf("%q has the values %v, its French %v", english, one, other)
			}
		}
	}
	have, want := catalog(root, aCatalogs, "errors.json"), failures(root, "")
	translated(t, aCatalogs+"/errors.json", want, have)
	each(aCatalogs+"/errors.json", have, want)
	for agent := range ofAgents(root) {
		own, want := catalog(root, anAgents+agent, "errors.json"), failures(root, agent)
		translated(t, anAgents+agent+"/errors.json", want, have, own)
		each(anAgents+agent+"/errors.json", own, want)
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

// "I took an agent's folder out, and the French of its tools stayed." What stands in the sources of agents alone has
// its French in their folders, and what they have French for stands somewhere.
func TestWhatOnlyAnAgentSaysHasItsFrenchInItsFolder(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	isTold := func(file string) bool { return slices.Contains([]string{".go", ".yaml", ".md"}, path.Ext(file)) }
	others := everything(t, root, func(file string) bool { return isTold(file) && !strings.HasPrefix(file, anAgents) })
	all := inARow(others)
	for agent := range ofAgents(root) {
		own := everything(t, root, func(file string) bool { return isTold(file) && strings.HasPrefix(file, anAgents+agent+"/") })
		for _, name := range []string{"names.json", "outside.json"} {
			for english := range catalog(root, aCatalogs, name) {
				if quoted := strings.Trim(strconv.Quote(english), `"`); strings.Contains(english, " ") && strings.Contains(own, `"`+quoted+`"`) && !strings.Contains(others, quoted) {
					t.Errorf("only engine/agents/%s says %q of app/tongue/%s: its French belongs there", agent, english, name)
				}
			}
		}
		words := inARow(own)
		for english := range catalog(root, anAgents+agent, "names.json") {
			if n, found := inThem(english, words, all); n > 0 && !found {
				t.Errorf("nothing says %q of engine/agents/%s/names.json any more", english, agent)
			}
		}
	}
}

// few is how many words in a row of a text are looked for: the program puts long ones together.
const few = 3

// wordsIn are the words of a text, in small letters.
func wordsIn(text string) []string {
	return regexp.MustCompile(`[\pL\d]+`).FindAllString(strings.ToLower(text), -1)
}

// inARow are all words of a text that stand in a row in it.
func inARow(text string) map[string]bool {
	out, words := map[string]bool{}, wordsIn(text)
	for i := range len(words) - few + 1 {
		out[strings.Join(words[i:i+few], " ")] = true
	}
	return out
}

// inThem is how many rows of words a text has that is long enough to be looked for, and whether sources have one of them.
func inThem(text string, sources ...map[string]bool) (rows int, found bool) {
	for _, piece := range regexp.MustCompile(`\{\d\}|%[a-z]`).Split(text, -1) {
		if len(wordsIn(piece)) == few {
			continue // as it may be put together of two
		}
		for row := range inARow(piece) {
			rows++
			found = found || slices.ContainsFunc(sources, func(one map[string]bool) bool { return one[row] })
		}
	}
	return rows, found
}

// everything is the text of the program's files that are wanted, but tests, by their names from the root.
func everything(t *testing.T, root string, wanted func(file string) bool) string {
	var all strings.Builder
	for _, folder := range []string{"app", "engine", "store"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(file, "_test.go") {
				return err
			}
			name, err := filepath.Rel(root, file)
			if err == nil && wanted(filepath.ToSlash(name)) {
				var body []byte
				body, err = os.ReadFile(file)
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
