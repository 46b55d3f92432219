package app

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/model"
)

// ModelCheck is what a model is good for, by five questions. It holds for the model's digest.
type ModelCheck struct {
	Model  string    `json:"model"`
	Digest string    `json:"digest"`
	At     time.Time `json:"at"`
	// Passed are the names of the questions that it answered as it should, Failed the others.
	Passed []string `json:"passed"`
	Failed []string `json:"failed"`
	// Says is the outcome in words.
	Says string `json:"says"`
}

const modelCheckKey = "model_check:"

// checkQuestion is one of the five. right judges the answer.
type checkQuestion struct {
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

var checkQuestions = []checkQuestion{
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

// checkMeans is what a failed question means for people.
var checkMeans = map[string]string{"schema": "sorts messages wrongly", "tool call": "does not look things up reliably", "instruction": "does not follow instructions reliably",
	"language": "does not answer in other languages", "calm": "takes ordinary messages for a crisis"}

// CheckInBackground is Check as a job.
func (m *Models) CheckInBackground(name string) Job {
	return m.a.jobs.start(m.a.ctx, "check_model", name, "questions", func(ctx context.Context, report func(int64, int64, string)) (any, error) {
		return m.Check(ctx, name, func(done int) { report(int64(done), int64(len(checkQuestions)), "") })
	})
}

// Check asks a model five questions and keeps what it is good for; "" is the main model.
// told hears how many were answered.
func (m *Models) Check(ctx context.Context, name string, told func(done int)) (ModelCheck, error) {
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
	o := m.get(s, name)
	info, err := o.Info(ctx)
	if err != nil {
		return ModelCheck{}, err
	}
	c := ModelCheck{Model: info.Name, Digest: info.Digest, At: m.a.now(), Passed: []string{}, Failed: []string{}}
	for n, q := range checkQuestions {
		told(n)
		r, err := o.Chat(ctx, q.request, nil)
		switch {
		case err == nil && q.right(r):
			c.Passed = append(c.Passed, q.name)
		case err == nil || errors.Is(err, model.ErrBroken):
			c.Failed = append(c.Failed, q.name)
		default:
			return c, err
		}
	}
	c.Says = c.says()
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
	return phrase("%d of %d questions right; it %s", len(c.Passed), len(checkQuestions), strings.Join(means, "; "))
}

// checkOf is what was found about a digest; ok is false when nothing was.
func (m *Models) checkOf(digest string) (c ModelCheck, ok bool) {
	if digest == "" {
		return c, false
	}
	there, err := m.a.Store.Setting(modelCheckKey+digest, &c)
	return c, err == nil && there
}
