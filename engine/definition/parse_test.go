package definition_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/tool/calculator"
)

// problems parses a file that must be refused.
func problems(t *testing.T, file string) definition.Problems {
	t.Helper()
	_, err := definition.Parse([]byte(file))
	var p definition.Problems
	if !errors.As(err, &p) || !errors.Is(err, definition.ErrDefinition) || len(p) == 0 {
		t.Fatalf("the file gives %v, want problems", err)
	}
	return p
}

func TestParse_names_every_mistake_with_its_place_and_what_to_do(t *testing.T) {
	file := `name: Bad Name
nodes:
  - name: one
    kind: promt
    flags: [critcal]
    default_next: two
  - name: two
    kind: prompt
    instuctions: hello
limits: {max_iterations: -1}
`
	var got []string
	for _, p := range problems(t, file) {
		got = append(got, fmt.Sprintf("%d:%d %s %s", p.Line, p.Column, p.Path, p.Message))
	}
	for _, want := range []string{
		"1:7 name \"Bad Name\" is not a name",
		"4:11 nodes[0].kind \"promt\" is not known; use one of prompt, tool",
		"did you mean prompt?",
		"5:13 nodes[0].flags[0] \"critcal\" is not known",
		"did you mean critical?",
		"9:5 nodes[1].instuctions there is no field \"instuctions\" here; did you mean instructions?",
		"10:26 limits.max_iterations -1 is too small; use at least 1",
	} {
		if !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("no problem says %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
	if len(got) != 5 || !slices.IsSortedFunc(problems(t, file), func(a, b definition.Problem) int { return a.Line - b.Line }) {
		t.Errorf("%d problems, want the five in the file's order", len(got))
	}
}

// one is a file with one node and further lines.
func one(lines ...string) string {
	return "name: x\nnodes:\n  - name: a\n    kind: prompt\n    instructions: hi\n" + strings.Join(lines, "\n") + "\n"
}

func TestParse_refuses_what_the_rules_do_not_allow(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"a way to nowhere":                      {one("    default_next: b"), "6:19 nodes[0].default_next there is no node b here"},
		"a name that stands twice":              {one("  - {name: a, kind: prompt, instructions: x}"), "6:12 nodes[1].name a node at nodes[0] has the name a, too"},
		"a node called end":                     {"name: x\nnodes: [{name: end, kind: think}]", "2:16 nodes[0].name end is the name of an end"},
		"a field of another kind":               {one("    pool: [{name: b, kind: think}]"), "6:5 nodes[0].pool a node of kind prompt takes no pool"},
		"a missing field of the kind":           {"name: x\nnodes: [{name: a, kind: tool}]", "2:9 nodes[0] a node of kind tool needs tool"},
		"an unknown input":                      {one("    inputs: [findngs]", "    output: findings"), "6:14 nodes[0].inputs[0] no node writes findngs; did you mean findings?"},
		"an unknown node to inherit from":       {one("    inherit_context_from: [b]"), "6:28 nodes[0].inherit_context_from[0] there is no node b"},
		"retryable on a node with tools":        {one("    tools: ['*']", "    flags: [retryable]"), "7:12 nodes[0].flags retryable is not for nodes that can change something"},
		"retries without the flag":              {one("    max_retries: 2"), "6:18 nodes[0].max_retries max_retries works with the flag retryable"},
		"validation without a schema":           {one("    flags: [validate_output]"), "validate_output needs an output_schema"},
		"a schema that is none":                 {one("    output_schema: {type: 7}"), "6:20 nodes[0].output_schema this is not a JSON Schema"},
		"a schema from elsewhere":               {one("    output_schema: {$ref: 'file:///etc/passwd'}"), "write the schema out"},
		"a schema that is no object's":          {one("    output_schema: {type: array}"), "6:20 nodes[0].output_schema what a model answers is an object"},
		"a field of the node in its guard":      {one("    guards: [{matches: a, action: retry, retry_at: a}]"), "6:42 nodes[0].guards[0].retry_at there is no field \"retry_at\" here; it is a field of the node, beside guards"},
		"a guard with two tests":                {one("    guards: [{matches: a, contains: b}]"), "6:14 nodes[0].guards[0] a guard has one of"},
		"a guard with a bad expression":         {one("    guards: [{matches: '('}]"), "matches is not a regular expression"},
		"a perspective without its text":        {one("    perspective: custom"), "perspective custom and perspective_text belong together"},
		"a rule with two tests":                 {one("  - {name: b, kind: think}", "edges: [{from: a, to: b, when: {key: input, equals: 1, above: 2}}]"), "edges[0].when a rule has one of"},
		"a conditional edge without a rule":     {one("  - {name: b, kind: think}", "edges: [{from: a, to: b, type: conditional}]"), "conditional edges have a rule"},
		"may_add without mutable":               {one("may_add: [think]"), "6:10 may_add may_add is for mutable graphs"},
		"a node that nothing leads to":          {one("    default_next: end", "  - {name: b, kind: think}"), "nodes[1] stage cannot be reached"},
		"a cycle without a way out":             {one("    default_next: b", "  - {name: b, kind: think, default_next: a}"), "no way to the end"},
		"a template with a loop over a number":  {"name: x\nnodes: [{name: a, kind: transform, template: '{{range 9}}x{{end}}'}]", "a range goes over a value"},
		"a template with a formatting verb":     {"name: x\nnodes: [{name: a, kind: transform, template: '{{printf \"%9999999d\" 1}}'}]", "a template has no printf"},
		"a template that defines another":       {"name: x\nnodes: [{name: a, kind: transform, template: '{{define \"b\"}}{{end}}x'}]", "cannot define others"},
		"a transform with two ways":             {"name: x\nnodes: [{name: a, kind: transform, pick: input, count: input}]", "give exactly one of template, pick, set, count"},
		"more autonomous steps than node steps": {"name: x\nnodes: [{name: a, kind: autonomous, max_steps: 40, pool: [{name: b, kind: answer}]}]", "40 steps are not fewer than max_node_iterations (25)"},
		"a pool node with a way of its own":     {"name: x\nnodes: [{name: a, kind: autonomous, pool: [{name: b, kind: answer, default_next: end}]}]", "nodes inside autonomous have no default_next"},
		"a null where a list belongs":           {"name: x\nnodes:\n", "2:7 nodes this is empty; it must be an array"},
		"no nodes":                              {"name: x\n", "1:1  nodes is missing; add it"},
		"an unknown top-level field":            {one("nods: []"), "6:1 nods there is no field \"nods\" here; did you mean nodes?"},
		"a time that is none":                   {one("limits: {max_time: soon}"), "is not a time"},
		"a key that stands twice":               {"name: x\nname: y\n", "2:1  \"name\" stands twice"},
		"a tab":                                 {"name: x\n\tnodes: []\n", "this is not YAML"},
		"nothing":                               {"", "1:1  the file is empty"},
		"only a comment":                        {"# nothing\n", "the file is empty"},
		"two documents":                         {"name: x\n---\nname: y\n", "a second document begins here"},
		"a list":                                {"- a\n", "1:1  this is an array; it must be an object"},
		"an alias":                              {"name: &n x\ntitle: *n\n", "anchors (&n) are not read"},
		"a tag":                                 {"name: !!binary aGk=\n", "tags (!!binary) are not read"},
		"a merge key":                           {"name: x\nnodes: [{<<: {kind: think}, name: a}]", "a key must be a plain word"},
		"not a number":                          {one("    temperature: .nan"), "not a number that can be kept"},
		"a rule at the wrong moment":            {withRules("{name: r, event: after_node, verdict: skip}"), "rules[0].verdict skip cannot be the verdict at after_node; use one of warn, set, refuse, end"},
		"a rule at no moment":                   {withRules("{name: r, event: before_nod, verdict: skip}"), `rules[0].event "before_nod" is not known; use one of before_node`},
		"a rule about nobody":                   {withRules("{name: r, event: before_node, verdict: skip, nodes: [aa]}"), "rules[0].nodes[0] there is no node aa; did you mean a"},
		"a rule about a nest":                   {withRules("{name: r, event: before_node, verdict: skip, nodes: [p]}"), "rules[0].nodes[0] p is made of the nodes inside it"},
		"a rule that sets nothing":              {withRules("{name: r, event: before_node, verdict: set}"), "rules[0] the verdict set and the field set belong together"},
		"a rule that sets input":                {withRules("{name: r, event: before_node, nodes: [a], verdict: set, set: {input: x}}"), "rules[0].set.input input is what the run keeps"},
		"a rule that sets side by side":         {withRules("{name: r, event: before_node, verdict: set, set: {k: x}}"), "rules[0].set branches of p run side by side"},
		"a rule about no tool":                  {withRules("{name: r, event: before_node, verdict: skip, tools: [x]}"), "rules[0].tools before_node is about no tool"},
		"a rule that reads what is not there":   {withRules("{name: r, event: before_node, verdict: skip, when: 'args.x == 1'}"), "rules[0].when no node writes args"},
		"two rules of a name":                   {withRules("{name: r, event: before_node, verdict: skip}, {name: r, event: on_error, verdict: warn}"), "rules[1].name two rules are named r"},
		"fan_out over nothing":                  {"name: x\nnodes: [{name: a, kind: fan_out, over: lst, instructions: x}]", "nodes[0].over no node writes lst"},
		"two last words at once":                {"name: x\nnodes: [{name: a, kind: think}, {name: b, kind: think}, {name: c, kind: think}]\nedges: [{from: a, to: b, type: parallel_branch}, {from: a, to: c, type: parallel_branch}]", "b and c run side by side and both end the graph"},
		"a retry of two nodes":                  {"name: x\nnodes: [{name: a, kind: retry, until: {key: input, exists: true}, nodes: [{name: b, kind: think}, {name: c, kind: think}]}]", "retry holds one node"},
		"a parallel of one":                     {"name: x\nnodes: [{name: a, kind: parallel, nodes: [{name: b, kind: think}]}]", "parallel holds at least two nodes"},
		"an unknown key in a template":          {"name: x\nnodes:\n  - {name: a, kind: transform, template: 'Dear {{.nmae}}', output: name}", "3:42 nodes[0].template no node writes nmae; did you mean name?"},
		"an unknown key in arguments":           {"name: x\nnodes:\n  - name: a\n    kind: tool\n    tool: t\n    arguments:\n      ok: '{{.input}}'\n      who: ['{{.whom}}']", "8:13 nodes[0].arguments.who[0] no node writes whom"},
		"an item outside of a fan-out":          {"name: x\nnodes: [{name: a, kind: tool, tool: t, arguments: {x: '{{.item}}'}}]", "no node writes item"},
		"rules that may all be false":           {"name: x\nnodes:\n  - {name: a, kind: router, choices: [{to: b, when: 'input == \"x\"'}]}\n  - {name: b, kind: think}", "3:5 nodes[0] all rules of a may be false"},
		"an output over the message":            {one("    output: input"), "6:13 nodes[0].output input is what the run was started with"},
		"an output over another's":              {one("    output: b_output", "    default_next: b", "  - {name: b, kind: think}"), "nodes[0].output b_output is what node b puts out"},
		"an output over a count":                {"name: x\nnodes:\n  - name: r\n    kind: loop\n    nodes:\n      - {name: a, kind: think, output: r_rounds}", "6:40 nodes[0].nodes[0].output r_rounds is what node r counts"},
		"two branches with one key":             {"name: x\nnodes:\n  - name: p\n    kind: parallel\n    nodes:\n      - {name: a, kind: think, output: o}\n      - {name: b, kind: think, output: o}", "7:40 nodes[0].nodes[1].output a and b run side by side and both write o"},
		"two plans at once":                     {"name: x\nnodes: [{name: p, kind: parallel, nodes: [{name: a, kind: plan}, {name: b, kind: plan}]}]", "both make the plan"},
		"a flag that does nothing":              {"name: x\nnodes: [{name: a, kind: transform, template: x, flags: [verbose, lightweight]}]", "2:66 nodes[0].flags[1] lightweight has no effect on a node of kind transform"},
		"a summary for nobody":                  {one("    flags: [summarize_output]"), "summarize_output has no effect on a node without an output key"},
		"a choice edge out of a tool":           {"name: x\nnodes: [{name: a, kind: tool, tool: t, default_next: b}, {name: b, kind: think}, {name: c, kind: think}]\nedges: [{from: a, to: c, type: choice}]", "a node of kind tool decides nothing"},
		"a choice edge that is no route":        {one("    default_next: b", "  - {name: b, kind: think}", "  - {name: c, kind: think}", "edges: [{from: a, to: c, type: choice}]"), "write routes: [c] at a"},
		"a route to nowhere":                    {one("    routes: [c]", "    default_next: b", "  - {name: b, kind: think}"), "there is no node c here"},
		"a safety edge without a rule":          {one("    default_next: b", "  - {name: b, kind: think}", "edges: [{from: a, to: b, type: safety}]"), "safety edges too"},
		"a cost that never ends a run":          {one("limits: {max_cost: 2}"), "6:10 limits.max_cost models have no price here"},
		"guard retry without a place":           {"name: x\nnodes: [{name: a, kind: guard, inputs: [input], guards: [{contains: x, action: retry}]}]", "retry needs retry_at"},
	} {
		var got []string
		for _, p := range problems(t, c.file) {
			got = append(got, fmt.Sprintf("%d:%d %s %s", p.Line, p.Column, p.Path, p.Message))
		}
		if !strings.Contains(strings.Join(got, "\n"), c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, strings.Join(got, "\n"))
		}
	}
}

