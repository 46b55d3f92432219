package identity

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Errors of Verify that callers distinguish. None holds any part of the token.
var (
	// ErrToken says that a token is not to be trusted.
	ErrToken = errors.New("identity: the token is not valid")
	// ErrExpired says that a token has expired or is not valid yet. It wraps ErrToken.
	ErrExpired = fmt.Errorf("%w at this time", ErrToken)
	// ErrSecret says that the secret is too short to rely on (RFC 7518, 3.2).
	ErrSecret = errors.New("identity: the secret needs at least 32 bytes")
)

const (
	leastSecret = 32
	mostToken   = 16 << 10
)

// Verify reads the caller from a JWT that is signed by HMAC-SHA256 with the secret. No
// other algorithm is accepted, whatever the token names. The token must have an expiry,
// and must be valid at now: neither expired nor still to come.
//
// Roles come from the claim roles, scopes from scope (words between blanks) or
// scopes, the subject from sub.
func Verify(token string, secret []byte, now time.Time) (Caller, error) {
	if len(secret) < leastSecret {
		return Caller{}, ErrSecret
	}
	if len(token) > mostToken {
		return Caller{}, fmt.Errorf("%w: it is longer than %d bytes", ErrToken, mostToken)
	}
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return secret, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(func() time.Time { return now }))
	switch {
	case errors.Is(err, jwt.ErrTokenExpired), errors.Is(err, jwt.ErrTokenNotValidYet):
		return Caller{}, ErrExpired
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return Caller{}, fmt.Errorf("%w: it is not signed with this secret by HS256", ErrToken)
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return Caller{}, fmt.Errorf("%w: it never expires", ErrToken)
	case err != nil:
		return Caller{}, ErrToken
	}
	c := Caller{Claims: claims, Bearer: token}
	if sub, ok := claims["sub"]; ok {
		if c.Subject, ok = sub.(string); !ok {
			return Caller{}, fmt.Errorf("%w: sub is not a text", ErrToken)
		}
	}
	if c.Roles, err = words(claims, "roles"); err != nil {
		return Caller{}, err
	}
	if c.Scopes, err = words(claims, "scopes"); err != nil {
		return Caller{}, err
	}
	more, err := words(claims, "scope")
	if err != nil {
		return Caller{}, err
	}
	c.Scopes = append(c.Scopes, more...)
	return c, nil
}

// words reads a claim that is a list of texts, or one text of words between blanks.
func words(claims jwt.MapClaims, name string) ([]string, error) {
	switch v := claims[name].(type) {
	case nil:
		return nil, nil
	case string:
		return strings.Fields(v), nil
	case []any:
		var out []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, fmt.Errorf("%w: %s holds more than texts", ErrToken, name)
			}
			out = append(out, s)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%w: %s is not a list of texts", ErrToken, name)
}
