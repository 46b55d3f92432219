package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/encoder"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
)

// Models finds the model server and says which model plays which role. Nothing is
// started or asked before it is needed.
type Models struct {
	a        *App
	flag     string  // --ollama
	name     string  // --model
	practice playing // --practice
	pace     time.Duration
	own      *model.Own

	mu     sync.Mutex
	server *model.Server
	status string // stopped, starting, ready, failed
	err    string
	ollama map[string]*model.Ollama
	set    *model.Set
	embeds encoder.Encoder // the embedding model in use; nil without one
	// gone says that the server has not the embedding model that was chosen.
	gone  bool
	infos map[model.Role]model.Info
	setAt time.Time
	// listed is the main model as the models were listed last, before a turn asked it.
	listed *model.Info
}

// rolesKept is how long a choice of models is reused without asking the server again.
const rolesKept = 30 * time.Second

func newModels(a *App, o Options) *Models {
	m := &Models{a: a, flag: o.Ollama, name: o.Model, practice: playing{o.Practice, o.Manner}, pace: o.Pace, status: "stopped", ollama: map[string]*model.Ollama{}}
	if model.OwnAvailable() {
		m.own = model.NewOwn(model.OwnOptions{Data: cmp.Or(o.ServerDir, o.Dir), Log: o.Log})
	}
	return m
}

func (m *Models) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	if m.server != nil {
		err = m.server.Close()
	}
	if m.own != nil {
		err = errors.Join(err, m.own.Close())
	}
	return err
}

// locate finds the server once; a failure is tried again the next time.
func (m *Models) locate(ctx context.Context) (*model.Server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.server != nil {
		return m.server, nil
	}
	settings, err := m.a.Settings()
	if err != nil {
		return nil, err
	}
	s, err := model.Locate(ctx, model.Options{Flag: cmp.Or(m.flag, settings.OllamaURL), Env: os.Getenv("OLLAMA_HOST"), Own: m.own, AllowRemote: settings.Network})
	if err != nil {
		m.status, m.err = "failed", AsFault(err).Message
		return nil, err
	}
	m.server = s
	return s, nil
}

// forgetChoice makes the next turn look at the models again.
func (m *Models) forgetChoice() {
	m.mu.Lock()
	m.set = nil
	m.mu.Unlock()
	m.a.hub.notify(Notice{Kind: NoticeModels})
	m.a.hub.notify(Notice{Kind: NoticeState})
}

// lookAgain forgets which server is used; our own keeps running for when it is
// chosen again.
func (m *Models) lookAgain() {
	m.mu.Lock()
	m.server, m.set, m.ollama, m.status, m.err = nil, nil, map[string]*model.Ollama{}, "stopped", ""
	m.mu.Unlock()
}

// lost forgets a server that no longer answers, so that the next one is looked for.
func (m *Models) lost(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status, m.err, m.set = "failed", AsFault(err).Message, nil
	if m.server != nil && m.server.Place() != model.Ours {
		m.server, m.ollama = nil, map[string]*model.Ollama{}
	}
}

func (m *Models) get(s *model.Server, name string) *model.Ollama {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.ollama[name]
	if o == nil {
		o = model.NewOllama(s, name, model.OllamaOptions{})
		m.ollama[name] = o
	}
	return o
}

// playing says whether the scripted model answers, and how it behaves.
type playing struct {
	on     bool
	manner model.Manner
}

// or is p, or q where p is off.
func (p playing) or(q playing) playing {
	if p.on {
		return p
	}
	return q
}

// playing is that of the chosen settings.
func (s *Settings) playing() playing { return playing{s.Practice, s.Manner} }

// inPractice says whether turns use the scripted model.
func (m *Models) inPractice() (playing, error) {
	s, err := m.a.Settings()
	return m.practice.or(s.playing()), err
}

// slowly is what a slow practice model waits before an answer and before each word.
const slowly, slowWords = 4 * time.Second, 150 * time.Millisecond

// practiceWords are the scripted model's in a language.
func practiceWords(language string) model.Words {
	g := tongue.Tongue(language)
	return model.Words{Say: g.Say, Told: g.Told}
}

