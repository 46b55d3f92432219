package model

import "golang.org/x/sys/cpu"

// cpuNeeded names the processor features that all C++ code of this build uses, levels aside,
// comma-separated: -ldflags "-X holdpoint/engine/model.cpuNeeded=$HOLDPOINT_CPU".
var cpuNeeded string

// hasCPU says whether this processor has a feature, by the compiler's name for it, and the
// system keeps its registers.
func hasCPU(feature string) bool {
	switch feature {
	case "avx2":
		return cpu.X86.HasAVX2
	case "fma":
		return cpu.X86.HasFMA
	case "f16c":
		return cpu.X86.HasF16C
	case "bmi2":
		return cpu.X86.HasBMI2
	case "avxvnni":
		return cpu.X86.HasAVXVNNI
	case "avx512f":
		return cpu.X86.HasAVX512F
	case "avx512cd":
		return cpu.X86.HasAVX512CD
	case "avx512vl":
		return cpu.X86.HasAVX512VL
	case "avx512dq":
		return cpu.X86.HasAVX512DQ
	case "avx512bw":
		return cpu.X86.HasAVX512BW
	case "avx512vbmi":
		return cpu.X86.HasAVX512VBMI
	case "avx512vnni":
		return cpu.X86.HasAVX512VNNI
	}
	// What isn't known can't be promised.
	return false
}

// missingCPU lists the features that are needed and not there.
func missingCPU(needed []string, has func(string) bool) (missing []string) {
	for _, feature := range needed {
		if feature != "" && !has(feature) {
			missing = append(missing, feature)
		}
	}
	return missing
}
