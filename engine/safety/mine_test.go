package safety

import (
	"strings"
	"testing"
)

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

// « mon père a avalé toute la boîte de comprimés et ne se réveille plus » was answered with “ask him whether he thinks of
// killing himself”, in the other order of words with an adrenaline pen and no poison line.
func TestUnresponsive_WhoTookSomethingAndCannotBeWokenGetsTheEmergencyNumberFirst(t *testing.T) {
	heard(t, []saidCase{
		{Intervene, Unresponsive, Other, "mon père a avalé toute la boîte de comprimés et ne se réveille plus"},
		{Intervene, Unresponsive, Other, "mon père ne se réveille plus, il a pris ses comprimés"},
		{Intervene, Unresponsive, Other, "ma soeur convulse, elle a pris tous ses antidépresseurs"},
		{Intervene, Unresponsive, Other, "Ma femme ne respire plus, elle a avalé de l'eau de Javel"},
		{Intervene, Unresponsive, Other, "mon fils a bu du déboucheur et il est inconscient"},
		{Intervene, Unresponsive, Other, "Impossible de réveiller mon mari, il y a des plaquettes vides à côté de lui"},
		{Intervene, Unresponsive, Other, "j'ai retrouvé ma mère inanimée, la boîte de Valium est vide"},
		{Intervene, Unresponsive, Other, "mon coloc a fait une overdose, il respire à peine"},
		{Intervene, Unresponsive, Other, "my mum took all her tablets and I can't wake her"},
		{Intervene, Unresponsive, Other, "I can't wake my brother, there's an empty pill bottle next to him"},
		{Intervene, Unresponsive, Other, "she isn't breathing, she took a whole box of paracetamol"},
		{Intervene, Unresponsive, Other, "my friend drank a bottle of vodka and took pills and now he's having a seizure"},
		{Intervene, Unresponsive, Other, "my toddler drank bleach and is unconscious"},
		{Intervene, Unresponsive, Other, "she took pills an hour ago, she's breathing very slowly"},
		{Intervene, Unresponsive, Clinician, "My patient has taken 40 amitriptyline and is unresponsive"},
		// Who can be talked to, and the writer themselves, keep the help that they had.
		{Intervene, Overdose, Other, "my mum took all her tablets"},
		{Intervene, Overdose, Self, "I took all my pills and I can't stay awake"},
		{Intervene, Medical, Other, "my mum collapsed and I can't wake her"},
	})
	for _, who := range []Speaker{Other, Clinician} {
		for _, young := range []bool{false, true} {
			h := Help{Category: Unresponsive, Speaker: who, Language: French, Region: "FR", Informal: young}
			text, ok := h.Intervention()
			call, poison := strings.Index(text, "112"), strings.Index(text, "01 45 42 59 59")
			if first, _, _ := strings.Cut(text, "\n"); !ok || !strings.Contains(first, "maintenant, avant toute autre chose") || call < 0 || poison < call || strings.Contains(text, "3114") {
				t.Errorf("emergency number at %d, poison line at %d of:\n%s", call, poison, text)
			}
			for _, never := range []string{"te tuer", "fin à ses jours", "adrénaline", "saigne"} {
				if strings.Contains(text, never) {
					t.Errorf("%q stands in the help:\n%s", never, text)
				}
			}
			if all := h.Numbers(); len(all) != 2 || !strings.Contains(all[1].Call, "01 45 42 59 59") {
				t.Errorf("first to be called: %v", all)
			}
		}
	}
}
