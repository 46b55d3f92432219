package memory

import "time"

// Waiting is a row of the lake's queue: a conversation that is to be remembered.
type Waiting struct {
	About   string `json:"about"`
	Session string `json:"session"`
	Agent   string `json:"agent,omitempty"`
	// Text is what is to be remembered; "" has it made of the conversation.
	Text string `json:"text,omitempty"`
	// Turns is how many turns the session had.
	Turns int `json:"turns,omitempty"`
	// N numbers what was accepted, from 1: the highest of a pair is the newest.
	N uint64 `json:"n"`
	// At is when it was accepted, Due when it is to be made.
	At  time.Time `json:"at"`
	Due time.Time `json:"due"`
	// Failed is how often it could not be made.
	Failed int `json:"failed,omitempty"`
}

// ID is that of the episode that the row becomes.
func (w Waiting) ID() string { return EpisodeID(w.About, w.Session) }
