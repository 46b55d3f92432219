package safety

import "testing"

// "I wrote that I have not eaten in four days and am proud of it, and it gave me a recipe."
func TestCheck_WhoStarvesOrBringsUpWhatTheyEatIsAskedAbout(t *testing.T) {
	for _, text := range []string{
		"I haven't eaten in four days and I'm proud of it",
		"i havent eaten anything since Tuesday and it feels good",
		"I make myself throw up after dinner",
		"I've been making myself sick for months",
		"every night I put my fingers down my throat",
		"I take laxatives after every meal",
		"I'm starving myself until prom",
		"I throw up after every meal",
		"je me fais vomir après chaque repas",
		"J'ai rien mangé depuis quatre jours et j'en suis fière",
		"je n'ai rien mangé depuis dimanche",
		"jme fais vomir tous les soirs",
		"je mets deux doigts dans ma gorge après le dîner",
		"je prends des laxatifs après chaque repas",
		"je mange plus rien depuis une semaine",
	} {
		if a := Offline.Assess(text); a.Level == Calm || a.Category != SelfHarm {
			t.Errorf("%q: %s, %s (%+v)", text, a.Level, a.Category, a.Rules.Findings)
		}
	}
	harmless(t, Offline, []string{
		"I haven't eaten meat in four days", "I haven't eaten since breakfast and I'm starving", "I threw up after dinner, I think it's the flu",
		"I made myself a sandwich", "my baby throws up after every meal, is it reflux? he has a virus", "I don't eat breakfast", "he put his finger in his mouth",
		"j'ai vomi après le dîner, c'est une gastro", "je n'ai pas mangé de viande depuis deux jours", "je n'ai rien mangé ce matin", "elle mange rien à la cantine",
	})
}
