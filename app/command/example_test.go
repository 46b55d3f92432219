package command

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/turn"
)

// "I took an agent out, and the help went on to tell people of it." What a help text gives as an example comes from the registry.
func TestHelp_ExamplesComeFromTheRegistry(t *testing.T) {
	p := &program{}
	mark := regexp.MustCompile(`\{(?:board|vectors|weighs|consent|prompts|text|node|state|features|formats|collections)\}`)
	marked, helps := 0, map[string]string{}
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if mark.MatchString(c.Long) {
			marked++
		}
		helps[c.CommandPath()] = p.withExamples(c.Long)
		if left := mark.FindString(helps[c.CommandPath()]); left != "" {
			t.Errorf("the help of %s still says %s", c.CommandPath(), left)
		}
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(p.root())
	if marked < 6 {
		t.Errorf("only %d help texts ask the registry", marked)
	}
	r, err := app.NewAgents("", nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range all {
		if x.Boards && !strings.Contains(helps["holdpoint board"], "--agent "+x.ID+" ") {
			t.Errorf("the help of boards does not say who keeps one:\n%s", helps["holdpoint board"])
		}
	}
	// A new one says what it has without any command being told.
	p.Agents = []agent.New{func(turn.Kit) (agent.Agent, error) {
		return agent.Agent{ID: "fridge", Graph: func(map[string]string) (*graph.Graph, error) { return nil, errors.New("not asked") }, Begin: func(turn.Message) graph.Patch { return nil },
			Features: []agent.Feature{{Name: "light", About: "leaves it on."}}}, nil
	}}
	if long := p.withExamples("{features}\n"); !strings.HasSuffix(long, "feature.light takes on or off, and leaves it on.\n") {
		t.Errorf("the new feature is not in the help: %q", long)
	}
}
