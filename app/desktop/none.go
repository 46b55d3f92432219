//go:build !desktop

package desktop

import (
	"io/fs"

	"holdpoint/app"
)

// Open is nil: this build has no window.
var Open func(*app.App, fs.FS) error
