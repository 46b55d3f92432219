package graph

// EdgeType says what an edge is for.
type EdgeType string

const (
	// Entry leads from Start to a first stage.
	Entry EdgeType = "entry"
	// Conditional leads on when its condition holds; of several the highest priority does.
	Conditional EdgeType = "conditional"
	// TerminalPath leads on always, as Sequence does, and may lead to End: screens draw it as
	// a way out.
	TerminalPath EdgeType = "terminal_path"
	// ParallelBranch leads on beside its siblings, JoinInput to the stage that waits for them.
	ParallelBranch EdgeType = "parallel_branch"
	JoinInput      EdgeType = "join_input"
	// Sequence leads on always, Exit to End.
	Sequence EdgeType = "sequence"
	Exit     EdgeType = "exit"
	// Choice is a way that a stage may take by Goto or by its output's route; nothing
	// else leads along it.
	Choice EdgeType = "choice"
	// Match leads on when the output equals Edge.Match: the stage's transitions table.
	Match EdgeType = "match"
	// OnError leads on when the stage failed or was entered too often.
	OnError EdgeType = "error"
)

// Edge leads from one stage to another. It is a value: New copies the spec's
// edges, and nothing changes them afterwards.
type Edge struct {
	From      StageID  `json:"from"`
	To        StageID  `json:"to"`
	Type      EdgeType `json:"type"`
	Condition string   `json:"condition,omitempty"`
	// Match is the output's text (or its JSON, if it is no text) of a match edge.
	Match string `json:"match,omitempty"`
	// Priority orders conditional edges, the highest first; equal ones as declared.
	Priority int `json:"priority,omitempty"`
}
