//go:build desktop

package desktop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"holdpoint/app"
	"holdpoint/app/web"
	"holdpoint/engine/library"
)

// single keeps a second window of the same person and data folder from opening: the first
// comes to the front instead.
func single(dir string, front func(options.SecondInstanceData)) *options.SingleInstanceLock {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	of := fnv.New64a()
	_, _ = io.WriteString(of, dir) // a hash takes everything
	return &options.SingleInstanceLock{UniqueId: fmt.Sprintf("holdpoint-5b1f7a52-2c0e-4d5e-9f0a-window-%x", of.Sum64()), OnSecondInstanceLaunch: front}
}

// Bridge is what the page can call. Reads go through the asset server.
type Bridge struct {
	app *app.App
	api *web.API
	ctx context.Context
	wg  sync.WaitGroup
}

// Open shows the window and returns when it was closed, or ctx ended.
func Open(ctx context.Context, a *app.App, screens fs.FS) (err error) {
	if err := Displayed(goruntime.GOOS, os.Getenv); err != nil {
		return err
	}
	prepareWebKit()
	b := &Bridge{app: a, api: web.NewAPI(a, screens)}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() {
		if panicked := recover(); panicked != nil {
			if err = undisplayed(panicked); err == nil {
				panic(panicked)
			}
		}
	}()
	err = wails.Run(&options.App{
		Title: "Holdpoint", Width: 1280, Height: 820, MinWidth: 420, MinHeight: 480,
		AssetServer: &assetserver.Options{Handler: guard(b.api)},
		Bind:        []any{b},
		OnStartup: func(c context.Context) {
			b.ctx = c
			b.forward(ctx)
			context.AfterFunc(ctx, func() { runtime.Quit(c) })
		},
		OnShutdown: func(context.Context) { cancel() },
		SingleInstanceLock: single(a.Dir(), func(options.SecondInstanceData) {
			runtime.WindowUnminimise(b.ctx)
			runtime.Show(b.ctx)
		}),
		Logger: quiet{a.Log()}, LogLevel: logger.ERROR, LogLevelProduction: logger.ERROR,
		Linux:       &linux.Options{ProgramName: "holdpoint", WebviewGpuPolicy: linux.WebviewGpuPolicyOnDemand},
		DragAndDrop: &options.DragAndDrop{EnableFileDrop: true, DisableWebViewDrop: true},
	})
	cancel()
	b.wg.Wait()
	if err != nil {
		return fmt.Errorf("desktop: %w", err)
	}
	return nil
}

// prepareWebKit turns the DMA-BUF renderer off where there is no graphics device
// for it: WebKitGTK shows an empty window there otherwise.
func prepareWebKit() {
	if _, set := os.LookupEnv("WEBKIT_DISABLE_DMABUF_RENDERER"); set {
		return
	}
	if devices, err := filepath.Glob("/dev/dri/renderD*"); err == nil && len(devices) == 0 {
		if err := os.Setenv("WEBKIT_DISABLE_DMABUF_RENDERER", "1"); err != nil {
			return // the window may stay empty; nothing else can be done here
		}
	}
}

// guard lets the page read; changes come through Call only.
func guard(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "changes go through the bridge", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self' blob:; form-action 'none'; base-uri 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		api.ServeHTTP(w, r)
	})
}

// forward sends journals and notices to the page, in order, with their sequence numbers.
func (b *Bridge) forward(ctx context.Context) {
	notices, stopNotices := b.app.Watch()
	b.wg.Go(func() {
		defer stopNotices()
		for {
			select {
			case <-ctx.Done():
				return
			case n := <-notices:
				runtime.EventsEmit(b.ctx, "app", n)
			}
		}
	})
	b.wg.Go(func() {
		for ctx.Err() == nil {
			events, stop := b.app.Listen("")
			for open := true; open && ctx.Err() == nil; {
				select {
				case <-ctx.Done():
				case e, ok := <-events:
					if open = ok; ok {
						runtime.EventsEmit(b.ctx, "journal", e)
					}
				}
			}
			stop()
		}
	})
}

