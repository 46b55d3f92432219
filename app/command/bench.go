package command

import (
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
		RunE: func(*cobra.Command, []string) error {
			for _, b := range engineBenchmarks() {
				r, err := b.run()
				if err != nil {
					return fmt.Errorf("bench %s: %w", b.name, err)
				}
				if asJSON {
					err = p.line(r)
				} else {
					p.say("%-16s %12.2f µs %8d allocations", r.Name, float64(r.NS)/1e3, r.Allocs)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}}
	g := group("bench", "Measure safety and speed", safe, engine)
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}
