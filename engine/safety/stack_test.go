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

// "I wrote that I qualified as a nurse ten years after an overdose, and it asked whether I was safe." Where words and meaning
// plainly contradict what the rules are not sure of, nothing is asked; a danger stays one.
func TestAssess_WordsAndMeaningContradictWeakRules(t *testing.T) {
	c := withMeaning(t)
	harmless(t, c, []string{
		"Patient is a 54 year old man, long history of depression, two admissions in the nineties, nothing since. Stable on venlafaxine for six years, works full time, no thoughts of suicide. Please draft the annual review letter to his GP.",
		"I'm dead on my feet after four nights in a row, can someone swap Sunday?", "I want to jump ship, this company is going under", "my phones on 2% gonna die any sec, ring the landline", "nearly choked on my tea when i saw the gas bill",
		"service user rang from the bridge club about the minibus",
	})
	for _, text := range []string{
		"I'm a GP. A farmer I've known for years came in about his knee and as he left he said thank you for everything and that I'd not see him at the winter clinic. He has four shotguns and his wife left in June.",
		"I've been through the house with labels so that nobody has to argue over what goes to whom. I've paid the funeral plan. After that they'll be fine without me, I'm certain. On Sunday I drove to the coast and sat facing the edge.",
		"The invoice for March is wrong, the printer is broken again and the rota has me on nights. Also I want to die and I have the tablets here. Can you send me the corrected invoice by Friday, please, with the VAT number?",
		"j'ai pris 40 dafalgan ce midi, je dois quand même envoyer le compte rendu de la réunion, pouvez-vous me relire la page deux et corriger les fautes avant ce soir s'il vous plaît",
	} {
		if a := c.Assess(text); a.Level == Calm {
			t.Errorf("%q: nothing: %v", text, a.Tiers)
		}
	}
}