// TestAgent_refuses_tools: a misspelt tool would be found in the middle of a run.
func TestAgent_refuses_tools_that_are_not_there(t *testing.T) {
	file := "name: x\nnodes:\n  - {name: a, kind: act, tools: [calculator, calcualtor], default_next: r}\n" +
		"  - name: r\n    kind: loop\n    nodes:\n      - {name: b, kind: tool, tool: book_visit}\n      - {name: c, kind: tool, tool: office.book}\n    edges: [{from: b, to: c}]\n"
	_, err := definition.Agent([]byte(file), described(t, calculator.New()))
	var found definition.Problems
	if !errors.As(err, &found) || len(found) != 2 {
		t.Fatalf("the mistakes are %v", err)
	}
	for i, want := range []string{"line 3, column 46: nodes[0].tools[1]: there is no tool calcualtor; did you mean calculator?", "line 7, column 37: nodes[1].nodes[0].tool: there is no tool book_visit"} {
		if !strings.HasPrefix(found[i].String(), want) {
			t.Errorf("mistake %d is %q, want %q", i, found[i], want)
		}
	}
}

// bombTime is how much longer than a megabyte of JSON a hostile file may take; the worst
// takes 20 times as long.
const bombTime = 100

// readingAMegabyte is the unit of time on this machine as it is now.
func readingAMegabyte(t *testing.T) time.Duration {
	t.Helper()
	text := []byte("[" + strings.Repeat(`{"name": "a", "kind": "think"},`, 33_000) + "1]")
	began := time.Now()
	var into []any
	if err := json.Unmarshal(text, &into); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

// TestSafety_26_bombs_are_refused_cheaply: a hostile file costs a little time and
// far less than 256 MB.
func TestSafety_26_bombs_are_refused_cheaply(t *testing.T) {
	laughs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'z'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	for name, file := range map[string]string{
		"aliases of aliases":  laughs,
		"too large":           "name: x\ndescription: " + strings.Repeat("a", 1<<20),
		"deep flow":           "name: " + strings.Repeat("[", 50_000),
		"deep maps":           "name: " + strings.Repeat("{a: ", 9_000) + "x" + strings.Repeat("}", 9_000),
		"deep sequences":      strings.Repeat("- ", 5_000) + "x",
		"many entries":        "nodes: [" + strings.Repeat("a,", 400_000) + "]",
		"many lines":          "nodes:\n" + strings.Repeat("- a\n", 200_000),
		"many keys":           strings.Repeat("? a\n", 200_000),
		"many nodes":          "name: x\nnodes:\n" + strings.Repeat("- {name: a, kind: think}\n", 10_000),
		"long name":           "name: " + strings.Repeat("x", 900_000),
		"nested ranges":       "name: x\nnodes: [{name: a, kind: transform, template: '{{range .a}}{{range .b}}x{{end}}{{end}}'}]",
		"huge exponent":       "name: x\nnodes: [{name: a, kind: think, temperature: 1e999999999}]",
		"unclosed quotes":     `name: "` + strings.Repeat("\\\"", 300_000),
		"comments everywhere": strings.Repeat("# x\n", 30_000) + "name: [",
		"one long comment":    "#" + strings.Repeat("x", 1_000_000) + "\nname: [",
		"closed deep flow":    "name: " + strings.Repeat("[", 25_000) + strings.Repeat("]", 25_000),
		"deeper sequences":    strings.Repeat("- ", 50_000) + "x",
		"maps in sequences":   strings.Repeat("- {a: [", 8_000),
		"question marks":      strings.Repeat("? ", 50_000),
		"a chain of keys":     strings.Repeat("a: ", 300_000),
		"colons":              strings.Repeat(": ", 500_000),
		"anchors":             strings.Repeat("&a ", 300_000),
		"ampersands":          strings.Repeat("&", 1_000_000),
		"asterisks":           strings.Repeat("*", 1_000_000),
		"at signs":            strings.Repeat("@", 1_000_000),
		"tags":                strings.Repeat("!!str ", 160_000),
		"documents":           strings.Repeat("a: b\n---\n", 25_000),
		"directives":          strings.Repeat("%YAML 1.2\n", 50_000),
		"a huge literal":      "name: |\n" + strings.Repeat("  xxxxxxxxxxxxxxxxxxxxxx\n", 40_000),
		"a huge folded text":  "name: >\n" + strings.Repeat("  xxxxxxxxxxxxxxxxxxxxxx\n", 40_000),
		"spaces":              "name: " + strings.Repeat(" ", 1_000_000) + "\nname: [",
		"distinct keys":       distinctKeys(30_000),
		"many expressions":    "name: x\nnodes:\n" + strings.Repeat("- {name: a, kind: router, choices: ["+strings.Repeat(`{to: a, when: "b"},`, 150)+"]}\n", 100),
		"long expressions":    "name: x\nnodes:\n" + strings.Repeat("- {name: a, kind: router, choices: ["+strings.Repeat(`{to: a, when: "`+strings.Repeat("b or ", 70)+`b"},`, 20)+"]}\n", 100),
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		unit := readingAMegabyte(t)
		began := time.Now()
		_, err := definition.Parse([]byte(file))
		took := time.Since(began)
		t.Logf("%s: %.1f units", name, float64(took)/float64(unit))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, definition.ErrDefinition) {
			t.Errorf("%s: %v, want problems", name, err)
			continue
		}
		if grew := int64(after.TotalAlloc - before.TotalAlloc); grew > 200<<20 || took > bombTime*unit {
			t.Errorf("%s took %v, %d times what reading a megabyte of JSON takes here, and %d MB", name, took, took/unit, grew>>20)
		}
		if len(err.Error()) > 64<<10 {
			t.Errorf("%s: the error alone has %d bytes", name, len(err.Error()))
		}
	}
}

