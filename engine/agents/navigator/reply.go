package navigator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/turn"
)

var empathySchema = json.RawMessage(`{"title":"empathy","type":"object","properties":{
"tone":{"type":"string","enum":["calm","warm","reassuring","practical","celebrating"]},
"acknowledgement":{"type":"string","maxLength":120}},
"required":["tone","acknowledgement"],"additionalProperties":false}`)

const empathyPrompt = `tone is which tone suits the answer; acknowledgement is one short sentence that acknowledges how the person may feel, without advice, promises or diagnosis.`

var tones = []string{"calm", "warm", "reassuring", "practical", "celebrating"}

// empathy takes the tone from what preflight asked about the message. Without an answer
// of the model the tone is calm: a turn never fails over it.
func (a *navigator) empathy(_ context.Context, t *graph.Task) (graph.Result, error) {
	e := ChannelEmpathy.Get(t.State)
	known := slices.Contains(tones, e.Tone)
	if !known {
		e = Empathy{Tone: "calm"}
	}
	e.Acknowledgement = model.Shorten(e.Acknowledgement, 200)
	r := done(EmpathyStage, graph.Patch{ChannelEmpathy.Set(e)})
	if !known {
		r.Reason = "the model gave no reading of the tone; calm was taken"
	}
	return r, nil
}

// sections are the bundle's parts in the order of the prompt, with their titles. What
// stands holds for the whole session, as long as the records do not change.
var sections = []struct {
	tool, title string
	stands      bool
}{
	{"patient_context", "Patient profile", true},
	{"provider_genome", "Providers here", true},
	{"client_signal", "What the person seems to need", false},
	{"session_narrative", "The conversation so far", false},
	{"therapeutic_fit", "Providers that may fit", false},
}

// format writes the bundle for the prompt: first what holds for the session, then what
// holds for this turn; or, when a required part is missing, the reply that says so.
func (a *navigator) format(_ context.Context, t *graph.Task) (graph.Result, error) {
	assembly := ChannelAssembly.Get(t.State)
	if ChannelFailed.Get(t.State) {
		text := missingReply(assembly.Missing)
		return done(ContextFormat, graph.Patch{ChannelReply.Set(text)}), nil
	}
	bundle := ChannelBundle.Get(t.State)
	standing := sectionsText(bundle, true)
	// What must not be missed comes first: a small model's prompt is cut at the end.
	var b strings.Builder
	if turn.ChannelSafety.Get(t.State).Concern {
		b.WriteString(turn.ConcernNote + "\n")
	}
	for _, d := range assembly.Degraded {
		fmt.Fprintf(&b, "<degraded section=%q>This part is missing (%s). Ask a short question about it when it matters.</degraded>\n", d.Tool, turn.TagSafe(model.Shorten(d.Reason, 200)))
	}
	if e := ChannelEmpathy.Get(t.State); e.Tone != "" {
		fmt.Fprintf(&b, "<tone>%s %s</tone>\n", e.Tone, turn.TagSafe(e.Acknowledgement))
	}
	fmt.Fprintf(&b, "<intent>%s</intent>\n<today>%s</today>\n", ChannelIntent.Get(t.State), t.Run.StartedAt.Format("Monday 2006-01-02 15:04 -07:00"))
	b.WriteString(sectionsText(bundle, false))
	assembly.Standing = len(standing)
	return done(ContextFormat, graph.Patch{ChannelContext.Set(standing + b.String()), ChannelAssembly.Set(assembly)}), nil
}

// sectionsText writes the parts of a bundle that stand, or the others.
func sectionsText(bundle map[string]json.RawMessage, stands bool) string {
	var b strings.Builder
	for _, s := range sections {
		if value, ok := bundle[s.tool]; ok && s.stands == stands {
			fmt.Fprintf(&b, "<%s title=%q>\n%s\n</%s>\n", s.tool, s.title, turn.TagSafe(model.Shorten(string(value), 3000)), s.tool)
		}
	}
	return b.String()
}

func missingReply(missing []Section) string {
	var b strings.Builder
	b.WriteString("I can't answer safely yet, because something I need could not be read:\n\n")
	for _, m := range missing {
		fmt.Fprintf(&b, "- %s: %s\n", sectionTitle(m.Tool), m.Reason)
	}
	b.WriteString("\nNothing was changed. Please check the records and the model, then ask again.")
	return b.String()
}

// sectionTitle is what a person reads for a context tool.
func sectionTitle(tool string) string {
	for _, s := range sections {
		if s.tool == tool {
			return s.title
		}
	}
	return tool
}

// finalize closes the turn: it writes the message of replies that no model streamed
// and says what memory holds now.
func (a *navigator) finalize(_ context.Context, t *graph.Task) (graph.Result, error) {
	r := done(Finalize, nil)
	if ChannelFailed.Get(t.State) {
		missing := ChannelAssembly.Get(t.State).Missing
		var names []string
		for _, m := range missing {
			names = append(names, m.Tool+": "+m.Reason)
		}
		r.Events = append(r.Events,
			journal.Event{Error: "context could not be assembled: " + strings.Join(names, "; ")}.With(journal.AssemblyFailedData{Missing: missing}),
			journal.Event{Message: messageID(t, "missing"), Text: ChannelReply.Get(t.State)}.
				With(journal.MessageData{Role: journal.Assistant, Template: "assembly_failed"}))
		return r, nil
	}
	if assembly := ChannelAssembly.Get(t.State); len(assembly.Ran) > 0 {
		r.Events = append(r.Events, journal.Event{}.With(journal.MemoryUpdatedData{Scope: "working", Keys: assembly.Ran}))
	}
	return r, nil
}
