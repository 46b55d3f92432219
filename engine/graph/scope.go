package graph

import (
	"encoding/json"
	"maps"
	"slices"
)

// Scope gives the graph inside a stage a context of its own: its stages and those around
// it neither see nor overwrite each other's keys.
type Scope struct {
	// Begin is what the context holds when the graph is entered, and all that it holds. It
	// goes by what the stages around see and by nothing else, so it can be worked out again.
	Begin func(around map[string]json.RawMessage) map[string]json.RawMessage
	// Shows are keys of the context inside that the stages around see as well, each under
	// these keys of theirs. They are written together.
	Shows map[string][]string
}

// Sink is a key that an output is written to beside the stage's own.
type Sink struct {
	Key string
	// Around is how many scopes further out it is.
	Around int
}

// scope is where the context of some stages is kept. nil is that of the spec.
type scope struct {
	around        *scope
	spec, context *definition
	shows         map[string][]string
}

// of is the channel that stands for another one here.
func (s *scope) of(d *definition) *definition {
	if s != nil && d == s.spec {
		return s.context
	}
	return d
}

// place appends the write, and those of the keys that it is seen under further out.
func (s *scope) place(out Patch, w Write) Patch {
	for ; w.around > 0 && s != nil; w.around-- {
		s = s.around
	}
	w.around = 0
	if s == nil || w.channel != s.spec {
		return append(out, w)
	}
	for _, key := range s.shows[w.key] {
		further := w
		further.key = key
		out = s.around.place(out, further)
	}
	w.channel = s.context
	return append(out, w)
}

func (s *scope) placed(p Patch) Patch {
	if s == nil || len(p) == 0 {
		return p
	}
	out := make(Patch, 0, len(p))
	for _, w := range p {
		out = s.place(out, w)
	}
	return out
}

// Around is the write to the same key so many scopes further out.
func (w Write) Around(n int) Write { w.around = n; return w }

// scopes gives the stages the contexts that they are in. Parents stand before what is
// inside them.
func (g *Graph) scopes(spec *Spec) {
	inside := make([]*scope, len(g.Stages))
	for i := range g.Stages {
		n := &g.Stages[i]
		if n.Parent >= 0 {
			n.scope = inside[n.Parent]
		}
		inside[i] = n.scope
		if n.Stage.Scope == nil {
			continue
		}
		own := *spec.Context.definition
		own.name = string(n.ID) + "/" + own.name
		g.slots[&own] = len(g.channels)
		g.channels = append(g.channels, &own)
		g.byName[own.name] = &own
		inside[i] = &scope{around: n.scope, spec: spec.Context.definition, context: &own, shows: n.Stage.Scope.Shows}
		n.inside = inside[i]
	}
}

// Within is the state as stage n sees it.
func (g *Graph) Within(s Snapshot, n int) Snapshot {
	s.scope = g.Stages[n].scope
	return s
}

// Placed is what a stage writes, each write where it is kept.
func (n *CompiledStage) Placed(p Patch) Patch { return n.scope.placed(p) }

// Begin is what entering the graph inside stage n writes; nothing for one without a scope.
func (g *Graph) Begin(s Snapshot, n int) Patch {
	node := &g.Stages[n]
	if node.inside == nil {
		return nil
	}
	context := KeyedChannel{node.inside.context}
	var out Patch
	s.scope = nil
	for _, key := range slices.Sorted(maps.Keys(context.Get(s))) {
		out = append(out, context.Put(key, nil))
	}
	begin := node.Stage.Scope.Begin(g.spec.Context.Get(g.Within(s, n)))
	for _, key := range slices.Sorted(maps.Keys(begin)) {
		out = append(out, context.Put(key, begin[key]))
	}
	return out
}
