package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/rule"
	"holdpoint/store"
)

// checkpointKey begins the settings that say how long holds of a type wait.
const checkpointKey = "checkpoint."

// CheckpointView is how long holds of a type wait, and for whom, with everything filled in.
type CheckpointView struct {
	Type string `json:"type"`
	// Set says that a person set something of it.
	Set bool `json:"set"`
	rule.Term
	// Own is what a person set, without what is filled in; nil for nothing.
	Own *rule.Term `json:"own,omitempty"`
	// NoDelegation takes the place of the term's, which is left out when false.
	NoDelegation bool `json:"no_delegation"`
	// Rules are those that hold with this type.
	Rules []string `json:"rules"`
}

// CheckpointTypes lists the types of checkpoints that rules and skills name or that a person
// set, by name; the one for all others comes last.
func (a *App) CheckpointTypes() ([]CheckpointView, error) {
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	by := map[string][]string{}
	for typ := range settings.Checkpoints {
		by[typ] = []string{}
	}
	note := func(r rule.Rule) {
		if r.Verdict == rule.Hold && r.Checkpoint != "" {
			by[r.Checkpoint] = append(by[r.Checkpoint], r.Name)
		}
	}
	rules, err := a.Rules()
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		note(r.Rule)
	}
	skills, err := a.Skills()
	if err != nil {
		return nil, err
	}
	for _, s := range skills {
		for _, r := range s.Rules {
			note(r)
		}
	}
	delete(by, rule.AnyCheckpoint)
	out := []CheckpointView{}
	for _, typ := range append(slices.Sorted(maps.Keys(by)), rule.AnyCheckpoint) {
		v := settings.checkpoint(typ)
		v.Rules = append(v.Rules, by[typ]...)
		out = append(out, v)
	}
	return out, nil
}

func (s Settings) checkpoint(typ string) CheckpointView {
	v := CheckpointView{Type: typ, Term: s.Checkpoints.Of(typ), Rules: []string{}}
	if own, set := s.Checkpoints[typ]; set {
		v.Set, v.Own = true, &own
	}
	v.NoDelegation = v.Term.NoDelegation
	return v
}

// setTerm takes a term as JSON; "" or null goes back to what is usual.
func (s *Settings) setTerm(typ, text string) error {
	terms := maps.Clone(s.Checkpoints)
	if terms == nil {
		terms = rule.Terms{}
	}
	delete(terms, typ)
	var t *rule.Term
	if err := strictly(text, &t); err != nil {
		return Bad("The term of a checkpoint type cannot be read: "+err.Error()+".", `Write it as {"expires_hours": 168, "due_hours": 72, "remind_hours": 48, "escalate_hours": 96, "escalate_to": {"role": "supervisor"}, "reviewer": {"name": "…"}, "no_delegation": false}; what is left out is as usual.`)
	}
	if t != nil {
		for _, r := range []*rule.Reviewer{t.Reviewer, t.EscalateTo} {
			if r != nil {
				r.Name, r.Role = strings.Join(strings.Fields(r.Name), " "), strings.Join(strings.Fields(r.Role), " ")
			}
		}
		if wrong := rule.CheckTerm(typ, *t); wrong != "" {
			return Bad("This term does not fit: "+wrong+".", "holdpoint checkpoints list shows what is set.")
		}
		terms[typ] = *t
	}
	s.Checkpoints = terms
	return nil
}

// strictly decodes a JSON object without members that nobody knows; "" is null. The error
// says what does not fit in words for people.
func strictly(text string, into any) error {
	if text = strings.TrimSpace(text); text == "" {
		text = "null"
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	var typ *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil && strings.TrimSpace(text[dec.InputOffset():]) != "":
		return errors.New("more stands behind the object")
	case err == nil:
		return nil
	case errors.As(err, &typ) && typ.Field == "":
		return fmt.Errorf("an object is wanted, in braces, and this is a %s", typ.Value)
	case errors.As(err, &typ):
		return fmt.Errorf("%s is %s, and a %s stands there", typ.Field, inWords(typ.Type.Kind()), typ.Value)
	case errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF):
		if !strings.HasPrefix(text, "{") {
			return fmt.Errorf("an object is wanted, in braces, and this is %q", cut(text, 40))
		}
		return errors.New("braces, quotes, colons or commas are missing or in a wrong place")
	}
	return errors.New(strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "there is no member", 1))
}

