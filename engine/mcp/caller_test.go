package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"holdpoint/engine/identity"
	"holdpoint/engine/mcp"
)

// seen are the requests that a server got.
type seen struct {
	mu   sync.Mutex
	list []string // method, kind of message, Authorization
}

func (s *seen) note(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		kind := "other"
		for _, k := range []string{"tools/call", "tools/list", "initialize", "discover"} {
			if bytes.Contains(body, []byte(`"method":"`+k)) || bytes.Contains(body, []byte(`/`+k+`"`)) {
				kind = k
				break
			}
		}
		s.mu.Lock()
		s.list = append(s.list, r.Method+" "+kind+" "+r.Header.Get("Authorization"))
		s.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func TestReasoner_R02_TwoCallersOnOneConnectionNeverMix(t *testing.T) {
	for name, o := range map[string]*sdk.StreamableHTTPOptions{"with sessions": nil, "without sessions": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			got := &seen{}
			ts := site(t, testServer("plain", t.TempDir()+"/e"), o, got.note)
			s.add(mcp.Config{Title: "Who", Transport: mcp.HTTP, URL: ts.URL, Identity: true})
			who := s.tool("who.who")
			if _, err := call(t.Context(), who, identity.Caller{}, `{"text":"first"}`); err != nil {
				t.Fatal(err) // the connection is there
			}
			var wg sync.WaitGroup
			for i := range 40 {
				wg.Go(func() {
					c := identity.Caller{Subject: fmt.Sprint("s", i%2), Bearer: fmt.Sprint("token-", i%2)}
					if i%4 == 3 {
						c = identity.Caller{Subject: "nobody"} // one who has none gets nobody else's
					}
					out, err := call(t.Context(), who, c, fmt.Sprintf(`{"text":"n%d"}`, i))
					want := fmt.Sprintf(`{"status":"done","text":"n%d asks `, i)
					if c.Bearer != "" {
						want += "Bearer " + c.Bearer
					}
					if err != nil || out != want+`"}` {
						t.Errorf("%s %v, want %s", out, err, want)
					}
				})
			}
			wg.Wait()
			inits := 0
			for _, r := range got.list {
				if strings.Contains(r, "initialize") {
					inits++
				}
				if !strings.Contains(r, "tools/call") && strings.Contains(r, "Bearer") {
					t.Errorf("a token went along with %s", r)
				}
			}
			if o == nil && inits != 2 { // to be shown, and to be used
				t.Errorf("%d connections", inits)
			}
		})
	}
}

func TestReasoner_R67_TheBearerGoesToServersThatTheUserSaysSo(t *testing.T) {
	s := newShop(t)
	got := &seen{}
	ts := site(t, testServer("plain", t.TempDir()+"/e"), nil, got.note)
	s.add(mcp.Config{Title: "Mine", Transport: mcp.HTTP, URL: ts.URL, Identity: true})
	s.add(mcp.Config{Title: "Others", Transport: mcp.HTTP, URL: ts.URL})
	caller := identity.Caller{Subject: "x", Bearer: "canary-token"}
	for server, want := range map[string]string{"mine": "Bearer canary-token", "others": ""} {
		out, err := call(t.Context(), s.tool(server+".who"), caller, `{"text":"x"}`)
		if err != nil || out != `{"status":"done","text":"x asks `+want+`"}` {
			t.Errorf("%s: %s %v", server, out, err)
		}
	}
	s.servers.Close()
	for _, r := range got.list {
		if strings.HasPrefix(r, "GET") && strings.Contains(r, "canary") || strings.HasPrefix(r, "DELETE") && strings.Contains(r, "canary") {
			t.Errorf("the token is on the connection: %s", r)
		}
	}
	var rows any
	if _, err := s.db.Setting("mcp/servers", &rows); err != nil || strings.Contains(fmt.Sprint(rows), "canary") {
		t.Errorf("the token was stored, or %v", err)
	}
}

// demanding lets only requests with a token of its list through.
func demanding(tokens ...string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, t := range tokens {
				if r.Header.Get("Authorization") == "Bearer "+t {
					next.ServeHTTP(w, r)
					return
				}
			}
			w.WriteHeader(http.StatusUnauthorized)
		})
	}
}

