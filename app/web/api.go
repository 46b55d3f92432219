package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/library"
	"holdpoint/engine/record"
	"holdpoint/store"
)

// API is the app behind one http.Handler: reads under /api/, calls under
// /api/call/, the screens elsewhere. It checks no caller; see Server.
type API struct {
	app   *app.App
	mux   *http.ServeMux
	calls map[string]call
	files fs.FS
}

type call func(ctx context.Context, body json.RawMessage) (any, error)

// maxBody bounds the body of a call; uploads have their own bound.
const (
	maxBody   = 1 << 20
	maxUpload = 64 << 30
)

// NewAPI serves a with the built screens in files.
func NewAPI(a *app.App, files fs.FS) *API {
	s := &API{app: a, mux: http.NewServeMux(), files: files}
	s.calls = s.table()
	s.routes()
	s.servers()
	s.rules()
	s.forms()
	s.texts()
	s.online()
	s.holds()
	s.runs()
	return s
}

func (s *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// read registers a GET route that answers JSON.
func (s *API) read(pattern string, fn func(r *http.Request) (any, error)) {
	s.mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) {
		v, err := fn(r)
		answer(w, v, err)
	})
}

func answer(w http.ResponseWriter, v any, err error) {
	w.Header().Set("Content-Type", "application/json")
	status := http.StatusOK
	if err != nil {
		f := app.AsFault(err)
		status, v = f.HTTP, map[string]any{"error": f}
	}
	body, encErr := json.Marshal(v)
	if encErr != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":{"code":"error","message":"The answer could not be written."}}`)
	}
	w.WriteHeader(status)
	if _, err := w.Write(asUTF8(body)); err != nil {
		return // the reader went away
	}
}

// asUTF8 is JSON text that a browser reads whatever a store holds. What is hidden in it the
// screens make visible: they show whole texts.
func asUTF8(body []byte) []byte { return bytes.ToValidUTF8(body, []byte("\ufffd")) }

