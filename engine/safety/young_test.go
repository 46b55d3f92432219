package safety

import "testing"

// "I wrote that I am 14, and it gave me the lines of adults."
func TestTellsYoung(t *testing.T) {
	for _, text := range []string{"I'm 15 and I want to die", "hey im 14 and i cut too deep, it won't stop", "im 13 and i took dads tablets", "I am 16 years old. Nobody knows.", "i’m only 12", "I'm thirteen",
		"im 17 btw", "j'ai 15 ans et je veux mourir", "jai 13 ans et jai pris les cachets de papa", "J’ai seulement 11 ans."} {
		if !TellsYoung(text) {
			t.Errorf("%q is by a child", text)
		}
	}
	for _, text := range []string{"I'm 15 weeks pregnant", "I'm 34 and I want to die", "I am 10 minutes away", "im 12 stone", "My son is 14 and wants to die", "I have 15 tablets", "i'm 14 days clean", "j'ai 15 ans d'expérience", "j'ai 45 ans",
		"Mon fils a 13 ans", "I am ten pounds lighter", "im 8 months in", "I'm 16 hours without sleep", ""} {
		if TellsYoung(text) {
			t.Errorf("%q is by no child", text)
		}
	}
}

// “Jonas is 67. His son hits him, and the big number was that of the children's line.” A son who strikes is no child; whom he strikes may be.
func TestTellsOfChild_ASonWhoStrikesIsGrownUp(t *testing.T) {
	for text, want := range map[string]bool{
		"Jonas says his nurse son hits him and takes his pension money": false, "Son fils la frappe": false,
		"Her husband hits her son": true, "My son says his dad hits him": true, "Le compagnon de ma patiente la bat devant leur fils": true, "His son hits the baby": true,
	} {
		if got := TellsOfChild(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
