package companion

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/session"
	"holdpoint/engine/turn"
)

// mostClarified is how often a session is asked for more beside the basic questions.
const mostClarified = 2

// choose is agent1: it names the next action, of those that its manifest declares. In support
// mode there is nothing to choose, and no model is asked.
func (c *companion) choose(ctx context.Context, t *graph.Task) (graph.Result, error) {
	routes := c.manifests.Routes(string(Agent1))
	var r graph.Result
	take := func(action, reason string) (graph.Result, error) {
		r.Goto, r.Reason = graph.StageID(routes[action]), model.OneLine(reason, 200)
		return r, nil
	}
	talk := ChannelTalk.Get(t.State)
	if ChannelSupport.Get(t.State) {
		return take("ongoing_support", "advice was given before")
	}
	user, err := c.frame(t, talk)
	if err != nil {
		return r, err
	}
	var answer struct{ Reasoning, Action string }
	err = c.put(ctx, t, Agent1, true, nil, user, &answer)
	switch {
	case err != nil && fatal(ctx, err):
		return r, err
	case err != nil || routes[answer.Action] == "":
		warn(&r, "no action was named: %v", cmp.Or(err, errors.New("the way is none of its own")))
		return take("give_advice", "no action was named")
	case answer.Action == "ask_for_context" && talk.Clarified >= mostClarified:
		return take("give_advice", "enough was asked")
	case answer.Action == "collect_context" && talk.Complete:
		return take("give_advice", "every question is answered")
	}
	return take(answer.Action, answer.Reasoning)
}

// ask asks one further question; the turn ends with it.
func (c *companion) ask(ctx context.Context, t *graph.Task) (graph.Result, error) {
	talk := ChannelTalk.Get(t.State)
	var r graph.Result
	user, err := c.frame(t, talk)
	if err != nil {
		return r, err
	}
	var answer struct{ Question string }
	err = c.put(ctx, t, AskForContext, false, nil, user, &answer)
	if err != nil && fatal(ctx, err) {
		return r, err
	}
	no, failed := c.refused(t, &r, answer.Question)
	if failed != nil {
		return r, failed
	}
	reply := model.OneLine(turn.Plain(answer.Question), 400)
	if !no && reply != "" {
		if no, err = c.useless(t, &r, AskForContext, talk, reply, "", ""); err != nil {
			return r, err
		}
	}
	if no || reply == "" {
		if reply, err = c.say(t, "ask_more"); err != nil {
			return r, err
		}
	}
	reply = joined(joined(ChannelIntroduction.Get(t.State), ChannelSaid.Get(t.State)), reply)
	talk.Clarified++
	c.keep(t, &r, talk)
	r.Patch = append(r.Patch, ChannelReply.Set(reply))
	r.Events = append(r.Events, fixed(t, "question", reply))
	return r, nil
}

