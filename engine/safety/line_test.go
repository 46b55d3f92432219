package safety

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// digits are those of a number as somebody dials it.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// numbers are all numbers of a line.
func (l Line) numbers() (out []string) {
	for _, c := range l.Call {
		out = append(out, digits(c.In(English)))
	}
	for _, x := range l.Text {
		out = append(out, digits(x.To))
	}
	return append(out, digits(l.WhatsApp))
}

// doubtful are the numbers of which the check of 21 November 2026 found too little: one secondary
// source ([S]), somebody's memory ([K]), or nothing on the hours. says is what stands beside a number
// that is named all the same, in English and in French; nothing where it is left out.
var doubtful = []struct {
	region, number, why string
	says                []string
}{
	{"GB", "0808 801 0327", "the men's line is in one list only [S]", []string{"NOT CONFIRMED", "NON CONFIRMÉ"}},
	{"GB", "0808 800 5000", "nothing was found on NSPCC's hours", []string{"hours not confirmed", "heures non confirmées"}},
	{"GB", "0808 164 0123", "the Welsh line of Samaritans is off their own page", nil},
	{"IE", "086 1800 280", "nobody confirms the mobile number", nil},
	{"BE", "102", "Awel's number is in one list only [S]", []string{"NOT CONFIRMED", "NON CONFIRMÉ"}},
	{"CH", "0800 143 000", "the English line and its hours are in one source of 2023 [S]", []string{"NOT CONFIRMED", "NON CONFIRMÉ"}},
	{"CH", "142", "it was announced; that it answers is in one list only [S]", []string{"that it answers is not confirmed", "qu'il réponde n'est pas confirmé"}},
	{"LU", "45 45 45", "its hours are in one list only [S]", []string{"not confirmed: 11 am", "non confirmé"}},
	{"LU", "2060 1060", "nothing was found on its hours", []string{"hours not confirmed", "heures non confirmées"}},
	{"LU", "116 111", "nothing was found on its hours", []string{"hours not confirmed", "heures non confirmées"}},
	{"LU", "12344", "it is from memory [K]", nil},
	{"DE", "0800 123 99 00", "the men's line and its hours are in one list only [S]", []string{"NOT CONFIRMED", "NON CONFIRMÉ"}},
	{"NZ", "0800 942 8787", "What's Up and its hours are in one list only [S]", nil},
	{"NL", "0800-0113", "it is gone from the page of 113", nil},
}

// "I rang the number that it gave me, and nobody has had it for years." A number that nobody confirms
// is left out, or says so wherever a person reads it; it is never the one to call first.
func TestLines_WhatNobodyConfirmsIsLeftOutOrSaysSo(t *testing.T) {
	for _, d := range doubtful {
		region := RegionOf(d.region)
		if region.Code != d.region {
			t.Errorf("there is no region %s", d.region)
		}
		said := 0
		for _, l := range region.Lines {
			for _, n := range l.numbers() {
				if n != digits(d.number) {
					continue
				}
				said++
				for i, says := range d.says {
					if line := l.In([]Language{English, French}[i]); !strings.Contains(line, says) {
						t.Errorf("%s %s: %s, and the line does not say %q: %s", d.region, d.number, d.why, says, line)
					}
				}
			}
		}
		if (said > 0) != (d.says != nil) {
			t.Errorf("%s %s: %s, and %d lines have it", d.region, d.number, d.why, said)
		}
		all, err := json.Marshal(region)
		if packed := strings.NewReplacer(" ", "", "-", "").Replace(string(all)); err != nil || d.says == nil && strings.Contains(packed, digits(d.number)) {
			t.Errorf("%s %s: %s, and it stands somewhere (%v)", d.region, d.number, d.why, err)
		}
		for _, category := range []Category{Intent, Means, SelfHarm, Abuse, ChildAbuse, HarmOthers, Voices, Poisoned} {
			for _, language := range []Language{English, French} {
				h := Help{Category: category, Language: language, Region: d.region}
				text, ok := h.Intervention()
				if !ok {
					t.Errorf("no text for %s", category)
				}
				for line := range strings.Lines(text + h.CheckIn()) {
					if !strings.Contains(line, " "+d.number+" (") {
						continue
					}
					if i := map[Language]int{English: 0, French: 1}[language]; d.says == nil || !strings.Contains(line, d.says[i]) {
						t.Errorf("%s: help reads %q", d.why, line)
					}
				}
				for i, n := range h.Numbers() {
					if i > 0 && digits(n.Call) == digits(d.number) {
						t.Errorf("%s %s: it is what to call first: %+v", d.region, d.number, n)
					}
				}
			}
		}
	}
}

