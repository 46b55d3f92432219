package app_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
)

// ranch is an app with made-up wells and a clock.
type ranch struct {
	t     *testing.T
	app   *app.App
	clock *clock
	dir   string
	// by stands for changes of who decides: whoever set a passphrase last.
	by app.Proof
}

var ranchDay = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func newRanch(t *testing.T) *ranch {
	t.Helper()
	r := &ranch{t: t, clock: clockAt(ranchDay), dir: t.TempDir()}
	r.open()
	t.Cleanup(func() { closeApp(t, r.app) })
	if _, err := r.app.ImportNow(t.Context(), "../engine/agents/filing/testdata", func(int64, int64, string) {}); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *ranch) open() {
	r.t.Helper()
	a, err := app.Open(app.Options{Dir: r.dir, Practice: true, Now: r.clock.Now})
	if err != nil {
		r.t.Fatal(err)
	}
	r.app = a
}

// restart closes the app and opens it anew.
func (r *ranch) restart() {
	r.t.Helper()
	closeApp(r.t, r.app)
	r.open()
}

// after sets the clock to hours behind the first day.
func (r *ranch) after(hours float64) {
	r.clock.set(ranchDay.Add(time.Duration(hours * float64(time.Hour))))
}

func (r *ranch) term(typ string, t rule.Term) {
	r.t.Helper()
	if _, err := r.app.SetCheckpoint(typ, &t, r.by); err != nil {
		r.t.Fatal(err)
	}
}

func (r *ranch) prepares() run.Outcome {
	r.t.Helper()
	out, err := r.app.RunTurn(r.t.Context(), app.TurnRequest{Agent: "filing", Subject: "Well/42-329-97101", Vars: map[string]string{"type": "rule_37"}, Text: "Prepare the Rule 37 exception for this well"})
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *ranch) role(name, roles string) {
	r.t.Helper()
	if err := r.app.SetRoles(name, roles, r.by); err != nil {
		r.t.Fatal(err)
	}
}

// secret is the passphrase of all who sign at the ranch.
const secret = "blue pump over gravel"

func (r *ranch) signs(name string) {
	r.t.Helper()
	if _, err := r.app.SetPassphrase(name, secret, secret, r.by); err != nil {
		r.t.Fatal(err)
	}
	r.by = app.Proof{Name: name, Passphrase: secret}
}

// approves tries to approve as somebody.
func (r *ranch) approves(v app.ApprovalView, who string) error {
	_, err := r.app.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: who, Passphrase: secret}, true)
	return err
}

// told looks for words in the session's transcript.
func (r *ranch) told(out run.Outcome, words ...string) {
	r.t.Helper()
	e, err := r.app.Export(app.ExportQuery{Session: out.Run.Session, Format: "md"})
	if err != nil {
		r.t.Fatal(err)
	}
	var text strings.Builder
	if err := e.Write(&text); err != nil {
		r.t.Fatal(err)
	}
	for _, w := range words {
		if !strings.Contains(text.String(), w) {
			r.t.Errorf("the transcript does not say %q", w)
		}
	}
}

// kinds counts the events of an approval.
func (r *ranch) kinds(out run.Outcome, kind journal.Kind) int {
	return len(turnEvents(r.t, r.app, out, kind))
}

// stranded wants the turn of an approval to be the only one that stands because nobody can
// decide any more, "" none.
func (r *ranch) stranded(id string, status ledger.Status) {
	r.t.Helper()
	list, err := r.app.StrandedTurns()
	if err != nil || len(list) != map[bool]int{true: 0, false: 1}[id == ""] || id != "" && (list[0].Approval != id || list[0].Status != status || list[0].Turn == "" || list[0].Title == "") {
		r.t.Errorf("%+v %v, want %q %s", list, err, id, status)
	}
}

// "I came back after eight days: nothing waited for me, and nobody told me of the filing."
func TestFiling_F47_AHoldThatExpiredIsNotLostFromSight(t *testing.T) {
	r := newRanch(t)
	out := r.prepares()
	wants(t, out, run.Paused)
	v := pending(t, r.app)
	r.stranded("", "")
	r.after(8 * 24)
	r.stranded(v.ID, ledger.Expired)
	wants(t, resumes(t, r.app, out.Run.Turn), run.Paused)
	r.stranded("", "") // it asks anew, and that waits
	if again := pending(t, r.app); again.ID == v.ID {
		t.Errorf("it asks by the old approval %s", again.ID)
	}
}

