package filing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/filing"
	"holdpoint/engine/record"
	"holdpoint/engine/turn"
	"holdpoint/store/storetest"
)

// sharedWells has the public records and vectors; tests that need them say when it is away.
const sharedWells = "../../../../shared/data/wells"

func built(t *testing.T) agent.Agent {
	t.Helper()
	a, err := filing.New(turn.Kit{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func holdAll(t *testing.T, file string, atLeast int) {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t)
	cases, err := built(t).Vectors(t.Context(), agent.VectorFile{Body: body, Folder: os.DirFS(filepath.Dir(file)), Records: db.ViewRecords})
	if err != nil || len(cases) < atLeast {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		if !c.OK {
			t.Errorf("%s: expected %s, got %s", c.ID, c.Expected, c.Got)
		}
	}
}

func TestFiling_F38_F39_WorkedExamplesHold(t *testing.T) { holdAll(t, "testdata/vectors.json", 25) }

func TestFiling_F38_F39_AllWorkedExamplesHold(t *testing.T) {
	file := filepath.Join(sharedWells, "vectors-dev.json")
	if _, err := os.Stat(file); err != nil {
		t.Skip("the shared worked examples are not here")
	}
	holdAll(t, file, 38)
}

// TestVectors_AWrongExpectationDoesNotHold: the comparison can fail, by value, by what is
// missing and by status.
func TestVectors_AWrongExpectationDoesNotHold(t *testing.T) {
	const in = `"tool":"flaring_volume_calc","input":{"start":"2025-07-01","daily_mcf":[120,-14]}`
	for name, body := range map[string]string{
		"status":   `{"edge":[{"id":"a",` + in + `,"expected":{"status":"ok"}}]}`,
		"name":     `{"edge":[{"id":"a",` + in + `,"expected":{"status":"error","names":["2025-07-03"]}}]}`,
		"value":    `{"flare":[{"id":"a","kind":"volume","input":{"start":"2025-07-01","daily_mcf":[120]},"expected":{"total_mcf":121}}]}`,
		"list":     `{"flare":[{"id":"a","kind":"volume","input":{"start":"2025-07-01","daily_mcf":[120],"authorised_mcf_per_day":100},"expected":{"days_over_authorised":[]}}]}`,
		"no table": `{"offsets":[{"id":"a","input":{"table":"none.csv","subject_api":"42-301-37662","radius_ft":5280},"expected":{"count":0}}]}`,
	} {
		cases, err := built(t).Vectors(t.Context(), agent.VectorFile{Body: []byte(body), Folder: os.DirFS(t.TempDir()), Records: storetest.Open(t).ViewRecords})
		if err != nil || len(cases) != 1 || cases[0].OK {
			t.Errorf("%s: %+v %v", name, cases, err)
		}
	}
	if _, err := built(t).Vectors(t.Context(), agent.VectorFile{Body: []byte(`{"spacing":[]}`), Folder: os.DirFS(t.TempDir()), Records: func(func(record.Tx) error) error { return nil }}); err == nil {
		t.Error("a file without cases holds")
	}
}

// "It spoke of a Go struct field." What a case lacks is said in words for people, by its name.
func TestVectors_SayWhatIsWrongInWordsForPeople(t *testing.T) {
	for want, body := range map[string]string{
		"write numbers without quotes": `{"flare":[{"id":"a","kind":"volume","input":{"start":"2025-07-01","daily_mcf":["120"]},"expected":{"status":"error","names":["daily_mcf"]}}]}`,
		"state code 30 is New Mexico":  `{"edge":[{"id":"a","tool":"entity_resolve","input":{"queries":["30-025-48213"]},"expected":{"status":"error","names":["30-025-48213"]}}]}`,
		"no API number was given":      `{"edge":[{"id":"a","tool":"entity_resolve","input":{"queries":[]},"expected":{"status":"needs_input"}}]}`,
		"all of them name one well":    `{"edge":[{"id":"a","tool":"entity_resolve","input":{"queries":["42–329–97301","42\u2011329\u201197301","42 329\u00a097301"]},"expected":{"status":"ok","result":{"api":"42-329-97301"}}}]}`,
		"the first day is missing":     `{"flare":[{"id":"a","kind":"volume","input":{"daily_mcf":[120],"authorised_mcf_per_day":100},"expected":{"status":"needs_input","names":["start"]}}]}`,
		// What the refusal of two datums offers can be taken.
		`"conversions":[{`:    `{"spacing":[{"id":"a","input":{"datum_conversion":"estimate","well":{"api":"42-329-97301","surface":[-101.9,31.7],"datum":"NAD27"},"neighbours":[{"api":"42-329-97302","location":[-101.9,31.72],"datum":"NAD83","same_lease":true,"same_reservoir":true}]},"expected":{"status":"needs_input"}}]}`,
		"volume is missing":   `{"flare":[{"id":"a","kind":"co2e","input":{"method":"subpart_c","gwp_set":"AR5"},"expected":{"status":"needs_input","names":["volume_mcf"]}}]}`,
		"a Polygon is wanted": `{"spacing":[{"id":"a","input":{"well":{"api":"42-329-97301","surface":[-101.9,31.7]},"lease":{"type":"Point","coordinates":[-101.9,31.7]}},"expected":{"status":"error"}}]}`,
	} {
		cases, err := built(t).Vectors(t.Context(), agent.VectorFile{Body: []byte(body), Folder: os.DirFS(t.TempDir()), Records: storetest.Open(t).ViewRecords})
		if err != nil || len(cases) != 1 || !cases[0].OK || !strings.Contains(string(cases[0].Got), want) || strings.Contains(string(cases[0].Got), "survey: ") || strings.Contains(string(cases[0].Got), "Go struct") {
			t.Errorf("%s: %+v %v", want, cases, err)
		}
	}
}
