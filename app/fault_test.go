package app_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

func TestFault_EveryErrorThatPeopleMeetHasItsCodeAndAWayOn(t *testing.T) {
	for _, c := range []struct {
		err  error
		code string
		http int
	}{
		{ledger.ErrExpired, "expired", 409}, {ledger.ErrDecided, "decided", 409}, {ledger.ErrDigest, "digest", 409},
		{ledger.ErrArguments, "arguments", 400}, {tool.ErrArguments, "arguments", 400}, {ledger.ErrNotFound, "not_found", 404},
		{run.ErrLive, "busy", 409}, {run.ErrNoRun, "not_found", 404}, {run.ErrTopology, "topology", 409}, {run.ErrDamaged, "topology", 409},
		{run.ErrFinal, "final", 409}, {run.ErrLimit, "limit", 409}, {run.ErrUnknownPause, "unknown_pause", 404},
		{run.ErrEmptyAnswer, "empty_answer", 400}, {run.ErrAnswered, "answered", 409}, {run.ErrFenced, "busy", 409},
		{record.ErrNotFound, "not_found", 404}, {session.ErrNotFound, "not_found", 404},
		{model.ErrUnreachable, "no_server", 502}, {model.ErrNoModel, "no_model", 409}, {model.ErrStalled, "stalled", 504}, {model.ErrBroken, "broken", 502},
		{store.ErrLocked, "locked", 409}, {store.ErrReadOnly, "read_only", 409}, {store.ErrNoBlob, "not_found", 404}, {store.ErrCursor, "bad_request", 400}, {store.ErrID, "bad_request", 400},
		{store.ErrLatched, "latched", 500}, {context.Canceled, "cancelled", http.StatusRequestTimeout + 91}, {os.ErrNotExist, "not_found", 404},
		{errors.New("something else"), "error", 500},
	} {
		f := app.AsFault(fmt.Errorf("while doing this: %w", c.err))
		if f.Code != c.code || f.HTTP != c.http || f.Message == "" {
			t.Errorf("%v: %s %d %q, want %s %d", c.err, f.Code, f.HTTP, f.Message, c.code, c.http)
		}
		if !errors.Is(f, c.err) {
			t.Errorf("%v is not behind its fault", c.err)
		}
		if c.code != "error" && f.Hint == "" && f.Safe == "" {
			t.Errorf("%v: nothing says what to do or what is safe", c.err)
		}
	}
	own := app.Bad("what happened", "what to do")
	if f := app.AsFault(fmt.Errorf("outer: %w", own)); f != own || f.HTTP != 400 || f.Code != "bad_request" {
		t.Errorf("%+v", f)
	}
}

// "The server died in the middle of the reply, and all that it said was dial tcp, connection refused."
func TestFault_WhatEndedATurnSaysWhatToDo(t *testing.T) {
	for _, err := range []error{model.ErrUnreachable, model.ErrNoModel, model.ErrStalled, model.ErrBroken, model.ErrServer, model.ErrRequest, turn.ErrNoModel, store.ErrLatched} {
		for _, text := range []string{fmt.Errorf("%w: show fake:latest: connection refused", err).Error(), fmt.Errorf("navigator: think: %w: chat: EOF", err).Error()} {
			if app.FailureHint(text) == "" {
				t.Errorf("%q leaves a person without a way on", text)
			}
		}
	}
	for _, text := range []string{"", "a tool said model: broken answer", "cancelled", "context canceled"} {
		if hint := app.FailureHint(text); hint != "" {
			t.Errorf("%q: %q", text, hint)
		}
	}
}