// distinctKeys is a mapping of so many keys.
func distinctKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()
}

// TestParse_reads_text_as_it_comes: line ends and byte order marks of any system
// change nothing, and bytes that are no text are refused.
func TestParse_reads_text_as_it_comes(t *testing.T) {
	plain := "name: x\nnodes:\n  - name: a\n    kind: think\n"
	for name, file := range map[string]string{
		"CRLF": strings.ReplaceAll(plain, "\n", "\r\n"), "a byte order mark": "\xef\xbb\xbf" + plain, "a start and an end": "---\n" + plain + "...\n",
	} {
		if def, err := definition.Parse([]byte(file)); err != nil || def.Nodes[0].Name != "a" || def.Nodes[0].Kind != "think" {
			t.Errorf("%s: %+v, %v", name, def, err)
		}
	}
	// Places are the same whatever the line ends.
	if p := problems(t, strings.ReplaceAll(one("    default_next: b"), "\n", "\r\n")); p[0].Line != 6 || p[0].Column != 19 {
		t.Errorf("with CRLF the place is %d:%d, want 6:19", p[0].Line, p[0].Column)
	}
	for name, c := range map[string]struct{ file, want string }{
		"NUL":                 {"name: a\x00b\n", "control characters are not allowed"},
		"invalid UTF-8":       {"name: \xff\xfe\n", "invalid leading UTF-8 octet"},
		"a cut character":     {"name: \xc3\n", "UTF-8"},
		"a Python object":     {"name: !!python/object/apply:os.system ['true']\n", "1:7 name tags (!!python/object/apply:os.sys"},
		"a tag of one's own":  {"name: !secret x\n", "1:7 name tags (!secret) are not read"},
		"an alias as a key":   {"? &a b\n: c\n", "a key must be a plain word"},
		"an alias of itself":  {"name: &a [*a]\n", "anchors (&a) are not read"},
		"a list as a key":     {"? [a]\n: c\n", "a key must be a plain word"},
		"an unknown alias":    {"name: *b\n", "unknown anchor 'b'"},
		"a merge of an alias": {"a: &a {b: c}\nd: {<<: *a}\n", "2:5 d a key must be a plain word"},
		"an unclosed list":    {"name: [x\n", "this is not YAML"},
		"a document marker":   {plain + "---\n" + plain, "5:1  a second document begins here"},
	} {
		var got []string
		for _, p := range problems(t, c.file) {
			got = append(got, fmt.Sprintf("%d:%d %s %s", p.Line, p.Column, p.Path, p.Message))
		}
		if !strings.Contains(strings.Join(got, "\n"), c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, strings.Join(got, "\n"))
		}
	}
}

