// Package app is what a person can do with Holdpoint: talk in sessions, decide
// approvals, browse memory and records, manage models, export. The window, the
// browser and the command line are three faces of it.
package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"holdpoint/app/tongue"
	"holdpoint/engine/agent"
	"holdpoint/engine/call"
	"holdpoint/engine/encoder"
	"holdpoint/engine/journal"
	"holdpoint/engine/library"
	"holdpoint/engine/library/online"
	"holdpoint/engine/mcp"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/safety"
	"holdpoint/engine/skill"
	"holdpoint/engine/text"
	"holdpoint/engine/tool"
	"holdpoint/store"
)

// SafetyLine stands on every screen and in every export.
const SafetyLine = "Decision support, not a diagnosis. In an emergency call your local emergency number."

// safetyLine is SafetyLine with the emergency number of the region that a person chose.
func safetyLine(region string) string {
	r := safety.RegionOf(region)
	if r.Code == safety.International {
		return SafetyLine
	}
	return phrase("Decision support, not a diagnosis. In an emergency call %s.", r.Emergency.Call.In(safety.English))
}

// App is one open store with everything that runs on it. Safe for concurrent use.
type App struct {
	Store *store.DB
	// screens is the language of the system that the screens are on; nil before one was open.
	screens atomic.Pointer[tongue.Tongue]
	Models  *Models
	Library *library.Library
	// asks sends requests to online sources; sent are those under way, by id; deciding is held
	// while one is approved or refused; wire stands in for the network in tests.
	asks     *online.Client
	sent     sync.Map
	deciding sync.Mutex
	wire     http.RoundTripper
	choosing sync.Mutex // held while a choice is read, changed and kept

	agents  *Agents
	encoder *encoder.Universal
	// outside are the tools of servers that the user trusts; nil without any.
	outside func() []tool.Tool
	servers *mcp.Servers
	// texts are the words of agents as they are in force.
	texts *text.Catalog
	// lake makes memory of conversations; nil on a store that cannot be written.
	lake *memory.Lake

	dir     string
	version string
	desktop bool
	acts    CallerToken
	log     *slog.Logger
	now     func() time.Time
	place   atomic.Pointer[time.Location] // the clinic's zone; nil for that of the clock
	newID   func() string
	exec    *run.Executor
	hub     *hub
	jobs    *jobs
	nonces  *nonces
	paces   paces

	ctx   context.Context // ends with Close
	close context.CancelFunc

	draftsMu sync.Mutex

	mu    sync.Mutex
	turns map[string]*liveTurn // by turn id
	// untidy says that something was written since somebody looked whether to compact the store, freed that
	// somebody should; stuck that it cannot be compacted.
	untidy, stuck atomic.Bool
	freed         chan struct{}
	// encodedBy is the encoder that kept vectors were last compared with.
	encodedBy string
	// indexedAt is when the library's indexes were last brought up to date by themselves.
	indexedAt time.Time
	// behind is what goes on behind the scenes until Close.
	behind  sync.WaitGroup
	rulesMu sync.Mutex // one change of the rules at a time
	firedMu sync.Mutex
	fired   map[string]RuleFired   // since they were written last
	loaded  map[string]SkillLoaded // likewise

	// jail is the command that runs one code block; see skill.Jail.
	jail     []string
	skillsMu sync.Mutex
	skills   *skill.Shelf // nil until it is needed, and after a change
}

// Options of Open.
type Options struct {
	// Dir is the data folder; it is made when absent.
	Dir string
	// ServerDir holds the models of our own model server; "" is Dir.
	ServerDir string
	Version   string
	Desktop   bool
	// Ollama and Model are the command line's --ollama and --model; Practice its --practice.
	Ollama   string
	Model    string
	Practice bool
	// Manner is how the practice model behaves where Practice is set.
	Manner model.Manner
	// Pace is what the practice model waits before each word, so that a person can
	// follow; 0 for commands and tests.
	Pace time.Duration
	// Jail is the command that starts the program such that it runs one code block of a skill
	// (skill.Inmate); without it blocks do not run.
	Jail []string
	// Now and NewID default to the wall clock, in the zone of the settings, and ULIDs.
	Now   func() time.Time
	NewID func() string
	// Log is told of lifecycles, retries and the steps of runs, never of what is in them;
	// nil logs nothing.
	Log *slog.Logger
	// Agents are built-in agents beside Holdpoint's own.
	Agents []agent.New
	// Caller is for whom the turns run that no context names a caller for.
	Caller CallerToken
	// Wire stands in for the network that online sources are asked over; nil is HTTPS.
	Wire http.RoundTripper
}

