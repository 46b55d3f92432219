package command

import (
	"fmt"
	"strings"
	"time"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/journal"
	"holdpoint/engine/visible"
)

// printer shows each stored event once, in order.
type printer struct {
	p       *program
	a       *app.App
	session string
	json    bool
	after   uint64
	stream  string // the message that streams
	stage   journal.StageID
	shown   string         // what of that message was printed while it was written
	held    string         // of the line that streams, what is not printed yet
	said    string         // the last whole message
	open    bool           // a line of standard output is begun
	over    bool           // and nothing was told beside it since
	last    *journal.Event // the end of the turn, held back until its report is there
	waits   wait
	err     error
}

// wait is since when a model that was asked sent nothing, and for how long that was told.
type wait struct {
	since time.Time
	told  time.Duration
}

// firstWait is after how long a person who watches is told that nothing came, and nextWait how much longer for the next
// time.
const (
	firstWait = 10 * time.Second
	nextWait  = 30 * time.Second
)

// hear notes when a model was asked, and that something came.
func (pr *printer) hear(e journal.Event) {
	if e.Kind != journal.ModelReading {
		if e.Kind == journal.Token || e.Kind == journal.ModelCalled || e.Kind == journal.StageFailed {
			pr.waits = wait{}
		}
		return
	}
	if d, err := journal.Read[journal.ModelReadingData](e); err == nil && !d.Begun {
		if pr.waits.since.IsZero() || d.Tokens > 0 {
			pr.waits = wait{since: e.At}
		}
	} else {
		pr.waits = wait{}
	}
}

// tick says that nothing came for some time.
func (pr *printer) tick(now time.Time) {
	w := &pr.waits
	next := firstWait
	if w.told > 0 {
		next = w.told + nextWait
	}
	if waited := now.Sub(w.since); !pr.json && !w.since.IsZero() && waited >= next {
		w.told = waited
		pr.say("  %-16s %s", word("waiting"), pr.p.language().Say("for the model server since %s: nothing came for %d s", w.since.Local().Format("15:04:05"), int(waited.Seconds())))
	}
}

func (pr *printer) show(e journal.Event) {
	pr.hear(e)
	if e.Seq == 0 {
		if !pr.json && e.Kind == journal.Token {
			if pr.stream != e.Message {
				pr.stream, pr.stage, pr.shown = e.Message, e.Stage, ""
			}
			pr.shown += e.Text
			pr.write(e.Text)
		}
		return
	}
	if e.Seq != pr.after+1 {
		return // a gap: read from the journal at the end
	}
	pr.print(e)
}

// titles are what a person calls the tools.
func (pr *printer) titles() map[string]string {
	if pr.a == nil {
		return nil
	}
	return pr.a.ToolTitles()
}

func (pr *printer) print(e journal.Event) {
	pr.after = e.Seq
	if pr.json {
		if err := pr.finish(nil); err != nil && pr.err == nil {
			pr.err = err
		}
		if ends(e.Kind) {
			pr.last = &e
			return
		}
		if err := pr.p.line(e); err != nil && pr.err == nil {
			pr.err = err
		}
		return
	}
	switch e.Kind {
	case journal.StageStarted, journal.StageCompleted, journal.StageSkipped, journal.StageFailed:
		if e.Stage == pr.stage && e.Kind != journal.StageStarted {
			pr.end()
		}
		pr.say("  %-16s %s %s", word(strings.TrimPrefix(string(e.Kind), "stage_")), e.Stage, visible.Short(pr.why(e), lineRoom))
	case journal.Transition:
		pr.say("  %-16s %s → %s by %s%s", word("next"), e.From, e.To, pr.p.language().Named(e.Resolver), because(pr.p.language(), e.Condition, app.WayReason(pr.p.language(), e.Resolver, e.Reason)))
	case journal.ToolSkipped, journal.ToolRefused, journal.ToolFailed:
		pr.say("  %-16s %s: %s", word(e.Kind), e.Tool, visible.Short(pr.why(e), lineRoom))
	case journal.SafetyChecked:
		if _, text := app.EventWords(pr.p.language(), e); text != "" {
			pr.say("  %-16s %s", word("safety"), visible.Short(text, 2*lineRoom))
		}
	case journal.Message:
		pr.said = e.Text
		whole := pr.whole(e)
		switch rest, on := strings.CutPrefix(whole, strings.TrimSpace(pr.shown)); {
		case pr.stream != e.Message:
			pr.p.tell("%s", paragraph(whole))
		case on:
			pr.write(strings.TrimRight(rest, " \n"))
			pr.end()
		case strings.HasPrefix(pr.shown, strings.TrimSpace(whole)):
			pr.end()
		default: // it was put in other words once it was whole
			pr.write("\n\n")
			pr.p.tell("%s", paragraph(whole))
		}
		for _, lacking := range app.Lacking(pr.p.language(), pr.titles(), e) {
			pr.say("%s", lacking)
		}
	case journal.TurnCompleted:
		// A reply that no model wrote comes with the end of the turn only.
		if e.Text != "" && e.Text != pr.said && !strings.HasPrefix(pr.said, strings.TrimSuffix(e.Text, "…")) {
			pr.p.tell("%s", paragraph(e.Text))
		}
	default:
		if untold[e.Kind] {
			return
		}
		label, text := app.EventWords(pr.p.language(), e)
		if text == "" {
			label, text = app.KindWords(pr.p.language(), e)
		}
		pr.say("  %-16s %s", strings.ToLower(label), visible.Short(text, 2*lineRoom))
	}
}

