package encoder

import "golang.org/x/sys/unix"

// largePages asks the system for pages of 2 MB. Tokens lie anywhere in them, and touching
// small pages for the first time took a fifth of a first long message.
func largePages(m []byte) {
	_ = unix.Madvise(m, unix.MADV_HUGEPAGE) // only time is at stake
}