// StoreFile is the store's name inside the data folder.
const StoreFile = "holdpoint.db"

// Open opens the store in the data folder and gets everything ready; nothing is
// started or asked over the network before it is needed.
func Open(o Options) (*App, error) {
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	if now().Unix() < 0 {
		return nil, &Fault{Code: "clock", Message: "The clock of this laptop stands before 1970; nobody could say later when something was approved.",
			Hint: "Set the clock and start Holdpoint again.", Safe: "Nothing was changed.", HTTP: 500}
	}
	err := os.MkdirAll(o.Dir, 0o700)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, &Fault{Code: "bad_request", HTTP: 400, Message: "The data folder is a file, or lies inside one.", Hint: "Name a folder with --data.", Safe: "Nothing was changed."}
	}
	if err != nil {
		return nil, fmt.Errorf("app: data folder: %w", err)
	}
	began := time.Now()
	db, err := store.Open(filepath.Join(o.Dir, StoreFile))
	if errors.Is(err, store.ErrReadOnly) {
		// What may not be written may still be read; whatever would change it says so.
		db, err = store.OpenReadOnly(filepath.Join(o.Dir, StoreFile))
	}
	if err != nil {
		return nil, err
	}
	a, err := New(db, o)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	a.log.Info("store opened", "took", time.Since(began))
	return a, nil
}

// New builds the app on an open store, which Close will close.
func New(db *store.DB, o Options) (*App, error) {
	clock, zoned := o.Now, o.Now == nil
	if zoned {
		clock = time.Now
	}
	var a *App
	// Whatever tells the time tells that of the clinic.
	o.Now = func() time.Time {
		if place := a.place.Load(); place != nil {
			return clock().In(place)
		}
		return clock()
	}
	if o.NewID == nil {
		o.NewID = newIDs(o.Now)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	agents, err := NewAgents(o.Dir, o.Log, o.Agents...)
	if err != nil {
		return nil, err
	}
	a = &App{Store: db, agents: agents, dir: o.Dir, version: o.Version, desktop: o.Desktop, acts: o.Caller, log: o.Log, now: o.Now, newID: o.NewID,
		encoder: encoder.New(encoder.Options{File: filepath.Join(o.Dir, EncoderFile)}), hub: newHub(), turns: map[string]*liveTurn{}, nonces: newNonces(), jail: o.Jail, wire: o.Wire,
		freed: make(chan struct{}, 1)}
	if a.texts, err = text.Open(db.Shown(), o.Now, agents.wording()); err != nil {
		return nil, err
	}
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	if zoned || settings.Zone != "" {
		if err := a.keepZone(cmp.Or(settings.Zone, settings.OwnZone)); err != nil {
			a.log.Warn("the zone that was set is not known here")
		}
	}
	if zoned && settings.Zone == "" && settings.OwnZone == "" && a.Zone() != "" && !db.ReadOnly() {
		settings.OwnZone = a.Zone()
		// What cannot be written now, as on a full disk, can be read all the same.
		if err := db.PutSetting(settingsKey, settings); err != nil {
			a.log.Warn("the zone of this machine could not be kept")
		}
	}
	a.keepBeside(settings)
	a.ctx, a.close = context.WithCancel(context.Background())
	a.jobs = &jobs{hub: a.hub, now: o.Now, newID: o.NewID, cancels: map[string]context.CancelFunc{}, told: map[string]time.Time{}}
	a.exec = NewExecutor(db, o.Now, o.NewID, func(e journal.Event) {
		if e.Kind == journal.ModelReading {
			e = a.paces.paced(e)
		}
		a.hub.publish(&e)
	})
	db.Subscribe(a.committed)
	db.OnCommit(a.wrote)
	a.Models = newModels(a, o)
	a.Models.dropUploads()
	if err := a.openPaces(); err != nil {
		return nil, err
	}
	a.openLibrary()
	a.openOnline()
	if err := a.warnOfContext(); err != nil {
		return nil, err
	}
	if err := a.lapse(a.now()); err != nil { // one damaged row must not close the whole house
		a.log.Warn("expired approvals could not be stored")
	}
	if err := a.openServers(); err != nil {
		return nil, err
	}
	a.openLake()
	a.behind.Go(a.lapsing)
	if !db.ReadOnly() {
		a.wrote() // what a crash left
		a.behind.Go(a.tidying)
	}
	return a, nil
}

// NewExecutor is the executor that turns run on; benchmarks run on the same.
func NewExecutor(store run.Checkpointer, now func() time.Time, newID func() string, onToken func(journal.Event)) *run.Executor {
	return run.NewExecutor(run.Options{Store: store, Now: now, NewID: newID, OnToken: onToken, Closing: call.Close})
}

// newIDs makes ULIDs: unique, sortable by time, and safe in paths.
func newIDs(now func() time.Time) func() string {
	var mu sync.Mutex
	entropy := ulid.Monotonic(rand.Reader, 0)
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		ms := uint64(max(now().UnixMilli(), 0)) // a clock may fall behind 1970 at any time
		id, err := ulid.New(min(ms, ulid.MaxTime()), entropy)
		if err != nil {
			// The monotonic part overflowed within a millisecond: take fresh randomness.
			id = ulid.MustNew(min(ms, ulid.MaxTime()), rand.Reader)
		}
		return id.String()
	}
}

