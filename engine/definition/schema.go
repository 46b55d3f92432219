package definition

import (
	"encoding/json"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/expression"
	"holdpoint/engine/graph"
	"holdpoint/engine/model"
)

const (
	draft = "https://json-schema.org/draft/2020-12/schema"
	// nodePattern is that of nodes: names, and the one that takes over from nodes that ran too
	// often.
	nodePattern = `^([a-z][a-z0-9_]{0,39}|` + string(graph.ErrorStage) + `)$`
	// namePattern is that of nodes and keys; end, as the place after the last, is a name like any other.
	namePattern = `^[a-z][a-z0-9_]{0,39}$`
)

// Schema is the JSON Schema of graph files, made from the types of this package.
// The caller owns it.
func Schema() json.RawMessage { return append(json.RawMessage(nil), built().text...) }

type schemas struct {
	text   json.RawMessage
	check  *validator.Schema // of a whole file
	node   *validator.Schema // of one node
	fields map[string][]string
}

var built = sync.OnceValue(func() schemas {
	root, err := makeSchema()
	if err != nil {
		panic("definition: " + err.Error()) // a mistake in the types above, found by every test
	}
	s := schemas{text: model.JSON(root), fields: map[string][]string{}}
	for name, def := range root.Defs {
		s.fields[name] = def.PropertyOrder
	}
	s.fields["definition"] = root.PropertyOrder
	c := validator.NewCompiler()
	var doc any
	if err := json.Unmarshal(s.text, &doc); err != nil {
		panic("definition: " + err.Error())
	}
	if err := c.AddResource("graph.json", doc); err != nil {
		panic("definition: " + err.Error())
	}
	s.check, s.node = c.MustCompile("graph.json"), c.MustCompile("graph.json#/$defs/node")
	return s
})

// makeSchema infers the shape from the types and adds what Go types cannot say.
func makeSchema() (*jsonschema.Schema, error) {
	ref := func(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }
	o := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Nodes]():            {Type: "array", Items: ref("node"), MinItems: new(1), MaxItems: new(maxNodes)},
		reflect.TypeFor[[]Edge]():           {Type: "array", Items: ref("edge"), MaxItems: new(maxEdges)},
		reflect.TypeFor[[]Choice]():         {Type: "array", Items: ref("choice"), MinItems: new(1), MaxItems: new(maxNodes)},
		reflect.TypeFor[[]Guard]():          {Type: "array", Items: ref("guard"), MaxItems: new(20)},
		reflect.TypeFor[Limits]():           ref("limits"),
		reflect.TypeFor[[]Rule]():           {Type: "array", Items: ref("rule")},
		reflect.TypeFor[Any]():              {},
		reflect.TypeFor[Duration]():         {Types: []string{"string", "number"}},
		reflect.TypeFor[Count]():            {Types: []string{"integer", "string"}},
		reflect.TypeFor[[]any]():            {Type: "array", MinItems: new(1), MaxItems: new(maxNodes)},
		reflect.TypeFor[map[string]Value](): {Type: "object", AdditionalProperties: ref("value"), MaxProperties: new(maxNodes)},
		// Inference would also allow null for a list.
		reflect.TypeFor[[]string]():          {Type: "array", Items: &jsonschema.Schema{Type: "string"}, MaxItems: new(maxNodes)},
		reflect.TypeFor[map[string]string](): {Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}},
		reflect.TypeFor[map[string]any]():    {Type: "object"},
		reflect.TypeFor[*bool]():             {Type: "boolean"},
		reflect.TypeFor[*float64]():          {Type: "number"},
	}}
	root, err := jsonschema.For[Definition](o)
	if err != nil {
		return nil, err
	}
	root.Schema, root.Title, root.Description = draft, "Holdpoint graph", "A graph of nodes that Holdpoint runs."
	root.Defs = map[string]*jsonschema.Schema{}
	for name, t := range map[string]reflect.Type{"node": reflect.TypeFor[Node](), "edge": reflect.TypeFor[Edge](),
		"choice": reflect.TypeFor[Choice](), "guard": reflect.TypeFor[Guard](), "when": reflect.TypeFor[When](), "value": reflect.TypeFor[Value](), "rule": reflect.TypeFor[Rule]()} {
		if root.Defs[name], err = jsonschema.ForType(t, o); err != nil {
			return nil, err
		}
	}
	// A rule is an expression or an object; what is said of an object does not hold for text.
	when := root.Defs["when"]
	for _, p := range []map[string]*jsonschema.Schema{root.Defs["node"].Properties, root.Defs["edge"].Properties, root.Defs["choice"].Properties, root.Defs["rule"].Properties} {
		for _, name := range []string{"when", "until"} {
			if p[name] != nil {
				p[name] = &jsonschema.Schema{Ref: "#/$defs/when", Description: p[name].Description}
			}
		}
	}
	root.Defs["node"].Properties["answer"] = &jsonschema.Schema{Ref: "#/$defs/value", Description: root.Defs["node"].Properties["answer"].Description}
	when.Type, when.Types = "", []string{"null", "string", "object"} // null is as if it were left out
	when.MinLength, when.MaxLength = new(1), new(expression.MaxLength)
	when.Description = "rule over the context: an expression (score >= 0.8 && size(items) > 0), or a key with one test"
	own := *o
	own.TypeSchemas = map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[Duration](): o.TypeSchemas[reflect.TypeFor[Duration]()]}
	if root.Defs["limits"], err = jsonschema.For[Limits](&own); err != nil {
		return nil, err
	}
	narrow(root)
	name(root)
	return root, nil
}

