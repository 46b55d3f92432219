package model

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
)

// TestPractice_plays_a_script lets one tool be called, and its result be told.
func TestPractice_plays_a_script(t *testing.T) {
	p := &Practice{Scripts: []Script{{}, {
		Wishes: []Wish{{Name: "drill", Words: regexp.MustCompile(`drill`), Tools: []string{"drill_well"}}},
		Arguments: func(s *Scene, _ string, _ int) (map[string]string, string) {
			return map[string]string{"well": "w1"}, ""
		},
		Told:     func(_ *Scene, last Result) string { return last.Tool + " did " + Field(last.Value, "status") },
		Greeting: func(*Scene) string { return "Which well?" },
	}}}
	r := ask("drill it")
	r.Tools = []Tool{{Name: "drill_well", Parameters: []byte(`{"type":"object","properties":{"well":{"type":"string"},"depth":{"type":"integer","minimum":7}},"required":["well","depth"]}`)}}
	answer, _, err := chat(t, p, r)
	if err != nil || len(answer.Message.Calls) != 1 || string(answer.Message.Calls[0].Arguments) != `{"depth":7,"well":"w1"}` {
		t.Fatalf("%+v %v", answer, err)
	}
	r.Messages = append(r.Messages, answer.Message, Message{Role: "tool", Call: answer.Message.Calls[0].ID, Tool: "drill_well", Text: `{"status":"done"}`})
	if answer, _, err = chat(t, p, r); err != nil || answer.Message.Text != "drill_well did done"+PracticeNote {
		t.Fatalf("%+v %v", answer, err)
	}
	if answer, _, err = chat(t, p, ask("hello")); err != nil || answer.Message.Text != "Which well?"+PracticeNote {
		t.Fatalf("%+v %v", answer, err)
	}
}

func TestPractice_fills_any_schema(t *testing.T) {
	r := ask("x")
	r.Format = []byte(`{"type":"object","properties":{"completeness":{"type":"number"},"ok":{"type":"boolean"},"n":{"type":"integer","minimum":3},"s":{"type":["null","string"],"minLength":3},"d":{"type":"string","format":"date-time"},"o":{"anyOf":[{"const":5}]},"e":{"enum":["high","low"]}}}`)
	want := `{"completeness":0.8,"d":"2030-01-01T09:00:00Z","e":"low","n":3,"o":5,"ok":false,"s":"x.."}`
	if answer, _, err := chat(t, &Practice{}, r); err != nil || answer.Message.Text != want {
		t.Fatalf("%s %v", answer.Message.Text, err)
	}
}

func TestPractice_ends_with_its_context_and_keeps_what_was_said(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	words := 0
	p := &Practice{Pace: func(ctx context.Context) error {
		if words++; words == 3 {
			cancel()
		}
		return ctx.Err()
	}}
	answer, err := p.Chat(ctx, ask("hello"), nil)
	if !errors.Is(err, context.Canceled) || answer.Message.Text != "Thank you " {
		t.Fatalf("%+v %v", answer, err)
	}
}

func TestPractice_says_that_it_is_practice(t *testing.T) {
	info, err := (&Practice{}).Info(context.Background())
	if err != nil || !info.Practice || info.Name != "practice" {
		t.Fatalf("%+v %v", info, err)
	}
	r := ask("hello there")
	r.MaxTokens = 2
	if answer, _, err := chat(t, &Practice{}, r); err != nil || !answer.Cut || answer.Usage.OutputTokens != 2 || answer.Usage.Evaluated == nil || *answer.Usage.Evaluated != answer.Usage.PromptTokens {
		t.Fatalf("%+v %v", answer, err)
	}
}

// "It said that the note is written, and I had rejected it twice."
func TestPractice_StubbornSaysWhatBecameOfWhatItMayNotCallAgain(t *testing.T) {
	p := &Practice{Manner: Stubborn, Scripts: []Script{{
		Wishes: []Wish{{Name: "drill", Words: regexp.MustCompile(`drill`), Tools: []string{"drill_well"}}},
		Told:   func(*Scene, Result) string { return "It is drilled." },
	}}}
	r := ask("drill it")
	for _, id := range []string{"c1", "c2"} {
		r.Messages = append(r.Messages, Message{Role: "assistant", Calls: []Call{{ID: id, Tool: "drill_well", Arguments: []byte(`{}`)}}},
			Message{Role: "tool", Call: id, Tool: "drill_well", Text: `{"status":"rejected","reason":"no"}`})
	}
	if answer, _, err := chat(t, p, r); err != nil || len(answer.Message.Calls) > 0 || !strings.Contains(answer.Message.Text, "did not approve this: no. Nothing was changed.") {
		t.Fatalf("%+v %v", answer, err)
	}
}

// "My graph works on a list that the model makes, and in practice mode the list was always empty."
func TestPractice_GivesAnAuthorsListsItemsAndNumbersAScale(t *testing.T) {
	const schema = `{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}},"one":{"type":"array","maxItems":1,"items":{"type":"string"}},"o":{"type":"array","items":{"type":"object","properties":{"s":{"type":"string"}}}},"p":{"type":"integer","minimum":0,"maximum":10},"f":{"type":"number","minimum":1,"maximum":2}}}`
	own := Script{Own: func(s *Scene) bool { return strings.HasPrefix(s.System, "Your step is") }}
	fill := func(system, schema string, manner Manner) string {
		t.Helper()
		r := ask("x")
		r.Messages = append([]Message{{Role: "system", Text: system}}, r.Messages...)
		r.Format = []byte(schema)
		answer, _, err := chat(t, &Practice{Scripts: []Script{own}, Manner: manner}, r)
		if err != nil {
			t.Fatal(err)
		}
		return answer.Message.Text
	}
	for want, got := range map[string]string{
		`{"f":1.8,"l":["x (1)","x (2)"],"o":[{"s":"x"},{"s":"x"}],"one":["x"],"p":8}`: fill("Your step is a (prompt).", schema, ""),
		`{"f":1,"l":["x (1)","x (2)"],"o":[{"s":"x"},{"s":"x"}],"one":["x"],"p":0}`:   fill("Your step is a (prompt).", schema, Stubborn),
		`{"f":1,"l":[],"o":[],"one":[],"p":1}`:                                        fill("You are an assistant.", schema, ""),
		`{"l":[]}`:                                                                    fill("Your step is a (critique).", `{"title":"critique","type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}}}`, ""),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
