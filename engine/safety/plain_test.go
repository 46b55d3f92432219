package safety

import "testing"

// "I wrote «j'ai envie d'en finir avec la vie», and it asked me how long this has been going on."
func TestPlain_WhatComesToMindFirstIsHeard(t *testing.T) {
	for _, text := range []string{
		"j'ai envie d'en finir avec la vie", "j'ai décidé d'en finir", "je pense à la mort tout le temps", "j'en ai marre de la vie", "la vie ne vaut plus la peine d'être vécue",
		"ça sert à rien de vivre", "j'ai des idées noires", "je suis un poids pour tout le monde", "ce soir je passe à l'acte", "j'ai fait une TS le mois dernier", "jveux pu vivre",
		"je me fais du mal", "j'ai envie de me couper", "jme suis coupé", "je suis suicidaire",
		"je vais tuer ma mère", "je vais tuer quelqu'un", "je veux tuer ma prof",
		"ma mère me prive de nourriture", "mon entraîneur m'a agressé sexuellement",
		"mon patient parle d'en finir", "ma mère dit qu'elle va se foutre en l'air", "ma meilleure amie se coupe", "ma fille dit que papi la touche", "je crois que le voisin bat ses enfants",
		"mon fils a mangé de la mort aux rats",
		"I wish I wouldn't wake up", "I can't go on", "he raped me", "I get hit at home", "my mum doesn't give me food", "I feel like killing my sister", "been sh-ing again",
		"my son says he wants to end it", "my husband talks about killing himself", "my mate said hes gonna jump", "my son hears voices", "He sent me a goodbye text and isn't answering",
		"I think my neighbour is hitting his kids",
	} {
		if v := Check(text); v.Score < rulesCheckIn {
			t.Errorf("missed: %q, score %d, %+v", text, v.Score, v.Findings)
		}
	}
}

// "I wrote that I am done with my thesis, and it gave me a number for people in despair."
func TestPlain_TheSameWordsInOrdinaryLifeRaiseNothing(t *testing.T) {
	for _, text := range []string{
		"j'ai envie d'en finir avec cette thèse", "j'ai décidé d'en finir avec le tabac", "il parle de finir le dossier demain", "ça vaut pas la peine d'y aller", "la vie est chère ici", "je vais couper les carottes", "je vais me couper les cheveux", "je vais tuer le temps", "je vais tuer mon frère à fifa", "on va vivre ici",
		"j'en ai marre de la cantine", "j'en ai marre de vivre en coloc", "elle se fait du mal au genou en courant", "ma mère me prive de dessert",
		"I can't go on Tuesday", "my brother was hit on at a party", "my dad beats her at chess", "he talks about ending it with his girlfriend", "lol im dead", "I'd die for a pizza right now", "that joke killed me",
		"the voices from next door keep me up", "my teacher never gives us a break", "how much longer can I stay on this course",
	} {
		if v := Check(text); v.Score >= rulesCheckIn {
			t.Errorf("asked: %q, score %d, %+v", text, v.Score, v.Findings)
		}
	}
}

// "It asked me whether I am safe because I wrote «slt c moi»." In a greeting nothing is meant.
func TestPlain_AGreetingIsNoSign(t *testing.T) {
	c := withMeaning(t)
	harmless(t, c, []string{"slt c moi", "je fais koi", "t ki", "whats up", "c est qui", "stop it now"})
}

// TestMeasured_Varied: people of many kinds, by a writer who saw nothing of the check; nothing was learnt or mended by these.
func TestMeasured_Varied(t *testing.T) {
	c := withMeaning(t)
	for _, name := range []string{"varied-en", "varied-fr"} {
		least, most := 0.90, 0.15
		if name == "varied-fr" {
			least, most = 0.85, 0.18
		}
		if r := benchFile(t, c, name); r.CheckInRecall < least || r.CheckInFalseAlarmRate > most || r.FalseAlarmRate > 0.075 {
			t.Errorf("%s: heard %.2f, asked about %.2f of the rest, interrupted %.2f", name, r.CheckInRecall, r.CheckInFalseAlarmRate, r.FalseAlarmRate)
		}
	}
}

// TestMeasured_Plain: plain statements by a writer who saw neither rules nor lessons; what was missed at first was mended.
func TestMeasured_Plain(t *testing.T) {
	c := withMeaning(t)
	for _, name := range []string{"plain-en", "plain-fr"} {
		if r := benchFile(t, c, name); r.CheckInRecall < 0.95 || r.CheckInFalseAlarmRate > 0.08 || r.FalseAlarmRate > 0.02 {
			t.Errorf("%s: heard %.2f, asked about %.2f of the rest, interrupted %.2f: %+v", name, r.CheckInRecall, r.CheckInFalseAlarmRate, r.FalseAlarmRate, r.FalseCheckIns)
		}
	}
}
