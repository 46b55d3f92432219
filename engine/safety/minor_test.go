package safety

import "testing"

// "I wrote that he is twelve and that his aunt hits him, and nothing answered; that she would take her son with her, and it asked whether I am all right."
func TestMinor_AChildWhoseAgeIsToldAndOneWhoWouldBeTakenAlongGetHelp(t *testing.T) {
	heardAs(t, []kindCase{
		{Intervene, []Category{ChildAbuse}, Other, []string{
			"He is 12 and his aunt hits him", "My neighbour's girl is 8, her grandmother beats her with a belt", "My niece is six and her stepmother locks her in the cellar", "My cousin is 10 and her dad burns her with cigarettes",
			"Il a 12 ans et sa tante le frappe", "Elle a 9 ans, son oncle la bat", "Mon voisin de 7 ans est frappé par sa mère", "Elle a 7 ans, sa belle-mère l'enferme dans le placard", "Un garçon de 8 ans est battu par son père",
		}},
		{Intervene, []Category{HarmOthers, Plan, Means}, Other, []string{
			"My patient says if she goes she will take her son with her", "She will take the baby with her when she dies", "My wife says she's going to take the kids with her, she has the pills ready", "He told me he would take his wife with him when he goes",
			"Mon mari dit qu'il nous emmènera tous avec lui, il a le fusil", "She says the baby will be safer with her in heaven, she'll take him too",
		}},
		{CheckIn, []Category{HarmOthers}, Other, []string{"Elle dit que si elle part elle emmènera son fils avec elle", "Elle a dit qu'elle l'emmènerait avec elle"}},
		{Intervene, []Category{HarmOthers, Intent, Plan}, Self, []string{"Je partirai avec mes enfants, on sera tous ensemble au ciel", "I want to die and take my kids with me"}},
	})
	harmless(t, withMeaning(t), []string{
		"He is 9 and beat his dad at chess", "She will take him with her to Spain when she goes", "He says he'll take his daughter with him at the weekend", "If I go I'm taking my kids with me", "I take my son with me when I go shopping",
		"Elle part en vacances et emmène son fils avec elle", "Je pars avec mes enfants",
	})
}

// "“Il y a trois semaines” is nobody: the voice speaks to me."
func TestMinor_VoicesAfterABirthAreTheWriters(t *testing.T) {
	heardAs(t, []kindCase{{Intervene, []Category{Voices}, Self, []string{
		"J'ai accouché il y a trois semaines, une voix me dit de l'étouffer", "Une voix me dit d'étouffer le bébé, j'ai accouché il y a trois semaines", "I gave birth two weeks ago and voices tell me to drown the baby",
	}}})
}
