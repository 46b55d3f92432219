package memory

import (
	"fmt"
	"strings"
)

// Lines of a block.
const (
	blockHead    = "=== Memory Context ==="
	scratchHead  = "[Working Memory -- Scratchpad]"
	entitiesHead = "[Working Memory -- Extracted Entities]"
	episodesHead = "[Episodic Memory -- Relevant Past Conversations]"
)

// Block writes memory for a prompt; "" for nothing. A part that holds nothing is left out.
// What is remembered begins no heading.
func Block(w Working, recalled []Recalled) string {
	var b strings.Builder
	if pad := strings.TrimSpace(w.Scratchpad); pad != "" {
		fmt.Fprintf(&b, "\n%s", scratchHead)
		for line := range strings.Lines(pad) {
			if line = visible(strings.TrimRight(line, "\r\n")); strings.HasPrefix(line, "[") || strings.HasPrefix(line, "===") {
				line = " " + line
			}
			b.WriteString("\n" + line)
		}
	}
	if len(w.Entities) > 0 {
		fmt.Fprintf(&b, "\n%s", entitiesHead)
		for _, e := range w.Entities {
			b.WriteString("\n- " + e.line())
		}
	}
	head := true
	for _, r := range recalled {
		if r.Text == "" {
			continue
		}
		if head {
			fmt.Fprintf(&b, "\n%s", episodesHead)
			head = false
		}
		fmt.Fprintf(&b, "\n- (similarity: %.2f) %s", r.Similarity, OneLine(r.Text, MaxText))
	}
	if b.Len() == 0 {
		return ""
	}
	return blockHead + b.String()
}

// Placeholder stands in a journal in the place of a block: what it was made of can be
// forgotten, so the journal names it and does not repeat it.
const Placeholder = blockHead + "\n(The journal names what was recalled. Its words are kept where they can be forgotten.)"
