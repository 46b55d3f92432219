package command_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolServer makes the test's own program a server of tools; toolWord is in its
// description, toolFile its own ledger.
const toolServer, toolWord, toolFile = "HOLDPOINT_TEST_TOOLS", "HOLDPOINT_TEST_WORD", "HOLDPOINT_TEST_FILE"

func init() {
	if os.Getenv(toolServer) == "" {
		return
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "notes"}, nil)
	type note struct {
		Text string `json:"text"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "keep", Description: "Keeps a note " + os.Getenv(toolWord) + "."}, func(_ context.Context, _ *sdk.CallToolRequest, in note) (*sdk.CallToolResult, any, error) {
		f, err := os.OpenFile(os.Getenv(toolFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, err
		}
		if _, err := f.WriteString(in.Text + "\n"); err != nil {
			return nil, nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "kept"}}}, nil, f.Close()
	})
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

const keeper = `name: keeper
nodes:
  - {name: keep, kind: tool, tool: notes.keep, arguments: {text: "{{.input}}"}, output: kept, default_next: tell}
  - {name: tell, kind: transform, template: "It says: {{.kept.status}}", default_next: end}
`

func TestReasoner_R02_AServerIsAddedTrustedUsedAndRemovedFromTheCommandLine(t *testing.T) {
	x := newTerminal(t)
	file := filepath.Join(t.TempDir(), "kept")
	t.Setenv(toolWord, "elsewhere")
	t.Setenv(toolFile, file)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kept := func() string {
		body, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(body)
	}
	// The variable that makes a program of the test a server is given to that program only.
	wrapper := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\n"+toolServer+"=1 exec \""+self+"\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	x.want(2, "mcp", "add", "Notes")
	x.want(2, "mcp", "add", "Notes", "--command", wrapper, "--env", "A=secret")
	x.want(2, "mcp", "add", "Notes", "--url", "http://example.org/")
	added := lines(t, x.want(0, "mcp", "add", "Notes", "--command", wrapper, "--env", toolWord, "--env", toolFile, "--json").out)
	needs(t, added, "id", "title", "transport", "command", "env", "status", "tools", "digest")
	if added[0].text("status") != "new" {
		t.Errorf("%v", added[0])
	}
	if got := x.want(0, "mcp", "list"); !strings.Contains(got.err, "notes") || !strings.Contains(got.err, "new") {
		t.Errorf("%s", got.err)
	}
	agent := x.write("keeper.yaml", keeper)
	run := func(code int) []object {
		t.Helper()
		return lines(t, x.want(code, "run", "--practice", "--agent", agent, "--json", "milk").out)
	}
	if x.run("run", "--practice", "--agent", agent, "milk"); kept() != "" {
		t.Error("it was used before it was trusted")
	}
	if got := x.want(1, "mcp", "trust", "notes", "sha256:00"); !strings.Contains(got.err, "do:") {
		t.Errorf("%s", got.err)
	}
	x.want(0, "mcp", "trust", "notes", added[0].text("digest"))
	run(3)
	id := lines(t, x.want(0, "approvals", "list", "--json").out)[0].text("id")
	if kept() != "" {
		t.Error("it ran before a person approved")
	}
	turn := lines(t, x.want(0, "approvals", "list", "--json").out)[0].text("turn")
	x.want(0, "approvals", "approve", id, "--reviewer", "Test Reviewer")
	x.want(0, "resume", turn, "--json")
	if kept() != "milk\n" {
		t.Errorf("kept %q", kept())
	}
	tools := lines(t, x.want(0, "mcp", "tools", "notes", "--json").out)
	needs(t, tools, "name", "description", "parameters", "class", "digest")
	x.want(2, "mcp", "classify", "keep", "read")
	x.want(1, "mcp", "classify", "notes.none", "read")
	x.want(0, "mcp", "classify", "notes.keep", "read", "--digest", tools[0].text("digest"))
	run(0) // nobody is asked
	if kept() != "milk\nmilk\n" {
		t.Errorf("kept %q", kept())
	}
	x.want(0, "mcp", "classify", "notes.keep", "mutating")
	run(3)
	t.Setenv(toolWord, "everywhere\narguments {}\n    sha256:00\n"+strings.Repeat(" ", 70)+"sha256:00") // its author changes it
	got := x.want(0, "mcp", "tools", "notes", "--refresh")
	if !strings.Contains(got.err, "changed") || !strings.Contains(got.err, "mcp trust notes") {
		t.Errorf("%s", got.err)
	}
	for line := range strings.SplitSeq(got.err, "\n") {
		if (strings.Contains(line, "sha256:00") || strings.Contains(line, "arguments {}")) && !strings.HasPrefix(line, "    | ") || len(line) > 140 {
			t.Errorf("a line of the server passes for one of the program: %s", line)
		}
	}
	for _, o := range lines(t, x.want(0, "approvals", "list", "--json", "--status", "all").out) {
		if o.text("status") == "pending" {
			t.Errorf("%v still waits", o)
		}
	}
	x.want(0, "mcp", "remove", "notes")
	if out := x.want(0, "mcp", "list", "--json").out; out != "" {
		t.Errorf("%s", out)
	}
	x.want(1, "mcp", "remove", "notes")
	if kept() != "milk\nmilk\n" {
		t.Errorf("kept %q", kept())
	}
	for _, c := range []string{"add", "trust", "list", "tools", "classify", "remove"} {
		if got := x.want(0, "mcp", "--help"); !strings.Contains(got.err+got.out, c) {
			t.Errorf("the help has no %s", c)
		}
	}
}

func TestReasoner_R68_ACommandActsForACheckedTokenOnly(t *testing.T) {
	x := newTerminal(t)
	secret := "a secret of more than thirty-two bytes"
	sign := func(expires time.Time, key string) string {
		s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": "x", "exp": expires.Unix(), "roles": []string{"clinician"}}).SignedString([]byte(key))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	agent := x.write("walker.yaml", walker)
	t.Setenv("SECRET", secret)
	for name, c := range map[string]struct {
		token string
		args  []string
		code  int
	}{
		"a good one":          {sign(time.Now().Add(time.Hour), secret), []string{"--token-env", "TOKEN", "--secret-env", "SECRET"}, 0},
		"one that expired":    {sign(time.Now().Add(-time.Hour), secret), []string{"--token-env", "TOKEN", "--secret-env", "SECRET"}, 2},
		"one of another":      {sign(time.Now().Add(time.Hour), "another one of more than thirty-two bytes"), []string{"--token-env", "TOKEN", "--secret-env", "SECRET"}, 2},
		"one without a check": {sign(time.Now().Add(time.Hour), secret), []string{"--token-env", "TOKEN"}, 2},
		"none":                {"", []string{"--token-env", "TOKEN", "--secret-env", "SECRET"}, 2},
	} {
		t.Setenv("TOKEN", c.token)
		got := x.run(append([]string{"run", "--practice", "--agent", agent, "--json", "hello"}, c.args...)...)
		// walker comes to its limit of steps: that is exit 1 for a run that began.
		if began := strings.Contains(got.out, "turn_started"); began != (c.code == 0) || c.code == 2 && got.code != 2 || c.token != "" && strings.Contains(got.out+got.err, c.token) {
			t.Errorf("%s: exit %d %s", name, got.code, got.err)
		}
		if c.code == 2 {
			if got := x.run(append([]string{"serve"}, c.args...)...); got.code != 2 || got.out != "" {
				t.Errorf("serve, %s: exit %d %s", name, got.code, got.err)
			}
		}
	}
}

// "I had not exported the secret, and it said that the secret needs 32 bytes."
func TestReasoner_R68_AVariableThatIsNotSetIsNamed(t *testing.T) {
	x := newTerminal(t)
	t.Setenv("SECRET", "a secret of more than thirty-two bytes")
	t.Setenv("TOKEN", "e.y.j")
	t.Setenv("EMPTY", "")
	for _, command := range [][]string{{"run", "--practice", "hello"}, {"serve"}} {
		for _, c := range []struct{ token, secret, want string }{
			{"TOKEN", "NOT_SET", "the variable NOT_SET is not set"},
			{"NOT_SET", "SECRET", "the variable NOT_SET is not set"},
			{"TOKEN", "EMPTY", "the variable EMPTY is empty"},
		} {
			if got := x.want(2, append(command[:len(command):len(command)], "--token-env", c.token, "--secret-env", c.secret)...); !strings.Contains(got.err, c.want) {
				t.Errorf("%v with %s and %s: %s", command, c.token, c.secret, got.err)
			}
		}
	}
	if got := x.want(2, "serve", "--secret-env", "NOT_SET"); !strings.Contains(got.err, "the variable NOT_SET is not set") {
		t.Errorf("a secret alone: %s", got.err)
	}
}

// "I mistyped the program, and it spoke of initialize and a broken pipe."
func TestMCP_AProgramThatIsNoServerIsSaidInPlainWords(t *testing.T) {
	x := newTerminal(t)
	said := x.want(1, "mcp", "add", "Notes", "--command", "/bin/sh", "--", "-c", "exit 0").err
	for _, raw := range []string{"initialize", "pipe", "client is closing"} {
		if strings.Contains(said, raw) {
			t.Errorf("it speaks of %s: %s", raw, said)
		}
	}
	for _, want := range []string{"Notes", "ended before it answered", "do:"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
}
