package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"holdpoint/app"
	"holdpoint/app/web"
	"holdpoint/engine/agent"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/identity"
	"holdpoint/engine/journal"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// who is an agent with a tool for clinicians that says who calls it.
func who(turn.Kit) (agent.Agent, error) {
	a := definition.Open("who")
	a.Tools = []tool.Tool{{Name: "who", Description: "Says who calls.", Parameters: json.RawMessage(`{"type":"object","additionalProperties":false}`), Allow: identity.HasRole("clinician"),
		Read: func(ctx context.Context, _ tool.Env, _ json.RawMessage) (json.RawMessage, error) {
			return json.Marshal(identity.From(ctx).Subject)
		}}}
	def, err := definition.Parse([]byte(`name: who
nodes:
  - {name: ask, kind: tool, tool: who, on_error: nobody, default_next: say}
  - {name: say, kind: transform, template: "called by {{.ask_output}}", default_next: end}
  - {name: nobody, kind: transform, template: "refused", default_next: end}
`))
	if err != nil {
		return a, err
	}
	g, err := definition.Graph(def)
	a.Graph = func(map[string]string) (*graph.Graph, error) { return g, err }
	return a, err
}

const callerSecret = "a secret of more than thirty-two bytes"

func token(t *testing.T, subject, role string, until time.Time) string {
	t.Helper()
	s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": subject, "roles": []string{role}, "exp": until.Unix()}).SignedString([]byte(callerSecret))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// says sends a message and waits for what is replied.
func (w *site) says(headers ...string) (reply string, status int) {
	w.t.Helper()
	events, stop := w.app.Listen("")
	defer stop()
	res := w.do(http.MethodPost, "/api/call/send", `{"agent":"who","text":"who?"}`, headers)
	if res.status != http.StatusOK {
		return res.body, res.status
	}
	for e := range events {
		if e.Kind == journal.TurnCompleted {
			return e.Text, res.status
		}
	}
	return "", 0
}

func TestReasoner_R66_ServeAndTheWindowActForTheirCaller(t *testing.T) {
	var now atomic.Int64
	began := time.Now()
	clock := func() time.Time { return began.Add(time.Duration(now.Load())) }
	w := openWith(t, app.Options{Agents: []agent.New{who}, Now: clock, Caller: app.CallerToken{Token: token(t, "dr-alder", "clinician", began.Add(time.Hour)), Secret: []byte(callerSecret)}})
	want := func(what, want string, headers ...string) {
		t.Helper()
		if got, _ := w.says(headers...); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	want("the caller of the whole program", "called by dr-alder")
	want("a request's own caller", "called by dr-birch", web.CallerHeader, token(t, "dr-birch", "clinician", began.Add(time.Hour)))
	want("a request of a visitor", "refused", web.CallerHeader, token(t, "visitor", "guest", began.Add(time.Hour)))
	for what, bad := range map[string]string{"expired": token(t, "x", "clinician", began.Add(-time.Hour)), "no token": "let me in", "foreign": token(t, "x", "clinician", began.Add(time.Hour))[:40] + "x"} {
		if body, status := w.says(web.CallerHeader, bad); status != http.StatusUnauthorized || !strings.Contains(body, "Nothing was run") || strings.Contains(body, bad) {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	// "My variable was empty, and the turn ran with the doctor's rights."
	for what, empty := range map[string]string{"empty": "", "blanks": "  "} {
		if body, status := w.says(web.CallerHeader, empty); status != http.StatusUnauthorized || !strings.Contains(body, "Nothing was run") {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	two, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.origin+"/api/state", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	two.Header[web.CallerHeader] = []string{token(t, "dr-birch", "clinician", began.Add(time.Hour)), token(t, "visitor", "guest", began.Add(time.Hour))}
	two.Header.Set(keyHeader, w.key)
	answer, err := w.client.Do(two)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("a request that names two callers: %d %v", answer.StatusCode, err)
	}
	state := w.do(http.MethodGet, "/api/state", "", nil).body
	if !strings.Contains(state, `"caller":{"subject":"dr-alder","roles":["clinician"]}`) || strings.Contains(state, "eyJ") {
		t.Errorf("the screens are told %s", state)
	}
	now.Store(int64(2 * time.Hour))
	want("a token that ran out", "refused")
	if state := w.do(http.MethodGet, "/api/state", "", nil).body; !strings.Contains(state, `"expired":true`) {
		t.Errorf("nobody says that the token ran out: %s", state)
	}
}

func TestReasoner_R66_WithoutASecretNoRequestNamesACaller(t *testing.T) {
	w := open(t, who)
	if got, _ := w.says(); got != "refused" {
		t.Errorf("nobody in particular: %q", got)
	}
	if body, status := w.says(web.CallerHeader, token(t, "x", "clinician", time.Now().Add(time.Hour))); status != http.StatusBadRequest || !strings.Contains(body, "--secret-env") {
		t.Errorf("%d %s", status, body)
	}
}
