package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"holdpoint/app"
)

// shown is a server as the screens read it.
type shown struct {
	ID, Title, Transport, URL, Status, Error, Digest string
	PinnedAt                                         *string `json:"pinned_at"`
	Env                                              []string
	Tools                                            []struct {
		Name, Description, Class, Digest string
		Parameters                       json.RawMessage
		Changed                          bool
	}
}

func TestReasoner_R02_ServersAreAddedTrustedAndClassedOverTheAPI(t *testing.T) {
	server := sdk.NewServer(&sdk.Implementation{Name: "x"}, nil)
	offer := func(text string) {
		server.AddTool(&sdk.Tool{Name: "keep", Description: text, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
	}
	offer("Keeps.")
	ts := httptest.NewServer(http.NewCrossOriginProtection().Handler(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)))
	t.Cleanup(func() { ts.CloseClientConnections(); ts.Close() })
	w := open(t)
	if got := get[[]shown](w, "/api/servers"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	id := done[struct{ ID string }](w, "add_server", map[string]any{"title": "Notes", "transport": "http", "url": ts.URL}).ID
	one := get[[]shown](w, "/api/servers")[0]
	if id != "notes" || one.ID != id || one.Status != "new" || one.PinnedAt != nil || len(one.Tools) != 1 || one.Tools[0].Name != "notes.keep" || one.Tools[0].Class != "mutating" {
		t.Errorf("%s %+v", id, one)
	}
	if f := refused(w, http.StatusConflict, "trust_server", map[string]any{"id": id, "digest": "sha256:0"}); f.Code != "digest" {
		t.Errorf("%+v", f)
	}
	done[struct{}](w, "trust_server", map[string]any{"id": id, "digest": one.Digest})
	done[struct{}](w, "classify_tool", map[string]any{"server": id, "tool": "notes.keep", "class": "read", "digest": one.Tools[0].Digest})
	if one = get[[]shown](w, "/api/servers")[0]; one.Status != "stopped" || one.PinnedAt == nil || one.Tools[0].Class != "read" {
		t.Errorf("%+v", one)
	}
	offer("Keeps all.")
	done[struct{}](w, "refresh_server", map[string]any{"id": id})
	if one = get[[]shown](w, "/api/servers")[0]; one.Status != "changed" || !one.Tools[0].Changed || one.Tools[0].Class != "mutating" {
		t.Errorf("%+v", one)
	}
	done[struct{}](w, "remove_server", map[string]any{"id": id})
	refused(w, http.StatusNotFound, "remove_server", map[string]any{"id": id})
	refused(w, http.StatusNotFound, "refresh_server", map[string]any{"id": id})
	refused(w, http.StatusBadRequest, "add_server", map[string]any{"title": "X", "transport": "http", "url": "http://example.org"})
	refused(w, http.StatusBadRequest, "add_server", map[string]any{"title": "X", "transport": "stdio", "command": "/bin/sh", "pinned": true})
	refused(w, http.StatusBadRequest, "add_server", map[string]any{"title": "X", "transport": "stdio", "command": "/bin/sh", "env": 7})
	if res := w.call("add_server", map[string]any{"title": "Mute", "transport": "stdio", "command": "/bin/false", "env": map[string]string{"KEY": "canary-value"}}); res.status != http.StatusBadGateway || strings.Contains(res.body, "canary") {
		t.Errorf("%d %s", res.status, res.body)
	}
	if got := get[[]shown](w, "/api/servers"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestThreat4_ServersAskForTheCookieToo(t *testing.T) {
	w := open(t)
	stranger := &http.Client{}
	if res := w.with(stranger, http.MethodGet, "/api/servers", "", nil); res.status != http.StatusUnauthorized {
		t.Errorf("%d", res.status)
	}
	for _, name := range []string{"add_server", "trust_server", "remove_server", "refresh_server", "classify_tool"} {
		if res := w.with(stranger, http.MethodPost, "/api/call/"+name, "{}", nil); res.status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, res.status)
		}
		if res := w.do(http.MethodGet, "/api/call/"+name, "", nil); res.status == http.StatusOK {
			t.Errorf("GET %s: %d", name, res.status)
		}
	}
}

func TestHelp_HasThePageOfToolsFromOutside(t *testing.T) {
	w := open(t)
	for _, p := range get[[]app.HelpPage](w, "/api/help") {
		if p.ID == "tools-from-outside" && strings.Contains(p.Markdown, "unknown") {
			return
		}
	}
	t.Error("the page is not there")
}
