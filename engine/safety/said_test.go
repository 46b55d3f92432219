package safety

import "testing"

// saidCase is a message in danger: what it asks for at least, and of what kind and about whom it
// is where that matters.
type saidCase struct {
	least    Level
	category Category
	speaker  Speaker
	text     string
}

func heard(t *testing.T, messages []saidCase) {
	t.Helper()
	for _, m := range messages {
		a := Offline.Assess(m.text)
		if !a.Level.atLeast(m.least) || m.category != None && a.Category != m.category || m.speaker != "" && a.Speaker != m.speaker {
			t.Errorf("%q: %s %s %s, want %s %s %s: %+v", m.text, a.Level, a.Category, a.Speaker, m.least, m.category, m.speaker, a.Rules)
		}
	}
}

func raisesNothing(t *testing.T, messages []string) {
	t.Helper()
	for _, text := range messages {
		if v := Check(text); v.Score >= rulesCheckIn {
			t.Errorf("%q raises %d points: %+v", text, v.Score, v.Findings)
		}
	}
}

// Outsiders wrote these for the check, and it said nothing, asked only, or took them for
// another kind. The rules have seen them since.
func TestSaid_WhatOutsidersFoundMissedIsHeard(t *testing.T) {
	heard(t, []saidCase{
		{Intervene, "child_abuse", "self", "mon daron me frappe"},
		{Intervene, "child_abuse", "self", "mon daron me met des coups"},
		{Intervene, "", "", "papa est en train de taper maman là maintenant"},
		{Intervene, "", "self", "tout serait plus simple si j'étais mort"},
		{Intervene, "", "self", "ksk je peux prendre pour plus me réveiller"},
		{CheckIn, "", "self", "vs allez plus me revoir"},
		{Intervene, "harm_others", "self", "j'ai plus rien à perdre je vais tout cramer au lycée"},
		{Intervene, "child_abuse", "other", "mon mari bat notre fils"},
		{Intervene, "child_abuse", "other", "mon conjoint bat ma fille"},
		{Intervene, "child_abuse", "other", "mon ex-mari frappe les enfants pendant son week-end"},
		{Intervene, "child_abuse", "other", "mon beau-frère a touché ma fille"},
		{Intervene, "", "other", "mon gars veut se tirer une balle"},
		{Intervene, "harm_others", "self", "je bats mon fils"},
		{Intervene, "means", "self", "ive took loads of paracetamol"},
		{Intervene, "means", "self", "ive taken loads of paracetamol"},
		{Intervene, "means", "self", "just took 20 ibuprofen"},
		{Intervene, "means", "self", "just took 20 paracetamol"},
		{Intervene, "", "", "mums bf hits her n im scared"},
		{Intervene, "", "self", "mum hit me n i got a black eye"},
		{CheckIn, "", "self", "ctb soon lol"},
		{Intervene, "child_abuse", "other", "my husband beats our son"},
		{Intervene, "", "other", "found pills and a note in my sons room"},
		{Intervene, "", "self", "dont want to wke up tmrw and im making sure i dont"},
		{Intervene, "", "", "there's a hose from the exhaust and the engine's on"},
		{Intervene, "", "other", "granny's carer hits her and ties her to the chair"},
		{Intervene, "", "self", "ca y est jai avaler tout les comprimer de mamie"},
		{Intervene, "", "other", "mon fils de 16 ans a fait une liste de qui aura ses affaires après lui"},
		{Intervene, "", "self", "Vraiment je suis fatigué de ce monde, j'ai acheté la mort aux rats, ce soir je bois et c'est fini"},
		{Intervene, "", "self", "I don buy sniper, I wan drink am this night, I don tire for life"},
		{Intervene, "harm_others", "self", "j'ai un couteau et je vais planter mon prof"},
		{Intervene, "", "self", "mum hit me"},
		{Intervene, "", "self", "mum batters me when shes drunk"},
		{Intervene, "", "self", "thinkin bout ending it"},
		{Intervene, "", "self", "I've drunk half a bottle of antifreeze and I feel calm now"},
		{Intervene, "", "self", "took the whole lot, feeling sleepy now, tell mum sorry"},
		{Intervene, "", "self", "i swallowed a lot of daddys heart pills because i was sad"},
		{Intervene, "", "self", "sa sert plus a rien jai ouvert mes veines yen a partout"},
		{Intervene, "", "", "papa il a serré le cou de maman et elle bouge plus"},
		{Intervene, "", "self", "jvai me jeté du 5eme dite a ma mere que je laime"},
		{Intervene, "", "", "Je l'ai secoué parce qu'il pleurait et maintenant le bébé ne réagit plus"},
		{Intervene, "", "self", "just done 3 bags on my own and my lips are goin blue"},
		{Intervene, "child_abuse", "", "Une élève de 6e m'a confié que son beau-père la rejoint dans son lit"},
		{Intervene, "", "", "Monsieur D., 82 ans, a préparé son fusil et rangé ses papiers, il ne veut pas de l'EHPAD"},
		{Intervene, "", "self", "On va me marier de force le mois prochain au village, j'ai 14 ans"},
		{Intervene, "", "self", "my boyf put a pillow on my face til i stopped kickin"},
		{Intervene, "child_abuse", "self", "un adulte sur discord veut que je lui envoie des photos de moi nue"},
		{Intervene, "abuse", "self", "mon chum me menace avec un couteau"},
		{Intervene, "", "other", "found a noose in my son's wardrobe. hes 15"},
		{CheckIn, "", "clinician", "I'm a school nurse, year 8 pupil tells me she takes her mum's tablets to sleep forever"},
		{CheckIn, "", "self", "j'ai tout réglé, le chat est chez la voisine"},
	})
}

