package model

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// What an answer may hold, whatever a server sends.
const (
	// textRoom is how much text, in bytes, unless a request asks for more tokens than that.
	textRoom = 256 << 10
	// formatRoom is that for an answer under a schema.
	formatRoom = 16 << 10
	// mostEmpty is how many lines without anything may come beside one for each token.
	mostEmpty = 1000
	// argumentRoom is how much the arguments of its calls may hold together, in bytes.
	argumentRoom = 64 << 10
	mostCalls    = 64
	// bytesPerToken is more than a token of text takes.
	bytesPerToken = 16
	// aroundText is how many bytes of the stream may come for each byte of text: every
	// token comes with the model's name and a time.
	aroundText = 256
)

// room is what is left of it while an answer streams.
type room struct {
	text, lines int
	unseen      int // bytes of thinking, which nobody sees
	empty       int // lines
	stream      int64
	arguments   int
	calls       int
}

func roomFor(r Request) *room {
	least := textRoom
	if r.Format != nil {
		least = formatRoom
	}
	text := max(least, r.MaxTokens*bytesPerToken)
	return &room{text: text, lines: text + 1000, unseen: text, empty: max(r.MaxTokens, defaultMaxTokens) + mostEmpty, stream: int64(text) * aroundText, arguments: argumentRoom, calls: mostCalls}
}

// line counts a line of the stream.
func (r *room) line(line []byte) error {
	r.lines--
	r.stream -= int64(len(line))
	if r.lines < 0 || r.stream < 0 {
		return fmt.Errorf("%w: chat: the answer has no end", ErrBroken)
	}
	return nil
}

// think counts what a model thinks aloud, and lines that hold nothing.
func (r *room) think(c chunk) error {
	r.unseen -= len(c.Message.Thinking)
	if c.Message.Content == "" && c.Message.Thinking == "" && len(c.Message.ToolCalls) == 0 {
		r.empty--
	}
	if r.unseen < 0 || r.empty < 0 {
		return fmt.Errorf("%w: chat: the answer has no end", ErrBroken)
	}
	return nil
}

// piece is as much of a piece of text as there is room for, and the error that ends the
// answer when that is not all.
func (r *room) piece(piece string) (string, error) {
	if len(piece) <= r.text {
		r.text -= len(piece)
		return piece, nil
	}
	n := r.text
	for n > 0 && piece[n]&0xc0 == 0x80 { // whole characters
		n--
	}
	r.text = 0
	return piece[:n], fmt.Errorf("%w: chat: the answer is longer than there is room for", ErrBroken)
}

// call counts a call.
func (r *room) call(name string, arguments json.RawMessage) error {
	r.calls--
	r.arguments -= len(name) + len(arguments)
	if r.calls < 0 || r.arguments < 0 {
		return fmt.Errorf("%w: chat: the answer has more than %d calls or %d KiB of arguments", ErrBroken, mostCalls, argumentRoom>>10)
	}
	return nil
}

// leastTime is what any answer may take beside the reading of its prompt.
const leastTime = 2 * time.Minute

// patience bounds the time of a whole answer.
func (m *Ollama) patience(ctx context.Context, r Request) (context.Context, context.CancelFunc) {
	most := m.options.Answer
	if most <= 0 {
		most = m.reading(r) + max(leastTime, time.Duration(max(r.MaxTokens, defaultMaxTokens))*time.Second)
	}
	return context.WithTimeoutCause(ctx, most, fmt.Errorf("%w: chat: the answer took longer than %v", ErrStalled, most))
}

// readAtOnce is how long a prompt, in characters, is read within FirstToken by a slow
// machine: 2,400 tokens at 20 a second.
const readAtOnce = 2400 * 4

// reading is how long an answer may take to begin: a machine that reads a long prompt has
// not stalled.
func (m *Ollama) reading(r Request) time.Duration {
	return m.options.FirstToken + time.Duration(float64(m.options.FirstToken)*float64(promptOf(r))/readAtOnce)
}

// promptOf is how long a prompt is, in characters.
func promptOf(r Request) int {
	chars := len(r.Format)
	for _, x := range r.Messages {
		chars += len(x.Text)
	}
	tools := r.Tools
	if r.Described != nil {
		tools = r.Described
	}
	for _, o := range tools {
		chars += len(o.Name) + len(o.Description) + len(o.Parameters)
	}
	return chars
}
