package model

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// practiceContext is the context that the practice model says it has, in tokens.
const practiceContext = 8192

// Practice is a scripted model: it looks for words in the person's message, calls
// tools in a fixed order and fills formats from the schema. The same request always
// gives the same answer. It lets people try the whole engine without a model.
type Practice struct {
	// Pace is waited for before each word of a reply; nil is none. It returns an
	// error when ctx ends.
	Pace func(ctx context.Context) error
}

// Info implements Model.
func (p *Practice) Info(context.Context) (Info, error) {
	return Info{Name: "practice", Context: practiceContext, Tools: true, Practice: true}, nil
}

// Chat implements Model. Token counts are words.
func (p *Practice) Chat(ctx context.Context, r Request, onText func(string)) (Response, error) {
	answer := Response{Message: Message{Role: "assistant"}}
	if err := ctx.Err(); err != nil {
		return answer, fmt.Errorf("model: practice: %w", err)
	}
	if len(r.Tools) > 0 && r.Format != nil {
		return answer, fmt.Errorf("%w: tools and a format exclude each other", ErrRequest)
	}
	for _, m := range r.Messages {
		answer.Usage.PromptTokens += len(strings.Fields(m.Text))
	}
	answer.Usage.Evaluated = new(answer.Usage.PromptTokens)
	t := presentTurn(r)
	var text string
	if r.Format != nil {
		filled, err := fillFormat(r.Format, t)
		if err != nil {
			return answer, err
		}
		text = string(filled)
	} else {
		call, reply, err := t.next()
		if err != nil {
			return answer, err
		}
		if call != nil {
			answer.Message.Calls = []Call{*call}
			answer.Usage.OutputTokens = 1 + len(strings.Fields(string(call.Arguments)))
			return answer, nil
		}
		text = reply
	}
	limit := r.MaxTokens
	if limit <= 0 {
		limit = defaultMaxTokens
	}
	for word := range strings.SplitAfterSeq(text, " ") {
		if err := p.wait(ctx); err != nil {
			return answer, fmt.Errorf("model: practice: %w", err)
		}
		if answer.Usage.OutputTokens == limit && r.Format == nil {
			answer.Cut = true
			break
		}
		answer.Usage.OutputTokens++
		answer.Message.Text += word
		if onText != nil {
			onText(word)
		}
	}
	return answer, nil
}

