package safety_test

import (
	"testing"

	"holdpoint/engine/safety"
)

// "She wrote in Turkish that she wants to die, and it asked which country she is in."
func TestCompanion_C30_ThePlainestWordsAreHeardInFurtherLanguages(t *testing.T) {
	for _, text := range []string{
		"ölmek istiyorum", "Artık yaşamak istemiyorum", "chcę umrzeć", "chce umrzec", "nie chcę już żyć", "nie mam siły żyć", "chci umřít", "nechci už žít", "želim umrijeti", "meg akarok halni", "nem akarok tovább élni",
		"vreau să mor", "haluan kuolla", "en jaksa enää elää", "jag vill dö", "jag vill inte leva längre", "jeg vil ikke leve mere", "jeg vil dø", "хочу умереть", "я больше не хочу жить", "Θέλω να πεθάνω",
		"أريد أن أموت", "אני רוצה למות", "죽고 싶어", "tôi muốn chết", "nataka kufa", "gusto ko nang mamatay", "aku mau mati", "saya ingin bunuh diri",
	} {
		if v := safety.Check(text); !v.Hijack {
			t.Errorf("nobody hears %q (%+v)", text, v.Findings)
		}
	}
	for _, text := range []string{
		"Olmek", "Nie chcę umrzeć na egzaminie", "nechci žít v Praze", "jag vill do my homework", "en halua kuolla", "I want to do this", "mau makan", "vreau să merg acasă", "haluan kotiin", "хочу домой",
		"jag vill inte leva i Stockholm", "Tu Tu is my dog", "gusto ko ng pizza",
	} {
		if v := safety.Check(text); v.Hijack {
			t.Errorf("%q is taken for a crisis (%+v)", text, v.Findings)
		}
	}
}

// "My son is Swiss and wrote in German that he wants to die. It asked which class he is in."
func TestCompanion_C30_PlainWordsOfOtherLanguagesAreHeardByTheRules(t *testing.T) {
	for _, text := range []string{
		"Ich will sterben, ich halte es nicht mehr aus", "Ich bringe mich um", "Ich möchte einfach nicht mehr leben", "ich habe Suizidgedanken und weiß nicht weiter",
		"ik wil dood, ik kan niet meer", "ik wil niet meer leven", "me quiero morir", "Ya no quiero vivir más, nadie me quiere",
		"voglio morire, non ce la faccio più", "non voglio più vivere", "quero morrer, não aguento mais", "mein Vater schlägt mich jeden Abend",
	} {
		if v := safety.Check(text); !v.Hijack {
			t.Errorf("nobody hears %q (%+v)", text, v.Findings)
		}
	}
	for _, text := range []string{
		"Ich sterbe vor Lachen", "Ich will nicht sterben, ich habe nur Angst vor der Prüfung", "Das Handy will sterben, ich muss laden", "Ich will nicht mehr in Berlin leben",
		"Ich bringe mich selbst zum Lachen", "ik ga vanavond dood van het lachen", "me quiero morir de la risa", "no quiero vivir en Madrid", "voglio morire dal ridere", "Non voglio più vivere a Milano",
		"I want to see the film Voglio vivere", "He says his phone will die",
	} {
		if v := safety.Check(text); v.Hijack {
			t.Errorf("%q is taken for a crisis (%+v)", text, v.Findings)
		}
	}
}

// „Mein Kind hat Rohrreiniger getrunken“: nothing was found. What somebody swallowed is heard in the languages of the rules, and what
// is taken as prescribed is not.
func TestMore_WhatWasSwallowedIsHeardInOtherLanguages(t *testing.T) {
	for text, want := range map[string]safety.Speaker{
		"Ich habe alle Tabletten genommen": safety.Self, "Ich habe 40 Paracetamol geschluckt": safety.Self, "mein Kind hat Rohrreiniger getrunken": safety.Other, "Meine Tochter hat alle Tabletten von Oma geschluckt": safety.Other,
		"Mein Baby hat eine Knopfbatterie verschluckt": safety.Other, "ik heb al mijn pillen geslikt": safety.Self, "Mijn zoon heeft gif gedronken": safety.Other, "ho ingoiato tutte le pillole di mia madre": safety.Self, "mia figlia ha bevuto candeggina": safety.Other,
		"he tomado cuarenta paracetamoles": safety.Self, "Me he tomado todas las pastillas": safety.Self, "mi hijo bebió lejía": safety.Other, "tomei todos os comprimidos do meu pai": safety.Self, "wzięłam wszystkie tabletki": safety.Self, "bütün hapları içtim": safety.Self, "vzala jsem si všechny prášky": safety.Self,
	} {
		if a := safety.Offline.Assess(text); a.Level != safety.Intervene || a.Speaker != want || a.Category != safety.Overdose && a.Category != safety.Poisoned {
			t.Errorf("%q is %s, %s of %s, want it of %s", text, a.Level, a.Category, a.Speaker, want)
		}
	}
	for _, text := range []string{"Ich habe heute meine Tabletten genommen", "Ich nehme zwei Tabletten am Tag", "Meine Tochter hat ihre Tabletten genommen", "Ich habe alle Tabletten genommen wie verordnet", "ik heb mijn pillen vandaag geslikt zoals voorgeschreven",
		"He tomado dos pastillas esta mañana", "He tomado todas mis pastillas como me dijo el médico", "Ho preso la pillola", "Welche Medikamente nehme ich?", "mi hijo comió una pizza", "Mijn kind heeft pizza gegeten"} {
		if a := safety.Offline.Assess(text); a.Level != safety.Calm {
			t.Errorf("%q: %s %s", text, a.Level, a.Category)
		}
	}
}
