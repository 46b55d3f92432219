package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdpoint/app"
)

// atTheRanch has a data folder with made-up wells of a made-up ranch.
func atTheRanch(t *testing.T) terminal {
	t.Helper()
	x := newTerminal(t)
	x.want(0, "records", "import", "../../engine/agents/filing/testdata")
	return x
}

// result is what the last call of a tool answered.
func (x terminal) result(events []object, tool string) (r object) {
	x.t.Helper()
	for _, e := range events {
		if e.text("kind") == "tool_completed" && e.text("tool") == tool {
			r = e["data"].(map[string]any)["result"].(map[string]any)
		}
	}
	if r == nil {
		x.t.Fatalf("%s did not answer: %v", tool, events)
	}
	if blob := r.text("blob"); blob != "" { // what is long lies beside the journal
		x.open(func(a *app.App) {
			body, err := a.Blob(blob)
			if r = nil; err != nil || json.Unmarshal(body, &r) != nil {
				x.t.Fatalf("%s %v", body, err)
			}
		})
	}
	return r
}

func TestFiling_F38_SpacingOfAnImportedWellInPracticeMode(t *testing.T) {
	x := atTheRanch(t)
	events := lines(t, x.want(0, "run", "--practice", "--agent", "filing", "--subject", "Well/42-329-97102", "--json", "Does this well keep the spacing rule?").out)
	r := x.result(events, "spacing_assessment")
	if r.text("rule") != "16 TAC 3.37(a)(1), statewide" || r.text("datum") != "NAD27" || r["exception_required"] != true {
		t.Errorf("%v", r)
	}
	// The neighbour on the lease is 1,350 ft away by coordinates; the plat says 900 ft.
	seen := r["neighbours"].([]any)[0].(map[string]any)
	if ft := seen["distance_ft_us"].(float64); seen["api"] != "42-329-97101" || seen["counts"] != true || ft < 1340 || ft > 1360 {
		t.Errorf("%v", seen)
	}
	if last := events[len(events)-1]; last.text("kind") != "turn_completed" {
		t.Errorf("%v", last)
	}
	out := x.want(0, "run", "--practice", "--agent", "filing", "--subject", "Well/42-329-97102", "Does this well keep the spacing rule?").out
	for _, want := range []string{"16 TAC 3.37(a)(1)", "nearest well 900 ft", "the lease's lines are not known", "Practice mode"} {
		if !strings.Contains(out, want) {
			t.Errorf("the answer lacks %q: %s", want, out)
		}
	}
}

// "Our table of fields has the distance between wells only, and the answer said that the order
// asks for 0 ft to lease lines." What a field's rule does not say is asked for; 0 is said.
func TestFiling_F38_AFieldsRuleThatNamesOneDistanceDecidesNothingOfTheOther(t *testing.T) {
	x := atTheRanch(t)
	ask := func() object {
		events := lines(t, x.want(0, "run", "--practice", "--agent", "filing", "--subject", "Well/42-329-97101", "--json", "Does this well keep the spacing rule?").out)
		return x.result(events, "spacing_assessment")
	}
	x.want(0, "records", "import", x.write("fields.csv", "Field No,Between Wells Ft,Rule Source\n97000100,1200,docket 08-1\n"))
	r := ask()
	limits := r["limits_ft"].(map[string]any)
	if limits["lease_line"] != nil || limits["between_wells"] != 1200.0 || !strings.Contains(r.text("message"), "the least distance to lease lines is not known: docket 08-1") {
		t.Errorf("%v", r)
	}
	x.want(0, "records", "import", x.write("fields2.csv", "Field No,Lease Line Ft,Between Wells Ft,Rule Source\n97000100,330,0,docket 08-2\n"))
	if r = ask(); strings.Contains(r.text("message"), "is not known: docket") {
		t.Errorf("%v", r)
	}
}

