package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// replyAction is the action by which a model answers instead of calling a tool.
const replyAction = "reply"

// actions stands in for a tool template: the model answers {action, arguments}
// under a schema, so that what it writes is always a well-formed call or a reply.
type actions struct {
	tools     []Tool
	described []Tool
	schema    json.RawMessage
}

func newActions(tools, described []Tool, maxTokens int) (*actions, error) {
	type object = map[string]any
	var choices []any
	add := func(name string, arguments any) {
		choices = append(choices, object{
			"type":       "object",
			"properties": object{"action": object{"const": name}, "arguments": arguments},
			"required":   []string{"action", "arguments"},
		})
	}
	for _, tool := range tools {
		if tool.Name == replyAction {
			return nil, fmt.Errorf("%w: a tool can't be named %q", ErrRequest, replyAction)
		}
		arguments, err := boundSchema(tool.Parameters, maxTokens)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", clip(tool.Name), err)
		}
		add(tool.Name, arguments)
	}
	add(replyAction, object{
		"type":       "object",
		"properties": object{"text": object{"type": "string", "minLength": 1, "maxLength": min(3*maxTokens, longestString)}},
		"required":   []string{"text"},
	})
	// encoding/json sorts keys, so "action" comes before "arguments" in the grammar, too.
	schema, err := json.Marshal(object{"anyOf": choices})
	if err != nil {
		return nil, fmt.Errorf("%w: the tools' schema: %s", ErrRequest, clip(err.Error()))
	}
	return &actions{tools: tools, described: described, schema: schema}, nil
}

// ActionRules are the words of it that a small model says back.
const ActionRules = "answer the user in words. Arguments: {\"text\": the answer}\nUse an action only if the user's last message needs it; otherwise reply."

// instruct explains the actions at the end of the first system message. The text changes
// only when the tools do, so the prefix cache is used.
func (a *actions) instruct(messages []Message) []Message {
	var b strings.Builder
	b.WriteString("Answer with one JSON object {\"action\": …, \"arguments\": {…}}. Actions:\n")
	for _, tool := range a.described {
		var parameters bytes.Buffer
		if err := json.Compact(&parameters, tool.Parameters); err != nil {
			// newActions has read them; this only keeps the line short if they changed since.
			parameters.Reset()
		}
		fmt.Fprintf(&b, "- %s: %s Arguments: %s\n", tool.Name, tool.Description, parameters.String())
	}
	b.WriteString("- reply: " + ActionRules)
	out := slices.Clone(messages)
	if len(out) > 0 && out[0].Role == "system" {
		out[0].Text += "\n\n" + b.String()
		return out
	}
	return append([]Message{{Role: "system", Text: b.String()}}, out...)
}

// withoutCalls renders calls and their results as plain text, for models whose template
// has no place for them.
func withoutCalls(messages []Message) []Message {
	out := make([]Message, 0, len(messages))
	for _, m := range messages {
		switch {
		case m.Role == "tool":
			m = Message{Role: "user", Text: "Result of " + m.Tool + ": " + m.Text}
		case len(m.Calls) > 0:
			text := []string{}
			if m.Text != "" {
				text = append(text, m.Text)
			}
			for _, call := range m.Calls {
				arguments := call.Arguments
				if !json.Valid(arguments) {
					arguments = json.RawMessage("{}")
				}
				text = append(text, `{"action":`+strconv.Quote(call.Tool)+`,"arguments":`+string(arguments)+`}`)
			}
			m = Message{Role: m.Role, Text: strings.Join(text, "\n")}
		}
		out = append(out, m)
	}
	return out
}

// oneSystem leaves system messages at the beginning only: templates may put them all
// there, and what changes from turn to turn would change the prompt's first bytes. Later
// ones stand at the head of the user's message that follows.
func oneSystem(messages []Message) []Message {
	var out []Message
	note := ""
	for i, m := range messages {
		switch {
		case m.Role == "system" && i > 0 && out[len(out)-1].Role == "system" && note == "":
			out[len(out)-1].Text += "\n\n" + m.Text
		case m.Role == "system" && i > 0:
			note += m.Text + "\n\n"
		case m.Role == "user":
			m.Text, note = note+m.Text, ""
			out = append(out, m)
		default:
			out = append(out, m)
		}
	}
	if note != "" {
		out = append(out, Message{Role: "user", Text: strings.TrimSpace(note)})
	}
	return out
}

// read takes a whole answer apart: a call, or a reply's text.
func (a *actions) read(answer string) (*Call, string, error) {
	var got struct {
		Action    string          `json:"action"`
		Arguments json.RawMessage `json:"arguments"`
	}
	d := json.NewDecoder(strings.NewReader(answer))
	if err := d.Decode(&got); err != nil {
		return nil, "", fmt.Errorf("%w: chat: the answer isn't complete JSON", ErrUnusable)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, "", fmt.Errorf("%w: chat: the answer goes on after its JSON", ErrUnusable)
	}
	if got.Action == replyAction {
		var reply struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(got.Arguments, &reply); err != nil {
			return nil, "", fmt.Errorf("%w: chat: the reply has no text", ErrUnusable)
		}
		return nil, reply.Text, nil
	}
	if !slices.ContainsFunc(a.tools, func(t Tool) bool { return t.Name == got.Action }) {
		return nil, "", fmt.Errorf("%w: chat: there is no action %q", ErrUnusable, clip(got.Action))
	}
	return &Call{Tool: got.Action, Arguments: got.Arguments}, "", nil
}

// replyStart is what comes before a reply's text in the grammar's order of keys.
var replyStart = regexp.MustCompile(`^\s*\{\s*"action"\s*:\s*"reply"\s*,\s*"arguments"\s*:\s*\{\s*"text"\s*:\s*"`)

// replyDecoder decodes a reply's text while its JSON arrives.
type replyDecoder struct {
	start []byte // what came before the text
	value *StringDecoder
	said  strings.Builder
}

// add takes a piece of JSON and returns the text that it completes.
func (d *replyDecoder) add(piece string) string {
	if d.value == nil {
		d.start = append(d.start, piece...)
		start := replyStart.FindIndex(d.start)
		if start == nil {
			return ""
		}
		piece, d.value = string(d.start[start[1]:]), &StringDecoder{}
	}
	text := d.value.Add(piece)
	d.said.WriteString(text)
	return text
}

func (d *replyDecoder) text() string { return d.said.String() }
