package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/memory"
	"holdpoint/engine/pipeline"
	"holdpoint/engine/record"
	"holdpoint/engine/session"
	"holdpoint/store"
)

// Memory is what a session remembers, and what is remembered of it.
type Memory struct {
	Tools  []MemoryTool    `json:"tools"`
	Signal json.RawMessage `json:"signal"` // the client signal, or null
	// SignalWeak says that a very small model wrote it.
	SignalWeak bool     `json:"signal_weak,omitempty"`
	Entities   []Entity `json:"entities"`
	Threshold  float64  `json:"threshold"`
	// Scratchpad are notes of the session's agents; Recent the records that it touched last,
	// as TYPE/ID, the newest last.
	Scratchpad string   `json:"scratchpad"`
	Recent     []string `json:"recent"`
	// Episodes are what later conversations are told of this one.
	Episodes []EpisodeView `json:"episodes"`
}

// EpisodeView is what is remembered of a conversation as the screens show it.
type EpisodeView struct {
	memory.Episode
	// AboutName is what people call the record that it is about; "" for none.
	AboutName string `json:"about_name,omitempty"`
	// ByName is the title of the agent that wrote it; "" where nobody but code, a person or a model did.
	ByName string `json:"by_name,omitempty"`
	// Consent is what the person agreed to whom an agent talks with: it decides whether this is
	// told, whatever the setting says; "" for what goes by the setting.
	Consent string `json:"consent,omitempty"`
	// SessionTitle is that of the conversation.
	SessionTitle string `json:"session_title,omitempty"`
	// Similarity is how close it is to what was searched for, 0 to 1; absent in a list.
	Similarity *float64 `json:"similarity,omitempty"`
	// Help is for the words of a correction, where they speak of danger.
	Help *agent.Help `json:"help,omitempty"`
}

// Memories are what is remembered of conversations, and what is being made.
type Memories struct {
	// On says that memory across sessions is switched on; Says what that means.
	On       bool          `json:"on"`
	Says     string        `json:"says"`
	Episodes []EpisodeView `json:"episodes"`
	// Method says how a search compared, by meaning or by words, and Encoder with what.
	Method  string       `json:"method,omitempty"`
	Encoder string       `json:"encoder,omitempty"`
	Lake    memory.State `json:"lake"`
}

// mostFound bounds a search for people.
const mostFound = 20

// Memories lists what is remembered about a record (TYPE/ID), memory.Person, or all for "":
// the newest first or, with a text, what is closest to it.
func (a *App) Memories(ctx context.Context, about, text string) (Memories, error) {
	settings, err := a.Settings()
	if err != nil {
		return Memories{}, err
	}
	m := Memories{On: settings.Memory, Says: MemorySays, Episodes: []EpisodeView{}}
	if a.lake != nil {
		if m.Lake, err = a.lake.State(); err != nil {
			return m, err
		}
	}
	if strings.TrimSpace(text) == "" {
		list, err := memory.List(a.Store.Shown(), about)
		for _, e := range list {
			m.Episodes = append(m.Episodes, a.episodeView(e))
		}
		return m, err
	}
	meaning := a.Models.encoderAtHand()
	found, method, err := (&memory.Recaller{Store: a.Store.Shown(), Encoder: meaning}).Search(ctx, memory.Query{About: about, Text: text, Most: mostFound})
	if err != nil {
		return m, err
	}
	if m.Method = method; method == memory.ByMeaning {
		m.Encoder = meaning.Name()
	}
	for _, f := range found {
		v := a.episodeView(f.Episode)
		v.Similarity = &f.Similarity
		m.Episodes = append(m.Episodes, v)
	}
	return m, nil
}

func (a *App) episodeView(e memory.Episode) EpisodeView {
	v := EpisodeView{Episode: e}
	if ref, ok := record.ParseRef(e.About); ok {
		v.AboutName = a.nameOf(ref)
	} else if v.AboutName = a.nameOfWhom(e.About); v.AboutName != "" {
		v.Consent = session.Onboarding
		if c, ok := a.consentOf(e.About); ok { // what cannot be read counts as no yes
			v.Consent = c.Scope
		}
	}
	v.SessionTitle = a.sessionTitle(e.Session)
	for _, x := range a.agents.builtIn {
		if x.ID == e.By {
			v.ByName = x.Title
		}
	}
	return v
}

