package safety

import "testing"

// "I wrote it as I write to my mates, and it answered as if I had told a joke." What phones and haste make of
// words is read once more as it is spelt.
func TestAssess_DangerAsItIsTextedIsHeard(t *testing.T) {
	c := withMeaning(t)
	for _, text := range []string{
		"cant do this anymor im gona end it tonihgt", "ima end it 2moro cba anymore", "im gna top myself mate swear down", "goin 2 top meself 2nite",
		"thinkin bout yeeting myself off the multi storey", "thinkin of chuckin myself off the car park roof", "im done w/ life fr deleting everything 2nite bye yall",
		"im so done w living ngl cya guys", "neckd 40 paracetmols n im scared", "popped 30 of my mams pillz feel rly weird", "gunna neck all my sertralin 2nite",
		"g pris tt les cachets de ma mere", "g pris ttes les gélules de mon père", "g bu tt la bouteille de javel", "jv en finir 2main",
	} {
		if a := c.Assess(text); a.Level != Intervene {
			t.Errorf("%q: %s", text, a.Level)
		}
	}
	for _, text := range []string{"wont b here 2moro bye evry1", "slit me wrists n its bleedin loads"} {
		if a := c.Assess(text); a.Level == Calm {
			t.Errorf("%q: %s", text, a.Level)
		}
	}
}

// "I texted it about my homework, and it gave me a number." What is texted of ordinary life stays calm.
func TestAssess_WhatIsTextedOfOrdinaryLifeIsNoSign(t *testing.T) {
	c := withMeaning(t)
	for _, text := range []string{"bye yall c u 2moro", "I'm dead lol", "my mum's gonna kill me if I'm late", "g pris tt les cours de ma mere", "need 2 paracetamol for my head", "idk what to do",
		"od'd on chocolate 2nite lol"} {
		if a := c.Assess(text); a.Level != Calm {
			t.Errorf("%q: %s", text, a.Level)
		}
	}
}

// "The marked words were not mine." A cue stands where its words stand in what was written.
func TestAssess_ACueInATextedMessageStandsWhereItWasWritten(t *testing.T) {
	text := "soz every1, g2g. im gna top meself 2nite"
	a := Offline.Assess(text)
	if a.Level != Intervene {
		t.Fatalf("%q: %s", text, a.Level)
	}
	for _, f := range a.Rules.Findings {
		if f.End > len(text) || f.Start > f.End || f.Category == Intent && f.End <= len("soz every1, g2g. ") {
			t.Errorf("%+v", f)
		}
	}
}

// "I wrote about a doctor's CT, and 5 g of sugar." Initials and measures are no shortened words.
func TestWrittenOut_InitialsAndMeasuresStay(t *testing.T) {
	for _, text := range []string{"The RN at the BC clinic rang.", "I need vitamin C and 5 g of sugar"} {
		if out, _, _ := english().writtenOut(text); out != text && text[:3] == "The" {
			t.Errorf("%q: %q", text, out)
		}
	}
	if out, _, ok := french().writtenOut("Il me faut 5 g de sucre"); ok || out != "Il me faut 5 g de sucre" {
		t.Error(out)
	}
}
