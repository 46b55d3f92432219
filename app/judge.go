package app

import (
	"context"
	"errors"
	"slices"

	"holdpoint/engine/agent"
	"holdpoint/engine/board"
)

// JudgeCase is a passage and a statement, and what the passage says about it.
type JudgeCase struct {
	Passage, Statement string
	Want               board.Verdict
}

// JudgeReport is how well a model judged.
type JudgeReport struct {
	Model    string `json:"model"`
	Digest   string `json:"digest,omitempty"`
	Practice bool   `json:"practice,omitempty"` // a script, which says nothing about models
	Cases    int    `json:"cases"`
	// Right is how often the verdict that counts is the wanted one, Accuracy its share; Said is the same share of
	// the model's own words, whether or not its quote is in the passage.
	Right    int     `json:"right"`
	Accuracy float64 `json:"accuracy"`
	Said     float64 `json:"accuracy_said"`
	// Most is the share that always saying the most frequent verdict would have.
	Most float64 `json:"accuracy_most_frequent"`
	// Useless counts answers that could not be used, Unfounded those whose quote is not in the passage.
	Useless   int `json:"useless"`
	Unfounded int `json:"unfounded"`
	// Recall is the share of right ones by what was wanted.
	Recall map[board.Verdict]float64 `json:"recall"`
}

// MeasureJudge holds the main model's judgements against known ones, with a study's own question and rules.
func (a *App) MeasureJudge(ctx context.Context, cases []JudgeCase, say func(format string, values ...any)) (JudgeReport, error) {
	practice, err := a.Models.inPractice()
	if err != nil {
		return JudgeReport{}, err
	}
	at := slices.IndexFunc(a.agents.builtIn, func(x *registered) bool { return x.Weigh != nil })
	if at < 0 {
		return JudgeReport{}, Bad("No agent here judges evidence.", "")
	}
	x := a.agents.builtIn[at]
	set, _, info, err := a.Models.choose(ctx, practice, x.scripts)
	if err != nil {
		return JudgeReport{}, err
	}
	r := JudgeReport{Model: info.Name, Digest: info.Digest, Practice: info.Practice, Cases: len(cases), Recall: map[board.Verdict]float64{}}
	wanted, hit, said := map[board.Verdict]int{}, map[board.Verdict]int{}, 0
	for i, c := range cases {
		wanted[c.Want]++
		own, counts, err := x.Weigh(ctx, set.Main, c.Passage, c.Statement)
		switch {
		case ctx.Err() != nil:
			return r, ctx.Err()
		case errors.Is(err, agent.ErrUseless):
			r.Useless++
		case err != nil:
			return r, err
		}
		if own != counts {
			r.Unfounded++
		}
		if own == c.Want {
			said++
		}
		if counts == c.Want {
			r.Right++
			hit[c.Want]++
		}
		if (i+1)%20 == 0 {
			say("%d of %d, %d right", i+1, len(cases), r.Right)
		}
	}
	if n := float64(len(cases)); n > 0 {
		r.Accuracy, r.Said = float64(r.Right)/n, float64(said)/n
		for v, w := range wanted {
			r.Most = max(r.Most, float64(w)/n)
			r.Recall[v] = float64(hit[v]) / float64(w)
		}
	}
	return r, nil
}
