package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
)

// runs are the routes for programs: one POST starts a turn, GET reads and streams it. All
// are renderings of the turn's journal; "holdpoint serve --help" shows how to call them.
func (s *API) runs() {
	s.mux.HandleFunc("POST /api/runs", s.startRun)
	s.read("/api/runs/{id}", func(r *http.Request) (any, error) { return s.app.Execution(r.PathValue("id")) })
	s.mux.HandleFunc("GET /api/runs/{id}/stream", s.runStream)
}

// mostRead bounds what is read of a request that is too large, so that help can be given for it.
const mostRead = 16 << 20

// bodyOf reads the JSON of a request; of one that is too large, its beginning and its end.
func bodyOf(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if ct := r.Header.Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
		// A form on another site can only send other types.
		return nil, &app.Fault{Code: "content_type", Message: "Calls take application/json.", HTTP: http.StatusUnsupportedMediaType}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTime)) // the window's calls have none
	body := http.MaxBytesReader(w, r.Body, mostRead)
	raw, err := io.ReadAll(io.LimitReader(body, maxBody))
	tail, more := []byte(nil), err
	for piece := make([]byte, 64<<10); more == nil; {
		var n int
		n, more = body.Read(piece)
		tail = append(tail, piece[:n]...)
		tail = tail[max(0, len(tail)-len(piece)):]
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return raw, &app.Fault{Code: "slow", Message: "The request did not come in time.", Safe: "Nothing was changed.", HTTP: http.StatusRequestTimeout}
	}
	if raw = append(raw, tail...); err != nil || len(tail) > 0 {
		return raw, &app.Fault{Code: "too_large", Message: "The request is larger than 1 MiB.", Safe: "Nothing was changed.", HTTP: http.StatusRequestEntityTooLarge}
	}
	return raw, nil
}

// refused adds help to the reason why a request with a message was refused before the app saw it.
func (s *API) refused(raw []byte, err error) error {
	var in struct {
		Agent, Text string
		Vars        map[string]string
	}
	if json.Unmarshal(raw, &in) != nil && in.Text == "" {
		// What was cut off or is no JSON has its words all the same.
		in.Text = strings.NewReplacer(`\n`, "\n", `\"`, `"`).Replace(string(raw))
	}
	return s.app.WithHelp(app.TurnRequest{Agent: in.Agent, Text: in.Text, Vars: in.Vars}, err)
}

// startRun starts a turn. With wait it answers with its state at its end or pause; else at
// once, as running.
func (s *API) startRun(w http.ResponseWriter, r *http.Request) {
	raw, err := bodyOf(w, r)
	if err != nil {
		answer(w, nil, s.refused(raw, err))
		return
	}
	var in struct {
		app.TurnRequest
		Wait bool `json:"wait"`
	}
	if err := decode(raw, &in, "Send the fields that holdpoint serve --help names."); err != nil {
		answer(w, nil, s.refused(raw, err))
		return
	}
	started, err := s.app.StartTurn(r.Context(), in.TurnRequest)
	if err != nil {
		answer(w, nil, err)
		return
	}
	if in.Wait {
		select {
		case <-s.app.Driven(started.Turn):
		case <-r.Context().Done():
			return // nobody listens any more; the turn goes on
		}
	}
	v, err := s.app.Execution(started.Turn)
	w.Header().Set("Location", "/api/runs/"+started.Turn)
	answer(w, v, err)
}

// runStream sends the ends of a turn's stages, from the first one or behind an event's
// number, and the end of the turn. A turn that waits for a person ends the stream, too:
// after the verdict it goes on behind the last number.
func (s *API) runStream(w http.ResponseWriter, r *http.Request) {
	turn := r.PathValue("id")
	execution, err := s.app.Execution(turn)
	if err != nil {
		answer(w, nil, err)
		return
	}
	after, err := behind(r)
	if err != nil {
		answer(w, nil, err)
		return
	}
	live, stop := s.app.Listen(execution.Conversation)
	defer stop()
	send, ok := stream(w)
	if !ok {
		return
	}
	rendering := s.app.StageStream(turn)
	seen, ended := uint64(0), false
	take := func(e journal.Event) bool {
		seen = e.Seq
		end, stopped, err := rendering.Render(e)
		if err != nil {
			send("fault", "", app.AsFault(err))
			return false
		}
		if stopped || e.Turn == turn && e.Kind == journal.TurnResumed {
			ended = stopped
		}
		return end == nil || e.Seq <= after || send("node_end", strconv.FormatUint(e.Seq, 10), end)
	}
	done := func() {
		d, err := rendering.Done()
		if err != nil {
			send("fault", "", app.AsFault(err))
			return
		}
		send("done", strconv.FormatUint(seen, 10), d)
	}
	stored := func() bool { return s.stored(execution.Conversation, seen, send, take) }
	end := func() { // of a turn that nobody drives any more
		switch {
		case !stored():
		case ended:
			done()
		default:
			send("fault", "", &app.Fault{Code: "interrupted", Message: "This turn was under way when Holdpoint was closed.", Hint: "Go on with it: holdpoint resume " + turn + ", or the call resume.", Safe: "What was finished is kept."})
		}
	}
	gone := s.app.Driven(turn)
	select {
	case <-gone:
		end()
		return
	default:
	}
	if !stored() {
		return
	}
	over := follow(r, send, live, gone, func(e journal.Event) bool {
		if e.Seq <= seen {
			return true
		}
		if !take(e) {
			return false
		}
		if ended {
			done()
		}
		return !ended
	})
	if over {
		end()
	}
}
