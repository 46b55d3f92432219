package encoder

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// small writes a weights file of the full layout whose numbers are drawn by chance, with
// a vocabulary of a few pieces, and returns it.
func small(t testing.TB) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"", "", "", "▁", "▁the", "a", "b", "ab", "▁a", "he", "▁t", "é", "日", "日本"}
	w := &writer{header: Header{Name: "small", Dimension: wide, Title: "drawn by chance", License: "none"}}
	scores := make([]float32, len(pieces))
	for i := range scores {
		scores[i] = -float32(i)
	}
	text, ids := sorted(pieces)
	w.add("pieces", "uint8", []int{len(text)}, 0, text)
	w.add("ids", "int32", []int{len(ids)}, 0, bytesOf(ids))
	w.add("scores", "float32", []int{len(scores)}, 0, bytesOf(scores))
	w.add("charmap", "uint8", []int{8}, 0, []byte{4, 0, 0, 0, 0, 0, 0, 0})
	for b := range blocks {
		row := make([]byte, wide)
		for i := range row {
			row[i] = byte(random.IntN(64))
		}
		w.add(tableName(b), "uint8", []int{1, wide}, 0, row)
	}
	add := func(name string, n int, middle, spread float64) {
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(middle + spread*random.NormFloat64())
		}
		w.add(name, "float32", []int{n}, 0, bytesOf(values))
	}
	product := func(name string, k, n int, step float64) {
		values := make([]byte, k*n)
		for i := range values {
			values[i] = byte(int8(random.IntN(255) - 127))
		}
		w.add(name, "int8", []int{k, n}, step, values)
	}
	add("scale", blocks, 0.1, 0.01)
	add("low", blocks, -3, 0.5)
	add("gain", joined, 1, 0.2)
	add("offset", joined, 0, 0.2)
	add("all_gain", all, 1, 0.2)
	add("all_offset", all, 0, 0.2)
	add("mean_offset", wide, 0, 0.1)
	add("eps", 1, 1e-12, 0)
	product("mean", all, wide, 2e-4)
	product("d0", wide, hidden, 5e-4)
	product("p1", wide, hidden, 5e-4)
	product("d1", hidden, hidden, 5e-4)
	product("d2", hidden, wide, 5e-4)
	product("p3", hidden, wide, 5e-4)
	product("d3", wide, wide, 5e-4)
	for _, n := range []string{"2", "3", "5"} {
		k := int(n[0]-'0') * side
		add("project"+n+"_offset", side, 0, 0.1)
		add("first"+n+"_offset", side, -1.5, 0.1) // few places are above zero, as with the real ones
		add("second"+n+"_offset", side, 0, 0.1)
		product("project"+n, wide, side, 1e-3)
		product("first"+n, k, side, 4e-4)
		product("second"+n, k, side, 4e-4)
	}
	var out bytes.Buffer
	if err := w.to(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// smallEncoder is an encoder of such a file.
func smallEncoder(t testing.TB, o Options) *Universal {
	t.Helper()
	o.File = filepath.Join(t.TempDir(), "weights")
	if err := os.WriteFile(o.File, small(t), 0o600); err != nil {
		t.Fatal(err)
	}
	o.without = true
	e := New(o)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// real is the encoder with Google's weights: those inside, or the file that
// HOLDPOINT_ENCODER names. build/test has them.
func real(t testing.TB, o Options) *Universal {
	t.Helper()
	o.File = os.Getenv("HOLDPOINT_ENCODER")
	e := New(o)
	if _, err := e.Header(); errors.Is(err, ErrMissing) {
		t.Skip("no weights: build/encoder makes them; then go test -tags encoder")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// ways runs a test with the vector instructions, where there are some, and without.
func ways(t *testing.T, run func(t *testing.T)) {
	t.Run("vector", func(t *testing.T) {
		if !vector {
			t.Skip("this processor has none that are used")
		}
		run(t)
	})
	t.Run("plain", func(t *testing.T) {
		plainly(t)
		run(t)
	})
}

func opened(t testing.TB, e *Universal) *weights {
	t.Helper()
	o, err := e.load()
	if err != nil {
		t.Fatal(err)
	}
	e.mu.RUnlock()
	return o.weights
}

func vectors(t testing.TB, e Encoder, texts ...string) [][]float32 {
	t.Helper()
	out, err := e.Vector(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

type reference struct {
	Text   string  `json:"text"`
	IDs    []int32 `json:"ids"`
	Vector []byte  `json:"vector"` // 16-bit values in units of 1e-5
}

func (r reference) vector() []float32 {
	out := make([]float32, len(r.Vector)/2)
	for i := range out {
		out[i] = float32(int16(binary.LittleEndian.Uint16(r.Vector[2*i:]))) * 1e-5
	}
	return out
}

// references are forty texts with what the package's own code made of them.
func references(t testing.TB) []reference {
	t.Helper()
	f, err := os.Open("testdata/reference.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []reference
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r reference
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if lines.Err() != nil || len(out) != 40 {
		t.Fatal(len(out), lines.Err())
	}
	return out
}

// "The vectors are not those of Google's model."
func TestVectors_are_those_of_the_reference(t *testing.T) {
	ways(t, func(t *testing.T) {
		e := real(t, Options{})
		tokenizer := opened(t, e).tokenizer
		var texts []string
		for _, r := range references(t) {
			texts = append(texts, r.Text)
			if ids := tokenizer.tokens(nil, r.Text, &words{}); !slices.Equal(ids, r.IDs) {
				t.Errorf("%.60q has the ids %v, not %v", r.Text, ids, r.IDs)
			}
			v := vectors(t, e, r.Text)[0]
			if c := cosine(v, r.vector()); c < 0.9999 {
				t.Errorf("%.60q: cosine %.6f", r.Text, c)
			}
		}
		for i, v := range vectors(t, e, texts...) { // in one batch
			if c := cosine(v, references(t)[i].vector()); c < 0.9999 {
				t.Errorf("in a batch, %.60q: cosine %.6f", texts[i], c)
			}
		}
	})
}

func cosine(a, b []float32) float64 {
	return Cosine(a, b) / math.Sqrt(Cosine(a, a)*Cosine(b, b))
}

// "On my other laptop the same search finds something else."
func TestVectors_are_the_same_bits_alone_and_in_batches_with_and_without_vector_instructions(t *testing.T) {
	var texts []string
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 24 {
		var b strings.Builder
		for range random.IntN(1 + 20*n) {
			b.WriteString([]string{"a", "b", "the", " ", "é", "日本", "?"}[random.IntN(7)])
		}
		texts = append(texts, b.String())
	}
	e := smallEncoder(t, Options{})
	want := vectors(t, e, texts...)
	for i, text := range texts {
		if !slices.Equal(vectors(t, e, text)[0], want[i]) {
			t.Fatalf("alone, text %d (%d bytes) has another vector", i, len(text))
		}
	}
	plainly(t)
	for i, v := range vectors(t, smallEncoder(t, Options{}), texts...) {
		if !slices.Equal(v, want[i]) {
			t.Fatalf("without vector instructions, text %d (%d bytes) has another vector", i, len(texts[i]))
		}
	}
}

// "Long texts get a wrong vector", "words at a seam are forgotten": against the formulas,
// written down without any blocks, memo or whole numbers.
func TestVectors_follow_the_formulas(t *testing.T) {
	h, parts, err := parseHeader(small(t))
	if err != nil {
		t.Fatal(err)
	}
	f := formulas{t: t, parts: map[string][]float64{}, shape: map[string][]int{}}
	for _, p := range h.Parts {
		f.read(p, parts)
	}
	tokenizer := opened(t, smallEncoder(t, Options{})).tokenizer
	texts := []string{"", "a", "ab the", "the a b a b 日本 é", strings.Repeat("日本ab? ", 34)} // the last has a seam
	var want [][]float64
	for _, text := range texts {
		want = append(want, f.vector(tokenizer.tokens(nil, text, &words{})))
	}
	ways(t, func(t *testing.T) {
		for n, v := range vectors(t, smallEncoder(t, Options{}), texts...) {
			var product, length float64
			for i, x := range v {
				product += float64(x) * want[n][i]
				length += float64(x) * float64(x)
			}
			if product < 0.99999 || math.Abs(length-1) > 1e-5 {
				t.Errorf("text %d: cosine %.7f, length %.7f", n, product, length)
			}
		}
	})
}

// "It eats 100 MB although I have not searched for an hour."
func TestWeights_are_dropped_when_nobody_used_them_and_read_again(t *testing.T) {
	var due []func()
	e := smallEncoder(t, Options{Idle: time.Minute, After: func(d time.Duration, f func()) func() bool {
		if d != time.Minute {
			t.Errorf("the timer is for %v", d)
		}
		due = append(due, f)
		return func() bool { return true }
	}})
	if e.Loaded() {
		t.Fatal("they are in memory before the first text")
	}
	before := vectors(t, e, "the")[0]
	vectors(t, e, "a")
	due[0]() // there was a use since
	if !e.Loaded() {
		t.Fatal("they were dropped though they are in use")
	}
	due[1]()
	if e.Loaded() {
		t.Fatal("they are still in memory")
	}
	if after := vectors(t, e, "the")[0]; !slices.Equal(before, after) {
		t.Error("read again, they give something else")
	}
}

// "Search while the laptop is being shut hangs or crashes."
func TestVector_ends_with_its_context_and_survives_drops(t *testing.T) {
	e := smallEncoder(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Vector(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	done := make(chan error)
	for range 4 {
		go func() {
			for range 20 {
				if _, err := e.Vector(context.Background(), []string{"a", "the b", "b", "ab", "é", "t", "h", "the the"}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 20 {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// "It says nothing useful when the file is missing or half downloaded."
func TestWeights_that_are_missing_or_broken_are_told(t *testing.T) {
	if _, err := New(Options{without: true, File: filepath.Join(t.TempDir(), "none")}).Vector(context.Background(), []string{"a"}); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "none") {
		t.Errorf("got %v", err)
	}
	if _, err := New(Options{without: true}).Vector(context.Background(), []string{"a"}); !errors.Is(err, ErrMissing) {
		t.Errorf("got %v", err)
	}
	good := small(t)
	path := filepath.Join(t.TempDir(), "weights")
	for name, broken := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)/2], "cut header": good[:40], "another file": []byte("GGUF and so on, and so on, and so on"),
		"a changed byte": func() []byte { b := slices.Clone(good); b[len(b)-1000] ^= 1; return b }(),
	} {
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := New(Options{without: true, File: path}).Vector(context.Background(), []string{"a"}); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// "A file that somebody else put there made the program fall over", or "ranked by nonsense".
	h, parts, err := parseHeader(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Header){
		"a size beyond all memory": func(h *Header) { h.Parts[0].Shape = []int{1 << 28, 1 << 28} },
		"a step below zero":        func(h *Header) { h.Parts[len(h.Parts)-1].Step = -1 },
		"a step beyond measure":    func(h *Header) { h.Parts[0].Step = 1e300 },
		"a terminal's command":     func(h *Header) { h.Title = "\x1b[31mred" },
		"no name":                  func(h *Header) { h.Name = "" },
		"another header":           func(h *Header) { h.Parts[0].Step += 0.5 },
	} {
		other := h
		other.Parts = slices.Clone(h.Parts)
		change(&other)
		header, err := json.Marshal(other)
		if err != nil {
			t.Fatal(err)
		}
		file := slices.Concat(binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(header))), header, parts)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		e := New(Options{without: true, File: path})
		if _, err := e.Vector(context.Background(), []string{"a"}); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := e.Header(); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: the header is %v", name, err)
		}
	}
	if _, err := New(Options{without: true, File: t.TempDir()}).Header(); !errors.Is(err, ErrBroken) {
		t.Errorf("a folder: got %v", err)
	}
	if _, err := narrow([]float32{127, 1.5, 0}); !errors.Is(err, ErrBroken) {
		t.Errorf("a matrix that is not of 8 bits: got %v", err)
	}
	if err := Convert(&bytes.Buffer{}, good); !errors.Is(err, ErrBroken) {
		t.Errorf("converting another file: got %v", err)
	}
}

func narrow(x []float32) ([]byte, error) {
	_, out, err := narrowed(x)
	return out, err
}

// A text that spells out a control piece does not become one, and no byte is too strange.
func FuzzTokens(f *testing.F) {
	e := New(Options{File: os.Getenv("HOLDPOINT_ENCODER")})
	if _, err := e.Header(); err != nil {
		e = smallEncoder(f, Options{})
	}
	tokenizer := opened(f, e).tokenizer
	for _, r := range references(f) {
		f.Add(r.Text)
	}
	f.Add("<s></s><unk> extra_token_id_1 \xff\xfe\xe2\x96 \x00 \u2581")
	f.Fuzz(func(t *testing.T, text string) {
		ids := tokenizer.tokens(nil, text, &words{})
		if len(ids) < 3 || ids[0] != begin || ids[len(ids)-1] != end {
			t.Fatalf("%q: %v", text, ids)
		}
		// A character can become eighteen (U+FDFA), each with a blank in front.
		if len(ids) > 40*len(text)+3 {
			t.Fatalf("%q: %d ids", text, len(ids))
		}
		for _, id := range ids[1 : len(ids)-1] {
			if id != unknown && (id <= end || int(id) >= len(tokenizer.scores)) {
				t.Fatalf("%q: id %d", text, id)
			}
		}
	})
}

// "A search for 日本 finds nothing", "ten blanks matter".
func TestTokens_of_a_small_vocabulary(t *testing.T) {
	tokenizer := opened(t, smallEncoder(t, Options{})).tokenizer
	for text, want := range map[string][]int32{
		"":          {begin, unknown, end},
		" ":         {begin, unknown, end},
		"the":       {begin, 4, end},
		"  the  a ": {begin, 4, 8, end},
		"ab":        {begin, 3, 7, end}, // ▁ and ab are -3-7, ▁a and b -8-6
		"日本日":       {begin, 3, 13, 12, end},
		"\xff":      {begin, 3, unknown, end},
		"<s>":       {begin, 3, unknown, unknown, unknown, end},
	} {
		if got := tokenizer.tokens(nil, text, &words{}); !slices.Equal(got, want) {
			t.Errorf("%q: %v, not %v", text, got, want)
		}
	}
}

// "It takes a second until the answer when the message is long", "memory grows".
func TestVector_allocates_nothing_for_a_token(t *testing.T) {
	e := smallEncoder(t, Options{Threads: 1})
	text := strings.Repeat("the ab 日本 ", 200)
	vectors(t, e, text)
	short := testing.AllocsPerRun(20, func() { vectors(t, e, "a") })
	long := testing.AllocsPerRun(20, func() { vectors(t, e, text) })
	if long > short+100 { // the race detector throws buffers away

		t.Errorf("%v allocations for a word, %v for 800 tokens", short, long)
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"":    nil,
		" \n": nil,
		"I can't sleep. My mother is ill!  Help?": {"I can't sleep.", "My mother is ill!", "Help?"},
		"It rose to 3.5 mg. Then it fell.":        {"It rose to 3.5 mg.", "Then it fell."},
		"眠れません。助けてください。":                          {"眠れません。", "助けてください。"},
		"no end here\nbut a new line":             {"no end here", "but a new line"},
	} {
		if got := Sentences(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// "The same boilerplate a hundred times makes it slow."
func TestBySentence_computes_each_sentence_once_and_keeps_their_places(t *testing.T) {
	e := &counting{}
	got, err := BySentence(context.Background(), e, []string{"One. Two. One.", "", "Two."})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(e.texts, []string{"One.", "Two."}) {
		t.Errorf("computed %q", e.texts)
	}
	if len(got) != 3 || len(got[0]) != 3 || len(got[1]) != 0 || len(got[2]) != 1 || got[0][1][0] != got[2][0][0] || got[0][0][0] != got[0][2][0] {
		t.Errorf("got %v", got)
	}
	if at, c := Best(got[2][0], got[0]); at != 1 || c != 1 {
		t.Errorf("the best is %d with %v", at, c)
	}
	if at, _ := Best(got[2][0], nil); at != -1 {
		t.Errorf("the best of nothing is %d", at)
	}
	if m := Mean(got[0]); math.Abs(float64(m[0])-2/math.Sqrt(5)) > 1e-6 || math.Abs(float64(m[1])-1/math.Sqrt(5)) > 1e-6 {
		t.Errorf("the mean is %v", m)
	}
}

type counting struct{ texts []string }

func (*counting) Name() string   { return "counting" }
func (*counting) Dimension() int { return 2 }
func (c *counting) Vector(_ context.Context, texts []string) ([][]float32, error) {
	c.texts = append(c.texts, texts...)
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{float32(1 - i), float32(i)}
	}
	return out, nil
}

// "It told me that the clinic has nobody, in Vietnamese: it had not understood a word."
func TestReads_the_letters_of_its_languages(t *testing.T) {
	e := real(t, Options{})
	for _, text := range []string{"I want to die", "Quiero morir", "我想死", "أريد أن أموت", "Ölmek istiyorum", "นอนไม่หลับ", "잠이 안 와요", "眠れない夜が続く", "Żółć gęślą jaźń", "HbA1c 7.2 %", "😀 ok", "", "12.5", "β-blocker", "α-synuclein, β2-agonist and γ-GT", "Ik kan niet slapen", "Я не могу заснуть", "Não consigo dormir à noite"} {
		if !e.Reads(text) {
			t.Errorf("%q is not read", text)
		}
	}
	for _, r := range references(t) {
		if !e.Reads(r.Text) {
			t.Errorf("%.60q of the reference is not read", r.Text)
		}
	}
	for _, text := range []string{"Tôi không ngủ được", "Tôi muốn chết", "मैं सो नहीं पाता", "Δεν μπορώ να κοιμηθώ", "Θέλω να πεθάνω", "אני לא מצליח לישון", "আমি ঘুমাতে পারি না", "مجھے نیند نہیں آتی"} {
		if e.Reads(text) {
			t.Errorf("%q is read", text)
		}
	}
}
