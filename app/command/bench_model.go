package command

import (
	"cmp"
	"context"

	"holdpoint/app"
)

func (p *program) benchModel(ctx context.Context, asJSON bool) error {
	return p.with(func(a *app.App) error {
		v, err := a.MeasureModel(ctx, p.say)
		if err != nil {
			return err
		}
		if asJSON {
			return p.line(v)
		}
		p.say("model    %s %s", v.Model, v.Quantization)
		p.say("prompts  %8.1f tokens/s  (%d tokens, median of %d rounds)", v.Read, v.PromptTokens, v.Round)
		p.say("text     %8.1f tokens/s  (%d tokens)", v.Wrote, v.TextTokens)
		p.say("level    %s, %d cores", cmp.Or(word(v.Level), "not ours to say"), v.Cores)
		return nil
	})
}
