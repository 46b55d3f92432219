package definition

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/schema"
)

func (g *Guard) check() error {
	_, err := g.compile()
	return err
}

// test says whether the guard acts, with the reason and the changed text.
type test func(ctx context.Context, t *graph.Task, output string) (acts bool, reason, changed string, err error)

// compile makes the guard that prompt nodes run.
func (g *Guard) compile() (prompt.Guard, error) {
	found, err := g.test()
	if err != nil {
		return prompt.Guard{}, err
	}
	return prompt.Guard{Name: g.title(), Async: g.Ask != "", Check: func(ctx context.Context, t *graph.Task, output string) (prompt.Verdict, error) {
		acts, reason, changed, err := found(ctx, t, output)
		switch {
		case err != nil:
			return prompt.Block("could not be checked"), err
		case !acts:
			return prompt.Pass(), nil
		}
		reason = or(g.Reason, reason)
		switch g.Action {
		case "transform":
			return prompt.Transform(changed, reason), nil
		case "retry":
			return prompt.Retry(reason), nil
		}
		return prompt.Block(reason), nil
	}}, nil
}

func (g *Guard) title() string {
	for _, name := range []string{g.Name, g.Contains, g.Matches, g.Lacks, g.Ask} {
		if name != "" {
			return clip(name, 60)
		}
	}
	if g.MaxLength > 0 {
		return fmt.Sprintf("at most %d characters", g.MaxLength)
	}
	return "json schema"
}

// test compiles the one test that the guard has.
func (g *Guard) test() (test, error) {
	var found test
	tests := 0
	add := func(t test) { tests++; found = t }
	if g.Contains != "" {
		if err := g.addPattern("(?i)"+regexp.QuoteMeta(g.Contains), "contains "+g.Contains, add); err != nil {
			return nil, err
		}
	}
	if g.Matches != "" {
		if err := g.addPattern(g.Matches, "matches "+g.Matches, add); err != nil {
			return nil, err
		}
	}
	if g.Lacks != "" {
		re, err := regexp.Compile(g.Lacks)
		if err != nil {
			return nil, errors.New(phrase("%s is not a regular expression: %s", "lacks", err))
		}
		add(func(_ context.Context, _ *graph.Task, output string) (bool, string, string, error) {
			return !re.MatchString(output), "lacks " + g.Lacks, output, nil
		})
	}
	if g.MaxLength > 0 {
		add(func(_ context.Context, _ *graph.Task, output string) (bool, string, string, error) {
			n := utf8.RuneCountInString(output)
			if n <= g.MaxLength {
				return false, "", output, nil
			}
			return true, fmt.Sprintf("has %d characters, at most %d are wanted", n, g.MaxLength), string([]rune(output)[:g.MaxLength]), nil
		})
	}
	if g.Schema != nil {
		schema, err := compileSchema(g.Schema)
		if err != nil {
			return nil, err
		}
		add(func(_ context.Context, _ *graph.Task, output string) (bool, string, string, error) {
			why := misfit(schema, output)
			return why != "", why, output, nil
		})
	}
	if g.Ask != "" {
		add(func(ctx context.Context, t *graph.Task, output string) (bool, string, string, error) {
			ok, reason, err := judge(ctx, t, "guard "+g.title(), "Judge the text: "+g.Ask+" Say pass for yes and fail for no, with a short reason.", output, "pass", "fail")
			return !ok, reason, output, err
		})
	}
	switch {
	case tests != 1:
		return nil, errors.New(phrase("a guard has one of matches, lacks, contains, max_length, json_schema and ask; give exactly one"))
	case g.Action == "transform" && g.Matches == "" && g.Contains == "" && g.MaxLength == 0:
		return nil, errors.New(phrase("transform works with matches, contains and max_length; use another action"))
	case g.Replace != "" && (g.Action != "transform" || g.MaxLength > 0):
		return nil, errors.New(phrase("replace is for transform with matches or contains; leave it out"))
	}
	return found, nil
}

