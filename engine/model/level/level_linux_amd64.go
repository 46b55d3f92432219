//go:build ollama && cgo

package level

/*
#include <stdlib.h>
#include "trial.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	// What the levels call: tensors, graphs, memory; and the level Base.
	_ "github.com/ollama/ollama/ml/backend/ggml/ggml/src"

	_ "holdpoint/engine/model/level/compiled"
)

// Names lists this build's levels, the best first, without Base.
func Names() (names []string) {
	for i := range int(C.holdpoint_levels()) {
		names = append(names, C.GoString(C.holdpoint_level_name(C.int(i))))
	}
	return names
}

// Use makes a level the one that this process computes models with. It must be called
// before the first model is loaded.
func Use(name string) error {
	if name == Base {
		return nil
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var why *C.char
	if C.holdpoint_level_use(text, &why) != 0 {
		return fmt.Errorf("level %s: %s", name, C.GoString(why))
	}
	return nil
}

// Try computes with a level what Base computes, and fails when the results differ. On a
// processor that lacks one of the level's instructions it ends the process, so a process
// of its own does this.
func Try(name string) error {
	if name == Base {
		return nil
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var why *C.char
	if C.holdpoint_level_try(text, &why) != 0 {
		return fmt.Errorf("level %s: %s", name, C.GoString(why))
	}
	return nil
}

// published are the quantisations that models are published in, and what their weights
// are made of: by far most of a file named …_M is of its first type.
// Models that are not quantised (F16) are read quickly, too, but write at a quarter of the speed.
var published = []struct {
	name  string
	parts map[string]float64
}{
	{"Q4_0", map[string]float64{"q4_0": 1}},
	{"Q4_1", map[string]float64{"q4_1": 1}},
	{"Q4_K_M", map[string]float64{"q4_K": 0.8, "q6_K": 0.2}},
	{"Q5_K_M", map[string]float64{"q5_K": 0.8, "q6_K": 0.2}},
	{"Q6_K", map[string]float64{"q6_K": 1}},
	{"Q8_0", map[string]float64{"q8_0": 1}},
}

// Measure times the quantisations that people publish with the level in use, for some
// tenths of a second in all. The quickest is first.
func Measure() ([]Speed, error) {
	type timed struct {
		gflops   float64
		repacked bool
	}
	known := map[string]timed{}
	var speeds []Speed
	for _, p := range published {
		s := Speed{Quantization: p.name}
		var time float64
		for part, share := range p.parts {
			t, ok := known[part]
			if !ok {
				text := C.CString(part)
				var gflops C.double
				var repacked C.int
				var why *C.char
				failed := C.holdpoint_level_speed(text, &gflops, &repacked, &why)
				C.free(unsafe.Pointer(text))
				if failed != 0 {
					return nil, fmt.Errorf("level: %s: %s", part, C.GoString(why))
				}
				t = timed{float64(gflops), repacked != 0}
				known[part] = t
			}
			time += share / t.gflops
			s.Repacked = s.Repacked || t.repacked
		}
		s.GFLOPS = 1 / time
		speeds = append(speeds, s)
	}
	slices.SortStableFunc(speeds, func(a, b Speed) int { return cmp.Compare(b.GFLOPS, a.GFLOPS) })
	return speeds, nil
}
