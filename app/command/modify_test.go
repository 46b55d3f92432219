package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestCommand_AModificationIsCheckedLikeACall edits a booking in ways that are not
// allowed: the request stays as it was and still waits.
func TestCommand_AModificationIsCheckedLikeACall(t *testing.T) {
	x := inClinic(t)
	x.want(3, booking...)
	before := lines(t, x.want(0, "approvals", "list", "--json").out)[0]
	args, err := json.Marshal(before["args"])
	if err != nil {
		t.Fatal(err)
	}
	edit := func(change func(map[string]any)) string {
		m := map[string]any{}
		if err := json.Unmarshal(args, &m); err != nil {
			t.Fatal(err)
		}
		change(m)
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for name, body := range map[string]string{
		"another patient":         edit(func(m map[string]any) { m["patient"] = "pat-birch" }),
		"a provider who is not":   edit(func(m map[string]any) { m["provider"] = "nobody" }),
		"a time that is not open": edit(func(m map[string]any) { m["start"] = "2020-01-01T03:00:00Z" }),
		"an unknown field":        edit(func(m map[string]any) { m["approved"] = true }),
		"a key twice":             `{"provider":"prov-okafor","provider":"prov-haddad","start":"2030-01-01T09:00:00Z"}`,
		"no object":               `[]`,
		"nothing":                 ``,
	} {
		file := filepath.Join(x.data, "args.json")
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := x.run("approvals", "modify", before.text("id"), "--args", file, "--reviewer", "Test Reviewer"); got.code != 1 || got.err == "" {
			t.Errorf("%s: exit %d, %s", name, got.code, got.err)
		}
	}
	after := lines(t, x.want(0, "approvals", "list", "--json").out)
	if len(after) != 1 || after[0].text("digest") != before.text("digest") || after[0].text("status") != "pending" || after[0]["original"] != nil {
		t.Errorf("after refused edits: %v", after)
	}
	x.want(0, "check")
}
