package filing

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/board"
	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/ledger"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// approve is the hold point behind the model's answer: nothing of what a rule holds is
// told or kept until it was signed. It reads its own verdicts; without one the turn stays
// paused, whatever else the state says.
func (f flow) approve(ctx context.Context, t *graph.Task) (graph.Result, error) {
	holds := ChannelHolds.Get(t.State)
	forced := ChannelMetadata.Get(t.State)[metaCheckpoint]
	if ChannelPassed.Get(t.State) {
		forced = ""
	}
	required := ChannelRequired.Get(t.State)
	if !required && forced == "" {
		return leave(ApprovalNode, Synthesis, "nothing has to be signed", ChannelPhase.Set(synthesis)), nil
	}
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	if r, err := f.changed(t, d); r != nil || err != nil {
		return orNone(r), err // before what was signed under the old one is done
	}
	var decided []decision
	var wait graph.Result
	pass := func(v decision, paused *graph.Result, err error) error {
		if err == nil && paused != nil {
			wait.Pauses, wait.Do = append(wait.Pauses, paused.Pauses...), both(wait.Do, paused.Do)
		} else if err == nil {
			decided = append(decided, v)
		}
		return err
	}
	for _, h := range holds {
		if err := pass(f.sign(ctx, t, d, h)); err != nil {
			return graph.Result{}, err
		}
	}
	if forced != "" || len(holds) == 0 {
		why := rule.Firing{Rule: metaCheckpoint, Source: "metadata", Verdict: rule.Hold, Checkpoint: checkpointName(forced), Reason: "the turn was started with this checkpoint"}
		if err := pass(f.look(t, d, t.Run.Turn+".checkpoint", "Go on with this turn", why, map[string]any{"answer": ChannelDraft.Get(t.State)})); err != nil {
			return graph.Result{}, err
		}
	}
	if len(wait.Pauses) > 0 {
		return wait, nil
	}
	return f.settle(t, decided), nil
}

// awaits is the status of a turn on its way to the hold point: the node itself, while it
// waits, writes nothing.
func awaits(t *graph.Task) graph.Write {
	if ChannelRequired.Get(t.State) || ChannelMetadata.Get(t.State)[metaCheckpoint] != "" && !ChannelPassed.Get(t.State) {
		return ChannelStatus.Set(awaiting)
	}
	return ChannelStatus.Set(running)
}

func checkpointName(forced string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, strings.ToLower(forced))
	if name == "" || name[0] < 'a' {
		name = "checkpoint"
	}
	return model.OneLine(name, 60)
}

func both(a, b graph.Change) graph.Change {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return func(tx graph.Tx, tell graph.Tell) error {
		if err := a(tx, tell); err != nil {
			return err
		}
		return b(tx, tell)
	}
}

// decision is what came of one hold.
type decision struct {
	hold     Hold
	rejected bool
	comment  string
	reviewer string
	// answer takes the place of the call's result.
	answer string
}

// weak says that the turn's model is too small for its word to count alone.
func weak(ctx context.Context, d *turn.Dependencies) bool {
	info, err := d.Models.Main.Info(ctx)
	return err == nil && info.Weak()
}

// sign waits for a person's verdict on a result. What can be kept as a record is planned
// anew, shown whole and written in the transaction that uses up the approval; anything
// else is shown as it is.
func (f flow) sign(ctx context.Context, t *graph.Task, d *turn.Dependencies, h Hold) (decision, *graph.Result, error) {
	tl, err := d.Tools.Get(h.Call.Tool)
	if err != nil || tl.Keep == nil {
		return f.look(t, d, h.Call.ID+".review", "Use what "+h.Call.Tool+" gave", h.Rule, map[string]any{"tool": h.Call.Tool, "args": h.Call.Arguments, "result": h.Result}, h)
	}
	set, err := tool.NewSet(tl.Signed())
	if err != nil {
		return decision{}, nil, err
	}
	answer, paused, err := turn.Act{Tools: set, Calls: []model.Call{h.Call}, Hold: &h.Rule, Policy: PolicyVersion, Reason: ChannelDraft.Get(t.State), Weak: weak(ctx, d), Subject: inHand(t)}.Take(ctx, t)
	if err != nil || paused != nil {
		return decision{}, paused, err
	}
	t.Emit(answer.Events...)
	v := decision{hold: h, answer: answer.Messages[0].Text}
	if no, ok := answer.Failures[0].(*tool.Refusal); ok {
		v.rejected, v.comment = true, no.Reason
	} else if answer.Failures[0] != nil {
		return v, nil, answer.Failures[0]
	}
	err = entryRows.View(t, func(tx ledger.Tx) error {
		e, err := tx.Entry(h.Call.ID)
		if err != nil {
			return nil // it was refused before anybody was asked
		}
		ap, err := tx.Approval(e.Approval)
		if err == nil {
			v.reviewer, v.comment = ap.Reviewer, ap.Comment
			if v.rejected && ap.Status != ledger.Rejected {
				v.comment = answer.Failures[0].Error()
			}
		}
		return err
	})
	return v, nil, err
}

