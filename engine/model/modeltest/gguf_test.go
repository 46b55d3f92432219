package modeltest

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func TestWriteTinyGGUF_writes_the_same_small_file_each_time(t *testing.T) {
	var a, b bytes.Buffer
	for _, w := range []*bytes.Buffer{&a, &b} {
		if err := WriteTinyGGUF(w); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) || a.Len() > 600_000 {
		t.Fatalf("%d and %d bytes", a.Len(), b.Len())
	}
	head := a.Bytes()
	if string(head[:4]) != "GGUF" || binary.LittleEndian.Uint32(head[4:]) != 3 || binary.LittleEndian.Uint64(head[8:]) != 3+9*layers {
		t.Fatalf("% x", head[:24])
	}
}
