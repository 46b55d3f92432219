package safety

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNavigator_N43_InterventionIsAReviewedTemplate takes the region's facts out of each
// text again: what is left must be the template, word for word.
func TestNavigator_N43_InterventionIsAReviewedTemplate(t *testing.T) {
	for _, r := range Regions() {
		for _, c := range []Category{Intent, Plan, Means, SelfHarm, HarmOthers, Abuse, ChildAbuse, Voices, Poisoned} {
			for _, s := range []Speaker{"", Self, Other, Clinician} {
				for _, lang := range []Language{"", English, French} {
					h := Help{Category: c, Speaker: s, Language: lang, Region: r.Code}
					text, ok := h.Intervention()
					if !ok {
						t.Fatalf("%+v: no text", h)
					}
					name, topics, _ := h.texts()
					list, notes := r.help(h, topics...)
					rest := strings.Replace(text, list, "{lines}", 1)
					rest = strings.Replace(rest, "\n"+notes+"\n", "", 1)
					rest = strings.Replace(rest, r.Emergency.called(h.language()), "{emergency}", 1)
					if rest != reviewed().Templates[h.language()][name] {
						t.Errorf("%+v: holds words that are not in the template:\n%s", h, text)
					}
					musts := []string{"computer program", "What you can do now"}
					if lang == French {
						musts = []string{"programme informatique", "Ce que vous pouvez faire maintenant"}
					}
					for _, must := range musts {
						if !strings.Contains(text, must) {
							t.Errorf("%+v: does not say %q", h, must)
						}
					}
					for _, never := range []string{"{", "}", "guarantee", "will be fine", "%!"} {
						if strings.Contains(strings.ToLower(text), never) {
							t.Errorf("%+v: holds %q", h, never)
						}
					}
				}
			}
		}
	}
}

// "It tells me: appelez 112. Nobody says that."
func TestIntervention_FrenchCallsTheEmergencyNumberWithItsArticle(t *testing.T) {
	bare := regexp.MustCompile(`(?i)\bappel(?:ez|le) \d| ou \d{2,5}\b(?: \(|\.)`)
	for region, want := range map[string]string{"FR": "ppelez le 112 (", "GB": "ppelez le 999 ou le 112", "US": "ppelez le 911", "": "ppelez votre numéro d'urgence local (112"} {
		for _, s := range []Speaker{Self, Other, Clinician} {
			h := Help{Category: Intent, Speaker: s, Language: French, Region: region}
			text, _ := h.Intervention()
			for _, text := range []string{text, h.CheckIn()} {
				if !strings.Contains(text, want) || bare.MatchString(text) {
					t.Errorf("%s, %s: no %q, or a number without its article:\n%s", region, s, want, text)
				}
			}
			if h.Informal = true; s != Clinician && !strings.Contains(h.CheckIn(), strings.Replace(want, "ppelez", "ppelle", 1)) && region != "" {
				t.Errorf("%s: a young person reads %s", region, h.CheckIn())
			}
		}
	}
}

// "She is fifteen, and it spoke to her as to a client. Half of what it named stood in English."
func TestCompanion_C14_AYoungPersonIsAddressedAsOneAndInFrenchOnly(t *testing.T) {
	formal := regexp.MustCompile(`(?i)\b(?:vous|votre|vos|appelez|parlez|allez|choisissez|effacez|tapez|dites)\b`)
	breaks := regexp.MustCompile(` [;:?!»]|« `) // a line would begin with a lone colon
	english := regexp.MustCompile(`(?i)\b(?:ministry|european commission|settings|secondary|government of|press,|lists of|call |state of)\b`)
	for _, r := range Regions() {
		for _, c := range []Category{Intent, Means, SelfHarm, HarmOthers, Abuse, ChildAbuse, Voices, Poisoned, Overdose} {
			for _, s := range []Speaker{Self, Other} {
				h := Help{Category: c, Speaker: s, Language: French, Region: r.Code, Informal: true}
				text, _ := h.Intervention()
				for _, text := range []string{text, h.CheckIn()} {
					if found := formal.FindString(text); found != "" || !strings.Contains(text, "tu ") {
						t.Errorf("%+v says %q:\n%s", h, found, text)
					}
					if found := english.FindString(strings.ReplaceAll(text, "holdpoint settings set", "")); found != "" {
						t.Errorf("%+v says %q:\n%s", h, found, text)
					}
				}
				h.Informal = false
				polite, _ := h.Intervention()
				for _, text := range []string{text, h.CheckIn(), polite} {
					if found := breaks.FindString(text); found != "" {
						t.Errorf("%+v says %q:\n%s", h, found, text)
					}
				}
				if !strings.Contains(polite, "vous") {
					t.Errorf("%+v: an adult is addressed as %s", h, polite)
				}
			}
		}
	}
}

