package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
)

// conversation is what the person of the benchmark says, turn by turn, about a patient of
// the sample clinic.
var conversation = []string{
	"I'd like to see someone about my sleep.",
	"What medications am I taking?",
	"Thank you, that helps.",
	"Who of them has time in the next days?",
}

const conversationPatient = "pat-alder"

// turnFigures is a turn of the benchmark. Tokens are the model's own.
type turnFigures struct {
	Turn int `json:"turn"`
	// Calls are all requests to models, LightCalls those that are no part of the reply.
	Calls      int `json:"calls"`
	LightCalls int `json:"light_calls"`
	// Sent counts the prompts of the requests, Evaluated what was read anew for
	// them, reading ahead included.
	Sent      int `json:"sent"`
	Evaluated int `json:"evaluated"`
	// Estimated says that the server does not tell what it read anew: Evaluated is then
	// what one with two slots reads.
	Estimated    bool   `json:"estimated,omitempty"`
	Written      int    `json:"written"`
	FirstTokenMS int64  `json:"first_token_ms"`
	WallMS       int64  `json:"wall_ms"`
	BareWallMS   int64  `json:"bare_wall_ms"`
	Status       string `json:"status"`

	replies []journal.ModelCalledData
}

func (p *program) benchTurn(ctx context.Context, asJSON bool) (err error) {
	chosen, err := p.chosenModels()
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "holdpoint-turn-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	chosen.Dir = scratch
	a, err := app.Open(chosen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := a.ImportNow(ctx, "sample", func(int64, int64, string) {}); err != nil {
		return err
	}
	info, err := a.Models.MainModel(ctx)
	if err != nil {
		return err
	}
	if info.Weak() { // as is done after it was imported; a turn would ask some of it itself
		p.say("%s: the model is checked", info.Name)
		if _, err := a.Models.Check(ctx, info.Name, func(int, int) {}); err != nil {
			return err
		}
	}
	p.say("%s: the model is loaded", info.Name)
	if err := a.Models.Fresh(ctx); err != nil {
		return err
	}
	agents, err := a.Agents()
	if err != nil {
		return err
	}
	agent := agents[0].ID // the one that answers when none is named
	all := make([]turnFigures, len(conversation))
	var cache slotCache
	for i, text := range conversation {
		if all[i], err = p.timedTurn(ctx, a, agent, text, &cache); err != nil {
			return err
		}
		all[i].Turn = i + 1
		p.say("turn %d of %d: %d calls, %d ms", i+1, len(conversation), all[i].Calls, all[i].WallMS)
	}
	p.say("the same prompts as bare chats")
	if err := a.Models.Fresh(ctx); err != nil {
		return err
	}
	for i := range all {
		for _, asked := range all[i].replies {
			_, took, err := a.AskAgain(ctx, agent, asked)
			if err != nil && !errors.Is(err, model.ErrBroken) { // as broken as in the turn
				return err
			}
			all[i].BareWallMS += took.Milliseconds()
		}
	}
	for _, f := range all {
		if asJSON {
			if err := p.line(f); err != nil {
				return err
			}
			continue
		}
		about := ""
		if f.Estimated {
			about = p.language().Say(" (estimated)")
		}
		p.say("turn %d %-9s %2d calls (%d light), %5d tokens sent, %5d read%s, %4d written, first words after %5d ms, %6d ms in all, bare chats %6d ms", f.Turn, word(f.Status),
			f.Calls, f.LightCalls, f.Sent, f.Evaluated, about, f.Written, f.FirstTokenMS, f.WallMS, f.BareWallMS)
		p.say("       read of sent %.2f (at most 0.35 from the second turn on), turn to bare chats %.2f (at most 1.5; 1.8 for the first)",
			share(f.Evaluated, f.Sent), share(f.WallMS, f.BareWallMS))
	}
	return nil
}

func share[N int | int64](a, b N) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// chosenModels are the options that use the models of the data folder, which stays as it is.
func (p *program) chosenModels() (app.Options, error) {
	dir, err := p.dir()
	if err != nil {
		return app.Options{}, err
	}
	o := app.Options{ServerDir: dir, Version: p.Version, Ollama: p.ollama, Model: p.model}
	if o.Model != "" && o.Ollama != "" {
		return o, nil
	}
	return o, p.with(func(a *app.App) error {
		s, err := a.Settings()
		if o.Model == "" {
			o.Model = s.Main
		}
		if o.Ollama == "" {
			o.Ollama = s.OllamaURL
		}
		return err
	})
}

const benchSession = "bench"

// timedTurn runs a turn and reads what it cost from its journal. What the model proposes
// is rejected, as a person in a hurry would.
func (p *program) timedTurn(ctx context.Context, a *app.App, agent, text string, cache *slotCache) (f turnFigures, err error) {
	after, err := a.Store.LastSeq(benchSession)
	if err != nil {
		return f, err
	}
	events, stop := a.Listen(benchSession)
	defer stop()
	began := time.Now()
	first := make(chan time.Duration, 1)
	over := make(chan struct{})
	go func() {
		defer close(first)
		for {
			select {
			case e, open := <-events:
				if !open {
					return
				}
				if e.Kind == journal.Token && e.Text != "" {
					first <- time.Since(began)
					return
				}
			case <-over:
				return
			}
		}
	}()
	out, err := a.RunTurn(ctx, app.TurnRequest{Session: benchSession, Agent: agent, Subject: "Patient/" + conversationPatient, Text: text})
	for err == nil && out.Run.Status == run.Paused {
		waiting, listErr := a.Approvals("pending")
		if listErr != nil {
			return f, listErr
		}
		for _, w := range waiting {
			if _, err := a.Decide(app.Decision{ID: w.ID, Digest: w.Digest, Reviewer: "bench", Comment: "This is a benchmark."}, false); err != nil {
				return f, err
			}
		}
		if len(waiting) == 0 {
			break
		}
		out, err = a.ResumeTurn(ctx, out.Run.Turn)
	}
	f.WallMS = time.Since(began).Milliseconds()
	close(over)
	f.FirstTokenMS = f.WallMS
	if at, ok := <-first; ok {
		f.FirstTokenMS = at.Milliseconds()
	}
	if err != nil {
		return f, err
	}
	f.Status = string(out.Run.Status)
	list, err := a.Store.Journal(benchSession, after, 5000)
	if err != nil {
		return f, err
	}
	for _, e := range list {
		if e.Kind != journal.ModelCalled {
			continue
		}
		d, err := a.ModelCalled(e)
		if err != nil {
			return f, err
		}
		asked, err := a.Asked(agent, d)
		if err != nil {
			return f, err
		}
		f.count(d, asked, cache)
	}
	return f, nil
}

// count adds a request to a model.
func (f *turnFigures) count(d journal.ModelCalledData, asked model.Request, cache *slotCache) {
	f.Calls++
	evaluated := cache.read(asked, d.PromptTokens)
	if d.Evaluated != nil {
		evaluated = *d.Evaluated
	} else {
		f.Estimated = true
	}
	f.Evaluated += evaluated
	f.Written += d.OutputTokens
	switch {
	case d.Role == string(model.Light):
		f.LightCalls++
	case d.Purpose != turn.AheadPurpose:
		f.replies = append(f.replies, d)
	}
	if d.Purpose != turn.AheadPurpose {
		f.Sent += d.PromptTokens
	}
}

// slotCache is the prefix cache of a server with two slots, in bytes of prompts.
type slotCache [2]string

// read says how many of a prompt's tokens such a server reads anew. What the tools do stands
// behind the first message.
func (c *slotCache) read(r model.Request, tokens int) int {
	prompt := ""
	for i, m := range r.Messages {
		prompt += fmt.Sprintln(m.Role, m.Text, m.Calls)
		if i > 0 {
			continue
		}
		for _, t := range r.Described {
			prompt += fmt.Sprintln(t.Name, t.Description, string(t.Parameters))
		}
	}
	best, kept := 0, -1
	for i, slot := range c {
		n := 0
		for n < min(len(slot), len(prompt)) && slot[n] == prompt[n] {
			n++
		}
		if n > kept {
			best, kept = i, n
		}
	}
	// Prompts of another kind have a few bytes in common, too.
	if i := slices.Index(c[:], ""); i >= 0 && kept < 64 {
		best = i
	}
	c[best] = prompt
	return tokens - tokens*kept/max(len(prompt), 1)
}
