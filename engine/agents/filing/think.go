package filing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/skill"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// answerTokens bounds an answer, answerRoom is that in characters.
const (
	answerTokens = 1024
	answerRoom   = answerTokens * turn.CharsPerToken
	leastPart    = 300
)

// spoken leaves notes to the model out of what it says.
var spoken = turn.Spoken{Own: turn.OwnWords(defaultPersona, conduct, call.RepeatNote)}

// initial is the first phase: calls, a skill, or an answer.
func (f flow) initial(ctx context.Context, t *graph.Task) (graph.Result, error) {
	return f.think(ctx, t, InitialCall)
}

// synthesise is the second phase. It asks nobody when no skill was injected, or when
// nothing is new since the model answered: its answer stands.
func (f flow) synthesise(ctx context.Context, t *graph.Task) (graph.Result, error) {
	if len(ChannelSkills.Get(t.State)) == 0 || !ChannelNews.Get(t.State) {
		return leave(Synthesis, OutputFormat, "there is nothing new to tell the model", ChannelPhase.Set(synthesis)), nil
	}
	if text := ChannelOutcome.Get(t.State); text != "" && ChannelTaken.Get(t.State) {
		return leave(Synthesis, OutputFormat, "what was decided is told as it was kept", ChannelPhase.Set(synthesis), ChannelNews.Set(false), ChannelDraft.Set(text), ChannelSpoken.Set(false)), nil
	}
	return f.think(ctx, t, Synthesis)
}

// think asks the model in a phase. The budget was looked at before: a turn that has used
// up what it may does not come here.
func (f flow) think(ctx context.Context, t *graph.Task, node graph.StageID) (graph.Result, error) {
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	if r, err := f.changed(t, d); r != nil || err != nil {
		return orNone(r), err
	}
	set, fromSkills, err := f.visible(t, d)
	if err != nil {
		return graph.Result{}, err
	}
	info, err := d.Models.Main.Info(ctx)
	if err != nil {
		return graph.Result{}, err
	}
	phase := initial
	if node == Synthesis {
		phase = synthesis
	}
	owes := f.owes(t)
	switch taken := ChannelTaken.Get(t.State); {
	case taken && owes:
		return f.prepare(t, node, phase, set)
	case taken && ChannelRequired.Get(t.State):
		return f.prepared(t, node, phase), nil
	}
	messages := ChannelMessages.Get(t.State)
	spoken := spoken.With(ChannelHistory.Get(t.State)).For(turn.Asked(ChannelHistory.Get(t.State), t.Run.Input), strings.Join(ChannelSkillMessages.Get(t.State), "\n")+turn.Given(messages))
	selectable := f.selectable(t, d)
	waits := ChannelRequired.Get(t.State) || ChannelMetadata.Get(t.State)[metaCheckpoint] != "" && !ChannelPassed.Get(t.State)
	offers := set.Only(func(tl tool.Tool) bool { return tl.Allow == nil || tl.Allow(d.Caller) == nil }).Offer()
	speech := &turn.Speech{Task: t, ID: fmt.Sprintf("%s/%s.%d", t.Run.Turn, node, t.Finished+1), Info: info, Through: spoken.Writer, Clean: spoken.Plain,
		Hidden: waits || owes || node == InitialCall && len(selectable) > 0}
	if text, ok, err := turn.Waiting(t); err != nil {
		return graph.Result{}, err
	} else if ok {
		return f.said(ctx, t, node, phase, text, speech, model.Response{}, true)
	}
	t.Emit(span("tools.assemble", map[string]any{"core_capability_count": len(core), "skill_exposed_tool_count": fromSkills, "total_tools_visible": set.Len(), "skills_loaded": len(loaded(t, d))}))
	listing := skill.Listing(selectable)
	if node == Synthesis {
		listing = "" // what is selected now is injected in the next turn
	}
	noes, err := rejections(t)
	if err != nil {
		return graph.Result{}, err
	}
	denied := func(name string) bool {
		tl, err := set.Get(name)
		return err == nil && tl.Mutates() && (noes[name] >= enoughNoes || len(noes) > 0 && info.Weak())
	}
	// The rounds are counted over pauses: act does.
	said, err := turn.Loop{Denied: denied, IDs: fmt.Sprintf("%s.%s%d.", t.Run.Turn, phase[:1], t.Finished+1), Talk: messages, Offers: offers, Speech: speech, Act: turn.Act{Tools: set},
		Chat: turn.Chat{Model: d.Models.Main, Role: model.Main, Purpose: string(node), ForPerson: true, Request: model.Request{MaxTokens: answerTokens}, Info: &info,
			Fit: func(room int) ([]model.Message, int) { return f.prompt(t, messages, listing, offers, room), 0 }}}.Ask(ctx, t)
	told := ChannelOutcome.Get(t.State)
	if gaveUp := errors.Is(err, model.ErrStalled) || errors.Is(err, model.ErrBroken); err != nil && ctx.Err() == nil && gaveUp && (owes || told != "") {
		said.Text, said.Calls = "", nil // what it began is no answer, and the turn does without
	} else if err != nil && !errors.Is(err, model.ErrUnusable) {
		return graph.Result{}, err
	}
	used := graph.Patch{ChannelPhase.Set(phase), ChannelTokens.Set(ChannelTokens.Get(t.State) + said.Used.Tokens), ChannelCost.Set(ChannelCost.Get(t.State) + said.Used.Cost), ChannelNews.Set(false)}
	if len(said.Calls) > 0 {
		r := leave(node, ToolNode, "the model asks for calls", append(used, ChannelCalls.Set(said.Calls), ChannelMessages.Set(with(messages, said.Asked())))...)
		r.Events = said.Events
		return r, nil
	}
	text := said.Text
	if owes && (node == Synthesis || len(skill.Selected(text, selectable)) == 0) {
		r, err := f.prepare(t, node, phase, set)
		r.Patch = append(r.Patch, used...)
		return r, err
	}
	if node == Synthesis || len(skill.Selected(text, selectable)) == 0 {
		text = spoken.Plain(text)
	}
	if text == "" {
		text = told
	}
	if text == "" {
		text = turn.Tongue(t).Say("The model gave no answer that can be used. Nothing was filed or changed; ask again in other words, or choose a stronger model under Models.")
	}
	final := !waits && (node == Synthesis || len(skill.Selected(text, selectable)) == 0)
	r, err := f.said(ctx, t, node, phase, text, speech, said.Response, final)
	r.Patch = append(r.Patch, used...)
	return r, err
}

