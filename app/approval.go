package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// ApprovalView is an approval as the screens show it.
type ApprovalView struct {
	ledger.Approval
	SessionTitle string `json:"session_title"`
	// Subject is the record that the session is about, as TYPE/ID; SubjectName and
	// PatientName are those of the session.
	Subject     string `json:"subject,omitempty"`
	SubjectName string `json:"subject_name,omitempty"`
	PatientName string `json:"patient_name,omitempty"`
	// Nonce is good for one decision; only the detail view has it.
	Nonce string `json:"nonce,omitempty"`
	// Warnings are sentences that a person should read before a verdict, Places where
	// the visit would be, Parameters the JSON Schema of the arguments; only the detail
	// view of what waits has them.
	Warnings   []string        `json:"warnings,omitempty"`
	Places     []string        `json:"places,omitempty"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Fixed are the arguments that nobody can change: the session is about what they name.
	Fixed []string `json:"fixed,omitempty"`
	// Message is what the person wrote whose turn it is, at its beginning; only the detail view has it.
	Message string `json:"message,omitempty"`
	// Current are the records that it would change and that are no longer as they were when
	// it was asked; only the detail view of what waits has them.
	Current []Current `json:"current,omitempty"`
	// ToolTitle is what a person calls the tool, and Names what they call the records that
	// it names, by TYPE/ID; only the detail view has them.
	ToolTitle string            `json:"tool_title,omitempty"`
	Names     map[string]string `json:"names,omitempty"`
	// TitleZone is the zone that the title says its times in where that is not the clinic's
	// zone any more, as in "New York"; else "".
	TitleZone string `json:"title_zone,omitempty"`
	// Outcome is how far the call came; Why says why it was not done, of a void approval and
	// of one whose call was refused, in the detail view.
	Outcome ledger.State `json:"outcome,omitempty"`
	Why     string       `json:"why,omitempty"`
	// Overdue says that it waits although a decision was wanted by now, Escalated that it
	// waited so long that somebody else may decide, too.
	Overdue   bool `json:"overdue"`
	Escalated bool `json:"escalated"`
	// ClockSetBack says that it counts as expired before its time: the clock was set back, and
	// nobody knows how old it is.
	ClockSetBack bool `json:"clock_set_back,omitempty"`
	// Strategy is how its reviewer is chosen: named_individual, role_based or anyone;
	// MayDecide says in words who may decide now.
	Strategy  string `json:"reviewer_strategy"`
	MayDecide string `json:"may_decide"`
	// Arguments are those of the call as people read them, and Differences what would change
	// in records beside forms; only the detail view has them.
	Arguments   []Line       `json:"arguments,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	// Form is what waits where that is a form, and FormBefore as it was first asked for where
	// a reviewer modified it; only the detail view has them.
	Form       *agent.Form `json:"form,omitempty"`
	FormBefore *agent.Form `json:"form_before,omitempty"`
}

// UnknownView is a call whose outcome nobody knows.
type UnknownView struct {
	ledger.Entry
	SessionTitle string `json:"session_title"`
	Check        string `json:"check"`
}

