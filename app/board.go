package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/library"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// BoardInfo names the board of one study: a turn of an agent that keeps one.
type BoardInfo struct {
	Turn      string     `json:"turn"`
	Session   string     `json:"session"`
	Agent     string     `json:"agent"`
	Query     string     `json:"query"`
	Status    run.Status `json:"status"`
	Practice  bool       `json:"practice"`
	StartedAt time.Time  `json:"started_at"`
}

// BoardView is a board with the evidence on it and how it came to be as it is.
type BoardView struct {
	BoardInfo
	*board.State
	Query    string         `json:"query"`
	Evidence []EvidenceView `json:"evidence"`
	// Decisions are those of people, oldest first.
	Decisions []board.Decision `json:"decisions"`
	// Timeline are the confidences of hypotheses over time.
	Timeline []ConfidencePoint `json:"timeline"`
	// Report says that the study has come to its report.
	Report bool `json:"report"`
}

// EvidenceView is evidence with what the board says of it.
type EvidenceView struct {
	board.Evidence
	DuplicateOf string `json:"duplicate_of,omitempty"`
	// Link leads to the passage in the reader.
	Link string `json:"link"`
}

// ConfidencePoint is what a hypothesis came to at some time.
type ConfidencePoint struct {
	At         time.Time         `json:"at"`
	Hypothesis string            `json:"hypothesis"`
	Status     string            `json:"status"`
	Confidence float64           `json:"confidence"`
	By         journal.ChangedBy `json:"by"`
	Who        string            `json:"who"`
	Why        string            `json:"why,omitempty"`
}

// Boards lists those of all studies, the newest first.
func (a *App) Boards() ([]BoardInfo, error) {
	out := []BoardInfo{}
	has := map[string]bool{}
	for before := ""; ; {
		list, next, err := a.Sessions(store.SessionQuery{Before: before, Limit: 500})
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			runs, err := a.Store.Shown().RunsOf(s.ID)
			if err != nil {
				return nil, err
			}
			for _, r := range runs {
				key := r.Agent + "\x00" + r.Fingerprint
				if _, known := has[key]; !known {
					_, g, err := a.agentOf(r)
					has[key] = err == nil && board.Has(g) // the agent of another may be gone
				}
				if has[key] {
					out = append(out, infoOf(r))
				}
			}
		}
		if before = next; before == "" {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b BoardInfo) int { return b.StartedAt.Compare(a.StartedAt) })
	return out, nil
}

func infoOf(r run.Run) BoardInfo {
	return BoardInfo{Turn: r.Turn, Session: r.Session, Agent: r.Agent, Query: r.Input, Status: r.Status, Practice: r.Practice, StartedAt: r.StartedAt}
}

// study is the board of a turn as models wrote it, its row and its decisions. The newest
// study is meant by "".
func (a *App) study(turn string) (*board.State, run.Run, []board.Decision, error) {
	if turn == "" {
		list, err := a.Boards()
		if err != nil {
			return nil, run.Run{}, nil, err
		}
		if len(list) == 0 {
			return nil, run.Run{}, nil, &Fault{Code: "not_found", Message: "There is no study yet.", Hint: fmt.Sprintf("Begin one: holdpoint run --agent %s \"…\".", a.agents.having(hasBoard)), HTTP: 404}
		}
		turn = list[0].Turn
	}
	cp, err := a.Store.Load(RunID(turn))
	if err != nil {
		return nil, cp.Run, nil, err
	}
	_, g, err := a.agentOf(cp.Run)
	if err != nil {
		return nil, cp.Run, nil, err
	}
	if !board.Has(g) {
		return nil, cp.Run, nil, &Fault{Code: "not_found", Message: "This turn has no board: its agent keeps none.", Hint: "See holdpoint board list.", HTTP: 404}
	}
	state, err := g.Restore(cp.Channels, true)
	if err != nil {
		return nil, cp.Run, nil, err
	}
	s, err := board.Read(state)
	if err != nil {
		return nil, cp.Run, nil, err
	}
	var decisions []board.Decision
	err = a.Store.Read(func(tx store.Tx) (err error) {
		decisions, err = board.DecisionsOf(tx, string(cp.Run.ID))
		return err
	})
	return s, cp.Run, decisions, err
}

