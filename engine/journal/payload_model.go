package journal

import "encoding/json"

// ModelCalledData is one request to a model, with its answer.
type ModelCalledData struct {
	// Role is what the model is chosen for, main or light.
	Role string `json:"role"`
	// Purpose is what it was for, as the stage names it.
	Purpose string `json:"purpose"`
	Model   string `json:"model,omitempty"`
	// Digest is that of the model's manifest.
	Digest string `json:"digest,omitempty"`
	// Kept is how many messages of the prompt before in the same visit come before Prompt.
	Kept   int             `json:"kept,omitempty"`
	Prompt []PromptMessage `json:"prompt"`
	// Texts are the names of the agent's texts that the prompt was compiled of.
	Texts []string `json:"texts,omitempty"`
	// Memories are the earlier conversations that the prompt was told of.
	Memories []UsedMemory `json:"memories,omitempty"`
	// Tools are those that were offered, by name.
	Tools []string `json:"tools,omitempty"`
	// PromptTokens is how many tokens were sent. Of a request that broke off both numbers are
	// worked out from the characters: the model did not come to say them.
	PromptTokens int `json:"prompt_tokens"`
	// Evaluated is how many of them the model read anew: the others it knew from the request
	// before. Absent where the server does not tell.
	Evaluated    *int `json:"evaluated,omitempty"`
	OutputTokens int  `json:"output_tokens"`
	// MS is how long the request took, in milliseconds, PromptMS and OutputMS what of it went
	// into reading the prompt and into writing the answer.
	MS       int64 `json:"ms"`
	PromptMS int64 `json:"prompt_ms"`
	OutputMS int64 `json:"output_ms"`
}

func (ModelCalledData) Kind() Kind { return ModelCalled }

// ModelReadingData is a request to a model that has begun. Before the model's server has said what the model can
// do, it has no Tokens.
type ModelReadingData struct {
	Role    string `json:"role"`
	Purpose string `json:"purpose"`
	Model   string `json:"model,omitempty"`
	// Tokens is about how many the prompt has, by its length.
	Tokens int `json:"tokens"`
	// PerSecond is how many of them the model read in a second when it was last asked on
	// this machine; absent when not known.
	PerSecond float64 `json:"per_second,omitempty"`
	// Begun says that words of the answer came; it is told again every few seconds in which some do.
	Begun bool `json:"begun,omitempty"`
}

func (ModelReadingData) Kind() Kind { return ModelReading }

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role  string       `json:"role"`
	Text  string       `json:"text"`
	Calls []PromptCall `json:"calls,omitempty"`
	// Call and Tool name the call that a tool's message answers.
	Call string `json:"call,omitempty"`
	Tool string `json:"tool,omitempty"`
}

// PromptCall is a call of a tool as a model wrote it.
type PromptCall struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// SpanData is a step of a trace, with OpenTelemetry's names: prompt.assemble, tools.assemble.
type SpanData struct {
	Name string `json:"name"`
	// Attributes is an object of numbers, words and truths.
	Attributes json.RawMessage `json:"attributes"`
}

func (SpanData) Kind() Kind { return Span }
