package app

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
	"golang.org/x/crypto/argon2"

	"holdpoint/app/tongue"
	"holdpoint/engine/agent"
	"holdpoint/engine/ledger"
	"holdpoint/engine/rule"
	"holdpoint/engine/tool"
)

const (
	signersKey = "signers"     // setting: signer by name
	storeSeed  = "signing_key" // setting: the seed of this store's own key
)

// signer is how a person signs: the public key that comes out of their passphrase by a slow
// hash (Argon2id), or one that a colleague sent. Neither passphrase nor private key is kept.
type signer struct {
	Salt []byte `json:"salt,omitempty"` // none for a colleague elsewhere
	Key  []byte `json:"key"`
}

// leastPassphrase is how many characters a passphrase has at least.
const leastPassphrase = 8

// keyOf makes the key of a passphrase. Parameters are those of RFC 9106, 4 (second choice).
func keyOf(passphrase string, salt []byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(argon2.IDKey([]byte(passphrase), salt, 3, 64<<10, 4, ed25519.SeedSize))
}

// KeyText writes a public key for people: ed25519: and base64.
func KeyText(key []byte) string { return "ed25519:" + base64.RawURLEncoding.EncodeToString(key) }

// Person is somebody who may decide.
type Person struct {
	Name  string   `json:"name"`
	Roles []string `json:"roles"`
	// Signs says that their verdicts need a passphrase, or come signed from elsewhere; Key
	// is their public key.
	Signs bool   `json:"signs"`
	Key   string `json:"key,omitempty"`
	// Elsewhere says that they have no passphrase here: their verdicts come in files.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// Proof is who stands for a change of who decides, and their passphrase.
type Proof struct {
	Name       string `json:"name"`
	Passphrase string `json:"passphrase"`
}

// Administrator is the role of those who alone change who decides, once somebody with a
// passphrase here has it.
const Administrator = "administrator"

// standsFor says whether somebody may change who decides, or a rule: once a person has a
// passphrase here, one of those who have does, with theirs; of administrators, once one of
// them is. Before, anybody does.
func (a *App) standsFor(by Proof) error {
	all, err := a.signers()
	if err != nil {
		return err
	}
	if guarded(all) {
		key, err := a.keyFor(by.Name, by.Passphrase)
		var f *Fault
		switch {
		case errors.As(err, &f):
			said := *f
			said.Safe = "Nothing was changed."
			return &said
		case err != nil:
			return err
		case key != nil:
			return a.administers(all, by.Name)
		}
		return &Fault{Code: "signature", Message: "People sign with passphrases here: one of them stands for a change of who decides.",
			Hint: "Give the name and the passphrase of one of them; on the command line, --by NAME --passphrase-stdin reads it from a line of the input.", Safe: "Nothing was changed.", HTTP: 403}
	}
	return nil
}

// administers says whether somebody with a passphrase is an administrator, where one is.
func (a *App) administers(all map[string]signer, name string) error {
	settings, err := a.Settings()
	if err != nil {
		return err
	}
	is := func(name string) bool {
		return slices.ContainsFunc(settings.rolesOf(name), func(role string) bool { return strings.EqualFold(role, Administrator) })
	}
	for have, s := range all {
		if len(s.Salt) > 0 && is(have) && !is(name) {
			return &Fault{Code: "signature", Message: name + " is not an administrator here; only an administrator changes who decides, and rules.",
				Hint: "Ask " + have + ", or another administrator that holdpoint people list names.", Safe: "Nothing was changed.", HTTP: 403}
		}
	}
	return nil
}

// mostOfName bounds the name of a person, in characters.
const mostOfName = 200

// personName is the name that a person signs with, its words one space apart: a name of several
// lines could pass for what a transcript says itself.
func personName(name string) (string, error) {
	one := strings.Join(strings.Fields(name), " ")
	switch {
	case one == "":
		return "", Bad("A person needs a name.", "Give the name as approvals show it.")
	case utf8.RuneCountInString(one) > mostOfName || strings.ContainsFunc(strings.TrimSpace(name), unicode.IsControl):
		return "", Bad(fmt.Sprintf("A person's name is one line of at most %d characters.", mostOfName), "Give the name as it would stand under a letter.")
	}
	return one, nil
}

// nameIfAny is personName of a name that may be left out.
func nameIfAny(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	return personName(name)
}

// SetRoles gives a person roles, with commas between; "" takes them away. Once people have
// passphrases, one of them stands for it.
func (a *App) SetRoles(name, roles string, by Proof) error {
	if _, err := personName(name); err != nil {
		return err
	}
	raw, err := json.Marshal(roles)
	if err != nil {
		return err
	}
	return a.SetBy(by, peopleKey+name, raw)
}

// guarded says that somebody has a passphrase here; the others sign elsewhere.
func guarded(all map[string]signer) bool {
	for _, s := range all {
		if len(s.Salt) > 0 {
			return true
		}
	}
	return false
}

func (a *App) signers() (map[string]signer, error) {
	all := map[string]signer{}
	_, err := a.Store.Setting(signersKey, &all)
	return all, err
}

func signerOf(all map[string]signer, name string) (signer, bool) {
	for have, s := range all {
		if rule.SameName(have, name) {
			return s, true
		}
	}
	return signer{}, false
}

// People lists those with roles or a key, by name.
func (a *App) People() ([]Person, error) {
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	all, err := a.signers()
	if err != nil {
		return nil, err
	}
	by := map[string]Person{}
	for name, roles := range settings.People {
		by[name] = Person{Name: name, Roles: roles}
	}
	for name, s := range all {
		p := by[name]
		p.Name, p.Signs, p.Key, p.Elsewhere = name, true, KeyText(s.Key), len(s.Salt) == 0
		by[name] = p
	}
	out := []Person{}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		p := by[name]
		if p.Roles == nil {
			p.Roles = []string{}
		}
		out = append(out, p)
	}
	return out, nil
}

