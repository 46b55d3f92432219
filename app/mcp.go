package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/mcp"
	"holdpoint/engine/session"
	"holdpoint/engine/tool"
	"holdpoint/store"
)

// AddServer is a server of tools as a person describes it.
type AddServer struct {
	mcp.Config
	// Env are the names of variables, or names with values. A name without a value is
	// looked up in Holdpoint's own environment.
	Env Variables `json:"env"`
}

// Variables are names with values that may be missing. In JSON it is a list of names
// or an object.
type Variables map[string]*string

// UnmarshalJSON reads a list of names or an object of names and values.
func (v *Variables) UnmarshalJSON(body []byte) error {
	var names []string
	if json.Unmarshal(body, &names) == nil {
		*v = Variables{}
		for _, n := range names {
			(*v)[n] = nil
		}
		return nil
	}
	var values map[string]*string
	if err := json.Unmarshal(body, &values); err != nil {
		return errors.New("env is a list of names, or an object of names and values")
	}
	*v = values
	return nil
}

// openServers reads the servers of tools; none is contacted.
func (a *App) openServers() error {
	folder := "" // whoever only reads may do so beside the process that writes
	if !a.Store.ReadOnly() {
		folder = a.folder()
	}
	var err error
	a.servers, err = mcp.New(mcp.Options{Store: a.Store, Folder: folder, Version: a.version, Now: a.now, Log: a.log, Void: a.voidOutside,
		Network: func() (bool, error) {
			s, err := a.Settings()
			return s.Network, err
		},
		Changed: func(id string) { a.hub.notify(Notice{Kind: NoticeServers, ID: id}) }})
	a.outside = a.outsideTools
	return err
}

// folder is the data folder under the one name that every process finds for it.
func (a *App) folder() string {
	if a.dir == "" {
		return ""
	}
	dir, err := filepath.Abs(a.dir)
	if err != nil {
		return a.dir
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// outsideTools are the tools of trusted servers.
func (a *App) outsideTools() []tool.Tool {
	tools := a.servers.Tools()
	for i, t := range tools {
		read := t.Read
		if read == nil {
			continue
		}
		tools[i].Read = func(ctx context.Context, env tool.Env, args json.RawMessage) (json.RawMessage, error) {
			if err := neverAsked(ctx, env.Call); err != nil {
				return nil, err
			}
			return read(ctx, env, args)
		}
	}
	return tools
}

// neverAsked refuses a call that a person was asked about while its tool counted as
// changing something: it does not run because the tool was classified again.
func neverAsked(ctx context.Context, id string) error {
	t, err := call.TaskOf(ctx)
	if err != nil {
		return err
	}
	err = graph.View(t, func(tx ledger.Tx) error {
		_, err := tx.Entry(id)
		return err
	})
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return &tool.Refusal{Reason: "a person was asked about this call; it has to be made again"}
}

// voidOutside takes back what a person was asked, or approved and did not run yet,
// for the tools of a server; name is one of them or empty.
func (a *App) voidOutside(server, name, why string) error {
	return a.void(why+"; resume the turn to go on without it", func(ap ledger.Approval) bool {
		of, own, ok := strings.Cut(ap.Tool, ".")
		return ok && of == server && (name == "" || own == name)
	})
}

// void takes back the approvals that match, pending or not used yet, and says why.
func (a *App) void(why string, match func(ledger.Approval) bool) error {
	var void []ledger.Approval
	err := a.Store.Shown().Update(func(tx store.Tx) error { // one that cannot be read is never used
		void = nil
		for _, status := range []ledger.Status{ledger.Pending, ledger.Approved} {
			err := tx.Approvals(status, func(ap ledger.Approval) (bool, error) {
				if match(ap) {
					void = append(void, ap)
				}
				return true, nil
			})
			if err != nil {
				return err
			}
		}
		for i := range void {
			if err := ledger.Withdraw(tx, void[i], a.now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("app: approvals were not voided: %w", err)
	}
	for _, ap := range void {
		events := []journal.Event{{At: a.now(), Session: ap.Session, Turn: ap.Turn, Kind: journal.ApprovalRefused, Approval: ap.ID, Call: ap.Call, Tool: ap.Tool,
			Status: string(journal.ApprovalVoid), Reason: why}}
		if err := a.Store.AppendEvents(ap.Session, ap.Turn, events, nil); errors.Is(err, session.ErrNotFound) {
			continue // deleted meanwhile
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Servers lists the servers of tools; none is contacted.
func (a *App) Servers() []mcp.View { return a.servers.List() }

// AddServer takes up a server and shows what it offers; nothing of it is used before
// TrustServer. Only a person adds one: nothing that is imported, no agent's file, no
// tool and no model comes here.
func (a *App) AddServer(ctx context.Context, in AddServer) (mcp.View, error) {
	if a.Store.ReadOnly() { // what could not be kept is not started
		return mcp.View{}, store.ErrReadOnly
	}
	in.Config.Env = slices.Sorted(maps.Keys(in.Env))
	values := map[string]string{}
	for name, v := range in.Env {
		if v != nil {
			values[name] = *v
		}
	}
	v, err := a.servers.Add(ctx, in.Config, values)
	return v, serverFault(of(in.Title, err))
}

// TrustServer pins what was shown under the digest.
func (a *App) TrustServer(id, digest string) (mcp.View, error) {
	v, err := a.servers.Trust(id, digest)
	return v, serverFault(err)
}

// RefreshServer looks at a server now.
func (a *App) RefreshServer(ctx context.Context, id string) (mcp.View, error) {
	if a.Store.ReadOnly() {
		return mcp.View{}, store.ErrReadOnly
	}
	v, err := a.servers.Refresh(ctx, id)
	return v, serverFault(of(id, err))
}

// RemoveServer forgets a server; what was asked for its tools is void.
func (a *App) RemoveServer(id string) error { return serverFault(a.servers.Remove(id)) }

// ClassifyTool says whether a tool only reads, as the person knows it who was shown
// it under its digest.
func (a *App) ClassifyTool(server, name, class, digest string) (mcp.View, error) {
	v, err := a.servers.Classify(server, name, mcp.Class(class), digest)
	return v, serverFault(err)
}

// of names the server that could not be reached.
func of(server string, err error) error {
	if errors.Is(err, mcp.ErrUnreachable) {
		return fmt.Errorf("%s: %w", server, err)
	}
	return err
}

// serverFault words the errors of servers for people.
func serverFault(err error) error {
	fault := func(code string, status int, hint string) error {
		return &Fault{Code: code, Message: err.Error(), Hint: hint, Safe: "Nothing of the server is used.", HTTP: status, err: err}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, mcp.ErrConfig):
		return fault("bad_request", 400, "Describe it by a command with arguments, or by an address.")
	case errors.Is(err, mcp.ErrNotFound):
		return fault("not_found", 404, "See holdpoint mcp list.")
	case errors.Is(err, mcp.ErrDigest):
		return fault("digest", 409, "Read again what it shows, and trust that digest.")
	case errors.Is(err, mcp.ErrDisabled):
		return fault("not_trusted", 409, "Look at the server and trust it, or remove it.")
	case errors.Is(err, mcp.ErrNetwork):
		return fault("offline", 409, "Allow the network under Settings, or use a server on this laptop.")
	case errors.Is(err, mcp.ErrAddress):
		return fault("address", 403, "Use a server with a public address, or one on this laptop by 127.0.0.1.")
	case errors.Is(err, context.Canceled):
		return err
	}
	return fault("no_server", 502, "Try the command or the address by itself, then look at the server again.")
}
