package turn

import (
	"slices"
	"strings"

	"holdpoint/engine/lazyregexp"
)

// Of what may be no answer nothing is shown while it is written. A sentence is shown word by word once it
// has someWords and nothing that one about the model's own answer, or a recital of its instructions, begins with;
// another one when it is whole and known to be none. What waits to the end is shown with the whole message.
const (
	someWords = 6
	// rowBegun is how many words in a row of the instructions may become a recital.
	rowBegun = recited - 1
	// longUnspaced is how much of a language without blanks counts as some words, in bytes; lookedAt is how much of
	// a sentence's end is looked at again with each piece.
	longUnspaced, lookedAt = 60, 160
)

// heldBack is a stream of what a model writes, as far as it is for people.
type heldBack struct {
	p     Spoken
	write func(string)
	// may are what the asides begin with that this person did not ask for.
	may []*lazyregexp.Regexp
	// data says that what is for machines is left out.
	data bool
	// kept are whole sentences that are not shown yet, said is the one under way, of which the first shown bytes are.
	kept, said string
	shown      int
	open       bool
	// over says that a query or a program began, and nothing more is shown before the whole.
	over bool
	// words of the whole sentences, and those of asides among them; begun says that some were known.
	words, aside int
	begun        bool
}

// hold is the writer that a stream goes through where the whole is judged as well.
func (p Spoken) hold(write func(string)) func(string) {
	if !p.judges {
		return write
	}
	h := &heldBack{p: p, write: write, data: !p.wantsMachines()}
	for _, a := range asides {
		if !a.unless.MatchString(p.asked) && (a.given == nil || !a.given.MatchString(p.given)) {
			h.may = append(h.may, a.may)
		}
	}
	return h.add
}

func (h *heldBack) add(piece string) {
	if h.over {
		return
	}
	h.said += piece
	if text := h.kept + h.said; programText.MatchString(text) || code.MatchString(text) || h.data && machineSign.MatchString(text) {
		h.over = true
		return
	} else if programMay.MatchString(text) || h.data && h.kept == "" && machineMay.MatchString(text) {
		return
	}
	for {
		at := endOfSentence.FindStringIndex(h.said)
		if at == nil {
			break
		}
		h.end(at[1])
	}
	if !h.open {
		h.open = (h.kept == "" || h.aside == 0) && h.some() && !h.suspect(rowBegun, len(h.said))
	} else if h.suspect(recited, lookedAt) {
		h.open = false
	}
	if !h.open {
		return
	}
	// The last word is not whole.
	end := strings.LastIndexAny(h.said, " \t\u00a0") + 1
	if end < len(h.said)-longUnspaced {
		end = len(h.said)
	}
	h.show(end)
}

// end counts a sentence that is whole, and shows it with what waits before it where all of that may be an answer.
func (h *heldBack) end(n int) {
	sentence := plainly(h.said[:n])
	words := tokens.FindAllString(sentence, -1)
	h.words += len(words)
	if h.p.aside(sentence) {
		h.aside += len(words)
	}
	h.begun = h.begun || h.p.hasWords(sentence, words)
	if left := h.words - h.aside; h.begun && left > fewLeft && float64(h.aside) < mostAside*float64(h.words) {
		h.show(n)
	}
	h.kept += h.said[h.shown:n]
	h.said, h.shown, h.open = h.said[n:], 0, false
}

// show passes on what waits, and the sentence under way up to n.
func (h *heldBack) show(n int) {
	if text := h.kept + h.said[min(h.shown, n):n]; text != "" {
		h.write(text)
	}
	h.kept, h.shown = "", max(h.shown, n)
}

// some says that of the sentence under way there is enough to tell what it begins.
func (h *heldBack) some() bool {
	whole := h.said[:strings.LastIndexAny(h.said, " \t\u00a0")+1]
	text := plainly(whole)
	if words := tokens.FindAllString(text, -1); len(words) >= someWords {
		return h.begun || h.p.hasWords(text, words)
	}
	text = plainly(h.said)
	return len(h.said) > longUnspaced && (h.begun || h.p.hasWords(text, tokens.FindAllString(text, -1)))
}

// suspect says that the sentence under way may become no answer: the end of it has a row of the model's
// instructions, or what an aside begins with.
func (h *heldBack) suspect(row, bytes int) bool {
	from := max(len(h.said)-bytes, 0)
	for from > 0 && h.said[from]&0xC0 == 0x80 {
		from--
	}
	text := plainly(h.said[from:])
	if slices.ContainsFunc(h.may, func(r *lazyregexp.Regexp) bool { return r.MatchString(text) }) {
		return true
	}
	if aboutIt.MatchString(h.p.asked) {
		return false
	}
	words := tokens.FindAllString(text, -1)
	begin := 0
	if h.open {
		begin = max(len(words)-row-1, 0) // those before were looked at
	}
	for i := begin; i+row <= len(words); i++ {
		if r := strings.Join(words[i:i+row], " "); h.p.told(r) {
			return true
		}
	}
	return false
}
