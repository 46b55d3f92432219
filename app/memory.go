package app

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/pipeline"
	"holdpoint/store"
)

// Memory is the working memory of a session.
type Memory struct {
	Tools     []MemoryTool    `json:"tools"`
	Signal    json.RawMessage `json:"signal"` // the client signal, or null
	Entities  []Entity        `json:"entities"`
	Threshold float64         `json:"threshold"`
}

// MemoryTool is the bundle that one context tool last brought.
type MemoryTool struct {
	Tool         string          `json:"tool"`
	Title        string          `json:"title"`
	Completeness float64         `json:"completeness"`
	Output       json.RawMessage `json:"output"`
	Turn         string          `json:"turn"`
	At           time.Time       `json:"at"`
	Reads        []ledger.Target `json:"reads"`
	Reason       string          `json:"reason,omitempty"` // what the output lacks
}

// Entity is something the conversation is about.
type Entity struct {
	Kind   string `json:"kind"` // what it is, e.g. concern, goal, provider; the subject's is its type
	Text   string `json:"text"`
	Source string `json:"source"` // the tool that found it
}

// Memory reads what a session remembers between turns.
func (a *App) Memory(sessionID string) (Memory, error) {
	s, err := a.Store.Session(sessionID)
	if err != nil {
		return Memory{}, err
	}
	settings, err := a.Settings()
	if err != nil {
		return Memory{}, err
	}
	m := Memory{Tools: []MemoryTool{}, Entities: []Entity{}, Threshold: settings.Threshold}
	about := s.About()
	if name := a.nameOf(about); name != "" {
		m.Entities = append(m.Entities, Entity{strings.ToLower(about.Type), name, "session"})
	}
	err = a.Store.Read(func(tx store.Tx) error {
		for _, view := range a.agents.memory() {
			raw, err := tx.Skip(sessionID, view.Tool)
			if err != nil {
				return err
			}
			if raw == nil {
				continue
			}
			part := MemoryTool{Tool: view.Tool, Title: view.Title}
			var row pipeline.Row
			if err := json.Unmarshal(raw, &row); err != nil {
				// The gate runs such a tool again; here it is only shown that nothing is known.
				part.Reason = "unreadable; the next turn collects it anew"
				m.Tools = append(m.Tools, part)
				continue
			}
			if row.Reads == nil {
				row.Reads = []ledger.Target{}
			}
			part.Completeness, part.Output, part.Turn, part.At, part.Reads, part.Reason = row.Completeness, row.Output, row.Turn, row.At, row.Reads, row.Degraded
			m.Tools = append(m.Tools, part)
			if view.Signal {
				m.Signal = row.Output
			}
			if view.Entities != nil {
				for _, e := range view.Entities(row.Output) {
					m.Entities = append(m.Entities, Entity{e.Kind, e.Text, view.Tool})
				}
			}
		}
		return nil
	})
	slices.SortStableFunc(m.Entities, func(a, b Entity) int { return strings.Compare(a.Kind, b.Kind) })
	return m, err
}

// memory is what people see of the context tools of all agents: a session may have
// talked with several.
func (r *Agents) memory() (out []agent.MemoryView) {
	for _, x := range r.builtIn {
		for _, v := range x.Memory {
			if !slices.ContainsFunc(out, func(o agent.MemoryView) bool { return o.Tool == v.Tool }) {
				out = append(out, v)
			}
		}
	}
	return out
}

// names are what a person calls the tools of all agents.
func (r *Agents) names() map[string]string {
	out := map[string]string{}
	for _, v := range r.memory() {
		out[v.Tool] = v.Title
	}
	for _, x := range r.builtIn {
		for _, t := range x.Tools {
			if t.Title != "" {
				out[t.Name] = t.Title
			}
		}
	}
	return out
}

// Forget drops what a session remembers of one context tool, or of all for "";
// the next turn collects it anew.
func (a *App) Forget(sessionID, tool string) error {
	if _, err := a.Store.Session(sessionID); err != nil {
		return err
	}
	var tools []string
	for _, view := range a.agents.memory() {
		tools = append(tools, view.Tool)
	}
	if tool != "" {
		if !slices.Contains(tools, tool) {
			return Bad("There is no such part of memory.", "Parts are "+strings.Join(tools, ", ")+".")
		}
		tools = []string{tool}
	}
	events := []journal.Event{journal.Event{At: a.now(), Session: sessionID, Reason: "forgotten by a person"}.
		With(journal.MemoryUpdatedData{Scope: "working", Keys: tools, Forgotten: true})}
	return a.Store.AppendEvents(sessionID, "", events, func(tx store.Tx) error {
		for _, t := range tools {
			if err := tx.PutSkip(sessionID, t, nil); err != nil {
				return err
			}
		}
		return nil
	})
}