var engineers = &rule.Reviewer{Role: "engineer"}

func TestFiling_F10_AHoldSaysByWhenAndForWhom(t *testing.T) {
	r := newRanch(t)
	// As usual: wanted within three days, by anybody, for a week.
	wants(t, r.prepares(), run.Paused)
	v := pending(t, r.app)
	if !v.DueAt.Equal(ranchDay.Add(72*time.Hour)) || !v.RemindAt.Equal(ranchDay.Add(48*time.Hour)) || !v.ExpiresAt.Equal(ranchDay.Add(7*24*time.Hour)) || v.Strategy != "anyone" || v.MayDecide != "anybody" || v.Overdue || v.Escalated {
		t.Errorf("as usual: %+v", v)
	}
	if err := r.approves(v, "Test Reviewer"); err != nil {
		t.Fatal(err)
	}
	for _, strategy := range []struct {
		who  *rule.Reviewer
		name string
		may  string
	}{{&rule.Reviewer{Name: "Ann Bell"}, "named_individual", "Ann Bell"}, {engineers, "role_based", "a person with the role engineer"}} {
		r.term("pre_filing", rule.Term{ExpiresHours: 30, DueHours: 20, Reviewer: strategy.who})
		wants(t, r.prepares(), run.Paused)
		v := pending(t, r.app)
		if v.Strategy != strategy.name || v.MayDecide != strategy.may || !v.DueAt.Equal(ranchDay.Add(20*time.Hour)) || !v.ExpiresAt.Equal(ranchDay.Add(30*time.Hour)) {
			t.Errorf("%s: %+v", strategy.name, v)
		}
		if err := r.approves(v, "Cy Dee"); !errors.Is(err, ledger.ErrReviewer) || !strings.Contains(err.Error(), strategy.may) {
			t.Errorf("%s: another one decided: %v", strategy.name, err)
		}
		// Who may not decide may not edit, either, by a name alone.
		if _, err := r.app.Modify(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Cy Dee", Args: v.Args}); !errors.Is(err, ledger.ErrReviewer) {
			t.Errorf("%s: another one edited: %v", strategy.name, err)
		}
		r.role("Ann Bell", "engineer")
		if strategy.who.Name != "" {
			// "Somebody typed my name, and the filing was signed as if by me."
			if err := r.approves(v, "Ann Bell"); err == nil || app.AsFault(err).Code != "reviewer" || !strings.Contains(err.Error(), "has no passphrase") {
				t.Errorf("a name alone signed: %v", err)
			}
			if _, err := r.app.Modify(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Ann Bell", Args: v.Args}); err == nil || app.AsFault(err).Code != "reviewer" {
				t.Errorf("a name alone edited: %v", err)
			}
			r.signs("Ann Bell")
		}
		if err := r.approves(v, "Ann Bell"); err != nil {
			t.Errorf("%s: %v", strategy.name, err)
		}
	}
}

func TestFiling_F10_PeopleAreRemindedOnceAndAHoldEscalates(t *testing.T) {
	r := newRanch(t)
	r.role("Ann Bell", "engineer")
	r.role("Bo Chief", "supervisor")
	r.signs("Bo Chief")
	r.term("pre_filing", rule.Term{DueHours: 24, RemindHours: 12, EscalateHours: 48, EscalateTo: &rule.Reviewer{Role: "supervisor"}, ExpiresHours: 96, Reviewer: engineers})
	out := r.prepares()
	wants(t, out, run.Paused)
	for _, at := range []struct {
		hours                float64
		reminders, escalated int
		overdue, may         bool
	}{{11, 0, 0, false, false}, {12, 1, 0, false, false}, {13, 1, 0, false, false}, {24, 1, 0, true, false}, {47.9, 1, 0, true, false}, {48, 1, 1, true, true}, {50, 1, 1, true, true}} {
		r.after(at.hours)
		if at.hours == 13 {
			r.restart() // what people were told they are not told again
		}
		v := pending(t, r.app)
		if v.Overdue != at.overdue || v.Escalated != at.may || v.May("Bo Chief", []string{"supervisor"}, r.clock.Now()) != at.may {
			t.Errorf("after %v h: %+v", at.hours, v)
		}
		if n, m := r.kinds(out, journal.ApprovalReminded), r.kinds(out, journal.ApprovalEscalated); n != at.reminders || m != at.escalated {
			t.Errorf("after %v h: %d reminders, %d escalations", at.hours, n, m)
		}
		if at.hours == 47.9 {
			if err := r.approves(v, "Bo Chief"); !errors.Is(err, ledger.ErrReviewer) {
				t.Errorf("before it escalated: %v", err)
			}
		}
	}
	v := pending(t, r.app)
	if v.RemindedAt == nil || v.EscalatedAt == nil || !strings.Contains(v.MayDecide, "supervisor (escalated)") {
		t.Errorf("%+v", v)
	}
	if err := r.approves(v, "Bo Chief"); err != nil {
		t.Fatal(err)
	}
	wants(t, resumes(t, r.app, out.Run.Turn), run.Completed)
	r.told(out, "Reminded", "a decision is wanted by", "Escalated", "supervisor may decide as well", "approved by Bo Chief")
}

