package encoder

import "golang.org/x/sys/unix"

// largePages asks the system for pages of 2 MB: a token's values lie anywhere, and the first
// touch of each page takes as long as reading it ten times.
func largePages(m []byte) {
	_ = unix.Madvise(m, unix.MADV_HUGEPAGE) // only time is at stake
}
