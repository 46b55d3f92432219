package navigator_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

// TestNavigator_N39_WhatCannotBeDoneAnyMoreIsNoLongerOpen lets the slot of an
// undecided booking pass by: the turn ends, and nobody is asked about it later.
func TestNavigator_N39_WhatCannotBeDoneAnyMoreIsNoLongerOpen(t *testing.T) {
	h := newHouse(t)
	h.model.think = calls(h.book("prov-okafor", h.slots("prov-okafor")[0]))
	out := h.status(h.ask("pat-alder", "Book it"), run.Paused)
	a := h.only()
	h.pass(30 * 24 * time.Hour)
	done := h.status(h.resume(out), run.Completed)
	if refused := h.of(done, journal.ToolRefused); len(refused) != 1 || !strings.Contains(refused[0].Reason, "not ahead of now") {
		t.Errorf("tool_refused: %+v", refused)
	}
	if s := h.approval(a.ID).Status; s != ledger.Void {
		t.Errorf("the approval is %s", s)
	}
	session, err := h.db.Session("s")
	if err != nil || session.Approvals != 0 {
		t.Errorf("the session still has %d open approvals (%v)", session.Approvals, err)
	}
	h.sound()
}

func TestNavigator_N39_BookingNeedsApproval(t *testing.T) {
	h := newHouse(t)
	slots := h.slots("prov-okafor")
	h.model.think = calls(h.book("prov-okafor", slots[0]))
	before := h.contents()
	out := h.status(h.ask("pat-alder", "Book it"), run.Paused)
	a := h.only()
	if a.Tool != "book_appointment" || a.Turn != out.Run.Turn || a.Digest == "" || a.PolicyVersion != navigator.PolicyVersion || !strings.Contains(a.Title, "Rowan Alder") || len(a.Changes) != 2 {
		t.Errorf("the approval says %+v", a)
	}
	if h.contents() != before {
		t.Fatal("the records changed before a verdict")
	}
	h.decide(a, true, "")
	done := h.status(h.resume(out), run.Completed)
	if n := h.mutations(done); n != 1 {
		t.Fatalf("%d mutations", n)
	}
	list := h.all("Appointment")
	if len(list) != 1 || string(list[0].Resource) != string(a.Changes[0].After) {
		t.Errorf("what was written is not what was shown, byte for byte:\n%s\n%s", list[0].Resource, a.Changes[0].After)
	}
	if !strings.Contains(string(list[0].Resource), a.Call) {
		t.Error("the appointment does not carry the call as idempotency key")
	}
	if !strings.Contains(done.Run.Output, `"status":"booked"`) {
		t.Errorf("the model was told %s", done.Run.Output)
	}
	if s := h.approval(a.ID); s.Status != ledger.Used || s.UsedAt == nil {
		t.Errorf("the approval is %s", s.Status)
	}
	// Used once: another resume, also in another process, runs nothing.
	h.open()
	h.status(h.resume(done), run.Completed)
	if len(h.all("Appointment")) != 1 || h.mutations(done) != 1 {
		t.Error("it ran again")
	}
	h.sound()
}

// TestNavigator_N39_NoAutomaticRetry has a call that was started and never
// reported back: no resume runs it.
func TestNavigator_N39_NoAutomaticRetry(t *testing.T) {
	for _, state := range []ledger.State{ledger.Started, ledger.Unknown} {
		t.Run(string(state), func(t *testing.T) {
			h := newHouse(t)
			h.model.think = calls(h.book("prov-okafor", h.slots("prov-okafor")[0]))
			out := h.status(h.ask("pat-alder", "Book it"), run.Paused)
			a := h.only()
			h.decide(a, true, "")
			h.update(func(tx store.Tx) error {
				e, err := tx.Entry(a.Call)
				if err != nil {
					return err
				}
				e.State = state
				return tx.PutEntry(e)
			})
			for range 3 {
				out = h.resume(out)
				if h.mutations(out) != 0 || len(h.all("Appointment")) != 0 {
					t.Fatal("a call whose outcome is unknown was run again")
				}
			}
			if out.Run.Status == run.Completed {
				t.Error("the turn says that it is complete")
			}
		})
	}
}

