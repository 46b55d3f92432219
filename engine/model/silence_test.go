package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// hang takes a request and never answers it.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func loaded(names ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		list := make([]string, len(names))
		for i, n := range names {
			list[i] = fmt.Sprintf(`{"name":%q}`, n)
		}
		fmt.Fprintf(w, `{"models":[%s]}`, strings.Join(list, ","))
	}
}

// timed chats and says how long that took.
func timed(m *Ollama, s *Silence) (time.Duration, error) {
	r := ask("hello")
	r.Silence = s
	began := time.Now()
	_, err := m.Chat(context.Background(), r, nil)
	return time.Since(began), err
}

const never = time.Minute

// "It took six minutes to tell me that nothing answers": a server that has nothing loaded
// works on nothing, whatever it takes in.
func TestChat_EndsSoonWhereTheServerHasLoadedNothing(t *testing.T) {
	for name, chats := range map[string]http.HandlerFunc{"no byte": hang, "a head only": func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		hang(w, r)
	}} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, "completion")
			s.chat, s.more["/api/ps"] = chats, loaded()
			m.options.Idle, m.options.Again = 80*time.Millisecond, 20*time.Millisecond
			known := new(Silence)
			took, err := timed(m, known)
			if !errors.Is(err, ErrStalled) || took > 5*time.Second || !strings.HasPrefix(err.Error(), ErrStalled.Error()) || !strings.Contains(err.Error(), "loaded no model") {
				t.Errorf("%v after %v", err, took)
			}
			m.options.Idle = never // the calls after it know
			if took, err = timed(m, known); !errors.Is(err, ErrStalled) || took > 5*time.Second || !known.Of("small") {
				t.Errorf("again: %v after %v", err, took)
			}
		})
	}
}

// "My old laptop takes half a minute before the first word": a model that reads, is loaded or
// waits for another one is not cut, nor one of a server that says nothing of what it has loaded.
func TestChat_WaitsForASlowModelThatWorks(t *testing.T) {
	asked := make(chan struct{}, 100)
	after := func(n int, then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for range n { // the server was asked so often meanwhile
				select {
				case <-asked:
				case <-r.Context().Done():
					return
				}
			}
			then(w, r)
		}
	}
	for name, ps := range map[string]http.HandlerFunc{"loaded": loaded("small:latest"), "behind another": loaded("other:latest"), "not told": http.NotFound} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, "completion")
			s.chat = after(6, lines(content("At last."), done))
			s.more["/api/ps"] = func(w http.ResponseWriter, r *http.Request) { ps(w, r); asked <- struct{}{} }
			m.options.Idle, m.options.Again = 8*time.Millisecond, 4*time.Millisecond
			known := new(Silence)
			known.add("small", time.Now().Add(-30*time.Second), true) // as the check of the message ended
			if took, err := timed(m, known); err != nil || known.Of("small") {
				t.Errorf("%v after %v", err, took)
			}
		})
	}
}

// A server that is still getting ready lists nothing for a moment.
func TestChat_AsksTwiceWhatIsLoaded(t *testing.T) {
	s, m := script(t, "completion")
	second := make(chan struct{})
	n := 0
	s.more["/api/ps"] = func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 1 {
			loaded()(w, r)
			return
		}
		loaded("small:latest")(w, r)
		if n == 2 {
			close(second)
		}
	}
	s.chat = func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-second:
			lines(content("At last."), done)(w, r)
		case <-r.Context().Done():
		}
	}
	m.options.Idle = 8 * time.Millisecond
	if took, err := timed(m, new(Silence)); err != nil {
		t.Errorf("%v after %v", err, took)
	}
}

// A model that is loaded and sent nothing in all its time is not given that again in the same turn.
func TestChat_WaitsOnceForALoadedModelThatSaysNothing(t *testing.T) {
	s, m := script(t, "completion")
	var answers atomic.Bool
	s.chat = func(w http.ResponseWriter, r *http.Request) {
		if answers.Load() {
			lines(content("Here."), done)(w, r)
			return
		}
		hang(w, r)
	}
	s.more["/api/ps"] = loaded("small:latest")
	m.options.FirstToken, m.options.Idle, m.options.Again = 60*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond
	known := new(Silence)
	if _, err := timed(m, known); !errors.Is(err, ErrStalled) {
		t.Fatal(err)
	}
	known.of["small"] = silent{waited: never, until: time.Now()}
	m.options.FirstToken = never
	if took, err := timed(m, known); !errors.Is(err, ErrStalled) || took > 5*time.Second {
		t.Errorf("again: %v after %v", err, took)
	}
	answers.Store(true)
	if _, err := timed(m, known); err != nil || known.Of("small") {
		t.Errorf("%v; the silence is over", err)
	}
}

