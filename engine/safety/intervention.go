package safety

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed intervention.yaml
var interventionYAML []byte

// International is the region code used when a person's region is not known.
const International = "international"

// Line is one place that helps, with the page that publishes its number.
type Line struct {
	Name   string `yaml:"name" json:"name"`
	Reach  string `yaml:"reach" json:"reach"`   // what to do, e.g. "call 988"
	Source string `yaml:"source" json:"source"` // URL
}

// Region holds the reviewed numbers of a country.
type Region struct {
	Code      string `yaml:"code" json:"code"` // ISO 3166-1 alpha-2, or International
	Name      string `yaml:"name" json:"name"`
	Emergency string `yaml:"emergency" json:"emergency"`
	Crisis    []Line `yaml:"crisis" json:"crisis"`
	Abuse     []Line `yaml:"abuse" json:"abuse"`
}

type interventionFile struct {
	Version   string            `yaml:"version"`
	Templates map[string]string `yaml:"templates"`
	Regions   []Region          `yaml:"regions"`
}

// reviewed is part of the program: a mistake in the file is a mistake in the
// build, found by the package's tests.
var reviewed = mustParseInterventions(interventionYAML)

func mustParseInterventions(b []byte) interventionFile {
	f, err := parseInterventions(b)
	if err != nil {
		panic(err)
	}
	return f
}

func parseInterventions(b []byte) (interventionFile, error) {
	var f interventionFile
	d := yaml.NewDecoder(strings.NewReader(string(b)))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("safety: read interventions: %w", err)
	}
	for _, name := range []string{"suicide", "self_harm", "harm_others", "abuse"} {
		t := f.Templates[name]
		if strings.Count(t, "{emergency}") != 1 || strings.Count(t, "{lines}") != 1 {
			return f, fmt.Errorf("safety: template %q needs {emergency} and {lines} once each", name)
		}
	}
	international := false
	for _, r := range f.Regions {
		if r.Code == "" || r.Name == "" || r.Emergency == "" || len(r.Crisis) == 0 || len(r.Abuse) == 0 {
			return f, fmt.Errorf("safety: region %q needs code, name, emergency, crisis and abuse", r.Code)
		}
		for _, l := range slices.Concat(r.Crisis, r.Abuse) {
			if l.Name == "" || l.Reach == "" || !strings.HasPrefix(l.Source, "https://") {
				return f, fmt.Errorf("safety: region %s: line %q needs name, reach and an https source", r.Code, l.Name)
			}
		}
		international = international || r.Code == International
	}
	if !international {
		return f, fmt.Errorf("safety: regions: %q is missing", International)
	}
	return f, nil
}

// Regions returns a copy of the reviewed regions, International first.
func Regions() []Region {
	out := slices.Clone(reviewed.Regions)
	for i := range out {
		out[i].Crisis, out[i].Abuse = slices.Clone(out[i].Crisis), slices.Clone(out[i].Abuse)
	}
	return out
}

// regionOf finds the region of a code such as "GB", "gb", "UK" or "en-GB".
func regionOf(code string) Region {
	code = strings.ToUpper(strings.TrimSpace(code))
	if i := strings.LastIndexAny(code, "-_"); i >= 0 {
		code = code[i+1:]
	}
	if code == "UK" {
		code = "GB"
	}
	fallback := Region{}
	for _, r := range reviewed.Regions {
		if r.Code == code {
			return r
		}
		if r.Code == International {
			fallback = r
		}
	}
	return fallback
}

// Intervention returns the reviewed words for a category with the numbers of a
// region (a country code or a locale; an unknown one gives the international
// text). ok is false for a category without a template, such as None.
func Intervention(category Category, region string) (text string, ok bool) {
	r := regionOf(region)
	name, lines := "", r.Crisis
	switch category {
	case Intent, Plan, Means:
		name = "suicide"
	case SelfHarm:
		name = "self_harm"
	case HarmOthers:
		name = "harm_others"
	case Abuse:
		name, lines = "abuse", r.Abuse
	default:
		return "", false
	}
	var list []string
	for _, l := range lines {
		list = append(list, "  - "+l.Name+": "+l.Reach)
	}
	return strings.NewReplacer("{emergency}", r.Emergency, "{lines}", strings.Join(list, "\n")).Replace(reviewed.Templates[name]), true
}
