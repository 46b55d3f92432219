package safety

import (
	"maps"
	"slices"
	"testing"
)

// Rules fit the messages they were measured on. So each person is judged again
// by rules without the words that nobody else in the samples meets.
func TestMeasuredWithoutWhatOnlyOnePersonMeets(t *testing.T) {
	people := readSample(t, "crisis/cssrs-dev.jsonl")
	questions := readSample(t, "counsel-questions/questions.jsonl")
	if len(people) == 0 || len(questions) == 0 {
		t.Skip("nothing is measured without the sample data")
	}
	all := slices.Clone(people)
	for _, q := range questions {
		q.Text = messages{q.Title + "\n" + q.Text[0]}
		q.Label = "ordinary"
		if acute[q.ID] {
			q.Label = "acute"
		}
		all = append(all, q)
	}
	met := make([]map[place]bool, len(all))
	meeting := map[place]int{}
	for i, p := range all {
		met[i] = english().places(p.Text)
		for at := range met[i] {
			meeting[at]++
		}
	}
	alarms, of := map[string]int{}, map[string]int{}
	for i, p := range all {
		of[p.Label]++
		maps.DeleteFunc(met[i], func(at place, _ bool) bool { return meeting[at] > 1 })
		rs := english().without(met[i])
		if slices.ContainsFunc(p.Text, func(text string) bool { return rs.check(text).Hijack }) {
			alarms[p.Label]++
		}
	}
	rate := func(label string) float64 { return share(alarms[label], of[label]) }
	t.Logf("without what only one person meets: recall %.3f of %d, people who comfort %.3f of %d, ordinary questions %d of %d, acute ones %d of %d",
		rate(LabelCrisis), of[LabelCrisis], rate(LabelNone), of[LabelNone], alarms["ordinary"], of["ordinary"], alarms["acute"], of["acute"])
	if rate(LabelCrisis) < 0.88 || rate(LabelNone) > maxHelpers || rate("ordinary") > maxOrdinary {
		t.Error("the rules lean on single people's words")
	}
}
