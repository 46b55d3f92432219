package app

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
)

// MainModel is the model that the next turn's replies are asked of.
func (m *Models) MainModel(ctx context.Context) (model.Info, error) {
	practice, err := m.inPractice()
	if err != nil {
		return model.Info{}, err
	}
	_, _, info, err := m.choose(ctx, practice, nil)
	return info, err
}

// Fresh loads the main model anew: nothing of what it has read before is kept.
func (m *Models) Fresh(ctx context.Context) error {
	set, _, info, err := m.choose(ctx, playing{}, nil)
	if err != nil {
		return err
	}
	s, err := m.locate(ctx)
	if err != nil {
		return err
	}
	if err := model.NewLibrary(s).Unload(ctx, info.Name); err != nil {
		return err
	}
	_, err = set.Main.Chat(ctx, model.Request{Messages: []model.Message{{Role: "user", Text: "."}}, MaxTokens: 1}, nil)
	return err
}

// ModelCalled reads what a model was asked, with its prompt, also where that moved into a blob.
func (a *App) ModelCalled(e journal.Event) (d journal.ModelCalledData, err error) {
	if d, err = journal.Read[journal.ModelCalledData](e); err != nil {
		return d, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(e.Data, &members); err != nil {
		return d, fmt.Errorf("app: the journal's entry of a model: %w", err)
	}
	if b, moved := journal.AsBlob(members["prompt"]); moved {
		body, err := a.Blob(b.Name)
		if err != nil {
			return d, err
		}
		if err := json.Unmarshal(body, &d.Prompt); err != nil {
			return d, fmt.Errorf("app: the journal's prompt: %w", err)
		}
	}
	return d, nil
}

// AskAgain sends a request that the journal has to the main model once more, as a bare
// chat, and says how long that took.
func (a *App) AskAgain(ctx context.Context, of string, asked journal.ModelCalledData) (model.Response, time.Duration, error) {
	x, err := a.agents.find(of)
	if err != nil {
		return model.Response{}, 0, err
	}
	set, _, _, err := a.Models.choose(ctx, playing{}, x.scripts)
	if err != nil {
		return model.Response{}, 0, err
	}
	r, err := a.Asked(of, asked)
	if err != nil {
		return model.Response{}, 0, err
	}
	r.Rounds = true // as in a turn
	began := a.now()
	res, err := set.Main.Chat(ctx, r, nil)
	return res, a.now().Sub(began), err
}

// Asked is a request that the journal has, as it was sent to a model: with what its tools do.
func (a *App) Asked(of string, asked journal.ModelCalledData) (r model.Request, err error) {
	x, err := a.agents.find(of)
	if err != nil {
		return r, err
	}
	if asked.Kept > 0 {
		return r, fmt.Errorf("app: the journal has only a part of the prompt of %s", asked.Purpose)
	}
	if asked.Role == string(model.Main) {
		r.Described = x.tools.Offer()
	}
	for _, t := range r.Described {
		if slices.Contains(asked.Tools, t.Name) {
			r.Tools = append(r.Tools, t)
		}
	}
	for _, p := range asked.Prompt {
		m := model.Message{Role: p.Role, Text: p.Text, Call: p.Call, Tool: p.Tool}
		for _, c := range p.Calls {
			m.Calls = append(m.Calls, model.Call(c))
		}
		r.Messages = append(r.Messages, m)
	}
	return r, nil
}

// Vectors holds what an agent computes against the worked examples of a file. records
// opens what was imported, when the examples need it.
func (r *Agents) Vectors(ctx context.Context, id, file string, records func(fn func(record.Tx) error) error) ([]agent.Case, error) {
	x, err := r.find(id)
	if err != nil {
		return nil, err
	}
	if x.Vectors == nil {
		return nil, Bad(fmt.Sprintf("The agent %s computes nothing that examples could be held against.", id), "See holdpoint bench --help.")
	}
	body, err := ReadFile(file)
	if err != nil {
		return nil, err
	}
	return x.Vectors(ctx, agent.VectorFile{Body: body, Folder: folderOf(filepath.Dir(file)), Records: records})
}
