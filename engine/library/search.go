package library

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"holdpoint/engine/encoder"
)

// Ways to search.
const (
	ByBoth    = "both"
	ByWords   = "words"
	ByMeaning = "meaning"
)

// Query is a search.
type Query struct {
	// Text is words, phrases in quotes among them, or a question.
	Text string `json:"text"`
	// By is both, words or meaning; both as far as there is an encoder when it is empty.
	By string `json:"by,omitempty"`
	// Source is the one that was imported, or the beginning of a path in it; Kind a
	// document's kind; From and To bound its date (2011, 2011-05 or 2011-05-03), both included.
	Source   string `json:"source,omitempty"`
	Kind     string `json:"kind,omitempty"`
	From     string `json:"from,omitempty"`
	To       string `json:"to,omitempty"`
	Document string `json:"document,omitempty"`
	Limit    int    `json:"limit,omitempty"` // documents; 10 when it is 0, at most 100
}

// Answer is what a search found.
type Answer struct {
	Hits []Hit `json:"hits"` // best first
	// By says how it was searched: words, meaning or both. Note says why not as asked.
	By   string `json:"by"`
	Note string `json:"note,omitempty"`
	// Indexed of Passages were there to be found by words.
	Passages int `json:"passages"`
	Indexed  int `json:"indexed"`
}

// Hit is a document and those of its passages that fit best.
type Hit struct {
	Document
	Found []Found `json:"found"`
}

// Found is a passage that fits.
type Found struct {
	Passage
	// Place is which of the document's passages it is, from 1 on.
	Place int `json:"place"`
	// Parts are its text; those with words that were searched for are marked.
	Parts []Part `json:"parts"`
	// Words and Meaning are its ranks in the two lists, from 1 on; 0 where it is in none.
	Words   int     `json:"words_rank,omitempty"`
	Meaning int     `json:"meaning_rank,omitempty"`
	Cosine  float64 `json:"cosine,omitempty"`
	// Score is what it was ordered by; it can be compared within one answer only.
	Score float64 `json:"score"`
}

// Part is a piece of a text.
type Part struct {
	Text   string `json:"text"`
	Marked bool   `json:"marked,omitempty"`
}

const (
	usualHits   = 10
	mostHits    = 100
	perDocument = 3
	// ranked is how many passages of each list are fused.
	ranked = 200
	// likeness is what a meaning of 1 counts beside a score of BM25. Scores are added, not
	// ranks: see fuse. It counts less where words fit some passage better than plenty: there
	// the words are to be trusted more.
	likeness, plenty = 35, 15
	// lookup is how many words are looked up and ask nothing yet. They never reach plenty, so a
	// meaning counts in proportion to the best passage: the one with the word that was asked for
	// is not to stand behind one that has nothing to do with it.
	lookup = 3
	// leastCosine is how close a meaning must be to be found: without it a question about
	// nothing that is there would find everything.
	leastCosine = 0.1
	// beside is what the words of passages near by count, and around how many there are on each
	// side: what a question asks is seldom all in one paragraph.
	beside = 0.3
	around = 4
)

// asked is a query that was taken apart.
type asked struct {
	words   int // as they stand there
	terms   []term
	phrases [][]string // words in small letters
	marks   map[string]*speller
}

// take apart the text: every word as each language of the library writes its stem.
func (m *memory) ask(text string, marks map[string]*speller) asked {
	a := asked{marks: marks}
	seen := map[term]bool{}
	a.phrases = phrases(text)
	tokens(text, func(token) { a.words++ })
	languages := make([]string, 0, len(m.spoken))
	for language, n := range m.spoken {
		if n > 0 {
			languages = append(languages, language)
		}
	}
	slices.Sort(languages)
	for _, language := range languages {
		s := a.marks[language]
		if s == nil {
			s = newSpeller(language)
			a.marks[language] = s
		}
		tokens(text, func(t token) {
			if x := s.term(t.text); x != 0 && !seen[x] && len(a.terms) < 200 {
				seen[x] = true
				a.terms = append(a.terms, x)
			}
		})
	}
	return a
}

