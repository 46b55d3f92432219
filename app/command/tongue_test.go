package command_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"holdpoint/app/tongue"
	"holdpoint/engine/agents"
	"holdpoint/engine/turn"
)

// english are stretches of the program's own English that a French output has no place for.
func english(t *testing.T) []string {
	t.Helper()
	var out []string
	all := ""
	files, err := filepath.Glob(filepath.Join("..", "..", "engine", "agents", "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range []string{"said.json", "names.json", "printed.json", "errors.json", "outside.json"} {
		files = append(files, filepath.Join("..", "tongue", name))
	}
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		read := map[string]string{}
		if err := json.Unmarshal(body, &read); err != nil {
			t.Fatal(err)
		}
		for key, french := range read {
			all += french + "\n"
			if key != french {
				out = append(out, values.Split(key, -1)...)
			}
		}
	}
	n := 0
	for _, piece := range out {
		if piece = strings.TrimSpace(piece); threeWords.MatchString(piece) && !strings.Contains(all, piece) {
			out[n] = piece
			n++
		}
	}
	return out[:n]
}

var (
	values     = regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d+)?[a-z]|\{\d\}`)
	fenced     = regexp.MustCompile("(?s)```.*?```") // what an export has for whoever checks it
	threeWords = regexp.MustCompile(`\pL+ \pL+ \pL+`)
)

// "I had chosen French, and the terminal told me in English what to do."
func TestCompanion_C27_TheCommandLineSpeaksTheLanguageThatWasChosen(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "settings", "set", "language", "fr")
	x.want(0, "records", "import", "sample")
	found := lines(t, x.want(0, "records", "list", "Patient", "--json").out)
	patient := "Patient/" + found[0].text("id")
	pieces := english(t)
	say := func(code int, wants string, args ...string) string {
		t.Helper()
		got := x.want(code, args...)
		text := fenced.ReplaceAllString(got.out+got.err, "")
		if !strings.Contains(text, wants) {
			t.Errorf("holdpoint %s says nothing of %q:\n%s", strings.Join(args, " "), wants, text)
		}
		for _, piece := range pieces {
			if strings.Contains(text, piece) {
				t.Errorf("holdpoint %s says %q in English:\n%s", strings.Join(args, " "), piece, text)
			}
		}
		return text
	}
	// errors, with what to do: of the line itself, of what is not there, of what was decided
	say(2, "il n’y a pas de commande", "frob")
	say(2, "attendu : un message", "run")
	say(2, "il n’y a pas d’option --nothing", "run", "--nothing", "x")
	say(2, "--limit prend un nombre entier", "sessions", "list", "--limit", "many")
	say(1, "Il n’y a pas de session", "sessions", "show", "none")
	say(1, "à faire : ", "records", "show", "Patient/none")
	say(2, "acquis : Rien n’a été modifié.", "run", "--practice", "--agent", "nobody", "x")
	say(0, "Base de données", "doctor")
	say(0, "d’habitude", "checkpoints", "list")
	// a run that is held, the request, its verdict and what follows
	said := say(3, "Le tour attend une personne.", "run", "--practice", "--session", "s", "--subject", patient, "Réservez-moi une visite pour mon insomnie la semaine prochaine")
	for _, wants := range []string{"commencé", "ensuite", "étapes exécutées", "Mode d’entraînement"} {
		if !strings.Contains(said, wants) {
			t.Errorf("the run says nothing of %q:\n%s", wants, said)
		}
	}
	waits := lines(t, x.want(0, "approvals", "list", "--json").out)[0]
	say(0, "en attente", "approvals", "list")
	say(0, "Réserver une visite pour", "approvals", "show", waits.text("id"))
	say(0, "approuvé", "approvals", "approve", waits.text("id"))
	say(1, "Le premier verdict reste valable.", "approvals", "reject", waits.text("id"), "--comment", "non")
	say(0, "étapes exécutées", "resume", waits.text("turn"))
	say(0, "appels de modèle", "report", waits.text("turn"))
	say(0, "contrôlé par", "export", "s", "--trace", "--language", "fr")
	say(0, "urgences", "helplines", "FR")
	say(0, "suicide : ", "helplines", "FR")
	say(0, "novembre 2026, dans des copies", "helplines", "FR")
	say(0, "rien   écarté", "agents", "prompt", "companion", "--node", "give_advice", "--var", "language=fr", "--var", "audience=teen")
	say(0, "Répond sur les soins", "agents", "list")
	say(0, "attend une personne", "rules", "list")
	say(0, "Prépare une dérogation", "skills", "list")
	// what is wrong with a file and its lines: of wells, documents, graphs and rules
	say(1, "Le fichier ou répertoire nowhere n’existe pas.", "records", "import", filepath.Join(x.data, "nowhere"))
	wells := x.write("wells.csv", "api,surf_lat,surf_lon,status\n42-329-97113,31.9\n42-001-12345,0,0,exploded\n\"42-329-97114,31.9,-102,x\n30-329-97115,31.9,-102,Active\n")
	for _, wants := range []string{"la ligne a 2 colonnes", "un guillemet (\") ouvre une valeur", "le code d’État 30", "La ligne a été gardée sans lui", "n’est pas connu ici"} {
		say(1, wants, "records", "import", wells)
	}
	say(1, "il est vide", "library", "import", x.write("empty.txt", ""))
	say(2, "vouliez-vous dire nodes", "agents", "check", x.write("graph.yaml", "name: foo\nnode:\n  - name: a\n"))
	say(2, "vouliez-vous dire name", "rules", "test", x.write("rules.yaml", "- name: a\n  event: before_tool_call\n  when: tool.naem == 1\n  verdict: warn\n"), x.write("events.ndjson", `{"event":"before_tool_call","tool":{"name":"x"},"args":{}}`+"\n"))
	// what a part of the program, the system or a library said of it, to the end
	say(1, "déjà décidée : utilisée", "approvals", "approve", waits.text("id"))
	say(1, "pas de fichier FHIR à cet endroit", "records", "import", x.write("letter.odt", "x"))
	say(1, "il n’y a rien à importer", "library", "import", x.write("tune.mp3", "x"))
	say(2, "ce n’est pas un fichier zip : son contenu", "skills", "add", x.write("skill.zip", "x"))
	say(2, "doit commencer par http://", "settings", "set", "ollama_url", "ftp://x")
	say(2, "utilisez --practice", "run", "--practice=angry", "x")
	say(1, "personne ne répond à cette adresse", "mcp", "add", "My tools", "--url", "http://127.0.0.1:9")
	say(2, "le JSON est interrompu", "rules", "test", x.write("good.yaml", "- name: a\n  event: before_tool_call\n  when: tool.name == \"x\"\n  verdict: warn\n"), x.write("broken.ndjson", "{\n"))
	// what is measured, looked for and checked, and who decides
	bare := x.write("bare.ndjson", "hello\n")
	say(1, "ce n’est pas une ligne étiquetée (une valeur JSON ne peut pas commencer par 'h') ; écrivez un objet par ligne", "bench", "safety", bare)
	say(1, "il faut « text » et « label »", "bench", "safety", x.write("half.ndjson", `{"id":1}`+"\n"))
	say(2, "personne dans ce fichier n’est étiqueté", "bench", "safety", x.write("nobody.ndjson", "\n"))
	say(0, "1 personne, lecture par règles et tournures", "bench", "safety", x.write("one.ndjson", `{"id":1,"text":"Bonjour","label":"none"}`+"\n"))
	say(2, "--queued et --callers valent au moins 1", "bench", "lake", "--queued", "0")
	say(0, "acceptées", "bench", "lake", "--queued", "3", "--callers", "1")
	say(1, "le tableau n’a pas de lignes", "bench", "judge", bare)
	x.want(0, "library", "import", x.write("leaf.txt", "Le sommeil aide."))
	say(0, "Par les mots seulement : ", "library", "search", "sommeil")
	say(0, "vient ensuite, et elle agit ; choisissez", "replay", waits.text("turn"))
	for _, wants := range []string{"pas d’outil « rm »", "au caractère 10 : + ne va pas entre", "le texte n’a pas de nom"} {
		say(2, wants, "agents", "check", "--manifest-of", "companion", x.write("node.yaml", "node: give_advice\nprompts: {base: '', snippets: [{text: privacy_guidelines, condition: 'language + 1'}]}\ntools: {catalog: [{tool: rm}]}\n"))
	}
	x.want(0, "people", "roles", "Ann", "reviewer")
	say(0, "signe par son nom", "people", "list")
	say(0, "À CONFIRMER", "settings", "facts")
	if text := x.want(0, "skills", "show", "rrc_rule37").err; !strings.Contains(text, "bloc affected_distance : À quelle distance du puits") {
		t.Error(text)
	}
	// somebody's own word is no word of the program's
	say(2, "réglage « nothing »", "settings", "set", "nothing", "x")
	// a program reads the same as before
	if out := x.want(0, "approvals", "list", "--status", "all", "--json").out; !strings.Contains(out, `"title":"Book a visit for`) {
		t.Errorf("JSON is in French: %s", out)
	}
	// and English comes back at once
	x.want(0, "settings", "set", "language", "en")
	if text := x.want(1, "sessions", "show", "none").err; !strings.Contains(text, "There is no session") {
		t.Error(text)
	}
}

