//go:build unix && !linux

package encoder

// largePages leaves the pages as the system makes them.
func largePages([]byte) {}
