//go:build desktop

package desktop

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"os"
	goruntime "runtime"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/store"
)

//go:embed unopened.html
var unopenedHTML string

// Unopened shows in a window of its own why there is none of the data folder dir, and returns when it was closed, or
// ctx ended: who started Holdpoint by a click sees no terminal. Where a window of that folder is open already
// it comes to the front instead, and this process ends.
func Unopened(ctx context.Context, dir string, why error, t tongue.Tongue) error {
	if err := Displayed(goruntime.GOOS, os.Getenv); err != nil {
		return err
	}
	prepareWebKit()
	message, hint, safe := app.AsFault(why).In(t)
	var page bytes.Buffer
	if err := template.Must(template.New("unopened").Parse(unopenedHTML)).Execute(&page, map[string]string{"Language": string(t), "Message": message, "Hint": hint, "Safe": safe}); err != nil {
		return fmt.Errorf("desktop: %w", err)
	}
	var window context.Context
	o := &options.App{
		Title: "Holdpoint", Width: 720, Height: 420,
		AssetServer: &assetserver.Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
			_, _ = w.Write(page.Bytes()) // a window that is gone needs no page
		})},
		OnStartup: func(c context.Context) {
			window = c
			context.AfterFunc(ctx, func() { runtime.Quit(c) })
		},
		LogLevel: logger.ERROR, LogLevelProduction: logger.ERROR,
	}
	if errors.Is(why, store.ErrLocked) {
		o.SingleInstanceLock = single(dir, func(options.SecondInstanceData) { runtime.Show(window) })
	}
	if err := wails.Run(o); err != nil {
		return fmt.Errorf("desktop: %w", err)
	}
	return nil
}
