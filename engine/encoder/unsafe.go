package encoder

import "unsafe"

// byteString is the bytes as a string; they are not written to any more.
func byteString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// stringBytes is the string as bytes; they must not be written to.
func stringBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// signed is the same memory, read with signs.
func signed(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

// asTokens is memory without pointers as tokens.
func asTokens(b []byte, n int) []token {
	return unsafe.Slice((*token)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

const tokenSize = int(unsafe.Sizeof(token{}))
