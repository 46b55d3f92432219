package journal

// BoardSearchedData is a search for evidence.
type BoardSearchedData struct {
	Query  LongString `json:"query"`
	Source string     `json:"source"`
	// For is the hypothesis or the conflict that it was for; absent for the question itself.
	For string `json:"for,omitempty"`
	// Found counts passages, New those that were not on the board, Duplicates those of them
	// that say nearly the same as another.
	Found      int `json:"found"`
	New        int `json:"new"`
	Duplicates int `json:"duplicates"`
}

func (BoardSearchedData) Kind() Kind { return BoardSearched }

// EvidenceAddedData names a passage that is on the board; its text is in the store.
type EvidenceAddedData struct {
	ID       string     `json:"id"`
	Passage  uint64     `json:"passage"`
	Document string     `json:"document"`
	Title    LongString `json:"title"`
	Page     int        `json:"page,omitempty"`
	// DuplicateOf is the evidence that says nearly the same.
	DuplicateOf string `json:"duplicate_of,omitempty"`
}

func (EvidenceAddedData) Kind() Kind { return EvidenceAdded }

// EvidenceJudgedData is what a piece of evidence says about a hypothesis.
type EvidenceJudgedData struct {
	Evidence   string `json:"evidence"`
	Hypothesis string `json:"hypothesis"`
	// Verdict is supports, contradicts or neutral.
	Verdict string     `json:"verdict"`
	Quote   LongString `json:"quote,omitempty"`
	By      ChangedBy  `json:"by"`
	Who     string     `json:"who"`
}

func (EvidenceJudgedData) Kind() Kind { return EvidenceJudged }

// HypothesisChangedData is a hypothesis as it is now.
type HypothesisChangedData struct {
	ID        string     `json:"id"`
	Statement LongString `json:"statement"`
	// Status is proposed, validating, confirmed or refuted.
	Status string `json:"status"`
	// Confidence is from 0 to 1.
	Confidence    float64  `json:"confidence"`
	Supporting    []string `json:"supporting_evidence_ids"`
	Contradicting []string `json:"contradicting_evidence_ids"`
	// Dissent says that the evidence says otherwise than the person who decided.
	Dissent bool              `json:"dissent,omitempty"`
	Before  *HypothesisBefore `json:"before,omitempty"`
	By      ChangedBy         `json:"by"`
	// Who is the model's or the person's name, or the rule's.
	Who string `json:"who"`
}

func (HypothesisChangedData) Kind() Kind { return HypothesisChanged }

// HypothesisBefore is what a hypothesis was.
type HypothesisBefore struct {
	Status     string  `json:"status"`
	Confidence float64 `json:"confidence"`
}

// ConflictChangedData is a conflict as it is now.
type ConflictChangedData struct {
	ID          string     `json:"id"`
	Description LongString `json:"description"`
	SourceA     string     `json:"source_a_id"`
	SourceB     string     `json:"source_b_id"`
	Hypothesis  string     `json:"hypothesis"`
	// Status is open or resolved.
	Status     string     `json:"status"`
	Resolution LongString `json:"resolution,omitempty"`
	// Outcome is source_a, source_b or both: which source stands.
	Outcome string    `json:"outcome,omitempty"`
	By      ChangedBy `json:"by"`
	Who     string    `json:"who"`
}

func (ConflictChangedData) Kind() Kind { return ConflictChanged }
