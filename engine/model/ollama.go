package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/ollama/ollama/api"
	names "github.com/ollama/ollama/types/model"
)

const (
	defaultMaxTokens = 1024
	// weakMaxTokens is that of a model that is too small to say anything of use at that length:
	// it only runs on.
	weakMaxTokens     = 512
	defaultMaxContext = 8192
	embedBatch        = 64
)

// OllamaOptions are an Ollama model's settings; zero values are the defaults.
type OllamaOptions struct {
	// MaxContext bounds the context that is reserved, in tokens (8,192); a model
	// with a shorter one gets its own.
	MaxContext int
	// FirstToken is how long an answer may take to begin, loading included (120 s), and as
	// long again for each 2,400 tokens of the prompt, since nothing comes while it is read;
	// NextToken how long each later piece may take (30 s).
	FirstToken, NextToken time.Duration
	// Answer is how long a whole answer may take once it was asked for; FirstToken and two
	// minutes when 0, or a second for each token that may be written where that is more.
	Answer time.Duration
	// Idle is how long a chat may send nothing while the server has no model loaded (20 s), Again
	// how long once that, FirstToken or NextToken was so in vain in the same turn (10 s); see Silence.
	Idle, Again time.Duration
	// Mute is how long a server of which no chat ever came may send nothing before it is asked for any sign of life,
	// and how long it has for one (4 s): where it gives none twice, the request ends.
	Mute time.Duration
	// NewID makes the ids of calls that the server gave none (random).
	NewID func() string
}

// Ollama is a model on an Ollama server. It implements Model; see Embedding for vectors.
type Ollama struct {
	server  *Server
	name    string
	options OllamaOptions

	mu    sync.Mutex
	known *traits // of the last show; nil before
	lists *bool   // whether the server lists this model while it answers; nil where not known

	// slowest is how long a character of a prompt took to be read, of all requests so far the longest; 0 before
	// one was measured. spoke is when the model last did.
	slowest time.Duration
	spoke   time.Time

	slots slots
}

// traits is what the server says about a model.
type traits struct {
	context  int
	tools    bool
	thinking bool
	width    int // values of an embedding; 0 when the server does not say
	// parameters is the number of weights; 0 when the server does not say
	parameters int64
}

// NewOllama returns the named model on a server. Nothing is asked of the server yet.
func NewOllama(s *Server, name string, o OllamaOptions) *Ollama {
	if o.MaxContext <= 0 {
		o.MaxContext = defaultMaxContext
	}
	if o.FirstToken <= 0 {
		o.FirstToken = 120 * time.Second
	}
	if o.NextToken <= 0 {
		o.NextToken = 30 * time.Second
	}
	if o.Idle <= 0 {
		o.Idle = 20 * time.Second
	}
	if o.Again <= 0 {
		o.Again = 10 * time.Second
	}
	if o.Mute <= 0 {
		o.Mute = 4 * time.Second
	}
	if o.NewID == nil {
		o.NewID = func() string { return "call_" + uuid.NewString() }
	}
	return &Ollama{server: s, name: name, options: o}
}

// Info asks the server about the model. A model that runs elsewhere is refused
// with ErrRemote unless the server may be remote.
func (m *Ollama) Info(ctx context.Context) (Info, error) {
	t, err := m.show(ctx)
	if err != nil {
		return Info{}, err
	}
	c, err := m.server.client(ctx)
	if err != nil {
		return Info{}, err
	}
	limit, kind := m.server.within(m.options.NextToken)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: list: nothing came for %v", kind, limit))
	defer cancel()
	list, err := c.List(ctx)
	if err != nil {
		return Info{}, explain(ctx, "list", err)
	}
	info := Info{Name: m.name, Context: t.context, Tools: t.tools, Parameters: t.parameters}
	for _, stored := range list.Models {
		if sameModel(stored.Name, m.name) {
			info.Digest = stored.Digest
		}
	}
	return info, nil
}

// traits returns what is known of the model and asks the server the first time.
func (m *Ollama) traits(ctx context.Context) (traits, error) {
	m.mu.Lock()
	known := m.known
	m.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	return m.show(ctx)
}