// inWords is what people call a type of JSON.
func inWords(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// SetCheckpoint says how long holds of a type wait, and for whom; nil goes back to what is
// usual. It counts for what is asked from then on. Once people have passphrases, one of
// them stands for it.
func (a *App) SetCheckpoint(typ string, t *rule.Term, by Proof) (CheckpointView, error) {
	raw, err := json.Marshal(t)
	if err == nil {
		err = a.SetBy(by, checkpointKey+typ, raw)
	}
	if err != nil {
		return CheckpointView{}, err
	}
	s, err := a.Settings()
	return s.checkpoint(typ), err
}

// Reviewer strategies, as the description of holds names them.
const (
	strategyNamed  = "named_individual"
	strategyRole   = "role_based"
	strategyAnyone = "anyone"
)

// timed says what an approval is at a time.
func (v ApprovalView) timed(now time.Time) ApprovalView {
	waits := v.At(now) == ledger.Pending
	v.ClockSetBack = v.At(now) == ledger.Expired && now.Before(v.ExpiresAt)
	v.Overdue = waits && !v.DueAt.IsZero() && !now.Before(v.DueAt)
	v.Escalated = waits && v.Approval.Escalated(now)
	v.TitleZone = titleZone(v.Approval, now)
	v.Strategy, v.MayDecide = strategyAnyone, v.Who(now)
	switch {
	case v.For == nil:
	case v.For.Name != "":
		v.Strategy = strategyNamed
	default:
		v.Strategy = strategyRole
	}
	return v
}

// Delegated is an approval that was passed on, with a word of caution about it.
type Delegated struct {
	Approval ApprovalView `json:"approval"`
	Warning  string       `json:"warning,omitempty"`
}

// Delegate lets somebody else decide on an approval as well. It has a new digest then.
func (a *App) Delegate(d Decision, to string) (Delegated, error) {
	current, err := a.Approval(d.ID, false)
	if err != nil {
		return Delegated{}, err
	}
	if strings.TrimSpace(d.Reviewer) == "" || strings.TrimSpace(to) == "" {
		return Delegated{}, Bad("To pass a request on needs two names.", "Say who passes it on and to whom.")
	}
	if d.Reviewer, err = personName(d.Reviewer); err != nil {
		return Delegated{}, err
	}
	if to, err = personName(to); err != nil {
		return Delegated{}, err
	}
	if _, err := a.provesFor(current, d.Reviewer, d.Passphrase); err != nil {
		return Delegated{}, err
	}
	settings, err := a.Settings()
	if err != nil {
		return Delegated{}, err
	}
	now, language := a.now(), a.Tongue()
	var out Delegated
	events := []journal.Event{{At: now, Session: current.Session, Turn: current.Turn, Approval: d.ID, Call: current.Call, Tool: current.Tool, Kind: journal.ApprovalDelegated, Reason: d.Comment}}
	err = a.Store.AppendEvents(current.Session, current.Turn, events, func(tx store.Tx) error {
		ap, err := ledger.Delegate(tx, d.ID, d.Digest, ledger.Delegation{From: d.Reviewer, To: to, Comment: d.Comment}, settings.rolesOf(d.Reviewer), now)
		if err != nil {
			return err
		}
		last := ap.Delegations[len(ap.Delegations)-1]
		events[0] = events[0].With(journal.ApprovalDelegatedData{From: last.From, To: last.To, Was: d.Digest, Digest: ap.Digest})
		out.Approval, err = a.dressed(tx, language, ApprovalView{Approval: ap}.timed(now))
		return err
	})
	if err != nil {
		return Delegated{}, err
	}
	all, err := a.signers()
	if _, signs := signerOf(all, to); err == nil && !signs {
		to = strings.Join(strings.Fields(to), " ")
		out.Warning = fmt.Sprintf("%s has no passphrase: whoever gives this name is taken for them. holdpoint people passphrase sets one.", to)
		if current.For != nil {
			out.Warning = fmt.Sprintf("%s has no passphrase, and cannot decide before they have one. holdpoint people passphrase sets one.", to)
		}
	}
	return out, err
}

// DelegateOnScreen is Delegate with the nonce of the card; what it returns has the next one.
func (a *App) DelegateOnScreen(_ context.Context, d Decision, to string) (Delegated, error) {
	if _, err := a.nonces.use(d.ID, d.Nonce); err != nil {
		return Delegated{}, err
	}
	out, err := a.Delegate(d, to)
	if err == nil {
		out.Approval.Nonce = a.nonces.issue(d.ID, nil)
	}
	return out, err
}
