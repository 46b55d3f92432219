package encoder

import (
	"math"
	"math/bits"
)

// weights are the model's numbers, ready for use.
type weights struct {
	tokenizer *tokenizer
	table     []byte // a token's 512 bytes: block id%17, row id/17
	rows      int    // of a block
	scale     []float32
	low       []float32 // value = byte × scale[block] + low[block]

	branch         [branches]branch
	gain, offset   []float32 // of the norm over the three branches' inputs
	allGain        []float32 // of the norm over all
	allOffset      []float32
	mean           matrix    // cnn_W
	meanOffset     []float32 // cnn_b
	d0, p1, d1, d2 matrix
	p3, d3         matrix
	eps            float32
	none           []float32 // zeros
}

// branch is a window of tokens: n of them, left ones before the token itself.
type branch struct {
	n, left       int
	project       matrix
	sums          []float32 // of the columns of project
	projectOffset []float32
	layers        [2]layer
	// lines are the second layer's weights once more, by input: a line for each place.
	lines []int8
}

// layer is a product with each token of a window, and an offset.
type layer struct {
	at     []matrix // by place in the window
	offset []float32
}

const blocks = 17

// row is a token's bytes with their scale and offset.
func (w *weights) row(id int32) (row []byte, scale, low float32) {
	b := int(id) % blocks
	at := (b*w.rows + int(id)/blocks) * wide
	return w.table[at : at+wide], w.scale[b], w.low[b]
}

// piece is the part of a text that a block works on: the tokens from to to of its own,
// and those around them that their windows reach.
type piece struct {
	text     int // which of the chunk
	from, to int
	low      int // first token of its context
	high     int // behind the last one
	at       int // place of low among the block's tokens
}

const (
	margin = 2          // what one window reaches to each side, at most
	around = 2 * margin // what both layers reach
	ahead  = 2          // tokens by which memory is fetched before it is needed
	most   = 64         // pieces of a block, and texts of a chunk
	hidden = 320        // values of a layer behind the sum
)

// scratch is what one goroutine works with. Nothing is allocated for a token.
type scratch struct {
	words  words
	ids    []int32 // of the chunk's texts, one after the other
	starts []int   // where each begins, and the end

	pieces []piece
	unique []int32 // ids of the block's tokens, each once
	slots  []int   // of the memo, as unique
	place  map[int32]int
	tokens []*token // the block's, context included
	learnt []*token

	narrow []int16
	rows   []*int16
	sums   []int32
	scales []float32
	h, c   []float32 // the branches' layers, by token of the block
	e      []float32

	bent  []float32 // what the first layer adds to its input, while negative values are in it
	marks []uint64  // which of them are above zero, a bit each
	above []int32   // the same places
	pairs []pair    // of the piece's tokens, one after the other
	ends  []int     // where each token's pairs begin, and the end
	steps []float32 // what each token's pairs are multiplied with

	total      []float32 // by text: the sum over tokens of all 1,280 values
	m, y, t, z []float32
}

func newScratch() *scratch {
	return &scratch{
		unique: make([]int32, 0, block), slots: make([]int, block), place: make(map[int32]int, block),
		tokens: make([]*token, 0, block+ahead), learnt: make([]*token, 0, block), pieces: make([]piece, 0, most),
		narrow: make([]int16, max(block*wide, most*all)), rows: make([]*int16, block),
		sums: make([]int32, max(block, most)*wide), scales: make([]float32, max(block, most)),
		h: make([]float32, block*joined), c: make([]float32, block*joined), e: make([]float32, wide),
		bent: make([]float32, side), marks: make([]uint64, side/64), above: make([]int32, 0, side), ends: make([]int, 0, block+1), steps: make([]float32, 0, block),
		total: make([]float32, most*all),
		m:     make([]float32, most*wide), y: make([]float32, most*wide), t: make([]float32, most*wide), z: make([]float32, most*wide),
	}
}

// pair is where two of a branch's lines of weights begin, and what to multiply them with.
type pair struct {
	at [2]int32
	by [2]int16
}

// learn computes what tokens contribute. Their slots are the caller's alone.
func (w *weights) learn(ids []int32, into []*token, s *scratch) {
	n := len(ids)
	rows := s.rows[:n]
	for i, id := range ids {
		bytes, _, _ := w.row(id)
		to := s.narrow[i*wide:][:wide]
		for j, b := range bytes {
			to[j] = int16(b)
		}
		rows[i] = &to[0]
	}
	for b := range w.branch {
		br := &w.branch[b]
		br.project.multiply(s.sums, rows)
		for i, id := range ids {
			_, scale, low := w.row(id)
			x := s.c[i*joined+b*side:][:side]
			affine(x, s.sums[i*side:][:side], scale*br.project.step, br.projectOffset)
			for j, v := range br.sums {
				x[j] += float32(low * v)
			}
		}
	}
	for i, t := range into {
		x := s.c[i*joined:][:joined]
		mean := sum(x) / joined
		whiten(x, x, w.gain, w.offset, mean, w.over(squares(x, mean)/joined))
		halve(t.x[:], x)
	}
	tap := 0
	for b := range w.branch {
		br := &w.branch[b]
		for i := range into {
			s.scales[i] = quantised(s.narrow[i*side:][:side], s.c[i*joined+b*side:][:side], side)
			rows[i] = &s.narrow[i*side]
		}
		for l := range br.layers {
			for k, m := range br.layers[l].at {
				offset := w.none[:side]
				if k == br.left {
					offset = br.layers[l].offset // every window has its own token in it
				}
				m.multiply(s.sums, rows)
				for i, t := range into {
					affine(s.bent, s.sums[i*side:][:side], s.scales[i]*m.step, offset)
					halve(t.part[l][(tap+k)*side:][:side], s.bent)
				}
			}
		}
		tap += br.n
	}
}

