package app

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"runtime"

	"holdpoint/engine/encoder"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/safety"
	"holdpoint/store"
)

// State is what every screen shows around its content.
type State struct {
	Version string            `json:"version"`
	Flavour map[string]bool   `json:"flavour"`
	Network map[string]string `json:"network"`
	Region  string            `json:"region"`
	// Zone is the clinic's time zone, e.g. Europe/London; "" where it is not known.
	Zone string `json:"zone"`
	// RegionChosen says that a person chose it; until then no country's numbers are shown.
	RegionChosen bool `json:"region_chosen"`
	Practice     bool `json:"practice"`
	// Manner is how the practice model behaves: "", stubborn, wrong or slow.
	Manner      model.Manner   `json:"practice_manner,omitempty"`
	FirstRun    bool           `json:"first_run"`
	Model       ModelState     `json:"model"`
	Counts      map[string]int `json:"counts"`
	Interrupted []Interrupted  `json:"interrupted"`
	// Lost are damaged rows, which lists leave out.
	Lost       []store.Lost `json:"lost,omitempty"`
	SafetyLine string       `json:"safety_line"`
	Reviewer   string       `json:"reviewer"`
	// Caller is who turns run for; nil for nobody in particular.
	Caller *CallerView `json:"caller,omitempty"`
	// Names are what a person calls tools, by their names.
	Names map[string]string `json:"names"`
}

// ModelState names the models in use, as far as they are known without asking.
type ModelState struct {
	Main  *model.Info `json:"main"`
	Light *model.Info `json:"light"`
	Embed *model.Info `json:"embed"`
	// Encoder is what compares meanings.
	Encoder EncoderView `json:"encoder"`
	Server  ServerView  `json:"server"`
}

// State collects the shell's facts from the store; it asks no server.
func (a *App) State(ctx context.Context) (State, error) {
	settings, err := a.Settings()
	if err != nil {
		return State{}, err
	}
	s := State{Version: a.version, Flavour: map[string]bool{"desktop": a.desktop, "ollama": model.OwnAvailable()}, Zone: a.Zone(), Region: settings.Region, RegionChosen: settings.RegionChosen,
		Counts: map[string]int{}, SafetyLine: safetyLine(settings.Region), Reviewer: settings.Reviewer, Caller: a.callerView(), Names: a.agents.names(),
		Network: map[string]string{"mode": "offline", "detail": "Nothing leaves this laptop."}}
	playing := a.Models.practice.or(settings.playing())
	s.Practice, s.Manner = playing.on, playing.manner
	if settings.Network {
		s.Network = a.onlineUse()
	}
	m := a.Models
	s.Model.Server = m.serverView(ctx, false)
	if s.Model.Encoder, err = a.EncoderView(); err != nil {
		return s, err
	}
	if s.Practice {
		info, err := (&model.Practice{Manner: s.Manner}).Info(ctx)
		if err != nil {
			return s, err
		}
		s.Model.Main, s.Model.Light = &info, &info
	} else {
		m.mu.Lock()
		for role, into := range map[model.Role]**model.Info{model.Main: &s.Model.Main, model.Light: &s.Model.Light, model.Embed: &s.Model.Embed} {
			if info, ok := m.infos[role]; ok && m.set != nil {
				*into = &info
			}
		}
		if s.Model.Main == nil {
			s.Model.Main = m.listed
		}
		m.mu.Unlock()
		if name := cmp.Or(m.name, settings.Main); s.Model.Main == nil && name != "" {
			s.Model.Main = &model.Info{Name: name}
		}
	}
	err = a.Store.Shown().Read(func(tx store.Tx) error {
		counts, err := tx.RecordTypes()
		if err != nil {
			return err
		}
		s.Counts["patients"], s.Counts["providers"], s.Counts["records"] = counts["Patient"], counts["Practitioner"], 0
		for _, n := range counts {
			s.Counts["records"] += n
		}
		return tx.Approvals(ledger.Pending, func(ap ledger.Approval) (bool, error) {
			if ap.At(a.now()) == ledger.Pending {
				s.Counts["approvals"]++
			}
			return true, nil
		})
	})
	if err != nil {
		return s, err
	}
	questions, err := a.Questions()
	if err != nil {
		return s, err
	}
	s.Counts["questions"] = len(questions)
	newest, _, err := a.Sessions(store.SessionQuery{Limit: 500})
	if err != nil {
		return s, err
	}
	s.Counts["sessions"] = len(newest)
	s.FirstRun = len(newest) == 0 && s.Counts["records"] == 0 && !s.Practice
	if s.Interrupted, err = a.Interrupted(); err != nil {
		return s, err
	}
	s.Lost, err = a.Store.Lost()
	return s, err
}

// SettingsView is the settings screen.
func (a *App) SettingsView() (any, error) {
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	return struct {
		Settings
		Regions []RegionView `json:"regions"`
		// Checked is the day on which the sources of the lines were last looked at.
		Checked string `json:"lines_checked"`
		// MemorySays is what switching memory on means.
		MemorySays string `json:"memory_says"`
	}{s, HelpLines(a.Tongue()), safety.LinesChecked(), MemorySays}, nil
}