func (s *API) routes() {
	a := s.app
	s.read("/api/state", func(r *http.Request) (any, error) { return a.State(r.Context()) })
	s.read("/api/agents", func(*http.Request) (any, error) { return a.Agents() })
	s.read("/api/agents/schema", func(*http.Request) (any, error) { return app.AgentSchema(), nil })
	s.read("/api/agents/words", func(*http.Request) (any, error) { return a.Words() })
	s.read("/api/agents/examples", func(*http.Request) (any, error) { return app.Examples() })
	s.read("/api/agents/{id}/file", func(r *http.Request) (any, error) { return a.AgentFile(r.PathValue("id")) })
	s.read("/api/agents/{id}", func(r *http.Request) (any, error) {
		return a.Manifest(r.PathValue("id"), r.URL.Query().Get("pattern"))
	})
	s.read("/api/turns/{turn}/checkpoints", func(r *http.Request) (any, error) { return a.Checkpoints(r.PathValue("turn")) })
	s.read("/api/turns/{turn}/report", func(r *http.Request) (any, error) { return a.TurnReport(r.PathValue("turn")) })
	s.read("/api/turns/{turn}/manifest", func(r *http.Request) (any, error) { return a.RunManifest(r.PathValue("turn")) })
	s.read("/api/sessions", func(r *http.Request) (any, error) {
		q := r.URL.Query()
		list, next, err := a.Sessions(store.SessionQuery{Search: q.Get("search"), Status: q.Get("status"), Before: q.Get("before"), Limit: number(q.Get("limit"))})
		return map[string]any{"sessions": list, "next": next}, err
	})
	s.read("/api/sessions/{id}", func(r *http.Request) (any, error) { return a.Session(r.PathValue("id")) })
	s.read("/api/sessions/{id}/turns", func(r *http.Request) (any, error) { return a.Turns(r.PathValue("id")) })
	s.read("/api/sessions/{id}/journal", func(r *http.Request) (any, error) {
		events, last, err := a.Journal(r.PathValue("id"), uint64(number(r.URL.Query().Get("after"))), number(r.URL.Query().Get("limit")))
		if events == nil {
			events = []journal.Event{}
		}
		return map[string]any{"events": events, "last": last}, err
	})
	s.mux.HandleFunc("GET /api/sessions/{id}/stream", s.journalStream)
	s.mux.HandleFunc("GET /api/stream", s.noticeStream)
	s.mux.HandleFunc("GET /api/sessions/{id}/export", s.export)
	s.mux.HandleFunc("GET /api/blobs/{name}", s.blob)
	s.read("/api/approvals", func(r *http.Request) (any, error) {
		q := r.URL.Query()
		limit := number(q.Get("limit"))
		if limit == 0 || limit > 500 {
			limit = 500
		}
		list, next, err := a.ApprovalsPage(app.ApprovalQuery{Status: q.Get("status"), After: q.Get("after"), Limit: limit, Newest: q.Get("newest") == "1"})
		if err != nil {
			return nil, err
		}
		unknown, err := a.Unknowns()
		if err != nil {
			return nil, err
		}
		questions, err := a.Questions()
		if err != nil {
			return nil, err
		}
		stranded, err := a.StrandedTurns()
		return map[string]any{"approvals": list, "next": next, "unknown": unknown, "questions": questions, "stranded": stranded}, err
	})
	s.read("/api/approvals/{id}", func(r *http.Request) (any, error) {
		// What only wants to know whom it is about gets no nonce: it decides nothing.
		return a.Approval(r.PathValue("id"), r.URL.Query().Get("brief") != "1")
	})
	s.read("/api/memory/{session}", func(r *http.Request) (any, error) { return a.Memory(r.PathValue("session")) })
	s.read("/api/memories", func(r *http.Request) (any, error) {
		return a.Memories(r.Context(), r.URL.Query().Get("about"), r.URL.Query().Get("search"))
	})
	s.read("/api/memories/{id}", func(r *http.Request) (any, error) { return a.Episode(r.PathValue("id")) })
	s.read("/api/records", func(*http.Request) (any, error) { return a.RecordTypes() })
	s.read("/api/titles", func(r *http.Request) (any, error) {
		return a.Named(r.URL.Query().Get("search"), min(50, cmp.Or(number(r.URL.Query().Get("limit")), 8)))
	})
	s.read("/api/records/{type}", func(r *http.Request) (any, error) {
		q := r.URL.Query()
		if about, ok := record.ParseRef(q.Get("about")); ok {
			return a.RecordsAbout(about, r.PathValue("type"), q.Get("search"), min(200, cmp.Or(number(q.Get("limit")), 50)))
		}
		return a.Records(r.PathValue("type"), q.Get("after"), q.Get("search"), number(q.Get("limit")))
	})
	s.read("/api/records/{type}/{id}", func(r *http.Request) (any, error) { return a.Record(r.PathValue("type"), r.PathValue("id")) })
	s.read("/api/library", func(r *http.Request) (any, error) {
		q := r.URL.Query()
		return a.Documents(q.Get("filter"), q.Get("source"), q.Get("type"), q.Get("after"), number(q.Get("limit")))
	})
	s.read("/api/library/search", func(r *http.Request) (any, error) {
		q := r.URL.Query()
		return a.SearchLibrary(r.Context(), library.Query{Text: q.Get("q"), By: q.Get("by"), Source: q.Get("source"), Kind: q.Get("type"), From: q.Get("from"), To: q.Get("to"),
			Document: q.Get("document"), Limit: number(q.Get("limit"))})
	})
	s.read("/api/library/documents/{id}", func(r *http.Request) (any, error) {
		q := r.URL.Query()
		return a.Document(r.PathValue("id"), number(q.Get("from")), number(q.Get("limit")))
	})
	s.read("/api/library/documents/{id}/passages/{n}", func(r *http.Request) (any, error) {
		return a.CitedPassage(r.PathValue("id"), uint64(number(r.PathValue("n"))))
	})
	s.read("/api/library/documents/{id}/boards", func(r *http.Request) (any, error) {
		list, err := a.Citing(r.PathValue("id"))
		return map[string]any{"boards": list}, err
	})
	s.mux.HandleFunc("GET /api/library/documents/{id}/pages/{page}", s.page)
	s.read("/api/boards", func(*http.Request) (any, error) {
		list, err := a.Boards()
		return map[string]any{"boards": list}, err
	})
	s.read("/api/boards/{turn}", func(r *http.Request) (any, error) { return a.Board(r.PathValue("turn")) })
	s.mux.HandleFunc("GET /api/boards/{turn}/report", func(w http.ResponseWriter, r *http.Request) {
		e, err := a.BoardReport(r.PathValue("turn"), r.URL.Query().Get("format"), r.URL.Query().Get("language"))
		send(w, r, e, err)
	})
	s.read("/api/records/{type}/{id}/approved", func(r *http.Request) (any, error) { return a.ApprovedFor(r.PathValue("type"), r.PathValue("id")) })
	s.read("/api/records/{type}/{id}/linked", func(r *http.Request) (any, error) { return a.Linked(r.PathValue("type"), r.PathValue("id")) })
	s.read("/api/patients", func(r *http.Request) (any, error) {
		q := r.URL.Query()
		// Without a limit it is the list itself, whole.
		if limit := number(q.Get("limit")); limit > 0 {
			return a.PatientsPage(q.Get("search"), q.Get("after"), min(limit, 500))
		}
		return a.Patients(q.Get("search"))
	})
	s.read("/api/patients/{id}", func(r *http.Request) (any, error) { return a.Brief(r.PathValue("id")) })
	s.read("/api/patients/{id}/chart", func(r *http.Request) (any, error) { return a.Chart(r.PathValue("id")) })
	s.read("/api/providers/{id}/slots", func(r *http.Request) (any, error) { return a.Slots(r.PathValue("id")) })
	s.read("/api/search", func(r *http.Request) (any, error) {
		return a.Search(r.URL.Query().Get("q"), r.URL.Query().Get("before"), r.URL.Query().Get("from"))
	})
	s.read("/api/drafts/{session}", func(r *http.Request) (any, error) { return a.Draft(r.PathValue("session")) })
	s.read("/api/models", func(r *http.Request) (any, error) { return a.Models.View(r.Context()) })
	s.read("/api/jobs", func(*http.Request) (any, error) { return a.Jobs(), nil })
	s.read("/api/doctor", func(r *http.Request) (any, error) { return a.Doctor(r.Context()), nil })
	s.read("/api/settings", func(*http.Request) (any, error) { return a.SettingsView() })
	s.read("/api/help_text", func(r *http.Request) (any, error) {
		q := r.URL.Query()
		return app.HelpText(app.HelpQuery{Category: q.Get("category"), Speaker: q.Get("speaker"), Language: q.Get("language"), Region: q.Get("region"), CheckIn: q.Get("check_in") == "true", Informal: q.Get("informal") == "true", Child: q.Get("child") == "true"})
	})
	s.read("/api/help", func(r *http.Request) (any, error) { return app.Help(r.URL.Query().Get("language")), nil })
	s.mux.HandleFunc("POST /api/call/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		raw, err := bodyOf(w, r)
		if err != nil {
			if name == "send" || name == "check_message" {
				err = s.refused(raw, err)
			}
			answer(w, nil, err)
			return
		}
		v, err := s.Invoke(r.Context(), name, raw)
		answer(w, v, err)
	})
	s.mux.HandleFunc("POST /api/upload/{kind}", s.upload)
	s.mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, nil, &app.Fault{Code: "not_found", Message: fmt.Sprintf("There is no %s %s.", r.Method, r.URL.Path), HTTP: http.StatusNotFound})
	})
	s.mux.HandleFunc("/", s.screens)
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Invoke runs one call by name.
func (s *API) Invoke(ctx context.Context, name string, body []byte) (any, error) {
	fn, ok := s.calls[name]
	if !ok {
		return nil, &app.Fault{Code: "not_found", Message: fmt.Sprintf("There is no call %q.", name), HTTP: http.StatusNotFound}
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	return fn(ctx, body)
}

// on decodes a body strictly and calls fn.
func on[T any](fn func(context.Context, T) (any, error)) call {
	return func(ctx context.Context, body json.RawMessage) (any, error) {
		var in T
		if err := decode(body, &in, fieldsOfCall); err != nil {
			return nil, err
		}
		v, err := fn(ctx, in)
		if v == nil && err == nil {
			v = struct{}{}
		}
		return v, err
	}
}

const fieldsOfCall = "Send the fields that the call takes."

// decode reads a body strictly; hint says where its fields are told.
func decode(body []byte, into any, hint string) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return app.Bad("The request cannot be read: "+err.Error(), hint)
	}
	return nil
}

