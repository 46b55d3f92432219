package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/encoder"
	"holdpoint/engine/record"
	"holdpoint/engine/safety"
)

func (p *program) bench() *cobra.Command {
	var asJSON bool
	var train, lessons, out string
	var queued, callers int
	safe := &cobra.Command{Use: "safety FILE", Short: "Measure the safety check on labelled messages, or train it",
		Long: `Measure the safety check on labelled messages, without a model server. FILE is NDJSON of {id, text, label}: text
is one message or a list of one person's messages (an alarm on any is an alarm for the person), label is crisis or none; category is
optional. A line {id, kind, level, by} is printed for each person in crisis without an intervention (miss), and for each
other one with an intervention (false_alarm) or a check-in (false_check_in); by names the tiers that saw a sign. The last line is
{recall, precision, false_alarm_rate, checkin_recall, checkin_false_alarm_rate, people, tiers}: the first three count
interventions, checkin_* either level.

The tiers that take part are named: rules and words always, meaning where the sentence encoder is at hand (holdpoint encoder).

--train DIR learns the linear tier and the meaning tier from DIR/crisis/*.jsonl and from what was written for it (--lessons, written*.jsonl),
with DIR/counsel-questions and DIR/reddit-stress as background, prints a cross-validation with what each tier adds, and writes the
weights that the next build embeds. It takes some minutes. The meaning tier learns from English and French; in Arabic, Dutch, German, Italian, Polish,
Portuguese, Spanish and Turkish it was measured on 20 sentences each, written for that: go doc ./engine/safety has the figures.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if train != "" && len(args) == 0 {
				return p.trainSafety(cmd.Context(), train, lessons, out)
			}
			if train != "" || len(args) != 1 {
				return misuse("expected one file, or --train DIR")
			}
			f, err := app.OpenFile(args[0])
			if err != nil {
				return err
			}
			e, err := p.sentences()
			if err != nil {
				return errors.Join(err, f.Close())
			}
			check := safety.With(e)
			if err := check.Warm(cmd.Context()); err != nil { // else the figures would be those of fewer tiers than are named
				return errors.Join(err, f.Close())
			}
			rep, err := check.Bench(f)
			if closeErr := f.Close(); err == nil {
				err = closeErr
			}
			if err != nil {
				return err
			}
			if rep.Crisis+rep.None == 0 {
				return misuse("nobody in this file is labelled crisis or none: there is nothing to measure")
			}
			told := func(kind string, list []safety.Miss) error {
				for _, m := range list {
					line := struct {
						ID    string       `json:"id"`
						Kind  string       `json:"kind"`
						Level safety.Level `json:"level"`
						By    []string     `json:"by"`
						Miss  *safety.Miss `json:"miss,omitempty"`
						False *safety.Miss `json:"false_alarm,omitempty"`
					}{m.ID, kind, m.Level, m.By, &m, nil}
					if kind != "miss" {
						line.Miss, line.False = nil, &m
					}
					if err := p.line(line); err != nil {
						return err
					}
				}
				return nil
			}
			if err := errors.Join(told("miss", rep.Misses), told("false_alarm", rep.FalseAlarms), told("false_check_in", rep.FalseCheckIns)); err != nil {
				return err
			}
			for _, c := range inWords(rep.Categories) {
				p.say("%-6s %-24s %3d people: %3d interventions, %3d check-ins", c.Label, p.language().Say(c.Category), c.People, c.Interventions, c.CheckIns)
			}
			read := make([]string, len(rep.Tiers))
			for i, tier := range rep.Tiers {
				read[i] = p.language().Say(tier)
			}
			p.say("interventions: recall %.3f, precision %.3f, false alarms %.3f; either level: recall %.3f, false alarms %.3f; %d people, read by %s",
				rep.Recall, rep.Precision, rep.FalseAlarmRate, rep.CheckInRecall, rep.CheckInFalseAlarmRate, rep.People, strings.Join(read, p.language().Say(" and ")))
			return p.line(struct {
				Recall         float64        `json:"recall"`
				Precision      float64        `json:"precision"`
				FalseAlarmRate float64        `json:"false_alarm_rate"`
				CheckInRecall  float64        `json:"checkin_recall"`
				CheckInRate    float64        `json:"checkin_false_alarm_rate"`
				People         int            `json:"people"`
				Tiers          []string       `json:"tiers"`
				Misses         int            `json:"misses"`
				FalseAlarms    int            `json:"false_alarms"`
				FalseCheckIns  int            `json:"false_checkins"`
				Categories     []safety.Share `json:"categories,omitempty"`
			}{rep.Recall, rep.Precision, rep.FalseAlarmRate, rep.CheckInRecall, rep.CheckInFalseAlarmRate, rep.People, rep.Tiers, len(rep.Misses), len(rep.FalseAlarms), len(rep.FalseCheckIns), rep.Categories})
		}}
	safe.Flags().StringVar(&train, "train", "", "learn the linear and the meaning tier from the folder DIR (crisis/*.jsonl, counsel-questions, reddit-stress)")
	safe.Flags().StringVar(&lessons, "lessons", "engine/safety/lessons", "with --train: a folder of further files, written*.jsonl, of the form of DIR/crisis; '' for none")
	safe.Flags().StringVarP(&out, "output", "o", "engine/safety", "with --train: the folder where words.bin, meaning.json and near.bin go; a build embeds them from there")
	engine := &cobra.Command{Use: "engine", Short: "Time the engine on this machine", Args: exact(0, "no arguments"),
		Long: `Time the engine on this machine: graphs of stub stages in memory and on disk. What a figure means, and how it
compares with other engines, is told by go doc ./engine/run/bench and by the ratios at the end; only ratios of
one run on one machine mean something.`,
		RunE: func(*cobra.Command, []string) error { return p.benchEngine(asJSON) }}
	sentences := &cobra.Command{Use: "encoder", Short: "Time the sentence encoder on this machine", Args: exact(0, "no arguments"),
		Long: `Time the sentence encoder on this machine. The line printed is
{one_ms, first_ms, batch_per_s, load_ms, rss_mb, process_mb, tokens_one, tokens_batch, vector}:

    one_ms       a sentence of 20 tokens on one core, median
    first_ms     the same right after loading, when no token's values are kept yet, median
    batch_per_s  sentences a second on one core, many at a time; tokens_batch is their mean length
    load_ms      until the first vector is there, with all cores
    rss_mb       what the encoder added to what the process holds in memory; 0 where the system does not tell
    process_mb   all that the process holds then, the window's libraries included
    vector       whether this processor's vector instructions are used`,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.benchEncoder(cmd.Context(), asJSON) }}
	turns := &cobra.Command{Use: "turn", Short: "Time whole turns with the model on this machine", Args: exact(0, "no arguments"),
		Long: `Time a conversation of four turns on the sample clinic with the model that is chosen (or --model), and the
replies' prompts once more as bare chats. The data folder stays as it is. A line for each turn:
{turn, calls, light_calls, sent, evaluated, written, first_token_ms, wall_ms, bare_wall_ms, status}

    sent        tokens of all prompts that were asked
    evaluated   tokens that the model had to read; where the server does not tell (estimated) what one with two slots reads
    written     tokens of all answers
    bare_wall_ms  the same prompts of the replies, asked without all that is around them`,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.benchTurn(cmd.Context(), asJSON) }}
	models := &cobra.Command{Use: "model", Short: "Time a model on this machine", Args: exact(0, "no arguments"),
		Long: `Time the main model, or the one that --model names, on this machine: prompts of which nothing is kept from
before, and the text after each; medians of some rounds. Progress is on standard error. With --json the line is
{model, quantization, server, level, cores, rounds, prompt_per_s, text_per_s, prompt_tokens, text_tokens}:

    prompt_per_s  tokens that are read in a second, text_per_s tokens that are written
    level         the processor's instructions that our own server computes with: avx512 (with VNNI), avxvnni, avx2,
                  or base, which every processor has; the best is used that computed the right results in a process of its own.
                  HOLDPOINT_MODEL_LEVEL=base asks for a lower one; empty for a server that is not ours
    server        own, or user for an Ollama that runs beside Holdpoint`,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.benchModel(cmd.Context(), asJSON) }}
	lake := &cobra.Command{Use: "lake", Short: "Time how conversations are handed to memory", Args: exact(0, "no arguments"),
		Long: `Time how conversations are handed to memory, on a store of its own: callers hand over rows until the queue is full, then
the lake keeps them all. The line printed is {accept_p99_us, per_s, rss_mb, accept_p50_us, accept_whole_p99_us,
accept_whole_p50_us, accept_per_s, queued, callers, commits, return_p99_us, return_p50_us, return_alone_p99_us, return_alone_p50_us, commit_p99_us, commit_p50_us,
late_p99_us}:

    accept_p99_us        what a caller waits beside commits (their fsync), which it shares with the others
    accept_whole_p99_us  the same with those commits
    return_p99_us        from the end of the commit that has a row to the return of who handed it over; all of them wake at once
    return_alone_p99_us  the same for one conversation at a time: at most 1,000
    late_p99_us          how late the machine ran what waited for a time meanwhile; where that is above 1,000, it was busy with something else
    commit_p99_us        a commit, most of which is the disk's fsync
    per_s                summaries kept a second
    rss_mb               what the process holds in memory with all of them queued, where the system tells it`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if queued < 1 || callers < 1 {
				return misuse("--queued and --callers are at least 1")
			}
			return p.benchLake(cmd.Context(), queued, callers, asJSON)
		}}
	lake.Flags().IntVar(&queued, "queued", 100_000, "rows in the queue")
	lake.Flags().IntVar(&callers, "callers", 64, "how many hand over at the same time")
	var sizes string
	documents := &cobra.Command{Use: "library DIR", Short: "Measure the library: import, search, and what is found", Args: exact(1, "one folder"),
		Long: `Measure the library in a store of its own. DIR holds documents and questions.jsonl, lines of {question, source}, where
source is a file's name or a document's id, or a list of which any counts; without that file, the questions of PubMedQA's
ori_pqal.json or the claims of HealthVer's table are taken. A line {name, value} for each figure:

    passages, import_per_s    of DIR, the encoder's vectors included where there is one
    recall1_*, recall5_*      share of questions whose document is the first, or among the first five, by words, meaning, both
    mrr_*                     mean of one divided by its rank
    *_p50_ms, *_p95_ms        a question, its own vector not counted
    words_index_mb, meaning_index_mb, file_mb, rss_mb

Then the library is filled with texts made of the same sentences, and the figures of speed come again with _1000, _50000
and _200000 behind their names; that takes some minutes. --sizes chooses others, "" none.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.benchLibrary(cmd.Context(), args[0], sizes, asJSON)
		}}
	documents.Flags().StringVar(&sizes, "sizes", "1000,50000,200000", "numbers of passages to fill the library up to")
	var cases int
	judges := &cobra.Command{Use: "judge FILE", Short: "Measure how well a model judges evidence", Args: exact(1, "one table"),
		Long: `Measure how well the main model (or --model) says what a passage says about a claim, with the question that the agent
{weighs} puts and by its rules: a verdict without a sentence of the passage counts as neutral. FILE is a table (CSV) with the columns
evidence, claim and label (Supports, Refutes, Neutral), as HealthVer is published. Compare models before you trust one.

With --json the line is {model, digest, cases, right, accuracy, accuracy_said, accuracy_most_frequent, useless, unfounded,
recall: {supports, contradicts, neutral}}.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.benchJudge(cmd.Context(), args[0], cases, asJSON)
		}}
	judges.Flags().IntVar(&cases, "limit", 200, "rows, taken at even distances (0: all)")
	g := group("bench", "Measure safety, speed and what agents compute", safe, engine, sentences, turns, models, lake, documents, judges)
	g.Long = `Measure safety, speed and what agents compute.

"holdpoint bench AGENT FILE" holds what an agent computes against a file of worked examples, e.g. bench {vectors} vectors.json: a
line {id, ok, expected, got} for each case, then {cases, ok} with what the gate costs: bare_call_us, gate_call_us, rules_100_us
and skills_10_us, microseconds of a tool's call without and with the gate, of a hundred rules, of loading ten skills; exit status 1 when a case does not hold. What is expected must all
be in what came out, distances within the file's tolerance_ft; texts for people (reason, must_not, note) are not compared, what
they must name is. A table that the examples name is looked for beside the file, then among the imported records.`
	bare := g.RunE
	g.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 2 {
			return p.benchVectors(cmd.Context(), args[0], args[1])
		}
		return bare(cmd, args)
	}
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