// titleOf is the title of a session that somebody began with an agent of theirs.
func (a *App) titleOf(x *registered, session string, vars map[string]string) string {
	whom := x.Whom(session, vars, false)
	if p, ok := x.Person(whom); ok && p.Name != "" {
		for _, v := range x.Vars {
			if value := strings.Join(strings.Fields(vars[v.Name]), " "); v.Open && !slices.Contains(v.Values, value) {
				return called(p.Title+" ("+x.Title+")", value)
			}
		}
	}
	return a.nameOfWhom(whom)
}

// titled is a session's title. One that titleOf made is told in the language of whoever reads it
// now; what a person wrote stays.
func (a *App) titled(s session.Session, now tongue.Tongue) string {
	if s.Damaged {
		return now.Told(session.Unreadable)
	}
	if s.Title == session.InDanger || s.Title == session.Unnamed {
		// Several can be told apart by when they began, which says nothing of anybody.
		return now.Told(s.Title) + ", " + now.When(s.CreatedAt.In(a.now().Location()))
	}
	at := slices.IndexFunc(a.agents.builtIn, func(x *registered) bool { return x.ID == s.Agent && x.Whom != nil })
	if at < 0 {
		return s.Title
	}
	x := a.agents.builtIn[at]
	for _, v := range x.Vars {
		for _, title := range v.Titles {
			who := title + " (" + x.Title + ")"
			for _, then := range []tongue.Tongue{"en", tongue.French} {
				if s.Title == then.Told(who) {
					return now.Told(who)
				}
				const name = "?"
				if after := strings.TrimPrefix(then.Told(called(who, name)), name); strings.HasSuffix(s.Title, after) {
					return now.Told(called(who, strings.TrimSuffix(s.Title, after)))
				}
			}
		}
	}
	return s.Title
}

// sessionTitle is what a session is called, in the language; "" for one that is gone.
func (a *App) sessionTitle(id string) string {
	s, err := a.Store.Session(id)
	switch {
	case errors.Is(err, session.ErrDamaged):
		s.Damaged = true
	case err != nil:
		return ""
	}
	return a.titled(s, a.Tongue())
}

// called puts a name before what somebody is.
func called(what, name string) string { return name + ", " + strings.ToLower(what[:1]) + what[1:] }

// consentOf is what somebody said last; false for nothing yet, and for what cannot be read, which check names.
func (a *App) consentOf(whom string) (c session.Consent, ok bool) {
	if err := a.Store.Read(func(tx store.Tx) (err error) {
		c, ok, err = tx.ConsentOf(whom)
		return err
	}); err != nil {
		a.log.Warn("a consent could not be read", "code", AsFault(err).Code)
		return session.Consent{}, false
	}
	return c, ok
}

// nameOfWhom is what people call somebody whom an agent talks with; "" for nobody known.
func (a *App) nameOfWhom(whom string) string {
	for _, x := range a.agents.builtIn {
		if x.Person == nil {
			continue
		}
		p, ok := x.Person(whom)
		if !ok {
			continue
		}
		name := p.Title + " (" + x.Title + ")"
		if p.Name != "" {
			c, _ := a.consentOf(whom) // what cannot be read leaves the small letters
			name = called(name, cmp.Or(c.Name, p.Name))
		}
		if p.Practice {
			name += ", in practice"
		}
		return name
	}
	return ""
}

// Episode reads what is remembered under an id.
func (a *App) Episode(id string) (EpisodeView, error) {
	var e memory.Episode
	err := a.Store.ViewMemory(func(tx memory.Tx) (err error) {
		if e, err = tx.Episode(id); err == nil && e.Forgotten() {
			err = memory.ErrNotFound
		}
		return err
	})
	if err != nil {
		return EpisodeView{}, err
	}
	return a.episodeView(e), nil
}

