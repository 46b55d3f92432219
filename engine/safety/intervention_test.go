package safety

import (
	"strings"
	"testing"
)

func TestNavigator_N43_InterventionIsAReviewedTemplate(t *testing.T) {
	templates := map[Category]string{Intent: "suicide", Plan: "suicide", Means: "suicide", SelfHarm: "self_harm", HarmOthers: "harm_others", Abuse: "abuse"}
	for _, r := range Regions() {
		for c, name := range templates {
			text, ok := Intervention(c, r.Code)
			if !ok {
				t.Fatalf("%s/%s: no text", c, r.Code)
			}
			// Taking the region's facts out again must leave the template.
			lines := r.Crisis
			if c == Abuse {
				lines = r.Abuse
			}
			var list []string
			for _, l := range lines {
				list = append(list, "  - "+l.Name+": "+l.Reach)
			}
			rest := strings.Replace(text, strings.Join(list, "\n"), "{lines}", 1)
			rest = strings.Replace(rest, "call "+r.Emergency, "call {emergency}", 1)
			if rest != reviewed.Templates[name] {
				t.Errorf("%s/%s: holds words that are not in the template:\n%s", c, r.Code, text)
			}
			for _, must := range []string{"computer program", "What you can do now"} {
				if !strings.Contains(text, must) {
					t.Errorf("%s/%s: does not say %q", c, r.Code, must)
				}
			}
			for _, never := range []string{"{", "}", "promise", "guarantee", "will be fine", "confidential"} {
				if strings.Contains(strings.ToLower(text), never) {
					t.Errorf("%s/%s: holds %q", c, r.Code, never)
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
		{"GB", Intent, "116 123"}, {"uk", Means, "999"}, {"en-GB", Abuse, "0808 2000 247"},
		{"DE", SelfHarm, "0800 111 0 111"}, {"fr", Intent, "3114"}, {"AU", HarmOthers, "000"},
		{"NZ", Intent, "1737"}, {"IN", Intent, "14416"}, {"ZA", Intent, "0800 567 567"},
		{"", Intent, "findahelpline.com"}, {"XX", Abuse, "findahelpline.com"}, {"XX", Intent, "local emergency number"},
	} {
		text, ok := Intervention(c.category, c.region)
		if !ok || !strings.Contains(text, c.want) {
			t.Errorf("%s in %q should name %s:\n%s", c.category, c.region, c.want, text)
		}
	}
	for _, code := range []string{"US", "CA", "GB", "IE", "AU", "NZ", "DE", "FR", "ES", "IT", "NL", "BE", "CH", "AT", "IN", "ZA"} {
		if regionOf(code).Code != code {
			t.Errorf("region %s is missing", code)
		}
	}
	for _, c := range []Category{None, "weather"} {
		if text, ok := Intervention(c, "US"); ok || text != "" {
			t.Errorf("category %q has no template but gave %q", c, text)
		}
	}
}

func TestRegionsIsACopy(t *testing.T) {
	r := Regions()
	r[0].Emergency, r[0].Crisis[0].Reach = "changed", "changed"
	if got := Regions()[0]; got.Emergency == "changed" || got.Crisis[0].Reach == "changed" {
		t.Error("a caller can change the reviewed numbers")
	}
}

func TestAMistakeInTheInterventionsIsFound(t *testing.T) {
	file := string(interventionYAML)
	for name, change := range map[string][2]string{
		"a template without numbers":    {"{lines}", "nobody"},
		"a line without a source":       {"source: https://988lifeline.org", "source: hearsay"},
		"no international region":       {"code: international", "code: XX"},
		"a region without an emergency": {`emergency: "911"`, `emergency: ""`},
		"a field nobody reads":          {"version:", "versions:"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(file, change[0], change[1], -1)
			if name == "a field nobody reads" {
				changed = strings.Replace(file, change[0], change[1], 1)
			}
			if _, err := parseInterventions([]byte(changed)); err == nil {
				t.Error("not found")
			}
		})
	}
}