// choose says which models a turn gets, and which encoder: the embedding model that the
// person chose, else the one in the program.
func (m *Models) choose(ctx context.Context, practice playing, scripts []model.Script) (model.Set, encoder.Encoder, model.Info, error) {
	if practice.on {
		p, quick := &model.Practice{Scripts: scripts, Words: practiceWords, Manner: practice.manner}, &model.Practice{Scripts: scripts, Words: practiceWords, Manner: practice.manner}
		if m.pace > 0 {
			p.Pace = model.Steady(m.pace)
		}
		if practice.manner == model.Slow {
			p.Delay, quick.Delay, p.Pace = model.Steady(slowly), model.Steady(slowly), model.Steady(slowWords)
		}
		info, err := p.Info(ctx)
		return model.Set{Main: p, Light: quick}, m.a.builtIn(), info, err
	}
	m.mu.Lock()
	if m.set != nil && m.a.now().Sub(m.setAt) < rolesKept {
		set, embeds, info := *m.set, m.embeds, m.infos[model.Main]
		m.mu.Unlock()
		return set, cmp.Or(embeds, m.a.builtIn()), info, nil
	}
	m.mu.Unlock()
	s, err := m.locate(ctx)
	if err != nil {
		return model.Set{}, nil, model.Info{}, err
	}
	stored, err := model.NewLibrary(s).List(ctx)
	if err != nil {
		m.lost(err)
		return model.Set{}, nil, model.Info{}, err
	}
	roles, err := m.roles(ctx, s, stored)
	if err != nil {
		return model.Set{}, nil, model.Info{}, err
	}
	if roles[model.Main] == "" {
		return model.Set{}, nil, model.Info{}, fmt.Errorf("%w: there is none on the server yet", model.ErrNoModel)
	}
	set := model.Set{Main: m.get(s, roles[model.Main]), Light: m.get(s, roles[model.Light])}
	infos := map[model.Role]model.Info{}
	if infos[model.Main], err = set.Main.Info(ctx); err != nil {
		return model.Set{}, nil, model.Info{}, err
	}
	if infos[model.Light], err = set.Light.Info(ctx); err != nil {
		return model.Set{}, nil, model.Info{}, err
	}
	embeds, gone, err := m.embedding(ctx, s, roles[model.Embed])
	if err != nil {
		return model.Set{}, nil, model.Info{}, err
	}
	if embeds != nil {
		infos[model.Embed], err = m.get(s, roles[model.Embed]).Info(ctx)
		if err != nil {
			return model.Set{}, nil, model.Info{}, err
		}
	}
	m.mu.Lock()
	m.set, m.embeds, m.gone, m.infos, m.setAt, m.status, m.err = &set, embeds, gone, infos, m.a.now(), "ready", ""
	m.mu.Unlock()
	return set, cmp.Or(embeds, m.a.builtIn()), infos[model.Main], nil
}

