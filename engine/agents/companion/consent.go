package companion

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/safety"
	"holdpoint/engine/session"
)

// allowed is a row of consent.yaml.
type allowed struct {
	Card             *bool  `yaml:"card"`
	Questions        string `yaml:"questions"`
	Advise           *bool  `yaml:"advise"`
	Research         *bool  `yaml:"research"`
	DynamicQuestions *bool  `yaml:"dynamic_questions"`
	Recall           *bool  `yaml:"recall"`
	Remember         *bool  `yaml:"remember"`
}

// consent is consent.yaml: what each scope allows, and from which age on a young person's own
// yes is enough, by region.
type consent struct {
	scopes map[string]allowed
	ownYes map[string]int
}

func readConsent(files fs.FS) (consent, error) {
	var none consent
	body, err := fs.ReadFile(files, "consent.yaml")
	if err != nil {
		return none, err
	}
	d := yaml.NewDecoder(strings.NewReader(string(body)))
	d.KnownFields(true)
	var file struct {
		Scopes map[string]allowed `yaml:"scopes"`
		OwnYes []struct {
			Region string `yaml:"region"`
			From   int    `yaml:"from"`
			Source string `yaml:"source"`
		} `yaml:"own_yes"`
	}
	if err := d.Decode(&file); err != nil {
		return none, fmt.Errorf("companion: consent.yaml: %w", err)
	}
	table, from := file.Scopes, map[string]int{}
	for _, own := range file.OwnYes {
		if _, twice := from[own.Region]; twice || own.Region != elsewhere && safety.RegionOf(own.Region).Code != own.Region || own.From < 13 || own.From > 18 || own.Source == "" {
			return none, fmt.Errorf("companion: consent.yaml: own_yes of %q is not whole", own.Region)
		}
		from[own.Region] = own.From
	}
	if from[elsewhere] == 0 {
		return none, fmt.Errorf("companion: consent.yaml: own_yes has no %s", elsewhere)
	}
	for _, scope := range session.Scopes() {
		a, ok := table[scope]
		if !ok || a.Card == nil || a.Advise == nil || a.Research == nil || a.DynamicQuestions == nil || a.Recall == nil || a.Remember == nil || a.Questions != "all" && a.Questions != "onboarding" {
			return none, fmt.Errorf("companion: consent.yaml: the scope %s is not whole", scope)
		}
	}
	if len(table) != len(session.Scopes()) {
		return none, fmt.Errorf("companion: consent.yaml has %d scopes; they are %s", len(table), strings.Join(session.Scopes(), ", "))
	}
	return consent{table, from}, nil
}

// standing is whether somebody's own yes is enough.
type standing int

const (
	ageUnsaid standing = iota
	nameless           // it is somebody new
	tooYoung
	enough
)

// ownYes says whether the yes of whom vars name is enough, of an age bracket in a region, and
// from which age on it is there. Only of young people it depends on either.
func (c *companion) ownYes(vars map[string]string, region, age string) (standing, int) {
	from, ok := c.consent.ownYes[region]
	if !ok {
		from = c.consent.ownYes[elsewhere]
	}
	if isNew(vars) {
		return nameless, from
	}
	if vars[audienceVar] != youngAudience {
		return enough, from
	}
	for _, x := range c.brackets() {
		if x.ID == age && x.From < from {
			return tooYoung, from
		} else if x.ID == age {
			return enough, from
		}
	}
	return ageUnsaid, from
}

// older says that an age is one that would let somebody agree who gave one in this session that
// does not. It is not taken: who is told that they are too young knows what to say. The list of
// what was told changes it, which is no slip of the tongue; a yes is then asked for anew.
func (c *companion) older(talk Conversation, vars map[string]string, region, age string) bool {
	had, _ := c.ownYes(vars, region, talk.age())
	has, _ := c.ownYes(vars, region, age)
	return had == tooYoung && has == enough
}

const saidAnew = "said anew in so many words"

// restate takes an age that a young person says anew, in any turn. It says whether there was one
// to take, and whether it is not taken for being an older one.
func (c *companion) restate(t *graph.Task, talk *Conversation) (heard, stays bool) {
	region, known := c.saidBy(t, *talk)
	i := slices.IndexFunc(c.questions[language(t)], func(q Question) bool { return q.ID == ageID })
	if t.Run.Vars[audienceVar] != youngAudience || i < 0 || known == "" && !talk.Doubted && !talk.Complete && !talk.Support {
		return false, false // a first answer is heard with the others
	}
	choice, words, what := c.questions[language(t)][i].restated(ChannelMessage.Get(t.State), known, t.Now())
	talk.Answers, talk.Asked, talk.Skipped = copied(talk.Answers), copied(talk.Asked), copied(talk.Skipped)
	own, _ := c.ownYes(t.Run.Vars, region, known)
	switch {
	case what == sameAge || what == noAge && own == tooYoung:
		return false, false
	case what == noAge:
		delete(talk.Answers, ageID)
		delete(talk.Asked, ageID)
		delete(talk.Skipped, ageID)
		talk.Doubted, talk.Yes = true, false
	case choice.ID == talk.age():
		return false, false
	case c.older(*talk, t.Run.Vars, region, choice.ID):
		return true, true
	default:
		talk.Answers[ageID] = Answer{Value: choice.ID, Quote: model.OneLine(words, 300), Reasoning: saidAnew, Confidence: 1, Turn: t.Run.Turn, From: fromMessage}
		talk.Doubted = false
	}
	return true, false
}

