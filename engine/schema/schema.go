// Package schema compiles the JSON Schemas of tools, answers, outputs and guards.
// They may come from files and servers of others.
package schema

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Compile compiles a parsed JSON Schema. A reference that leads out of it is an
// error: no file is read and no address asked. formats makes "format" a check.
func Compile(name string, doc any, formats bool) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if formats {
		c.AssertFormat()
	}
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// nowhere loads nothing.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %.80s; write the schema out", url)
}
