package safety

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

//go:embed rules/*.yaml rules/fr/*.yaml rules/more/*.yaml rules/told/*.yaml rules/names/*.yaml
var rulesFS embed.FS

// Rule is one reviewed cue. What it looks for is data in rules/.
type Rule struct {
	ID       string   `yaml:"id"`
	Category Category `yaml:"category"`
	Reason   string   `yaml:"reason"` // one line: why this counts
	Weight   int      `yaml:"weight"` // points towards the threshold
	// Past is the weight when the words speak of the past ("was going to"),
	// which may be last night; it defaults to two thirds of Weight. What is over
	// ("used to") weighs a third, or Past when that is less.
	Past *int `yaml:"past"`
	// Negatable says that a negation before the words or in their gap cancels
	// the cue. It defaults to true; rules whose own words hold the negation
	// ("don't want to live") set it to false.
	Negatable *bool `yaml:"negatable"`
	// Support marks a cue that only counts beside another one.
	Support bool `yaml:"support"`
	// Most is the most that the cue asks for, check_in or nothing: what may only ask is kept apart from the sums that stop a
	// turn, and neither style nor supporting cues join it.
	Most Level `yaml:"most"`
	// Broad marks a plain word or phrase that is weighed only where no narrower
	// rule has weighed the same words: it adds what they lack to its weight.
	Broad bool `yaml:"broad"`
	// Topic marks a cue that names a danger without saying whose: in a short message what it means decides, as of broad ones.
	Topic bool `yaml:"topic"`
	// Alone drops the cue unless it is the whole message: who writes nothing else may mean all
	// by it, while in a longer one the same words are about what stands beside them.
	Alone bool `yaml:"alone"`
	// Brief drops the cue in a message longer than a report (mostReport): in a story it is mostly over.
	Brief bool `yaml:"brief"`
	// Lesson drops the cue where the message is for an exam, a lecture or the like (the phrase #lesson) and the cue
	// says nothing of the writer.
	Lesson bool `yaml:"lesson"`
	// About is "other" for danger of which somebody else tells: its sum stands apart from
	// the writer's own, and what is quoted or reported counts.
	About string `yaml:"about"`
	// Own drops the cue when the person named last before it in its sentence is
	// somebody else ("she", "my brother").
	Own bool `yaml:"own"`
	// Beside are phrases that must all stand somewhere in the same message, Without such as must not.
	Beside   []string `yaml:"beside"`
	Without  []string `yaml:"without"`
	Patterns []string `yaml:"patterns"`
	// Unless cancels the cue when one of these starts where it starts or
	// overlaps it (idioms).
	Unless []string `yaml:"unless"`
}

// style is a cue about the whole message instead of some words.
type style struct {
	ID     string `yaml:"id"`
	Reason string `yaml:"reason"`
	Weight int    `yaml:"weight"`
	// The bounds below must all hold. Shares are percentages of the words
	// about the writer among words about writer and reader (I, me, my / you).
	MinWords    int `yaml:"min_words"`
	MaxWords    int `yaml:"max_words"`
	MinReader   int `yaml:"min_reader"`
	MinWriter   int `yaml:"min_writer"`
	MinShare    int `yaml:"min_share"`
	MaxShare    int `yaml:"max_share"`
	MinCounsel  int `yaml:"min_counsel"`  // phrases of comfort and advice
	MinRecovery int `yaml:"min_recovery"` // phrases of being well again
}

type ruleFile struct {
	Version   string              `yaml:"version"`
	Language  string              `yaml:"language"`
	Threshold int                 `yaml:"threshold"`
	Classes   map[string]string   `yaml:"classes"`
	Spelling  map[string]string   `yaml:"spelling"`
	Fuzzy     string              `yaml:"fuzzy"`
	Sounds    string              `yaml:"sounds"`
	Masked    string              `yaml:"masked"`
	Names     string              `yaml:"names"`
	Pairs     map[string]string   `yaml:"pairs"`
	Elided    map[string]string   `yaml:"elided"`
	Texting   map[string]string   `yaml:"texting"`
	Phrases   map[string][]string `yaml:"phrases"`
	Rules     []Rule              `yaml:"rules"`
	Styles    []style             `yaml:"styles"`
	Ordinary  []ordinary          `yaml:"ordinary"`
	Over      []ordinary          `yaml:"over"`
	Asides    []aside             `yaml:"asides"`
}

// bitset holds word ids.
type bitset []uint64

func (b bitset) has(i int) bool { return i>>6 < len(b) && b[i>>6]&(1<<(i&63)) != 0 }

