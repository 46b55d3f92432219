package definition

import "embed"

//go:embed docs/*.md
var docs embed.FS

// Topics are the ids of the documents for graph authors, in reading order.
func Topics() []string { return []string{"graphs", "nodes", "flags", "patterns", "limits"} }

// Doc is the Markdown of a topic; "" for an id that is none.
func Doc(topic string) string {
	text, err := docs.ReadFile("docs/" + topic + ".md")
	if err != nil {
		return "" // no such topic
	}
	return string(text)
}
