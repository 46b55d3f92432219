package researcher

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
)

// mostSentences bounds a summary.
const mostSentences = 6

// synthesize asks for a summary of what is settled and writes the report. A model that
// gives no usable answer costs the report its summary, and nothing else.
func synthesize(ctx context.Context, t *graph.Task) (graph.Result, error) {
	read, s, decisions, err := now(t)
	if err != nil {
		return graph.Result{}, err
	}
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	info, err := d.Models.Main.Info(ctx)
	if err != nil {
		return graph.Result{}, err
	}
	syn := &board.Synthesis{Sentences: []board.Sentence{}, Model: info.Name, Digest: info.Digest, Practice: info.Practice, At: t.Now()}
	if d.Encoder != nil {
		syn.Encoder = d.Encoder.Name()
	}
	if err := summarize(ctx, t, s, syn); err != nil {
		return graph.Result{}, err
	}
	bodies, err := evidence(t, s, allIDs(s)...)
	if err != nil {
		return graph.Result{}, err
	}
	s.Synthesis = syn
	words := turn.Tongue(t)
	if d.Language == safety.French { // a study is read on the screens as well
		words = turn.PhrasingIn(t, d.Language)
	}
	report := board.NewReport(s, bodies, decisions, words).Markdown()
	patch, err := read.Writes(s)
	if err != nil {
		return graph.Result{}, err
	}
	return graph.Result{Patch: append(patch, board.ChannelSynthesis.Set(syn), board.ChannelNext.Set(Finish), channelReply.Set(report)),
		Events: []journal.Event{journal.Event{Message: t.Run.Turn + "/report", Text: report}.With(journal.MessageData{Role: journal.Assistant,
			ModelUsed: turn.By(info)})}}, nil
}

// summarize fills the synthesis' sentences; those that rest on nothing known are left out.
func summarize(ctx context.Context, t *graph.Task, s *board.State, syn *board.Synthesis) error {
	var b strings.Builder
	ids := []string{}
	fmt.Fprintf(&b, "<question>%s</question>\n", turn.TagSafe(s.Query))
	for i := range s.Hypotheses {
		h := &s.Hypotheses[i]
		if !h.Settled() {
			continue
		}
		fmt.Fprintf(&b, "<hypothesis id=\"%s\" status=\"%s\">%s</hypothesis>\n", h.ID, h.Status, turn.TagSafe(h.Statement))
		for _, j := range s.Judgements {
			if j.Hypothesis == h.ID && j.Quote != "" && (slices.Contains(h.Supporting, j.Evidence) || slices.Contains(h.Contradicting, j.Evidence)) {
				fmt.Fprintf(&b, "<passage id=\"%s\" verdict=\"%s\">%s</passage>\n", j.Evidence, j.Verdict, turn.TagSafe(j.Quote))
				if !slices.Contains(ids, j.Evidence) {
					ids = append(ids, j.Evidence)
				}
			}
		}
	}
	for _, c := range s.Conflicts {
		if c.Status == board.Resolved {
			fmt.Fprintf(&b, "<conflict>%s Resolved: %s</conflict>\n", turn.TagSafe(c.Description), turn.TagSafe(c.Resolution))
		}
	}
	if len(ids) == 0 {
		syn.Note = board.NothingSettled
		return nil
	}
	fmt.Fprintf(&b, "Sum up in at most %d sentences what is settled about the question. Name with each sentence the ids of the passages that it rests on.", mostSentences)
	schema := json.RawMessage(fmt.Sprintf(`{"title":"synthesis","type":"object","properties":{"sentences":{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"object","properties":{"text":{"type":"string","minLength":3,"maxLength":400},"evidence":{"type":"array","minItems":1,"maxItems":6,"items":{"type":"string","enum":%s}}},"required":["text","evidence"],"additionalProperties":false}}},"required":["sentences"],"additionalProperties":false}`,
		mostSentences, model.JSON(ids)))
	var answer struct {
		Sentences []board.Sentence `json:"sentences"`
	}
	useless, err := ask(ctx, t, "synthesis", b.String(), schema, replyTokens, &answer)
	if err != nil {
		return err
	}
	// A sentence that is a call of a tool, or JSON, is none.
	said := slices.DeleteFunc(answer.Sentences, func(x board.Sentence) bool { return turn.Plain(x.Text) == "" })
	if useless != nil || len(said) == 0 {
		syn.Note = "The model gave no usable summary."
		return nil
	}
	syn.Sentences, syn.Dropped = s.Cited(said)
	if len(syn.Sentences) == 0 {
		syn.Sentences, syn.Note = []board.Sentence{}, "What the model wrote as a summary rested on nothing known and was left out."
	}
	return nil
}
