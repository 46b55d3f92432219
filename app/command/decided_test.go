package command_test

import (
	"strings"
	"testing"
)

// "The list of approvals said: used. By whom, and when?" "I deleted the session, and the visit was there as if nobody had
// ever approved it."
func TestCommand_SaysWhoApprovedAlsoOnceTheSessionIsDeleted(t *testing.T) {
	x := inClinic(t)
	turn := lines(t, x.want(3, booking...).out)[0]
	id := strings.Fields(x.want(0, "approvals", "list").err)[0]
	if text := x.want(0, "approvals", "arguments", id).out; !strings.HasPrefix(text, "# patient stays as it is: the session is about that.\n") {
		t.Errorf("the arguments say nothing of what is fixed:\n%s", text)
	}
	x.want(0, "approvals", "approve", id, "--reviewer", "Dr. Test")
	x.want(0, "resume", turn.text("turn"))
	appointment := "Appointment/" + lines(t, x.want(0, "records", "list", "Appointment", "--json").out)[0].text("id")
	says := func(what, got string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(got, part) {
				t.Errorf("%s says nothing of %q:\n%s", what, part, got)
			}
		}
	}
	says("the list", x.want(0, "approvals", "list", "--status", "all").err, "approved by Dr. Test (name as typed, not verified)", "; carried out ")
	says("the approval", x.want(0, "approvals", "show", id).err, "approved by Dr. Test", "; carried out ")
	says("the record", x.want(0, "records", "show", appointment).err, "Booking of a visit: approved by Dr. Test", "PRACTICE")
	if got := x.want(0, "records", "show", appointment, "--json"); got.err != "" {
		t.Errorf("with --json it says %s", got.err)
	}
	says("deleting", x.want(0, "sessions", "delete", turn.text("session")).err, "who approved them and when")
	says("the record", x.want(0, "records", "show", appointment).err, "Booking of a visit: approved by Dr. Test", "; carried out ", "Its session was deleted.", "PRACTICE")
	says("the list", x.want(0, "approvals", "list", "--status", "used").err, "approved by Dr. Test", "What it said was deleted with its session.")
	says("the approval", x.want(0, "approvals", "show", id).err, "approved by Dr. Test", appointment)
	left := lines(t, x.want(0, "approvals", "list", "--status", "used", "--json").out)
	needs(t, left, "id", "session", "turn", "call", "tool", "args", "digest", "status", "requested_at", "expires_at")
	x.want(0, "check")
	x.want(0, "compact")
	x.want(0, "settings", "set", "language", "fr")
	says("the record in French", x.want(0, "records", "show", appointment).err, "approuvé par Dr. Test", "; exécuté", "Sa session a été supprimée.")
}
