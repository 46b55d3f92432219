package graph

// StageID names a stage of a graph.
type StageID string

// Start and End are the two ends of every graph; neither runs anything.
const (
	Start StageID = "start"
	End   StageID = "end"
)