func (m *Ollama) show(ctx context.Context) (traits, error) {
	c, err := m.server.client(ctx)
	if err != nil {
		return traits{}, err
	}
	// It could accept and then say nothing.
	limit, kind := m.server.within(m.options.NextToken)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: show: nothing came for %v", kind, limit))
	defer cancel()
	shown, err := c.Show(ctx, &api.ShowRequest{Model: m.name})
	if err != nil {
		m.mu.Lock()
		m.known = nil
		m.mu.Unlock()
		return traits{}, explain(ctx, "show "+clip(m.name), err)
	}
	if !m.server.remote && (shown.RemoteHost != "" || shown.RemoteModel != "") {
		return traits{}, fmt.Errorf("%w: %s runs on %s; switch remote models on in the settings to use it", ErrRemote, clip(m.name), clip(shown.RemoteHost))
	}
	t := traits{
		context:  min(count(shown.ModelInfo, ".context_length", m.options.MaxContext), m.options.MaxContext),
		width:    count(shown.ModelInfo, ".embedding_length", 0),
		tools:    slices.Contains(shown.Capabilities, names.CapabilityTools),
		thinking: slices.Contains(shown.Capabilities, names.CapabilityThinking),
	}
	if n, ok := shown.ModelInfo["general.parameter_count"].(float64); ok && n >= 1 && n < 1<<53 {
		t.parameters = int64(n)
	}
	m.mu.Lock()
	m.known = &t
	m.mu.Unlock()
	return t, nil
}

// count finds a number in what show tells, under a key that starts with the
// architecture's name.
func count(info map[string]any, suffix string, otherwise int) int {
	for key, value := range info {
		if n, ok := value.(float64); ok && n >= 1 && n < math.MaxInt32 && strings.HasSuffix(key, suffix) {
			return int(n)
		}
	}
	return otherwise
}

// sameModel compares model names as Ollama does: a missing tag is "latest".
func sameModel(a, b string) bool {
	return names.ParseName(a).EqualFold(names.ParseName(b))
}

