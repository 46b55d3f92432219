package model

import (
	"fmt"
	"strings"
	"testing"
)

// told feeds a text as a model writes it, and says how much of it came before it was ended.
func told(text string) (came int, ended bool) {
	var c circles
	for i := 0; i < len(text); i += 5 {
		if c.add(text[i:min(i+5, len(text))]) {
			return c.text.Len(), true
		}
	}
	return len(text), false
}

// "It wrote the same medicine again and again for five minutes." What goes round in circles ends,
// and what was said before it stays.
func TestCircles_WhatIsSaidAgainAndAgainEnds(t *testing.T) {
	const before = "You have two medicines on record.\n"
	var counted, swapped, french strings.Builder
	for i := range 200 {
		fmt.Fprintf(&counted, "%d. Sertraline 50 mg once daily in the morning\n", i+1)
		fmt.Fprintf(&swapped, "- %s\n", []string{"Take a walk before you sleep", "Drink a glass of water", "Talk to your doctor soon"}[i*i%7%3])
		fmt.Fprintf(&french, "Parlez-en à votre médecin%s", []string{". ", " ! ", ". "}[i%3])
	}
	for name, loop := range map[string]string{
		"a sentence":         strings.Repeat("I am sorry to hear that you feel this way. ", 60),
		"a line":             strings.Repeat("- Zolpidem 10 mg at night\n", 100),
		"a paragraph":        strings.Repeat("The patient takes zolpidem at night. The dose is 10 mg. It was begun in May, and nobody has changed it since then.\n\n", 30),
		"a numbered line":    counted.String(),
		"lines in turn":      swapped.String(),
		"words without end":  strings.Repeat("and the patient and the doctor ", 100),
		"one word":           "It is very " + strings.Repeat("very ", 400),
		"the same few words": strings.Repeat("aspirin, ibuprofen, aspirin, codeine, ibuprofen, ", 60),
		"a sign":             strings.Repeat("\n", 3000),
		"letters":            strings.Repeat("ha", 1000),
		"other signs":        strings.Repeat("用药一次，", 300),
		"French":             french.String(),
		"a list in JSON":     `{"medicines":[` + strings.Repeat(`"Sertraline 50 mg daily",`, 100),
		"lines in JSON":      `{"text":"` + strings.Repeat(`Take it once a day.\n`, 100),
	} {
		text := before + loop
		came, ended := told(text)
		if !ended || came > 1500 {
			t.Errorf("%s: it ended: %v, after %d of %d bytes", name, ended, came, len(text))
			continue
		}
		kept := text[:came][:sensible(text[:came])]
		if !strings.HasPrefix(kept, strings.TrimSpace(before)) || len(kept) > 400 {
			t.Errorf("%s: it keeps %q", name, kept)
		}
	}
}

// "It stopped in the middle of my list." Tables, addresses, long lists of medicines, time tables,
// code and songs say things more than once on purpose.
func TestCircles_WhatIsMeantStays(t *testing.T) {
	var medicines, addresses, table, plan, values, forms, slots, answers strings.Builder
	names := strings.Fields("Sertraline Zolpidem Lisinopril Metformin Atorvastatin Amlodipine Omeprazole Salbutamol Levothyroxine Ramipril Bisoprolol Apixaban Furosemide Citalopram Mirtazapine Quetiapine Gabapentin Naproxen Codeine Prednisolone")
	for i := range 60 {
		fmt.Fprintf(&medicines, "%d. %s %d mg, one tablet once daily by mouth\n", i+1, names[i%len(names)], 5*(i+1))
		fmt.Fprintf(&addresses, "%s Clinic\n%d Station Road\nSpringfield, IL 62701\nUnited States of America\n\n", names[i%len(names)]+fmt.Sprint(i), i+2)
		fmt.Fprintf(&table, "| %s | one tablet | once daily | by mouth |\n", names[i%len(names)]+fmt.Sprint(i/len(names)))
		fmt.Fprintf(&plan, "Day %d: take one tablet in the morning and one tablet in the evening.\n", i+1)
		fmt.Fprintf(&values, "| 120/80 | %d |\n", 60+i%4)
		fmt.Fprintf(&forms, "Name: ______________________\nDate: ______________________\n\nQuestion %d: ................................\n\n", i)
		fmt.Fprintf(&slots, "- Monday %d March 2026, %02d:00 with Dr. Hale\n", 1+i/8, 9+i%8)
		fmt.Fprintf(&answers, "%d. Do you sleep well in week %d? yes / no / I do not know\n", i+1, i+1)
	}
	song := ""
	for _, verse := range []string{"the first day", "the second day", "the third day", "the fourth day", "the fifth day", "the sixth day", "the seventh day"} {
		song += "On " + verse + " of my sickness I lay awake all night,\nand counted on my window sill the hours until light.\n\n" +
			strings.Repeat("Sleep, come and take me,\nsleep, do not wake me,\n", 2) + "until the morning bell.\n\n"
	}
	code := "```go\n"
	for _, name := range names {
		code += "\tif err := take(" + name + "); err != nil {\n\t\treturn nil, err\n\t}\n\tif err := note(" + name + "); err != nil {\n\t\treturn nil, err\n\t}\n"
	}
	code += "```\n"
	for name, text := range map[string]string{
		"medicines": medicines.String(), "addresses": addresses.String(), "a table": "| Medicine | Dose | How often | How |\n| --- | --- | --- | --- |\n" + table.String(),
		"a plan for two months": plan.String(), "readings": values.String(), "a form": forms.String(), "times": slots.String(), "questions": answers.String(),
		"a song": song, "code": code, "rulers": strings.Repeat("=", 200) + "\nHeading\n" + strings.Repeat("-", 200) + "\n",
		"cheers":                     "Hip hip hooray! " + strings.Repeat("Hooray! ", 8),
		"a sentence that comes back": strings.Repeat("Ask again if anything is not clear. ", 4),
		"numbers":                    strings.Repeat("0 1 0 0 1 1 0 1\n", 40),
	} {
		if came, ended := told(text); ended {
			t.Errorf("%s: ended after %d of %d bytes: …%q", name, came, len(text), text[max(came-120, 0):came])
		}
	}
}

// Looking costs nothing that anybody notices: not more for a long answer than for a short one.
func BenchmarkCircles(b *testing.B) {
	var text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&text, "%d. A line of an answer that says something else than number %d did.\n", i, i*i%97)
	}
	for b.Loop() {
		told(text.String())
	}
}
