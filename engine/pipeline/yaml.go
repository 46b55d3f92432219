package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// LoadConfigs reads tool declarations. The document is a mapping with one key,
// tools: a list of mappings with name and, as wanted, dependencies,
// inject_inputs, defaults, max_retries, retry_backoff, timeout and optional.
// Durations are seconds ("0.5") or carry a unit ("500ms"). What is left out is as
// in NewConfig. Names stand for functions, so a file never holds code. Errors say the line.
func LoadConfigs(document []byte) ([]Config, error) {
	dec := yaml.NewDecoder(bytes.NewReader(document))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, errors.New("pipeline: the document is empty; it needs a list under tools")
	} else if err != nil {
		return nil, syntax(err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); err == nil {
		return nil, at(&more, "a second document; put all tools into one")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntax(err)
	}
	var configs []Config
	found := false
	err := fields(doc.Content[0], "the document", func(key string, k, v *yaml.Node) error {
		if key != "tools" {
			return at(k, "unknown field %q; the document has only tools", key)
		}
		found = true
		if v.Kind != yaml.SequenceNode {
			return at(v, "tools is not a list")
		}
		for _, item := range v.Content {
			c, err := loadConfig(item)
			if err != nil {
				return err
			}
			configs = append(configs, c)
		}
		return nil
	})
	if err == nil && !found {
		err = at(doc.Content[0], "tools is missing")
	}
	return configs, err
}

func loadConfig(node *yaml.Node) (Config, error) {
	c := NewConfig("")
	c.line = node.Line
	err := fields(node, "a tool", func(key string, k, v *yaml.Node) error {
		switch key {
		case "name":
			return scalar(v, key, &c.Name)
		case "dependencies":
			return scalar(v, key, &c.Dependencies)
		case "inject_inputs":
			return scalar(v, key, &c.InjectInputs)
		case "max_retries":
			if v.ShortTag() != "!!int" {
				return at(v, "max_retries does not fit: %q is not a whole number", v.Value)
			}
			return scalar(v, key, &c.MaxRetries)
		case "optional":
			return scalar(v, key, &c.Optional)
		case "mutates":
			return scalar(v, key, &c.Mutates)
		case "retry_backoff":
			return seconds(v, key, &c.RetryBackoff)
		case "timeout":
			return seconds(v, key, &c.Timeout)
		case "defaults":
			if err := scalar(v, key, &c.Defaults); err != nil {
				return err
			}
			if _, err := json.Marshal(c.Defaults); err != nil {
				return at(v, "defaults hold something that JSON cannot: %v", err)
			}
			return nil
		default:
			return at(k, "unknown field %q of a tool", key)
		}
	})
	if err != nil {
		return c, err
	}
	return c, c.check()
}

// fields calls fn for each entry of a mapping and refuses a key that stands twice.
func fields(node *yaml.Node, what string, fn func(key string, k, v *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return at(node, "%s is not a mapping", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		k, v := node.Content[i], node.Content[i+1]
		if seen[k.Value] {
			return at(k, "%q stands twice", k.Value)
		}
		seen[k.Value] = true
		if err := fn(k.Value, k, v); err != nil {
			return err
		}
	}
	return nil
}

func scalar(v *yaml.Node, key string, out any) error {
	if err := v.Decode(out); err != nil {
		return at(v, "%s does not fit: %s", key, strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " "))
	}
	return nil
}

func seconds(v *yaml.Node, key string, out *time.Duration) error {
	var n float64
	if v.Decode(&n) == nil {
		if math.IsNaN(n) || math.Abs(n) > 24*3600 {
			return at(v, "%s is %s; use at most a day", key, v.Value)
		}
		*out = time.Duration(n * float64(time.Second))
		return nil
	}
	d, err := time.ParseDuration(v.Value)
	if err != nil {
		return at(v, `%s is %q; use seconds (0.5) or a unit ("500ms")`, key, v.Value)
	}
	*out = d
	return nil
}

func at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("pipeline: line %d: %s", n.Line, fmt.Sprintf(format, args...))
}

// syntax keeps the parser's line number and drops its prefix.
func syntax(err error) error {
	return fmt.Errorf("pipeline: %s", strings.TrimPrefix(err.Error(), "yaml: "))
}
