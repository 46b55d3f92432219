package model

import "strings"

// PracticeNote ends every reply, so that nobody takes it for a model's.
const PracticeNote = " (Practice mode: this answer is scripted.)"

// noted is a reply with that note, which stands apart from a list.
func (s *Scene) noted(text string) string {
	note := s.Say(PracticeNote)
	if strings.Contains(text, "\n") {
		note = "\n\n" + strings.TrimSpace(note)
	}
	return text + note
}

// refusal words a result that is no success; "" for one that is.
func (s *Scene) refusal(r Result) string {
	reason := Field(r.Value, "reason")
	if reason == "" {
		reason = Field(r.Value, "error")
	}
	because := "."
	if reason = strings.TrimRight(OneLine(reason, 300), ". "); reason != "" {
		because = s.Say(": %s.", s.Told(reason))
	}
	switch Field(r.Value, "status") {
	case "rejected", "denied":
		return s.noted(s.Say("I understand: the reviewer did not approve this%s Nothing was changed. Shall I suggest something else?", because))
	case "refused":
		return s.noted(s.Say("That was not possible%s Nothing was changed. Shall I look for another way?", because))
	case "failed", "error", "unknown":
		return s.noted(s.Say("That did not work%s I don't count on it having happened; please check the record.", because))
	}
	if Field(r.Value, "error") != "" {
		return s.noted(s.Say("That did not work%s", because))
	}
	return ""
}

// reply words the turn's results, or answers without any.
func (s *Scene) reply() string {
	text := ""
	if n := len(s.Results); n > 0 {
		last := s.Results[n-1]
		if no := s.refusal(last); no != "" {
			return no // also when it insisted and cannot call again
		}
		text = s.first(func(x *Script) string {
			if x.Told == nil {
				return ""
			}
			return x.Told(s, last)
		})
		if text == "" {
			text = s.Say("Done: %s answered %s.", last.Tool, OneLine(last.Text, 200))
		}
		return s.noted(text)
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
		text = s.Say("Thank you for telling me.")
	}
	return s.noted(text)
}
