package navigator_test

import (
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

// TestNavigator_N43_ASmallModelIsToldOfTheConcern has a context that is far too
// long for the model: what must not be missed is still there.
func TestNavigator_N43_ASmallModelIsToldOfTheConcern(t *testing.T) {
	h := newHouse(t)
	h.model.context = 1024
	h.model.answers["safety"] = `{"risk":"concern","category":"intent"}`
	h.model.errs["session_narrative"] = errBroken
	for i := range 40 {
		h.put(fmt.Sprintf(`{"resourceType":"Condition","id":"many-%d","subject":{"reference":"Patient/pat-alder"},"code":{"text":"A condition with a rather long name, number %d"}}`, i, i))
	}
	h.status(h.ask("pat-alder", nothing), run.Completed)
	prompt, size := "", 0
	for _, m := range h.model.last().Messages {
		size += len(m.Text)
		if m.Role == "system" {
			prompt += m.Text
		}
	}
	for _, part := range []string{"<concern>", `<degraded section="session_narrative">`, "<tone>", "<intent>", "<today>", "<patient_context"} {
		if !strings.Contains(prompt, part) {
			t.Errorf("the prompt of %d characters has no %s", size, part)
		}
	}
	if last := h.model.last().Messages; last[len(last)-1].Text != nothing {
		t.Error("the person's message is not whole")
	}
}

// TestNavigator_ARefusedPromptIsTriedShorter has a server that takes only short prompts.
func TestNavigator_ARefusedPromptIsTriedShorter(t *testing.T) {
	h := newHouse(t)
	h.model.most = 4000
	for i := range 6 {
		h.status(h.ask("pat-alder", fmt.Sprintf("Message %d. %s", i, strings.Repeat("I can't sleep. ", 60))), run.Completed)
	}
	refused := 0
	for _, r := range h.model.asked {
		if sizeOf(r) > h.model.most {
			refused++
		}
	}
	if refused == 0 || sizeOf(h.model.last()) > h.model.most {
		t.Errorf("%d prompts were refused; the last one has %d characters", refused, sizeOf(h.model.last()))
	}
}

func sizeOf(r model.Request) (n int) {
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	return n
}
