package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/journal"
	"holdpoint/engine/memory"
	"holdpoint/engine/model/modeltest"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/store"
)

// remembering is a clinic on a model server, with memory across sessions on.
type remembering struct {
	*app.App
	t      *testing.T
	dir    string
	server *modeltest.Slots
}

func newRemembering(t *testing.T) *remembering {
	t.Helper()
	r := &remembering{t: t, dir: t.TempDir(), server: modeltest.NewSlots(t, 2, 0, 0)}
	r.start()
	sample(t, r.App)
	r.set("memory", `"on"`)
	t.Cleanup(func() { closeApp(t, r.App) })
	return r
}

func (r *remembering) start() {
	r.t.Helper()
	a, err := app.Open(app.Options{Dir: r.dir, Ollama: r.server.URL})
	if err != nil {
		r.t.Fatal(err)
	}
	r.App = a
}

// again closes the app, which makes what waits, and opens it.
func (r *remembering) again() {
	r.t.Helper()
	closeApp(r.t, r.App)
	r.start()
}

func (r *remembering) set(key, value string) {
	r.t.Helper()
	if err := r.Set(key, json.RawMessage(value)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *remembering) say(q app.TurnRequest) run.Outcome {
	r.t.Helper()
	out, err := r.RunTurn(r.t.Context(), q)
	if err != nil || out.Run.Status != run.Completed {
		r.t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
	}
	return out
}

// episodes are what is remembered, by session.
func (r *remembering) episodes() map[string]app.EpisodeView {
	r.t.Helper()
	m, err := r.Memories(r.t.Context(), "", "")
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[string]app.EpisodeView{}
	for _, e := range m.Episodes {
		out[e.Session] = e
	}
	return out
}

// told are the blocks of memory that the model server got since a number of requests.
func (r *remembering) told(since int) (out []string) {
	for _, a := range r.server.Asked()[since:] {
		for _, m := range a.Messages {
			if _, block, ok := strings.Cut(m.Content, "=== Memory Context ===\n["); ok && m.Role == "system" {
				out = append(out, "["+block)
			}
		}
	}
	return out
}

const sleepless = "I lie awake since three every night and need somebody for insomnia"

// "It has no idea what we talked about last week."
func TestMemory_ALaterConversationAboutTheSameRecordIsToldOfIt(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.say(app.TurnRequest{Session: "first", Patient: "pat-alder", Text: sleepless})
	if got := r.told(0); len(got) != 0 {
		t.Errorf("the first conversation was told %q", got)
	}
	r.again()
	e := r.episodes()["first"]
	if len(r.episodes()) != 1 || e.About != "Patient/pat-alder" || e.By != "stub:latest" || e.ByName != "" || e.Turns != 1 || e.AboutName == "" {
		t.Fatalf("%+v", r.episodes())
	}
	for _, agent := range []string{"navigator", "reasoner"} {
		before := len(r.server.Asked())
		out := r.say(app.TurnRequest{Session: "later-" + agent, Agent: agent, Patient: "pat-alder", Text: "What did we say about insomnia, and the record in a few words?"})
		got := r.told(before)
		if len(got) == 0 || !strings.Contains(got[0], "[Episodic Memory -- Relevant Past Conversations]\n- (similarity: ") || !strings.Contains(got[0], e.Text) {
			t.Fatalf("%s: the model was told %q", agent, got)
		}
		// The journal says which were used, and repeats none of their words.
		used := 0
		for _, ev := range sessionEvents(t, r.App, out.Run.Session) {
			if d, err := journal.Read[journal.ModelCalledData](ev); ev.Kind == journal.ModelCalled && err == nil && len(d.Memories) > 0 {
				used++
				if d.Memories[0].ID != e.ID || d.Memories[0].Similarity <= 0 {
					t.Errorf("%s: %+v", agent, d.Memories)
				}
			}
		}
		if used != len(got) {
			t.Errorf("%s: %d calls name memories, %d had them", agent, used, len(got))
		}
	}
	before := len(r.server.Asked())
	r.say(app.TurnRequest{Session: "another", Patient: "pat-juniper", Text: "What did we say about insomnia?"})
	if got := r.told(before); len(got) != 0 {
		t.Errorf("another patient's conversation was told %q", got)
	}
	r.set("memory", `"off"`)
	before = len(r.server.Asked())
	r.say(app.TurnRequest{Session: "off", Patient: "pat-alder", Text: "What did we say about insomnia?"})
	if got := r.told(before); len(got) != 0 {
		t.Errorf("it is off, and the model was told %q", got)
	}
}

func sessionEvents(t *testing.T, a *app.App, session string) (out []journal.Event) {
	t.Helper()
	for after := uint64(0); ; {
		list, _, err := a.Journal(session, after, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			return out
		}
		out, after = append(out, list...), list[len(list)-1].Seq
	}
}

// "I never asked it to keep anything."
func TestMemory_OffByDefaultAndWhatWasSaidThenIsNotRememberedLater(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.set("memory", `"off"`)
	r.say(app.TurnRequest{Session: "s", Patient: "pat-alder", Text: "a secret of the time before"})
	r.set("memory", `"on"`)
	r.say(app.TurnRequest{Session: "s", Patient: "pat-alder", Text: "something new"})
	r.again()
	if e := r.episodes()["s"]; e.Turns != 2 || strings.Contains(e.Text, "secret") {
		t.Errorf("%+v", e)
	}
	for _, a := range r.server.Asked() {
		for _, m := range a.Messages {
			if strings.Contains(m.Content, "<conversation>") && strings.Contains(m.Content, "secret") {
				t.Error("the summary was made of it")
			}
		}
	}
	fresh := openApp(t, t.TempDir(), 0)
	defer closeApp(t, fresh)
	if s, err := fresh.Settings(); err != nil || s.Memory {
		t.Errorf("memory is on in a new data folder (%v)", err)
	}
	if err := fresh.Set("memory", json.RawMessage(`"perhaps"`)); err == nil {
		t.Error("memory was set to perhaps")
	}
}

func TestMemory_CrisisTurnsAndPracticeAreNotRemembered(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.say(app.TurnRequest{Session: "crisis", Patient: "pat-alder", Text: crises[0].text})
	r.say(app.TurnRequest{Session: "mixed", Patient: "pat-alder", Text: sleepless})
	r.say(app.TurnRequest{Session: "mixed", Patient: "pat-alder", Text: crises[0].text})
	r.say(app.TurnRequest{Session: "practice", Patient: "pat-alder", Text: sleepless, Practice: true})
	r.again()
	got := r.episodes()
	if len(got) != 1 || got["mixed"].Text == "" {
		t.Errorf("%+v", got)
	}
	for _, a := range r.server.Asked() {
		for _, m := range a.Messages {
			if strings.Contains(m.Content, "<conversation>") && strings.Contains(m.Content, "pills") {
				t.Error("a crisis turn was read for memory")
			}
		}
	}
}

// "I had it forgotten, and it is still in the file."
func TestMemory_ForgettingTakesItOutOfPromptsSearchAndTheFile(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.say(app.TurnRequest{Session: "first", Patient: "pat-alder", Text: sleepless})
	r.again()
	id := r.episodes()["first"].ID
	if _, err := r.CorrectEpisode(id, "About insomnia: "+canary); err != nil {
		t.Fatal(err)
	}
	before := len(r.server.Asked())
	r.say(app.TurnRequest{Session: "second", Patient: "pat-alder", Text: "What about my insomnia?"})
	r.say(app.TurnRequest{Session: "third", Agent: "reasoner", Patient: "pat-alder", Text: "What about my insomnia?"})
	if got := strings.Join(r.told(before), "\n"); strings.Count(got, canary) < 2 {
		t.Fatalf("the correction is not told: %q", got)
	}
	if !fileHas(t, r.dir, canary) {
		t.Fatal("nothing to forget")
	}
	if err := r.ForgetEpisode(id); err != nil {
		t.Fatal(err)
	}
	before = len(r.server.Asked())
	r.say(app.TurnRequest{Session: "second", Patient: "pat-alder", Text: "And what about my insomnia now?"})
	r.say(app.TurnRequest{Session: "first", Patient: "pat-alder", Text: "Something else: parking"})
	if got := strings.Join(r.told(before), "\n"); strings.Contains(got, canary) {
		t.Errorf("it is still told: %q", got)
	}
	if m, err := r.Memories(t.Context(), "", "insomnia "+canary); err != nil || slices.ContainsFunc(m.Episodes, func(e app.EpisodeView) bool { return e.ID == id }) {
		t.Errorf("it is still found: %+v %v", m.Episodes, err)
	}
	if err := r.ForgetEpisode(id); err == nil {
		t.Error("it was forgotten twice")
	}
	closeApp(t, r.App)
	if _, err := store.Compact(app.StorePath(r.dir)); err != nil {
		t.Fatal(err)
	}
	if fileHas(t, r.dir, canary) {
		t.Error("its words are still in the file")
	}
	if rep, err := store.Check(app.StorePath(r.dir)); err != nil || len(rep.Problems) > 0 {
		t.Errorf("check: %v %v", rep.Problems, err)
	}
	r.start()
	// What came after it was forgotten is remembered; what was before is not read again.
	if e := r.episodes()["first"]; e.Turns != 2 || e.From != 1 {
		t.Errorf("%+v", e)
	}
	for _, a := range r.server.Asked()[before:] {
		for _, m := range a.Messages {
			if strings.Contains(m.Content, "<conversation>") && strings.Contains(m.Content, sleepless) {
				t.Error("a forgotten turn was read again")
			}
		}
	}
}

func TestMemory_ACorrectionStaysWhenTheConversationGoesOn(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.say(app.TurnRequest{Session: "s", Patient: "pat-alder", Text: sleepless})
	r.again()
	if _, err := r.CorrectEpisode(r.episodes()["s"].ID, "Sleeps well since March."); err != nil {
		t.Fatal(err)
	}
	r.say(app.TurnRequest{Session: "s", Patient: "pat-alder", Text: "Now about parking"})
	r.again()
	if e := r.episodes()["s"]; !strings.HasPrefix(e.Text, "Sleeps well since March. — ") || e.Turns != 2 {
		t.Errorf("%+v", e)
	}
}

func TestMemory_DeletingASessionDeletesWhatWasRememberedOfIt(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	for i := range 3 {
		r.say(app.TurnRequest{Session: fmt.Sprint("s", i), Patient: "pat-alder", Text: sleepless})
	}
	r.again()
	id := r.episodes()["s1"].ID
	if _, err := r.CorrectEpisode(id, canary); err != nil {
		t.Fatal(err)
	}
	if err := r.DeleteSession("s1"); err != nil {
		t.Fatal(err)
	}
	if got := r.episodes(); len(got) != 2 || got["s1"].ID != "" {
		t.Errorf("%+v", got)
	}
	// One that waits goes as well.
	r.say(app.TurnRequest{Session: "s3", Patient: "pat-alder", Text: sleepless})
	if err := r.DeleteSession("s3"); err != nil {
		t.Fatal(err)
	}
	r.again()
	if got := r.episodes(); got["s3"].ID != "" {
		t.Errorf("%+v", got)
	}
}

// Without a model the person's requests and what was decided are remembered, by code.
func TestMemory_WithoutAModelItIsMadeByCode(t *testing.T) {
	got := memory.Facts([]session.Exchange{{User: "Find somebody\nfor insomnia", Reply: "Dr. Okafor."},
		{User: "Book it", Decided: []string{"approved and done: Book a visit on Tuesday", "rejected: Cancel the old one (“keep it”)"}}}, fmt.Sprintf)
	want := "Asked: “Find somebody for insomnia”; “Book it”. Decided: approved and done: Book a visit on Tuesday; rejected: Cancel the old one (“keep it”)."
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var many []session.Exchange
	for i := range 40 {
		many = append(many, session.Exchange{User: fmt.Sprint("request ", i, strings.Repeat(" and more", 40))})
	}
	if got := memory.Facts(many, fmt.Sprintf); len(got) > memory.MaxText+10 || !strings.Contains(got, "request 0") || !strings.Contains(got, "request 39") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// "We spoke French, and what it remembers of it is English." The model that sums up is told, of
// an English conversation nothing; so is the one that answers.
func TestMemory_AConversationIsRememberedInItsLanguage(t *testing.T) {
	t.Parallel()
	for text, french := range map[string]bool{"Elle est éveillée dès trois heures et cherche quelqu’un pour son insomnie": true, sleepless: false} {
		r := newRemembering(t)
		r.say(app.TurnRequest{Session: "first", Patient: "pat-alder", Text: text})
		r.again()
		sums, replies := 0, 0
		for _, asked := range r.server.Asked() {
			whole, first := "", asked.Messages[0].Content
			for _, m := range asked.Messages {
				whole += m.Content + "\n"
			}
			sum, reply := strings.HasPrefix(first, "You write down a conversation"), strings.HasPrefix(first, "You are Holdpoint's care navigator") && strings.Contains(whole, "Context for the next message")
			if !sum && !reply {
				continue
			}
			if sum {
				sums++
			} else {
				replies++
			}
			if strings.Contains(whole, "écrivez en français") != french {
				t.Errorf("%q is asked with %s", text, whole)
			}
		}
		if sums == 0 || replies == 0 {
			t.Errorf("%q: %d summaries and %d replies were asked for", text, sums, replies)
		}
	}
	say := func(format string, values ...any) string { return tongue.French.Say(format, values...) }
	if got := memory.Facts([]session.Exchange{{User: "Réservez", Decided: []string{"approuvé"}}}, say); got != "Demandé : « Réservez ». Décidé : approuvé." {
		t.Error(got)
	}
}
