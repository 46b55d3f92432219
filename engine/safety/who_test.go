package safety_test

import (
	"strings"
	"testing"

	"holdpoint/engine/safety"
)

// whom checks by words and rules, with a meaning tier to which everything comes close.
func whom(ofChild bool) safety.Checker {
	return safety.Checker{Tiers: []safety.Tier{safety.LinearTier, near{}}, OfChild: ofChild}
}

// "I told it what my son says, and it asked me whether I am safe." "I asked for myself, and it asked about my child."
func TestCheckIn_AsksAboutTheOneInDanger(t *testing.T) {
	for _, c := range []struct {
		parent bool
		texts  []string
		who    safety.Speaker
	}{
		{false, []string{
			"my son keeps talking about death", "My 14 year old gave all her clothes away", "I'm really worried about my daughter, she hardly eats", "I found a strange letter in my daughter's drawer",
			"our youngest says that life is pointless", "Mon fils dit que plus rien ne compte", "J'ai trouvé une lettre dans la chambre de ma fille", "Je suis très inquiète pour mon fils, il ne parle plus",
			"J'ai peur pour ma petite sœur, elle ne mange plus", "my best friend told me he feels empty", "ma meilleure amie m'a dit qu'elle se sent vide", "My daughter thinks everyone would be better off without her",
		}, safety.Other},
		{true, []string{
			"She says nothing matters anymore", "Elle dit que plus rien ne compte", "he sleeps all day and says he is a burden", "Il a donné ses affaires à son frère", "I'm her mum and she won't come out of her room",
			"je suis sa maman, elle reste enfermée", "I don't know how to reach her, she is so far away", "J'ai peur qu'elle fasse une bêtise", "We are so worried, he hates himself",
		}, safety.Other},
		{true, []string{
			"I can't go on like this", "je n'en peux plus, elle me rend folle", "I want to disappear, my son hates me", "j'ai envie de tout laisser et de dormir pour toujours", "my husband scares me when he drinks",
		}, safety.Self},
		{false, []string{
			"my life is empty", "my own hands did it", "J'ai peur, mon père rentre et il a bu", "I lost everything and my sister does not care", "my only hope is gone", "ma petite vie est vide", "my brother says I am worthless",
		}, safety.Self},
	} {
		for _, text := range c.texts {
			a := whom(c.parent).Assess(text)
			asks := safety.Help{Category: a.Category, Speaker: a.Speaker, Language: a.Language, Region: "FR"}.CheckIn()
			own := strings.Contains(asks, "are you safe") || strings.Contains(asks, "êtes-vous en sécurité")
			if a.Level == safety.Calm || a.Speaker != c.who || own != (c.who == safety.Self) {
				t.Errorf("%q is of %s, and is asked: %.120s", text, a.Speaker, asks)
			}
		}
	}
}

// "I am a nurse, my patient has a plan, and it told me to stay on the phone with my friend." "I am her mother, and it spoke of my service's procedure."
func TestIntervention_AProfessionalGetsTheTextForProfessionals(t *testing.T) {
	for text, who := range map[string]safety.Speaker{
		"72F in bed 12 says she will hang herself tonight":                                  safety.Clinician,
		"I'm a community nurse, he has laid out all his tablets and says he will take them": safety.Clinician,
		"A lady under our care texted that she took an overdose":                            safety.Clinician,
		"One of our residents says she wants to die and has hidden her pills":               safety.Clinician,
		"34 yo male, active SI with plan, says he will shoot himself when he gets home":     safety.Clinician,
		"Vu ce matin en consultation, il dit qu'il va se pendre ce soir":                    safety.Clinician,
		"La dame de la chambre 214 dit qu'elle veut mourir et garde ses cachets":            safety.Clinician,
		"Je suis médecin généraliste, elle menace de se tuer en rentrant":                   safety.Clinician,
		"Une patiente de notre service a avalé une boîte de somnifères":                     safety.Clinician,
		"There is a man at our desk who says he will hang himself":                          safety.Clinician,
		"During the ward round she told us she will hang herself":                           safety.Clinician,
		"En visite à domicile, il dit qu'il va se pendre ce soir":                           safety.Clinician,
		"Reçu ce jour un homme de 45 ans, idées suicidaires scénarisées":                    safety.Clinician,
		"I'm on call, a 16yo girl took 30 paracetamol":                                      safety.Clinician,
		"Je suis psychologue scolaire, il dit qu'il va sauter du pont":                      safety.Clinician,
		"My daughter says she will kill herself, the nurse did not listen":                  safety.Other,
		"Ma fille dit qu'elle va se tuer, l'infirmière du lycée m'a appelée":                safety.Other,
		"My dad is a patient at the hospital and says he will kill himself tonight":         safety.Other,
		"Mon mari a avalé tous ses cachets, faut-il aller aux urgences":                     safety.Other,
		"My friend told her GP nothing, she says she will take all the pills tonight":       safety.Other,
		"I'm a nurse and my son says he wants to kill himself":                              safety.Other,
	} {
		a := safety.Offline.Assess(text)
		said, ok := safety.Help{Category: a.Category, Speaker: a.Speaker, Language: a.Language, Region: "GB"}.Intervention()
		professional := strings.Contains(said, "your service's procedure") || strings.Contains(said, "la procédure de votre service")
		if a.Level != safety.Intervene || !ok || a.Speaker != who || a.Category != safety.Overdose && professional != (who == safety.Clinician) {
			t.Errorf("%q: %s of %s: %.100s", text, a.Level, a.Speaker, said)
		}
	}
	for _, l := range []safety.Language{safety.English, safety.French} {
		if asks := (safety.Help{Category: safety.Intent, Speaker: safety.Clinician, Language: l, Region: "GB"}).CheckIn(); !strings.Contains(asks, "procedure") && !strings.Contains(asks, "procédure") {
			t.Errorf("a professional is asked as a relative is: %s", asks)
		}
	}
}

