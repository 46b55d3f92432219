package command_test

import (
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/memory"
)

// remembered puts an episode into the store, as a lake would.
func remembered(t *testing.T, x terminal, session, text string) string {
	t.Helper()
	e := memory.Episode{ID: memory.EpisodeID("Patient/pat-alder", session), About: "Patient/pat-alder", Session: session, Text: text, By: memory.ByCode, At: time.Now(), Turns: 1}
	x.open(func(a *app.App) {
		if err := a.Store.UpdateMemory(func(tx memory.Tx) error { return tx.PutEpisode(e) }); err != nil {
			t.Fatal(err)
		}
	})
	return e.ID
}

func TestMemory_IsSearchedCorrectedAndForgottenOnTheCommandLine(t *testing.T) {
	x := inClinic(t)
	id := remembered(t, x, "s-old", "Wanted somebody for insomnia.")
	other := remembered(t, x, "s-new", "Asked about parking.")
	list := lines(t, x.want(0, "memory", "search", "--json", "insomnia").out)
	if len(list) < 2 || list[0].text("id") != id || list[0]["similarity"] == nil {
		t.Fatalf("%v", list)
	}
	if last := list[len(list)-1]; last["on"] != false || last["lake"] == nil {
		t.Errorf("it ends with %v", last)
	}
	if got := lines(t, x.want(0, "memory", "search", "--json", "--about", "Patient/nobody").out); len(got) != 1 {
		t.Errorf("about nobody: %v", got)
	}
	x.want(0, "memory", "correct", id, "Sleeps well now.")
	if got := x.want(0, "memory", "search"); !strings.Contains(got.err, "Sleeps well now.") || !strings.Contains(got.err, "by person") || !strings.Contains(got.err, "told to no model") {
		t.Errorf("%s", got.err)
	}
	x.want(2, "memory", "correct", id, " ")
	x.want(0, "memory", "forget", id)
	if got := x.want(1, "memory", "forget", id); !strings.Contains(got.err, "memory search") {
		t.Errorf("%s", got.err)
	}
	list = lines(t, x.want(0, "memory", "search", "--json").out)
	if len(list) != 2 || list[0].text("id") != other {
		t.Errorf("%v", list)
	}
}

func TestMemory_SwitchingItOnSaysWhatThatMeans(t *testing.T) {
	x := newTerminal(t)
	if got := x.want(0, "settings", "set", "memory", "on"); !strings.Contains(got.err, "memory is on.") || !strings.Contains(got.err, app.MemorySays) {
		t.Errorf("%s", got.err)
	}
	if got := lines(t, x.want(0, "settings", "list", "--json").out); got[0]["memory"] != true || got[0]["memory_since"] == nil {
		t.Errorf("%v", got)
	}
	x.want(2, "settings", "set", "memory", "perhaps")
}

// The working memory of a session is shown, and goes with forget.
func TestMemory_ShowTellsTheNotesOfASession(t *testing.T) {
	x := inClinic(t)
	x.want(0, "run", "--practice", "--session", "s1", "--subject", "Patient/pat-alder", "I lie awake at night and want to sleep")
	m := lines(t, x.want(0, "memory", "show", "--json", "s1").out)[0]
	if recent, _ := m["recent"].([]any); len(recent) == 0 || recent[0] != "Patient/pat-alder" {
		t.Errorf("%v", m["recent"])
	}
	if episodes, _ := m["episodes"].([]any); episodes == nil || len(episodes) != 0 {
		t.Errorf("practice was remembered: %v", m["episodes"])
	}
	x.want(0, "memory", "forget", "s1")
	if m := lines(t, x.want(0, "memory", "show", "--json", "s1").out)[0]; len(m["recent"].([]any)) != 0 {
		t.Errorf("%v", m["recent"])
	}
}

// A measurement is one line, with the figures that scripts read.
func TestBenchLake_PrintsItsFigures(t *testing.T) {
	x := newTerminal(t)
	got := lines(t, x.want(0, "bench", "lake", "--json", "--queued", "300", "--callers", "16").out)
	if len(got) != 1 {
		t.Fatalf("%v", got)
	}
	for _, name := range []string{"accept_p99_us", "per_s", "rss_mb", "queued"} {
		if v, ok := got[0][name].(float64); !ok || v <= 0 && name != "accept_p99_us" {
			t.Errorf("%s is %v", name, got[0][name])
		}
	}
}
