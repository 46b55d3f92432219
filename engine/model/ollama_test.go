package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestChat_streams_text_and_counts_usage(t *testing.T) {
	s, m := script(t, "completion")
	s.chat = lines(content("Good "), content("morning"), done)
	answer, heard, err := chat(t, m, ask("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if heard != "Good morning" || answer.Message.Text != heard || answer.Message.Role != "assistant" || answer.Cut {
		t.Fatalf("heard %q, answer %+v", heard, answer)
	}
	// What Ollama counts is the whole prompt, so nothing is known of how much was read anew.
	if want := (Usage{PromptTokens: 11, OutputTokens: 3, LoadTime: 7, PromptTime: 8, OutputTime: 9}); answer.Usage != want {
		t.Fatalf("usage %+v", answer.Usage)
	}
	sent := s.last(t, "/api/chat")
	options := sent["options"].(map[string]any)
	if options["num_ctx"] != 2048.0 || options["num_predict"] != 1024.0 || sent["truncate"] != false {
		t.Fatalf("sent %v", sent)
	}
}

// "It stood still before it had asked anything": a server may accept a question about its models
// and never answer it.
func TestInfo_ends_whichever_question_hangs(t *testing.T) {
	for _, path := range []string{"/api/show", "/api/tags"} {
		t.Run(path, func(t *testing.T) {
			s, m := script(t, "completion")
			m.options.NextToken = 50 * time.Millisecond
			s.more[path] = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
			began := time.Now()
			if _, err := m.Info(context.Background()); !errors.Is(err, ErrStalled) || time.Since(began) > 2*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		})
	}
}

func TestInfo_tells_digest_context_and_tools(t *testing.T) {
	_, m := script(t, "completion", "tools")
	info, err := m.Info(context.Background())
	if want := (Info{Name: "small", Digest: "aa", Context: 2048, Tools: true}); err != nil || info != want {
		t.Fatalf("%+v, %v", info, err)
	}
}

var finder = []Tool{{
	Name: "find_providers", Description: "Finds people.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}`),
}}

func TestChat_takes_native_calls_with_arguments_as_written(t *testing.T) {
	s, m := script(t, "completion", "tools")
	s.chat = lines(
		`{"message":{"role":"assistant","content":"","tool_calls":[{"id":"x1","function":{"name":"find_providers","arguments":{"query":"sleep","limit":12345678901234567890}}},{"function":{"name":"find_providers","arguments":{}}}]},"done":false}`,
		done)
	r := ask("find someone")
	r.Tools = finder
	answer, _, err := chat(t, m, r)
	if err != nil {
		t.Fatal(err)
	}
	calls := answer.Message.Calls
	if len(calls) != 2 || calls[0].ID != "x1" || calls[1].ID != "made-1" {
		t.Fatalf("calls %+v", calls)
	}
	if string(calls[0].Arguments) != `{"query":"sleep","limit":12345678901234567890}` {
		t.Fatalf("arguments %s", calls[0].Arguments)
	}
	if tools := s.last(t, "/api/chat")["tools"].([]any); len(tools) != 1 {
		t.Fatalf("tools %v", tools)
	}
}

func TestChat_without_a_tool_template_streams_the_reply_inside_the_json(t *testing.T) {
	s, m := script(t, "completion")
	whole := `{"action": "reply", "arguments": {"text": "Caf\u00e9 \"ok\"\n\ud83d\ude00 fine"}}`
	var pieces []string
	for _, b := range strings.SplitAfter(whole, "") {
		pieces = append(pieces, content(b))
	}
	s.chat = lines(append(pieces, done)...)
	r := ask("hello")
	r.Tools = finder
	var heard []string
	answer, err := m.Chat(context.Background(), r, func(s string) { heard = append(heard, s) })
	if err != nil {
		t.Fatal(err)
	}
	const want = "Café \"ok\"\n😀 fine"
	if strings.Join(heard, "") != want || answer.Message.Text != want || len(answer.Message.Calls) != 0 {
		t.Fatalf("heard %q, answer %+v", heard, answer)
	}
	if len(heard) < 10 {
		t.Fatalf("the text came in %d pieces", len(heard))
	}
	sent := s.last(t, "/api/chat")
	if sent["format"] == nil || sent["tools"] != nil {
		t.Fatalf("sent %v", sent)
	}
	if first := sent["messages"].([]any)[0].(map[string]any); first["role"] != "system" || !strings.Contains(first["content"].(string), "find_providers") {
		t.Fatalf("first message %v", first)
	}
}

// What a server makes of a format is cut at four bytes for each of the format's.
func TestChat_gives_the_grammar_of_a_format_room(t *testing.T) {
	for members, roomy := range map[int]bool{1: false, 400: true} {
		t.Run(fmt.Sprint(members), func(t *testing.T) {
			properties := map[string]any{}
			for i := range members {
				properties[fmt.Sprintf("member_%d", i)] = map[string]any{"type": "string", "maxLength": 20}
			}
			s, m := script(t, "completion")
			s.chat = lines(content("{}"), done)
			r := ask("hello")
			r.Format = JSON(map[string]any{"type": "object", "properties": properties})
			if _, _, err := chat(t, m, r); err != nil {
				t.Fatal(err)
			}
			if sent := len(JSON(s.last(t, "/api/chat")["format"])); (sent >= 8*len(r.Format)) != roomy {
				t.Errorf("a format of %d bytes is sent in %d", len(r.Format), sent)
			}
		})
	}
}

func TestChat_without_a_tool_template_reads_an_action_as_a_call(t *testing.T) {
	s, m := script(t, "completion")
	s.chat = lines(content(`{"action":"find_providers","argum`), content(`ents":{"query":"sleep"}}`), done)
	r := ask("find someone")
	r.Tools = finder
	answer, heard, err := chat(t, m, r)
	if err != nil || heard != "" || answer.Message.Text != "" {
		t.Fatalf("heard %q, answer %+v, %v", heard, answer, err)
	}
	if c := answer.Message.Calls; len(c) != 1 || c[0].ID != "made-1" || c[0].Tool != "find_providers" || string(c[0].Arguments) != `{"query":"sleep"}` {
		t.Fatalf("calls %+v", c)
	}
}

func TestChat_writes_earlier_calls_as_text_when_the_template_knows_none(t *testing.T) {
	s, m := script(t, "completion")
	s.chat = lines(content("ok"), done)
	r := Request{Messages: []Message{
		{Role: "user", Text: "find"},
		{Role: "assistant", Calls: []Call{{ID: "1", Tool: "find_providers", Arguments: json.RawMessage(`{"query":"x"}`)}}},
		{Role: "tool", Call: "1", Tool: "find_providers", Text: `{"providers":[]}`},
	}}
	if _, _, err := chat(t, m, r); err != nil {
		t.Fatal(err)
	}
	sent := fmt.Sprint(s.last(t, "/api/chat")["messages"])
	if strings.Contains(sent, "role:tool") || !strings.Contains(sent, `{"action":"find_providers","arguments":{"query":"x"}}`) || !strings.Contains(sent, "Result of find_providers") {
		t.Fatal(sent)
	}
}

// Row 11 of the threats and the fault "Ollama dies, hangs, 500, malformed".
func TestSafety_11_faults_of_the_server_are_clear_errors_that_keep_the_partial_text(t *testing.T) {
	call := `{"message":{"content":"","tool_calls":[{"id":"x","function":{"name":"find_providers","arguments":{}}}]},"done":false}`
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code); fmt.Fprint(w, body) }
	}
	for name, c := range map[string]struct {
		chat http.HandlerFunc
		want error
		text string
	}{
		"a server error before the answer": {status(500, `{"error":"out of memory"}`), ErrServer, ""},
		"a server error page":              {status(502, `<html><script>alert(1)</script>`), ErrServer, ""},
		"a refused request":                {status(400, `{"error":"bad format"}`), ErrRequest, ""},
		"an account is asked for":          {status(401, `{"error":"unauthorized"}`), ErrRequest, ""},
		"a model that is gone":             {status(404, `{"error":"model 'small' not found"}`), ErrNoModel, ""},
		"a web page with status 200":       {lines("<!DOCTYPE html><p>Login"), ErrBroken, ""},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusTemporaryRedirect)
		}, ErrUnreachable, ""},
		"garbage after text":                   {lines(content("half"), `{"message":`), ErrBroken, "half"},
		"fields of the wrong kind":             {lines(content("half"), `{"message":[1,2]}`), ErrBroken, "half"},
		"a line of more than 8 MiB":            {lines(content("half"), `{"message":{"content":"`+strings.Repeat("x", lineLimit)+`"}}`), ErrBroken, "half"},
		"an error in the middle":               {lines(content("half"), `{"error":"runner terminated"}`), ErrServer, "half"},
		"an end without its mark":              {lines(content("half")), ErrBroken, "half"},
		"a call, then an end without its mark": {lines(content("half"), call), ErrBroken, "half"},
		"a call, then an error":                {lines(call, `{"error":"gone"}`), ErrServer, ""},
		"a call, then the token limit":         {lines(call, strings.Replace(done, `"stop"`, `"length"`, 1)), ErrBroken, ""},
		"a connection that breaks in the middle": {func(w http.ResponseWriter, r *http.Request) {
			lines(content("half"), call)(w, r)
			panic(http.ErrAbortHandler)
		}, ErrBroken, "half"},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, "completion", "tools")
			s.chat = c.chat
			r := ask("find someone")
			r.Tools = finder
			answer, heard, err := chat(t, m, r)
			if !errors.Is(err, c.want) {
				t.Fatalf("error %v, want %v", err, c.want)
			}
			if answer.Message.Text != c.text || heard != c.text || len(answer.Message.Calls) != 0 {
				t.Fatalf("heard %q, answer %+v", heard, answer)
			}
			if len(err.Error()) > 400 || strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Fatalf("the error is no short line: %q", err)
			}
		})
	}
}

