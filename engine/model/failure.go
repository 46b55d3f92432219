package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/ollama/ollama/api"
)

// errTooLong says that an answer, or one line of it, is longer than any genuine one.
var errTooLong = errors.New("the answer is too long")

// explain maps an error of the api package, or of a stream, to one of this package's
// errors. An error that already is one stays as it is.
func explain(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err // the address is ours, and says nothing
	}
	for _, kind := range []error{ErrUnreachable, ErrNoModel, ErrStalled, ErrBroken, ErrServer, ErrRequest, ErrRemote, ErrNotGGUF, ErrCopy} {
		if errors.Is(err, kind) {
			return err
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		if errors.Is(cause, ErrStalled) {
			return cause
		}
		return fmt.Errorf("model: %s: %w", what, cause)
	}
	var status api.StatusError
	if errors.As(err, &status) {
		return refused(what, status.StatusCode, status.ErrorMessage)
	}
	var denied api.AuthorizationError
	if errors.As(err, &denied) {
		return refused(what, denied.StatusCode, "the server asks for an account")
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, errTooLong) {
		return fmt.Errorf("%w: %s: %s", ErrBroken, what, clip(err.Error()))
	}
	return fmt.Errorf("%w: %s: %s", ErrUnreachable, what, clip(err.Error()))
}

// refused makes the error for an HTTP status of 400 or more.
func refused(what string, status int, text string) error {
	if text = clip(text); text == "" {
		text = http.StatusText(status)
	}
	switch {
	case status == http.StatusNotFound:
		return fmt.Errorf("%w: %s: %s", ErrNoModel, what, text)
	case status >= 500:
		return fmt.Errorf("%w: %s: %d: %s", ErrServer, what, status, text)
	default:
		return fmt.Errorf("%w: %s: %d: %s", ErrRequest, what, status, text)
	}
}

// clip makes somebody else's text fit for an error message: one short line without
// control or formatting characters.
func clip(s string) string {
	const most = 200
	var b strings.Builder
	for _, r := range s {
		if b.Len() >= most {
			b.WriteString("…")
			break
		}
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}
