// Package identity says who asked for a run and what they may do.
package identity

import "context"

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

type callerKey struct{}

// With puts the caller on the context of tool calls.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// From reads the caller; the zero one when there is none.
func From(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
