package journal

// MessageData says who wrote a message and how.
type MessageData struct {
	Role MessageRole `json:"role"`
	// Template names a reviewed or fixed text that no model wrote; Category and Region
	// say which of the interventions it is.
	Template string `json:"template,omitempty"`
	Category string `json:"category,omitempty"`
	Region   string `json:"region,omitempty"`
	// Degraded are the parts of the context that the model did not have.
	Degraded []Section `json:"degraded,omitempty"`
	*Generation
	*ModelUsed
	LongText
}

func (MessageData) Kind() Kind { return Message }

// Generation is how a model wrote a message.
type Generation struct {
	// Partial says that the text breaks off.
	Partial      bool `json:"partial"`
	PromptTokens int  `json:"prompt_tokens"`
	OutputTokens int  `json:"output_tokens"`
	// ContextUsed is the sum of both, of Context.
	ContextUsed int `json:"context_used"`
	// TokensPerSecond is how fast the answer was written; absent when not known.
	TokensPerSecond float64 `json:"tokens_per_second,omitempty"`
}

// ModelUsed is the model that wrote a message.
type ModelUsed struct {
	Model string `json:"model"`
	// Digest is that of the model's manifest.
	Digest string `json:"digest"`
	// Context is how many tokens a request may hold.
	Context int `json:"context"`
	// Practice says that it is a script and no model.
	Practice bool `json:"practice"`
	// Weak says that the model is too small for its word to count alone.
	Weak bool `json:"weak,omitempty"`
}

// MessageStartedData is empty: the event's Message is the id of the message that begins to stream.
type MessageStartedData struct{}

func (MessageStartedData) Kind() Kind { return MessageStarted }

// TokenData says who writes: the event's Text goes into its Message behind Offset bytes (UTF-8).
type TokenData struct {
	// Weak says that the model is too small for its word to count alone.
	Weak bool `json:"weak,omitempty"`
}

func (TokenData) Kind() Kind { return Token }