// embedding is the embedding model of this name, or nil where it does not work and the
// encoder in the program takes its place: a turn needs no vectors of a certain model. gone
// says that the server has none of that name.
func (m *Models) embedding(ctx context.Context, s *model.Server, name string) (_ encoder.Encoder, gone bool, err error) {
	if name == "" {
		return nil, true, nil
	}
	e, err := model.NewEmbedding(ctx, m.get(s, name))
	if err != nil && ctx.Err() == nil && m.a.builtIn() != nil && !errors.Is(err, model.ErrUnreachable) {
		m.a.log.Warn("the embedding model does not work; the sentence encoder takes its place")
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return e, false, nil
}

// resting says that an embedding model is chosen and this encoder stands in for it, for as
// long as it does not answer.
func (m *Models) resting(chosen string, e encoder.Encoder) bool {
	own := m.a.builtIn()
	if chosen == "" || e == nil || own == nil || e.Name() != own.Name() {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.gone
}

// roles picks models by name: what the person chose, else the first that fits.
func (m *Models) roles(ctx context.Context, s *model.Server, stored []model.Stored) (map[model.Role]string, error) {
	settings, err := m.a.Settings()
	if err != nil {
		return nil, err
	}
	has := func(name string) string {
		for _, x := range stored {
			if name != "" && (x.Name == name || x.Name == name+":latest") {
				return x.Name
			}
		}
		return ""
	}
	if m.name != "" && has(m.name) == "" {
		return nil, fmt.Errorf("%w: %s", model.ErrNoModel, m.name)
	}
	out := map[model.Role]string{model.Main: cmp.Or(has(m.name), has(settings.Main)), model.Light: has(settings.Light), model.Embed: has(settings.Embed)}
	lib := model.NewLibrary(s)
	// Without an encoder in the program, any embedding model is better than none.
	own := m.a.builtIn() != nil
	for _, x := range stored {
		if out[model.Main] != "" && (own || out[model.Embed] != "") {
			break
		}
		d, err := lib.Show(ctx, x.Name)
		if err != nil {
			return nil, err
		}
		embeds := slices.Contains(d.Capabilities, "embedding")
		if embeds && !own && out[model.Embed] == "" {
			out[model.Embed] = x.Name
		}
		if !embeds && out[model.Main] == "" && (len(d.Capabilities) == 0 || slices.Contains(d.Capabilities, "completion")) {
			out[model.Main] = x.Name
		}
	}
	out[model.Light] = cmp.Or(out[model.Light], out[model.Main])
	return out, nil
}

// dependenciesOf are those of a turn of the agent on a message. Danger in the message is
// answered before and without any model: then none is waited for, and none is needed. No
// other message waits long for a server that hangs, either.
func (a *App) dependenciesOf(ctx context.Context, x *registered, practice playing, message string) (*turn.Dependencies, model.Info, error) {
	on, err := a.Models.inPractice()
	if err != nil {
		return nil, model.Info{}, err
	}
	settings, err := a.Settings()
	if err != nil {
		return nil, model.Info{}, err
	}
	var (
		set     model.Set
		meaning encoder.Encoder
		info    model.Info
	)
	practice = practice.or(on)
	switch {
	case practice.on:
		set, meaning, info, err = a.Models.choose(ctx, practice, x.scripts)
	case a.checker().Assess(message).Level != safety.Calm:
		l := a.Models.chooseLater(x.scripts)
		if set, meaning, info, err = l.within(ctx, soon); err != nil {
			set, meaning, info, err = l.without()
		}
	default:
		if set, meaning, info, err = a.Models.chooseLater(x.scripts).within(ctx, patience); err == nil {
			err = ctx.Err()
		}
	}
	if err != nil {
		return nil, info, err
	}
	d, err := a.dependenciesWith(ctx, x, settings, set, meaning, practice.on)
	return d, info, err
}

// dependenciesWith are those of a turn with these models.
func (a *App) dependenciesWith(ctx context.Context, x *registered, settings Settings, set model.Set, meaning encoder.Encoder, practice bool) (*turn.Dependencies, error) {
	// In practice mode, or without its server, the chosen embedding model rests; what is
	// kept of it stays.
	var vectors turn.VectorCache
	if settings.Embed == "" || !practice && !a.Models.resting(settings.Embed, meaning) {
		vectors = a.Store
		a.encodeAnew(meaning)
	}
	tools, err := a.toolsOf(x)
	if err != nil {
		return nil, err
	}
	var recaller *memory.Recaller
	// An agent that asks for consent of its own recalls what that allows.
	if settings.Memory && !practice || x.Whom != nil {
		recaller = &memory.Recaller{Store: a.Store, Encoder: meaning}
	}
	rules, err := a.rules()
	if err != nil {
		return nil, err
	}
	a.keepFired()
	skills, err := a.shelf()
	if err != nil {
		return nil, err
	}
	d := &turn.Dependencies{Texts: a.texts, Features: settings.Features, Collections: settings.Collections, Search: a.SearchLibrary, Memory: recaller, Models: set, Silence: new(model.Silence), Rules: rules, Terms: settings.Checkpoints, Skills: skills, Region: settings.Region, Language: safety.Language(a.Tongue()), Phrasing: phrasing, Safety: a.checker(), Threshold: settings.Threshold, Context: settings.Context[x.ID], Facts: settings.Facts[x.ID], Price: settings.TokenPrice, Encoder: meaning, Vectors: vectors, Tools: tools, Caller: a.caller(ctx), Alarms: a.alarms, Control: a.Models.controlOf, CheckedIn: a.checkedIn, Before: a.spokenBefore()}
	if a.lake != nil {
		d.Lake = a.lake
	}
	return d, nil
}

// dependenciesWithout are those of a turn for which no model is to be had: who asks one
// gets the reason.
func (a *App) dependenciesWithout(ctx context.Context, x *registered, why error) (*turn.Dependencies, error) {
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	l := &later{chosen: make(chan struct{}), err: fmt.Errorf("%w: %w", turn.ErrNoModel, why), builtIn: a.builtIn()}
	close(l.chosen)
	return a.dependenciesWith(ctx, x, settings, l.standIns(), l.builtIn, false)
}

// noModel says that an error means that no model can be asked now.
func noModel(err error) bool {
	return errors.Is(err, model.ErrUnreachable) || errors.Is(err, model.ErrNoModel) || errors.Is(err, model.ErrStalled) || errors.Is(err, model.ErrBroken)
}

// ServerView says which model server is used.
type ServerView struct {
	Kind    string `json:"kind"` // own, user, none
	URL     string `json:"url"`
	Version string `json:"version"`
	Status  string `json:"status"` // stopped, starting, ready, failed
	Error   string `json:"error,omitempty"`
}

func (m *Models) serverView(ctx context.Context, ask bool) ServerView {
	m.mu.Lock()
	s, v := m.server, ServerView{Kind: "none", Status: m.status, Error: m.err}
	m.mu.Unlock()
	if s == nil {
		if m.own != nil {
			v.Kind = "own"
		}
		return v
	}
	v.Kind, v.URL = "user", s.Address()
	if s.Place() == model.Ours {
		v.Kind = "own"
	}
	if ask {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		version, err := s.Version(ctx)
		if v.Version, v.Status, v.Error = version, "ready", ""; err != nil {
			v.Status, v.Error = "failed", AsFault(err).Message
		}
	}
	return v
}

// ModelView is a model as the screens list it.
type ModelView struct {
	model.Stored
	Capabilities []string     `json:"capabilities"`
	Roles        []model.Role `json:"roles"`
	Loaded       bool         `json:"loaded"`
	// Check is what the model is good for; nil before anybody checked it.
	Check *ModelCheck `json:"check,omitempty"`
}

// Starter is a model that suits a first start.
type Starter struct {
	Name string `json:"name"`
	Size int64  `json:"size"` // bytes, about
	Why  string `json:"why"`
	tag  string // the name to which Ollama's library adds a quantisation; "" without one
}

var starters = []Starter{
	{"llama3.2:3b", 2_000_000_000, "good answers on a laptop with 8 GB of memory", "llama3.2:3b-instruct"},
	{"llama3.2:1b", 1_300_000_000, "smaller and quicker", "llama3.2:1b-instruct"},
	{"qwen2.5:7b", 4_700_000_000, "better answers with 16 GB of memory", "qwen2.5:7b-instruct"},
	{"all-minilm", 46_000_000, "compares meanings in English (embeddings)", ""},
}

// ModelsView is the models screen.
type ModelsView struct {
	Server   ServerView            `json:"server"`
	Models   []ModelView           `json:"models"`
	Roles    map[model.Role]string `json:"roles"`
	Encoder  EncoderView           `json:"encoder"`
	Practice bool                  `json:"practice"`
	// Manner is how the practice model behaves: "", stubborn, wrong or slow.
	Manner   model.Manner `json:"practice_manner"`
	Starters []Starter    `json:"starters"`
}

// View lists the models; it starts our own server when no other runs.
func (m *Models) View(ctx context.Context) (ModelsView, error) {
	v := ModelsView{Models: []ModelView{}, Roles: map[model.Role]string{}, Starters: starters}
	practice, err := m.inPractice()
	if err != nil {
		return v, err
	}
	v.Practice, v.Manner = practice.on, practice.manner
	settings, err := m.a.Settings()
	if err != nil {
		return v, err
	}
	if v.Practice {
		settings.Embed = "" // it rests
	}
	v.Encoder = m.a.encoderView("", settings.Embed)
	s, err := m.locate(ctx)
	if err != nil {
		v.Server = m.serverView(ctx, false)
		return v, nil // that there is no server is what the screen shows
	}
	lib := model.NewLibrary(s)
	stored, err := lib.List(ctx)
	if err != nil {
		m.lost(err)
		v.Server = m.serverView(ctx, false)
		return v, nil
	}
	v.Server = m.serverView(ctx, true)
	if v.Roles, err = m.roles(ctx, s, stored); err != nil {
		if !errors.Is(err, model.ErrNoModel) {
			return v, err
		}
		v.Roles = map[model.Role]string{} // the named model is not there; the list shows what is
	}
	m.list(v.Roles[model.Main], stored)
	if !v.Practice {
		v.Encoder = m.a.encoderView(v.Roles[model.Embed], settings.Embed)
	}
	running, err := lib.Running(ctx)
	if err != nil {
		running = nil // only the mark "loaded" is missing
	}
	for _, x := range stored {
		mv := ModelView{Stored: x, Capabilities: []string{}, Roles: []model.Role{}}
		if d, err := lib.Show(ctx, x.Name); err == nil && d.Capabilities != nil {
			mv.Capabilities = d.Capabilities
		}
		for _, role := range []model.Role{model.Main, model.Light, model.Embed} {
			if v.Roles[role] == x.Name {
				mv.Roles = append(mv.Roles, role)
			}
		}
		mv.Loaded = slices.ContainsFunc(running, func(l model.Loaded) bool { return l.Name == x.Name })
		if c, ok := m.checkOf(x.Digest); ok {
			mv.Check = &c
		}
		v.Models = append(v.Models, mv)
	}
	return v, nil
}

// list notes which of the models is the main one; none for "".
func (m *Models) list(main string, stored []model.Stored) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.listed = nil
	for _, x := range stored {
		if x.Name == main {
			m.listed = &model.Info{Name: x.Name, Digest: x.Digest}
		}
	}
}

// Start starts or finds the server now.
func (m *Models) Start(ctx context.Context) error {
	s, err := m.locate(ctx)
	if err == nil {
		_, err = s.Version(ctx)
	}
	if err != nil {
		m.lost(err)
	}
	m.forgetChoice()
	return err
}

// SetRole says which model plays a role.
func (m *Models) SetRole(ctx context.Context, role, name string) error {
	s, err := m.locate(ctx)
	if err != nil {
		return err
	}
	if name != "" {
		if _, err := model.NewLibrary(s).Show(ctx, name); err != nil {
			return err
		}
	}
	if role != string(model.Main) && role != string(model.Light) && role != string(model.Embed) {
		return Bad(fmt.Sprintf("There is no role %q.", role), "Roles are main, light and embed.")
	}
	meaning := m.a.builtIn()
	if role == string(model.Embed) && name != "" {
		// One that does not work is not chosen.
		if meaning, err = model.NewEmbedding(ctx, m.get(s, name)); err != nil {
			return err
		}
	}
	if err := m.a.Set(role, mustJSON(name)); err != nil {
		return err
	}
	m.forgetChoice()
	if role != string(model.Embed) && name != "" {
		m.checkSoon(ctx, model.NewLibrary(s), name)
	}
	if role == string(model.Embed) {
		// What is kept is made anew at once, not in the middle of the next turn.
		m.a.encodeAnew(meaning)
	}
	return nil
}

// Delete removes a model.
func (m *Models) Delete(ctx context.Context, name string) error {
	s, err := m.locate(ctx)
	if err != nil {
		return err
	}
	defer m.forgetChoice()
	return model.NewLibrary(s).Delete(ctx, name)
}

func (m *Models) job(kind, title string, work func(ctx context.Context, lib *model.Library, report func(model.Progress)) (any, error)) Job {
	return m.a.jobs.start(m.a.ctx, kind, title, "bytes", func(ctx context.Context, report func(int64, int64, string)) (any, error) {
		s, err := m.locate(ctx)
		if err != nil {
			return nil, err
		}
		defer m.forgetChoice()
		lib := model.NewLibrary(s)
		result, err := work(ctx, lib, func(p model.Progress) { report(p.Done, p.Total, p.Step) })
		if err == nil {
			m.checkSoon(ctx, lib, title)
		}
		return result, err
	})
}

// Pull gets a model over the network, in the background; asking for it is the
// person's consent to this one connection. A repeated pull goes on where it stopped.
func (m *Models) Pull(name string) (Job, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return Job{}, Bad("No model was named.", "Name one as in Ollama's library, e.g. llama3.2:3b.")
	}
	return m.job("pull", name, func(ctx context.Context, lib *model.Library, report func(model.Progress)) (any, error) {
		return nil, lib.Pull(ctx, name, report)
	}), nil
}

