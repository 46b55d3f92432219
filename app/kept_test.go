package app_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
)

// "I deleted the conversation, and nobody can say any more who had approved the visit that is in the record."
func TestDeleteSession_TheRecordStillSaysWhoApprovedIt(t *testing.T) {
	a := clinic(t, 0)
	before := carriedOut(t, a, "s1")
	ref := before.Changes[0].Ref
	approved := func(session string) app.RecordVerdict {
		t.Helper()
		list, err := a.ApprovedFor(ref.Type, ref.ID)
		if err != nil || len(list) != 1 || list[0].Reviewer != "Dr. Test" || !list[0].DecidedAt.Equal(*before.DecidedAt) || list[0].Digest != before.Digest || !list[0].Practice || list[0].Session != session {
			t.Fatalf("%+v %v", list, err)
		}
		return list[0]
	}
	approved("s1")
	if list, err := a.ApprovedFor("Patient", "pat-alder"); err != nil || len(list) != 0 {
		t.Errorf("what was imported was approved: %+v %v", list, err)
	}
	held(t, a, "s2") // what still waits goes with its session
	if err := errors.Join(a.DeleteSession("s1"), a.DeleteSession("s2")); err != nil {
		t.Fatal(err)
	}
	if got := approved("").Approved("en", func(time.Time) string { return "then" }); got != "approved by Dr. Test (name as typed, not verified), then; carried out then" {
		t.Errorf("it says %q", got)
	}
	list, err := a.Approvals("all")
	if err != nil || len(list) != 1 || !list[0].Erased || list[0].SessionTitle != "" || list[0].PatientName != "" {
		t.Fatalf("listed are %+v %v", list, err)
	}
	v, err := a.Approval(list[0].ID, true)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(v.Approval) // beside it are the names of the records that stay
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"insomnia", before.Title} {
		if strings.Contains(string(raw), gone) {
			t.Errorf("what it said is still there: %q in %s", gone, raw)
		}
	}
	text := app.ApprovalText("en", v, func(time.Time) string { return "then" })
	for _, want := range []string{"deleted with its session", "approved by Dr. Test", before.Digest, ref.String()} {
		if !strings.Contains(text, want) {
			t.Errorf("the command line says nothing of %q:\n%s", want, text)
		}
	}
	// A session of the same name is another one.
	held(t, a, "s1")
	if list, err := a.Approvals("used"); err != nil || len(list) != 1 || list[0].SessionTitle != "" {
		t.Errorf("it was given another session: %+v %v", list, err)
	}
	if err := a.RemoveRecords(ref); err != nil {
		t.Errorf("what is left of the approval holds the record: %v", err)
	}
}