// benchVectors holds an agent against worked examples.
func (p *program) benchVectors(ctx context.Context, id, file string) error {
	r, err := p.registry()
	if err != nil {
		return err
	}
	cases, err := r.Vectors(ctx, id, file, func(fn func(record.Tx) error) error {
		return p.with(func(a *app.App) error { return a.Store.ViewRecords(fn) })
	})
	if err != nil {
		return err
	}
	good := 0
	for _, c := range cases {
		if c.OK {
			good++
		} else {
			p.say("%s does not hold", c.ID)
		}
		if err := p.line(c); err != nil {
			return err
		}
	}
	p.say("%d of %d cases hold", good, len(cases))
	costs, err := costsOfTheGate(ctx)
	if err != nil {
		return err
	}
	p.say("a bare tool call takes %.2f µs, through the gate %.1f µs; a hundred rules take %.1f µs, loading ten skills %.0f µs", costs.Bare, costs.Gate, costs.Rules, costs.Skills)
	if err := p.line(struct {
		Cases int `json:"cases"`
		OK    int `json:"ok"`
		gateCosts
	}{len(cases), good, costs}); err != nil {
		return err
	}
	if good < len(cases) {
		return exit(ExitFailed)
	}
	return nil
}

// trainSafety learns the linear and the meaning tier and says what a cross-validation found.
func (p *program) trainSafety(ctx context.Context, dir, lessons, out string) error {
	e, err := p.sentences()
	if err != nil {
		return err
	}
	if e == nil {
		p.say("no sentence encoder is at hand: only the linear tier learns (holdpoint encoder --help)")
	}
	t, err := safety.Train(ctx, dir, lessons, e, func(step string) { p.say("%s", step) })
	if err != nil {
		return err
	}
	rep := t.Report
	p.say("shares of people whom the tiers had not seen; [rules as they are, which know these files]")
	p.say("%-6s %-18s %6s  %-13s %-11s %-11s  %-13s %-13s", "", "", word("people"), word("rules"), word("words"), word("meaning"), word("rules+words"), word("with meaning"))
	for _, s := range rep.Shares {
		label := safety.LabelNone
		if s.Crisis {
			label = safety.LabelCrisis
		}
		p.say("%-6s %-18s %6d  %.3f [%.3f] %.3f/%.3f %.3f/%.3f  %.3f/%.3f   %.3f/%.3f", label, s.Origin, s.People, s.Rules, s.KnownRules, s.WordsAlone, s.Words,
			s.MeaningAlone, s.Meaning, s.WithoutInterventions, s.WithoutEither, s.Interventions, s.Either)
	}
	p.say("pairs: interventions, then either level")
	bodies := map[string][]byte{"words.bin": t.Linear.Bytes()}
	if t.Head != nil {
		if bodies["meaning.json"], err = t.Head.Bytes(); err != nil {
			return err
		}
		if t.Head.Near != nil {
			bodies["near.bin"] = t.Head.Near.Bytes()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		if err := os.WriteFile(filepath.Join(out, name), bodies[name], 0o644); err != nil {
			return err
		}
		p.say("%d bytes written to %s", len(bodies[name]), filepath.Join(out, name))
	}
	return p.line(rep)
}

// sentences is the sentence encoder of the program or of the data folder; nil without one.
func (p *program) sentences() (encoder.Encoder, error) {
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	e := encoder.New(encoder.Options{File: filepath.Join(dir, app.EncoderFile)})
	if _, err := e.Header(); errors.Is(err, encoder.ErrMissing) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return e, nil
}

func (p *program) benchEngine(asJSON bool) (err error) {
	dir, err := os.MkdirTemp("", "holdpoint-bench-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	all, err := measure(engineBenchmarks(dir), p.say)
	if err != nil {
		return err
	}
	figures := map[string]timing{}
	for _, r := range all {
		figures[r.Name] = r
		if asJSON {
			if err := p.line(r); err != nil {
				return err
			}
			continue
		}
		more := ""
		if r.Commits > 0 {
			more = p.language().Say(" %3d commits", r.Commits)
		}
		if r.FileBytes > 0 {
			more = p.language().Say(" %.1f MB of file", float64(r.FileBytes)/1e6)
		}
		p.say("%-16s %12.2f µs %8d allocations%s", r.Name, float64(r.NS)/1e3, r.Allocs, more)
	}
	if asJSON {
		return nil
	}
	p.say("")
	for _, r := range ratios {
		p.say("%-70s %6.3f  (at most %.3g)", word(r.what), float64(figures[r.of].NS)/(float64(figures[r.to].NS)*r.times), r.most)
	}
	p.say("%-70s %6d  (under 40)", word("5 stages in memory with the journal, allocations"), figures["chain5_journal"].Allocs)
	for _, n := range []int{100, 1000} {
		p.say("%-70s %6.2f  (at most 0.7)", p.language().Say("fan-out %d in memory, µs a branch", n), float64(figures[fmt.Sprintf("fanout%d", n)].NS)/1e3/float64(n))
	}
	p.say("%-70s %6.1f  (at most 100)", word("10,000 runs at once, ms"), float64(figures["runs10000"].NS)/1e6)
	p.say("%-70s %6.1f  (at most 60)", word("10,000 runs at once, MB held"), float64(figures["runs10000"].MemBytes)/1e6)
	p.say("%-70s %6.1f  (under 3)", word("500 steps beside 1 MB that does not change, MB of file"), float64(figures["state1mb_500"].FileBytes)/1e6)
	return nil
}

// inWords are the shares by the words that screens use for a danger: those of intent, plan and means are one, suicide.
func inWords(shares []safety.Share) (out []safety.Share) {
	for _, s := range shares {
		s.Category = safety.Category(s.Category).Word()
		i := slices.IndexFunc(out, func(o safety.Share) bool { return o.Category == s.Category && o.Label == s.Label })
		if i < 0 {
			out = append(out, s)
			continue
		}
		out[i].People += s.People
		out[i].Interventions += s.Interventions
		out[i].CheckIns += s.CheckIns
	}
	return out
}
