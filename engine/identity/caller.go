// Package identity says who asked for a run and what they may do.
package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync/atomic"
)

// Caller is who asked for a run. It lives beside the run and is never stored.
type Caller struct {
	Subject string         `json:"subject"`
	Roles   []string       `json:"roles,omitempty"`
	Scopes  []string       `json:"scopes,omitempty"`
	Claims  map[string]any `json:"claims,omitempty"`
	// Bearer is the token the caller came with; it is never written anywhere.
	Bearer string `json:"-"`
}

// String hides the bearer.
func (c Caller) String() string { return "caller " + c.Subject }

// GoString hides the bearer.
func (c Caller) GoString() string { return c.String() }

// Format hides the bearer whatever the verb.
func (c Caller) Format(f fmt.State, _ rune) {
	// A printer that cannot be written to has nobody to tell.
	_, _ = f.Write([]byte(c.String()))
}

// LogValue hides the bearer, and who it is.
func (c Caller) LogValue() slog.Value { return slog.StringValue("caller " + Short(c.Subject)) }

// Short stands in logs for a name or an id that a person may have chosen: it tells them
// apart and says nothing else.
func Short(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:6])
}

type callerKey struct{}

// With returns a context that carries the caller of a run. Once ctx ends, the caller
// can no longer be read from it, so that nothing that outlives the run acts in the
// caller's name.
func With(ctx context.Context, c Caller) context.Context {
	held := &atomic.Pointer[Caller]{}
	held.Store(&c)
	context.AfterFunc(ctx, func() { held.Store(nil) })
	return context.WithValue(ctx, callerKey{}, held)
}

// From returns the caller; the zero Caller when there is none or its run has ended.
func From(ctx context.Context) Caller {
	held, _ := ctx.Value(callerKey{}).(*atomic.Pointer[Caller])
	if held == nil {
		return Caller{}
	}
	c := held.Load()
	if c == nil || ctx.Err() != nil {
		return Caller{} // the clearing may still be on its way
	}
	return *c
}
