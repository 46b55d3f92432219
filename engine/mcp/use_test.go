package mcp_test

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"holdpoint/engine/identity"
	"holdpoint/engine/mcp"
)

func TestReasoner_R02_ToolsAreFoundConvertedAndCalledOverBothTransports(t *testing.T) {
	for name, make := range map[string]func(*shop) (mcp.Config, string){
		"stdio": func(s *shop) (mcp.Config, string) { return s.program("plain") },
		"http with sessions": func(s *shop) (mcp.Config, string) {
			file := s.t.TempDir() + "/effects"
			return mcp.Config{Title: "Numbers", Transport: mcp.HTTP, URL: site(s.t, testServer("plain", file), nil, nil).URL}, file
		},
		"http without sessions": func(s *shop) (mcp.Config, string) {
			file := s.t.TempDir() + "/effects"
			return mcp.Config{Title: "Numbers", Transport: mcp.HTTP, URL: site(s.t, testServer("plain", file), &sdk.StreamableHTTPOptions{Stateless: true}, nil).URL}, file
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			c, file := make(s)
			v, err := s.servers.Add(t.Context(), c, nil)
			must(t, err)
			if v.ID != "numbers" || v.Status != mcp.StatusNew || len(v.Tools) != 5 || len(s.servers.Tools()) != 0 {
				t.Fatalf("added: %s %s, %d tools, %d offered", v.ID, v.Status, len(v.Tools), len(s.servers.Tools()))
			}
			v, err = s.servers.Trust(v.ID, v.Digest)
			must(t, err)
			if got := len(s.servers.Tools()); v.Status != mcp.StatusStopped || got != 5 {
				t.Fatalf("trusted: %s, %d offered", v.Status, got)
			}
			add := s.tool("numbers.add")
			if !add.Mutates() || add.Server != "numbers" || !strings.Contains(string(add.Parameters), `"additionalProperties":false`) {
				t.Errorf("%+v", add)
			}
			out, err := call(t.Context(), add, identity.Caller{}, `{"a":2,"b":3}`)
			if err != nil || out != `{"result":{"sum":5},"status":"done"}` {
				t.Errorf("%s %v", out, err)
			}
			out, err = call(t.Context(), s.tool("numbers.keep"), identity.Caller{}, `{"text":"milk"}`)
			if err != nil || out != `{"status":"done","text":"kept"}` || effects(t, file) != 1 {
				t.Errorf("%s %v, %d effects", out, err, effects(t, file))
			}
			out, err = call(t.Context(), s.tool("numbers.fail"), identity.Caller{}, `{"text":"x"}`)
			if err != nil || out != `{"status":"error","text":"it did not work"}` {
				t.Errorf("%s %v", out, err)
			}
			if v, err = s.servers.Refresh(t.Context(), v.ID); err != nil || v.Status != mcp.StatusReady {
				t.Errorf("%s %v", v.Status, err)
			}
		})
	}
}
