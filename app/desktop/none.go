//go:build !desktop

package desktop

import (
	"context"
	"io/fs"

	"holdpoint/app"
	"holdpoint/app/tongue"
)

// Open is nil: this build has no window.
var Open func(context.Context, *app.App, fs.FS) error

// Unopened is nil, too.
var Unopened func(context.Context, string, error, tongue.Tongue) error
