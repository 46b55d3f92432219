// Package companion gives advice to teenagers and to parents: it collects context by
// questions, advises with sources, goes on supporting, and writes one summary of each
// session into the memory lake where the person agreed.
//
// What people and models read is in YAML, by audience and language: texts, context_questions,
// strategies (the collections that advice is looked up in), manifests (what each node asks a
// model with), consent.yaml (what each scope of consent allows), look.yaml (how large an
// audience reads) and elsewhere.yaml (what those read who write another language). The graph is in this file.
package companion

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/manifest"
	"holdpoint/engine/memory"
	"holdpoint/engine/pipeline"
	"holdpoint/engine/session"
	"holdpoint/engine/text"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// Name is the agent's name on the command line and in stored runs.
const Name = "companion"

// Nodes of the graph, behind the safety check that all agents have.
const (
	// Begin is should_collect_context: it reads what the session knows and chooses.
	Begin          graph.StageID = "should_collect_context"
	CollectContext graph.StageID = "collect_context"
	Agent1         graph.StageID = "agent1"
	AskForContext  graph.StageID = "ask_for_context"
	GiveAdvice     graph.StageID = "give_advice"
	Research       graph.StageID = "research_tools"
	OngoingSupport graph.StageID = "ongoing_support"
	Summarize      graph.StageID = "summarize_conversation"
	UserFeedback   graph.StageID = "user_feedback"
)

// youngAudience is the one whose own yes depends on its age, parentAudience writes about a child.
const youngAudience, parentAudience = "teen", "parent"

// Audiences and languages of the agent.
var (
	audiences = []string{youngAudience, parentAudience}
	// audienceTitles are what people call them.
	audienceTitles = []string{"A teenager", "A parent"}
	// tongues are its languages, the usual one first, with what those who speak one call it
	// and its word for a country that is not on the list.
	tongues = []struct{ code, name, elsewhere string }{{"en", "English", "elsewhere"}, {"fr", "Français", "ailleurs"}}
	// languages and languageNames are theirs, in the same order.
	languages, languageNames = languagesOf()
)

func languagesOf() (codes, names []string) {
	for _, l := range tongues {
		codes, names = append(codes, l.code), append(names, l.name)
	}
	return codes, names
}

// Vars of a run.
const (
	audienceVar = "audience"
	languageVar = "language"
	consentVar  = "consent"
)

//go:embed texts context_questions manifests strategies consent.yaml look.yaml elsewhere.yaml
var files embed.FS

// Conditions.
const (
	toAgent1  = "context_complete_or_support"
	toCollect = "context_open"
	complete  = "context_complete"
	asked     = "question_asked"
	hasCalls  = "has_calls"
	summarize = "should_summarize"
)

// maxSteps bounds a turn; the longest way has eleven.
const maxSteps = 24

// edges are the one place that says what follows what. Where an action chooses, the manifest
// of the node says which; the choices here are all that it may name.
func edges(set *manifest.Set) []graph.Edge {
	out := []graph.Edge{
		{From: graph.Start, To: Begin, Type: graph.Entry},
		{From: Begin, To: Agent1, Type: graph.Conditional, Condition: toAgent1},
		{From: Begin, To: CollectContext, Type: graph.Conditional, Condition: toCollect},
		{From: Begin, To: UserFeedback, Type: graph.Choice},
		{From: CollectContext, To: GiveAdvice, Type: graph.Conditional, Condition: complete},
		{From: CollectContext, To: graph.End, Type: graph.Conditional, Condition: asked},
		{From: AskForContext, To: graph.End, Type: graph.Exit},
		{From: GiveAdvice, To: Research, Type: graph.Conditional, Condition: hasCalls, Priority: 2},
		{From: GiveAdvice, To: Summarize, Type: graph.Conditional, Condition: summarize, Priority: 1},
		{From: Research, To: GiveAdvice, Type: graph.Sequence},
		{From: Summarize, To: UserFeedback, Type: graph.Sequence},
		{From: UserFeedback, To: graph.End, Type: graph.Exit},
	}
	for _, from := range []graph.StageID{Agent1, GiveAdvice, OngoingSupport} {
		to := slices.Compact(slices.Sorted(maps.Values(set.Routes(string(from)))))
		for _, id := range to {
			out = append(out, graph.Edge{From: from, To: graph.StageID(id), Type: graph.Choice})
		}
	}
	return out
}

// companion is what the nodes share. It is immutable but for what is read on first use.
type companion struct {
	words     *text.Files
	manifests *manifest.Set
	questions map[string][]Question // by language
	consent   consent
	looks     map[string]look // by audience
	tools     *tool.Set
	elsewhere map[string]string // by language
	// collections are read when something is looked up for the first time.
	collections func() (map[string][]passage, error)
}

// own are the agent's own files, which stay as they are.
var own = sync.OnceValues(func() (*companion, error) { return read(files) })