func (p *Practice) wait(ctx context.Context) error {
	if p.Pace != nil {
		if err := p.Pace(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// step is a call of the present turn with its result.
type step struct {
	tool   string
	result any
	raw    string
}

// turn is what the practice model reads from a request.
type turn struct {
	tools  []Tool
	said   string // by the person, last
	item   string // of a list, that the question is about
	text   string // of all messages
	system string
	steps  []step
	calls  int // in the whole conversation, for ids
}

// presentTurn finds the person's last message and what was called since.
func presentTurn(r Request) turn {
	t := turn{tools: r.Tools}
	for _, m := range r.Messages {
		t.text += m.Text + "\n"
		switch m.Role {
		case "system":
			t.system += m.Text + "\n"
		case "user":
			if ofGraph(m.Text) && t.said != "" {
				continue
			}
			t.said, t.steps = asked(lastPerson(m.Text)), nil
			if of := itemTag.FindStringSubmatch(m.Text); of != nil {
				t.item = strings.TrimSpace(of[1])
			}
		case "assistant":
			t.calls += len(m.Calls)
		case "tool":
			s := step{tool: m.Tool, raw: m.Text}
			// A result that isn't JSON has no fields; its text is still told.
			if json.Unmarshal([]byte(m.Text), &s.result) != nil {
				s.result = nil
			}
			t.steps = append(t.steps, s)
		}
	}
	return t
}

// lastPerson takes the person's last line out of a transcript; other texts stay whole.
func lastPerson(text string) string {
	if i := strings.LastIndex("\n"+text, "\nPERSON: "); i >= 0 {
		text, _, _ = strings.Cut(text[i+len("PERSON: "):], "\nNAVIGATOR: ")
	}
	return strings.TrimSpace(text)
}

var wishes = []struct {
	name  string
	words *regexp.Regexp
	steps []string
}{
	{"cancel", regexp.MustCompile(`(?i)\bcancel`), []string{"patient_summary", "cancel_appointment"}},
	{"note", regexp.MustCompile(`(?i)\b(add|write|make|leave|take|put)\b.*\bnotes?\b|\bcare note\b|\bwrite (this |that |it )?down\b|\bnote (that|down)\b`), []string{"add_care_note"}},
	{"book", regexp.MustCompile(`(?i)\b(book|schedule|reserve|arrange|set up)\b|\b(make|get|need|want|have) (an |the )?appointment\b|\bappointment with\b`), []string{"find_providers", "provider_availability", "book_appointment"}},
	{"availability", regexp.MustCompile(`(?i)\bavailab|\bopen(ings?| slots?)\b|\bfree (time|slot)|\bslots?\b|\bwhen can\b`), []string{"find_providers", "provider_availability"}},
	{"find_provider", regexp.MustCompile(`(?i)\b(find|looking for|recommend|refer)\b|\b(see|talk to|speak to|speak with|need) (a|an|someone|somebody)\b|\b(therapist|psycholog|psychiatr|counsel|specialist|provider|clinician)`), []string{"find_providers"}},
	{"search", regexp.MustCompile(`(?i)\b(search|look) .*\bnotes?\b|\bnotes? (about|on|say)\b`), []string{"search_notes"}},
	{"question", regexp.MustCompile(`(?i)\b(summary|summari|medication|medicine|allerg|conditions?|diagnos|history|record|upcoming)`), []string{"patient_summary"}},
	{"sum", sumInWords, []string{"calculator"}},
}

// wish says what a message asks for; "" is nothing known.
func wish(said string) (name string, steps []string) {
	for _, w := range wishes {
		if w.words.MatchString(said) {
			return w.name, w.steps
		}
	}
	return "", nil
}

// next decides on a call or on a reply.
func (t turn) next() (*Call, string, error) {
	if n := len(t.steps); n > 0 {
		if reply := t.refusal(t.steps[n-1]); reply != "" {
			return nil, reply, nil
		}
	}
	_, plan := wish(t.said)
	for _, name := range plan {
		made := t.made(name)
		if made > 0 && !t.tryAnother(name, plan, made) {
			continue
		}
		tool, ok := t.offered(name)
		if !ok {
			break
		}
		values, missing := t.values(name, made)
		if missing != "" {
			return nil, missing + practiceNote, nil
		}
		arguments, err := argumentsFor(tool, values, t.said)
		if err != nil {
			return nil, "", err
		}
		return &Call{ID: fmt.Sprintf("practice-%d", t.calls+1), Tool: name, Arguments: arguments}, "", nil
	}
	return nil, t.reply(), nil
}

func (t turn) offered(name string) (Tool, bool) {
	i := slices.IndexFunc(t.tools, func(o Tool) bool { return o.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return t.tools[i], true
}

func (t turn) made(name string) (n int) {
	for _, s := range t.steps {
		if s.tool == name {
			n++
		}
	}
	return n
}

// tryAnother says whether the next provider's slots are asked for because the last
// one has none; three are tried.
func (t turn) tryAnother(name string, plan []string, made int) bool {
	return name == "provider_availability" && slices.Contains(plan, "book_appointment") && t.made("book_appointment") == 0 &&
		made < min(3, len(t.list("find_providers", "providers", "ranked"))) && len(t.list(name, "slots")) == 0
}

// values are the arguments that the plan knows for a tool, by property; missing
// says in words what it lacks.
func (t turn) values(name string, made int) (values map[string]any, missing string) {
	topic := topicOf(t.said)
	values = map[string]any{"query": topic, "need": topic, "reason": firstChars(topic, 200), "text": noteOf(t.said), "expression": firstChars(sumIn(t.said), 200)}
	switch name {
	case "provider_availability", "book_appointment":
		providers := t.list("find_providers", "providers", "ranked")
		at := made
		if name == "book_appointment" {
			at = t.made("provider_availability") - 1
		}
		if at < 0 || at >= len(providers) {
			return nil, "I found no provider who fits, so nothing was proposed."
		}
		values["provider"], values["provider_id"] = field(providers[at], "id"), field(providers[at], "id")
		if name == "book_appointment" {
			slots := t.list("provider_availability", "slots")
			if len(slots) == 0 {
				return nil, "I found no open slot with the providers who fit, so nothing was proposed. Shall I look further ahead?"
			}
			values["start"], values["end"] = field(slots[0], "start"), field(slots[0], "end")
		}
	case "cancel_appointment":
		booked := t.list("patient_summary", "upcoming_appointments", "appointments")
		if len(booked) == 0 {
			return nil, "I see no upcoming appointment, so there is nothing to cancel."
		}
		values["appointment"], values["appointment_id"] = field(booked[0], "id"), field(booked[0], "id")
	}
	return values, ""
}

// list finds an array by one of its names in the newest result of a tool.
func (t turn) list(tool string, names ...string) []any {
	for _, s := range slices.Backward(t.steps) {
		if s.tool != tool {
			continue
		}
		for _, name := range names {
			if list, ok := find(s.result, name).([]any); ok {
				return list
			}
		}
		return nil
	}
	return nil
}

// find looks for a field by name: here first, then inside, names in order.
func find(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		if found, ok := v[name]; ok {
			return found
		}
		for _, key := range sortedKeys(v) {
			if found := find(v[key], name); found != nil {
				return found
			}
		}
	case []any:
		for _, inner := range v {
			if found := find(inner, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// field is a text field of an object, "" when there is none.
func field(v any, name string) string {
	if m, ok := v.(map[string]any); ok {
		if s, ok := m[name].(string); ok {
			return s
		}
	}
	return ""
}

var askedFor = regexp.MustCompile(`(?i)\b(?:about|for|with|who (?:helps|specialises|specializes)(?: in| with)?|because of|regarding)\s+([^.!?\n]+)`)

// topicOf takes the need out of a message: what follows "about", "for" or "with",
// else the message.
func topicOf(said string) string {
	if m := askedFor.FindStringSubmatch(said); m != nil {
		return firstChars(strings.TrimSpace(m[1]), 200)
	}
	return firstChars(strings.TrimSpace(said), 200)
}

var noteLead = regexp.MustCompile(`(?is)^.*?\b(?:notes?|down)\b(?: (?:that|saying|about))?\s*[:,-]?\s*(.+)$`)

// noteOf takes a note's text out of the wish to write it.
func noteOf(said string) string {
	if m := noteLead.FindStringSubmatch(said); m != nil {
		return firstChars(strings.TrimSpace(m[1]), 2000)
	}
	return firstChars(said, 2000)
}

// firstChars cuts a text to at most n characters.
func firstChars(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return strings.TrimSpace(string(runes[:n]))
	}
	return s
}

// Steady is a pace of one word each d, for people to see the words arrive.
func Steady(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		}
	}
}
