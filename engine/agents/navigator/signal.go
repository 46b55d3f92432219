package navigator

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"holdpoint/engine/model"
	"holdpoint/engine/pipeline"
)

// Signal is what the conversation says about what the person needs.
type Signal struct {
	SignalSummary string   `json:"signal_summary"`
	Concerns      []string `json:"concerns"`
	Goals         []string `json:"goals"`
	Preferences   []string `json:"preferences"`
	Urgency       string   `json:"urgency"`
}

var signalSchema = json.RawMessage(`{"title":"client_signal","type":"object","properties":{
"signal_summary":{"type":"string","maxLength":200},
"concerns":{"type":"array","maxItems":3,"items":{"type":"string","maxLength":50}},
"goals":{"type":"array","maxItems":3,"items":{"type":"string","maxLength":50}},
"preferences":{"type":"array","maxItems":3,"items":{"type":"string","maxLength":50}},
"urgency":{"type":"string","enum":["routine","soon","urgent"]}},
"required":["signal_summary","concerns","goals","preferences","urgency"],"additionalProperties":false}`)

const signalPrompt = `what the person seems to need from care, only from what they say. signal_summary is one or two sentences; concerns are problems they name;
goals what they want; preferences what matters to them about a provider or visit; urgency routine, soon or urgent. Leave a list empty when nothing was said.`

// clientSignal reads the conversation with the model. Completeness is the share
// of the five parts that were said, in fifths.
func clientSignal(ctx context.Context, d *input, in pipeline.Input) (pipeline.Output, error) {
	var s Signal
	if err := d.light.Ask(ctx, d.t, "client_signal", transcript(in.Conversation), &s); err != nil {
		return pipeline.Output{}, err
	}
	parts := 0
	for _, said := range []bool{strings.TrimSpace(s.SignalSummary) != "", len(s.Concerns) > 0, len(s.Goals) > 0, len(s.Preferences) > 0, s.Urgency != ""} {
		if said {
			parts++
		}
	}
	return pipeline.Output{Value: s, Completeness: float64(parts) / 5}, nil
}

// Narrative is the course of the session so far.
type Narrative struct {
	Narrative     string   `json:"narrative"`
	OpenQuestions []string `json:"open_questions"`
}

var narrativeSchema = json.RawMessage(`{"title":"session_narrative","type":"object","properties":{
"narrative":{"type":"string","maxLength":300},
"open_questions":{"type":"array","maxItems":2,"items":{"type":"string","maxLength":80}}},
"required":["narrative","open_questions"],"additionalProperties":false}`)

const narrativePrompt = `in a few sentences how this conversation went so far, and which questions are open. Invent nothing.`

// sessionNarrative retells the session with the model. Completeness grows with
// the turns that it covers: 0.2 for each exchange, at most 1.
func sessionNarrative(ctx context.Context, d *input, in pipeline.Input) (pipeline.Output, error) {
	var n Narrative
	if err := d.light.Ask(ctx, d.t, "session_narrative", transcript(in.Conversation), &n); err != nil {
		return pipeline.Output{}, err
	}
	said := 0
	for _, m := range in.Conversation {
		if m.Role == "user" {
			said++
		}
	}
	c := 0.0
	if strings.TrimSpace(n.Narrative) != "" {
		c = min(1, 0.2*float64(said))
	}
	return pipeline.Output{Value: n, Completeness: c}, nil
}

// transcriptRoom bounds what of a conversation a small model reads, in characters.
const transcriptRoom = 5000

// transcript writes the newest part of a conversation.
func transcript(messages []model.Message) string {
	out := ""
	for _, m := range slices.Backward(messages) {
		who := "PERSON"
		if m.Role == "assistant" {
			who = "NAVIGATOR"
		}
		line := who + ": " + model.Shorten(m.Text, 1500) + "\n"
		if len(out)+len(line) > transcriptRoom && out != "" {
			break
		}
		out = line + out
	}
	return out
}