// The rows that its stages work on. The conversation of a session is one of the skips.
var (
	memoryRows  turn.Rows[memory.Tx]
	skipRows    turn.Rows[pipeline.SkipTx]
	consentRows turn.Rows[session.ConsentTx]
)

// New builds the agent; an error is a mistake in its own files: a text that one language
// lacks, a manifest that names what is not there.
func New(kit turn.Kit) (agent.Agent, error) {
	if err := kit.Needs(memoryRows, skipRows, consentRows); err != nil {
		return agent.Agent{ID: Name}, err
	}
	none := agent.Agent{ID: Name}
	c, err := own()
	if err != nil {
		return none, err
	}
	spec, err := c.spec()
	if err != nil {
		return none, err
	}
	g, err := graph.New(spec)
	if err != nil {
		return none, err
	}
	return agent.Agent{ID: Name, Title: spec.Title, Description: spec.Description, Experimental: true, Example: "I can't sleep before exams.",
		Graph: func(map[string]string) (*graph.Graph, error) { return g, nil }, Begin: begin, Tools: ownTools(c),
		Accept: c.accept, Vars: c.vars(), Cards: &agent.Cards{Row: talkRow, Start: c.startCard, Addressee: addressee, Show: c.cards, Change: c.changed, Forget: c.forget, Agree: c.closed},
		Features: []agent.Feature{{Name: dynamicQuestions, About: "lets the companion's model add questions of its own to the fixed ones,\nof people who agreed to be remembered; it is off at first."}}, Wording: c.words, Prompts: &agent.Prompts{Manifests: c.manifests, Show: c.show}, Whom: whom, Person: person, Tongue: tongueOf,
		Memory: []agent.MemoryView{{Tool: talkRow, Title: "What was told", Lines: c.lines}}, Script: c.script()}, nil
}

func read(files fs.FS) (*companion, error) {
	c := &companion{collections: sync.OnceValues(func() (map[string][]passage, error) { return readCollections(files) })}
	folder, err := fs.Sub(files, "texts")
	if err != nil {
		return nil, err
	}
	if c.words, err = text.Read(Name, folder); err != nil {
		return nil, err
	}
	c.words.Fits = fits
	if c.questions, err = readQuestions(files, c.words); err != nil {
		return nil, err
	}
	if err := c.words.Check(audiences, languages, slices.Concat(required, names(cardWords))...); err != nil {
		return nil, err
	}
	// The lists come with the program: its tests read them to their ends, not each of its starts.
	if lazyregexp.InTest {
		for _, audience := range audiences {
			for _, language := range languages {
				if err := checkPhrases(c.words, audience, language); err != nil {
					return nil, err
				}
			}
		}
	}
	if c.consent, err = readConsent(files); err != nil {
		return nil, err
	}
	if c.looks, err = readLooks(files); err != nil {
		return nil, err
	}
	if c.elsewhere, err = readElsewhere(files); err != nil {
		return nil, err
	}
	if folder, err = fs.Sub(files, "manifests"); err != nil {
		return nil, err
	}
	var nodes []string
	for _, st := range c.stages() {
		nodes = append(nodes, string(st.ID))
	}
	if c.tools, err = tool.NewSet(ownTools(c)...); err != nil {
		return nil, err
	}
	var tools []string
	for _, t := range c.tools.Offer() {
		tools = append(tools, t.Name)
	}
	c.manifests, err = manifest.Load(folder, manifest.Known{State: stateExample, Nodes: nodes, Tools: tools, Schemas: slices.Sorted(maps.Keys(schemas)),
		Text: func(name string) bool { _, err := c.words.Get(audiences[0], languages[0], name); return err == nil }})
	if err != nil {
		return nil, err
	}
	for _, id := range []graph.StageID{CollectContext, Agent1, AskForContext, GiveAdvice, Research, OngoingSupport, Summarize} {
		if !slices.Contains(c.manifests.Nodes(), string(id)) {
			return nil, fmt.Errorf("companion: %w: %s", manifest.ErrNode, id)
		}
	}
	return c, nil
}

func (c *companion) stages() []graph.Stage {
	return []graph.Stage{
		{ID: Begin, Role: graph.RoleGate, Title: "See what is known", Description: "Reads what the session knows and what was agreed to, and chooses the way", SideEffects: true, Run: c.begin},
		{ID: CollectContext, Role: graph.RoleAssembly, Title: "Ask the basic questions", Description: "Takes answers out of the message and asks the next question", Run: c.collect},
		{ID: Agent1, Title: "Choose what to do", Description: "Chooses the next action", Kind: "router", Run: c.choose},
		{ID: AskForContext, Title: "Ask once more", Description: "Asks for what is still unclear", Run: c.ask},
		{ID: GiveAdvice, Role: graph.RoleReply, Title: "Advise", Description: "Writes the advice, and looks things up first", Run: c.advise},
		{ID: Research, Role: graph.RoleHold, Title: "Look things up", Description: "Searches the audience's collection and the help lines", SideEffects: true, Run: c.research},
		{ID: OngoingSupport, Title: "Go on supporting", Description: "Answers once advice was given", Run: c.support},
		{ID: Summarize, Title: "Write a summary", Description: "Writes down the conversation, for memory where that was agreed to", SideEffects: true, Run: c.summarize},
		{ID: UserFeedback, Role: graph.RoleFinalize, Title: "Answer", Description: "Hands over the answer and waits for the person", Run: c.finish},
	}
}

