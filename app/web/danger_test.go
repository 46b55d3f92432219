package web_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
)

// "I wrote that I would die tonight, and it asked me to answer its questions first."
func TestCompanion_HelpComesBeforeTheQuestionsThatAreOpen(t *testing.T) {
	w := open(t)
	done[app.MessageFinding](w, "check_message", map[string]any{"text": "Hello"}) // the encoder is read
	set := func(region string) {
		t.Helper()
		done[struct{}](w, "set_setting", map[string]any{"key": "region", "value": region})
	}
	for _, one := range []struct {
		name, text, region string
		vars               map[string]string
		level, where       string
		says               []string
		not                string
	}{
		{"nothing chosen, no region", "je vais me tuer ce soir", "", nil, "intervention", "international", []string{"Votre région n'est pas choisie"}, "3114"},
		{"a teenager of France", "je vais me tuer ce soir", "", map[string]string{"audience": "teen", "language": "fr", "region": "FR"}, "intervention", "FR", []string{"3114", "tu"}, "vous"},
		{"in the message's language", "I will kill myself tonight", "GB", map[string]string{"language": "fr"}, "intervention", "GB", []string{"116 123", "What you can do now"}, ""},
		{"in the card's, where the message has none", "suicide", "", map[string]string{"language": "fr", "region": "FR"}, "", "FR", []string{"3114"}, ""},
		{"the card's region before the settings'", "I will kill myself tonight", "GB", map[string]string{"region": "CA"}, "intervention", "CA", []string{"988"}, "116 123"},
		{"elsewhere is no country", "I will kill myself tonight", "GB", map[string]string{"region": "elsewhere"}, "intervention", "international", nil, "116 123"},
		{"who would rather not say has the settings'", "I will kill myself tonight", "GB", map[string]string{"region": "rather_not_say"}, "intervention", "GB", []string{"116 123"}, ""},
		{"a doubt is a question", "I feel so hopeless and alone", "", map[string]string{"region": "CA"}, "check_in", "CA", []string{"988", "are you safe right now?"}, ""},
		{"no danger", "mes parents se disputent", "", map[string]string{"language": "fr", "region": "FR"}, "none", "FR", nil, ""},
	} {
		t.Run(one.name, func(t *testing.T) {
			set(map[bool]string{true: "international", false: one.region}[one.region == ""])
			began := time.Now()
			got := done[app.MessageFinding](w, "check_message", map[string]any{"agent": "companion", "text": one.text, "vars": one.vars})
			if took := time.Since(began); took > time.Second && !raced {
				t.Errorf("help took %v", took)
			}
			if one.level != "" && string(got.Level) != one.level || got.Region != one.where || one.level == "none" != (got.Text == "") {
				t.Errorf("%+v", got)
			}
			for _, part := range one.says {
				if !strings.Contains(got.Text, part) {
					t.Errorf("it does not say %q: %s", part, got.Text)
				}
			}
			if one.not != "" && strings.Contains(strings.ToLower(got.Text), one.not) {
				t.Errorf("it says %q: %s", one.not, got.Text)
			}
		})
	}
	refused(w, http.StatusNotFound, "check_message", map[string]any{"agent": "nobody", "text": "x"})
	// One that is too long to be sent is read, wherever the words stand.
	long := strings.Repeat("Nothing much happened on this day, and we went home. ", 2000)
	for _, text := range []string{long + "I am going to kill myself tonight.", "I am going to kill myself tonight. " + long, long + "Je vais me tuer ce soir", "Mon beau-père me frappe tous les soirs. " + long,
		long[:len(long)/2] + "I am going to kill myself tonight. " + long[len(long)/2:], long[:60000] + "My husband put his hands around my throat. " + long[60000:]} {
		if got := done[app.MessageFinding](w, "check_message", map[string]any{"text": text, "vars": map[string]string{"region": "GB"}}); got.Level == "none" || got.Text == "" {
			t.Errorf("%+v", got)
		}
	}
	if list := get[struct{ Sessions []app.SessionView }](w, "/api/sessions"); len(list.Sessions) != 0 {
		t.Errorf("%+v", list)
	}
	if _, err := w.app.Draft("new"); err != nil {
		t.Error(err)
	}
	// Nothing of it is on disk.
	err := filepath.WalkDir(w.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), "me tuer ce soir") {
			t.Errorf("%s has it", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// "I pasted everything and wrote that I will do it tonight; it answered with a number of bytes."
func TestARefusedMessageHasItsHelpBesideTheFault(t *testing.T) {
	w := open(t)
	const danger = "I am going to kill myself tonight."
	long := strings.Repeat("Nothing much happened on this day, and we went home. ", 2000)
	for what, one := range map[string]struct {
		status int
		body   any
	}{
		"too long":           {http.StatusBadRequest, map[string]any{"text": long + danger}},
		"an unknown field":   {http.StatusBadRequest, map[string]any{"text": danger, "colour": "red"}},
		"vars that are none": {http.StatusBadRequest, map[string]any{"text": danger, "vars": 7}},
		"an unknown agent":   {http.StatusBadRequest, map[string]any{"text": danger, "agent": "nobody"}},
		"larger than a call": {http.StatusRequestEntityTooLarge, map[string]any{"text": danger + strings.Repeat(long, 20)}},
	} {
		if f := refused(w, one.status, "send", one.body); !strings.Contains(f.Help, "112") {
			t.Errorf("%s: %+v", what, f)
		}
	}
	if f := refused(w, http.StatusBadRequest, "send", map[string]any{"text": long}); f.Help != "" {
		t.Errorf("help for nothing: %+v", f)
	}
}

// "It asked me whether I am safe right now, and that I can answer here. I answered no, and it went on about appointments."
func TestCrisis_TheAnswerToTheCheckInIsHeard(t *testing.T) {
	w := open(t)
	for name, c := range map[string]struct {
		agent string
		said  []string
		level []string
	}{
		"no":                     {"navigator", []string{"how many paracetamol does it take", "no"}, []string{"check_in", "intervention"}},
		"in French":              {"navigator", []string{"j'ai des idées noires", "non, pas vraiment"}, []string{"check_in", "intervention"}},
		"in words":               {"researcher", []string{"how many paracetamol does it take", "I'm not safe here"}, []string{"check_in", "intervention"}},
		"a doubt is asked about": {"navigator", []string{"how many paracetamol does it take", "I don't know", "no"}, []string{"check_in", "check_in", "intervention"}},
		"she is fine":            {"navigator", []string{"how many paracetamol does it take", "no, I'm fine, thanks"}, []string{"check_in", "none"}},
		"a question is open":     {"companion", []string{"how many paracetamol does it take", "no"}, []string{"check_in", "intervention"}},
		"after help":             {"navigator", []string{"I am going to kill myself tonight", "no, I am not safe"}, []string{"intervention", "intervention"}},
		"no check-in before":     {"navigator", []string{"Which medication do I take?", "no"}, []string{"none", "none"}},
		"long ago":               {"navigator", []string{"how many paracetamol does it take", "Which medication do I take?", "no"}, []string{"check_in", "none", "none"}},
	} {
		t.Run(name, func(t *testing.T) {
			session := ""
			for i, text := range c.said {
				body, _ := json.Marshal(map[string]any{"agent": c.agent, "session": session, "practice": true, "wait": true, "text": text, "vars": map[string]map[string]string{"companion": {"audience": "teen", "language": "en", "region": "CA"}}[c.agent]})
				e := w.started(string(body))
				session = e.Conversation
				if e.Safety == nil || string(e.Safety.Level) != c.level[i] {
					t.Fatalf("%q: %+v, want %s: %s", text, e.Safety, c.level[i], e.Output)
				}
				if c.level[i] == "intervention" && !strings.Contains(e.Output, "112") && !strings.Contains(e.Output, "988") {
					t.Errorf("no help: %s", e.Output)
				}
			}
		})
	}
}
