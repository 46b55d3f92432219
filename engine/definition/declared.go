package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/types"

	"holdpoint/engine/agent"
	"holdpoint/engine/model"
	"holdpoint/engine/session"
)

// Value declares what a value is: a var of a graph, or a person's answer. The words are
// those of JSON Schema.
type Value struct {
	Type        string   `json:"type" jsonschema:"string, integer, number, boolean, array or object"`
	Description string   `json:"description,omitempty" jsonschema:"what it is for"`
	Default     Any      `json:"default,omitempty" jsonschema:"value where none is given"`
	Required    bool     `json:"required,omitempty" jsonschema:"nothing runs without it"`
	Enum        []any    `json:"enum,omitempty" jsonschema:"the values that it may have"`
	Minimum     *float64 `json:"minimum,omitempty" jsonschema:"least number"`
	Maximum     *float64 `json:"maximum,omitempty" jsonschema:"greatest number"`
	MaxLength   int      `json:"max_length,omitempty" jsonschema:"most characters of a text or items of a list"`
}

// valueTypes are the types with what people call them.
var valueTypes = map[string]string{"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "yes or no", "array": "a list", "object": "an object"}

// runVars are vars that every run may have, declared or not.
var runVars = append([]string{agent.PatternVar, session.SubjectVar, session.PatientVar}, turnVars...)

// turnVars are those of them that are the turn's; its graph does not see them.
var turnVars = []string{session.DefinitionVar, session.BranchVar}

// check finds what is wrong with the declaration itself.
func (v *Value) check() error {
	numeric := v.Type == "integer" || v.Type == "number"
	switch {
	case v.Required && v.Default != nil:
		return errors.New(phrase("a required value has no default; leave one of them out"))
	case !numeric && (v.Minimum != nil || v.Maximum != nil):
		return errors.New(phrase("minimum and maximum are for numbers; leave them out"))
	case v.Minimum != nil && v.Maximum != nil && *v.Minimum > *v.Maximum:
		return errors.New(phrase("no number is at least %v and at most %v; correct one of them", *v.Minimum, *v.Maximum))
	case v.MaxLength > 0 && v.Type != "string" && v.Type != "array":
		return errors.New(phrase("max_length is for texts and lists; leave it out"))
	}
	for _, each := range v.Enum {
		if _, err := v.of(plainValue(each)); err != nil {
			return fmt.Errorf("enum: %s", unprefixed(err.Error()))
		}
	}
	if v.Default != nil {
		def, _ := decode(json.RawMessage(v.Default))
		if _, err := v.of(def); err != nil {
			return fmt.Errorf("default: %s", unprefixed(err.Error()))
		}
	}
	return nil
}

// plainValue is a value as decode gives it.
func plainValue(v any) any {
	out, _ := decode(model.JSON(v))
	return out
}

// wanted says in words what fits.
func (v *Value) wanted() string {
	if len(v.Enum) > 0 {
		list := make([]string, len(v.Enum))
		for i, each := range v.Enum {
			list[i] = words(plainValue(each))
		}
		return "one of " + strings.Join(list, ", ")
	}
	out := valueTypes[v.Type]
	switch {
	case v.Minimum != nil && v.Maximum != nil:
		out += fmt.Sprintf(" from %v to %v", *v.Minimum, *v.Maximum)
	case v.Minimum != nil:
		out += fmt.Sprintf(" of at least %v", *v.Minimum)
	case v.Maximum != nil:
		out += fmt.Sprintf(" of at most %v", *v.Maximum)
	case v.MaxLength > 0 && v.Type == "array":
		out += fmt.Sprintf(" of at most %d items", v.MaxLength)
	case v.MaxLength > 0:
		out += fmt.Sprintf(" of at most %d characters", v.MaxLength)
	}
	return out
}

// asks are the declared vars, for whoever starts the graph.
func (def *Definition) asks() (out []agent.Asked) {
	for _, name := range sortedKeys(def.Vars) {
		v := def.Vars[name]
		a := agent.Asked{Name: name, Schema: v.schema(), Values: v.choices(), Required: v.Required}
		if v.Default != nil {
			fixed, _ := decode(json.RawMessage(v.Default))
			if a.Default = words(fixed); v.Type == "boolean" && fixed != nil {
				a.Default = map[bool]string{true: "yes", false: "no"}[fixed == true]
			}
		}
		out = append(out, a)
	}
	return out
}

// known says in words what is known of a value that fits.
func (v *Value) known(of string) string {
	wanted := v.wanted()
	if rest, ok := strings.CutPrefix(wanted, valueTypes["integer"]); ok {
		return phrase("%s is a whole number%s, as it is declared", of, rest)
	}
	if rest, ok := strings.CutPrefix(wanted, valueTypes["number"]); ok {
		return phrase("%s is a number%s, as it is declared", of, rest)
	}
	if v.Type == "boolean" && len(v.Enum) == 0 {
		return phrase("%s is yes or no, as it is declared", of)
	}
	return phrase("%s is %s, as it is declared", of, wanted)
}

// errValue says that a value is not what was declared.
var errValue = errors.New("definition: the value does not fit")

func (v *Value) misfit(got any) error {
	return fmt.Errorf("%w: %s is not %s", errValue, clip(string(model.JSON(got)), 60), v.wanted())
}

// example is a value of a list or an object, for people who write one.
func (v *Value) example() string {
	if v.Type == "object" {
		return `{"name": "text"}`
	}
	return `["one", "two"]`
}

// read takes a text that a person wrote for the value it stands for.
func (v *Value) read(text string) (any, error) {
	if v.Type == "string" {
		return v.of(text)
	}
	var got any = text
	switch word := strings.ToLower(strings.TrimSpace(text)); v.Type {
	case "integer", "number":
		if _, err := strconv.ParseFloat(word, 64); err == nil && !strings.ContainsAny(word, "xp_in") {
			got = json.Number(strings.TrimPrefix(word, "+"))
		}
	case "boolean":
		switch word {
		case "true", "yes", "approve":
			got = true
		case "false", "no", "reject":
			got = false
		}
	default:
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("%w; write it as JSON, as %s", v.misfit(text), v.example())
		}
		got, _ = decode(json.RawMessage(text))
	}
	return v.of(got)
}

