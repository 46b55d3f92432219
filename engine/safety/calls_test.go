package safety

import "testing"

// "A patient rang me from a roof, and it asked me whether I was safe." Who tells of somebody at an edge, or of
// somebody who says goodbye and gathers medicines, is told what to do now.
func TestAssess_WhoCallsFromAnEdgeAndWhoGathersAfterAGoodbyeIsHeard(t *testing.T) {
	for _, text := range []string{
		"my patient is ringing me from a car park roof", "one of my patients just rang from a bridge", "Client is calling me from the top of a multi-storey",
		"A customer said goodbye to us all and then asked for three months of amitriptyline", "A customer of mine is hoarding three months of amitriptyline after saying goodbye to the staff",
		"A regular at my pharmacy hugged me goodbye and wants three months of amitriptyline at once", "My resident says goodbye and stockpiles her sleeping tablets",
	} {
		if a := Offline.Assess(text); a.Level != Intervene || a.Speaker == Self {
			t.Errorf("%q: %s of %s", text, a.Level, a.Speaker)
		}
	}
	for _, text := range []string{"my patient rang from a bridge club about his appointment", "my client is calling me from the roof terrace about the contract",
		"A man asked for three months of amitriptyline because he is moving abroad, and said goodbye", "A customer said goodbye and asked about her amitriptyline dose"} {
		if a := Offline.Assess(text); a.Level == Intervene {
			t.Errorf("%q: %s", text, a.Level)
		}
	}
}

// "I told it what I think of at the wheel, and it gave me tips for the road."
func TestAssess_WhatSomebodyHopesForAtTheWheelIsHeard(t *testing.T) {
	for _, text := range []string{"Je roule souvent vite exprès, en me disant que le platane réglerait tout", "Quand je conduis je fixe les arbres en pensant que ça arrangerait tout",
		"Parfois j'accélère dans les virages en espérant que le mur en finisse pour moi", "I drive fast on purpose and tell myself a tree would solve it all",
		"I sometimes speed on purpose thinking the lamp post would sort everything out", "od'd on my mums sleepers, feel proper weird", "OD'd on my dads heart tablets",
		"i am going to swallow all my sertraline tonight"} {
		if a := Offline.Assess(text); a.Level != Intervene {
			t.Errorf("%q: %s", text, a.Level)
		}
	}
	harmless(t, Offline, []string{"Je roule souvent vite, et j'ai peur du platane au virage", "I am going to take 2 tablets", "I overdosed on chocolate"})
}

// "My driving licence had my funeral director waiting, and it gave me a helpline." Trades, lessons and songs.
func TestAssess_FuneralTradesLessonsAndSongsAreNoSign(t *testing.T) {
	c := withMeaning(t)
	for _, text := range []string{"It's my funeral director's licence that needs the medical certificate", "I teach a course on overdose prevention and need a list of providers",
		"My brother strangled the last note of that song", "I run overdose awareness training for pharmacists", "Her uncle strangled the last verse of the carol", "My funeral business needs a new van"} {
		if a := c.Assess(text); a.Level == Intervene {
			t.Errorf("%q: %s", text, a.Level)
		}
	}
	if a := c.Assess("he strangled my sister"); a.Level != Intervene {
		t.Error(a.Level)
	}
}