// Import takes a GGUF file or a folder with safetensors in the background. The
// file is never parsed in this process.
func (m *Models) Import(path, name string) (Job, error) {
	info, err := Named(path, true)
	if err != nil {
		return Job{}, err
	}
	name = cmp.Or(strings.TrimSpace(name), modelName(path))
	return m.job("import_model", name, func(ctx context.Context, lib *model.Library, report func(model.Progress)) (any, error) {
		if info.IsDir() {
			return lib.ImportFolder(ctx, name, path, report)
		}
		return lib.ImportGGUF(ctx, name, path, report)
	}), nil
}

// uploads is the folder for files on their way from the browser to the model server.
func (m *Models) uploads() string { return filepath.Join(m.a.dir, "uploads") }

// dropUploads removes what an upload that was killed left behind.
func (m *Models) dropUploads() {
	if m.a.Store.ReadOnly() {
		return
	}
	if err := os.RemoveAll(m.uploads()); err != nil {
		m.a.log.Warn("files of an upload that was broken off could not be removed")
	}
}

// Upload takes a GGUF file from the browser into the data folder, imports it and
// removes the copy.
func (m *Models) Upload(ctx context.Context, name string, body io.Reader) (Job, error) {
	if !strings.EqualFold(filepath.Ext(name), ".gguf") {
		return Job{}, Bad("This is not a GGUF file.", "Choose a file that ends in .gguf.")
	}
	head := make([]byte, len(model.MarkGGUF))
	if n, err := io.ReadFull(body, head); err == io.EOF || err == io.ErrUnexpectedEOF || err == nil && string(head) != model.MarkGGUF {
		return Job{}, fmt.Errorf("%w: %d bytes were looked at", model.ErrNotGGUF, n)
	} else if err != nil {
		return Job{}, fmt.Errorf("app: upload: %w", err)
	}
	body = io.MultiReader(bytes.NewReader(head), body)
	dir := m.uploads()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Job{}, fmt.Errorf("app: upload: %w", err)
	}
	f, err := os.CreateTemp(dir, "*.gguf")
	if err != nil {
		return Job{}, fmt.Errorf("app: upload: %w", err)
	}
	_, err = io.Copy(f, readerOf(ctx, body))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return Job{}, errors.Join(fmt.Errorf("app: upload: %w", err), os.Remove(f.Name()))
	}
	return m.job("import_model", modelName(name), func(ctx context.Context, lib *model.Library, report func(model.Progress)) (any, error) {
		imported, err := lib.ImportGGUF(ctx, modelName(name), f.Name(), report)
		return imported, errors.Join(err, os.Remove(f.Name()))
	}), nil
}

// readerOf ends with its context.
func readerOf(ctx context.Context, r io.Reader) io.Reader { return ctxReader{ctx, r} }

type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// modelName makes a name of a file's: lower case, other signs as dashes.
func modelName(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	name := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, base), "-._")
	return cmp.Or(name, "imported")
}