// committed hears of every event once it is on disk, whoever wrote it.
func (a *App) committed(e *journal.Event) {
	a.told(e)
	if e.Kind == journal.ModelCalled {
		a.paces.heard(e) // before anybody else hears of it
	}
	a.hub.publish(e)
	switch e.Kind {
	case journal.TurnStarted, journal.TurnCompleted, journal.TurnFailed, journal.TurnCancelled, journal.TurnPaused, journal.TurnLimited, journal.TurnResumed:
		a.hub.notify(Notice{Kind: NoticeSession, ID: e.Session})
		if e.Kind == journal.TurnPaused || e.Kind == journal.TurnCancelled {
			a.hub.notify(Notice{Kind: NoticeApprovals}) // questions come and go with it
		}
	case journal.SafetyChecked:
		if d, err := journal.Read[journal.SafetyCheckedData](*e); err == nil && d.Concern {
			a.hub.notify(Notice{Kind: NoticeSession, ID: e.Session}) // its title may be another
		}
	case journal.RuleFired:
		a.heardRule(e)
	case journal.SkillLoaded:
		a.heardSkill(e)
	case journal.QuestionAnswered:
		a.hub.notify(Notice{Kind: NoticeApprovals})
	case journal.ApprovalRequested, journal.ApprovalDecided, journal.ApprovalRefused, journal.ApprovalReminded, journal.ApprovalEscalated, journal.ApprovalDelegated:
		a.hub.notify(Notice{Kind: NoticeApprovals, ID: e.Approval})
	case journal.MutationCommitted:
		a.hub.notify(Notice{Kind: NoticeRecords})
		a.hub.notify(Notice{Kind: NoticeApprovals, ID: e.Approval})
	}
}

// Close stops what runs and closes the store. Runs that were under way keep their
// checkpoint and can be resumed; approvals keep waiting.
func (a *App) Close() error {
	a.mu.Lock()
	a.close() // from here on nothing begins
	a.mu.Unlock()
	a.jobs.stop()
	a.closeLake()
	a.behind.Wait()
	a.keepPaces()
	a.keepFired()
	a.tidyLast()
	err := a.Store.Close()
	a.mu.Lock()
	var ends []chan struct{}
	for _, l := range a.turns {
		l.cancel()
		ends = append(ends, l.done)
	}
	a.mu.Unlock()
	for _, end := range ends {
		<-end
	}
	a.servers.Close()
	err = errors.Join(a.Models.close(), a.encoder.Close(), err)
	a.log.Info("closed", "clean", err == nil)
	return err
}

// Listen returns live events of a session, or of all for "". See hub.listen.
func (a *App) Listen(session string) (<-chan journal.Event, func()) { return a.hub.listen(session) }

// Watch returns notices for the screens.
func (a *App) Watch() (<-chan Notice, func()) { return a.hub.watch() }
