package turn_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"holdpoint/engine/model"
	"holdpoint/engine/turn"
)

// Turns that failed said nothing, and a person still expects to be remembered.
func TestRecall_LooksFurtherBackWhenTurnsHadNoReply(t *testing.T) {
	for turns := range 100 {
		got, err := turn.Recall(turns, func(n int) (out []turn.Exchange, _ error) {
			for i := n; i < turns; i++ {
				if i%3 == 0 {
					out = append(out, turn.Exchange{User: fmt.Sprint("q", i)})
				}
			}
			return out, nil
		})
		if err != nil || len(got) < min((turns+2)/3, 12) || len(got) > 24 {
			t.Errorf("after %d turns %d exchanges are known (%v)", turns, len(got), err)
		}
	}
}

// TestRecall_LeavesBlocks holds the beginning of a long conversation still.
func TestRecall_LeavesBlocks(t *testing.T) {
	var all []turn.Exchange
	moved, first := 0, ""
	for i := range 100 {
		all = append(all, turn.Exchange{User: fmt.Sprint("q", i), Reply: fmt.Sprint("a", i)})
		read := 0
		got, err := turn.Recall(len(all), func(n int) ([]turn.Exchange, error) { read = len(all) - n; return all[n:], nil })
		if err != nil || read > 24 {
			t.Fatalf("%d exchanges were read (%v)", read, err)
		}
		if last := got[len(got)-1]; !reflect.DeepEqual(last, all[i]) || len(got) > 24 || len(got) < min(i+1, 12) {
			t.Fatalf("of %d exchanges %d are left, and the last is %v", i+1, len(got), last)
		}
		if got[0].User != first {
			moved++
			first = got[0].User
		}
	}
	if moved > 8 {
		t.Errorf("the beginning moved %d times", moved)
	}
}

// "It read the whole conversation again for each message": what is left of a long one
// begins where it began, but for one turn of some.
func TestTrim_TheBeginningStaysForSomeTurns(t *testing.T) {
	var talk []model.Message
	moved, first := 0, ""
	for i := range 60 {
		talk = append(talk, model.Message{Role: "user", Text: fmt.Sprintf("question %2d", i)}, model.Message{Role: "assistant", Text: fmt.Sprintf("answer %4d", i)})
		got := turn.Trim(talk, turn.Limit{Room: 10 * 22, Longest: turn.LongestSaid})
		if n := len(got); n > 20 || n < min(len(talk), 12) || !reflect.DeepEqual(got, talk[len(talk)-n:]) || got[0].Role != "user" {
			t.Fatalf("of %d messages these are left: %v", len(talk), got)
		}
		if got[0].Text != first {
			moved++
			first = got[0].Text
		}
	}
	if moved > 60/4+1 {
		t.Errorf("the beginning moved %d times", moved)
	}
}

// "It forgot what I said a minute ago": where little fits, something is left.
func TestTrim_WhereLittleFitsTheNewestIsLeft(t *testing.T) {
	var talk []model.Message
	for i := range 9 {
		talk = append(talk, model.Message{Role: "user", Text: fmt.Sprintf("question %2d", i)}, model.Message{Role: "assistant", Text: fmt.Sprintf("answer %4d", i)})
		if got := turn.Trim(talk, turn.Limit{Room: 3 * 22, Longest: turn.LongestSaid}); len(got) == 0 || len(got) > 6 || !reflect.DeepEqual(got, talk[len(talk)-len(got):]) {
			t.Errorf("of %d messages these are left: %v", len(talk), got)
		}
	}
	call := model.Message{Role: "assistant", Calls: []model.Call{{ID: "1", Tool: "look"}}}
	long := []model.Message{talk[0], talk[1], {Role: "user", Text: "all of it"}, call, {Role: "tool", Call: "1", Text: strings.Repeat("much ", 100)}, {Role: "assistant", Text: "It is much."}}
	if got := turn.Trim(long, turn.Limit{Room: 40, Longest: turn.LongestSaid}); !reflect.DeepEqual(got, long[5:]) {
		t.Errorf("of an exchange that is too long: %v", got)
	}
	// Each exchange with its calls and results, or not at all.
	if got := turn.Trim(append(long[2:6:6], talk[:2]...), turn.Limit{Room: 80, Longest: turn.LongestSaid}); !reflect.DeepEqual(got, talk[:2]) {
		t.Errorf("half an exchange: %v", got)
	}
	if got := turn.Trim(talk, turn.Limit{Room: 0, Longest: turn.LongestSaid}); len(got) != 0 {
		t.Errorf("without room: %v", got)
	}
	if got := turn.Trim(nil, turn.Limit{Room: 10, Longest: turn.LongestSaid}); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestConversation_IsTheHistoryInOrder(t *testing.T) {
	want := []model.Message{{Role: "user", Text: "a"}, {Role: "assistant", Text: "b"}}
	if got := turn.Conversation([]turn.Exchange{{User: "a", Reply: "b"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

// "It answered: this turn awaits a person." A model takes what stands there as its own
// words for how it speaks.
func TestConversation_WhatBecameOfATurnIsNotTheModelsOwnWords(t *testing.T) {
	got := turn.Conversation([]turn.Exchange{{User: "Book it.", Ended: "This turn waits for a person."}, {User: "And?", Reply: "Half an ans", Ended: "It was stopped."}})
	want := []model.Message{{Role: "user", Text: "Book it."}, {Role: "system", Text: "This turn waits for a person."},
		{Role: "user", Text: "And?"}, {Role: "assistant", Text: "Half an ans"}, {Role: "system", Text: "It was stopped."}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the model sees %+v", got)
	}
}

// "It is told six exchanges, however short or long they were." A number of exchanges is a limit of its own.
func TestTrim_ANumberOfExchangesIsKeptWholeWhateverItsLength(t *testing.T) {
	var talk []model.Message
	for i := range 9 {
		talk = append(talk, model.Message{Role: "user", Text: fmt.Sprintf("question %2d", i)}, model.Message{Role: "assistant", Text: strings.Repeat("long\n", 900) + fmt.Sprint(i)})
		if got := turn.Trim(talk, turn.Limit{Exchanges: 6}); !reflect.DeepEqual(got, talk[max(0, len(talk)-12):]) {
			t.Errorf("of %d messages %d are left", len(talk), len(got))
		}
	}
	for _, m := range turn.Trim(talk, turn.Limit{Exchanges: 2, Longest: 20}) {
		if len([]rune(m.Text)) > 21 {
			t.Errorf("a message of %d characters is left", len(m.Text))
		}
	}
}