func TestTheRegionDecidesTheNumber(t *testing.T) {
	for _, c := range []struct {
		region   string
		category Category
		want     string
	}{
		{"US", Intent, "988"}, {"US", Abuse, "1-800-799-7233"}, {"en_US", Plan, "911"},
		{"GB", Intent, "116 123"}, {"uk", Means, "999"}, {"en-GB", Abuse, "0808 2000 247"}, {"en_GB@euro", Abuse, "0808 802 1414"},
		{"DE", SelfHarm, "0800 111 0 111"}, {"fr", Intent, "3114"}, {"fr_CA.UTF-8", Intent, "1-866-277-3553"}, {"AU", HarmOthers, "000"},
		{"NZ", Intent, "1737"}, {"IN", Intent, "14416"}, {"ZA", Intent, "0800 567 567"}, {"LU", Abuse, "2060 1060"},
		{"", Intent, "findahelpline.com"}, {"XX", Abuse, "findahelpline.com"}, {"XX", Intent, "local emergency number"},
		// The category decides the line: children, poison, each in its region.
		{"FR", ChildAbuse, "119"}, {"GB", ChildAbuse, "0800 1111"}, {"US", Means, "1-800-222-1222"}, {"CH", Means, "145"}, {"BE", ChildAbuse, "103"},
	} {
		text, ok := Help{Category: c.category, Region: c.region}.Intervention()
		if !ok || !strings.Contains(text, c.want) {
			t.Errorf("%s in %q should name %s:\n%s", c.category, c.region, c.want, text)
		}
	}
	for _, code := range []string{"US", "CA", "GB", "IE", "AU", "NZ", "DE", "FR", "ES", "IT", "NL", "BE", "CH", "AT", "LU", "IN", "ZA"} {
		if RegionOf(code).Code != code {
			t.Errorf("region %s is missing", code)
		}
	}
	for _, c := range []Category{None, "weather"} {
		if text, ok := (Help{Category: c, Region: "US"}).Intervention(); ok || text != "" {
			t.Errorf("category %q has no template but gave %q", c, text)
		}
	}
}

// TestNoNumberOfACountryBeforeARegionIsChosen: the same digits are another line elsewhere.
func TestNoNumberOfACountryBeforeARegionIsChosen(t *testing.T) {
	for _, lang := range []Language{English, French} {
		text, _ := Help{Category: Intent, Language: lang}.Intervention()
		for _, line := range RegionOf("US").Lines {
			for _, n := range line.Call {
				if strings.Contains(text, n.In(lang)) {
					t.Errorf("%s is named before a region is chosen", n.In(lang))
				}
			}
		}
		// What can be done without a network stands before what needs one.
		settings, web := strings.Index(text, "holdpoint settings set region"), strings.Index(text, "findahelpline.com")
		if settings < 0 || web < settings || !strings.Contains(text, "112") {
			t.Errorf("a web address alone is no help offline:\n%s", text)
		}
	}
}

