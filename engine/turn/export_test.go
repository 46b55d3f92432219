package turn

import "time"

// JudgeWithin shortens the wait for the classifier, and returns what takes that back.
func JudgeWithin(d time.Duration) (back func()) {
	was := judgeTime
	judgeTime = d
	return func() { judgeTime = was }
}

// Uncalled and Throughout are what is for people in a text, and the same without a look at its signs first.
var Uncalled, Throughout = uncalled, throughout
