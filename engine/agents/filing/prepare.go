package filing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/board"
	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/rule"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// A turn that is asked for a form ends with one, held for its signature, or with a question.
// What needs no model's wit is done without it: where the model has nothing but words, the
// agent makes the calls that put the form together itself, and asks a person for what they
// lack. That a form was signed, rejected or not, people hear from the agent, not the model.

// What asks for a form. A sentence does that names the form, or work and what it is done
// on; a question or a wish to be told something does not.
var (
	sentence  = lazyregexp.New(`[^.?!;\n]+[.?!;]*`)
	courtesy  = lazyregexp.New(`(?i)^(?:(?:please|now|then|and|so|ok(?:ay)?|hello|hi|if so|thanks|s['’]il (?:te|vous) pla[iî]t|bonjour|alors|puis|et|merci de)\b[\s,:]*)+`)
	formName  = lazyregexp.New(`(?i)\b(?:filings?|forms?|exceptions?|applications?|permits?|w-?1|r-?32|rule\s*3[27]|formulaires?|dossiers?|demandes?|dérogations?|formularios?|solicitud|(?:règle|regla)\s*3[27])\b|\bexcepción`)
	bareName  = lazyregexp.New(`(?i)\b(?:filing|w-?1|r-?32|(?:rule|règle|regla)\s*3[27]|dossier|dérogation)\b`)
	formWork  = lazyregexp.New(`(?i)\b(?:prepar|draft|assembl|fil(?:e|ing)\b|fill|complet|compil|submit|apply|put\b.*\btogether|get\b.*\bready|make|write|generat|creat|produc|redo|(?:re-?)?start|prépar|rédig|rempli|dépos|constitu|fai(?:s|re|tes)\b)|établi`)
	workedOn  = lazyregexp.New(`(?i)\b(?:it|this|that|these|one|well|lease|(?:le|la|les|ce|cette|el|este|esta) |puits|concession|pozo)`)
	onlyAsked = lazyregexp.New(`(?i)^(?:(?:what|how|why|when|where|whe?ther|who|whom|whose|which|is|are|was|were|does|do|did|has|have|should|must|may|might|tell|explain|show|describe|list|look|find|compare|check|say|give me|summari[sz]e|read|add|set|link|change|don['’]t|never|stop|cancel|wait|que|quel(?:le)?s?|comment|pourquoi|quand|qui|dis|dites|explique[rz]?|montre[rz]?|compare[rz]?|ne)\b|qu['’]|où|est-|décri|vérifi)`)
	saidWell  = lazyregexp.New(`(?i)\bwell/([A-Za-z0-9.-]*[A-Za-z0-9])|\b(42[- ]?\d{3}[- ]?\d{5})\b`)
	saidLease = lazyregexp.New(`(?i)\blease/([A-Za-z0-9._-]*[A-Za-z0-9])`)
)

// wantsForm says whether a message asks for a form.
func wantsForm(text string) bool {
	for _, s := range sentence.FindAllString(text, -1) {
		s = courtesy.ReplaceAllString(strings.TrimSpace(s), "")
		if s == "" || onlyAsked.MatchString(s) {
			continue
		}
		work, name, on := formWork.MatchString(s), formName.MatchString(s), workedOn.MatchString(s)
		if work && (name || on) || (name && on || bareName.MatchString(s)) && !strings.HasSuffix(s, "?") {
			return true
		}
	}
	return false
}

// owes says that the turn was asked for a form that it has not put together, and that no
// person said no to it.
func (f flow) owes(t *graph.Task) bool {
	messages := ChannelMessages.Get(t.State)
	return f.kind.assembly != "" && len(messages) > 0 && wantsForm(messages[0].Text) && !ChannelDeclined.Get(t.State) && !ChannelPassed.Get(t.State) &&
		len(ChannelHolds.Get(t.State)) == 0 && f.assembled(messages).form == ""
}

// lastForm is what came of the last call that puts the form together.
type lastForm struct{ form, message, refusal string }

func (f flow) assembled(messages []model.Message) (out lastForm) {
	calls := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls {
			calls[c.ID] = c.Tool == f.kind.assembly
		}
		if m.Role != "tool" || !calls[m.Call] {
			continue
		}
		var said struct {
			Message, Reason string
			Result          struct{ Form string }
		}
		if json.Unmarshal([]byte(m.Text), &said) != nil {
			continue
		}
		out.message, out.refusal = said.Message, said.Reason
		if said.Result.Form != "" {
			out.form = said.Result.Form
		}
	}
	return out
}