func (g *Guard) addPattern(pattern, reason string, add func(test)) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return errors.New(phrase("%s is not a regular expression: %s", "matches", err))
	}
	add(func(_ context.Context, _ *graph.Task, output string) (bool, string, string, error) {
		if !re.MatchString(output) {
			return false, "", output, nil
		}
		return true, reason, re.ReplaceAllLiteralString(output, g.Replace), nil
	})
	return nil
}

func compileSchema(raw Any) (*validator.Schema, error) {
	doc, err := validator.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, errors.New(phrase("this is not a JSON Schema: %s", err))
	}
	if _, ok := doc.(map[string]any); !ok {
		return nil, errors.New(phrase("a JSON Schema is an object with fields such as type and properties"))
	}
	s, err := schema.Compile("inline.json", doc, false)
	if err != nil {
		return nil, errors.New(phrase("this is not a JSON Schema: %s", clip(err.Error(), 300)))
	}
	return s, nil
}

// misfit says what of a text does not fit a schema; "" when it fits.
func misfit(s *validator.Schema, output string) string {
	raw := json.RawMessage(output)
	if !json.Valid(raw) {
		var ok bool
		if raw, ok = object(output); !ok {
			return "is not JSON"
		}
	}
	v, err := validator.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return "is not JSON"
	}
	if err := schema.Validate(s, v); err != nil {
		return "does not fit the schema: " + clip(strings.Join(strings.Fields(err.Error()), " "), 300)
	}
	return ""
}

// guards are the node's, compiled.
func (n *Node) guards() ([]prompt.Guard, error) {
	guards := make([]prompt.Guard, len(n.Guards))
	for i := range n.Guards {
		var err error
		if guards[i], err = n.Guards[i].compile(); err != nil {
			return nil, err
		}
	}
	return guards, nil
}

// guardStage lets guards act on a value of the context between two nodes.
func guardStage(n *Node) (graph.Stage, error) {
	guards, err := n.guards()
	if err != nil {
		return graph.Stage{}, err
	}
	run := func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		v, _ := lookup(t.Context(), n.Inputs[0])
		text, r := words(v), graph.Result{}
		for _, g := range guards {
			verdict, err := g.Check(ctx, t, text)
			if err != nil {
				return graph.Result{}, fmt.Errorf("definition: guard %s: %w", g.Name, err)
			}
			if verdict.Action == "" {
				continue
			}
			r.Events = append(r.Events, journal.Event{Status: verdict.Action, Reason: clip(verdict.Reason, 400)}.With(journal.GuardActedData{Guard: g.Name}))
			switch verdict.Action {
			case "transform":
				text = verdict.Text
			case "retry":
				r.Goto, r.Reason = graph.StageID(n.RetryAt), clip(verdict.Reason, 400)
				r.Patch = graph.Patch{prompt.Observations.Add(fmt.Sprintf("%s was sent back: %s", n.Inputs[0], r.Reason))}
				return r, nil
			default:
				t.Emit(r.Events...)
				return graph.Result{}, fmt.Errorf("definition: guard %s blocked %s: %s", g.Name, n.Inputs[0], verdict.Reason)
			}
		}
		r.Output = textOf(text)
		return r, nil
	}
	return graph.Stage{Run: run}, nil
}

// validateStage judges a value of the context and hands the verdict on.
func validateStage(n *Node) (graph.Stage, error) {
	guards, err := n.guards()
	if err != nil {
		return graph.Stage{}, err
	}
	run := func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		v, _ := lookup(t.Context(), n.Inputs[0])
		text, problems := words(v), []string{}
		for _, g := range guards {
			verdict, err := g.Check(ctx, t, text)
			if err != nil {
				return graph.Result{}, fmt.Errorf("definition: check %s: %w", g.Name, err)
			}
			if verdict.Action != "" {
				problems = append(problems, verdict.Reason)
			}
		}
		r, verdict := graph.Result{}, "valid"
		if len(problems) > 0 {
			verdict = "invalid"
			r.Reason = clip(strings.Join(problems, "; "), 400)
			r.Patch = graph.Patch{prompt.Observations.Add(fmt.Sprintf("%s is not valid: %s", n.Inputs[0], r.Reason))}
		}
		r.Output = model.JSON(map[string]any{"verdict": verdict, "problems": problems})
		return r, nil
	}
	return graph.Stage{Run: run}, nil
}
