package command

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"holdpoint/app"
	"holdpoint/engine/encoder"
)

// twenty is sentences of twenty tokens, the marks of beginning and end among them.
var twenty = []string{
	"I have been lying awake since three every night and I worry so much about my work.",
	"Could you find me somebody near the railway station who has some time on a Tuesday morning?",
	"Je me réveille toujours à trois heures et je suis très fatigué toute la journée.",
	"Ich suche jemanden, der mir und meiner Frau nach dem Tod meines Vaters hilft.",
	"Mi hija no quiere ir a la escuela y por la mañana le duele siempre la barriga.",
}

// ordinary is messages as people write them, for the batches.
var ordinary = []string{
	"I can't sleep at night.", "Please move my visit to Monday morning.", "The new tablets make me dizzy and I would like to stop taking them.",
	"My mother forgets where she put her keys, and yesterday she did not find her way home.", "What did the doctor say about my blood pressure?",
	"He has not had a drink for four months, but the evenings are hard.", "Is there a group for people who lost a partner?",
	"She has missed three weeks of school because her stomach aches every morning.", "I'd rather see a woman, and I only speak French.",
	"Panic on the train again; I got off two stops early and walked.", "Thank you, that helps.", "Which of these two appointments is the earlier one?",
	"Ich schlafe seit Wochen schlecht.", "Kann ich den Termin am Donnerstag verschieben?", "Meine Tochter isst kaum noch etwas.",
	"Je voudrais parler à quelqu'un de mon angoisse.", "Quel est le prochain rendez-vous libre ?", "Mon père est mort en janvier et je n'arrive pas à en parler.",
	"No puedo dormir desde que cambié de trabajo.", "¿Puede alguien explicarme los resultados?", "Vorrei una visita di sera, se possibile.",
	"Ik voel me de laatste tijd erg moe.", "Lekarz przepisał mi nowe tabletki.", "У меня болит голова уже три дня.", "İlaçlarımı almayı unuttum.",
	"我想预约下周的门诊。", "来週の予約を変更したいです。", "다음 주에 예약하고 싶어요.", "ฉันนอนไม่หลับ", "أحتاج إلى موعد مع الطبيب",
}

type encoderFigures struct {
	OneMS       float64 `json:"one_ms"`
	FirstMS     float64 `json:"first_ms"`
	BatchPerS   float64 `json:"batch_per_s"`
	LoadMS      float64 `json:"load_ms"`
	RSSMB       float64 `json:"rss_mb"`
	ProcessMB   float64 `json:"process_mb"`
	TokensOne   float64 `json:"tokens_one"`
	TokensBatch float64 `json:"tokens_batch"`
	Vector      bool    `json:"vector"`
}

func (p *program) benchEncoder(ctx context.Context, asJSON bool) (err error) {
	dir, err := p.dir()
	if err != nil {
		return err
	}
	e := encoder.New(encoder.Options{File: filepath.Join(dir, app.EncoderFile)})
	defer func() { err = errors.Join(err, e.Close()) }()
	f, err := measureEncoder(ctx, e)
	if err != nil {
		return err
	}
	if asJSON {
		return p.line(f)
	}
	p.say("one sentence of %.0f tokens    %8.2f ms  (at most 1)", f.TokensOne, f.OneMS)
	p.say("the same, its words unseen   %8.2f ms", f.FirstMS)
	p.say("many, of %.1f tokens         %8.0f sentences a second  (at least 1,500)", f.TokensBatch, f.BatchPerS)
	p.say("loading                      %8.0f ms  (at most 300)", f.LoadMS)
	p.say("memory                       %8.0f MB  (at most 120; the whole process: %.0f)", f.RSSMB, f.ProcessMB)
	p.say("vector instructions          %s", map[bool]word{true: "yes", false: "no"}[f.Vector])
	return nil
}

func measureEncoder(ctx context.Context, e *encoder.Universal) (f encoderFigures, err error) {
	resident := func() float64 {
		debug.FreeOSMemory()
		n, err := app.Resident()
		if err != nil {
			return 0 // this system does not tell
		}
		return float64(n) / 1e6
	}
	without := resident()
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	var first, one []float64
	timed := func(into *[]float64, texts []string) error {
		began := time.Now()
		_, err := e.Vector(ctx, texts)
		*into = append(*into, milliseconds(time.Since(began)))
		return err
	}
	var loads []float64
	for _, text := range twenty {
		if err := e.Close(); err != nil {
			return f, err
		}
		if err := timed(&loads, []string{""}); err != nil {
			return f, err
		}
		before := runtime.GOMAXPROCS(1)
		err := timed(&first, []string{text})
		runtime.GOMAXPROCS(before)
		if err != nil {
			return f, err
		}
	}
	f.LoadMS, f.FirstMS = median(loads), median(first)

	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for i := range 400 {
		if err := timed(&one, twenty[i%len(twenty):][:1]); err != nil {
			return f, err
		}
	}
	f.OneMS = median(one)
	var many []string
	for i := range 64 * len(ordinary) {
		many = append(many, ordinary[(i*7)%len(ordinary)])
	}
	var rounds []float64
	for range 7 {
		if err := timed(&rounds, many); err != nil {
			return f, err
		}
	}
	f.BatchPerS = float64(len(many)) / median(rounds) * 1000
	if f.TokensOne, err = e.Tokens(ctx, twenty); err != nil {
		return f, err
	}
	if f.TokensBatch, err = e.Tokens(ctx, ordinary); err != nil {
		return f, err
	}
	f.Vector = encoder.Vectorised()
	f.ProcessMB = resident()
	f.RSSMB = f.ProcessMB - without
	return f, nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
