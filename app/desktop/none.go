//go:build !desktop

package desktop

import (
	"context"
	"io/fs"

	"holdpoint/app"
)

// Open is nil: this build has no window.
var Open func(context.Context, *app.App, fs.FS) error