// narrow puts in the names and bounds.
func narrow(root *jsonschema.Schema) {
	node, edge := root.Defs["node"].Properties, root.Defs["edge"].Properties
	root.Properties["name"].Pattern, node["name"].Pattern = namePattern, nodePattern
	node["kind"].Enum = anyOf(KindNames())
	node["flags"].Items.Enum = anyOf(graph.FlagNames())
	node["strategies"].Items.Enum = anyOf(StrategyNames())
	node["perspective"].Enum = anyOf(PerspectiveNames())
	root.Properties["may_add"].Items.Enum = anyOf(KindNames())
	node["use"].Enum = anyOf(patternNames)
	edge["type"].Enum = anyOf(edgeTypes)
	root.Defs["guard"].Properties["action"].Enum = anyOf([]string{"block", "transform", "retry"})
	for _, p := range []*jsonschema.Schema{node["default_next"], node["on_error"], edge["from"], edge["to"], root.Defs["choice"].Properties["to"],
		root.Properties["entry"], node["entry"]} {
		p.Pattern = nodePattern
	}
	node["output"].Pattern = namePattern
	rule := root.Defs["rule"].Properties
	rule["name"].Pattern, rule["set"].PropertyNames = namePattern, &jsonschema.Schema{Pattern: namePattern}
	var verdicts, events []string
	for _, m := range moments {
		events = append(events, m.event)
		for _, v := range m.verdicts {
			if !slices.Contains(verdicts, v) {
				verdicts = append(verdicts, v)
			}
		}
	}
	rule["event"].Enum, rule["verdict"].Enum = anyOf(events), anyOf(verdicts)
	value := root.Defs["value"].Properties
	value["type"].Enum = anyOf([]string{"string", "integer", "number", "boolean", "array", "object"})
	for _, p := range []*jsonschema.Schema{root.Properties["vars"], node["with"], node["takes"]} {
		p.PropertyNames = &jsonschema.Schema{Pattern: namePattern}
	}
	root.Properties["outputs"].Items.Pattern, node["takes"].AdditionalProperties.Pattern = namePattern, namePattern
	node["routes"].Items.Pattern, node["routes"].MinItems = namePattern, new(1)
	root.Properties["nodes"].MinItems = new(1)
	// None of these may be 0, which in Go stands for what is left out.
	bound := func(p *jsonschema.Schema, least, most float64) { p.Minimum, p.Maximum = &least, &most }
	bound(node["max_retries"], 1, 20)
	bound(node["max_tokens"], 1, 1<<20)
	bound(value["max_length"], 1, 1<<20)
	bound(node["temperature"], 0, 2)
	bound(node["times"], 1, maxTimes)
	bound(node["at_once"], 1, 16)
	bound(node["max_steps"], 1, maxSteps)
	l := root.Defs["limits"].Properties
	bound(l["max_iterations"], 1, 10_000)
	bound(l["max_node_iterations"], 1, 10_000)
	bound(l["max_mutations"], 1, 1000)
	bound(l["max_tokens"], 1, 1e9)
	bound(l["cycle"], 1, 1000)
	bound(root.Defs["guard"].Properties["max_length"], 1, 1<<20)
}

// name says what texts name.
func name(root *jsonschema.Schema) {
	as := func(what string, list ...*jsonschema.Schema) {
		for _, s := range list {
			s.Extra = map[string]any{holds: what}
		}
	}
	top, node, edge, rule, choice := root.Properties, root.Defs["node"].Properties, root.Defs["edge"].Properties, root.Defs["rule"].Properties, root.Defs["choice"].Properties
	as(holdsNext, node["default_next"])
	as(holdsOther, node["on_error"], node["retry_at"])
	as(holdsWay, node["routes"].Items, node["transitions"].AdditionalProperties, edge["to"], choice["to"])
	as(holdsNode, edge["from"])
	as(holdsInner, top["entry"], node["entry"])
	as(holdsAnyNode, node["inherit_context_from"].Items, rule["nodes"].Items)
	as(holdsKey, node["inputs"].Items, node["pick"], node["count"], node["over"], top["outputs"].Items, root.Defs["when"].Properties["key"])
	as(holdsTool, node["tool"])
	as(holdsTools, node["tools"].Items, rule["tools"].Items)
	as(holdsSkills, node["skills"].Items)
	as(holdsTemplate, top["instructions"], node["instructions"], node["blocks"].Items, node["template"], node["question"], node["times"], node["max_steps"])
	as(holdsTemplates, node["before"], node["set"], rule["set"])
	as(holdsAnswer, node["after"])
	as(holdsExpression, root.Defs["when"])
	as(holdsArguments, node["arguments"])
	as(holdsWith, node["with"])
	as(holdsOutput, node["takes"].AdditionalProperties)
}

func anyOf(names []string) []any {
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}