// chunk is a line of a chat's stream. Arguments stay as the model wrote them.
type chunk struct {
	Message struct {
		Content   string `json:"content"`
		Thinking  string `json:"thinking"`
		ToolCalls []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason"`
	api.Metrics
}

// Chat implements Model. A request that is longer than the context fails with
// ErrRequest: the server is told not to drop messages on its own.
func (m *Ollama) Chat(ctx context.Context, r Request, onText func(string)) (Response, error) {
	answer := Response{Message: Message{Role: "assistant"}}
	if onText == nil {
		onText = func(string) {}
	}
	if len(r.Tools) > 0 && r.Format != nil {
		return answer, fmt.Errorf("%w: tools and a format exclude each other", ErrRequest)
	}
	t, err := m.traits(ctx)
	if err != nil {
		return answer, err
	}
	request, actions, err := m.request(r, t)
	if err != nil {
		return answer, err
	}

	ended := m.slots.begin(r.Ahead)
	defer func() { ended(answer.Usage) }()
	ctx, cancel := m.patience(ctx, r)
	defer cancel()
	ctx, tooLong := context.WithCancelCause(ctx)
	defer tooLong(nil)
	var writing *time.Timer // since the first line
	defer func() {
		if writing != nil {
			writing.Stop()
		}
	}()
	room := roomFor(r)
	var text strings.Builder
	var calls []Call
	var reply replyDecoder
	var written, thought circles
	done, pieces, circling := false, 0, false
	mark := m.server.mark()
	if _, err := m.server.base(ctx); err != nil { // our own server starts first
		return answer, explain(ctx, "chat", err)
	}
	quiet := m.wait(ctx, r, tooLong)
	defer quiet.end()
	next, latest := r.Silence.next(m.name, m.options.NextToken, m.options.Again), time.Time{}
	err = m.server.stream(ctx, "chat", "/api/chat", request, quiet.first, next, func(line []byte) (bool, error) {
		quiet.line()
		latest = time.Now()
		if writing == nil && r.Writing > 0 {
			writing = time.AfterFunc(r.Writing, func() {
				tooLong(fmt.Errorf("%w: chat: the answer was not complete %v after it began", ErrStalled, r.Writing))
			})
		}
		if err := room.line(line); err != nil {
			return false, err
		}
		var c chunk
		if err := json.Unmarshal(line, &c); err != nil {
			return false, fmt.Errorf("%w: chat: %s", ErrBroken, clip(err.Error()))
		}
		if err := room.think(c); err != nil {
			return false, err
		}
		if circling = r.Rounds && thought.add(c.Message.Thinking); circling {
			return true, nil
		}
		if piece := c.Message.Content; piece != "" {
			piece, over := room.piece(piece)
			text.WriteString(piece)
			if pieces, circling = pieces+1, r.Rounds && written.add(piece); circling {
				return true, nil // the server stops when nobody listens
			}
			if actions != nil {
				piece = reply.add(piece)
			}
			if piece != "" {
				onText(piece)
			}
			if over != nil {
				return false, over
			}
		}
		for _, call := range c.Message.ToolCalls {
			if err := room.call(call.Function.Name, call.Function.Arguments); err != nil {
				return false, err
			}
			calls = append(calls, Call{ID: call.ID, Tool: call.Function.Name, Arguments: slices.Clone(call.Function.Arguments)})
		}
		if c.Done {
			done = true
			answer.Cut = c.DoneReason == "length"
			answer.Usage = Usage{
				PromptTokens: c.PromptEvalCount, OutputTokens: c.EvalCount,
				LoadTime: c.LoadDuration, PromptTime: c.PromptEvalDuration, OutputTime: c.EvalDuration,
			}
		}
		return c.Done, ctx.Err()
	})
	if stuck := errors.Is(err, ErrStalled) && !latest.IsZero() && time.Since(latest) >= next; stuck || err == nil {
		r.Silence.wrote(m.name, !stuck)
	}
	if !errors.Is(err, ErrStalled) && ctx.Err() == nil {
		quiet.line() // an error is an answer, too
	}
	answer.Message.Text = text.String()
	if actions != nil {
		answer.Message.Text = reply.text()
	}
	if err == nil && circling {
		return answer.circling(pieces, written.text.String(), r, reply.text(), actions != nil)
	}
	if err == nil && !done {
		err = fmt.Errorf("%w: chat: the answer has no end", ErrBroken)
	}
	if err != nil {
		if errors.Is(err, ErrNoModel) {
			m.mu.Lock()
			m.known = nil
			m.mu.Unlock()
		}
		return answer, explain(ctx, "chat", err)
	}
	quiet.measured(answer.Usage.LoadTime)
	answer.Usage.Evaluated = m.server.evaluated(mark, answer.Usage.PromptTokens)
	if r.Ahead {
		answer.Message.Text, answer.Cut = "", false
		return answer, nil
	}

	switch {
	case actions != nil:
		chosen, said, err := actions.read(text.String())
		if err != nil {
			return answer, err
		}
		if chosen != nil {
			calls = []Call{*chosen}
			answer.Message.Text = ""
			break
		}
		// What could not be streamed (keys in another order) is shown now.
		if rest, ok := strings.CutPrefix(said, reply.text()); ok && rest != "" {
			onText(rest)
		}
		answer.Message.Text = said
	case r.Format != nil:
		if !json.Valid([]byte(text.String())) {
			return answer, fmt.Errorf("%w: chat: the answer isn't complete JSON", ErrUnusable)
		}
	}
	if answer.Cut && len(calls) > 0 {
		return answer, fmt.Errorf("%w: chat: the token limit cut a tool call", ErrUnusable)
	}
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = m.options.NewID()
		}
		if len(calls[i].Arguments) == 0 || string(calls[i].Arguments) == "null" {
			calls[i].Arguments = json.RawMessage("{}")
		}
	}
	answer.Message.Calls = calls
	return answer, nil
}

