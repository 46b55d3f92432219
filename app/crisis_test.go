package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/model/modeltest"
	"holdpoint/engine/run"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// crises are messages that what needs no model answers, by what must be shown.
var crises = []struct{ text, says string }{
	{"I want to kill myself tonight, I have the pills here", "What you can do now"},
	{"I feel so hopeless and alone", "are you safe right now?"},
	{"Je veux mourir, j'ai les cachets devant moi", "Ce que vous pouvez faire maintenant"},
	{"My patient just said she will hang herself tonight", "for that person"},
}

// TestCrisis_HelpComesFirstWhateverTheModelServerDoes sends a message of danger while the
// model server is not there, hangs, dies, answers nonsense or cannot load its model. Help
// is there within a second, and the session and its export keep it.
func TestCrisis_HelpComesFirstWhateverTheModelServerDoes(t *testing.T) {
	for _, how := range []string{"is not there", "hangs", "dies", "answers nonsense", "cannot load its model"} {
		for i, c := range crises {
			t.Run(fmt.Sprintf("%s %d", how, i), func(t *testing.T) {
				t.Parallel()
				a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: modeltest.Broken(t, how)})
				if err != nil {
					t.Fatal(err)
				}
				defer a.Close()
				if err := a.Set("region", json.RawMessage(`"FR"`)); err != nil {
					t.Fatal(err)
				}
				session := a.NewSessionID()
				events, stop := a.Listen(session)
				defer stop()
				began := time.Now()
				started, err := a.StartTurn(t.Context(), app.TurnRequest{Session: session, Text: c.text})
				if err != nil {
					t.Fatalf("the turn did not begin: %v", err)
				}
				for shown := false; !shown; {
					select {
					case e := <-events:
						shown = e.Kind == journal.Message && strings.Contains(e.Text, c.says) && strings.Contains(e.Text, "3114")
					case <-time.After(5 * time.Second):
						t.Fatal("no help was shown")
					}
				}
				if took := time.Since(began); took > time.Second && !raced {
					t.Errorf("help came after %s", took)
				}
				if how == "hangs" {
					a.Stop(started.Turn) // a turn that is over already has nothing to stop
				}
				for a.Live(started.Turn) {
					e, ok := <-events
					if !ok || e.Kind == journal.TurnCompleted || e.Kind == journal.TurnFailed || e.Kind == journal.TurnCancelled {
						break
					}
				}
				out, err := a.Export(app.ExportQuery{Session: session, Format: "md"})
				if err != nil || !strings.Contains(exported(t, out), c.says) || !strings.Contains(exported(t, out), "3114") || !strings.Contains(exported(t, out), "found by") {
					t.Errorf("the export: %v\n%s", err, exported(t, out))
				}
				row, err := a.Store.Run(app.RunID(started.Turn))
				if err != nil || i != 1 && how != "hangs" && row.Status != run.Completed {
					t.Errorf("the turn is %s (%v)", row.Status, err)
				}
			})
		}
	}
}

// TestCrisis_ACalmMessageIsKeptWithoutAServer: what a person wrote is in the session, as a
// turn that failed, with the reason.
func TestCrisis_ACalmMessageIsKeptWithoutAServer(t *testing.T) {
	for _, agent := range []string{"navigator", "reasoner"} {
		a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: modeltest.Absent})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		session := a.NewSessionID()
		events, stop := a.Listen(session)
		defer stop()
		started, err := a.StartTurn(t.Context(), app.TurnRequest{Session: session, Agent: agent, Text: "Which papers do I need on Monday?"})
		if err != nil {
			t.Fatalf("%s: the turn did not begin: %v", agent, err)
		}
		for a.Live(started.Turn) {
			if e, ok := <-events; !ok || e.Kind == journal.TurnFailed || e.Kind == journal.TurnCompleted {
				break
			}
		}
		row, err := a.Store.Run(app.RunID(started.Turn))
		if err != nil || row.Status != run.Failed || row.Input != "Which papers do I need on Monday?" {
			t.Errorf("%s: the turn is %s: %q (%v)", agent, row.Status, row.Input, err)
		}
		out, err := a.Export(app.ExportQuery{Session: session, Format: "md"})
		if text := exported(t, out); err != nil || !strings.Contains(text, "Which papers do I need") || strings.Count(text, "**Failed**") != 1 || strings.Contains(text, "model: ") ||
			strings.Count(text, "checked by rules, words; nothing found") != 1 { // an auditor sees what was looked at all the same
			t.Errorf("%s: the export: %v\n%s", agent, err, text)
		}
		again, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Agent: agent, Text: "And on Tuesday?"})
		if err == nil || app.AsFault(err).Code != "no_server" {
			t.Errorf("%s: the command line says %v (%s)", agent, err, again.Run.Status)
		}
	}
}