type (
	turnOf  struct{ Turn string }
	idOf    struct{ ID string }
	nothing struct{}
	jobOf   struct {
		Job app.Job `json:"job"`
	}
	approvalOf struct {
		Approval app.ApprovalView `json:"approval"`
	}
)

func (s *API) table() map[string]call {
	a := s.app
	return map[string]call{
		"send": func(ctx context.Context, body json.RawMessage) (any, error) {
			var in app.TurnRequest
			if err := decode(body, &in, fieldsOfCall); err != nil {
				return nil, s.refused(body, err)
			}
			return a.StartTurn(ctx, in)
		},
		"stop":    on(func(_ context.Context, in turnOf) (any, error) { return nil, a.Stop(in.Turn) }),
		"resume":  on(func(ctx context.Context, in turnOf) (any, error) { return nil, a.Resume(ctx, in.Turn) }),
		"abandon": on(func(_ context.Context, in turnOf) (any, error) { return nil, a.Abandon(in.Turn) }),
		"replay": on(func(ctx context.Context, in struct {
			Turn string `json:"turn"`
			Step int    `json:"step"`
		}) (any, error) {
			return a.Replay(ctx, in.Turn, in.Step)
		}),
		"regenerate": on(func(ctx context.Context, in turnOf) (any, error) { return a.Regenerate(ctx, in.Turn) }),
		"answer": on(func(ctx context.Context, in struct {
			Turn, Pause string
			Answer      json.RawMessage
		}) (any, error) {
			help, err := a.Answer(ctx, in.Turn, in.Pause, in.Answer)
			return map[string]any{"help": help}, err
		}),
		"more": on(func(ctx context.Context, in app.Grant) (any, error) { return nil, a.More(ctx, in) }),
		"add_agent": on(func(_ context.Context, in struct{ Path, YAML string }) (any, error) {
			if in.Path != "" {
				var err error
				if in.YAML, err = app.ReadDefinitionFile(in.Path); err != nil {
					return nil, err
				}
			}
			id, err := a.AddAgent(in.YAML)
			return map[string]string{"id": id}, err
		}),
		"change_agent": on(func(_ context.Context, in struct{ ID, Digest, YAML string }) (any, error) {
			return nil, a.ChangeAgent(in.ID, in.Digest, in.YAML)
		}),
		"remove_agent": on(func(_ context.Context, in idOf) (any, error) { return nil, a.RemoveAgent(in.ID) }),
		"check_agent": on(func(_ context.Context, in struct{ YAML string }) (any, error) {
			manifest, problems, err := a.PreviewAgent(in.YAML)
			return map[string]any{"ok": len(problems) == 0, "errors": problems, "warnings": a.AgentWarnings(in.YAML), "manifest": manifest}, err
		}),
		"save_draft": on(func(_ context.Context, in struct{ Session, Text string }) (any, error) {
			return nil, a.SaveDraft(in.Session, in.Text)
		}),
		"check_message": on(func(_ context.Context, in app.MessageCheck) (any, error) { return a.CheckMessage(in) }),
		"check_model": on(func(_ context.Context, in struct{ Name string }) (any, error) {
			return jobOf{a.Models.CheckInBackground(in.Name)}, nil
		}),
		"approve": on(func(ctx context.Context, in app.Decision) (any, error) {
			v, err := a.DecideOnScreen(ctx, in, true)
			return approvalOf{v}, err
		}),
		"reject": on(func(ctx context.Context, in app.Decision) (any, error) {
			v, err := a.DecideOnScreen(ctx, in, false)
			return approvalOf{v}, err
		}),
		"modify": on(func(_ context.Context, in app.Decision) (any, error) {
			v, err := a.ModifyOnScreen(in)
			return approvalOf{v}, err
		}),
		"rename_session": on(func(_ context.Context, in struct{ ID, Title string }) (any, error) {
			return nil, a.Rename(in.ID, in.Title)
		}),
		"delete_session": on(func(_ context.Context, in idOf) (any, error) { return nil, a.DeleteSession(in.ID) }),
		"set_subject": on(func(_ context.Context, in struct{ ID, Subject string }) (any, error) {
			return nil, a.SetSubject(in.ID, in.Subject)
		}),
		"set_patient": on(func(_ context.Context, in struct{ ID, Patient string }) (any, error) {
			return nil, a.SetPatient(in.ID, in.Patient)
		}),
		"forget_memory": on(func(_ context.Context, in struct{ Session, Tool string }) (any, error) {
			return nil, a.Forget(in.Session, in.Tool)
		}),
		"correct_episode": on(func(_ context.Context, in struct{ ID, Text string }) (any, error) {
			return a.CorrectEpisode(in.ID, in.Text)
		}),
		"forget_episode": on(func(_ context.Context, in idOf) (any, error) { return nil, a.ForgetEpisode(in.ID) }),
		"import_sample":  on(func(context.Context, nothing) (any, error) { return jobOf{a.ImportSample()}, nil }),
		"import_records": on(func(_ context.Context, in struct{ Path string }) (any, error) {
			j, err := a.ImportRecords(in.Path)
			return jobOf{j}, err
		}),
		"choose_columns": on(func(_ context.Context, in struct {
			Source string
			record.Choice
		}) (any, error) {
			return a.ChooseColumns(in.Source, in.Choice)
		}),
		"import_library": on(func(_ context.Context, in struct{ Path string }) (any, error) {
			j, err := a.StartImportDocuments(in.Path)
			return jobOf{j}, err
		}),
		"change_board":    on(func(_ context.Context, in app.BoardChange) (any, error) { return a.ChangeBoard(in) }),
		"reindex_library": on(func(context.Context, nothing) (any, error) { return jobOf{a.StartReindex()}, nil }),
		"remove_record": on(func(_ context.Context, in struct {
			Type string `json:"type"`
			ID   string `json:"id"`
		}) (any, error) {
			return nil, a.RemoveRecords(record.Ref{Type: in.Type, ID: in.ID})
		}),
		"remove_document": on(func(_ context.Context, in idOf) (any, error) { return nil, a.DeleteDocument(in.ID) }),
		"import_model": on(func(_ context.Context, in struct{ Path, Name string }) (any, error) {
			j, err := a.Models.Import(in.Path, in.Name)
			return jobOf{j}, err
		}),
		"pull_model": on(func(_ context.Context, in struct{ Name string }) (any, error) {
			j, err := a.Models.Pull(in.Name)
			return jobOf{j}, err
		}),
		"cancel_job": on(func(_ context.Context, in idOf) (any, error) { return nil, a.CancelJob(in.ID) }),
		"delete_model": on(func(ctx context.Context, in struct{ Name string }) (any, error) {
			return nil, a.Models.Delete(ctx, in.Name)
		}),
		"set_role": on(func(ctx context.Context, in struct{ Role, Model string }) (any, error) {
			return nil, a.Models.SetRole(ctx, in.Role, in.Model)
		}),
		"set_practice": on(func(_ context.Context, in struct {
			On     bool
			Manner string // "" for as asked, stubborn, wrong, slow
		}) (any, error) {
			if in.On && in.Manner != "" {
				return nil, a.Set("practice", json.RawMessage(strconv.Quote(in.Manner)))
			}
			return nil, a.Set("practice", json.RawMessage(strconv.FormatBool(in.On)))
		}),
		"start_server": on(func(ctx context.Context, _ nothing) (any, error) { return nil, a.Models.Start(ctx) }),
		"follow_language": on(func(_ context.Context, in struct {
			Language string `json:"language"`
		}) (any, error) {
			changed, err := a.FollowLanguage(in.Language)
			return map[string]bool{"changed": changed}, err
		}),
		"set_setting": on(func(_ context.Context, in struct {
			Key   string
			Value json.RawMessage
		}) (any, error) {
			return nil, a.Set(in.Key, in.Value)
		}),
	}
}