// evidenceOf reads the evidence of a study by its ids; what is gone is left out, and where it is looked at what cannot be
// read, which Lost names.
func (a *App) evidenceOf(row run.Run, s *board.State, looked bool) (map[string]board.Evidence, error) {
	out := map[string]board.Evidence{}
	err := a.Store.Read(func(tx store.Tx) error {
		for _, p := range s.Evidence {
			e, err := board.Find(tx, string(row.ID), p)
			if err == nil {
				out[p.ID] = e
			} else if !errors.Is(err, board.ErrNotFound) && !(looked && a.Store.Shown().Passes(err)) {
				return err
			}
		}
		return nil
	})
	return out, err
}

// CitedPassage is a passage of a document, wherever its text is by now.
type CitedPassage struct {
	board.Evidence
	// N is the number that it has in the library now; 0 where only boards keep its text.
	N uint64 `json:"n"`
	// Now is the document that came in the place of its own; nil when the library has none.
	Now *library.Document `json:"now,omitempty"`
}

// CitedPassage reads a passage of a document: from the library or, when that has it no more, from a
// board that cites it.
func (a *App) CitedPassage(document string, n uint64) (c CitedPassage, err error) {
	err = a.Store.Read(func(tx store.Tx) error {
		if p, err := tx.Passage(n); err == nil && p.Document == document {
			d, err := tx.Document(document)
			c.Evidence, c.N = board.Of(d, p), n
			return err
		} else if err != nil && !errors.Is(err, library.ErrNotFound) {
			return err
		}
		if c.Evidence, err = board.Kept(tx, board.Piece{ID: board.EvidenceID(n), Document: document}); err != nil {
			return err
		}
		if c.N, err = board.Number(tx, &c.Evidence); err != nil || c.Left == nil || c.Left.Next == "" {
			return err
		}
		d, err := tx.Document(c.Left.Next)
		if errors.Is(err, library.ErrNotFound) {
			return nil
		}
		c.Now = &d
		return err
	})
	if errors.Is(err, board.ErrNotFound) {
		return c, &Fault{Code: "not_found", Message: fmt.Sprintf("The library has no passage %d of a document %q, and no board keeps it.", n, document), Hint: "See holdpoint library list and holdpoint board list.", HTTP: 404, err: err}
	}
	return c, err
}

// Citing lists the boards that cite a document, the newest first: what they keep of it stays when
// it leaves the library.
func (a *App) Citing(document string) ([]BoardInfo, error) {
	studies := map[string]bool{}
	if err := a.Store.Shown().Read(func(tx store.Tx) error {
		return tx.EvidenceOf(document, func(study string, _ board.Evidence) (bool, error) {
			studies[study] = true
			return true, nil
		})
	}); err != nil {
		return nil, err
	}
	out := []BoardInfo{}
	for study := range studies {
		row, err := a.Store.Run(graph.RunID(study))
		if a.Store.Shown().Passes(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, infoOf(row))
	}
	slices.SortFunc(out, func(a, b BoardInfo) int { return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(a.Turn, b.Turn)) })
	return out, nil
}

// Board is the board of a study as it is now, of the newest one for "".
func (a *App) Board(turn string) (BoardView, error) {
	read, row, decisions, err := a.study(turn)
	if err != nil {
		return BoardView{}, err
	}
	v := BoardView{BoardInfo: infoOf(row), State: read.Decided(decisions), Evidence: []EvidenceView{}, Decisions: append([]board.Decision{}, decisions...), Timeline: []ConfidencePoint{}}
	v.Query = cmp.Or(read.Query, row.Input)
	v.Report = read.Synthesis != nil
	if v.Searches == nil {
		v.Searches = []board.Search{}
	}
	bodies, err := a.evidenceOf(row, read, true)
	if err != nil {
		return v, err
	}
	for _, p := range read.Evidence {
		e, ok := bodies[p.ID]
		if !ok {
			e = board.Evidence{ID: p.ID, Document: p.Document}
		}
		v.Evidence = append(v.Evidence, EvidenceView{e, p.DuplicateOf, e.Link()})
	}
	err = a.eachEvent(row.Session, func(e journal.Event) bool {
		if e.Turn != row.Turn || e.Kind != journal.HypothesisChanged {
			return true
		}
		if p, err := journal.Decode(e); err == nil {
			if d, ok := p.(journal.HypothesisChangedData); ok {
				v.Timeline = append(v.Timeline, ConfidencePoint{e.At, d.ID, d.Status, d.Confidence, d.By, d.Who, e.Reason})
			}
		}
		return true
	})
	return v, err
}

