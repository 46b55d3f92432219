package journal

// SafetyCheckedData is the finding about a person's message, or about what they wrote elsewhere;
// help for the latter has the event's message id.
type SafetyCheckedData struct {
	By SafetyBy `json:"by"`
	// Written says where it was written: "answer" to a question, "feedback" on advice, "correction"
	// of what is remembered; absent for the message.
	Written string `json:"written,omitempty"`
	// Category is the danger that was found; "none" or "" without one.
	Category string `json:"category"`
	// Concern says that the turn goes on with a check-in: help and a question above the reply.
	Concern bool `json:"concern"`
	// Degraded says that less was checked than should have been.
	Degraded bool `json:"degraded"`
	// Hijack says that the reviewed text answers in the place of a model.
	Hijack bool   `json:"hijack"`
	Reason string `json:"reason"`
	// Region is where the text's numbers are to be called.
	Region string `json:"region"`
	// Informal says that the text addresses a young person.
	Informal bool `json:"informal,omitempty"`
	// Child says that the message tells of a child.
	Child bool `json:"child,omitempty"`
	// Rules are those that found a sign.
	Rules []SafetyRule `json:"rules,omitzero"`
	// RulesVersion is that of the reviewed rules.
	RulesVersion string `json:"rules_version"`
	// Score is the highest sum of points, and Threshold what it takes to hijack.
	Score     int `json:"score"`
	Threshold int `json:"threshold"`
	// Level is none, check_in or intervention; FoundBy are those that saw a sign: rules,
	// words, meaning, model or script.
	Level   string   `json:"level"`
	FoundBy []string `json:"found_by,omitzero"`
	// Speaker says who tells: self, other or clinician. Language is that of the reviewed
	// texts that answer, not the message's.
	Speaker  string `json:"speaker,omitempty"`
	Language string `json:"language,omitempty"`
	// Coverage says which checks without a model read the message's language: all of them
	// when absent, only "meaning", or "none". It is told where they found nothing.
	Coverage string `json:"coverage,omitempty"`
	// Addition says that an earlier check told of the message already: this one adds the
	// model's answer, or that there was none.
	Addition bool `json:"addition,omitempty"`
	// Tiers are the readings of what needs no model.
	Tiers []SafetyTier `json:"tiers,omitzero"`
	// Model is the classifier's answer; absent when none was asked or it failed.
	Model *SafetyJudgement `json:"model,omitempty"`
}

func (SafetyCheckedData) Kind() Kind { return SafetyChecked }

// SafetyTier is what one tier says of a message.
type SafetyTier struct {
	Tier  string `json:"tier"`
	Level string `json:"level"`
	// Score is the tier's own; from CheckIn on it is a sign, from Intervention on enough.
	Score        float64 `json:"score"`
	CheckIn      float64 `json:"check_in"`
	Intervention float64 `json:"intervention"`
	Category     string  `json:"category,omitempty"`
	// Reasons are what weighed most.
	Reasons []string `json:"reasons,omitempty"`
}

// SafetyJudgement is the answer of the model's classifier.
type SafetyJudgement struct {
	Risk     string `json:"risk"` // none, concern or crisis
	Category string `json:"category"`
	Who      string `json:"who,omitempty"`
	// Practice says that a script answered in the place of a model.
	Practice bool `json:"practice,omitempty"`
	// Weak says that the model is too small for its word to count alone.
	Weak bool `json:"weak,omitempty"`
}

// SafetyRule is a rule that found a sign of danger.
type SafetyRule struct {
	Category string `json:"category"`
	Rule     string `json:"rule"`
}