// Check is one line of the doctor.
type Check struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	OK    bool   `json:"ok"`
	// Open says that nobody looked yet: it is neither well nor in need of attention.
	Open   bool   `json:"open,omitempty"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

const gigabyte = 1 << 30

// Doctor looks at what Holdpoint needs: a store, a server, a model, room.
func (a *App) Doctor(ctx context.Context) []Check {
	var out []Check
	add := func(id, title string, ok bool, detail, fix string) {
		out = append(out, Check{ID: id, Title: title, OK: ok, Detail: detail, Fix: fix})
	}

	var records int
	err := a.Store.ViewRecords(func(tx record.Tx) error {
		counts, err := tx.RecordTypes()
		for _, n := range counts {
			records += n
		}
		return err
	})
	file, fix := filepath.Join(a.dir, StoreFile), phrase("Run holdpoint check.")
	held := phrase("%s, %d records", file, records)
	if a.Store.ReadOnly() {
		held = phrase("%s, %d records; it cannot be written to: everything can be read, nothing can be changed", file, records)
		if err == nil {
			fix = phrase("Make the folder writable, or name another with --data.")
		}
	}
	add("store", "Store", err == nil && !a.Store.ReadOnly(), detail(err, held), fix)

	view, err := a.Models.View(ctx)
	serverOK := err == nil && view.Server.Status == "ready"
	what := view.Server.Error
	switch {
	case serverOK && view.Server.Kind == "own":
		what = phrase("our own, version %s", view.Server.Version)
	case serverOK:
		what = phrase("%s, version %s", view.Server.URL, view.Server.Version)
	}
	// A script answers in practice mode: what is not needed needs no attention.
	playing, playErr := a.Models.inPractice()
	practice := playErr == nil && playing.on
	if practice && !serverOK {
		what = phrase("not needed in practice mode")
	}
	add("ollama", "Model server (Ollama)", serverOK || practice, what, phrase("Start Ollama, use the full flavour of Holdpoint, or practice mode."))
	add("cpu", "Processor", true, phrase("%s, %d cores", runtime.GOARCH, runtime.NumCPU()), "")
	if serverOK {
		if text, err := a.Models.quickest(ctx); err != nil || text != "" {
			add("quantization", phrase("Read fastest"), err == nil, detail(err, text), phrase("Restart Holdpoint; logs/ollama.log in the data folder may say more."))
		}
	}
	main := view.Roles[model.Main]
	chosen := phrase("%d installed, and none is chosen", len(view.Models))
	if main != "" {
		chosen = phrase("%d installed, main: %s", len(view.Models), main)
	}
	if practice && main == "" {
		chosen = phrase("%d models; none is needed in practice mode", len(view.Models))
	}
	add("models", "Models", main != "" || practice, chosen, phrase("Pull a model, import a GGUF file, or use practice mode."))
	for _, x := range view.Models {
		if x.Name != main {
			continue
		}
		if x.Check == nil {
			add("model_check", phrase("What the model is good for"), true, phrase("not checked yet; five questions show it"), "")
			out[len(out)-1].Open = true
		} else {
			add("model_check", phrase("What the model is good for"), len(x.Check.Failed) == 0, x.Name+": "+x.Check.Says, phrase("Choose a stronger model; replies that no person can use are replaced by what the record says."))
		}
	}
	embed := view.Roles[model.Embed]
	meaning := view.Encoder
	uses := map[string]string{"inside": phrase("the sentence encoder compares meanings"), "file": phrase("the sentence encoder compares meanings"),
		"words": phrase("nothing compares meanings: providers and notes are found by words")}[meaning.Use]
	switch {
	case uses == "":
		uses = phrase("%s compares meanings", embed)
	case meaning.Chosen != "":
		uses = phrase("%s is chosen, and is not at hand: %s", meaning.Chosen, uses)
	}
	add("embed", "Embedding model", meaning.Chosen == "", uses, phrase("Start its server, or choose another under Models."))
	switch {
	case meaning.Title == "":
		add("encoder", "Sentence encoder", errors.Is(a.encoderMissing(), encoder.ErrMissing), meaning.Problem,
			phrase("Build with build/edge or build/run, or see holdpoint encoder import --help."))
	case meaning.Use == "file" || !encoder.Inside():
		add("encoder", "Sentence encoder", true, phrase("in the data folder: %s; %s; from %s", meaning.Title, meaning.License, meaning.Source), "")
	default:
		add("encoder", "Sentence encoder", true, phrase("in the program: %s; %s; from %s", meaning.Title, meaning.License, meaning.Source), "")
	}

	if free, err := freeDisk(a.dir); err == nil {
		add("disk", "Disk", free > 2*gigabyte, phrase("%.1f GB free", float64(free)/gigabyte), phrase("Free some space: a model takes 1 to 5 GB."))
	}
	if total, err := installed(); err == nil {
		add("memory", "Memory", total > 4*gigabyte, phrase("%.1f GB in all", float64(total)/gigabyte), phrase("Choose a small model, e.g. llama3.2:1b."))
	}
	return out
}

func (a *App) encoderMissing() error {
	_, err := a.encoder.Header()
	return err
}

func detail(err error, fine string) string {
	if err != nil {
		return AsFault(err).Message
	}
	return fine
}

// StorePath is the store's file in a data folder.
func StorePath(dir string) string { return filepath.Join(dir, StoreFile) }

func loginName() string {
	if u, err := user.Current(); err == nil {
		if u.Name != "" {
			return u.Name
		}
		return u.Username
	}
	return os.Getenv("USER")
}
