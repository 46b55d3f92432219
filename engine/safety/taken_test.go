package safety

import (
	"regexp"
	"strings"
	"testing"
)

// "I took thirty paracetamol, and it told me what to do if I might act soon."
func TestPoison_WhoHasTakenItGetsTheHelpForThat(t *testing.T) {
	for _, text := range []string{
		"I took 30 paracetamol", "took like 30 paracetemol idk wat 2 do", "I've had 50 paracetamol", "iv took 25 ibuprofens", "I swallowed what was under the sink ten minutes ago", "I swallowed everything in the medicine cabinet",
		"just downed 40 pills with vodka", "I drank antifreeze", "J'ai avalé deux plaquettes de doliprane et je commence à avoir mal au ventre", "jai pris 30 dolipranes", "j'ai avalé ce qu'il y avait sous l'évier", "jai avaler tout les cachets de ma mere",
		"jvais mourir jai avaler 30 cachets", "ça va pas j'ai pris 30 dolipranes", "took 30 paracetamol, he left me two weeks ago", "i took 40 pills when i was alone", "will I die if I took 30 paracetamol",
	} {
		if a := Offline.Assess(text); a.Level == Calm || a.Category != Overdose || a.Speaker != Self {
			t.Errorf("%q: %s %s of %s", text, a.Level, a.Category, a.Speaker)
		}
	}
	for _, text := range []string{
		"I want to overdose", "I have pills and I will take them tonight", "je veux avaler tous mes médicaments", "j'ai failli avaler tous mes cachets", "what if I took all thirty of these in one go", "I took an overdose when I was 15 and now I want to die",
		"I have taken sertraline for three years and I still want to kill myself", "it took 20 minutes to decide, I want to kill myself",
	} {
		if a := Offline.Assess(text); a.Level == Calm || a.Category == Overdose {
			t.Errorf("nothing was taken in %q: %s %s", text, a.Level, a.Category)
		}
	}
}

// "It named 111 twice, and the number to call now stood under a condition."
func TestPoison_TheTextForWhoHasTakenItSaysWhatToDoInOrder(t *testing.T) {
	says := map[Language][]string{
		English: {"now, also when you feel well", "Do not make yourself vomit", "Keep the package", "Tell somebody near you"},
		French:  {"maintenant, même si vous vous sentez bien", "Ne vous faites pas vomir", "Gardez l'emballage", "Prévenez quelqu'un"},
	}
	young := []string{"maintenant, même si tu te sens bien", "Ne te fais pas vomir", "Garde l'emballage", "Préviens quelqu'un"}
	line := regexp.MustCompile(`(?m)^  - ([^:\x{a0}]+)\x{a0}?: (?:call|appel|text|SMS)`)
	for _, r := range Regions() {
		for lang, want := range says {
			for _, informal := range []bool{false, true} {
				h := Help{Category: Overdose, Language: lang, Region: r.Code, Informal: informal}
				if informal && lang == French {
					want = young
				}
				text, _ := h.Intervention()
				order := []string{r.Emergency.Call.In(lang), want[0]}
				if informal {
					order = order[1:] // the number may have other words
				}
				if poison := r.Of(ForPoison); len(poison) > 0 {
					order = append(order, poison[0].Name.In(lang))
				}
				order = append(order, want[1:]...)
				if listens := r.Of(ForSuicide); len(listens) > 0 {
					order = append(order, listens[0].Name.In(lang))
				}
				at := 0
				for _, s := range order {
					i := strings.Index(text[at:], s)
					if i < 0 {
						t.Errorf("%s %s: %q is missing or comes too early:\n%s", r.Code, lang, s, text)
						break
					}
					at += i
				}
				named := map[string]int{}
				for _, m := range line.FindAllStringSubmatch(text, -1) {
					named[m[1]]++
				}
				for name, n := range named {
					own := 0 // several places may have a line of one name
					for _, l := range r.Of(ForPoison) {
						if l.Name.In(lang) == name {
							own++
						}
					}
					if n > max(own, 1) && own > 0 {
						t.Errorf("%s %s names %q twice:\n%s", r.Code, lang, name, text)
					}
				}
				if strings.Contains(text, "{") || strings.Contains(text, ":\n- ") && len(r.Of(ForPoison)) == 0 && strings.Count(text, ":\n- ") > 1 {
					t.Errorf("%s %s has an empty list:\n%s", r.Code, lang, text)
				}
			}
		}
	}
}

