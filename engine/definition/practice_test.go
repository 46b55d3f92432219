package definition

import (
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/engine/model"
)

func TestPractice_runs_through_a_pool_once_and_ends(t *testing.T) {
	r := model.Request{Format: json.RawMessage(`{"title":"next_node","type":"object","properties":{"next_node":{"type":"string","enum":["answer","plan","act","__done__"]},"reason":{"type":"string"}},"required":["next_node","reason"]}`)}
	system := "plan: makes a plan\nact: acts\nanswer: says it (terminal: ends the work)\n__done__: done (terminal)\n"
	for ran, want := range map[string]string{"": "plan", "Nodes that ran so far: plan\n": "act", "Nodes that ran so far: plan, act\n": "answer", "Nodes that ran so far: act, plan, answer\n": "__done__"} {
		r.Messages = []model.Message{{Role: "system", Text: system}, {Role: "user", Text: "<message>\nhi\n</message>\n" + ran + "Which node runs next?"}}
		answer, err := (&model.Practice{Scripts: []model.Script{Script()}}).Chat(t.Context(), r, nil)
		if err != nil || !strings.Contains(answer.Message.Text, `"next_node":"`+want+`"`) {
			t.Errorf("after %q it chooses %s (%v), want %s", ran, answer.Message.Text, err, want)
		}
	}
}

func TestPractice_finds_the_sum_in_a_message(t *testing.T) {
	for said, want := range map[string]string{"What is (17 + 4) * 2.5?": "(17 + 4) * 2.5", "Use 3 * 60 + 20.": "3 * 60 + 20", "12×37 please": "12×37", "no 7 sums": "", "9 and 10": ""} {
		if got := sumIn(said); got != want {
			t.Errorf("in %q it finds %q, want %q", said, got, want)
		}
	}
}