// checked are the numbers of a region as the check of 21 November 2026 has them: of emergencies, then
// for suicide, abuse, children and poison. Where no confirmed line is for abuse in the whole country,
// Canada's 988 and the police of Switzerland are named.
var checked = map[string][5]string{
	"US": {"911", "988, 741741", "1-800-799-7233, 88788", "1-800-422-4453", "1-800-222-1222"},
	"CA": {"911", "988, 1-866-277-3553, 535353", "988, 1-800-363-9010", "1-800-668-6868, 686868", "1-844-764-7669, 1-800-463-5060"},
	"GB": {"999, 112", "116 123, 85258, 111 then 2, 0808 808 8000", "0808 2000 247, 0800 027 1234, 0808 80 10 800, 07860 077333, 0808 802 1414, 0808 801 0327", "0800 1111, 0808 800 5000", "111"},
	"IE": {"112, 999", "116 123, 50808", "1800 341 900, 1800 816 588", "1800 66 66 66", "01 809 2166"},
	"FR": {"112, 15, 17, 18, 114", "3114", "3919, 116 006", "119", "01 45 42 59 59"},
	"BE": {"112, 101", "1813, 0800 32 123, 108", "1712, 0800 30 030", "103, 102", "070 245 245"},
	"CH": {"112, 117, 144, 118", "143, 0800 143 000", "142, 117", "147", "145"},
	"LU": {"112, 113", "45 45 45", "2060 1060", "116 111", "8002 5500"},
	"DE": {"112, 110", "0800 111 0 111, 0800 111 0 222, 116 123", "116 016, 0800 123 99 00", "116 111", "030 19240, 089 19240, 0361 730730"},
	"AT": {"112, 133, 144, 122", "142", "0800 222 555, 0800 246 247", "147", "01 406 43 43"},
	"ES": {"112", "024", "016, 600 000 016", "116 111, 900 20 20 10", "91 562 04 20"},
	"AU": {"000, 112, 106", "13 11 14, 0477 13 11 14", "1800 737 732, 0458 737 732", "1800 55 1800", "13 11 26"},
	"NZ": {"111", "1737, 0800 543 354", "0800 733 843, 0508 744 633", "0508 326 459", "0800 764 766"},
}

// special is what must be known of a number beside that it answers anybody day and night.
var special = map[string]string{
	"GB 111 then 2": "hours ?", "GB 0808 801 0327": "for men, hours ?", "GB 0808 800 5000": "hours ?", "GB 111": "hours ?", "GB 116 123": "no_credit", "IE 116 123": "no_credit",
	"IE 1800 341 900": "for women", "IE 1800 816 588": "for men, hours limited hours", "IE 01 809 2166": "hours 8 am to 10 pm",
	"FR 3919": "for women, not for emergencies", "FR 116 006": "hours 9 am to 7 pm, freephone", "FR 119": "not on the bill",
	"BE 1712": "hours working days only, not on the bill, not for emergencies", "BE 0800 30 030": "not for emergencies", "BE 103": "hours 10 am to midnight", "BE 102": "hours ?",
	"CH 0800 143 000": "hours 6 pm to 11 pm", "CH 142": "not for emergencies", "CH 147": "not on the bill",
	"LU 45 45 45": "hours not at night", "LU 2060 1060": "hours ?", "LU 116 111": "hours ?, freephone",
	"DE 116 016": "for women, freephone", "DE 0800 123 99 00": "for men, hours Monday to Thursday 8 am to 8 pm, Friday 8 am to 3 pm", "DE 116 111": "hours Monday to Saturday 2 pm to 8 pm, freephone",
	"DE 030 19240": "hours ?", "DE 089 19240": "hours ?", "DE 0361 730730": "hours ?",
	"AT 142": "no_credit", "AT 147": "no_credit, not on the bill", "AT 0800 222 555": "for women", "AT 0800 246 247": "for men",
	"ES 024": "not on the bill", "ES 016": "for women, not on the bill", "ES 600 000 016": "for women, not on the bill", "ES 116 111": "freephone", "ES 900 20 20 10": "freephone",
	"NZ 0800 543 354": "hours ?", "NZ 0800 733 843": "for women",
}