// TestALineSaysWhatACallerMustKnow has the facts that a number alone hides.
func TestALineSaysWhatACallerMustKnow(t *testing.T) {
	for _, c := range []struct {
		help Help
		says []string
	}{
		{Help{Category: Abuse, Region: "FR"}, []string{"3919 (women; day and night; not for emergencies", "116 006 (anyone; 9 am to 7 pm", "free of charge", "114"}},
		{Help{Category: Abuse, Region: "FR", Language: French}, []string{"3919 (femmes\u00a0; jour et nuit\u00a0; pas pour les urgences", "9 h à 19 h"}},
		{Help{Category: Intent, Region: "LU"}, []string{"45 45 45 (not at night; not confirmed", "speaks Luxembourgish, German, French, English"}},
		{Help{Category: Intent, Region: "GB"}, []string{"116 123 (day and night; free, also without credit)", "Northern Ireland", "18000 by text relay"}},
		{Help{Category: Abuse, Region: "GB"}, []string{"call 999 from a mobile phone and press 55", "0808 801 0327 (men; hours not confirmed; NOT CONFIRMED)"}},
		{Help{Category: Abuse, Region: "ES"}, []string{"016", "not on the phone bill", "delete the entry"}},
		{Help{Category: Abuse, Region: "US"}, []string{"TTY 1-800-787-3224"}},
		{Help{Category: Intent, Region: "BE"}, []string{"1813 (day and night; speaks Dutch)", "0800 32 123 (day and night; speaks French)", "108 (day and night; speaks German)"}},
		{Help{Category: Abuse, Region: "CH"}, []string{"142 (day and night; announced for May 2026; that it answers is not confirmed; not for emergencies)"}},
		{Help{Category: Intent, Region: "NL"}, []string{"113 (day and night; free of charge)"}},
		{Help{Category: Intent, Region: "IT"}, []string{"02 2327 2327 or WhatsApp 324 011 7252 (10 am to midnight; speaks Italian)"}},
		{Help{Category: Abuse, Region: "IN"}, []string{"181 (women; day and night; free of charge)"}},
		{Help{Category: Intent, Region: "ZA"}, []string{"0800 567 567 (day and night; free of charge)", "0800 456 789", "10177"}},
	} {
		text, _ := c.help.Intervention()
		for _, s := range append(c.says, map[Language]string{English: "21 November 2026", French: "21 novembre 2026"}[c.help.language()]) {
			if !strings.Contains(text, s) {
				t.Errorf("%+v does not say %q:\n%s", c.help, s, text)
			}
		}
	}
	if text, _ := (Help{Category: Intent, Region: "NL"}).Intervention(); strings.Contains(text, "0800-0113") {
		t.Error("a number that is gone is named")
	}
}

// TestWhoSpeaksGetsTheirOwnText: a clinician and a friend are told what to do for the
// person, and are not spoken to as the one in danger.
func TestWhoSpeaksGetsTheirOwnText(t *testing.T) {
	for _, lang := range []Language{English, French} {
		seen := map[string]Speaker{}
		for _, s := range []Speaker{Self, Other, Clinician} {
			text, _ := Help{Category: Means, Speaker: s, Language: lang, Region: "FR"}.Intervention()
			first, _, _ := strings.Cut(text, "\n")
			if was, ok := seen[first]; ok {
				t.Errorf("%s and %s begin alike: %s", was, s, first)
			}
			seen[first] = s
			if !strings.Contains(text, "3114") || !strings.Contains(text, "01 45 42 59 59") {
				t.Errorf("%s: no lines\n%s", s, text)
			}
		}
	}
}

func TestACheckInAsksOneQuestion(t *testing.T) {
	for _, lang := range []Language{English, French} {
		for _, s := range []Speaker{Self, Other, Clinician} {
			text := Help{Speaker: s, Language: lang, Region: "US"}.CheckIn()
			if strings.Count(text, "?") != 1 || !strings.Contains(text, "988") || !strings.Contains(text, "911") {
				t.Errorf("%s %s: %s", lang, s, text)
			}
		}
	}
}

// TestACheckInsLastSentenceIsNoPartOfTheLastLine: what is shown as a list ends where a blank line is.
func TestACheckInsLastSentenceIsNoPartOfTheLastLine(t *testing.T) {
	for lang, sentence := range map[Language]string{English: "You can answer here", French: "Vous pouvez répondre ici"} {
		for _, s := range []Speaker{Self, Other} {
			for _, region := range []string{"GB", "FR", International} {
				if text := (Help{Category: Intent, Speaker: s, Language: lang, Region: region}).CheckIn(); !strings.Contains(text, "\n\n"+sentence) {
					t.Errorf("%s, %s, %s:\n%s", lang, s, region, text)
				}
			}
		}
	}
}

