package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// endless sends what next gives until the reader goes away.
func endless(next func(i int) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; r.Context().Err() == nil; i++ {
			if _, err := fmt.Fprint(w, next(i)); err != nil {
				return
			}
		}
	}
}

// "The model never stopped, and the laptop ran out of memory."
func TestThreat11_AnAnswerWithoutEndIsBoundedWhileItStreams(t *testing.T) {
	call := func(args string) string {
		return `{"message":{"tool_calls":[{"function":{"name":"book","arguments":` + args + `}}]},"done":false}` + "\n"
	}
	pad := strings.Repeat("é", 32<<10)
	for name, c := range map[string]struct {
		server http.HandlerFunc
		want   error
		text   int // at least this much is kept
	}{
		"gigabytes of text":         {endless(func(int) string { return content(pad) + "\n" }), ErrBroken, textRoom - 1},
		"one endless line":          {endless(func(i int) string { return map[bool]string{true: `{"message":{"content":"`, false: pad}[i == 0] }), ErrBroken, 0},
		"endless tiny chunks":       {endless(func(int) string { return content("é") + "\n" }), ErrBroken, textRoom - 1},
		"endless chunks of nothing": {endless(func(int) string { return content("") + "\n" }), ErrBroken, 0},
		"endless blank lines":       {endless(func(int) string { return "\n" }), ErrBroken, 0},
		"endless calls":             {endless(func(int) string { return call(`{"a":1}`) }), ErrBroken, 0},
		"arguments without end":     {endless(func(int) string { return call(`{"a":"` + pad + `"}`) }), ErrBroken, 0},
		"endless thinking":          {endless(func(int) string { return `{"message":{"thinking":"` + pad + `"},"done":false}` + "\n" }), ErrBroken, 0},
		"members that nobody knows": {endless(func(int) string { return `{"x":"` + pad + `","done":false}` + "\n" }), ErrBroken, 0},
		"a slow drip": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				lines(content("drop "))(w, r)
				select {
				case <-time.After(20 * time.Millisecond):
				case <-r.Context().Done():
				}
			}
		}, ErrStalled, 5},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, "tools", "completion")
			s.chat = c.server
			if c.want == ErrStalled {
				m.options.Answer = 300 * time.Millisecond
			}
			heard, peak := 0, uint64(0)
			looks := 0
			answer, err := m.Chat(context.Background(), ask("hello"), func(piece string) {
				heard += len(piece)
				if looks++; looks%1000 == 1 {
					var mem runtime.MemStats
					runtime.ReadMemStats(&mem)
					peak = max(peak, mem.HeapInuse)
				}
			})
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			if peak = max(peak, mem.HeapInuse); peak > 200<<20 {
				t.Errorf("%d MB were in use", peak>>20)
			}
			if !errors.Is(err, c.want) {
				t.Errorf("error is %v, want %v", err, c.want)
			}
			if n := len(answer.Message.Text); n < c.text || n > textRoom || heard != n || !utf8.ValidString(answer.Message.Text) {
				t.Errorf("%d bytes were kept and %d shown", n, heard)
			}
		})
	}
}

// "It thought aloud for 64 MB, and said nothing for 13 s, before anybody stopped it."
func TestThreat11_WhatNobodySeesIsCountedToo(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		most int
	}{
		"thinking":          {`{"message":{"thinking":"` + strings.Repeat("x", 1000) + `"},"done":false}` + "\n", textRoom/1000 + 1},
		"nothing":           {content("") + "\n", defaultMaxTokens + mostEmpty + 1},
		"no message at all": {"{}\n", defaultMaxTokens + mostEmpty + 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, "completion")
			s.chat = func(w http.ResponseWriter, r *http.Request) {
				for range c.most {
					fmt.Fprint(w, c.line)
				}
				fmt.Fprintln(w, done) // one that counts too little would be content with this
			}
			if _, err := m.Chat(context.Background(), ask("hello"), nil); !errors.Is(err, ErrBroken) {
				t.Error(err)
			}
		})
	}
}

// "It wrote one letter a second, and nobody could do anything."
func TestThreat11_AnAnswerThatDripsHasATimeOfItsOwn(t *testing.T) {
	for name, line := range map[string]string{"letters": content("x"), "thinking": `{"message":{"thinking":"x"},"done":false}`, "nothing": content("")} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, "completion")
			s.chat = func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					lines(line)(w, r)
					select {
					case <-time.After(5 * time.Millisecond):
					case <-r.Context().Done():
					}
				}
			}
			r := ask("hello")
			r.Writing = 50 * time.Millisecond
			began := time.Now()
			if _, err := m.Chat(context.Background(), r, nil); !errors.Is(err, ErrStalled) || time.Since(began) > 2*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		})
	}
}

func TestChat_WhoAsksForMoreGetsMore(t *testing.T) {
	s, m := script(t, "completion")
	text := strings.Repeat("x", 100<<10)
	s.chat = lines(content(text), content(text), content(text), done)
	r := ask("a long report")
	r.MaxTokens = 40_000
	if answer, _, err := chat(t, m, r); err != nil || len(answer.Message.Text) != 300<<10 {
		t.Errorf("%d bytes, %v", len(answer.Message.Text), err)
	}
}
