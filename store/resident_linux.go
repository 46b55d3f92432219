package store

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// mostMapped is how much of files may stay in memory while the store is read, in bytes: the
// program itself takes some 35 MB of that.
const mostMapped = 80 << 20

// relax gives memory back: every page of the file that was read stays in the process, until
// all of a large library is. The pages stay in the system's cache; reading them again costs
// microseconds. The transaction is open, so bbolt does not move the file's mapping meanwhile.
func (t *boltTx) relax() {
	size := t.tx.Size()
	if size < mostMapped/2 {
		return
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	fields := bytes.Fields(statm)
	if len(fields) < 3 {
		return
	}
	if shared, err := strconv.ParseInt(string(fields[2]), 10, 64); err != nil || shared*int64(os.Getpagesize()) < mostMapped {
		return
	}
	// Only memory is at stake, so an error is none.
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, t.tx.DB().Info().Data, uintptr(size), unix.MADV_DONTNEED)
}