// keepSigner stores how a person signs; whoever had a passphrase must know it, and for one
// who had none, or who signs elsewhere, somebody stands who has.
func (a *App) keepSigner(name, old string, s *signer, by Proof) error {
	name, err := personName(name)
	if err != nil {
		return err
	}
	all, err := a.signers()
	if err != nil {
		return err
	}
	had, there := signerOf(all, name)
	switch {
	case there && len(had.Salt) > 0:
		err = a.proves(name, old)
	case there && !guarded(all):
		err = &Fault{Code: "signature", Message: "Another key of " + name + " is known here, and nobody has a passphrase to stand for a change of it.",
			Hint: "Set a passphrase for yourself first: Settings, People, or holdpoint people passphrase NAME.", Safe: "Nothing was changed.", HTTP: 403}
	default:
		err = a.standsFor(by)
	}
	if err != nil {
		return err
	}
	maps.DeleteFunc(all, func(have string, _ signer) bool { return rule.SameName(have, name) })
	if s != nil {
		all[name] = *s
	}
	return a.Store.PutSetting(signersKey, all)
}

// SetPassphrase lets a person's verdicts count only with a passphrase; "" takes it away.
// old is the one until now; for somebody new to it a person stands who has one.
func (a *App) SetPassphrase(name, old, passphrase string, by Proof) (Person, error) {
	if passphrase == "" {
		return Person{Name: name}, a.keepSigner(name, old, nil, by)
	}
	if len([]rune(passphrase)) < leastPassphrase {
		return Person{}, Bad(fmt.Sprintf("A passphrase has at least %d characters.", leastPassphrase), "A few words that only you would put together are good.")
	}
	salt := make([]byte, 16)
	rand.Read(salt)
	key := keyOf(passphrase, salt).Public().(ed25519.PublicKey)
	return Person{Name: name, Signs: true, Key: KeyText(key)}, a.keepSigner(name, old, &signer{salt, key}, by)
}

// TrustKey takes the public key of a colleague whose verdicts come in files.
func (a *App) TrustKey(name, key string, by Proof) error {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(key, "ed25519:"))
	if err != nil || len(raw) != ed25519.PublicKeySize || !strings.HasPrefix(key, "ed25519:") {
		return Bad("This is not a public key.", "Write it as ed25519:…, as holdpoint people list shows it on their machine.")
	}
	all, err := a.signers()
	if err != nil {
		return err
	}
	if had, there := signerOf(all, name); there && len(had.Salt) > 0 {
		return Bad(name+" signs here with a passphrase, so no other key counts for them.", "Take the passphrase away first: holdpoint people passphrase NAME --remove.")
	}
	return a.keepSigner(name, "", &signer{Key: raw}, by)
}