// "My boy left last night and is not back, and it told me that nobody may hit me."
func TestMissing_WhoIsMissedGetsWordsOfItsOwn(t *testing.T) {
	for _, text := range []string{
		"Il est parti hier soir et n'est pas rentré", "Ma fille de 14 ans a fugué", "mon fils n'est pas rentré de la nuit", "elle a disparu depuis hier, je ne sais pas où elle est", "notre ado est introuvable",
		"My son ran away last night", "she hasn't come home since yesterday", "My daughter is missing", "He stormed out last night and hasn't come back", "my 13 year old son never came home last night, nobody knows where he is",
		"Elle est partie en claquant la porte à 22h et depuis silence radio", "mon fils a pas dormi à la maison et son tel est éteint", "ma fille de 13 ans s'est enfuie du foyer", "she took her bag and left, we can't find her anywhere", "my stepson has been missing since school ended", "my bff ran away from home and told me not to tell",
		"ma pote a fugué et je sais pas où elle est", "Ma patiente de 16 ans a fugué du service",
	} {
		a := safety.Checker{Tiers: safety.Offline.Tiers, OfChild: true}.Assess(text)
		help, ok := safety.Help{Category: a.Category, Speaker: a.Speaker, Language: a.Language, Region: "FR", Child: true}.Intervention()
		if a.Level != safety.Intervene || a.Category != safety.Missing || !ok || !strings.Contains(help, "112") || !strings.Contains(help, "119") || a.Speaker == safety.Self {
			t.Errorf("%q: %s %s of %s: %+v", text, a.Level, a.Category, a.Speaker, a.Rules.Findings)
		}
		if words := map[safety.Language]string{safety.English: "report them missing", safety.French: "signalez sa disparition"}[a.Language]; a.Speaker == safety.Other && !strings.Contains(help, words) {
			t.Errorf("%q is answered: %s", text, help)
		}
	}
	for _, text := range []string{"j'ai fugué, je suis à la gare et j'ai froid", "I ran away from home yesterday and I have nowhere to sleep", "je suis en fugue depuis hier", "me suis barrée de chez moi"} {
		a := safety.Offline.Assess(text)
		help, _ := safety.Help{Category: a.Category, Speaker: a.Speaker, Language: a.Language, Region: "FR", Informal: true}.Intervention()
		if a.Level != safety.Intervene || a.Category != safety.Missing || a.Speaker != safety.Self || !strings.Contains(help, "119") {
			t.Errorf("%q: %s %s of %s: %+v", text, a.Level, a.Category, a.Speaker, a.Rules.Findings)
		}
	}
	for _, text := range []string{
		"my cat ran away last night", "mon chat n'est pas rentré depuis hier", "Il rentre tard le vendredi", "she never came home on time last year", "il n'est pas rentré dans les détails hier", "he ran away laughing", "my dad isn't back until Friday",
		"my son is missing school a lot", "Il part en vacances samedi", "je suis rentré hier soir", "My wife has been home since Monday", "my son won't come home for Christmas", "elle est partie en vacances sans dire au revoir", "Il est parti jouer dehors et il revient tout sale", "I can't find my keys anywhere", "in the book the boy ran away from home", "quand j'avais 12 ans j'ai fugué une nuit", "He went out last night and had fun",
	} {
		if a := safety.Check(text); a.Hijack {
			t.Errorf("%q is taken for somebody missing: %+v", text, a.Findings)
		}
	}
}

// "I only can't sleep, and it asked whether I am safe." "I asked what to do tonight, out of boredom."
func TestBare_WhoLiesAwakeOrIsBoredIsNotAsked(t *testing.T) {
	for _, text := range []string{
		"wsh jarrive pa a dormir…", "je sais pas quoi faire ce soir", "i cant sleep", "idk what to do", "I can't fall asleep at night", "j'arrive pas à m'endormir le soir", "jdors pas bien", "je n'arrive plus à dormir", "what should i do", "je sais pas quoi faire lol",
	} {
		if a := whom(false).Assess(text); a.Level != safety.Calm {
			t.Errorf("%q gives %s by %v", text, a.Level, a.Found())
		}
	}
	for _, text := range []string{"je veux dormir pour toujours", "I want to sleep and never wake up", "je sais plus quoi faire pour tenir", "I don't know how to do it tonight", "je sais pas comment le faire ce soir", "j'arrive plus à vivre", "i cant anymore"} {
		if a := whom(false).Assess(text); a.Level == safety.Calm {
			t.Errorf("what is seen in %q is dropped", text)
		}
	}
}

// "It showed me a number of Paris. I live in Lyon."
func TestLines_ThePoisonNumberOfFranceSaysThatItIsForAllOfIt(t *testing.T) {
	for l, words := range map[safety.Language]string{safety.English: "all of France", safety.French: "toute la France"} {
		help, _ := safety.Help{Category: safety.Poisoned, Speaker: safety.Other, Language: l, Region: "FR"}.Intervention()
		if !strings.Contains(help, "01 45 42 59 59") || !strings.Contains(help, words) {
			t.Errorf("%s: %s", l, help)
		}
	}
}