// "I clicked on a step of the graph, and what it does stood in English."
func TestCompanion_C27_EveryStepOfTheAgentsIsNamedInFrench(t *testing.T) {
	x := newTerminal(t)
	for _, agent := range lines(t, x.want(0, "agents", "list", "--json").out) {
		shows := [][]string{{"agents", "show", agent.text("id"), "--json"}}
		if patterns, ok := agent["patterns"].([]any); ok {
			shows = nil
			for _, p := range patterns {
				shows = append(shows, []string{"agents", "show", agent.text("id"), "--json", "--var", "pattern=" + p.(map[string]any)["id"].(string)})
			}
		}
		for _, show := range shows {
			stages, _ := lines(t, x.want(0, show...).out)[0]["stages"].([]any)
			if len(stages) == 0 {
				t.Fatal(show)
			}
			for _, stage := range stages {
				for _, member := range []string{"title", "description"} {
					if text, _ := stage.(map[string]any)[member].(string); text != "" && tongue.French.Told(text) == text {
						t.Errorf("%v: %q has no French", show[2:], text)
					}
				}
			}
		}
	}
}

// "I wanted an example to start from, and the list said in English what each does."
func TestCompanion_C27_ExamplesAndToolsAreDescribedInFrench(t *testing.T) {
	x := newTerminal(t)
	has := func(of, text string) {
		t.Helper()
		if strings.Contains(text, " ") && tongue.French.Told(text) == text && !strings.HasPrefix(text, "[") {
			t.Errorf("neither app/tongue/names.json nor the agent's own has French for %q of %s", text, of)
		}
	}
	for _, what := range []string{"examples", "tools"} {
		list := lines(t, x.want(0, "agents", what, "--json").out)
		if len(list) < 10 {
			t.Fatal(list)
		}
		for _, one := range list {
			has(one.text("name"), one.text("description"))
			takes, _ := one["parameters"].(map[string]any)
			arguments, _ := takes["properties"].(map[string]any)
			for name, a := range arguments {
				about, _ := a.(map[string]any)["description"].(string)
				has(one.text("name")+" "+name, about)
			}
		}
	}
}

