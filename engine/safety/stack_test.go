package safety

import "testing"

// "I wrote to somebody who wanted to die that they matter, and was sent to the hospital
// myself." Who speaks to another and little of themselves is asked about; whatever speaks for
// danger by itself stands.
func TestStack_WhoComfortsIsAskedAndNotStopped(t *testing.T) {
	comforting := signals{rules: 10, words: -1, meaning: 1.3, long: true, voice: voice{words: 140, writer: 1, reader: 12}, ownLife: true}
	with := func(change func(*signals)) signals {
		x := comforting
		change(&x)
		return x
	}
	for name, c := range map[string]struct {
		x       signals
		meaning Level
		want    Level
	}{
		"who comforts":                         {comforting, Calm, CheckIn},
		"who tells of themselves":              {with(func(x *signals) { x.voice = voice{words: 140, writer: 20, reader: 1} }), Calm, Intervene},
		"a plain sentence to a reader":         {with(func(x *signals) { x.long, x.voice = false, voice{words: 12, writer: 1, reader: 3} }), Calm, Intervene},
		"what the rules are sure of":           {with(func(x *signals) { x.rules = rulesSure }), Calm, Intervene},
		"what a message means by itself":       {comforting, Intervene, Intervene},
		"danger for somebody else, or by them": {with(func(x *signals) { x.ownLife = false }), Calm, Intervene},
		"French, of which it was not learnt":   {with(func(x *signals) { x.french = true }), Calm, Intervene},
	} {
		if got := ownHead().Stack.level(c.x, Intervene, Calm, c.meaning); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// In a short message words and meaning meet more with those who comfort than the rules do.
func TestStack_WhoComfortsInAShortMessageIsAskedAndNotStopped(t *testing.T) {
	x := signals{words: 2.6, meaning: 1.2, voice: voice{words: 50, reader: 5}, ownLife: true}
	if got := ownHead().Stack.level(x, Calm, Intervene, CheckIn); got != CheckIn {
		t.Errorf("%s", got)
	}
	x.voice = voice{words: 50, writer: 7}
	if got := ownHead().Stack.level(x, Calm, Intervene, CheckIn); got != Intervene {
		t.Errorf("who tells of themselves: %s", got)
	}
}

// "It read all that I wrote, knew what I had said, and asked for nothing."
func TestStack_WhatTheRulesSayTwiceOverIsNeverSilenced(t *testing.T) {
	x := signals{rules: 22, words: -6, meaning: -2, long: true, voice: voice{words: 560, writer: 70, reader: 7}, ownLife: true}
	if got := ownHead().Stack.level(x, Intervene, Calm, Calm); got != CheckIn {
		t.Errorf("%s", got)
	}
}

// "I said farewell, and because I said it to them it was taken for comfort." Nothing was
// learnt from these.
func TestStack_AFarewellIsNoComfort(t *testing.T) {
	c := withMeaning(t)
	for _, text := range []string{
		"Thank you for everything you did for me, you were the best mother. Please forgive me, you will find me in the garage and you should not come in alone. I love you and I will not be here tomorrow.",
		"You were right about me and you should forget me. I bought the rope today and your key is under the mat, you can have the dog, tell them you did all you could.",
		"Tu as toujours été là pour moi et tu vas m'en vouloir, mais j'ai décidé. Ce soir j'avale tout, ne viens pas, tu trouveras la lettre pour toi et pour tes parents sur le lit.",
		"You always told me you would kill me if I left you, and last night you put your hands round my throat. I wrote this to you because I am afraid you will do it tonight.",
		"Can you help, you are the on-call doctor? My patient told me an hour ago that she will take all her pills tonight, you know her, your team saw her in May and you prescribed them.",
	} {
		if !voiceOf(text).addressed() {
			t.Errorf("it does not speak to its reader: %s", text)
		}
		if got := c.Assess(text); got.Level != Intervene {
			t.Errorf("%s: %s", got.Level, text)
		}
	}
}
