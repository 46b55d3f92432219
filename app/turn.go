package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"holdpoint/engine/agent"
	"holdpoint/engine/board"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// TurnRequest is what starts a turn.
type TurnRequest struct {
	Session string `json:"session,omitempty"` // a new one when empty
	Agent   string `json:"agent,omitempty"`   // that of the session when empty, in a new one the first of the registry
	// Subject is the record that the turn is about, as TYPE/ID; that of the session when
	// empty. Patient is the id of a subject that is a Patient.
	Subject string            `json:"subject,omitempty"`
	Patient string            `json:"patient,omitempty"`
	Text    string            `json:"text"`
	Vars    map[string]string `json:"vars,omitempty"`
	// Practice uses the scripted model for this turn.
	Practice bool `json:"practice,omitempty"`
	// Branch is a turn whose past a new session begins with: it asks something else in its
	// place. Agent, subject and vars are that turn's where they are left out.
	Branch string `json:"branch,omitempty"`
	// Question is the open question of the session's cards that the text answers; After is the turn
	// after which it was written, where a question was open. A message that came too late for them is
	// refused: it would be taken for the answer to the next one.
	Question string `json:"question,omitempty"`
	After    string `json:"after,omitempty"`
	// Manner is how the scripted model behaves then: "" as asked, stubborn, wrong or slow.
	Manner model.Manner `json:"practice_manner,omitempty"`
	// Definition is the text of an agent that need not be among those in the data
	// folder; Agent is then its name, or empty.
	Definition string `json:"-"`

	// from is the checkpoint of another turn of the session where this one begins.
	from func(*registered, *graph.Graph) (*run.Point, error)
}

// Started names the turn that a Send began.
type Started struct {
	Session string `json:"session"`
	Turn    string `json:"turn"`
}

// maxMessage bounds a message, in bytes.
const maxMessage = 64 << 10

// RunID of a turn.
func RunID(turn string) graph.RunID {
	return graph.RunID("turn:" + strings.TrimPrefix(turn, "turn:"))
}

// StartTurn starts a turn and returns once it is on disk; it is driven in the background.
func (a *App) StartTurn(ctx context.Context, s TurnRequest) (Started, error) {
	p, err := a.prepare(ctx, s)
	if err != nil {
		return Started{}, a.WithHelp(s, err)
	}
	admitted, ended := make(chan struct{}), make(chan error, 1)
	p.admission.Admitted = func() { close(admitted) }
	a.background(p.live, func(ctx context.Context) {
		err := p.run(ctx)
		select {
		case <-admitted:
			a.report(p.admission.Session, err)
		default: // whoever asked is told
		}
		ended <- err
	})
	select {
	case <-admitted:
	case err := <-ended:
		if err != nil {
			return Started{}, a.WithHelp(s, err)
		}
	}
	return Started{p.admission.Session, p.admission.Turn}, nil
}

// RunTurn starts a turn and drives it to its end or pause.
func (a *App) RunTurn(ctx context.Context, s TurnRequest) (run.Outcome, error) {
	p, err := a.prepare(ctx, s)
	if err != nil {
		return run.Outcome{}, a.WithHelp(s, err)
	}
	defer a.finished(p.admission.Turn)
	admitted := false
	p.admission.Admitted = func() { admitted = true }
	out, err := saved(a.exec.Start(ctx, p.graph, p.admission))
	if err != nil && !admitted { // nothing has read it
		return out, a.WithHelp(s, err)
	}
	if err == nil && p.without != nil && out.Run.Status == run.Failed {
		err = p.without // what to do about it stands there
	}
	return out, err
}

type prepared struct {
	a         *App
	graph     *graph.Graph
	admission run.StartRequest
	live      *liveTurn
	// without is why the turn has no model; nil with one.
	without error
}

func (p prepared) run(ctx context.Context) error {
	_, err := saved(p.a.exec.Start(ctx, p.graph, p.admission))
	return err
}

