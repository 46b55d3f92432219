package command_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"holdpoint/engine/model/modeltest"
)

// TestCrisis_ACommandShowsHelpWithoutAModel has a server that takes connections and says
// nothing: help stands on standard output, and the turn is over.
func TestCrisis_ACommandShowsHelpWithoutAModel(t *testing.T) {
	x := inClinic(t)
	x.want(0, "settings", "set", "region", "GB")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	began := time.Now()
	got := x.want(0, "--ollama", "http://"+silent.Addr().String(), "run", "--session", "night", "I want to kill myself tonight, I have the pills here")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s: something waited for the server", took)
	}
	for _, want := range []string{"What you can do now", "999", "116 123"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in %s", want, got.out)
		}
	}
	if !strings.Contains(got.err, "found by rules") {
		t.Errorf("what found it is not said: %s", got.err)
	}
	if list := x.want(0, "sessions", "list", "--json"); !strings.Contains(list.out, "night") {
		t.Errorf("the session is not kept: %s", list.out)
	}
}

// TestCrisis_ACommandShowsHelpWhateverTheModelServerDoes has servers that hang, die, answer
// nonsense or are not there, and danger in both languages: help is the reply, in the export, too.
func TestCrisis_ACommandShowsHelpWhateverTheModelServerDoes(t *testing.T) {
	purple := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<p>purple</p>}{") }))
	t.Cleanup(purple.Close)
	x := inClinic(t)
	x.want(0, "settings", "set", "region", "FR")
	for how, server := range map[string]string{
		"hangs":    modeltest.Broken(t, "hangs"),
		"dies":     modeltest.Broken(t, "dies"),
		"nonsense": purple.URL,
		"absent":   modeltest.Absent,
	} {
		for language, c := range map[string]struct{ text, says string }{
			"en": {"I have decided to kill myself tonight", "What you can do now"},
			"fr": {"J'ai décidé de me tuer ce soir", "Ce que vous pouvez faire maintenant"},
		} {
			session := how + "-" + language
			if got := x.want(0, "--ollama", server, "run", "--session", session, c.text); !strings.Contains(got.out, c.says) || !strings.Contains(got.out, "3114") || !strings.Contains(got.err, "found by rules") {
				t.Errorf("%s: %s\n%s", session, got.out, got.err)
			}
			for _, format := range []string{"md", "html", "json"} {
				file := filepath.Join(t.TempDir(), "kept."+format)
				x.want(0, "export", session, "--format", format, "-o", file)
				if kept, err := os.ReadFile(file); err != nil || !strings.Contains(string(kept), c.says) || !strings.Contains(string(kept), "3114") {
					t.Errorf("%s: the export as %s lacks the help (%v)", session, format, err)
				}
			}
		}
	}
}

// TestHelplines_AreThereWithoutASession prints whom to call.
func TestHelplines_AreThereWithoutASession(t *testing.T) {
	x := inClinic(t)
	if got := x.want(0, "helplines", "fr"); !strings.Contains(got.err, "3114") || !strings.Contains(got.err, "source") {
		t.Errorf("%s", got.err)
	}
	x.want(2, "helplines", "Atlantis")
}

// "It said that my message was checked for danger, and nothing there reads Hindi." The word
// of practice mode's script, which reads no language at all, does not count as a check.
func TestCrisis_SaysWhatNobodyRead(t *testing.T) {
	x := inClinic(t)
	for message, want := range map[string]string{
		"मुझे सोमवार को डॉक्टर से मिलना है":                  "that was not checked for danger",
		"Quiero pedir una cita con la doctora para el lunes": "danger", // by its meaning, where there is an encoder
	} {
		got := x.want(0, "run", "--practice", message)
		if !strings.Contains(got.err, want) || strings.Contains(got.err, "checked by rules") {
			t.Errorf("%s: %s", message, got.err)
		}
	}
	if got := x.want(0, "run", "--practice", "Which medicines does she take?"); strings.Contains(got.err, "language") || !strings.Contains(got.err, "checked by rules") {
		t.Errorf("English is read: %s", got.err)
	}
}

