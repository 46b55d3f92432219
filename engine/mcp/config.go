package mcp

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"holdpoint/engine/identity"
	"holdpoint/engine/visible"
)

// Errors that callers distinguish.
var (
	// ErrConfig says that the description of a server is not valid.
	ErrConfig = errors.New("mcp: the server cannot be added like this")
	// ErrNotFound says that there is no such server or tool.
	ErrNotFound = errors.New("mcp: no such server or tool")
	// ErrDigest says that what is there is not what the person was shown.
	ErrDigest = errors.New("mcp: this is not what was shown")
	// ErrDisabled says that a server is not trusted, or no longer.
	ErrDisabled = errors.New("mcp: the server is not trusted")
	// ErrNetwork says that the settings allow no addresses beyond this machine.
	ErrNetwork = errors.New("mcp: the network is switched off under Settings")
	// ErrAddress says that an address is not one that a server elsewhere may have.
	ErrAddress = errors.New("mcp: the address belongs to this laptop or to a private network")
	// ErrUnreachable says that no connection came about; nothing was sent.
	ErrUnreachable = errors.New("mcp: the server could not be reached")
)

// Transports of a server.
const (
	Stdio = "stdio"
	HTTP  = "http"
)

// Config is a server as a person describes it. All of it is pinned.
type Config struct {
	// ID begins the names of the tools; made of the title.
	ID        string `json:"id"`
	Title     string `json:"title"`
	Transport string `json:"transport"`
	// Command is the program's full path, Env the names of the variables that it is
	// given beside PATH.
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Env     []string `json:"env,omitempty"`
	URL     string   `json:"url,omitempty"`
	// Identity sends the caller's token with each call over HTTP.
	Identity bool `json:"identity,omitempty"`
	// Needs is what a caller has to have (identity.ParseGuard).
	Needs []string `json:"needs,omitempty"`
}

var (
	idForm  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	notID   = regexp.MustCompile(`[^a-z0-9]+`)
	envForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

const (
	mostTitle = 80
	mostID    = 32
	mostArgs  = 64
	mostText  = 4096
)

// complete checks a description and fills in an id that is not taken and the command's
// full path.
func (c Config) complete(taken func(id string) bool) (Config, error) {
	bad := func(format string, args ...any) (Config, error) {
		return Config{}, fmt.Errorf("%w: %s", ErrConfig, fmt.Sprintf(format, args...))
	}
	c.Title = strings.TrimSpace(c.Title)
	if c.Title == "" || utf8.RuneCountInString(c.Title) > mostTitle || visible.Line(c.Title) != c.Title {
		return bad("it needs a title of 1 to %d plain characters", mostTitle)
	}
	for _, need := range c.Needs {
		if _, err := identity.ParseGuard(need); err != nil {
			return bad("%v", err)
		}
	}
	switch c.Transport {
	case Stdio:
		if c.URL != "" || c.Identity {
			return bad("a program has no address and gets no token")
		}
		if c.Command == "" {
			return bad("a program needs a command")
		}
		if len(c.Args) > mostArgs || len(c.Env) > mostArgs {
			return bad("at most %d arguments and variables", mostArgs)
		}
		for _, s := range append([]string{c.Command}, c.Args...) {
			if len(s) > mostText || strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
				return bad("an argument is too long or no text")
			}
		}
		for _, name := range c.Env {
			if !envForm.MatchString(name) {
				return bad("%q is not the name of a variable; give names only, their values are taken when the program is started", visible.Line(name))
			}
		}
		path, err := exec.LookPath(c.Command)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return bad("the command %q is not there: %v", visible.Line(c.Command), errors.Unwrap(err))
		}
		c.Command = path
	case HTTP:
		if c.Command != "" || len(c.Args)+len(c.Env) > 0 {
			return bad("an address has no command, arguments or variables")
		}
		u, err := url.Parse(c.URL)
		switch {
		case err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || len(c.URL) > mostText:
			return bad("the address has to be like https://example.org/mcp, without a name or password in it")
		case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		default:
			return bad("the address has to be https, or http on this laptop (127.0.0.1, localhost)")
		}
	default:
		return bad("the transport is stdio or http, not %q", visible.Line(c.Transport))
	}
	if c.ID == "" {
		c.ID = strings.Trim(notID.ReplaceAllString(strings.ToLower(c.Title), "-"), "-")
		if c.ID = strings.Trim(c.ID[:min(len(c.ID), mostID-4)], "-"); c.ID == "" {
			c.ID = "server"
		}
		base := c.ID
		for n := 2; taken(c.ID); n++ {
			c.ID = fmt.Sprintf("%s-%d", base, n)
		}
	}
	if !idForm.MatchString(c.ID) || len(c.ID) > mostID {
		return bad("the id %q has to be small letters and digits, with - between them", visible.Line(c.ID))
	}
	if taken(c.ID) {
		return bad("there is a server %q already", c.ID)
	}
	c.Args, c.Env, c.Needs = slices.Clone(c.Args), slices.Clone(c.Env), slices.Clone(c.Needs)
	return c, nil
}

// isLoopback says that a host means this machine by itself, without asking anybody.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// local says that using the server sends nothing to another machine.
func (c Config) local() bool {
	if c.Transport == Stdio {
		return true
	}
	u, err := url.Parse(c.URL)
	return err == nil && isLoopback(u.Hostname())
}

// guard lets callers who have what the server needs.
func (c Config) guard() identity.Guard {
	var all []identity.Guard
	for _, need := range c.Needs {
		g, err := identity.ParseGuard(need)
		if err != nil {
			return func(identity.Caller) error { return err }
		}
		all = append(all, g)
	}
	return identity.All(all...)
}
