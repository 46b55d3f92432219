package safety

import "testing"

// “Mon mari est parti dans la remise avec son fusil et il s'est enfermé”: nothing was found.
func TestSiege_WhoIsShutInArmedOrDousedGetsHelpForThatPerson(t *testing.T) {
	heardAs(t, []kindCase{
		{Intervene, []Category{Means, Plan}, Other, []string{
			"My husband went into the shed with his shotgun and locked himself in",
			"he's barricaded himself in the bedroom with dad's rifle",
			"Our registrar has locked herself in the on-call room with propofol",
			"my colleague took a vial of propofol and shut himself in the sluice",
			"She has shut herself in the bathroom with a carving knife",
			"My dad has loaded his hunting rifle and he's crying",
			"our anaesthetist is in the toilets with ketamine and a cannula, door locked",
			"he took the pistol and locked the door behind him",
			"my son is sitting in his car in the garage with his gun",
			"Mon mari est parti dans la remise avec son fusil et il s'est enfermé",
			"il s'est barricadé dans la chambre avec la carabine de son père",
			"Notre interne s'est enfermée dans la chambre de garde avec du propofol",
			"Elle s'est enfermée dans la salle de bain avec un couteau de cuisine",
			"Mon père a chargé son fusil de chasse et il pleure",
			"il a pris son pistolet et il a verrouillé la porte",
			"mon fils est dans sa voiture au garage avec le fusil",
		}},
		{Intervene, []Category{Voices}, Other, []string{
			"The voices tell her to jump from the bridge", "Les voix lui ordonnent de sauter du pont", "Elle dit que ses voix lui disent de tuer sa fille",
		}},
		{Intervene, []Category{Voices}, Self, []string{"I hear voices telling me to jump", "Je les entends, les voix me disent de sauter", "The voices tell me she wants me dead and I must stab her"}},
		{Intervene, []Category{ChildAbuse}, Other, []string{
			"Her stepfather comes into her room at night when her mother is at work", "His stepfather gets into his bed when mum is asleep",
		}},
		{Intervene, []Category{HarmOthers}, Other, []string{
			"Il a une carabine chez lui et il dit qu'il va descendre son voisin ce soir",
		}},
		{Intervene, []Category{Intent}, Other, []string{
			"Dad says he will join mum and took the shotgun out", "He said he wants to be with mum again and got the shotgun out",
			"Mum says she'll follow dad soon and dad's rifle is on her bed", "My grandad wants to join nan, he's loaded his gun",
		}},
		{Intervene, []Category{Means, Plan, Overdose}, Other, []string{
			"one of the nurses has taken fentanyl from the cupboard and gone into the changing room and locked it",
			"mon collègue s'est injecté du propofol dans les toilettes",
			"Une infirmière a pris du fentanyl dans le coffre et s'est enfermée au vestiaire",
		}},
		{Intervene, []Category{Means, Plan, Intent}, Other, []string{
			"He doused himself in petrol and has a lighter",
			"my mate has poured petrol all over himself and is holding matches",
			"There's a woman soaked in white spirit, she says she'll light it",
			"my brother's tipped a can of diesel over his head and wants to set himself alight",
			"Client has covered himself with fuel in the waiting room",
			"Il s'est aspergé d'essence et il a un briquet",
			"mon frère s'est versé un bidon d'essence dessus et il tient des allumettes",
			"Une dame s'est arrosée d'alcool à brûler et menace d'y mettre le feu",
			"il veut s'immoler devant la mairie, il a le bidon",
			"Un usager s'est imbibé d'essence dans la salle d'attente",
			"my uncle has shut himself in the barn with a rifle and isn't answering",
			"Dad's sitting in the truck with the shotgun across his knees",
			"our ODP has gone missing with a syringe of propofol",
			"she bolted the door and she's got a box cutter with her",
			"mon oncle est enfermé dans la grange avec une carabine et ne répond pas",
			"papa est assis dans le camion, le fusil sur les genoux",
			"elle a bloqué la porte et elle a un cutter",
			"a man outside the town hall has emptied a jerrycan on his clothes and he's flicking a lighter",
			"my sister is drenched in lighter fluid and won't let us near",
			"un homme devant la mairie a vidé un jerrican sur ses habits et joue avec un briquet",
			"ma sœur est trempée d'alcool à brûler, elle ne laisse personne approcher",
			"My ex is holed up in the cabin with a revolver",
			"Son has locked himself in his room with the kitchen knives",
			"mon ex est retranché dans le chalet avec un revolver",
			"le petit s'est enfermé dans sa chambre avec les couteaux de cuisine",
			"grandson has splashed petrol on his hoodie and has matches out",
			"mon petit-fils s'est mis de l'essence sur le pull et il a sorti des allumettes",
			"my dad bolted himself in the workshop with the crossbow",
			"ma mère s'est bouclée dans la cave avec le revolver",
			"our resident is soaked in methylated spirit and has a match",
			"notre résident est imbibé de white-spirit, il tient une allumette",
		}},
		{Intervene, []Category{Means, Plan, Intent, Overdose}, Other, []string{
			"an anaesthetic trainee is in the car park with a bag of ketamine and says she is done",
			"une collègue d'anesthésie est partie aux toilettes avec une seringue de propofol",
			"the vet nurse has taken the pentobarbital and locked herself in",
		}},
	})
}

