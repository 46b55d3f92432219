// Package agenttest is an agent that is none of Holdpoint's own: tests put it into the
// registry to see that nothing else has to know of an agent. It talks about oil wells
// and files inspections of them.
package agenttest

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// Name is the agent's.
const Name = "inspector"

// Well and Inspection are the types of records that the agent brings along.
const (
	Well       = "Well"
	Inspection = "Inspection"
)

// Tools of the agent: one reads, one files an inspection once a person approved it.
const (
	ReadWell       = "read_well"
	FileInspection = "file_inspection"
)

var (
	messages = graph.Append[model.Message]("well_messages")
	reply    = graph.Value[string]("reply")
)

// recordRows are the rows that its tool reads.
var recordRows turn.Rows[record.Tx]

// New builds the agent.
func New(kit turn.Kit) (agent.Agent, error) {
	if err := kit.Needs(recordRows); err != nil {
		return agent.Agent{}, err
	}
	own := tools()
	set, err := tool.NewSet(own...)
	if err != nil {
		return agent.Agent{}, err
	}
	i := &inspector{set}
	spec, err := turn.Guard(graph.Spec{Agent: Name, Title: "Well inspector", Channels: []graph.AnyChannel{messages, reply}, Reply: reply,
		Stages: []graph.Stage{{ID: "inspect_well", Role: graph.RoleHold, Title: "Inspect", Description: "Talks about a well and proposes inspections", SideEffects: true, Run: i.run}},
		Edges:  []graph.Edge{{From: graph.Start, To: "inspect_well", Type: graph.Entry}, {From: "inspect_well", To: graph.End, Type: graph.Exit}}})
	if err != nil {
		return agent.Agent{}, err
	}
	g, err := graph.New(spec)
	return agent.Agent{ID: Name, Title: spec.Title, Description: "Files inspections of wells, and asks before it does.", Example: "Inspect the well: no leak",
		Graph:    func(map[string]string) (*graph.Graph, error) { return g, nil },
		Begin:    begin,
		Tools:    own,
		Subjects: []string{Well},
		Records: []agent.RecordType{
			{Type: Well, Plural: "Wells", Describe: describe, Names: map[string]string{"name": "Name", "field": "Field"}},
			{Type: Inspection, Plural: "Inspections", Describe: describe, Names: map[string]string{"subject": "Well", "description": "Finding"}},
		},
		Formats: []record.Format{{Extension: ".csv", Read: readWells, About: "wells as lines of id, name and field"}},
		Script:  script(),
	}, err
}

func begin(m turn.Message) graph.Patch {
	return graph.Patch{messages.Add(append(turn.Conversation(m.History), model.Message{Role: "user", Text: m.Text})...)}
}

type inspector struct{ tools *tool.Set }

const maxRounds = 2

// run is one step of the loop: it asks the model, or answers the calls that the model
// made in the step before.
func (i *inspector) run(ctx context.Context, t *graph.Task) (graph.Result, error) {
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	loop := turn.Loop{Talk: messages.Get(t.State), Offers: i.tools.Offer(), Most: maxRounds, IDs: fmt.Sprintf("%s.%d.", t.Run.Turn, t.Round), Act: turn.Act{Tools: i.tools}}
	if last := loop.Talk[len(loop.Talk)-1]; len(last.Calls) > 0 {
		answer, paused, err := loop.Answer(ctx, t)
		if err != nil || paused != nil {
			return orPause(paused), err
		}
		return graph.Result{Patch: graph.Patch{messages.Add(answer.Messages...)}, Events: answer.Events, Reenter: "calls_answered"}, nil
	}
	info, err := d.Models.Main.Info(ctx)
	if err != nil {
		return graph.Result{}, err
	}
	loop.Speech = &turn.Speech{Task: t, ID: fmt.Sprintf("%s/m%d", t.Run.Turn, t.Round), Info: info}
	loop.Chat = turn.Chat{Model: d.Models.Main, Role: model.Main, Purpose: "reply", Info: &info,
		Request: model.Request{Messages: append([]model.Message{{Role: "system", Text: "You inspect wells. Subject: " + turn.SubjectOf(t).String()}}, loop.Talk...)}}
	said, err := loop.Ask(ctx, t)
	if err != nil {
		return graph.Result{}, err
	}
	if len(said.Calls) > 0 {
		return graph.Result{Patch: graph.Patch{messages.Add(said.Asked())}, Events: said.Events, Reenter: "calls"}, nil
	}
	return graph.Result{Patch: graph.Patch{reply.Set(said.Text)}, Events: []journal.Event{loop.Speech.Message(said.Text, said.Response, said.Response.Cut)}}, nil
}