// saved makes an error of the reason why a run could not be written on: its row still says
// running then, and nobody else would tell.
func saved(out run.Outcome, err error) (run.Outcome, error) {
	if err == nil && out.Run.Status == run.Running {
		err = out.Err
	}
	return out, err
}

// Report sums a turn up: what ran, was skipped and failed, what the models and tools
// were asked, and what it used.
func (a *App) Report(out run.Outcome) (run.ExecutionReport, error) {
	var events []journal.Event
	err := a.eachEvent(out.Run.Session, func(e journal.Event) bool {
		events = append(events, e)
		return true
	})
	return run.Report(out, events), err
}

// TurnReport is the report of a turn by its id, of one under way as far as it came.
func (a *App) TurnReport(turn string) (run.ExecutionReport, error) {
	row, err := a.Store.Run(RunID(turn))
	if err != nil {
		return run.ExecutionReport{}, err
	}
	return a.Report(run.Outcome{Run: row})
}

// report tells the screens of a resume that did not happen, and of a turn that could be saved no further.
func (a *App) report(session string, err error) {
	if err == nil {
		return
	}
	data, encErr := json.Marshal(AsFault(err))
	if encErr != nil {
		data = nil // a fault is strings only; this cannot be reached
	}
	a.hub.notify(Notice{Kind: NoticeFault, ID: session, Data: data})
}

// fits says that a message is too long.
func fits(message string) error {
	if len(message) > maxMessage {
		return Bad(fmt.Sprintf("The message has %d bytes; at most %d fit.", len(message), maxMessage), "Shorten it, or import the text as a record.")
	}
	return nil
}

// unseen says that nobody can see anything of a text: it has only spaces and signs that are not drawn.
func unseen(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Cc, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && r != '\u2800'
	}) < 0
}

func (a *App) prepare(ctx context.Context, s TurnRequest) (prepared, error) {
	// What is no text is shown as such, and is the same for everybody who reads it.
	s.Text = strings.ToValidUTF8(s.Text, "\uFFFD")
	if unseen(s.Text) {
		return prepared{}, Bad("The message is empty.", "Write a message and send it again.")
	}
	if err := fits(s.Text); err != nil {
		return prepared{}, err
	}
	s, err := a.branched(s)
	if err != nil {
		return prepared{}, err
	}
	if s, err = a.goingOn(s); err != nil {
		return prepared{}, err
	}
	if _, err := model.ParseManner(string(s.Manner)); err != nil {
		return prepared{}, Bad(fmt.Sprintf("Practice has no manner %q.", s.Manner), "It behaves as asked, or stubborn, wrong or slow.")
	}
	vars := map[string]string{}
	for k, v := range s.Vars {
		vars[k] = v
	}
	if err := a.keepVars(s, vars); err != nil {
		return prepared{}, err
	}
	x, g, err := a.choose(s, vars)
	if err != nil {
		return prepared{}, err
	}
	if s.Session == "" {
		s.Session = a.newID()
	}
	if err := a.aboutOf(s, x, vars); err != nil {
		return prepared{}, err
	}
	deps, info, err := a.dependenciesOf(ctx, x, playing{s.Practice, s.Manner}, s.Text)
	var without error
	if err != nil {
		// What the person wrote is kept: a turn that fails, with the reason, and can be sent again.
		if without = err; !noModel(err) || ctx.Err() != nil {
			return prepared{}, err
		}
		if deps, err = a.dependenciesWithout(ctx, x, without); err != nil {
			return prepared{}, err
		}
	}
	history, err := a.history(s)
	if err != nil {
		return prepared{}, err
	}
	message := turn.Message{Text: s.Text, Vars: vars, History: history}
	if err := a.goOn(&message, s, x.ID, g); err != nil {
		return prepared{}, err
	}
	id := a.newID()
	p := prepared{a: a, graph: g, without: without, admission: run.StartRequest{ID: RunID(id), Session: s.Session, Turn: id, Input: s.Text,
		Model: info.Name, Practice: info.Practice, Caller: a.caller(ctx).Subject, Vars: vars, State: x.Begin(message), Dependencies: deps}}
	settings, err := a.Settings()
	if err != nil {
		return prepared{}, err
	}
	if x.Whom != nil {
		// What somebody told an agent of theirs stands in no list that others look at.
		p.admission.Title = a.Tongue().Told(a.titleOf(x, s.Session, vars))
	}
	limits := settings.budget(x.ID, x.Pattern(vars)).over(g.Spec().Limits)
	p.admission.Limits = &limits
	if s.from != nil {
		if p.admission.From, err = s.from(x, g); err != nil {
			return prepared{}, err
		}
	}
	if err := a.inTime(s); err != nil { // it need not wait for the turn that is in the way
		return prepared{}, err
	}
	if p.live, err = a.begin(id, s.Session); err != nil {
		return p, err
	}
	if err := a.inTime(s); err != nil {
		a.finished(id)
		return prepared{}, err
	}
	return p, nil
}

