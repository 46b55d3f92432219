package model

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	names "github.com/ollama/ollama/types/model"
)

const (
	// askTime bounds the library's short questions.
	askTime = 30 * time.Second
	// quietTime is how long a pull, or the creation of a model, may send nothing.
	quietTime = 10 * time.Minute
)

// Library is the models that a server holds.
type Library struct{ server *Server }

// NewLibrary returns the library of a server. Nothing is asked of the server yet.
func NewLibrary(s *Server) *Library { return &Library{server: s} }

// Stored is a model in a library.
type Stored struct {
	Name         string    `json:"name"`
	Digest       string    `json:"digest"`
	Size         int64     `json:"size"` // bytes
	Modified     time.Time `json:"modified_at"`
	Family       string    `json:"family"`
	Parameters   string    `json:"parameters"` // as Ollama writes it, e.g. 135M
	Quantization string    `json:"quantization"`
	// Remote says that the model runs on another machine.
	Remote bool `json:"remote,omitempty"`
}

// Details is what a server tells about one model.
type Details struct {
	Stored
	Context      int      `json:"context"` // tokens that the model was trained for; 0 when not told
	Capabilities []string `json:"capabilities"`
	Template     string   `json:"template"`
	License      string   `json:"license"`
}

// Loaded is a model in memory.
type Loaded struct {
	Name    string    `json:"name"`
	Digest  string    `json:"digest"`
	Size    int64     `json:"size"`      // bytes in memory
	VRAM    int64     `json:"size_vram"` // bytes of it on a graphics card
	Context int       `json:"context"`   // tokens reserved
	Expires time.Time `json:"expires_at"`
}

// Progress is how far a pull or an import is.
type Progress struct {
	Step   string `json:"step"`
	Digest string `json:"digest,omitempty"` // of the layer or file that is moved
	Done   int64  `json:"done,omitempty"`   // bytes
	Total  int64  `json:"total,omitempty"`  // bytes; 0 when not known
}

// List returns the library's models by name.
func (l *Library) List(ctx context.Context) ([]Stored, error) {
	c, ctx, end, err := l.ask(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	list, err := c.List(ctx)
	if err != nil {
		return nil, explain(ctx, "list", err)
	}
	out := make([]Stored, 0, len(list.Models))
	for _, m := range list.Models {
		out = append(out, Stored{
			Name: m.Name, Digest: m.Digest, Size: m.Size, Modified: m.ModifiedAt, Family: m.Details.Family,
			Parameters: m.Details.ParameterSize, Quantization: m.Details.QuantizationLevel, Remote: m.RemoteHost != "" || m.RemoteModel != "",
		})
	}
	slices.SortFunc(out, func(a, b Stored) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Show tells about one model.
func (l *Library) Show(ctx context.Context, name string) (Details, error) {
	list, err := l.List(ctx)
	if err != nil {
		return Details{}, err
	}
	c, ctx, end, err := l.ask(ctx)
	if err != nil {
		return Details{}, err
	}
	defer end()
	shown, err := c.Show(ctx, &api.ShowRequest{Model: name})
	if err != nil {
		return Details{}, explain(ctx, "show "+clip(name), err)
	}
	d := Details{Stored: Stored{Name: name}, Context: count(shown.ModelInfo, ".context_length", 0), Template: shown.Template, License: shown.License}
	for _, s := range list {
		if sameModel(s.Name, name) {
			d.Stored = s
		}
	}
	for _, capability := range shown.Capabilities {
		d.Capabilities = append(d.Capabilities, capability.String())
	}
	return d, nil
}

// Running lists the models in memory.
func (l *Library) Running(ctx context.Context) ([]Loaded, error) {
	c, ctx, end, err := l.ask(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	list, err := c.ListRunning(ctx)
	if err != nil {
		return nil, explain(ctx, "ps", err)
	}
	out := make([]Loaded, 0, len(list.Models))
	for _, m := range list.Models {
		out = append(out, Loaded{Name: m.Name, Digest: m.Digest, Size: m.Size, VRAM: m.SizeVRAM, Context: m.ContextLength, Expires: m.ExpiresAt})
	}
	return out, nil
}

// Delete removes a model from the library.
func (l *Library) Delete(ctx context.Context, name string) error {
	c, ctx, end, err := l.ask(ctx)
	if err != nil {
		return err
	}
	defer end()
	return explain(ctx, "delete "+clip(name), c.Delete(ctx, &api.DeleteRequest{Model: name}))
}

// Unload takes a model out of the server's memory, with all that it has read.
func (l *Library) Unload(ctx context.Context, name string) error {
	c, ctx, end, err := l.ask(ctx)
	if err != nil {
		return err
	}
	defer end()
	request := &api.GenerateRequest{Model: name, KeepAlive: &api.Duration{Duration: 0}}
	return explain(ctx, "unload "+clip(name), c.Generate(ctx, request, func(api.GenerateResponse) error { return nil }))
}

// Pull downloads a model over the network; the caller has asked the user before. A pull
// that was cancelled or broke off continues where it was when it is called again.
func (l *Library) Pull(ctx context.Context, name string, onProgress func(Progress)) error {
	if err := l.checkName(name); err != nil {
		return err
	}
	return l.progress(ctx, "pull "+clip(name), "/api/pull", &api.PullRequest{Model: name}, onProgress)
}

// progress posts a request whose answer is lines of progress that end with "success".
func (l *Library) progress(ctx context.Context, what, path string, request any, onProgress func(Progress)) error {
	return l.server.stream(ctx, what, path, request, quietTime, quietTime, func(line []byte) (bool, error) {
		var p api.ProgressResponse
		if err := json.Unmarshal(line, &p); err != nil {
			return false, fmt.Errorf("%w: %s: %s", ErrBroken, what, clip(err.Error()))
		}
		if onProgress != nil {
			onProgress(Progress{Step: clip(p.Status), Digest: p.Digest, Done: p.Completed, Total: p.Total})
		}
		return p.Status == "success", ctx.Err()
	})
}

// checkName refuses what is no model name, and names of models that run elsewhere.
func (l *Library) checkName(name string) error {
	n := names.ParseName(name)
	if !n.IsValid() {
		return fmt.Errorf("%w: %q is not a model name; use letters, digits and .-_: such as clinic/small:latest", ErrRequest, clip(name))
	}
	if tag := strings.ToLower(n.Tag); !l.server.remote && (tag == "cloud" || strings.HasSuffix(tag, "-cloud")) {
		return fmt.Errorf("%w: %s runs on another machine", ErrRemote, clip(name))
	}
	return nil
}

// ask returns a client and a context that bounds one short question.
func (l *Library) ask(ctx context.Context) (*api.Client, context.Context, context.CancelFunc, error) {
	c, err := l.server.client(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	limit, kind := l.server.within(askTime)
	ctx, end := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: nothing came for %v", kind, limit))
	return c, ctx, end, nil
}