// "I'm a school nurse. A pupil told me that her uncle touches her, and it asked me for her plan and her means."
func TestTold_AbuseOfAChildIsPassedOnAndNotQuestioned(t *testing.T) {
	for _, text := range []string{
		"I'm a school nurse; a pupil, 13, told me her uncle touches her", "My niece says her stepdad comes into her bed at night", "A 9 year old patient disclosed that her father hits her with a belt", "My daughter told me her grandad put his hand in her pants",
		"Je suis infirmière scolaire ; une élève de 13 ans m'a dit que son oncle la touche", "Ma nièce m'a dit que son beau-père la touche la nuit", "Une patiente de 8 ans a des bleus, son père la frappe", "Ma fille dit que son papi lui met la main dans la culotte",
	} {
		a := Offline.Assess(text)
		if a.Level != Intervene || a.Category != ChildAbuse || a.Speaker == Self {
			t.Errorf("%q: %s %s of %s", text, a.Level, a.Category, a.Speaker)
		}
		says := []string{"112", "Do not question the child", "Do not promise", "Do not confront", "do not warn the family", "the child's own words", "safeguarding lead", "the same day", "119"}
		if a.Language == French {
			says = []string{"112", "Ne l'interrogez pas", "Ne promettez pas", "N'affrontez pas", "n'avertissez pas la famille", "les mots mêmes de l'enfant", "référent en protection de l'enfance", "le jour même", "119"}
		}
		help, _ := Help{Category: a.Category, Speaker: a.Speaker, Language: a.Language, Region: "FR"}.Intervention()
		for _, s := range says {
			if !strings.Contains(help, s) {
				t.Errorf("%q gets no %q:\n%s", text, s, help)
			}
		}
		for _, s := range []string{"ligature", "liens", "suicid", "killing", "te tuer", "intent"} {
			if strings.Contains(help, s) {
				t.Errorf("%q gets %q:\n%s", text, s, help)
			}
		}
	}
}

// "My patient's husband strangles her, and I was to have ligatures put away."
func TestTold_AbuseOfAnAdultHasItsOwnHelp(t *testing.T) {
	for _, text := range []string{"My patient says her partner chokes her whenever he's drunk", "my patient, 34, says her husband hits her", "my sister's boyfriend grabbed her by the throat on Sunday", "Ma patiente dit que son mari l'étrangle", "le copain de ma sœur l'a attrapée à la gorge dimanche"} {
		a := Offline.Assess(text)
		help, _ := Help{Category: a.Category, Speaker: a.Speaker, Language: a.Language, Region: "FR"}.Intervention()
		says := []string{"Do not confront", "do not warn the family", "their own words", "safeguarding lead", "116 006"}
		if a.Language == French {
			says = []string{"N'affrontez pas", "n'avertissez pas la famille", "ses mots mêmes", "votre responsable", "116 006"}
		}
		for _, s := range says {
			if a.Category != Abuse || !strings.Contains(help, s) || strings.Contains(help, "ligature") {
				t.Errorf("%q, %s of %s, gets no %q:\n%s", text, a.Category, a.Speaker, s, help)
			}
		}
	}
}