// inTime says that what a message answers is still asked.
func (a *App) inTime(s TurnRequest) error {
	if s.Session == "" || s.Question == "" && s.After == "" {
		return nil
	}
	last, err := a.lastTurn(TurnRequest{Session: s.Session})
	if err != nil {
		return err
	}
	cards, err := a.Cards(s.Session)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return err
	}
	open := ""
	if cards != nil {
		open = cards.Open
	}
	if s.Question != "" && open != s.Question || s.Question == "" && open != "" && last.Turn != strings.TrimPrefix(s.After, "turn:") {
		return &Fault{Code: "answered", Message: "This session went on meanwhile, in another window or tab, and now asks something else, or nothing.",
			Hint: "Read what stands there now, and answer that.", Safe: "What you wrote was not sent, and is not taken for the answer to another question.", HTTP: 409}
	}
	return nil
}

// goingOn gives a turn that names no agent the one of the session's last turn, as it was
// then. What an agent was told by somebody of its own no other reads.
func (a *App) goingOn(s TurnRequest) (TurnRequest, error) {
	last, err := a.lastTurn(s)
	if err != nil || last.Turn == "" {
		return s, err
	}
	if s.Agent == "" && s.Definition == "" {
		same, err := a.sameAgain(last)
		if err != nil {
			return s, err
		}
		s.Agent, s.Definition = same.Agent, same.Definition
		return s, nil
	}
	if s.Agent == last.Agent {
		return s, nil
	}
	for _, id := range []string{last.Agent, s.Agent} {
		if x, err := a.agents.find(id); err == nil && x.Whom != nil {
			return s, Bad(fmt.Sprintf("This session is with %s; another agent cannot go on with it.", last.Agent), "Start a new session for it, or leave the agent out.")
		}
	}
	return s, nil
}

// lastTurn is the turn before a new one, of its session or the one that it branches from;
// without an id where there is none.
func (a *App) lastTurn(s TurnRequest) (run.Run, error) {
	if s.Branch != "" {
		return a.Store.Run(RunID(s.Branch))
	}
	row, err := a.Store.Session(s.Session)
	if err != nil || row.Turns == 0 {
		if errors.Is(err, session.ErrNotFound) {
			err = nil
		}
		return run.Run{}, err
	}
	runs, err := a.Store.RunsAfter(s.Session, row.Turns-1, 1)
	if err != nil || len(runs) == 0 {
		return run.Run{}, err
	}
	return runs[0], nil
}