func TestLanguageOf(t *testing.T) {
	for text, want := range map[string]Language{"J'en peux plus, je vais me foutre en l'air.": French, "I can't go on": English, "": English, "jveux mourir et cette fois je sais comment": French,
		"Ma patiente a rangé ses médicaments sur la table": French, "My patient said he has the pills": English, "Brilliant, ta": English, "C'est ta faute": French} {
		if got := LanguageOf(text); got != want {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func TestRegionsIsACopy(t *testing.T) {
	r := Regions()
	r[1].Emergency.Call[""], r[1].Lines[0].Name[""] = "changed", "changed"
	if got := Regions()[1]; got.Emergency.Call[""] == "changed" || got.Lines[0].Name[""] == "changed" {
		t.Error("a caller can change the reviewed numbers")
	}
}

func TestAMistakeInTheInterventionsIsFound(t *testing.T) {
	for name, change := range map[string][2]string{
		"a template without numbers": {"      {lines}", "      nobody"},
		"a field nobody reads":       {"version:", "versions:"},
	} {
		if _, err := parseInterventions([]byte(strings.Replace(string(interventionYAML), change[0], change[1], 1))); err == nil {
			t.Errorf("%s: not found", name)
		}
	}
	file := string(linesYAML)
	for name, change := range map[string][2]string{
		"a line without a source":       {`source: "https://988lifeline.org (2025)"`, "source: hearsay"},
		"a line without a number":       {`call: ["116 123"]`, `call: []`},
		"no international region":       {"code: international", "code: XX"},
		"a region without an emergency": {`call: "911"`, `call: ""`},
		"a field nobody reads":          {"version:", "versions:"},
		"a check on no day":             {`checked: "2026-11-21"`, `checked: "lately"`},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(file, change[0], change[1], 1)
			if changed == file {
				t.Fatal("the test changes nothing")
			}
			if _, err := parseLines([]byte(changed)); err == nil {
				t.Error("not found")
			}
		})
	}
}

// TestEveryNumberCanBeDialled finds words and broken numbers where a number should
// stand.
func TestEveryNumberCanBeDialled(t *testing.T) {
	digits := regexp.MustCompile(`\d`)
	for _, r := range Regions() {
		for _, l := range r.Lines {
			for _, n := range l.Call {
				if d := len(digits.FindAllString(n.In(English), -1)); d < 3 || d > 11 || !slices.Contains([]rune("0123456789"), rune(n.In(English)[0])) {
					t.Errorf("%s %s: %q is no number", r.Code, l.Name.In(English), n.In(English))
				}
			}
		}
	}
}

// "At 200 % text no number was to be seen without scrolling."
func TestTheNumbersToCallFirst(t *testing.T) {
	for _, c := range []struct {
		help Help
		want []Number
	}{
		{Help{Category: Intent, Language: French, Region: "FR"}, []Number{{Call: "112"}, {"Numéro national de prévention du suicide", "3114"}}},
		{Help{Category: Abuse, Language: French, Region: "FR", Informal: true}, []Number{{Call: "112"}, {"Allô enfance en danger", "119"}}},
		{Help{Category: Intent, Language: French, Region: "BE"}, []Number{{Call: "112"}, {"Centre de prévention du suicide", "0800 32 123"}}},
		// A line for some only, or not at every hour, is for the text, which says so.
		{Help{Category: Abuse, Language: French, Region: "FR"}, []Number{{Call: "112"}}},
	} {
		if got := c.help.Numbers(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.help, got, c.want)
		}
	}
	if got := (Help{Category: Intent, Language: English}).Numbers(); len(got) != 1 || !strings.Contains(got[0].Call, "112") {
		t.Errorf("without a region: %v", got)
	}
}

