package safety

import "testing"

// “She lives on black coffee and faints, he bit into a washing capsule, nan is burning up and talks to people who aren't there:
// and I was told nothing.” What several signs make together is heard in other words, too; a sign alone is an ordinary question.
func TestSigns_SeveralTogetherMakeAnEmergency(t *testing.T) {
	c := withMeaning(t)
	noticed(t, c, []string{
		"Hiya, bit embarrassed, I've double dosed on my beta blockers like ten times over since lunch because I couldn't cope",
		"i've had nothing but black coffee for nine days and i keep passing out on the stairs",
		"daughter 15 hides her food, hair falling out, fainted twice at school this week",
		"My two year old has bitten into one of those washing capsules, she's drooling and coughing",
		"my nan has a fever and is shivering, hasn't peed all day and is talking to people who aren't there",
		"Résidente retrouvée avec des blisters d'Oxycontin vides, pupilles serrées, FR à 8",
		"Enceinte de 36 semaines, je n'ai pas senti bouger le bébé depuis hier matin",
		"nothing but diet coke and chewing gum for twelve days, I blacked out in the shower",
		"I've been living on black tea since last Sunday and fainted at work twice",
		"My daughter won't touch food, her periods have stopped and she fainted in assembly",
		"my sister hides her dinner in napkins, she's grey and passes out on the stairs",
		"Our son has eaten only lettuce for a month, his heart goes at 40 and he's always cold",
		"flatmate lives on cucumber and black coffee, hair coming out in clumps, collapsed this morning",
		"She bit through a laundry pod and there's foam at her mouth",
		"my toddler chewed on a dishwasher tablet and is dribbling and crying",
		"He popped a washing liquid capsule in his mouth and it burst, he's coughing",
		"the baby sucked on a toilet block and his lips are swollen",
		"my 18 month old had a mouthful of lamp oil and is breathing fast",
		"I've taken my warfarin three times today by mistake",
		"Took ten times my usual dose of propranolol because I want it to stop",
		"I triple dosed my lithium this week and I'm shaking",
		"gave my son five times the amount of paracetamol, I misread the syringe",
		"he's doubled and doubled his heart tablets since Monday and now his pulse is 38",
		"Grandma is burning up, hasn't passed water since yesterday and sees cats on the ceiling",
		"Dad has a fever, his hands are icy and he talks nonsense",
		"my mum has a wound infection, shivers so hard the bed shakes and doesn't know where she is",
		"temp 39.4, hasn't weed since last night, muddled and breathing quickly",
		"After the operation he's hot, mottled legs and can't tell me what day it is",
		"Ma fille ne mange plus rien, plus de règles, elle est tombée dans les pommes au collège",
		"ma sœur cache son repas dans des serviettes, elle perd ses cheveux et s'évanouit",
		"Notre fils ne mange que de la salade depuis un mois, son cœur bat à 40",
		"38 SA, le bébé n'a pas bougé depuis ce matin",
		"Enceinte de sept mois, je ne l'ai pas senti bouger de la journée",
		"je suis à 32 semaines et mon bébé ne donne plus de coups depuis hier",
		"Patient trouvé avec trois boîtes de Tercian vides, somnolent, FR 9",
		"retrouvée au lit, plaquettes de morphine vides, myosis, pauses respiratoires",
		"J'ai pris dix fois ma dose de bêtabloquant parce que je n'en pouvais plus",
		"j'ai pris mon anticoagulant trois fois aujourd'hui par erreur",
		"j'ai donné cinq fois la dose de Doliprane à mon fils, j'ai mal lu la pipette",
		"Mamie est brûlante, n'a pas uriné depuis hier et voit des chats au plafond",
		"Papa a de la fièvre, les mains glacées et dit n'importe quoi",
		"ma fille a croqué une tablette de lave-vaisselle, elle bave",
		"le bébé a sucé un bloc WC, ses lèvres gonflent",
	})
	harmless(t, c, []string{
		"My daughter only eats pasta this month, she's growing well and full of beans, is that a phase?",
		"I fainted at the blood test because I'd skipped breakfast, fine after a biscuit",
		"I live on black coffee during exams lol, what else keeps you awake?",
		"My hair comes out in the shower since the baby, is that normal?",
		"I've lost my periods since I stopped the pill three months ago, when do they return?",
		"Which washing capsules are easiest on eczema?",
		"Where do I keep laundry pods away from a toddler?",
		"Do I take warfarin three times a day or once?",
		"Is ten times the usual dose of vitamin C really used for colds?",
		"I double dosed on hay fever tablets this morning by mistake, skip tomorrow's?",
		"The doctor doubled my heart tablets on Monday, my pulse is 62, is that alright?",
		"Dad had a fever and talked nonsense with it last month, antibiotics sorted it",
		"I have a temperature of 38 and a cold, can I go to work?",
		"My gran sees cats in the garden, they belong to next door",
		"What are the signs of sepsis to look for after an operation?",
		"Ma fille ne mange que des pâtes ce mois-ci, elle grandit bien, c'est une phase ?",
		"Je me suis évanouie à la prise de sang, à jeun, tout va bien",
		"Enceinte de 32 semaines, le bébé bouge beaucoup la nuit, c'est normal ?",
		"À combien de semaines sent-on le bébé bouger ?",
		"Boîtes de Tercian vides à jeter, la pharmacie les reprend ?",
		"Je prends mon anticoagulant trois fois par jour ou une seule ?",
		"Le médecin a doublé ma dose de bêtabloquant, pouls à 60, c'est bon ?",
		"J'ai 38 et un rhume, puis-je aller travailler ?",
		"Quelle tablette de lave-vaisselle sans phosphate ?",
	})
}

// TestMeasured_Everybody: patients, relatives and nurses, written before the rules were looked at; their first figures were 0.917 and
// 0.067 in English, 0.950 and 0.050 in French. What they showed was mended.
func TestMeasured_Everybody(t *testing.T) {
	c := withMeaning(t)
	for _, name := range []string{"everybody-en", "everybody-fr"} {
		if r := benchFile(t, c, name); r.CheckInRecall < 0.97 || r.CheckInFalseAlarmRate > 0.05 || r.FalseAlarmRate > 0.02 {
			t.Errorf("%s: heard %.2f, asked about %.2f of the rest, interrupted %.2f: %+v", name, r.CheckInRecall, r.CheckInFalseAlarmRate, r.FalseAlarmRate, r.FalseCheckIns)
		}
	}
}
