package navigator

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"holdpoint/engine/model"
	"holdpoint/engine/pipeline"
	"holdpoint/engine/turn"
)

// Signal is what the conversation says about what the person needs.
type Signal struct {
	SignalSummary string   `json:"signal_summary"`
	Concerns      []string `json:"concerns"`
	Goals         []string `json:"goals"`
	Preferences   []string `json:"preferences"`
	Urgency       string   `json:"urgency"`
}

// The bounds of the texts stand again where they are read: what fills one was cut there.
var signalSchema = json.RawMessage(`{"title":"client_signal","type":"object","properties":{
"signal_summary":{"type":"string","maxLength":120},
"concerns":{"type":"array","maxItems":3,"items":{"type":"string","maxLength":40}},
"goals":{"type":"array","maxItems":2,"items":{"type":"string","maxLength":40}},
"preferences":{"type":"array","maxItems":2,"items":{"type":"string","maxLength":40}},
"urgency":{"type":"string","enum":["routine","soon","urgent"]}},
"required":["signal_summary","concerns","goals","preferences","urgency"],"additionalProperties":false}`)

const signalPrompt = `what the person seems to need from care, only from what they say. signal_summary is one short sentence; concerns are problems they name;
goals what they want; preferences what matters to them about a provider or visit; urgency routine, soon or urgent. Leave a list empty when nothing was said.`

// read asks a light question about a conversation; share is how much of it, from 0 to 1,
// there was room for.
func read(ctx context.Context, d *input, question string, conversation []model.Message, out any) (share float64, err error) {
	ctx, end := d.waiting(ctx)
	defer end()
	text, share := transcript(conversation)
	return share, d.light.Ask(ctx, d.t, question, text, out)
}

// lightIsWeak says that the model which answers light questions is too small for its word to count alone.
func (d *input) lightIsWeak(ctx context.Context) bool {
	info, err := d.deps.Models.Light.Info(ctx)
	return err == nil && info.Weak()
}

// clientSignal reads the conversation with the model. Completeness is how much of what
// matters about the person's need is known: the share of what they need, concerns, goals,
// preferences and urgency that they said something about. That nothing is urgent is known
// only where a need is.
func clientSignal(ctx context.Context, d *input, in pipeline.Input) (pipeline.Output, error) {
	var s Signal
	if _, err := read(ctx, d, "client_signal", in.Conversation, &s); err != nil {
		return pipeline.Output{}, err
	}
	wrote := strings.TrimSpace(s.SignalSummary) != "" || len(s.Concerns)+len(s.Goals)+len(s.Preferences) > 0
	s.SignalSummary = worded(model.Filled(s.SignalSummary, 120))
	for _, list := range []*[]string{&s.Concerns, &s.Goals, &s.Preferences} {
		kept := []string{}
		for _, text := range *list {
			if text = worded(model.Filled(text, 40)); text != "" && !strings.HasSuffix(text, "?") { // a question is nothing that was said
				kept = append(kept, text)
			}
		}
		*list = kept
	}
	if wrote && s.SignalSummary == "" && len(s.Concerns)+len(s.Goals)+len(s.Preferences) == 0 {
		return ownWords(in, pipeline.ClassUnclassified), nil // to ask it again would cost a call and give the same
	}
	parts := 0
	named := len(s.Concerns) > 0 || len(s.Goals) > 0
	for _, said := range []bool{strings.TrimSpace(s.SignalSummary) != "", len(s.Concerns) > 0, len(s.Goals) > 0, len(s.Preferences) > 0,
		s.Urgency != "" && (named || s.Urgency != routine)} {
		if said {
			parts++
		}
	}
	return pipeline.Output{Value: s, Completeness: float64(parts) / 5, Weak: d.lightIsWeak(ctx)}, nil
}

const routine = "routine"

