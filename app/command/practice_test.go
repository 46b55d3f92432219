package command_test

import (
	"strings"
	"testing"

	"holdpoint/app/tongue"
)

// rounds is a graph that asks a person, then works until somebody is content.
const rounds = `name: rounds
nodes:
  - {name: ask, kind: human, question: "Shall I?", default_next: work}
  - name: work
    kind: loop
    times: 3
    until: {key: verdict.verdict, equals: accept}
    nodes:
      - {name: draft, kind: prompt, instructions: Draft it., output: draft, default_next: judge}
      - {name: judge, kind: critique, inputs: [draft], output: verdict}
`

func TestPractice_BehavesBadlyOnRequestAndStaysSoOverAPause(t *testing.T) {
	x := newTerminal(t)
	file := x.write("rounds.yaml", rounds)
	count := func(list []object, kind, stage string) (n int) {
		for _, o := range list {
			if o.text("kind") == kind && (stage == "" || o.text("stage") == stage) {
				n++
			}
		}
		return n
	}
	for manner, want := range map[string]int{"--practice": 1, "--practice=stubborn": 3} {
		began := lines(t, x.want(3, "run", "--agent", file, manner, "--json", "go on").out)
		turn, pause := began[0].text("turn"), began[len(began)-1]
		open := pause["data"].(map[string]any)["pauses"].([]any)[0].(map[string]any)["id"].(string)
		rest := lines(t, x.want(0, "resume", turn, "--json", "--answer", open+`="yes"`).out)
		if got := count(rest, "stage_completed", "work/judge"); got != want {
			t.Errorf("%s: %d rounds, want %d", manner, got, want)
		}
	}
	if out := lines(t, x.want(0, "run", "--agent", "reasoner", "--practice=wrong", "--json", "What is 3 * 60?").out); count(out, "tool_refused", "") != 1 || count(out, "tool_completed", "") != 1 {
		t.Error("a wrong call is not made, or not mended")
	}
	if err := x.want(2, "run", "--practice=rude", "hi").err; !strings.Contains(err, "stubborn, wrong or slow") {
		t.Error(err)
	}
	x.want(0, "settings", "set", "practice", "stubborn")
	if s := lines(t, x.want(0, "settings", "list", "--json").out)[0]; s["practice"] != true || s["practice_manner"] != "stubborn" {
		t.Error(s)
	}
	x.want(0, "settings", "set", "practice", "false")
	if s := lines(t, x.want(0, "settings", "list", "--json").out)[0]; s["practice"] != false || s["practice_manner"] != nil {
		t.Error(s)
	}
	x.want(2, "settings", "set", "practice", "rude")
}

// tour is somebody who chose French and goes through the first tour.
type tour struct {
	terminal
	pieces  []string
	subject string
}

func inFrench(t *testing.T, x terminal, subject string) *tour {
	t.Helper()
	x.want(0, "settings", "set", "language", "fr")
	return &tour{x, english(t), subject}
}

// says runs a command; what it says is in French and has these words.
func (x *tour) says(code int, args []string, wants ...string) string {
	x.t.Helper()
	got := x.want(code, args...)
	text := fenced.ReplaceAllString(got.out+got.err, "")
	for _, want := range wants {
		if !strings.Contains(text, want) {
			x.t.Errorf("%s lacks %q:\n%s", strings.Join(args, " "), want, text)
		}
	}
	for _, piece := range x.pieces {
		if strings.Contains(text, piece) {
			x.t.Errorf("%s says %q in English:\n%s", strings.Join(args, " "), piece, text)
		}
	}
	return text
}

func (x *tour) asks(code int, message string, wants ...string) {
	x.t.Helper()
	x.says(code, []string{"run", "--practice", "--session", "s", "--subject", x.subject, message}, wants...)
}

