package safety

import "testing"

// "My patient had a gun in his lap. I wrote that he had hung up and asked what to do, and it made small talk", and the
// other way round: "the firemen are there, and it asks me again whether he is safe."
func TestFollow_WhatComesAfterHelpAboutAnotherPersonIsReadAsItsFollowUp(t *testing.T) {
	for how, texts := range map[Follow][]string{
		GoesOn: {"he's hung up", "his wife is upstairs with the kids", "what should I do now?", "What do I do?", "what now", "ok so now what?", "what do I say to him?", "who do I call", "should I call the police?", "do I have to stay with her?", "can I leave him alone?", "help", "please help me",
			"any advice?", "how do I keep him talking?", "how can I help her", "I don't know what to do", "she has locked the door", "he's crying and pacing now", "the line went dead... voicemail", "the neighbours heard shouting", "they won't open the door", "he says he's fine but I don't believe him", "the gun is loaded", "the ambulance isn't here yet",
			"I can hear him sobbing", "nobody answers at his flat", "thanks. he stopped replying. what should I do?", "is he going to die?", "she is not ok", "what if he comes back?", "her brother is driving over", "my patient won't pick up", "what can be done?", "do you think I should call the police?", "am I allowed to break confidentiality?", "he texted goodbye", "he wants me to leave", "what do I do about him", "call dropped", "I hear glass breaking", "do I tell the family?", "is it ok to hang up?", "how long until the ambulance gets here, how long do I wait?", "he took the knife", "she has taken the pills", "he's got his gun back", "the police are here and he is shooting", "he is at the hospital threatening staff", "he took his meds bottle into the bathroom",
			"il a raccroché", "sa femme est à l'étage avec les enfants", "je fais quoi ?", "Que dois-je faire maintenant ?", "qu'est-ce que je fais", "et maintenant ?", "quoi faire", "qui dois-je appeler ?", "dois-je appeler la police ?", "comment l'aider ?", "je sais pas quoi faire", "aidez-moi", "vous me conseillez quoi ?",
			"elle s'est enfermée dans la salle de bain", "il pleure et tourne en rond", "ses voisins entendent des cris", "il dit qu'il va bien mais je n'y crois pas", "les secours ne sont pas encore là", "faut-il que j'aille chez lui ? je dois y aller ?", "est-ce qu'il va mourir ?", "mon patient ne décroche pas", "et s'il refuse ?", "quelle est la marche à suivre ?", "je suis devant sa porte", "la ligne a coupé", "on évacue ?", "qu'est-ce que je lui réponds ?", "j'ai besoin de conseils", "il a pris le couteau", "il a récupéré le fusil", "il a arrêté son traitement"},
		AllSafe: {"he is safe now", "the police are with him", "thanks, the police are with him now", "She's safe, the ambulance took her", "yes", "yes he is", "Yes, she's safe.", "the paramedics are here", "he's in hospital now", "she has been admitted", "they've taken the gun, he's calm", "it was a false alarm", "everyone is ok", "the officers have him", "nobody is hurt, he's safe", "he gave me the knife", "the police took the gun", "I've taken the pills away from her", "he is with the psychiatrist now", "she is",
			"merci, les pompiers sont là, il est en sécurité maintenant", "oui", "oui elle l'est", "elle est en sécurité", "la police est avec lui", "le SAMU l'a pris en charge", "il est à l'hôpital", "il va bien, sa sœur est avec lui", "elle a été hospitalisée", "fausse alerte", "la police vient d'arriver", "il s'est calmé", "sa femme a pris le fusil", "il est avec les gendarmes", "il a été arrêté"},
		Elsewhere: {"thanks", "thank you so much for helping him", "ok", "merci beaucoup", "d'accord", "book him a visit on Monday", "Can you show me his last blood results?", "what medication does he take?", "when is her next appointment?", "she needs a refill", "he prefers mornings", "my next patient has a sore throat", "what is metformin for?", "how old is he?",
			"I need to reschedule his appointment", "please write a letter for her GP", "Is she allergic to penicillin?", "another patient of mine has eczema", "what's the weather", "what can you do?", "what should I do about lunch?", "she ran out of her inhaler", "never mind", "he needs a sick note", "his address changed", "I am hungry", "how do I export this conversation?", "should I renew his prescription?",
			"réserve-lui une visite lundi", "quels médicaments prend-il ?", "montre-moi ses résultats", "elle préfère le matin", "mon prochain patient tousse", "quel âge a-t-il ?", "peux-tu rédiger un courrier pour son médecin", "bonne journée", "que peux-tu faire ?", "il a besoin de plus d'insuline", "merci de l'avoir aidé", "elle a besoin d'un arrêt de travail", "sa mutuelle a changé", ""},
	} {
		for _, text := range texts {
			if got, _ := FollowsHelp(text); got != how {
				t.Errorf("%q: %d, want %d", text, got, how)
			}
		}
	}
}