func TestFiling_F10_AReviewerLetsSomebodyElseDecide(t *testing.T) {
	r := newRanch(t)
	r.role("Ann Bell", "engineer")
	r.signs("Ann Bell")
	r.term("pre_filing", rule.Term{Reviewer: engineers})
	out := r.prepares()
	wants(t, out, run.Paused)
	v := pending(t, r.app)
	pass := func(v app.ApprovalView, from, to string) (app.Delegated, error) {
		return r.app.Delegate(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: from, Passphrase: secret, Comment: "away this week"}, to)
	}
	if _, err := pass(v, "Cy Dee", "Cy Dee"); !errors.Is(err, ledger.ErrReviewer) {
		t.Errorf("somebody else passed it on: %v", err)
	}
	d, err := pass(v, "ann bell", "Bo Fay")
	if err != nil || d.Approval.Digest == v.Digest || !strings.Contains(d.Warning, "no passphrase") || !strings.Contains(d.Approval.MayDecide, "Bo Fay (by ann bell)") {
		t.Fatalf("%+v %v", d, err)
	}
	if err := r.approves(v, "Ann Bell"); !errors.Is(err, ledger.ErrDigest) {
		t.Errorf("on what was shown before: %v", err)
	}
	if err := r.approves(d.Approval, "Cy Dee"); !errors.Is(err, ledger.ErrReviewer) {
		t.Errorf("somebody else decided: %v", err)
	}
	if _, err := pass(d.Approval, "Ann Bell", "bo  fay"); !errors.Is(err, ledger.ErrDelegation) {
		t.Errorf("twice to the same: %v", err)
	}
	told := turnEvents(t, r.app, out, journal.ApprovalDelegated)
	if len(told) != 1 || told[0].Reason != "away this week" {
		t.Fatalf("%+v", told)
	}
	if x, err := journal.Read[journal.ApprovalDelegatedData](told[0]); err != nil || x.From != "ann bell" || x.To != "Bo Fay" || x.Was != v.Digest || x.Digest != d.Approval.Digest {
		t.Errorf("%+v %v", x, err)
	}
	if err := r.approves(d.Approval, "bo fay"); err == nil || !strings.Contains(err.Error(), "has no passphrase") {
		t.Errorf("whom it was passed on to signed with a name alone: %v", err)
	}
	r.signs("Bo Fay")
	if err := r.approves(d.Approval, "bo fay"); err != nil {
		t.Fatal(err)
	}
	wants(t, resumes(t, r.app, out.Run.Turn), run.Completed)
	r.told(out, "Passed on", "ann bell lets Bo Fay decide as well: away this week", "approved by bo fay")

	r.term("pre_filing", rule.Term{Reviewer: engineers, NoDelegation: true})
	wants(t, r.prepares(), run.Paused)
	if _, err := pass(pending(t, r.app), "Ann Bell", "Bo Fay"); !errors.Is(err, ledger.ErrDelegation) {
		t.Errorf("where it may not: %v", err)
	}
}

