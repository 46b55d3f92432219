// Package level holds the model server's arithmetic, compiled once for each level of
// processor instructions, and finds out by running which of them work here. The levels
// are made by build/levels; where it makes none (other systems and processors, builds
// without the tag ollama) there is only Base.
//
// A level is ggml's CPU backend under a name of its own; Use puts it in the place of the
// one that is linked with the server. What a processor says of itself is not enough: in
// some virtual machines instructions fail that it claims to have. So a level is used only
// after a process of its own computed with it what Base computes (Try).
package level

// Base is the arithmetic that was compiled with the rest of the server. It works wherever
// this program starts.
const Base = "base"

// Speed is how fast a quantisation is read at a level: prompts are products of its weights
// with many tokens at once.
type Speed struct {
	// Quantization is the name under which models are published, e.g. Q4_0 or Q4_K_M.
	Quantization string `json:"quantization"`
	// GFLOPS is what one core does, in thousands of millions of operations a second.
	GFLOPS float64 `json:"gflops"`
	// Repacked says that the weights are reordered when the model is loaded.
	Repacked bool `json:"repacked,omitempty"`
}