// of is the value in the form that a run keeps, if it fits.
func (v *Value) of(got any) (any, error) {
	ok, size := false, 0
	switch v.Type {
	case "string":
		var text string
		text, ok = got.(string)
		size = utf8.RuneCountInString(text)
	case "integer", "number":
		var n json.Number
		if n, ok = got.(json.Number); !ok {
			break
		}
		f, err := n.Float64()
		if ok = err == nil && !math.IsInf(f, 0) && (v.Minimum == nil || f >= *v.Minimum) && (v.Maximum == nil || f <= *v.Maximum); !ok {
			break
		}
		if i, err := n.Int64(); err == nil {
			got = json.Number(strconv.FormatInt(i, 10))
		} else if ok = v.Type == "number" || f == math.Trunc(f) && math.Abs(f) < 1<<53; ok && v.Type == "integer" {
			got = json.Number(strconv.FormatInt(int64(f), 10))
		} else if ok {
			got = json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
	case "boolean":
		_, ok = got.(bool)
	case "array":
		var list []any
		list, ok = got.([]any)
		size = len(list)
	case "object":
		_, ok = got.(map[string]any)
	}
	if !ok || v.MaxLength > 0 && size > v.MaxLength {
		return nil, v.misfit(got)
	}
	if len(v.Enum) == 0 {
		return got, nil
	}
	for _, each := range v.Enum {
		if each = plainValue(each); same(each, got) {
			return each, nil
		}
	}
	return nil, v.misfit(got)
}

// schema is the declaration as a JSON Schema, for whoever asks.
func (v *Value) schema() json.RawMessage {
	out := map[string]any{"type": v.Type}
	for name, each := range map[string]any{"description": v.Description, "enum": v.Enum, "minimum": v.Minimum, "maximum": v.Maximum} {
		if raw := string(model.JSON(each)); raw != `""` && raw != "null" {
			out[name] = each
		}
	}
	switch {
	case v.MaxLength > 0 && v.Type == "array":
		out["maxItems"] = v.MaxLength
	case v.MaxLength > 0:
		out["maxLength"] = v.MaxLength
	}
	return model.JSON(out)
}

// ErrVars says that the vars of a run are not those that its graph declares.
var ErrVars = errors.New("definition: the vars do not fit")

// Vars are the declared vars of a run with their types and defaults, and what else it was
// started with as text. The error wraps ErrVars and names every var that does not fit.
func (def *Definition) values(given map[string]string) (map[string]any, error) {
	out, wrong := map[string]any{}, []string{}
	for _, name := range sortedKeys(given) {
		v, declared := def.Vars[name]
		if !declared {
			if def.Vars != nil && !slices.Contains(runVars, name) {
				wrong = append(wrong, fmt.Sprintf("there is no var %s%s; there are %s", clip(name, 40), suggest(name, sortedKeys(def.Vars)), strings.Join(sortedKeys(def.Vars), ", ")))
			}
			out[name] = given[name]
			continue
		}
		value, err := v.read(given[name])
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %s", name, strings.TrimPrefix(err.Error(), errValue.Error()+": ")))
		}
		out[name] = value
	}
	wrong = append(wrong, def.fill(out)...)
	if len(wrong) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrVars, strings.Join(wrong, "; "))
	}
	return out, nil
}

// fill gives vars that have no value their defaults, and names those that need one.
func (def *Definition) fill(vars map[string]any) (missing []string) {
	for _, name := range sortedKeys(def.Vars) {
		v := def.Vars[name]
		if _, ok := vars[name]; ok {
			continue
		}
		switch {
		case v.Default != nil:
			vars[name], _ = decode(json.RawMessage(v.Default))
		case v.Required:
			missing = append(missing, fmt.Sprintf("%s is missing; it must be %s", name, v.wanted()))
		}
	}
	return missing
}

// varTypes are the vars as expressions know them.
func varTypes(vars map[string]Value) any {
	if vars == nil {
		return map[string]string{}
	}
	out := types.Map{}
	for _, name := range runVars {
		out[name] = types.Any
	}
	for name, v := range vars {
		out[name] = types.Any
		if !v.Required && v.Default == nil {
			continue // it may be missing
		}
		switch v.Type {
		case "string":
			out[name] = types.String
		case "integer":
			out[name] = types.Int
		case "number":
			out[name] = types.Float64
		case "boolean":
			out[name] = types.Bool
		}
	}
	return out
}

// ownVars are those of a run that hold whatever graph reads them.
func ownVars(vars map[string]any) map[string]any {
	out := maps.Clone(vars)
	maps.DeleteFunc(out, func(name string, _ any) bool { return !slices.Contains(runVars, name) })
	return out
}