func TestFiling_F47_AHoldThatRanOutAsksAnewUnderTheTermOfThen(t *testing.T) {
	r := newRanch(t)
	r.role("Ann Bell", "engineer")
	r.signs("Ann Bell")
	r.signs("Bo Fay")
	r.term("pre_filing", rule.Term{ExpiresHours: 10, Reviewer: engineers})
	out := r.prepares()
	wants(t, out, run.Paused)
	old := pending(t, r.app)
	d, err := r.app.Delegate(app.Decision{ID: old.ID, Digest: old.Digest, Reviewer: "Ann Bell", Passphrase: secret}, "Bo Fay")
	if err != nil {
		t.Fatal(err)
	}
	r.after(8 * 24)
	if err := r.approves(d.Approval, "Bo Fay"); !errors.Is(err, ledger.ErrExpired) {
		t.Errorf("after it ran out: %v", err)
	}
	r.term("pre_filing", rule.Term{ExpiresHours: 20, DueHours: 5, Reviewer: engineers})
	wants(t, resumes(t, r.app, out.Run.Turn), run.Paused)
	v := pending(t, r.app)
	if now := r.clock.Now(); v.ID == old.ID || !v.DueAt.Equal(now.Add(5*time.Hour)) || !v.ExpiresAt.Equal(now.Add(20*time.Hour)) || len(v.Delegations) != 0 {
		t.Errorf("%+v", v)
	}
	if err := r.approves(v, "Bo Fay"); !errors.Is(err, ledger.ErrReviewer) {
		t.Errorf("whom the old one was passed on to decided on the new one: %v", err)
	}
	list, err := r.app.Records("Filing", "", "", 10)
	if err != nil || len(list.Records) != 0 {
		t.Errorf("%d filings, %v", len(list.Records), err)
	}
}