// decides gives the verdict on what waits and goes on.
func (x *tour) decides(approve bool, shows string, wants ...string) {
	x.t.Helper()
	waits := lines(x.t, x.want(0, "approvals", "list", "--json").out)[0]
	x.says(0, []string{"approvals", "show", waits.text("id")}, shows)
	if approve {
		x.want(0, "approvals", "approve", waits.text("id"))
	} else {
		x.want(0, "approvals", "reject", waits.text("id"), "--comment", "pas maintenant")
	}
	x.says(0, []string{"resume", waits.text("turn")}, wants...)
}

// "I chose French and tried it without a model: it understood no word, and answered in English."
func TestPractice_TheFirstTourInAClinicIsInFrench(t *testing.T) {
	x := inClinic(t)
	x2 := inFrench(t, x, "Patient/"+lines(t, x.want(0, "records", "list", "Patient", "--json").out)[0].text("id"))
	const note = "(Mode d’entraînement : cette réponse est écrite d’avance.)"
	x2.asks(0, "Bonjour", "Merci de me le dire.", "J’ai devant moi le dossier de", note)
	x2.asks(0, "Quels sont ses médicaments ?", "Dans le dossier :", "- Médicaments : ", note)
	x2.asks(0, "Qui pourrait l’aider ? Trouvez un thérapeute pour le sommeil.", "Ces praticiens conviennent : ", note)
	x2.asks(3, "Réservez un rendez-vous avec un thérapeute pour le sommeil")
	x2.decides(true, "Réserver une visite pour", "C’est réservé pour ", " à ", note)
	x2.asks(3, "Annulez son rendez-vous")
	x2.decides(false, "Annuler la visite de", "Je comprends : le valideur n’a pas approuvé cela : pas maintenant. Rien n’a été modifié.", note)
	x2.asks(3, "Ajoutez une note : elle dort mal depuis novembre")
	x2.decides(true, "elle dort mal depuis novembre", "La note de soins est écrite.", note)
	x2.asks(3, "Annulez son rendez-vous")
	x2.decides(true, "Annuler la visite de", "Le rendez-vous est annulé.", note)
	x2.says(0, []string{"export", "s"}, "C’est réservé pour ", "pas maintenant", "Le rendez-vous est annulé.")
}

// The same where forms are filed and questions are studied.
func TestPractice_TheFirstTourAtTheRanchIsInFrench(t *testing.T) {
	x := inFrench(t, atTheRanch(t), "Well/42-329-97102")
	desk := func(message string, wants ...string) {
		t.Helper()
		x.says(0, []string{"run", "--practice", "--agent", "filing", "--session", "d", "--subject", x.subject, message}, wants...)
	}
	desk("Ce puits respecte-t-il la règle d’espacement ?", "Pas de verdict selon ", "une dérogation est nécessaire", "Mode d’entraînement")
	desk("Quels sont ses voisins ?", "Mode d’entraînement")
	desk("Quel est ce puits ?", "Mode d’entraînement")
	desk("Combien de gaz cette concession a-t-elle torché ?", "Mode d’entraînement")
	desk("Estimez les émissions de 12 480 mcf", "CO2e", "Mode d’entraînement")
	desk("Bonjour", "Je peux dire comment un puits se situe")
	for _, kind := range []string{"rule_37", "rule_32"} {
		waits := x.says(3, []string{"run", "--practice", "--agent", "filing", "--session", kind, "--var", "type=" + kind, "--subject", x.subject, "Préparez la dérogation pour ce puits"})
		if !strings.Contains(waits, "attend") {
			t.Error(waits)
		}
	}
	list := lines(t, x.want(0, "approvals", "list", "--json").out)
	for i, waits := range list {
		if i == 0 {
			x.want(0, "approvals", "approve", waits.text("id"))
			x.says(0, []string{"resume", waits.text("turn")}, "est signé et gardé sous", "Il manque : ")
			continue
		}
		x.want(0, "approvals", "reject", waits.text("id"), "--comment", "pas maintenant")
		x.says(0, []string{"resume", waits.text("turn")}, "Rien n’a été déposé : refus de formulaire", "pas maintenant")
	}
}