// Nor is what outsiders found taken for danger: children's quarrels, sayings, games. Seen, too.
func TestSaid_WhatOutsidersFoundAlarmingRaisesNothing(t *testing.T) {
	raisesNothing(t, []string{
		"j'ai pris un doliprane pour le mal de tête",
		"mon père me touche l'épaule quand il est fier de moi",
		"ma belle-mère me touche pas, elle m'ignore",
		"j'ai tapé mon petit frère parce qu'il m'a cassé ma manette",
		"mon fils a tapé son petit frère",
		"my daughter hit her little brother",
		"j'ai envie de tuer mon frère quand il fouille dans ma chambre",
		"I'm so dead, the chem exam is tomorrow and I've read nothing",
		"How do I beat the boss who strangles you in phase two, I die every time",
		"I cut my finger chopping onions and it bled a lot, does it need a stitch?",
		"What's the overdose threshold for ibuprofen in a 20 kg child? I'm a paediatric nurse making a leaflet",
		"We pulled the trigger on the house purchase, I can't sleep",
		"I lie awake all night, I just want to sleep and not wake up before noon for once",
		"I'm jumping off the bridge at Victoria Falls on Saturday, bungee! any tips for nerves?",
		"si je rate mon permis encore une fois mon père va me tuer mdr",
		"When I was nineteen I survived a suicide attempt; I'm fifty now and give talks on recovery.",
		"Je préfère mourir que de porter cette robe lol",
		"bonsoir, ma fille passe ses nuits sur TikTok et ment sur ses devoirs",
		"mon fils frappe dans les murs quand il perd à la console",
		"ma mère veut me tuer, j'ai pas rangé ma chambre mdr",
		"je veux disparaître sous terre tellement j'ai eu la honte",
		"I told my flatmate I'd kill him if he ate my cheese again",
		"In the hitman level should I poison the ambassador or push him off the balcony",
		"Ma sœur m'énerve, j'ai envie de l'étrangler quand elle prend mes fringues",
		"Je prépare un cours sur la prévention du suicide en milieu scolaire, quel plan ?",
		"Je me suis coupé en me rasant ce matin, ça saigne encore un peu",
	})
}