// Call runs one call of the API and returns {"ok": …} or {"error": …}.
func (b *Bridge) Call(name, body string) string {
	var v any
	var err error
	switch name {
	case "pick_file":
		v, err = b.pickFile(body)
	case "save_export":
		v, err = b.saveExport(body)
	case "save_report":
		v, err = b.saveReport(body)
	case "save_text":
		v, err = b.saveText(body)
	default:
		v, err = b.api.Invoke(b.ctx, name, []byte(body))
	}
	answer := map[string]any{"ok": v}
	if err != nil {
		answer = map[string]any{"error": app.AsFault(err)}
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return `{"error":{"code":"error","message":"The answer could not be written."}}`
	}
	return string(raw)
}

func (b *Bridge) pickFile(body string) (any, error) {
	var in struct{ Kind string }
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return nil, app.Bad("The request cannot be read.", "Try again.")
	}
	say := b.app.Tongue()
	o := runtime.OpenDialogOptions{Title: say.Say("Choose records"), Filters: []runtime.FileFilter{{DisplayName: say.Say("Records") + " (*.ndjson, *.json, *.csv, *.geojson, *.zip)", Pattern: "*.ndjson;*.jsonl;*.json;*.csv;*.geojson;*.zip"}}}
	switch in.Kind {
	case "library":
		o = runtime.OpenDialogOptions{Title: say.Say("Choose a document or a zip"), Filters: []runtime.FileFilter{{DisplayName: say.Say("Documents"), Pattern: "*" + strings.Join(library.Extensions(), ";*")}}}
	case "library_folder":
		path, err := runtime.OpenDirectoryDialog(b.ctx, runtime.OpenDialogOptions{Title: say.Say("Choose a folder with documents")})
		return map[string]string{"path": path}, err
	case "agent":
		o = runtime.OpenDialogOptions{Title: say.Say("Choose an agent's file"), Filters: []runtime.FileFilter{{DisplayName: say.Say("Graphs") + " (*.yaml, *.yml)", Pattern: "*.yaml;*.yml"}}}
	case "model":
		o = runtime.OpenDialogOptions{Title: say.Say("Choose a model"), Filters: []runtime.FileFilter{{DisplayName: say.Say("GGUF models") + " (*.gguf)", Pattern: "*.gguf"}}}
	}
	path, err := runtime.OpenFileDialog(b.ctx, o)
	return map[string]string{"path": path}, err
}

func (b *Bridge) saveExport(body string) (any, error) {
	var in struct {
		Session, Format, From, To string
		Trace                     bool
	}
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return nil, app.Bad("The request cannot be read.", "Try again.")
	}
	e, err := b.app.Export(app.ExportQuery{Session: in.Session, Format: in.Format, Trace: in.Trace, From: in.From, To: in.To})
	if err != nil {
		return nil, err
	}
	return b.save(b.app.Tongue().Say("Save the transcript"), e)
}

func (b *Bridge) saveReport(body string) (any, error) {
	var in struct{ Turn, Format, Language string }
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return nil, app.Bad("The request cannot be read.", "Try again.")
	}
	e, err := b.app.BoardReport(in.Turn, in.Format, in.Language)
	if err != nil {
		return nil, err
	}
	return b.save(b.app.Tongue().Say("Save the report"), e)
}

// saveText writes a file that the page has, such as a signed request.
func (b *Bridge) saveText(body string) (any, error) {
	var in struct{ Name, Text string }
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return nil, app.Bad("The request cannot be read.", "Try again.")
	}
	return b.save(b.app.Tongue().Say("Save the file"), app.Export{Name: filepath.Base(in.Name), Write: func(w io.Writer) error {
		_, err := io.WriteString(w, in.Text)
		return err
	}})
}

// save asks where to and writes an export there; a path of "" says that the person gave up.
func (b *Bridge) save(title string, e app.Export) (any, error) {
	path, err := runtime.SaveFileDialog(b.ctx, runtime.SaveDialogOptions{Title: title, DefaultFilename: e.Name})
	if err != nil || path == "" {
		return map[string]string{"path": ""}, err
	}
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return nil, app.Bad("The folder does not exist.", "Choose another one.")
	}
	return map[string]string{"path": path}, app.WriteFile(path, e.Write)
}