// "The example was in French, and what came of it in English."
func TestPractice_EveryPatternIsPlayedInFrench(t *testing.T) {
	x := inFrench(t, inClinic(t), "")
	for _, a := range lines(t, x.want(0, "agents", "list", "--json").out) {
		patterns, _ := a["patterns"].([]any)
		for _, p := range patterns {
			pattern := object(p.(map[string]any))
			if a.text("id") != "reasoner" {
				continue
			}
			example := tongue.French.Told(pattern.text("example"))
			if example == pattern.text("example") {
				t.Errorf("%s has no example in French", pattern.text("id"))
			}
			x.says(0, []string{"run", "--practice", "--agent", "reasoner", "--var", "pattern=" + pattern.text("id"), example})
		}
	}
}

// "It asked me something in French, I said ok, and it went on in English."
func TestPractice_ASessionKeepsItsLanguageWhereAMessageHasNone(t *testing.T) {
	x := inClinic(t)
	for _, said := range []struct{ session, message, wants string }{
		{"s1", "Qui pourrait l’aider avec son sommeil ?", "praticien"},
		{"s1", "Ok", "Merci de me le dire."},
		{"s2", "Ok", "Thank you for telling me."},
		{"s1", "Thanks, that is all for now.", "You are welcome."},
		{"s1", "Ok", "Thank you for telling me."},
	} {
		if out := x.want(0, "run", "--practice", "--session", said.session, "--subject", "Patient/pat-alder", said.message).out; !strings.Contains(out, said.wants) {
			t.Errorf("%q in %s is answered with %s", said.message, said.session, out)
		}
	}
}

// "I named the doctor, and it told me that nobody fits; I asked how old she is, and it thanked me for telling it."
func TestPractice_WhomOneNamesIsFoundAndWhatOneAsksIsInTheRecord(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "records", "import", "sample")
	for message, want := range map[string]string{
		"How old is she?": "Rowan Alder**, born 1984-03-12 (age ", "When was her last visit?": "- Last visit: 2026-09-14, Follow-up visit",
		"Which allergies does she have?": "- Allergies: Penicillin", "Quel âge a-t-elle ?": "date de naissance : 1984-03-12 (",
		"Elle dort très mal et ça m'inquiète, qui pourrait l'aider ?": "Dr. Adaeze Okafor", "Non merci, ce sera tout.": "Je vous en prie.",
		"Book her with a cardiologist": "I found no provider who fits, so nothing was proposed. Specialties here are: Addiction, ",
	} {
		if got := x.want(0, "run", "--practice", "--subject", "Patient/pat-alder", message).out; !strings.Contains(strings.ReplaceAll(got, "\u00a0", " "), want) {
			t.Errorf("%q: %q is not in %s", message, want, got)
		}
	}
	for _, message := range []string{"Book with Dr Okafor", "Book with Dr. Okafor", "Réservez avec le Dr Okafor"} {
		x.want(3, "run", "--practice", "--subject", "Patient/pat-alder", message)
		waits := lines(t, x.want(0, "approvals", "list", "--json").out)
		if title := waits[len(waits)-1].text("title"); !strings.Contains(title+waits[len(waits)-1].text("summary"), "Dr. Adaeze Okafor") {
			t.Errorf("%q: %v", message, waits[len(waits)-1])
		}
	}
}

// "I approved what somebody else wanted at the same time, and only show would have said so."
func TestApprovals_ApprovingSaysWhatSpeaksAgainstIt(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "records", "import", "sample")
	for range 2 {
		x.want(3, "run", "--practice", "--subject", "Patient/pat-alder", "Book with Dr Okafor")
	}
	id := lines(t, x.want(0, "approvals", "list", "--json").out)[0].text("id")
	if got := x.want(0, "approvals", "approve", id); !strings.Contains(got.out+got.err, "\nWarning: Another request that waits wants the same time") {
		t.Error(got)
	}
}
