package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/engine/manifest"
	"holdpoint/engine/memory"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/text"
	"holdpoint/store"
)

// wording are the texts of all agents that have them, by agent.
func (r *Agents) wording() map[string]*text.Files {
	out := map[string]*text.Files{}
	for _, x := range r.builtIn {
		if x.Wording != nil {
			out[x.ID] = x.Wording
		}
	}
	return out
}

// audiences are those that agents tell apart.
func (r *Agents) audiences() (out []string) {
	for _, x := range r.builtIn {
		for _, v := range x.Vars {
			if v.Audience {
				out = append(out, v.Values...)
			}
		}
	}
	return out
}

// Texts lists what people and models read of an agent, or of all for "".
func (a *App) Texts(agentID string) ([]text.Entry, error) {
	if agentID != "" && a.agents.wording()[agentID] == nil {
		return nil, Bad(fmt.Sprintf("The agent %q has no texts of its own.", agentID), "See holdpoint texts list.")
	}
	return a.texts.List(agentID)
}

// Text is one with its original; key is AGENT/AUDIENCE/LANGUAGE/NAME.
func (a *App) Text(key string) (text.Entry, error) {
	k, err := text.ParseKey(key)
	if err != nil {
		return text.Entry{}, noText(err)
	}
	list, err := a.texts.List(k.Agent)
	if err != nil {
		return text.Entry{}, err
	}
	i := slices.IndexFunc(list, func(e text.Entry) bool { return e.Key == k })
	if i < 0 {
		return text.Entry{}, noText(fmt.Errorf("%w: %s", text.ErrMissing, k))
	}
	return list[i], nil
}

func noText(err error) error {
	switch {
	case errors.Is(err, text.ErrMissing):
		_, key, _ := strings.Cut(err.Error(), text.ErrMissing.Error()+": ")
		return &Fault{Code: "not_found", Message: phrase("There is no such text: %s.", key), Hint: "Texts are AGENT/AUDIENCE/LANGUAGE/NAME; see holdpoint texts list.", Safe: "Nothing was changed.", HTTP: 404, err: err}
	case errors.Is(err, text.ErrChanged):
		return &Fault{Code: "changed", Message: "This text was changed elsewhere since it was read here.", Hint: "Look at what it is now, and save yours over it or leave it.", Safe: "Nothing was saved.", HTTP: 409, err: err}
	case errors.Is(err, text.ErrRefused):
		_, why, _ := strings.Cut(err.Error(), text.ErrRefused.Error()+": ")
		return Bad(fmt.Sprintf("This cannot take the text's place: %s.", strings.TrimPrefix(why, "text: ")), "Change the words and try again.")
	}
	return err
}

// SetText puts a person's words in the place of a text, from the next turn on. read is the version
// of the text that they changed: of another one now, nothing is saved. It is "" where nothing was read.
func (a *App) SetText(key, words, read string) (text.Entry, error) {
	k, err := text.ParseKey(key)
	if err == nil {
		err = a.texts.Set(k, words, read)
	}
	if err != nil {
		return text.Entry{}, noText(err)
	}
	a.hub.notify(Notice{Kind: NoticeTexts, ID: k.Agent})
	return a.Text(key)
}

// ResetText goes back to the file's text, from the version that was read, as for SetText.
func (a *App) ResetText(key, read string) (text.Entry, error) {
	k, err := text.ParseKey(key)
	if err == nil {
		err = a.texts.Reset(k, read)
	}
	if err != nil {
		return text.Entry{}, noText(err)
	}
	a.hub.notify(Notice{Kind: NoticeTexts, ID: k.Agent})
	return a.Text(key)
}

// SyncTexts brings texts into the store, all or none: those that come with the agents, or an
// agent's AUDIENCE/LANGUAGE.yaml of a folder. Overrides stay.
func (a *App) SyncTexts(agentID, folder string) (text.Report, error) {
	var from *text.Files
	if folder != "" {
		if a.agents.wording()[agentID] == nil {
			return text.Report{}, Bad(fmt.Sprintf("The agent %q has no texts of its own.", agentID), "Name the agent that the folder is for.")
		}
		if _, err := Named(folder, true); err != nil {
			return text.Report{}, err
		}
		var err error
		if from, err = text.Read(agentID, folderOf(folder)); err != nil {
			if f := (*Fault)(nil); errors.As(err, &f) {
				return text.Report{}, f
			}
			return text.Report{}, Bad(strings.TrimPrefix(err.Error(), "text: ")+".", "A folder has AUDIENCE/LANGUAGE.yaml, each a mapping of names to texts.")
		}
	}
	r, err := a.texts.Sync(from)
	if err == nil {
		a.hub.notify(Notice{Kind: NoticeTexts, ID: agentID})
	}
	return r, noText(err)
}

// NodePrompt is what a node of an agent asks a model with.
type NodePrompt struct {
	Agent string `json:"agent"`
	manifest.Compiled
	// Text is the whole.
	Text string `json:"text"`
}

