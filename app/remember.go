package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/encoder"
	"holdpoint/engine/ledger"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/safety"
	"holdpoint/engine/session"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// MemorySays is what the setting of memory means, wherever it can be switched.
const MemorySays = "When it is on, Holdpoint keeps a short summary of each conversation on this laptop and tells it to the model in later conversations about the same record, or about none. " +
	"Turns in danger are never kept, and those in practice mode only by an agent that asks for consent, apart from all others; each summary can be read, corrected and forgotten under Memory."

// openLake starts what makes memory of conversations.
func (a *App) openLake() {
	if a.Store.ReadOnly() {
		return
	}
	a.lake = memory.Open(memory.Options{Store: a.Store, Make: a.makeEpisode, Vectors: a.episodeVectors, Now: a.now, Rest: rest,
		Changed: func() { a.hub.notify(Notice{Kind: NoticeMemory}) }})
}

// rest is how long a conversation rests before its summary is made. The next turn comes
// mostly sooner, and is not to share the model with it.
const rest = 15 * time.Second

// drainTime is how long the end of the program waits for what is being remembered; what is
// not done then is done after the next start. For modelTime a model may still finish.
const drainTime, modelTime = 8 * time.Second, 5 * time.Second

func (a *App) closeLake() {
	if a.lake == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	a.lake.Close(ctx)
}

// remember hands the conversation of a turn that was completed to the lake, where memory
// is on.
func (a *App) remember(turnID string) {
	settings, err := a.Settings()
	if err != nil || !settings.Memory || a.lake == nil {
		return
	}
	row, err := a.Store.Run(RunID(turnID))
	if err != nil || row.Status != run.Completed || row.Practice {
		return
	}
	if x, err := a.runAgent(row); err != nil || x.Whom != nil {
		return // it writes its own summaries, for those who agreed
	}
	s, err := a.Store.Session(row.Session)
	if err != nil {
		return
	}
	err = a.lake.Accept(context.Background(), memory.Waiting{About: turn.AboutOf(session.SubjectOf(row.Vars)), Session: row.Session, Agent: row.Agent, Turns: s.Turns})
	if err != nil && !errors.Is(err, memory.ErrClosed) {
		// The turn is done; the next one of the session is remembered with it.
		a.log.Warn("a conversation was not handed to memory", "code", AsFault(err).Code)
	}
}

// afterwards stands between a person's words and what came after them.
const afterwards = " — "

// makeEpisode makes what is remembered of a conversation: by the light model where one is at
// hand, by code otherwise.
func (a *App) makeEpisode(ctx context.Context, w memory.Waiting, old memory.Episode) (memory.Episode, error) {
	settings, err := a.Settings()
	if err != nil {
		return old, err
	}
	if w.Text == "" && !settings.Memory {
		return old, memory.ErrNothing
	}
	if ok, err := a.agreed(w); err != nil || !ok {
		return old, cmp.Or(err, memory.ErrNothing)
	}
	e := memory.Episode{ID: w.ID(), About: w.About, Session: w.Session, Agent: w.Agent, Text: memory.OneLine(w.Text, memory.MaxText), By: w.Agent,
		At: w.At, Turns: w.Turns, From: old.From, Said: old.Said}
	if w.Text != "" {
		if e.Said != "" && w.Turns > old.From { // a person's words stay, what came later follows
			e.Text = memory.OneLine(e.Said+afterwards+e.Text, 2*memory.MaxText)
		} else if old.From >= w.Turns {
			return old, memory.ErrNothing // it is of turns that a person corrected or forgot
		}
		return e, nil
	}
	spoken := cmp.Or(tongue.Tongue(a.spokenIn(w.Session)), a.Tongue())
	conversation, turns, err := a.conversation(w, settings.MemorySince, old.From, spoken)
	if err != nil {
		return old, err
	}
	if len(conversation) == 0 {
		return old, memory.ErrNothing
	}
	e.Turns, e.By = turns, memory.ByCode
	if light, info := a.Models.atHand(ctx); light != nil {
		ctx, cancel := a.soonAfterEnd(ctx)
		text, err := memory.Summarize(ctx, light, conversation, spoken.Say, turn.LanguageLine(safety.Language(spoken)))
		cancel()
		if err == nil {
			e.Text, e.By, e.Weak = text, info.Name, info.Weak()
		}
	}
	if e.Text == "" {
		e.Text = memory.Facts(conversation, spoken.Say)
	}
	if e.Said != "" { // a person's words stay, what came later follows
		e.Text = memory.OneLine(e.Said+afterwards+e.Text, 2*memory.MaxText)
	}
	return e, nil
}

// soonAfterEnd is a context that ends modelTime after the app begins to close.
func (a *App) soonAfterEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(a.ctx, func() {
		timer := time.AfterFunc(modelTime, cancel)
		context.AfterFunc(ctx, func() { timer.Stop() })
	})
	return ctx, func() { stop(); cancel() }
}