// "I am 13 and in England, and it did not name Childline." "The French line of Belgium came after the Dutch one." "It named
// NHS 111 twice." "It said that no line can be named, and named one."
func TestSafety_LinesAreThoseOfWhoWrites(t *testing.T) {
	before := func(text, first, then string) bool {
		i, j := strings.Index(text, first), strings.Index(text, then)
		return i >= 0 && (j < 0 || i < j)
	}
	own := map[string]string{"US": "1-800-422-4453", "CA": "1-800-668-6868", "GB": "0800 1111", "IE": "1800 66 66 66", "FR": "119", "BE": "103", "CH": "147", "LU": "116 111", "DE": "116 111", "AT": "147", "ES": "116 111", "AU": "1800 55 1800", "NZ": "0508 326 459"}
	for region, number := range own {
		for _, l := range []Language{English, French} {
			for _, c := range []Category{Intent, Plan, Means, SelfHarm, HarmOthers, Abuse, ChildAbuse, Voices, Poisoned} {
				h := Help{Category: c, Language: l, Region: region, Informal: true}
				text, _ := h.Intervention()
				lines := 0
				for _, line := range strings.Split(text, "\n") {
					if !strings.HasPrefix(line, "  - ") {
						continue
					}
					if lines++; strings.Contains(line, number) {
						break
					}
				}
				if !strings.Contains(text, number) || lines > 3 {
					t.Errorf("%s %s %s: the children's line is number %d:\n%s", region, l, c, lines, text)
				}
				if check := h.CheckIn(); !strings.Contains(check, number) {
					t.Errorf("%s %s %s: the check-in has no line for children", region, l, c)
				}
				if strings.Contains(text, "NON CONFIRMÉ") || strings.Contains(text, "NOT CONFIRMED") || strings.Contains(text, "0808 800 5000") {
					t.Errorf("%s %s %s: a young person reads\n%s", region, l, c, text)
				}
			}
		}
	}
	text, _ := Help{Category: Intent, Language: English, Region: "GB"}.Intervention()
	if strings.Contains(text, "0800 1111") {
		t.Errorf("an adult has the children's line:\n%s", text)
	}
	for _, informal := range []bool{true, false} {
		h := Help{Category: SelfHarm, Language: French, Region: "GB", Informal: informal}
		if text, _ = h.Intervention(); strings.Count(text, "NHS 111") != 1 || strings.Contains(text, "antipoison") {
			t.Errorf("NHS 111 is named twice:\n%s", text)
		}
		h.Category = Means
		if text, _ = h.Intervention(); !strings.Contains(text, "antipoison") {
			t.Errorf("nothing is named for pills:\n%s", text)
		}
		if !strings.Contains(text, "111, puis tape") {
			t.Errorf("nothing is named for a bridge:\n%s", text)
		}
	}
	// "I wrote that I will jump tonight, and was told that there is no poison line."
	for _, c := range []Category{Intent, Plan} {
		if text, _ = (Help{Category: c, Language: English, Region: "GB"}).Intervention(); !strings.Contains(text, "111, then press 2") || strings.Contains(text, "poison line") {
			t.Errorf("%s: the line of NHS 111 for a crisis is not named:\n%s", c, text)
		}
	}
	if text, _ = (Help{Category: Intent, Language: French, Region: "BE"}).Intervention(); !before(text, "0800 32 123", "1813") || !strings.Contains(text, "1813") {
		t.Errorf("a Dutch line comes first:\n%s", text)
	}
	if text, _ = (Help{Category: Abuse, Language: French, Region: "BE"}).Intervention(); !before(text, "0800 30 030", "1712") {
		t.Errorf("a Dutch line comes first:\n%s", text)
	}
	if text, _ = (Help{Category: Intent, Language: English, Region: "BE"}).Intervention(); !before(text, "1813", "0800 32 123") {
		t.Errorf("the order for English has changed:\n%s", text)
	}
	if text, _ = (Help{Category: Intent, Language: French, Region: "US"}).Intervention(); !before(text, "988", "741741") {
		t.Errorf("the order of a country without French has changed:\n%s", text)
	}
	for _, h := range []Help{{Category: ChildAbuse}, {Category: ChildAbuse, Informal: true}, {Category: Intent, Informal: true}, {Category: ChildAbuse, Language: French, Informal: true}} {
		text, _ := h.Intervention()
		if !strings.Contains(text, "116 111") || strings.Contains(text, "no crisis line can be named") || strings.Contains(text, "aucune ligne d'écoute ne peut") || h.Informal == strings.Contains(text, "holdpoint settings set") {
			t.Errorf("%+v:\n%s", h, text)
		}
	}
	if text, _ := (Help{Category: Intent}).Intervention(); !strings.Contains(text, "no crisis line can be named") || !strings.Contains(text, "holdpoint settings set region") {
		t.Errorf("an adult without a region reads\n%s", text)
	}
}
