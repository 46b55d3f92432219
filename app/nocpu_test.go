//go:build !unix

package app_test

import "time"

var began = time.Now()

// spent is the time that passed: how much of the processors this process used is not
// known here.
func spent() time.Duration { return time.Since(began) }
