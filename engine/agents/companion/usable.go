package companion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"holdpoint/engine/graph"
	tongue "holdpoint/engine/language"
	"holdpoint/engine/model"
	"holdpoint/engine/turn"
)

// Bounds of what a model may write. They are wide: a small model stumbles, and is read all the
// same; what passes none of them is no answer to anybody.
const (
	// fewWords say nothing of how they are written, and are no advice; fewer than someWords nothing of what they are about.
	fewWords, someWords = 8, 12
	// leastSaid is with how many words, between blanks, an answer says something.
	leastSaid = 2
	// leastTold is with how many words a summary begins to tell something.
	leastTold = 3
	// mostSame is the share of groups of three words that were there before.
	mostSame = 0.4
	// inARow is how often a word or a sentence stands there.
	inARow = 4
	// leastCommon is the share of words that stand in nearly every sentence of a language: French
	// and English have over a third.
	leastCommon = 0.12
	// recited is how many words in a row of its own instructions a model repeats.
	recited = 9
	// longNumber is how many digits a number to call has, and no year or time.
	longNumber = 6
	// stem is how much of a word is compared, in characters.
	stem = 5
)

// unusable says why what a model wrote is no answer, by what code can see of it; nil where it may
// be one. told is what it was to go by, "" where any answer may be one, as to a greeting; instructions what it was told to do, numbers where those to
// call may come from beside both.
func unusable(said, language, told, instructions, numbers string) error {
	words := tokens(said)
	if len(words) == 0 {
		return errors.New("it has no words")
	}
	if l := tongue.Other(words, language); l != "" {
		return fmt.Errorf("it is in another language (%s)", l)
	}
	if turn.MadeUpNumber(said, told+" "+instructions+" "+numbers, longNumber) != "" {
		return errors.New("it names a number that nobody gave it")
	}
	for i, run := 1, 1; i < len(words); i++ {
		if run++; words[i] != words[i-1] {
			run = 1
		}
		if run >= inARow {
			return errors.New("it says a word over and over")
		}
	}
	if len(words) < fewWords {
		return nil
	}
	common := 0
	for _, w := range words {
		if tongue.Common(language, w) {
			common++
		}
	}
	if float64(common) < leastCommon*float64(len(words)) {
		return errors.New("it has no sentences of its language")
	}
	if same := repeated(words); same > mostSame {
		return fmt.Errorf("it repeats itself (%.0f %%)", 100*same)
	}
	if recites(words, tokens(instructions)) {
		return errors.New("it recites its instructions")
	}
	if len(words) >= someWords && !related(words, language, told) {
		return errors.New("it has nothing to do with what was said")
	}
	return nil
}

// tokens are the words of a text, in small letters.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// repeated is the share of groups of three words that stood there before.
func repeated(words []string) float64 {
	seen, again := map[string]bool{}, 0
	for i := 0; i+3 <= len(words); i++ {
		group := strings.Join(words[i:i+3], " ")
		if seen[group] {
			again++
		}
		seen[group] = true
	}
	return float64(again) / float64(max(1, len(words)-2))
}

func recites(words, instructions []string) bool {
	known := map[string]bool{}
	for i := 0; i+recited <= len(instructions); i++ {
		known[strings.Join(instructions[i:i+recited], " ")] = true
	}
	for i := 0; i+recited <= len(words); i++ {
		if known[strings.Join(words[i:i+recited], " ")] {
			return true
		}
	}
	return false
}

// related says that some longer word is one that was given, by its beginning.
func related(words []string, language, told string) bool {
	given := stems(tokens(told), language)
	if len(given) == 0 {
		return true
	}
	for s := range stems(words, language) {
		if given[s] {
			return true
		}
	}
	return false
}

func stems(words []string, language string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		if w = plainWords(w); utf8.RuneCountInString(w) >= stem && !tongue.Common(language, w) {
			out[string([]rune(w)[:stem])] = true
		}
	}
	return out
}

