package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/model"
)

// ModelSpeed is how fast a model reads prompts and writes text on this machine: the
// medians of some rounds.
type ModelSpeed struct {
	Model        string `json:"model"`
	Quantization string `json:"quantization"`
	Server       string `json:"server"` // own, user
	// Level is the level of processor instructions of our own server, e.g. avx2; "base"
	// is what runs on every processor. It is empty for others' servers.
	Level string  `json:"level"`
	Cores int     `json:"cores"`
	Round int     `json:"rounds"`
	Read  float64 `json:"prompt_per_s"` // tokens a second
	Wrote float64 `json:"text_per_s"`
	// PromptTokens and TextTokens are what a round read anew and wrote.
	PromptTokens int `json:"prompt_tokens"`
	TextTokens   int `json:"text_tokens"`
}

const (
	speedRounds = 5
	speedText   = 48 // tokens that a round writes at most
)

// MeasureModel times the main model: prompts of some hundred tokens of which nothing is kept
// from before, and the text after each. say, unless nil, hears of every round.
func (a *App) MeasureModel(ctx context.Context, say func(format string, values ...any)) (ModelSpeed, error) {
	v := ModelSpeed{Cores: runtime.NumCPU(), Round: speedRounds}
	if say == nil {
		say = func(string, ...any) {}
	}
	practice, err := a.Models.inPractice()
	if err != nil {
		return v, err
	}
	if practice.on {
		return v, Bad("The practice script is not a model.", "Leave practice mode: holdpoint settings set practice false.")
	}
	say("starting the model server")
	_, _, info, err := a.Models.choose(ctx, playing{}, nil)
	if err != nil {
		return v, err
	}
	s, err := a.Models.locate(ctx)
	if err != nil {
		return v, err
	}
	v.Model, v.Server = info.Name, "user"
	stored, err := model.NewLibrary(s).List(ctx)
	if err != nil {
		return v, err
	}
	for _, x := range stored {
		if x.Name == info.Name {
			v.Quantization = x.Quantization
		}
	}
	if s.Place() == model.Ours {
		v.Server, v.Level = "own", a.Models.own.Level()
	}
	m := a.Models.get(s, info.Name)
	say("loading %s", info.Name)
	if _, err := m.Chat(ctx, model.Request{Messages: []model.Message{{Role: "user", Text: "Hello."}}, MaxTokens: 4}, nil); err != nil {
		return v, err
	}
	var read, wrote []float64
	for round := range speedRounds {
		// The first words differ, so that the server can keep nothing of the round before.
		r := model.Request{MaxTokens: speedText, Messages: []model.Message{
			{Role: "system", Text: fmt.Sprintf("%d. You retell what you are told, at length.", time.Now().UnixNano())},
			{Role: "user", Text: strings.Repeat(fmt.Sprintf("On visit %d the patient said that sleep was worse, that the new tablets made the mornings slow, and that walking to the river helped. ", round+1), 10) + "Retell all of that."},
		}}
		answer, err := m.Chat(ctx, r, nil)
		if err != nil {
			return v, err
		}
		u := answer.Usage
		v.PromptTokens, v.TextTokens = u.PromptTokens, u.OutputTokens
		if u.Evaluated != nil {
			v.PromptTokens = *u.Evaluated
		}
		if v.PromptTokens == 0 || v.TextTokens == 0 || u.PromptTime <= 0 || u.OutputTime <= 0 {
			return v, fmt.Errorf("%s read %d and wrote %d tokens, which can't be timed", info.Name, v.PromptTokens, v.TextTokens)
		}
		read = append(read, float64(v.PromptTokens)/u.PromptTime.Seconds())
		wrote = append(wrote, float64(v.TextTokens)/u.OutputTime.Seconds())
		say("round %d of %d: %.1f tokens/s read, %.1f written", round+1, speedRounds, read[round], wrote[round])
	}
	slices.Sort(read)
	slices.Sort(wrote)
	v.Read, v.Wrote = read[len(read)/2], wrote[len(wrote)/2]
	a.paces.learn(v.Model, v.Read)
	return v, nil
}

// quickest says which quantisation our own server reads fastest on this machine, and
// under which names the suggested models are published in it. It is "" when another
// server computes or the build doesn't measure.
func (m *Models) quickest(ctx context.Context) (string, error) {
	m.mu.Lock()
	s := m.server
	m.mu.Unlock()
	if s == nil || s.Place() != model.Ours {
		return "", nil
	}
	speeds, err := m.own.Speeds(ctx)
	if errors.Is(err, errors.ErrUnsupported) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fastest(speeds, m.own.Level()), nil
}

// fastest tells the speeds, the quickest of which is first.
func fastest(speeds []model.Speed, level string) string {
	if len(speeds) == 0 {
		return ""
	}
	best := speeds[0]
	var others []string
	for _, s := range speeds[1:] {
		if s.GFLOPS > 0 {
			others = append(others, fmt.Sprintf("%.1f × %s", best.GFLOPS/s.GFLOPS, s.Quantization))
		}
	}
	var names []string
	for _, s := range starters {
		if s.tag != "" {
			names = append(names, s.tag+"-"+cmp.Or(map[string]string{"Q4_K_M": "q4_K_M", "Q5_K_M": "q5_K_M", "Q6_K": "q6_K"}[best.Quantization], strings.ToLower(best.Quantization)))
		}
	}
	return phrase("prompts in %s (at level %s: %s); to pull: %s", best.Quantization, level, strings.Join(others, ", "), strings.Join(names, ", "))
}
