package mcp_test

import (
	"context"
	"fmt"
	"net/http"
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

func TestReasoner_R02_TheEndOfTheStreamOfNoticesEndsNoCall(t *testing.T) {
	s := newShop(t)
	inside, free := make(chan struct{}), make(chan struct{})
	server := testServer("plain", t.TempDir()+"/e")
	sdk.AddTool(server, &sdk.Tool{Name: "slow", Description: "Takes its time."}, func(context.Context, *sdk.CallToolRequest, note) (*sdk.CallToolResult, any, error) {
		close(inside)
		<-free
		return says("done at last"), nil, nil
	})
	got := &seen{}
	streams, end, ended := make(chan struct{}, 10), make(chan struct{}), make(chan struct{}, 10)
	ts := site(t, server, nil, func(next http.Handler) http.Handler {
		return got.note(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				next.ServeHTTP(w, r)
				return
			}
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			streams <- struct{}{}
			go func() {
				select {
				case <-end:
				case <-ctx.Done():
				}
				cancel()
			}()
			next.ServeHTTP(w, r.WithContext(ctx))
			ended <- struct{}{}
		}))
	})
	s.add(mcp.Config{Title: "One", Transport: mcp.HTTP, URL: ts.URL})
	<-streams // of the look before the trust
	<-ended
	answer := began(func() error {
		out, err := call(t.Context(), s.tool("one.slow"), identity.Caller{}, `{"text":"x"}`)
		if err == nil && !strings.Contains(out, "at last") {
			err = fmt.Errorf("%s", out)
		}
		return err
	})
	<-inside
	<-streams
	close(end)
	<-ended
	close(free)
	must(t, <-answer)
	if out, err := call(t.Context(), s.tool("one.add"), identity.Caller{}, `{"a":1,"b":1}`); err != nil {
		t.Errorf("%s %v", out, err)
	}
	inits := 0
	for _, r := range got.list {
		if strings.Contains(r, "initialize") {
			inits++
		}
	}
	if inits != 2 {
		t.Errorf("%d connections", inits)
	}
}