func TestCheckpoints_ATermThatDoesNotFitIsRefused(t *testing.T) {
	r := newRanch(t)
	for name, x := range map[string]struct {
		typ  string
		term rule.Term
		says string
	}{
		"a reminder behind the day": {"pre_filing", rule.Term{RemindHours: 80}, "remind_hours (80h) comes after due_hours (72h)"},
		"wanted after it ran out":   {"pre_filing", rule.Term{DueHours: 200}, "expires_hours"},
		"escalated to nobody":       {"pre_filing", rule.Term{EscalateHours: 4}, "escalate_to"},
		"a person and a role":       {"pre_filing", rule.Term{Reviewer: &rule.Reviewer{Name: "Ann", Role: "x"}}, "one of the two"},
		"a negative time":           {"pre_filing", rule.Term{ExpiresHours: -1}, "expires_hours"},
		"no type":                   {"Pre Filing", rule.Term{}, "not a type of checkpoint"},
	} {
		if _, err := r.app.SetCheckpoint(x.typ, &x.term, app.Proof{}); err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := r.app.Set("checkpoint.pre_filing", []byte(`{"expires":3}`)); err == nil {
		t.Error("a member that nobody knows was taken")
	}
	for value, says := range map[string]string{
		`abc`: `an object is wanted, in braces, and this is "abc"`, `5`: "an object is wanted, in braces, and this is a number", `{`: "are missing or in a wrong place",
		`{"expires":3}`: `there is no member "expires"`, `{"expires_hours":"3"}`: "expires_hours is a number, and a string stands there", `{"reviewer":3}`: "reviewer is an object, and a number stands there",
		`{} {}`: "more stands behind the object", `{"expires_hours":3,}`: "are missing or in a wrong place",
	} {
		err := r.app.Set("checkpoint.pre_filing", []byte(value))
		var fault *app.Fault
		if err == nil || !strings.Contains(err.Error(), says) || !errors.As(err, &fault) || !strings.Contains(fault.Hint, `{"expires_hours": 168`) {
			t.Errorf("%s: %v", value, err)
		} else if words := strings.ToLower(err.Error()); strings.Contains(words, "json") || strings.Contains(words, "invalid character") || strings.Contains(words, "eof") || strings.Contains(words, "unmarshal") {
			t.Errorf("%s is told in the words of a parser: %v", value, err)
		}
	}
	list, err := r.app.CheckpointTypes()
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, v := range list {
		if v.Set || v.ExpiresHours != 168 {
			t.Errorf("%+v", v)
		}
		types = append(types, v.Type)
	}
	if want := []string{"good_cause_review", "mutation", "pre_filing", "*"}; !slices.Equal(types, want) {
		t.Errorf("%v, want %v", types, want)
	}
	r.term("*", rule.Term{ExpiresHours: 24})
	r.term("pre_filing", rule.Term{NoDelegation: true})
	list, err = r.app.CheckpointTypes()
	if err != nil || list[0].ExpiresHours != 24 || list[0].DueHours != 24 || list[0].Set || list[2].ExpiresHours != 24 || !list[2].Set || !list[2].NoDelegation {
		t.Errorf("%+v %v", list, err)
	}
	if v, err := r.app.SetCheckpoint("pre_filing", nil, app.Proof{}); err != nil || v.Set || v.NoDelegation {
		t.Errorf("%+v %v", v, err)
	}
}

// look is a skill with the name of one that comes with the program, and without its rules.
func (r *ranch) look() string {
	r.t.Helper()
	dir := r.t.TempDir()
	text := "---\nname: rrc_rule37\ndescription: Prepares a spacing exception, shorter.\nallowed-tools: spacing_assessment offset_well_analysis rule37_filing_assembly\n---\n## Steps\nMeasure, then assemble the form.\n"
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return dir
}

func (r *ranch) filings() int {
	r.t.Helper()
	page, err := r.app.Records("Filing", "", "", 100)
	if err != nil {
		r.t.Fatal(err)
	}
	return len(page.Records)
}

// "Bob made himself an engineer while nobody looked, and signed what only engineers may sign."
func TestFiling_F10_WhoDecidesIsChangedWithAPassphraseOnceThereIsOne(t *testing.T) {
	for _, first := range []bool{true, false} {
		r := newRanch(t)
		a, ann := r.app, app.Proof{Name: "ann  bell", Passphrase: secret}
		doors := map[string]func(app.Proof) error{
			"roles":   func(by app.Proof) error { return a.SetRoles("Bob Cole", "engineer", by) },
			"setting": func(by app.Proof) error { return a.SetBy(by, "people.Bob Cole", []byte(`"engineer"`)) },
			"term": func(by app.Proof) error {
				_, err := a.SetCheckpoint("pre_filing", &rule.Term{NoDelegation: true}, by)
				return err
			},
			"usual":          func(by app.Proof) error { _, err := a.SetCheckpoint("pre_filing", nil, by); return err },
			"term's setting": func(by app.Proof) error { return a.SetBy(by, "checkpoint.pre_filing", []byte(`{"due_hours":1}`)) },
			"colleague":      func(by app.Proof) error { return a.TrustKey("Cy Dow", app.KeyText(make([]byte, 32)), by) },
			"passphrase":     func(by app.Proof) error { _, err := a.SetPassphrase("Eve Fox", "", "a long secret", by); return err },
		}
		if first { // nobody has a passphrase: nobody is locked out
			delete(doors, "passphrase")
			for name, change := range doors {
				if err := change(app.Proof{}); err != nil {
					t.Errorf("%s, where nobody has a passphrase: %v", name, err)
				}
			}
			continue
		}
		if _, err := a.SetPassphrase("Ann Bell", "", secret, app.Proof{}); err != nil {
			t.Fatal(err)
		}
		for name, change := range doors {
			for who, by := range map[string]app.Proof{"nobody": {}, "a name": {Name: "Ann Bell"}, "a guess": {Name: "Ann Bell", Passphrase: "not that one"}, "a stranger": {Name: "Bob Cole", Passphrase: secret}} {
				if err := change(by); err == nil || app.AsFault(err).Code != "signature" {
					t.Errorf("%s, changed by %s: %v", name, who, err)
				}
			}
			if people, err := a.People(); err != nil || len(people) != 1 {
				t.Errorf("%s: people are %+v (%v)", name, people, err)
				break
			}
		}
		for name, change := range doors {
			if err := change(ann); err != nil {
				t.Errorf("%s, changed by Ann: %v", name, err)
			}
		}
		if err := a.Set("theme", []byte(`"dark"`)); err != nil {
			t.Errorf("what is about nobody needs a passphrase: %v", err)
		}
	}
}

// "I approved; somebody changed the skill; it wrote the filing and then asked me whether to go on."
func TestFiling_F52_AChangedSkillVoidsWhatWasAskedAndApprovedForIt(t *testing.T) {
	for name, approve := range map[string]bool{"while it waits": false, "once approved": true} {
		t.Run(name, func(t *testing.T) {
			r := newRanch(t)
			out := r.prepares()
			wants(t, out, run.Paused)
			v := pending(t, r.app)
			if approve {
				if _, err := r.app.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Ann Bell"}, true); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := r.app.AddSkill(r.look()); err != nil {
				t.Fatal(err)
			}
			if now, err := r.app.Approval(v.ID, false); err != nil || now.Status != ledger.Void {
				t.Errorf("the approval is %s (%v), want void", now.Status, err)
			}
			if _, err := r.app.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Ann Bell"}, true); !errors.Is(err, ledger.ErrVoid) {
				t.Errorf("approved after the skill had changed: %v", err)
			}
			r.stranded(v.ID, ledger.Void)
			out = resumes(t, r.app, out.Run.Turn)
			wants(t, out, run.Paused)
			if n := r.filings(); n != 0 {
				t.Errorf("%d filings were written", n)
			}
			r.stranded("", "") // it waits for an answer
			if len(out.Pauses) != 1 || !strings.Contains(string(out.Pauses[0].Data), "has changed since this turn loaded it") {
				t.Errorf("it waits for %+v", out.Pauses)
			}
		})
	}
}

