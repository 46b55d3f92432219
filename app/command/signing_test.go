package command_test

import (
	"bytes"
	"html"
	"os"
	"strings"
	"testing"
)

// typed runs the program with lines of input.
func (x terminal) typed(code int, lines string, args ...string) string {
	x.t.Helper()
	cmd := x.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(lines), &out, &errs
	_ = cmd.Run() // the exit status says it
	if got := cmd.ProcessState.ExitCode(); got != code {
		x.t.Errorf("%v: exit %d, want %d\n%s", args, got, code, errs.String())
	}
	return out.String() + errs.String()
}

// "I signed it on my own machine; they could only import what I had signed."
func TestFiling_F10_ASignedFileCrossesTheAirGap(t *testing.T) {
	asks, signs := atTheRanch(t), newTerminal(t)
	a := asks.held("rule_37", "Well/42-329-97101")
	request, back := signs.data+"/request.json", signs.data+"/back.json"
	asks.want(0, "approvals", "export", a.text("id"), "-o", request)
	if page := asks.want(0, "approvals", "export", a.text("id"), "--format", "html").out; !strings.Contains(page, a.text("digest")) {
		t.Error("the page does not name the digest")
	}
	signs.typed(1, "a long secret\n", "approvals", "sign", request, "--approve", "--reviewer", "Ada")
	said := signs.typed(0, "a long secret\n", "people", "passphrase", "Ada")
	key := said[strings.Index(said, "ed25519:"):]
	key = strings.Fields(key)[0]
	said = signs.typed(0, "a long secret\nanother long secret\n", "people", "passphrase", "Cy", "--by", "Ada", "--passphrase-stdin")
	other := strings.Fields(said[strings.Index(said, "ed25519:"):])[0]
	signs.typed(1, "a wrong secret\n", "approvals", "sign", request, "--approve", "--reviewer", "Ada", "-o", back)
	signs.typed(0, "a long secret\n", "approvals", "sign", request, "--approve", "--reviewer", "Ada", "--comment", "checked the plat", "-o", back)
	asks.typed(1, "", "approvals", "import", request) // nobody signed that one
	if said := asks.typed(1, "", "approvals", "import", back); !strings.Contains(said, "people trust") {
		t.Errorf("an unknown key: %s", said)
	}
	// A wrong key is corrected by somebody who signs here, and by nobody else.
	asks.want(0, "people", "trust", "Ada", other)
	if said := asks.typed(1, "", "people", "trust", "Ada", key); !strings.Contains(said, "people passphrase") {
		t.Errorf("nobody stands for another key: %s", said)
	}
	asks.typed(0, "a chief's secret\n", "people", "passphrase", "Chief")
	asks.typed(1, "", "people", "trust", "Ada", key)
	if said := asks.typed(2, "a chief's secret\n", "people", "trust", "Chief", key, "--by", "Chief", "--passphrase-stdin"); !strings.Contains(said, "signs here with a passphrase") {
		t.Errorf("a key for who signs here: %s", said)
	}
	asks.typed(1, "a wrong guess\n", "people", "trust", "Ada", key, "--by", "Chief", "--passphrase-stdin")
	asks.typed(0, "a chief's secret\n", "people", "trust", "Ada", key, "--by", "Chief", "--passphrase-stdin")
	if said := asks.typed(0, "", "people", "list"); !strings.Contains(said, "signs elsewhere with "+key) || strings.Contains(said, other) {
		t.Errorf("Ada's key: %s", said)
	}
	body, err := os.ReadFile(back)
	if err != nil {
		t.Fatal(err)
	}
	for was, now := range map[string]string{"checked the plat": "checked the map", `"approve": true`: `"approve": false`, "TEST RANCH": "BEST RANCH"} {
		asks.typed(1, "", "approvals", "import", asks.write("bad.json", strings.ReplaceAll(string(body), was, now)))
	}
	signs.typed(1, "", "approvals", "import", back) // another Holdpoint's request
	asks.typed(1, "", "approvals", "approve", a.text("id"), "--reviewer", "Ada")
	asks.typed(0, "", "approvals", "import", back)
	asks.typed(1, "", "approvals", "import", back) // it is decided
	asks.want(0, "resume", a.text("turn"))
	if f := asks.want(0, "records", "list", "Filing", "--json").out; !strings.Contains(f, `"Filing"`) {
		t.Errorf("nothing was filed: %s", f)
	}
}

