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
		return nil, leaf(why)
	}
	return s, err
}

// leaf is where a schema first does not fit what schemas are.
func leaf(e *jsonschema.ValidationError) error {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	at := "/" + strings.Join(e.InstanceLocation, "/")
	return fmt.Errorf("%s at %s", e.ErrorKind.LocalizedString(message.NewPrinter(language.English)), at)
}

// nowhere loads nothing.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %.80s; write the schema out", url)
}
