package pipeline

import (
	"fmt"
	"maps"
	"slices"

	"holdpoint/engine/journal"
)

// DefaultThreshold is the completeness from which an output counts as good enough to keep.
const DefaultThreshold = 0.4

// decision is what the gates say of one tool. gate is "" when it has to run;
// reason is for a person in either case.
type decision struct {
	gate   journal.Gate
	reason string
	row    Row
}

// decide asks both gates. They apply only while everything that the stored output was
// made from is unchanged: its arguments, the outputs it was built on, the records it read
// and what the person told it. A change in any of these makes the tool run, since the
// stored output no longer follows from what is known now: however complete it was, of what
// matters now it knows nothing. Completeness decides where the conversation went on without
// anything new in it.
func (p *run[D]) decide(t *prepared) decision {
	if p.req.Skips == nil {
		return decision{reason: "Nothing is kept between turns here."}
	}
	raw, err := p.req.Skips.Skip(p.req.Session, t.name)
	if err != nil {
		return decision{reason: "The earlier result could not be read, so it is worked out again."}
	}
	if raw == nil {
		return decision{reason: "There is no earlier result in this session."}
	}
	row, err := readRow(raw, p.req.Session, t.name)
	if err != nil {
		return decision{reason: "The earlier result is damaged, so it is worked out again."}
	}
	if row.ArgsHash != t.argsHash {
		return decision{reason: "It is asked for something else than before."}
	}
	if dep, changed := p.upstreamChanged(row, t); changed {
		return decision{reason: fmt.Sprintf("What it builds on has changed: %s.", dep)}
	}
	for _, read := range row.Reads {
		if p.req.Version == nil {
			return decision{reason: "Whether its records have changed cannot be told here."}
		}
		now, err := p.req.Version(read.Ref)
		if err != nil {
			return decision{reason: fmt.Sprintf("Whether %s has changed could not be told.", read.Ref)}
		}
		if now != read.Version {
			return decision{reason: fmt.Sprintf("The record %s has changed.", read.Ref)}
		}
	}
	if row.SliceHash != t.sliceHash && news(row.SliceHash, t.slice) {
		return decision{reason: "The person said something new."}
	}
	percent := fmt.Sprintf("%.0f %%", row.Completeness*100)
	switch {
	case row.Completeness >= p.threshold:
		return decision{gate: journal.GateCompleteness, row: row,
			reason: fmt.Sprintf("Earlier result kept: it is %s complete and nothing it builds on has changed.", percent)}
	case row.SliceHash == t.sliceHash:
		return decision{gate: journal.GateContentHash, row: row,
			reason: "Earlier result kept: nothing was said since that bears on it."}
	default:
		return decision{reason: fmt.Sprintf("The conversation went on, and the earlier result is only %s complete.", percent)}
	}
}

// upstreamChanged compares this turn's outputs with every output that the row was built
// on and every one that the tool depends on now.
func (p *run[D]) upstreamChanged(row Row, t *prepared) (string, bool) {
	names := slices.Sorted(maps.Keys(row.DepHashes))
	for _, d := range t.dependencies {
		if !slices.Contains(names, d) {
			names = append(names, d)
		}
	}
	for _, name := range names {
		then, known := row.DepHashes[name]
		if !known || then != p.hashOf(name) {
			return name, true
		}
	}
	return "", false
}