// Prompt compiles what a node asks a model with, for a state that vars give.
func (a *App) Prompt(agentID, node string, vars map[string]string) (NodePrompt, error) {
	x, err := a.agents.find(agentID)
	if err != nil {
		return NodePrompt{}, err
	}
	if x.Prompts == nil {
		return NodePrompt{}, Bad(fmt.Sprintf("The agent %q has no manifests: its prompts stand in its graph.", agentID), "holdpoint agents show prints it.")
	}
	if nodes := x.Prompts.Manifests.Nodes(); !slices.Contains(nodes, node) {
		return NodePrompt{}, Bad(fmt.Sprintf("The agent %s has no manifest of a node %q.", agentID, node), "Nodes are "+strings.Join(nodes, ", ")+".")
	}
	c, err := x.Prompts.Show(node, vars, a.texts.Get)
	if errors.Is(err, text.ErrMissing) {
		return NodePrompt{}, noText(err)
	}
	if err != nil {
		_, what, _ := strings.Cut(err.Error(), ": ")
		return NodePrompt{}, Bad(what+".", "Give each as --var NAME=VALUE.")
	}
	return NodePrompt{Agent: agentID, Compiled: c, Text: c.Prompt()}, nil
}

// CheckManifest holds a node's manifest against what an agent knows: texts, tools, nodes. An
// error is of the agent, not of the file.
func (r *Agents) CheckManifest(agentID, body string) ([]Problem, error) {
	x, err := r.find(agentID)
	if err != nil {
		return nil, err
	}
	if x.Prompts == nil {
		return nil, Bad(fmt.Sprintf("The agent %q has no manifests.", agentID), fmt.Sprintf("Name one that has, e.g. %s.", r.having(hasPrompts)))
	}
	problems := []Problem{}
	var found manifest.Mistakes
	if errors.As(x.Prompts.Manifests.Check([]byte(body)), &found) {
		for _, m := range found {
			problems = append(problems, Problem{Line: m.Line, Column: m.Column, Message: m.Message})
		}
	}
	return problems, nil
}

// Manifests are the nodes of an agent that have a manifest, sorted; each was checked when the
// agent was made.
func (r *Agents) Manifests(agentID string) ([]string, error) {
	x, err := r.find(agentID)
	if err != nil || x.Prompts == nil {
		return nil, err
	}
	return x.Prompts.Manifests.Nodes(), nil
}

// keepVars fills a turn's vars from the session's turn before, or with what is usual, and
// refuses another value of one that a session keeps: what was said to one audience is in the
// history that the next turn is told. The language is also that which the message asks for.
func (a *App) keepVars(s TurnRequest, vars map[string]string) error {
	if s.Definition != "" {
		return nil
	}
	x, err := a.agents.find(cmp.Or(s.Agent, a.agents.Default()))
	if err != nil || len(x.Vars) == 0 {
		return nil //nolint:nilerr // choose says what is wrong with it
	}
	before, err := a.varsBefore(s, x)
	if err != nil {
		return err
	}
	for _, v := range x.Vars {
		had, there := before[v.Name]
		now, given := vars[v.Name]
		switch {
		case v.Fixed && before != nil && given && now != cmp.Or(had, v.Default):
			had = cmp.Or(had, v.Default)
			return Bad(fmt.Sprintf("This session is with %s %q; it cannot go on with %q.", v.Name, had, now), "Start a new session for it.")
		case given || v.Once:
		case there:
			vars[v.Name] = had
		case v.Default != "":
			vars[v.Name] = a.usual(v)
		}
		if !v.Language || x.Tongue == nil {
			continue
		}
		// The message is the person's newest word. What it is only written in says less than a language
		// that is chosen with it, and more than one that is given as before.
		if spoken, asked := x.Tongue(s.Text); slices.Contains(v.Values, spoken) && (asked || !given || there && now == had) {
			vars[v.Name] = spoken
		}
	}
	return nil
}

// usual is a var's default, here.
func (a *App) usual(v agent.Var) string {
	if own := string(a.Tongue()); v.Language && slices.Contains(v.Values, own) {
		return own
	}
	return v.Default
}

// varsBefore are those of the session's last turn with the agent, or of the turn that a branch
// was made from.
func (a *App) varsBefore(s TurnRequest, x *registered) (map[string]string, error) {
	id := s.Branch
	if id != "" {
		row, err := a.Store.Run(RunID(id))
		if err == nil && row.Agent == x.ID {
			return row.Vars, nil
		}
	}
	if s.Session == "" {
		return nil, nil
	}
	runs, err := a.Store.RunsOf(s.Session)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return nil, err
	}
	for _, r := range slices.Backward(runs) {
		if r.Agent == x.ID {
			return r.Vars, nil
		}
	}
	return nil, nil
}

// Consent is what the person of a session agreed to, and what is kept of them.
type Consent struct {
	session.Consent
	// WhomName is what people call them.
	WhomName string `json:"whom_name,omitempty"`
	// Kept are the summaries that are remembered, and can be deleted.
	Kept int `json:"kept"`
}