// "I rang at night, and a tape said that they answer until ten." "I dialled it digit for digit, and it was a
// shop." Each region has the numbers that were checked and no other, for what they are for; hours, whom a
// line serves and what a call costs are as they were found.
func TestLines_AreThoseThatWereChecked(t *testing.T) {
	for code, want := range checked {
		r := RegionOf(code)
		emergency := []string{digits(r.Emergency.Call.In(English))}
		for _, s := range r.Emergency.Also {
			emergency = append(emergency, digits(s.Call))
		}
		got := map[Topic][]string{"emergency": emergency}
		about := map[string]string{}
		for _, l := range r.Lines {
			var facts []string
			if serves := l.Serves.In(English); serves == "men" || serves == "women" {
				facts = append(facts, "for "+serves)
			}
			if hours, _, _ := strings.Cut(l.Hours.In(English), ";"); hours != AllDay {
				facts = append(facts, "hours "+hours)
			}
			for fact, is := range map[string]bool{l.Cost: l.Cost != "", "not on the bill": l.Unseen, "not for emergencies": l.NotEmergency} {
				if is {
					facts = append(facts, fact)
				}
			}
			slices.SortStableFunc(facts, func(a, b string) int { return rank(a) - rank(b) })
			for _, n := range l.numbers() {
				if n == "" {
					continue
				}
				about[n] = strings.Join(facts, ", ")
				for _, topic := range l.For {
					got[topic] = append(got[topic], n)
				}
			}
		}
		for i, topic := range []Topic{"emergency", ForSuicide, ForAbuse, ForChildren, ForPoison} {
			var numbers []string
			for n := range strings.SplitSeq(want[i], ", ") {
				numbers = append(numbers, digits(n))
				if says, ok := about[digits(n)]; ok && topic != "emergency" && says != special[code+" "+n] && !(code == "CH" && n == "117") {
					t.Errorf("%s %s: %q is said of it, %q was found", code, n, says, special[code+" "+n])
				}
			}
			slices.Sort(numbers)
			slices.Sort(got[topic])
			if have := slices.Compact(got[topic]); !slices.Equal(have, numbers) {
				t.Errorf("%s, %s: %q are named, %q were checked", code, topic, have, numbers)
			}
		}
	}
}

// rank is where a fact of a line stands among the others.
func rank(fact string) int {
	for i, begin := range []string{"for ", "hours", Freephone, NoCredit, "not on", "not for"} {
		if strings.HasPrefix(fact, begin) {
			return i
		}
	}
	return -1
}

// "After a birth voices told her to drown the child, and I was sent to those who listen, not to those who treat."
func TestLines_OfVoicesThoseWhoTreatThemStandFirst(t *testing.T) {
	at := func(c Category, name string) int {
		return slices.IndexFunc(RegionOf("GB").For(Help{Category: c, Region: "GB"}, ForSuicide), func(l Line) bool { return l.Name.In(English) == name })
	}
	if at(Voices, "NHS 111") != 0 || at(Intent, "NHS 111") == 0 || at(Voices, "Samaritans") < 1 {
		t.Errorf("NHS 111 stands at %d of voices, at %d of suicide; Samaritans at %d", at(Voices, "NHS 111"), at(Intent, "NHS 111"), at(Voices, "Samaritans"))
	}
}