// over is what a norm multiplies with.
func (w *weights) over(variance float32) float32 {
	return float32(1 / math.Sqrt(float64(variance)+float64(w.eps)))
}

// quantised writes x in 16 bits, as far as products over k values allow that, and returns
// the value of one.
func quantised(out []int16, x []float32, k int) float32 {
	most, reach := peak(x), float32(reach(k))
	if most == 0 {
		clear(out)
		return 0
	}
	quantise(out, x, reach/most)
	return most / reach
}

// encode writes the vectors of a chunk of texts, no more than most, to out. It ends
// early when stop says so.
func (w *weights) encode(out [][]float32, texts []string, m *memo, s *scratch, stop func() error) error {
	s.ids, s.starts = s.ids[:0], append(s.starts[:0], 0)
	for _, text := range texts {
		s.ids = w.tokenizer.tokens(s.ids, text, &s.words)
		s.starts = append(s.starts, len(s.ids))
	}
	clear(s.total[:len(texts)*all])
	s.pieces = s.pieces[:0]
	tokens := 0
	for text := range texts {
		n := s.starts[text+1] - s.starts[text]
		for from := 0; from < n; {
			p := piece{text: text, from: from, low: max(0, from-around), at: tokens}
			room := block - tokens - (from - p.low)
			switch {
			case n-from <= room: // all of the rest
				p.to, p.high = n, n
			case n-from <= block-2*around, len(s.pieces) == most, room < block/2: // it fits the next one
				p.to = from
			default:
				p.to = from + room - around
				p.high = min(n, p.to+around)
			}
			if p.to > from {
				s.pieces, tokens, from = append(s.pieces, p), tokens+p.high-p.low, p.to
			}
			if from < n || len(s.pieces) == most {
				if err := stop(); err != nil {
					return err
				}
				w.block(m, s)
				s.pieces, tokens = s.pieces[:0], 0
			}
		}
	}
	if len(s.pieces) > 0 {
		w.block(m, s)
	}
	w.heads(out, s)
	return nil
}

// block adds up what the tokens of the block's pieces give.
func (w *weights) block(m *memo, s *scratch) {
	s.unique, s.tokens, s.learnt = s.unique[:0], s.tokens[:0], s.learnt[:0]
	clear(s.place)
	for _, p := range s.pieces {
		for _, id := range s.ids[s.starts[p.text]+p.low : s.starts[p.text]+p.high] {
			if _, there := s.place[id]; !there {
				s.place[id] = 0
				s.unique = append(s.unique, id)
			}
		}
	}
	slots := s.slots[:len(s.unique)]
	ready := m.take(s.unique, slots)
	for i, id := range s.unique {
		s.place[id] = slots[i]
		if i >= ready {
			s.learnt = append(s.learnt, &m.data[slots[i]])
		}
	}
	if ready < len(s.unique) {
		w.learn(s.unique[ready:], s.learnt, s)
	}
	for _, p := range s.pieces {
		for _, id := range s.ids[s.starts[p.text]+p.low : s.starts[p.text]+p.high] {
			s.tokens = append(s.tokens, &m.data[s.place[id]])
		}
	}
	for range ahead { // whichever: they are only fetched
		s.tokens = append(s.tokens, s.tokens[0])
	}
	tap := 0
	for b := range w.branch {
		w.windows(b, tap, s)
		tap += w.branch[b].n
	}
	m.give(s.unique, slots, ready)

	for _, p := range s.pieces {
		total := s.total[p.text*all:][:all]
		for i := p.from; i < p.to; i++ {
			bytes, scale, low := w.row(s.ids[s.starts[p.text]+i])
			e, c := s.e, s.c[(p.at+i-p.low)*joined:][:joined]
			spread(e, bytes, scale, low)
			mean := (sum(e) + sum(c)) / all
			over := w.over((squares(e, mean) + squares(c, mean)) / all)
			gather(total[:wide], e, mean, over)
			gather(total[wide:], c, mean, over)
		}
	}
}