// goOn lets a message go on with the board of a study of its session: the one that its vars name,
// else the newest that came to its end with the same agent. It writes the choice into the vars.
func (a *App) goOn(m *turn.Message, s TurnRequest, agent string, g *graph.Graph) error {
	if !board.Has(g) {
		return nil
	}
	named := m.Vars[board.ContinuesVar]
	if named == board.ContinuesNone {
		return nil
	}
	runs, err := a.before(s)
	if err != nil {
		return err
	}
	for _, r := range slices.Backward(runs) {
		if r.Agent == agent && r.Status == run.Completed && (named == "" || named == r.Turn) {
			m.Vars[board.ContinuesVar] = r.Turn
			return a.earlier(m, r.Turn)
		}
	}
	if named != "" {
		return Bad(fmt.Sprintf("No finished study of this session is %q.", named), "Name a turn of this session, or leave "+board.ContinuesVar+" out.")
	}
	return nil
}

// before lists the runs that a new turn comes after, those of the sessions that its own was made
// from among them.
func (a *App) before(s TurnRequest) ([]run.Run, error) {
	if s.Branch != "" {
		past, err := a.pastBefore(s.Branch)
		if err != nil {
			return nil, err
		}
		return a.runsAfter(past, 0)
	}
	own, err := a.Store.RunsOf(s.Session)
	if err != nil {
		return nil, err
	}
	past, err := a.lineage(s.Session, len(own))
	if err != nil {
		return nil, err
	}
	return a.runsAfter(past, 0)
}

// earlier gives a message the state that a turn ended with.
func (a *App) earlier(m *turn.Message, of string) error {
	cp, err := a.Store.Load(RunID(of))
	if err != nil {
		return err
	}
	_, g, err := a.agentOf(cp.Run)
	if err != nil {
		return err
	}
	m.Earlier, err = g.Restore(cp.Channels, true)
	m.EarlierRun = cp.Run.ID
	return err
}

// BoardChange is what a person does on a board.
type BoardChange struct {
	Turn string   `json:"turn"`
	Op   board.Op `json:"op"`
	// On is the hypothesis or the conflict; empty to add a hypothesis.
	On        string        `json:"on,omitempty"`
	Statement string        `json:"statement,omitempty"`
	Outcome   board.Outcome `json:"outcome,omitempty"`
	Reason    string        `json:"reason,omitempty"`
	// Reviewer is who decides.
	Reviewer string `json:"reviewer"`
	// Seen is the number of the last decision that the person saw, 0 for none: a later one on the
	// same hypothesis or conflict refuses this one. Absent, nothing is compared.
	Seen *int `json:"seen,omitempty"`
}

// errMoved says that somebody else decided on the same board while a decision was checked.
var errMoved = errors.New("app: the board has moved on")

// ChangeBoard keeps a person's decision. A study that is under way takes it over with its
// next step.
func (a *App) ChangeBoard(c BoardChange) (BoardView, error) {
	for {
		v, err := a.changeBoard(c)
		if !errors.Is(err, errMoved) {
			return v, err
		}
	}
}

func (a *App) changeBoard(c BoardChange) (BoardView, error) {
	if strings.TrimSpace(c.Reviewer) == "" {
		return BoardView{}, Bad("A decision needs the name of the person who makes it.", "Give a reviewer.")
	}
	who, err := personName(c.Reviewer)
	if err != nil {
		return BoardView{}, err
	}
	read, row, decisions, err := a.study(c.Turn)
	if err != nil {
		return BoardView{}, err
	}
	before := read.Decided(decisions)
	d := board.Decision{Op: c.Op, On: c.On, Statement: strings.TrimSpace(c.Statement), Outcome: c.Outcome, Reason: strings.TrimSpace(c.Reason), Who: who, At: a.now()}
	if d.Op == board.Add {
		d.On = before.Next()
	}
	if h := before.Hypothesis(d.On); h != nil && d.Op != board.Add && d.Op != board.Edit {
		d.Statement = h.Statement // what they decide about, also when it is worded anew later
	}
	if err := before.Check(d); err != nil {
		return BoardView{}, boardFault(err)
	}
	// The number is given in the transaction; what is told goes by the board with the decision.
	d.N = len(decisions) + 1
	events := decided(before, read.Decided(append(slices.Clip(decisions), d)), d)
	for i := range events {
		events[i].At, events[i].Session = d.At, row.Session
	}
	err = a.Store.AppendEvents(row.Session, row.Turn, events, func(tx store.Tx) error {
		now, err := board.DecisionsOf(tx, string(row.ID))
		if err != nil {
			return err
		}
		if err := c.overtaken(now); err != nil {
			return err
		}
		if len(now) != len(decisions) {
			return errMoved // what is checked and told goes by the board as it is
		}
		return tx.AddDecision(string(row.ID), &d)
	})
	if err != nil {
		return BoardView{}, err
	}
	a.hub.notify(Notice{Kind: NoticeBoard, ID: row.Session})
	return a.Board(row.Turn)
}