// A form has every box, each with a source or named as missing; what is only assumed says so.
func TestFiling_F38_F39_FormsHaveASourceForEveryBoxOrNameWhatIsMissing(t *testing.T) {
	x := atTheRanch(t)
	for message, tool := range map[string]string{"Prepare the Rule 37 exception for this well": "rule37_filing_assembly", "Prepare Form R-32": "rule32_filing_assembly"} {
		events := lines(t, x.want(0, "run", "--practice", "--agent", "filing", "--subject", "Well/42-329-97101", "--json", message).out)
		var form struct {
			Status  string
			Missing []string
			Result  struct {
				Boxes       []struct{ ID, Source, Status, Note string }
				Missing     []string
				Assumptions []struct{ Status string }
			}
		}
		raw, err := json.Marshal(x.result(events, tool))
		if err != nil || json.Unmarshal(raw, &form) != nil || len(form.Result.Boxes) < 25 {
			t.Fatalf("%s %v", raw, err)
		}
		missing := 0
		for _, b := range form.Result.Boxes {
			switch b.Status {
			case "missing":
				missing++
			case "filled":
				if b.Source == "" {
					t.Errorf("%s box %s has no source", tool, b.ID)
				}
			case "not applicable":
				if b.Note == "" {
					t.Errorf("%s box %s does not say why it is not applicable", tool, b.ID)
				}
			default:
				t.Errorf("%s box %s is %q", tool, b.ID, b.Status)
			}
		}
		if missing == 0 || missing != len(form.Missing) || form.Status != "needs_input" || len(form.Result.Assumptions) == 0 || form.Result.Assumptions[0].Status != "to be confirmed by a person" {
			t.Errorf("%s: %d missing, %+v", tool, missing, form)
		}
	}
	// Once a person confirmed an assumption, the form says who.
	x.want(0, "settings", "set", "reviewer", "Pat Example")
	x.want(0, "settings", "set", "fact.filing.rule37_protest_days", "15")
	events := lines(t, x.want(0, "run", "--practice", "--agent", "filing", "--subject", "Well/42-329-97101", "--json", "Prepare the Rule 37 exception").out)
	raw, err := json.Marshal(x.result(events, "rule37_filing_assembly"))
	if err != nil || !strings.Contains(string(raw), `"value":"15"`) || !strings.Contains(string(raw), "confirmed by Pat Example on ") {
		t.Error("a confirmed fact stands in the form as if nobody had confirmed it")
	}
	facts := x.want(0, "settings", "facts", "--json").out
	for _, f := range lines(t, facts) {
		if f.text("id") == "rule37_protest_days" && f["confirmed"] == nil || f.text("source") == "" {
			t.Errorf("%v", f)
		}
	}
	// "I set another limit; the form named mine and worked with its own."
	for fact, value := range map[string]string{"rule32_thresholds": "20/60", "default_heating_value": "0.002", "take_points": "surface", "rule37_protest_days": "abc", "flare_notice_hours": "-1"} {
		x.want(2, "settings", "set", "fact.filing."+fact, value)
	}
	x.want(0, "settings", "set", "fact.filing.rule32_thresholds", "15/50")
	x.want(2, "settings", "set", "fact.filing.rule37_statewide", "1/1")
	x.want(2, "settings", "set", "fact.filing.nothing", "1")
}

// A change waits for a person, and what was approved survives the next import.
func TestFiling_F42_AChangeOfAWellWaitsForApproval(t *testing.T) {
	x := atTheRanch(t)
	x.want(3, "run", "--practice", "--agent", "filing", "--subject", "Well/42-329-97101", "Set the status of this well to plugged")
	show := func() string { return x.want(0, "records", "show", "Well/42-329-97101").out }
	if strings.Contains(show(), "plugged") {
		t.Fatal("the well was changed before anybody approved it")
	}
	pending := lines(t, x.want(0, "approvals", "list", "--json").out)
	if len(pending) != 1 || pending[0].text("tool") != "update_entity" || !strings.Contains(x.want(0, "approvals", "show", pending[0].text("id")).out+pending[0].text("title"), "42-329-97101") {
		t.Fatalf("%v", pending)
	}
	x.want(0, "approvals", "approve", pending[0].text("id"), "--reviewer", "Test Reviewer")
	x.want(0, "resume", pending[0].text("turn"))
	if !strings.Contains(show(), `"status":"plugged"`) {
		t.Fatalf("%s", show())
	}
	x.want(0, "records", "import", "../../engine/agents/filing/testdata")
	if !strings.Contains(show(), `"status":"plugged"`) {
		t.Error("an import took back what a person approved")
	}
	// A plugged well no longer counts between wells.
	events := lines(t, x.want(0, "run", "--practice", "--agent", "filing", "--subject", "Well/42-329-97102", "--json", "spacing?").out)
	if seen := x.result(events, "spacing_assessment")["neighbours"].([]any)[0].(map[string]any); seen["why"] != "plugged" || seen["counts"] != false {
		t.Errorf("%v", seen)
	}
}

func TestBench_VectorsPrintEachCaseAndTheSum(t *testing.T) {
	x := newTerminal(t)
	out := lines(t, x.want(0, "bench", "filing", "../../engine/agents/filing/testdata/vectors.json").out)
	last := out[len(out)-1]
	if last["cases"] != last["ok"] || last["cases"].(float64) != float64(len(out)-1) || out[0].text("id") == "" || out[0]["expected"] == nil || out[0]["got"] == nil || out[0]["ok"] != true {
		t.Errorf("%v %v", out[0], last)
	}
	bad := x.write("bad.json", `{"flare":[{"id":"a","kind":"volume","input":{"start":"2025-07-01","daily_mcf":[120]},"expected":{"total_mcf":121}}]}`)
	if out := lines(t, x.want(1, "bench", "filing", bad).out); out[0]["ok"] != false || out[1]["ok"] != 0.0 {
		t.Errorf("%v", out)
	}
	x.want(2, "bench", "reasoner", bad)
}

