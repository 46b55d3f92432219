package turn

import "time"

// JudgeWithin shortens the wait for the classifier, and returns what takes that back.
func JudgeWithin(d time.Duration) (back func()) {
	was := judgeTime
	judgeTime = d
	return func() { judgeTime = was }
}
