// Package model talks to language models. The engine knows only the interfaces
// here; Ollama, a scripted practice model and a recorder implement them.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Errors that callers distinguish; an error of a Model wraps at most one of them.
var (
	// ErrUnreachable says that no server answered; nothing was generated.
	ErrUnreachable = errors.New("model: server unreachable")
	// ErrNoModel says that the server does not have the model.
	ErrNoModel = errors.New("model: model not found")
	// ErrStalled says that the server stopped sending before the answer was complete.
	ErrStalled = errors.New("model: answer stalled")
	// ErrMute is an ErrStalled of a server that says nothing at all, not even its version.
	ErrMute = fmt.Errorf("%w: the model server does not answer", ErrStalled)
	// ErrBroken says that the server's answer could not be understood or broke off.
	ErrBroken = errors.New("model: broken answer")
	// ErrUnusable is an ErrBroken of a model that wrote its answer to the end: what it wrote
	// is not what was asked for.
	ErrUnusable = fmt.Errorf("%w that came to its end", ErrBroken)
	// ErrServer says that the server answered with an error of its own (5xx).
	ErrServer = errors.New("model: server error")
	// ErrRequest says that the server refused the request (4xx).
	ErrRequest = errors.New("model: request refused")
	// ErrNotGGUF says that a file to be imported does not begin as GGUF does; nothing was copied.
	ErrNotGGUF = errors.New("model: not a GGUF file")
	// ErrCopy says that the server broke off while a file was copied to it.
	ErrCopy = errors.New("model: the file was not copied")
)

// Role says what a model is used for.
type Role string

const (
	Main  Role = "main"  // replies and tool choice
	Light Role = "light" // classifiers and extraction
	Embed Role = "embed" // vectors
)

// Message is one entry of a chat.
type Message struct {
	Role string `json:"role"` // system, user, assistant, tool
	Text string `json:"text"`
	// Calls are an assistant's tool calls, in order.
	Calls []Call `json:"calls,omitempty"`
	// Call and Tool name the call that a tool message answers.
	Call string `json:"call,omitempty"`
	Tool string `json:"tool,omitempty"`
	// Args are, of a tool message, the arguments that the call was made with, where they are
	// not those that the model wrote: a rule or a person changed them. See Made.
	Args json.RawMessage `json:"args,omitempty"`
	// Aside are remembered texts that Text is made of. A person can have them forgotten, so
	// a journal names them and keeps no copy of Text.
	Aside []Aside `json:"-"`
}

// Made are the messages with the calls as they were made, and not as they were asked for.
func Made(messages []Message) []Message {
	var args map[string]json.RawMessage
	for i := range messages {
		if m := &messages[i]; m.Args != nil {
			if args == nil {
				args = map[string]json.RawMessage{}
			}
			args[m.Call] = m.Args
		}
	}
	if args == nil {
		return messages
	}
	out := slices.Clone(messages)
	for i := range out {
		m := &out[i]
		if !slices.ContainsFunc(m.Calls, func(c Call) bool { return args[c.ID] != nil }) {
			continue
		}
		m.Calls = slices.Clone(m.Calls)
		for k, c := range m.Calls {
			if made := args[c.ID]; made != nil {
				m.Calls[k].Arguments = made
			}
		}
	}
	return out
}

// Aside names a text that is kept elsewhere.
type Aside struct {
	ID string
	// Similarity is how close it was to what was asked, from 0 to 1.
	Similarity float64
}

// Call is a model's request to run a tool. Arguments are what the model wrote, and not
// to be trusted.
type Call struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// Tool is how a tool is described to a model.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
}

// Request is one chat completion. Messages start with a byte-stable prefix so
// that the server's prefix cache is used.
type Request struct {
	Messages []Message
	// Tools are offered to the model. A model without a tool template is asked for
	// {action, arguments} under a schema; the caller sees Calls either way.
	Tools []Tool
	// Described are all tools that stood in the prompt before some of them were closed: they
	// stay described where the model can be kept from calling them, so that the prompt
	// keeps its beginning. Nil is Tools.
	Described []Tool
	// Format is a JSON Schema that the answer must follow; nil for free text. Not together with Tools.
	Format json.RawMessage
	// MaxTokens limits the answer; 0 is the implementation's default (1,024, and 512 for a
	// model that is Weak).
	MaxTokens   int
	Temperature float64
	Seed        int
	// Writing is how long the answer may take once it began, beside the limits that all
	// answers have; 0 is no such limit.
	Writing time.Duration
	// Language is that of the person whom the turn is with, a code (ISO 639-1). Models are
	// told in the prompt; practice mode goes by this.
	Language string
	// Rounds ends an answer that goes round in circles; see Response.Repeats.
	Rounds bool
	// Silence is what is known of the models of the turn that did not answer; nil is nothing.
	Silence *Silence `json:"-"`
	// Ahead only has the messages read, for the prefix cache: there is no answer.
	Ahead bool
}

// Usage counts one request. Tokens are the model's own.
type Usage struct {
	PromptTokens int `json:"prompt_tokens"`
	// Evaluated is how many of the prompt's tokens the model read anew: the others it knew
	// from the request before. Nil where that is not known: Ollama's API counts the whole
	// prompt, and only our own server's log says what its cache had.
	Evaluated    *int          `json:"evaluated,omitempty"`
	OutputTokens int           `json:"output_tokens"`
	LoadTime     time.Duration `json:"load_ns"`
	PromptTime   time.Duration `json:"prompt_ns"`
	OutputTime   time.Duration `json:"output_ns"`
}

// Response is a finished answer. With an error, Message.Text holds what came
// before it and Calls is empty: no call is taken from an unfinished message.
type Response struct {
	Message Message
	Usage   Usage
	// Cut says that the token limit ended the answer, or that it was ended since the model
	// said the same again and again: Repeats says that it is the latter.
	Cut     bool
	Repeats bool
}

// Info names the model behind an interface.
type Info struct {
	Name   string `json:"name"`
	Digest string `json:"digest"` // of the model's manifest; "" when not known
	// Context is the number of tokens that a request may hold.
	Context  int  `json:"context"`
	Tools    bool `json:"tools"` // has a tool template
	Practice bool `json:"practice,omitempty"`
	// Parameters is how many weights the model has; 0 when not known.
	Parameters int64 `json:"parameters,omitempty"`
}

// leastWeights is the number of weights below which a model's word is no ground to act on:
// SmolLM2, of 135 million, calls "hello" and "thanks" a crisis, whatever examples it is
// given, and answers fluently what no record says.
const leastWeights = 300_000_000

// Weak says that the model is too small for its word to count alone. One whose size is
// not known, or a script, is not called so.
func (i Info) Weak() bool { return i.Parameters > 0 && i.Parameters < leastWeights && !i.Practice }

// Model is a chat model. Implementations are safe for concurrent use.
type Model interface {
	Info(ctx context.Context) (Info, error)
	// Chat streams text through onText (may be nil) in order and returns the whole.
	// It ends within a second of ctx's end.
	Chat(ctx context.Context, r Request, onText func(string)) (Response, error)
}

// AheadReader is a Model whose server may keep several prompts at once. To read one ahead
// beside another request then spares time; where it keeps one, the other is thrown away.
type AheadReader interface {
	ReadsAhead() bool
	// Apart says that a prompt was read ahead beside another request, so that the server keeps
	// the two kinds of prompts in different places from then on.
	Apart() bool
}

// Set is the models that a turn may use. Light may be the same as Main.
type Set struct {
	Main  Model
	Light Model
}