// "It thought for ever, and then said a piece of its own protocol to me."
func TestSafety_11_an_answer_that_is_cut_within_a_line_says_why_it_is(t *testing.T) {
	for name, c := range map[string]struct {
		chat http.HandlerFunc
		want string
	}{
		"thoughts without end": {func(w http.ResponseWriter, r *http.Request) {
			line := []byte(`{"message":{"content":"","thinking":"` + strings.Repeat("hm ", 300_000) + `"}}` + "\n")
			for range bodyLimit/len(line) + 2 {
				if _, err := w.Write(line); err != nil {
					return
				}
			}
		}, "the answer has no end"},
		"a connection that breaks within a line": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"message":{"content":"half a li`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, "completion")
			s.chat = c.chat
			_, _, err := chat(t, m, ask("x"))
			if !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "message") {
				t.Error(err)
			}
		})
	}
}

func TestSafety_11_unknown_fields_and_empty_lines_are_passed_over(t *testing.T) {
	s, m := script(t, "completion")
	s.chat = lines(`{"surprise":{"a":[1]},"message":{"content":"a","shiny":true}}`, "", content("b"), done, content("after the end"))
	answer, heard, err := chat(t, m, ask("x"))
	if err != nil || heard != "ab" || answer.Message.Text != "ab" {
		t.Fatalf("%q %+v %v", heard, answer, err)
	}
}