func TestNavigator_N39_ExpiredApprovalIsAskedAnew(t *testing.T) {
	for _, approved := range []bool{false, true} {
		t.Run(fmt.Sprintf("approved before it ran out: %v", approved), func(t *testing.T) {
			h := newHouse(t)
			h.live.Terms = rule.Terms{rule.AnyCheckpoint: {ExpiresHours: 1}}
			h.model.think = calls(h.book("prov-okafor", h.slots("prov-okafor")[2]))
			out := h.status(h.ask("pat-alder", "Book it"), run.Paused)
			a := h.only()
			if approved {
				h.decide(a, true, "")
			}
			h.pass(2 * time.Hour)
			out = h.status(h.resume(out), run.Paused)
			if h.mutations(out) != 0 {
				t.Fatal("an expired approval ran")
			}
			next := h.only()
			if next.ID == a.ID || next.Call != a.Call || string(next.Args) != string(a.Args) {
				t.Errorf("asked anew with %+v", next)
			}
			if _, err := storetest.Decide(h.db, ledger.Verdict{ID: a.ID, Digest: a.Digest, Approve: true, Reviewer: "late"}, h.clock()); err == nil {
				t.Error("the expired approval took a verdict")
			}
			h.decide(next, true, "")
			h.status(h.resume(out), run.Completed)
			if len(h.all("Appointment")) != 1 {
				t.Error("the new approval did not run")
			}
			h.sound()
		})
	}
}

func TestNavigator_N39_RejectionIsAcknowledged(t *testing.T) {
	h := newHouse(t)
	h.model.think = calls(h.book("prov-okafor", h.slots("prov-okafor")[0]))
	out := h.status(h.ask("pat-alder", "Book it"), run.Paused)
	before := h.contents()
	h.decide(h.only(), false, "she is away that week")
	done := h.status(h.resume(out), run.Completed)
	if !strings.Contains(done.Run.Output, "she is away that week") || !strings.Contains(done.Run.Output, `"rejected"`) {
		t.Errorf("the model was told %s", done.Run.Output)
	}
	if refused := h.of(done, journal.ToolRefused); len(refused) != 1 || refused[0].Status != "rejected" || refused[0].Reason != "she is away that week" {
		t.Errorf("tool_refused: %+v", refused)
	}
	if h.contents() != before || h.mutations(done) != 0 {
		t.Error("a rejected call ran")
	}
	h.sound()
}

func TestNavigator_N39_ModifiedArgumentsRunUnderTheNewDigest(t *testing.T) {
	h := newHouse(t)
	slots := h.slots("prov-okafor")
	h.model.think = calls(h.book("prov-okafor", slots[0]))
	out := h.status(h.ask("pat-alder", "Book it"), run.Paused)
	a := h.only()
	next := h.modify(a, fmt.Sprintf(`{"provider":"prov-okafor","start":%q,"reason":"edited","patient":"pat-alder"}`, slots[1]))
	if next.Status != ledger.Pending || next.Digest == a.Digest {
		t.Errorf("after the edit it is %s under %s", next.Status, next.Digest)
	}
	h.status(h.resume(out), run.Paused) // an edit is no verdict
	if len(h.all("Appointment")) != 0 {
		t.Fatal("an edit ran without a verdict")
	}
	h.decide(next, true, "")
	h.status(h.resume(out), run.Completed)
	list := h.all("Appointment")
	if len(list) != 1 || !strings.Contains(string(list[0].Resource), slots[1]) || !strings.Contains(string(list[0].Resource), "edited") {
		t.Errorf("appointments: %v", list)
	}
	stored := h.approval(a.ID)
	if stored.Original == nil || string(stored.Original.Args) != string(a.Args) || stored.Original.Digest != a.Digest || stored.Digest != next.Digest {
		t.Errorf("both are not on record: %+v", stored.Original)
	}
	if list := results(h.model.last()); len(list) == 0 || !strings.Contains(list[len(list)-1].Text, "modified_by_reviewer") || !strings.Contains(list[len(list)-1].Text, slots[1]) {
		t.Errorf("the model was told %v", list)
	}
	h.sound()
}