// request translates a request. With tools that the model has no template for it
// also returns the actions to read the answer with.
func (m *Ollama) request(r Request, t traits) (*api.ChatRequest, *actions, error) {
	limit := r.MaxTokens
	if limit <= 0 {
		limit = defaultMaxTokens
		if (Info{Parameters: t.parameters}).Weak() {
			limit = weakMaxTokens
		}
	}
	if r.Ahead {
		limit = 1 // none would be no limit
	}
	no := false
	out := &api.ChatRequest{
		Model: m.name, Truncate: &no, Shift: &no,
		Options: map[string]any{"num_ctx": t.context, "num_predict": limit, "temperature": r.Temperature, "seed": r.Seed},
	}
	if t.thinking {
		// Thinking costs minutes on a laptop and no one sees it.
		out.Think = &api.ThinkValue{Value: false}
	}
	if r.Format != nil {
		bounded, err := boundSchema(r.Format, limit)
		if err != nil {
			return nil, nil, err
		}
		out.Format = roomy(bounded)
	}
	messages := r.Messages
	var acts *actions
	described := r.Tools
	if r.Described != nil {
		described = r.Described
	}
	switch {
	case len(described) > 0 && !t.tools:
		var err error
		if acts, err = newActions(r.Tools, described, limit); err != nil {
			return nil, nil, err
		}
		messages = acts.instruct(messages)
		if out.Format = roomy(acts.schema); r.Ahead {
			out.Format = nil
		}
	case len(r.Tools) > 0:
		for _, tool := range r.Tools {
			f := api.ToolFunction{Name: tool.Name, Description: tool.Description}
			if err := json.Unmarshal(tool.Parameters, &f.Parameters); err != nil {
				return nil, nil, fmt.Errorf("%w: the parameters of tool %s: %s", ErrRequest, clip(tool.Name), clip(err.Error()))
			}
			out.Tools = append(out.Tools, api.Tool{Type: "function", Function: f})
		}
	}
	if !t.tools {
		messages = withoutCalls(messages)
	}
	messages = oneSystem(messages)
	for _, message := range messages {
		converted := api.Message{Role: message.Role, Content: message.Text, ToolName: message.Tool, ToolCallID: message.Call}
		for _, call := range message.Calls {
			f := api.ToolCallFunction{Name: call.Tool, Arguments: api.NewToolCallFunctionArguments()}
			if jsonObject(call.Arguments) {
				if err := json.Unmarshal(call.Arguments, &f.Arguments); err != nil {
					return nil, nil, fmt.Errorf("%w: the arguments of a call of %s: %s", ErrRequest, clip(call.Tool), clip(err.Error()))
				}
			}
			converted.ToolCalls = append(converted.ToolCalls, api.ToolCall{ID: call.ID, Function: f})
		}
		out.Messages = append(out.Messages, converted)
	}
	return out, acts, nil
}

// Embed makes a vector of length 1 of each text; all have the same dimension. Texts longer than the model's context are cut by the server.
func (m *Ollama) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	t, err := m.traits(ctx)
	if err != nil {
		return nil, err
	}
	c, err := m.server.client(ctx)
	if err != nil {
		return nil, err
	}
	// With another context than Chat's the server would load the model anew.
	options := map[string]any{"num_ctx": t.context}
	vectors := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, embedBatch) {
		bounded, cancel := context.WithTimeoutCause(ctx, m.options.FirstToken, fmt.Errorf("%w: embed: nothing came for %v", ErrStalled, m.options.FirstToken))
		got, err := c.Embed(bounded, &api.EmbedRequest{Model: m.name, Input: batch, Options: options})
		err = explain(bounded, "embed", err)
		cancel()
		if err != nil {
			return nil, err
		}
		if len(got.Embeddings) != len(batch) {
			return nil, fmt.Errorf("%w: embed: %d vectors for %d texts", ErrBroken, len(got.Embeddings), len(batch))
		}
		vectors = append(vectors, got.Embeddings...)
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) || !normalise(v) {
			return nil, fmt.Errorf("%w: embed: vector %d is empty, of another length or without direction", ErrBroken, i)
		}
	}
	return vectors, nil
}

// normalise scales a vector to length 1 and says whether that was possible.
func normalise(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsInf(length, 0) || math.IsNaN(length) {
		return false
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return true
}