// windows is a branch of the block: both layers over the pieces' tokens, into s.c.
//
// What the first layer adds to its input is zero in all but a few places (97 of 100 in
// ordinary text). So the second layer is what its input gives, which depends on the
// tokens alone, and a line of weights for each of those few.
func (w *weights) windows(b, tap int, s *scratch) {
	br := &w.branch[b]
	step := br.layers[1].at[0].step
	for _, p := range s.pieces {
		n := s.starts[p.text+1] - s.starts[p.text]
		// window adds up a layer's parts of the tokens around i.
		window := func(out []float32, i, l int) {
			from, to := max(0, i-br.left), min(n, i-br.left+br.n)
			first := p.at + from - p.low
			addTaps(out, s.tokens[first:first+to-from], l, tap+from-i+br.left)
		}
		first := max(0, p.from-margin)
		s.pairs, s.ends, s.steps = s.pairs[:0], append(s.ends[:0], 0), s.steps[:0]
		for i := first; i < min(n, p.to+margin); i++ {
			at := p.at + i - p.low
			window(s.bent, i, 0)
			bend(s.h[at*joined+b*side:][:side], s.bent, s.tokens[at].x[b*side:][:side], s.marks)
			s.pick(br.n, i-first, step)
		}
		for i := p.from; i < p.to; i++ {
			at := (p.at+i-p.low)*joined + b*side
			c := s.c[at:][:side]
			window(c, i, 1)
			// A token's line for input j is that of its place in the window around i.
			from, to := max(0, i-br.left), min(n, i-br.left+br.n)
			for k := from - first; k < to-first; k++ {
				addLines(c, br.lines, s.pairs[s.ends[k]:s.ends[k+1]], (br.left+first-i)*side, s.steps[k])
			}
			reluAdd(c, s.h[at:][:side])
		}
	}
}

// pick lists the lines that a piece's token number i adds to windows of n tokens, with the
// places above zero in 16 bits.
func (s *scratch) pick(n, i int, step float32) {
	var most float32
	above := s.above[:0]
	for m, mark := range s.marks {
		for ; mark != 0; mark &= mark - 1 {
			j := m*64 + bits.TrailingZeros64(mark)
			above = append(above, int32(j))
			if v := s.bent[j]; v > most {
				most = v
			}
		}
	}
	reach := float32(reach(side))
	var p pair
	for at, j := range above {
		p.at[at%2] = (j*int32(n) + int32(i)) * side
		p.by[at%2] = int16(float32(s.bent[j]*(reach/most)) + 0.5)
		if at%2 == 1 {
			s.pairs = append(s.pairs, p)
		}
	}
	if len(above)%2 == 1 {
		p.at[1], p.by[1] = p.at[0], 0
		s.pairs = append(s.pairs, p)
	}
	s.ends, s.steps = append(s.ends, len(s.pairs)), append(s.steps, most/reach*step)
}

// heads turns the texts' sums into vectors of length 1.
func (w *weights) heads(out [][]float32, s *scratch) {
	n := len(out)
	for i := range out {
		total := s.total[i*all:][:all]
		count := float32(s.starts[i+1] - s.starts[i])
		for j, v := range total {
			total[j] = float32(v*w.allGain[j]) + float32(count*w.allOffset[j])
		}
	}
	w.dense(s.m, s.total, n, &w.mean, w.none, s)
	for i := range out {
		root := float32(math.Sqrt(float64(s.starts[i+1] - s.starts[i])))
		m := s.m[i*wide:][:wide]
		for j, v := range m {
			m[j] = float32(v/root) + float32(root*w.meanOffset[j])
		}
	}
	w.dense(s.t, s.m, n, &w.d0, w.none, s)
	relu(s.t[:n*hidden])
	w.dense(s.y, s.m, n, &w.p1, w.none, s)
	w.dense(s.z, s.t, n, &w.d1, w.none, s)
	add(s.y[:n*hidden], s.z[:n*hidden])
	relu(s.y[:n*hidden])
	w.dense(s.t, s.y, n, &w.d2, w.none, s)
	relu(s.t[:n*wide])
	w.dense(s.z, s.y, n, &w.p3, w.none, s)
	w.dense(s.m, s.t, n, &w.d3, w.none, s)
	add(s.z[:n*wide], s.m[:n*wide])
	for i, v := range out {
		var length float64
		for j, x := range s.z[i*wide:][:wide] {
			t := math.Tanh(float64(x))
			v[j] = float32(t)
			length += t * t
		}
		length = math.Sqrt(length)
		for j := range v {
			v[j] = float32(float64(v[j]) / length)
		}
	}
}

// dense writes n rows of x × m + offset.
func (w *weights) dense(out, x []float32, n int, m *matrix, offset []float32, s *scratch) {
	for i := range n {
		s.scales[i] = quantised(s.narrow[i*m.k:][:m.k], x[i*m.k:][:m.k], m.k)
		s.rows[i] = &s.narrow[i*m.k]
	}
	m.multiply(s.sums, s.rows[:n])
	for i := range n {
		affine(out[i*m.n:][:m.n], s.sums[i*m.n:][:m.n], s.scales[i]*m.step, offset[:m.n])
	}
}

func relu(x []float32) {
	for i, v := range x {
		x[i] = max(v, 0)
	}
}
