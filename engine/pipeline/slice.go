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

func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// The phrases of a mere acknowledgement. "yes" and "no" are answers and not among them,
// nor are "fine", "good" and "right", which may say how somebody feels, or where. Tails
// count only after another phrase.
var (
	thanking = phrases("thanks", "thank you", "thank you kindly", "thx", "ty", "many thanks", "cheers", "much appreciated",
		"i appreciate it", "bye", "goodbye", "merci", "merci beaucoup", "🙏", "❤", "💙")
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
