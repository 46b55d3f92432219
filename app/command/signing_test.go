package command_test

import (
	"bytes"
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
	signs.typed(1, "a wrong secret\n", "approvals", "sign", request, "--approve", "--reviewer", "Ada", "-o", back)
	signs.typed(0, "a long secret\n", "approvals", "sign", request, "--approve", "--reviewer", "Ada", "--comment", "checked the plat", "-o", back)
	asks.typed(1, "", "approvals", "import", request) // nobody signed that one
	if said := asks.typed(1, "", "approvals", "import", back); !strings.Contains(said, "people trust") {
		t.Errorf("an unknown key: %s", said)
	}
	asks.want(0, "people", "trust", "Ada", key)
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
		x.want(0, "people", "roles", "Ada", "engineer")
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
