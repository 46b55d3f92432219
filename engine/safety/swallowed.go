package safety

// inBody is the category of a danger to somebody's life where they have swallowed the means: a poisoning where it was
// a mistake, else an overdose.
func (c Category) inBody(text string) Category {
	switch c {
	case Intent, Plan, Means, SelfHarm:
	default:
		return c
	}
	if wordsOf(text, mostReport) > mostReport {
		// In a story somebody takes their tablets in passing: what tells of the danger decides.
		for _, p := range passagesOf(text) {
			if said := c.bySwallowing(p.text()); said != c && Check(p.text()).ofLife() {
				return said
			}
		}
		return c
	}
	return c.bySwallowing(text)
}

// bySwallowing is inBody for a text of few words.
func (c Category) bySwallowing(text string) Category {
	t := tellsOf(text)
	switch {
	case !t.except("not_taken").of("swallowed"):
		return c
	case t.of("by_mistake"):
		return Poisoned
	}
	return Overdose
}

// ofLife says that the rules hear a danger to somebody's life.
func (v Verdict) ofLife() bool {
	switch v.heaviest() {
	case Intent, Plan, Means, SelfHarm:
		return v.Score >= rulesCheckIn
	}
	return false
}

// unresponsive is the category of a danger to the body or the life of somebody else who took something and cannot be
// woken, breathes badly or has a fit, in whatever order that is told: there the emergency number comes first, and
// nobody asks them what they meant.
func (c Category) unresponsive(text string) Category {
	switch c {
	case Intent, Plan, Means, SelfHarm, Overdose, Poisoned, Medical:
	default:
		return c
	}
	if longer(text) {
		for _, p := range passagesOf(text) {
			if c.unresponsive(p.text()) == Unresponsive && Check(p.text()).Hijack {
				return Unresponsive
			}
		}
		return c
	}
	if t := tellsOf(text); (t.of("swallowed") || t.of("emptied")) && t.of("lifeless") && ofBody(text) != Self {
		return Unresponsive
	}
	return c
}

// With is the category where somebody else, such as a model, names another of the same message: a danger to one's own life
// whose means were swallowed gets the poison line as well, and so does an emergency of the body. Nothing else changes what was found.
func (c Category) With(named Category) Category {
	if named == Overdose || named == Poisoned {
		switch c {
		case Intent, Plan, Means, SelfHarm:
			return Overdose
		case Medical:
			return Unresponsive
		}
	}
	return c
}
