package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"holdpoint/engine/agent"
	"holdpoint/engine/board"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/turn"
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
		Model: info.Name, Practice: info.Practice, Caller: a.caller(ctx).Subject, Vars: vars, With: keeping(x), State: x.Begin(message), Dependencies: deps}}
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
	for _, own := range []string{session.DefinitionVar, session.BranchVar} {
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
		vars[session.DefinitionVar] = x.digest
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
	if digest := row.Vars[session.DefinitionVar]; digest != "" {
		delete(s.Vars, session.DefinitionVar)
		// An agent that is not among those in the folder any more is asked as it was.
		if _, err := a.agents.find(row.Agent); err != nil {
			if s.Definition, err = a.Store.Definition(digest); err != nil {
				return TurnRequest{}, lost(row, err)
			}
		}
	}
	return s, nil
}
