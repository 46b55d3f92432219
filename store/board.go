package store

import (
	"errors"
	"fmt"

	"holdpoint/engine/board"
)

// evidenceRow is a piece of evidence of a study; studies are named by their run.
type evidenceRow struct {
	Study    string         `json:"study"`
	Evidence board.Evidence `json:"evidence"`
}

type decisionRow struct {
	Study    string         `json:"study"`
	Decision board.Decision `json:"decision"`
}

var (
	evidence = table[evidenceRow]{name: "evidence", since: 5,
		key:     func(r *evidenceRow) []byte { return key(r.Study, r.Evidence.ID) },
		indexes: []*index[evidenceRow]{&evidenceByDocument},
		owner:   &owner[evidenceRow]{table: "runs", key: func(r *evidenceRow) []byte { return key(r.Study) }}}

	// evidenceByDocument leads from a document, and from a passage of it, to all studies that cite it.
	evidenceByDocument = index[evidenceRow]{name: "evidence_by_document", since: 8,
		keys: func(r *evidenceRow) [][]byte {
			return [][]byte{key(r.Evidence.Document, r.Evidence.ID, r.Study)}
		},
		rest: func(k []byte) ([]byte, error) {
			parts, err := splitTexts(k, 3)
			if err != nil {
				return nil, err
			}
			return key(parts[2], parts[1]), nil
		}}

	decisions = table[decisionRow]{name: "decisions", since: 5,
		key:   func(r *decisionRow) []byte { return numKey(key(r.Study), uint64(r.Decision.N)) },
		owner: &owner[decisionRow]{table: "runs", key: func(r *decisionRow) []byte { return key(r.Study) }}}
)

func init() {
	evidence.verify = func(*checker) func(*evidenceRow) error {
		return func(r *evidenceRow) error {
			if r.Evidence.ID != board.EvidenceID(r.Evidence.Passage) {
				return errors.New("its id is not that of its passage")
			}
			return nil
		}
	}
	evidence.declare()
	decisions.declare()
}

var _ board.Tx = (*tx)(nil)

// PutEvidence keeps evidence of a study.
func (t *tx) PutEvidence(study string, e board.Evidence) error {
	if err := errors.Join(checkID("study of evidence", study), checkID("evidence", e.ID)); err != nil {
		return err
	}
	row := evidenceRow{study, e}
	old, ok, err := evidence.get(t, evidence.key(&row))
	if err != nil {
		return err
	}
	if !ok {
		return evidence.put(t, nil, &row)
	}
	return evidence.put(t, &old, &row)
}

// EvidenceOf visits the evidence of all studies that is of a document.
func (t *tx) EvidenceOf(document string, fn func(study string, e board.Evidence) (bool, error)) error {
	return evidence.find(t, &evidenceByDocument, key(document), func(r evidenceRow) (bool, error) { return fn(r.Study, r.Evidence) })
}

// Evidence returns evidence of a study or an error that wraps board.ErrNotFound.
func (t *tx) Evidence(study, id string) (board.Evidence, error) {
	r, ok, err := evidence.get(t, key(study, id))
	if err == nil && !ok {
		err = fmt.Errorf("evidence %q: %w", id, board.ErrNotFound)
	}
	return r.Evidence, err
}

// AddDecision keeps what a person decided about a study, and numbers it.
func (t *tx) AddDecision(study string, d *board.Decision) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if err := runs.has(t, key(study)); err != nil {
		return err
	}
	d.N = 1
	if err := t.Decisions(study, func(o board.Decision) (bool, error) {
		d.N = o.N + 1
		return true, nil
	}); err != nil {
		return err
	}
	return decisions.put(t, nil, &decisionRow{study, *d})
}

// Decisions visits those about a study, oldest first.
func (t *tx) Decisions(study string, fn func(board.Decision) (bool, error)) error {
	return t.scanPrefix(decisions.bucket, key(study), func(k, v []byte) (bool, error) {
		r, err := decisions.read(k, v)
		if err != nil {
			return false, err
		}
		return fn(r.Decision)
	})
}
