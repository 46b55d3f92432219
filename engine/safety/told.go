package safety

import (
	"errors"
	"slices"
	"sync"
)

// wholeRules are the phrases that say what a message as a whole tells: that something is done, who is hurt, what is in
// somebody's body, what is ordinary in it. They weigh nothing by themselves.
var wholeRules = sync.OnceValue(func() *ruleset { return mustCompile(rulesFS, "rules/told") })

// telling is what a message tells.
type telling struct{ *reading }

// tellsOf reads what a message tells. A phrase may go on over the end of a sentence: those in distress put it anywhere.
func tellsOf(text string) telling {
	tokens := wholeRules().scan(text)
	for i := range tokens {
		tokens[i].sentence = 0
	}
	return telling{wholeRules().read(tokens)}
}

// of says that the phrase of this name is told.
func (t telling) of(phrase string) bool { return t.has[t.rules.phraseIDs[phrase]] > 0 }

// except is what is told by the words that stand in no phrase of this name.
func (t telling) except(phrase string) telling {
	id := t.rules.phraseIDs[phrase]
	if t.has[id] == 0 {
		return t
	}
	var left []token
	to := 0
	for i, word := range t.tokens {
		for _, s := range t.phrases[i] {
			if s.phrase == id {
				to = max(to, s.to)
			}
		}
		if i >= to {
			left = append(left, word)
		}
	}
	return telling{t.rules.read(left)}
}

// exceptAll is except for several.
func (t telling) exceptAll(phrases []string) telling {
	for _, phrase := range phrases {
		t = t.except(phrase)
	}
	return t
}

// ordinary is an everyday message that has the words of danger: it asks for no more than a level.
type ordinary struct {
	ID      string   `yaml:"id"`
	Reason  string   `yaml:"reason"`
	Level   Level    `yaml:"level"`
	Beside  []string `yaml:"beside"`  // phrases that it has, all of them
	Without []string `yaml:"without"` // and none of these
	// Alone says that it has no other words than those of its phrases.
	Alone bool `yaml:"alone"`

	beside, without []int
}

func (o *ordinary) compile(rs *ruleset) (err error) {
	if o.ID == "" || o.Reason == "" || len(o.Beside) == 0 || o.Level.rank() < 0 || o.Level == Intervene {
		return errors.New("it needs id, reason, beside and a level below an intervention")
	}
	if o.beside, err = rs.phraseNumbers(o.Beside); err == nil {
		o.without, err = rs.phraseNumbers(o.Without)
	}
	return err
}

// mostOrdinary is how many words a message has that is read for what is ordinary in it, though it has the words of danger.
const mostOrdinary = 30

// ordinarily is the most that a message asks for which has the words of danger and is an everyday one.
func ordinarily(text string) Level {
	most := Intervene
	if wordsOf(text, mostOrdinary) > mostOrdinary {
		return most
	}
	t := tellsOf(text)
	said := func(phrase int) bool { return t.has[phrase] > 0 }
	for _, o := range t.rules.ordinary {
		if o.Level.rank() >= most.rank() || slices.ContainsFunc(o.without, said) || slices.ContainsFunc(o.beside, func(phrase int) bool { return !said(phrase) }) {
			continue
		}
		if !o.Alone || len(t.exceptAll(o.Beside).tokens) == 0 {
			most = o.Level
		}
	}
	return most
}
