//go:build !linux

package app

import "errors"

var errNotTold = errors.New("app: this system does not tell")

func freeDisk(string) (uint64, error) { return 0, errNotTold }

func installed() (uint64, error) { return 0, errNotTold }

// Resident is how many bytes of the process are in memory.
func Resident() (uint64, error) { return 0, errNotTold }
