package record

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Count says what an import did with the resources of one type.
type Count struct {
	Type      string `json:"type,omitempty"`
	Read      int    `json:"read"`
	Created   int    `json:"created"`
	Updated   int    `json:"updated"`
	Unchanged int    `json:"unchanged"`
	Failed    int    `json:"failed"`
}

// LineError is one resource that could not be kept. Line counts from 1; in a
// Bundle it is the number of the entry.
type LineError struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Error string `json:"error"`
}

// Report is what an import did. Read = Created + Updated + Unchanged + Failed, for
// each type and in all: nothing is lost in silence.
type Report struct {
	Types   []Count     `json:"types"`
	Total   Count       `json:"total"`
	Errors  []LineError `json:"errors"`            // the first 100
	Skipped []string    `json:"skipped,omitempty"` // files that are not FHIR
}

// ImportOptions of an import; the zero value will do.
type ImportOptions struct {
	Now func() time.Time
	// Progress hears of every batch: resources so far, and the file.
	Progress func(read int64, file string)
}

const (
	batchSize  = 500
	maxLine    = 16 << 20 // bytes of one NDJSON line or one Bundle entry
	errorsKept = 100
	// unreadable is the type under which lines are counted that say none.
	unreadable = "(unreadable)"
)

// ErrNothing says that there was nothing to import.
var ErrNothing = errors.New("record: no FHIR file there; name a folder with .ndjson files, an .ndjson file or a .json Bundle")

// ImportPath imports a file, or a folder's .ndjson and .json files. Links that
// lead out of the folder are refused.
func ImportPath(ctx context.Context, store Store, name string, o ImportOptions) (Report, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Report{}, fmt.Errorf("record: import: %w", err)
	}
	dir, files := name, []string(nil)
	if !info.IsDir() {
		dir, files = filepath.Dir(name), []string{filepath.Base(name)}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Report{}, fmt.Errorf("record: import: %w", err)
	}
	defer root.Close()
	i := newImport(store, o)
	if files == nil {
		entries, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			return Report{}, fmt.Errorf("record: import: %w", err)
		}
		for _, e := range entries {
			if ext := strings.ToLower(path.Ext(e.Name())); ext == ".ndjson" || ext == ".json" || ext == ".jsonl" {
				files = append(files, e.Name())
			} else if !e.IsDir() {
				i.report.Skipped = append(i.report.Skipped, e.Name())
			}
		}
		if len(files) == 0 {
			return Report{}, ErrNothing
		}
	}
	for _, f := range files {
		r, err := root.Open(f)
		if err != nil {
			return i.done(), fmt.Errorf("record: import: %w", err)
		}
		err = i.file(ctx, f, r)
		if closeErr := r.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("record: import: %w", closeErr)
		}
		if err != nil {
			return i.done(), err
		}
	}
	return i.done(), nil
}

// ImportReader imports one stream; name decides between NDJSON and JSON by its ending.
func ImportReader(ctx context.Context, store Store, name string, r io.Reader, o ImportOptions) (Report, error) {
	i := newImport(store, o)
	err := i.file(ctx, name, r)
	return i.done(), err
}

type importer struct {
	store  Store
	o      ImportOptions
	counts map[string]*Count
	report Report
	errors int
	batch  []Record
	read   int64
}

func newImport(store Store, o ImportOptions) *importer {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(int64, string) {}
	}
	return &importer{store: store, o: o, counts: map[string]*Count{}, report: Report{Types: []Count{}, Errors: []LineError{}}}
}

func (i *importer) count(typ string) *Count {
	c := i.counts[typ]
	if c == nil {
		c = &Count{Type: typ}
		i.counts[typ] = c
	}
	return c
}

func (i *importer) done() Report {
	for _, c := range i.counts {
		i.report.Types = append(i.report.Types, *c)
		t := &i.report.Total
		t.Read, t.Created, t.Updated, t.Unchanged, t.Failed = t.Read+c.Read, t.Created+c.Created, t.Updated+c.Updated, t.Unchanged+c.Unchanged, t.Failed+c.Failed
	}
	slices.SortFunc(i.report.Types, func(a, b Count) int { return strings.Compare(a.Type, b.Type) })
	return i.report
}

func (i *importer) fail(file string, line int, typ string, err error) {
	c := i.count(typ)
	c.Read++
	c.Failed++
	i.read++
	if i.errors++; len(i.report.Errors) < errorsKept {
		i.report.Errors = append(i.report.Errors, LineError{file, line, strings.TrimPrefix(err.Error(), "record: ")})
	}
}

func (i *importer) file(ctx context.Context, name string, r io.Reader) error {
	in := bufio.NewReaderSize(r, 1<<20)
	if bom, err := in.Peek(3); err == nil && bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		if _, err := in.Discard(3); err != nil {
			return fmt.Errorf("record: import: %w", err)
		}
	}
	var err error
	if strings.EqualFold(path.Ext(name), ".json") {
		err = i.document(ctx, name, in)
	} else {
		err = i.lines(ctx, name, in)
	}
	if flushErr := i.flush(ctx, name); err == nil {
		err = flushErr
	}
	return err
}