// toldOf is what advice or a summary has to do with: what is known, what the person said, what
// was found.
func toldOf(t *graph.Task, talk Conversation, more string) string {
	parts := []string{talk.Summary, earlierOf(t), ChannelMessage.Get(t.State), more}
	for _, a := range talk.Answers {
		parts = append(parts, a.Value, a.Quote)
	}
	for _, s := range talk.Sources {
		parts = append(parts, s.Title, s.Text)
	}
	for _, m := range latest(ChannelHistory.Get(t.State)) {
		if m.Role == "user" {
			parts = append(parts, m.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// outspoken are the nodes whose instructions a model may recite.
var outspoken = []graph.StageID{AskForContext, GiveAdvice, OngoingSupport, Summarize}

// useless says that a model's answer cannot be used, and tells the trace why.
func (c *companion) useless(t *graph.Task, r *graph.Result, node graph.StageID, talk Conversation, said, more, numbers string) (bool, error) {
	instructions := ""
	for _, id := range outspoken {
		compiled, err := c.compile(t, id, true)
		if err != nil {
			return false, err
		}
		instructions += compiled.Prompt() + "\n"
	}
	told := ""
	if node == GiveAdvice || node == Summarize {
		told = toldOf(t, talk, more)
	}
	why := unusable(said, language(t), told, instructions, ChannelMessage.Get(t.State)+" "+more+" "+numbers)
	switch {
	case node == Summarize && len(tokens(said)) < leastTold:
		why = errors.New("it is too short to tell anything")
	case node == GiveAdvice && len(tokens(said)) < fewWords:
		why = errors.New("it is too short to be advice")
	case len(strings.Fields(said)) < leastSaid: // “dont-ce-pas-en-cabinet”
		why = errors.New("it is no sentence")
	case why == nil && (turn.Spoken{}).For(ChannelMessage.Get(t.State), told+more).Plain(said) == "":
		why = errors.New("it is about its own answer")
	}
	if why != nil {
		warn(r, "what the model wrote cannot be used: %v", why)
	}
	return why != nil, nil
}

// mostQuoted is how many passages stand in the place of an answer.
const mostQuoted = 2

// quoted are passages in the place of a model's words, as a person reads them: those that were
// found, else those nearest to what was said. There may be none.
func (c *companion) quoted(ctx context.Context, t *graph.Task, talk Conversation, found []passage) (string, []passage, error) {
	if len(found) == 0 && *c.consent.scopes[ChannelScope.Get(t.State)].Research {
		d, err := turn.DependenciesOf(t)
		if err != nil {
			return "", nil, err
		}
		topics := []string{model.OneLine(ChannelMessage.Get(t.State), 300)}
		for _, q := range c.questions[language(t)] {
			if a, ok := talk.Answers[q.ID]; ok && q.Choices == nil {
				topics = append(topics, model.OneLine(a.Value, 300))
			}
		}
		if found, _, err = c.search(ctx, t, d, topics[:min(len(topics), mostQueries)]); err != nil {
			return "", nil, err
		}
		found = slices.DeleteFunc(found, func(p passage) bool { return p.near < leastNear })
		for i := range found {
			found[i].ID = fmt.Sprintf("S%d", i+1)
		}
	}
	found = found[:min(len(found), mostQuoted)]
	if len(found) == 0 {
		return "", nil, nil
	}
	said, err := c.say(t, "advice_quoted")
	for _, p := range found {
		name := "quoted_passage"
		if p.Document == "" { // what comes with the agent is in no source's words
			name = "quoted_summary"
		}
		words, failed := c.say(t, name, "title", p.Title, "text", p.Text, "id", p.ID, "source", p.Source)
		if failed != nil {
			err = failed
		}
		said = joined(said, words)
	}
	return said, found, err
}

// leastNear is how near a passage is that has anything to do with what was said, by words or by
// meaning.
const leastNear = 0.2
