package turn

import "time"

// JudgeWithin shortens the wait for the classifier, and returns what takes that back.
func JudgeWithin(d time.Duration) (back func()) {
	was := judgeTime
	judgeTime = d
	return func() { judgeTime = was }
}

// Uncalled and Throughout are what is for people in a text, and the same without a look at its signs first.
func Uncalled(text string) (string, bool)   { return uncalled(text, between) }
func Throughout(text string) (string, bool) { return throughout(text, between) }
