package pipeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Defaults of a Config.
const (
	DefaultMaxRetries   = 1
	DefaultRetryBackoff = 500 * time.Millisecond
	DefaultTimeout      = 30 * time.Second
)

// Config declares one tool. It is a value: a registry keeps a copy of its own,
// so that changing one later changes nothing. Start from NewConfig.
type Config struct {
	Name string
	// Dependencies name the tools whose outputs this one builds on.
	Dependencies []string
	// InjectInputs are keys that become arguments: each is looked for at the top
	// level of the dependencies' outputs, in the order of Dependencies; the first
	// that has it gives the value.
	InjectInputs []string
	// Defaults are the arguments where neither an injection nor the caller gives one: JSON
	// values.
	Defaults map[string]any
	// MaxRetries is how often a failed attempt is repeated; attempts are one more.
	MaxRetries int
	// RetryBackoff is the sleep after the first attempt; it doubles with each.
	RetryBackoff time.Duration
	// Timeout limits one attempt.
	Timeout time.Duration
	// Optional says that a turn can do without the tool's section.
	Optional bool
	// Mutates exists only to be refused: assembly tools are read-only.
	Mutates bool

	line int // where the file declares it; 0 for none
}

// NewConfig is a required tool without dependencies, with the default limits.
func NewConfig(name string) Config {
	return Config{Name: name, MaxRetries: DefaultMaxRetries, RetryBackoff: DefaultRetryBackoff, Timeout: DefaultTimeout}
}

func (c Config) clone() Config {
	c.Dependencies, c.InjectInputs = slices.Clone(c.Dependencies), slices.Clone(c.InjectInputs)
	if c.Defaults != nil {
		c.Defaults = copyJSON(c.Defaults).(map[string]any)
	}
	return c
}

// check finds what is wrong with a declaration on its own.
func (c Config) check() error {
	switch {
	case c.Name == "":
		return c.errorf("a tool has no name")
	case c.Mutates:
		return c.errorf("tool %q mutates, but context tools are read-only; register it as a tool of the agent, where a person approves it", c.Name)
	case c.MaxRetries < 0:
		return c.errorf("tool %q: max_retries is %d; use 0 or more", c.Name, c.MaxRetries)
	case c.RetryBackoff < 0:
		return c.errorf("tool %q: retry_backoff is %v; use 0 or more", c.Name, c.RetryBackoff)
	case c.Timeout <= 0:
		return c.errorf("tool %q: timeout is %v; give each attempt some time", c.Name, c.Timeout)
	case len(c.InjectInputs) > 0 && len(c.Dependencies) == 0:
		return c.errorf("tool %q injects inputs but has no dependencies to take them from", c.Name)
	}
	for _, names := range [][]string{c.Dependencies, c.InjectInputs} {
		for i, n := range names {
			if n == "" || slices.Contains(names[:i], n) {
				return c.errorf("tool %q lists %q twice or empty", c.Name, n)
			}
		}
	}
	return nil
}

func (c Config) errorf(format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if c.line > 0 {
		return fmt.Errorf("pipeline: line %d: %s", c.line, msg)
	}
	return fmt.Errorf("pipeline: %s", msg)
}

// asJSON gives the shape that v has after a trip through JSON, sharing nothing with v.
func asJSON(v map[string]any) (map[string]any, error) {
	out := map[string]any{}
	if len(v) == 0 {
		return out, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return out, json.Unmarshal(raw, &out)
}

// copyJSON copies a JSON value deeply. Other values are kept as they are.
func copyJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for k, e := range out {
			out[k] = copyJSON(e)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, e := range out {
			out[i] = copyJSON(e)
		}
		return out
	default:
		return v
	}
}
