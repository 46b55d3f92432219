package safety

import "testing"

// everyday are messages with words that also occur in a crisis. Each of them
// once tripped a rule or stands close to one.
var everyday = []string{
	"Is there a quick method to sort this list?",
	"I am looking for ways to save money",
	"I have been researching methods for the paper",
	"I want to take a charcoal bag to the barbecue",
	"the cheapest way to go is by bus",
	"My method for cooking rice is simple",
	"Please check my methods section",
	"I will do it tomorrow",
	"I'm going to do it now, please book it",
	"I have a plan for the weekend",
	"I have a date with Anna",
	"We set a date for the wedding",
	"It will be over soon",
	"I'm ready to go",
	"I am ready to leave the hospital",
	"this pushed me over the edge",
	"what's the point of this form?",
	"I want it to stop beeping",
	"I want the meeting to end",
	"I'm done with it, thanks",
	"I'm done with everything on the list",
	"What is the point of living in London when rents are so high?",
	"I don't see the point of going there",
	"no point going there today",
	"I want out of this contract",
	"I take my pills every morning",
	"I took all my meds today",
	"I bought a bottle of tylenol",
	"How many mg of ibuprofen can I take?",
	"I don't want to wake up early",
	"I can't continue with this medication",
	"I jumped off the diving board",
	"I jumped from topic to topic",
	"My gun license expired",
	"I have a gun for hunting",
	"I said my goodbyes to my colleagues",
	"Goodbye everyone, see you tomorrow",
	"it's my last day at work",
	"this is my last message for today",
	"I'm writing notes to my doctor",
	"I tried to end things with him",
	"I want to end it with my boyfriend",
	"my attempts to log in failed",
	"this was my second attempt at the exam",
	"I almost died of laughter",
	"What will happen to my data when I die? I want to write a will",
	"I have cancer and I am dying; how do I plan hospice care?",
	"I am not afraid of dying, I have lived a good life",
	"How do I say goodbye to my dying mother?",
	"I was hospitalized for pneumonia",
	"I woke up in the hospital after surgery",
	"I'm waiting for the death certificate of my father",
	"I hate being alone",
	"I want to disappear into the mountains for a week of vacation",
	"the pain is unbearable since my knee surgery, I can't take it anymore",
	"I need help getting through the day with this back pain",
	"I want to stop living in the city",
	"I'm tired of living with roommates",
	"I'm tired of fighting with the insurance company",
	"I don't want to be here all day waiting",
	"I don't want to live with my parents anymore",
	"I'd rather die than eat broccoli",
	"kill me now, another meeting",
	"I need to kill an hour",
	"I burned myself cooking yesterday",
	"I hurt myself at the gym",
	"I cut myself shaving",
	"He attacked me in the forum discussion",
	"My boss threatened to fire me",
	"I was hit by a car last year",
	"I'm scared of my boss",
	"My dog is hurting me when it bites",
	"I overdosed on chocolate",
	"I did an overdose of coffee today",
	"Which pills are lethal for dogs?",
	"She hit me with a question",
	"I'm going to shoot my wedding photos on Sunday",
	"I want to attack this problem",
	"I want to beat him at chess",
	"I am going to poison my weeds and kill them",
	"I want to kill them all, the aphids on my roses",
	"I want to hurt nobody",
	"Find a therapist who treats suicidal teens for my patient",
	"I feel worthless at work lately",
	"I feel hopeless about the diet and my weight",
	"What does 988 do?",
	"I am exhausted and can't keep going at this pace",
	"my life is a mess and I hate my job",
	"I was suicidal in my twenties, therapy helped, I'm better now",
	"Can antidepressants cause suicidal thoughts?",
	"i'm gonna die if I don't get coffee",
	"I nearly died when I saw the bill",
	"he's going to be the death of me",
	"I could have died of shame",
	"I gave up on the diet",
	"we're looking for the best way to go to Berlin",
	"My train leaves at five from the tracks",
	"I lost hope that the insurance pays",
	"I'm better off without him",
	"The team is better off without me as captain",
	"I want to sleep forever, so tired after the marathon",
}

func TestCheckLetsEverydayMessagesPass(t *testing.T) {
	for _, text := range everyday {
		if v := Check(text); v.Hijack {
			t.Errorf("alarm: %q, score %d, %+v", text, v.Score, v.Findings)
		}
	}
}

// A long message that is mostly about its writer needs less to raise an alarm.
// Everyday words and another person's danger must not be enough.
func TestCheckLetsEverydayWordsInALongStoryPass(t *testing.T) {
	others := []string{
		"My friend wants to die, what do I do?", "I lost my brother to suicide in 2019", "My husband tried to kill himself last year",
		"My sister cuts herself and says she is suicidal", "My son said that he doesn't want to live anymore", "My roommate was suicidal and had a plan",
		"My mother died last spring and I miss her", "My ex says he will kill himself if I leave", "Her boyfriend shot himself",
		"My daughter's friend attempted suicide", "He told me that he thinks about death every day", "This homework is killing me",
		"I am scared of dying on a plane", "I would never kill myself", "I am tired of arguing", "I want to end my marriage", "I was burned out",
		"My dad owns guns", "I hate my job and my life is a mess", "I feel worthless next to my colleagues",
	}
	for _, text := range append(others, everyday...) {
		story := "I have been married for ten years and I work as a teacher. My days are long, I feel stressed about money, and my husband and I argue about chores. " +
			text + ". I do not sleep well and I would like some advice."
		if v := Check(story); v.Hijack {
			t.Errorf("alarm: %q, score %d, %+v", text, v.Score, v.Findings)
		}
	}
}
