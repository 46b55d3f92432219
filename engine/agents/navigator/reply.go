package navigator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/turn"
)

var empathySchema = json.RawMessage(`{"title":"empathy","type":"object","properties":{
"tone":{"type":"string","enum":["calm","warm","reassuring","practical","celebrating"]},
"acknowledgement":{"type":"string","maxLength":100}},
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
// holds for this turn; or, when a required part is missing, the reply that says so. What
// did not fit is named.
func (a *navigator) format(ctx context.Context, t *graph.Task) (graph.Result, error) {
	assembly := ChannelAssembly.Get(t.State)
	if ChannelFailed.Get(t.State) {
		return done(ContextFormat, graph.Patch{ChannelReply.Set(missingReply(turn.Tongue(t), assembly.Missing))}), nil
	}
	part := mostShare // a model that does not say how long its context is, is asked again for the reply
	if d, err := turn.DependenciesOf(t); err == nil {
		if info, err := d.Models.Main.Info(ctx); err == nil && info.Context > 0 {
			part = a.share(max(info.Context*turn.CharsPerToken, turn.LeastRoom))
		}
	}
	standing, about, cut := contextOf(t, part)
	assembly.Degraded, assembly.Standing = append(slices.Clip(assembly.Degraded), cut...), len(standing)
	assembly.Memories = turn.Earlier(ctx, t)
	return done(ContextFormat, graph.Patch{ChannelContext.Set(standing + about), ChannelAssembly.Set(assembly)}), nil
}

// missingReply says which required parts are missing.
func missingReply(words board.Phrasing, missing []Section) string {
	var b strings.Builder
	b.WriteString(words.Say("I can't answer safely yet, because something I need could not be read:") + "\n\n")
	for _, m := range missing {
		b.WriteString("- " + words.Say("%s: %s", words.Told(sectionTitle(m.Tool)), words.Told(m.Reason)) + "\n")
	}
	b.WriteString("\n" + words.Say("Nothing was changed. Please check the records, then try again."))
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

// finalize closes the turn: it says what memory holds now. Where a required part of the
// context is missing it writes the reply that says so, and the turn is failed: a resume
// assembles the context anew.
func (a *navigator) finalize(_ context.Context, t *graph.Task) (graph.Result, error) {
	if ChannelFailed.Get(t.State) {
		missing := ChannelAssembly.Get(t.State).Missing
		var names, told []string
		for _, m := range missing {
			names = append(names, m.Tool+": "+m.Reason)
			told = append(told, sectionTitle(m.Tool)+": "+m.Reason)
		}
		t.Emit(journal.Event{Error: "context could not be assembled: " + strings.Join(names, "; ")}.With(journal.AssemblyFailedData{Missing: missing}),
			journal.Event{Message: messageID(t, "missing"), Text: ChannelReply.Get(t.State)}.
				With(journal.MessageData{Role: journal.Assistant, Template: "assembly_failed"}))
		return graph.Result{}, &graph.Back{Failed: ContextAssembly, To: AssemblyGate, Err: fmt.Errorf("%w: %s", errAssembly, strings.Join(told, "; "))}
	}
	r := done(Finalize, nil)
	if assembly := ChannelAssembly.Get(t.State); len(assembly.Ran) > 0 {
		r.Events = append(r.Events, journal.Event{}.With(journal.MemoryUpdatedData{Scope: "working", Keys: assembly.Ran}))
		notesOf(t, ChannelBundle.Get(t.State)).Write(&r, t.Run.Session)
	}
	return r, nil
}

var errAssembly = errors.New("navigator: something that is needed for an answer could not be read")
