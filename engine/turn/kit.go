package turn

import "log/slog"

// Kit is what an agent is built with.
type Kit struct {
	// Log hears what an agent finds odd in its own declarations; nil logs nothing.
	Log *slog.Logger
}

// Warn logs what the program survives.
func (k Kit) Warn(what string, args ...any) {
	if k.Log != nil {
		k.Log.Warn(what, args...)
	}
}
