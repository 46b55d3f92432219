package session

// Exchange is one earlier turn of a conversation: as the next turns know it, and as it is remembered.
type Exchange struct {
	User  string `json:"user"`
	Reply string `json:"reply"`
	// Ended says of a turn that was not answered what became of it, in a sentence; "" for
	// one that was. The next turn has to know what was asked and did not happen.
	Ended string `json:"ended,omitempty"`
	// Danger says that the check of the turn found a sign of danger: it is told to models, and
	// not remembered beyond the session.
	Danger bool `json:"danger,omitempty"`
	// Decided are what people decided about the changes that were proposed, sentences without
	// their full stop; only what is remembered has them.
	Decided []string `json:"decided,omitempty"`
}
