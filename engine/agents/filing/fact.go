package filing

import (
	"holdpoint/engine/agent"
	"holdpoint/engine/tool"
)

// Ids of facts.
const (
	factTakePoints = "take_points"
	factProtest    = "rule37_protest_days"
	factWaivers    = "rule37_h2b"
	factNotice     = "rule37_notice_tracts"
	factBurden     = "rule37_good_cause"
	factFlareHours = "flare_notice_hours"
	factTariff     = "pipeline_quality"
	factEquations  = "subpart_w_equations"
	factHHV        = "default_heating_value"
	factMonthDays  = "rule32_thresholds"
)

// facts are what the agent takes from rules. Those without a text that was read are
// assumptions until a person confirms them.
func facts() []agent.Fact {
	return []agent.Fact{
		{ID: "rule37_statewide", Text: "Statewide, a well is not nearer than 467 ft to a lease line and 1,200 ft to a well of the same lease and reservoir; equal is allowed.", Value: "467/1200", Source: "16 TAC 3.37(a)(1)"},
		{ID: "rule37_notice", Text: "Persons of tracts nearer than the greater of half the between-well distance and the lease-line distance are affected.", Value: "greater of half the between-well distance and the lease-line distance", Source: "16 TAC 3.37(a)(2)(A)"},
		{ID: factNotice, Text: "For a between-well exception the persons of each adjacent tract, and of each tract nearer than that distance, are affected.", Value: "adjacent tracts and nearer ones", Source: "16 TAC 3.37(a)(2)(B), last clause not read", Confirm: true},
		{ID: factProtest, Text: "A protest against a Rule 37 application has to arrive within this many days of the notice.", Value: "21", Source: "confirmed for Rule 38 only (16 TAC 3.38)", Confirm: true, Number: true},
		{ID: factWaivers, Text: "An exception under 3.37(h)(2)(B) is granted on waivers.", Value: "waivers", Source: "general knowledge", Confirm: true},
		{ID: factBurden, Text: "Good cause is the prevention of waste or of confiscation, shown by facts; the applicant carries the burden.", Value: "waste or confiscation", Source: "general knowledge; 16 TAC 3.37(a)(1) names the two grounds", Confirm: true},
		{ID: factTakePoints, Text: "The spacing of a horizontal well is measured along its take points, not at the surface hole.", Value: "take points", Source: "general knowledge; 16 TAC 3.86(d)(6) speaks of first take point to terminus", Confirm: true},
		{ID: factMonthDays, Text: "Low-pressure separator gas up to 15 mcf a day per gas well and 50 mcf a day per oil lease or commingling point needs no exception.", Value: "15/50", Source: flareSource, Confirm: true},
		{ID: factFlareHours, Text: "The Commission is told of a release within this many hours.", Value: "24", Source: "general knowledge", Confirm: true, Number: true},
		{ID: factTariff, Text: "What gas a pipeline takes is its own tariff's, not the Commission's.", Value: "the pipeline's tariff", Source: "general knowledge", Confirm: true},
		{ID: factEquations, Text: "Equations W-19 and W-20 have the form CH4 = V·X·[(1−ηD)·ZL + ZU] and CO2 = V·X + ηC·V·ZL·ΣYj·Rj, ZL = 1 − ZU.", Value: "W-19, W-20", Source: "40 CFR 98.233(n); the copies at hand have pictures in place of the equations", Confirm: true},
		{ID: factHHV, Text: "Before the 2024 amendments the default heating value of field gas was this, in mmBtu/scf.", Value: "0.001235", Source: "general knowledge", Confirm: true},
		{ID: "flare_efficiency_before_2024", Text: "Before the 2024 amendments a flare destroyed and burned 98 % where nothing else was shown.", Value: "98/98", Source: "general knowledge", Confirm: true},
		{ID: "subpart_w_w21", Text: "Equation W-21 gave the combusted CO2 in 2010 only; it is not used here.", Value: "not used", Source: "general knowledge", Confirm: true},
		{ID: "rule38_density", Text: "Distances to lease line and well in ft go with acres a well: 330/660 with 10, 330/933 and 467/933 with 20, 660/1,320 with 40.", Value: "330/660=10, 330/933=20, 467/933=20, 660/1320=40", Source: "general knowledge", Confirm: true},
		{ID: "api_suffix", Text: "Digits 11 and 12 of an API number are the sidetrack, 13 and 14 the completion.", Value: "11-12 sidetrack, 13-14 completion", Source: "general knowledge", Confirm: true},
		{ID: "api_states", Text: "The state codes of neighbours in API numbers: 30 is New Mexico, 35 Oklahoma, 17 Louisiana.", Value: "30 NM, 35 OK, 17 LA", Source: "general knowledge", Confirm: true},
	}
}

const flareSource = "16 TAC 3.32 as told by secondary sources"

// assumption is a fact that an answer builds on.
type assumption struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Value  string `json:"value"`
	Source string `json:"source"`
	// Status is "to be confirmed", or who confirmed it and when.
	Status string `json:"status"`
}

// toConfirm is the status of a fact that nobody has confirmed.
const toConfirm = "to be confirmed by a person"

// builtOn are the facts with these ids, as they were confirmed.
func builtOn(confirmed map[string]tool.Fact, ids ...string) (out []assumption) {
	for _, f := range facts() {
		for _, id := range ids {
			if f.ID != id || !f.Confirm {
				continue
			}
			a := assumption{f.ID, f.Text, f.Value, f.Source, toConfirm}
			if c, ok := confirmed[f.ID]; ok {
				a.Value, a.Status = c.Value, "confirmed by "+c.By+" on "+c.At.Format("2006-01-02")
			}
			out = append(out, a)
		}
	}
	return out
}