// advise writes the advice. Tools come first: their calls are the node's result, and it is
// entered again with what they brought.
func (c *companion) advise(ctx context.Context, t *graph.Task) (graph.Result, error) {
	talk, messages := ChannelTalk.Get(t.State), ChannelMessages.Get(t.State)
	var r graph.Result
	compiled, err := c.compile(t, GiveAdvice, len(messages) > 0)
	if err != nil {
		return r, err
	}
	var answer struct {
		Advice  string
		Sources []string
		Action  string
	}
	if offered := c.offered(t, compiled.Tools); len(offered) > 0 {
		user, err := c.frame(t, talk)
		if err != nil {
			return r, err
		}
		d, err := turn.DependenciesOf(t)
		if err != nil {
			return r, err
		}
		// There is one round: the advice itself is asked for below, in its form.
		step, err := turn.Loop{IDs: fmt.Sprintf("%s.%d.", t.Run.Turn, t.Finished), Offers: offered, Act: turn.Act{Tools: c.tools}, Chat: turn.Chat{Model: d.Models.Main, Role: model.Main, Purpose: string(GiveAdvice),
			Request: model.Request{Messages: []model.Message{{Role: "system", Text: compiled.Prompt()}, {Role: "user", Text: user}}}, Texts: compiled.Texts()}}.Ask(ctx, t)
		if err != nil {
			if fatal(ctx, err) {
				return r, err
			}
			warn(&r, "nothing was looked up: %v", err)
		}
		if len(step.Calls) > 0 {
			r.Patch = append(r.Patch, ChannelMessages.Add(step.Asked()), ChannelHasCalls.Set(true))
			return r, nil
		}
		if answer.Advice = turn.Plain(step.Text); len(strings.Fields(answer.Advice)) < 5 {
			answer.Advice = "" // no advice yet, and no call: it is asked for below
		}
	}
	passages, found := foundIn(messages)
	if answer.Advice == "" {
		user, err := c.frame(t, talk, researched(passages, found)...)
		if err != nil {
			return r, err
		}
		if err := c.putAloud(ctx, t, GiveAdvice, "advice", user, &answer); err != nil {
			if fatal(ctx, err) {
				return r, err
			}
			warn(&r, "the model gave no advice: %v", err)
		}
	}
	no, failed := c.refused(t, &r, answer.Advice)
	if failed != nil {
		return r, failed
	}
	said := turn.Plain(answer.Advice)
	if !no {
		// What nobody can use is not shown: what was found stands in its place.
		given := ""
		for _, p := range passages {
			given += p.Title + ". " + p.Text + "\n"
		}
		useless, err := c.useless(t, &r, GiveAdvice, talk, said, given, found)
		if err != nil {
			return r, err
		}
		if useless {
			quote, from, err := c.quoted(ctx, t, talk, passages)
			if err != nil {
				return r, err
			}
			if said, passages, answer.Sources = quote, from, idsOf(from); said == "" {
				no = true
			}
		}
	}
	if no {
		name := "advice_refused"
		if said == "" {
			name = "advice_fallback"
		}
		if said, err = c.say(t, name); err != nil {
			return r, err
		}
		r.Goto, r.Reason = UserFeedback, "the model gave no advice"
	} else {
		talk.Support, talk.Advised, talk.Sources = true, t.Run.Turn, cited(passages, answer.Sources, said)
	}
	c.keep(t, &r, talk)
	write := talk.Support && ChannelFirst.Get(t.State)
	r.Patch = append(r.Patch, ChannelHasCalls.Set(false), ChannelSaid.Set(joined(ChannelSaid.Get(t.State), said)), ChannelSummarize.Set(write))
	if !no {
		r.Patch = append(r.Patch, ChannelSources.Set(talk.Sources))
	}
	if to := c.manifests.Routes(string(GiveAdvice))[answer.Action]; !write && r.Goto == "" {
		if r.Goto = graph.StageID(to); to == "" {
			r.Goto = UserFeedback
		}
	}
	return r, nil
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// offered are the tools of these names that consent allows.
func (c *companion) offered(t *graph.Task, names []string) []model.Tool {
	may := *c.consent.scopes[ChannelScope.Get(t.State)].Research
	return slices.DeleteFunc(slices.Clone(c.tools.Offer()), func(o model.Tool) bool {
		return !slices.Contains(names, o.Name) || o.Name == ResearchTool && !may
	})
}

// foundIn are the passages that tools brought, and everything that they said.
func foundIn(messages []model.Message) (passages []passage, all string) {
	var texts []string
	for _, m := range messages {
		if m.Role != "tool" {
			continue
		}
		var found struct{ Passages []passage }
		if json.Unmarshal([]byte(m.Text), &found) == nil {
			passages = append(passages, found.Passages...)
		}
		texts = append(texts, m.Text)
	}
	return passages, strings.Join(texts, "\n")
}

// researched is what a prompt is told of what was found.
func researched(passages []passage, all string) []string {
	if len(passages) == 0 {
		if all == "" {
			return nil
		}
		return []string{"tools", all}
	}
	var lines []string
	for _, p := range passages {
		lines = append(lines, fmt.Sprintf("%s %s: %s (%s)", p.ID, p.Title, p.Text, p.Source))
	}
	return []string{"research", strings.Join(lines, "\n")}
}

// cited are the passages that the advice names, beside it or in its words; where it names none, those
// of what it was given that the model had judged to help. Others are no source of it.
func cited(passages []passage, ids []string, said string) (out []source) {
	for _, p := range passages {
		if slices.Contains(ids, p.ID) || slices.Contains(tokens(said), strings.ToLower(p.ID)) {
			out = append(out, p.asSource())
		}
	}
	if out == nil {
		for _, p := range passages {
			if p.Judged {
				out = append(out, p.asSource())
			}
		}
	}
	return out
}

// idsOf are those of passages.
func idsOf(passages []passage) (out []string) {
	for _, p := range passages {
		out = append(out, p.ID)
	}
	return out
}

func (p passage) asSource() source {
	return source{ID: p.ID, Title: p.Title, Source: p.Source, Text: p.Text, Document: p.Document, Passage: p.Passage}
}

// research answers the calls of tools, through the gate that all calls go through.
func (c *companion) research(ctx context.Context, t *graph.Task) (graph.Result, error) {
	answer, paused, err := turn.Loop{Talk: ChannelMessages.Get(t.State), Act: turn.Act{Tools: c.tools}}.Answer(ctx, t)
	if err != nil || paused != nil {
		if paused == nil {
			paused = &graph.Result{}
		}
		return *paused, err
	}
	return graph.Result{Patch: graph.Patch{ChannelMessages.Add(answer.Messages...), ChannelHasCalls.Set(false)}, Events: answer.Events}, nil
}

// support answers once advice was given, and names what comes next.
func (c *companion) support(ctx context.Context, t *graph.Task) (graph.Result, error) {
	talk := ChannelTalk.Get(t.State)
	var r graph.Result
	user, err := c.frame(t, talk)
	if err != nil {
		return r, err
	}
	var answer struct{ Reply, Action string }
	err = c.putAloud(ctx, t, OngoingSupport, "reply", user, &answer)
	if err != nil {
		if fatal(ctx, err) {
			return r, err
		}
		warn(&r, "the model gave no answer: %v", err)
	}
	no, failed := c.refused(t, &r, answer.Reply)
	if failed != nil {
		return r, failed
	}
	said := turn.Plain(answer.Reply)
	if !no {
		useless, err := c.useless(t, &r, OngoingSupport, talk, said, "", spoken(exchanged(ChannelHistory.Get(t.State)...)))
		if err != nil {
			return r, err
		}
		if useless {
			var from []passage
			if said, from, err = c.quoted(ctx, t, talk, nil); err != nil {
				return r, err
			}
			if no = said == ""; !no {
				talk.Advised, talk.Sources = t.Run.Turn, cited(from, idsOf(from), said)
				r.Patch = append(r.Patch, ChannelSources.Set(talk.Sources))
			}
		}
	}
	if no {
		name := "advice_refused"
		if said == "" {
			name = "support_fallback"
		}
		if said, err = c.say(t, name); err != nil {
			return r, err
		}
	}
	talk.Support = true
	c.keep(t, &r, talk)
	r.Patch = append(r.Patch, ChannelSaid.Set(joined(ChannelSaid.Get(t.State), said)))
	if r.Goto = graph.StageID(c.manifests.Routes(string(OngoingSupport))[answer.Action]); r.Goto == "" {
		r.Goto = UserFeedback
	}
	// Who agrees right after the advice is remembered from then on, not from their goodbye on.
	if talk.Spent == t.Run.Turn && talk.Summary != "" && *c.consent.scopes[ChannelScope.Get(t.State)].Remember {
		r.Goto, r.Reason = Summarize, "a yes to being remembered"
	}
	return r, nil
}

// summarize writes the session down. The lake gets it where the person agreed: it is on disk
// when Accept returns, and there is one for each session, the newest.
func (c *companion) summarize(ctx context.Context, t *graph.Task) (graph.Result, error) {
	talk := ChannelTalk.Get(t.State)
	var r graph.Result
	// What a person made the memory forget, or put in other words, is not written down again.
	about, settled := who(t), 0
	if err := memoryRows.View(t, func(tx memory.Tx) error {
		if e, err := tx.Episode(memory.EpisodeID(about, t.Run.Session)); err == nil {
			settled = e.From
		}
		return nil
	}); err != nil {
		return r, err
	}
	history, told := ChannelHistory.Get(t.State), talk
	if settled > 0 {
		history = history[len(history)-max(0, min(len(history), talk.Turns-1-settled)):]
		told.Summary, told.Answers = "", nil
	}
	// Turns in danger are kept nowhere but in the session, and so are answers.
	told.Answers = maps.Clone(told.Answers)
	maps.DeleteFunc(told.Answers, func(_ string, a Answer) bool { return a.Danger })
	history = slices.DeleteFunc(slices.Clone(history), func(e turn.Exchange) bool { return e.Danger })
	known, err := c.known(t, told)
	if err != nil {
		return r, err
	}
	said := ChannelSaid.Get(t.State)
	user := "<collected_context>\n" + turn.TagSafe(known) + "\n</collected_context>\n"
	if told.Summary != "" {
		user += "<summary_of_this_conversation>\n" + turn.TagSafe(told.Summary) + "\n</summary_of_this_conversation>\n"
	}
	user += "<conversation>\n" + turn.TagSafe(spoken(append(latest(history), exchanged(turn.Exchange{User: ChannelMessage.Get(t.State), Reply: said})...))) + "\n</conversation>"
	var answer struct{ Summary string }
	err = c.put(ctx, t, Summarize, true, nil, user, &answer)
	if err != nil && fatal(ctx, err) {
		return r, err
	}
	no, failed := c.refused(t, &r, answer.Summary)
	if failed != nil {
		return r, failed
	}
	if !no && answer.Summary != "" {
		if no, err = c.useless(t, &r, Summarize, told, answer.Summary, said, spoken(exchanged(history...))); err != nil {
			return r, err
		}
	}
	if talk.Summary = memory.OneLine(asTyped(answer.Summary, known+said+spoken(exchanged(history...))+ChannelMessage.Get(t.State)), memory.MaxText); no || talk.Summary == "" {
		var facts []session.Exchange
		for _, q := range c.questions[language(t)] {
			if a, ok := told.Answers[q.ID]; ok && q.Choices == nil {
				facts = append(facts, session.Exchange{User: a.Value})
			}
		}
		talk.Summary = memory.Facts(append(facts, session.Exchange{User: ChannelMessage.Get(t.State), Reply: said}), turn.Tongue(t).Say)
	}
	c.keep(t, &r, talk)
	r.Patch = append(r.Patch, ChannelSummarize.Set(false))
	d, ok := t.Dependencies.(*turn.Dependencies)
	if !*c.consent.scopes[ChannelScope.Get(t.State)].Remember {
		r.Reason = "for this session only: a summary for later ones was not agreed to"
		return r, nil
	}
	if !ok || d.Lake == nil {
		return r, nil
	}
	// An age that was said in this turn counts for what is kept of it.
	region, age := c.saidBy(t, talk)
	if own, _ := c.ownYes(t.Run.Vars, region, age); own == tooYoung {
		r.Reason = "for this session only: a summary for later ones was not agreed to"
		return r, nil
	}
	if err := d.Lake.Accept(ctx, memory.Waiting{About: about, Session: t.Run.Session, Agent: Name, Text: talk.Summary, Turns: talk.Turns}); err != nil {
		warn(&r, "the summary was not handed to memory; the next one has it")
	}
	return r, ctx.Err()
}

// finish hands over the answer. The next message begins anew at should_collect_context.
func (c *companion) finish(ctx context.Context, t *graph.Task) (graph.Result, error) {
	talk, reply := ChannelTalk.Get(t.State), joined(ChannelIntroduction.Get(t.State), ChannelSaid.Get(t.State))
	var r graph.Result
	var failed error
	add := func(name string) {
		words, err := c.say(t, name)
		if err != nil {
			failed = err
		}
		reply = joined(reply, words)
	}
	if ChannelSaid.Get(t.State) == "" {
		add("nothing_to_say")
	}
	if sources := ChannelSources.Get(t.State); len(sources) > 0 {
		add("sources_heading")
		for _, s := range sources {
			title := s.ID + " " + s.Title
			if s.Document != "" { // screens open such a link in the library
				title = fmt.Sprintf("[%s](#/library/%s/%d)", strings.NewReplacer("[", "(", "]", ")").Replace(title), s.Document, s.Passage)
			}
			reply += fmt.Sprintf("\n- %s (%s)", title, s.Source)
		}
	}
	if ChannelFirst.Get(t.State) && talk.Support {
		add("feedback_invitation")
	}
	if *c.consent.scopes[ChannelScope.Get(t.State)].Card {
		words, asked, err := c.consentAsked(t, talk)
		if err != nil {
			return r, err
		}
		reply, talk.Card = joined(reply, words), asked
		agree(t, &r, session.PendingConsent)
		c.keep(t, &r, talk)
	}
	if failed != nil {
		return r, failed
	}
	data := journal.MessageData{Role: journal.Assistant}
	if d, err := turn.DependenciesOf(t); err == nil {
		if info, err := d.Models.Main.Info(ctx); err == nil {
			data.ModelUsed = turn.By(info)
		}
	}
	r.Patch = append(r.Patch, ChannelReply.Set(reply))
	r.Events = append(r.Events, journal.Event{Message: t.Run.Turn + "/reply", Text: reply}.With(data))
	return r, nil
}