// untold are the kinds of which a person who watches reads nothing: they are told once the
// turn ends or waits, or by others. Any other kind is shown, by its name where it has no words.
var untold = map[journal.Kind]bool{
	journal.TurnStarted: true, journal.TurnResumed: true, journal.TurnPaused: true, journal.TurnFailed: true, journal.TurnCancelled: true, journal.TurnLimited: true,
	journal.StagePaused: true, journal.StageOutput: true, journal.Observed: true, journal.CheckpointSaved: true, journal.PhaseStarted: true, journal.PhaseCompleted: true,
	journal.ToolStarted: true, journal.ToolCompleted: true, journal.AssemblyFailed: true, journal.MemoryUpdated: true, journal.ModelCalled: true, journal.MessageStarted: true,
	journal.SkillLoaded: true, journal.Span: true, journal.ApprovalRequested: true, journal.ApprovalDecided: true, journal.ApprovalRefused: true, journal.ApprovalReminded: true,
	journal.ApprovalEscalated: true, journal.ApprovalDelegated: true, journal.MutationCommitted: true, journal.EvidenceAdded: true, journal.EvidenceJudged: true,
}

// whole is the text of a message, also where the event has only the beginning of it.
func (pr *printer) whole(e journal.Event) string {
	if d, err := journal.Read[journal.MessageData](e); err == nil && d.FullText != nil {
		if body, err := pr.a.Blob(d.FullText.Name); err == nil {
			return string(body)
		}
	}
	return e.Text
}

// write prints a piece of a message that streams. What may be part of something longer
// waits for the end of its line: whether a letter imitates another is said by its words.
func (pr *printer) write(piece string) {
	pr.held += piece
	ready := strings.LastIndexByte(pr.held, '\n') + 1
	if rest := pr.held[ready:]; !strings.ContainsFunc(rest, func(r rune) bool { return r >= 0x7f }) || len(rest) > heldRoom {
		ready = len(pr.held)
	}
	pr.flush(ready)
}

func (pr *printer) flush(n int) {
	if n == 0 {
		return
	}
	fmt.Fprint(pr.p.out, visible.Text(pr.held[:n]))
	pr.open = pr.held[n-1] != '\n'
	pr.over, pr.held = pr.open, pr.held[n:]
}

// end ends the line that streams: its stage, or the message, is done.
func (pr *printer) end() {
	pr.flush(len(pr.held))
	if pr.open {
		fmt.Fprintln(pr.p.out)
	}
	pr.open, pr.over = false, false
}

// say is what is told beside the message. It begins a line of its own where both are read, and
// leaves what was asked for as it was written.
func (pr *printer) say(format string, args ...any) {
	if pr.over {
		fmt.Fprintln(pr.p.err)
		pr.over = false
	}
	pr.p.say(format, args...)
}

// heldRoom is how much of a line waits for its end, in bytes.
const heldRoom = 2000

// lineRoom is how much of a reason or an error stands on a line, in characters.
const lineRoom = 200

// because words a condition and a reason, as far as there are any.
func because(g tongue.Tongue, condition, reason string) string {
	reason = visible.Short(reason, lineRoom)
	switch {
	case condition != "" && reason != "":
		return " (" + condition + ")" + g.Say(": ") + reason
	case condition != "":
		return " (" + condition + ")"
	case reason != "":
		return g.Say(": ") + reason
	}
	return ""
}

func (pr *printer) rest() error {
	for {
		events, _, err := pr.a.Journal(pr.session, pr.after, 1000)
		if err != nil || len(events) == 0 {
			if pr.err != nil {
				return pr.err
			}
			return nil // a session without events has none to show
		}
		for _, e := range events {
			pr.print(e)
		}
	}
}

// why is the reason and the error of an event, in the language.
func (pr *printer) why(e journal.Event) string {
	why := pr.p.told(e.Reason) + pr.p.failed(e.Error)
	if e.Kind == journal.ToolRefused {
		why = pr.p.failed(e.Reason)
	}
	if e.Kind == journal.StageCompleted && e.Status == string(journal.Cached) {
		why = strings.TrimSpace(pr.p.language().Say("from the cache") + " " + why)
	}
	return why
}
