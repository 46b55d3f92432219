package app_test

import (
	"fmt"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
)

// "I had read half of it before it said that the model is too small." Each piece says who writes,
// also to a screen that comes to it in the middle.
func TestStream_ThePiecesOfAVerySmallModelSaySo(t *testing.T) {
	for _, weights := range []int64{135_000_000, 3_000_000_000} {
		t.Run(fmt.Sprint(weights), func(t *testing.T) {
			a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: judging(t, weights, func(string) string { return "none" }, func(string) {})})
			if err != nil {
				t.Fatal(err)
			}
			defer closeApp(t, a)
			session := a.NewSessionID()
			events, stop := a.Listen(session)
			defer stop()
			if _, err := a.StartTurn(t.Context(), app.TurnRequest{Session: session, Text: "Which papers do I need on Monday?"}); err != nil {
				t.Fatal(err)
			}
			pieces := 0
			for e := range events {
				if e.Kind == journal.Token {
					pieces++
					e.Render()
					if d, err := journal.Read[journal.TokenData](e); err != nil || d.Weak != (weights < 300_000_000) {
						t.Errorf("piece %d says %+v (%v)", pieces, d, err)
					}
				}
				if e.Kind == journal.TurnCompleted || e.Kind == journal.TurnFailed {
					break
				}
			}
			if pieces == 0 {
				t.Error("nothing was streamed")
			}
		})
	}
}
