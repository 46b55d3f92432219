package definition

import (
	"embed"
	"fmt"
)

//go:embed docs/*.md
var docs embed.FS

// Topics are the ids of the documents for graph authors, in reading order.
func Topics() []string {
	return []string{"graphs", "nodes", "flags", "patterns", "limits", "examples"}
}

//go:embed examples/*.yaml
var exampleFiles embed.FS

// Example is a whole graph to learn from and to start one's own from.
type Example struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// Message is one to try it with.
	Message string `json:"message"`
	// Text is the file.
	Text string `json:"text"`
}

// Examples lists them by name.
func Examples() ([]Example, error) {
	files, err := exampleFiles.ReadDir("examples")
	if err != nil {
		return nil, err
	}
	out := make([]Example, len(files))
	for i, f := range files {
		text, err := exampleFiles.ReadFile("examples/" + f.Name())
		if err != nil {
			return nil, err
		}
		def, err := Read(text)
		if err != nil {
			return nil, fmt.Errorf("definition: example %s: %w", f.Name(), err)
		}
		out[i] = Example{Name: def.Name, Title: def.Title, Description: def.Description, Message: def.Example, Text: string(text)}
	}
	return out, nil
}

// Doc is the Markdown of a topic; "" for an id that is none.
func Doc(topic string) string {
	text, err := docs.ReadFile("docs/" + topic + ".md")
	if err != nil {
		return "" // no such topic
	}
	return string(text)
}