// "The card in French said: New: home medicine, name, amount."
func TestCompanion_C27_TypesOfRecordsAndTheirMembersAreNamedInFrench(t *testing.T) {
	humps := regexp.MustCompile(`([a-z])([A-Z])`)
	known := map[string]string{}
	files, err := fs.Glob(agents.French, "*/names.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := fs.ReadFile(agents.French, file)
		if err == nil {
			err = json.Unmarshal(raw, &known)
		}
		if err != nil {
			t.Fatal(file, err)
		}
	}
	for _, build := range agents.BuiltIn() {
		a, err := build(turn.Kit{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range a.Records {
			name := strings.ToLower(humps.ReplaceAllString(r.Type, "$1 $2"))
			if known[name] == "" {
				t.Errorf("%s: names.json has no French for %q", a.ID, name)
			}
			for member, said := range r.Names {
				if known[said] == "" && tongue.French.Told(said) == said {
					t.Errorf("%s: names.json has no French for %q, which %s.%s is called", a.ID, said, r.Type, member)
				}
			}
		}
	}
}

// "« Last visit: 2026-09-14 » stood in the middle of a French reply."
func TestTongue_EveryFormatThatTheEngineSaysIsThereInFrench(t *testing.T) {
	says := 0
	err := filepath.WalkDir(filepath.Join("..", "..", "engine"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "agenttest") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			literal, ok := call.Args[0].(*ast.BasicLit)
			if name != "say" && name != "Say" || !ok || literal.Kind != token.STRING {
				return true
			}
			format, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(path, err)
			}
			if says++; wordsIn.MatchString(values.ReplaceAllString(format, "")) && tongue.French.Say(format) == format && !sameInFrench.MatchString(format) {
				t.Errorf("%s: printed.json has no French for %q", path, format)
			}
			return true
		})
		return nil
	})
	if err != nil || says < 100 {
		t.Fatal(says, err)
	}
}

