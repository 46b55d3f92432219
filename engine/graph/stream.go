package graph

// Stream is a message that the person watches being written; see Task.Stream. From
// its first Write on it is safe for concurrent use.
type Stream interface {
	// Weak says with each piece that a very small model writes; it is called before the first one.
	Weak()
	// Write adds a delta. It never blocks on who watches.
	Write(text string)
	// Close sends what is left.
	Close()
}