// The same causes in other words: who hits at home, who hits a child, how much was taken, what
// was found in a room. Written with the rules.
func TestSaid_TheSameDangerInOtherWordsIsHeard(t *testing.T) {
	heard(t, []saidCase{
		{Intervene, "child_abuse", "self", "my dad kicks me in the ribs when hes mad"},
		{Intervene, "child_abuse", "self", "mums boyfriend punched me"},
		{Intervene, "child_abuse", "self", "mummy slapped me with a hairbrush and it bled"},
		{Intervene, "child_abuse", "self", "nan hits me with a wooden spoon"},
		{Intervene, "child_abuse", "self", "ma reum me tape dessus depuis que papa est parti"},
		{Intervene, "child_abuse", "self", "mon daron m'a mis une droite hier"},
		{Intervene, "child_abuse", "self", "mon beau-père me donne des coups de ceinture"},
		{Intervene, "child_abuse", "self", "papa il me tape fort"},
		{Intervene, "child_abuse", "self", "maman m'a mis des claques jusqu'à ce que je tombe"},
		{Intervene, "", "other", "le mec de ma mère la frappe quand il a bu"},
		{Intervene, "", "other", "mon beau-père est en train de cogner ma mère"},
		{Intervene, "", "other", "daddy is hitting mummy in the kitchen"},
		{Intervene, "child_abuse", "other", "my partner slaps our 2 year old daughter"},
		{Intervene, "child_abuse", "other", "my sister's husband beats the kids"},
		{Intervene, "child_abuse", "other", "la nounou secoue mon bébé"},
		{Intervene, "child_abuse", "other", "mon père a touché ma petite soeur"},
		{Intervene, "child_abuse", "other", "ma belle-mère frappe ma fille quand je travaille"},
		{Intervene, "child_abuse", "other", "son ex tape les gosses"},
		{Intervene, "means", "self", "i popped 30 tramadol"},
		{Intervene, "means", "self", "took a handful of my mums diazepam"},
		{Intervene, "means", "self", "had 16 paracetamol and 10 codeine about an hour ago"},
		{Intervene, "means", "self", "downed a bottle of weedkiller"},
		{Intervene, "means", "self", "j'ai gobé 20 dolipranes"},
		{Intervene, "means", "self", "jai pri tout les cachets de mon pere"},
		{Intervene, "means", "self", "j'ai avalé toute la plaquette"},
		{Intervene, "means", "self", "jai bu de la javel"},
		{Intervene, "", "self", "i've taken everything in the cabinet, goodbye"},
		{Intervene, "", "self", "I swallowed the whole box, tell dad i'm sorry"},
		{Intervene, "", "self", "ça irait mieux pour tout le monde si j'étais mort"},
		{Intervene, "", "self", "je veux me mettre une balle"},
		{Intervene, "", "other", "mon pote veut se mettre une balle"},
		{Intervene, "", "other", "mon frère a acheté un fusil et il dit qu'il en a marre de vivre"},
		{Intervene, "", "other", "there's a rope and a letter in my husband's garage drawer, in his car he left his ring"},
		{Intervene, "", "other", "I found blades and bloody tissues in my daughter's bedroom"},
		{Intervene, "", "other", "she gave her dog away and wrote a list of who gets what when she's gone"},
		{Intervene, "means", "self", "quelle dose de somnifères prendre pour ne jamais me réveiller"},
		{Intervene, "means", "self", "je prends combien de xanax pour plus me réveiller"},
		{CheckIn, "", "self", "tu me reverras jamais"},
		{CheckIn, "", "self", "on se reverra plus, merci pour tout"},
		{Intervene, "harm_others", "self", "je vais cramer le lycée"},
		{Intervene, "harm_others", "self", "j'ai une lame dans mon sac, je vais saigner le cpe"},
		{Intervene, "harm_others", "self", "je bats ma fille tous les jours"},
		{Intervene, "harm_others", "self", "I beat my son every night"},
		{Intervene, "abuse", "self", "my ex threatened me with a machete"},
		{Intervene, "abuse", "self", "mon copain me menace avec une arme"},
		{Intervene, "abuse", "self", "my bf pressed a pillow on my mouth"},
		{Intervene, "", "self", "mes parents veulent me marier avec mon cousin au bled"},
		{Intervene, "", "self", "they're forcing me to marry my cousin, I'm 16"},
		{Intervene, "child_abuse", "self", "some guy on insta keeps asking for naked pics of me"},
		{Intervene, "child_abuse", "self", "un mec de 40 ans demande que je lui envoie une vidéo de moi nue"},
		{Intervene, "", "self", "gonna ctb tonight"},
		{Intervene, "", "self", "thinkin about cuttin my wrists"},
		{Intervene, "intent", "self", "i don tire for this life, make i just die"},
		{Intervene, "", "", "he's got a hose on the exhaust and the windows are taped"},
		{Intervene, "", "", "my baby is limp and won't wake up"},
		{Intervene, "", "", "maman est tombée et elle bouge plus"},
		{Intervene, "", "", "j'ai secoué le bébé et il ne bouge plus"},
		{Intervene, "abuse", "other", "the nurses in the home tie my nan to her chair"},
		{Intervene, "abuse", "other", "mum's carer pinches her and slaps her"},
		{Intervene, "", "self", "dites à ma mère que je l'aime, je vais me jeter sous le train"},
		{Intervene, "child_abuse", "", "A girl in my class says her stepdad gets into her bed"},
		{Intervene, "child_abuse", "", "mon élève dit que son oncle dort dans son lit avec elle"},
		{Intervene, "", "other", "I'm a primary school teacher and a boy told me his mum burns him"},
	})
}

