// Package skill is knowledge that an agent loads when it needs it: a folder with SKILL.md,
// as other programs have them, and artifacts beside it.
//
//	rrc_rule37/
//	  SKILL.md         front matter (name, description, allowed-tools), then the definition
//	  blocks.yaml      code blocks: name, description, file, parameters, capabilities
//	  blocks/*.star    their code, Starlark
//	  rules.yaml       rules in force while the skill is loaded, as package rule reads them
//	  persona.md       who an agent is whose first skill this is
//	  context/*.md     domain facts, told word for word while the skill is loaded
//	  references/*     artifacts: regulatory text, templates, examples
//
// A skill is loaded in tiers: it is listed by name and description (1), its definition is
// read when it is selected (2), its artifacts with it (3), and what the agent knows of what
// the turn is about (3.5). It is pinned by a digest over all of its files.
//
// A code block runs in a jail: a process of its own, with bounds on steps, time and memory,
// that reads JSON and writes JSON and has nothing else.
package skill

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"holdpoint/engine/rule"
	"holdpoint/engine/schema"
)

// Bounds of a skill.
const (
	maxFiles       = 64
	maxBytes       = 1 << 20
	maxDefinition  = 64 << 10
	maxDescription = 1024
)

// File is SKILL.md, which makes a folder a skill.
const File = "SKILL.md"

const (
	personaFile   = "persona.md"
	contextFolder = "context/"
)

// ErrSkill says that a folder is no skill that can be used; the message says why.
var ErrSkill = errors.New("skill: this skill cannot be used")

// Skill is one skill. It is immutable.
type Skill struct {
	// Name and Description are the first tier: what is listed.
	Name        string
	Description string
	// Title is the name for people.
	Title string
	// Digest is "sha256:" and the hash of all files.
	Digest string
	// Tools are those of the program that it may call, by name.
	Tools []string
	// Blocks are its own.
	Blocks []Block
	Rules  []rule.Rule
	// Definition is the second tier, Markdown; Artifacts are the third, in order.
	Definition string
	Artifacts  []Artifact
	// Persona is the voice of an agent whose root skill this is; "" for none.
	Persona string
	// Contexts are facts of the domain that are told as they are, in order.
	Contexts []Artifact

	files map[string][]byte
}

// Artifact is a file beside the definition.
type Artifact struct {
	Name string
	Text string
}

// Block is one piece of code of a skill, offered as a tool.
type Block struct {
	Name        string
	Description string
	// File is where its code is.
	File string
	// Parameters is the JSON Schema of its arguments.
	Parameters json.RawMessage
	// Capabilities are what it does, for rules; one without any counts as mutating.
	Capabilities []string
	// Hidden ones are run from the command line only.
	Hidden bool
}

// Reserved are names that no block may have.
var Reserved = []string{"spacing_calculation"}

var (
	nameForm  = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	blockForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

// wrong says what is wrong with a file of a skill.
func wrong(file string, line int, format string, args ...any) error {
	at := file
	if line > 0 {
		at = fmt.Sprintf("%s, line %d", file, line)
	}
	return fmt.Errorf("%w: %s: %s", ErrSkill, at, fmt.Sprintf(format, args...))
}

// Open reads the skill in a folder. The error wraps ErrSkill and names the file.
func Open(folder fs.FS) (*Skill, error) {
	files, total := map[string][]byte{}, 0
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(path.Base(name), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return wrong(name, 0, "this is not a plain file; put a copy in its place")
		case len(files) == maxFiles:
			return wrong(name, 0, "a skill has at most %d files", maxFiles)
		}
		f, err := folder.Open(name)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(io.LimitReader(f, int64(maxBytes-total+1)))
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if total += len(body); total > maxBytes {
			return wrong(name, 0, "the skill has more than %d KB; leave out what is not needed", maxBytes>>10)
		}
		files[name] = body
		return nil
	})
	if err != nil {
		return nil, err
	}
	return New(files)
}

