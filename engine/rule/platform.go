package rule

// Names of the rules that come with the program, of their sources, and of what they read.
const (
	OnMutation  = "hitl_on_mutating_capability"
	OnUnclear   = "force_clarify_after_failed_resolves"
	Platform    = "platform"
	User        = "user"
	Unclear     = "consecutive_failed_resolves" // the counter that OnUnclear reads, in state
	Mutation    = "mutation"                    // the checkpoint type of OnMutation
	mostUnclear = "3"
)

// Seeds are the rules that come with the program. A person may replace one by a rule of
// the same name. The first never lets a change happen without its approval, which needs
// no rule; it gives such an approval its checkpoint type, also to what has no capability.
func Seeds() []Rule {
	return []Rule{
		{Name: OnMutation, Event: BeforeToolCall, Verdict: Hold, Checkpoint: Mutation,
			Description: "What changes something waits for a person. A tool that declares no capability counts as changing something.",
			When:        `tool.mutates || any(tool.capabilities, # in ["create_entity", "update_entity", "link_entities"] || # startsWith "batch_")`,
			Reason:      "this changes something"},
		{Name: OnUnclear, Event: AfterToolCall, Verdict: Ask,
			Description: "After three names in a row that could not be told apart, the person is asked which is meant. The answer resets the count.",
			When:        `(state.` + Unclear + ` ?? 0) >= ` + mostUnclear,
			Question:    "I could not tell which record is meant. Please name it exactly, for example by its number.",
			Reason:      "several searches in a row found nothing that is clearly meant"},
	}
}

// With are the seeds with a person's rules: one of the same name takes a seed's place.
func With(own []Rule) []Group {
	seeds := Group{Source: Platform}
	for _, s := range Seeds() {
		replaced := false
		for _, r := range own {
			replaced = replaced || r.Name == s.Name
		}
		if !replaced {
			seeds.Rules = append(seeds.Rules, s)
		}
	}
	return []Group{seeds, {Source: User, Rules: own}}
}
