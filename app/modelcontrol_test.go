package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// "The first answer of the small model takes so long": what it sees in a harmless sentence is
// part of its check, and a turn asks that only where nobody checked it. What follows of it is the same.
func TestModels_WhatACheckFoundOfAHarmlessSentenceIsNotAskedInATurn(t *testing.T) {
	const small = 134_515_008
	for _, alike := range []bool{true, false} {
		said := map[string][]string{} // what each agent's turn said of the check, unchecked and checked
		for _, checked := range []bool{false, true} {
			t.Run(fmt.Sprintf("alike %v, checked %v", alike, checked), func(t *testing.T) {
				var mu sync.Mutex
				controls := 0
				a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: judging(t, small, func(last string) string {
					if harmless := strings.Contains(last, "on Monday") || strings.Contains(last, "lundi"); harmless {
						mu.Lock()
						defer mu.Unlock()
						if controls++; !alike {
							return "none"
						}
					}
					return "crisis"
				}, func(string) {})})
				if err != nil {
					t.Fatal(err)
				}
				defer closeApp(t, a)
				if checked {
					if _, err := a.Models.Check(t.Context(), "", func(int, int) {}); err != nil {
						t.Fatal(err)
					}
					mu.Lock()
					controls = 0
					mu.Unlock()
				}
				for _, q := range []struct{ agent, text string }{{"navigator", "Everything lies beside me on the table now."}, {"navigator", "Quels papiers faut-il pour le rendez-vous ?"}, {"reasoner", "Everything lies beside me on the table now."}} {
					out, err := a.RunTurn(t.Context(), app.TurnRequest{Agent: q.agent, Text: q.text})
					if err != nil || out.Run.Status != run.Completed {
						t.Fatalf("the turn is %s (%v)", out.Run.Status, err)
					}
					events, err := a.Store.Journal(out.Run.Session, 0, 1000)
					if err != nil {
						t.Fatal(err)
					}
					reason := ""
					for _, e := range events {
						if d, err := journal.Read[journal.SafetyCheckedData](e); err == nil && e.Kind == journal.SafetyChecked {
							reason += d.Level + ": " + d.Reason + "; "
						}
					}
					key := q.agent + q.text
					if said[key] = append(said[key], reason); said[key][0] != reason {
						t.Errorf("%s says %q, and unchecked %q", q.agent, reason, said[key][0])
					}
				}
				mu.Lock()
				defer mu.Unlock()
				if checked != (controls == 0) {
					t.Errorf("the turns asked about a harmless sentence %d times", controls)
				}
			})
		}
	}
}

// "Nobody told me to check it": a model that is chosen is checked by itself, once, and gives way
// to the turn that is begun meanwhile.
func TestModels_AChosenModelIsCheckedWhileNothingElseIsDone(t *testing.T) {
	began, gaveWay := make(chan struct{}, 100), make(chan struct{}, 100)
	var mu sync.Mutex
	hang := true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/version":
			fmt.Fprint(w, `{"version":"0.24.0"}`)
		case "/api/tags":
			fmt.Fprint(w, `{"models":[{"name":"stub:latest","model":"stub:latest","digest":"d1","size":1},{"name":"vectors:latest","model":"vectors:latest","digest":"d2","size":1}]}`)
		case "/api/show":
			fmt.Fprint(w, `{"capabilities":["completion"],"model_info":{"llama.context_length":8192}}`)
		case "/api/chat":
			began <- struct{}{}
			mu.Lock()
			wait := hang
			hang = false
			mu.Unlock()
			if wait {
				buffer := make([]byte, 64<<10) // a server hears of the client's end once the body was read
				for {
					if _, err := r.Body.Read(buffer); err != nil {
						break
					}
				}
				<-r.Context().Done()
				gaveWay <- struct{}{}
				return
			}
			fmt.Fprintln(w, `{"message":{"role":"assistant","content":"{}"},"done":false}`)
			fmt.Fprintln(w, `{"message":{"content":""},"done":true,"done_reason":"stop"}`)
		}
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	if err := a.Models.SetRole(t.Context(), "main", "stub:latest"); err != nil {
		t.Fatal(err)
	}
	<-began
	turn, err := a.StartTurn(t.Context(), app.TurnRequest{Text: "Hello", Practice: true, Manner: "slow"})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-gaveWay:
	case <-time.After(10 * time.Second):
		t.Fatal("the check goes on beside the turn")
	}
	if err := a.Stop(turn.Turn); err != nil { // it would be slow to end by itself
		t.Fatal(err)
	}
	jobs := a.Jobs()
	if len(jobs) != 1 || jobs[0].Kind != "check_model" {
		t.Fatalf("jobs: %+v", jobs)
	}
	if err := a.WaitJob(jobs[0].ID, func(app.Job) {}); err != nil {
		t.Fatal(err)
	}
	if v, err := a.Models.View(t.Context()); err != nil || v.Models[0].Check == nil {
		t.Errorf("%+v, %v", v.Models, err)
	}
	if err := a.Models.SetRole(t.Context(), "light", "stub:latest"); err != nil || len(a.Jobs()) != 1 {
		t.Errorf("what is known is checked again: %+v, %v", a.Jobs(), err)
	}
}