// Unzip reads the skill in a zip file: at its top, or in the one folder at its top.
func Unzip(body []byte) (*Skill, error) {
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, fmt.Errorf("%w: this is not a zip file: %w", ErrSkill, err)
	}
	if len(z.File) > 4*maxFiles {
		return nil, fmt.Errorf("%w: the zip file has %d entries; a skill has at most %d files", ErrSkill, len(z.File), maxFiles)
	}
	for _, f := range z.File {
		if leadsOut(f.Name) {
			return nil, wrong(clip(f.Name), 0, "this path leads out of the zip file")
		}
	}
	var folder fs.FS = z
	if _, err := fs.Stat(z, File); err != nil {
		entries, err := fs.ReadDir(z, ".")
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSkill, err)
		}
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
			return !e.IsDir() || strings.HasPrefix(e.Name(), "__") || strings.HasPrefix(e.Name(), ".")
		})
		if len(entries) != 1 {
			return nil, fmt.Errorf("%w: the zip file holds no %s", ErrSkill, File)
		}
		if folder, err = fs.Sub(z, entries[0].Name()); err != nil {
			return nil, err
		}
	}
	return Open(folder)
}

// leadsOut says of the name of a zip's entry that it is no plain path inside the zip, as it
// stands or as one who takes %5c for a backslash reads it.
func leadsOut(name string) bool {
	name = strings.TrimSuffix(name, "/")
	read, err := url.PathUnescape(name)
	if err != nil {
		read = name // a percent sign may be one
	}
	for _, n := range []string{name, read} {
		if !fs.ValidPath(n) || strings.Contains(n, `\`) {
			return true
		}
	}
	return false
}

// New makes a skill of its files, by path.
func New(files map[string][]byte) (*Skill, error) {
	body, ok := files[File]
	if !ok {
		return nil, fmt.Errorf("%w: there is no %s in it", ErrSkill, File)
	}
	s := &Skill{files: files, Digest: digest(files)}
	if err := s.read(string(body)); err != nil {
		return nil, err
	}
	if err := s.readBlocks(); err != nil {
		return nil, err
	}
	if text, ok := files["rules.yaml"]; ok {
		rules, err := rule.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%w: rules.yaml: %w", ErrSkill, err)
		}
		for _, r := range rules {
			if r.Event != rule.BeforeToolCall && r.Event != rule.AfterToolCall {
				return nil, wrong("rules.yaml", 0, "the rule %s is asked at %s; those of a skill are asked before_tool_call or after_tool_call", r.Name, r.Event)
			}
		}
		s.Rules = rules
	}
	own := []string{File, "blocks.yaml", "rules.yaml", personaFile}
	if text := files[personaFile]; utf8.Valid(text) {
		s.Persona = strings.TrimSpace(string(text))
	}
	for _, b := range s.Blocks {
		own = append(own, b.File)
	}
	names := make([]string, 0, len(files))
	for name := range files {
		if !slices.Contains(own, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		a := Artifact{Name: name}
		if utf8.Valid(files[name]) && !bytes.ContainsRune(files[name], 0) {
			a.Text = string(files[name])
		}
		if strings.HasPrefix(name, contextFolder) && a.Text != "" {
			s.Contexts = append(s.Contexts, a)
			continue
		}
		s.Artifacts = append(s.Artifacts, a)
	}
	return s, nil
}

// Files are the skill's files, to be kept. Treat them as read-only.
func (s *Skill) Files() map[string][]byte { return s.files }

// digest covers the name and the bytes of every file.
func digest(files map[string][]byte) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%d %s %d ", len(name), name, len(files[name]))
		h.Write(files[name])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// read reads SKILL.md.
func (s *Skill) read(text string) error {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return wrong(File, 0, "this is not text in UTF-8")
	}
	rest, ok := strings.CutPrefix(text, "---\n")
	front, body, closed := strings.Cut("\n"+rest, "\n---\n")
	if !ok || !closed {
		return wrong(File, 1, "the file must begin with front matter: --- on a line, name and description, --- on a line")
	}
	var meta struct {
		Name        string            `yaml:"name"`
		Description string            `yaml:"description"`
		Tools       yaml.Node         `yaml:"allowed-tools"`
		Metadata    map[string]string `yaml:"metadata"`
	}
	if err := yaml.Unmarshal([]byte(front), &meta); err != nil {
		return wrong(File, 0, "the front matter cannot be read: %s", strings.Join(strings.Fields(err.Error()), " "))
	}
	switch {
	case !nameForm.MatchString(meta.Name):
		return wrong(File, 2, "name is %q; a skill's name has lower-case letters, digits, - and _, a letter first, 64 at most", clip(meta.Name))
	case strings.TrimSpace(meta.Description) == "":
		return wrong(File, 2, "description is missing; say in a sentence what the skill does and when it is needed")
	case utf8.RuneCountInString(meta.Description) > maxDescription:
		return wrong(File, 0, "the description has more than %d characters", maxDescription)
	case len(body) > maxDefinition:
		return wrong(File, 0, "the definition has more than %d KB; put parts of it into files beside it", maxDefinition>>10)
	}
	switch meta.Tools.Kind {
	case 0:
	case yaml.ScalarNode:
		s.Tools = strings.FieldsFunc(meta.Tools.Value, func(r rune) bool { return r == ',' || r == ' ' })
	default:
		if err := meta.Tools.Decode(&s.Tools); err != nil {
			return wrong(File, meta.Tools.Line, "allowed-tools is a list of names")
		}
	}
	s.Name, s.Description, s.Title, s.Definition = meta.Name, strings.Join(strings.Fields(meta.Description), " "), meta.Metadata["title"], strings.TrimSpace(body)
	if s.Title == "" {
		s.Title = s.Name
	}
	return nil
}

func (s *Skill) readBlocks() error {
	const file = "blocks.yaml"
	text, ok := s.files[file]
	if !ok {
		return nil
	}
	var list []struct {
		Name         string         `yaml:"name"`
		Description  string         `yaml:"description"`
		File         string         `yaml:"file"`
		Parameters   map[string]any `yaml:"parameters"`
		Capabilities []string       `yaml:"capabilities"`
		Hidden       bool           `yaml:"hidden"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil {
		return wrong(file, 0, "%s", strings.Join(strings.Fields(err.Error()), " "))
	}
	for i, b := range list {
		switch {
		case !blockForm.MatchString(b.Name):
			return wrong(file, 0, "block %d: %q is not a name for a block; use lower-case letters, digits and _", i+1, clip(b.Name))
		case slices.Contains(Reserved, b.Name):
			return wrong(file, 0, "block %d: the name %s is reserved; choose another", i+1, b.Name)
		case slices.ContainsFunc(s.Blocks, func(have Block) bool { return have.Name == b.Name }):
			return wrong(file, 0, "two blocks are named %s", b.Name)
		case slices.Contains(s.Tools, b.Name):
			return wrong(file, 0, "the block %s has the name of a tool in allowed-tools; rename it", b.Name)
		case s.files[b.File] == nil:
			return wrong(file, 0, "the block %s is in the file %q, which is not there", b.Name, clip(b.File))
		}
		if b.Parameters == nil {
			b.Parameters = map[string]any{"type": "object", "properties": map[string]any{}, "additionalProperties": false}
		}
		raw, err := json.Marshal(b.Parameters)
		if err != nil {
			return wrong(file, 0, "the parameters of %s are not a JSON Schema: %v", b.Name, err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err == nil {
			_, err = schema.Compile("block.json", doc, false)
		}
		if o, _ := doc.(map[string]any); err != nil || o["type"] != "object" || o["additionalProperties"] != false {
			return wrong(file, 0, "the parameters of %s must be the JSON Schema of an object with additionalProperties: false", b.Name)
		}
		block := Block{Name: b.Name, Description: b.Description, File: b.File, Parameters: raw, Capabilities: b.Capabilities, Hidden: b.Hidden}
		if err := check(block, s.files[b.File]); err != nil {
			return err
		}
		s.Blocks = append(s.Blocks, block)
	}
	return nil
}

// clip shortens what somebody wrote for a message.
func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
