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
// them. A mere agreement says nothing to who does not read what it agrees to.
func Said(messages []model.Message) []model.Message {
	var out []model.Message
	for _, m := range messages {
		if ack, _ := acknowledges(m.Text); m.Role == "user" && !ack {
			out = append(out, m)
		}
	}
	return out
}

// WithoutAcknowledgements leaves out what the person said merely to acknowledge
// ("ok, thanks"). An agreement to a question is an answer and stays: "ok", "yes, thanks".
func WithoutAcknowledgements(messages []model.Message) []model.Message {
	out := make([]model.Message, 0, len(messages))
	asked := false // the agent's newest message asks something
	for _, m := range messages {
		switch m.Role {
		case "assistant":
			asked = strings.HasSuffix(strings.TrimSpace(m.Text), "?")
		case "user":
			c, _ := courtesyOf(m.Text)
			if c.acknowledges && (!asked || c.thanks && !c.answers) {
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
// answer such as "yes". What only says again what is known is none, as is an
// acknowledgement and what the agent said. A slice that does not begin with the earlier one is news as a whole.
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
			if ack, _ := acknowledges(m.Text); ack || m.Role != "user" {
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
