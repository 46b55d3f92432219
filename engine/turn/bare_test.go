package turn_test

import (
	"strings"
	"testing"

	"holdpoint/engine/turn"
)

// "I asked for his allergies, and it answered with SQL; then with search_records and a line of type=; then with none."
func TestSpoken_WhatProgramsReadIsNoAnswer(t *testing.T) {
	for said, asked := range map[string]string{
		"SELECT * FROM patients WHERE name = 'Walter Reed';":                        "What is he allergic to?",
		"select name, substance from allergies where patient_id = 3":                "What is he allergic to?",
		"select * from allergies":                                                   "",
		"```sql\nSELECT substance\nFROM allergies\nWHERE patient = 'Walter'\n```":   "What is he allergic to?",
		"SQL query:\n\nSELECT count(*) FROM visits":                                 "How many visits had he?",
		"Let me look that up. SELECT a.name FROM allergies a":                       "",
		"INSERT INTO appointments (patient, start) VALUES ('Walter', '2026-03-03')": "Book him in on Tuesday",
		"UPDATE patients SET phone = '555' WHERE id = 3":                            "",
		"DELETE FROM visits WHERE id = 7;":                                          "Cancel it",
		"MATCH (p:Patient {name: 'Walter'})-[:HAS]->(a) RETURN a":                   "",
		"GET /Patient?name=Walter":                                                  "Who is he?",
		"AllergyIntolerance?patient=walter":                                         "What is he allergic to?",
		"curl -X GET https://clinic.example/fhir/Patient/3":                         "",
		"query { patient(name: \"Walter\") { allergies } }":                         "",
		"import records\nprint(records.find(\"Walter\"))":                           "",
		"search_records\ntype=AllergyIntolerance\nquery=Walter":                     "What is he allergic to?",
		"search_records\n\ntype: AllergyIntolerance":                                "",
		"`find_providers`\nspecialty = sleep":                                       "Who helps with sleep?",
		"searchRecords:\n- type: Patient":                                           "",
		"search\nquery=sleep":                                                       "",
		"type=AllergyIntolerance\npatient=Walter":                                   "",
		"query=\"sleep\"": "",
		"none":            "What is he allergic to?",
		"null":            "", "N/A": "", "n/a.": "", "aucun": "", "Aucune": "", "None": "", "- none": "", "**N/A**": "", "Answer: none": "", "NULL, NULL": "", "néant": "", "nil": "", "(none)": "", "Réponse : aucun": "", "sans objet": "",
		"false":                            "Is he allergic?",
		"2026-03-03T09:00:00Z":             "What are your opening hours?",
		"start: 2026-03-03T09:00:00+01:00": "When is it?",
		"2026-03-03 09:00:00":              "When does the practice open?",
		"1772528400":                       "Quels sont vos horaires ?",
		"03/03/2026":                       "What are your hours?",
		"-":                                "", "1.": "What is he allergic to?", "1. \n2. \n3.": "", "* ": "", "•": "", "a)": "", "## Allergies": "", "### ": "", "**Allergies:**": "What is he allergic to?", "Allergies:\n-": "", "# Opening hours\n\n": "", "Here is what the record says:": "", "Médicaments :": "", "Allergies": "What is he allergic to?", "- [ ]": "",
	} {
		s := turn.Spoken{}.For(asked, "Walter Reed, born 1950\nAllergies: penicillin")
		if got := s.Plain(said); got != "" {
			t.Errorf("%q to %q is passed on as %q", said, asked, got)
		}
		for _, size := range []int{1, 4, 9} {
			shown := ""
			inPieces(s.Writer(func(more string) { shown += more }), said, size)
			if strings.TrimSpace(shown) != "" {
				t.Errorf("of %q in pieces of %d stood there %q", said, size, shown)
			}
		}
	}
}

