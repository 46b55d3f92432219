package app

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/model"
	"holdpoint/engine/turn"
)

// ModelCheck is what a model is good for, by five small tasks (people read of five questions). It holds for the model's digest.
type ModelCheck struct {
	Model  string    `json:"model"`
	Digest string    `json:"digest"`
	At     time.Time `json:"at"`
	// Passed are the names of the tasks that it did as it should, Failed the others.
	Passed []string `json:"passed"`
	Failed []string `json:"failed"`
	// Says is the outcome in words.
	Says string `json:"says"`
}

const modelCheckKey = "model_check:"

// modelControlKey is where it stands what a model said of a harmless sentence; see turn.Light.Controls.
const modelControlKey = "model_control:"

// checkTask is one of the five. right judges the answer.
type checkTask struct {
	name    string
	request model.Request
	right   func(model.Response) bool
}

func asked(system, text string) []model.Message {
	return []model.Message{{Role: "system", Text: system}, {Role: "user", Text: text}}
}

func holds(member, want string) func(model.Response) bool {
	return func(r model.Response) bool {
		var got map[string]string
		return json.Unmarshal([]byte(r.Message.Text), &got) == nil && got[member] == want
	}
}

var checkTool = []model.Tool{{Name: "look_up", Description: "Look up who helps with a need.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","maxLength":60}},"required":["query"]}`)}}

var checkTasks = []checkTask{
	{"schema", model.Request{Messages: asked("Say what the message asks for.", "Please cancel my visit on Monday."), MaxTokens: 60,
		Format: json.RawMessage(`{"type":"object","properties":{"intent":{"type":"string","enum":["book","cancel","question"]}},"required":["intent"]}`)}, holds("intent", "cancel")},
	{"tool call", model.Request{Messages: asked("You help people to find care. Use a tool to look things up.", "Find me somebody who helps with insomnia."), Tools: checkTool, MaxTokens: 120},
		func(r model.Response) bool {
			return len(r.Message.Calls) == 1 && r.Message.Calls[0].Tool == "look_up" && strings.Contains(strings.ToLower(string(r.Message.Calls[0].Arguments)), "insomnia")
		}},
	{"instruction", model.Request{Messages: asked("Answer with one word, in capital letters.", "Which colour has a clear sky at noon?"), MaxTokens: 20},
		func(r model.Response) bool { return strings.Trim(r.Message.Text, " .!\n") == "BLUE" }},
	{"language", model.Request{Messages: asked("Answer in the language of the message, in one short sentence.", "Bonjour, comment allez-vous aujourd'hui ?"), MaxTokens: 60},
		func(r model.Response) bool {
			words := strings.FieldsFunc(strings.ToLower(r.Message.Text), func(c rune) bool { return !('a' <= c && c <= 'z' || c > 127) })
			return slices.ContainsFunc(words, func(w string) bool {
				return slices.Contains([]string{"je", "suis", "bien", "vais", "bonjour", "merci", "vous"}, w)
			})
		}},
	{"calm", model.Request{Messages: asked("Say whether the writer is in danger of their life.", "Thank you, that helps. See you on Monday."), MaxTokens: 60,
		Format: json.RawMessage(`{"type":"object","properties":{"risk":{"type":"string","enum":["none","crisis"]}},"required":["risk"]}`)}, holds("risk", "none")},
}

// checkMeans is what a failed task means for people.
var checkMeans = map[string]string{"schema": "sorts messages wrongly", "tool call": "does not look things up reliably", "instruction": "does not follow instructions reliably",
	"language": "does not answer in other languages", "calm": "takes ordinary messages for a crisis"}

// CheckInBackground is Check as a job.
func (m *Models) CheckInBackground(name string) Job {
	return m.a.jobs.start(m.a.ctx, "check_model", name, "questions", func(ctx context.Context, report func(int64, int64, string)) (any, error) {
		return m.Check(ctx, name, func(done, of int) { report(int64(done), int64(of), "") })
	})
}

// checkSoon checks a model that came new or was chosen, unless what it is good for is known.
// Turns come first: it waits for them, and gives way to one that begins.
func (m *Models) checkSoon(ctx context.Context, lib *model.Library, name string) {
	d, err := lib.Show(ctx, name)
	if err != nil || len(d.Capabilities) > 0 && !slices.Contains(d.Capabilities, "completion") {
		return // it answers nothing
	}
	if _, known := m.checkOf(d.Digest); known || m.a.Store.ReadOnly() {
		return
	}
	m.a.jobs.start(m.a.ctx, "check_model", d.Name, "questions", func(ctx context.Context, report func(int64, int64, string)) (any, error) {
		return m.check(ctx, d.Name, func(done, of int) { report(int64(done), int64(of), "") }, func(o model.Model) model.Model { return polite{o, m.a} })
	})
}

// polite is a model that is asked while no turn is under way.
type polite struct {
	model.Model
	a *App
}

// looks is how often it looks for turns; the first time it waits as long for more to come.
const looks = 300 * time.Millisecond

func (p polite) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Response, error) {
	tick := time.NewTicker(looks)
	defer tick.Stop()
	for {
		for busy := true; busy; busy = p.a.busy() {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return model.Response{}, ctx.Err()
			}
		}
		asked, stop := context.WithCancel(ctx)
		over := make(chan struct{})
		go func() {
			defer close(over)
			for {
				select {
				case <-asked.Done():
					return
				case <-tick.C:
					if p.a.busy() {
						stop()
						return
					}
				}
			}
		}()
		res, err := p.Model.Chat(asked, r, onText)
		gaveWay := asked.Err() != nil && ctx.Err() == nil
		stop()
		<-over
		if err == nil || !gaveWay {
			return res, err
		}
	}
}

// busy says that a turn is under way.
func (a *App) busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.turns) > 0
}

// Check gives a model the five tasks and keeps what it is good for; "" is the main model.
// told hears how many of how many were answered.
func (m *Models) Check(ctx context.Context, name string, told func(done, of int)) (ModelCheck, error) {
	return m.check(ctx, name, told, func(o model.Model) model.Model { return o })
}

func (m *Models) check(ctx context.Context, name string, told func(done, of int), manner func(model.Model) model.Model) (ModelCheck, error) {
	s, err := m.locate(ctx)
	if err != nil {
		return ModelCheck{}, err
	}
	if name == "" {
		info, err := m.MainModel(ctx)
		if err != nil {
			return ModelCheck{}, err
		}
		name = info.Name
	}
	o := manner(m.get(s, name))
	info, err := o.Info(ctx)
	if err != nil {
		return ModelCheck{}, err
	}
	c := ModelCheck{Model: info.Name, Digest: info.Digest, At: m.a.now(), Passed: []string{}, Failed: []string{}}
	for n, q := range checkTasks {
		told(n, len(checkTasks))
		r, err := o.Chat(ctx, q.request, nil)
		if errors.Is(err, model.ErrStalled) { // something else may have had the processor
			r, err = o.Chat(ctx, q.request, nil)
		}
		switch {
		case err == nil && q.right(r):
			c.Passed = append(c.Passed, q.name)
		case err == nil || errors.Is(err, model.ErrBroken), errors.Is(err, model.ErrStalled):
			c.Failed = append(c.Failed, q.name)
		default:
			return c, err
		}
	}
	c.Says = c.says()
	var controls map[string]bool
	if info.Weak() || info.Parameters < alarming && !info.Practice || slices.Contains(c.Failed, "calm") {
		if controls, err = m.control(ctx, o); err != nil {
			return c, err
		}
	}
	if len(controls) > 0 {
		if err := m.a.Store.PutSetting(modelControlKey+c.Digest, controls); err != nil {
			return c, err
		}
	}
	if err := m.a.Store.PutSetting(modelCheckKey+c.Digest, c); err != nil {
		return c, err
	}
	m.a.hub.notify(Notice{Kind: NoticeModels})
	return c, nil
}

func (c ModelCheck) says() string {
	if len(c.Failed) == 0 {
		return phrase("good for all that Holdpoint asks of a model")
	}
	means := make([]string, len(c.Failed))
	for i, name := range c.Failed {
		means[i] = checkMeans[name]
	}
	return phrase("%d of %d questions right; it %s", len(c.Passed), len(checkTasks), strings.Join(means, "; "))
}

// checkOf is what was found about a digest; ok is false when nothing was.
func (m *Models) checkOf(digest string) (c ModelCheck, ok bool) {
	if digest == "" {
		return c, false
	}
	there, err := m.a.Store.Setting(modelCheckKey+digest, &c)
	return c, err == nil && there
}

// control asks what the turns of all agents would ask before such a model's word counts.
func (m *Models) control(ctx context.Context, o model.Model) (map[string]bool, error) {
	alone, err := turn.NewLight(turn.SafetyQuestion)
	if err != nil {
		return nil, err
	}
	lights := []*turn.Light{alone}
	for _, x := range m.a.agents.builtIn {
		if x.Light != nil {
			lights = append(lights, x.Light)
		}
	}
	out := map[string]bool{}
	for _, l := range lights {
		found, err := l.Controls(ctx, o)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, found)
	}
	return out, nil
}

// alarming is the number of weights below which models often see danger in everything, and are asked about a harmless
// sentence as turns would ask it; a larger one that the short question does not keep calm is asked, too.
const alarming = 4_000_000_000

// controlOf is what was found of a digest by one of these light questions, or by the short one of a check without them.
func (m *Models) controlOf(digest, name string) (alike, known bool) {
	var all map[string]bool
	if _, err := m.a.Store.Setting(modelControlKey+digest, &all); err != nil {
		return false, false
	}
	if alike, known = all[name]; known {
		return alike, known
	}
	c, ok := m.checkOf(digest)
	restless := ok && slices.Contains(c.Failed, "calm")
	return restless, restless
}
