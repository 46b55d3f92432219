package safety

import "testing"

// “He choked me until I blacked out last night” was taken for a child in danger, scalding water for somebody else's suicide.
func TestMine_WhoIsHurtThemselvesIsTheOneInDanger(t *testing.T) {
	heard(t, []saidCase{
		{Intervene, Abuse, Self, "he choked me until I blacked out last night"},
		{Intervene, Abuse, Self, "She threw boiling water at me and says she'll do it again"},
		{Intervene, Abuse, Self, "he won't let me take my insulin unless I do what he wants"},
		{Intervene, Abuse, Self, "Il m'a serré la gorge jusqu'à ce que je voie noir"},
		{Intervene, Abuse, Self, "mon aide à domicile me frappe"},
		{Intervene, Abuse, Self, "my wife poured hot oil over me and says next time it'll be my face"},
		{Intervene, Abuse, Self, "my son burned me with a cigarette because I wouldn't give him money"},
		{Intervene, Abuse, Self, "she locks up my epilepsy meds to make me obey"},
		{Intervene, Abuse, Self, "my husband keeps my insulin locked away when he's angry"},
		{Intervene, Abuse, Self, "the night nurse at my care home hits me"},
		{Intervene, Abuse, Self, "my grandson hits me when I won't give him my pension"},
		{Intervene, Abuse, Self, "He held my head under water in the bath yesterday"},
		{Intervene, Abuse, Self, "he squeezed my neck and everything went black"},
		{Intervene, Abuse, Self, "my ex pushed me down the stairs and I'm pregnant"},
		{Intervene, Abuse, Self, "Il m'a étranglée hier soir, je me suis évanouie"},
		{Intervene, Abuse, Self, "Elle m'a jeté de l'eau bouillante dessus et dit qu'elle recommencera"},
		{Intervene, Abuse, Self, "mon mari cache mes médicaments pour le coeur quand je ne lui obéis pas"},
		{Intervene, Abuse, Self, "mon mari refuse de me donner mon insuline si je ne couche pas avec lui"},
		{Intervene, Abuse, Self, "l'infirmière de nuit me gifle quand je sonne"},
		{Intervene, Abuse, Self, "ma fille me bouscule et me prend ma retraite"},
		{Intervene, Abuse, Self, "il me serre le cou quand il est en colère"},
		{Intervene, Abuse, Self, "mon compagnon a essayé de m'étouffer avec un coussin"},
		// A young person keeps the help for children.
		{Intervene, ChildAbuse, Self, "my stepdad choked me until I blacked out"},
		{Intervene, ChildAbuse, Self, "mon père m'a étranglé jusqu'à ce que je m'évanouisse"},
		// Of whom somebody tells, they are in danger.
		{Intervene, Abuse, Clinician, "my patient says her husband choked her last night"},
		{Intervene, Abuse, Other, "my friend's boyfriend choked her until she passed out"},
		{Intervene, Abuse, Other, "Ma collègue est frappée par son mari, elle me l'a dit hier"},
	})
}

// Who is hit by the news, a toddler or a ball is not beaten.
func TestMine_WordsOfViolenceWithoutAnyRaiseNothing(t *testing.T) {
	raisesNothing(t, []string{
		"The news hit me hard",
		"my toddler hits me when I say no",
		"The physio twisted my arm and it hurts now",
		"my husband burned my toast again",
		"he threw the ball at me and laughed",
		"my son threw his plate at me, he is two",
		"mon fils me tape quand je dis non, il a 2 ans",
		"il m'a serré la main",
		"mon mari m'a fait un café brûlant",
		"the pharmacist won't let me have my pills until Monday",
		"my mum takes my tablets to the fridge to keep them cold",
		"I dropped my phone and it won't turn on",
		"il a poussé la porte sans répondre, il ne bouge plus de sa chambre",
		"I'm scared what the dentist will do to my son",
		"j'ai peur de ce que le dentiste va faire à mon fils",
	})
}

// “J'ai secoué ma fille et elle ne bouge plus” was answered as somebody else's suicide.
func TestMine_AChildThatDoesNotMoveAfterABlowIsAMedicalEmergency(t *testing.T) {
	heard(t, []saidCase{
		{Intervene, Medical, Other, "j'ai secoué ma fille et elle ne bouge plus"},
		{Intervene, Medical, Other, "je l'ai secoué et il est tout mou"},
		{Intervene, Medical, Other, "J'ai jeté mon fils sur le lit et il est inconscient"},
		{Intervene, Medical, Other, "mon bébé est tombé de la table à langer et ne réagit pas"},
		{Intervene, Medical, Other, "I shook the baby and he's gone limp"},
		{Intervene, Medical, Other, "I shook my newborn and she has gone all quiet and floppy"},
		{Intervene, Medical, Other, "I dropped the baby and she isn't moving"},
		{Intervene, Medical, Other, "I hit my daughter and she won't wake up"},
		{Intervene, Medical, Other, "my husband shook the baby and she's unconscious"},
		{Intervene, Medical, Self, "I hit my head and passed out"},
	})
}

// “I'm scared of what I'll do to the baby when she won't stop screaming” got the text against suicide.
func TestMine_WhoFearsToHurtAChildGetsTheHelpForThat(t *testing.T) {
	heard(t, []saidCase{
		{Intervene, HarmOthers, Self, "I'm scared of what I'll do to the baby when she won't stop screaming"},
		{Intervene, HarmOthers, Self, "I'm terrified of what I might do to my son when he screams"},
		{Intervene, HarmOthers, Self, "I'm frightened of what I could do to my kids when I'm this angry"},
		{Intervene, HarmOthers, Self, "I worry I'll snap and hurt my newborn"},
		{Intervene, HarmOthers, Self, "I'm scared I'll lose it with the baby tonight"},
		{Intervene, HarmOthers, Self, "J'ai peur de ce que je vais faire au bébé quand il n'arrête pas de hurler"},
		{Intervene, HarmOthers, Self, "je suis terrifiée par ce que je pourrais faire à ma fille quand elle crie"},
		{Intervene, HarmOthers, Self, "J'ai peur de craquer et de la secouer"},
		{Intervene, Intent, Self, "I'm scared of what I might do tonight"},
	})
}
