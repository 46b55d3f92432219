package app

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/agents/navigator"
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
	Kind   string `json:"kind"` // concern, goal, preference, patient, provider
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
	if name := a.patientName(s.Patient); name != "" {
		m.Entities = append(m.Entities, Entity{"patient", name, "session"})
	}
	err = a.Store.Read(func(tx store.Tx) error {
		for _, tool := range a.Navigator.Context.List() {
			raw, err := tx.Skip(sessionID, tool)
			if err != nil {
				return err
			}
			if raw == nil {
				continue
			}
			var row pipeline.Row
			if err := json.Unmarshal(raw, &row); err != nil {
				// The gate runs such a tool again; here it is only shown that nothing is known.
				m.Tools = append(m.Tools, MemoryTool{Tool: tool, Title: navigator.SectionTitle(tool), Reason: "unreadable; the next turn collects it anew"})
				continue
			}
			if row.Reads == nil {
				row.Reads = []ledger.Target{}
			}
			m.Tools = append(m.Tools, MemoryTool{Tool: tool, Title: navigator.SectionTitle(tool), Completeness: row.Completeness, Output: row.Output,
				Turn: row.Turn, At: row.At, Reads: row.Reads, Reason: row.Degraded})
			m.gather(tool, row.Output)
		}
		return nil
	})
	return m, err
}

// gather picks entities out of a bundle.
func (m *Memory) gather(tool string, output json.RawMessage) {
	switch tool {
	case "client_signal":
		m.Signal = output
		var s navigator.Signal
		if json.Unmarshal(output, &s) != nil {
			return
		}
		for kind, list := range map[string][]string{"concern": s.Concerns, "goal": s.Goals, "preference": s.Preferences} {
			for _, text := range list {
				m.Entities = append(m.Entities, Entity{kind, text, tool})
			}
		}
	case "therapeutic_fit":
		var f navigator.Fit
		if json.Unmarshal(output, &f) != nil {
			return
		}
		for _, p := range f.Ranked {
			m.Entities = append(m.Entities, Entity{"provider", p.Name, tool})
		}
	}
	slices.SortStableFunc(m.Entities, func(a, b Entity) int { return strings.Compare(a.Kind, b.Kind) })
}

// Forget drops what a session remembers of one context tool, or of all for "";
// the next turn collects it anew.
func (a *App) Forget(sessionID, tool string) error {
	if _, err := a.Store.Session(sessionID); err != nil {
		return err
	}
	tools := a.Navigator.Context.List()
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
