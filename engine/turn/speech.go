package turn

import (
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
)

// Speech is a message that the person watches being written. It begins with its first
// words, or with Begin.
type Speech struct {
	Task *graph.Task
	// ID names the message.
	ID string
	// Info is the model that speaks.
	Info model.Info
	// Hidden shows nothing before the message is complete: what may still be changed is
	// not for the person yet.
	Hidden bool
	// Before stands in the message before the model's words.
	Before string
	// Through makes the writer that the model's words go through on their way to write;
	// nil is PlainWriter.
	Through func(write func(string)) func(string)
	// Clean is what of an unfinished text the person may see; nil is Plain.
	Clean func(text string) string
	// Data adds to what the journal says about the message; nil adds nothing.
	Data func(*journal.MessageData)

	stream graph.Stream
	// waits is what a very small model wrote so far while it may be no answer; passed says that it is one.
	waits  string
	passed bool
	// streams says that words are shown while they are written, said which were.
	streams bool
	said    string
}

func (s *Speech) onText() func(string) {
	switch {
	case s.Hidden, MayHold(s.Task):
		return nil
	}
	s.streams, s.waits, s.passed = true, "", !s.Info.Weak()
	if s.Through != nil {
		return s.Through(s.first)
	}
	return PlainWriter(s.first)
}

// first shows nothing of a very small model before a sentence of some words is an answer: it often
// recites its instructions, and who reads along would take them for one.
func (s *Speech) first(text string) {
	if !s.passed {
		s.waits += text
		at := endOfSentence.FindAllStringIndex(s.waits, -1)
		if at == nil {
			return
		}
		end := at[len(at)-1][1]
		if len(strings.Fields(s.waits[:end])) <= fewLeft || s.clean(s.waits[:end]) == "" {
			return
		}
		text, s.passed = s.waits, true
	}
	s.write(text)
}

// rest shows what of a whole text waited until it was known to be for people.
func (s *Speech) rest(text string) {
	if s == nil || !s.streams {
		return
	}
	if rest, ok := strings.CutPrefix(s.clean(text), strings.TrimLeft(s.said, " \t\r\n")); ok {
		s.write(rest)
	}
}

func (s *Speech) write(text string) {
	if text == "" {
		return
	}
	if s.stream == nil {
		s.Begin()
		if s.Before != "" {
			s.stream.Write(s.Before + "\n\n")
		}
	}
	s.said += text
	s.stream.Write(text)
}

// Begin shows that a message is on its way before there are words of it.
func (s *Speech) Begin() {
	if s.stream = s.Task.Stream(s.ID); s.Info.Weak() {
		s.stream.Weak()
	}
}

func (s *Speech) began() bool { return s != nil && s.stream != nil }

func (s *Speech) clean(text string) string {
	if s.Clean == nil {
		return Plain(text)
	}
	return s.Clean(text)
}

// anew begins again with other words once the first ones were no answer.
func (s *Speech) anew() {
	if s != nil && s.said != "" {
		s.stream, s.said = nil, ""
	}
}

func (s *Speech) close() {
	if s.began() {
		s.stream.Close()
	}
}

// Message is the event of the whole message. partial marks one that broke off, or that
// comes before calls are answered.
func (s *Speech) Message(text string, r model.Response, partial bool) journal.Event {
	data := said(s.Info, r, partial)
	if s.Data != nil {
		s.Data(&data)
	}
	return journal.Event{Message: s.ID, Text: text}.With(data)
}

// By is what the journal says of the model that wrote a message.
func By(info model.Info) *journal.ModelUsed {
	return &journal.ModelUsed{Model: info.Name, Digest: info.Digest, Context: info.Context, Practice: info.Practice, Weak: info.Weak()}
}

// said is what the journal says about a message of a model beside its text. partial
// marks one that broke off.
func said(info model.Info, r model.Response, partial bool) journal.MessageData {
	d := journal.MessageData{Role: journal.Assistant, Generation: &journal.Generation{Partial: partial, PromptTokens: r.Usage.PromptTokens,
		OutputTokens: r.Usage.OutputTokens, ContextUsed: r.Usage.PromptTokens + r.Usage.OutputTokens}}
	if s := r.Usage.OutputTime.Seconds(); s > 0 {
		d.TokensPerSecond = float64(int(float64(r.Usage.OutputTokens)/s*10)) / 10
	}
	if info.Name != "" {
		d.ModelUsed = By(info)
	}
	return d
}
