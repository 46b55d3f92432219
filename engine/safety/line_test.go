package safety

import (
	"encoding/json"
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