// "I took the hold back to usual from another shell, with nobody's passphrase."
func TestFiling_F10_TheCommandLineAsksWhoStandsForAChangeOfWhoDecides(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "checkpoints", "set", "pre_filing", "--role", "engineer")
	x.typed(0, "a long secret\n", "people", "passphrase", "Ann Bell")
	for _, change := range [][]string{{"people", "roles", "Bob Cole", "engineer"}, {"settings", "set", "people.Bob Cole", "analyst, engineer"}, {"checkpoints", "usual", "pre_filing"},
		{"checkpoints", "set", "pre_filing", "--role", "analyst"}, {"people", "passphrase", "Bob Cole"}} {
		if said := x.typed(1, "some new secret\n", change...); !strings.Contains(said, "--by NAME --passphrase-stdin") {
			t.Errorf("%v: %s", change, said)
		}
		x.typed(1, "a wrong secret\nsome new secret\n", append(change, "--by", "Ann Bell", "--passphrase-stdin")...)
		x.typed(0, "a long secret\nsome new secret\n", append(change, "--by", "Ann Bell", "--passphrase-stdin")...)
	}
}

// "My viewer showed other arguments than those that I signed: the file had both."
func TestThreat17_AnAmbiguousRequestFileIsRefusedBeforeAnythingIsShown(t *testing.T) {
	asks, signs := atTheRanch(t), newTerminal(t)
	a := asks.held("rule_37", "Well/42-329-97101")
	request := signs.data + "/request.json"
	asks.want(0, "approvals", "export", a.text("id"), "-o", request)
	body, err := os.ReadFile(request)
	if err != nil {
		t.Fatal(err)
	}
	text := string(body)
	args := strings.Index(text, `"args": {`)
	first := strings.Split(text[args+len(`"args": {`):], `"`)[1] // the first argument's name
	for name, bad := range map[string]string{
		"a key twice":             strings.Replace(text, `"args": {`, `"args": {}, "args": {`, 1),
		"a key in capitals, too":  strings.Replace(text, `"tool":`, `"Tool": "x", "tool":`, 1),
		"an argument twice":       strings.Replace(text, `"args": {`, `"args": {"`+first+`": 1,`, 1),
		"an argument in capitals": strings.Replace(text, `"args": {`, `"args": {"`+strings.ToUpper(first)+`": 1,`, 1),
	} {
		if bad == text {
			t.Fatalf("%s: the file is the same", name)
		}
		said := signs.typed(1, "", "approvals", "sign", asks.write("bad.json", bad))
		if !strings.Contains(said, "was changed since it was exported") || strings.Contains(said, "asked by") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// "I signed a form that I was never shown, and a visit without what becomes of its slot."
func TestFiling_F10_AColleagueReadsAllThatTheySign(t *testing.T) {
	signs := newTerminal(t)
	reads := func(asks terminal, id string, wants ...string) {
		t.Helper()
		request := signs.data + "/" + strings.ReplaceAll(id, ":", "-") + ".json"
		asks.want(0, "approvals", "export", id, "-o", request)
		page := html.UnescapeString(asks.want(0, "approvals", "export", id, "--format", "html").out)
		sign := signs.typed(2, "", "approvals", "sign", request)
		for where, text := range map[string]string{"the page": page, "sign": sign} {
			for _, w := range wants {
				if !strings.Contains(text, w) {
					t.Errorf("%s does not say %q:\n%s", where, w, text)
				}
			}
			if strings.Contains(text, "U+000A") {
				t.Errorf("%s: %s", where, text)
			}
		}
	}
	ranch := atTheRanch(t)
	a := ranch.held("rule_37", "Well/42-329-97101")
	shown := ranch.want(0, "approvals", "show", a.text("id")).err
	form := shown[strings.Index(shown, "Form W-1"):]
	var boxes []string
	for _, line := range strings.Split(form, "\n") {
		if line = strings.TrimSpace(line); len(line) > 10 {
			boxes = append(boxes, line)
		}
	}
	if len(boxes) < 40 {
		t.Fatalf("a form of %d lines: %s", len(boxes), form)
	}
	reads(ranch, a.text("id"), append(boxes, "asked by", "ed25519:")...)

	clinic := newTerminal(t)
	clinic.want(0, "records", "import", "sample")
	clinic.want(0, "settings", "set", "zone", "America/New_York")
	clinic.want(3, "run", "--practice", "--subject", "Patient/pat-alder", "Please book a visit for the insomnia next week")
	visit := lines(t, clinic.want(0, "approvals", "list", "--json").out)[0]
	reads(clinic, visit.text("id"), "Make Appointment/", "Change Slot/", "free  →  busy", "New York time")
}

// A person with a passphrase decides with it, and only with it; a role decides where a rule says so.
func TestFiling_F10_WhoDecidesIsAskedForTheirPassphraseAndRole(t *testing.T) {
	x := atTheRanch(t)
	x.want(0, "rules", "add", x.write("rules.yaml", "rules:\n  - {name: engineers_sign, event: after_tool_call, tools: [rule37_filing_assembly], verdict: hold, checkpoint: pre_filing, reviewer: {role: engineer}}\n"))
	x.typed(0, "a long secret\n", "people", "passphrase", "Ada")
	x.typed(2, "short\n", "people", "passphrase", "Bob")
	x.typed(1, "not it at all\nanother secret\n", "people", "passphrase", "ada")
	events := lines(t, x.want(3, "run", "--practice", "--agent", "filing", "--var", "type=rule_37", "--subject", "Well/42-329-97101", "--json", "Prepare the rule 37 exception").out)
	a := lines(t, x.want(0, "approvals", "list", "--json").out)[0]
	x.typed(1, "", "approvals", "approve", a.text("id"), "--reviewer", "Ada")
	x.typed(1, "wrong secret\n", "approvals", "approve", a.text("id"), "--reviewer", "Ada", "--passphrase-stdin")
	role := a["for"] != nil
	if role {
		x.typed(1, "a long secret\n", "approvals", "approve", a.text("id"), "--reviewer", "Ada", "--passphrase-stdin")
		x.typed(1, "", "people", "roles", "Ada", "engineer")
		x.typed(0, "a long secret\n", "people", "roles", "Ada", "engineer", "--by", "Ada", "--passphrase-stdin")
	}
	x.typed(0, "a long secret\n", "approvals", "approve", a.text("id"), "--reviewer", "Ada", "--passphrase-stdin")
	x.want(0, "resume", events[0].text("turn"))
	if !role {
		t.Error("the rule's reviewer is not on the approval")
	}
	if s := x.want(0, "people", "list", "--json").out; !strings.Contains(s, `"signs":true`) || strings.Contains(s, "secret") {
		t.Errorf("%s", s)
	}
}

// "I could sign what they sent me, but not fill in the boxes that only I know."
func TestFiling_F48_AColleagueElsewhereFillsInWhatTheySign(t *testing.T) {
	asks, signs := atTheRanch(t), newTerminal(t)
	a := asks.held("rule_37", "Well/42-329-97101")
	id := a.text("id")
	request, back := signs.data+"/request.json", signs.data+"/back.json"
	asks.want(0, "approvals", "export", id, "-o", request)
	said := signs.typed(0, "a long secret\n", "people", "passphrase", "Ada")
	key := strings.Fields(said[strings.Index(said, "ed25519:"):])[0]
	asks.want(0, "people", "trust", "Ada", key)

	begin := signs.typed(0, "", "approvals", "arguments", request)
	for _, part := range []string{"well: Well/42-329-97101", `#   - box: "9"`, "# lease_line_ft:"} {
		if !strings.Contains(begin, part) {
			t.Errorf("what can be given lacks %q:\n%s", part, begin)
		}
	}
	if mine := asks.typed(0, "", "approvals", "arguments", id); mine != begin {
		t.Errorf("here and there differ:\n%s", mine)
	}
	args := signs.write("args.yaml", "well: Well/42-329-97101\nvalues:\n  - {box: \"9\", value: none, source: title opinion of Ada}\n  - {box: \"42\", value: 2026-03-05, source: Ada}\n")
	for _, bad := range []string{"well: Well/42-329-97101\nnonsense: 1\n", "- a list\n", "well: [\n", "", "a: 1\n---\nb: 2\n"} {
		if said := signs.typed(1, "a long secret\n", "approvals", "sign", request, "--approve", "--args", signs.write("bad.yaml", bad), "--reviewer", "Ada"); strings.Contains(said, "Something went wrong") {
			t.Errorf("%q: %s", bad, said)
		}
	}
	signs.typed(2, "a long secret\n", "approvals", "sign", request, "--reject", "--args", args, "--reviewer", "Ada", "--comment", "no")
	if said := signs.typed(0, "a long secret\n", "approvals", "sign", request, "--approve", "--args", args, "--reviewer", "Ada", "-o", back); !strings.Contains(said, "sha256:") {
		t.Errorf("no digest of what was signed: %s", said)
	}
	body, err := os.ReadFile(back)
	if err != nil {
		t.Fatal(err)
	}
	for was, now := range map[string]string{`"none"`: `"some"`, `"approve": true`: `"approve": false`, `"modified_digest": "sha256:`: `"modified_digest": "sha256:0`} {
		if bad := strings.Replace(string(body), was, now, 1); bad == string(body) {
			t.Errorf("the file has no %s", was)
		} else {
			asks.typed(1, "", "approvals", "import", asks.write("bad.json", bad))
		}
	}
	if said := asks.typed(0, "", "approvals", "import", back); !strings.Contains(said, "approved") {
		t.Errorf("the approval as changed was not taken: %s", said)
	}
	asks.typed(1, "", "approvals", "import", back) // it is decided
	shown := asks.want(0, "approvals", "show", id).err
	for _, part := range []string{"CHANGED by the reviewer; it was", "title opinion of Ada", "original", a.text("digest")} {
		if !strings.Contains(shown, part) {
			t.Errorf("beside the original it lacks %q:\n%s", part, shown)
		}
	}
	out := lines(t, asks.want(0, "resume", "--json", a.text("turn")).out)
	ran := ""
	for _, e := range out {
		if e.text("kind") == "mutation_committed" {
			ran += e.text("call") + " "
		}
	}
	if strings.TrimSpace(ran) != a.text("call") {
		t.Errorf("it ran as %q, was asked for as %q", ran, a.text("call"))
	}
	if f := asks.want(0, "records", "list", "Filing", "--json").out; !strings.Contains(f, "title opinion of Ada") {
		t.Errorf("what was filled in is not in the filing: %s", f)
	}
}

// "They changed the field's distances and approved; nobody had seen the form that came of it."
func TestFiling_F48_AnApprovalFromElsewhereCountsForTheFormThatWasSeen(t *testing.T) {
	asks, signs := atTheRanch(t), newTerminal(t)
	a := asks.held("rule_37", "Well/42-329-97101")
	id := a.text("id")
	said := signs.typed(0, "a long secret\n", "people", "passphrase", "Ada")
	key := strings.Fields(said[strings.Index(said, "ed25519:"):])[0]
	asks.want(0, "people", "trust", "Ada", key)
	request, back := signs.data+"/request.json", signs.data+"/back.json"
	sign := func(args string, more ...string) {
		t.Helper()
		asks.want(0, "approvals", "export", id, "-o", request)
		signs.typed(0, "a long secret\n", append([]string{"approvals", "sign", request, "--args", signs.write("args.json", args), "--reviewer", "Ada", "-o", back}, more...)...)
		if said := asks.typed(0, "", "approvals", "import", back); !strings.Contains(said, "pending") {
			t.Errorf("%s: %s", args, said)
		}
		asks.typed(1, "", "approvals", "import", back) // what it was about is another one now
	}
	// Filled in for another one to decide on, then changed into a form that Ada has not seen.
	sign(`{"values":[{"box":"9","value":"none","source":"title opinion"}]}`)
	if shown := asks.want(0, "approvals", "show", id).err; !strings.Contains(shown, "title opinion") || !strings.Contains(shown, "Ada") {
		t.Errorf("what she filled in is not shown:\n%s", shown)
	}
	sign(`{"lease_line_ft":300,"between_wells_ft":900,"limits_source":"field rules"}`, "--approve")
	asks.typed(3, "", "resume", a.text("turn"))
	if strings.TrimSpace(asks.want(0, "records", "list", "Filing", "--json").out) != "" {
		t.Fatal("a form was filed that nobody saw")
	}
	// Shown to her, she signs it.
	asks.want(0, "approvals", "export", id, "-o", request)
	signs.typed(0, "a long secret\n", "approvals", "sign", request, "--approve", "--reviewer", "Ada", "-o", back)
	asks.typed(0, "", "approvals", "import", back)
	asks.want(0, "resume", a.text("turn"))
	if f := lines(t, asks.want(0, "records", "list", "Filing", "--json").out); len(f) != 1 {
		t.Errorf("%d filings", len(f))
	}
}

// "It says that I approved it. I never gave a name." Whose name stands under a verdict, and by what it is
// known, is said on the terminal, in approvals show and in every transcript; only a passphrase is no
// mere name.
func TestApprovals_AVerdictSaysWhoseNameItIsAndThatNothingVerifiedIt(t *testing.T) {
	x := inClinic(t)
	hold := func(session string) string {
		t.Helper()
		x.want(3, "run", "--practice", "--session", session, "--subject", "Patient/pat-alder", "Please write a note that she sleeps better")
		return lines(t, x.want(0, "approvals", "list", "--json").out)[0].text("id")
	}
	for session, c := range map[string]struct {
		args []string
		says string
	}{
		"typed":   {[]string{"--reviewer", "Dr. Vance"}, "Dr. Vance (name as typed, not verified)"},
		"account": {nil, "(name of the system account, not verified)"},
	} {
		id := hold(session)
		if got := x.want(0, append([]string{"approvals", "approve", id}, c.args...)...); !strings.Contains(got.err, "In the name of ") || !strings.Contains(got.err, c.says) {
			t.Errorf("%s: %s", session, got.err)
		}
		if got := x.want(0, "approvals", "show", id); !strings.Contains(got.err, c.says) {
			t.Errorf("%s: %s", session, got.err)
		}
		x.want(0, "resume", strings.Split(id, ".")[1])
		for _, format := range []string{"md", "html"} {
			if got := x.want(0, "export", session, "--format", format); !strings.Contains(got.out, c.says) {
				t.Errorf("%s as %s does not say it", session, format)
			}
		}
	}
	x.want(0, "settings", "set", "language", "fr")
	id := hold("francais")
	if got := x.want(0, "approvals", "approve", id, "--reviewer", "Dr. Vance"); !strings.Contains(got.err, "Dr. Vance (nom tel qu’écrit, non vérifié)") {
		t.Error(got.err)
	}
	x.want(0, "settings", "set", "language", "en")
	id = hold("signed")
	x.typed(0, "blue pump over gravel\n", "people", "passphrase", "Dr. Vance")
	if got := x.typed(0, "blue pump over gravel\n", "approvals", "approve", id, "--reviewer", "Dr. Vance", "--passphrase-stdin"); !strings.Contains(got, "Dr. Vance (with their passphrase)") || strings.Contains(got, "not verified") {
		t.Error(got)
	}
}