// What a table's columns mean is shown, changed and kept for the next file of that kind.
func TestRecords_ColumnsOfATableAreShownAndChanged(t *testing.T) {
	x := newTerminal(t)
	const head = "Bohrung,Rechtswert,Hochwert\n"
	file := x.write("a.csv", head+"42-329-97301,-101.8993482,31.7476705\n")
	m := lines(t, x.want(0, "records", "mapping", file, "--json").out)[0]
	if len(m["columns"].([]any)) != 3 || m["kind"] != "" || m["chosen"] != false {
		t.Errorf("%v", m)
	}
	x.want(2, "records", "mapping", file, "--column", "Bohrung=nonsense")
	x.want(2, "records", "mapping", file, "--column", "Nothing=api")
	x.want(2, "records", "mapping", file, "--kind", "people")
	x.want(0, "records", "mapping", file, "--kind", "wells", "--column", "Bohrung=api", "--column", "Rechtswert=surf_lon")
	x.want(0, "records", "mapping", file, "--column", "Hochwert=surf_lat", "--set", "datum=NAD83")
	other := x.write("b.csv", head+"42-329-97302,-101.8993482,31.7476705\n")
	// "I had set NAD83 for one list. Another one with the same columns was read so, too, and nobody told me."
	if said := x.want(0, "records", "import", other).err; !strings.Contains(said, "b.csv, remark: what was chosen for files with these columns was used: datum NAD83, kind wells, Bohrung = api, ") || !strings.Contains(said, "records mapping") {
		t.Errorf("%s", said)
	}
	if well := x.want(0, "records", "show", "Well/42-329-97302").out; !strings.Contains(well, `"datum":"NAD83"`) {
		t.Errorf("%s", well)
	}
	x.want(0, "records", "mapping", file, "--reset")
	if m = lines(t, x.want(0, "records", "mapping", file, "--json").out)[0]; m["chosen"] != false {
		t.Errorf("%v", m)
	}
	// Without the choice its columns say nothing, and an import of nothing is no success.
	if said := x.want(1, "records", "import", other).err; strings.Contains(said, "remark:") {
		t.Errorf("%s", said)
	}
}

// Graphs of people's own may call the tools; a node that may call all tools hears of those
// that fit its subject.
func TestFiling_F38_GraphsOfFilesMayCallTheTools(t *testing.T) {
	x := atTheRanch(t)
	graph := x.write("look.yaml", `name: look
nodes:
  - name: measure
    kind: tool
    tool: offset_well_analysis
    arguments: {well: "42-329-97101", radius_ft: 5280}
`)
	events := lines(t, x.want(0, "run", "--practice", "--agent", graph, "--json", "go").out)
	if r := x.result(events, "offset_well_analysis"); r["result"].(map[string]any)["count"] != 2.0 {
		t.Errorf("%v", r)
	}
	x.want(0, "records", "import", "sample")
	offered := func(subject string) string {
		out := x.want(0, "run", "--practice", "--agent", "reasoner", "--subject", subject, "--json", "What is (17 + 4) * 2.5?").out
		for _, e := range lines(t, out) {
			if e.text("kind") == "model_called" && strings.Contains(out, "calculator") {
				raw, err := json.Marshal(e["data"])
				if err == nil && strings.Contains(string(raw), "calculator") {
					return string(raw)
				}
			}
		}
		t.Fatalf("no model was asked: %s", out)
		return ""
	}
	if strings.Contains(offered("Patient/pat-alder"), "spacing_assessment") {
		t.Error("a turn about a patient is offered the tools of wells")
	}
	if !strings.Contains(offered("Well/42-329-97101"), "spacing_assessment") {
		t.Error("a turn about a well is not offered its tools")
	}
}

