package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/app/tongue"
)

// small is a model server of this many weights that asks for a call wherever it is offered the
// tool, and else says what it says.
func small(t *testing.T, weights int64, tool, arguments, says string) (url string) {
	t.Helper()
	return weighing(t, weights, func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Format   json.RawMessage
			Messages []struct{ Role, Content string }
			Tools    []struct{ Function struct{ Name string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		message := map[string]any{"role": "assistant", "content": says}
		switch {
		case bytes.Contains(q.Format, []byte(`"risk"`)):
			message["content"] = `{"risk":"none","category":"intent","who":"self"}`
		case q.Format != nil:
			message["content"] = "{}"
		}
		for _, o := range q.Tools {
			if o.Function.Name == tool && q.Messages[len(q.Messages)-1].Role != "tool" {
				message["content"] = ""
				message["tool_calls"] = []any{map[string]any{"function": map[string]any{"name": tool, "arguments": json.RawMessage(arguments)}}}
			}
		}
		body, err := json.Marshal(map[string]any{"message": message, "done": true, "done_reason": "stop"})
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintln(w, string(body))
	})
}

// "It asked me to write an allergy into the record that it had made up, and nothing on the card said
// that the model is too small to be believed."
func TestApproval_WhatAVerySmallModelAsksForBearsItsMark(t *testing.T) {
	for _, weights := range []int64{135_000_000, 3_000_000_000} {
		t.Run(fmt.Sprint(weights), func(t *testing.T) {
			a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: small(t, weights, "add_care_note", `{"text":"The patient is allergic to something."}`, "Noted.")})
			if err != nil {
				t.Fatal(err)
			}
			defer closeApp(t, a)
			sample(t, a)
			out := askIn(t, a, app.TurnRequest{Patient: "pat-alder", Text: "Please add a care note that he is allergic to something"})
			waits, err := a.Approvals("pending")
			if err != nil || len(waits) != 1 {
				t.Fatalf("%d wait: %v", len(waits), err)
			}
			v, err := a.Approval(waits[0].ID, true)
			if err != nil {
				t.Fatal(err)
			}
			weak := weights < 300_000_000
			for g, mark := range map[tongue.Tongue]string{"en": "Written by a very small model: check it against the record", tongue.French: "Écrit par un très petit modèle : vérifiez dans le dossier"} {
				if text := app.ApprovalText(g, v, a.When); strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), mark) != weak {
					t.Errorf("the card in %s:\n%s", g, text)
				}
				x, err := a.Export(app.ExportQuery{Session: out.Session, Language: string(g)})
				if err != nil {
					t.Fatal(err)
				}
				if text := exported(t, x); strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), mark) != weak {
					t.Errorf("the export in %s:\n%s", g, text)
				}
			}
		})
	}
}
