package safety

// hurt says that a message tells of violence against its writer.
func hurt(text string) bool {
	t := tellsOf(quotedPart.ReplaceAllString(text, " "))
	return t.except("not_me").of("hurts_me") || t.except("de_soi").of("me_blesse")
}

// hurts makes the writer the one in danger where a message tells of violence against them, whatever saw the danger: with
// the help against violence, for a young person with that for children. What the writer may do themselves, and what
// another may do to themselves, stays.
func (a *Assessment) hurts(text string) {
	if a.Level == Calm || longer(text) || !hurt(text) {
		return
	}
	t := tellsOf(text)
	if t.of("their_life") && !t.of("life_of_mine") {
		return
	}
	rules := a.Rules.heaviest()
	switch {
	case a.Category == Missing, a.Category == Poisoned, a.Category == Overdose, a.Category == Medical && rules == Medical,
		a.Category == Voices && rules == Voices, a.Category == ChildAbuse && rules == ChildAbuse && a.Rules.Speaker == Self, a.Category == HarmOthers && rules == HarmOthers && a.Rules.Speaker == Self,
		a.Rules.Speaker == Self && rules != None && rules.pot() == 0 && a.Tiers[0].Level.atLeast(CheckIn):
		if a.Category != Missing && a.Category != Poisoned {
			a.Speaker = Self
		}
		return
	}
	a.Speaker = Self
	young := t.of("home_of_child")
	switch {
	case young && a.Category != Abuse:
		a.Category = ChildAbuse
	case !young:
		a.Category = Abuse
	}
}
