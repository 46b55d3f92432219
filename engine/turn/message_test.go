package turn_test

import (
	"fmt"
	"reflect"
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

// TestTrim_LeavesBlocks holds the beginning of a long conversation still.
func TestTrim_LeavesBlocks(t *testing.T) {
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
