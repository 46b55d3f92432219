package navigator

// fields are what people come with that the providers at hand may have nothing to do with:
// fields of medicine, and what is no care at all. Descriptions are short, and any complaint is
// a little like one of them; that it is more like a field beside theirs shows that nobody fits.
var fields = []struct {
	about    string
	medicine bool
}{
	generalPractice: {"General practice, family medicine, primary care, internal medicine. Fever, cough, flu, colds, infections and vaccinations.", true},
	{"Dentistry. Teeth, gums, toothache, fillings and crowns.", true},
	{"Ophthalmology. Eyes, sight, blurred vision and glasses.", true},
	{"Dermatology. Skin, rashes, spots, itching, moles, hair and nails.", true},
	{"Injuries. Broken bones, fractures, sprains and casts after a fall or in sport.", true},
	{"Emergencies. Cuts, burns, bleeding, bites, poisoning and fainting.", true},
	{"Obstetrics and gynaecology. Pregnancy, birth, periods and contraception.", true},
	{"Ear, nose and throat. Earache, deafness, sore throat, blocked nose and sinuses.", true},
	{"Urology. Bladder, kidneys, urine and prostate.", true},
	{"Gastroenterology. Stomach, heartburn, bowels, liver, nausea and diarrhoea.", true},
	{"Cardiology. Heart, blood pressure, circulation and veins.", true},
	{"Endocrinology. Diabetes, blood sugar, thyroid and hormones.", true},
	{"Pulmonology. Lungs, asthma, breathlessness, hay fever and allergies.", true},
	{"Neurology. Headaches, migraine, stroke, epilepsy and numbness.", true},
	{"Oncology. Cancer, tumours and chemotherapy.", true},
	{"Surgery. Operations, hernia, wounds and scars.", true},
	{"Veterinary. Dogs, cats and other animals.", false},
	{"Reception. Opening hours, address, parking, bills, insurance cards, forms and certificates.", false},
	{"Law and money. Lawyers, taxes, visas, rent and jobs.", false},
	{"Household. Hairdresser, plumber, repairs, cooking, shopping and travel.", false},
	{"Religion. Priest, pastor, rabbi, imam, church, mosque, prayer and confession.", false},
	{"Errands. Walk the dog, pet sitter, cleaning, driver and gardener.", false},
	{"Childcare. Babysitter, nanny, nursery, somebody to babysit the kids.", false},
	{"Lessons. Private tutor, homework, music lessons, personal trainer, gym and fitness.", false},
	{"Technology. Computer, telephone, password and internet.", false},
	{"Small talk. Hello, good morning, how are you, nice weather, tell me a joke, thank you, goodbye.", false},
}

// generalPractice is the field whose providers work in all of medicine.
const generalPractice = 0
