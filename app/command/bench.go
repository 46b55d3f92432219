package command

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"holdpoint/engine/safety"
)

func (p *program) bench() *cobra.Command {
	var asJSON bool
	safe := &cobra.Command{Use: "safety FILE", Short: "Measure the safety rules on labelled messages",
		Long: `Measure the safety rules on labelled messages. FILE is NDJSON of {id, text, label}: text is one message or a
list of one person's messages (an alarm on any is an alarm for the person), label is crisis or none. The last
line printed is {recall, precision, false_alarm_rate, people}; before it come the misses.`,
		Args: exact(1, "one file"),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			rep, err := safety.Bench(f)
			if closeErr := f.Close(); err == nil {
				err = closeErr
			}
			if err != nil {
				return err
			}
			for _, m := range rep.Misses {
				if err := p.line(struct {
					Miss safety.Miss `json:"miss"`
				}{m}); err != nil {
					return err
				}
			}
			p.say("recall %.3f, precision %.3f, false alarms %.3f, %d people", rep.Recall, rep.Precision, rep.FalseAlarmRate, rep.People)
			return p.line(struct {
				Recall         float64 `json:"recall"`
				Precision      float64 `json:"precision"`
				FalseAlarmRate float64 `json:"false_alarm_rate"`
				People         int     `json:"people"`
				Misses         int     `json:"misses"`
				FalseAlarms    int     `json:"false_alarms"`
			}{rep.Recall, rep.Precision, rep.FalseAlarmRate, rep.People, len(rep.Misses), len(rep.FalseAlarms)})
		}}
	engine := &cobra.Command{Use: "engine", Short: "Time the engine on this machine", Args: exact(0, "no arguments"),
		Long: `Time the engine on this machine: graphs of stub stages in memory and on disk. What a figure means, and how it
compares with other engines, is told by go doc ./engine/run/bench and by the ratios at the end; only ratios of
one run on one machine mean something.`,
		RunE: func(*cobra.Command, []string) error { return p.benchEngine(asJSON) }}
	sentences := &cobra.Command{Use: "encoder", Short: "Time the sentence encoder on this machine", Args: exact(0, "no arguments"),
		Long: `Time the sentence encoder on this machine. The line printed is
{one_ms, first_ms, batch_per_s, load_ms, rss_mb, tokens_one, tokens_batch, vector}:

    one_ms       a sentence of 20 tokens on one core, median
    first_ms     the same right after loading, when no token's values are kept yet, median
    batch_per_s  sentences a second on one core, many at a time; tokens_batch is their mean length
    load_ms      until the first vector is there, with all cores
    rss_mb       what the whole process holds in memory then, where the system tells it
    vector       whether this processor's vector instructions are used`,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.benchEncoder(cmd.Context(), asJSON) }}
	g := group("bench", "Measure safety and speed", safe, engine, sentences)
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
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
			more = fmt.Sprintf(" %3d commits", r.Commits)
		}
		if r.FileBytes > 0 {
			more = fmt.Sprintf(" %.1f MB of file", float64(r.FileBytes)/1e6)
		}
		p.say("%-16s %12.2f µs %8d allocations%s", r.Name, float64(r.NS)/1e3, r.Allocs, more)
	}
	if asJSON {
		return nil
	}
	p.say("")
	for _, r := range ratios {
		p.say("%-70s %6.3f  (at most %.3g)", r.what, float64(figures[r.of].NS)/(float64(figures[r.to].NS)*r.times), r.most)
	}
	p.say("%-70s %6d  (under 40)", "5 stages in memory with the journal, allocations", figures["chain5_journal"].Allocs)
	for _, n := range []int{100, 1000} {
		p.say("%-70s %6.2f  (at most 0.7)", fmt.Sprintf("fan-out %d in memory, µs a branch", n), float64(figures[fmt.Sprintf("fanout%d", n)].NS)/1e3/float64(n))
	}
	p.say("%-70s %6.1f  (at most 100)", "10,000 runs at once, ms", float64(figures["runs10000"].NS)/1e6)
	p.say("%-70s %6.1f  (at most 60)", "10,000 runs at once, MB held", float64(figures["runs10000"].MemBytes)/1e6)
	p.say("%-70s %6.1f  (under 3)", "500 steps beside 1 MB that does not change, MB of file", float64(figures["state1mb_500"].FileBytes)/1e6)
	return nil
}
