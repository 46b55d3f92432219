package app

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/engine/memory"
	"holdpoint/engine/run"
	"holdpoint/engine/safety"
	"holdpoint/engine/session"
	"holdpoint/engine/text"
	"holdpoint/store"
)

// say finds the texts in force of an agent.
func (a *App) say(agentID string) agent.Say {
	return func(audience, language, name string) (string, error) {
		return a.texts.Get(text.Key{Agent: agentID, Audience: audience, Language: language, Name: name})
	}
}

// StartCard is what an agent's session asks before its first message, in the words for the
// vars that were chosen so far; nil where it asks nothing.
func (a *App) StartCard(agentID string, vars map[string]string) (*agent.StartCard, error) {
	x, err := a.agents.find(agentID)
	if err != nil || x.Cards == nil {
		return nil, err
	}
	vars = maps.Clone(vars)
	for _, v := range x.Vars {
		if v.Language && vars[v.Name] == "" {
			if vars == nil {
				vars = map[string]string{}
			}
			vars[v.Name] = a.usual(v)
		}
	}
	// What a person chose for the program stands there already, and can be changed for one conversation.
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	known := ""
	for _, v := range x.Vars {
		if v.Region && vars[v.Name] == "" && settings.RegionChosen && slices.Contains(v.Values, settings.Region) {
			known = v.Name
			vars = maps.Clone(vars)
			vars[known] = settings.Region
		}
	}
	c, err := x.Cards.Start(vars, a.say(x.ID), a.saidAnything)
	if i := slices.IndexFunc(c.Fields, func(f agent.CardField) bool { return known != "" && f.Var == known }); i >= 0 {
		c.Fields[i].Value = settings.Region
	}
	return &c, err
}

// saidAnything says that somebody was asked about being remembered, or something is.
func (a *App) saidAnything(whom string) bool {
	_, said := a.consentOf(whom)
	return said
}

// Cards are those of a session; nil where its last turn was of an agent without any.
func (a *App) Cards(id string) (*agent.CardView, error) {
	x, state, err := a.cardState(id)
	if err != nil || x == nil {
		return nil, err
	}
	v, err := x.Cards.Show(state, a.say(x.ID))
	if last, err := a.Store.Run(RunID(state.Turn)); err == nil && a.inDanger(last) {
		v.Open, v.Feedback, v.Consent.Asked = "", nil, false // whoever is in danger is asked nothing else
	}
	return &v, err
}

// cardState is what the cards of a session are made of.
func (a *App) cardState(id string) (*registered, agent.CardState, error) {
	if _, err := a.Store.Session(id); err != nil {
		return nil, agent.CardState{}, err
	}
	runs, err := a.Store.RunsOf(id)
	if err != nil || len(runs) == 0 {
		return nil, agent.CardState{}, err
	}
	last := runs[len(runs)-1]
	x, err := a.runAgent(last)
	if err != nil || x.Cards == nil {
		return nil, agent.CardState{}, nil //nolint:nilerr // an agent that is gone has no cards
	}
	s := agent.CardState{Session: id, Vars: last.Vars, Turn: last.Turn, At: a.now(), Scope: session.Onboarding}
	whom := x.Whom(id, last.Vars, last.Practice)
	err = a.Store.Read(func(tx store.Tx) error {
		if c, ok, err := tx.ConsentOf(whom); err != nil && !errors.Is(err, store.ErrDamaged) { // who takes it back writes it anew
			return err
		} else if ok {
			s.Scope, s.Region, s.Age = c.Scope, c.Region, c.Age
		}
		if err := tx.Episodes(whom, func(e memory.Episode) (bool, error) {
			if !e.Forgotten() {
				s.Kept++
			}
			return true, nil
		}); err != nil {
			return err
		}
		var err error
		s.Row, err = tx.Skip(id, x.Cards.Row)
		return err
	})
	return x, s, err
}

