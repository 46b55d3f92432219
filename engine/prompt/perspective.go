package prompt

// Perspectives are the points of view that a node may take, by name; "custom" has
// the words of Node.PerspectiveText.
var Perspectives = map[string]string{
	"analyst":  "Look at this as an analyst: take the matter apart, weigh what supports each claim, give numbers where there are any, and keep what is known apart from what is only likely.",
	"critic":   "Look at this as a critic: search for what is wrong, missing, contradictory or unsupported, and name each problem plainly with its consequence. Do not soften it and do not invent any.",
	"advisor":  "Look at this as an advisor: say what you would do and why, what it costs, what could go wrong, and which sensible alternative there is.",
	"creative": "Look at this with fresh eyes: offer several ideas that differ from one another, unusual ones among them, and say of each in one sentence what speaks for it. Facts stay facts.",
	Custom:     "",
}

// Custom is the perspective in the node's own words.
const Custom = "custom"
