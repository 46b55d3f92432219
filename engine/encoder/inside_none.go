//go:build !encoder

package encoder

// inside is the weights file that the program has in it.
const inside = ""