// The check of a message waits half a minute, what comes after it two: that is all in vain.
// "It wrote four words and stood still, and I sat there for a minute and a half": what one call of a turn learnt of
// a model that stops in the middle of its answers, the next ones need not learn again, until it writes a whole one.
func TestChat_WaitsOnceForAModelThatStopsInTheMiddle(t *testing.T) {
	s, m := script(t, "completion")
	stops := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, `{"message":{"content":"The visit is"}}`)
		w.(http.Flusher).Flush()
		hang(w, r)
	}
	slow := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, `{"message":{"content":"The visit is"}}`)
		w.(http.Flusher).Flush()
		time.Sleep(60 * time.Millisecond)
		fmt.Fprintln(w, `{"message":{"content":" on Monday."},"done":true,"done_reason":"stop"}`)
	}
	known := new(Silence)
	s.chat, m.options.NextToken, m.options.Again = stops, 50*time.Millisecond, time.Millisecond
	if _, err := timed(m, known); !errors.Is(err, ErrStalled) {
		t.Fatalf("it stopped: %v", err)
	}
	m.options.NextToken = never
	if took, err := timed(m, known); !errors.Is(err, ErrStalled) || took > 5*time.Second {
		t.Errorf("the next call: %v after %v", err, took)
	}
	m.options.Again = 10 * time.Second
	s.chat = slow
	if _, err := timed(m, known); err != nil {
		t.Errorf("one that is slow: %v", err)
	}
	m.options.Again = time.Millisecond // it wrote a whole one: it has its time again
	if _, err := timed(m, known); err != nil {
		t.Errorf("after a whole answer: %v", err)
	}
	// Another turn knows nothing of it.
	if _, err := timed(m, new(Silence)); err != nil {
		t.Errorf("another turn: %v", err)
	}
}

func TestSilence_AddsUpTheCallsOfATurn(t *testing.T) {
	var s Silence
	now := time.Now()
	s.of = map[string]silent{"small": {30 * time.Second, now.Add(-3 * time.Minute), false}}
	s.add("small", now.Add(-3*time.Minute+time.Second), false)
	s.add("small", now.Add(-time.Minute), false) // beside it
	if known := s.known("small"); known.waited < 3*time.Minute+29*time.Second || known.waited > 3*time.Minute+40*time.Second {
		t.Errorf("%v", known.waited)
	}
	s.of["small"] = silent{time.Hour, now.Add(-silenceKept), true}
	if s.Of("small") {
		t.Error("it is not known for ever")
	}
}

// Some servers speak as Ollama does and never list anything: what answered once is believed.
func TestChat_DoesNotTrustAListThatNeverHasAnything(t *testing.T) {
	s, m := script(t, "completion")
	asked := make(chan struct{}, 100)
	s.more["/api/ps"] = func(w http.ResponseWriter, r *http.Request) { loaded()(w, r); asked <- struct{}{} }
	m.options.Idle = never
	s.chat = func(w http.ResponseWriter, r *http.Request) {
		lines(content("One."))(w, r)
		<-asked
		for deadline := time.Now().Add(5 * time.Second); !m.unlisted() && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		lines(done)(w, r)
	}
	if _, err := timed(m, nil); err != nil || !m.unlisted() {
		t.Fatalf("%v, unlisted %v", err, m.unlisted())
	}
	m.options.Idle = 8 * time.Millisecond
	s.chat = func(w http.ResponseWriter, r *http.Request) {
		for range 4 {
			select {
			case <-asked:
			case <-r.Context().Done():
				return
			}
		}
		lines(content("Two."), done)(w, r)
	}
	if took, err := timed(m, nil); err != nil {
		t.Errorf("%v after %v", err, took)
	}
}