func TestChat_with_a_cut_reply_or_format_is_broken_and_keeps_the_text(t *testing.T) {
	cut := strings.Replace(done, `"stop"`, `"length"`, 1)
	s, m := script(t, "completion")
	s.chat = lines(content(`{"action":"reply","arguments":{"text":"Take your ti`), cut)
	r := ask("x")
	r.Tools = finder
	answer, heard, err := chat(t, m, r)
	if !errors.Is(err, ErrBroken) || !answer.Cut || heard != "Take your ti" || answer.Message.Text != heard {
		t.Fatalf("%q %+v %v", heard, answer, err)
	}
	s.chat = lines(content(`{"risk":"no`), cut)
	r = ask("x")
	r.Format = json.RawMessage(`{"type":"object","properties":{"risk":{"type":"string"}},"required":["risk"]}`)
	answer, _, err = chat(t, m, r)
	if !errors.Is(err, ErrBroken) || answer.Message.Text != `{"risk":"no` {
		t.Fatalf("%+v %v", answer, err)
	}
	bound := s.last(t, "/api/chat")["format"].(map[string]any)["properties"].(map[string]any)["risk"].(map[string]any)
	if bound["maxLength"] == nil {
		t.Fatalf("the string has no bound: %v", bound)
	}
}

func TestChat_refuses_an_action_that_nobody_offered(t *testing.T) {
	for _, said := range []string{`{"action":"delete_all","arguments":{}}`, `{"action":"reply","arguments":{"text":"a"}} {}`, `[]`, `plain words`} {
		t.Run(said, func(t *testing.T) {
			s, m := script(t, "completion")
			s.chat = lines(content(said), done)
			r := ask("x")
			r.Tools = finder
			if answer, _, err := chat(t, m, r); !errors.Is(err, ErrBroken) || len(answer.Message.Calls) != 0 {
				t.Fatalf("%+v %v", answer, err)
			}
		})
	}
}

