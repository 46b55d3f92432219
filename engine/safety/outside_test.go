package safety

import "testing"

// What two who tried the program wrote: nothing was heard, or the help was that for another danger or another person.
func TestOutside_EachGetsTheHelpForTheirDanger(t *testing.T) {
	heardAs(t, []kindCase{
		{Intervene, []Category{Voices}, Other, []string{
			"Ma patiente vient de me dire au téléphone que les voix lui ordonnent d'étouffer son bébé.", "Ma patiente me dit que les voix lui demandent de faire du mal à sa fille.",
		}},
		{Intervene, []Category{Voices}, Self, []string{
			"she's 3 weeks old and there's someone talking behind the wall who tells me she's not my real baby, that I should put her in the river", "My patient is asleep and the voices tell me to kill her",
		}},
		{Intervene, []Category{Abuse}, Other, []string{
			"She told me her husband shouts at her and hides her keys, she is frightened to go home tonight.", "Her husband won't let her leave the house and she is afraid of him", "Son mari lui crie dessus et cache ses clés, elle a peur de rentrer ce soir",
			"Je suis aide à domicile. Monsieur D., 88 ans, est attaché à son lit quand j'arrive et son fils m'a dit de ne rien voir.",
		}},
		{Intervene, []Category{Abuse}, Self, []string{"mon mec ma forcé encore hier soir alors que je disais non, jai mal et jsaigne"}},
		{Intervene, []Category{HarmOthers}, Other, []string{"Un patient m'a dit qu'il allait tuer sa femme ce soir, il a un fusil"}},
		{Intervene, []Category{Missing}, Other, []string{"Mon père, Alzheimer, est sorti en pyjama il y a quatre heures, il fait moins cinq dehors et on ne le trouve nulle part"}},
		{Intervene, []Category{Medical}, Other, []string{
			"Dietitian here. Her potassium came back 2.4 today, BMI 12.1, she fainted in my waiting room and she is refusing to go to hospital.", "my flatmate is all bones, she threw up again after dinner and now shes lying on the floor saying her chest hurts",
			"Practice nurse. A 19 year old type 1 just told me she has not injected for six days. She is breathing fast and vomiting.", "she had the seizure 12 minutes ago and she's still shaking, its not stopping", "toddler pulled the kettle over himself, his chest is all blistered",
		}},
		{Intervene, []Category{Intent, Means}, Self, []string{"nobody at school would even notice if i was gone. i found mums sleeping tablets and counted them. im 12"}},
	})
	harmless(t, withMeaning(t), []string{
		"My patient says she's got no voices any more, she sleeps and takes her lithium.", "Her husband won't let her carry the shopping since the operation", "He threw up after dinner, he has the flu", "Only water and tea for breakfast, please",
		"Elle a peur du dentiste et son mari l'accompagne", "Mon mari crie au match de foot",
	})
}

// "The nurse's note had a handgun in it, between the ramipril and the retinal screening, and nothing was heard." What else was seen on a
// day makes nothing less of one sentence.
func TestOutside_DangerAmidANoteIsHeard(t *testing.T) {
	for before, after := range map[string]string{
		"Seen today for review of blood pressure. Average home reading 134/80. Takes ramipril 5 mg and amlodipine 5 mg, tolerated well. No ankle swelling. ": " Creatinine stable at 82. Lipids at target. ECG normal sinus rhythm. Retinal screening done.",
		"Attended on time. Weight stable at 61 kg. Inhaler technique good. ":                                                                                 " Flu jab discussed. Next review in March.",
	} {
		for _, s := range []string{
			"He says he knows where his ex's new partner parks and has bought a handgun for it.", "She told me she has chosen the cliff and will drive there on Sunday after Mass.", "Her son, 9, says the mother's partner puts cigarettes out on his arm.",
			"Since the birth three weeks ago a voice tells her to drop the baby from the balcony.",
		} {
			if a := withMeaning(t).Assess(before + s + after); a.Level != Intervene {
				t.Errorf("%q in a note: %s %s", s, a.Level, a.Category)
			}
		}
		harmless(t, withMeaning(t), []string{before + after[1:], before + "Her daughter drives her to church on Sundays." + after})
	}
}