// TestSchema_describes_what_Parse_takes checks the published schema against every
// file that comes with the program.
func TestSchema_describes_what_Parse_takes(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(definition.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Compile("s.json"); err != nil {
		t.Fatal(err)
	}
	var s struct {
		Defs map[string]struct {
			Properties map[string]struct {
				Enum        []string `json:"enum"`
				Description string   `json:"description"`
				Items       struct{ Enum []string }
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(definition.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	node := s.Defs["node"].Properties
	if !slices.Equal(node["kind"].Enum, definition.KindNames()) || !slices.Equal(node["flags"].Items.Enum, graph.FlagNames()) ||
		!slices.Equal(node["strategies"].Items.Enum, definition.StrategyNames()) || !slices.Equal(node["perspective"].Enum, definition.PerspectiveNames()) {
		t.Error("the schema does not name all kinds, flags, strategies and perspectives")
	}
	for name, d := range s.Defs {
		for field, p := range d.Properties {
			if p.Description == "" {
				t.Errorf("%s.%s has no description", name, field)
			}
		}
	}
	if n := reflect.TypeFor[definition.Node]().NumField(); n != len(node) {
		t.Errorf("the schema has %d fields of a node, the type %d", len(node), n)
	}
}

func TestParse_takes_every_example(t *testing.T) {
	files, err := filepath.Glob("examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		def, err := definition.Parse(body)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if _, err := compile(def); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// FuzzCompile: no definition, however it was put together, makes Compile panic; what it
// takes is a graph.
func FuzzCompile(f *testing.F) {
	for _, p := range definition.Patterns() {
		raw, err := json.Marshal(p.Definition)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, text := range []string{`{}`, `{"name":"x","nodes":[{}]}`, `{"name":"x","nodes":[{"name":"a","kind":"guard","inputs":[],"guards":[{}]}]}`,
		`{"name":"x","vars":{"n":{"type":"integer","default":1}},"nodes":[{"name":"a","kind":"loop","times":"{{ vars.n }}","until":"run.rounds > 1 && a_output == 'x'","nodes":[{"name":"b","kind":"transform","template":"{{range input}}{{ item }}{{end}}"}]}]}`,
		`{"name":"x","nodes":[{"name":"a","kind":"subgraph","use":"debate","with":{"rounds":"{{ input }}"},"takes":{"o":"debate"},"default_next":"b"},{"name":"b","kind":"router","choices":[{"to":"end","when":"o in ['x']"},{"to":"a","about":"x"}]}]}`,
		`{"name":"x","nodes":[{"name":"a","kind":"human","question":"{{if error.kind == 'x'}}{{ clip(input, 5) }}{{end}}","answer":{"type":"string","enum":["a"]},"transitions":{"b":"end"}}],"edges":[{"from":"a","to":"a","type":"parallel_branch"},{"from":"a","to":"a","when":"1 > 2"}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var def definition.Definition
		if json.Unmarshal(text, &def) != nil {
			return
		}
		began := time.Now()
		_, err := compile(def)
		if took := time.Since(began); took > time.Minute {
			t.Fatalf("it took %v", took)
		}
		var p definition.Problems
		if err != nil && !errors.As(err, &p) {
			t.Fatalf("%v is no list of problems", err)
		}
		if err != nil {
			return
		}
		if err := def.Accept(map[string]string{"n": "1", "tone": "x"}); err != nil && !errors.Is(err, definition.ErrVars) {
			t.Fatal(err)
		}
	})
}

// FuzzParse: no file makes Parse panic or take long, what it refuses has problems
// with places inside the file, and what it takes becomes a graph that runs without an engine
// error.
func FuzzParse(f *testing.F) {
	for _, p := range definition.Patterns() {
		f.Add([]byte(p.Text))
	}
	for _, file := range []string{"a: &a [*a]", "name: [[[[{{{{", "- - - - ? ? : :", "name: x\r\nnodes: [{name: a, kind: think}]\r\n", "\xef\xbb\xbfname: !!binary aGk=", "name: >-\n  a\n b: \"\\x00\"",
		"name: x\nnodes: [{name: a, kind: router, choices: [{to: end, when: \"input == 'x' && size(vars) > 0\"}]}]", "name: x\nnodes: [{name: a, kind: transform, template: '{{range .x}}{{.}}{{end}}', default_next: a}]",
		"name: x\nnodes: [{name: a, kind: loop, until: {key: b_output, above: 1e999}, nodes: [{name: b, kind: think}]}]"} {
		f.Add([]byte(file))
	}
	examples, err := definition.Examples()
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range examples {
		f.Add([]byte(e.Text))
	}
	for _, rules := range []string{"{name: r, event: before_node, verdict: set, nodes: [a], when: 'size(input) > 1', set: {o: '{{ input }}'}}", "{name: r, event: after_node, verdict: refuse, when: \"output == 'a'\"}",
		"{name: r, event: before_tool_call, tools: ['*'], verdict: refuse, when: tool.mutates}, {name: s, event: on_error, verdict: warn, when: error.kind == 'failed'}"} {
		f.Add([]byte(withRules(rules)))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		began := time.Now()
		def, err := definition.Parse(file)
		if took := time.Since(began); took > time.Minute {
			t.Fatalf("it took %v", took)
		}
		var p definition.Problems
		if err != nil {
			lines := bytes.Count(file, []byte("\n")) + bytes.Count(file, []byte("\r")) + 2 // and the end
			if !errors.As(err, &p) || len(p) == 0 || len(p) > 101 {
				t.Fatalf("%v is no list of problems", err)
			}
			for _, each := range p {
				if each.Message == "" || each.Line < 0 || each.Column < 0 || each.Line > lines && utf8.Valid(file) && !bytes.ContainsAny(file, "\u0085\u2028\u2029") {
					t.Fatalf("%+v is no place in a file of %d lines", each, lines)
				}
			}
			return
		}
		def.Limits.MaxIterations = 40 // it need not come to an end by itself
		trial(t, def, file, uint64(len(file)))
	})
}

// withRules is a graph with rules.
func withRules(rules string) string {
	return "name: x\nnodes: [{name: p, kind: parallel, nodes: [{name: a, kind: transform, template: a}, {name: b, kind: transform, template: b}]}]\nrules: [" + rules + "]"
}