// choose finds the agent and the graph of a new turn, and puts what the run has to
// remember of them into its vars.
func (a *App) choose(s TurnRequest, vars map[string]string) (*registered, *graph.Graph, error) {
	for _, own := range []string{definitionVar, session.BranchVar} {
		if _, ok := vars[own]; ok {
			return nil, nil, Bad("The var "+own+" is Holdpoint's own.", "Use another name.")
		}
	}
	if s.Branch != "" {
		vars[session.BranchVar] = s.Branch
	}
	var x *registered
	var err error
	if s.Definition != "" {
		x, err = a.agents.compile(s.Definition)
	} else {
		x, err = a.agents.find(cmp.Or(s.Agent, a.agents.Default()))
	}
	if err != nil {
		if f := AsFault(err); f.Code == "not_found" {
			err = Bad(f.Message, f.Hint)
		}
		return nil, nil, err
	}
	if x.digest != "" {
		if err := a.keepDefinition(x); err != nil {
			return nil, nil, err
		}
		vars[definitionVar] = x.digest
	}
	g, err := a.agents.graphOf(x, vars)
	if err != nil {
		return nil, nil, err
	}
	if x.Accept != nil {
		if err := x.Accept(vars); err != nil {
			return nil, nil, Bad(fmt.Sprintf("%s cannot run with these vars: %s.", x.ID, strings.TrimPrefix(err.Error(), definition.ErrVars.Error()+": ")), "Give each as --var NAME=VALUE.")
		}
	}
	if p := x.Pattern(vars); p != "" {
		vars[agent.PatternVar] = p // what is usual may change before the turn ends
	}
	return x, g, nil
}

// history is what was said before a new turn, oldest first.
func (a *App) history(s TurnRequest) ([]turn.Exchange, error) {
	if s.Branch != "" {
		past, err := a.pastBefore(s.Branch)
		if err != nil {
			return nil, err
		}
		return a.recall(past)
	}
	row, err := a.Store.Session(s.Session)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return a.historyBefore(s.Session, row.Turns)
}

// historyBefore is what was said in the first turns of a session, and before them where it
// is a branch.
func (a *App) historyBefore(id string, turns int) ([]turn.Exchange, error) {
	past, err := a.lineage(id, turns)
	if err != nil {
		return nil, err
	}
	return a.recall(past)
}

// recall reads the end of a past, as much of it as a prompt may hold.
func (a *App) recall(past []stretch) ([]turn.Exchange, error) {
	turns := 0
	for _, p := range past {
		turns += p.turns
	}
	return turn.Recall(turns, func(n int) ([]turn.Exchange, error) {
		runs, err := a.runsAfter(past, n)
		var out []turn.Exchange
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			e := turn.Exchange{User: r.Input, Reply: r.Output, Danger: !a.calm(r)}
			if r.Status != run.Completed {
				if e.Ended, err = a.became(r); err != nil {
					return nil, err
				}
			}
			if e.Reply != "" || e.Ended != "" {
				out = append(out, e)
			}
		}
		return out, nil
	})
}

// became says of a turn that was not answered what became of it: what it has done, and
// what it asks a person for.
func (a *App) became(r run.Run) (string, error) {
	words := map[run.Status]string{
		run.Failed:    "This turn failed before it was answered.",
		run.Cancelled: "The person stopped this turn before it was answered.",
		run.Abandoned: "The person gave this turn up before it was answered.",
		run.Limited:   "This turn came to a limit before it was answered.",
		run.Paused:    "This turn waits for a person and is not answered yet.",
	}[r.Status]
	parts := []string{cmp.Or(words, "This turn was interrupted before it was answered.")}
	done := 0
	err := a.Store.Read(func(tx store.Tx) error {
		err := tx.Entries(r.Turn, func(e ledger.Entry) (bool, error) {
			switch e.State {
			case ledger.Committed:
				done++
				parts = append(parts, "Done before: "+e.Tool+".")
			case ledger.Started, ledger.Unknown:
				done++
				parts = append(parts, "Whether "+e.Tool+" happened is not known.")
			}
			return true, nil
		})
		if err != nil || r.Status != run.Paused {
			return err
		}
		return tx.Approvals(ledger.Pending, func(p ledger.Approval) (bool, error) {
			if p.Turn == r.Turn {
				parts = append(parts, "It proposed, and nobody has decided yet: "+model.OneLine(p.Title, 200)+".")
			}
			return true, nil
		})
	})
	if done == 0 {
		parts = append(parts, "Nothing was changed.")
	}
	return strings.Join(parts, " "), err
}

