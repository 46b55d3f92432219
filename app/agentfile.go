package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/agent"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
)

// AgentsDir is the folder of people's own agents inside the data folder: one
// NAME.yaml an agent.
const AgentsDir = "agents"

// maxDefinition bounds an agent's file, in bytes.
const maxDefinition = 256 << 10

// agentName is what an agent of a file may be called; it becomes a file name.
var agentName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,62}$`)

// Problem is a mistake in an agent's file. Line and Column count from 1; 0 says that
// it belongs to the whole. Path names the place in the document.
type Problem struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Path    string `json:"path,omitempty"`
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message)
}

// wrong makes the fault of a definition with mistakes.
func wrong(problems []Problem) *Fault {
	words := make([]string, len(problems))
	for i, p := range problems {
		words[i] = p.String()
	}
	return &Fault{Code: "definition", Message: "The agent's definition has mistakes: " + strings.Join(words, "; "), Problems: problems,
		Hint: "Correct them; holdpoint agents check --help describes the format.", Safe: "Nothing was changed.", HTTP: 400}
}

// digestOf names a definition by its text.
func digestOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// compile makes an agent of a definition that is kept, once for each text.
func (r *Agents) compile(body string) (*registered, error) {
	digest := digestOf(body)
	r.mu.Lock()
	f := r.files[digest]
	r.mu.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := r.try(body)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[digest] = f
	return f, nil
}

// try makes an agent of a definition and keeps nothing. A mistake is a fault with
// its problems.
func (r *Agents) try(body string) (*registered, error) {
	if len(body) > maxDefinition {
		return nil, wrong([]Problem{{Message: fmt.Sprintf("the definition has more than %d KB, which is the most that fits", maxDefinition>>10)}})
	}
	x, err := definition.Agent([]byte(body), r.tools.Describe())
	if err != nil {
		return nil, wrong(problemsOf(err))
	}
	switch {
	case !agentName.MatchString(x.ID):
		return nil, wrong([]Problem{{Line: 1, Column: 1, Path: "name", Message: fmt.Sprintf("the name %q does not fit: it begins with a small letter and has letters, digits, - and _, at most 63", x.ID)}})
	case r.isBuiltIn(x.ID):
		return nil, wrong([]Problem{{Line: 1, Column: 1, Path: "name", Message: fmt.Sprintf("the name %q belongs to a built-in agent; choose another", x.ID)}})
	}
	f := &registered{Agent: x, kind: FromFile, digest: digestOf(body), body: body}
	return f, r.equip(f)
}

func problemsOf(err error) []Problem {
	var found definition.Problems
	if !errors.As(err, &found) {
		return []Problem{{Message: err.Error()}}
	}
	return listed(found)
}

func listed(found definition.Problems) []Problem {
	out := make([]Problem, len(found))
	for i, p := range found {
		out[i] = Problem{Line: p.Line, Column: p.Column, Path: p.Path, Message: p.Message}
	}
	return out
}

// Check says what is wrong with a definition; nothing when it can run.
func (r *Agents) Check(body string) ([]Problem, error) {
	_, err := r.try(body)
	var f *Fault
	if errors.As(err, &f) && f.Problems != nil {
		return f.Problems, nil
	}
	return []Problem{}, err
}

// Preview is the manifest of a definition while it is written; nil where it cannot run. Of
// what is only looked at nothing is kept.
func (r *Agents) Preview(body string) (*AgentManifest, []Problem, error) {
	f, err := r.try(body)
	var wrong *Fault
	if errors.As(err, &wrong) && wrong.Problems != nil {
		return nil, wrong.Problems, nil
	}
	if err != nil {
		return nil, nil, err
	}
	g, err := f.Graph(nil)
	if err != nil {
		return nil, problemsOf(err), nil
	}
	m := f.manifest(g, nil, f.tools)
	return &m, []Problem{}, nil
}

// Warnings are what is odd about a definition and does not keep it from running.
func (r *Agents) Warnings(body string) []Problem {
	if len(body) > maxDefinition {
		return []Problem{}
	}
	return listed(definition.Warnings([]byte(body)))
}

// root opens the folder of agents, so that no name leads out of it; nil when there is none.
func (r *Agents) root() (*os.Root, error) {
	root, err := os.OpenRoot(filepath.Join(r.dir, AgentsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("app: agents: %w", err)
	}
	return root, nil
}

// fileNames are the names of the agents in files, sorted.
func (r *Agents) fileNames() ([]string, error) {
	root, err := r.root()
	if root == nil || err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("app: agents: %w", err)
	}
	var out []string
	for _, e := range entries {
		name, isYAML := strings.CutSuffix(e.Name(), ".yaml")
		if isYAML && e.Type().IsRegular() && agentName.MatchString(name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// file reads and compiles one agent of the folder.
func (r *Agents) file(name string) (*registered, error) {
	body, err := r.text(name)
	if err != nil {
		return nil, err
	}
	f, err := r.compile(body)
	if err == nil && f.ID != name {
		return nil, wrong([]Problem{{Line: 1, Column: 1, Path: "name", Message: fmt.Sprintf("the file is called %s.yaml and the agent %q; both need the same name", name, f.ID)}})
	}
	return f, err
}

// isBuiltIn says that an agent comes with the program.
func (r *Agents) isBuiltIn(id string) bool {
	return slices.ContainsFunc(r.builtIn, func(b *registered) bool { return b.ID == id })
}

// owned insists that an id is that of a file's agent.
func (r *Agents) owned(id string) error {
	names, err := r.fileNames()
	if err == nil && !slices.Contains(names, id) {
		err = notFound(fmt.Sprintf("There is no agent %q.", id), "See holdpoint agents list.")
	}
	return err
}

// Definition is the file of an agent as it was added, also of one that cannot run.
func (r *Agents) Definition(id string) (string, error) {
	if r.isBuiltIn(id) {
		return "", Bad(fmt.Sprintf("The agent %s is built in and has no file.", id), "Print a graph to start your own from with holdpoint agents examples NAME.")
	}
	if err := r.owned(id); err != nil {
		return "", err
	}
	return r.text(id)
}

// text reads the file of an agent.
func (r *Agents) text(name string) (string, error) {
	root, err := r.root()
	if err != nil {
		return "", err
	}
	if root == nil {
		return "", fmt.Errorf("app: agent %q: %w", name, fs.ErrNotExist)
	}
	defer root.Close()
	in, err := root.Open(name + ".yaml")
	if err != nil {
		return "", fmt.Errorf("app: agent %q: %w", name, err)
	}
	defer in.Close()
	return ReadDefinition(in)
}

// ReadDefinition reads a definition, and no more than one can have.
func ReadDefinition(in io.Reader) (string, error) {
	body, err := io.ReadAll(io.LimitReader(in, maxDefinition+1))
	if err != nil {
		return "", fmt.Errorf("app: agent: %w", err)
	}
	return string(body), nil
}

// ReadDefinitionFile reads the definition at a path.
func ReadDefinitionFile(path string) (string, error) {
	in, err := OpenFile(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	return ReadDefinition(in)
}

// Add keeps a definition as an agent and returns its id. One of the same name is
// replaced; turns that began with it go on with the one they began with.
func (r *Agents) Add(body string) (string, error) {
	f, err := r.compile(body)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(r.dir, AgentsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("app: agents: %w", err)
	}
	return f.ID, WriteFile(filepath.Join(dir, f.ID+".yaml"), bytesOf(body))
}

// remove deletes an agent's file.
func (r *Agents) remove(id string) error {
	root, err := r.root()
	if err != nil {
		return err
	}
	if root == nil {
		return fs.ErrNotExist
	}
	defer root.Close()
	return root.Remove(id + ".yaml")
}

// AddAgent keeps a definition as an agent.
func (a *App) AddAgent(body string) (string, error) {
	a.agents.changing.Lock()
	defer a.agents.changing.Unlock()
	return a.addAgent(body)
}

// addAgent is AddAgent for who holds the files.
func (a *App) addAgent(body string) (string, error) {
	id, err := a.agents.Add(body)
	if err == nil {
		a.hub.notify(Notice{Kind: NoticeAgents, ID: id})
	}
	return id, err
}

// openTurns are those of an agent that are not finished.
func (a *App) openTurns(id string) ([]string, error) {
	var open []string
	for _, status := range []run.Status{run.Running, run.Paused, run.Limited, run.Failed} {
		runs, err := a.Store.Shown().RunsWith(status)
		if err != nil {
			return nil, err
		}
		for _, row := range runs {
			if row.Agent == id {
				open = append(open, row.Turn)
			}
		}
	}
	return open, nil
}

// AgentFile is an agent's file as somebody opens it to change it.
type AgentFile struct {
	ID   string `json:"id"`
	YAML string `json:"yaml"`
	// Digest names the text, so that a change is made to the one that was read.
	Digest string `json:"digest"`
	// Unfinished counts the turns that began with a graph of this name and go on as it was then.
	Unfinished int `json:"unfinished"`
}

// AgentFile opens an agent's file.
func (a *App) AgentFile(id string) (AgentFile, error) {
	body, err := a.agents.Definition(id)
	if err != nil {
		return AgentFile{}, err
	}
	open, err := a.openTurns(id)
	return AgentFile{id, body, digestOf(body), len(open)}, err
}

// ChangeAgent replaces the file that was read by another of the same name. Turns that began
// with the old one finish with it.
func (a *App) ChangeAgent(id, digest, body string) error {
	f, err := a.agents.compile(body)
	if err != nil {
		return err
	}
	if f.ID != id {
		return wrong([]Problem{{Line: 1, Column: 1, Path: "name", Message: fmt.Sprintf("this is the agent %s, and a change keeps the name; write name: %s, or add it as one of its own", id, id)}})
	}
	a.agents.changing.Lock()
	defer a.agents.changing.Unlock()
	have, err := a.agents.Definition(id)
	if err != nil {
		return err
	}
	if digestOf(have) != digest {
		return &Fault{Code: "changed", Message: fmt.Sprintf("The agent %s was changed by somebody else since you opened it.", id),
			Hint: "Keep a copy of your text, open it again, and make your change there.", Safe: "Nothing was changed.", HTTP: 409}
	}
	_, err = a.addAgent(body)
	return err
}

// RemoveAgent deletes an agent of a file. One with turns that are not finished stays.
func (a *App) RemoveAgent(id string) error {
	a.agents.changing.Lock()
	defer a.agents.changing.Unlock()
	if a.agents.isBuiltIn(id) {
		return Bad(fmt.Sprintf("The agent %s is built in and stays.", id), "Only agents from files can be removed.")
	}
	if err := a.agents.owned(id); err != nil {
		return err
	}
	open, err := a.openTurns(id)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		what := "a turn that is not finished"
		if len(open) > 1 {
			what = fmt.Sprintf("%d turns that are not finished", len(open))
		}
		return &Fault{Code: "in_use", Message: fmt.Sprintf("The agent %s has %s: %s.", id, what, strings.Join(open[:min(5, len(open))], ", ")),
			Hint: "Finish or abandon them first (holdpoint resume TURN --abandon).", Safe: "Nothing was changed.", HTTP: 409}
	}
	if err := a.agents.remove(id); err != nil {
		return fmt.Errorf("app: agent %q: %w", id, err)
	}
	a.hub.notify(Notice{Kind: NoticeAgents, ID: id})
	return nil
}

// AgentSchema is the JSON Schema of agents' files.
func AgentSchema() json.RawMessage { return definition.Schema() }

// Words are what may be named in an agent's file: tools, those of trusted servers, too, skills,
// and the language's own.
func (a *App) Words() (definition.Vocabulary, error) {
	tools, err := a.toolsOf(&registered{Agent: agent.Agent{Open: true}, tools: a.agents.tools})
	if err != nil {
		return definition.Vocabulary{}, err
	}
	shelf, err := a.shelf()
	if err != nil {
		return definition.Vocabulary{}, err
	}
	skills := []string{}
	for _, s := range shelf.Only([]string{"*"}) {
		skills = append(skills, s.Name)
	}
	return definition.WordsOf(tools.Describe(), skills), nil
}

// PreviewAgent is what a definition would be, or what is wrong with it.
func (a *App) PreviewAgent(body string) (*AgentManifest, []Problem, error) {
	return a.agents.Preview(body)
}

// Examples are whole graphs to start one's own from.
func Examples() ([]definition.Example, error) { return definition.Examples() }

// Tools are those that a graph of one's own can name, without those of servers.
func (r *Agents) Tools() []tool.Description { return r.tools.Describe() }

// NoTool says that no tool is called so, and which there are.
func NoTool(name string, known []string) *Fault {
	return notFound(fmt.Sprintf("There is no tool %q here.", name), "Tools are "+strings.Join(known, ", ")+".")
}

// NoChapter says that the manual has no such heading, and which it has.
func NoChapter(name string, known []string) *Fault {
	return notFound(fmt.Sprintf("The manual has no chapter %q.", name), "Chapters are "+strings.Join(known, ", ")+".")
}

// ExampleOf finds one by its name, or a pattern by its id: each is a graph to start from.
func ExampleOf(name string) (definition.Example, error) {
	list, err := definition.Examples()
	if err != nil {
		return definition.Example{}, err
	}
	names := make([]string, len(list))
	for i, x := range list {
		if names[i] = x.Name; x.Name == name {
			return x, nil
		}
	}
	for _, x := range definition.Patterns() {
		if x.ID == name {
			return definition.Example{Name: x.ID, Title: x.Title, Description: x.Description, Message: x.Example, Text: x.Text}, nil
		}
		names = append(names, x.ID)
	}
	return definition.Example{}, notFound(fmt.Sprintf("There is no example %q.", name), "Examples are "+strings.Join(names, ", ")+".")
}

// AgentWarnings are what is odd about a definition and does not keep it from running.
func (a *App) AgentWarnings(body string) []Problem { return a.agents.Warnings(body) }

// keeping stores a file's text with the run that begins with it, so that it can go on with it whatever becomes of
// the file.
func keeping(f *registered) graph.Change {
	if f.digest == "" {
		return nil
	}
	return graph.In(func(tx interface{ PutDefinition(text string) error }, _ graph.Tell) error {
		return tx.PutDefinition(f.body)
	})
}
