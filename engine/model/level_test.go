package model

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"holdpoint/engine/model/level"
)

func TestLevel_that_dies_of_an_illegal_instruction_gives_way_to_the_next(t *testing.T) {
	all := func(string) bool { return true }
	var tried []string
	dies := func(name string) error {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), illegalMode+"=1")
		return cmd.Run()
	}
	got := bestLevel([]string{"new", "wrong", "old"}, all, func(name string) error {
		tried = append(tried, name)
		switch name {
		case "new":
			err := dies(name)
			if err == nil {
				t.Fatal("it lives")
			}
			return err
		case "wrong":
			return errors.New("its results are wrong")
		}
		return nil
	})
	if got != "old" || strings.Join(tried, " ") != "new wrong old" {
		t.Fatal(got, tried)
	}
	if got := bestLevel([]string{"new"}, all, dies); got != level.Base {
		t.Fatal(got)
	}
}

func TestLevel_that_the_processor_says_it_lacks_is_not_tried(t *testing.T) {
	got := bestLevel([]string{"avx2"}, func(feature string) bool { return feature != "fma" }, func(string) error {
		t.Error("tried")
		return nil
	})
	if got != level.Base {
		t.Fatal(got)
	}
}

func TestOwn_says_which_level_it_computes_with(t *testing.T) {
	o, _ := fakeOwn(t, "works")
	if o.Level() != "" {
		t.Fatal("it does not run yet")
	}
	if _, err := o.URL(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := o.Level(); got != chooseLevel() {
		t.Fatal(got)
	}
}
