package model

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
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

func TestLevel_of_which_the_processor_lacks_one_feature_gives_way_to_the_next(t *testing.T) {
	names := []string{"avx512", "avxvnni", "avx2"} // the best first
	for i, name := range names {
		for _, lacked := range levelNeeds[name] {
			want := level.Base
			for _, next := range names[i+1:] {
				if !slices.Contains(levelNeeds[next], lacked) {
					want = next
					break
				}
			}
			var tried []string
			got := bestLevel(names[i:], func(feature string) bool { return feature != lacked }, func(name string) error {
				tried = append(tried, name)
				return nil
			})
			if got != want || slices.Contains(tried, name) {
				t.Errorf("%s without %s: %s after %q, not %s", name, lacked, got, tried, want)
			}
		}
	}
}

func TestLevel_of_this_build_needs_something_of_the_processor(t *testing.T) {
	for _, name := range level.Names() {
		if len(levelNeeds[name]) == 0 {
			t.Errorf("%s would be tried on every processor", name)
		}
	}
}

// "My virtual machine says that it has AMX, and the model server died of it." What a level is compiled with
// is what the processor is asked for before its trial; none has AMX, which some virtual machines claim and lack.
func TestLevel_is_compiled_for_what_the_processor_is_asked_for(t *testing.T) {
	script, err := os.ReadFile("../../build/levels")
	if err != nil {
		t.Fatal(err)
	}
	variables, built := map[string]string{}, map[string]bool{}
	for line := range strings.Lines(string(script)) {
		line = strings.TrimSpace(line)
		if name, flags, ok := strings.Cut(strings.TrimSuffix(line, ")"), "=("); ok && strings.HasPrefix(flags, "-m") {
			variables[`"${`+name+`[@]}"`] = flags
		}
		if !strings.HasPrefix(line, "level ") {
			continue
		}
		fields := strings.Fields(line)
		for variable, flags := range variables {
			line = strings.ReplaceAll(line, variable, flags)
		}
		var needs []string
		for _, flag := range strings.Fields(line)[2:] {
			feature := strings.TrimPrefix(flag, "-m")
			// Who has AVX2 has these.
			if feature != "sse4.2" && feature != "avx" {
				needs = append(needs, feature)
			}
		}
		name := fields[1]
		built[name] = true
		if !slices.Equal(needs, levelNeeds[name]) || strings.Contains(line, "amx") {
			t.Errorf("%s is compiled with %q, and the processor is asked for %q", name, needs, levelNeeds[name])
		}
	}
	for name := range levelNeeds {
		if !built[name] {
			t.Errorf("%s is never compiled", name)
		}
	}
}

func TestProcessor_has_the_features_that_the_system_names(t *testing.T) {
	said, err := os.ReadFile("/proc/cpuinfo")
	_, flags, found := strings.Cut(string(said), "\nflags\t\t: ")
	if err != nil || !found || runtime.GOARCH != "amd64" {
		t.Skip("this system names none")
	}
	flags, _, _ = strings.Cut(flags, "\n")
	// The system writes avx512_vnni where the compiler writes avx512vnni.
	known := strings.Fields(strings.ReplaceAll(flags, "_", ""))
	for name, needs := range levelNeeds {
		for _, feature := range needs {
			if got := hasCPU(feature); got != slices.Contains(known, feature) {
				t.Errorf("%s for %s: %v", feature, name, got)
			}
		}
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