func TestReasoner_R67_AServerThatAsksForATokenGetsAConnectionForEachCall(t *testing.T) {
	s := newShop(t)
	got := &seen{}
	ts := site(t, testServer("plain", t.TempDir()+"/e"), nil, func(h http.Handler) http.Handler { return got.note(demanding("a", "b")(h)) })
	c := mcp.Config{Title: "Strict", Transport: mcp.HTTP, URL: ts.URL, Identity: true}
	if _, err := s.servers.Add(t.Context(), c, nil); err == nil || !strings.Contains(err.Error(), "token") {
		t.Fatalf("shown without a token: %v", err)
	}
	v, err := s.servers.Add(identity.With(t.Context(), identity.Caller{Bearer: "a"}), c, nil)
	must(t, err)
	_, err = s.servers.Trust(v.ID, v.Digest)
	must(t, err)
	who := s.tool("strict.who")
	for _, token := range []string{"a", "b", "a"} {
		out, err := call(t.Context(), who, identity.Caller{Bearer: token}, `{"text":"x"}`)
		if err != nil || out != `{"status":"done","text":"x asks Bearer `+token+`"}` {
			t.Errorf("%s %v", out, err)
		}
	}
	for _, token := range []string{"", "c"} { // a refused caller is in nobody's way
		_, err := call(t.Context(), who, identity.Caller{Bearer: token}, `{"text":"x"}`)
		if no := refusal(t, err); !strings.Contains(no, "token") {
			t.Errorf("%q: %s", token, no)
		}
	}
	if out, err := call(t.Context(), who, identity.Caller{Bearer: "b"}, `{"text":"x"}`); err != nil {
		t.Errorf("%s %v", out, err)
	}
}

func TestReasoner_R67_ARefusedCallerEndsNobodyElsesCall(t *testing.T) {
	s := newShop(t)
	inside, free := make(chan struct{}), make(chan struct{})
	server := testServer("plain", t.TempDir()+"/e")
	sdk.AddTool(server, &sdk.Tool{Name: "slow", Description: "Takes its time."}, func(context.Context, *sdk.CallToolRequest, note) (*sdk.CallToolResult, any, error) {
		close(inside)
		<-free
		return says("done at last"), nil, nil
	})
	ts := site(t, server, nil, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer bad" {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	s.add(mcp.Config{Title: "One", Transport: mcp.HTTP, URL: ts.URL, Identity: true})
	ended := make(chan error, 1)
	go func() {
		out, err := call(t.Context(), s.tool("one.slow"), identity.Caller{Bearer: "good"}, `{"text":"x"}`)
		if err == nil && !strings.Contains(out, "at last") {
			err = fmt.Errorf("%s", out)
		}
		ended <- err
	}()
	<-inside
	_, err := call(t.Context(), s.tool("one.who"), identity.Caller{Bearer: "bad"}, `{"text":"x"}`)
	if no := refusal(t, err); !strings.Contains(no, "refuses this caller") {
		t.Error(no)
	}
	close(free)
	must(t, <-ended)
}

func TestReasoner_R70_AServersToolsAreForThoseWhoHaveWhatItNeeds(t *testing.T) {
	s := newShop(t)
	c, file := s.program("plain")
	c.Needs = []string{"role:clinician", "claim:clinic=north"}
	s.add(c)
	x := s.tool("numbers.keep")
	for _, who := range []identity.Caller{{}, {Roles: []string{"clinician"}}, {Roles: []string{"visitor"}, Claims: map[string]any{"clinic": "north"}}} {
		if _, err := call(t.Context(), x, who, `{"text":"x"}`); err == nil {
			t.Errorf("%v %v may", who.Roles, who.Claims)
		}
	}
	if _, err := call(t.Context(), x, identity.Caller{Roles: []string{"clinician"}, Claims: map[string]any{"clinic": "north"}}, `{"text":"x"}`); err != nil || effects(t, file) != 1 {
		t.Errorf("%v, %d effects", err, effects(t, file))
	}
	c.Title, c.Needs = "Other", []string{"clinician"}
	if _, err := s.servers.Add(t.Context(), c, nil); err == nil {
		t.Error("a need that cannot be read was taken up")
	}
}
