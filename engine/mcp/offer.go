package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/gowebpki/jcs"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"holdpoint/engine/tool"
	"holdpoint/engine/visible"
)

// Class is what a person says that a tool does.
type Class string

const (
	// Mutating tools wait for an approval; every tool is one until a person says otherwise.
	Mutating Class = "mutating"
	Read     Class = "read"
)

// Offer is one tool as its server shows it, made fit to be read by people and models.
type Offer struct {
	Name        string `json:"name"` // the server's own
	Title       string `json:"title,omitempty"`
	Description string `json:"description"`
	// Parameters is the strict schema; empty when Unusable says why not.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Hint is whether the server says that the tool only reads. It is shown, not believed.
	Hint     bool   `json:"read_only_hint,omitempty"`
	Unusable string `json:"unusable,omitempty"`
	// Digest covers all that the server says of the tool, byte for byte.
	Digest string `json:"digest"`
}

const (
	mostTools       = 128
	mostPages       = 32
	mostDescription = 2000    // characters
	mostOffer       = 1 << 20 // bytes of all tools
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]{0,63}$`)

// nothing is the body of a tool that is only shown.
func nothing(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) { return nil, nil }

// offerOf reads one tool of a server.
func offerOf(t *sdk.Tool) Offer {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		schema = nil // it came as JSON; strict says what is wrong
	}
	o := Offer{Name: t.Name, Title: bounded(t.Title, mostTitle), Description: bounded(t.Description, mostDescription), Digest: digest(map[string]any{
		"name": t.Name, "title": t.Title, "description": t.Description, "input": t.InputSchema, "output": t.OutputSchema, "annotations": t.Annotations})}
	if a := t.Annotations; a != nil {
		o.Hint = a.ReadOnlyHint
	}
	if !nameForm.MatchString(t.Name) {
		o.Name, o.Unusable = visible.Line(bounded(t.Name, mostName)), "its name has other characters than A-Z a-z 0-9 _ - . / or is longer than 64"
		return o
	}
	if o.Parameters, err = strict(schema); err != nil {
		o.Parameters, o.Unusable = nil, err.Error()
	}
	return o
}

// apart marks tools that cannot be told from one another.
func apart(offers []Offer) {
	count := map[string]int{}
	for _, o := range offers {
		count[strings.ToLower(o.Name)]++
	}
	for i, o := range offers {
		if count[strings.ToLower(o.Name)] > 1 {
			offers[i].Unusable, offers[i].Parameters = "another tool of the server has the same name", nil
		}
	}
}

// digest is the SHA-256 over the canonical JSON of a value.
func digest(v any) string {
	body, err := json.Marshal(v)
	if err == nil {
		body, err = jcs.Transform(body)
	}
	if err != nil {
		return "none:" + rand.Text() // equal to nothing, itself included: it can never be trusted
	}
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// digestOf covers what a person trusts: where the server is, its tools, their classes.
func digestOf(c Config, offers []Offer, classes map[string]Class) string {
	if offers == nil {
		offers = []Offer{}
	}
	all := map[string]Class{}
	for _, o := range offers {
		all[o.Name] = classOf(classes, o.Name)
	}
	return digest(map[string]any{"config": c, "tools": offers, "classes": all})
}

func classOf(classes map[string]Class, name string) Class {
	if classes[name] == Read {
		return Read
	}
	return Mutating
}