// lapse stores which approvals have run out by now, and of which people were reminded, with
// the word of it in their sessions' journals. Whoever is about to say that one expired calls it first: what a
// person was told does not come back when a clock is set back. A store that cannot be
// written to is no error.
func (a *App) lapse(now time.Time) error {
	var over []ledger.Approval
	err := a.Store.Shown().Read(func(tx store.Tx) error {
		over = nil
		for _, status := range []ledger.Status{ledger.Pending, ledger.Approved} {
			if err := tx.Approvals(status, func(ap ledger.Approval) (bool, error) {
				if ap.At(now) == ledger.Expired || len(ap.Due(now)) > 0 {
					over = append(over, ap)
				}
				return true, nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, ap := range over {
		if err := errors.Join(a.lapsed(ap, now), a.remind(ap, now)); err != nil {
			return err
		}
	}
	return nil
}

// lapsed is lapse of one approval, as it was read.
func (a *App) lapsed(ap ledger.Approval, now time.Time) error {
	if ap.Status == ledger.Expired || ap.At(now) != ledger.Expired {
		return nil
	}
	events := []journal.Event{{At: now, Session: ap.Session, Turn: ap.Turn, Kind: journal.ApprovalRefused, Approval: ap.ID, Call: ap.Call, Tool: ap.Tool,
		Status: string(journal.ApprovalExpired), Reason: "the approval expired; resume the turn to be asked again"}}
	err := a.Store.AppendEvents(ap.Session, ap.Turn, events, func(tx store.Tx) error {
		news, err := ledger.Lapse(tx, ap.ID, now)
		if err == nil && !news {
			err = errLapsed
		}
		return err
	})
	return unlessNone(err)
}

// remind stores that people were told what is due of an approval, with the words.
func (a *App) remind(ap ledger.Approval, now time.Time) error {
	events := ap.Due(now)
	if len(events) == 0 {
		return nil
	}
	return unlessNone(a.Store.AppendEvents(ap.Session, ap.Turn, events, func(tx store.Tx) error {
		news, err := ledger.Remind(tx, ap.ID, now)
		if err == nil && !news {
			err = errLapsed
		}
		return err
	}))
}

// unlessNone leaves out what is no error to whoever only keeps what time brought.
func unlessNone(err error) error {
	for _, none := range []error{errLapsed, session.ErrNotFound, session.ErrDamaged, store.ErrReadOnly, store.ErrLatched, store.ErrClosed} {
		if errors.Is(err, none) {
			return nil
		}
	}
	return err
}

// errLapsed takes back a transaction: somebody was quicker.
var errLapsed = errors.New("app: it had lapsed")

// lapsing stores expiries as they happen, until the app closes.
func (a *App) lapsing() {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-tick.C:
			if err := a.lapse(a.now()); err != nil {
				a.log.Warn("expired approvals could not be stored")
			}
		}
	}
}

// ApprovalQuery chooses approvals. The zero value chooses all.
type ApprovalQuery struct {
	// Status is one of ledger's, "all" or "".
	Status string
	// After is the id of the last one of the page before; Limit is 0 for no limit.
	After string
	Limit int
	// Newest begins with the newest; it goes with a limit and without After.
	Newest bool
}

// statuses are the words that lists of approvals know; unknown asks for the calls whose
// outcome nobody knows.
var statuses = []string{string(ledger.Pending), string(ledger.Approved), string(ledger.Rejected), string(ledger.Used), string(ledger.Expired), string(ledger.Void)}

// Approvals lists all approvals that have a status; see ApprovalsPage.
func (a *App) Approvals(status string) ([]ApprovalView, error) {
	list, _, err := a.ApprovalsPage(ApprovalQuery{Status: status})
	return list, err
}

// NoStatus refuses a word that is no status of approvals, and names those that are.
func NoStatus(status string) error {
	return Bad(fmt.Sprintf("There is no status %q.", status), "Use "+strings.Join(statuses, ", ")+", all, or on the command line unknown.")
}

// ApprovalsPage lists approvals oldest first, and after which id the next page begins; ""
// at the end, and where the newest were asked for.
func (a *App) ApprovalsPage(q ApprovalQuery) (list []ApprovalView, next string, err error) {
	list = []ApprovalView{}
	if q.Status == "all" {
		q.Status = ""
	}
	if q.Status != "" && !slices.Contains(statuses, q.Status) {
		return nil, "", NoStatus(q.Status)
	}
	now := a.now()
	if err := a.lapse(now); err != nil {
		return nil, "", err
	}
	stored := ledger.Status(q.Status)
	if a.Store.ReadOnly() && q.Status != string(ledger.Rejected) && q.Status != string(ledger.Used) {
		stored = "" // what ran out could not be stored
	}
	to := a.Tongue()
	err = a.Store.Shown().Read(func(tx store.Tx) error {
		list, next = list[:0], ""
		take := func(ap ledger.Approval) (bool, error) {
			if ap.Status = ap.At(now); q.Status != "" && string(ap.Status) != q.Status {
				return true, nil
			}
			if q.Limit > 0 && len(list) == q.Limit {
				next = list[len(list)-1].ID
				return false, nil
			}
			list = append(list, ApprovalView{Approval: ap}.timed(now))
			return true, nil
		}
		if q.Newest {
			if err := tx.NewestApprovals(stored, take); err != nil {
				return err
			}
			next = ""
		} else if err := tx.ApprovalsBehind(stored, q.After, take); err != nil {
			return err
		}
		return a.dress(tx, to, list, a.Store.Shown().Passes)
	})
	if err != nil {
		return nil, "", err
	}
	return list, next, nil
}

// Unknowns lists calls that started and never reported back, oldest first.
func (a *App) Unknowns() ([]UnknownView, error) {
	out := []UnknownView{}
	err := a.Store.Shown().Read(func(tx store.Tx) error {
		out = out[:0]
		for _, state := range []ledger.State{ledger.Unknown, ledger.Started} {
			if err := tx.EntriesIn(state, func(e ledger.Entry) (bool, error) {
				if state == ledger.Unknown || !a.Live(e.Turn) {
					out = append(out, UnknownView{Entry: e, Check: "Look in the other system whether this call took effect; Holdpoint does not repeat it."})
				}
				return true, nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	titles := map[string]string{}
	for i := range out {
		u := &out[i]
		if _, known := titles[u.Session]; !known {
			titles[u.Session] = a.sessionTitle(u.Session) // of one that was deleted there is none
		}
		u.SessionTitle = titles[u.Session]
	}
	slices.SortStableFunc(out, func(x, y UnknownView) int { return x.UpdatedAt.Compare(y.UpdatedAt) })
	return out, err
}

// Approval reads one approval. For a screen it comes with a nonce that a verdict
// must bring back.
func (a *App) Approval(id string, withNonce bool) (ApprovalView, error) {
	var v ApprovalView
	now, to := a.now(), a.Tongue()
	err := a.Store.Read(func(tx store.Tx) error {
		ap, err := tx.Approval(id)
		if err == nil {
			v, err = a.dressed(tx, to, ApprovalView{Approval: ap})
		}
		return err
	})
	if err == nil {
		err = a.lapsed(v.Approval, now)
	}
	if err != nil {
		return v, err
	}
	v.Status = v.At(now)
	v = v.timed(now)
	if v.Status == ledger.Void || v.Outcome == ledger.Refused && v.Status != ledger.Rejected {
		v.Why = a.whyNot(v.Approval)
	}
	schema := a.schemaOf(v.Approval)
	if withNonce && v.Status == ledger.Pending {
		if v.Warnings, v.Places, v.Current, err = a.speaking(v.Approval); err != nil {
			return v, err
		}
		v.Parameters, v.Fixed = schema, a.fixed(v.Approval)
		v.Nonce = a.nonces.issue(id, &v.Warnings)
	}
	if row, err := a.Store.Run(RunID(v.Turn)); err == nil { // one that is gone asks for nothing any more
		if v.Message = journal.Cut(row.Input, mostMessage); v.Message != row.Input {
			v.Message += " …"
		}
	}
	a.inWords(&v, schema)
	v.ToolTitle = a.agents.names()[v.Tool]
	v.Names, err = a.namesIn(v.Approval)
	return v, err
}

// mostMessage is how much of the message that a turn is about an approval shows, in bytes.
const mostMessage = 1000

// namesIn are the titles of the records that an approval names, by TYPE/ID.
func (a *App) namesIn(ap ledger.Approval) (map[string]string, error) {
	out := map[string]string{}
	refs := []record.Ref{}
	for _, t := range ap.Targets {
		refs = append(refs, t.Ref)
	}
	for _, c := range ap.Changes {
		refs = append(refs, c.Ref)
	}
	err := a.Store.Read(func(tx store.Tx) error {
		for _, ref := range refs {
			name, err := a.nameIn(tx, ref)
			if err != nil {
				return err
			}
			if name != "" && name != ref.ID {
				out[ref.String()] = name
			}
		}
		return nil
	})
	return out, err
}

// dress adds what the rows of sessions, subjects and calls say, all as of one moment. A
// session that was deleted has no title, and a call that is not there yet no outcome. to is the language of titles,
// found before the transaction: two at once may wait for each other. passes says of an error whether the list goes on all the same.
func (a *App) dress(tx store.Tx, to tongue.Tongue, list []ApprovalView, passes func(error) bool) error {
	type about struct {
		session session.Session
		name    string
	}
	known := map[string]about{}
	for i := range list {
		v := &list[i]
		e, err := tx.Entry(v.Call)
		if err != nil && !errors.Is(err, ledger.ErrNotFound) && !passes(err) {
			return err
		}
		if e.Approval == v.ID { // another one of the call may have taken its place
			v.Outcome = e.State
		}
		if v.Erased {
			continue // another session may have its name by now
		}
		of, ok := known[v.Session]
		if !ok {
			if of.session, err = tx.Session(v.Session); err != nil && !errors.Is(err, session.ErrNotFound) && !passes(err) {
				return err
			}
			of.session.Damaged = errors.Is(err, session.ErrDamaged)
			if of.name, err = a.nameIn(tx, of.session.About()); err != nil && !passes(err) {
				return err
			}
			known[v.Session] = of
		}
		of.session.SetAbout(of.session.About()) // rows of older stores name a patient only
		v.SessionTitle, v.Subject, v.SubjectName = a.titled(of.session, to), of.session.Subject, of.name
		if of.session.Patient != "" {
			v.PatientName = of.name
		}
	}
	return nil
}

// dressed is dress for one.
func (a *App) dressed(tx store.Tx, to tongue.Tongue, v ApprovalView) (ApprovalView, error) {
	one := []ApprovalView{v}
	err := a.dress(tx, to, one, func(error) bool { return false }) // who decides on it sees all of it
	return one[0], err
}

// Decision is what a screen or a command sends about an approval.
type Decision struct {
	ID       string `json:"id"`
	Digest   string `json:"digest"`
	Nonce    string `json:"nonce"`
	Reviewer string `json:"reviewer"`
	Meaning  string `json:"meaning"`
	Comment  string `json:"comment"`
	// Passphrase is the reviewer's, where they have one; where the approval names who may
	// decide, they need one. It is kept nowhere.
	Passphrase string `json:"passphrase,omitempty"`
	// Args replace the arguments, for Modify.
	Args json.RawMessage `json:"args"`
	// known is by what the reviewer's name is known.
	known ledger.Identity
	// warned are the warnings that the reviewer saw; nil where no card was shown.
	warned *[]string
}

// Decide stores a verdict, with the word of it in the session's journal, in one
// transaction. It does not resume the turn.
func (a *App) Decide(d Decision, approve bool) (ApprovalView, error) {
	var err error
	if d.Reviewer, err = nameIfAny(d.Reviewer); err != nil {
		return ApprovalView{}, err
	}
	current, err := a.Approval(d.ID, false)
	if err != nil {
		return ApprovalView{}, err
	}
	if d.known, err = a.provesFor(current, d.Reviewer, d.Passphrase); err != nil {
		return ApprovalView{}, err
	}
	if d.warned == nil && current.Status == ledger.Pending { // what is shown now is what stood there
		warnings, _, _, err := a.speaking(current.Approval)
		if err != nil {
			return ApprovalView{}, err
		}
		d.warned = &warnings
	}
	return a.decide(d, approve)
}

// decide is Decide for somebody who has shown who they are.
func (a *App) decide(d Decision, approve bool) (ApprovalView, error) {
	var v ApprovalView
	current, err := a.Approval(d.ID, false)
	if err != nil {
		return ApprovalView{}, err
	}
	settings, err := a.Settings()
	if err != nil {
		return ApprovalView{}, err
	}
	now, to := a.now(), a.Tongue()
	verdict := ledger.Verdict{ID: d.ID, Digest: d.Digest, Approve: approve, Reviewer: d.Reviewer, Identity: d.known, Roles: settings.rolesOf(d.Reviewer), Meaning: d.Meaning, Comment: d.Comment}
	if d.warned != nil {
		verdict.Warned = *d.warned
	}
	err = a.Store.AppendEvents(current.Session, current.Turn, []journal.Event{verdict.Event(current.Approval, now)}, func(tx store.Tx) error {
		ap, err := ledger.Decide(tx, verdict, now)
		if err == nil {
			v, err = a.dressed(tx, to, ApprovalView{Approval: ap}.timed(now))
		}
		return err
	})
	if err != nil {
		return ApprovalView{}, err
	}
	return v, nil
}

// Modify gives a pending approval other arguments under a new digest. What it
// would do is planned again; it still waits for a verdict.
func (a *App) Modify(d Decision) (ApprovalView, error) {
	var err error
	if d.Reviewer, err = nameIfAny(d.Reviewer); err != nil {
		return ApprovalView{}, err
	}
	current, err := a.Approval(d.ID, false)
	if err != nil {
		return ApprovalView{}, err
	}
	if d.Reviewer == "" {
		return ApprovalView{}, Bad("A change needs the name of the person who makes it.", "Give a reviewer.")
	}
	if d.known, err = a.provesFor(current, d.Reviewer, d.Passphrase); err != nil {
		return ApprovalView{}, err
	}
	return a.modify(d, d.known == ledger.IdentityPassphrase)
}

// modify is Modify for somebody who has shown who they are; signs says that they did so with
// a key.
func (a *App) modify(d Decision, signs bool) (ApprovalView, error) {
	current, err := a.Approval(d.ID, false)
	if err != nil {
		return ApprovalView{}, err
	}
	tools, plan, err := a.planner(current.Approval)
	if err != nil {
		if errors.Is(err, tool.ErrUnknown) && ofRule(current.Approval) {
			return ApprovalView{}, Bad("What waits here cannot be edited.", "Approve it as it is, or reject it with a comment.")
		}
		return ApprovalView{}, err
	}
	args, err := tools.Check(current.Tool, d.Args)
	if err != nil {
		return ApprovalView{}, err
	}
	settings, err := a.Settings()
	if err != nil {
		return ApprovalView{}, err
	}
	refused := func(why string) error {
		return &Fault{Code: "refused", Message: why, Hint: "Choose other arguments.", Safe: "The request is unchanged.", HTTP: 409}
	}
	no, err := a.forbids(current.Approval, args, settings)
	if err == nil && no != "" {
		err = refused(phrase("A rule does not allow this: %s.", strings.TrimSuffix(no, ".")))
	}
	if err != nil {
		return ApprovalView{}, err
	}
	now, to, schema := a.now(), a.Tongue(), a.schemaOf(current.Approval)
	var v ApprovalView
	events := []journal.Event{{At: now, Session: current.Session, Turn: current.Turn, Approval: d.ID, Call: current.Call,
		Tool: current.Tool, Status: string(journal.VerdictModified), Reason: d.Comment}}
	err = a.Store.AppendEvents(current.Session, current.Turn, events, func(tx store.Tx) error {
		// A booking that is done stands in the way of itself: that it was decided is what is to be said.
		if err := ledger.Asked(tx, d.ID, d.Digest, now); err != nil {
			return err
		}
		p, err := plan(tx, args)
		var no *tool.Refusal
		if errors.As(err, &no) {
			return refused(no.Reason)
		}
		if err != nil {
			return err
		}
		next := ledger.Approval{Args: p.Args, Targets: p.Targets, Changes: p.Changes, Title: p.Title, Summary: p.Summary, Reviewer: d.Reviewer, Identity: d.known, Comment: d.Comment}
		ap, err := ledger.Modify(tx, d.ID, d.Digest, next, settings.rolesOf(d.Reviewer), now)
		if errors.Is(err, ledger.ErrReviewer) && signs {
			ap, err = ledger.Prepare(tx, d.ID, d.Digest, next, now) // who has a passphrase may fill in what another decides
		}
		if err != nil {
			return err
		}
		events[0] = events[0].With(journal.ApprovalDecidedData{Reviewer: d.Reviewer, Identity: string(d.known), Was: d.Digest, Title: ap.Title, Changed: changedArgs(current.Approval, ap, schema)})
		v, err = a.dressed(tx, to, ApprovalView{Approval: ap}.timed(now))
		return err
	})
	if err != nil {
		return ApprovalView{}, err
	}
	a.inWords(&v, schema)
	v.Nonce = a.nonces.issue(d.ID, nil)
	return v, nil
}

// changedMost and changedText bound what a journal says of changed arguments: how many, and
// the characters of each.
const changedMost, changedText = 12, 120

// changedArgs are the arguments that differ between an approval and what a reviewer made of it.
// The schema has their titles.
func changedArgs(was, is ledger.Approval, schema json.RawMessage) (out []journal.ChangedLine) {
	for _, l := range linesOf(was.Args, is.Args, titlesOf(schema)) {
		if len(out) < changedMost {
			out = append(out, journal.ChangedLine{Label: model.Shorten(l.Label, changedText), Before: model.Shorten(l.Before, changedText), After: model.Shorten(l.Value, changedText)})
		}
	}
	return out
}

// DecideOnScreen is Decide for a screen: it takes the nonce of the card that was
// shown and resumes the turn once nothing in it is undecided.
func (a *App) DecideOnScreen(ctx context.Context, d Decision, approve bool) (ApprovalView, error) {
	var err error
	if d.warned, err = a.nonces.use(d.ID, d.Nonce); err != nil {
		return ApprovalView{}, err
	}
	v, err := a.Decide(d, approve)
	if err != nil {
		return v, err
	}
	return a.carryOn(ctx, v)
}

// carryOn goes on with the turn of what was just decided once nothing in it is undecided,
// and says what became of what was approved, as far as that is known soon.
func (a *App) carryOn(ctx context.Context, v ApprovalView) (ApprovalView, error) {
	events, stop := a.Listen(v.Session)
	defer stop()
	resumed, err := a.resumeIfDecided(ctx, v.Turn)
	if err != nil || !resumed || v.Status != ledger.Approved {
		return v, err
	}
	became(ctx, events, v.Approval)
	// A verdict is a verdict, also where what became of it cannot be read.
	if now, err := a.Approval(v.ID, false); err == nil {
		v = now
	}
	return v, nil
}

// outcomeWait is how long a verdict waits to tell what became of it; the call may take longer.
const outcomeWait = 2 * time.Second

// became waits until the call of an approval was carried out or was not, or its turn ended
// or paused.
func became(ctx context.Context, events <-chan journal.Event, ap ledger.Approval) {
	late := time.NewTimer(outcomeWait)
	defer late.Stop()
	for {
		select {
		case e, on := <-events:
			if !on {
				return
			}
			switch e.Kind {
			case journal.MutationCommitted, journal.ToolRefused, journal.ToolCompleted, journal.ToolFailed, journal.ApprovalRefused:
				if e.Approval == ap.ID || e.Call == ap.Call {
					return
				}
			case journal.TurnPaused, journal.TurnCompleted, journal.TurnFailed, journal.TurnCancelled:
				if e.Turn == ap.Turn {
					return
				}
			}
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// ModifyOnScreen is Modify with the nonce of the card.
func (a *App) ModifyOnScreen(d Decision) (ApprovalView, error) {
	if _, err := a.nonces.use(d.ID, d.Nonce); err != nil {
		return ApprovalView{}, err
	}
	return a.Modify(d)
}

// resumeIfDecided goes on with a turn once nothing in it waits for a verdict, and says
// whether it did.
func (a *App) resumeIfDecided(ctx context.Context, id string) (bool, error) {
	cp, err := a.Store.Load(RunID(id))
	if err != nil {
		return false, err
	}
	for _, p := range cp.Pauses {
		if p.Answer != nil || p.Kind != turn.ApprovalPause {
			continue
		}
		v, err := a.Approval(p.ID, false)
		if err != nil || v.Status == ledger.Pending {
			return false, err
		}
	}
	if err := a.Resume(ctx, id); err != nil && !errors.Is(err, run.ErrLive) {
		return false, err
	}
	return true, nil
}

// nonces tie a verdict to a card that was really shown: a script that calls
// approve without having opened the card has none. With each are the warnings of its card,
// nil where none was shown.
type nonces struct {
	mu sync.Mutex
	by map[string]map[string]*[]string
}

const noncesPerApproval = 16

func newNonces() *nonces { return &nonces{by: map[string]map[string]*[]string{}} }

func (n *nonces) issue(id string, warned *[]string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.by[id]) >= noncesPerApproval || n.by[id] == nil {
		n.by[id] = map[string]*[]string{}
	}
	nonce := rand.Text()
	n.by[id][nonce] = warned
	return nonce
}

func (n *nonces) use(id, nonce string) (warned *[]string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	warned, ok := n.by[id][nonce]
	if !ok {
		return nil, &Fault{Code: "nonce", Message: "This card is not the one that was shown last.", Hint: "Open the approval again and decide there.",
			Safe: "Nothing was decided.", HTTP: 403}
	}
	delete(n.by, id)
	return warned, nil
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("app: " + err.Error()) // values of our own types cannot fail
	}
	return b
}
