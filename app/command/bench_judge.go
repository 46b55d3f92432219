package command

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdpoint/app"
	"holdpoint/engine/board"
)

func (p *program) benchJudge(ctx context.Context, file string, limit int, asJSON bool) error {
	cases, err := judgeCases(file, limit)
	if err != nil {
		return err
	}
	return p.with(func(a *app.App) error {
		r, err := a.MeasureJudge(ctx, cases, p.say)
		if err != nil {
			return err
		}
		if asJSON {
			return p.line(r)
		}
		p.say("model       %s %s", r.Model, r.Digest)
		if r.Practice {
			p.say("            a script, not a model: holdpoint settings set practice false")
		}
		p.say("accuracy    %.3f  (%d of %d; %.3f for always saying the most frequent)", r.Accuracy, r.Right, r.Cases, r.Most)
		p.say("as said     %.3f  before %d verdicts without a sentence of the passage were set to neutral", r.Said, r.Unfounded)
		for _, v := range []board.Verdict{board.Supports, board.Contradicts, board.Neutral} {
			p.say("%-12s%.3f  found of those that are", word(v), r.Recall[v])
		}
		p.say("unusable    %d answers", r.Useless)
		return nil
	})
}

// labels are the verdicts as tables call them.
var labels = map[string]board.Verdict{"supports": board.Supports, "refutes": board.Contradicts, "contradicts": board.Contradicts, "neutral": board.Neutral}

// judgeCases reads a table with the columns evidence, claim and label, as HealthVer has. Of a long one, limit
// rows are taken at even distances.
func judgeCases(file string, limit int) (out []app.JudgeCase, err error) {
	f, err := app.OpenFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s is not a table: %w", file, err)
	}
	if len(rows) < 2 {
		return nil, errors.New("the table has no rows")
	}
	text, claim, label := slices.Index(rows[0], "evidence"), slices.Index(rows[0], "claim"), slices.Index(rows[0], "label")
	if min(text, claim, label) < 0 {
		return nil, errors.New("the table needs the columns evidence, claim and label")
	}
	rows = rows[1:]
	if limit <= 0 || limit > len(rows) {
		limit = len(rows)
	}
	for i := range limit {
		r := rows[i*len(rows)/limit]
		want, ok := labels[strings.ToLower(strings.TrimSpace(r[label]))]
		if !ok {
			return nil, fmt.Errorf("the label %q is none of Supports, Refutes and Neutral", r[label])
		}
		out = append(out, app.JudgeCase{Passage: r[text], Statement: strings.TrimSpace(r[claim]), Want: want})
	}
	return out, nil
}