// "I added a skill of the same name, and the form went out without a signature."
func TestFiling_F58_AFormWaitsForItsReviewerWhateverASkillLeavesOut(t *testing.T) {
	r := newRanch(t)
	if _, err := r.app.AddSkill(r.look()); err != nil {
		t.Fatal(err)
	}
	out := r.prepares()
	wants(t, out, run.Paused)
	if v := pending(t, r.app); v.Checkpoint != "pre_filing" || v.Rule != "rule37_filing_is_signed" {
		t.Errorf("it waits for %s, by %s", v.Checkpoint, v.Rule)
	}
	if n := r.filings(); n != 0 {
		t.Errorf("%d filings were written", n)
	}
}

// "I prepare the form and the manager signs it. I could not fill in a single box, and her Holdpoint has no boxes to fill."
func TestFiling_F48_WhoPreparesFillsInWhatAnotherOneSigns(t *testing.T) {
	r := newRanch(t)
	r.role("Bo Chief", "engineer")
	r.signs("Bo Chief")
	r.role("Dana Prep", "analyst")
	if _, err := r.app.SetPassphrase("Dana Prep", secret, secret, r.by); err != nil {
		t.Fatal(err)
	}
	r.term("pre_filing", rule.Term{Reviewer: engineers})
	out := r.prepares()
	wants(t, out, run.Paused)
	before := pending(t, r.app)
	args := json.RawMessage(`{"well":"Well/42-329-97101","values":[{"box":"40","value":"as surveyed in May","source":"survey"}]}`)
	if _, err := r.app.Modify(app.Decision{ID: before.ID, Digest: before.Digest, Reviewer: "Dana Prep", Passphrase: "not hers at all", Args: args}); err == nil {
		t.Error("a wrong passphrase fills in")
	}
	after, err := r.app.Modify(app.Decision{ID: before.ID, Digest: before.Digest, Reviewer: "Dana Prep", Passphrase: secret, Args: args})
	if err != nil || after.Digest == before.Digest || after.Status != ledger.Pending || after.MayDecide != before.MayDecide {
		t.Fatalf("%+v, %v", after, err)
	}
	if err := r.approves(after, "Dana Prep"); !errors.Is(err, ledger.ErrReviewer) {
		t.Errorf("who prepares signs: %v", err)
	}
	if err := r.approves(before, "Bo Chief"); !errors.Is(err, ledger.ErrDigest) {
		t.Errorf("what was not shown is signed: %v", err)
	}
	if err := r.approves(after, "Bo Chief"); err != nil {
		t.Fatal(err)
	}
	decided := turnEvents(t, r.app, out, journal.ApprovalDecided)
	if len(decided) != 2 || decided[0].Status != string(journal.VerdictModified) || decided[1].Status != string(journal.VerdictApproved) {
		t.Fatalf("%+v", decided)
	}
	for i, who := range []string{"Dana Prep", "Bo Chief"} {
		if data, err := journal.Read[journal.ApprovalDecidedData](decided[i]); err != nil || data.Reviewer != who {
			t.Errorf("%d: %+v, %v", i, data, err)
		}
	}
}