// TestNavigator_N39_TwoCallsInOneRound approves one and rejects the other; a read
// tool of the same round waits for both verdicts.
func TestNavigator_N39_TwoCallsInOneRound(t *testing.T) {
	h := newHouse(t)
	slots := h.slots("prov-okafor")
	h.model.think = calls(call("patient_summary", `{}`), h.book("prov-okafor", slots[0]), call("add_care_note", `{"text":"prefers mornings"}`))
	out := h.status(h.ask("pat-alder", "Book it and note it"), run.Paused)
	list := h.pending()
	if len(list) != 2 || len(out.Pauses) != 2 {
		t.Fatalf("%d approvals and %d pauses, want two", len(list), len(out.Pauses))
	}
	quiet := func(when string) {
		t.Helper()
		for _, e := range h.of(out, journal.ToolStarted, journal.ToolCompleted, journal.MutationCommitted) {
			if e.Call != "" {
				t.Errorf("%s: %s %s ran", when, e.Kind, e.Tool)
			}
		}
	}
	quiet("before any verdict")
	for _, a := range list {
		if a.Tool == "book_appointment" {
			h.decide(a, true, "")
		}
	}
	h.status(h.resume(out), run.Paused)
	quiet("after one of two verdicts")
	h.decide(h.only(), false, "not needed")
	h.open() // the second verdict is found by another process
	done := h.status(h.resume(out), run.Completed)
	handled := map[string]int{}
	for _, m := range navigator.ChannelMessages.Get(done.State) {
		if m.Role == "tool" {
			handled[m.Tool]++
		}
	}
	if fmt.Sprint(handled) != "map[add_care_note:1 book_appointment:1 patient_summary:1]" {
		t.Errorf("answers: %v", handled)
	}
	if len(h.all("Appointment")) != 1 || h.mutations(done) != 1 || !strings.Contains(done.Run.Output, "not needed") {
		t.Errorf("%d appointments, told %s", len(h.all("Appointment")), done.Run.Output)
	}
	h.sound()
}

// TestNavigator_N39_SlotTakenBetweenApprovalAndCommit has two sessions that were
// both given the same slot: the second is told no, and nothing is booked twice.
func TestNavigator_N39_SlotTakenBetweenApprovalAndCommit(t *testing.T) {
	h := newHouse(t)
	slot := h.slots("prov-okafor")[0]
	h.model.think = calls(h.book("prov-okafor", slot))
	one := h.status(h.askIn("one", "pat-alder", "Book it"), run.Paused)
	two := h.status(h.askIn("two", "pat-birch", "Book it"), run.Paused)
	for _, a := range h.pending() {
		h.decide(a, true, "")
	}
	h.status(h.resume(one), run.Completed)
	late := h.status(h.resume(two), run.Completed)
	if n := len(h.all("Appointment")); n != 1 || h.mutations(late) != 0 {
		t.Errorf("%d appointments", n)
	}
	refused := h.of(late, journal.ToolRefused)
	if len(refused) != 1 || !strings.Contains(refused[0].Reason, "already booked") || !strings.Contains(refused[0].Reason, "open instead") {
		t.Errorf("tool_refused: %+v", refused)
	}
	if !strings.Contains(late.Run.Output, `"refused"`) {
		t.Errorf("the model was told %s", late.Run.Output)
	}
	h.sound()
}

// TestNavigator_ASessionAboutOnePatientCannotTouchAnother tries every tool that
// takes a patient or an appointment.
func TestNavigator_ASessionAboutOnePatientCannotTouchAnother(t *testing.T) {
	h := newHouse(t)
	slot := h.slots("prov-okafor")[0]
	h.put(`{"resourceType":"Appointment","id":"birchs","status":"booked","start":"2026-03-20T09:00:00Z","end":"2026-03-20T09:50:00Z","participant":[{"actor":{"reference":"Patient/pat-birch"},"status":"accepted"},{"actor":{"reference":"Practitioner/prov-haddad"},"status":"accepted"}]}`)
	h.put(`{"resourceType":"Appointment","id":"both","status":"booked","start":"2026-03-21T09:00:00Z","end":"2026-03-21T09:50:00Z","participant":[{"actor":{"reference":"Patient/pat-birch"},"status":"accepted"},{"actor":{"reference":"Patient/pat-alder"},"status":"accepted"}]}`)
	before := h.contents()
	h.model.think = calls(
		call("book_appointment", fmt.Sprintf(`{"provider":"prov-okafor","start":%q,"patient":"pat-birch"}`, slot)),
		call("book_appointment", fmt.Sprintf(`{"provider":"prov-okafor","start":%q,"patient":"Patient/pat-birch"}`, slot)),
		call("add_care_note", `{"text":"x","patient":"pat-birch"}`),
		call("cancel_appointment", `{"appointment":"birchs"}`),
		call("cancel_appointment", `{"appointment":"both"}`),
		call("patient_summary", `{"patient":"pat-birch"}`),
		call("search_notes", `{"query":"alcohol","patient":"pat-birch"}`),
	)
	out := h.status(h.ask("pat-alder", "Do all that"), run.Completed)
	if n := len(h.of(out, journal.ToolRefused)); n != 7 {
		t.Errorf("%d of 7 calls were refused", n)
	}
	if h.contents() != before || len(h.approvals()) > 0 {
		t.Error("something was done or asked for another patient")
	}
	for _, secret := range []string{"Lisinopril", "Elias", "without alcohol"} {
		if strings.Contains(out.Run.Output, secret) {
			t.Errorf("the other patient's %q was read", secret)
		}
	}
}

