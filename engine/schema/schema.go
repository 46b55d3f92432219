// Package schema compiles the JSON Schemas of tools, answers, outputs and guards.
// They may come from files and servers of others.
package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Compile compiles a parsed JSON Schema. A reference that leads out of it is an
// error: no file is read and no address asked. formats makes "format" a check.
func Compile(name string, doc any, formats bool) (*jsonschema.Schema, error) {
	name = "schema:///" + name // else it would become a file of the working folder, in messages too
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if formats {
		c.AssertFormat()
	}
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(name)
	var invalid *jsonschema.SchemaValidationError
	var why *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &why) {
		return nil, errors.New(said(Leaves(why)[0]))
	}
	return s, err
}

// Validate says all in which a value does not follow a schema, each with its place in the
// value as a JSON pointer: "missing property 'n'; got string, want integer at /k". nil for a
// value that follows it.
func Validate(s *jsonschema.Schema, v any) error {
	err := s.Validate(v)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	var all []string
	for _, leaf := range Leaves(invalid) {
		all = append(all, said(leaf))
	}
	return errors.New(strings.Join(all, "; "))
}

// Leaves are the mistakes that a mistake is made of.
func Leaves(e *jsonschema.ValidationError) (out []*jsonschema.ValidationError) {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	for _, c := range e.Causes {
		out = append(out, Leaves(c)...)
	}
	return out
}

func said(e *jsonschema.ValidationError) string {
	text := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if len(e.InstanceLocation) > 0 {
		text += " at /" + strings.Join(e.InstanceLocation, "/")
	}
	return text
}

// nowhere loads nothing.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %.80s; write the schema out", url)
}
