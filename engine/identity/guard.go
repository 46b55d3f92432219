package identity

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// ErrDenied says that a caller may not do something.
var ErrDenied = errors.New("identity: not allowed")

// Guard says why a caller may not do something; nil lets them.
type Guard func(Caller) error

// HasRole lets callers with the role.
func HasRole(role string) Guard {
	return func(c Caller) error {
		if slices.Contains(c.Roles, role) {
			return nil
		}
		return fmt.Errorf("%w: this needs the role %q", ErrDenied, role)
	}
}

// HasScope lets callers with the scope.
func HasScope(scope string) Guard {
	return func(c Caller) error {
		if slices.Contains(c.Scopes, scope) {
			return nil
		}
		return fmt.Errorf("%w: this needs the scope %q", ErrDenied, scope)
	}
}

// HasClaim lets callers whose token has the claim with exactly this value.
func HasClaim(name string, value any) Guard {
	return func(c Caller) error {
		if got, ok := c.Claims[name]; ok && reflect.DeepEqual(got, value) {
			return nil
		}
		return fmt.Errorf("%w: this needs the claim %q", ErrDenied, name)
	}
}

// All lets callers whom every guard lets; without any, everybody.
func All(guards ...Guard) Guard {
	return func(c Caller) error {
		for _, g := range guards {
			if err := g(c); err != nil {
				return err
			}
		}
		return nil
	}
}

// ParseGuard reads "role:NAME", "scope:NAME" or "claim:NAME=TEXT".
func ParseGuard(s string) (Guard, error) {
	kind, name, ok := strings.Cut(s, ":")
	if ok && name != "" {
		switch kind {
		case "role":
			return HasRole(name), nil
		case "scope":
			return HasScope(name), nil
		case "claim":
			if name, value, ok := strings.Cut(name, "="); ok && name != "" {
				return HasClaim(name, value), nil
			}
		}
	}
	return nil, fmt.Errorf("identity: %q is not a requirement; write role:NAME, scope:NAME or claim:NAME=TEXT", s)
}