func TestChat_ends_within_a_second_of_its_context(t *testing.T) {
	s, m := script(t, "completion")
	s.chat = func(w http.ResponseWriter, r *http.Request) {
		lines(content("so far"))(w, r)
		<-r.Context().Done()
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at time.Time
	answer, err := m.Chat(ctx, ask("x"), func(string) { at = time.Now(); cancel() })
	if took := time.Since(at); took > time.Second {
		t.Fatalf("took %v", took)
	}
	if !errors.Is(err, context.Canceled) || answer.Message.Text != "so far" {
		t.Fatalf("%+v %v", answer, err)
	}
}

func TestChat_that_stalls_says_so(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, c := range map[string]struct {
		chat http.HandlerFunc
		text string
	}{
		"before the first token": {hang, ""},
		"between tokens":         {func(w http.ResponseWriter, r *http.Request) { lines(content("so far"))(w, r); hang(w, r) }, "so far"},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, "completion")
			m.options.FirstToken, m.options.NextToken = 200*time.Millisecond, 200*time.Millisecond
			s.chat = c.chat
			answer, _, err := chat(t, m, ask("x"))
			if !errors.Is(err, ErrStalled) || answer.Message.Text != c.text {
				t.Fatalf("%+v %v", answer, err)
			}
		})
	}
}

// "The model was still reading my long question, and the turn had failed."
func TestChat_a_long_prompt_may_be_read_for_longer(t *testing.T) {
	s, m := script(t, "completion")
	m.options.FirstToken = 500 * time.Millisecond // 20 times as long for this prompt
	s.chat = func(w http.ResponseWriter, r *http.Request) {
		read := time.NewTimer(3 * m.options.FirstToken)
		defer read.Stop()
		select {
		case <-read.C:
			lines(content("read"), done)(w, r)
		case <-r.Context().Done():
		}
	}
	if answer, _, err := chat(t, m, ask(strings.Repeat("word ", 2400*4*20/5))); err != nil || answer.Message.Text != "read" {
		t.Fatalf("%+v %v", answer, err)
	}
}

func TestChat_without_a_server_is_unreachable(t *testing.T) {
	s, m := script(t)
	s.Server.Close()
	if _, _, err := chat(t, m, ask("x")); !errors.Is(err, ErrUnreachable) {
		t.Fatal(err)
	}
}