// fakeModel is a server with a model that says so of every message's risk, and replies by itself; it
// breaks off where it is gone.
func fakeModel(risk string, reply func(http.ResponseWriter), gone func() bool) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		category := map[string]string{"crisis": "intent", "none": "none"}[risk]
		switch {
		case err != nil || gone():
			panic(http.ErrAbortHandler)
		case r.URL.Path == "/api/version":
			fmt.Fprint(w, `{"version":"0.24.0"}`)
		case r.URL.Path == "/api/tags":
			fmt.Fprint(w, `{"models":[{"name":"fake:latest","model":"fake:latest","digest":"d1","size":1}]}`)
		case r.URL.Path == "/api/show":
			fmt.Fprint(w, `{"capabilities":["completion","tools"],"model_info":{"general.architecture":"llama","general.parameter_count":3000000000,"llama.context_length":8192}}`)
		case strings.Contains(string(asked), `"format":{`):
			fmt.Fprintf(w, `{"message":{"role":"assistant","content":"{\"risk\":\"%s\",\"category\":\"%s\",\"who\":\"self\"}"},"done":false}`+"\n"+`{"message":{"content":""},"done":true,"done_reason":"stop"}`+"\n", risk, category)
		default:
			reply(w)
		}
	}))
}

// "The server died in the middle of the reply, and it said dial tcp, connection refused, and not what to do."
func TestRun_ATurnWhoseServerWentAwaySaysWhatToDo(t *testing.T) {
	for agent, how := range map[string]string{"reasoner": "breaks off", "navigator": "goes away"} {
		var gone atomic.Bool
		server := fakeModel("none", func(w http.ResponseWriter) {
			gone.Store(how == "goes away")
			fmt.Fprint(w, `{"message":{"role":"assistant","content":"That can "},"done":false}`+"\n")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, gone.Load)
		x := inClinic(t)
		got := x.want(1, "--ollama", server.URL, "--model", "fake", "run", "--agent", agent, "Which papers do I need on Monday?")
		if !strings.Contains(got.err, "The turn failed at") || !strings.Contains(got.err, "  do:   ") {
			t.Errorf("%s, whose server %s: %s", agent, how, got.err)
		}
		server.CloseClientConnections()
		server.Close()
	}
}

// "The model had said crisis, and my terminal stayed empty until the reply." "It asked whether I am
// safe once the server had given up." The first line of help is on standard output within a second of
// the program's start, whatever the server does, also for a doubt; every export keeps it.
func TestCrisis_ACommandShowsHelpWithinASecond(t *testing.T) {
	crisis := fakeModel("crisis", func(w http.ResponseWriter) {
		fmt.Fprint(w, `{"message":{"role":"assistant","content":"That can be done."},"done":false}`+"\n"+`{"message":{"content":""},"done":true,"done_reason":"stop"}`+"\n")
	}, func() bool { return false })
	t.Cleanup(func() { crisis.CloseClientConnections(); crisis.Close() })
	x := inClinic(t)
	x.want(0, "settings", "set", "region", "FR")
	const now, maintenant = "What you can do now", "Ce que vous pouvez faire maintenant"
	for how, server := range map[string]string{"crisis": crisis.URL, "hangs": modeltest.Broken(t, "hangs"), "dies": modeltest.Broken(t, "dies"), "nonsense": modeltest.Broken(t, "answers nonsense"),
		"damaged": modeltest.Broken(t, "cannot load its model"), "absent": modeltest.Absent} {
		for name, c := range map[string]struct{ text, says string }{
			"en":       {"I have decided to kill myself tonight", now},
			"fr":       {"J'ai décidé de me tuer ce soir", maintenant},
			"en-doubt": {"I feel so hopeless and alone", "are you safe right now?"},
			"fr-doubt": {"Je me sens tellement seul et sans espoir", "en sécurité"},
			"en-model": {"Everything lies beside me on the table now.", now}, // seen by the model alone
			"fr-model": {"Quels papiers faut-il pour le rendez-vous ?", maintenant},
		} {
			if how == "hangs" && strings.HasSuffix(name, "model") {
				continue // nobody sees it
			}
			if how != "hangs" && how != "crisis" && name != "en" && name != "fr-doubt" {
				continue // none of these servers sees anything
			}
			session := how + "-" + name
			shown := ""
			took, late := x.late(func() time.Duration {
				cmd := x.command("--ollama", server, "run", "--session", session, c.text)
				pipe, err := cmd.StdoutPipe()
				began := time.Now()
				if err == nil {
					err = cmd.Start()
				}
				if err != nil {
					t.Fatal(err)
				}
				took := time.Duration(0)
				shown = ""
				for r := bufio.NewReader(pipe); ; {
					line, err := r.ReadString('\n')
					if shown += line; took == 0 && strings.TrimSpace(line) != "" {
						took = time.Since(began)
						if how == "hangs" { // what was to be seen is there, or it never comes: the turn is stopped
							time.AfterFunc(300*time.Millisecond, func() { _ = cmd.Process.Signal(os.Interrupt) })
						}
					}
					if err != nil {
						break
					}
				}
				_ = cmd.Wait() // a turn that was stopped has an exit code of its own
				return took
			})
			if late || !strings.Contains(shown, c.says) || !strings.Contains(shown, "3114") {
				t.Errorf("%s: after %s standard output has %s", session, took, shown)
			}
			for _, format := range []string{"md", "html", "json"} {
				file := filepath.Join(t.TempDir(), "kept."+format)
				x.want(0, "export", session, "--format", format, "-o", file)
				if kept, err := os.ReadFile(file); err != nil || !strings.Contains(string(kept), c.says) || !strings.Contains(string(kept), "3114") {
					t.Errorf("%s: the export as %s lacks the help (%v)", session, format, err)
				}
			}
		}
	}
}

// late says that help took more than a second, of three tries each. On a machine that something else keeps busy a second is as
// long as fifty starts of the program that print its version, which take 0.02 s each on an idle one.
func (x terminal) late(show func() time.Duration) (took time.Duration, late bool) {
	for range 3 {
		if took = show(); took <= time.Second {
			return took, false
		}
		began := time.Now()
		for range 5 {
			x.want(0, "--version")
		}
		if took <= 10*time.Since(began) {
			return took, false
		}
	}
	return took, true
}

// "I had the window open and wrote in the terminal: it said that my region is not chosen. I chose it. And
// is what I wrote anywhere?" While another Holdpoint has the store open, help comes within a second, with
// the numbers of the region and in the language that were chosen; it is said that the message was not
// kept. Answers to a question of a turn are messages, too.
func TestCrisis_HelpBesideAnOpenHoldpointKnowsTheRegion(t *testing.T) {
	x := inClinic(t)
	x.want(0, "settings", "set", "region", "FR")
	x.want(0, "settings", "set", "language", "fr")
	serve, _ := x.served()
	t.Cleanup(func() { _ = serve.Process.Kill(); _ = serve.Wait() })
	for _, args := range [][]string{
		{"run", "J'ai décidé de me tuer ce soir"},
		{"run", "I have decided to kill myself tonight"},
		{"run", "--session", "x", "my dad hits me and i'm scared to go home"},
		{"resume", "01X", "--answer", `p="I want to die tonight"`},
	} {
		shown, errs := "", strings.Builder{}
		took, late := x.late(func() time.Duration {
			errs.Reset()
			cmd := x.command(args...)
			out, err := cmd.StdoutPipe()
			cmd.Stderr = &errs
			began := time.Now()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			r := bufio.NewReader(out)
			first, _ := r.ReadString('\n') // none is found below
			took := time.Since(began)
			rest, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // a refusal has an exit code of its own
			shown = first + string(rest)
			return took
		})
		if late || !strings.Contains(shown, "112") || strings.Contains(shown, "not chosen") || strings.Contains(shown, "n’est pas choisi") {
			t.Errorf("%v: after %s standard output has %s", args, took, shown)
		}
		// "What I had written was gone": it stands there to be copied into the one that is open.
		if wrote := strings.TrimSuffix(strings.TrimPrefix(args[len(args)-1], `p="`), `"`); !strings.Contains(errs.String(), "à copier") || !strings.Contains(errs.String(), wrote) {
			t.Errorf("%v: what was written does not stand there: %s", args, errs.String())
		}
		if !strings.Contains(errs.String(), "ni envoyé ni conservé") {
			t.Errorf("%v: what was kept is not said: %s", args, errs.String())
		}
	}
	// Without danger nothing but the refusal stands there.
	if got := x.run("run", "Which medicines does she take?"); got.code != 1 || got.out != "" || !strings.Contains(got.err, "ni envoyé ni conservé") {
		t.Errorf("exit %d: %s%s", got.code, got.out, got.err)
	}
}

// "I chose nothing yet": what stands beside the store is what was chosen, and goes with it.
func TestSettings_WhatHelpNeedsStandsBesideTheStore(t *testing.T) {
	x := inClinic(t)
	file := filepath.Join(x.data, "region.json")
	x.want(0, "sessions", "list")
	if _, err := os.Stat(file); err == nil {
		t.Error("nobody chose anything")
	}
	x.want(0, "settings", "set", "region", "GB")
	if body, err := os.ReadFile(file); err != nil || strings.TrimSpace(string(body)) != `{"region":"GB"}` {
		t.Errorf("%s (%v)", body, err)
	}
	if err := os.Remove(file); err != nil { // as a folder of an older version
		t.Fatal(err)
	}
	x.want(0, "sessions", "list")
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// "I pasted my whole diary, and what I wrote in the middle of it was not seen: it said that 64 kB fit."
// Help comes first and the refusal after it, wherever in a message that is too long the danger stands,
// and not where there is none.
func TestCrisis_AMessageThatIsTooLongIsReadToItsEnd(t *testing.T) {
	x := inClinic(t)
	x.want(0, "settings", "set", "region", "GB")
	var filler []string
	for i := range 1100 {
		filler = append(filler, fmt.Sprintf("On day %d the dressing was changed, and the potassium was %d.%d.", i, 3+i%3, i%10), "She walked to the garden with her daughter.")
	}
	for n, danger := range []string{"", "I want to kill myself tonight, I have the pills here.", "My husband put his hands around my throat.", "J'ai décidé de me tuer ce soir.", "teacher touched me, im nine."} {
		for m, at := range []float64{0, 0.02, 0.35, 0.45, 0.55, 0.65, 0.98, 1} {
			if (n+m)%2 == 1 { // each place with two or three of them
				continue
			}
			k := int(at * float64(len(filler)))
			message := strings.Join(filler[:k], " ") + " " + danger + " " + strings.Join(filler[k:], " ")
			got := x.run("run", "--practice", message)
			if helped := strings.Contains(got.out, "999") || strings.Contains(got.out, "0800 1111"); got.code != 2 || helped != (danger != "") || !strings.Contains(got.err, "65536") {
				t.Errorf("%q at %v of %d bytes: exit %d: %s%s", danger, at, len(message), got.code, got.out, got.err)
			}
			if danger == "" {
				break
			}
		}
	}
}

// "The reply was there, and the card above it still said that my message is being worked on." What a
// check-in says of the reply holds before and after it, on the terminal and in every export.
func TestCrisis_ACheckInSaysWhereTheReplyIsAndNotThatItIsAtWork(t *testing.T) {
	x := inClinic(t)
	for message, says := range map[string]string{"I feel so hopeless and alone": "comes below", "Je me sens tellement seul et sans espoir": "vient ci-dessous"} {
		got := x.want(0, "run", "--practice", "--session", says, message)
		for _, format := range []string{"", "md", "html", "json"} {
			kept := got.out
			if format != "" {
				file := filepath.Join(t.TempDir(), "kept."+format)
				x.want(0, "export", says, "--format", format, "-o", file)
				body, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				kept = string(body)
			}
			if !strings.Contains(kept, says) || strings.Contains(kept, "worked on") || strings.Contains(kept, "en cours de traitement") {
				t.Errorf("%s as %q: %s", message, format, kept[:min(len(kept), 3000)])
			}
		}
	}
}

// "It said that no model is there, and not how I go on once one is." A turn that failed names the command that tries it
// again, also where there was no model to ask.
func TestRun_ATurnWithoutAModelSaysHowItGoesOn(t *testing.T) {
	x := inClinic(t)
	got := x.want(1, "--ollama", modeltest.Absent, "run", "--session", "s", "I think my blood pressure got worse")
	_, rest, ok := strings.Cut(got.err, "holdpoint resume ")
	turn, _, _ := strings.Cut(rest, "\n")
	if !ok {
		t.Fatalf("%s", got.err)
	}
	server := fakeModel("none", func(w http.ResponseWriter) {
		fmt.Fprint(w, `{"message":{"role":"assistant","content":"Your record says nothing new of it."},"done":false}`+"\n"+`{"message":{"content":""},"done":true,"done_reason":"stop"}`+"\n")
	}, func() bool { return false })
	t.Cleanup(server.Close)
	if again := x.want(0, "--ollama", server.URL, "resume", strings.TrimSpace(turn)); !strings.Contains(again.out, "nothing new") {
		t.Errorf("it does not go on: %s\n%s", again.out, again.err)
	}
}
