package graph

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// Scope gives the graph inside a stage a context of its own, and other channels: its stages
// and those around it neither see nor overwrite what is kept there.
type Scope struct {
	// Begin is what the context holds when the graph is entered, and all that it holds. It
	// goes by what the stages around see and by nothing else, so it can be worked out again.
	Begin func(around map[string]json.RawMessage) map[string]json.RawMessage
	// Shows are keys of the context inside that the stages around see as well, each under
	// these keys of theirs. They are written together.
	Shows map[string][]string
	// Own are the channels beside the context; they are empty when the graph is entered. A
	// keyed one is not among them.
	Own []AnyChannel
}

// Sink is a key that an output is written to beside the stage's own.
type Sink struct {
	Key string `json:"key"`
	// Around is how many scopes further out it is.
	Around int `json:"around,omitempty"`
}

// scope is where the context of some stages is kept. nil is that of the spec.
type scope struct {
	around        *scope
	spec, context *definition
	shows         map[string][]string
	own           []owned
	// before counts what the lists among own held when the graph was entered last: lists
	// only grow, and what was there is passed over.
	before *definition
}

// owned is a channel that stands for another one inside a scope.
type owned struct{ of, is *definition }

// of is the channel that stands for another one here.
func (s *scope) of(d *definition) *definition {
	for at := s; at != nil; at = at.around {
		if d == at.spec {
			return at.context
		}
		for _, o := range at.own {
			if d == o.of {
				return o.is
			}
		}
	}
	return d
}

// passed is how many items of a list are from before the graph was entered.
func (s *scope) passed(state Snapshot, d *definition) int {
	for at := s; at != nil; at = at.around {
		for _, o := range at.own {
			if d != o.of {
				continue
			}
			n, _ := state.values[state.graph.slots[at.before]].(map[string]int)
			return n[d.name]
		}
	}
	return 0
}

// place appends the write, and those of the keys that it is seen under further out.
func (s *scope) place(out Patch, w Write) Patch {
	for ; w.around > 0 && s != nil; w.around-- {
		s = s.around
	}
	w.around = 0
	if s == nil || w.channel != s.spec {
		w.channel = s.of(w.channel)
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
		inScope := func(d definition) *definition {
			d.name, d.scoped = string(n.ID)+"/"+d.name, true
			g.slots[&d] = len(g.channels)
			g.channels = append(g.channels, &d)
			g.byName[d.name] = &d
			return &d
		}
		in := &scope{around: n.scope, spec: spec.Context.definition, context: inScope(*spec.Context.definition), shows: n.Stage.Scope.Shows}
		in.context.scoped = false
		if len(n.Stage.Scope.Own) > 0 {
			in.before = inScope(*define[map[string]int]("before", ""))
		}
		for _, c := range n.Stage.Scope.Own {
			in.own = append(in.own, owned{c.declared(), inScope(*c.declared())})
		}
		inside[i], n.inside = in, in
	}
}

// InScope is the state as stage n sees it.
func (g *Graph) InScope(s Snapshot, n int) Snapshot {
	s.scope, s.keys = g.Stages[n].scope, nil
	if keys := &g.Stages[n].failures; len(keys.found) > 0 {
		s.keys = keys
	}
	return s
}

// Placed is what a stage writes, each write where it is kept.
func (n *CompiledStage) Placed(p Patch) Patch { return n.scope.placed(p) }

// Begin is what entering the graph inside stage n writes; nothing for most.
func (g *Graph) Begin(s Snapshot, n int) Patch {
	compiled := &g.Stages[n]
	var out Patch
	for _, key := range slices.Sorted(maps.Keys(compiled.Stage.Begins)) {
		out = append(out, compiled.Placed(Patch{g.spec.Context.Put(key, compiled.Stage.Begins[key])})...)
	}
	if compiled.inside == nil {
		return out
	}
	context := KeyedChannel{compiled.inside.context}
	s.scope, s.keys = nil, nil
	for _, key := range slices.Sorted(maps.Keys(context.Get(s))) {
		out = append(out, context.Put(key, nil))
	}
	held := map[string]int{}
	for _, o := range compiled.inside.own {
		switch v := reflect.ValueOf(s.value(o.is)); {
		case o.is.extend != nil:
			held[o.of.name] = v.Len()
		case !v.IsZero():
			out = append(out, Write{channel: o.is, value: o.is.zero})
		}
	}
	if compiled.inside.before != nil {
		out = append(out, Write{channel: compiled.inside.before, value: held})
	}
	begin := compiled.Stage.Scope.Begin(g.spec.Context.Get(g.InScope(s, n)))
	for _, key := range slices.Sorted(maps.Keys(begin)) {
		out = append(out, context.Put(key, begin[key]))
	}
	return out
}
