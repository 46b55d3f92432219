package safety

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// "My patient says her partner chokes her, and I got the Samaritans." "She wrote goodbye to me, and it asked whether I am safe."
func TestTold_TheDangerOfWhomSomebodyTellsIsTheirs(t *testing.T) {
	for _, c := range []struct {
		text, category string
		who            Speaker
	}{
		{"My patient says her partner chokes her whenever he's drunk", "abuse", Clinician},
		{"my sister's boyfriend grabbed her by the throat on Sunday", "abuse", Other},
		{"A carer slapped my nan in the nursing home yesterday", "abuse", Other},
		{"Ma patiente dit que son mari l'étrangle", "abuse", Clinician},
		{"le copain de ma sœur l'a attrapée à la gorge dimanche", "abuse", Other},
		{"pt texted \"I can't do this anymore, goodbye\" ten minutes ago", "", Clinician},
		{"my brother wrote \"tell the kids I love them, I'm done\"", "", Other},
		{"mon fils a dit à sa maîtresse « j'aimerais être mort »", "", Other},
		{"ma meilleure amie m'écrit : je vais me tuer ce soir", "", Other},
		{"the resident doesn't want to wake up any more", "", Clinician},
		{"the old man in room 3 says he wants it over with", "", Clinician},
		{"he told me there's no point in going on", "", Other},
		{"I'll see you in heaven, mum", "plan", Self},
	} {
		a := Offline.Assess(c.text)
		if !a.Level.atLeast(CheckIn) || a.Speaker != c.who || c.category != "" && string(a.Category) != c.category {
			t.Errorf("%q: %s %s of %s: %+v", c.text, a.Level, a.Category, a.Speaker, a.Rules.Findings)
		}
	}
	for _, text := range []string{
		"she texted \"I can't do this level, it's too hard lol\"", "the client says there is no point in changing the appointment", "la cliente dit que ce n'est pas la peine de changer le rendez-vous",
		"il m'a écrit \"adieu les kilos, je commence le régime\"", "son mari la bat toujours aux échecs", "Pt denies suicidal ideation. Sleep improved on mirtazapine.", "Ma tentative de suicide de 2009 est notée deux fois, merci de corriger", "my son hits the ball hard", "maman brûle toujours les pâtes",
	} {
		if v := Check(text); v.Hijack {
			t.Errorf("%q is stopped: %+v", text, v.Findings)
		}
	}
}

// "Her toddler drank bleach, and the poison line was the last of them."
func TestPoison_WhoeverTellsTheEmergencyNumberAndThePoisonLineComeFirst(t *testing.T) {
	for text, want := range map[string]Category{
		"Mum brought her toddler, he drank bleach": Poisoned, "our toddler has eaten rat poison": Poisoned, "my mum took her tablets twice by mistake, it's the warfarin": Poisoned,
		"sa petite de 2 ans vient d'avaler de la javel": Poisoned, "bébé a mis une pile de montre dans sa bouche et je ne la trouve plus": Poisoned,
		"my flatmate took all my metformin": Overdose, "I took all of my flatmate's metformin": Overdose, "My wife has taken an overdose of her amitriptyline": Overdose,
		"mon coloc a pris toute ma metformine": Overdose, "j'ai pris toute la metformine de mon coloc": Overdose,
	} {
		a := Offline.Assess(text)
		if a.Level != Intervene || a.Category != want || (a.Speaker == Self) != (strings.HasPrefix(text, "I ") || strings.HasPrefix(text, "j'")) {
			t.Errorf("%q: %s %s of %s: %+v", text, a.Level, a.Category, a.Speaker, a.Rules.Findings)
			continue
		}
		for _, who := range []Speaker{Self, Other, Clinician} {
			h := Help{Category: a.Category, Speaker: who, Language: a.Language, Region: "FR"}
			help, _ := h.Intervention()
			poison, suicide := strings.Index(help, "01 45 42 59 59"), strings.Index(help, "3114")
			if poison < 0 || suicide >= 0 && suicide < poison || strings.Index(help, "112") > poison || len(h.Numbers()) < 2 || h.Numbers()[1].Call != "01 45 42 59 59" {
				t.Errorf("%q to %s: %s %v", text, who, help, h.Numbers())
			}
		}
	}
	for _, text := range []string{"my toddler drank all his milk and ate his peas", "Can toddlers take ibuprofen with food?", "mon fils a mangé une pizza aux champignons", "il a pris ses médicaments"} {
		if v := Check(text); v.Hijack {
			t.Errorf("%q is stopped: %+v", text, v.Findings)
		}
	}
}

