package pipeline

import (
	"fmt"
	"slices"
	"strings"
)

// Registry holds the tools that exist: declarations and functions. It is
// immutable and safe for concurrent use.
type Registry[D any] struct {
	names   []string // in the order of declaration
	configs map[string]Config
	tools   map[string]Tool[D]
}

// NewRegistry checks declarations and functions against each other. Every
// mistake that can be seen before a turn is found here.
func NewRegistry[D any](configs []Config, tools map[string]Tool[D]) (*Registry[D], error) {
	r := &Registry[D]{configs: map[string]Config{}, tools: map[string]Tool[D]{}}
	for _, c := range configs {
		if err := c.check(); err != nil {
			return nil, err
		}
		if _, ok := r.configs[c.Name]; ok {
			return nil, c.errorf("tool %q is declared twice", c.Name)
		}
		t, ok := tools[c.Name]
		if !ok || t.Run == nil {
			return nil, c.errorf("tool %q has no function", c.Name)
		}
		// Once through JSON: arguments have one shape wherever they come from.
		defaults, err := asJSON(c.Defaults)
		if err != nil {
			return nil, c.errorf("tool %q: defaults are not JSON: %v", c.Name, err)
		}
		c = c.clone()
		c.Defaults = defaults
		r.names, r.configs[c.Name], r.tools[c.Name] = append(r.names, c.Name), c, t
	}
	for _, name := range sortedKeys(tools) {
		if _, ok := r.configs[name]; !ok {
			return nil, fmt.Errorf("pipeline: function %q has no declaration", name)
		}
	}
	for _, name := range r.names {
		c := r.configs[name]
		for _, d := range c.Dependencies {
			if _, ok := r.configs[d]; !ok {
				return nil, c.errorf("tool %q depends on %q, which is not declared", name, d)
			}
		}
	}
	if _, err := r.phases(r.names); err != nil {
		return nil, err
	}
	return r, nil
}

// Names lists all tools in the order of their declaration.
func (r *Registry[D]) Names() []string { return slices.Clone(r.names) }

// Plan groups an agent's list of tools into phases: a tool runs in the first
// phase after all its dependencies; within a phase the order of the list is kept.
// A dependency that the list leaves out does not count, and a warning says so:
// call Plan for every agent at start-up.
func (r *Registry[D]) Plan(list []string) (phases [][]string, warnings []string, err error) {
	for i, name := range list {
		c, ok := r.configs[name]
		if !ok {
			return nil, nil, fmt.Errorf("pipeline: the list names %q, which is not declared", name)
		}
		if slices.Contains(list[:i], name) {
			return nil, nil, fmt.Errorf("pipeline: the list names %q twice", name)
		}
		for _, d := range c.Dependencies {
			if !slices.Contains(list, d) {
				warnings = append(warnings, fmt.Sprintf("tool %q depends on %q, which this list leaves out; it runs without that output", name, d))
			}
		}
	}
	phases, err = r.phases(list)
	return phases, warnings, err
}

// phases is Kahn's algorithm, a whole layer at a time.
func (r *Registry[D]) phases(list []string) ([][]string, error) {
	waiting := make(map[string]int, len(list)) // dependencies not yet placed
	for _, name := range list {
		waiting[name] = 0
	}
	dependents := map[string][]string{}
	for _, name := range list {
		for _, d := range r.configs[name].Dependencies {
			if _, ok := waiting[d]; ok {
				waiting[name]++
				dependents[d] = append(dependents[d], name)
			}
		}
	}
	var phases [][]string
	for len(waiting) > 0 {
		var phase []string
		for _, name := range list {
			if n, ok := waiting[name]; ok && n == 0 {
				phase = append(phase, name)
			}
		}
		if len(phase) == 0 {
			return nil, r.cycle(list, waiting)
		}
		for _, name := range phase {
			delete(waiting, name)
			for _, d := range dependents[name] {
				waiting[d]--
			}
		}
		phases = append(phases, phase)
	}
	return phases, nil
}

// cycle names one cycle among the tools that still wait. Each waits for another of
// them, so following the first such dependency must lead back at some point.
func (r *Registry[D]) cycle(list []string, waiting map[string]int) error {
	var path []string
	name := ""
	for _, n := range list {
		if _, ok := waiting[n]; ok {
			name = n
			break
		}
	}
	for !slices.Contains(path, name) {
		path = append(path, name)
		for _, d := range r.configs[name].Dependencies {
			if _, ok := waiting[d]; ok {
				name = d
				break
			}
		}
	}
	path = append(path[slices.Index(path, name):], name)
	return r.configs[name].errorf("tools depend on each other in a cycle: %s", strings.Join(path, " → "))
}
