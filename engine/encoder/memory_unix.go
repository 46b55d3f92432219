//go:build unix

package encoder

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve returns n zero bytes outside Go's heap: the collector would let the heap grow by
// as much again. discard gives them back to the system.
func reserve(n int) []byte {
	m, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return make([]byte, n)
	}
	largePages(m)
	return m
}

func discard(m []byte) {
	if err := unix.Munmap(m); err != nil {
		return // it came from the heap
	}
}

// mapped is a file's content without reading it.
func mapped(f *os.File) (data []byte, release func(), err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.Size() <= 0 || info.Size() > 1<<30 {
		return nil, func() {}, nil
	}
	m, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return m, func() { discard(m) }, nil
}

// forget tells the system that memory of a file is not needed any more; it is read
// again when it is.
func forget(m []byte) {
	page := uintptr(os.Getpagesize())
	from := (uintptr(unsafe.Pointer(unsafe.SliceData(m))) + page - 1) / page * page
	skip := int(from - uintptr(unsafe.Pointer(unsafe.SliceData(m))))
	if n := (len(m) - skip) / int(page) * int(page); n > 0 {
		_ = unix.Madvise(m[skip:skip+n], unix.MADV_DONTNEED) // only memory is at stake
	}
}