func badSignature(message, hint string) error {
	return &Fault{Code: "signature", Message: message, Hint: hint, Safe: "Nothing was decided.", HTTP: 403}
}

// proves says whether somebody is who they say, as far as they have a passphrase.
func (a *App) proves(name, passphrase string) error {
	_, err := a.keyFor(name, passphrase)
	return err
}

// provesFor is proves for somebody who decides on an approval. Where that names who may
// decide, a name alone is not enough: whoever decides has a passphrase and gives it.
func (a *App) provesFor(v ApprovalView, name, passphrase string) (ledger.Identity, error) {
	key, err := a.keyFor(name, passphrase)
	known := ledger.IdentityTyped
	switch {
	case key != nil:
		known = ledger.IdentityPassphrase
	case rule.SameName(name, loginName()):
		known = ledger.IdentityAccount
	}
	if err != nil || key != nil || v.For == nil {
		return known, err
	}
	if settings, err := a.Settings(); err != nil || !v.May(name, settings.rolesOf(name), a.now()) {
		return known, err // the ledger says who may
	}
	return known, &Fault{Code: "reviewer", Message: name + " has no passphrase, and a name alone is not enough where it is laid down who decides.",
		Hint: "Set one in Settings, People, or with holdpoint people passphrase NAME; then decide again.", Safe: "Nothing was decided.", HTTP: 403}
}

// keyFor is the private key of a person; nil for one without a passphrase.
func (a *App) keyFor(name, passphrase string) (ed25519.PrivateKey, error) {
	all, err := a.signers()
	if err != nil {
		return nil, err
	}
	s, ok := signerOf(all, name)
	switch {
	case !ok:
		return nil, nil
	case len(s.Salt) == 0:
		return nil, badSignature(name+" signs elsewhere.", "Export the request, let them sign it, and import what comes back.")
	case passphrase == "":
		return nil, badSignature(name+" signs with a passphrase.", "Give it with the verdict; on the command line, --passphrase-stdin reads it from a line of the input.")
	}
	key := keyOf(passphrase, s.Salt)
	if subtle.ConstantTimeCompare(key.Public().(ed25519.PublicKey), s.Key) != 1 {
		return nil, badSignature("The passphrase is not that of "+name+".", "Try again.")
	}
	return key, nil
}

// requestFormat names the files of requests.
const requestFormat = "holdpoint-approval/1"