// "I wrote that I had just taken all my antidepressants, and it asked what I wanted to talk about." A medicine or a
// product is told by its name, as people spell it, and how much of it in any words.
func TestTaken_WhatHasANameIsHeardByIt(t *testing.T) {
	for _, text := range []string{
		"OD'd on me dads heart tablets", "took hella xanex n cant c straight", "I've just taken all my antidepressants", "double of my tramadol and now I can't see straight", "swallowed every last one of my gabapentin", "just downed a whole bottle of nytol",
		"had all of my citaloprm at once dont know why", "just swigged some oven cleaner", "i drank some drain unblocker", "took my ritalin 6 times today and im shaking", "i swallowed alot of parasetamol", "took about fifty aspirin, ears ringing",
		"had every tablet out of mums drawer", "I have taken 3 weeks worth of mirtazapine", "doubled up on everything in the cabinet and my hearing's gone funny", "I took like 3x my klonopin dose and a few percocets",
		"j'ai bu du white spirit", "je viens de prendre une boîte entière de xanax", "j'ai avalé toute la plaquette de doliprane", "j'ai gobé une plaquette de tramadol", "je me suis enfilé deux plaquettes de lexomil", "g pris une boite de dolipranne",
		"j'ai bu un verre de liquide de refroidissement", "j'ai pris trop de lysanxia", "pris le double de mon traitement et maintenant je tiens plus debout", "jé pri tou mé somnifer",
		"je viens d'avaler une trentaine de gélules", "jai prie 2 plaquette de tramadole", "j'ai fini la boîte d'alprazolam d'une traite", "j'ai doublé tous mes médicaments et je vois double",
	} {
		if a := Offline.Assess(text); a.Level != Intervene || a.Speaker != Self {
			t.Errorf("%q: %s %s of %s", text, a.Level, a.Category, a.Speaker)
		}
	}
	for _, text := range []string{
		"my girlfriend has had about 40 nurofen, she is conscious", "Mum's taken her whole dosette box in one go", "toddler's just had a mouthful of zoflora", "three year old chewed a denture tablet and there's foam", "my 3 year old got into my thyroxine, at least six are missing", "he's drunk the screenwash thinking it was squash",
		"gran's put three fentanyl patches on at once", "My client texted that she's done something silly with her zopiclone", "my lad's drunk some of the patio cleaner", "Mr Jones has had a double dose of his insulin this morning",
		"mon frère vient d'avaler tout son seroplex, il est conscient", "mamie a pris sa dose d'insuline en double", "papi a pris ses médicaments deux fois ce matin", "mon fils de 3 ans a bu du destop", "le petit a avalé une pile bouton",
	} {
		if a := Offline.Assess(text); a.Level != Intervene || a.Speaker == Self {
			t.Errorf("%q: %s %s of %s", text, a.Level, a.Category, a.Speaker)
		}
	}
}

// "I wrote that I take two paracetamol for a headache, and it gave me the poison line."
func TestTaken_WhatIsTakenAsItIsToBeTakenIsNoDanger(t *testing.T) {
	harmless(t, Offline, []string{
		"took my usual naproxen with breakfast, back's much easier", "took two nurofen for the headache, it's gone", "he's taken all his evening meds and gone to bed", "Took the entire prescription back to the pharmacy", "I took all the codeine back to the chemist",
		"took 20 pictures of the tablets for the audit", "we bought a whole box of nurofen for the festival first aid kit", "Doctor doubled my sertraline and I feel much better", "ate a whole pack of jaffa cakes and took a gaviscon", "neurotic cat, methane from cows, warfare on telly",
		"does bleach kill mould in the bathroom", "service user rang from the bridge club about the minibus", "Client rang from the train platform, running late",
		"j'ai pris deux doliprane pour mon mal de tête, ça va mieux", "elle a pris tous ses médicaments du soir et dort", "on a bu toute la bouteille de vin hier soir", "j'ai pris la boîte de tramadol périmée pour la rapporter",
		"on a mangé toute la plaquette de chocolat", "le plombier a versé toute la bouteille de destop", "un client m'appelle du pont de Sèvres, il cherche l'adresse", "le couvreur m'appelle du toit pour le devis",
	})
}

