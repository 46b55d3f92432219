//go:build race

package app_test

// raced says that the race detector makes everything some times slower.
const raced = true
