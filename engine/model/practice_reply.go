package model

import "strings"

// PracticeNote ends every reply, so that nobody takes it for a model's.
const PracticeNote = " (Practice mode: this answer is scripted.)"

// refusal words a result that is no success; "" for one that is.
func refusal(s Result) string {
	reason := Field(s.Value, "reason")
	if reason == "" {
		reason = Field(s.Value, "error")
	}
	because := "."
	if reason = strings.TrimRight(OneLine(reason, 300), ". "); reason != "" {
		because = ": " + reason + "."
	}
	switch Field(s.Value, "status") {
	case "rejected", "denied":
		return "I understand: the reviewer did not approve this" + because + " Nothing was changed. Shall I suggest something else?" + PracticeNote
	case "refused":
		return "That was not possible" + because + " Nothing was changed. Shall I look for another way?" + PracticeNote
	case "failed", "error", "unknown":
		return "That did not work" + because + " I don't count on it having happened; please check the record." + PracticeNote
	}
	if Field(s.Value, "error") != "" {
		return "That did not work" + because + PracticeNote
	}
	return ""
}

// reply words the turn's results, or answers without any.
func (s *Scene) reply() string {
	text := ""
	if n := len(s.Results); n > 0 {
		last := s.Results[n-1]
		if no := refusal(last); no != "" {
			return no // also when it insisted and cannot call again
		}
		text = s.first(func(x *Script) string {
			if x.Told == nil {
				return ""
			}
			return x.Told(s, last)
		})
		if text == "" {
			text = "Done: " + last.Tool + " answered " + OneLine(last.Text, 200) + "."
		}
		return text + PracticeNote
	}
	for _, of := range []func(*Script) func(*Scene) string{
		func(x *Script) func(*Scene) string { return x.Says }, func(x *Script) func(*Scene) string { return x.Greeting },
	} {
		if text == "" {
			text = s.first(func(x *Script) string {
				if say := of(x); say != nil {
					return say(s)
				}
				return ""
			})
		}
	}
	if text == "" {
		text = "Thank you for telling me."
	}
	return text + PracticeNote
}
