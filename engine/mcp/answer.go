package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"holdpoint/engine/visible"
)

const mostAnswer = 64 << 10 // bytes of text that a model is told

// answerOf is what the model is told of a result: texts and structured content. Pictures
// and sounds are only mentioned.
func answerOf(r *sdk.CallToolResult) json.RawMessage {
	var texts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			texts = append(texts, c.Text)
		case *sdk.ImageContent:
			texts = append(texts, fmt.Sprintf("[a picture, %s, %d bytes, not shown]", bounded(c.MIMEType, 60), len(c.Data)))
		case *sdk.AudioContent:
			texts = append(texts, fmt.Sprintf("[a sound, %s, %d bytes, not shown]", bounded(c.MIMEType, 60), len(c.Data)))
		case *sdk.ResourceLink:
			texts = append(texts, fmt.Sprintf("[a link to %s]", bounded(c.URI, 200)))
		case *sdk.EmbeddedResource:
			if c.Resource != nil && c.Resource.Text != "" {
				texts = append(texts, c.Resource.Text)
			} else if c.Resource != nil {
				texts = append(texts, fmt.Sprintf("[a file, %s, %d bytes, not shown]", bounded(c.Resource.MIMEType, 60), len(c.Resource.Blob)))
			}
		}
	}
	said := strings.Join(texts, "\n")
	if len(said) > mostAnswer {
		said = strings.ToValidUTF8(said[:mostAnswer], "") + "\n[cut: the answer is longer]"
	}
	out := map[string]any{"status": "done"}
	if r.IsError {
		out["status"] = "error"
	}
	if body, err := json.Marshal(r.StructuredContent); err == nil && r.StructuredContent != nil && len(body) <= mostAnswer {
		out["result"] = json.RawMessage(body)
		// Servers repeat structured content as text for older clients.
		if !r.IsError && sameJSON(said, r.StructuredContent) {
			said = ""
		}
	}
	if said != "" || out["result"] == nil {
		out["text"] = visible.Text(said)
	}
	body, err := json.Marshal(out)
	if err != nil {
		return json.RawMessage(`{"status":"done"}`) // texts and JSON that was read: this cannot be reached
	}
	return body
}

func sameJSON(text string, v any) bool {
	var got any
	return json.Unmarshal([]byte(text), &got) == nil && digest(got) == digest(v)
}