// upload streams a file of the browser into an import, or several: each part of a form.
func (s *API) upload(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		s.uploadFiles(w, r)
		return
	}
	name := path.Base(path.Clean("/" + strings.ReplaceAll(r.URL.Query().Get("name"), `\`, "/")))
	body := http.MaxBytesReader(w, r.Body, maxUpload)
	j, err := s.app.Upload(r.Context(), r.PathValue("kind"), name, body)
	drain(body)
	answer(w, jobOf{j}, err)
}

// drain reads what an import that was cancelled left unread. A connection that ends before all was
// sent makes browsers send the same once more, by themselves: the import would begin anew.
func drain(body io.Reader) {
	_, _ = io.Copy(io.Discard, body) // whoever sends may be gone
}

func (s *API) uploadFiles(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	parts, err := r.MultipartReader()
	if err != nil {
		answer(w, nil, app.Bad("The files cannot be read: they are not a form.", "Send each file as a part of a form."))
		return
	}
	title := path.Base(path.Clean("/" + r.URL.Query().Get("name")))
	j, err := s.app.UploadFiles(r.Context(), r.PathValue("kind"), title, func() (string, io.Reader, error) {
		part, err := parts.NextPart()
		if err != nil {
			return "", nil, err
		}
		// The name of the part is the path in the folder; that of the file is its last piece.
		name := strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(part.FormName(), `\`, "/")), "/")
		return name, part, nil
	})
	drain(r.Body)
	answer(w, jobOf{j}, err)
}

// page sends a picture of a PDF's page: nothing of the file itself reaches the browser.
func (s *API) page(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	body, err := s.app.PageImage(r.Context(), r.PathValue("id"), number(r.PathValue("page")), number(q.Get("width")), uint64(number(q.Get("passage"))))
	if err != nil {
		answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	if _, err := w.Write(body); err != nil {
		return // the reader went away
	}
}

func (s *API) blob(w http.ResponseWriter, r *http.Request) {
	body, err := s.app.Blob(r.PathValue("name"))
	if err != nil {
		answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if _, err := w.Write(body); err != nil {
		return // the reader went away
	}
}

func (s *API) export(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	e, err := s.app.Export(app.ExportQuery{Session: r.PathValue("id"), Format: q.Get("format"), Trace: q.Get("trace") == "1", From: q.Get("from"), To: q.Get("to"), Language: q.Get("language")})
	send(w, r, e, err)
}

// send writes an export as a file.
func send(w http.ResponseWriter, r *http.Request, e app.Export, err error) {
	if err != nil {
		answer(w, nil, err)
		return
	}
	kind := "attachment"
	if r.URL.Query().Get("inline") == "1" {
		kind = "inline"
	}
	w.Header().Set("Content-Type", e.ContentType)
	w.Header().Set("Content-Disposition", fmt.Sprintf("%s; filename=%q", kind, e.Name))
	if e.ContentType == "text/html; charset=utf-8" {
		// An export is a document: it runs nothing and loads nothing.
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-modals; frame-ancestors 'self'")
	}
	if err := e.Write(w); err != nil {
		panic(http.ErrAbortHandler) // half a file must not pass for a whole one
	}
}

// screens serves the built frontend; every unknown path is the one page.
func (s *API) screens(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	if _, err := fs.Stat(s.files, name); errors.Is(err, fs.ErrNotExist) || name == ".gitkeep" {
		name = "index.html"
	}
	if _, err := fs.Stat(s.files, name); err != nil {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><html lang=en><title>Holdpoint</title><h1>The screens are not built yet</h1><p>Run <code>./build/run</code>, or <code>npm ci &amp;&amp; npm run build</code> in <code>frontend</code>, and build Holdpoint again. The command line works without them.</p></html>")
		return
	}
	if strings.HasPrefix(name, "assets/") {
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	http.ServeFileFS(w, r, s.files, name)
}

// journalStream sends the stored events after a sequence number, then live ones.
// It listens before it reads, so that no event falls between.
func (s *API) journalStream(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	after, err := behind(r)
	if err != nil {
		answer(w, nil, err)
		return
	}
	live, stop := s.app.Listen(id)
	defer stop()
	send, ok := stream(w)
	if !ok {
		return
	}
	take := func(e journal.Event) bool {
		if e.Seq == 0 {
			return send("", "", e)
		}
		if e.Seq > after {
			after = e.Seq
			return send("", strconv.FormatUint(e.Seq, 10), e)
		}
		return true
	}
	if s.stored(id, after, send, take) {
		follow(r, send, live, nil, take)
	}
}

// behind is the number of the event that a reader of a stream has seen last.
func behind(r *http.Request) (after uint64, err error) {
	for _, seen := range []string{r.URL.Query().Get("after"), r.Header.Get("Last-Event-ID")} {
		if seen == "" {
			continue
		}
		n, err := strconv.ParseUint(seen, 10, 63)
		if err != nil {
			return 0, app.Bad("A stream goes on behind the number of an event.", "Give after the id of the last event that came, or leave it out.")
		}
		after = max(after, n)
	}
	return after, nil
}

// stored hands on the events of a session that are in the store, behind one of them.
func (s *API) stored(session string, after uint64, send sender, take func(journal.Event) bool) bool {
	for {
		events, _, err := s.app.Journal(session, after, 1000)
		if err != nil {
			send("fault", "", app.AsFault(err))
			return false
		}
		for _, e := range events {
			if !take(e) {
				return false
			}
			after = e.Seq
		}
		if len(events) < 1000 {
			return true
		}
	}
}

// follow hands on what comes and keeps the connection alive, until the reader is gone or
// falls behind (it connects again after what it saw last), or take wants no more. Over says
// that it was gone that ended it.
func follow[T any](r *http.Request, send sender, live <-chan T, gone <-chan struct{}, take func(T) bool) (over bool) {
	beat := time.NewTicker(15 * time.Second)
	defer beat.Stop()
	for {
		select {
		case <-r.Context().Done():
			return false
		case <-gone:
			return true
		case <-beat.C:
			if !send("", "", nil) {
				return false
			}
		case x, open := <-live:
			if !open || !take(x) {
				return false
			}
		}
	}
}

func (s *API) noticeStream(w http.ResponseWriter, r *http.Request) {
	notices, stop := s.app.Watch()
	defer stop()
	send, ok := stream(w)
	if !ok {
		return
	}
	follow(r, send, notices, nil, func(n app.Notice) bool { return send("", "", n) })
}

// How long a stream's reader may take to take what is sent, and a page to send a call.
const (
	writeTime = 30 * time.Second
	readTime  = 30 * time.Second
)

// sender sends an event. With a nil value it sends a comment, which keeps the connection
// open; it is false when the reader is gone.
type sender func(event, id string, v any) bool

// stream starts a server-sent event stream.
func stream(w http.ResponseWriter) (send sender, ok bool) {
	rc := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if rc.Flush() != nil {
		return nil, false
	}
	return func(event, id string, v any) bool {
		var b strings.Builder
		if v == nil {
			b.WriteString(": \n\n")
		} else {
			data, err := json.Marshal(v)
			if err != nil {
				return false
			}
			if event != "" {
				b.WriteString("event: " + event + "\n")
			}
			if id != "" {
				b.WriteString("id: " + id + "\n")
			}
			b.WriteString("data: ")
			b.Write(asUTF8(data))
			b.WriteString("\n\n")
		}
		// A reader that takes nothing is gone; a writer without deadlines is a test's.
		_ = rc.SetWriteDeadline(time.Now().Add(writeTime))
		if _, err := io.WriteString(w, b.String()); err != nil {
			return false
		}
		return rc.Flush() == nil
	}, true
}
