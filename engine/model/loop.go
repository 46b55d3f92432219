package model

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// When an answer goes round in circles. What people write on purpose stays: tables, addresses,
// lists of which each line differs, code, and poems with refrains.
const (
	// loopEvery is how much more text, in bytes, is written before it is looked at again.
	loopEvery = 64
	// loopBack is how much of its end is looked at, in bytes.
	loopBack = 6 << 10
	// partsBack is how much of its end is looked at for lines and sentences, in bytes.
	partsBack = 24 << 10
	// The same words, one time behind the other, are a circle from loopTimes on, if they take
	// loopLength bytes together; what has no letters, as rulers and dots, has sparseLength.
	loopTimes, loopLength, sparseLength = 6, 320, 1200
	// longestRound is the longest text that is looked for behind itself, in bytes.
	longestRound = 1024
	// staleParts lines or sentences of which each stood there staleTimes times before are one, too.
	staleParts, staleTimes = 10, 3
	// fewWords of fewOf words in a row are as well.
	fewWords, fewOf = 10, 160
)

// circles watches a text that a model writes, and finds out when it goes round in circles.
type circles struct {
	text strings.Builder
	seen int // bytes that were looked at
}

// add takes a piece; it says that the text goes round in circles.
func (c *circles) add(piece string) bool {
	c.text.WriteString(piece)
	// The longer it is, the longer it takes to look.
	if n := c.text.Len(); n-c.seen < max(loopEvery, min(n, partsBack)/32) {
		return false
	}
	c.seen = c.text.Len()
	return sensible(c.text.String()) < c.seen
}

// sensible is how much of a text comes before it goes round in circles, its first round
// included; the text's length where it does not.
func sensible(text string) int {
	from := lastBytes(text, loopBack)
	end := text[from:]
	if at := round(end); at < len(end) {
		return from + at
	}
	if few(end) || stale(text[lastBytes(text, partsBack):]) {
		return lastNew(text)
	}
	return len(text)
}

// lastBytes is where the last n bytes of a text begin, at a whole rune.
func lastBytes(text string, n int) int {
	from := max(len(text)-n, 0)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return from
}

// round is where the second of many rounds of the same words begins at the end of a text.
func round(text string) int {
	for n := 1; n <= min(longestRound, len(text)/loopTimes); n++ {
		same := 0
		for i := len(text) - 1; i >= n && text[i] == text[i-n]; i-- {
			same++
		}
		span, most := same+n, loopLength
		if span < loopTimes*n {
			continue
		}
		one := text[len(text)-n:]
		if !strings.ContainsFunc(one, unicode.IsLetter) {
			most = sparseLength
		}
		if inTable(one) {
			most *= 2
		}
		if span < most {
			continue
		}
		// The first round stays, to the end of its last sentence, or at least of a word.
		first := text[:len(text)-span+n]
		least := len(first) - n
		for _, at := range partEnds.FindAllStringIndex(text[least:len(first)+n], -1) {
			if least+at[1] >= len(first) {
				return least + at[1]
			}
		}
		if at := strings.LastIndexAny(first[least:], " \n\t"); at > 0 {
			return least + at
		}
		for len(first) > 0 && !utf8.ValidString(first[least:]) && least < len(first) {
			first = first[:len(first)-1]
		}
		return len(first)
	}
	return len(text)
}

// inTable says that a text is a row of a table.
func inTable(text string) bool { return strings.Count(text, "|") > 1 }

// partEnds is where a line, a sentence or a text in a list ends, also while it is JSON.
var partEnds = regexp.MustCompile(`\n+|(?:\\n)+|[.!?…;]["')»”*]*[ \t]+|",\s*"|[}\]],\s*`)

// listMark is what a line of a list begins with.
var listMark = regexp.MustCompile(`^[\s>*#_"{\[•–-]*(?:\(?\d{1,4}[.):]|[a-zA-Z][.)])?[\s*_"•–-]*`)

// leastPart is the shortest line or sentence that tells something, in letters.
const leastPart = 8

// parts are the lines and sentences of a text that tell something, as they are compared, with
// where each ends.
func parts(text string) (said []string, ends []int) {
	add := func(from, to int) {
		part := strings.ToLower(strings.TrimSpace(text[from:to]))
		part = strings.TrimRight(part[len(listMark.FindString(part)):], " .!?…;,\"'*_}]\\n")
		letters := 0
		for _, r := range part {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		if letters >= leastPart {
			said, ends = append(said, strings.Join(strings.Fields(part), " ")), append(ends, to)
		}
	}
	from := 0
	for _, at := range partEnds.FindAllStringIndex(text, -1) {
		add(from, at[1])
		from = at[1]
	}
	return said, ends // the last one is not whole
}

// stale says that nothing of the last lines or sentences is new, nor said a second time or a third.
func stale(text string) bool {
	said, _ := parts(text)
	if len(said) < staleParts {
		return false
	}
	times := map[string]int{}
	inRow := 0
	for _, part := range said {
		if times[part] >= staleTimes {
			inRow++
		} else {
			inRow = 0
		}
		times[part]++
	}
	return inRow >= staleParts
}

// lastNew is where the last line or sentence ends that had not been said before.
func lastNew(text string) int {
	said, ends := parts(text)
	seen, at := map[string]bool{}, 0
	for i, part := range said {
		if !seen[part] {
			seen[part], at = true, ends[i]
		}
	}
	if at == 0 { // one sentence without an end
		at = len(Shorten(text, loopLength/4))
		at = max(strings.LastIndexByte(text[:min(at, len(text))], ' '), 0)
	}
	return at
}

// circling makes the answer of a model that said the same again and again: what was sensible, where
// it is a text. of is all that it wrote, in so many pieces, said what of that was a reply.
func (r Response) circling(pieces int, of string, asked Request, said string, acts bool) (Response, error) {
	r.Usage.OutputTokens = pieces
	if !acts && asked.Format == nil {
		said = of
	}
	n := sensible(said)
	if n == len(said) { // written down in JSON it was longer
		n = lastNew(said)
	}
	if r.Message.Text = strings.TrimSpace(said[:n]); r.Message.Text == "" || asked.Format != nil {
		return r, fmt.Errorf("%w: chat: the model wrote the same again and again", ErrUnusable)
	}
	r.Cut, r.Repeats = true, true
	return r, nil
}

var loopWords = regexp.MustCompile(`[\pL\pN]+`)

// few says that a text ends with many words that are always the same few. Figures alone are none.
func few(text string) bool {
	words := loopWords.FindAllString(strings.ToLower(text), -1)
	if len(words) < fewOf {
		return false
	}
	distinct, figures := map[string]bool{}, 0
	for _, w := range words[len(words)-fewOf:] {
		distinct[w] = true
		if !strings.ContainsFunc(w, unicode.IsLetter) {
			figures++
		}
	}
	return len(distinct) <= fewWords && figures < fewOf/2
}
