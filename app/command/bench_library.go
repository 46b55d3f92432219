package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdpoint/app"
	"holdpoint/engine/encoder"
	"holdpoint/engine/library"
	"holdpoint/store"
)

// question is one whose document is known.
type question struct {
	text    string
	sources []string // names, paths or ids; any of them counts
}

// remembering is an encoder that has the questions' vectors at hand: what is measured is the
// search. Passages are encoded as always.
type remembering struct {
	encoder.Encoder
	known map[string][]float32
}

func (r remembering) Vector(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 1 {
		if v := r.known[texts[0]]; v != nil {
			return [][]float32{v}, nil
		}
	}
	return r.Encoder.Vector(ctx, texts)
}

// figure is a line of bench library.
type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

func (p *program) benchLibrary(ctx context.Context, dir, sizes string, asJSON bool) (err error) {
	var grow []int
	for _, s := range strings.FieldsFunc(sizes, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 5_000_000 {
			return misuse("--sizes takes numbers of passages, e.g. 1000,50000; not %q", s)
		}
		grow = append(grow, n)
	}
	slices.Sort(grow)
	put := func(name string, value float64) error {
		if asJSON {
			return p.line(figure{name, value})
		}
		_, err := fmt.Fprintf(p.out, "%-28s %12.4g\n", name, value)
		return err
	}
	inside, err := p.sentences()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "holdpoint-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	b, err := newLibraryBench(ctx, p, folder, inside, put)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.store.Close()) }()
	if err := b.quality(ctx, dir); err != nil {
		return err
	}
	for _, n := range grow {
		if err := b.grow(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

type libraryBench struct {
	p         *program
	put       func(string, float64) error
	file      string
	store     *store.DB
	library   *library.Library
	encoder   *remembering // nil without one
	questions []question
	sentences []string
	made      int
	random    *rand.Rand
}

func newLibraryBench(ctx context.Context, p *program, folder string, inside encoder.Encoder, put func(string, float64) error) (*libraryBench, error) {
	b := &libraryBench{p: p, put: put, file: filepath.Join(folder, app.StoreFile), random: rand.New(rand.NewPCG(1, 2))}
	if inside != nil {
		b.encoder = &remembering{inside, map[string][]float32{}}
		if _, err := inside.Vector(ctx, []string{"loads the weights"}); err != nil {
			return nil, err
		}
	} else {
		p.say("By words only: no sentence encoder is at hand (holdpoint encoder --help).")
	}
	return b, b.open()
}

func (b *libraryBench) open() (err error) {
	if b.store, err = store.Open(b.file); err != nil {
		return err
	}
	b.library = library.New(library.Options{Store: b.store, PDF: library.NewPDF(filepath.Dir(b.file)), Encoder: func(context.Context) (encoder.Encoder, error) {
		if b.encoder == nil {
			return nil, nil
		}
		return *b.encoder, nil
	}})
	return nil
}

func (b *libraryBench) quality(ctx context.Context, dir string) (err error) {
	if b.questions, err = questionsOf(dir); err != nil {
		return err
	}
	documents, gone, err := documentsOf(dir)
	if err != nil {
		return err
	}
	defer gone()
	began := time.Now()
	rep, err := b.library.ImportPath(ctx, documents, nil)
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	for _, x := range rep.Problems {
		if filepath.Base(x.File) == questionsFile {
			continue // it has no documents, and is not meant to
		}
		b.p.say("%s: %s", place(x), b.p.failed(x.Error))
	}
	if b.encoder != nil {
		for _, q := range b.questions {
			v, err := b.encoder.Encoder.Vector(ctx, []string{q.text})
			if err != nil {
				return err
			}
			b.encoder.known[q.text] = v[0]
		}
	}
	err = errors.Join(b.put("documents", float64(rep.Created)), b.put("passages", float64(rep.Passages)), b.put("import_per_s", float64(rep.Passages)/took),
		b.put("questions", float64(len(b.questions))))
	for _, by := range b.ways() {
		var at1, at5, reciprocal float64
		for _, q := range b.questions {
			found, err := b.library.Search(ctx, library.Query{Text: q.text, By: by, Limit: 100})
			if err != nil {
				return err
			}
			i := slices.IndexFunc(found.Hits, func(h library.Hit) bool { return q.wants(h.Document) })
			switch {
			case i == 0:
				at1++
				fallthrough
			case i > 0 && i < 5:
				at5++
			}
			if i >= 0 {
				reciprocal += 1 / float64(i+1)
			}
		}
		n := float64(len(b.questions))
		err = errors.Join(err, b.put("recall1_"+by, at1/n), b.put("recall5_"+by, at5/n), b.put("mrr_"+by, reciprocal/n))
	}
	if err != nil {
		return err
	}
	if err := b.times(ctx, ""); err != nil {
		return err
	}
	return b.library.Documents(func(d library.Document) (bool, error) {
		_, list, err := b.library.Passages(d.ID, 0, 0)
		for _, x := range list {
			if len(b.sentences) < 20_000 {
				b.sentences = append(b.sentences, encoder.Sentences(x.Text)...)
			}
		}
		return len(b.sentences) < 20_000, err
	})
}

// ways are those that this build can search by; both comes last.
func (b *libraryBench) ways() []string {
	if b.encoder == nil {
		return []string{library.ByWords}
	}
	return []string{library.ByWords, library.ByMeaning, library.ByBoth}
}

// timed is how many questions are timed at most, and how often.
const (
	timedQuestions = 200
	timedRounds    = 3
)

// times tells how long questions take, and what the library weighs.
func (b *libraryBench) times(ctx context.Context, suffix string) error {
	// As after a start of the program: what the import had in memory is not the search's.
	if err := b.store.Close(); err != nil {
		return err
	}
	if err := b.open(); err != nil {
		return err
	}
	debug.FreeOSMemory()
	list := b.questions[:min(len(b.questions), timedQuestions)]
	for _, by := range b.ways() {
		var all []float64
		for range timedRounds {
			for _, q := range list {
				began := time.Now()
				if _, err := b.library.Search(ctx, library.Query{Text: q.text, By: by}); err != nil {
					return err
				}
				all = append(all, float64(time.Since(began).Microseconds())/1000)
			}
		}
		slices.Sort(all)
		if err := errors.Join(b.put(by+"_p50_ms"+suffix, all[len(all)/2]), b.put(by+"_p95_ms"+suffix, all[len(all)*95/100])); err != nil {
			return err
		}
	}
	debug.FreeOSMemory()
	var err error
	if n, residentErr := app.Resident(); residentErr == nil {
		err = b.put("rss_mb"+suffix, float64(n)/1e6)
	}
	sizes, weighErr := b.store.Weigh()
	info, statErr := os.Stat(b.file)
	if err = errors.Join(err, weighErr, statErr); err != nil {
		return err
	}
	return errors.Join(b.put("words_index_mb"+suffix, float64(sizes["library_words"])/1e6), b.put("meaning_index_mb"+suffix, float64(sizes["library_meaning"])/1e6),
		b.put("file_mb"+suffix, float64(info.Size())/1e6))
}

// grow fills the library up to a number of passages with texts made of the sentences that
// are there, and times questions again.
func (b *libraryBench) grow(ctx context.Context, passages int) error {
	s, err := b.library.Summary()
	if err != nil {
		return err
	}
	if s.Passages > passages {
		b.p.say("%d passages are there already: no figures for %d", s.Passages, passages)
		return nil
	}
	if len(b.sentences) == 0 {
		return errors.New("there is no sentence to fill the library with")
	}
	began, before := time.Now(), s.Passages
	for s.Passages < passages {
		var body bytes.Buffer
		for range min(6000, (passages-s.Passages+2)/3) {
			var paragraphs []string
			for range 3 {
				var text strings.Builder
				for text.Len() < 350 { // some 60 words, as a paragraph of an abstract
					text.WriteString(b.sentences[b.random.IntN(len(b.sentences))] + " ")
				}
				paragraphs = append(paragraphs, text.String()[:min(text.Len(), 800)])
			}
			b.made++
			line, err := json.Marshal(map[string]any{"id": fmt.Sprintf("made-%d", b.made), "text": strings.Join(paragraphs, "\n\n")})
			if err != nil {
				return err
			}
			body.Write(append(line, '\n'))
		}
		if _, err := b.library.ImportReader(ctx, "made", fmt.Sprintf("made-%d.jsonl", b.made), &body, nil); err != nil {
			return err
		}
		if s, err = b.library.Summary(); err != nil {
			return err
		}
	}
	suffix := fmt.Sprintf("_%d", passages)
	if n := s.Passages - before; n > 0 {
		if err := b.put("import_per_s"+suffix, float64(n)/time.Since(began).Seconds()); err != nil {
			return err
		}
	}
	return b.times(ctx, suffix)
}

// wants says whether a document is the one that a question is about.
func (q question) wants(d library.Document) bool {
	return slices.ContainsFunc(q.sources, func(s string) bool {
		base := path.Base(d.Path)
		return s == d.ID || s == d.Name || s == d.Path || s == base || s == strings.TrimSuffix(base, path.Ext(base)) || path.Base(s) == d.Name
	})
}

const questionsFile = "questions.jsonl"

// questionsOf reads DIR/questions.jsonl; without one, the questions that come with
// PubMedQA's or HealthVer's file in DIR.
func questionsOf(dir string) ([]question, error) {
	f, err := app.OpenFile(filepath.Join(dir, questionsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return knownQuestions(dir)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	var out []question
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		var line struct {
			Question string
			Source   json.RawMessage
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil || line.Question == "" {
			return nil, fmt.Errorf("%s line %d is not {question, source}", questionsFile, n)
		}
		q := question{text: line.Question}
		var one string
		if json.Unmarshal(line.Source, &one) == nil {
			q.sources = []string{one}
		} else if json.Unmarshal(line.Source, &q.sources) != nil {
			return nil, fmt.Errorf("%s line %d: source is a name or a list of names", questionsFile, n)
		}
		out = append(out, q)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no questions", questionsFile)
	}
	return out, nil
}

func knownQuestions(dir string) (out []question, err error) {
	if raw, err := app.ReadFile(filepath.Join(dir, "ori_pqal.json")); err == nil {
		var all map[string]struct{ Question string }
		if err := json.Unmarshal(raw, &all); err != nil {
			return nil, err
		}
		for id, x := range all {
			out = append(out, question{x.Question, []string{id}})
		}
		slices.SortFunc(out, func(a, b question) int { return strings.Compare(a.sources[0], b.sources[0]) })
		return out, nil
	}
	evidence, err := healthVer(dir)
	if err != nil || len(evidence) == 0 {
		return nil, errors.Join(err, misuse("there is no %s in %s", questionsFile, dir))
	}
	at := map[string]int{}
	for i, e := range evidence {
		for _, claim := range e.claims {
			if _, ok := at[claim]; !ok {
				at[claim] = len(out)
				out = append(out, question{text: claim})
			}
			out[at[claim]].sources = append(out[at[claim]].sources, fmt.Sprintf("evidence-%d", i+1))
		}
	}
	return out, nil
}

// documentsOf is the path to import; of HealthVer, a folder made of its evidence.
func documentsOf(dir string) (name string, gone func(), err error) {
	evidence, err := healthVer(dir)
	if err != nil {
		return "", nil, err
	}
	if len(evidence) == 0 {
		return dir, func() {}, nil
	}
	folder, err := os.MkdirTemp("", "holdpoint-evidence-")
	if err != nil {
		return "", nil, err
	}
	gone = func() {
		if err := os.RemoveAll(folder); err != nil {
			return // what is left is in the folder for temporary files
		}
	}
	for i, e := range evidence {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("evidence-%d.txt", i+1)), []byte(e.text), 0o600); err != nil {
			gone()
			return "", nil, err
		}
	}
	return folder, gone, nil
}

type evidence struct {
	text   string
	claims []string // that it supports or refutes
}

// healthVer reads the evidence that supports or refutes a claim; none where DIR has no such
// table or questions of its own.
func healthVer(dir string) (out []evidence, err error) {
	if _, err := os.Stat(filepath.Join(dir, questionsFile)); err == nil {
		return nil, nil
	}
	names, err := filepath.Glob(filepath.Join(dir, "healthver*.csv"))
	if err != nil || len(names) == 0 {
		return nil, err
	}
	f, err := app.OpenFile(names[0])
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	text, claim, label := column("evidence"), column("claim"), column("label")
	if min(text, claim, label) < 0 {
		return nil, fmt.Errorf("%s has no columns evidence, claim and label", names[0])
	}
	at := map[string]int{}
	for _, r := range rows[1:] {
		if r[label] == "Neutral" {
			continue
		}
		i, ok := at[r[text]]
		if !ok {
			i = len(out)
			at[r[text]] = i
			out = append(out, evidence{text: r[text]})
		}
		out[i].claims = append(out[i].claims, strings.TrimSpace(r[claim]))
	}
	return out, nil
}
