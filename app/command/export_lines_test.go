package command_test

import (
	"strings"
	"testing"
)

// "I printed the conversation for the file, and between the sentences stood braces and quotes." What was asked, approved
// and done stands in lines; who checks it byte for byte finds it as JSON.
func TestExport_WhatWasApprovedAndDoneStandsInLines(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "records", "import", "sample")
	x.want(3, "run", "--agent", "navigator", "--practice", "--session", "s", "--subject", "Patient/pat-alder", "Please book me a visit for my insomnia next week")
	a := lines(t, x.want(0, "approvals", "list", "--json").out)[0]
	x.want(0, "approvals", "approve", a.text("id"), "--reviewer", "Dr Test")
	x.want(0, "resume", a.text("turn"))
	exported := func(format string, more ...string) string {
		return x.want(0, append([]string{"export", "s", "--format", format}, more...)...).out
	}
	for _, format := range []string{"md", "html"} {
		for _, language := range []string{"en", "fr"} {
			text := exported(format, "--language", language)
			for _, not := range []string{`{"`, `{&#34;`, `&#34;:`, `":`, "client signal", "client_signal"} {
				if strings.Contains(text, not) {
					t.Errorf("%s in %s has %s", format, language, not)
				}
			}
			for _, line := range map[string][]string{"en": {"Reason: my insomnia next week", "Status: free  →  busy", "Participant 1, Actor: Rowan Alder (Patient/pat-alder)", a.text("digest")}, "fr": {"libre  →  occupé", a.text("digest")}}[language] {
				if !strings.Contains(text, line) {
					t.Errorf("%s in %s has no %q:\n%s", format, language, line, text)
				}
			}
		}
	}
	if text := exported("json"); !strings.Contains(text, `"provider":"prov-okafor"`) && !strings.Contains(text, `"provider": "prov-okafor"`) {
		t.Errorf("the JSON has no arguments: %s", text)
	}
}