// Whatever is wrong with what is asked, the answer says what to do.
func TestFiling_BadInputIsAnsweredWithWhatToDo(t *testing.T) {
	x := atTheRanch(t)
	if err := os.WriteFile(filepath.Join(x.data, "twins.csv"), []byte("api,name,latitude,longitude,datum\n42-329-97301,TWIN 1,31.7476705,-101.8993482,NAD83\n42-317-97302,TWIN 1,,,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.want(0, "records", "import", filepath.Join(x.data, "twins.csv"))
	for _, c := range []struct{ tool, arguments, want string }{
		{"spacing_assessment", `{well: "Nobody 7"}`, "none with a similar name"},
		{"spacing_assessment", `{well: "Twin 1"}`, "say which is meant"},
		{"spacing_assessment", `{well: "42-317-97302"}`, "no surface coordinates"},
		{"spacing_assessment", `{}`, "no well was named"},
		{"spacing_assessment", `{well: "42-329-97101", lease_line_ft: 330}`, "without their source"},
		{"spacing_assessment", `{well: "42-329-97103"}`, "does not govern field 97000200"},
		{"flaring_volume_calc", `{start: "2025-07-01", daily_mcf: [1, -2]}`, "2025-07-02 is negative"},
		{"flaring_volume_calc", `{start: "2025-07-01", volumes: [{value: 1, unit: null}]}`, "has no unit"},
		{"flaring_volume_calc", `{lease: "TEST RANCH"}`, "no volumes of lease"},
		{"emissions_estimate", `{method: subpart_w, volume_mcf: 5, gwp_set: AR5, mole_fractions: {c1: 91.5, co2: 8.5}}`, "look like percent"},
		{"gas_analysis", `{mole_fractions: {c1: 0.95, co2: 0.05}}`, "is missing"},
		{"rule32_filing_assembly", `{lease: "TEST RANCH", release_rate_mcf_day: 50}`, "without their source"},
		{"rule37_filing_assembly", `{well: "42-329-97101", values: [{box: "99", value: "x", source: "me"}]}`, "has no box"},
		{"rule37_filing_assembly", `{well: "42-329-97101", values: [{box: "40", value: "x", source: " "}]}`, "has no source"},
	} {
		graph := x.write("ask.yaml", "name: ask\nnodes:\n  - name: ask\n    kind: tool\n    tool: "+c.tool+"\n    arguments: "+c.arguments+"\n    flags: [skip_on_error]\n")
		out := x.run("run", "--practice", "--agent", graph, "--json", "go").out
		if !strings.Contains(out, c.want) {
			t.Errorf("%s %s: nothing says %q: %s", c.tool, c.arguments, c.want, out)
		}
	}
}

// held runs a filing to its hold point and returns what waits.
func (x terminal) held(kind, subject string) object {
	x.t.Helper()
	events := lines(x.t, x.want(3, "run", "--practice", "--agent", "filing", "--var", "type="+kind, "--subject", subject, "--json", "Prepare the "+strings.ReplaceAll(kind, "_", " ")+" exception").out)
	seen := ""
	for _, e := range events {
		seen += e.text("kind") + ":" + e.text("tool") + " "
	}
	form := map[string]string{"rule_37": "tool_completed:spacing_assessment", "rule_32": "tool_completed:flaring_volume_calc"}[kind]
	for _, want := range []string{"skill_loaded", "tool_completed:entity_resolve", "filing_assembly", "approval_requested"} {
		if !strings.Contains(seen, want) {
			x.t.Errorf("%s lacks %s: %s", kind, want, seen)
		}
	}
	if kind == "rule_37" && !strings.Contains(seen, form) {
		x.t.Errorf("%s lacks %s: %s", kind, form, seen)
	}
	pending := lines(x.t, x.want(0, "approvals", "list", "--json").out)
	if len(pending) != 1 || pending[0].text("checkpoint") != "pre_filing" {
		x.t.Fatalf("%v", pending)
	}
	return pending[0]
}

// "I changed the dates in the form, and the days and the route were still those of before."
func TestFiling_F39_WhatAReviewerChangesOnR32Agrees(t *testing.T) {
	x := atTheRanch(t)
	a := x.held("rule_32", "Lease/08-test-ranch-made-up-oil-inc")
	for _, c := range []struct{ args, says string }{
		{`{"effective":"2026-12-01","expires":"2026-12-31","source":"   "}`, "source"},
		{`{"values":[{"box":"13","value":"2027-05-05","source":"letter"}]}`, "effective"},
		{`{"values":[{"box":"14","value":"2020-01-01","source":"letter"}]}`, "expires"},
		{`{"values":[{"box":"15","value":"400","source":"letter"}]}`, "effective and expires"},
		{`{"values":[{"box":"20.rate","value":"3","source":"letter"}]}`, "release_rate_mcf_day"},
		{`{"flares":[{"name":"F1","longitude":-102.1}],"source":"letter"}`, "latitude"},
		{`{"flares":[{"name":"F1","h2s_ppm":2000000}],"source":"letter"}`, "ppm"},
		{`{"effective":"2026-12-01","expires":"2026-12-31","source":"letter of R&D <3>"}`, ""},
	} {
		got := x.run("approvals", "modify", a.text("id"), "--args", x.write("args.json", c.args), "--reviewer", "Test Reviewer")
		if (got.code == 0) != (c.says == "") || !strings.Contains(got.err, c.says) {
			t.Errorf("modify with %s: exit %d %s", c.args, got.code, got.err)
		}
	}
	if shown := x.want(0, "approvals", "show", a.text("id"), "--json").out; !strings.Contains(shown, `"value":31`) {
		t.Error("the days are not those of the dates")
	}
}

// "The form said that no hearing was requested, and beside it that it takes one."
func TestFiling_F39_NoHearingIsRefusedWhereTheRouteTakesOne(t *testing.T) {
	x := atTheRanch(t)
	a := x.held("rule_32", "Lease/08-test-ranch-made-up-oil-inc")
	long := `"effective":"2026-01-01","expires":"2026-12-31","source":"letter"`
	for _, c := range []struct{ args, says string }{
		{`{` + long + `,"release_rate_mcf_day":300,"values":[{"box":"10","value":"No","source":"letter"}]}`, "final order after a hearing"},
		{`{` + long + `,"release_rate_mcf_day":300,"values":[{"box":"10","value":false,"source":"letter"}]}`, "final order after a hearing"},
		{`{` + long + `,"release_rate_mcf_day":50.1,"values":[{"box":"10","value":"non","source":"letter"}]}`, "final order after a hearing"},
		{`{"effective":"2026-06-01","expires":"2026-06-30","source":"letter","release_rate_mcf_day":51,"granted_periods":[{"from":"2026-01-01","to":"2026-05-31"}],"values":[{"box":"10","value":"no","source":"letter"}]}`, "181 days"},
		{`{"release_rate_mcf_day":300,"source":"letter","values":[{"box":"10","value":"no","source":"letter"},{"box":"12","value":"yes","source":"letter"}]}`, "permanent exception"},
		{`{` + long + `,"release_rate_mcf_day":300,"values":[{"box":"10","value":"perhaps","source":"letter"}]}`, "yes or no"},
		{`{` + long + `,"release_rate_mcf_day":50,"values":[{"box":"10","value":"no","source":"letter"}]}`, ""},
		{`{"effective":"2026-06-01","expires":"2026-06-29","source":"letter","release_rate_mcf_day":51,"granted_periods":[{"from":"2026-01-01","to":"2026-05-31"}],"values":[{"box":"10","value":"no","source":"letter"}]}`, ""},
		{`{` + long + `,"release_rate_mcf_day":300,"values":[{"box":"10","value":"yes","source":"letter"}]}`, ""},
	} {
		got := x.run("approvals", "modify", a.text("id"), "--args", x.write("args.json", c.args), "--reviewer", "Test Reviewer")
		if (got.code == 0) != (c.says == "") || !strings.Contains(got.err, c.says) {
			t.Errorf("modify with %s: exit %d %s", c.args, got.code, got.err)
		}
	}
	// Where nobody said anything of it, the box says what the route takes; without a rate no route is named.
	x.want(0, "approvals", "modify", a.text("id"), "--args", x.write("args.json", `{`+long+`,"release_rate_mcf_day":300}`), "--reviewer", "Test Reviewer")
	if shown := x.want(0, "approvals", "show", a.text("id")).err; !strings.Contains(shown, "take a final order after a hearing") {
		t.Errorf("the box of the hearing says nothing:\n%s", shown)
	}
	x.want(0, "approvals", "modify", a.text("id"), "--args", x.write("args.json", `{`+long+`}`), "--reviewer", "Test Reviewer")
	if shown := x.want(0, "approvals", "show", a.text("id")).err; !strings.Contains(shown, "route: not known") || strings.Contains(shown, "administrative") {
		t.Errorf("a route without a rate:\n%s", shown)
	}
}

// "I had to write the flares as JSON."
func TestFiling_F39_FlaresAndPeriodsAreGivenAsReadableText(t *testing.T) {
	x := atTheRanch(t)
	a := x.held("rule_32", "Lease/08-test-ranch-made-up-oil-inc")
	id := a.text("id")
	begin := x.want(0, "approvals", "arguments", id).out
	for _, part := range []string{"# flares:", "#   - name:  # needed", "#     datum:  # NAD27, NAD83, WGS84", "# granted_periods:", "#   - from:", `#   - box: "10"  # hearing requested`} {
		if !strings.Contains(begin, part) {
			t.Errorf("what can be given lacks %q:\n%s", part, begin)
		}
	}
	given := begin + `
effective: 2026-03-01
expires: 2026-03-31
source: field report of 2 March
granted_periods:
  - from: 2026-01-01
    to: 2026-01-31
flares:
  - name: North flare
    type: flare
    height_ft: 40
    longitude: -102.1
    latitude: 31.85
    datum: NAD27
  - name: "No"
`
	x.want(0, "approvals", "modify", id, "--args", x.write("args.yaml", given), "--reviewer", "Test Reviewer")
	shown := x.want(0, "approvals", "show", id).err
	for _, part := range []string{"21.1.name", "North flare", "-102.1, 31.85 (NAD27)", "cumulative days authorised, with those asked for: 62", "2026-03-01", "flare or vent: name: No"} {
		if !strings.Contains(shown, part) {
			t.Errorf("the form lacks %q:\n%s", part, shown)
		}
	}
	if again := x.want(0, "approvals", "arguments", id).out; !strings.Contains(again, "name: North flare") || strings.Contains(again, "# flares:") {
		t.Errorf("what was given is not printed:\n%s", again)
	}
}

// "My rule on the well held every call: the well was left out, and the session's was meant."
func TestFiling_F58_OwnRulesReadTheRecordThatACallIsAbout(t *testing.T) {
	for well, says := range map[string]string{"42-329-97101": "not this well", "42-329-97102": ""} {
		x := atTheRanch(t)
		x.want(0, "rules", "add", x.write("rules.yaml", "rules:\n  - {name: not_this_one, event: before_tool_call, tools: [spacing_assessment], when: 'args.well == \"Well/42-329-97101\"', verdict: refuse, reason: not this well}\n"))
		out := x.want(0, "run", "--practice", "--agent", "filing", "--subject", "Well/"+well, "--json", "Does this well keep the spacing rule?").out
		if refused := strings.Contains(out, "not this well"); refused != (says != "") || strings.Contains(out, "approval_requested") {
			t.Errorf("%s: refused %v\n%s", well, refused, out)
		}
	}
}

// "The transcript of my filing says that it is not a diagnosis."
func TestFiling_F58_AFilingsTranscriptSpeaksOfFilings(t *testing.T) {
	x := atTheRanch(t)
	a := x.held("rule_37", "Well/42-329-97101")
	for _, format := range []string{"md", "html", "json"} {
		if out := x.want(0, "export", a.text("session"), "--format", format).out; strings.Contains(out, "diagnosis") || !strings.Contains(out, "not legal or engineering advice") {
			t.Errorf("%s: %.600s", format, out)
		}
	}
}

// The whole journey from the command line: a filing is signed, refused or changed by a person.
func TestFiling_F58_TheJourneyOfAFilingOnTheCommandLine(t *testing.T) {
	for kind, subject := range map[string]string{"rule_37": "Well/42-329-97101", "rule_32": "Lease/08-test-ranch-made-up-oil-inc"} {
		x := atTheRanch(t)
		a := x.held(kind, subject)
		if strings.TrimSpace(x.want(0, "records", "list", "Filing", "--json").out) != "" {
			t.Fatal("it was filed before anybody signed")
		}
		x.want(0, "approvals", "approve", a.text("id"), "--reviewer", "Test Reviewer")
		out := lines(t, x.want(0, "resume", "--json", a.text("turn")).out)
		if got := out[len(out)-1].text("text"); !strings.Contains(got, "is signed and kept as Filing/") || !strings.Contains(got, "Missing: ") {
			t.Errorf("%s: the answer is %q", kind, got)
		}
		if f := lines(t, x.want(0, "records", "list", "Filing", "--json").out); len(f) != 1 {
			t.Errorf("%d filings", len(f))
		}
	}
	x := atTheRanch(t)
	a := x.held("rule_37", "Well/42-329-97101")
	x.want(0, "approvals", "reject", a.text("id"), "--reviewer", "Test Reviewer", "--comment", "the plat is of 2019")
	out := lines(t, x.want(0, "resume", "--json", a.text("turn")).out)
	if got := out[len(out)-1].text("text"); !strings.Contains(got, "the plat is of 2019") || strings.TrimSpace(x.want(0, "records", "list", "Filing", "--json").out) != "" {
		t.Errorf("after a rejection the answer is %q", got)
	}
	x = atTheRanch(t)
	a = x.held("rule_37", "Well/42-329-97101")
	for args, code := range map[string]int{`{"values":[{"box":"40","value":"=cmd()","source":"a phone call"}]}`: 0, `{"values":[{"box":"40","value":"x","source":" "}]}`: 1, `{"nonsense":1}`: 1,
		`{"values":[{"box":"3","value":"Main & 5th <St>","source":"P-5"},{"box":"28","value":"as staked","source":"plat"},{"box":"40","value":"=cmd()","source":"a phone call"}]}`: 0,
		`{"values":[{"box":"40","value":"a","source":"x"},{"box":"40","value":"b","source":"y"}]}`:                                                                                 1,
		`{"values":[{"box":"20","value":"-500 ft","source":"x"}]}`:                                                                                                                 1, `{"values":[{"box":"20","value":"deep","source":"x"}]}`: 1,
		`{"values":[{"box":"13","value":"30-025-48213","source":"x"}]}`: 1, `{"values":[{"box":"42","value":"yesterday","source":"x"}]}`: 1} {
		if got := x.run("approvals", "modify", a.text("id"), "--args", x.write("args.json", args), "--reviewer", "Test Reviewer"); (got.code == 0) != (code == 0) {
			t.Errorf("modify with %s: exit %d %s", args, got.code, got.err)
		} else if strings.Contains(args, "staked") {
			shown := x.want(0, "approvals", "show", a.text("id"), "--json").out
			if !strings.Contains(shown, `Main \u0026 5th`) || !strings.Contains(shown, "The records have -102.1") {
				t.Error("the address or what the records have of the place is not as it was given")
			}
		}
	}
	x.want(0, "approvals", "approve", a.text("id"), "--reviewer", "Test Reviewer")
	events := lines(t, x.want(0, "resume", "--json", a.text("turn")).out)
	for _, e := range events {
		if e.text("kind") == "mutation_committed" && e.text("call") != a.text("call") {
			t.Errorf("it ran under call %s, not %s", e.text("call"), a.text("call"))
		}
	}
	shown := lines(t, x.want(0, "approvals", "show", a.text("id"), "--json").out)[0]
	if shown["original"] == nil || shown.text("digest") == a.text("digest") || shown.text("status") != "used" {
		t.Errorf("both are not recorded: %v", shown)
	}
	f := "Filing/" + lines(t, x.want(0, "records", "list", "Filing", "--json").out)[0].text("id")
	for format, wants := range map[string][]string{"md": {"# Form W-1", "| 40 | remarks |", "given: a phone call", "Signed by Test Reviewer", "PRACTICE: a script answered", "changed what the agent had asked for"},
		"csv": {"box,label,value,unit,status,source,note", "40,remarks,'=cmd(),,filled,given: a phone call"}, "json": {`"reviewer": "Test Reviewer"`, `"modified": true`}, "html": {"<!doctype html>", "given: a phone call", "default-src 'none'"}} {
		got := x.want(0, "export", f, "--format", format).out
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", format, want, got)
			}
		}
	}
	// "The form was for my French colleague, and who signed it stood there in English."
	for _, format := range []string{"md", "html"} {
		got := x.want(0, "export", f, "--format", format, "--language", "fr").out
		for _, wants := range []string{"Signé par ", "Formulaire ", "Pièces à joindre"} {
			if !strings.Contains(got, wants) {
				t.Errorf("%s in French has no %q:\n%s", format, wants, got)
			}
		}
		for _, english := range []string{"Signed by", "Attachments to add", "<th scope=\"col\">Value"} {
			if strings.Contains(got, english) {
				t.Errorf("%s in French says %q", format, english)
			}
		}
	}
	x.want(2, "export", f, "--format", "pdf")
	x.want(1, "export", "Well/42-329-97101") // no form and no session
	// "I deleted the conversation, and the form that I had signed could not be opened any more."
	x.want(0, "sessions", "delete", a.text("session"))
	for format, wants := range map[string][]string{"md": {"Signed by Test Reviewer", "PRACTICE: a script answered", "changed what the agent had asked for"}, "json": {`"reviewer": "Test Reviewer"`, `"modified": true`, `"practice": true`}} {
		got := x.want(0, "export", f, "--format", format).out
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q once the session is deleted:\n%s", format, want, got)
			}
		}
	}
	x.want(0, "check")
}

