package graph

import "holdpoint/engine/journal"

// StageID names a stage of a graph; one inside a nested graph is "outer/inner".
type StageID = journal.StageID

// Start and End are the two ends of every graph; neither runs anything.
const (
	Start StageID = "start"
	End   StageID = "end"
)
