package app

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// freeDisk is the number of bytes that can still be written below dir.
func freeDisk(dir string) (uint64, error) {
	var s unix.Statfs_t
	err := unix.Statfs(dir, &s)
	return s.Bavail * uint64(s.Bsize), err
}

// installed is the machine's memory in bytes.
func installed() (uint64, error) {
	var s unix.Sysinfo_t
	err := unix.Sysinfo(&s)
	return uint64(s.Totalram) * uint64(s.Unit), err
}

// Resident is how many bytes of the process are in memory.
func Resident() (uint64, error) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("app: %w", err)
	}
	var all, resident uint64
	if _, err := fmt.Sscan(string(data), &all, &resident); err != nil {
		return 0, fmt.Errorf("app: %w", err)
	}
	return resident * uint64(os.Getpagesize()), nil
}