// settleTime is how long a turn may take from its last event to its end; a
// message that comes in between waits for it.
const settleTime = 200 * time.Millisecond

// begin registers a turn as live; a session has one at a time.
func (a *App) begin(turn, session string) (*liveTurn, error) {
	l, busy, err := a.register(turn, session)
	if busy == nil {
		return l, err
	}
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-busy.done:
		l, _, err = a.register(turn, session)
	case <-timer.C:
	}
	return l, err
}

// register also returns the turn that is in the way.
func (a *App) register(turn, session string) (l, busy *liveTurn, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx.Err() != nil {
		return nil, nil, &Fault{Code: "closing", Message: "Holdpoint is closing.", HTTP: 503}
	}
	for id, l := range a.turns {
		if l.session == session || id == turn {
			return nil, l, fmt.Errorf("%w: this session is still answering", run.ErrLive)
		}
	}
	l = &liveTurn{turn: turn, session: session, done: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	a.turns[turn] = l
	return l, nil, nil
}

func (a *App) finished(turn string) {
	a.remember(turn)
	a.mu.Lock()
	defer a.mu.Unlock()
	if l := a.turns[turn]; l != nil {
		l.cancel()
		close(l.done)
		delete(a.turns, turn)
	}
	a.tidy()
}

// background drives a registered turn until it stops. When the app closes, the
// store closes first: that is not a person's stop, the run keeps its last
// checkpoint and is resumed later.
func (a *App) background(l *liveTurn, drive func(context.Context)) {
	go func() {
		drive(l.ctx)
		a.finished(l.turn)
	}()
}

// Stop ends a running turn; it is over within a second.
func (a *App) Stop(turn string) error {
	a.mu.Lock()
	l := a.turns[strings.TrimPrefix(turn, "turn:")]
	a.mu.Unlock()
	if l == nil {
		return Bad("This turn is not running.", "There is nothing to stop.")
	}
	l.cancel()
	<-l.done
	return nil
}

// Live says whether a turn is being driven now.
func (a *App) Live(turn string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.turns[turn] != nil
}

// Resume continues a turn in the background. A turn that came to a limit needs More.
func (a *App) Resume(ctx context.Context, turn string) error { return a.resume(ctx, turn, nil) }

// ResumeTurn continues a turn and drives it to its end or next pause. A turn that
// waits for a verdict or an answer that nobody gave is returned as it is.
func (a *App) ResumeTurn(ctx context.Context, turn string) (run.Outcome, error) {
	return a.resumeTurn(ctx, turn, nil)
}

// resume returns once the turn goes on, on disk, or cannot.
func (a *App) resume(ctx context.Context, turn string, grant *Grant) error {
	turn = strings.TrimPrefix(turn, "turn:")
	r, row, g, err := a.resumption(ctx, turn, grant)
	if err != nil {
		return err
	}
	l, err := a.begin(turn, row.Session)
	if err != nil {
		return err
	}
	events, stop := a.Listen(row.Session)
	ended := make(chan error, 1)
	a.background(l, func(ctx context.Context) {
		_, err := saved(a.exec.Resume(ctx, g, RunID(turn), r))
		a.report(row.Session, err)
		ended <- err
	})
	defer stop()
	for {
		select {
		case err := <-ended:
			return err
		case e, open := <-events:
			if !open || e.Turn == turn && e.Kind == journal.TurnResumed {
				return nil
			}
		}
	}
}

func (a *App) resumeTurn(ctx context.Context, turn string, grant *Grant) (run.Outcome, error) {
	turn = strings.TrimPrefix(turn, "turn:")
	r, row, g, err := a.resumption(ctx, turn, grant)
	if err != nil {
		return run.Outcome{}, err
	}
	if _, err := a.begin(turn, row.Session); err != nil {
		return run.Outcome{}, err
	}
	defer a.finished(turn)
	return saved(a.exec.Resume(ctx, g, RunID(turn), r))
}

// resumption collects what a stopped turn goes on with: its agent's graph, the
// verdicts that it waits for, and more of the limit that it came to.
func (a *App) resumption(ctx context.Context, id string, grant *Grant) (run.Resumption, run.Run, *graph.Graph, error) {
	cp, err := a.Store.Load(RunID(id))
	if err != nil {
		return run.Resumption{}, run.Run{}, nil, err
	}
	r := run.Resumption{Answers: map[string]json.RawMessage{}, Caller: a.caller(ctx).Subject}
	if grant != nil {
		if r.MoreSteps, r.More, err = more(cp.Run, *grant); err != nil {
			return r, cp.Run, nil, err
		}
		r.By = cmp.Or(strings.Join(strings.Fields(grant.By), " "), a.DefaultReviewer())
	}
	x, g, err := a.agentOf(cp.Run)
	if err != nil {
		return r, cp.Run, nil, err
	}
	if cp.Run.Status == run.Completed {
		return r, cp.Run, g, nil
	}
	deps, _, err := a.dependenciesOf(ctx, x, played(cp.Run), cp.Run.Input)
	if noModel(err) && ctx.Err() == nil && asksNoModel(g.Spec()) {
		deps, err = a.dependenciesWithout(ctx, x, err)
	}
	if err != nil {
		return r, cp.Run, g, err
	}
	r.Dependencies = deps
	err = a.Store.Read(func(tx store.Tx) error {
		for _, p := range cp.Pauses {
			if p.Kind != turn.ApprovalPause || p.Answer != nil {
				continue
			}
			ap, err := tx.Approval(p.ID)
			if err != nil {
				return fmt.Errorf("app: the approval this turn waits for cannot be read, so it stays paused: %w", err)
			}
			if s := ap.At(a.now()); s != ledger.Pending {
				// The answer only wakes the stage, which reads the approval again itself.
				raw, err := json.Marshal(map[string]any{"approval": ap.ID, "status": s})
				if err != nil {
					return err
				}
				r.Answers[p.ID] = raw
			}
		}
		return tx.Entries(id, func(e ledger.Entry) (bool, error) {
			if e.State == ledger.Started || e.State == ledger.Unknown {
				r.Unknown++
			}
			return true, nil
		})
	})
	return r, cp.Run, g, err
}

// asksNoModel says that no stage of a graph asks a model: such a turn goes on without one.
func asksNoModel(s *graph.Spec) bool {
	for i := range s.Stages {
		st := &s.Stages[i]
		switch {
		case st.Graph != nil:
			if !asksNoModel(st.Graph) {
				return false
			}
		case st.Role == graph.RolePreflight || st.Role == graph.RoleIntervention:
		case st.Kind == definition.KindHuman || st.Kind == definition.KindTool || st.Kind == definition.KindTransform:
		case strings.HasSuffix(st.Kind, "_check") || strings.HasSuffix(st.Kind, "_times") || strings.HasSuffix(st.Kind, "_begin") || strings.HasSuffix(st.Kind, "_join"): // of loops, subgraphs and parallels
		default:
			return false
		}
	}
	return true
}

// played is how a run's practice model behaved; it goes on as it began.
func played(row run.Run) playing {
	return playing{row.Practice, model.MannerOf(row.Model)}
}

// Abandon gives up a turn that is not running.
func (a *App) Abandon(turn string) error {
	return a.exec.Abandon(RunID(turn), "given up by a person")
}

// Regenerate asks the same again in a new turn; the old one stays.
func (a *App) Regenerate(ctx context.Context, turn string) (Started, error) {
	row, err := a.Store.Run(RunID(turn))
	if err != nil {
		return Started{}, err
	}
	s, err := a.sameAgain(row)
	if err != nil {
		return Started{}, err
	}
	return a.StartTurn(ctx, s)
}

// sameAgain is the request that asks again what a turn was asked.
func (a *App) sameAgain(row run.Run) (TurnRequest, error) {
	s := TurnRequest{Session: row.Session, Agent: row.Agent, Text: row.Input, Vars: maps.Clone(row.Vars), Practice: row.Practice, Manner: played(row).manner}
	delete(s.Vars, session.BranchVar) // the session's row has it
	if _, g, err := a.agentOf(row); err == nil && board.Has(g) && s.Vars[board.ContinuesVar] == "" {
		s.Vars = with(s.Vars, board.ContinuesVar, board.ContinuesNone) // it does not go on with its own end
	}
	if digest := row.Vars[definitionVar]; digest != "" {
		delete(s.Vars, definitionVar)
		// An agent that is not among those in the folder any more is asked as it was.
		if _, err := a.agents.find(row.Agent); err != nil {
			if s.Definition, err = a.definition(digest); err != nil {
				return TurnRequest{}, lost(row, err)
			}
		}
	}
	return s, nil
}

// Interrupted is a run that was under way when the app went down.
type Interrupted struct {
	Session     string          `json:"session"`
	Turn        string          `json:"turn"`
	Title       string          `json:"title"`
	Input       string          `json:"input"`
	Kept        int             `json:"kept"`
	Rerun       int             `json:"rerun"`
	Unknown     int             `json:"unknown"`
	KeptStages  []graph.StageID `json:"kept_stages"`
	RerunStages []graph.StageID `json:"rerun_stages"`
	StartedAt   time.Time       `json:"started_at"`
}

// Interrupted lists the runs that say running although nobody drives them.
func (a *App) Interrupted() ([]Interrupted, error) {
	runs, err := a.Store.RunsWith(run.Running)
	if err != nil {
		return nil, err
	}
	out := []Interrupted{}
	for _, run := range runs {
		if a.Live(run.Turn) || a.exec.Live(run.ID) {
			continue
		}
		i, err := a.interrupted(run)
		if errors.Is(err, session.ErrDamaged) {
			continue // it cannot be gone on with; the list of sessions says so
		}
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

func (a *App) interrupted(run run.Run) (Interrupted, error) {
	cp, err := a.Store.Load(run.ID)
	if err != nil {
		return Interrupted{}, err
	}
	if x, err := a.runAgent(run); err == nil && x.Whom != nil {
		run.Input = "" // the list is everybody's
	}
	if a.inDanger(run) {
		run.Input = ""
	}
	i := Interrupted{Session: run.Session, Turn: run.Turn, Input: run.Input, StartedAt: run.StartedAt,
		KeptStages: []graph.StageID{}, RerunStages: []graph.StageID{}}
	if s, err := a.Store.Session(run.Session); err == nil {
		i.Title = a.titled(s, a.Tongue())
	} else {
		return i, err
	}
	pending := map[graph.StageID]bool{}
	for _, p := range cp.Pending {
		pending[p.Stage] = true
		i.KeptStages = append(i.KeptStages, p.Stage)
	}
	i.KeptStages = append(i.KeptStages, a.keptStages(run)...)
	for _, s := range run.Frontier {
		if !pending[s] {
			i.RerunStages = append(i.RerunStages, s)
		}
	}
	i.Kept, i.Rerun = len(i.KeptStages), len(i.RerunStages)
	err = a.Store.Read(func(tx store.Tx) error {
		return tx.Entries(run.Turn, func(e ledger.Entry) (bool, error) {
			if e.State == ledger.Started || e.State == ledger.Unknown {
				i.Unknown++
			}
			return true, nil
		})
	})
	return i, err
}

// keptStages are the finished stages of the outermost graph, in the graph's order,
// or by name when the graph is not known any more.
func (a *App) keptStages(run run.Run) []graph.StageID {
	var order []graph.StageID
	if _, g, err := a.agentOf(run); err == nil {
		if g, err = grown(g, run); err == nil {
			for _, s := range g.Manifest().Stages {
				order = append(order, s.ID)
			}
		}
	}
	if order == nil {
		for _, c := range run.Finished {
			order = append(order, c.Stage)
		}
		slices.Sort(order)
	}
	return slices.DeleteFunc(order, func(id graph.StageID) bool { return run.Finished.Of(id) == 0 || strings.Contains(string(id), "/") })
}
