package safety

import "testing"

// "It said that I was checked for danger, and nothing had understood a word of mine", and
// the other way round: "I write plain English, and it says that it does not read me."
func TestCoverage_which_tiers_read_a_language(t *testing.T) {
	read := withMeaning(t)
	for text, want := range map[string]Coverage{
		"":                                     CoverageAll,
		"ok":                                   CoverageAll,
		"HbA1c 7.2 %":                          CoverageAll,
		"paracetamol 500 mg bd, ibuprofen prn": CoverageAll,
		"I was on the ward when he fell":       CoverageAll,
		"my son died":                          CoverageAll,
		"No":                                   CoverageAll,
		"Rowan Alder, Amara Cedar":             CoverageAll,
		"haluan kotiin":                        CoverageAll, // in doubt
		"rafiki zangu wananicheka shuleni":     CoverageMeaning,
		"aku tidak tahu harus bagaimana":       CoverageMeaning,
		"me gustaría hablar de mis exámenes":   CoverageMeaning, // French has “me”, “de” and “mes”
		"mi hijo no quiere ir al colegio":      CoverageMeaning,
		"mój tata mnie bije":                   CoverageMeaning,
		"minha mãe me bate":                    CoverageAll, // it was heard
		"bố tôi đánh tôi":                      CoverageMeaning,
		"tu es la ?":                           CoverageAll,
		"te quiero, she said to me":            CoverageAll,
		"kukaan ei valita minusta":             CoverageMeaning,
		"wszyscy sie ze mnie smieja":           CoverageMeaning,
		"chest pain sob since monday":          CoverageAll,
		"cc maman relou grave":                 CoverageAll,
		"no friends no sleep no hope":          CoverageAll,
		"Mr Müller, Frau Schäfer and Señor Núñez are my patients on Monday": CoverageAll,
		"Müller":            CoverageAll,
		"je n'en peux plus": CoverageAll,
		"slt jsuis pa bien jme fais traiter tt les jours a lecole": CoverageAll,
		"Ça va pas fort depuis la naissance":                       CoverageAll,
		"Book me with Dr. Nguyễn":                                  CoverageAll,
		"idk man im just done lol":                                 CoverageAll,
		"😀😀 ok":                                                    CoverageAll,
		"Quiero pedir una cita con la doctora para el lunes":       CoverageMeaning,
		"Ich brauche einen Termin, weil mein Knie schmerzt":        CoverageMeaning,
		"我想自杀":                                                     CoverageAll, // it was heard
		"我想预约星期一看医生":                                               CoverageMeaning,
		"Я не могу заснуть":                                        CoverageMeaning,
		"أريد موعدا مع الطبيبة يوم الاثنين":                        CoverageMeaning,
		"Nie wiem, czy mogę przyjść do lekarza w poniedziałek":     CoverageMeaning,
		"मैं मरना चाहता हूँ":                                       CoverageAll, // it was heard
		"मुझे सोमवार को डॉक्टर से मिलना है": CoverageNone,
		"Tôi muốn chết":           CoverageAll, // it was heard, too
		"Θέλω να πεθάνω":          CoverageAll,
		"Tôi muốn đặt lịch khám":  CoverageNone,
		"Θέλω να κλείσω ραντεβού": CoverageNone,
		"The letter begins with मुझे सोमवार को डॉक्टर से मिलना है": CoverageNone,
	} {
		if got := read.Assess(text).Coverage; got != want {
			t.Errorf("%q is covered %q, want %q", text, got, want)
		}
	}
	// Without an encoder nothing reads further languages.
	for text, want := range map[string]Coverage{
		"I cannot sleep": CoverageAll,
		"Quiero pedir una cita con la doctora para el lunes": CoverageNone,
		"我想预约星期一看医生":                                         CoverageNone,
	} {
		if got := Offline.Assess(text).Coverage; got != want {
			t.Errorf("without an encoder %q is covered %q, want %q", text, got, want)
		}
	}
}