func TestPromise_7_a_model_that_runs_elsewhere_is_refused(t *testing.T) {
	s, m := script(t, "completion")
	s.remote = "https://ollama.com:443"
	s.chat = lines(content("no"), done)
	if _, _, err := chat(t, m, ask("x")); !errors.Is(err, ErrRemote) {
		t.Fatal(err)
	}
	if len(s.requests["/api/chat"]) != 0 {
		t.Fatal("the message was sent")
	}
}

func TestEmbed_returns_vectors_of_length_one(t *testing.T) {
	s, m := script(t, "embedding")
	s.more["/api/embed"] = func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"embeddings":[[3,4],[0,2]]}`) }
	v, err := m.Embed(context.Background(), []string{"a", "b"})
	if err != nil || len(v) != 2 || math.Abs(float64(v[0][0])-0.6) > 1e-6 || v[1][1] != 1 {
		t.Fatalf("%v %v", v, err)
	}
	for _, bad := range []string{`{"embeddings":[[1]]}`, `{"embeddings":[[1,2],[1]]}`, `{"embeddings":[[0],[0]]}`, `{"embeddings":[[],[]]}`, `nonsense`, `{"embeddings":"x"}`} {
		s.more["/api/embed"] = func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, bad) }
		if _, err := m.Embed(context.Background(), []string{"a", "b"}); !errors.Is(err, ErrBroken) {
			t.Fatalf("%s: %v", bad, err)
		}
	}
}

// "It mixes the vectors of two versions of a model", "it compares vectors of two lengths".
func TestEmbedding_has_the_model_s_name_and_dimension_and_holds_it_to_them(t *testing.T) {
	s, m := script(t, "embedding")
	// The server does not say how many values there are: one vector is made to see.
	s.more["/api/embed"] = func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"embeddings":[[3,4]]}`) }
	e, err := NewEmbedding(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	info, err := m.Info(context.Background())
	if err != nil || !strings.HasPrefix(e.Name(), info.Name) || (info.Digest != "") != strings.Contains(e.Name(), "@") || e.Dimension() != 2 {
		t.Errorf("%q of %+v has %d values (%v)", e.Name(), info, e.Dimension(), err)
	}
	s.more["/api/embed"] = func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"embeddings":[[3,4],[0,2]]}`) }
	if v, err := e.Vector(context.Background(), []string{"a", "b"}); err != nil || len(v) != 2 || v[1][1] != 1 {
		t.Errorf("%v %v", v, err)
	}
	if v, err := e.Vector(context.Background(), nil); err != nil || len(v) != 0 {
		t.Errorf("%v %v", v, err)
	}
	s.more["/api/embed"] = func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"embeddings":[[1,2,3]]}`) }
	if _, err := e.Vector(context.Background(), []string{"a"}); !errors.Is(err, ErrBroken) {
		t.Errorf("three values: %v", err)
	}
}

