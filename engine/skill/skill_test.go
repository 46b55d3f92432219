package skill_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"holdpoint/engine/rule"
	"holdpoint/engine/skill"
	"holdpoint/engine/tool"
)

// The test binary is the process of a block when it is told so.
func TestMain(m *testing.M) {
	if os.Getenv("HOLDPOINT_JAIL") == "1" {
		if err := skill.Inmate(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func jail(t testing.TB) skill.Jail {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := []string{exe}
	if env, err := exec.LookPath("env"); err == nil {
		// The jail hands down no environment, and the race detector idles for a second before a process ends.
		command = []string{env, "GORACE=atexit_sleep_ms=0", exe}
	}
	return skill.Jail{Command: command}
}

const front = "---\nname: sums\ndescription: Adds up numbers.\nallowed-tools: calculator\n---\n# How\nAdd them.\n"

// made is a skill with one block.
func made(t testing.TB, code string, more ...string) *skill.Skill {
	t.Helper()
	files := map[string][]byte{"SKILL.md": []byte(front), "b.star": []byte(code),
		"blocks.yaml": []byte("- name: total\n  description: Adds up.\n  file: b.star\n  capabilities: [compute]\n  parameters: {type: object, additionalProperties: false, properties: {n: {type: array, items: {type: integer}}}}\n")}
	for i := 0; i+1 < len(more); i += 2 {
		files[more[i]] = []byte(more[i+1])
	}
	s, err := skill.New(files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t testing.TB, code, args string) (skill.Output, error) {
	t.Helper()
	s := made(t, code)
	return jail(t).Run(context.Background(), s, s.Blocks[0], json.RawMessage(args))
}

func TestFiling_F40_ABlockRunsInTheJailAndAnswersInOneForm(t *testing.T) {
	out, err := run(t, "def run(args):\n    return {'status': 'ok', 'message': 'added', 'result': {'total': sum(args['n'])}}\ndef sum(l):\n    t = 0\n    for x in l:\n        t += x\n    return t\n", `{"n":[1,2,3]}`)
	if err != nil || out.Status != "ok" || out.Message != "added" || string(out.Result) != `{"total":6}` {
		t.Errorf("the output is %+v %v", out, err)
	}
	// What gives a bare value is wrapped.
	if out, err := run(t, "def run(args):\n    return len(args['n'])\n", `{"n":[1,2]}`); err != nil || out.Status != "ok" || string(out.Result) != "2" {
		t.Errorf("a bare value: %+v %v", out, err)
	}
	for code, want := range map[string]string{
		"def run(args):\n    return {'status': 'fine'}\n":           "none of ok",
		"def run(args):\n    return {'status': 'ok', 'extra': 1}\n": `member "extra"`,
		"def run(args):\n    return {'status': 1}\n":                "texts",
		"x = 1\n": "no function run",
		"def run(args):\n    fail('no such lease')\n":                     "no such lease",
		"def run(args):\n    return args['missing']\n":                    `b.star:2:`,
		"def run(args):\n    return run\n":                                "cannot encode",
		"def run(args):\n    return 'x' * 300000\n":                       "at most",
		"def run(args):\n    return open('/etc/passwd')\n":                "",
		"load('os.star', 'os')\ndef run(args):\n    return os.getcwd()\n": "",
	} {
		if want == "" {
			if _, err := skill.New(map[string][]byte{"SKILL.md": []byte(front), "b.star": []byte(code), "blocks.yaml": []byte("- {name: total, description: x, file: b.star}\n")}); !errors.Is(err, skill.ErrSkill) || !strings.Contains(err.Error(), "b.star") {
				t.Errorf("%q is taken: %v", code, err)
			}
			continue
		}
		if out, err := run(t, code, `{"n":[]}`); !errors.Is(err, skill.ErrBlock) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", code, out, err, want)
		}
	}
}

func TestFiling_F40_TheJailBoundsStepsTimeAndMemory(t *testing.T) {
	if _, err := run(t, "def run(args):\n    n = 0\n    for i in range(100000000):\n        n += i\n    return n\n", `{}`); !errors.Is(err, skill.ErrSteps) {
		t.Errorf("an endless loop: %v", err)
	}
	if _, err := run(t, "def run(args):\n    l = []\n    for i in range(400):\n        l.append('x' * (4 << 20) + str(i))\n    return len(l)\n", `{}`); !errors.Is(err, skill.ErrMemory) && !errors.Is(err, skill.ErrBlock) && !errors.Is(err, skill.ErrTime) {
		t.Errorf("too much memory: %v", err)
	}
	// One step that never ends by itself: a list in a list, forty times, written out.
	if _, err := run(t, "def run(args):\n    l = [1]\n    for i in range(60):\n        l = [l, l]\n    return hash(str(l))\n", `{}`); !errors.Is(err, skill.ErrMemory) && !errors.Is(err, skill.ErrTime) && !errors.Is(err, skill.ErrBlock) {
		t.Errorf("one endless step: %v", err)
	}
}

func TestFiling_F40_ABlockIsFoundCheckedAndThenRun(t *testing.T) {
	shelf := skill.NewShelf(jail(t), made(t, "def run(args):\n    return len(args['n'])\n"))
	if out, err := shelf.Call(t.Context(), "total", json.RawMessage(`{"n":[1,2,3]}`)); err != nil || string(out.Result) != "3" {
		t.Errorf("the block gave %+v %v", out, err)
	}
	if _, err := shelf.Call(t.Context(), "total", json.RawMessage(`{"n":"x"}`)); !errors.Is(err, tool.ErrArguments) {
		t.Errorf("arguments that do not fit: %v", err)
	}
	if _, err := shelf.Call(t.Context(), "nobody", json.RawMessage(`{}`)); !errors.Is(err, skill.ErrSkill) {
		t.Errorf("an unknown block: %v", err)
	}
}

func TestFiling_F41_SpacingCalculationStaysReserved(t *testing.T) {
	_, err := skill.New(map[string][]byte{"SKILL.md": []byte(front), "b.star": []byte("def run(args):\n    return 1\n"), "blocks.yaml": []byte("- {name: spacing_calculation, description: x, file: b.star}\n")})
	if !errors.Is(err, skill.ErrSkill) || !strings.Contains(err.Error(), "reserved") {
		t.Errorf("a block took the reserved name: %v", err)
	}
}

func calculator(t testing.TB, names ...string) *tool.Set {
	t.Helper()
	var list []tool.Tool
	for _, n := range names {
		list = append(list, tool.Tool{Name: n, Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
			Read: func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(`1`), nil
			}})
	}
	set, err := tool.NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestFiling_F32_LoadedSkillsOfferToolsOnceAndNobodyShadows(t *testing.T) {
	s := made(t, "def run(args):\n    return 1\n")
	shelf := skill.NewShelf(jail(t), s)
	m := shelf.Manifest([]*skill.Skill{s, s}, calculator(t, "calculator"))
	if len(m.Tools) != 2 || m.Tools[0].Name != "calculator" || m.Tools[1].Name != "total" || !strings.Contains(m.Tools[1].Origin, s.Digest) {
		t.Errorf("offered: %+v", m.Tools)
	}
	m = shelf.Manifest([]*skill.Skill{s}, calculator(t, "total"))
	if len(m.Tools) != 0 || !slices.Equal(m.Missing, []string{"sums: calculator", "sums: total (another has this name)"}) {
		t.Errorf("a block took a tool's name, or a missing tool is not named: %+v", m)
	}
}

func TestFiling_F45_ABlockWithoutACapabilityWaitsForAPerson(t *testing.T) {
	s := made(t, "def run(args):\n    return 1\n", "blocks.yaml", "- {name: total, description: x, file: b.star}\n")
	m := skill.NewShelf(jail(t), s).Manifest([]*skill.Skill{s}, calculator(t))
	if len(m.Tools) != 1 || !m.Tools[0].Mutates() {
		t.Errorf("the block is %+v, want one that counts as mutating", m.Tools)
	}
}

func TestFiling_F38F39_TheBuiltInSkillsNameTheirTools(t *testing.T) {
	all, err := skill.All(os.DirFS("../agents/filing/skills"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"rrc_rule37": {"spacing_assessment", "offset_well_analysis", "rule37_filing_assembly", "good_cause_narrative", "create_entity", "update_entity", "link_entities"},
		"rrc_rule32": {"flaring_volume_calc", "gas_analysis", "rule32_filing_assembly", "emissions_estimate", "create_entity", "update_entity", "link_entities"},
	}
	there := 0
	for _, s := range all {
		if want[s.Name] == nil {
			continue // one of another agent's
		}
		there++
		sorted := slices.Sorted(slices.Values(s.Tools))
		if !slices.Equal(sorted, slices.Sorted(slices.Values(want[s.Name]))) {
			t.Errorf("%s may call %v", s.Name, s.Tools)
		}
		for _, head := range []string{"## Steps", "## Requirements", "## Output Format"} {
			if !strings.Contains(s.Definition, head) {
				t.Errorf("%s has no %s", s.Name, head)
			}
		}
		if len(s.Artifacts) == 0 || !strings.Contains(s.Definition, "unconfirmed") {
			t.Errorf("%s has no artifacts, or marks nothing as unconfirmed", s.Name)
		}
	}
	if there != len(want) {
		t.Errorf("%d of the skills are built in, want %d", there, len(want))
	}
}

func TestBuiltIn_BlocksWorkOutWhatTheyPromise(t *testing.T) {
	all, err := skill.All(os.DirFS("../agents/filing/skills"))
	if err != nil {
		t.Fatal(err)
	}
	shelf := skill.NewShelf(jail(t), all...)
	for _, c := range []struct{ block, args, want string }{
		{"affected_distance", `{"lease_line_ft":467,"between_wells_ft":1200,"rule":"statewide"}`, `"feet":600`},
		{"affected_distance", `{"lease_line_ft":467,"between_wells_ft":660,"rule":"field"}`, `"feet":467`},
		{"exception_term", `{"days":45,"hydrocarbon_mcf_per_day":500}`, `"path":"administrative"`},
		{"exception_term", `{"days":180,"hydrocarbon_mcf_per_day":500}`, `"path":"administrative_with_documents"`},
		{"exception_term", `{"days":181,"hydrocarbon_mcf_per_day":50.5}`, `"path":"hearing"`},
		{"exception_term", `{"days":181,"hydrocarbon_mcf_per_day":50}`, `"path":"administrative_indefinite_possible"`},
	} {
		out, err := shelf.Call(t.Context(), c.block, json.RawMessage(c.args))
		if err != nil || !strings.Contains(string(out.Result), c.want) {
			t.Errorf("%s %s: %s %v, want %s", c.block, c.args, out.Result, err, c.want)
		}
	}
}

func TestFiling_F58_TheBuiltInSkillsBringTheirCheckpoints(t *testing.T) {
	all, err := skill.All(os.DirFS("../agents/filing/skills"))
	if err != nil {
		t.Fatal(err)
	}
	var groups []rule.Group
	for _, s := range all {
		groups = append(groups, s.RuleGroup())
	}
	set, err := rule.Compile(groups...)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"rule37_filing_assembly": "pre_filing", "rule32_filing_assembly": "pre_filing", "good_cause_narrative": "good_cause_review", "spacing_assessment": ""} {
		got := set.Judge(rule.Occasion{Event: rule.AfterToolCall, Tool: &rule.Tool{Name: name, Capabilities: []string{"read"}}, Result: json.RawMessage(`{}`)})
		if got.First().Checkpoint != want || (want != "") != (got.Verdict() == rule.Hold) {
			t.Errorf("after %s: %+v, want a hold at %q", name, got, want)
		}
	}
}

func TestFiling_F51_SelectedSkillsAreFoundInWhatTheModelSays(t *testing.T) {
	all, err := skill.All(os.DirFS("../agents/filing/skills"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"SKILL_SELECT:{rrc_rule37}":                                     {"rrc_rule37"},
		"I need SKILL_SELECT:rrc_rule32 and SKILL_SELECT: {rrc_rule32}": {"rrc_rule32"},
		"SKILL_SELECT:{rrc_rule37}\nSKILL_SELECT:{rrc_rule32}":          {"rrc_rule37", "rrc_rule32"},
		"SKILL_SELECT:{nobody}":                                         nil,
		"no skill":                                                      nil,
	} {
		var got []string
		for _, s := range skill.Selected(text, all) {
			got = append(got, s.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q selects %v, want %v", text, got, want)
		}
	}
	listing := skill.Listing(all)
	for _, s := range all {
		if !strings.Contains(listing, s.Name+": "+s.Description) {
			t.Errorf("the listing lacks %s", s.Name)
		}
	}
	if strings.Contains(listing, "## Steps") || !strings.Contains(listing, "SKILL_SELECT:{") {
		t.Errorf("the first tier is more, or less, than it should be:\n%s", listing)
	}
}

func TestFiling_F57_ALoadedSkillIsOneMessageInItsSections(t *testing.T) {
	all, err := skill.All(os.DirFS("../agents/filing/skills"))
	if err != nil {
		t.Fatal(err)
	}
	s := skill.NewShelf(skill.Jail{}, all...).Get("rrc_rule37")
	text, tier := s.Message(100_000, "Well: Mitchell 1H")
	last := -1
	for _, head := range []string{"=== Skill Activated: " + s.Title + " ===", "## Description", "## Steps", "## Requirements", "## Output Format", "## Artifact: references/form_w1.md", "## Entity Context\nWell: Mitchell 1H"} {
		if at := strings.Index(text, head); at <= last {
			t.Errorf("%q is missing or out of place", head)
		} else {
			last = at
		}
	}
	if tier != skill.Complete {
		t.Errorf("with room for all of it the tier is %d", tier)
	}
	if text, tier := s.Message(len(s.Definition)+400, ""); tier != skill.Defined || !strings.Contains(text, "too long to be loaded") || strings.Contains(text, "Entity Context") {
		t.Errorf("with little room the tier is %d", tier)
	}
}

func TestSkill_AnyChangedByteIsAnotherDigest(t *testing.T) {
	a := made(t, "def run(args):\n    return 1\n")
	b := made(t, "def run(args):\n    return 2\n")
	c := made(t, "def run(args):\n    return 1\n", "notes.md", "x")
	if a.Digest == b.Digest || a.Digest == c.Digest || a.Digest != made(t, "def run(args):\n    return 1\n").Digest {
		t.Errorf("digests: %s %s %s", a.Digest, b.Digest, c.Digest)
	}
}

func TestSkill_MistakesNameTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no SKILL.md":           {map[string]string{"README.md": "x"}, "SKILL.md"},
		"no front matter":       {map[string]string{"SKILL.md": "# hello"}, "front matter"},
		"no description":        {map[string]string{"SKILL.md": "---\nname: x\n---\n"}, "description is missing"},
		"a bad name":            {map[string]string{"SKILL.md": "---\nname: ../x\ndescription: y\n---\n"}, "a skill's name"},
		"broken YAML":           {map[string]string{"SKILL.md": "---\nname: [\n---\n"}, "cannot be read"},
		"a block without file":  {map[string]string{"SKILL.md": front, "blocks.yaml": "- {name: a, description: b, file: c.star}"}, "not there"},
		"an unknown field":      {map[string]string{"SKILL.md": front, "blocks.yaml": "- {name: a, colour: red}"}, "colour"},
		"code with a mistake":   {map[string]string{"SKILL.md": front, "c.star": "def run(args:\n", "blocks.yaml": "- {name: a, description: b, file: c.star}"}, "c.star:1:"},
		"a rule with a mistake": {map[string]string{"SKILL.md": front, "rules.yaml": "- name: a\n  event: never\n  verdict: warn\n"}, "line 2, column 10"},
		"a block like a tool":   {map[string]string{"SKILL.md": front, "c.star": "def run(args):\n    return 1\n", "blocks.yaml": "- {name: calculator, description: b, file: c.star}"}, "allowed-tools"},
		"an open schema":        {map[string]string{"SKILL.md": front, "c.star": "def run(args):\n    return 1\n", "blocks.yaml": "- {name: a, description: b, file: c.star, parameters: {type: object}}"}, "additionalProperties"},
	} {
		folder := fstest.MapFS{}
		for file, text := range c.files {
			folder[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if _, err := skill.Open(folder); !errors.Is(err, skill.ErrSkill) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestSkill_AZipIsReadLikeItsFolderAndNoFurther(t *testing.T) {
	pack := func(files map[string]string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, text := range files {
			w, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	top, err := skill.Unzip(pack(map[string]string{"SKILL.md": front, "a/b.md": "x"}))
	if err != nil {
		t.Fatal(err)
	}
	inner, err := skill.Unzip(pack(map[string]string{"sums/SKILL.md": front, "sums/a/b.md": "x"}))
	if err != nil || inner.Digest != top.Digest || len(inner.Artifacts) != 1 {
		t.Errorf("in a folder: %+v %v", inner, err)
	}
	for name, body := range map[string][]byte{
		"no zip": []byte("hello"),
		"a bomb": pack(map[string]string{"SKILL.md": front, "a": strings.Repeat("a", 40<<20)}),
		"many files": pack(func() map[string]string {
			m := map[string]string{"SKILL.md": front}
			for i := range 100 {
				m[fmt.Sprint("f", i)] = "x"
			}
			return m
		}()),
		"outside": pack(map[string]string{"../SKILL.md": front}),
	} {
		if s, err := skill.Unzip(body); !errors.Is(err, skill.ErrSkill) {
			t.Errorf("%s: %v %v", name, s, err)
		}
	}
}

// BenchmarkSkills_LoadTen reads ten skills from their files and words their messages.
func BenchmarkSkills_LoadTen(b *testing.B) {
	all, err := skill.All(os.DirFS("../agents/filing/skills"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i := range 10 {
			s, err := skill.New(all[i%len(all)].Files())
			if err != nil {
				b.Fatal(err)
			}
			s.Message(100_000, "")
		}
	}
}
