package filing_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"holdpoint/engine/agents/filing"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

type formBox struct{ ID, Label, Value, Source, Status, Note string }

// formOf puts Form W-1 together for the lab's well, with more files in the records.
func formOf(t *testing.T, args string, files map[string]string) map[string]formBox {
	t.Helper()
	l := newLab(t, filing.Rule37, wants("rule37_filing_assembly", args), says("The form is put together."))
	dir := fstest.MapFS{"none.csv": &fstest.MapFile{Data: []byte("operator_no,operator_name\n")}}
	for name, body := range files {
		dir[name] = &fstest.MapFile{Data: []byte(body)}
	}
	report, err := record.Import(t.Context(), l.db, dir, record.ImportOptions{Now: l.clock, Formats: wells.Formats()})
	must(t, err)
	want(t, "failed lines", report.Total.Failed, 0)
	status(t, l.ask("Prepare it."), run.Paused)
	var f struct {
		Boxes []struct {
			ID, Label, Source, Status, Note string
			Value                           any
		}
	}
	must(t, json.Unmarshal(l.one().Changes[0].After, &f))
	out := map[string]formBox{}
	for _, b := range f.Boxes {
		value := ""
		if list, ok := b.Value.([]any); ok {
			for _, x := range list {
				value += fmt.Sprintln(x)
			}
		} else if b.Value != nil {
			value = fmt.Sprint(b.Value)
		}
		out[b.ID] = formBox{b.ID, b.Label, value, b.Source, b.Status, b.Note}
	}
	return out
}

// "I said that the well is vertical, and the form still asked for its bottom hole."
func TestFiling_F38_AProfileThatIsGivenDecidesWhichBoxesThereAre(t *testing.T) {
	for _, c := range []struct{ given, box, status string }{
		{"vertical", "27", "not applicable"}, {" Vertical ", "27", "not applicable"},
		{"directional", "27.bottom", "missing"}, {"sidetrack", "27.bottom", "missing"}, {"horizontal", "27.terminus", "missing"},
	} {
		b := formOf(t, `{"values":[{"box":"7","value":"`+c.given+`","source":"plat"}]}`, nil)
		want(t, "box "+c.box+" of a well said to be "+c.given, b[c.box].Status, c.status)
		want(t, "the profile", strings.TrimSpace(b["7"].Value), strings.TrimSpace(c.given))
	}
	l := newLab(t, filing.Rule37, wants("rule37_filing_assembly", `{"values":[{"box":"7","value":"crooked","source":"plat"}]}`), says("No."))
	l.ask("Prepare it.")
	refused := false
	for _, e := range l.all() {
		refused = refused || strings.Contains(e.Reason, "vertical, horizontal, directional or sidetrack")
	}
	want(t, "a profile that is none is refused", refused, true)
}

// square is a lease of a map, by its corners in degrees.
func square(name, operator, confirmed string, w, s, e, n float64) string {
	return fmt.Sprintf(`{"type":"Feature","properties":{"lease_name":%q,"operator_name":%q,"district":"08","datum":"NAD27","boundary_confirmed":%q},"geometry":{"type":"Polygon","coordinates":[[[%[4]v,%[5]v],[%[6]v,%[5]v],[%[6]v,%[7]v],[%[4]v,%[7]v],[%[4]v,%[5]v]]]}}`, name, operator, confirmed, w, s, e, n)
}

func collection(features ...string) string {
	return `{"type":"FeatureCollection","features":[` + strings.Join(features, ",") + `]}`
}

// "Box 37 said within which distance tracts are to be notified, and named none of them."
func TestFiling_F38_TheTractsToBeNotifiedAreNamedOrSaidToBeUnknown(t *testing.T) {
	// The lab's well lies at -102.1032728, 31.8510971: 395 ft from the west line here.
	own := square("TEST RANCH", "MADE UP OIL, INC.", "Y", -102.10454, 31.8470, -102.0900, 31.8560)
	west := square("WEST RANCH", "WESTERN MADE UP LLC", "Y", -102.1200, 31.8400, -102.10454, 31.8600)
	north := square("NORTH RANCH", "NORTHERN MADE UP LLC", "Y", -102.10454, 31.8560, -102.0900, 31.8600)
	far := square("FAR RANCH", "FAR MADE UP LLC", "Y", -102.0900, 31.8400, -102.0800, 31.8600)

	none := formOf(t, `{}`, nil)
	want(t, "without any lines, the tracts", none["37.tracts"].Status, "missing")
	has(t, "what is to be got", none["37.others"].Note, "on all sides", "600 ft", "designated operator", "owners of record")

	b := formOf(t, `{}`, map[string]string{"map.geojson": collection(own, west, far)})
	has(t, "the tracts", b["37.tracts"].Value, "WEST RANCH", "WESTERN MADE UP LLC")
	lacks(t, "the tracts", b["37.tracts"].Value, "FAR RANCH", "TEST RANCH")
	if b["37.tracts"].Source == "" {
		t.Error("the tracts have no source")
	}
	want(t, "with lines of all land within the distance, others", b["37.others"].Status, "not applicable")

	// Between wells, each adjacent tract counts, however far it is.
	near := "api,lease_name,operator_name,operator_no,district,county,field_nos,horizontal,directional,surf_lon,surf_lat,datum\n42-329-97109,TEST RANCH,\"MADE UP OIL, INC.\",970100,08,MIDLAND,97000100,N,N,-102.1020,31.8510971,NAD27\n"
	b = formOf(t, `{}`, map[string]string{"map.geojson": collection(own, west, north), "near.csv": near})
	has(t, "what is to be notified", b["37.notice"].Value, "(B)")
	has(t, "the adjacent tracts", b["37.tracts"].Value, "WEST RANCH", "NORTH RANCH", "adjacent")
	has(t, "what is unknown", b["37.others"].Note, "south", "east", "each adjacent tract")
	lacks(t, "what is unknown", b["37.others"].Note, "west,", "all sides")

	// A lease without lines is known by its wells, one without an operator is said to have none.
	other := "api,lease_name,operator_name,operator_no,district,county,field_nos,horizontal,directional,surf_lon,surf_lat,datum\n42-329-97119,CLOSE BY,CLOSE MADE UP LLC,970300,08,MIDLAND,97000100,N,N,-102.1048,31.8511,NAD27\n"
	b = formOf(t, `{}`, map[string]string{"map.geojson": collection(own), "other.csv": other})
	has(t, "the tract that is known by a well", b["37.tracts"].Value, "CLOSE BY", "CLOSE MADE UP LLC", "its lines are not")
	has(t, "what is unknown then", b["37.others"].Note, "west")
	b = formOf(t, `{}`, map[string]string{"map.geojson": collection(own, square("NOBODY'S", "", "N", -102.1200, 31.8400, -102.10454, 31.8600))})
	has(t, "the tract of nobody", b["37.tracts"].Value, "no operator in the records", "lines not confirmed")
	has(t, "what is unknown of it", b["37.others"].Note, "no operator of NOBODY")
}

// "My field's rule names the distance between wells only, and the form crashed."
func TestFiling_F38_WithoutTheLeaseLinesLimitNobodyKnowsWhoIsToBeNotified(t *testing.T) {
	b := formOf(t, `{"well":"42-329-97102","between_wells_ft":1200,"limits_source":"field rules of 2020"}`, nil)
	has(t, "why", b["37"].Value, "nearest well 900 ft")
	want(t, "the tracts", b["37.tracts"].Status, "missing")
	has(t, "what is to be got", b["37.tracts"].Note, "both limits")
}