// worded is a text that a model wrote of somebody's need; "" where most of it are signs and figures, as a small one writes.
func worded(text string) string {
	letters, others := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
		case !unicode.IsSpace(r):
			others++
		}
	}
	if letters < 3 || others > letters {
		return ""
	}
	return text
}

// ownWords stand in for the signal where no model could read it: what the person said last.
// How urgent it is, nobody says then.
func ownWords(in pipeline.Input, class pipeline.Class) pipeline.Output {
	said := ""
	for _, m := range in.Conversation {
		said = m.Text
	}
	why := "the model could not read it"
	if class == pipeline.ClassTimeout {
		why = "the model took too long to read it"
	}
	return pipeline.Output{Value: Signal{SignalSummary: model.Shorten(strings.Join(strings.Fields(said), " "), ownWordsRoom), Concerns: []string{}, Goals: []string{}, Preferences: []string{}},
		Completeness: 0.2, Degraded: why + "; the person's own last words stand here"}
}

// ownWordsRoom is how much of a message stands in for the signal, in characters.
const ownWordsRoom = 500

// Narrative is the course of the session so far. Of a short one every word stands in the
// reply's prompt: Whole says so, and nothing is retold.
type Narrative struct {
	Narrative     string   `json:"narrative"`
	OpenQuestions []string `json:"open_questions"`
	Whole         bool     `json:"whole,omitempty"`
}

var narrativeSchema = json.RawMessage(`{"title":"session_narrative","type":"object","properties":{
"narrative":{"type":"string","maxLength":200},
"open_questions":{"type":"array","maxItems":2,"items":{"type":"string","maxLength":80}}},
"required":["narrative","open_questions"],"additionalProperties":false}`)

const narrativePrompt = `in one or two short sentences how this conversation went so far, and which questions are open. Invent nothing.`

// shortTalk is how long a conversation is at most, in characters, of which nothing is retold.
const shortTalk = 2000

// toldWhole says that a conversation stands in the reply's prompt word for word.
func (d *input) toldWhole(ctx context.Context, conversation []model.Message) bool {
	ctx, end := d.waiting(ctx)
	defer end()
	info, err := d.deps.Models.Main.Info(ctx)
	n := 0
	for _, m := range conversation {
		n += len(m.Text)
	}
	return err == nil && n <= min(shortTalk, d.historyRoom(turn.RoomOf(info)))
}

// sessionNarrative retells the session with the model, unless the reply's prompt has every
// word of it. Completeness is the share of the conversation that it was told of.
func sessionNarrative(ctx context.Context, d *input, in pipeline.Input) (pipeline.Output, error) {
	if d.toldWhole(ctx, in.Conversation) {
		d.light.Drop("session_narrative")
		return pipeline.Output{Value: Narrative{OpenQuestions: []string{}, Whole: true}, Completeness: 1}, nil
	}
	var n Narrative
	share, err := read(ctx, d, "session_narrative", in.Conversation, &n)
	if err != nil {
		return pipeline.Output{}, err
	}
	if n.Narrative = model.Filled(n.Narrative, 200); n.Narrative == "" {
		share = 0
	}
	for i := range n.OpenQuestions {
		n.OpenQuestions[i] = model.Filled(n.OpenQuestions[i], 80)
	}
	return pipeline.Output{Value: n, Completeness: share, Weak: d.lightIsWeak(ctx)}, nil
}

// transcriptRoom bounds what of a conversation a small model reads, in characters.
const transcriptRoom = 5000

// transcript writes the newest part of a conversation; share is how many of its messages
// are in it.
func transcript(messages []model.Message) (text string, share float64) {
	written := 0
	for _, m := range slices.Backward(messages) {
		who := "PERSON"
		if m.Role == "assistant" {
			who = "NAVIGATOR"
		}
		line := who + ": " + model.Shorten(m.Text, 1500) + "\n"
		if len(text)+len(line) > transcriptRoom && text != "" {
			break
		}
		text = line + text
		written++
	}
	return text, float64(written) / float64(max(1, len(messages)))
}