// look waits until a person looked at something that nothing is written of.
func (f flow) look(t *graph.Task, d *turn.Dependencies, name, title string, why rule.Firing, shown map[string]any, h ...Hold) (decision, *graph.Result, error) {
	p, pause, err := call.Checkpoint{Task: t, Call: name, On: rule.AfterToolCall, Title: title, Shown: shown, Rule: why, Terms: d.Terms}.Pass()
	if err != nil || pause != nil {
		if pause == nil {
			return decision{}, nil, err
		}
		return decision{}, &graph.Result{Pauses: []graph.Pause{*pause}}, nil
	}
	v := decision{rejected: p.Rejected, comment: p.Comment, hold: Hold{Rule: why}}
	for _, x := range h {
		v.hold = x
	}
	return v, nil, nil
}

// settle clears the flags and goes on with what was decided: to the answer, or, where a
// person said no, to the end of the turn with their reason.
func (f flow) settle(t *graph.Task, decided []decision) graph.Result {
	messages := slices.Clone(ChannelMessages.Get(t.State))
	var notes, no []string
	var pad, told, missing []string
	words := turn.Tongue(t)
	for _, v := range decided {
		what := v.hold.Rule.Checkpoint
		if v.hold.Call.Tool != "" {
			what += " of " + v.hold.Call.Tool
		}
		if v.rejected {
			no = append(no, rejection(words, v))
			notes = append(notes, fmt.Sprintf("=== Approval ===\nA person rejected %s. Nothing was filed. Reason: %s", what, orNoReason(v.comment)))
			continue
		}
		note := fmt.Sprintf("=== Approval ===\nA person approved %s%s.", what, by(v.reviewer))
		tell := words.Say("%s was approved.", what)
		if v.reviewer != "" {
			tell = words.Say("%s was approved by %s.", what, model.OneLine(v.reviewer, 100))
		}
		if v.comment != "" {
			note += " Comment: " + model.Shorten(v.comment, 600)
		}
		if v.answer != "" {
			// The call's result is what was signed, whatever the model had before.
			for i := range messages {
				if messages[i].Role == "tool" && messages[i].Call == v.hold.Call.ID {
					messages[i].Text = v.answer
				}
			}
			var s struct {
				Message string
				Missing []string
				Result  signed
			}
			if json.Unmarshal([]byte(v.answer), &s) == nil {
				if s.Message == "" {
					s.Message = s.Result.Message
				}
				note, pad = note+" "+s.Message, append(pad, s.Message)
				is := words.Told(strings.TrimSuffix(s.Message, "."))
				if tell = words.Say("%s; approved.", is); v.reviewer != "" {
					tell = words.Say("%s; approved by %s.", is, model.OneLine(v.reviewer, 100))
				}
				missing = append(missing, append(s.Missing, s.Result.Missing...)...)
			}
		}
		told = append(told, tell)
		notes = append(notes, note+" Tell the person what was signed, where it is kept and what is still missing.")
	}
	for _, n := range notes {
		messages = append(messages, model.Message{Role: "system", Text: n})
	}
	cleared := graph.Patch{ChannelRequired.Set(false), ChannelCheckpoint.Set(""), ChannelApproval.Set(""), ChannelReviewer.Set(""), ChannelStrategy.Set(""), ChannelHolds.Set(nil),
		ChannelPassed.Set(true), ChannelStatus.Set(running), ChannelMessages.Set(messages), ChannelPhase.Set(synthesis), ChannelSpoken.Set(false)}
	if len(no) > 0 {
		return leave(ApprovalNode, OutputFormat, "a person said no", append(cleared, ChannelDraft.Set(words.Say("Nothing was filed: %s.", strings.Join(no, words.Say("; ")))))...)
	}
	r := leave(ApprovalNode, Synthesis, "what was held is signed", append(cleared, ChannelNews.Set(true), ChannelOutcome.Set(outcomeText(words, told, missing)))...)
	if len(pad) > 0 {
		text := strings.TrimSpace(turn.WorkingOf(t).Scratchpad + "\n" + strings.Join(pad, "\n"))
		memory.Notes{Scratchpad: &text}.Write(&r, t.Run.Session)
	}
	return r
}

// rejection says that what was held was rejected, by whom and why.
func rejection(words board.Phrasing, v decision) string {
	what, why := inWords(words, v.hold), words.Say("no reason was given")
	if v.comment != "" {
		why = orNoReason(v.comment)
	}
	if v.reviewer == "" {
		return words.Say("%s was rejected: %s", what, why)
	}
	return words.Say("%s was rejected by %s: %s", what, model.OneLine(v.reviewer, 100), why)
}

// inWords is what was held as a person calls it.
func inWords(words board.Phrasing, h Hold) string {
	switch h.Call.Tool {
	case Rule37Assembly:
		return words.Say("Form W-1")
	case Rule32Assembly:
		return words.Say("Form R-32")
	case GoodCause:
		return words.Say("the good cause")
	case "":
		return words.Told(strings.ReplaceAll(h.Rule.Checkpoint, "_", " "))
	}
	return words.Told(strings.ReplaceAll(h.Call.Tool, "_", " "))
}

func by(reviewer string) string {
	if reviewer == "" {
		return ""
	}
	return " by " + model.OneLine(reviewer, 100)
}

func orNoReason(comment string) string {
	if comment == "" {
		return "no reason was given"
	}
	return model.Shorten(strings.TrimSuffix(strings.TrimSpace(comment), "."), 600)
}
