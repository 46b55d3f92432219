package model

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// practiceContext is the context that the practice model says it has, in tokens.
const practiceContext = 8192

// Practice is a scripted model: it looks for words in the person's message, calls
// tools in a fixed order and fills formats from the schema, as its scripts say. The
// same request always gives the same answer, unless its Manner is Wrong. It lets people
// try the whole engine without a model.
type Practice struct {
	// Scripts are those of the agent and of the tools at hand. Where several know an
	// answer, the first one's is taken.
	Scripts []Script
	// Manner is how it behaves; Willing unless somebody asked for worse.
	Manner Manner
	// Words say the scripts' own words, and the program's, in a language; nil for English alone.
	Words func(language string) Words
	// Delay is waited for before each answer; nil is none. It returns an error when ctx ends.
	Delay func(ctx context.Context) error
	// Pace is waited for before each word of a reply; nil is none. It returns an
	// error when ctx ends.
	Pace func(ctx context.Context) error

	mu    sync.Mutex
	asked map[string]bool // of a Wrong one, by step and message
}

// Words say words in a language: Say fills a format of package fmt, Told says a sentence of
// the program's. The zero value is English.
type Words struct {
	Say  func(format string, values ...any) string
	Told func(english string) string
}

// Info implements Model.
func (p *Practice) Info(context.Context) (Info, error) {
	return Info{Name: p.Manner.name(), Context: practiceContext, Tools: true, Practice: true}, nil
}

// Chat implements Model. Token counts are words.
func (p *Practice) Chat(ctx context.Context, r Request, onText func(string)) (Response, error) {
	answer := Response{Message: Message{Role: "assistant"}}
	if err := ctx.Err(); err != nil {
		return answer, fmt.Errorf("model: practice: %w", err)
	}
	if r.Ahead {
		return answer, nil
	}
	if len(r.Tools) > 0 && r.Format != nil {
		return answer, fmt.Errorf("%w: tools and a format exclude each other", ErrRequest)
	}
	for _, m := range r.Messages {
		answer.Usage.PromptTokens += len(strings.Fields(m.Text))
	}
	answer.Usage.Evaluated = new(answer.Usage.PromptTokens)
	if p.Delay != nil {
		if err := p.Delay(ctx); err != nil {
			return answer, fmt.Errorf("model: practice: %w", err)
		}
	}
	s := newScene(r, p.Scripts)
	s.Manner = p.Manner
	if p.Words != nil {
		s.words = p.Words(s.Language)
	}
	said, err := s.answer(r)
	if err != nil {
		return answer, err
	}
	if p.errs(s) {
		said = mistake(s, r, said)
	}
	if len(said.Calls) > 0 {
		answer.Message.Calls = said.Calls
		answer.Usage.OutputTokens = 1 + len(strings.Fields(string(said.Calls[0].Arguments)))
		return answer, nil
	}
	limit := r.MaxTokens
	if limit <= 0 {
		limit = defaultMaxTokens
	}
	for word := range strings.SplitAfterSeq(said.Text, " ") {
		if err := p.wait(ctx); err != nil {
			return answer, fmt.Errorf("model: practice: %w", err)
		}
		if answer.Usage.OutputTokens == limit && r.Format == nil {
			answer.Cut = true
			break
		}
		answer.Usage.OutputTokens++
		answer.Message.Text += word
		if onText != nil {
			onText(word)
		}
	}
	return answer, nil
}

// answer is a call, a filled form or a reply.
func (s *Scene) answer(r Request) (m Message, err error) {
	if r.Format != nil {
		filled, err := fillFormat(r.Format, s)
		return Message{Text: string(filled)}, err
	}
	call, reply, err := s.next()
	if err == nil && call != nil {
		m.Calls = []Call{*call}
	}
	m.Text = reply
	return m, err
}

func (p *Practice) wait(ctx context.Context) error {
	if p.Pace != nil {
		if err := p.Pace(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Steady is a pace of one word each d, for people to see the words arrive.
func Steady(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		}
	}
}
