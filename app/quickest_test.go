package app

import (
	"testing"

	"holdpoint/engine/model"
)

// "I pulled what the doctor named, and another file of the same model is read three times as fast." What was
// measured to be the quickest is named, with how much slower the others are, and so are the models in it.
func TestQuickest_NamesWhatThisMachineReadsFastestAndWhatToPull(t *testing.T) {
	for _, c := range []struct {
		speeds []model.Speed
		says   string
	}{
		{[]model.Speed{{Quantization: "Q4_0", GFLOPS: 60}, {Quantization: "Q8_0", GFLOPS: 40}, {Quantization: "Q4_1", GFLOPS: 20}},
			"prompts in Q4_0 (at level avx2: 1.5 × Q8_0, 3.0 × Q4_1); to pull: llama3.2:3b-instruct-q4_0, llama3.2:1b-instruct-q4_0, qwen2.5:7b-instruct-q4_0"},
		// It is as the library spells it.
		{[]model.Speed{{Quantization: "Q4_K_M", GFLOPS: 60}, {Quantization: "Q4_0", GFLOPS: 50}},
			"prompts in Q4_K_M (at level avx2: 1.2 × Q4_0); to pull: llama3.2:3b-instruct-q4_K_M, llama3.2:1b-instruct-q4_K_M, qwen2.5:7b-instruct-q4_K_M"},
		{nil, ""},
	} {
		if got := fastest(c.speeds, "avx2"); got != c.says {
			t.Errorf("%+v: %q, want %q", c.speeds, got, c.says)
		}
	}
}
