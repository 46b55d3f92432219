package prompt

import (
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

func TestReasoner_R32_StrategiesAndPerspectivesReachThePrompt(t *testing.T) {
	for _, s := range Strategies {
		p := says("<answer>x</answer>")
		n := &Node{Name: "a", Strategies: []string{s.Name}}
		wantStatus(t, newLab(t, p).build(spec(n.Stage())).ask("hello"), run.Completed)
		for _, part := range s.Parts {
			holds(t, p.request(0).Messages[0].Text, "<"+part.Name+">"+part.Says)
		}
	}
	for name, words := range Perspectives {
		p := says("x")
		n := &Node{Name: "a", Perspective: name}
		if name == Custom {
			words, n.PerspectiveText = "Look at it as a nurse.", "Look at it as a nurse."
		}
		wantStatus(t, newLab(t, p).build(spec(n.Stage())).ask("hello"), run.Completed)
		holds(t, p.request(0).Messages[0].Text, words)
	}
}

func TestReasoner_R32_MistakesAreFoundBeforeARun(t *testing.T) {
	for name, n := range map[string]*Node{
		"a strategy that does not exist":    {Strategies: []string{"guess"}},
		"a perspective that does not exist": {Perspective: "judge"},
		"a custom one without words":        {Perspective: Custom},
		"a schema of a list":                {Schema: json.RawMessage(`{"type":"array"}`)},
		"a schema that is none":             {Schema: json.RawMessage(`{"type":"object","required":"x"}`)},
		"a guard without a check":           {Guards: []Guard{{Name: "g"}}},
	} {
		if n.Check() == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if err := (&Node{Strategies: StrategyNames(), Perspective: "analyst"}).Check(); err != nil {
		t.Error(err)
	}
}

func TestReasoner_R39_StrategiesAreParsedOffTheAnswer(t *testing.T) {
	for _, c := range []struct {
		strategies []string
		text, want string
		thought    string
	}{
		{[]string{"chain_of_thought"}, "<reasoning>one, two</reasoning>\n<answer>three</answer>", "three", `{"reasoning":"one, two"}`},
		{[]string{"decompose"}, "<questions>\n1. what?\n2) why?\n</questions><replies>\n- this\n- that\n</replies><answer>both</answer>", "both", `{"questions":["what?","why?"],"replies":["this","that"]}`},
		{[]string{"self_critique", "chain_of_thought"}, "<draft>d</draft><review>r</review><reasoning>w</reasoning><answer>a</answer>", "a", `{"draft":"d","reasoning":"w","review":"r"}`},
		{[]string{"chain_of_thought"}, "a text without tags", "a text without tags", ""},
		{[]string{"chain_of_thought"}, "<reasoning>why</reasoning> so it is", "so it is", `{"reasoning":"why"}`},
		{[]string{"chain_of_thought"}, "<reasoning>never closed", "<reasoning>never closed", `{"reasoning":"never closed"}`},
		{[]string{"plan_and_execute"}, "<plan>\n- a\n</plan><steps>- did a</steps><answer>done", "done", `{"plan":["a"],"steps":["did a"]}`},
		{[]string{"structured_reasoning"}, "<facts>- f</facts><assumptions></assumptions><inference>i</inference><answer>a</answer>", "a", `{"assumptions":[],"facts":["f"],"inference":"i"}`},
	} {
		n := &Node{Name: "a", Output: "x", Strategies: c.strategies}
		out := newLab(t, says(c.text)).build(spec(n.Stage())).ask("hello")
		wantStatus(t, out, run.Completed)
		if got := value(out, "x"); got != c.want {
			t.Errorf("%s: the answer is %q, want %q", c.text, got, c.want)
		}
		if got := string(Context.Get(out.State)["a_thought"]); got != c.thought {
			t.Errorf("%s: the thought is %s, want %s", c.text, got, c.thought)
		}
	}
}

func TestReasoner_R39_AStructuredAnswerComesOutOfItsParts(t *testing.T) {
	p := says(`{"reasoning":"because","value":{"ok":true}}`)
	n := &Node{Name: "a", Output: "x", Schema: json.RawMessage(verdict), Strategies: []string{"chain_of_thought"}}
	out := newLab(t, p).build(spec(n.Stage())).ask("hello")
	wantStatus(t, out, run.Completed)
	if value(out, "x") != `{"ok":true}` || !strings.Contains(string(Context.Get(out.State)["a_thought"]), "because") {
		t.Errorf("the answer is %s", value(out, "x"))
	}
	holds(t, string(p.request(0).Format), `"reasoning"`, `"value":`+verdict)
	holds(t, p.request(0).Messages[0].Text, "- reasoning: ")
}

func TestReasoner_R39_ThoughtsAreNotShownWhileTheAnswerIs(t *testing.T) {
	l := newLab(t, says("<reasoning>a secret </reasoning> <answer> The answer is < 5 and </b> fine. </answer> more"))
	out := l.build(spec((&Node{Name: "a", Says: true, Strategies: []string{"chain_of_thought"}}).Stage())).ask("hello")
	wantStatus(t, out, run.Completed)
	streamed := ""
	for _, e := range l.of(journal.Token) {
		streamed += e.Text
	}
	if want := "The answer is < 5 and </b> fine."; streamed != want || out.Run.Output != want {
		t.Errorf("streamed %q, reply %q", streamed, out.Run.Output)
	}
}