// phrases are what stands in quotes.
func phrases(text string) (out [][]string) {
	text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`).Replace(text)
	parts := strings.Split(text, `"`)
	for i := 1; i+1 < len(parts); i += 2 {
		var words []string
		tokens(parts[i], func(t token) { words = append(words, t.text) })
		if len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// has says whether all phrases stand in a text.
func has(text string, phrases [][]string) bool {
	if len(phrases) == 0 {
		return true
	}
	var words []string
	tokens(text, func(t token) { words = append(words, t.text) })
	for _, p := range phrases {
		found := false
		for i := 0; i+len(p) <= len(words) && !found; i++ {
			found = slices.Equal(words[i:i+len(p)], p)
		}
		if !found {
			return false
		}
	}
	return true
}

// allowed says which documents a query is about; nil for all.
func (m *memory) allowed(q Query) []bool {
	if q.Source == "" && q.Kind == "" && q.From == "" && q.To == "" && q.Document == "" {
		return nil
	}
	out := make([]bool, len(m.docs)+1)
	for i := range m.docs {
		d := &m.docs[i]
		in := !d.gone && (q.Kind == "" || d.kind == q.Kind) && (q.Document == "" || d.id == q.Document)
		in = in && (q.Source == "" || d.source == q.Source || strings.HasPrefix(d.path, q.Source))
		// A date that is less exact than a bound may lie on either side of it: it counts as within.
		in = in && (q.From == "" || d.date != "" && d.date[:min(len(d.date), len(q.From))] >= q.From[:min(len(d.date), len(q.From))])
		in = in && (q.To == "" || d.date != "" && d.date[:min(len(d.date), len(q.To))] <= q.To[:min(len(d.date), len(q.To))])
		out[i+1] = in
	}
	return out
}

// top keeps the k best of many.
type top struct {
	k     int
	list  []scored
	floor float32
}

func (t *top) add(n uint64, score float32) {
	if score <= t.floor {
		return
	}
	if t.list = append(t.list, scored{n, score}); len(t.list) >= 4*t.k {
		t.list = best(t.list, t.k)
		t.floor = t.list[t.k-1].score
	}
}

func (t *top) end() []scored { return best(t.list, t.k) }

// byWords ranks passages by BM25. Scores are those of all passages, by their numbers.
func (m *memory) byWords(ctx context.Context, tx Tx, a asked, allowed []bool) (_ []scored, scores []float32, err error) {
	if len(a.terms) == 0 || m.counted == 0 {
		return nil, nil, nil
	}
	scores = make([]float32, len(m.owner))
	average := float32(m.words) / float32(m.counted)
	rows := tx.Words()
	for _, t := range a.terms {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		var list []postingRow
		in := 0
		if err := rows.Scan(postingPrefix(t), func(k, v []byte) (bool, error) {
			row, err := openPostings(k, v)
			list = append(list, row)
			in += row.count
			return true, err
		}); err != nil {
			return nil, nil, err
		}
		idf := float32(math.Log(1 + (float64(m.counted)-float64(in)+0.5)/(float64(in)+0.5)))
		if idf <= 0 {
			idf = 0.01
		}
		idf *= bm25K + 1
		lengths := m.lengths
		for _, row := range list {
			if err := row.each(func(n uint64, times uint32) {
				if n >= uint64(len(lengths)) {
					return // came while the search began
				}
				tf := float32(times)
				scores[n] += idf * tf / (tf + bm25K*(1-bm25B+bm25B*float32(lengths[n])/average))
			}); err != nil {
				return nil, nil, err
			}
		}
	}
	t := top{k: 1000}
	for n, score := range scores {
		if score > 0 && m.lengths[n] > 0 && (allowed == nil || allowed[m.owner[n]]) {
			t.add(uint64(n), score)
		}
	}
	list := t.end()
	for i := range list {
		list[i].score = m.around(scores, list[i].n)
	}
	list = best(list, len(list))
	if len(a.phrases) == 0 {
		return list[:min(len(list), ranked)], scores, nil
	}
	// The best with all phrases: most often they are near the top.
	var out []scored
	for _, s := range list {
		p, err := tx.Passage(s.n)
		if err != nil {
			return nil, nil, err
		}
		if has(p.Text, a.phrases) {
			if out = append(out, s); len(out) == ranked {
				break
			}
		}
	}
	return out, scores, nil
}

// around is a passage's score with a share of those beside it.
func (m *memory) around(scores []float32, at uint64) float32 {
	n := int(at)
	if n >= len(scores) {
		return 0
	}
	out := scores[n]
	for k := max(1, n-around); k <= n+around && k < len(scores); k++ {
		if k != n && m.owner[k] == m.owner[n] {
			out += beside * scores[k]
		}
	}
	return out
}

// likeTo compares vectors with a question's: by cosine, or beside words by what tells
// the library's passages apart.
func (m *memory) likeTo(tx Tx, v []float32, by string) (likeTo, error) {
	if by == ByMeaning {
		return (*background)(nil).to(v), nil
	}
	b := m.usual.Load()
	if b == nil || b.through != m.meaning.Through {
		var err error
		if b, err = learnBackground(tx.Meaning(), func(n uint64) bool { return m.of(n) != nil }, m.meaning.Through, m.meaning.Dimension); err != nil {
			return likeTo{}, err
		}
		m.usual.Store(b)
	}
	return b.to(v), nil
}

// near is a passage whose meaning was compared.
type near struct {
	like, cosine float32
}

// byMeaning ranks passages by how alike their vectors are to the question's.
func (m *memory) byMeaning(tx Tx, like likeTo, a asked, allowed []bool) (list []scored, of map[uint64]near, err error) {
	through := min(int(m.meaning.Through), len(m.owner)-1)
	t := top{k: ranked, floor: -math.MaxFloat32}
	of = map[uint64]near{}
	rows := tx.Meaning()
	weights := like.v
	if like.weighed != nil {
		weights = like.weighed
	}
	for _, n := range nearest(like.v, weights, m.codes, through, alike, candidates, func(n int) bool {
		return m.owner[n] != 0 && (allowed == nil || allowed[m.owner[n]])
	}) {
		packed, err := rows.Get(numbered('v', n))
		if err != nil {
			return nil, nil, err
		}
		if packed == nil {
			continue // it went while the search began
		}
		x, c, err := like.of(packed)
		if err != nil {
			return nil, nil, err
		}
		if c < leastCosine {
			continue
		}
		if len(a.phrases) > 0 {
			p, err := tx.Passage(n)
			if err != nil || !has(p.Text, a.phrases) {
				continue
			}
		}
		of[n] = near{x, c}
		t.add(n, x)
	}
	return t.end(), of, nil
}

// Search finds passages. Without an encoder, or while one is at a loss, it searches by words
// alone and says so.
func (l *Library) Search(ctx context.Context, q Query) (Answer, error) {
	if err := l.ready(); err != nil {
		return Answer{}, err
	}
	if q.Limit <= 0 {
		q.Limit = usualHits
	}
	q.Limit = min(q.Limit, mostHits)
	vector, note, err := l.vector(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	a, damaged, err := l.search(ctx, q, vector, note)
	if len(damaged) > 0 {
		l.mu.Lock()
		for _, drop := range damaged {
			drop(l.mem)
		}
		l.mu.Unlock()
	}
	return a, err
}

// vector is a question's; nil when only words are to be compared, and why.
func (l *Library) vector(ctx context.Context, q Query) (v []float32, note string, err error) {
	if q.By == ByWords || strings.TrimSpace(q.Text) == "" {
		return nil, "", nil
	}
	e, err := l.o.Encoder(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err != nil:
		return nil, phrase("By words only: what compares meanings does not answer."), nil
	case e == nil:
		return nil, phrase("By words only: this Holdpoint has nothing that compares meanings."), nil
	}
	if !encoder.Reads(e, q.Text) {
		return nil, phrase("By words only: the sentence encoder does not read this language."), nil
	}
	l.mu.RLock()
	p := l.mem.meaning
	l.mu.RUnlock()
	if p.Through == 0 || p.Encoder != e.Name() {
		return nil, phrase("By words only: meanings are not indexed yet."), nil
	}
	vectors, err := e.Vector(ctx, []string{q.Text})
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err != nil || len(vectors) != 1 || len(vectors[0]) != p.Dimension {
		return nil, phrase("By words only: what compares meanings does not answer."), nil
	}
	return vectors[0], "", nil
}

// search answers from what the indexes have. damaged says what to do of an index that could
// not be read, so that Index makes it anew.
func (l *Library) search(ctx context.Context, q Query, vector []float32, note string) (_ Answer, damaged []func(*memory), err error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	m := l.mem
	out := Answer{Hits: []Hit{}, By: ByBoth, Note: note, Passages: m.passages, Indexed: m.counted}
	if vector == nil {
		out.By = ByWords
	} else if q.By == ByMeaning {
		out.By = ByMeaning
	}
	if m.meaning.Dimension != len(vector) { // it was made anew since
		vector = nil
	}
	if m.counted < m.passages {
		out.Note = phrase("The index is being made: not everything is found yet.")
		if note != "" {
			out.Note = phrase("%s The index is being made: not everything is found yet.", note)
		}
	}
	marks, _ := l.spellers.Get().(map[string]*speller)
	if marks == nil {
		marks = map[string]*speller{}
	}
	defer l.spellers.Put(marks)
	a := m.ask(q.Text, marks)
	allowed := m.allowed(q)
	var words, meanings []scored
	var scores []float32
	var like likeTo
	var compared map[uint64]near
	wordsOnly := func() { // the index of meanings could not be read
		damaged = append(damaged, (*memory).dropMeaning)
		out.By, out.Note, meanings, vector, like = ByWords, phrase("By words only: the index of meanings could not be read and is being rebuilt."), nil, nil, likeTo{}
	}
	if out.By != ByMeaning {
		if err := l.o.Store.ViewLibrary(func(tx Tx) (err error) {
			words, scores, err = m.byWords(ctx, tx, a, allowed)
			return err
		}); err != nil {
			if ctx.Err() != nil {
				return out, nil, err
			}
			damaged = append(damaged, (*memory).dropWords)
			out.By, out.Note = ByMeaning, phrase("By meaning only: the index of words could not be read and is being rebuilt.")
			if vector == nil {
				out.By, out.Note = ByWords, phrase("Nothing can be found yet: the index of words could not be read and is being rebuilt.")
			}
		}
	}
	if vector != nil {
		if err := l.o.Store.ViewLibrary(func(tx Tx) (err error) {
			if like, err = m.likeTo(tx, vector, out.By); err != nil {
				return err
			}
			meanings, compared, err = m.byMeaning(tx, like, a, allowed)
			return err
		}); err != nil {
			if ctx.Err() != nil {
				return out, damaged, err
			}
			wordsOnly()
		}
	}
	fuse := func() error {
		return l.o.Store.ViewLibrary(func(tx Tx) (err error) {
			out.Hits, err = m.fuse(tx, q, a, words, scores, meanings, compared, like)
			return err
		})
	}
	if err = fuse(); err != nil && vector != nil && ctx.Err() == nil {
		wordsOnly()
		err = fuse()
	}
	return out, damaged, err
}

// fuse makes one list of documents of the two lists of passages: a passage's score is that of
// its words plus likeness times that of its meaning, a document's that of its best passage. The
// sum of scores was measured beside reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR
// 2009) in several weights: on PubMedQA ranks are below words alone, since they forget by how
// much the first is ahead, and scores are above; on HealthVer scores are no worse (Bruch, Gai and
// Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023, find the same).
func (m *memory) fuse(tx Tx, q Query, a asked, words []scored, scores []float32, meanings []scored, compared map[uint64]near, like likeTo) ([]Hit, error) {
	at := map[uint64]*Found{}
	of := func(n uint64) *Found {
		if at[n] == nil {
			at[n] = &Found{Passage: Passage{N: n}}
		}
		return at[n]
	}
	for i, s := range words {
		f := of(s.n)
		f.Words, f.Score = i+1, float64(s.score)
	}
	for i, s := range meanings {
		f := of(s.n)
		f.Meaning = i + 1
		if f.Words == 0 {
			f.Score = float64(m.around(scores, s.n))
		}
	}
	weight := float64(likeness)
	if len(words) > 0 {
		fit := float64(words[0].score) / plenty
		if a.words > lookup {
			fit = max(fit, 1)
		}
		weight *= min(fit, 1/fit)
	}
	// Whoever asks for one word looks for what has it, whatever means something like it.
	lacks := func(f *Found) int {
		if a.words == 1 && (scores == nil || scores[f.N] == 0) {
			return 1
		}
		return 0
	}
	places := map[int32][]*Found{}
	for n, f := range at {
		if like.v != nil {
			x, known := compared[n]
			if !known {
				packed, err := tx.Meaning().Get(numbered('v', n))
				if err != nil {
					return nil, err
				}
				if packed != nil {
					if x.like, x.cosine, err = like.of(packed); err != nil {
						return nil, err
					}
				}
			}
			f.Cosine = float64(x.cosine)
			f.Score += weight * float64(x.like)
		}
		f.Cosine, f.Score = math.Round(f.Cosine*1000)/1000, math.Round(f.Score*1000)/1000
		places[m.owner[n]] = append(places[m.owner[n]], f)
	}
	order := make([]int32, 0, len(places))
	for owner, list := range places {
		slices.SortFunc(list, func(a, b *Found) int {
			return cmp.Or(lacks(a)-lacks(b), cmp.Compare(b.Score, a.Score), cmp.Compare(a.N, b.N))
		})
		order = append(order, owner)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(lacks(places[a][0])-lacks(places[b][0]), cmp.Compare(places[b][0].Score, places[a][0].Score), cmp.Compare(a, b))
	})
	hits := []Hit{}
	most := perDocument
	if q.Document != "" {
		most = q.Limit
	}
	for _, owner := range order[:min(len(order), q.Limit)] {
		d, err := tx.Document(m.docs[owner-1].id)
		if errors.Is(err, ErrNotFound) {
			continue // it went while the search was under way
		}
		if err != nil {
			return nil, err
		}
		hit := Hit{Document: d}
		for _, f := range places[owner][:min(len(places[owner]), most)] {
			if f.Passage, err = tx.Passage(f.N); err != nil {
				return nil, err
			}
			f.Place = int(f.N-d.First) + 1
			f.Parts = a.mark(f.Text, d.Language)
			hit.Found = append(hit.Found, *f)
		}
		hits = append(hits, hit)
	}
	return hits, nil
}

// mark cuts a text so that the words that were searched for stand apart.
func (a asked) mark(text, language string) []Part {
	parts := []Part{}
	s := a.marks[language]
	if s == nil {
		return append(parts, Part{Text: text})
	}
	wanted := map[term]bool{}
	for _, t := range a.terms {
		wanted[t] = true
	}
	end, from, to := 0, -1, -1
	flush := func() {
		if from < 0 {
			return
		}
		if from > end {
			parts = append(parts, Part{Text: text[end:from]})
		}
		parts = append(parts, Part{text[from:to], true})
		end, from = to, -1
	}
	tokens(text, func(t token) {
		if x := s.term(t.text); x == 0 || !wanted[x] {
			return
		}
		if from >= 0 && t.from <= to { // characters that are words two by two
			to = max(to, t.to)
			return
		}
		flush()
		from, to = t.from, t.to
	})
	flush()
	if end < len(text) {
		parts = append(parts, Part{Text: text[end:]})
	}
	return parts
}