// What stands between a model and a tool has its price told beside a bare call.
func TestFiling_TheBenchTellsWhatTheGateCosts(t *testing.T) {
	x := newTerminal(t)
	out := lines(t, x.want(0, "bench", "filing", "../../engine/agents/filing/testdata/vectors.json").out)
	last := out[len(out)-1]
	for _, name := range []string{"bare_call_us", "gate_call_us", "rules_100_us", "skills_10_us"} {
		if us, ok := last[name].(float64); !ok || us <= 0 {
			t.Errorf("%s is %v", name, last[name])
		}
	}
}

// "The form for one lease listed the exceptions that we had for three others, as if they were its own."
func TestFiling_F39_APriorExceptionIsThatOfTheSite(t *testing.T) {
	x := atTheRanch(t)
	file := filepath.Join(t.TempDir(), "exceptions.csv")
	const head = "filing_no,site_name,county,district,release_type,latitude,longitude,operator_name,status,effective,expires,days,release_rate_mcf_day,exception_reasons\n"
	line := func(no, site, district string) string {
		return no + "," + site + ",MIDLAND," + district + ",Flare,31.85,-102.10,\"MADE UP OIL, INC.\",Approved,2025-01-01,2025-01-31,31,90.0,Unloading fluid\n"
	}
	boxOf := func(rows string) (b struct {
		ID, Status, Source, Note string
		Value                    any
	}) {
		if err := os.WriteFile(file, []byte(head+rows), 0o600); err != nil {
			t.Fatal(err)
		}
		x.want(0, "records", "import", file)
		var form struct {
			Boxes []struct {
				ID, Status, Source, Note string
				Value                    any
			}
		}
		raw, err := json.Marshal(x.result(lines(t, x.want(0, "run", "--practice", "--agent", "filing", "--subject", "Well/42-329-97101", "--json", "Prepare Form R-32").out), "rule32_filing_assembly")["result"])
		if err != nil || json.Unmarshal(raw, &form) != nil {
			t.Fatalf("%s %v", raw, err)
		}
		for _, b := range form.Boxes {
			if b.ID == "7" {
				return b
			}
		}
		t.Fatalf("no box 7: %s", raw)
		return b
	}
	if b := boxOf(line("70001", "ELSEWHERE UNIT", "08") + line("70002", "TEST RANCH", "8A")); b.Status != "missing" || b.Value != nil || !strings.Contains(b.Note, "70001 ELSEWHERE UNIT") || !strings.Contains(b.Note, "70002") {
		t.Errorf("only other sites: %+v", b)
	}
	if b := boxOf(line("70003", "Test Ranch", "08")); b.Status != "filled" || !strings.Contains(b.Value.([]any)[0].(string), "70003") || !strings.Contains(b.Note, "70001") {
		t.Errorf("the site's own: %+v", b)
	}
}

