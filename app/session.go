package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/store"
)

// SessionView is a session as the screens show it. Its status is what the whole session is at now: what a
// person has to decide counts before how the newest turn ended, and nothing runs that nobody drives.
type SessionView struct {
	session.Session
	// Waits says whom a paused session waits for: WaitsApproval, WaitsAnswer or WaitsResume.
	Waits string `json:"waits,omitempty"`
	// SubjectName is what people call the subject; PatientName likewise for a Patient.
	SubjectName string `json:"subject_name,omitempty"`
	PatientName string `json:"patient_name,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
	// BranchOf says what a branch was made from; nil for others, and once that is gone.
	BranchOf *BranchOf `json:"branch_of,omitempty"`
}

// BranchOf is the session that a branch was made from, and the message in whose place it
// asks something else.
type BranchOf struct {
	Session string `json:"session"`
	Title   string `json:"title"`
	Input   string `json:"input"`
}

// What a paused session waits for: a verdict, an answer, or only to be gone on with.
const (
	WaitsApproval = "approval"
	WaitsAnswer   = "answer"
	WaitsResume   = "resume"
)

// StatusInterrupted is the status of a session with a turn that was under way when the program was
// closed or killed, and can be resumed.
const StatusInterrupted = "interrupted"

// StatusDamaged is the status of a session whose row cannot be read: it can only be deleted.
const StatusDamaged = "damaged"

// standing is what turns of a session, the newest or not, are at.
type standing struct{ live, approval, answer, interrupted, paused bool }

// of gives a session the status that it has by it.
func (st standing) of(v *SessionView) {
	waits := func(what string) { v.Status, v.Waits = string(run.Paused), what }
	switch {
	case v.Damaged:
		v.Status = StatusDamaged
	case st.live:
		v.Status = string(run.Running)
	case st.approval || v.Approvals > 0:
		waits(WaitsApproval)
	case st.answer:
		waits(WaitsAnswer)
	case st.interrupted:
		v.Status, v.Interrupted = StatusInterrupted, true
	case st.paused:
		waits(WaitsResume)
	}
}

// standings are those of all sessions with turns that are not over.
func (a *App) standings() (map[string]standing, error) {
	out := map[string]standing{}
	change := func(id string, f func(*standing)) {
		st := out[id]
		f(&st)
		out[id] = st
	}
	running, err := a.Store.Shown().RunsWith(run.Running)
	if err != nil {
		return nil, err
	}
	for _, r := range running {
		live := a.Live(r.Turn) || a.exec.Live(r.ID)
		change(r.Session, func(st *standing) { st.live, st.interrupted = st.live || live, st.interrupted || !live })
	}
	paused, err := a.Store.Shown().RunsWith(run.Paused)
	if err != nil {
		return nil, err
	}
	for _, r := range paused {
		open, err := a.openQuestions(r)
		if err != nil {
			return nil, err
		}
		change(r.Session, func(st *standing) { st.paused, st.answer = true, st.answer || len(open) > 0 })
	}
	return out, nil
}

// Sessions lists sessions, newest change first, and the position of the next page
// ("" at the end).
func (a *App) Sessions(q store.SessionQuery) ([]SessionView, string, error) {
	if q.Limit <= 0 {
		q.Limit = 50
	}
	if q.Search != "" && q.Also == nil {
		named, err := a.subjectsCalled(q.Search)
		if err != nil {
			return nil, "", err
		}
		q.Also = func(s session.Session) bool { return named[s.About()] }
	}
	standings, err := a.standings()
	if err != nil {
		return nil, "", err
	}
	if status := q.Status; status != "" {
		// The store knows how the newest turn of each ended; what the whole is at decides.
		search, also := strings.ToLower(q.Search), q.Also
		q.Status, q.Search = "", nothingIsCalled
		q.Also = func(s session.Session) bool {
			v := SessionView{Session: s}
			standings[s.ID].of(&v)
			return v.Status == status && (strings.Contains(strings.ToLower(s.Title), search) || also != nil && also(s))
		}
	}
	limit := min(q.Limit, 500)
	q.Limit = limit + 1 // to see whether there are more
	list, err := a.Store.Sessions(q)
	if err != nil {
		return nil, "", err
	}
	next := ""
	if len(list) > limit {
		list = list[:limit]
		next = store.CursorOf(list[limit-1])
	}
	out := make([]SessionView, len(list))
	for i, s := range list {
		out[i] = a.view(s, standings[s.ID])
	}
	return out, next, nil
}

// Session reads one session.
func (a *App) Session(id string) (SessionView, error) {
	s, err := a.Store.Session(id)
	if err != nil {
		return SessionView{}, err
	}
	standings, err := a.standings()
	if err != nil {
		return SessionView{}, err
	}
	v := a.view(s, standings[s.ID])
	if s.Branch != "" {
		if r, err := a.Store.Run(RunID(s.Branch)); err == nil {
			if of, err := a.Store.Session(r.Session); err == nil {
				v.BranchOf = &BranchOf{of.ID, a.titled(of, a.Tongue()), r.Input}
			}
		}
	}
	return v, nil
}

// nothingIsCalled is a search that no title matches.
const nothingIsCalled = "\x00"

func (a *App) view(s session.Session, st standing) SessionView {
	about := s.About()
	s.SetAbout(about) // rows of older stores name a patient only
	s.Title = a.titled(s, a.Tongue())
	v := SessionView{Session: s, SubjectName: a.nameOf(about)}
	if s.Patient != "" {
		v.PatientName = v.SubjectName
	}
	st.of(&v)
	return v
}

func (a *App) sessionLive(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.turns {
		if l.session == id {
			return true
		}
	}
	return false
}

// TurnView is a turn as the screens list it.
type TurnView struct {
	Turn      string      `json:"turn"`
	Run       graph.RunID `json:"run"`
	Status    run.Status  `json:"status"`
	Input     string      `json:"input"`
	Output    string      `json:"output"`
	Error     string      `json:"error,omitempty"`
	Model     string      `json:"model"`
	Practice  bool        `json:"practice"`
	Caller    string      `json:"caller,omitempty"` // for whom it began
	Live      bool        `json:"live"`
	StartedAt time.Time   `json:"started_at"`
	UpdatedAt time.Time   `json:"updated_at"`

	Agent string `json:"agent"`
	// Subject is the record that the turn is about, as TYPE/ID; "" for none.
	Subject string            `json:"subject,omitempty"`
	Vars    map[string]string `json:"vars,omitempty"`
	// Limit names the limit that the turn came to; More is as much of it as there was.
	Limit string `json:"limit,omitempty"`
	More  string `json:"more,omitempty"`
	// LimitStage is the stage whose limit it is, LimitField where a graph's file sets it.
	LimitStage string       `json:"limit_stage,omitempty"`
	LimitField string       `json:"limit_field,omitempty"`
	Limits     graph.Limits `json:"limits"`
	Steps      int          `json:"steps"`
	MaxSteps   int          `json:"max_steps"`
	Used       graph.Used   `json:"used"`
	// Budget is how much of its limits the turn has used.
	Budget []BudgetLine `json:"budget"`
	// Questions are what the turn waits for a person to say.
	Questions []graph.Pause `json:"questions"`
}

// Turns lists a session's turns in the order they began.
func (a *App) Turns(id string) ([]TurnView, error) {
	if _, err := a.Store.Session(id); err != nil {
		return nil, err
	}
	runs, err := a.Store.Shown().RunsOf(id)
	if err != nil {
		return nil, err
	}
	out := make([]TurnView, len(runs))
	for i, r := range runs {
		if out[i], err = a.turnView(r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (a *App) turnView(r run.Run) (TurnView, error) {
	v := TurnView{Turn: r.Turn, Run: r.ID, Status: r.Status, Input: r.Input, Output: r.Output, Error: r.Error, Model: r.Model, Practice: r.Practice, Caller: r.Caller,
		Live: a.Live(r.Turn), StartedAt: r.StartedAt, UpdatedAt: r.UpdatedAt, Agent: r.Agent, Vars: r.Vars, Limit: r.Limit, Limits: r.Limits,
		Steps: r.Step, MaxSteps: r.MaxSteps, Used: r.Used, Budget: BudgetLines(r), Questions: []graph.Pause{}}
	if about := session.SubjectOf(r.Vars); about.ID != "" {
		v.Subject = about.String()
	}
	if r.Status == run.Limited {
		l := LimitOf(r)
		v.More, v.LimitStage, v.LimitField = l.More, l.Stage, l.Field
	}
	questions, err := a.openQuestions(r)
	v.Questions = append(v.Questions, questions...)
	return v, err
}

// Rename gives a session a title.
func (a *App) Rename(id, title string) error {
	title = strings.Join(strings.Fields(title), " ")
	if title == "" || len(title) > 200 {
		return Bad("A title has 1 to 200 characters.", "Give another title.")
	}
	return a.changeSession(id, func(s *session.Session) { s.Title = title })
}

func (a *App) changeSession(id string, change func(*session.Session)) error {
	s, err := a.Store.Session(id)
	if err != nil {
		return err
	}
	change(&s)
	if err := a.Store.PutSession(s); err != nil {
		return err
	}
	a.hub.notify(Notice{Kind: NoticeSession, ID: id})
	return nil
}

// DeleteSession removes a session with its turns, journal, approvals and memory.
// A session that is answering has to be stopped first; calls that wait for a
// verdict are given up. One of which a row is damaged is deleted like the others.
func (a *App) DeleteSession(id string) (err error) {
	if a.sessionLive(id) {
		return fmt.Errorf("%w: stop it before deleting the session", run.ErrLive)
	}
	if err := a.Store.RebuildSession(id); err != nil { // what is given up below is written into its row
		return err
	}
	runs, err := a.Store.Shown().RunsOf(id)
	if err != nil {
		return err
	}
	// Pages leave it first, and ask for nothing of what is given up and goes.
	a.hub.notify(Notice{Kind: NoticeSession, ID: id, Gone: true})
	defer func() {
		a.hub.notify(Notice{Kind: NoticeSession, ID: id, Gone: err == nil})
		a.hub.notify(Notice{Kind: NoticeApprovals})
	}()
	for _, r := range runs {
		if r.Status == run.Paused || r.Status == run.Running || r.Status == run.Limited || r.Status == run.Failed {
			err := a.exec.Abandon(r.ID, "the session was deleted")
			if err != nil && !errors.Is(err, run.ErrFinal) && !errors.Is(err, store.ErrDamaged) { // what is damaged goes all the same
				return err
			}
		}
	}
	if err := errors.Join(a.SaveDraft(id, ""), a.forgetFired("", "", id)); err != nil {
		return err
	}
	ends, err := a.endsWith(id, runs)
	if err != nil {
		return err
	}
	return a.Store.DeleteSession(id, ends...)
}

// endsWith are those for whom a session with these runs is the last one: with it goes what they agreed to, and what
// they are called by.
func (a *App) endsWith(id string, runs []run.Run) ([]string, error) {
	whom := a.whomIn(id, runs)
	if whom == "" {
		return nil, nil
	}
	all, err := a.Store.Sessions(store.SessionQuery{})
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		asks := s.Damaged || s.Consent != "" || slices.ContainsFunc(a.agents.builtIn, func(x *registered) bool { return x.ID == s.Agent && x.Whom != nil })
		if s.ID == id || !asks {
			continue
		}
		own, err := a.Store.Shown().RunsOf(s.ID)
		if err != nil {
			return nil, err
		}
		if a.whomIn(s.ID, own) == whom {
			return nil, nil
		}
	}
	return []string{whom}, nil
}

// Journal reads stored events of a session after a sequence number, at most limit.
func (a *App) Journal(id string, after uint64, limit int) ([]journal.Event, uint64, error) {
	if limit <= 0 || limit > 5000 {
		limit = 500
	}
	if _, err := a.Store.Session(id); err != nil {
		return nil, 0, err
	}
	events, err := a.Store.Journal(id, after, limit)
	if err != nil {
		return nil, 0, err
	}
	last, err := a.Store.LastSeq(id)
	return events, last, err
}

// eachEvent shows a session's stored events in order, until see has seen enough.
func (a *App) eachEvent(session string, see func(journal.Event) (more bool)) error {
	for after := uint64(0); ; {
		some, err := a.Store.Journal(session, after, 1000)
		if err != nil || len(some) == 0 {
			return err
		}
		for _, e := range some {
			if !see(e) {
				return nil
			}
		}
		after = some[len(some)-1].Seq
	}
}

// Blob reads a body that an event refers to.
func (a *App) Blob(name string) ([]byte, error) {
	var body []byte
	err := a.Store.Read(func(tx store.Tx) error {
		var err error
		body, err = tx.Blob(name)
		return err
	})
	return body, err
}