// SignedRequest is a request that a colleague signs in their own Holdpoint, and with Verdict what they decided.
type SignedRequest struct {
	Format     string          `json:"format"`
	Approval   ledger.Approval `json:"approval"`
	ExportedAt time.Time       `json:"exported_at"`
	// Key and Signature are those of the store that asks.
	Key       string         `json:"key"`
	Signature []byte         `json:"signature"`
	Verdict   *SignedVerdict `json:"verdict,omitempty"`
	// Parameters are the JSON Schema of the arguments, for whoever changes them; none where
	// nothing can be changed.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// SignedVerdict is what a person decided, with their signature.
type SignedVerdict struct {
	Approval string `json:"approval"`
	Digest   string `json:"digest"`
	Approve  bool   `json:"approve"`
	// Args are what the person put in the place of the arguments that were asked for, and
	// Modified is the digest of the request with them; without Approve they were filled in
	// and nothing was decided.
	Args      json.RawMessage `json:"args,omitempty"`
	Modified  string          `json:"modified_digest,omitempty"`
	Reviewer  string          `json:"reviewer"`
	Meaning   string          `json:"meaning"`
	Comment   string          `json:"comment"`
	At        time.Time       `json:"at"`
	Key       string          `json:"key"`
	Signature []byte          `json:"signature,omitempty"`
}

// covered is what a signature is over: the canonical JSON without signatures.
func covered(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jcs.Transform(raw)
}

func (r SignedRequest) covered() ([]byte, error) {
	r.Signature, r.Verdict = nil, nil
	return covered(r)
}

// modified is the digest of the request with other arguments.
func (r SignedRequest) modified(args json.RawMessage) (string, error) {
	r.Approval.Args = args
	return ledger.Digest(r.Approval)
}

func (v SignedVerdict) covered() ([]byte, error) {
	v.Signature = nil
	return covered(v)
}

// ownKey is the key of this store, made when it is first needed.
func (a *App) ownKey() (ed25519.PrivateKey, error) {
	var seed []byte
	if _, err := a.Store.Setting(storeSeed, &seed); err != nil {
		return nil, err
	}
	if len(seed) != ed25519.SeedSize {
		if a.Store.ReadOnly() {
			return nil, &Fault{Code: "read_only", Message: "This data folder has no key yet to sign requests with, and it cannot be written to.",
				Hint: "Make the folder writable and export again; holdpoint approvals show ID shows the request as it is.", Safe: "Nothing was written.", HTTP: 409}
		}
		seed = make([]byte, ed25519.SeedSize)
		rand.Read(seed)
		if err := a.Store.PutSetting(storeSeed, seed); err != nil {
			return nil, err
		}
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// ExportRequest makes a request that waits into a file for a colleague.
func (a *App) ExportRequest(id string) (SignedRequest, error) {
	v, err := a.Approval(id, false)
	if err != nil {
		return SignedRequest{}, err
	}
	if v.Status != ledger.Pending {
		return SignedRequest{}, &Fault{Code: "decided", Message: "This approval does not wait any more; it is " + string(v.Status) + ".", Hint: "holdpoint approvals list names those that do.", Safe: "Nothing was written.", HTTP: 409}
	}
	key, err := a.ownKey()
	if err != nil {
		return SignedRequest{}, err
	}
	r := SignedRequest{Format: requestFormat, Approval: v.Approval, ExportedAt: a.now().UTC(), Key: KeyText(key.Public().(ed25519.PublicKey)), Parameters: a.schemaOf(v.Approval)}
	body, err := r.covered()
	r.Signature = ed25519.Sign(key, body)
	return r, err
}

// RequestText is a request as the colleague who is to sign it reads it: all that an approval
// shows here, in the zone of where it is from, and the key of who asks.
func (a *App) RequestText(g tongue.Tongue, r SignedRequest) string {
	v := ApprovalView{Approval: r.Approval}.timed(a.now())
	a.inWords(&v, r.Parameters)
	text := ApprovalText(g, v, func(t time.Time) string { return g.When(r.Approval.In(t)) })
	return text + "\n" + g.Say("asked by") + "   " + r.Key + "\n"
}

// RequestView is a file of a request as a screen shows it before anything is signed or taken.
type RequestView struct {
	Title string `json:"title"`
	// Text is all that is signed.
	Text string `json:"text"`
	// Own says that it was asked here, Signed that a person decided on it.
	Own      bool   `json:"own"`
	Signed   bool   `json:"signed"`
	RiskHigh bool   `json:"risk_high"`
	Digest   string `json:"digest"`
	// Reviewer is who signs here usually.
	Reviewer string `json:"reviewer"`
	// Args, Parameters and Form are what can be changed before it is signed: the arguments,
	// their JSON Schema, and the form that they fill, where it is one.
	Args       json.RawMessage `json:"args"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Form       *agent.Form     `json:"form,omitempty"`
}

// ViewRequest shows a file of a request.
func (a *App) ViewRequest(file []byte) (RequestView, error) {
	r, err := ReadRequest(file)
	if err != nil {
		return RequestView{}, err
	}
	return a.ShowRequest(r)
}

// ShowRequest shows a request that was read.
func (a *App) ShowRequest(r SignedRequest) (RequestView, error) {
	own, err := a.ownKey()
	if err != nil {
		return RequestView{}, err
	}
	g := a.Tongue()
	form, _ := a.formsOf(r.Approval)
	return RequestView{Args: r.Approval.Args, Parameters: r.Parameters, Form: form,
		Title: g.Told(r.Approval.Title), Text: a.RequestText(g, r), Own: r.Key == KeyText(own.Public().(ed25519.PublicKey)), Signed: r.Verdict != nil,
		RiskHigh: r.Approval.RiskHigh, Digest: r.Approval.Digest, Reviewer: a.DefaultReviewer()}, nil
}

func rawKey(text string) ed25519.PublicKey {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(text, "ed25519:"))
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return nil
	}
	return raw
}

// ReadRequest reads a file and checks that it is what its store signed and what its digest says.
func ReadRequest(body []byte) (SignedRequest, error) {
	var r SignedRequest
	if err := strictly(string(body), &r); err != nil || r.Format != requestFormat {
		return r, Bad("This is not a request file.", "holdpoint approvals export ID -o FILE writes one.")
	}
	// Another program could show what this one does not sign. No store writes such a file.
	if ledger.Unambiguous(body) != nil {
		return r, badSignature("The file was changed since it was exported.", "Ask for it again.")
	}
	signed, err := r.covered()
	if err != nil {
		return r, err
	}
	digest, err := ledger.Digest(r.Approval)
	if key := rawKey(r.Key); err != nil || digest != r.Approval.Digest || key == nil || !ed25519.Verify(key, signed, r.Signature) {
		return r, badSignature("The file was changed since it was exported.", "Ask for it again.")
	}
	return r, nil
}

// SignRequest decides on a colleague's request, with the key of the person at the keyboard.
// With d.Args it is about the request with these arguments; not approved, they are filled in
// for another one to decide on.
func (a *App) SignRequest(r SignedRequest, d Decision, approve bool) (SignedRequest, error) {
	key, err := a.keyFor(d.Reviewer, d.Passphrase)
	if err != nil {
		return r, err
	}
	if key == nil {
		return r, badSignature(d.Reviewer+" has no passphrase to sign with.", "holdpoint people passphrase NAME sets one.")
	}
	v := SignedVerdict{Approval: r.Approval.ID, Digest: r.Approval.Digest, Approve: approve, Reviewer: d.Reviewer, Meaning: d.Meaning, Comment: d.Comment, At: a.now().UTC(), Key: KeyText(key.Public().(ed25519.PublicKey))}
	if len(d.Args) > 0 {
		if len(r.Parameters) == 0 {
			return r, Bad("What waits here cannot be edited.", "Approve it as it is, or reject it with a comment.")
		}
		if v.Args, err = tool.Fit(r.Parameters, d.Args); err != nil {
			return r, err
		}
		if bytes.Equal(v.Args, r.Approval.Args) {
			v.Args = nil // nothing was changed
		} else if v.Modified, err = r.modified(v.Args); err != nil {
			return r, err
		}
	}
	fills := len(v.Args) > 0 && !approve
	now := a.now()
	// Roles are known where the request is from; names are known here.
	named := r.Approval
	if who := named.For; who != nil {
		named.For = &rule.Reviewer{Name: who.Name}
	}
	if who := named.For; !fills && who != nil && who.Name != "" && !named.May(d.Reviewer, nil, now) && !(r.Approval.Escalated(now) && r.Approval.EscalateTo.Role != "") {
		return r, &Fault{Code: "reviewer", Message: "This request waits for another person: " + r.Approval.Who(now) + " decides.", Hint: "Let them sign it, or let them pass it on where it is from: holdpoint approvals delegate.", Safe: "Nothing was signed.", HTTP: 403}
	}
	switch {
	case !now.Before(r.Approval.ExpiresAt):
		return r, badSignature("The request expired at "+r.Approval.ExpiresAt.Format(time.RFC3339)+".", "The turn asks again when it is resumed; ask for the new file.")
	case len(d.Args) > 0 && !approve && !fills:
		return r, Bad("These are the arguments that were asked for: nothing was changed.", "Change some, or approve or reject the request.")
	case !approve && !fills && d.Comment == "":
		return r, Bad("A rejection needs a reason.", "Give --comment.")
	}
	body, err := v.covered()
	v.Signature = ed25519.Sign(key, body)
	r.Verdict = &v
	return r, err
}

// ImportVerdict takes a signed file back: it must be a request of this store, on what
// still waits, signed with the key that is kept for the person. Arguments that they changed
// take the place of those that were asked for, and are planned here anew; an approval counts
// where that gives what they saw and filled in, else the request waits for one.
func (a *App) ImportVerdict(r SignedRequest) (ApprovalView, error) {
	own, err := a.ownKey()
	if err != nil {
		return ApprovalView{}, err
	}
	v := r.Verdict
	switch {
	case r.Key != KeyText(own.Public().(ed25519.PublicKey)):
		return ApprovalView{}, badSignature("This request is of another Holdpoint.", "Import it where it was exported.")
	case v == nil:
		return ApprovalView{}, badSignature("Nobody signed this request yet.", "holdpoint approvals sign FILE does, on the colleague's laptop.")
	}
	all, err := a.signers()
	if err != nil {
		return ApprovalView{}, err
	}
	s, ok := signerOf(all, v.Reviewer)
	signed, err := v.covered()
	switch {
	case err != nil:
		return ApprovalView{}, err
	case !ok || KeyText(s.Key) != v.Key:
		return ApprovalView{}, badSignature(fmt.Sprintf("The key %s is not known as that of %s.", v.Key, v.Reviewer), "Compare it with them by voice, then: holdpoint people trust NAME KEY.")
	case !ed25519.Verify(s.Key, signed, v.Signature), v.Approval != r.Approval.ID, v.Digest != r.Approval.Digest:
		return ApprovalView{}, badSignature("The signature does not fit what was decided.", "Ask for the file again.")
	}
	d := Decision{ID: v.Approval, Digest: v.Digest, Reviewer: v.Reviewer, Meaning: v.Meaning, Comment: v.Comment, known: ledger.IdentitySignature}
	if len(v.Args) == 0 {
		return a.decide(d, v.Approve)
	}
	if digest, err := r.modified(v.Args); err != nil || digest != v.Modified {
		return ApprovalView{}, badSignature("The signature does not fit what was decided.", "Ask for the file again.")
	}
	current, err := a.Approval(d.ID, false)
	if err != nil {
		return ApprovalView{}, err
	}
	settings, err := a.Settings()
	if err != nil {
		return ApprovalView{}, err
	}
	if v.Approve && !current.May(v.Reviewer, settings.rolesOf(v.Reviewer), a.now()) {
		return ApprovalView{}, fmt.Errorf("%w: %s decides here", ledger.ErrReviewer, current.Who(a.now()))
	}
	d.Args = v.Args
	next, err := a.modify(d, true)
	if err != nil || !v.Approve {
		return next, err
	}
	if seen, _ := a.formsOf(r.Approval); !asFilled(seen, next.Form, v.Args) {
		return next, nil
	}
	d.Digest = next.Digest
	return a.decide(d, true)
}

// asFilled says whether a form is the one that somebody saw with what they filled in, and
// nothing beside: each box that differs has the value that they gave for it.
func asFilled(seen, is *agent.Form, args json.RawMessage) bool {
	var given struct {
		Values []struct {
			Box   string
			Value any
		}
	}
	if seen == nil || is == nil || len(seen.Boxes) != len(is.Boxes) || json.Unmarshal(args, &given) != nil {
		return false
	}
	was, now := *seen, *is
	was.Boxes, now.Boxes, was.Missing, now.Missing = nil, nil, nil, nil // what is missing follows from the boxes
	if !reflect.DeepEqual(was, now) {
		return false
	}
	for i, b := range is.Boxes {
		if b == seen.Boxes[i] {
			continue
		}
		filled := false
		for _, g := range given.Values {
			filled = filled || g.Box == b.ID && fmt.Sprint(g.Value) == b.Value
		}
		if !filled || b.ID != seen.Boxes[i].ID || b.Label != seen.Boxes[i].Label {
			return false
		}
	}
	return true
}

// ImportVerdictOnScreen is ImportVerdict for a screen: it takes the file and goes on with the
// turn once nothing in it is undecided.
func (a *App) ImportVerdictOnScreen(ctx context.Context, file []byte) (ApprovalView, error) {
	r, err := ReadRequest(file)
	if err != nil {
		return ApprovalView{}, err
	}
	v, err := a.ImportVerdict(r)
	if err != nil || v.Status == ledger.Pending {
		return v, err
	}
	return a.carryOn(ctx, v)
}
