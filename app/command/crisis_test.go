package command_test

import (
	"net"
	"strings"
	"testing"
	"time"
)

// TestCrisis_ACommandShowsHelpWithoutAModel has a server that takes connections and says
// nothing: help stands on standard output, and the turn is over.
func TestCrisis_ACommandShowsHelpWithoutAModel(t *testing.T) {
	x := inClinic(t)
	x.want(0, "settings", "set", "region", "GB")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	began := time.Now()
	got := x.want(0, "--ollama", "http://"+silent.Addr().String(), "run", "--session", "night", "I want to kill myself tonight, I have the pills here")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s: something waited for the server", took)
	}
	for _, want := range []string{"What you can do now", "999", "116 123"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in %s", want, got.out)
		}
	}
	if !strings.Contains(got.err, "found by rules") {
		t.Errorf("what found it is not said: %s", got.err)
	}
	if list := x.want(0, "sessions", "list", "--json"); !strings.Contains(list.out, "night") {
		t.Errorf("the session is not kept: %s", list.out)
	}
}

// TestHelplines_AreThereWithoutASession prints whom to call.
func TestHelplines_AreThereWithoutASession(t *testing.T) {
	x := inClinic(t)
	if got := x.want(0, "helplines", "fr"); !strings.Contains(got.err, "3114") || !strings.Contains(got.err, "source") {
		t.Errorf("%s", got.err)
	}
	x.want(2, "helplines", "Atlantis")
}

// "It said that my message was checked for danger, and nothing there reads Hindi." The word
// of practice mode's script, which reads no language at all, does not count as a check.
func TestCrisis_SaysWhatNobodyRead(t *testing.T) {
	x := inClinic(t)
	for message, want := range map[string]string{
		"मुझे सोमवार को डॉक्टर से मिलना है":                  "that was not checked for danger",
		"Quiero pedir una cita con la doctora para el lunes": "danger", // by its meaning, where there is an encoder
	} {
		got := x.want(0, "run", "--practice", message)
		if !strings.Contains(got.err, want) || strings.Contains(got.err, "checked by rules") {
			t.Errorf("%s: %s", message, got.err)
		}
	}
	if got := x.want(0, "run", "--practice", "Which medicines does she take?"); strings.Contains(got.err, "language") || !strings.Contains(got.err, "checked by rules") {
		t.Errorf("English is read: %s", got.err)
	}
}
