package filing

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/tool"
)

// FilingType is the type of the records of forms that a person signed.
const FilingType = "Filing"

// filing is a signed form as it is kept. Who signed it, and what they were asked before
// they changed it, is in the approval of the call.
type filing struct {
	ResourceType string      `json:"resourceType"`
	ID           string      `json:"id"`
	Name         string      `json:"name"`
	Subject      *wells.Link `json:"subject"`
	// Call is the one that was signed.
	Call string `json:"call"`
	// The document's own subject, a text, gives way to the link.
	document
}

// filingOf is the record that keeps a form: a call has one, whatever a reviewer changed.
func filingOf(d document, call string) (filing, record.Ref) {
	sum := sha256.Sum256([]byte(call))
	_, id, _ := strings.Cut(d.about, "/")
	ref := record.Ref{Type: FilingType, ID: strings.ToLower(d.Form) + "-" + id + "-" + hex.EncodeToString(sum[:4])}
	return filing{ResourceType: FilingType, ID: ref.ID, Name: "Form " + d.Form + ", " + d.Subject,
		Subject: &wells.Link{Reference: d.about, Display: d.Subject}, Call: call, document: d}, ref
}

// signed is what is told of a form that was signed.
type signed struct {
	Status   string   `json:"status"`
	Message  string   `json:"message"`
	Filing   string   `json:"filing"`
	Form     string   `json:"form"`
	Boxes    int      `json:"boxes"`
	Filled   int      `json:"filled"`
	Missing  []string `json:"missing"`
	Complete bool     `json:"complete"`
}

// keeping plans the record of a form out of the tool that assembles it: the form is
// assembled anew from the arguments, and what comes out is what a person signs.
func keeping[A any](assemble func(d desk, a A) (any, error)) func(record.Tx, tool.Env, json.RawMessage) (tool.Plan, error) {
	return func(tx record.Tx, env tool.Env, raw json.RawMessage) (tool.Plan, error) {
		var a A
		if err := json.Unmarshal(raw, &a); err != nil {
			return tool.Plan{}, fmt.Errorf("%w: %w", tool.ErrArguments, err)
		}
		v, err := assemble(desk{tx, env}, a)
		if err != nil {
			return tool.Plan{}, refusal(err)
		}
		out, _ := v.(outcome)
		doc, ok := out.Result.(document)
		if !ok {
			return tool.Plan{}, &tool.Refusal{Reason: "there is no form to sign: " + out.Message}
		}
		f, ref := filingOf(doc, env.Call)
		about, _ := record.ParseRef(doc.about) // an assembly names a record
		r, err := tx.Record(about)
		if err != nil {
			return tool.Plan{}, refusal(err)
		}
		change := ledger.Change{Ref: ref, After: model.JSON(f)}
		if was, err := tx.Record(ref); err == nil {
			change.Before = was.Resource
		} else if !errors.Is(err, record.ErrNotFound) {
			return tool.Plan{}, err
		}
		raw = complete(raw, strings.ToLower(about.Type), about.String())
		s := signed{Status: "signed", Filing: ref.String(), Form: doc.Form, Boxes: len(doc.Boxes), Filled: doc.filled(), Missing: doc.Missing, Complete: doc.Complete}
		s.Message = fmt.Sprintf("Form %s for %s is signed and kept as %s: %d of %d boxes are filled, each with its source.", doc.Form, doc.Subject, s.Filing, s.Filled, s.Boxes)
		return tool.Plan{Args: raw, Title: fmt.Sprintf("Sign Form %s for %s: %d of %d boxes filled, %d missing", doc.Form, doc.Subject, s.Filled, s.Boxes, len(doc.Missing)),
			Targets: []ledger.Target{{Ref: about, Version: r.Version}, {Ref: ref}}, Changes: []ledger.Change{change}, Result: model.JSON(s)}, nil
	}
}

// filled counts the boxes with a value.
func (d *document) filled() (n int) {
	for _, b := range d.Boxes {
		if b.Status == filled {
			n++
		}
	}
	return n
}

// describeFiling puts a signed form into words for lists.
func describeFiling(r record.Record, _ time.Time) (title, subtitle string) {
	var f filing
	if json.Unmarshal(r.Resource, &f) != nil || f.Name == "" {
		return r.ID, ""
	}
	if f.Complete {
		return f.Name, "every box is filled"
	}
	return f.Name, fmt.Sprintf("%d of %d boxes are missing", len(f.Missing), len(f.Boxes))
}

// formOf is a signed form as it is exported.
func formOf(r record.Record) (agent.Form, error) {
	var f filing
	if err := json.Unmarshal(r.Resource, &f); err != nil {
		return agent.Form{}, fmt.Errorf("filing: %s is not a form: %w", r.Ref, err)
	}
	out := agent.Form{Name: f.Form, Title: f.Title, Layout: f.Layout, Missing: f.Missing, Attachments: f.Attachments, Notes: f.Notes, Call: f.Call, Boxes: []agent.Box{}, Assumptions: []string{}}
	if f.Subject != nil {
		out.Subject = f.Subject.Display
	}
	for _, b := range f.Boxes {
		out.Boxes = append(out.Boxes, agent.Box{ID: b.ID, Label: b.Label, Value: valueText(b.Value), Unit: b.Unit, Source: b.Source, Status: b.Status, Note: b.Note})
	}
	for _, a := range f.Assumptions {
		out.Assumptions = append(out.Assumptions, fmt.Sprintf("%s (%s; %s; %s)", a.Text, a.Value, a.Source, a.Status))
	}
	return out, nil
}

// valueText is a box's value as text.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = valueText(x)
		}
		return strings.Join(parts, "; ")
	case map[string]any:
		if v["lon"] != nil && v["lat"] != nil {
			return fmt.Sprintf("%v, %v (%v)", v["lon"], v["lat"], v["datum"])
		}
	}
	return strings.Trim(string(model.JSON(v)), `"`)
}