func orPause(r *graph.Result) graph.Result {
	if r == nil {
		return graph.Result{}
	}
	return *r
}

func tools() []tool.Tool {
	return []tool.Tool{
		{Name: ReadWell, Title: "Look at a well", Description: "Read the well that the session is about, with its inspections.",
			Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
			Read: func(ctx context.Context, env tool.Env, _ json.RawMessage) (out json.RawMessage, err error) {
				t, err := call.TaskOf(ctx)
				if err != nil {
					return nil, err
				}
				if env.Subject.Type != Well {
					return nil, &tool.Refusal{Reason: "no well is selected; choose one first"}
				}
				inspections := []json.RawMessage{}
				err = recordRows.View(t, func(tx record.Tx) error {
					well, err := tx.Record(env.Subject)
					if err != nil {
						return err
					}
					err = tx.RecordsAbout(well.Ref, Inspection, func(r record.Record) (bool, error) {
						inspections = append(inspections, r.Resource)
						return true, nil
					})
					out = model.JSON(map[string]any{"well": well.Resource, "inspections": inspections})
					return err
				})
				return out, err
			}},
		{Name: FileInspection, Title: "Filing of an inspection", Description: "Propose an inspection of the well. A person approves it first.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"finding":{"type":"string","title":"Finding","minLength":1,"maxLength":300}},"required":["finding"],"additionalProperties":false}`),
			Plan:       plan},
	}
}

// plan is a new record that refers to the well, as the well is now.
func plan(tx record.Tx, env tool.Env, args json.RawMessage) (tool.Plan, error) {
	var a struct{ Finding string }
	if err := json.Unmarshal(args, &a); err != nil {
		return tool.Plan{}, err
	}
	well, err := tx.Record(env.Subject)
	if errors.Is(err, record.ErrNotFound) || env.Subject.Type != Well {
		return tool.Plan{}, &tool.Refusal{Reason: "no well is selected; choose one first"}
	}
	if err != nil {
		return tool.Plan{}, err
	}
	name, _ := describe(well, env.Now)
	ref := record.Ref{Type: Inspection, ID: "of-" + env.Call}
	after := model.JSON(map[string]any{"resourceType": Inspection, "id": ref.ID, "subject": map[string]string{"reference": well.Ref.String(), "display": name}, "description": a.Finding})
	return tool.Plan{Args: args, Title: "File an inspection of " + name + ": " + a.Finding,
		Targets: []ledger.Target{{Ref: well.Ref, Version: well.Version}, {Ref: ref}}, Changes: []ledger.Change{{Ref: ref, After: after}},
		Result: model.JSON(map[string]string{"status": "filed", "inspection": ref.ID})}, nil
}

// describe puts a well or an inspection into words: what it is called, and where it belongs.
func describe(r record.Record, _ time.Time) (title, subtitle string) {
	var x struct {
		Name, Field, Description string
		Subject                  struct{ Display string }
	}
	_ = json.Unmarshal(r.Resource, &x) // what is damaged goes by its id
	return cmp.Or(x.Name, x.Description, r.ID), cmp.Or(x.Field, x.Subject.Display)
}

// readWells reads lines of id, name and field.
func readWells(_ context.Context, in record.File, keep func(record.Line) error) error {
	rows := csv.NewReader(in)
	rows.FieldsPerRecord = 3
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := rows.FieldPos(0)
		if err := keep(record.Line{No: line, Resource: model.JSON(map[string]string{"resourceType": Well, "id": row[0], "name": row[1], "field": row[2]})}); err != nil {
			return err
		}
	}
}

var finding = regexp.MustCompile(`(?i)inspect[^:]*:\s*(.+)`)

// script files what stands behind the colon.
func script() model.Script {
	return model.Script{
		Wishes: []model.Wish{{Name: "inspect", Words: finding, Tools: []string{ReadWell, FileInspection}}},
		Arguments: func(s *model.Scene, name string, _ int) (map[string]string, string) {
			if name != FileInspection {
				return nil, ""
			}
			return map[string]string{"finding": finding.FindStringSubmatch(s.Said)[1]}, ""
		},
		Told: func(s *model.Scene, last model.Result) string {
			if last.Tool != FileInspection {
				return ""
			}
			return s.Say("The inspection is filed as %s.", model.Field(last.Value, "inspection"))
		},
		Greeting: func(s *model.Scene) string { return s.Say("Which finding shall I file?") },
	}
}