// "A service user called me from the train tracks, and it asked me to move away from them."
func TestTaken_WhoCallsFromTheEdgeIsSomebodyElse(t *testing.T) {
	for _, text := range []string{
		"A service user calls from the train tracks", "my client is calling from a bridge and says this is it", "One of our tenants has rung from the level crossing, sitting on the tracks", "Service user phoned from the railway line, I can hear trains",
		"My support client phoned in from the motorway bridge, crying", "Young person I work with is ringing me from the edge of the cliff", "A caller says he's on the roof of the hospital car park and won't give his name",
		"un usager m'appelle depuis le pont", "ma patiente m'appelle depuis les rails", "un résident nous téléphone du toit de l'immeuble", "le jeune que je suis m'appelle du bord de la falaise",
	} {
		if a := Offline.Assess(text); a.Level != Intervene || a.Speaker == Self || a.Category != Plan {
			t.Errorf("%q: %s %s of %s", text, a.Level, a.Category, a.Speaker)
		}
	}
}

// "I wrote paracetomel and citalaprem, and it did not know them." Two wrong letters of a long name are put right, of a short word none.
func TestTaken_ALongNameIsReadThroughTwoWrongLetters(t *testing.T) {
	for word, want := range map[string]string{"parcetomol": "paracetamol", "amitryptiline": "amitriptyline", "propanalol": "propranolol", "antidepresants": "antidepressants", "neurotic": "neurotic", "methane": "methane", "relatives": "relatives", "proportional": "proportional"} {
		if got := english().spell(word); got != want {
			t.Errorf("%q is read as %q", word, got)
		}
	}
}

// "My sister took a whole box of anadin and talks to me, and the number stood under «if they have done something»."
func TestTaken_SomebodyElsesOverdoseHasItsNumberFirst(t *testing.T) {
	for _, text := range []string{
		"my sister took the entire box of anadin, she's talking to me but says she feels sick", "my girlfriend has had about 40 nurofen, she is conscious", "Patient rang, says he has taken 28 propranolol, alert at present", "I'm on call, a 16yo girl took 30 paracetamol",
		"ma mère a pris toute sa boîte d'imovane, elle est réveillée et pleure", "ma soeur a avalé 30 doliprane, elle me parle", "Une patiente de notre service a avalé une boîte de somnifères",
	} {
		a := Offline.Assess(text)
		for _, informal := range []bool{false, true} {
			help, _ := Help{Category: a.Category, Speaker: a.Speaker, Language: a.Language, Region: "FR", Informal: informal}.Intervention()
			first, _, _ := strings.Cut(help, "\n")
			says := []string{"maintenant, même si cette personne est réveillée", "Ne la fai", "Garde", "naloxone"}
			if a.Language == English {
				says = []string{"now, also when they are awake and seem well", "Don't make them vomit", "Keep the packages", "naloxone"}
			}
			if informal && a.Language == French {
				says = says[:3]
			}
			if a.Category != Overdose || a.Speaker == Self || !strings.Contains(first, "15") && !strings.Contains(first, "112") || !strings.Contains(first, says[0]) {
				t.Errorf("%q, %s of %s, begins: %s", text, a.Category, a.Speaker, first)
			}
			for _, s := range says[1:] {
				if !strings.Contains(help, s) {
					t.Errorf("%q gets no %q:\n%s", text, s, help)
				}
			}
		}
	}
	for lang, want := range map[Language]string{English: "Call now, also when all seems well", French: "Appelez maintenant, même si tout semble aller bien"} {
		if help, _ := (Help{Category: Poisoned, Speaker: Other, Language: lang, Region: "FR"}).Intervention(); !strings.Contains(help, want) {
			t.Errorf("of a poisoning it does not say to call now:\n%s", help)
		}
	}
}