// enoughNoes is after how many of a person a tool is not offered again in a turn: once for a reason, to propose it
// otherwise. A very small model proposes nothing more after one.
const enoughNoes = 2

// rejections counts what a person said no to in a turn, by tool.
func rejections(t *graph.Task) (map[string]int, error) {
	noes := map[string]int{}
	err := entryRows.View(t, func(tx ledger.Tx) error {
		return tx.Entries(t.Run.Turn, func(e ledger.Entry) (bool, error) {
			if e.Approval == "" {
				return true, nil
			}
			ap, err := tx.Approval(e.Approval)
			if err == nil && ap.At(t.Now()) == ledger.Rejected {
				noes[e.Tool]++
			}
			return true, err
		})
	})
	return noes, err
}

func orNone(r *graph.Result) graph.Result {
	if r == nil {
		return graph.Result{}
	}
	return *r
}

// with is a conversation with more messages; the old one stays as it is.
func with(messages []model.Message, more ...model.Message) []model.Message {
	return append(slices.Clip(messages), more...)
}

// said takes the model's words. Those that nothing can come after go to the person.
func (f flow) said(ctx context.Context, t *graph.Task, node graph.StageID, phase, text string, speech *turn.Speech, res model.Response, final bool) (graph.Result, error) {
	to, why := SkillSelect, "the model answered"
	switch {
	case node == Synthesis && ChannelRequired.Get(t.State):
		to, why = ApprovalNode, "something waits to be signed"
	case node == Synthesis:
		to = OutputFormat
	}
	var events []journal.Event
	if final {
		var err error
		if text, err = turn.Release(ctx, t, text); err != nil {
			return graph.Result{}, err
		}
		events = append(events, speech.Message(text, res, res.Cut))
	}
	patch := graph.Patch{}
	if to == ApprovalNode {
		patch = append(patch, awaits(t))
	}
	r := leave(node, to, why, append(patch, ChannelPhase.Set(phase), ChannelDraft.Set(text), ChannelSpoken.Set(final), ChannelMessages.Set(with(ChannelMessages.Get(t.State), model.Message{Role: "assistant", Text: text})))...)
	r.Events = events
	return r, nil
}

// prompt builds the chat, what stays longest first: who speaks to whom, what skills tell,
// the conversation, what memory has for this message, in which language the person is
// written to, the message and what came of it.
func (f flow) prompt(t *graph.Task, messages []model.Message, listing string, offers []model.Tool, room int) []model.Message {
	base := ChannelSystem.Get(t.State)
	tools := 0
	for _, o := range offers {
		tools += len(o.Name) + len(o.Description) + len(o.Parameters)
	}
	r := max(room-len(base)-tools-answerRoom, room/2)
	out := []model.Message{{Role: "system", Text: base}}
	told := ChannelSkillMessages.Get(t.State)
	if listing != "" {
		told = append(slices.Clip(told), listing)
	}
	share := r / 2
	for i, text := range told {
		text = model.Shorten(text, max(share/(len(told)-i), leastPart))
		share -= len(text)
		out = append(out, model.Message{Role: "system", Text: text})
	}
	left := r/2 + max(share, 0)
	memory := turn.Remembered(t, turn.WorkingOf(t), ChannelMemory.Get(t.State).Episodes, r/10)
	for _, m := range memory {
		left -= len(m.Text)
	}
	rounds := slices.Clone(messages)
	for i := range rounds {
		if rounds[i].Role == "tool" {
			rounds[i].Text = turn.Cut(rounds[i].Text, max(left/2, leastPart))
		}
		left -= turn.Weight(rounds[i])
	}
	out = append(append(out, turn.Trim(turn.Conversation(ChannelHistory.Get(t.State)), turn.Limit{Room: left, Longest: turn.LongestSaid})...), memory...)
	if line := turn.LanguageLine(turn.LanguageOf(t)); line != "" {
		out = append(out, model.Message{Role: "system", Text: line}) // where a small model still minds it
	}
	return append(out, rounds...)
}

// bare is a tool that gives its result without the wrapper.
func bare(tl tool.Tool) tool.Tool {
	read := tl.Read
	tl.Read = func(ctx context.Context, env tool.Env, args json.RawMessage) (json.RawMessage, error) {
		out, err := read(ctx, env, args)
		var o struct {
			Status string
			Result json.RawMessage
		}
		if err == nil && json.Unmarshal(out, &o) == nil && o.Status == "ok" && len(o.Result) > 0 {
			return o.Result, nil
		}
		return out, err
	}
	return tl
}
