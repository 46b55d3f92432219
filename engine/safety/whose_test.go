package safety

import (
	"strings"
	"testing"
)

// "My client bought a rope, I asked what to do, and it spoke to me as if I wanted to die."
// Who tells of another person gets the text for that person, whichever tier saw the danger.
func TestWhose_WhoReportsIsNotTakenForTheOneInDanger(t *testing.T) {
	for text, who := range map[string]Speaker{
		"My client told me this morning he bought a rope and has chosen the tree":                   Clinician,
		"One of my patients wrote that she is standing on the bridge":                               Clinician,
		"At the last visit Mr Dale showed me his razor blades and said he won't be there next time": Other,
		"My daughter texted that she is going to jump from the roof of the school":                  Other,
		"I'm a teacher, a girl told me her father hits her with a cable every evening":              Other,
		"Mon patient a acheté une corde et m'a dit qu'il la garde dans son coffre":                  Clinician,
		"Je suis enseignante, un enfant m'a dit que son oncle le touche":                            Other,
		"Ma collègue est frappée par son mari, elle me l'a dit hier":                                Other,
		// What the writer has, does or suffers stays the writer's.
		"My husband keeps choking me and he laughs":                          Self,
		"My mother sleeps next door, I have the razor blades in my hand":     Self,
		"My therapist told me to call when I have the blade in my hand":      Self,
		"my brother comes into my bed at night and says he will hurt my dog": Self,
		"Mon père m'a dit que je ne vaux rien, je veux en finir":             Self,
		"Mon mari m'étrangle et il dit qu'il va me tuer":                     Self,
		"Dieu me demande de sacrifier ma fille":                              Self,
	} {
		a := Offline.Assess(text)
		if a.Level == Calm || a.Speaker != who {
			t.Errorf("%q: %s, %s, want %s: %+v", text, a.Level, a.Speaker, who, a.Tiers)
		}
	}
}

// "He threatens to kill me, and it told me how to help him."
func TestWhose_WhoIsThreatenedIsTheOneInDanger(t *testing.T) {
	for _, text := range []string{
		"he said he'll shoot me if I leave", "My ex put a knife to my throat last night", "Mon copain menace de me tuer si je parle",
		"il m'a menacée avec un couteau devant les petits", "il a mis ses deux mains autour de mon cou",
	} {
		if a := Offline.Assess(text); a.Level != Intervene || a.Speaker != Self || a.Category != Abuse {
			t.Errorf("%q: %s %s %s: %+v", text, a.Level, a.Category, a.Speaker, a.Rules)
		}
	}
}

// "My son had drunk bleach. It said that I deserve somebody beside me now." A child who
// swallowed something gets the poison centre's number and what to do until it answers.
func TestPoisoned_AChildWhoSwallowedSomethingGetsThePoisonLine(t *testing.T) {
	for text, want := range map[string]string{
		"Our baby swallowed a button battery":                         "01 45 42 59 59",
		"My nephew ate a handful of his grandmother's tablets":        "01 45 42 59 59",
		"My little boy drank some antifreeze from the garage":         "01 45 42 59 59",
		"Ma nièce a bu du déboucheur":                                 "01 45 42 59 59",
		"Mon bébé a avalé une pile":                                   "01 45 42 59 59",
		"Le petit a mangé des comprimés trouvés dans le sac de mamie": "01 45 42 59 59",
	} {
		a := Offline.Assess(text)
		help, ok := Help{Category: a.Category, Speaker: a.Speaker, Language: a.Language, Region: "FR"}.Intervention()
		if a.Level != Intervene || a.Category != Poisoned || !ok || !strings.Contains(help, want) || !strings.Contains(help, "112") || strings.Contains(help, "3114") {
			t.Errorf("%q: %s %s: %+v\n%s", text, a.Level, a.Category, a.Rules, help)
		}
	}
	for _, text := range []string{
		"My son ate a whole packet of biscuits", "My daughter took her tablets this morning with water", "The patient took her last tablet and needs more",
		"Mon fils a bu tout son biberon", "Ma fille a mangé une boîte de chocolats", "The resident took two tablets at bedtime as usual",
	} {
		if a := Offline.Assess(text); a.Level == Intervene {
			t.Errorf("alarm: %q: %+v", text, a.Rules)
		}
	}
	for _, l := range []Language{English, French} {
		help, _ := Help{Category: Poisoned, Speaker: Other, Language: l, Region: "NL"}.Intervention()
		if !strings.Contains(help, map[Language]string{English: "No poison line", French: "Aucune ligne antipoison"}[l]) || !strings.Contains(help, "112") {
			t.Errorf("a country without a poison line: %s", help)
		}
	}
	if help, _ := (Help{Category: Poisoned, Speaker: Other, Region: International}).Intervention(); strings.Contains(help, "befrienders") {
		t.Errorf("a list of crisis lines stands for the poison centre: %s", help)
	}
}