func (c *companion) spec() (graph.Spec, error) {
	spec, err := turn.Guard(graph.Spec{Agent: Name, Title: "Companion", MaxSteps: maxSteps,
		Failed:      func(*graph.Task, error) {}, // it reads no clinic's record
		Description: "Listens to teenagers or their parents, advises with sources, and remembers what they agree to.",
		Stages:      c.stages(), Edges: edges(c.manifests),
		Conditions: []graph.Condition{graph.When(toAgent1, ChannelReady).Called("enough is known"), graph.Unless(toCollect, ChannelReady).Called("questions are open"),
			graph.When(complete, ChannelComplete).Called("every question is answered"), graph.Unless(asked, ChannelComplete).Called("a question was asked"),
			graph.When(hasCalls, ChannelHasCalls).Called("something to look up"), graph.When(summarize, ChannelSummarize).Called("to be written down")},
		Channels: []graph.AnyChannel{ChannelMessage, ChannelHistory, ChannelTalk, ChannelScope, ChannelEarlier, ChannelReady, ChannelComplete, ChannelSupport, ChannelFirst,
			ChannelHasCalls, ChannelSummarize, ChannelMessages, ChannelSaid, ChannelIntroduction, ChannelSources, ChannelReply},
		Reply: ChannelReply})
	if err != nil {
		return spec, err
	}
	// The check names the help lines of the region that the person gave in this session, and what
	// was chosen with a message in danger is kept for the next one.
	check := spec.Stages[0].Run
	spec.Stages[0].Run = c.keepChosen(c.inRegion(check))
	return spec, nil
}

func begin(m turn.Message) graph.Patch {
	return graph.Patch{ChannelMessage.Set(m.Text), ChannelHistory.Set(m.History)}
}

// vars are the inputs of a turn: who writes in which language and what they agree to, and the
// answers to what has to be known before anything else.
func (c *companion) vars() []agent.Var {
	out := []agent.Var{{Name: audienceVar, Title: "Who writes", Values: audiences, Titles: audienceTitles, Audience: true, Carer: parentAudience, Fixed: true, Start: true},
		{Name: languageVar, Title: "Language", Values: languages, Titles: languageNames, Default: languages[0], Language: true, Start: true},
		{Name: consentVar, Values: []string{"full", "withdrawn"}, Once: true}}
	for _, q := range c.questions[languages[0]] {
		if q.Onboarding && len(q.Choices) > 0 {
			values := []string{rather}
			for _, x := range q.Choices {
				values = append(values, x.ID)
			}
			out = append(out, agent.Var{Name: q.ID, Values: values, Region: q.ID == regionID, Withheld: rather, Once: true, Start: true})
		}
	}
	return append(out, agent.Var{Name: personVar, Title: "Name to be remembered under", Values: []string{somebodyNew, unnamed}, Titles: []string{"Somebody new: nothing is remembered", "Without a name"},
		Open: true, Fixed: true, Default: unnamed, Start: true, Unsaid: somebodyNew})
}

// accept says what is wrong with the vars of a turn. Who the person is, is asked and never
// guessed.
func (c *companion) accept(vars map[string]string) error {
	if name, ok := vars[personVar]; ok && !named(name) {
		return bad("the variable person is a name of at most %d characters, %s or %s", longestName, somebodyNew, unnamed)
	}
	for _, v := range c.vars() {
		if value, ok := vars[v.Name]; !v.Open && (ok || v.Name == audienceVar) && !slices.Contains(v.Values, value) {
			others, last := oneOrOther(v.Values)
			if value == "" {
				return bad("the variable %s is missing; it is %s or %s", v.Name, others, last)
			}
			return bad("the variable %s is %s or %s, and cannot be %q", v.Name, others, last, value)
		}
	}
	// A name that nobody knows is a slip: “lang” would leave the language as it was.
	known := []string{session.SubjectVar, session.PatientVar, session.BranchVar, agent.PatternVar}
	var names []string
	for _, v := range c.vars() {
		names = append(names, v.Name)
	}
	for name := range vars {
		if !slices.Contains(known, name) && !slices.Contains(names, name) {
			return bad("there is no variable %q; known are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// bad is an error in words for a person, which screens show in their language.
func bad(format string, args ...any) error { return fmt.Errorf(format, args...) }

// oneOrOther are the values that something may have, but for the last, and that one.
func oneOrOther(values []string) (others, last string) {
	n := len(values) - 1
	return strings.Join(values[:n], ", "), values[n]
}