// "My husband has chest pain, and it gave me a line for people who want to die."
func TestMedical_AnEmergencyOfTheBodyHasItsNumberAndNoLine(t *testing.T) {
	for _, text := range []string{
		"my husband has chest pain and his left arm is numb", "her face droops on one side and she can't speak properly", "my baby isn't breathing", "my throat is closing up after eating peanuts", "toddler choking on a grape, she's going blue",
		"mon mari a mal dans la poitrine et son bras gauche est engourdi", "mon bébé ne respire plus", "je crois que mon père fait un AVC, il parle bizarrement", "la petite s'étouffe avec un raisin, elle devient bleue",
	} {
		a := Offline.Assess(text)
		if a.Level != Intervene || a.Category != Medical {
			t.Errorf("%q: %s %s: %+v", text, a.Level, a.Category, a.Rules.Findings)
			continue
		}
		for _, informal := range []bool{false, true} {
			h := Help{Category: Medical, Speaker: a.Speaker, Language: a.Language, Region: "FR", Informal: informal}
			help, ok := h.Intervention()
			if asks := h.CheckIn(); !ok || !strings.Contains(help, "112") || strings.Contains(help, "3114") || strings.Contains(asks, "3114") || !strings.Contains(asks, "112") || len(h.Numbers()) != 1 {
				t.Errorf("%q: %s\n%s", text, help, asks)
			}
		}
	}
	for _, text := range []string{"what are the signs of a stroke?", "I had chest pain last year, the tests were normal", "My dad had a stroke in 2016 and needs physiotherapy", "my dad collapsed on the sofa laughing", "quels sont les signes d'un AVC ?", "Mon père a fait un AVC en 2016, il a besoin de kiné"} {
		if v := Check(text); v.Hijack {
			t.Errorf("%q is stopped: %+v", text, v.Findings)
		}
	}
}

// "I pasted the whole day's notes, and the one sentence that mattered was only asked about."
func TestAmid_WhateverIsPastedAroundItTheLevelDoesNotFall(t *testing.T) {
	around := strings.Repeat("The clinic opened at eight and the waiting room filled slowly. Blood pressure was 130 over 80, pulse 72. ", 12)
	for _, danger := range []string{"I have the pills here and will take them tonight.", "I'm going to hang myself when everyone is asleep.", "My patient says she will jump from the bridge tonight."} {
		alone, amid := Offline.Assess(danger), Offline.Assess(around+danger+" "+around)
		if alone.Level != Intervene || amid.Level != Intervene || amid.Speaker != alone.Speaker {
			t.Errorf("%q: alone %s of %s, amid %s of %s", danger, alone.Level, alone.Speaker, amid.Level, amid.Speaker)
		}
		text := around + danger + " " + around
		for _, f := range amid.Rules.Findings {
			if f.End > 0 && text[f.Start:f.End] != f.Excerpt && !slices.Contains([]int{maxExcerpt}, len(f.Excerpt)) {
				t.Errorf("%q stands elsewhere", f.Excerpt)
			}
		}
	}
	if a := Offline.Assess(around + around); a.Level != Calm {
		t.Errorf("notes of a day are %s", a.Level)
	}
}

// "The export said intent where the screen said suicide."
func TestCategory_OneWordForADanger(t *testing.T) {
	for c, want := range map[Category]string{Intent: "suicide", Plan: "suicide", Means: "suicide", SelfHarm: "self-harm", Poisoned: "poisoning", Overdose: "overdose", Medical: "medical emergency", Unresponsive: "medical emergency"} {
		if c.Word() != want {
			t.Errorf("%s is called %q", c, c.Word())
		}
	}
}

// "The table in the documentation has no overdose." Every kind of danger stands there with its word.
func TestCategory_EachStandsInTheDocumentation(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Categories() {
		row := slices.ContainsFunc(strings.Split(string(doc), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "//\t") && slices.Contains(strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '/' }), string(c)) && strings.Contains(line, c.Word())
		})
		if !row {
			t.Errorf("%s, called %q, is in no table", c, c.Word())
		}
	}
}
