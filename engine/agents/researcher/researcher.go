// Package researcher is an agent for questions that documents answer: it keeps hypotheses,
// conflicts and evidence on a board (package board), searches what the person imported,
// judges, resolves, and writes a report whose every claim cites a passage that opens.
//
// What happens next is decided by code (Route). A model proposes hypotheses, says of single
// passages what they say about single hypotheses, resolves conflicts and writes the summary,
// always under a schema. Confidences are computed.
package researcher

import (
	"errors"
	"fmt"
	"strconv"

	"holdpoint/engine/agent"
	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/turn"
)

// Name is the agent's name on the command line and in stored runs.
const Name = "researcher"

// Stages, and the steps that the supervisor chooses among.
const (
	Supervisor graph.StageID = "supervisor"
	Search     graph.StageID = "search"
	Judge      graph.StageID = "judge"
	Resolve    graph.StageID = "resolve"
	Synthesize graph.StageID = "synthesize"

	Finish = "finish"
)

// MaxIterationsVar is the var that says how many steps the supervisor may choose.
const MaxIterationsVar = "max_iterations"

const (
	usualIterations = 10
	mostIterations  = 50
	// maxSteps bounds a study's super-steps: a passage or a conflict is one each.
	maxSteps = 500
	// maxTokens bounds what a study reads and writes; a person can grant more.
	maxTokens = 400_000
)

var channelReply = graph.Value[string]("reply")

// Edges are all ways of a study.
func Edges() []graph.Edge {
	return []graph.Edge{
		{From: graph.Start, To: Supervisor, Type: graph.Entry},
		{From: Supervisor, To: Search, Type: graph.Match, Match: string(Search)},
		{From: Supervisor, To: Judge, Type: graph.Match, Match: string(Judge)},
		{From: Supervisor, To: Resolve, Type: graph.Match, Match: string(Resolve)},
		{From: Supervisor, To: Synthesize, Type: graph.Match, Match: string(Synthesize)},
		{From: Supervisor, To: graph.End, Type: graph.Match, Match: Finish},
		{From: Search, To: Supervisor, Type: graph.Sequence},
		{From: Judge, To: Supervisor, Type: graph.Sequence},
		{From: Resolve, To: Supervisor, Type: graph.Sequence},
		{From: Synthesize, To: graph.End, Type: graph.Exit},
	}
}

// boardRows are the rows of studies: evidence and decisions.
var boardRows turn.Rows[board.Tx]

// New builds the agent.
func New(kit turn.Kit) (agent.Agent, error) {
	if err := kit.Needs(boardRows); err != nil {
		return agent.Agent{}, err
	}
	spec, err := turn.Guard(graph.Spec{
		Agent: Name, Title: "Researcher", MaxSteps: maxSteps, Limits: graph.Limits{Tokens: maxTokens},
		Description: "Works on a question with the documents that you imported: keeps hypotheses with evidence for and against, resolves conflicts, and writes a report whose every claim cites a passage.",
		Stages: []graph.Stage{
			{ID: Supervisor, Role: graph.RoleGate, Title: "Decide what is next", Description: "Chooses the next step by what is on the board; no model is asked", Kind: "router", Run: supervise},
			{ID: Search, Title: "Search the library", Description: "Finds passages for what lacks evidence", Kind: "tool", Run: search},
			{ID: Judge, Title: "Judge the evidence", Description: "Proposes hypotheses, and says of each passage what it says about each", Kind: "prompt", Run: judge},
			{ID: Resolve, Title: "Resolve conflicts", Description: "Looks for what decides between two sources, and decides", Kind: "prompt", Run: resolve},
			{ID: Synthesize, Role: graph.RoleReply, Title: "Write the report", Description: "Puts the board into a report with citations", Kind: "synthesize", Run: synthesize},
		},
		Edges:    Edges(),
		Channels: append(board.Channels(), channelReply),
		Reply:    channelReply,
	})
	if err != nil {
		return agent.Agent{}, err
	}
	g, err := graph.New(spec)
	return agent.Agent{ID: Name, Title: spec.Title, Description: spec.Description, Experimental: true, Example: "Does exercise help people sleep better?",
		Graph:  func(map[string]string) (*graph.Graph, error) { return g, nil },
		Accept: accept, Begin: begin, Weigh: Weigh, Script: script()}, err
}

func accept(vars map[string]string) error {
	_, err := iterations(vars)
	return err
}

func iterations(vars map[string]string) (int, error) {
	text, ok := vars[MaxIterationsVar]
	if !ok {
		return usualIterations, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostIterations {
		return 0, fmt.Errorf("%s is a number from 1 to %d", MaxIterationsVar, mostIterations)
	}
	return n, nil
}

// begin is the state of a new study.
func begin(m turn.Message) graph.Patch {
	n, err := iterations(m.Vars)
	if err != nil {
		n = usualIterations // Accept has refused it
	}
	begun := graph.Patch{board.ChannelQuery.Set(m.Text), board.ChannelNext.Set(string(Search)), board.ChannelCount.Set(0), board.ChannelMax.Set(n)}
	if m.EarlierRun == "" {
		return begun
	}
	before, err := board.Read(m.Earlier)
	if err != nil {
		return begun // one that cannot be read is not gone on with
	}
	// The board, not the talk: a new question meets what is known, and nothing of the words before.
	taken, err := new(board.State).Writes(before)
	if err != nil {
		return begun
	}
	return append(append(begun, taken...), board.ChannelContinued.Set(&board.Continued{Study: string(m.EarlierRun), Searches: len(before.Searches)}))
}

// now is the board as it is now: what models wrote, and over it what people decided.
func now(t *graph.Task) (read, decided *board.State, decisions []board.Decision, err error) {
	if read, err = board.Read(t.State); err != nil {
		return nil, nil, nil, err
	}
	err = boardRows.View(t, func(tx board.Tx) (err error) {
		decisions, err = board.DecisionsOf(tx, string(t.Run.ID))
		if err == nil && read.Continued != nil && read.Iterations == 0 {
			// They are taken over with the first step.
			var before []board.Decision
			before, err = board.DecisionsOf(tx, read.Continued.Study)
			decisions = append(before, decisions...)
		}
		return err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	return read, read.Decided(decisions), decisions, nil
}

// evidence reads the bodies of some evidence of the board; what is gone is left out.
func evidence(t *graph.Task, s *board.State, ids ...string) (map[string]board.Evidence, error) {
	out := map[string]board.Evidence{}
	err := boardRows.View(t, func(tx board.Tx) error {
		for _, id := range ids {
			p := s.Piece(id)
			if p == nil {
				continue
			}
			e, err := board.Find(tx, string(t.Run.ID), *p)
			if err == nil {
				out[id] = e
			} else if !errors.Is(err, board.ErrNotFound) {
				return err
			}
		}
		return nil
	})
	return out, err
}

func allIDs(s *board.State) []string {
	ids := make([]string, len(s.Evidence))
	for i := range s.Evidence {
		ids[i] = s.Evidence[i].ID
	}
	return ids
}