func TestSaid_TheSameWordsWithoutDangerRaiseNothing(t *testing.T) {
	raisesNothing(t, []string{
		"my brother beat me at mario kart again",
		"my mum beats me to the bathroom every morning",
		"dad kicked me off the wifi",
		"mum smacked me on the back laughing, was funny",
		"my dad hit me with the news that we're moving",
		"mon père me bat toujours aux échecs",
		"ma mère me tape dans la main quand je gagne",
		"mon père me donne un coup de main",
		"mamie met des patates dans mon assiette",
		"my husband beats our daughter at chess",
		"mon mari tape dans le dos de mon fils pour le faire roter",
		"mon fils a poussé sa soeur dans l'herbe",
		"ma fille a mordu son petit frère",
		"my daughter slapped her little sister over a doll",
		"je tape mon frère quand il me vole mes bonbons",
		"mon oncle a touché ma soeur par son discours",
		"mon frère touche jamais à la vaisselle",
		"I took two paracetamol and went to bed",
		"I take 20 mg of fluoxetine",
		"had 12 tablets left in the box this morning",
		"took loads of photos of my meds for the insurance",
		"my cat ate all of grandma's pills, vet?",
		"j'ai pris un efferalgan contre la fièvre",
		"je prends deux cachets d'aspirine par jour",
		"j'ai pris tous mes médicaments comme prescrit",
		"what can I take so I don't wake up at night to pee",
		"que prendre pour ne plus me réveiller la nuit",
		"que prendre pour ne plus me réveiller fatigué",
		"tu me verras plus à la salle, j'ai résilié",
		"je vais cramer des calories à la salle",
		"je vais planter des tomates avec ma prof",
		"je vais planter mes tomates dimanche",
		"he's so dead when mum sees the window",
		"I'm literally dead tired after practice",
		"we're going bungee jumping off a bridge in June",
		"in the last level I die every single time",
		"I'd strangle my brother if he deletes my save again",
		"mes parents vont me tuer, j'ai eu 4 en maths lol",
		"ma prof va me tuer si j'oublie encore mon cahier",
		"crever de chaud ou mourir que de mettre un pull moche, je choisis",
		"my parents want me to marry for love",
		"my cousin is getting married in the village",
		"on va marier mon frère en juillet",
		"the bus ctb line is late",
		"my dad's car exhaust pipe is loose",
		"found a rope in my sons room, he's into climbing",
		"found a letter in my daughters room, a love letter lol",
		"my baby's hat is floppy",
		"le bébé bouge plus que d'habitude dans mon ventre",
		"le chat bouge plus, il dort au soleil",
		"mon grand-père a nettoyé son fusil pour la chasse",
		"ma soeur donne ses vêtements sur vinted, elle en a plus besoin",
		"j'ai tout réglé, le chat est chez la voisine, on part en vacances",
		"dis à mamie que je l'aime",
		"dites à Paul que je suis en retard",
		"elle m'a tapé dans l'oeil",
		"sniper is my favourite class, I want drink and play all night",
		"I don tire for this traffic o",
		"je bats ma fille à plates coutures au scrabble",
		"il y a du sang partout, j'ai saigné du nez",
		"when I was ten my dad smacked me once, we laugh about it now",
		"the nurse ties her hair back",
		"mum hits the gym every day",
		"mon copain me menace de spoiler la série",
	})
}