func (b *bitset) add(i int) {
	for i>>6 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i>>6] |= 1 << (i & 63)
}

// members are the ids in order.
func (b bitset) members() (ids []int) {
	for at, w := range b {
		for ; w != 0; w &= w - 1 {
			ids = append(ids, at<<6+bits.TrailingZeros64(w))
		}
	}
	return ids
}

// some says that one of the ids from the first up to the last, which does not count, is there.
func (b bitset) some(first, last int) bool {
	for at := first >> 6; at <= (last-1)>>6 && at < len(b); at++ {
		w := b[at]
		if at == first>>6 {
			w &= ^uint64(0) << (first & 63)
		}
		if at == (last-1)>>6 {
			w &= ^uint64(0) >> (63 - (last-1)&63)
		}
		if w != 0 {
			return true
		}
	}
	return false
}

func (b bitset) meets(o bitset) bool {
	for i := range min(len(b), len(o)) {
		if b[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// ruleset is a compiled rule file of one language. It is read-only after
// compile and safe for concurrent use.
type ruleset struct {
	version    string
	threshold  int
	vocabulary map[string]int
	words      []string
	stems      map[string]int // beginnings of words, by their letters
	spelling   map[string]string
	fuzzy      []string
	sounds     map[string]string // words by how they sound
	names      [][]string        // long names by how many letters they have, put right where two are wrong
	masked     []string
	unspaced   bool // it has words of scripts that put no space between them
	pairs      map[[2]int][]int
	elided     map[string]string // words that are others with their apostrophe
	texting    map[string]string // what phones make of words, written out; empty for what says nothing
	classes    map[string]bitset
	phraseIDs  map[string]int
	phrases    [][]pattern
	byFirst    map[int][]phraseRef // phrases by the word they start with
	rules      []compiled
	styles     []style
	ordinary   []ordinary
	over       []ordinary // danger of long ago
	asides     []aside
	byWord     map[int][]int   // numbers of the rules' patterns by each of their rarest words
	wordless   bitset          // numbers of those that have none
	broad      map[string]bool // rule ids
	about      map[string]bool // ids of rules on somebody else

	negators, notNegating, barriers, pastMarks, remoteMarks, clauseWords, beforeIll, beginners, onward bitset
	writer, reader, reporters, others, relatives                                                       bitset
	counsel, recovery, context, idiom, lesson                                                          int // phrase ids; the last two are -1 where there are none
}

type phraseRef struct {
	phrase int
	p      *pattern
}

type compiled struct {
	Rule
	beside    []int // phrase ids
	without   []int
	past      int
	negatable bool
	patterns  []pattern
	unless    []pattern
}

// weight is what the rule counts for words that speak of that time.
func (c *compiled) weight(when tense) int {
	switch when {
	case past:
		return c.past
	case remote:
		return min(c.past, c.Weight/3)
	}
	return c.Weight
}

// aboutOther marks rules on the danger of somebody else than the writer.
const aboutOther = "other"

// english, french and more, the plain words of five other languages, are the reviewed rule sets, compiled when a message is first checked:
// most commands check none. The files are part of the program, so a mistake in them is a
// mistake in the build: TestRulesAreReviewable finds it.
var (
	english = sync.OnceValue(func() *ruleset { return mustCompile(rulesFS, "rules") })
	french  = sync.OnceValue(func() *ruleset { return mustCompile(rulesFS, "rules/fr") })
	more    = sync.OnceValue(func() *ruleset { return mustCompile(rulesFS, moreFolder) })
)

func mustCompile(files fs.FS, folder string) *ruleset {
	rs, err := compile(files, folder)
	if err != nil {
		panic(err)
	}
	return rs
}

// namesFolder has the names of what may be swallowed, which every folder's rules may use.
const namesFolder = "rules/names/*.yaml"

const moreFolder = "rules/more"

// compile reads every file of a folder as one, and what names/ has: rules are joined in the order of
// the file names.
func compile(files fs.FS, folder string) (*ruleset, error) {
	var f ruleFile
	names, err := fs.Glob(files, folder+"/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("safety: list rules: %w", err)
	}
	shared, err := fs.Glob(files, namesFolder)
	if err != nil {
		return nil, fmt.Errorf("safety: list rules: %w", err)
	}
	if folder == moreFolder {
		shared = nil // plain words alone
	}
	for _, name := range append(shared, names...) {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("safety: read rules: %w", err)
		}
		rules, asides := f.Rules, f.Asides
		f.Rules, f.Asides = nil, nil
		d := yaml.NewDecoder(bytes.NewReader(b))
		d.KnownFields(true)
		if err := d.Decode(&f); err != nil {
			return nil, fmt.Errorf("safety: read %s: %w", name, err)
		}
		f.Rules, f.Asides = append(rules, f.Rules...), append(asides, f.Asides...)
	}
	if f.Threshold <= 0 && len(f.Rules) > 0 {
		return nil, fmt.Errorf("safety: rules: threshold must be above 0")
	}
	rs := &ruleset{
		version: f.Version, threshold: f.Threshold,
		vocabulary: map[string]int{}, words: []string{""}, stems: map[string]int{},
		spelling: f.Spelling, fuzzy: strings.Fields(f.Fuzzy), sounds: bySound(strings.Fields(f.Sounds)), elided: f.Elided, texting: f.Texting, masked: strings.Fields(f.Masked),
		pairs: map[[2]int][]int{}, classes: map[string]bitset{}, phraseIDs: map[string]int{},
		byFirst: map[int][]phraseRef{}, byWord: map[int][]int{}, styles: f.Styles, broad: map[string]bool{}, about: map[string]bool{},
	}
	for name := range f.Classes {
		if err := rs.class(name, f.Classes, nil); err != nil {
			return nil, err
		}
	}
	rs.nameAll(strings.Fields(f.Classes[f.Names]))
	for name, dst := range map[string]*bitset{
		"negator": &rs.negators, "not_negating": &rs.notNegating, "barrier": &rs.barriers, "past_mark": &rs.pastMarks, "remote_mark": &rs.remoteMarks,
		"clause_word": &rs.clauseWords, "before_ill": &rs.beforeIll, "writer": &rs.writer, "reader": &rs.reader,
		"reporter": &rs.reporters, "other": &rs.others, "relative": &rs.relatives,
	} {
		set, ok := rs.classes[name]
		if !ok && len(f.Rules) > 0 {
			return nil, fmt.Errorf("safety: rules: class %q is missing", name)
		}
		*dst = set
	}
	rs.beginners, rs.onward = rs.classes["begins"], rs.classes["goes_on"] // where a language has any
	for pair, word := range f.Pairs {
		a, b, ok := strings.Cut(pair, " ")
		if !ok {
			return nil, fmt.Errorf("safety: rules: pair %q is not two words", pair)
		}
		key := [2]int{rs.intern(a), rs.intern(b)}
		for _, w := range strings.Fields(word) {
			rs.pairs[key] = append(rs.pairs[key], rs.intern(w))
		}
		if n := len(rs.pairs[key]); n < 1 || n > 2 {
			return nil, fmt.Errorf("safety: rules: pair %q becomes a word or two", pair)
		}
	}
	phraseNames := make([]string, 0, len(f.Phrases))
	for name := range f.Phrases {
		phraseNames = append(phraseNames, name)
	}
	slices.Sort(phraseNames)
	for i, name := range phraseNames {
		rs.phraseIDs[name] = i
	}
	rs.phrases = make([][]pattern, len(phraseNames))
	for i, name := range phraseNames {
		for _, src := range f.Phrases[name] {
			p, err := rs.pattern(src)
			if err != nil {
				return nil, fmt.Errorf("safety: phrase %s: %w", name, err)
			}
			rs.phrases[i] = append(rs.phrases[i], p)
		}
	}
	for name, dst := range map[string]*int{"counsel": &rs.counsel, "recovery": &rs.recovery, "context": &rs.context} {
		id, ok := rs.phraseIDs[name]
		if !ok && len(f.Rules) > 0 {
			return nil, fmt.Errorf("safety: rules: phrase %q is missing", name)
		}
		*dst = id
	}
	rs.idiom, rs.lesson = -1, -1
	for name, dst := range map[string]*int{"idiom": &rs.idiom, "lesson": &rs.lesson} {
		if id, ok := rs.phraseIDs[name]; ok {
			*dst = id
		}
	}
	seen := map[string]bool{}
	for _, r := range f.Rules {
		if r.ID == "" || r.Reason == "" || r.Weight <= 0 || len(r.Patterns) == 0 {
			return nil, fmt.Errorf("safety: rule %q needs id, reason, weight and patterns", r.ID)
		}
		if !r.Category.valid() {
			return nil, fmt.Errorf("safety: rule %s: unknown category %q", r.ID, r.Category)
		}
		if r.About != "" && r.About != aboutOther {
			return nil, fmt.Errorf("safety: rule %s: about is %q or nothing", r.ID, aboutOther)
		}
		if r.Most != "" && (r.Most != CheckIn || r.Support || r.Broad || r.Topic || r.Weight < rulesCheckIn) {
			return nil, fmt.Errorf("safety: rule %s: most is %q or nothing, of a cue that stands by itself and weighs %d", r.ID, CheckIn, rulesCheckIn)
		}
		if seen[r.ID] {
			return nil, fmt.Errorf("safety: rule %s is there twice", r.ID)
		}
		seen[r.ID] = true
		rs.broad[r.ID], rs.about[r.ID] = r.Broad, r.About != ""
		c := compiled{Rule: r, past: r.Weight * 2 / 3, negatable: true}
		if r.Past != nil {
			c.past = *r.Past
		}
		if r.Negatable != nil {
			c.negatable = *r.Negatable
		}
		if c.beside, err = rs.phraseNumbers(r.Beside); err == nil {
			c.without, err = rs.phraseNumbers(r.Without)
		}
		if err != nil {
			return nil, fmt.Errorf("safety: rule %s: %w", r.ID, err)
		}
		for _, set := range []struct {
			src []string
			dst *[]pattern
		}{{r.Patterns, &c.patterns}, {r.Unless, &c.unless}} {
			for _, src := range set.src {
				p, err := rs.pattern(src)
				if err != nil {
					return nil, fmt.Errorf("safety: rule %s: %w", r.ID, err)
				}
				*set.dst = append(*set.dst, p)
			}
		}
		rs.rules = append(rs.rules, c)
	}
	for _, o := range f.Ordinary {
		if err = o.compile(rs); err != nil {
			return nil, fmt.Errorf("safety: ordinary %s: %w", o.ID, err)
		}
		rs.ordinary = append(rs.ordinary, o)
	}
	for _, o := range f.Over {
		if err = o.compile(rs); err != nil {
			return nil, fmt.Errorf("safety: over %s: %w", o.ID, err)
		}
		rs.over = append(rs.over, o)
	}
	for _, a := range f.Asides {
		if err = a.compile(rs); err != nil {
			return nil, fmt.Errorf("safety: aside %s: %w", a.ID, err)
		}
		rs.asides = append(rs.asides, a)
	}
	rs.widen()
	order, err := rs.phraseOrder()
	if err != nil {
		return nil, err
	}
	for _, i := range order {
		for k := range rs.phrases[i] {
			p := &rs.phrases[i][k]
			for _, id := range rs.firstWords(p).members() {
				rs.byFirst[id] = append(rs.byFirst[id], phraseRef{i, p})
			}
		}
	}
	number := 0
	for i := range rs.rules {
		for k := range rs.rules[i].patterns {
			p := &rs.rules[i].patterns[k]
			p.number = number
			number++
			words := p.rarest()
			if words == nil {
				rs.wordless.add(p.number)
			}
			for _, id := range words {
				rs.byWord[id] = append(rs.byWord[id], p.number)
			}
		}
	}
	return rs, nil
}

// phraseNumbers are the ids of phrases by name.
func (rs *ruleset) phraseNumbers(names []string) (ids []int, err error) {
	for _, name := range names {
		id, ok := rs.phraseIDs[name]
		if !ok {
			return nil, fmt.Errorf("unknown phrase %q", name)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (rs *ruleset) intern(word string) int {
	if id, ok := rs.vocabulary[word]; ok {
		return id
	}
	id := len(rs.words)
	rs.vocabulary[word] = id
	rs.unspaced = rs.unspaced || strings.ContainsFunc(word, unspaced)
	rs.words = append(rs.words, word)
	if stem, ok := strings.CutSuffix(word, "*"); ok {
		rs.stems[stem] = id
	}
	return id
}

// id is a word's number: its own, else that of the longest stem it begins with.
func (rs *ruleset) id(word string) int {
	id := rs.vocabulary[word]
	for n := len(word); id == 0 && n > 0 && len(rs.stems) > 0; n-- {
		id = rs.stems[word[:n]]
	}
	return id
}

// phraseOrder are the phrases, those first that others name.
func (rs *ruleset) phraseOrder() (order []int, err error) {
	const open, done = 1, 2
	state := make([]int, len(rs.phrases))
	var visit func(i int)
	visit = func(i int) {
		if state[i] == open {
			err = errors.New("safety: rules: a phrase contains itself")
		}
		if state[i] != 0 {
			return
		}
		state[i] = open
		for k := range rs.phrases[i] {
			for _, e := range rs.phrases[i][k].elements {
				for _, other := range e.phrases {
					visit(other)
				}
			}
		}
		state[i] = done
		order = append(order, i)
	}
	for i := range rs.phrases {
		visit(i)
	}
	return order, err
}

// firstWords are the words that a match can start with.
func (rs *ruleset) firstWords(p *pattern) (set bitset) {
	for _, e := range p.elements {
		if e.kind != oneWord {
			continue
		}
		for _, id := range e.words.members() {
			set.add(id)
		}
		for _, other := range e.phrases {
			for k := range rs.phrases[other] {
				for _, id := range rs.firstWords(&rs.phrases[other][k]).members() {
					set.add(id)
				}
			}
		}
		if !e.optional && !e.end {
			break
		}
	}
	return set
}

// widen adds to each element with a stem all words that begin so.
func (rs *ruleset) widen() {
	if len(rs.stems) == 0 {
		return
	}
	begin := map[int][]int{}
	for other, word := range rs.words {
		for n := 1; n <= len(word); n++ {
			if id, ok := rs.stems[word[:n]]; ok {
				begin[id] = append(begin[id], other)
			}
		}
	}
	all := slices.Clone(rs.phrases)
	for i := range rs.rules {
		all = append(all, rs.rules[i].patterns, rs.rules[i].unless)
	}
	for _, patterns := range all {
		for i := range patterns {
			for k := range patterns[i].elements {
				words := &patterns[i].elements[k].words
				for _, id := range words.members() {
					for _, other := range begin[id] {
						words.add(other)
					}
				}
			}
		}
	}
}

// class resolves one word class; a class may name others with @.
func (rs *ruleset) class(name string, src map[string]string, via []string) error {
	if _, ok := rs.classes[name]; ok {
		return nil
	}
	if slices.Contains(via, name) {
		return fmt.Errorf("safety: rules: class %s contains itself", name)
	}
	words, ok := src[name]
	if !ok {
		return fmt.Errorf("safety: rules: unknown class @%s", name)
	}
	var set bitset
	for _, w := range strings.Fields(words) {
		if other, ok := strings.CutPrefix(w, "@"); ok {
			if err := rs.class(other, src, append(via, name)); err != nil {
				return err
			}
			for i, more := range rs.classes[other] {
				for i >= len(set) {
					set = append(set, 0)
				}
				set[i] |= more
			}
			continue
		}
		set.add(rs.intern(inScript(w)))
	}
	rs.classes[name] = set
	return nil
}

// inScript is a pattern's word as scan gives it: letters of other scripts that look like Latin
// ones are those there.
func inScript(word string) string {
	var b strings.Builder
	for _, r := range word {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(fold(r))
		}
	}
	return b.String()
}

// pattern compiles the small pattern language that rules/self.yaml explains.
func (rs *ruleset) pattern(src string) (pattern, error) {
	p := pattern{source: src}
	for _, f := range strings.Fields(src) {
		var e element
		switch {
		case f == "^":
			e.kind = atStart
		case f == "$":
			e.kind = atEnd
		case (f[0] == '*' || f[0] == '+') && len(f) > 1:
			n, err := strconv.Atoi(f[1:])
			if err != nil || n < 1 || n > 12 {
				return p, fmt.Errorf("pattern %q: gap %q wants 1 to 12", src, f)
			}
			e.kind, e.max = gap, n
			if f[0] == '+' {
				e.min = 1
			}
		default:
			e.kind = oneWord
			if rest, ok := strings.CutPrefix(f, "!"); ok {
				e.kind, f = notNext, rest
			}
			f, e.optional = strings.CutSuffix(f, "?")
			for w := range strings.SplitSeq(f, "|") {
				if w == "$" && e.kind == oneWord {
					e.end = true
				} else if name, ok := strings.CutPrefix(w, "@"); ok {
					set, ok := rs.classes[name]
					if !ok {
						return p, fmt.Errorf("pattern %q: unknown class @%s", src, name)
					}
					for i, more := range set {
						for i >= len(e.words) {
							e.words = append(e.words, 0)
						}
						e.words[i] |= more
					}
				} else if name, ok := strings.CutPrefix(w, "#"); ok {
					id, ok := rs.phraseIDs[name]
					if !ok {
						return p, fmt.Errorf("pattern %q: unknown phrase #%s", src, name)
					}
					e.phrases = append(e.phrases, id)
				} else if w == "" {
					return p, fmt.Errorf("pattern %q: empty word", src)
				} else {
					e.words.add(rs.intern(inScript(w)))
				}
			}
		}
		p.elements = append(p.elements, e)
	}
	if !slices.ContainsFunc(p.elements, func(e element) bool { return e.kind == oneWord && !e.optional && !e.end }) {
		return p, fmt.Errorf("pattern %q: needs one word that must be there", src)
	}
	return p, nil
}
