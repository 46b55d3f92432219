package memory

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"holdpoint/engine/encoder"
)

// Recalled is an episode with how close it is to what was asked: 0 for nothing in common, 1
// for the same.
type Recalled struct {
	Episode
	Similarity float64 `json:"similarity"`
}

// Used names an episode that a prompt has, without its words.
type Used struct {
	ID         string  `json:"id"`
	Similarity float64 `json:"similarity"`
}

// UsualRecall is how many episodes a prompt gets.
const UsualRecall = 3

// Query says what is looked for.
type Query struct {
	// About keeps to episodes about one record, or Person; "" looks through all.
	About string
	// Without is a session whose own episodes are left out; its words are at hand already.
	Without string
	Text    string
	// Most is the most that are returned; 0 means UsualRecall.
	Most int
}

// How a search compared.
const (
	ByMeaning = "meaning"
	ByWords   = "words"
)

// Recaller finds episodes. Safe for concurrent use.
type Recaller struct {
	Store Store
	// Encoder compares meanings; nil compares words.
	Encoder encoder.Encoder

	mu sync.Mutex
	// asked is what Once found, so that a graph of many prompts looks once.
	asked map[Query][]Used
}

// Search finds the closest episodes, the closest first, and says how it compared. What has
// nothing in common with the text is left out.
func (r *Recaller) Search(ctx context.Context, q Query) ([]Recalled, string, error) {
	var found []Recalled
	if err := r.Store.ViewMemory(func(tx Tx) error {
		return tx.Episodes(q.About, func(e Episode) (bool, error) {
			if !e.Forgotten() && (q.Without == "" || e.Session != q.Without) {
				found = append(found, Recalled{Episode: e})
			}
			return true, ctx.Err()
		})
	}); err != nil {
		return nil, ByWords, err
	}
	how := ByWords
	if r.Encoder != nil && len(found) > 0 {
		err := r.byMeaning(ctx, q.Text, found)
		switch {
		case err == nil:
			how = ByMeaning
		case ctx.Err() != nil:
			return nil, ByMeaning, ctx.Err()
		}
	}
	if how == ByWords {
		byWords(q.Text, found)
	}
	found = slices.DeleteFunc(found, func(x Recalled) bool { return x.Similarity < least })
	slices.SortStableFunc(found, func(a, b Recalled) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	most := q.Most
	if most == 0 {
		most = UsualRecall
	}
	return found[:min(len(found), most)], how, nil
}

// least is below what two digits show.
const least = 0.01

// Once is Search for a prompt: the same question is looked up once, and what cannot be read
// is as if it were not remembered.
func (r *Recaller) Once(ctx context.Context, q Query) []Used {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.asked[q]; ok {
		return known
	}
	found, _, err := r.Search(ctx, q)
	if err != nil {
		return nil
	}
	used := make([]Used, len(found))
	for i, f := range found {
		used[i] = Used{f.ID, f.Similarity}
	}
	if r.asked == nil {
		r.asked = map[Query][]Used{}
	}
	r.asked[q] = used
	return used
}

// Read are the episodes as they are now: what was corrected since it was found reads as
// corrected, what was forgotten is not there.
func (r *Recaller) Read(used []Used) (out []Recalled) {
	err := r.Store.ViewMemory(func(tx Tx) error {
		for _, u := range used {
			e, err := tx.Episode(u.ID)
			switch {
			case errors.Is(err, ErrNotFound):
			case err != nil:
				return err
			case !e.Forgotten():
				out = append(out, Recalled{e, u.Similarity})
			}
		}
		return nil
	})
	if err != nil {
		return nil // a store that cannot be read says so elsewhere
	}
	return out
}

// byMeaning sets the similarities: an episode is as close as its closest sentence.
func (r *Recaller) byMeaning(ctx context.Context, text string, found []Recalled) error {
	asked, err := r.Encoder.Vector(ctx, []string{text})
	if err != nil {
		return err
	}
	if len(asked) != 1 || len(asked[0]) != r.Encoder.Dimension() {
		return errors.New("memory: the encoder gave no vector")
	}
	episodes := make([]Episode, len(found))
	for i, f := range found {
		episodes[i] = f.Episode
	}
	vectors, err := vectorsOf(ctx, r.Store, r.Encoder, episodes, nil)
	if err != nil {
		return err
	}
	for i := range found {
		if at, cosine := encoder.Best(asked[0], vectors[i]); at >= 0 {
			found[i].Similarity = min(max(cosine, 0), 1)
		}
	}
	return nil
}

// vectorsOf reads the vectors of episodes; what is missing, of another text or of another
// encoder is made and kept. report hears how many are done; it may be nil.
func vectorsOf(ctx context.Context, s Store, e encoder.Encoder, episodes []Episode, report func(done int)) ([][][]float32, error) {
	out := make([][][]float32, len(episodes))
	var missing []int
	if err := s.ViewMemory(func(tx Tx) error {
		for i, x := range episodes {
			v, ok, err := tx.Vectors(x.ID)
			if err != nil {
				return err
			}
			if ok && v.fits(e, x.Text) {
				out[i] = v.Values
			} else {
				missing = append(missing, i)
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	done := len(episodes) - len(missing)
	for now := range slices.Chunk(missing, vectorsAtOnce) {
		texts := make([]string, len(now))
		for k, i := range now {
			texts[k] = episodes[i].Text
		}
		made, err := encoder.BySentence(ctx, e, texts)
		if err != nil {
			return nil, err
		}
		if err := s.UpdateMemory(func(tx Tx) error {
			for k, i := range now {
				out[i] = made[k]
				// It may have been forgotten meanwhile, and is not to come back.
				x, err := tx.Episode(episodes[i].ID)
				if errors.Is(err, ErrNotFound) || err == nil && x.Text != texts[k] {
					continue
				}
				if err == nil {
					err = tx.PutVectors(Vectors{x.ID, e.Name(), hashOf(x.Text), made[k]})
				}
				if err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
		if done += len(now); report != nil {
			report(done)
		}
	}
	return out, nil
}

const vectorsAtOnce = 128

// Encode makes the vectors of an episode.
func Encode(ctx context.Context, e encoder.Encoder, x Episode) (*Vectors, error) {
	made, err := encoder.BySentence(ctx, e, []string{x.Text})
	if err != nil {
		return nil, err
	}
	return &Vectors{x.ID, e.Name(), hashOf(x.Text), made[0]}, nil
}

func (v Vectors) fits(e encoder.Encoder, text string) bool {
	return v.Encoder == e.Name() && v.Of == hashOf(text) && !slices.ContainsFunc(v.Values, func(x []float32) bool { return len(x) != e.Dimension() })
}

// OfOthers are the episodes whose vectors are of another encoder than the named one.
func OfOthers(s Store, name string) (out []Episode, err error) {
	err = s.ViewMemory(func(tx Tx) error {
		return tx.Episodes("", func(x Episode) (bool, error) {
			v, ok, err := tx.Vectors(x.ID)
			if ok && v.Encoder != name {
				out = append(out, x)
			}
			return true, err
		})
	})
	return out, err
}

// EncodeAnew makes the vectors of episodes with an encoder, in the place of those of another
// one; report hears how many are done.
func EncodeAnew(ctx context.Context, s Store, e encoder.Encoder, episodes []Episode, report func(done int)) error {
	_, err := vectorsOf(ctx, s, e, episodes, report)
	return err
}

// byWords sets the similarities: the share of the question's words that an episode has,
// rare ones counting more.
func byWords(text string, found []Recalled) {
	asked := wordsOf(text)
	has := make([]map[string]bool, len(found))
	in := map[string]int{}
	for i, f := range found {
		has[i] = wordsOf(f.Text)
		for w := range has[i] {
			in[w]++
		}
	}
	weight := func(w string) float64 { return math.Log(1 + float64(len(found)+1)/float64(in[w]+1)) }
	var all float64
	for w := range asked {
		all += weight(w)
	}
	if all == 0 {
		return
	}
	for i := range found {
		var shared float64
		for w := range asked {
			if has[i][w] {
				shared += weight(w)
			}
		}
		found[i].Similarity = shared / all
	}
}

// leastWord is how long a word is that says something, in characters.
const leastWord = 3

func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if utf8.RuneCountInString(w) >= leastWord {
			out[w] = true
		}
	}
	return out
}

// List are the episodes about something, or all for "", the newest first.
func List(s Store, about string) ([]Episode, error) {
	out := []Episode{}
	err := s.ViewMemory(func(tx Tx) error {
		return tx.Episodes(about, func(e Episode) (bool, error) {
			if !e.Forgotten() {
				out = append(out, e)
			}
			return true, nil
		})
	})
	newestFirst(out)
	return out, err
}

func newestFirst(list []Episode) {
	slices.SortStableFunc(list, func(a, b Episode) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID)) })
}