// "What stood before the query was right."
func TestSpoken_AnAnswerEndsWhereAProgramBegins(t *testing.T) {
	const first = "Walter is allergic to penicillin and takes ramipril every morning."
	s := turn.Spoken{}.For("What is he allergic to?", "Allergies: penicillin")
	for _, said := range []string{first + "\n\nSELECT * FROM allergies WHERE patient = 3;", first + "\n```sql\nSELECT a\nFROM b\n```\n", first + " SQL query: SELECT a FROM b", first + "\nsearch_records\ntype=Patient"} {
		if got := s.Plain(said); got != first {
			t.Errorf("%q became %q", said, got)
		}
		for _, size := range []int{1, 3, 8} {
			shown := ""
			inPieces(s.Writer(func(more string) { shown += more }), said, size)
			if !strings.HasPrefix(first, strings.TrimSpace(shown)) {
				t.Errorf("of %q in pieces of %d stood there %q", said, size, shown)
			}
		}
	}
}

// "None recorded" is an answer, and so is a time.
func TestSpoken_AShortAnswerIsPassedOn(t *testing.T) {
	for said, asked := range map[string]string{
		"None recorded.": "", "No.": "", "No": "", "None.": "What allergies has he?", "Aucune.": "Quelles allergies ?", "Aucune allergie": "", "At 10:30 on Tuesday": "What are your opening hours?", "10:30": "When do you open?", "9:00–17:00": "What are your hours?",
		"3 March 2026, 09:00": "When is his visit?", "2026-03-03 09:00": "When is his visit?", "3.": "How many allergies has he?", "1.": "Combien de visites ?", "Penicillin": "", "**Penicillin**": "", "- Penicillin": "", "1. Penicillin": "", "Allergies: penicillin": "", "## Allergies\n- Penicillin": "", "true": "True or false: he is allergic", "True.": "",
		"Select one from these two: Dr Okafor or Dr Lee.": "", "Please select a time from the list, where every slot is free.": "", "Update his address and set a reminder.": "", "You can delete it from the list.": "", "From Monday on she is open.": "", "pH=7.4": "", "Import duty is none of ours.": "",
		"B.": "Is it A or B?", "Get well soon.": "", "# Walter is allergic to penicillin, nothing else": "", "GET UP slowly.": "", "The word SELECT is written on the form.": "", "Let x be the dose.": "", "This adds:\n```python\nimport os\n```\nIt is short.": "", "Nothing.": "", "Unknown.": "", "dose\n5 mg": "", "sertraline\ndose: 50 mg": "",
	} {
		s := turn.Spoken{}.For(asked, "Walter Reed")
		if got := s.Plain(said); got != said {
			t.Errorf("%q to %q became %q", said, asked, got)
		}
		for _, size := range []int{1, 4, 9} {
			shown := ""
			if inPieces(s.Writer(func(more string) { shown += more }), said, size); !strings.HasPrefix(said, shown) {
				t.Errorf("of %q in pieces of %d stood there %q", said, size, shown)
			}
		}
	}
}

// "I asked for the query, and it said that there was no answer."
func TestSpoken_WhoAsksForSQLGetsItAsCode(t *testing.T) {
	const query = "SELECT name, count(*)\nFROM visits\nGROUP BY name;"
	for _, asked := range []string{"Give me the SQL for visits by patient", "Write a query that counts visits", "Écris une requête qui compte les visites"} {
		s := turn.Spoken{}.For(asked, "")
		for said, want := range map[string]string{
			query:                              "```sql\n" + query + "\n```",
			"Here it is:\n" + query:            "Here it is:\n\n```sql\n" + query + "\n```",
			query + "\n\nIt counts visits.":    "```sql\n" + query + "\n```\n\nIt counts visits.",
			"```sql\n" + query + "\n```":       "```sql\n" + query + "\n```",
			"Use `SELECT * FROM visits` here.": "Use `SELECT * FROM visits` here.",
		} {
			if got := s.Plain(said); got != want {
				t.Errorf("%q to %q became %q", said, asked, got)
			}
			shown := ""
			if inPieces(s.Writer(func(more string) { shown += more }), said, 5); !strings.HasPrefix(want, shown) {
				t.Errorf("of %q stood there %q", said, shown)
			}
		}
	}
}