// “Mon copain dit que si je pars il me tue et se tue après”: it got the text for self-harm.
func TestSiege_WhoThreatensToTakeSomebodyAlongIsAbuse(t *testing.T) {
	heardAs(t, []kindCase{
		{Intervene, []Category{Abuse}, Self, []string{
			"My boyfriend says if I leave he'll kill me and then himself, he's got a knife in his hand",
			"he told me he will shoot me and then shoot himself",
			"my ex texts that he'll take us both out",
			"My husband swears that if I go he will kill me and then kill himself",
			"he said if he cant have me nobody will and hes got a gun",
			"my partner threatens to crash the car with both of us in it",
			"Mon copain dit que si je pars il me tue et se tue après, il a un couteau à la main",
			"il m'a dit qu'il me tirerait dessus et qu'il se tuerait après",
			"mon ex écrit qu'il va nous tuer tous les deux",
			"Mon mari jure que si je le quitte il me tue et il se flingue",
			"il menace de nous foutre dans le mur en voiture tous les deux",
			"Mon conjoint a dit qu'il me tuerait et qu'il se pendrait ensuite",
			"si je m'en vais il me bute et après il se bute",
			"Il va me balancer par la fenêtre",
			"il dit qu'il va me jeter du balcon",
			"mon mec veut me pousser dans l'escalier",
			"Il est derrière la porte et il crie qu'il va nous brûler vives",
			"mon ex est devant chez moi avec un bidon d'essence et dit qu'il va tout brûler",
			"il hurle qu'il va mettre le feu à la maison avec nous dedans",
			"He's outside the door shouting he will burn us alive",
			"he's going to throw me out of the window",
			"my ex is on the drive with a petrol can saying he'll burn the house down",
			"j'ai reçu des coups de mon fils hier, il a 17 ans",
			"my son hit me again yesterday, he's 17",
			"he keeps saying that if I walk out he'll put a bullet in me and one in his own head",
			"my wife says she will stab me then cut her own throat",
			"he promised we would both die tonight, he is driving like mad with me in the car",
			"He is pushing me towards the balcony and says I'm going over",
			"he's pouring petrol through my letterbox",
			"il répète que si je sors il me met une balle et s'en garde une pour lui",
			"Il me pousse vers le balcon, il dit que je vais passer par-dessus",
			"il roule comme un fou avec moi dans la voiture et dit qu'on va mourir tous les deux",
			"il verse de l'essence sous ma porte",
			"he says if he goes down he is taking me and the kids with him",
			"my ex will shoot me then turn the gun on himself, he told my sister",
			"He's dragging me to the window",
			"il dit que s'il meurt il nous emmène avec lui",
			"mon ex va me tirer dessus et retourner l'arme contre lui, il l'a dit à ma sœur",
			"Il me traîne vers la fenêtre",
			"she told me she'd gas us both in our sleep",
			"elle m'a dit qu'elle nous gazerait tous les deux pendant la nuit",
			"he is going to push me under the train",
			"il va me pousser sous le métro",
		}},
	})
}