// "For half a minute it said that it starts, and nothing of what I wrote was kept." Also before a
// server that hangs a message is kept at once, and its turn can be stopped.
func TestCrisis_ACalmMessageIsKeptWhileTheServerHangs(t *testing.T) {
	t.Parallel()
	a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: modeltest.Broken(t, "hangs")})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	session := a.NewSessionID()
	events, stop := a.Listen(session)
	defer stop()
	began := time.Now()
	started, err := a.StartTurn(t.Context(), app.TurnRequest{Session: session, Text: "Which papers do I need on Monday?"})
	if took := time.Since(began); err != nil || took > 10*time.Second {
		t.Fatalf("the turn began after %s (%v)", took, err)
	}
	if row, err := a.Store.Run(app.RunID(started.Turn)); err != nil || row.Status != run.Running || row.Input != "Which papers do I need on Monday?" {
		t.Errorf("the turn is %s: %q (%v)", row.Status, row.Input, err)
	}
	a.Stop(started.Turn)
	for a.Live(started.Turn) {
		if e, ok := <-events; !ok || e.Kind == journal.TurnFailed || e.Kind == journal.TurnCancelled {
			break
		}
	}
	if row, err := a.Store.Run(app.RunID(started.Turn)); err != nil || row.Status != run.Cancelled {
		t.Errorf("the turn is %s (%v)", row.Status, err)
	}
}

// alarmed is a model server whose classifier says crisis to what speaks of no Monday, and to
// that as well where alike; its model has so many weights.
func alarmed(t *testing.T, weights int64, alike bool) (url string) {
	t.Helper()
	return judging(t, weights, func(last string) string {
		if !alike && (strings.Contains(last, "Monday") || strings.Contains(last, "lundi")) {
			return "none"
		}
		return "crisis"
	}, func(string) {})
}

// levels says how a message of a session was taken, once its turn is completed.
func levels(t *testing.T, a *app.App) func(session, text string) string {
	return func(session, text string) string {
		t.Helper()
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Text: text})
		if err != nil || out.Run.Status != run.Completed {
			t.Fatalf("%q: %s (%v)", text, out.Run.Status, err)
		}
		var s turn.Safety
		if raw, err := a.Store.Channel(out.Run.ID, turn.SafetySlot); err != nil || json.Unmarshal(raw, &s) != nil {
			t.Fatal(err)
		}
		return string(s.Level)
	}
}

// judging is a model server whose classifier finds a risk in a message; asked hears the whole
// prompt of each reply.
func judging(t *testing.T, weights int64, risk func(last string) string, asked func(prompt string)) (url string) {
	t.Helper()
	return answering(t, weights, func(last string, _ json.RawMessage) string {
		return fmt.Sprintf(`{"risk":%q,"category":"intent","who":"self"}`, risk(last))
	}, asked)
}

