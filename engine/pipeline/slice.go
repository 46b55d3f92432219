package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"holdpoint/engine/model"
)

// Said keeps what the person said. It is the default slice: the agent's own replies
// change with every turn, and a tool that does not use them need not run because of
// them.
func Said(messages []model.Message) []model.Message {
	var out []model.Message
	for _, m := range messages {
		if m.Role == "user" {
			out = append(out, m)
		}
	}
	return out
}

// WithoutAcknowledgements leaves out what the person said merely to acknowledge
// ("ok, thanks"). A bare "ok" that answers a question is an answer and stays.
func WithoutAcknowledgements(messages []model.Message) []model.Message {
	out := make([]model.Message, 0, len(messages))
	asked := false // the agent's newest message asks something
	for _, m := range messages {
		switch m.Role {
		case "assistant":
			asked = strings.HasSuffix(strings.TrimSpace(m.Text), "?")
		case "user":
			ack, thanks := acknowledges(m.Text)
			if ack && (thanks || !asked) {
				continue
			}
			asked = false
		}
		out = append(out, m)
	}
	return out
}

// hashMessages names what is said in the messages: who said it, and the text without the
// blanks around it.
func hashMessages(messages []model.Message) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, m := range messages {
		// Strings encode without error and a hash takes every write.
		_ = enc.Encode([2]string{m.Role, strings.TrimSpace(m.Text)})
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// news says whether the person has said something since the slice with this hash that was
// not said in it: a word that carries meaning, a negation of one that was there, or an
// answer such as "yes". What only says again what is known is none, as is what the agent
// said. A slice that does not begin with the earlier one is news as a whole.
func news(earlier string, now []model.Message) bool {
	for n := len(now); n >= 0; n-- {
		if hashMessages(now[:n]) != earlier {
			continue
		}
		known := map[string]bool{}
		for _, m := range now[:n] {
			for _, w := range meant(m.Text) {
				known[w] = true
			}
		}
		for _, m := range now[n:] {
			if m.Role != "user" {
				continue
			}
			words := meant(m.Text)
			if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return !known[w] }) {
				return true
			}
		}
		return false
	}
	return true
}

// meant are the words of a text that carry meaning, in any script; what follows a negation
// comes with it.
func meant(text string) (out []string) {
	not := ""
	for _, w := range strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !unicode.Is(unicode.So, r) && r != '\''
	}) {
		w = strings.Trim(w, "'")
		switch {
		case negations[w] || strings.HasSuffix(w, "n't"):
			not = "not "
		case w != "" && !connecting[w]:
			out = append(out, not+w)
			not = ""
		}
	}
	if not != "" { // "no" alone is an answer
		out = append(out, not)
	}
	return out
}

// negations turn what follows around. Connecting words say nothing that an extraction
// could miss; a word of another language counts as one that says something.
var (
	negations  = wordSet("no not never none nothing nobody neither nor cannot without")
	connecting = wordSet("a an the and or but so if then than that this these those there here i me my mine myself you your yours he him his she her hers it its we us our they them their " +
		"am is are was were be been being do does did doing have has had having can could will would shall should may might must of in on at to for from by with about into onto as " +
		"what which who whom whose when where why how i'm i've i'd i'll you're it's that's what's there's said told again already also too just really very quite please well hello hi hey help")
)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// The phrases of a mere acknowledgement. "yes" and "no" are answers and not among them,
// nor are "fine", "good" and "right", which may say how somebody feels, or where. Tails
// count only after another phrase.
var (
	thanking = phrases("thanks", "thank you", "thank you kindly", "thx", "ty", "many thanks", "cheers", "much appreciated",
		"i appreciate it", "bye", "goodbye", "merci", "merci beaucoup", "merci bien", "au revoir", "🙏", "❤", "💙")
	noting = phrases("ok", "okay", "k", "kk", "alright", "all right", "got it", "i see", "understood", "noted",
		"makes sense", "that makes sense", "sounds good", "that sounds good", "great", "perfect", "that is fine",
		"that's fine", "nice", "cool", "awesome", "wonderful", "excellent", "good to know", "that helps", "that is helpful",
		"that's helpful", "d'accord", "compris", "👍", "👌", "✅", "🙂", "😊")
	tails = phrases("so much", "very much", "a lot", "for that", "for this", "for your help", "for the help", "then", "again", "all", "beaucoup")
)

func phrases(list ...string) [][]string {
	out := make([][]string, len(list))
	for i, p := range list {
		out[i] = strings.Fields(p)
	}
	slices.SortStableFunc(out, func(a, b []string) int { return len(b) - len(a) }) // the longest match first
	return out
}

// acknowledges says whether a text does nothing but acknowledge, and whether it
// thanks or says goodbye. Anything that it does not know is more than that.
func acknowledges(text string) (ack, thanks bool) {
	words, ok := plainWords(text)
	if !ok || len(words) == 0 || len(words) > 12 {
		return false, false
	}
	for first := true; len(words) > 0; first = false {
		if n := leading(words, thanking); n > 0 {
			words, thanks = words[n:], true
		} else if n := leading(words, noting); n > 0 {
			words = words[n:]
		} else if n := leading(words, tails); n > 0 && !first {
			words = words[n:]
		} else {
			return false, false
		}
	}
	return true, thanks
}

func leading(words []string, list [][]string) int {
	for _, p := range list {
		if len(words) >= len(p) && slices.Equal(words[:len(p)], p) {
			return len(p)
		}
	}
	return 0
}

// plainWords splits a text into lower-case words and single symbols. It refuses
// a question and every sign that carries meaning of its own.
func plainWords(text string) ([]string, bool) {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			b.WriteRune(unicode.ToLower(r))
		case r == '\'' || r == '’':
			b.WriteByte('\'')
		case unicode.IsSpace(r) || strings.ContainsRune(".,!;:-–—…", r):
			b.WriteByte(' ')
		case r == '\ufe0f' || r >= 0x1F3FB && r <= 0x1F3FF: // how an emoji is drawn, its skin tone
		case unicode.IsSymbol(r):
			b.WriteString(" " + string(r) + " ")
		default:
			return nil, false
		}
	}
	return strings.Fields(b.String()), true
}
