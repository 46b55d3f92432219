package command

import (
	"io"
	"log/slog"
)

// logVariable chooses how much is logged to standard error.
const logVariable = "HOLDPOINT_LOG"

// logger logs to out what is at least at the level; warnings and errors when it is "".
func logger(level string, out io.Writer) (*slog.Logger, error) {
	least := slog.LevelWarn
	if level != "" {
		if err := least.UnmarshalText([]byte(level)); err != nil {
			return nil, misuse("%s is debug, info, warn or error, not %q", logVariable, level)
		}
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: least})), nil
}