// answering is a model server that answers the question about a message so; form is the schema of the answer.
func answering(t *testing.T, weights int64, judge func(last string, form json.RawMessage) string, asked func(prompt string)) (url string) {
	t.Helper()
	return weighing(t, weights, func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Format   json.RawMessage
			Messages []struct{ Content string }
		}
		text := "That can be done."
		if err := json.NewDecoder(r.Body).Decode(&q); err == nil && q.Format != nil {
			text = judge(q.Messages[len(q.Messages)-1].Content, q.Format)
		} else if err == nil {
			prompt := ""
			for _, m := range q.Messages {
				prompt += m.Content + "\n"
			}
			asked(prompt)
		}
		content, err := json.Marshal(text)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"message":{"role":"assistant","content":%s},"done":false}`+"\n"+`{"message":{"content":""},"done":true,"done_reason":"stop"}`+"\n", content)
	})
}

// weighing is a model server of one model of so many weights, whose chats are answered so.
func weighing(t *testing.T, weights int64, chat http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/version":
			fmt.Fprint(w, `{"version":"0.24.0"}`)
		case "/api/tags":
			fmt.Fprint(w, `{"models":[{"name":"stub:latest","model":"stub:latest","digest":"d1","size":1}]}`)
		case "/api/show":
			fmt.Fprintf(w, `{"capabilities":["completion","tools"],"model_info":{"general.architecture":"llama","general.parameter_count":%d,"llama.context_length":8192}}`, weights)
		case "/api/chat":
			chat(w, r)
		}
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// "The model saw that I was in danger, and nothing was said." What only the model sees brings
// help in both languages, on screen and in the export; of a very small model a question first,
// and of one that sees danger in everything once in a session.
func TestCrisis_WhatOnlyTheModelSeesBringsHelp(t *testing.T) {
	const small = 134_515_008
	for name, c := range map[string]struct {
		weights int64
		alike   bool
		text    string
		says    []string // turn by turn; "" for no help
		found   string
	}{
		"English":                    {3_000_000_000, false, "Everything lies beside me on the table now.", []string{"What you can do now", "What you can do now"}, "found by model"},
		"sees it in anything":        {1_000_000_000, true, "Everything lies beside me on the table now.", []string{"What you can do now", "are you safe right now?", "are you safe right now?"}, "sees danger in a harmless sentence, too, so it is asked about"},
		"French":                     {3_000_000_000, true, "Quels papiers faut-il pour le rendez-vous ?", []string{"Ce que vous pouvez faire maintenant"}, "found by model"},
		"small":                      {small, false, "Everything lies beside me on the table now.", []string{"are you safe right now?", "are you safe right now?"}, "too small to tell danger by itself"},
		"small, French":              {small, false, "Quels papiers faut-il pour le rendez-vous ?", []string{"en sécurité"}, "too small to tell danger by itself"},
		"small, sees it in anything": {small, true, "Everything lies beside me on the table now.", []string{"are you safe right now?", ""}, "heeded once in a conversation"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: alarmed(t, c.weights, c.alike)})
			if err != nil {
				t.Fatal(err)
			}
			defer closeApp(t, a)
			if err := a.Set("region", json.RawMessage(`"FR"`)); err != nil {
				t.Fatal(err)
			}
			session := a.NewSessionID()
			for n, says := range c.says {
				out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Text: c.text})
				if err != nil || out.Run.Status != run.Completed {
					t.Fatalf("turn %d: %s (%v)", n+1, out.Run.Status, err)
				}
				events, err := a.Store.Journal(session, 0, 1000)
				if err != nil {
					t.Fatal(err)
				}
				help := ""
				for _, e := range events {
					if d, err := journal.Read[journal.MessageData](e); e.Kind == journal.Message && e.Turn == out.Run.Turn && err == nil && d.Template != "" {
						help += e.Text
					}
				}
				if says == "" && help != "" || !strings.Contains(help, says) || says != "" && !strings.Contains(help, "3114") {
					t.Errorf("turn %d shows %q, want %q", n+1, help, says)
				}
			}
			out, err := a.Export(app.ExportQuery{Session: session, Format: "md", Trace: true})
			if text := exported(t, out); err != nil || !strings.Contains(text, c.says[0]) || !strings.Contains(text, c.found) {
				t.Errorf("the export (%v) does not say %q:\n%s", err, c.found, text)
			}
		})
	}
}

// "Above eight of ten replies it asked whether I am safe, or whether there is an emergency; I had asked about my medicines."
// A very small model that sees danger in most of a conversation is heeded twice in it, whatever it says of a harmless
// sentence; what the words show is not its to discount, and one that saw danger once before is heeded as ever.
func TestCrisis_AVerySmallModelThatSeesDangerInMostOfAConversationIsHeededNoMore(t *testing.T) {
	a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: judging(t, 134_515_008, func(last string) string {
		if strings.Contains(last, "Monday") || strings.Contains(last, "thanks") {
			return "none"
		}
		return "crisis"
	}, func(string) {})})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	ask := levels(t, a)
	told := a.NewSessionID()
	for n, text := range []string{"I've been sleeping badly for weeks", "Which medicines am I taking, and since when?", "Am I allergic to anything?", "ok, and who could help me with it?", "I feel so hopeless and alone"} {
		want := string(safety.CheckIn)
		if n == 2 || n == 3 {
			want = string(safety.Calm)
		}
		if got := ask(told, text); got != want {
			t.Errorf("turn %d, %q: %s, want %s", n+1, text, got, want)
		}
	}
	seldom := a.NewSessionID()
	for _, text := range []string{"thanks", "many thanks", "thanks, that is all", "thanks again", "I've been sleeping badly for weeks", "Which medicines am I taking?", "Everything lies beside me on the table now."} {
		if got := ask(seldom, text); (got == string(safety.Calm)) != strings.Contains(text, "thanks") {
			t.Errorf("a model that seldom sees danger, %q: %s", text, got)
		}
	}
}

// "It is a model of a billion weights, and whatever I write, it stops and shows me help." What a model of any size says of
// a harmless sentence, or (where that cannot be had) sees alone in nearly all of a conversation, makes its crisis a question; never nothing. Words
// that have a sign stop the turn as ever, and so does a model that is calm at most of what is written.
func TestCrisis_AModelThatSeesDangerInEverythingAsksInsteadOfStopping(t *testing.T) {
	open := func(t *testing.T, says func(last string) string) (*app.App, func(session, text string) string) {
		a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: judging(t, 1_200_000_000, says, func(string) {})})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeApp(t, a) })
		return a, levels(t, a)
	}
	const intervention, checkIn, calm = string(safety.Intervene), string(safety.CheckIn), string(safety.Calm)
	t.Run("checked", func(t *testing.T) {
		a, ask := open(t, func(string) string { return "crisis" })
		if _, err := a.Models.Check(t.Context(), "", func(int, int) {}); err != nil {
			t.Fatal(err)
		}
		session := a.NewSessionID()
		for _, text := range []string{"Which medicines am I taking?", "Quels papiers faut-il ?", "Who could help me with sleep?"} {
			if got := ask(session, text); got != checkIn {
				t.Errorf("%q: %s", text, got)
			}
		}
		if got := ask(session, "I am going to kill myself tonight"); got != intervention {
			t.Errorf("what the words show: %s", got)
		}
	})
	// "I told it three times in other words that I will die, and the third time it only asked whether I am safe."
	t.Run("all of a conversation, and it knows what is harmless", func(t *testing.T) {
		_, ask := open(t, func(last string) string {
			if strings.Contains(last, "Monday") {
				return "none"
			}
			return "crisis"
		})
		for n, text := range []string{"It is all beside me now.", "Nobody is at home until the morning.", "I wrote down who gets the cat.", "It will be quiet then.", "The kettle is on, as ever."} {
			if got := ask("told", text); got != intervention {
				t.Errorf("turn %d: %s", n+1, got)
			}
		}
	})
	t.Run("all of a conversation", func(t *testing.T) {
		a, ask := open(t, func(last string) string {
			if strings.Contains(last, "Monday") || strings.Contains(last, "lundi") {
				return "cannot say" // of the harmless sentence nothing can be had
			}
			if strings.Contains(last, "thanks") {
				return "none"
			}
			return "crisis"
		})
		session := a.NewSessionID()
		for n, text := range []string{"Which medicines am I taking?", "Am I allergic to anything?", "When is my next visit?", "Who could help me with sleep?"} {
			if got := ask(session, text); n < 2 && got != intervention || n >= 2 && got != checkIn {
				t.Errorf("turn %d: %s", n+1, got)
			}
		}
		seldom := a.NewSessionID()
		for _, text := range []string{"thanks", "many thanks", "thanks again", "Everything lies beside me on the table now.", "It all lies there, next to me.", "And now it is dark."} {
			want := intervention
			if strings.Contains(text, "thanks") {
				want = calm
			}
			if got := ask(seldom, text); got != want {
				t.Errorf("a model that is mostly calm, %q: %s", text, got)
			}
		}
	})
}

// "The model saw an overdose, and I was given a line for grief; of a stroke it could only say abuse." Whatever
// kind of danger the rules know, the model can name, and its help is the rules' own: an overdose gets the poison
// line first, an emergency of the body the emergency number and no line.
func TestCrisis_WhatTheModelCallsTheDangerChoosesItsHelp(t *testing.T) {
	const calm = "Everything lies beside me on the table now."
	const french = "Quels papiers faut-il pour le rendez-vous ?"
	for name, c := range map[string]struct {
		text          string
		category, who string
		first, then   string // of what is to be called; "" for no line
	}{
		"overdose":                 {calm, "overdose", "self", "01 45 42 59 59", "3114"},
		"overdose, French":         {french, "overdose", "self", "01 45 42 59 59", "3114"},
		"overdose of another":      {calm, "overdose", "other", "01 45 42 59 59", "3114"},
		"overdose in care, French": {french, "overdose", "clinician", "01 45 42 59 59", "3114"},
		"medical":                  {calm, "medical", "self", "112", ""},
		"medical of another":       {french, "medical", "other", "112", ""},
		"poisoned":                 {calm, "poisoned", "other", "01 45 42 59 59", ""},
		"poisoned, French":         {french, "poisoned", "clinician", "01 45 42 59 59", ""},
		"missing":                  {calm, "missing_person", "other", "3114", ""},
		"a sign of the words, too": {"I feel so hopeless and alone", "overdose", "self", "01 45 42 59 59", "3114"},
		"and of a mistake with it": {"I feel so hopeless and alone", "poisoned", "self", "01 45 42 59 59", "3114"},
		"what was seen is kept":    {"I feel so hopeless and alone", "medical", "self", "3114", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: judgingAs(t, c.category, c.who)})
			if err != nil {
				t.Fatal(err)
			}
			defer closeApp(t, a)
			if err := a.Set("region", json.RawMessage(`"FR"`)); err != nil {
				t.Fatal(err)
			}
			out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: a.NewSessionID(), Text: c.text})
			if err != nil || out.Run.Status != run.Completed {
				t.Fatalf("%s (%v)", out.Run.Status, err)
			}
			said := out.Run.Output
			first, then := strings.Index(said, c.first), strings.Index(said, c.then)
			if first < 0 || then < 0 || c.then != "" && then < first || c.category == "medical" && c.first == "112" && strings.Contains(said, "3114") {
				t.Errorf("the help does not name %s, then %q:\n%s", c.first, c.then, said)
			}
		})
	}
}

// judgingAs is a model server whose classifier sees a crisis of this kind in every message, where the form of the
// answer lets it say so.
func judgingAs(t *testing.T, category, who string) (url string) {
	t.Helper()
	return answering(t, 3_000_000_000, func(_ string, form json.RawMessage) string {
		if !bytes.Contains(form, fmt.Appendf(nil, "%q", category)) {
			return `{"risk":"none","category":"none","who":"self"}`
		}
		return fmt.Sprintf(`{"risk":"crisis","category":%q,"who":%q}`, category, who)
	}, func(string) {})
}

// "The model was still loading when I wrote, so its alarm was thrown away." Who was not heard at the
// beginning of a turn is heard once a model answers in it, in this turn or when it is taken up again.
func TestCrisis_WhatTheModelSaysLateIsHeard(t *testing.T) {
	for _, agent := range []string{"navigator", "reasoner"} {
		for _, resumed := range []bool{false, true} {
			t.Run(fmt.Sprint(agent, " resumed ", resumed), func(t *testing.T) {
				t.Parallel()
				var ill, down atomic.Bool
				ill.Store(true)
				down.Store(resumed)
				well := alarmed(t, 3_000_000_000, true)
				target, err := url.Parse(well)
				if err != nil {
					t.Fatal(err)
				}
				proxy := httputil.NewSingleHostReverseProxy(target)
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/api/chat" {
						body, err := io.ReadAll(r.Body)
						if err != nil {
							t.Error(err)
						}
						asked := bytes.Contains(body, []byte(`"risk"`))
						if down.Load() || ill.Load() && asked {
							http.Error(w, `{"error":"model is not ready"}`, http.StatusInternalServerError)
							return
						}
						if !asked {
							ill.Store(false)
						}
						r.Body = io.NopCloser(bytes.NewReader(body))
					}
					proxy.ServeHTTP(w, r)
				}))
				t.Cleanup(s.Close)
				a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: s.URL})
				if err != nil {
					t.Fatal(err)
				}
				defer closeApp(t, a)
				if err := a.Set("region", json.RawMessage(`"FR"`)); err != nil {
					t.Fatal(err)
				}
				session := a.NewSessionID()
				out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Agent: agent, Text: "Everything lies beside me on the table now."})
				if resumed {
					if out.Run.Status != run.Failed {
						t.Fatalf("the turn is %s (%v)", out.Run.Status, err)
					}
					down.Store(false)
					out, err = a.ResumeTurn(t.Context(), out.Run.Turn)
				}
				if err != nil || out.Run.Status != run.Completed {
					t.Fatalf("the turn is %s (%v)", out.Run.Status, err)
				}
				if !strings.Contains(out.Run.Output, "What you can do now") || !strings.Contains(out.Run.Output, "3114") {
					t.Errorf("the turn answers %q", out.Run.Output)
				}
				for _, format := range []string{"md", "html"} {
					out, err := a.Export(app.ExportQuery{Session: session, Format: format})
					if text := exported(t, out); err != nil || strings.Count(text, "What you can do now") != 1 || !strings.Contains(text, "found by model") {
						t.Errorf("the export (%v):\n%s", err, text)
					}
				}
				sessions, _, err := a.Sessions(store.SessionQuery{})
				if err != nil || len(sessions) != 1 || strings.Contains(sessions[0].Title, "table") {
					t.Errorf("the session's title has the message: %+v (%v)", sessions, err)
				}
			})
		}
	}
}

// "It had just asked whether I am safe, and the reply below went on about papers as if nothing were."
// Whichever agent replies, its model is told of the check-in above; of a calm message nobody is told.
func TestCrisis_EveryAgentsReplyKnowsOfTheConcern(t *testing.T) {
	for _, agent := range []string{"reasoner", "navigator"} {
		for name, c := range map[string]struct {
			text, risk string
			told       bool
		}{
			"a weak sign of the words":  {"I feel so hopeless and alone", "none", true},
			"the model's concern alone": {"Which papers do I need for the visit?", "concern", true},
			"in French":                 {"Je me sens tellement seul et sans espoir", "none", true},
			"nothing":                   {"Which papers do I need for the visit?", "none", false},
		} {
			t.Run(agent+" "+name, func(t *testing.T) {
				t.Parallel()
				var lock sync.Mutex
				var prompts []string
				a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: judging(t, 3_000_000_000, func(string) string { return c.risk }, func(prompt string) {
					lock.Lock()
					defer lock.Unlock()
					prompts = append(prompts, prompt)
				})})
				if err != nil {
					t.Fatal(err)
				}
				defer closeApp(t, a)
				out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: a.NewSessionID(), Agent: agent, Text: c.text})
				if err != nil || out.Run.Status != run.Completed {
					t.Fatalf("the turn is %s (%v)", out.Run.Status, err)
				}
				lock.Lock()
				defer lock.Unlock()
				of := 0
				for _, p := range prompts {
					if !strings.Contains(p, c.text) {
						continue // it warms up
					}
					of++
					if n := strings.Count(p, turn.ConcernNote); n > 1 || (n == 1) != c.told {
						t.Errorf("the reply's prompt has the note %d times:\n%s", n, p)
					}
				}
				if of == 0 {
					t.Errorf("no reply was asked for: %q", prompts)
				}
			})
		}
	}
}

// "The model had said crisis at once, and help came with the reply." "I wrote that the gun is loaded,
// the model saw it, and nothing was said." Where a model says crisis help is there within a second, for
// what the words tell, for a doubt, and for what nobody but the model sees; every export keeps it.
func TestCrisis_HelpComesInASecondWhereTheModelSaysCrisis(t *testing.T) {
	const now, maintenant = "What you can do now", "Ce que vous pouvez faire maintenant"
	type message struct {
		text, first, says, number string
		unheard                   bool // by all but the model
	}
	list := []message{
		{"his hands around my throat", now, now, "3919", false},
		{"the gun is loaded", now, now, "3114", false},
		{"the voices tell me to hurt my baby", now, now, "3114", false},
		{"I have the pills next to me", now, now, "3114", false},
		{"his fingers are on my windpipe again", now, now, "3114", true},
		{"it is loaded and lies on the seat beside me", now, now, "3114", true},
		{"they keep telling me what to do with the little one", now, now, "3114", true},
		{"I have all of it lined up next to me", now, now, "3114", true},
		{"tout est posé là, sur la table basse", maintenant, maintenant, "3114", true},
		{"I feel so hopeless and alone", "are you safe right now?", now, "3114", false},
		{"Je me sens tellement seul et sans espoir", "en sécurité", maintenant, "3114", false},
		{"Je veux mourir, j'ai les cachets devant moi", maintenant, maintenant, "3114", false},
	}
	for _, c := range list {
		t.Run(c.text, func(t *testing.T) {
			a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: alarmed(t, 3_000_000_000, true)})
			if err != nil {
				t.Fatal(err)
			}
			defer closeApp(t, a)
			if err := a.Set("region", json.RawMessage(`"FR"`)); err != nil {
				t.Fatal(err)
			}
			session := a.NewSessionID()
			events, stop := a.Listen(session)
			defer stop()
			began := time.Now()
			if _, err := a.StartTurn(t.Context(), app.TurnRequest{Session: session, Text: c.text}); err != nil {
				t.Fatal(err)
			}
			shown, by := []string{}, ""
			for over := false; !over; {
				select {
				case e := <-events:
					switch e.Kind {
					case journal.Message:
						if d, err := journal.Read[journal.MessageData](e); err != nil || d.Template == "" {
							continue
						}
						if shown = append(shown, e.Text); len(shown) == 1 && time.Since(began) > time.Second && !raced {
							t.Errorf("help came after %s", time.Since(began))
						}
					case journal.SafetyChecked:
						d, err := journal.Read[journal.SafetyCheckedData](e)
						if err != nil {
							t.Fatal(err)
						}
						by = strings.Join(d.FoundBy, " ")
					case journal.TurnCompleted, journal.TurnFailed:
						over = true
					}
				case <-time.After(20 * time.Second):
					t.Fatal("the turn has no end")
				}
			}
			if len(shown) == 0 || !strings.Contains(shown[0], c.first) || !strings.Contains(shown[0], c.number) || !strings.Contains(shown[len(shown)-1], c.says) || !strings.Contains(shown[len(shown)-1], c.number) {
				t.Errorf("what was shown: %q", shown)
			}
			if (by == "model") != c.unheard {
				t.Errorf("it was found by %s", by)
			}
			for _, format := range []string{"md", "html", "json"} {
				out, err := a.Export(app.ExportQuery{Session: session, Format: format})
				if text := exported(t, out); err != nil || !strings.Contains(text, c.says) || !strings.Contains(text, c.number) {
					t.Errorf("the export as %s (%v):\n%s", format, err, text)
				}
			}
		})
	}
}

// "No model was there, and the journal says that one saw danger late." Why a turn ended is said truly.
func TestCrisis_HelpThatNeedsNoModelSaysNothingOfOne(t *testing.T) {
	for _, agent := range []string{"navigator", "reasoner", "filing", "researcher"} {
		a, err := app.Open(app.Options{Dir: t.TempDir(), Practice: true})
		if err != nil {
			t.Fatal(err)
		}
		defer closeApp(t, a)
		session := a.NewSessionID()
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Agent: agent, Text: "I want to kill myself tonight, I have the pills here"})
		if err != nil || out.Run.Status != run.Completed {
			t.Fatalf("%s: %s (%v)", agent, out.Run.Status, err)
		}
		events, err := a.Store.Journal(session, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if strings.Contains(e.Reason, "late") {
				t.Errorf("%s: %s says %q", agent, e.Kind, e.Reason)
			}
		}
	}
}
