package safety

import "testing"

// TestWhoTellsOfAnotherPersonIsAnswered has people who report: they get an intervention
// of their own, for the person they tell of.
func TestWhoTellsOfAnotherPersonIsAnswered(t *testing.T) {
	for text, who := range map[string]Speaker{
		"My friend wants to die, what do I do?":                                                        Other,
		"My sister cuts herself and says she is suicidal":                                              Other,
		"My son said that he doesn't want to live anymore":                                             Other,
		"My roommate took a whole box of paracetamol and won't call anyone":                            Other,
		"My brother locked himself in the bathroom, he has a razor in his hand and says goodbye to us": Other,
		"The patient took an overdose of paracetamol two hours ago":                                    Clinician,
		"My patient just said she will hang herself tonight":                                           Clinician,
		"My patient just said she will take all her tablets and hang herself tonight":                  Clinician,
		"Client in my room has tablets in her bag and says she will take them all":                     Clinician,
		"Mon frère dit qu'il va se pendre ce soir":                                                     Other,
		"Ma patiente vient de dire qu'elle va se tuer en rentrant":                                     Clinician,
		"Infirmière : le patient a gardé tous ses cachets et dit qu'il veut mourir":                    Clinician,
		"She is 12 and he touches her":                                                                 Other,
		"Her stepfather touches her when I am at work":                                                 Other,
		"My son cuts his arms, I saw the blood":                                                        Other,
		"My daughter is cutting her thighs at night":                                                   Other,
		"Elle a 13 ans et elle se coupe les bras":                                                      Other,
		"Mon fils se scarifie depuis la rentrée":                                                       Other,
		"I want to kill myself and my friend does not know":                                            Self,
		"Je veux mourir": Self,
	} {
		a := Offline.Assess(text)
		if a.Level != Intervene || a.Speaker != who {
			t.Errorf("%q: %s by %s: %+v", text, a.Level, a.Speaker, a.Rules)
		}
	}
}

// "I told it of a haircut, and it sent me to a hotline."
func TestWhoTellsOfNoDangerIsNotInterrupted(t *testing.T) {
	for _, text := range []string{
		"He touches her shoulder when they say goodbye", "Her teacher touched her heart with that story", "My daughter cut her own hair", "My son cuts his nails in bed",
		"Elle se coupe les cheveux elle-même", "J'ai mis de l'argent de côté pour les médicaments", "He is 16 and never lets anyone touch him",
	} {
		if a := Offline.Assess(text); a.Level == Intervene {
			t.Errorf("%q: %s: %+v", text, a.Level, a.Rules)
		}
	}
}

// TestFrenchDangerIsSeen is the rules' own; the sentences are the tests'.
func TestFrenchDangerIsSeen(t *testing.T) {
	for text, category := range map[string]Category{
		"Je veux mourir, j'ai les cachets devant moi":                Intent,
		"j'ai avalé toute la boîte de médicaments":                   Means,
		"Je me coupe les bras en ce moment":                          SelfHarm,
		"Mon mari me frappe, je suis enfermée dans la salle de bain": Abuse,
		"J'ai mis tous mes comprimés de côté":                        Means,
		"La voix me dit de sauter":                                   Voices,
		"Je vais le tuer, j'ai le fusil dans la voiture":             HarmOthers,
	} {
		if v := Check(text); !v.Hijack || v.Category != category || LanguageOf(text) != French {
			t.Errorf("%q: %+v", text, v)
		}
	}
	for _, text := range []string{
		"Je suis mort de rire", "Je n'ai pas envie de mourir, je suis juste fatiguée", "J'ai coupé les légumes", "Mon ordinateur veut mourir",
		"Bonjour, je voudrais un rendez-vous avec un pédiatre", "Ma grand-mère est morte l'an dernier et elle me manque", "J'ai pris trop de photos en vacances",
		"Le patient nie toute idée suicidaire", "Il me faut un certificat pour le sport", "Mon chef va me tuer si je rends le dossier en retard",
	} {
		if v := Check(text); v.Hijack {
			t.Errorf("alarm: %q: %+v", text, v)
		}
	}
}