// TestNavigator_HostileArgumentsAreAnsweredAndNeverRun answers the model in words;
// no approval is asked for.
func TestNavigator_HostileArgumentsAreAnsweredAndNeverRun(t *testing.T) {
	h := newHouse(t)
	slot := h.slots("prov-okafor")[0]
	hostile := []model.Call{
		call("add_care_note", `{"text":"a","text":"b"}`),
		call("add_care_note", `{"text":"a","Text":"b"}`),
		call("add_care_note", `{"text":"a","approved":true}`),
		call("add_care_note", `{"text":"`+strings.Repeat("a", 70<<10)+`"}`),
		call("add_care_note", `{"text":["a"]}`),
		call("add_care_note", `{}`),
		call("add_care_note", `["text"]`),
		call("add_care_note", `"text"`),
		call("add_care_note", `null`),
		call("book_appointment", `{"provider":"prov-okafor","start":"tomorrow at nine"}`),
		call("book_appointment", fmt.Sprintf(`{"provider":"prov-okafor","start":%q,"patient":9007199254740993}`, slot)),
		call("book_appointment", fmt.Sprintf(`{"provider":"../../etc","start":%q}`, slot)),
		call("book_appointment", `{"provider":"prov-okafor","start":"2020-01-01T09:00:00Z"}`),
		call("find_providers", `{"query":"a","query":"b"}`),
		call("provider_availability", `{"provider":"prov-okafor","days":100000}`),
		call("no_such_tool", `{}`),
		call("", `{}`),
		call(strings.Repeat("x", 9000), `{}`),
	}
	before := h.contents()
	h.model.think = calls(hostile...)
	out := h.status(h.ask("pat-alder", "Hello"), run.Completed)
	if got := len(results(h.model.last())); got != len(hostile) {
		t.Errorf("%d of %d calls were answered", got, len(hostile))
	}
	for i, m := range results(h.model.last()) {
		if !strings.Contains(m.Text, `"status":"refused"`) || len(m.Text) > 4000 {
			t.Errorf("call %d (%.40s) was answered with %.200s", i, hostile[i].Arguments, m.Text)
		}
	}
	if h.contents() != before || len(h.approvals()) > 0 {
		t.Error("a hostile call was run or proposed")
	}
	for _, e := range h.of(out) {
		if raw, err := json.Marshal(e); err != nil || len(raw) > 4096 {
			t.Errorf("a %s event has %d bytes (%v)", e.Kind, len(raw), err)
		}
	}
	h.sound()
}

// TestNavigator_RoundsAreBounded has a model that never stops calling.
func TestNavigator_RoundsAreBounded(t *testing.T) {
	h := newHouse(t)
	h.model.think = func(r model.Request) model.Message {
		return model.Message{Role: "assistant", Calls: []model.Call{call("search_notes", fmt.Sprintf(`{"query":"sleep %d"}`, len(results(r))))}}
	}
	out := h.status(h.ask("pat-alder", "Hello"), run.Completed)
	if n := len(h.model.asked); n != 7 || len(h.model.last().Tools) != 0 {
		t.Errorf("asked %d times, %d tools offered at last", n, len(h.model.last().Tools))
	}
	if out.Run.Output == "" {
		t.Error("the turn ends without a reply")
	}
}
