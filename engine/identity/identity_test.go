package identity_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"holdpoint/engine/identity"
)

var (
	t0     = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	secret = []byte("a secret of more than thirty-two bytes")
)

func signed(t *testing.T, m jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	s, err := jwt.NewWithClaims(m, claims).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func good() jwt.MapClaims {
	return jwt.MapClaims{"sub": "dr-alder", "exp": t0.Add(time.Hour).Unix(), "nbf": t0.Add(-time.Hour).Unix(),
		"roles": []string{"clinician"}, "scope": "records.read book.write", "clinic": "north"}
}

func with(name string, value any) jwt.MapClaims {
	c := good()
	if value == nil {
		delete(c, name)
	} else {
		c[name] = value
	}
	return c
}

func TestReasoner_R68_OnlyAnHS256TokenOfThisSecretAndTimeIsBelieved(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&rsaKey.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	hs := jwt.SigningMethodHS256
	fine := signed(t, hs, secret, good())
	parts := strings.Split(fine, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`))
	other := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"admin","exp":99999999999,"roles":["admin"]}`))
	for name, c := range map[string]struct {
		token  string
		secret []byte
		want   error
	}{
		"a good one":                                 {fine, secret, nil},
		"no algorithm, no signature":                 {signed(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good()), secret, identity.ErrToken},
		"no algorithm, the old signature":            {none + "." + parts[1] + "." + parts[2], secret, identity.ErrToken},
		"other claims, the old signature":            {parts[0] + "." + other + "." + parts[2], secret, identity.ErrToken},
		"RS256":                                      {signed(t, jwt.SigningMethodRS256, rsaKey, good()), secret, identity.ErrToken},
		"RS256 with the public key as the secret":    {signed(t, jwt.SigningMethodRS256, rsaKey, good()), publicPEM, identity.ErrToken},
		"HS384 of the same secret":                   {signed(t, jwt.SigningMethodHS384, secret, good()), secret, identity.ErrToken},
		"HS512 of the same secret":                   {signed(t, jwt.SigningMethodHS512, secret, good()), secret, identity.ErrToken},
		"another secret":                             {signed(t, hs, []byte("another one of more than thirty-two bytes"), good()), secret, identity.ErrToken},
		"no signature":                               {parts[0] + "." + parts[1] + ".", secret, identity.ErrToken},
		"nothing":                                    {"", secret, identity.ErrToken},
		"not a token":                                {"bearer of news", secret, identity.ErrToken},
		"endless":                                    {fine + strings.Repeat("A", 20<<10), secret, identity.ErrToken},
		"it expired a second ago":                    {signed(t, hs, secret, with("exp", t0.Add(-time.Second).Unix())), secret, identity.ErrExpired},
		"it expires right now":                       {signed(t, hs, secret, with("exp", t0.Unix())), secret, identity.ErrExpired},
		"it is good in a second":                     {signed(t, hs, secret, with("nbf", t0.Add(time.Second).Unix())), secret, identity.ErrExpired},
		"it never expires":                           {signed(t, hs, secret, with("exp", nil)), secret, identity.ErrToken},
		"it expires at a text":                       {signed(t, hs, secret, with("exp", "never")), secret, identity.ErrToken},
		"roles that are no texts":                    {signed(t, hs, secret, with("roles", []int{1})), secret, identity.ErrToken},
		"a subject that is no text":                  {signed(t, hs, secret, with("sub", 7)), secret, identity.ErrToken},
		"a secret that is short":                     {signed(t, hs, []byte("short"), good()), []byte("short"), identity.ErrSecret},
		"no secret":                                  {fine, nil, identity.ErrSecret},
		"no nbf, which a token may leave out":        {signed(t, hs, secret, with("nbf", nil)), secret, nil},
		"issued in the future, which proves nothing": {signed(t, hs, secret, with("iat", t0.Add(time.Hour).Unix())), secret, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := identity.Verify(c.token, c.secret, t0)
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			if err == nil {
				return
			}
			if got.Subject != "" || got.Bearer != "" || got.Roles != nil || got.Claims != nil {
				t.Errorf("a refused token still made a caller: %#v", got)
			}
			for _, part := range strings.Split(c.token, ".") {
				if len(part) > 10 && strings.Contains(err.Error(), part) {
					t.Errorf("the error shows a part of the token")
				}
			}
		})
	}
}