// “My husband has put a pillow over mum's face”: it asked about suicide. “I shout at my baby and I'm scared of what I might do” got the text for suicide.
func TestSiege_APillowOverAFaceIsHarmToOthers(t *testing.T) {
	heardAs(t, []kindCase{
		{Intervene, []Category{HarmOthers, Abuse}, Other, []string{
			"My husband has put a pillow over mum's face",
			"my sister is pressing a cushion on the baby's face",
			"he's holding a plastic bag over her head",
			"The aide had a pillow on Mr Reed's face when I came in",
			"my stepdad is holding my brother's head under water",
			"I saw dad push a pillow down on grandma's face",
			"Mon mari a mis un oreiller sur le visage de ma mère",
			"il lui tient un sac plastique sur la tête",
			"L'aide-soignante appuyait un oreiller sur le visage de M. Roux quand je suis entrée",
			"j'ai vu papa écraser un coussin sur la tête de mamie",
			"mum is holding a cushion on nan's mouth",
			"the night carer was pressing a towel over my dad's nose and mouth",
			"maman tient un coussin sur la bouche de mamie",
			"la veilleuse de nuit appuyait une serviette sur le nez et la bouche de mon père",
			"the babysitter is pressing his face into the pillow",
			"dad is stuffing a towel into grandpa's mouth",
			"I walked in and he was holding a pillow on her head",
		}},
		{Intervene, []Category{HarmOthers}, Self, []string{
			"I'm standing over him with a pillow and I could press it on his face",
		}},
		{Intervene, []Category{HarmOthers, Abuse, ChildAbuse}, Other, []string{
			"ma sœur appuie un coussin sur la figure du bébé",
			"mon beau-père maintient la tête de mon frère sous l'eau",
			"my boyfriend put a blanket over the baby's face to shut him up",
			"mon copain a mis une couverture sur le visage du bébé pour le faire taire",
			"la nounou lui enfonce le visage dans l'oreiller",
		}},
		{CheckIn, []Category{HarmOthers}, Self, []string{
			"I shout at my baby and I'm scared of what I might do",
			"I'm frightened I'll shake her when she won't stop crying",
			"sometimes I'm so angry with my newborn I'm afraid I'll hurt him",
			"I nearly threw my baby on the bed tonight, I don't trust myself",
			"I had to leave the room because I was going to hit my son and I'm scared",
			"when she screams I get these pictures of dropping her and I'm terrified",
			"Je crie sur mon bébé et j'ai peur de ce que je pourrais faire",
			"j'ai peur de la secouer quand elle n'arrête pas de pleurer",
			"J'ai tellement de colère contre mon nouveau-né que j'ai peur de lui faire du mal",
			"j'ai failli jeter mon bébé sur le lit ce soir, je ne me fais plus confiance",
			"j'ai dû sortir de la pièce parce que j'allais frapper mon fils et ça me fait peur",
			"quand elle hurle je vois des images où je la lâche, ça me terrifie",
			"I lose it with my two-year-old and I'm worried I'll go too far",
			"I grabbed my daughter so hard tonight, I'm scared of myself",
			"je m'emporte contre ma fille de deux ans et j'ai peur d'aller trop loin",
			"J'ai serré mon fils si fort ce soir que je me fais peur",
			"I'm frightened of what I'd do to the twins if they scream again",
			"j'ai peur de ce que je ferais aux jumeaux s'ils hurlent encore",
			"I'm terrified I will throw my newborn down the stairs",
			"je suis terrifiée à l'idée de jeter mon nouveau-né dans l'escalier",
		}},
	})
}

// "He said that he will wait for her with a knife, and I was given a line for suicide." "Papa veut rejoindre maman, il a sorti
// son fusil" was a danger to others.
func TestSiege_WhoTellsOfAWeaponGetsHelpForWhatItIsFor(t *testing.T) {
	heardAs(t, []kindCase{
		{Intervene, []Category{HarmOthers}, Other, []string{
			"He told me he is going to wait for his ex outside her office with a knife.",
			"My brother says he will wait for her boss by the car park with a hammer",
		}},
		{Intervene, []Category{Intent}, Other, []string{
			"Papa m'a dit qu'il allait rejoindre maman ce soir, il a sorti son fusil de chasse.",
		}},
		{Intervene, []Category{Abuse}, Self, []string{
			"Mon ex est devant la porte avec un couteau",
			"Il est derrière ma porte avec une batte",
		}},
	})
}

// "I wrote that she cannot be woken, and it found nothing." "He sees insects on the wall since he stopped drinking": it asked about
// intent, plan and means.
func TestBody_WhoCannotBeWokenOrSeesInsectsIsAnEmergency(t *testing.T) {
	heardAs(t, []kindCase{
		{Intervene, []Category{Medical, Unresponsive}, Other, []string{
			"The daughter says mum has had nothing to drink for two days and cannot be woken properly.",
			"He stopped drinking two days ago and now he's shaking, sweating and seeing insects on the wall.",
			"Il a arrêté de boire il y a deux jours et maintenant il tremble, transpire et voit des insectes sur le mur.",
		}},
	})
}
