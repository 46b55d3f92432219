package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// lineLimit is the longest line of a stream, in bytes.
const lineLimit = 2 << 20

// mostBlank is how many blank lines a stream may have.
const mostBlank = 10_000

// stream posts a request and hands each line of the answer, one JSON value, to
// onLine until that says that it was the last. The api package's own streams hide
// a broken connection and don't tell a server's error from garbage, so chats and
// pulls read theirs here. first and next are how long the first line and each
// later one may take.
func (s *Server) stream(ctx context.Context, what, path string, request any, first, next time.Duration, onLine func([]byte) (last bool, err error)) error {
	base, err := s.base(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("%w: %s: %s", ErrRequest, what, clip(err.Error()))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(first, func() {
		cancel(fmt.Errorf("%w: %s: nothing came for %v", ErrStalled, what, first))
	})
	defer func() { stall.Stop() }()

	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %s: %s", ErrRequest, what, clip(err.Error()))
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/x-ndjson")
	resp, err := s.http.Do(r)
	if err != nil {
		return explain(ctx, what, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		return refused(what, resp.StatusCode, errorText(io.LimitReader(resp.Body, 64<<10)))
	}

	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 64<<10), lineLimit)
	blank := 0
	for lines.Scan() {
		stall.Stop()
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			if blank++; blank > mostBlank {
				return fmt.Errorf("%w: %s: the server sends nothing but blank lines", ErrBroken, what)
			}
		} else {
			var failed struct {
				Error json.RawMessage `json:"error"`
			}
			if err := json.Unmarshal(line, &failed); err != nil {
				if lines.Err() != nil {
					break // it is what came of a line before the stream broke off
				}
				return fmt.Errorf("%w: %s: the server sent %q", ErrBroken, what, clip(string(line[:min(len(line), 400)])))
			}
			if len(failed.Error) > 0 && string(failed.Error) != "null" && string(failed.Error) != `""` {
				return fmt.Errorf("%w: %s: %s", ErrServer, what, clip(plain(failed.Error)))
			}
			last, err := onLine(line)
			if err != nil || last {
				return err
			}
		}
		// A caller that takes long over a line doesn't count against the server.
		stall = time.AfterFunc(next, func() {
			cancel(fmt.Errorf("%w: %s: nothing came for %v", ErrStalled, what, next))
		})
	}
	if s.own != nil {
		s.own.settle(ctx)
	}
	switch err := lines.Err(); {
	case context.Cause(ctx) != nil:
		return explain(ctx, what, context.Cause(ctx))
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%w: %s: a line of more than %d MiB", ErrBroken, what, lineLimit>>20)
	case err != nil:
		return fmt.Errorf("%w: %s: %s", ErrBroken, what, clip(err.Error()))
	}
	return fmt.Errorf("%w: %s: the server stopped in the middle", ErrBroken, what)
}

// errorText reads what a server says about a failure: {"error": "…"} or anything else.
func errorText(r io.Reader) string {
	// A part is better than nothing in an error message.
	body, _ := io.ReadAll(r)
	var said struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &said) == nil && len(said.Error) > 0 {
		return plain(said.Error)
	}
	return string(body)
}

// plain is a JSON string's text, or the JSON itself.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