var (
	wordsIn      = regexp.MustCompile(`\pL{2}`)
	sameInFrench = regexp.MustCompile(`(?i)^(page %d, )?passages?( %d)?$`)
)

// "The trace said « par again », and I know no such word."
func TestCompanion_C27_EveryWayFromAStageToTheNextIsNamedInFrench(t *testing.T) {
	x := newTerminal(t)
	first, err := agents.BuiltIn()[0](turn.Kit{})
	if err != nil {
		t.Fatal(err)
	}
	ways, _ := lines(t, x.want(0, "agents", "show", first.ID, "--json").out)[0]["resolvers"].([]any)
	if len(ways) < 10 {
		t.Fatal(ways)
	}
	for _, way := range ways {
		if name := way.(string); tongue.French.Named(name) == name {
			t.Errorf("printed.json has no French for %q", name)
		}
	}
}

// "Half of what it found in my graph was French, the other half English."
func TestAgentsCheck_TellsEveryMistakeInTheLanguageThatWasChosen(t *testing.T) {
	x := newTerminal(t)
	files := map[string]string{
		"form":    "name: My Graph\nlimits: {max_tokens: many, max_iterations: 0, max_cost: 3}\nnodes:\n  - {name: a, kind: promt, instruction: hi, output: 5, default_next: end}\n  - {kind: transform, template: [x], flags: [cachable]}\n",
		"list":    "name: t\nnodes: {a: {kind: transform}}\n",
		"empty":   "",
		"two":     "name: t\n---\nname: u\n",
		"tab":     "name: t\nnodes:\n\t- {name: a}\n",
		"indent":  "name: t\nnodes:\n  - name: a\n     kind: transform\n",
		"colon":   "name: t\ndescription: a graph: mine\n",
		"asks":    "name: t\nnodes:\n  - {name: a, kind: human, question: Why?, default_next: end}\n",
		"braces":  "name: t\nnodes:\n  - {name: a, kind: transform, template: {{ input }}, default_next: end}\n",
		"open":    "name: t\nnodes:\n  - {name: a, kind: transform, template: x, default_next: end\n",
		"quote":   "name: t\ndescription: \"open\n",
		"unknown": "name: t\nnodes:\n  - {name: a, kind: transform, template: \"{{ nobody }} {{ error.knd }}\", default_next: b}\n  - {name: b, kind: tool, tool: frob, output: input, default_next: c}\n  - {name: c, kind: tool, tool: calculator, arguments: {expresion: x}, output: b_output, default_next: d}\n  - {name: d, kind: subgraph, use: verify, with: {round: 2}, takes: {x: verdikt}, default_next: e}\n  - {name: e, kind: transform, template: x, flags: [inject_tools], pool: [], default_next: end}\nrules:\n  - {name: r, event: before_tool_call, tools: [nope], verdict: warn, when: \"metrics.x > 1\"}\n",
		"never":   "name: t\nnodes:\n  - {name: a, kind: transform, template: x, output: k, default_next: b}\n  - {name: b, kind: transform, template: y, default_next: a}\nedges:\n  - {from: b, to: end, when: \"k == 'y'\"}\n",
		"ways":    "name: t\nnodes:\n  - {name: a, kind: transform, template: x, default_next: b}\n  - {name: b, kind: transform, template: y, default_next: end}\n  - {name: c, kind: transform, template: y, default_next: end}\nedges:\n  - {from: a, to: c}\n",
		"vars":    "name: t\nvars:\n  a: {type: integer, minimum: 5, maximum: 2}\n  b: {type: string, minimum: 2}\n  c: {type: string, required: true, default: x}\nnodes:\n  - {name: n, kind: transform, template: \"{{ vars.a > 'x' }}\", default_next: end}\n",
	}
	for name, file := range files {
		files[name] = x.write(name+".yaml", file)
	}
	said := map[string][]string{}
	for _, language := range []string{"en", "fr"} {
		x.want(0, "settings", "set", "language", language)
		for name, file := range files {
			for line := range strings.Lines(x.want(2, "agents", "check", file).err) {
				said[language+name] = append(said[language+name], line)
			}
		}
	}
	for name := range files {
		english, french := said["en"+name], said["fr"+name]
		if len(english) == 0 || len(english) != len(french) {
			t.Errorf("%s: %q in English, %q in French", name, english, french)
			continue
		}
		for i, line := range french {
			if line == english[i] {
				t.Errorf("%s has no French: %s", name, line)
			}
		}
	}
}
