package graph

import (
	"cmp"
	"slices"
)

// fork is where branches begin to run side by side: the entries of a graph inside a stage,
// or the parallel_branch edges out of one.
type fork struct {
	id    StageID // "both/" for the entries inside both
	stage int     // whose entries or edges they are; -1 for the entries of the outermost graph
	size  int     // how many stages of its level its branches have
}

// branch is one of a fork's, that a stage stands in and in no other.
type branch struct {
	fork  int     // its place among the graph's
	start StageID // that it begins with
}

// failureKeys are the keys of the context under which the failure of a stage is kept, and
// those under which it finds the last one that is not from beside it, the nearest first.
type failureKeys struct{ kept, found []string }

// inside is the key of the last failure in a branch: what runs beside it does not hide it.
func (b branch) inside() string { return ErrorKey + "@" + string(b.start) }

// around is the key of the last failure around a fork: what its branches see until they have
// one of their own.
func (f fork) around() string { return ErrorKey + "^" + string(f.id) }

// branches finds which branches each stage stands in, and so where failures are kept.
func (g *Graph) branches() {
	levels := make([][]int, len(g.Stages)+1) // behind each parent's place plus one
	for n := range g.Stages {
		levels[g.Stages[n].Parent+1] = append(levels[g.Stages[n].Parent+1], n)
	}
	var forks []fork
	in := make([][]branch, len(g.Stages)) // the innermost first
	split := func(f fork, starts []int) {
		if len(starts) < 2 {
			return
		}
		alone := g.alone(f.stage, starts)
		f.size = len(alone)
		for n, start := range alone {
			in[n] = append(in[n], branch{len(forks), g.Stages[start].ID})
		}
		forks = append(forks, f)
	}
	for parent := -1; parent < len(g.Stages); parent++ { // parents stand before what is inside them
		f, entries := fork{id: "/", stage: parent}, g.Entries
		if parent >= 0 {
			f.id, entries = g.Stages[parent].ID+"/", g.Stages[parent].Entries
		}
		split(f, entries)
		for _, n := range levels[parent+1] {
			var starts []int
			for _, l := range g.Stages[n].Out {
				if l.Edge.Type == ParallelBranch && !slices.Contains(starts, l.To) {
					starts = append(starts, l.To)
				}
			}
			split(fork{id: g.Stages[n].ID, stage: n}, starts)
		}
		for _, n := range levels[parent+1] {
			slices.SortStableFunc(in[n], func(a, b branch) int { return cmp.Compare(forks[a.fork].size, forks[b.fork].size) })
			if parent >= 0 {
				in[n] = append(in[n], in[parent]...)
			}
		}
	}
	for n := range g.Stages {
		keys := failureKeys{kept: []string{ErrorKey}}
		for _, b := range in[n] {
			keys.kept = append(keys.kept, b.inside())
			keys.found = append(keys.found, b.inside(), forks[b.fork].around())
		}
		for i, f := range forks {
			beside := slices.ContainsFunc(in[n], func(b branch) bool { return b.fork == i })
			if !beside && (f.stage < 0 || len(in[f.stage]) == 0 || slices.Contains(in[n], in[f.stage][0])) {
				keys.kept = append(keys.kept, f.around())
			}
		}
		g.Stages[n].failures = keys
	}
}

// alone are the stages that only one of these branches leads to, each with the stage that
// the branch begins with. A branch ends at a join that another one leads to, and where it
// comes back to the stage that they fork at.
func (g *Graph) alone(at int, starts []int) map[int]int {
	joined := map[int]int{}
	for _, start := range starts {
		for n := range g.follow(start, func(n int) bool { return n == at }) {
			joined[n]++
		}
	}
	alone, reached := map[int]int{}, map[int]int{}
	for _, start := range starts {
		for n := range g.follow(start, func(n int) bool { return n == at || g.Stages[n].Inputs != nil && joined[n] > 1 }) {
			alone[n] = start
			reached[n]++
		}
	}
	for n := range reached {
		if reached[n] > 1 {
			delete(alone, n)
		}
	}
	return alone
}

// follow are the stages of a level that the edges lead to from a start, and it itself, as
// far as none is one to stop at.
func (g *Graph) follow(start int, stop func(int) bool) map[int]bool {
	seen, queue := map[int]bool{}, []int{start}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if seen[n] || stop(n) {
			continue
		}
		seen[n] = true
		for _, l := range g.Stages[n].Out {
			if l.To != AtEnd {
				queue = append(queue, l.To)
			}
		}
	}
	return seen
}
