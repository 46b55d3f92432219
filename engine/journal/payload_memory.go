package journal

// MemoryUpdatedData says what memory holds now, or what it forgot.
type MemoryUpdatedData struct {
	// Forgotten says that what Keys name is gone; of consent, that all that was remembered of the person is.
	Forgotten bool `json:"forgotten,omitempty"`
	// Keys are, of "working", the parts that were written or forgotten: tools whose results are kept, "scratchpad",
	// "entities", "recent_entities", or the row that an agent's cards show. Of "consent" it is the one that holds from now
	// on: "onboarding", "pending_consent" or "full".
	Keys []string `json:"keys"`
	// Scope is "working", the working memory of the session, or "consent", what the person agreed to.
	Scope string `json:"scope"`
}

func (MemoryUpdatedData) Kind() Kind { return MemoryUpdated }

// UsedMemory names an earlier conversation that a prompt was told of. Its words are with the
// memory, where they can be forgotten.
type UsedMemory struct {
	ID string `json:"id"`
	// Similarity is how close it was to what was asked, from 0 to 1.
	Similarity float64 `json:"similarity"`
}
