package mcp

import (
	"encoding/json"
	"slices"
	"time"
)

// States of a server.
const (
	StatusNew     = "new"     // never trusted
	StatusChanged = "changed" // trusted before, and not what it was then
	StatusFailed  = "failed"  // could not be reached
	StatusReady   = "ready"   // trusted and connected
	StatusStopped = "stopped" // trusted; connected when it is needed
)

// View is a server as screens and commands show it.
type View struct {
	Config
	Status string     `json:"status"`
	Error  string     `json:"error,omitempty"`
	Tools  []ToolView `json:"tools"`
	// PinnedAt is when the server was trusted; nil before that.
	PinnedAt *time.Time `json:"pinned_at,omitempty"`
	// Changes says what is not as it was trusted.
	Changes []string `json:"changes,omitempty"`
	// Digest is that of all that is shown here; Trust takes it.
	Digest string `json:"digest"`
}

// ToolView is a tool of a server as the server showed it last.
type ToolView struct {
	Name        string          `json:"name"` // as models and approvals know it
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Class       Class           `json:"class"`
	// Hint is the server's own word that the tool only reads.
	Hint bool `json:"read_only_hint,omitempty"`
	// Unusable says why no model is offered the tool.
	Unusable string `json:"unusable,omitempty"`
	Digest   string `json:"digest"`
	// Changed says that the tool is not what was trusted.
	Changed bool `json:"changed,omitempty"`
}

// List shows all servers; none is contacted.
func (s *Servers) List() []View {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]View, len(s.rows))
	for i, r := range s.rows {
		out[i] = s.view(r)
	}
	return out
}

// Get shows one server.
func (s *Servers) Get(id string) (View, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(id)
	if err != nil {
		return View{}, err
	}
	return s.view(r), nil
}

// view is made under the lock.
func (s *Servers) view(r *row) View {
	classes := r.classes()
	v := View{Config: r.Config, Tools: []ToolView{}, Digest: digestOf(r.Config, r.Seen, classes)}
	if r.Pin != nil {
		v.PinnedAt = &r.Pin.At
	}
	var broken string
	if l := s.links[r.ID]; l != nil {
		l.mu.Lock()
		broken = l.error
		connected := l.conn != nil && !l.conn.dead()
		l.mu.Unlock()
		v.Status = StatusStopped
		if connected {
			v.Status = StatusReady
		}
	}
	switch {
	case r.Changed != "":
		v.Status, v.Changes = StatusChanged, []string{r.Changed}
	case broken != "":
		v.Status, v.Error = StatusFailed, broken
	case r.Pin == nil:
		v.Status = StatusNew
	}
	for _, o := range r.Seen {
		t := ToolView{Name: full(r.ID, o.Name), Title: o.Title, Description: o.Description, Parameters: o.Parameters, Class: classOf(classes, o.Name),
			Hint: o.Hint, Unusable: o.Unusable, Digest: o.Digest}
		if t.Parameters == nil {
			t.Parameters = json.RawMessage("null")
		}
		if r.Pin != nil {
			i := slices.IndexFunc(r.Pin.Tools, func(p Offer) bool { return p.Name == o.Name })
			t.Changed = i < 0 || digest(r.Pin.Tools[i]) != digest(o)
		}
		v.Tools = append(v.Tools, t)
	}
	return v
}