// "I asked how much the lease flared and got a piece of JSON; I asked the general agent and it offered forms."
func TestFiling_F20_F33_PracticeModeAnswersAsTheKindDoes(t *testing.T) {
	x := atTheRanch(t)
	months := x.write("months.csv", "lease_district,lease_number,oil_gas_code,operator_name,lease_name,month,flared_or_vented_mcf,gas_produced_mcf\n"+
		"08,970,O,\"MADE UP OIL, INC.\",TEST RANCH,2025-07,3100,40000\n08,970,O,\"MADE UP OIL, INC.\",TEST RANCH,2025-08,31,39000\n")
	x.want(0, "records", "import", months)
	for _, c := range []struct{ kind, says, want string }{
		{"flaring_monitor", "How much gas was flared?", "2 months were reported, 2025-07 to 2025-08: 3131 mcf flared or vented of 79000 mcf produced. Over what is allowed of low-pressure gas: 2025-07."},
		{"compliance_monitor", "What does burning 12,480 mcf emit, in CO2e?", "t CO2e: "},
		{"general", "How do I keep the spacing rule?", "do no regulatory, engineering or medical work"},
	} {
		got := x.want(0, "run", "--practice", "--agent", "filing", "--var", "type="+c.kind, "--subject", "Well/42-329-97101", c.says).out
		if !strings.Contains(got, c.want) || strings.Contains(got, "{") {
			t.Errorf("%s: %s", c.kind, got)
		}
	}
}

