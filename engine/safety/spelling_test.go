package safety

import (
	"strings"
	"testing"
)

// "I wrote it as I write to my friends, and it asked me how old I am." Danger in a child's
// spelling is heard by the rules alone, and what only sounds like it is not.
func TestAssess_DangerInAChildsSpellingIsHeard(t *testing.T) {
	for _, text := range []string{"g pri plein de medocs la", "mon copain m'a forcée", "i cut myslf evry nite", "i wana dye", "im 12 and i wana dye",
		"how many pills does it take to sleep forever", "on me tape à la maison", "on me frappe chez mon père", "combien de cachets faut-il pour dormir pour toujours"} {
		if a := Offline.Assess(text); a.Level != Intervene {
			t.Errorf("%q: %s", text, a.Level)
		}
	}
	for _, text := range []string{"my boyfriend forced me", "I binge at night and then I purge"} {
		if a := Offline.Assess(text); a.Level == Calm {
			t.Errorf("%q: %s", text, a.Level)
		}
	}
	for _, text := range []string{"i wanna dye my hair", "i want to dye it blue", "how many pills is it safe to take for a headache", "how much ibuprofen to kill the pain",
		"combien de doliprane pour une migraine", "mon copain m'a forcée à regarder un match", "my boyfriend forced me to watch the game", "on me tape sur l'épaule",
		"je vais me tuer à la tâche pour ce contrôle"} {
		if a := Offline.Assess(text); a.Level != Calm {
			t.Errorf("%q: %s", text, a.Level)
		}
	}
}

// "He is hit at home, and it gave him a line for women." A young person who is hurt, and
// who fears to hurt a child, gets the children's line first.
func TestHelp_ChildrensLinesComeFirstWhereAChildIsConcerned(t *testing.T) {
	for text, young := range map[string]bool{"on me frappe à la maison": true, "j'ai peur de rentrer chez moi, mon père a encore cogné": true, "J'ai peur de faire du mal à mon fils": false} {
		a := Offline.Assess(text)
		help, ok := Help{Category: a.Category, Speaker: a.Speaker, Language: a.Language, Region: "FR", Informal: young, Child: TellsOfChild(text)}.Intervention()
		if at := strings.Index(help, "119"); !ok || at < 0 || strings.Contains(help[:at], "3919 (") {
			t.Errorf("%q:\n%s", text, help)
		}
	}
	if help, _ := (Help{Category: HarmOthers, Region: "FR", Language: French}).Intervention(); strings.Contains(help, "119 ") {
		t.Errorf("nobody spoke of a child:\n%s", help)
	}
}