// conversation reads the turns of a session that may be remembered: completed ones about the
// same, begun since memory was on, behind the first turns that a person corrected or forgot.
// A turn with a sign of danger is left out, and a session with practice turns altogether.
func (a *App) conversation(w memory.Waiting, since time.Time, from int, spoken tongue.Tongue) (list []session.Exchange, turns int, err error) {
	s, err := a.Store.Session(w.Session)
	if errors.Is(err, session.ErrNotFound) || err == nil && s.Practice {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	runs, err := a.Store.RunsOf(w.Session)
	if err != nil {
		return nil, 0, err
	}
	for i, r := range runs {
		if i < from || r.Status != run.Completed || r.StartedAt.Before(since) || turn.AboutOf(session.SubjectOf(r.Vars)) != w.About || !a.calm(r) {
			continue
		}
		decided, err := a.decisions(r.Turn, spoken)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, session.Exchange{User: r.Input, Reply: r.Output, Decided: decided})
	}
	return list, len(runs), nil
}

// checked is what the check of a turn's message found; false where that cannot be read.
func (a *App) checked(r run.Run) (s turn.Safety, ok bool) {
	raw, err := a.Store.Channel(r.ID, turn.SafetySlot)
	return s, err == nil && raw != nil && json.Unmarshal(raw, &s) == nil
}

// calm says that the check of a turn's message found nothing. What cannot be read is not.
func (a *App) calm(r run.Run) bool {
	s, ok := a.checked(r)
	return ok && s.Level == safety.Calm
}

// inDanger says that a turn was answered with help in the place of a reply.
func (a *App) inDanger(r run.Run) bool {
	s, ok := a.checked(r)
	return ok && s.Level == safety.Intervene
}

// alarms is what the checks of a session's turns found. What cannot be read found nothing: help twice is better
// than none.
func (a *App) alarms(id string) (all turn.Alarms) {
	runs, err := a.Store.RunsOf(id)
	if err != nil {
		return all
	}
	for _, r := range runs {
		if s, ok := a.checked(r); ok {
			all.Count(s)
		}
	}
	return all
}

// checkedIn is the check-in of the last turn of a session before one, and whether its reply asked
// something that is answered with no. What cannot be read was none.
func (a *App) checkedIn(id, turnID string) (check turn.Safety, asked bool) {
	for _, r := range slices.Backward(a.lastRuns(id)) {
		if r.Turn != turnID {
			check, _ = a.checked(r)
			return check, turn.AsksYesOrNo(r.Output)
		}
	}
	return check, false
}

// decisions are what a person decided in a turn.
func (a *App) decisions(turnID string, in tongue.Tongue) (out []string, err error) {
	err = a.Store.Read(func(tx store.Tx) error {
		return tx.Entries(turnID, func(e ledger.Entry) (bool, error) {
			ap, err := tx.Approval(e.Approval)
			if errors.Is(err, ledger.ErrNotFound) {
				return true, nil
			}
			if err != nil {
				return false, err
			}
			said := ""
			if ap.Comment != "" {
				said = " (" + in.Say("“%s”", ap.Comment) + ")"
			}
			switch {
			case e.State == ledger.Committed:
				out = append(out, in.Say("approved and done: %s", in.Told(ap.Title)+said))
			case ap.Status == ledger.Rejected:
				out = append(out, in.Say("rejected: %s", in.Told(ap.Title)+said))
			case ap.Status == ledger.Approved || ap.Status == ledger.Used:
				out = append(out, in.Say("approved: %s", in.Told(ap.Title)+said))
			}
			return true, nil
		})
	})
	return out, err
}

// episodeVectors makes those of an episode, with the encoder that is at hand.
func (a *App) episodeVectors(ctx context.Context, e memory.Episode) (*memory.Vectors, error) {
	meaning := a.Models.encoderAtHand()
	if meaning == nil {
		return nil, nil
	}
	return memory.Encode(ctx, meaning, e)
}

// atHand is the light model if a turn has chosen one already: memory starts no server.
func (m *Models) atHand(ctx context.Context) (model.Model, model.Info) {
	m.mu.Lock()
	set := m.set
	m.mu.Unlock()
	if set == nil || set.Light == nil {
		return nil, model.Info{}
	}
	info, err := set.Light.Info(ctx)
	if err != nil || info.Practice {
		return nil, model.Info{}
	}
	return set.Light, info
}

// encoderAtHand is the chosen embedding model, else the encoder that needs no server; nil
// for words.
func (m *Models) encoderAtHand() encoder.Encoder {
	m.mu.Lock()
	embeds := m.embeds
	m.mu.Unlock()
	if embeds != nil {
		return embeds
	}
	settings, err := m.a.Settings()
	if err != nil || settings.Embed != "" {
		return nil // it is not there now; its vectors are made when it is
	}
	return m.a.builtIn()
}

// agreed says that whom a summary is about agrees to it now: an agent that asks for consent
// remembers nothing that was taken back meanwhile.
func (a *App) agreed(w memory.Waiting) (ok bool, err error) {
	x, err := a.agents.find(w.Agent)
	if err != nil || x.Whom == nil {
		return true, nil
	}
	err = a.Store.Read(func(tx store.Tx) error {
		c, said, err := tx.ConsentOf(w.About)
		ok = said && c.Scope == session.FullConsent
		return err
	})
	return ok, err
}