// "I imported a file, my script went on, and nothing of it was there."
func TestRecords_AFileOfWhichNothingCanBeReadIsNoSuccess(t *testing.T) {
	x := newTerminal(t)
	for body, want := range map[string]string{"": "it is empty", "a,b\n1,2\n": "its columns say nothing"} {
		if got := x.want(1, "records", "import", x.write("w.csv", body)); !strings.Contains(got.err, want) {
			t.Errorf("%q: %s", body, got.err)
		}
	}
	x.want(0, "records", "import", x.write("w.csv", "api,well_name\n42-329-97301,A 1\n"))
}

// "I named the well in my question, and practice mode asked which one I meant."
func TestFiling_PracticeHearsTheWellThatTheMessageNames(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "records", "import", x.write("w.csv", "api,well_name,well_no,lease_name,operator_name,surf_lon,surf_lat,datum\n42-329-97301,TWIN 1,1,TWIN,ACME,-102.1,31.86,NAD27\n42-329-97302,TWIN 1,1,TWIN,BETA,-102.2,31.86,NAD27\n42-329-97303,ROSE 2,2,ROSE,BETA,-102.3,31.86,NAD27\n"))
	ask := func(code int, text string) string {
		got := x.want(code, "run", "--practice", "--agent", "filing", "--var", "type=rule_37", text)
		return got.out + got.err
	}
	if said := ask(0, "How does well 42-329-97301 stand to the spacing rule?"); !strings.Contains(said, "No verdict by 16 TAC 3.37") {
		t.Errorf("%s", said)
	}
	if said := ask(3, "Prepare the Rule 37 exception for TWIN 1"); !strings.Contains(said, `2 records are called "TWIN 1"`) || !strings.Contains(said, "Well/42-329-97302") {
		t.Errorf("%s", said)
	}
	if said := ask(3, "Prepare the Rule 37 exception for OMEGA 9"); !strings.Contains(said, `there is no well called "OMEGA 9"`) {
		t.Errorf("%s", said)
	}
	if said := ask(3, "Prepare the Rule 37 exception for ROSE 2"); !strings.Contains(said, "holdpoint approvals show") {
		t.Errorf("%s", said)
	}
}
