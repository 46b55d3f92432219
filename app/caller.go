package app

import (
	"context"
	"errors"
	"time"

	"holdpoint/engine/identity"
)

// CallerToken says for whom the window or serve acts: a token (JWT, HS256), believed only
// as far as the secret says. The token may be left out where each request brings its own.
type CallerToken struct {
	Token  string
	Secret []byte
}

// CallerView is who the app acts for, as people see it: never the token itself.
type CallerView struct {
	Subject string   `json:"subject"`
	Roles   []string `json:"roles,omitempty"`
	Scopes  []string `json:"scopes,omitempty"`
	// Expired says that the token ran out: turns run on, for nobody in particular.
	Expired bool `json:"expired,omitempty"`
}

// Check says what is wrong with the token or the secret.
func (t CallerToken) Check(now time.Time) error {
	if t.Token == "" {
		if len(t.Secret) > 0 {
			_, err := identity.Verify("", t.Secret, now)
			if errors.Is(err, identity.ErrSecret) {
				return err
			}
		}
		return nil
	}
	_, err := identity.Verify(t.Token, t.Secret, now)
	return err
}

// caller is who asks: the caller that ctx carries, else the one that the app was started
// for. A token is checked each time; one that ran out names nobody, so that tools with a
// guard refuse, and a message that needs help is answered all the same.
func (a *App) caller(ctx context.Context) identity.Caller {
	if c := identity.From(ctx); c.Subject != "" || c.Bearer != "" {
		return c
	}
	if a.acts.Token == "" {
		return identity.Caller{}
	}
	c, err := identity.Verify(a.acts.Token, a.acts.Secret, a.now())
	if err != nil {
		a.log.Warn("the caller's token is not valid any more")
		return identity.Caller{}
	}
	return c
}

// callerView is for the screens; nil without a token.
func (a *App) callerView() *CallerView {
	if a.acts.Token == "" {
		return nil
	}
	c, err := identity.Verify(a.acts.Token, a.acts.Secret, a.now())
	return &CallerView{Subject: c.Subject, Roles: c.Roles, Scopes: c.Scopes, Expired: err != nil}
}

// As lets ctx act for the caller that a request's own token names.
func (a *App) As(ctx context.Context, token string) (context.Context, error) {
	if len(a.acts.Secret) == 0 {
		return nil, &Fault{Code: "no_secret", HTTP: 400, Message: "This Holdpoint has no secret to check a caller's token with.",
			Hint: "Start it with --secret-env, or leave the header out.", Safe: "Nothing was run."}
	}
	c, err := identity.Verify(token, a.acts.Secret, a.now())
	if err != nil {
		return nil, &Fault{Code: "bad_token", HTTP: 401, Message: "The caller's token is not valid: it is not signed with this secret by HS256, or it has expired.",
			Hint: "Get a fresh token.", Safe: "Nothing was run.", err: err}
	}
	return identity.With(ctx, c), nil
}
