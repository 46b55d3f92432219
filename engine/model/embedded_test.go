//go:build ollama

package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"holdpoint/engine/model/level"
	"holdpoint/engine/model/modeltest"
)

// embedded is our own real server with the tiny model in it.
func embedded(t *testing.T) (server *Server, data string) {
	t.Helper()
	if !OwnAvailable() {
		t.Fatal("the build tag ollama brings no server")
	}
	data = t.TempDir()
	own := NewOwn(OwnOptions{Data: data})
	server, err := Locate(context.Background(), Options{DefaultPort: -1, Own: own})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			log, _ := os.ReadFile(own.logFile())
			t.Logf("%s", log)
		}
	})
	return server, data
}

func withTiny(t *testing.T, server *Server) *Ollama {
	t.Helper()
	if _, err := NewLibrary(server).ImportGGUF(context.Background(), "tiny", modeltest.Tiny(t), nil); err != nil {
		t.Fatal(err)
	}
	return NewOllama(server, "tiny", OllamaOptions{})
}

func TestEmbedded_imports_and_chats_and_embeds_and_deletes(t *testing.T) {
	began := time.Now()
	server, _ := embedded(t)
	if _, err := server.Version(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Logf("the child answers after %v", time.Since(began))
	m := withTiny(t, server)
	info, err := m.Info(context.Background())
	if err != nil || len(info.Digest) != 64 || info.Context != 8192 || info.Tools {
		t.Fatalf("%+v %v", info, err)
	}
	r := ask("hello")
	r.MaxTokens = 20
	var first time.Duration
	began = time.Now()
	answer, err := m.Chat(context.Background(), r, func(string) {
		if first == 0 {
			first = time.Since(began)
		}
	})
	if err != nil || answer.Usage.OutputTokens == 0 || answer.Usage.PromptTokens == 0 {
		t.Fatalf("%+v %v", answer, err)
	}
	t.Logf("first token after %v, loading included", first)
	vectors, err := m.Embed(context.Background(), []string{"a", "something else"})
	if err != nil || len(vectors) != 2 || len(vectors[0]) != 64 {
		t.Fatalf("%d %v", len(vectors), err)
	}
	l := NewLibrary(server)
	running, err := l.Running(context.Background())
	if err != nil || len(running) != 1 || running[0].Digest != info.Digest {
		t.Fatalf("%+v %v", running, err)
	}
	if err := l.Delete(context.Background(), "tiny"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Info(context.Background()); !errors.Is(err, ErrNoModel) {
		t.Fatal(err)
	}
}

func TestEmbedded_format_is_followed_by_a_model_that_writes_noise(t *testing.T) {
	server, _ := embedded(t)
	m := withTiny(t, server)
	for seed := range 2 {
		r := ask("classify")
		r.Seed, r.Temperature, r.MaxTokens = seed, 1, 400
		r.Format = json.RawMessage(`{"title":"safety","type":"object","properties":{"risk":{"type":"string","enum":["none","concern","crisis"]},"score":{"type":"integer","minimum":0,"maximum":9},"words":{"type":"array","items":{"type":"string","maxLength":6},"maxItems":2}},"required":["risk","score","words"],"additionalProperties":false}`)
		answer, _, err := chat(t, m, r)
		var got struct {
			Risk  string
			Score *int
			Words []string
		}
		if err != nil || json.Unmarshal([]byte(answer.Message.Text), &got) != nil {
			t.Fatalf("%q %v", answer.Message.Text, err)
		}
		if got.Score == nil || *got.Score > 9 || len(got.Words) > 2 || !strings.Contains("none concern crisis", got.Risk) {
			t.Fatalf("%+v", got)
		}
	}
}

// object is a schema of an object with these properties.
func object(properties string, required ...string) json.RawMessage {
	list, err := json.Marshal(required)
	if err != nil {
		panic(err)
	}
	return json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":` + string(list) + `,"additionalProperties":false}`)
}

// clinic are tools as an agent offers them.
var clinic = []Tool{
	{Name: "find_providers", Parameters: object(`"query":{"type":"string","maxLength":300}`, "query")},
	{Name: "provider_availability", Parameters: object(`"provider":{"type":"string"},"days":{"type":"integer"}`, "provider")},
	{Name: "patient_summary", Parameters: object(`"patient":{"type":"string"}`)},
	{Name: "book_appointment", Parameters: object(`"provider":{"type":"string"},"start":{"type":"string","format":"date-time"},"reason":{"type":"string"}`, "provider", "start")},
	{Name: "cancel_appointment", Parameters: object(`"appointment":{"type":"string"},"reason":{"type":"string"}`, "appointment")},
	{Name: "add_care_note", Parameters: object(`"text":{"type":"string","maxLength":4000}`, "text")},
}

func TestEmbedded_actions_of_a_model_without_a_tool_template_are_well_formed(t *testing.T) {
	server, _ := embedded(t)
	m := withTiny(t, server)
	var replies, called int
	for seed := range 4 {
		r := ask("what now")
		r.Tools, r.Seed, r.Temperature, r.MaxTokens = slices.Clone(clinic), seed, 1.5, 300
		// Its argument may be longer than the limit of this test.
		r.Tools = slices.DeleteFunc(r.Tools, func(o Tool) bool { return o.Name == "add_care_note" })
		answer, heard, err := chat(t, m, r)
		switch {
		case errors.Is(err, ErrBroken) && answer.Cut:
			// A long reply can meet the limit; it is never taken for a call.
			if len(answer.Message.Calls) != 0 || answer.Message.Text != heard {
				t.Fatalf("%+v", answer)
			}
		case err != nil:
			t.Fatal(err)
		case len(answer.Message.Calls) == 1:
			called++
			if !jsonObject(answer.Message.Calls[0].Arguments) {
				t.Fatalf("%s", answer.Message.Calls[0].Arguments)
			}
		default:
			replies++
			if answer.Message.Text == "" || heard != answer.Message.Text {
				t.Fatalf("heard %q of %q", heard, answer.Message.Text)
			}
		}
	}
	t.Logf("%d replies, %d calls", replies, called)
	if called == 0 {
		t.Fatal("no call in four answers")
	}
}

// "With the flaring form's tools there was never an answer: the model runner has unexpectedly
// stopped." The grammar of many arguments that may be left out is longer than the room that
// the server has for it by itself.
func TestEmbedded_tools_with_many_arguments_that_may_be_left_out_are_answered(t *testing.T) {
	server, _ := embedded(t)
	m := withTiny(t, server)
	var tools []Tool
	for i := range 12 {
		properties := map[string]any{}
		for k := range 16 {
			properties[fmt.Sprintf("member_%d", k)] = map[string]any{"type": "array", "maxItems": 4, "items": map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string", "maxLength": 20}, "height": map[string]any{"type": "number"}, "kind": map[string]any{"type": "string", "maxLength": 9}}}}
		}
		tools = append(tools, Tool{Name: fmt.Sprintf("tool_%d", i), Description: "does it", Parameters: JSON(map[string]any{"type": "object", "properties": properties})})
	}
	r := ask("do it")
	r.Tools, r.Described, r.Seed, r.MaxTokens = tools, tools[:1], 7, 60
	answer, _, err := chat(t, m, r)
	if err != nil && !(errors.Is(err, ErrBroken) && answer.Cut) { // noise may not come to its end
		t.Fatal(err)
	}
}

func TestEmbedded_cancel_ends_within_a_second_and_the_server_goes_on(t *testing.T) {
	server, _ := embedded(t)
	m := withTiny(t, server)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at time.Time
	r := ask("go on for ever")
	r.MaxTokens, r.Temperature = 1900, 1.5
	answer, err := m.Chat(ctx, r, func(string) {
		if at.IsZero() {
			at = time.Now()
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || answer.Message.Text == "" || time.Since(at) > time.Second {
		t.Fatalf("%+v %v after %v", answer, err, time.Since(at))
	}
	r.MaxTokens = 5
	if _, _, err := chat(t, m, r); err != nil {
		t.Fatal(err)
	}
}

func TestEmbedded_a_request_longer_than_the_context_is_refused(t *testing.T) {
	server, _ := embedded(t)
	m := withTiny(t, server)
	if _, _, err := chat(t, m, ask(strings.Repeat("word ", 2000))); !errors.Is(err, ErrRequest) {
		t.Fatal(err)
	}
}

func TestSafety_28_a_hostile_gguf_harms_only_the_child(t *testing.T) {
	server, _ := embedded(t)
	l := NewLibrary(server)
	whole, err := os.ReadFile(modeltest.Tiny(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"noise":         "no model at all",
		"cut":           string(whole[:len(whole)/3]),
		"huge lengths":  "GGUF\x03\x00\x00\x00" + strings.Repeat("\xff", 64),
		"only the mark": "GGUF",
	} {
		path := filepath.Join(t.TempDir(), "x.gguf")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.ImportGGUF(context.Background(), "bad", path, nil); err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		// What the server takes as a file it must refuse as a model.
		r := ask("x")
		r.MaxTokens = 3
		if _, _, err := chat(t, NewOllama(server, "bad", OllamaOptions{}), r); err == nil {
			t.Fatalf("%s: it answers", name)
		}
	}
	server.own.Retry()
	if _, _, err := chat(t, withTiny(t, server), Request{Messages: ask("x").Messages, MaxTokens: 3}); err != nil {
		t.Fatal(err)
	}
}

// "The second turn reads the whole record again, and the detail doesn't say so."
func TestEmbedded_says_how_much_of_a_prompt_was_read_anew(t *testing.T) {
	server, _ := embedded(t)
	m := withTiny(t, server)
	r := ask(strings.Repeat("The patient sleeps badly. ", 20))
	r.MaxTokens = 8
	first, _, err := chat(t, m, r)
	if err != nil {
		t.Fatal(err)
	}
	r.Messages = append(r.Messages, first.Message, Message{Role: "user", Text: "Since when?"})
	second, _, err := chat(t, m, r)
	if err != nil {
		t.Fatal(err)
	}
	for i, u := range []Usage{first.Usage, second.Usage} {
		if u.Evaluated == nil {
			t.Fatalf("answer %d: nobody says how much of %d tokens was read anew", i+1, u.PromptTokens)
		}
	}
	if n := *first.Usage.Evaluated; n < first.Usage.PromptTokens/2 {
		t.Errorf("a new prompt of %d tokens: %d were read anew", first.Usage.PromptTokens, n)
	}
	if n := *second.Usage.Evaluated; n < 1 || n > second.Usage.PromptTokens/2 {
		t.Errorf("of a prompt of %d tokens, most of them known, %d were read anew", second.Usage.PromptTokens, n)
	}
}

func TestEmbedded_is_restarted_after_a_kill(t *testing.T) {
	server, _ := embedded(t)
	m := withTiny(t, server)
	r := ask("x")
	r.MaxTokens = 3
	if _, _, err := chat(t, m, r); err != nil {
		t.Fatal(err)
	}
	child := server.own.running
	runners := childrenOf(t, child.process.Pid)
	if len(runners) == 0 {
		t.Fatal("the model runs in no process of its own")
	}
	if err := child.process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-child.gone
	untilGone(t, runners...)
	if _, _, err := chat(t, m, r); err != nil {
		t.Fatal(err)
	}
}

func TestEmbedded_leaves_no_orphan_when_the_program_is_killed(t *testing.T) {
	var pids []int
	killParent(t, func(u *url.URL) {
		server, err := NewServer(u.String())
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		m := withTiny(t, server)
		r := ask("x")
		r.MaxTokens = 3
		if _, _, err := chat(t, m, r); err != nil {
			t.Fatal(err)
		}
		for _, parent := range childrenOf(t, os.Getpid()) {
			for _, child := range childrenOf(t, parent) {
				pids = append(append(pids, child), childrenOf(t, child)...)
			}
		}
	})
	if len(pids) < 2 {
		t.Fatalf("expected a server and a runner, saw %v", pids)
	}
	untilGone(t, pids...)
}

// Promise 7, and no prompt in the log: all that leaves would go through the proxy,
// which counts connections.
func TestPromise_7_the_embedded_server_calls_no_one_and_logs_no_prompt(t *testing.T) {
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	var calls atomic.Int32
	go func() {
		for {
			c, err := proxy.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			c.Close()
		}
	}()
	through := "http://user:secret-of-proxy@" + proxy.Addr().String()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, through)
	}
	elsewhere := t.TempDir()
	t.Setenv("HOME", elsewhere)
	t.Setenv("OLLAMA_DEBUG", "1")
	t.Setenv("OLLAMA_DEBUG_LOG_REQUESTS", "1")

	server, data := embedded(t)
	m := withTiny(t, server)
	const canary = "CANARY-7731-insomnia"
	r := ask(canary)
	r.MaxTokens = 30
	if _, _, err := chat(t, m, r); err != nil {
		t.Fatal(err)
	}
	r.Tools = finder
	// Whatever the answer is: only what is logged matters.
	_, _, _ = chat(t, m, r)
	if _, err := m.Embed(context.Background(), []string{canary}); err != nil {
		t.Fatal(err)
	}
	if n := calls.Load(); n != 0 {
		t.Fatalf("%d connections to the outside", n)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) != 0 {
		t.Fatalf("written outside the data folder: %v %v", left, err)
	}
	err = filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, secret := range []string{canary, "secret-of-proxy"} {
			if strings.Contains(string(body), secret) {
				t.Errorf("%s holds %s", path, secret)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEmbedded_SmolLM2_replies_and_picks_actions(t *testing.T) {
	path := modeltest.SmolLM2(t)
	server, _ := embedded(t)
	if _, err := NewLibrary(server).ImportGGUF(context.Background(), "smollm2", path, nil); err != nil {
		t.Fatal(err)
	}
	m := NewOllama(server, "smollm2", OllamaOptions{})
	r := ask("Say hello in one short sentence.")
	r.MaxTokens = 40
	var first time.Duration
	began := time.Now()
	answer, err := m.Chat(context.Background(), r, func(string) {
		if first == 0 {
			first = time.Since(began)
		}
	})
	if err != nil || len(answer.Message.Text) < 3 {
		t.Fatalf("%+v %v", answer, err)
	}
	t.Logf("%q, first token after %v with loading, %d tokens in %v", answer.Message.Text, first, answer.Usage.OutputTokens, answer.Usage.OutputTime)

	r = ask("Find a therapist who helps with insomnia.")
	r.Tools, r.MaxTokens = finder, 300
	began = time.Now()
	answer, heard, err := chat(t, m, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("calls %v, text %q, after %v, prompt %v", answer.Message.Calls, heard, time.Since(began), answer.Usage.PromptTime)
	if len(answer.Message.Calls) == 1 && !strings.Contains(string(answer.Message.Calls[0].Arguments), "query") {
		t.Fatalf("%s", answer.Message.Calls[0].Arguments)
	}
	if len(answer.Message.Calls) == 0 && answer.Message.Text == "" {
		t.Fatal("neither a call nor a reply")
	}
}

func TestEmbedded_MiniLM_places_like_with_like(t *testing.T) {
	folder := modeltest.MiniLM(t)
	server, _ := embedded(t)
	made, err := NewLibrary(server).ImportFolder(context.Background(), "minilm", folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	if made.Digests["1_Pooling/config.json"] == "" {
		t.Fatalf("%v", made.Digests)
	}
	m := NewOllama(server, "minilm", OllamaOptions{})
	v, err := m.Embed(context.Background(), []string{"trouble sleeping at night", "insomnia", "corporate tax law"})
	if err != nil || len(v[0]) != 384 {
		t.Fatal(err)
	}
	cosine := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	near, far := cosine(v[0], v[1]), cosine(v[0], v[2])
	t.Logf("near %.2f, far %.2f", near, far)
	if near < 0.3 || far > near {
		t.Fatal(near, far)
	}
}

// childrenOf lists a process's children.
func childrenOf(t *testing.T, pid int) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		child, parent, state := readStat(path)
		if parent == pid && state != "Z" {
			pids = append(pids, child)
		}
	}
	return pids
}

func readStat(path string) (pid, parent int, state string) {
	body, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, ""
	}
	fmt.Sscanf(string(body), "%d", &pid)
	// The name in brackets may hold anything, brackets too.
	rest := string(body[strings.LastIndexByte(string(body), ')')+1:])
	fmt.Sscanf(rest, "%s %d", &state, &parent)
	return pid, parent, state
}

// untilGone waits until processes are over; one that is dead but not yet collected is.
func untilGone(t *testing.T, pids ...int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for _, pid := range pids {
		for {
			_, _, state := readStat(fmt.Sprintf("/proc/%d/stat", pid))
			if syscall.Kill(pid, 0) != nil || state == "Z" || state == "" {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("process %d lives on", pid)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func TestEmbedded_computes_with_the_best_level_that_works(t *testing.T) {
	names := level.Names()
	if len(names) == 0 {
		t.Skip("this build has no levels")
	}
	for _, name := range names {
		if len(missingCPU(levelNeeds[name], hasCPU)) == 0 {
			continue
		}
		// Its trial meets an instruction that this processor lacks.
		if err := tryLevel(name); err == nil {
			t.Errorf("%s works on a processor that lacks it", name)
		}
	}
	server, _ := embedded(t)
	m := withTiny(t, server)
	r := ask("hello")
	r.MaxTokens = 8
	if _, err := m.Chat(context.Background(), r, nil); err != nil {
		t.Fatal(err)
	}
	want := level.Base
	for _, name := range names {
		if len(missingCPU(levelNeeds[name], hasCPU)) == 0 {
			want = name
			break
		}
	}
	if got := server.own.Level(); got != want {
		t.Fatalf("%s, not %s", got, want)
	}
	// One whose instructions the processor claims, and then lacks, gives way.
	if got := bestLevel(names, func(string) bool { return true }, tryLevel); got != want {
		t.Fatalf("%s, not %s", got, want)
	}
	speeds, err := server.own.Speeds(context.Background())
	if err != nil || len(speeds) < 5 || speeds[0].GFLOPS < speeds[1].GFLOPS {
		t.Fatalf("%+v %v", speeds, err)
	}
	t.Logf("%+v", speeds)
}

// "I pulled the model that it said was the quickest, and it read no faster than before": at every level the
// weights that are most pulled are reordered when they are loaded, and what is said of it is true, so at base
// nothing is.
func TestEmbedded_reorders_the_weights_that_a_level_has_kernels_for(t *testing.T) {
	if len(level.Names()) == 0 {
		t.Skip("this build has no levels")
	}
	for _, name := range append(level.Names(), level.Base) {
		if len(missingCPU(levelNeeds[name], hasCPU)) > 0 {
			continue
		}
		t.Setenv(levelMark, name)
		server, _ := embedded(t)
		speeds, err := server.own.Speeds(t.Context())
		if err != nil || server.own.Level() != name {
			t.Fatalf("at %s, not %s: %v", server.own.Level(), name, err)
		}
		repacked := map[string]bool{}
		for _, s := range speeds {
			repacked[s.Quantization] = s.Repacked
		}
		for _, q := range []string{"Q4_0", "Q4_K_M"} {
			if got, ok := repacked[q]; !ok || got != (name != level.Base) {
				t.Errorf("at %s %s is reordered: %v (%+v)", name, q, got, speeds)
			}
		}
		if name == level.Base && slices.ContainsFunc(speeds, func(s Speed) bool { return s.Repacked }) {
			t.Errorf("at %s something is reordered: %+v", name, speeds)
		}
	}
}

func TestEmbedded_writes_words_with_every_level(t *testing.T) {
	if len(level.Names()) == 0 {
		t.Skip("this build has no levels")
	}
	path := modeltest.SmolLM2(t)
	said := map[string]string{}
	for _, name := range append(level.Names(), level.Base) {
		if len(missingCPU(levelNeeds[name], hasCPU)) > 0 {
			continue
		}
		t.Setenv(levelMark, name)
		server, _ := embedded(t)
		if _, err := NewLibrary(server).ImportGGUF(context.Background(), "smollm2", path, nil); err != nil {
			t.Fatal(err)
		}
		m := NewOllama(server, "smollm2", OllamaOptions{})
		r := ask("Say one sentence about sleep.")
		r.MaxTokens = 12
		answer, err := m.Chat(context.Background(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		said[server.own.Level()] = answer.Message.Text
	}
	for name, text := range said {
		if text == "" || len(strings.Fields(text)) < 3 {
			t.Errorf("%s writes %q", name, text)
		}
	}
	t.Log(said)
}

// "It wrote a third slower than the same model does elsewhere": threads were started and ended for every token. Those
// that compute are there from one token to the next.
func TestEmbedded_threads_stay_from_token_to_token(t *testing.T) {
	if len(level.Names()) == 0 || runtime.NumCPU() < 2 {
		t.Skip("one core, or a build without levels")
	}
	server, _ := embedded(t)
	if _, err := NewLibrary(server).ImportGGUF(t.Context(), "smollm2", modeltest.SmolLM2(t), nil); err != nil {
		t.Fatal(err)
	}
	m := NewOllama(server, "smollm2", OllamaOptions{})
	r := ask("Tell a long story about a harbour.")
	r.MaxTokens = 100
	threads, pieces := map[string]bool{}, 0
	if _, err := m.Chat(t.Context(), r, func(string) {
		pieces++
		for _, runner := range childrenOf(t, server.own.running.process.Pid) {
			tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", runner))
			if err != nil {
				t.Error(err)
			}
			for _, task := range tasks {
				threads[task.Name()] = true
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if pieces < 50 || len(threads) > 30+runtime.NumCPU() {
		t.Errorf("%d pieces were written by %d threads", pieces, len(threads))
	}
	t.Logf("%d pieces, %d threads", pieces, len(threads))
}