// overtaken refuses what was decided on a board that showed less than there is by now.
func (c BoardChange) overtaken(now []board.Decision) error {
	if c.Seen == nil {
		return nil
	}
	for _, d := range slices.Backward(now) {
		if d.N > *c.Seen && c.On != "" && d.On == c.On {
			return &Fault{Code: "decided", Message: fmt.Sprintf("%s decided on this meanwhile.", d.Who), Hint: "Close this, read what the board says now, and decide again.", Safe: "That decision stands; yours was not kept.", HTTP: 409}
		}
	}
	return nil
}

// decided are the events of a decision: what it is about changed by the person, all else by the rule.
func decided(before, after *board.State, d board.Decision) []journal.Event {
	events := before.Told(after, journal.ChangedByPerson, d.Who, d.Reason)
	for i, e := range events {
		p, err := journal.Decode(e)
		if x, ok := p.(journal.HypothesisChangedData); err == nil && ok && x.ID != d.On {
			x.By, x.Who = journal.ChangedByRule, "confidence"
			e.Reason = "worked out again after a person decided"
			events[i] = e.With(x)
		}
	}
	return events
}

func boardFault(err error) error {
	var said *board.SaidError
	if errors.As(err, &said) {
		return Bad(fmt.Sprintf("Hypothesis %s says that already.", said.Hypothesis), "Confirm, refute or reword that one; see holdpoint board show.")
	}
	f := &Fault{Code: "bad_request", Message: strings.TrimPrefix(strings.TrimPrefix(err.Error(), board.ErrMalformed.Error()+": "), board.ErrNotFound.Error()+": ") + ".",
		Hint: "See holdpoint board show.", Safe: "Nothing was changed.", HTTP: 400, err: err}
	if errors.Is(err, board.ErrNotFound) {
		f.Code, f.HTTP = "not_found", 404
	}
	f.Message = strings.ToUpper(f.Message[:1]) + f.Message[1:]
	return f
}

// phrasing says a report's own words in a language.
func phrasing(language string) board.Phrasing {
	g := tongue.Tongue(language)
	return board.Phrasing{Say: g.Say, Told: g.Told, Language: language}
}

// BoardReport is the report of a study as its board is now: what people decided after it was
// written is in it. Formats are md, html, bib and ris.
func (a *App) BoardReport(turn, format, language string) (Export, error) {
	g, err := a.languageFor(language)
	if err != nil {
		return Export{}, err
	}
	read, row, decisions, err := a.study(turn)
	if err != nil {
		return Export{}, err
	}
	bodies, err := a.evidenceOf(row, read, false)
	if err != nil {
		return Export{}, err
	}
	s := read.Decided(decisions)
	s.Query = cmp.Or(s.Query, row.Input)
	if s.Synthesis == nil && s.Forced == "" {
		s.Forced = "the study is not finished."
	}
	r := board.NewReport(s, bodies, decisions, phrasing(string(g)))
	var text, kind, ending string
	switch format {
	case "", "md":
		text, kind, ending = r.MarkdownFile(), "text/markdown; charset=utf-8", ".md"
	case "html":
		text, kind, ending = r.HTML(), "text/html; charset=utf-8", ".html"
	case "bib":
		text, kind, ending = r.BibTeX(), "application/x-bibtex; charset=utf-8", ".bib"
	case "ris":
		text, kind, ending = r.RIS(), "application/x-research-info-systems; charset=utf-8", ".ris"
	default:
		return Export{}, Bad(fmt.Sprintf("There is no format %q.", format), "Use md, html, bib or ris.")
	}
	return Export{"report-" + fileSafe(row.Turn) + ending, kind, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader([]byte(text)))
		return err
	}}, nil
}