func TestBoundSchema_keeps_order_and_bounds_what_may_not_end(t *testing.T) {
	in := `{"title":"t","$schema":"x","type":"object","properties":{"z":{"type":"string","pattern":"a+"},"a":{"$ref":"#/$defs/slot"},"l":{"type":"array","items":{"type":"string","maxLength":9000}},"e":{"enum":["x"]}},"required":["z"],"$defs":{"slot":{"type":"object","properties":{"start":{"type":"string","format":"date-time"}}}}}`
	out, err := boundSchema(json.RawMessage(in), 1000)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"z":{"type":"string","maxLength":400},"a":{"type":"object","properties":{"start":{"type":"string","format":"date-time"}},"additionalProperties":false},"l":{"type":"array","items":{"type":"string","maxLength":2000},"maxItems":16},"e":{"enum":["x"]}},"required":["z"],"additionalProperties":false}`
	if string(out) != want {
		t.Fatalf("%s", out)
	}
	for _, bad := range []string{`[]`, `{"$ref":"#"}`, `{"$ref":"http://x/y"}`, `{"$ref":"#/nowhere"}`, `{"properties":3}`, `{`} {
		if _, err := boundSchema(json.RawMessage(bad), 1000); !errors.Is(err, ErrRequest) {
			t.Fatalf("%s: %v", bad, err)
		}
	}
}

func FuzzReplyDecoder(f *testing.F) {
	f.Add("a\"b\\\n😀\u0001é", 3)
	f.Fuzz(func(t *testing.T, text string, step int) {
		if step < 1 || step > 50 {
			step = 1
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(quoted, &want); err != nil {
			t.Fatal(err)
		}
		raw := `{"action":"reply","arguments":{"text":` + string(quoted) + `}}`
		var d replyDecoder
		var got string
		for len(raw) > 0 {
			n := min(step, len(raw))
			got += d.add(raw[:n])
			raw = raw[n:]
		}
		if got != want || d.text() != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// "It streamed invented medicines for five minutes, the same ones again and again." What a model wrote
// before it went round in circles is its answer, unfinished; as a form or a call it is none.
func TestChat_ends_an_answer_that_goes_round_in_circles(t *testing.T) {
	const begins, again = "You take sertraline.", " Zolpidem 10 mg is taken at night."
	endless := func(s string) []string {
		var out []string
		for range 4000 {
			for _, word := range strings.SplitAfter(s, " ") {
				out = append(out, content(word))
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		capabilities []string
		first, again string
		ask          func(*Request)
		want         string // "" for no answer
	}{
		"words":             {[]string{"completion"}, begins, again, func(*Request) {}, begins + again},
		"a reply as action": {[]string{"completion"}, `{"action":"reply","arguments":{"text":"` + begins, again, func(r *Request) { r.Tools = finder }, begins + again},
		"a call as action":  {[]string{"completion"}, `{"action":"find_providers","arguments":{"query":"`, again, func(r *Request) { r.Tools = finder }, ""},
		"beside tools":      {[]string{"completion", "tools"}, begins, again, func(r *Request) { r.Tools = finder }, begins + again},
		"a form":            {[]string{"completion"}, `{"medicines":[`, `"Zolpidem 10 mg", "Codeine 5 mg", `, func(r *Request) { r.Format = json.RawMessage(`{"type":"object"}`) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, m := script(t, c.capabilities...)
			s.chat = lines(append([]string{content(c.first)}, endless(c.again)...)...)
			r := ask("what do I take?")
			r.Rounds = true
			c.ask(&r)
			answer, heard, err := chat(t, m, r)
			if c.want == "" {
				if !errors.Is(err, ErrUnusable) || len(answer.Message.Calls) > 0 {
					t.Fatalf("%+v, %v", answer, err)
				}
				return
			}
			if err != nil || answer.Message.Text != c.want || !answer.Cut || !answer.Repeats || answer.Usage.OutputTokens == 0 || len(heard) > 1000 {
				t.Fatalf("%+v, %v; %d bytes were shown", answer, err, len(heard))
			}
		})
	}
}

// "The smallest model wrote on and on." It says nothing of use at that length.
func TestChat_a_very_small_model_gets_a_shorter_limit(t *testing.T) {
	for parameters, want := range map[int]float64{134_515_008: 512, 1_235_814_432: 1024} {
		t.Run(fmt.Sprint(parameters), func(t *testing.T) {
			s, m := script(t, "completion")
			s.more["/api/show"] = func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(w, `{"capabilities":["completion"],"model_info":{"llama.context_length":2048,"general.architecture":"llama","general.parameter_count":%d}}`, parameters)
			}
			s.chat = lines(content("Good morning"), done)
			if _, _, err := chat(t, m, ask("hello")); err != nil {
				t.Fatal(err)
			}
			if got := s.last(t, "/api/chat")["options"].(map[string]any)["num_predict"]; got != want {
				t.Errorf("%v weights: %v tokens", parameters, got)
			}
		})
	}
}