// "It had answered in a second all morning. Then it hung, and I waited nearly three minutes for the turn to say so." A model that
// is loaded and sends nothing is given up once, by its own speed, it would have read the prompt several times over; one that
// is slow, is another one than the server has loaded, or whose speed nobody knows yet keeps all its time.
func TestChat_EndsWhereALoadedModelIsSilentForLongerThanItEverReads(t *testing.T) {
	prompt := func(chars int) Request { return ask(strings.Repeat("a word ", chars/7+1)) }
	const unit = 40 * time.Millisecond // for 1,000 characters
	for name, c := range map[string]struct {
		ps     http.HandlerFunc
		before int           // how long the prompt was that it answered before, 0 for none
		chars  int           // how long this one is
		after  time.Duration // when it answers, 0 for never
		cut    bool
	}{
		"it hangs":                  {loaded("small:latest"), 1000, 1000, 0, true},
		"a longer prompt":           {loaded("small:latest"), 1000, 8000, 16 * unit, false},
		"another one is loaded":     {loaded("other:latest"), 1000, 1000, 20 * unit, false},
		"nobody knows its speed":    {loaded("small:latest"), 0, 1000, 20 * unit, false},
		"slower than it was before": {loaded("small:latest"), 1000, 4000, 8 * unit, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, "completion")
			s.more["/api/ps"] = c.ps
			m.options.FirstToken, m.options.Idle, m.options.Again = never, unit/4, unit/8
			wait := unit
			s.chat = func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-time.After(wait):
					lines(content("Here."), done)(w, r)
				case <-r.Context().Done():
				}
			}
			if c.before > 0 {
				if _, err := m.Chat(context.Background(), prompt(c.before), nil); err != nil {
					t.Fatal(err)
				}
			}
			if wait = c.after; c.after == 0 {
				wait = never
			}
			ctx, cancel := context.WithTimeout(context.Background(), never/2)
			defer cancel()
			if _, err := m.Chat(ctx, prompt(c.chars), nil); errors.Is(err, ErrStalled) != c.cut || !c.cut && err != nil || c.cut && !strings.Contains(err.Error(), "several times as much before") {
				t.Error(err)
			}
		})
	}
}

// "Ollama hung before I began, and it took nearly three minutes to say so." A server that says nothing at all, not even its
// version, is given up within seconds, and at once by the later calls of the turn; one that says anything keeps its limits.
func TestChat_EndsSoonWhereAServerGivesNoSignOfLife(t *testing.T) {
	for name, c := range map[string]struct {
		ps, version http.HandlerFunc
		mute        bool
	}{
		"nothing":        {hang, hang, true},
		"its version":    {hang, loaded(), false},
		"what is loaded": {loaded("small:latest"), hang, false},
		"an error":       {http.NotFound, hang, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, "completion")
			var anew atomic.Bool
			either := func(before, after http.HandlerFunc) http.HandlerFunc {
				return func(w http.ResponseWriter, r *http.Request) {
					if anew.Load() {
						after(w, r)
						return
					}
					before(w, r)
				}
			}
			s.more["/api/ps"], s.more["/api/version"], s.chat = c.ps, either(c.version, loaded()), either(hang, lines(content("Here."), done))
			m.options.FirstToken, m.options.Idle, m.options.Again = never, never, never
			m.options.Mute = 200 * time.Millisecond
			if !c.mute {
				s.chat = func(w http.ResponseWriter, r *http.Request) {
					select {
					case <-time.After(5 * m.options.Mute):
						lines(content("At last."), done)(w, r)
					case <-r.Context().Done():
					}
				}
			}
			known := new(Silence)
			took, err := timed(m, known)
			if !c.mute {
				if err != nil {
					t.Errorf("%v after %v", err, took)
				}
				return
			}
			if !errors.Is(err, ErrMute) || !errors.Is(err, ErrStalled) || took > 5*time.Second {
				t.Errorf("%v after %v", err, took)
			}
			again, err := timed(m, known)
			if !errors.Is(err, ErrMute) || again > 5*time.Second {
				t.Errorf("again: %v after %v", err, again)
			}
			anew.Store(true)
			if _, err := timed(m, known); err != nil || known.deaf() {
				t.Errorf("it was started anew: %v", err)
			}
		})
	}
}

// A server that spoke before is not taken for dead because it is busy for a moment.
func TestChat_AServerThatSpokeBeforeKeepsItsTime(t *testing.T) {
	s, m := script(t, "completion")
	s.chat = lines(content("Here."), done)
	if _, err := timed(m, nil); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock() // it may still be asked whether it is there
	s.more["/api/ps"], s.more["/api/version"] = hang, hang
	s.mu.Unlock()
	m.options.Mute, m.options.Idle, m.options.FirstToken = time.Millisecond, never, never
	s.chat = func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(60 * time.Millisecond)
		lines(content("Here."), done)(w, r)
	}
	if took, err := timed(m, nil); err != nil {
		t.Errorf("%v after %v", err, took)
	}
}

// What is answered at once has less time from a server of which nothing ever came.
func TestServer_AStrangerHasLessTime(t *testing.T) {
	_, m := script(t, "completion")
	if limit, late := m.server.within(30 * time.Second); limit != strangerTime || !errors.Is(late, ErrMute) {
		t.Errorf("%v, %v", limit, late)
	}
	if _, err := m.Info(context.Background()); err != nil {
		t.Fatal(err)
	}
	if limit, late := m.server.within(30 * time.Second); limit != 30*time.Second || errors.Is(late, ErrMute) {
		t.Errorf("after it answered: %v, %v", limit, late)
	}
}