// ChangeCard takes what a person changed on a card of a session: an answer, or what came of
// the advice. The next turn goes by it.
func (a *App) ChangeCard(id string, change agent.CardChange) (*agent.CardView, error) {
	x, state, err := a.cardState(id)
	if err != nil {
		return nil, err
	}
	// A turn that runs has read the row, and writes it.
	if r, err := a.Store.Run(RunID(state.Turn)); x != nil && (err != nil || r.Status == run.Running) {
		return nil, cmp.Or(err, fmt.Errorf("%w: wait until the reply is there, or stop it", run.ErrLive))
	}
	if x == nil {
		return nil, Bad("This session has no cards.", "Only agents that ask people questions have them.")
	}
	written := map[string]string{agent.CardAnswer: writtenAnswer, agent.CardFeedback: writtenFeedback}[change.Kind]
	help, said := a.heed(id, state.Turn, written, change.Value+"\n"+change.Note)
	change.Danger = help != nil && help.Level == safety.Intervene
	row, err := x.Cards.Change(state, change, a.say(x.ID))
	if err != nil {
		return nil, Bad(sentence(err.Error()), "Look at the card again, and choose what it offers.")
	}
	events := []journal.Event{journal.Event{At: a.now(), Session: id, Reason: "changed by a person"}.
		With(journal.MemoryUpdatedData{Scope: "working", Keys: []string{x.Cards.Row}})}
	events = append(events, said...)
	// With what is changed a yes may be no longer enough: nothing is remembered from then on.
	whom := ""
	if state.Scope == session.FullConsent && x.Cards.Agree != nil {
		after := state
		after.Row = row
		closed, err := x.Cards.Agree(after, a.say(x.ID))
		if err != nil {
			return nil, err
		}
		if closed != "" {
			if whom, err = a.whomOf(id); err != nil {
				return nil, err
			}
			events = append(events, journal.Event{At: a.now(), Session: id, Reason: "the yes to being remembered is not enough by what a person changed"}.
				With(journal.MemoryUpdatedData{Scope: session.ConsentScope, Keys: []string{session.PendingConsent}}))
		}
	}
	err = a.Store.AppendEvents(id, "", events, func(tx store.Tx) error {
		if whom != "" {
			if _, err := a.consent(tx, id, whom, session.PendingConsent); err != nil {
				return err
			}
		}
		now, err := tx.Skip(id, x.Cards.Row)
		if err == nil && string(now) != string(state.Row) {
			err = fmt.Errorf("%w: the session went on meanwhile", run.ErrLive)
		}
		if err != nil {
			return err
		}
		return tx.PutSkip(id, x.Cards.Row, row)
	})
	if err != nil {
		return nil, err
	}
	a.hub.notify(Notice{Kind: NoticeSession, ID: id})
	v, err := a.Cards(id)
	if v != nil {
		v.Help = help
	}
	return v, err
}

// Prompts are the nodes of an agent whose prompts can be looked at, with the texts that each
// is made of and the state that it goes by.
type Prompts struct {
	Agent string       `json:"agent"`
	Nodes []PromptNode `json:"nodes"`
	// Vars are the names of the state; those with no values are true or false.
	Vars []agent.Var `json:"vars"`
}

// PromptNode is one of them.
type PromptNode struct {
	Node  string   `json:"node"`
	Title string   `json:"title"`
	Texts []string `json:"texts"`
}

// Prompts lists them. An agent without manifests has none.
func (a *App) Prompts(agentID string) (Prompts, error) {
	x, err := a.agents.find(agentID)
	out := Prompts{Agent: agentID, Nodes: []PromptNode{}, Vars: []agent.Var{}}
	if err != nil || x.Prompts == nil {
		return out, err
	}
	g, err := a.agents.graphOf(x, nil)
	if err != nil {
		return out, err
	}
	titles := map[string]string{}
	for _, st := range g.Manifest().Stages {
		titles[string(st.ID)] = st.Title
	}
	set := x.Prompts.Manifests
	for _, n := range set.Nodes() {
		out.Nodes = append(out.Nodes, PromptNode{Node: n, Title: titles[n], Texts: set.Texts(n)})
	}
	state := set.State()
	for _, name := range slices.Sorted(maps.Keys(state)) {
		v := agent.Var{Name: name}
		if _, isWord := state[name].(string); isWord {
			v.Values = session.Scopes() // unless it is one of the agent's vars
			if i := slices.IndexFunc(x.Vars, func(o agent.Var) bool { return o.Name == name && !o.Once }); i >= 0 {
				v = x.Vars[i]
			}
		}
		out.Vars = append(out.Vars, v)
	}
	out.Vars = append(out.Vars, agent.Var{Name: "answered"})
	return out, nil
}