// lines reads NDJSON. A line that is too long is counted and passed over.
func (i *importer) lines(ctx context.Context, name string, in *bufio.Reader) error {
	for n := 1; ; n++ {
		line, long, err := readLine(in)
		if err != nil && err != io.EOF {
			return fmt.Errorf("record: import: %s line %d: %w", name, n, err)
		}
		switch line = bytes.TrimSpace(line); {
		case long:
			i.fail(name, n, unreadable, fmt.Errorf("longer than %d MiB", maxLine>>20))
		case len(line) > 0:
			if addErr := i.add(ctx, name, n, line); addErr != nil {
				return addErr
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

func readLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !long {
			if line = append(line, part...); len(line) > maxLine {
				long, line = true, nil
			}
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

// document reads a Bundle entry by entry, or a single resource. Only one entry is
// in memory at a time; a Bundle's references by urn:uuid stay as they are.
func (i *importer) document(ctx context.Context, name string, in *bufio.Reader) error {
	dec := json.NewDecoder(in)
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		i.report.Skipped = append(i.report.Skipped, name)
		return nil
	}
	head := map[string]json.RawMessage{}
	bundle := false
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			i.fail(name, 0, unreadable, err)
			return nil
		}
		key, ok := tok.(string)
		if !ok {
			i.fail(name, 0, unreadable, ErrResource)
			return nil
		}
		if key == "entry" {
			bundle = true
			if err := i.entries(ctx, name, dec); err != nil {
				return err
			}
			continue
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			i.fail(name, 0, unreadable, err)
			return nil
		}
		if _, twice := head[key]; twice {
			i.fail(name, 0, unreadable, fmt.Errorf("key %q stands twice in one object", key))
			return nil
		}
		head[key] = v
	}
	if bundle || string(head["resourceType"]) == `"Bundle"` {
		return nil
	}
	if head["resourceType"] == nil {
		i.report.Skipped = append(i.report.Skipped, name)
		return nil
	}
	whole, err := json.Marshal(head)
	if err != nil {
		return fmt.Errorf("record: import: %w", err)
	}
	return i.add(ctx, name, 1, whole)
}

func (i *importer) entries(ctx context.Context, name string, dec *json.Decoder) error {
	if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
		i.fail(name, 0, unreadable, errors.New("the Bundle's entry is not a list"))
		return nil
	}
	for n := 1; dec.More(); n++ {
		var e struct {
			Resource json.RawMessage `json:"resource"`
		}
		if err := dec.Decode(&e); err != nil {
			i.fail(name, n, unreadable, err)
			// After broken JSON the rest of the file cannot be told apart.
			return fmt.Errorf("record: import: %s breaks off at entry %d: %w", name, n, err)
		}
		if e.Resource == nil {
			continue // an entry without a body, e.g. of a deletion
		}
		if err := i.add(ctx, name, n, e.Resource); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

func (i *importer) add(ctx context.Context, name string, n int, raw []byte) error {
	if len(raw) > maxLine {
		i.fail(name, n, unreadable, fmt.Errorf("longer than %d MiB", maxLine>>20))
		return nil
	}
	r, err := New(raw, i.o.Now())
	if err != nil {
		i.fail(name, n, typeOf(raw), err)
		return nil
	}
	i.read++
	i.batch = append(i.batch, r)
	if len(i.batch) >= batchSize {
		return i.flush(ctx, name)
	}
	return nil
}

// typeOf names the type of a resource that could not be kept, where it says one.
func typeOf(raw []byte) string {
	var head struct {
		ResourceType string `json:"resourceType"`
	}
	if json.Unmarshal(raw, &head) == nil && typeForm.MatchString(head.ResourceType) {
		return head.ResourceType
	}
	return unreadable
}

// flush writes a batch in one transaction. A stopped import keeps whole batches.
func (i *importer) flush(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("record: import stopped after %d resources; what was read before is kept: %w", i.read-int64(len(i.batch)), err)
	}
	if len(i.batch) == 0 {
		return nil
	}
	type outcome int
	const (
		created outcome = iota
		updated
		unchanged
	)
	outcomes := make([]outcome, len(i.batch))
	err := i.store.UpdateRecords(func(tx Tx) error {
		for k, r := range i.batch {
			old, err := tx.Record(r.Ref)
			switch {
			case errors.Is(err, ErrNotFound):
				outcomes[k] = created
			case err != nil:
				return err
			case old.Version == r.Version:
				outcomes[k] = unchanged
				continue
			default:
				outcomes[k] = updated
			}
			if err := tx.PutRecord(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record: import: %w", err)
	}
	for k, r := range i.batch {
		c := i.count(r.Type)
		c.Read++
		switch outcomes[k] {
		case created:
			c.Created++
		case updated:
			c.Updated++
		case unchanged:
			c.Unchanged++
		}
	}
	i.batch = i.batch[:0]
	i.o.Progress(i.read, name)
	return nil
}