// Consent reads it. A session of an agent that asks for none is an error.
func (a *App) Consent(id string) (Consent, error) {
	whom, err := a.whomOf(id)
	if err != nil {
		return Consent{}, err
	}
	c := Consent{Consent: session.Consent{Whom: whom, Scope: session.Onboarding, Session: id}, WhomName: a.nameOfWhom(whom)}
	err = a.Store.Shown().Read(func(tx store.Tx) error {
		said, ok, err := tx.ConsentOf(whom)
		if ok {
			c.Consent = said
		}
		if err != nil {
			return err
		}
		return tx.Episodes(whom, func(e memory.Episode) (bool, error) {
			if !e.Forgotten() {
				c.Kept++
			}
			return true, nil
		})
	})
	return c, err
}

func (a *App) whomOf(id string) (string, error) {
	s, err := a.Store.Session(id)
	if err != nil {
		return "", err
	}
	runs, err := a.Store.RunsOf(id)
	if err != nil {
		return "", err
	}
	whom := a.whomIn(id, runs)
	if whom == "" {
		return "", Bad(fmt.Sprintf("The session %s has no agent that asks for consent.", s.ID), "The setting memory switches what other agents remember.")
	}
	return whom, nil
}

// whomIn is whom a session with these runs is with; "" for one of no agent that asks for consent.
func (a *App) whomIn(id string, runs []run.Run) string {
	for _, r := range slices.Backward(runs) {
		if x, err := a.runAgent(r); err == nil && x.Whom != nil {
			return x.Whom(id, r.Vars, r.Practice)
		}
	}
	return ""
}

// SetConsent takes a yes (session.FullConsent) or takes it back (session.PendingConsent), for
// all sessions of the same person. What is taken back stops at once: what waits to be
// remembered never is. remove also deletes what is kept.
func (a *App) SetConsent(id, scope string, remove bool) (Consent, error) {
	if scope != session.FullConsent && scope != session.PendingConsent {
		return Consent{}, Bad(fmt.Sprintf("Consent cannot be set to %q.", scope), "It is full, or pending_consent to take it back.")
	}
	if remove && scope == session.FullConsent {
		return Consent{}, Bad("A yes deletes nothing.", "Take consent back to delete what is kept.")
	}
	whom, err := a.whomOf(id)
	if err != nil {
		return Consent{}, err
	}
	x, state, err := a.cardState(id)
	if err != nil {
		return Consent{}, err
	}
	if scope == session.FullConsent && x != nil && x.Cards.Agree != nil {
		closed, err := x.Cards.Agree(state, a.say(x.ID))
		if err != nil {
			return Consent{}, err
		}
		if closed != "" {
			return Consent{}, Bad(closed, "Age and country can be said in the conversation, or changed under what was told; a name is written when a session begins.")
		}
	}
	said := map[bool]string{true: "a yes to being remembered, given by a person", false: "the yes to being remembered, taken back by a person"}[scope == session.FullConsent]
	if remove {
		said = "the yes to being remembered, taken back by a person, with all that was remembered"
	}
	events := []journal.Event{journal.Event{At: a.now(), Session: id, Turn: state.Turn, Reason: said}.With(journal.MemoryUpdatedData{Scope: session.ConsentScope, Keys: []string{scope}, Forgotten: remove})}
	err = a.Store.AppendEvents(id, state.Turn, events, func(tx store.Tx) error {
		kept, err := a.consent(tx, id, whom, scope)
		if err != nil || scope == session.FullConsent {
			return err
		}
		if x != nil && x.Cards.Forget != nil {
			if row := x.Cards.Forget(state, remove); row != nil {
				if err := tx.PutSkip(id, x.Cards.Row, row); err != nil {
					return err
				}
			}
		}
		if !remove {
			return nil
		}
		return memory.ForgetAll(tx, kept, a.now())
	})
	if err != nil {
		return Consent{}, err
	}
	a.hub.notify(Notice{Kind: NoticeSession, ID: id})
	a.hub.notify(Notice{Kind: NoticeMemory})
	return a.Consent(id)
}

// consent writes what somebody said in a session about being remembered. What was accepted is not made any more
// where they take it back; kept is what is remembered still. The region names help lines, and a later yes depends on the
// age: they stay.
func (a *App) consent(tx store.Tx, id, whom, scope string) (kept []memory.Episode, err error) {
	c, _, err := tx.ConsentOf(whom)
	if err != nil && (scope == session.FullConsent || !errors.Is(err, store.ErrDamaged)) { // a no is written over what cannot be read
		return nil, err
	}
	c.Whom, c.Scope, c.Session, c.At = whom, scope, id, a.now()
	if err := tx.PutConsent(c); err != nil || scope == session.FullConsent {
		return nil, err
	}
	return memory.Withdraw(tx, whom)
}

// ManifestSchema is the JSON Schema of nodes' manifests.
func ManifestSchema() json.RawMessage { return manifest.Schema() }