func TestReasoner_R69_RolesScopesAndClaimsAreRead(t *testing.T) {
	c, err := identity.Verify(signed(t, jwt.SigningMethodHS256, secret, good()), secret, t0)
	if err != nil {
		t.Fatal(err)
	}
	if c.Subject != "dr-alder" || !slices.Equal(c.Roles, []string{"clinician"}) || !slices.Equal(c.Scopes, []string{"records.read", "book.write"}) || c.Claims["clinic"] != "north" {
		t.Errorf("%s %v %v %v", c.Subject, c.Roles, c.Scopes, c.Claims)
	}
	listed, err := identity.Verify(signed(t, jwt.SigningMethodHS256, secret, with("scopes", []string{"one", "two"})), secret, t0)
	if err != nil || !slices.Equal(listed.Scopes, []string{"one", "two", "records.read", "book.write"}) {
		t.Errorf("%v %v", listed.Scopes, err)
	}
}

func TestReasoner_R70_GuardsLetOnlyWhomTheyName(t *testing.T) {
	c := identity.Caller{Subject: "x", Roles: []string{"clinician"}, Scopes: []string{"book"}, Claims: map[string]any{"clinic": "north", "admin": true}}
	for rule, want := range map[string]bool{
		"role:clinician": true, "role:admin": false, "role:Clinician": false, "role:clin": false,
		"scope:book": true, "scope:clinician": false, "claim:clinic=north": true, "claim:clinic=south": false,
		"claim:none=": false, "claim:admin=true": false, // the claim is no text
	} {
		g, err := identity.ParseGuard(rule)
		if err != nil {
			t.Fatal(rule, err)
		}
		if err := g(c); (err == nil) != want || err != nil && !errors.Is(err, identity.ErrDenied) {
			t.Errorf("%s: %v", rule, err)
		}
		if g(identity.Caller{}) == nil {
			t.Errorf("%s lets nobody in particular", rule)
		}
	}
	if err := identity.HasClaim("admin", true)(c); err != nil {
		t.Error(err)
	}
	if err := identity.All(identity.HasRole("clinician"), identity.HasScope("none"))(c); err == nil {
		t.Error("one of two is not both")
	}
	for _, bad := range []string{"", "role:", "roles:x", "claim:x", "claim:=y", "clinician"} {
		if _, err := identity.ParseGuard(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestReasoner_R66_TheBearerIsNeverWritten(t *testing.T) {
	const canary = "eyJ-canary-token"
	c := identity.Caller{Subject: "x", Bearer: canary}
	type live struct {
		Caller identity.Caller
		Ptr    *identity.Caller
	}
	body, err := json.Marshal(live{c, &c})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "caller", c, "ptr", &c)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "caller", c, "live", live{c, &c})
	out := string(body) + log.String() + c.String() + fmt.Sprint(c, &c, live{c, &c})
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		out += fmt.Sprintf(verb+verb, c, live{c, &c})
	}
	if strings.Contains(out, canary) || strings.Contains(out, fmt.Sprintf("%x", canary)) {
		t.Errorf("the bearer is in %s", out)
	}
}

func TestReasoner_R66_TheCallerIsGoneOnceItsRunEnds(t *testing.T) {
	run, end := context.WithCancel(t.Context())
	ctx := identity.With(run, identity.Caller{Subject: "x", Bearer: "b"})
	kept := context.WithoutCancel(ctx) // what outlives the run
	if identity.From(ctx).Subject != "x" || identity.From(kept).Bearer != "b" {
		t.Fatal("the caller is not there during the run")
	}
	cleared := make(chan struct{})
	end()
	context.AfterFunc(run, func() { close(cleared) })
	<-cleared
	if got := identity.From(ctx); got.Subject != "" || got.Bearer != "" {
		t.Errorf("%v is still there", got)
	}
	for range 1000 { // the clearing runs on a goroutine of its own
		if identity.From(kept).Bearer == "" {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if got := identity.From(kept); got.Subject != "" || got.Bearer != "" {
		t.Errorf("%v is still there", got)
	}
	if identity.From(t.Context()).Subject != "" {
		t.Error("a context without a caller has one")
	}
}

func TestReasoner_R66_RunsSideBySideNeverShareACaller(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			name := fmt.Sprint("caller-", i)
			ctx, end := context.WithCancel(t.Context())
			defer end()
			ctx = identity.With(ctx, identity.Caller{Subject: name, Bearer: name})
			for range 100 {
				if got := identity.From(ctx); got.Subject != name || got.Bearer != name {
					t.Errorf("%s met %v", name, got)
				}
			}
		})
	}
	wg.Wait()
}