// CorrectEpisode puts a person's words in the place of what is remembered.
func (a *App) CorrectEpisode(id, text string) (EpisodeView, error) {
	if strings.TrimSpace(text) == "" {
		return EpisodeView{}, Bad("There are no words to remember.", "Write what is to be remembered, or forget it.")
	}
	if len(text) > memory.MaxText {
		return EpisodeView{}, Bad(fmt.Sprintf("The text has %d bytes; at most %d are remembered.", len(text), memory.MaxText), "Shorten it.")
	}
	e, err := memory.Correct(a.Store, id, text, a.now())
	if err != nil {
		return EpisodeView{}, err
	}
	v := a.episodeView(e)
	turn := ""
	if runs, err := a.Store.RunsOf(e.Session); err == nil && len(runs) > 0 {
		turn = runs[len(runs)-1].Turn
	}
	help, said := a.heed(e.Session, turn, writtenCorrection, text)
	if v.Help = help; help != nil {
		// What is remembered of a session that is gone has no journal.
		if err := a.Store.AppendEvents(e.Session, turn, said, nil); err != nil && !errors.Is(err, session.ErrNotFound) {
			return v, err
		}
		a.hub.notify(Notice{Kind: NoticeSession, ID: e.Session})
	}
	a.hub.notify(Notice{Kind: NoticeMemory, ID: id})
	return v, nil
}

// ForgetEpisode takes it away from every later prompt and search, and its words out of the
// store.
func (a *App) ForgetEpisode(id string) error {
	e, err := a.Episode(id)
	if err != nil {
		return err
	}
	turns := 0
	if s, err := a.Store.Session(e.Session); err == nil {
		turns = s.Turns
	}
	if err := memory.Forget(a.Store, id, turns, a.now()); err != nil {
		return err
	}
	a.hub.notify(Notice{Kind: NoticeMemory, ID: id})
	return nil
}

// MemoryTool is the bundle that one context tool last brought.
type MemoryTool struct {
	Tool         string          `json:"tool"`
	Title        string          `json:"title"`
	Completeness float64         `json:"completeness"`
	Output       json.RawMessage `json:"output"`
	Turn         string          `json:"turn"`
	At           time.Time       `json:"at"`
	Reads        []ledger.Target `json:"reads"`
	Reason       string          `json:"reason,omitempty"` // what the output lacks
	Weak         bool            `json:"weak,omitempty"`   // a very small model wrote it
	// Lines are the output as people read it, where the agent says that; Language is theirs.
	Lines    []agent.MemoryLine `json:"lines,omitempty"`
	Language string             `json:"language,omitempty"`
}

// Entity is something the conversation is about.
type Entity struct {
	Kind   string `json:"kind"` // what it is, e.g. concern, goal, provider; the subject's is its type
	Text   string `json:"text"`
	Source string `json:"source"` // the tool that found it
}