// brackets are the choices of the question for the age.
func (c *companion) brackets() []Choice {
	for _, q := range c.questions[languages[0]] {
		if q.ID == ageID {
			return q.Choices
		}
	}
	return nil
}

// answer is what a message says to the question for consent.
type answer int

const (
	noAnswer answer = iota
	unclear         // it begins like one and says more
	saidYes
	saidNo
)

// answered reads it, by lists of words: what a person agrees to is read by code, and only
// where they say it plainly. “Yes, but …” and “Yes, I am sad” say something else.
func answered(message, yes, no string) answer {
	sentence, rest := message, ""
	if at := strings.IndexAny(message, ".!\n"); at > 0 {
		sentence, rest = message[:at], plainWords(message[at:])
	}
	plain := func(list string) bool {
		n := 0
		for _, piece := range pieces(sentence) {
			// “non non” is a no
			if !oneOf(strings.Join(slices.Compact(strings.Fields(typed(piece))), " "), list) {
				return false
			}
			n++
		}
		return n > 0
	}
	first, _, _ := strings.Cut(rest, " ")
	doubt := strings.Contains(message, "?") || slices.Contains([]string{"but", "mais", "only", "seulement", "sauf", "except", "if", "si"}, first)
	switch {
	case plain(no) && !doubt:
		return saidNo
	case plain(yes) && !doubt:
		return saidYes
	}
	words := wordsIn(message)
	if len(begun(words, yes+","+no)) > 0 {
		return unclear
	}
	return noAnswer
}

// agrees says that a message is a yes that says to what, as “yes, you can remember this” does: it
// needs no question before it. “Actually, yes you can keep a summary” is one, too.
func agrees(message, yes, agree, asks, no string) bool {
	for words := wordsIn(message); ; {
		if answered(message, yes+agree, "") == saidYes && slices.ContainsFunc(pieces(message), func(piece string) bool { return oneOf(piece, agree) }) {
			return true
		}
		n := begun(words, asks)
		if len(n) == 0 || oneOf(strings.Join(words[:n[0]], " "), no) || strings.Contains(message, "?") {
			return false
		}
		words = words[n[0]:]
		message = strings.Join(words, " ")
	}
}

// relocate takes the country that somebody says they live in, whatever was asked, and back the one that they say they do
// not. before is the one that was known; only says that the message says nothing else.
func (c *companion) relocate(t *graph.Task, talk *Conversation) (heard, only bool, before string) {
	before, _ = c.saidBy(t, *talk)
	choice, part, only, ok := c.placeIn(ChannelMessage.Get(t.State), language(t), before)
	if left, alone := c.notThere(ChannelMessage.Get(t.State)); left != "" && !ok {
		talk.leave(left)
		return false, alone, before
	}
	if !ok || talk.Open == regionID && !talk.Complete && !talk.Support || choice.ID == before && !talk.Skipped[regionID] {
		return false, false, before // what was asked is heard with the other answers
	}
	talk.liveIn(choice, part, t.Run.Turn, before != "")
	return true, only, before
}

// liveIn puts the country that a message names in the place of what was known.
func (c *Conversation) liveIn(choice Choice, part, turn string, anew bool) {
	c.Answers, c.Skipped = copied(c.Answers), copied(c.Skipped)
	delete(c.Skipped, regionID)
	c.Left = ""
	why := "said in so many words"
	if anew {
		why = saidAnew
	}
	c.Answers[regionID] = Answer{Value: choice.ID, Quote: model.OneLine(part, 300), Reasoning: why, Confidence: 1, Turn: turn, From: fromMessage}
}

// leave takes back the country that somebody says they do not live in: it is asked for anew.
func (c *Conversation) leave(code string) {
	if c.Left = code; c.Answers[regionID].Value == code {
		c.Answers, c.Asked = copied(c.Answers), copied(c.Asked)
		delete(c.Answers, regionID)
		delete(c.Asked, regionID)
	}
}

// notThere is the country that a message says somebody does not live in, in any language of the agent; only says that it
// says nothing else.
func (c *companion) notThere(message string) (code string, only bool) {
	for _, l := range languages {
		for _, q := range c.questions[l] {
			if q.ID != regionID {
				continue
			}
			if code := q.notThere(message[:min(len(message), longestRight)]); code != "" {
				return code, q.onlyPlace(message)
			}
		}
	}
	return "", false
}

// placeIn finds the country that a message says somebody lives in, in any language of the agent; before is the one
// that was known.
func (c *companion) placeIn(message, language, before string) (choice Choice, part string, only, ok bool) {
	for _, l := range slices.Concat([]string{language}, languages) {
		for _, q := range c.questions[l] {
			if q.ID != regionID {
				continue
			}
			if choice, part, ok = q.place(message[:min(len(message), longestRight)], before != ""); ok {
				return choice, part, q.onlyPlace(message), true
			}
		}
	}
	return Choice{}, "", false, false
}

// only says that a message is nothing but phrases of a list, as “Bof, non. Merci” is.
func only(message, list string) bool {
	for _, sentence := range sentences(message) {
		// “non non non” is one
		if !oneOf(strings.Join(slices.Compact(strings.Fields(typed(sentence))), " "), list) {
			return false
		}
	}
	return true
}

// pieces are the parts of a sentence between commas.
func pieces(sentence string) []string {
	return strings.FieldsFunc(sentence, func(r rune) bool { return r == ',' || r == ';' })
}
