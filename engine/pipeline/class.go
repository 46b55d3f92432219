package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

// ErrValidation says that a tool's arguments or its output are not valid.
var ErrValidation = errors.New("pipeline: not valid")

// Refusal is a business "no": the tool understood and will not.
type Refusal = tool.Refusal

// StatusError is an HTTP status that a service answered with.
type StatusError struct {
	Code int
	Err  error // may be nil
}

func (e *StatusError) Error() string {
	msg := fmt.Sprintf("pipeline: status %d %s", e.Code, http.StatusText(e.Code))
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

func (e *StatusError) Unwrap() error { return e.Err }

// Class says what kind of failure an error is. It decides whether an attempt is repeated.
type Class string

const (
	ClassTimeout    Class = "timeout"    // no answer in time
	ClassConnection Class = "connection" // nobody answered, or the line broke
	ClassServer     Class = "server"     // a 5xx

	ClassRequest      Class = "request" // a 4xx
	ClassValidation   Class = "validation"
	ClassRefusal      Class = "refusal"
	ClassUnclassified Class = "unclassified"
	// ClassCancelled is not a failure of the tool: the turn was stopped.
	ClassCancelled Class = "cancelled"
)

// Retried says whether another attempt may help.
func (c Class) Retried() bool { return c == ClassTimeout || c == ClassConnection || c == ClassServer }

// Classify finds the class of a tool's error. If several classes fit, one that is never
// retried wins.
func Classify(err error) Class {
	var (
		refusal *Refusal
		status  *StatusError
		netErr  net.Error
		op      *net.OpError
		dns     *net.DNSError
	)
	is := func(targets ...error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
	hasStatus := errors.As(err, &status)
	switch {
	case errors.As(err, &refusal):
		return ClassRefusal
	case is(ErrValidation, tool.ErrArguments):
		return ClassValidation
	case hasStatus && status.Code >= 400 && status.Code < 500, is(model.ErrRequest, model.ErrNoModel):
		return ClassRequest
	case hasStatus && status.Code >= 500 && status.Code < 600, is(model.ErrServer):
		return ClassServer
	case hasStatus, is(model.ErrBroken, context.Canceled):
		return ClassUnclassified
	case is(context.DeadlineExceeded, model.ErrStalled), errors.As(err, &netErr) && netErr.Timeout():
		return ClassTimeout
	case is(model.ErrUnreachable, net.ErrClosed, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE),
		errors.As(err, &op), errors.As(err, &dns):
		return ClassConnection
	default:
		return ClassUnclassified
	}
}

// plain says what a failure means to the person who reads the answer.
func plain(class Class, err error) string {
	var refusal *Refusal
	switch class {
	case ClassTimeout:
		return "It took too long."
	case ClassConnection:
		return "Its source could not be reached."
	case ClassServer:
		return "Its source reported an error of its own."
	case ClassRequest:
		return "Its source refused the request."
	case ClassValidation:
		return "What it was given or found is not usable."
	case ClassRefusal:
		if errors.As(err, &refusal) && refusal.Reason != "" {
			return refusal.Reason
		}
		return "It declined."
	default:
		return "It failed for a reason that is not known."
	}
}
