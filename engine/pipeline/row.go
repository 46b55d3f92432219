package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"holdpoint/engine/ledger"
)

// SkipStore reads the durable rows of the skip gates; graph.Tx is one. nil, nil
// says that there is no row.
type SkipStore interface {
	Skip(session, tool string) (json.RawMessage, error)
}

// SkipWriter takes new rows; graph.Tx is one.
type SkipWriter interface {
	PutSkip(session, tool string, row json.RawMessage) error
}

// SkipTx are those rows in one transaction.
type SkipTx interface {
	SkipStore
	SkipWriter
}

// Row is what a session remembers of a tool's last successful run.
type Row struct {
	Session string `json:"session"`
	Tool    string `json:"tool"`
	// SliceHash names the conversation that fed the tool, ArgsHash its arguments.
	SliceHash    string          `json:"slice_hash"`
	ArgsHash     string          `json:"args_hash"`
	Completeness float64         `json:"completeness"`
	Output       json.RawMessage `json:"output"`
	OutputHash   string          `json:"output_hash"`
	Degraded     string          `json:"degraded,omitempty"`
	// Weak says that a model too small for its word to count alone wrote the output.
	Weak bool `json:"weak,omitempty"`
	// DepHashes are the outputs it was built on; "" for one that was not there.
	DepHashes map[string]string `json:"dep_hashes"`
	Reads     []ledger.Target   `json:"reads"`
	Turn      string            `json:"turn"`
	At        time.Time         `json:"at"`
}

// readRow decodes a stored row and refuses one that is not whole or not the
// session's own: what another session found out must never be reused.
func readRow(raw json.RawMessage, session, tool string) (Row, error) {
	var row Row
	if err := json.Unmarshal(raw, &row); err != nil {
		return Row{}, fmt.Errorf("pipeline: skip row of %s: %w", tool, err)
	}
	output, err := sorted(row.Output)
	switch {
	case row.Session != session || row.Tool != tool:
		err = errors.New("it belongs to another session or tool")
	case err != nil:
	case math.IsNaN(row.Completeness) || row.Completeness < 0 || row.Completeness > 1:
		err = fmt.Errorf("completeness is %v", row.Completeness)
	case row.SliceHash == "" || row.ArgsHash == "" || row.DepHashes == nil:
		err = errors.New("a hash is missing")
	case digest(output) != row.OutputHash:
		err = errors.New("the output is not the one that was stored")
	}
	if err != nil {
		return Row{}, fmt.Errorf("pipeline: skip row of %s: %w", tool, err)
	}
	row.Output = output
	return row, nil
}

func (r Row) finished() finished {
	return finished{value: r.Output, hash: r.OutputHash, completeness: r.Completeness, degraded: r.Degraded, weak: r.Weak, reads: slices.Clone(r.Reads)}
}