// prepare makes the calls that put the form together in the model's place, for the record
// that the person named, else for the one in hand. When that was tried and the records did
// not allow it, a person is asked first.
func (f flow) prepare(t *graph.Task, node graph.StageID, phase string, set *tool.Set) (graph.Result, error) {
	if _, err := set.Get(f.kind.assembly); err != nil {
		return graph.Result{}, fmt.Errorf("filing: no form can be put together without %s, which comes with the skill %s: %w", f.kind.assembly, f.kind.root, err)
	}
	messages := ChannelMessages.Get(t.State)
	about := f.meant(messages[0].Text)
	if ChannelTaken.Get(t.State) {
		said := f.assembled(messages)
		why := said.refusal
		if why == "" {
			why = said.message
		}
		if why == "" {
			why = "the call did not succeed"
		}
		if f.known(t, about) {
			return f.unfiled(t, node, "it is known what the form is for", why), nil
		}
		question := fmt.Sprintf("No filing was put together: %s. Which %s is it for? Name it by %s.", strings.TrimSuffix(model.Shorten(why, 900), "."), f.kind.about, f.kind.by)
		ok, answer, pause := call.Ask(t, fmt.Sprintf("filing.%s.%d", t.Run.Turn, ChannelIteration.Get(t.State)), rule.Firing{Rule: "filing_needs", Question: question}, false)
		switch {
		case pause != nil:
			return graph.Result{Pauses: []graph.Pause{*pause}}, nil
		case !ok:
			return f.unfiled(t, node, "the person does not go on", why), nil
		}
		messages = with(messages, model.Message{Role: "user", Text: answer})
		if about = f.meant(answer); about == "" {
			about = model.OneLine(answer, 120)
		}
	}
	args := json.RawMessage(`{}`)
	if about != "" {
		args = model.JSON(map[string]string{f.kind.about: about})
	}
	round := model.Message{Role: "assistant"}
	for i, name := range append(slices.Clone(f.kind.before), f.kind.assembly) {
		round.Calls = append(round.Calls, model.Call{ID: fmt.Sprintf("%s.%s%d.own%d", t.Run.Turn, phase[:1], t.Finished+1, i+1), Tool: name, Arguments: args})
	}
	return leave(node, ToolNode, "the model asked for nothing that prepares the form: it is put together without it", ChannelPhase.Set(phase), ChannelTaken.Set(true),
		ChannelCalls.Set(round.Calls), ChannelMessages.Set(with(messages, round))), nil
}

// known says that the records have what the form is for, so that no other name of it helps.
func (f flow) known(t *graph.Task, about string) bool {
	typ := wells.WellType
	if f.kind.about == "lease" {
		typ = wells.LeaseType
	}
	hand := inHand(t)
	return recordRows.View(t, func(tx record.Tx) error {
		ref, err := refOf(tx, hand, about)
		if err == nil && ref.Type != typ {
			err = record.ErrNotFound
		}
		if err == nil {
			_, err = tx.Record(ref)
		}
		return err
	}) == nil
}

// unfiled ends the turn without a form and says why.
func (f flow) unfiled(t *graph.Task, node graph.StageID, reason, why string) graph.Result {
	to := SkillSelect
	if node == Synthesis {
		to = OutputFormat
	}
	words := turn.Tongue(t)
	return leave(node, to, reason, ChannelDraft.Set(words.Say("Nothing was filed: %s", words.Told(why))), ChannelSpoken.Set(false), ChannelNews.Set(false), ChannelDeclined.Set(true))
}

// prepared goes to the hold point with the form that was put together in the model's place.
func (f flow) prepared(t *graph.Task, node graph.StageID, phase string) graph.Result {
	to, patch := SkillSelect, graph.Patch{}
	if node == Synthesis {
		to, patch = ApprovalNode, append(patch, awaits(t))
	}
	words := turn.Tongue(t)
	text := words.Say("%s. It waits to be signed.", words.Told(strings.TrimSuffix(f.assembled(ChannelMessages.Get(t.State)).message, ".")))
	return leave(node, to, "the form waits to be signed", append(patch, ChannelPhase.Set(phase), ChannelNews.Set(false), ChannelDraft.Set(text), ChannelSpoken.Set(false),
		ChannelMessages.Set(with(ChannelMessages.Get(t.State), model.Message{Role: "assistant", Text: text})))...)
}

// meant is the record that a text names beyond doubt, as the assembly takes it; "" when it
// names none, or several.
func (f flow) meant(text string) string {
	pattern, typ := saidWell, wells.WellType
	if f.kind.about == "lease" {
		pattern, typ = saidLease, wells.LeaseType
	}
	found := map[string]bool{}
	named := ""
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		if named = m[0]; m[1] != "" {
			named = typ + "/" + m[1]
		}
		found[strings.NewReplacer("-", "", " ", "", typ+"/", "").Replace(named)] = true
	}
	if len(found) != 1 {
		return ""
	}
	return named
}

// outcomeText is what people are told of verdicts where the model has nothing to say.
func outcomeText(words board.Phrasing, told []string, missing []string) string {
	text := strings.Join(told, " ")
	if len(missing) > 0 {
		text += " " + words.Say("Missing: %s.", listed(missing, 900, words.Say, words.Told))
	}
	return strings.TrimSpace(text)
}

// listed joins names up to a number of bytes, in the words of a language, and says how many
// are left out.
func listed(names []string, most int, say func(string, ...any) string, told func(string) string) string {
	text := ""
	for i, name := range names {
		if len(text)+len(name) > most {
			return say("%s; and %d more, which the form shows", text, len(names)-i)
		}
		own := told(name)
		if id, label, ok := strings.Cut(name, ": "); ok && own == name { // a box is its number and what it is called
			own = say("%s: %s", id, told(label))
		}
		if text += say("; ") + own; i == 0 {
			text = own
		}
	}
	return text
}
