package agent

import (
	"encoding/json"
	"time"

	"holdpoint/engine/safety"
)

// Cards are how screens show an agent that asks people questions: what is asked before a
// session begins, and what stands beside the conversation. All that they say are the agent's
// texts for the audience and language, so that screens have no words of their own.
type Cards struct {
	// Row is the row of a session that the cards are made of, see pipeline.Row.
	Row string
	// Start is what is asked before a session with these vars begins; vars may still be open.
	// known says of somebody, as Whom names them, whether they said anything about being remembered.
	Start func(vars map[string]string, say Say, known func(whom string) bool) (StartCard, error)
	// Addressee says whom help in danger speaks to, as far as the vars and the session tell.
	Addressee func(s CardState) Addressee
	// Show makes the cards of a session.
	Show func(s CardState, say Say) (CardView, error)
	// Change gives the row after a person changed something on a card; an error is for them.
	Change func(s CardState, c CardChange, say Say) (json.RawMessage, error)
	// Forget gives the row without a yes that waits for something, and with all also without what
	// was summed up in it; nil where there is nothing to take away.
	Forget func(s CardState, all bool) json.RawMessage
	// Agree says why a yes of the person is not enough, in words for them; "" where it is.
	Agree func(s CardState, say Say) (string, error)
}

// Addressee is whom help speaks to: Region is whose lines are named, "" for that of the settings,
// Language "" for the program's.
type Addressee struct {
	Region, Language string
	// Young people are addressed as such; OfChild is who writes about a child of theirs.
	Young, OfChild bool
}

// Help is what a check finds in what a person wrote, with the reviewed text for it; "" where it
// finds nothing.
type Help struct {
	Level    safety.Level    `json:"level"`
	Category string          `json:"category"`
	Speaker  safety.Speaker  `json:"speaker"`
	Language safety.Language `json:"language"`
	Region   string          `json:"region"`
	Informal bool            `json:"informal"`
	Child    bool            `json:"child"`
	FoundBy  []string        `json:"found_by"`
	Text     string          `json:"text"`
	// Numbers are those to call first.
	Numbers []safety.Number `json:"numbers,omitempty"`
}

// Say is a text in force.
type Say func(audience, language, name string) (string, error)

// CardState is what cards are made of.
type CardState struct {
	Session string
	// Vars are those of the session's last turn.
	Vars map[string]string
	// Scope is the consent in force, Kept how many summaries of the person are kept.
	Scope string
	Kept  int
	// Region and Age are what the person said in any session; "" for nothing.
	Region, Age string
	// Row is the session's row; nil before there is one.
	Row json.RawMessage
	// Turn is the last turn that ended; At is now.
	Turn string
	At   time.Time
}

// CardChange is what a person did on a card.
type CardChange struct {
	// Kind is CardAnswer or CardFeedback.
	Kind string `json:"kind"`
	// ID is the question's.
	ID string `json:"id"`
	// Value is the new answer, "" for none, or what helped; Note is in their own words.
	Value string `json:"value"`
	Note  string `json:"note"`
	// Danger says that the check found danger in it.
	Danger bool `json:"-"`
}

// Kinds of changes on a card.
const (
	CardAnswer   = "answer"
	CardFeedback = "feedback"
)

// CardChoice is one of several answers.
type CardChoice struct {
	Value string `json:"value"`
	Say   string `json:"say"`
}

// StartCard is what is asked before a session begins.
type StartCard struct {
	Language string  `json:"language"`
	Scale    float64 `json:"scale"`
	// Words are the texts of cards, by name.
	Words  map[string]string `json:"words"`
	Fields []CardField       `json:"fields"`
}

// CardField asks for a var of the first turn.
type CardField struct {
	Var     string       `json:"var"`
	Say     string       `json:"say"`
	Choices []CardChoice `json:"choices"`
	// Value is what holds where nothing is chosen; "" for nothing.
	Value string `json:"value,omitempty"`
	// Own asks for another answer than the choices, in the person's words of at most Longest
	// characters; "" takes none. What is left empty is the first choice.
	Own     string `json:"own,omitempty"`
	Longest int    `json:"longest,omitempty"`
}

// CardView are the cards of a session.
type CardView struct {
	// Help is for what was just changed, where it speaks of danger.
	Help     *Help  `json:"help,omitempty"`
	Language string `json:"language"`
	// Scale is how much larger than usual this audience reads, e.g. 1.2.
	Scale float64           `json:"scale"`
	Words map[string]string `json:"words"`
	// Asked is all that the session asks, in order; Open is the question that waits, Skip what a
	// person says to pass it.
	Asked    []CardQuestion `json:"asked"`
	Open     string         `json:"open,omitempty"`
	Skip     string         `json:"skip,omitempty"`
	Progress CardProgress   `json:"progress"`
	Consent  CardConsent    `json:"consent"`
	// Sources are what the last advice rests on.
	Sources []CardSource `json:"sources"`
	// Feedback asks what came of the advice; nil before there was any.
	Feedback *CardFeedbackAsked `json:"feedback,omitempty"`
}

// CardQuestion is a question with what was answered.
type CardQuestion struct {
	ID      string       `json:"id"`
	Say     string       `json:"say"`
	Choices []CardChoice `json:"choices,omitempty"`
	// Region says that the answer is whose help lines are named.
	Region bool `json:"region,omitempty"`
	// Value is the answer, "" for none; Answer is it in words.
	Value  string `json:"value"`
	Answer string `json:"answer"`
	// Skipped says that the person passed it.
	Skipped bool `json:"skipped,omitempty"`
	// From says where it came from, in words; Quote are the person's own, of this turn.
	From  string `json:"from,omitempty"`
	Quote string `json:"quote,omitempty"`
	Turn  string `json:"turn,omitempty"`
}

// CardProgress is how far the questions are.
type CardProgress struct {
	Done  int    `json:"done"`
	Total int    `json:"total"`
	Say   string `json:"say"`
}

// CardConsent is what was agreed to, and what each scope allows.
type CardConsent struct {
	Scope string `json:"scope"`
	Say   string `json:"say"`
	// Asked says that the person has not answered yet; Closed why a yes of theirs is not enough.
	Asked  bool        `json:"asked"`
	Closed string      `json:"closed,omitempty"`
	Kept   int         `json:"kept"`
	Keeps  string      `json:"keeps"`
	Delete string      `json:"delete"`
	Scopes []CardScope `json:"scopes"`
}

// CardScope is a scope with what it allows.
type CardScope struct {
	Scope  string        `json:"scope"`
	Say    string        `json:"say"`
	Allows []CardAllowed `json:"allows"`
}

// CardAllowed is one thing that a scope allows, or does not.
type CardAllowed struct {
	Say string `json:"say"`
	Yes bool   `json:"yes"`
}

// CardSource is a passage that advice rests on. Document and Passage say where it stands in
// the library; a passage that comes with the agent has neither.
type CardSource struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Source string `json:"source"`
	Text   string `json:"text,omitempty"`
	// About says that the text is a summary and not the source's own; "" where it is.
	About    string `json:"about,omitempty"`
	Document string `json:"document,omitempty"`
	Passage  uint64 `json:"passage,omitempty"`
}

// CardFeedbackAsked is what may be said of the advice, and what was.
type CardFeedbackAsked struct {
	Turn    string       `json:"turn"`
	Choices []CardChoice `json:"choices"`
	Value   string       `json:"value,omitempty"`
	Note    string       `json:"note,omitempty"`
}