// Memory reads what a session remembers between turns.
func (a *App) Memory(sessionID string) (Memory, error) {
	s, err := a.Store.Session(sessionID)
	if err != nil {
		return Memory{}, err
	}
	settings, err := a.Settings()
	if err != nil {
		return Memory{}, err
	}
	m := Memory{Tools: []MemoryTool{}, Entities: []Entity{}, Threshold: settings.Threshold, Recent: []string{}, Episodes: []EpisodeView{}}
	var known []memory.Episode
	about := s.About()
	if name := a.nameOf(about); name != "" {
		m.Entities = append(m.Entities, Entity{strings.ToLower(about.Type), name, "session"})
	}
	err = a.Store.Shown().Read(func(tx store.Tx) error {
		w, err := tx.Working(sessionID)
		if err != nil {
			return err
		}
		m.Scratchpad, m.Recent = w.Scratchpad, append(m.Recent, w.Recent...)
		if err := tx.EpisodesOf(sessionID, func(e memory.Episode) (bool, error) {
			if !e.Forgotten() {
				known = append(known, e)
			}
			return true, nil
		}); err != nil {
			return err
		}
		for _, view := range a.agents.memory() {
			raw, err := tx.Skip(sessionID, view.Tool)
			if err != nil {
				return err
			}
			if raw == nil {
				continue
			}
			part := MemoryTool{Tool: view.Tool, Title: view.Title}
			var row pipeline.Row
			if err := json.Unmarshal(raw, &row); err != nil {
				// The gate runs such a tool again; here it is only shown that nothing is known.
				part.Reason = "unreadable; the next turn collects it again"
				m.Tools = append(m.Tools, part)
				continue
			}
			if row.Reads == nil {
				row.Reads = []ledger.Target{}
			}
			part.Completeness, part.Output, part.Turn, part.At, part.Reads, part.Reason, part.Weak = row.Completeness, row.Output, row.Turn, row.At, row.Reads, row.Degraded, row.Weak
			m.Tools = append(m.Tools, part)
			if view.Signal {
				m.Signal, m.SignalWeak = row.Output, row.Weak
			}
			if view.Entities != nil {
				for _, e := range view.Entities(row.Output) {
					m.Entities = append(m.Entities, Entity{e.Kind, e.Text, view.Tool})
				}
			}
		}
		for _, e := range w.Entities {
			if !slices.ContainsFunc(m.Entities, func(o Entity) bool { return o.Kind == e.Kind && strings.EqualFold(o.Text, e.Text) }) {
				m.Entities = append(m.Entities, Entity{e.Kind, cmp.Or(e.Text, e.ID), "working"})
			}
		}
		return nil
	})
	if err == nil {
		err = a.putIntoWords(sessionID, m.Tools)
	}
	for _, e := range known {
		m.Episodes = append(m.Episodes, a.episodeView(e))
	}
	slices.SortStableFunc(m.Entities, func(a, b Entity) int { return strings.Compare(a.Kind, b.Kind) })
	return m, err
}

// putIntoWords adds the lines of parts that the session's agent can say in words.
func (a *App) putIntoWords(sessionID string, parts []MemoryTool) error {
	x, state, err := a.cardState(sessionID)
	if err != nil || x == nil {
		return err
	}
	for i := range parts {
		for _, v := range x.Memory {
			if v.Tool != parts[i].Tool || v.Lines == nil || parts[i].Output == nil {
				continue
			}
			if parts[i].Lines, parts[i].Language, err = v.Lines(state, a.say(x.ID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// memory is what people see of the context tools of all agents: a session may have
// talked with several.
func (r *Agents) memory() (out []agent.MemoryView) {
	for _, x := range r.builtIn {
		for _, v := range x.Memory {
			if !slices.ContainsFunc(out, func(o agent.MemoryView) bool { return o.Tool == v.Tool }) {
				out = append(out, v)
			}
		}
	}
	return out
}

// names are what a person calls the tools of all agents.
func (r *Agents) names() map[string]string {
	out := map[string]string{}
	for _, v := range r.memory() {
		out[v.Tool] = v.Title
	}
	for _, x := range r.builtIn {
		for _, t := range x.Tools {
			if t.Title != "" {
				out[t.Name] = t.Title
			}
		}
	}
	return out
}

// ToolTitles are what a person calls the tools of all agents, and the parts of their context, by name.
func (a *App) ToolTitles() map[string]string { return a.agents.names() }

// Forget drops what a session remembers of one context tool, or of all for "";
// the next turn collects it again.
func (a *App) Forget(sessionID, tool string) error {
	if _, err := a.Store.Session(sessionID); err != nil {
		return err
	}
	var tools []string
	for _, view := range a.agents.memory() {
		tools = append(tools, view.Tool)
	}
	if tool != "" {
		if !slices.Contains(tools, tool) {
			return Bad("There is no such part of memory.", "Parts are "+strings.Join(tools, ", ")+".")
		}
		tools = []string{tool}
	}
	events := []journal.Event{journal.Event{At: a.now(), Session: sessionID, Reason: "forgotten by a person"}.
		With(journal.MemoryUpdatedData{Scope: "working", Keys: tools, Forgotten: true})}
	return a.Store.AppendEvents(sessionID, "", events, func(tx store.Tx) error {
		for _, t := range tools {
			if err := tx.PutSkip(sessionID, t, nil); err != nil {
				return err
			}
		}
		// Notes name no tool that they came from: they go with any of them.
		return tx.PutWorking(sessionID, memory.Working{})
	})
}
